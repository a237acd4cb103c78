// An invite: which team, as whom, one button.
import { byId, element } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { addressParts, attempt, ensureUser, startPage } from "./signed-in.js";
import { fullName, numberText } from "./words.js";

const [teamId, code] = addressParts();
const path = `${base}/teams/${encodeURIComponent(teamId)}/invites/${encodeURIComponent(code)}`;

startPage(load, { visitorText: "You are invited to a team. Sign in to join." });

async function load() {
  const invite = await request("GET", path);
  const { team, player } = invite;
  document.title = `Join ${team.name}`;
  byId("title").textContent = team.name;
  // The name of the team stands above the questions to somebody new.
  await ensureUser(byId("invite"));
  document.querySelector("main").removeAttribute("aria-busy");
  const who = player ? fullName(player) : null;
  const join = () => attempt(async () => {
    await request("POST", `${path}/accept`, { once: true });
    location.href = `${base}/team/${encodeURIComponent(teamId)}`;
  });
  byId("invite").replaceChildren(element("div", { class: "card hacktracker-form" },
    element("p", {}, `${team.name} invite you as ${invite.role}${who ? ":" : "."}`),
    who ? element("p", { class: "hacktracker-invited" }, `${numberText(player)} ${who}`.trim()) : null,
    element("button", { type: "button", id: "join", click: join }, who ? `Join as ${who}` : `Join as ${invite.role}`),
    invite.invitedBy?.firstName ? element("p", { class: "quiet" }, `Not you? Ask ${fullName(invite.invitedBy)}.`) : null));
}
