// My teams, and making a new one.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { onSubmit } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { caller } from "/assets/session.js";
import { attempt, ensureUser, readAll, startPage } from "./signed-in.js";
import { dayText, halfMark, halfName, opponentName, OUTCOME_NAMES, outcome, whenText } from "./words.js";

/** Its members see the page for admins. */
const ADMIN_GROUP = "Admin";

startPage(load, { visitorText: "Rosters, schedules, live scores and statistics for your softball team. Sign in to begin." });

async function load() {
  const main = document.querySelector("main");
  await ensureUser(main);
  const hasTeam = await showTeams();
  byId("new-team").open = !hasTeam;
  byId("admin").hidden = !caller()?.groups.includes(ADMIN_GROUP);
  main.removeAttribute("aria-busy");
  const form = byId("new");
  const { kind: kindField, plays: playsField } = form.elements;
  form.addEventListener("change", () => {
    const isPersonal = kindField.value === "PERSONAL";
    byId("plays-label").hidden = isPersonal;
    byId("number-label").hidden = isPersonal || !playsField.checked;
  });
  onSubmit(form, async ({ kind, name, description, plays, playerNumber }) => {
    const team = await request("POST", `${base}/teams`, {
      once: true,
      body: {
        name,
        team_type: kind,
        ...(description.trim() ? { description } : {}),
        ...(plays && kind === "MANAGED" ? { player: { positions: [], ...(playerNumber === undefined ? {} : { playerNumber }) } } : {}),
      },
    });
    location.href = `${base}/team/${(team.team ?? team).teamId}`;
  });
}

async function showTeams() {
  const all = await readAll(`${base}/users/me/teams`);
  const kept = all.filter((team) => !team.deletedAt);
  // Personal teams come last.
  kept.sort((one, other) => (one.team_type === "PERSONAL") - (other.team_type === "PERSONAL") || one.name.localeCompare(other.name));
  replaceKeepingFocus(byId("teams"), kept.map((team) => teamCard(team)));
  const hasTeam = kept.some((team) => team.team_type === "MANAGED");
  byId("empty").hidden = hasTeam;
  const deleted = all.filter((team) => team.deletedAt);
  byId("deleted").hidden = deleted.length === 0;
  replaceKeepingFocus(byId("deleted-list"), deleted.map(deletedRow));
  return hasTeam;
}

function teamCard(team) {
  const news = element("span", { class: "hacktracker-news quiet" });
  const isPersonal = team.team_type === "PERSONAL";
  const isActive = team.status === undefined || team.status === "active";
  const content = [
    element("span", { class: "hacktracker-team-name" }, element("b", {}, team.name), element("span", { class: "badge" }, isPersonal ? "personal" : isActive ? team.role : "inactive")),
    news,
  ];
  if (isActive) tellNews(team, news);
  else news.textContent = "You are not active in this team.";
  return element("li", { "data-key": team.teamId }, isActive
    ? element("a", { class: "card hacktracker-team", href: `${base}/team/${team.teamId}` }, content)
    : element("div", { class: "card hacktracker-team" }, content));
}

/** What is going on in a team: a live game, the next one, or the last result. */
async function tellNews(team, place) {
  let games;
  try {
    games = await readAll(`${base}/teams/${team.teamId}/games`);
  } catch {
    // The card is a link without it.
    return;
  }
  const live = games.find((game) => game.status === "IN_PROGRESS");
  const now = new Date().toISOString();
  const upcoming = games.filter((game) => game.status === "SCHEDULED" && (game.scheduledStart ?? "9") > now).sort((one, other) => (one.scheduledStart ?? "9").localeCompare(other.scheduledStart ?? "9"))[0];
  const last = games.filter((game) => game.status === "FINAL").sort((one, other) => (other.scheduledStart ?? "").localeCompare(one.scheduledStart ?? ""))[0];
  if (live) {
    const mark = live.state && team.team_type !== "PERSONAL" ? [element("span", { "aria-hidden": "true" }, `${halfMark(live)} `), element("span", { class: "visually-hidden" }, `${halfName(live)}, `)] : [];
    place.classList.remove("quiet");
    place.replaceChildren(element("span", { class: "hacktracker-live" }, "LIVE"), " ", ...mark, element("b", {}, `${live.teamScore}–${live.opponentScore}`), ` ${opponentName(live)}`);
  } else if (upcoming) place.textContent = `Next: ${opponentName(upcoming)}, ${whenText(upcoming.scheduledStart)}`;
  else if (last) place.textContent = `${OUTCOME_NAMES[outcome(last)]} ${last.teamScore}–${last.opponentScore}, ${opponentName(last)}`;
  else place.textContent = team.team_type === "PERSONAL" ? "Track your own at-bats in any game" : "No games yet";
}

function deletedRow(team) {
  const recover = () => attempt(async () => {
    await request("POST", `${base}/teams/${team.teamId}/recover`, { once: true });
    announce(`${team.name} is back.`);
    await showTeams();
  }, { near: byId("deleted") });
  const until = team.recoverableUntil ?? new Date(Date.parse(team.deletedAt) + 30 * 24 * 3600_000).toISOString();
  return element("li", { "data-key": team.teamId },
    element("span", {}, element("b", {}, team.name), element("span", { class: "quiet" }, ` until ${dayText(until)}`)),
    element("button", { type: "button", class: "plain", "aria-label": `Recover ${team.name}`, click: recover }, "Recover"));
}
