// A team: roster, games, statistics, members.
import { byId, element } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { onSubmit } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { tabs } from "/assets/tabs.js";
import { showMembers } from "./members.js";
import { showRoster } from "./roster.js";
import { showSchedule } from "./schedule.js";
import { addressParts, attempt, readTeam, startPage } from "./signed-in.js";
import { showTeamStats } from "./team-stats.js";

const [teamId] = addressParts();
let team = null;
const shown = new Set();

startPage(load, { visitorText: "Sign in to see this team." });

async function load() {
  await reload();
  document.querySelector("main").removeAttribute("aria-busy");
  if (team.isPersonal) document.querySelector('.tabs a[href="#members"]').remove();
  if (team.isPersonal) byId("members").remove();
  tabs(byId("parts"), { onShow: ({ id }) => showPart(id) });
  byId("manage").addEventListener("click", edit);
}

/** Reads the team again and shows what follows from it. */
async function reload() {
  team = await readTeam(teamId);
  document.title = `${team.team.name} · HackTracker`;
  byId("title").textContent = team.team.name;
  byId("description").textContent = team.team.description ?? "";
  byId("description").hidden = !team.team.description;
  byId("manage").hidden = !team.canEdit;
  for (const id of shown) if (id !== "games" && id !== "stats") await PARTS[id](team, byId(`${id}-content`), reload);
}

const PARTS = { roster: showRoster, games: showSchedule, stats: showTeamStats, members: showMembers };

/** Each part is read when it is first looked at. */
async function showPart(id) {
  if (shown.has(id)) return;
  shown.add(id);
  const place = byId(`${id}-content`);
  place.setAttribute("aria-busy", "true");
  await attempt(() => PARTS[id](team, place, reload), { near: place });
  place.removeAttribute("aria-busy");
}

function edit() {
  const form = element("form", { class: "hacktracker-form" },
    element("label", {}, "Name ", element("input", { name: "name", required: true, minlength: 3, maxlength: 50, value: team.team.name })),
    element("label", {}, "Description ", element("input", { name: "description", maxlength: 500, value: team.team.description ?? "" })),
    element("button", {}, "Save"),
    element("button", { type: "button", class: "plain danger", click: remove }, "Delete team"));
  const opened = sheet(form, { title: "Edit team" });
  onSubmit(form, async ({ name, description }) => {
    await request("PATCH", team.path, { body: { name, description: description.trim() || null } });
    opened.close();
    await reload();
  }, { reset: false });
}

async function remove() {
  const sure = await confirmDialog({ title: `Delete ${team.team.name}?`, text: "It can be recovered for 30 days from “My teams”. Everybody’s statistics stay.", action: "Delete team", danger: true });
  if (!sure) return;
  await attempt(async () => {
    await request("DELETE", team.path);
    location.href = base;
  }, { near: document.querySelector("dialog form") ?? undefined });
}
