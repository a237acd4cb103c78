// A game before, while and after it is played: lineup, live score, box score.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { confirmDialog } from "/assets/dialog.js";
import { base, request } from "/assets/http.js";
import { connectionBar, WatchStream } from "/assets/live.js";
import { timeText } from "/assets/time.js";
import { openGameForm } from "./game-form.js";
import { boxScoreTable, eventSentence, lineScoreTable, playsList, situation } from "./game-view.js";
import { LineupEditor } from "./lineup.js";
import { addressParts, attempt, readAll, readTeam, showFailure, startPage } from "./signed-in.js";
import { halfMark, halfName, opponentName, OUTCOME_NAMES, outcome, shortName, STATUS_NAMES, whenText, numberText } from "./words.js";

const [gameId] = addressParts();
const path = `${base}/games/${encodeURIComponent(gameId)}`;
/** After these the at-bats that the page has may be wrong. */
const REREAD = ["atBatCorrected", "atBatRemoved", "runnersMoved", "halfChanged"];

let team = null;
let view = null;
let names = new Map();
let lineup = null;
let stream = null;

startPage(load, { visitorText: "Sign in to see this game." });

async function load() {
  view = await request("GET", path);
  team = await readTeam(view.game.teamId);
  lineup = new LineupEditor(byId("lineup-content"), { save: saveLineup });
  lineup.isOpen = location.hash === "#lineup";
  document.querySelector("main").removeAttribute("aria-busy");
  render();
  const members = await readAll(`${team.path}/members`);
  names = new Map(members.map((member) => [member.userId, member.firstName]));
  stream = new WatchStream(`${path}/events`, {
    states: ["gameState"],
    onState: (state) => show(state.game?.game ? state.game : state),
    onEvent: handle,
  });
  connectionBar(stream);
  stream.addEventListener("status", renderUpdated);
}

/** The players of this game, with those who have left the roster's active list. */
function playersById() {
  return new Map([...team.playersById, ...(view.players ?? []).map((player) => [player.playerId, player])]);
}

function show(next) {
  if (next.game.revision < view.game.revision) return;
  view = next;
  render();
}

async function handle(kind, message) {
  if (kind === "gameDeleted") {
    stream.close();
    showFailure({ status: 404, title: "Game deleted", message: "This game was deleted." });
    return;
  }
  if (message.game.revision <= view.game.revision) return;
  announce(eventSentence(message, { game: message.game, playersById: playersById(), nameOf: (id) => names.get(id) ?? "Somebody" }));
  // The score is shown at once; the box score comes from the server.
  view = { ...view, game: message.game };
  if (kind === "atBatRecorded" && message.atBat) view = { ...view, atBats: [...view.atBats.filter((one) => one.atBatId !== message.atBat.atBatId), message.atBat] };
  if (!REREAD.includes(kind)) render();
  await attempt(async () => show(await request("GET", path)));
}

function render() {
  const { game } = view;
  const players = playersById();
  const isBefore = game.status === "SCHEDULED" || game.status === "POSTPONED";
  document.title = `${opponentName(game)} · ${team.team.name}`;
  byId("team-link").textContent = team.team.name;
  byId("team-link").href = `${base}/team/${game.teamId}#games`;
  byId("title").textContent = `${team.team.name} – ${opponentName(game)}`;
  byId("facts").textContent = [STATUS_NAMES[game.status], whenText(game.scheduledStart), game.location, game.seasonId, isBefore && !team.isPersonal ? `we bat ${game.homeAway === "HOME" ? "last" : "first"}, ${game.regulationInnings ?? 7} innings` : null].filter(Boolean).join(" · ");
  replaceKeepingFocus(byId("actions"), actions(game));

  byId("score").hidden = isBefore && !game.atBatCount && !(game.teamScore || game.opponentScore);
  replaceKeepingFocus(byId("big-score"), bigScore(game));
  replaceKeepingFocus(byId("situation"), [game.status === "IN_PROGRESS" && !team.isPersonal ? situation(view, players) : null, game.status === "IN_PROGRESS" ? upNext(game, players) : null].filter(Boolean));
  byId("line-score").hidden = team.isPersonal;
  if (!team.isPersonal) replaceKeepingFocus(byId("line-score"), [lineScoreTable({ ...view, leftOnBase: view.lineScore.leftOnBase }, team.team.name)]);
  renderUpdated();

  byId("lineup").hidden = team.isPersonal || !(isBefore || (lineup.isOpen && game.status === "IN_PROGRESS"));
  lineup.show({ game, players: team.players, canEdit: team.canScore && game.status !== "POSTPONED" });

  byId("box").hidden = isBefore && !game.atBatCount;
  byId("plays").hidden = byId("box").hidden;
  replaceKeepingFocus(byId("box-content"), [boxScoreTable(view, players, (playerId) => `${base}/player/${game.teamId}/${playerId}`)]);
  replaceKeepingFocus(byId("plays-content"), [...issueLinks(), ...playsList(view, players, { play: playRow })]);
}

function bigScore(game) {
  const sides = [
    [team.team.name, game.teamScore],
    [opponentName(game), game.opponentScore],
  ];
  if (game.homeAway === "HOME") sides.reverse();
  const result = outcome(game);
  const middle = game.status === "IN_PROGRESS" && game.state && !team.isPersonal ? halfMark(game) : result ? OUTCOME_NAMES[result] : STATUS_NAMES[game.status];
  const label = game.status === "IN_PROGRESS" && !team.isPersonal ? halfName(game) : null;
  const side = ([name, score], index) => element("div", { class: "hacktracker-side", "data-key": String(index) }, element("span", {}, name), element("b", {}, score));
  return [side(sides[0], 0), element("span", { class: `hacktracker-mark-now${game.status === "IN_PROGRESS" ? " is-live" : ""}` }, label ? [element("span", { "aria-hidden": "true" }, middle), element("span", { class: "visually-hidden" }, label)] : middle), side(sides[1], 1)];
}

function upNext(game, players) {
  if (!game.state || game.state.half !== "TEAM" || !game.lineup?.length) return null;
  const player = players.get(game.lineup[(game.state.nextBattingOrder ?? 1) - 1]);
  return player ? element("p", { class: "hacktracker-up-next" }, "At bat: ", element("b", {}, `${numberText(player)} ${shortName(player)}`)) : null;
}

function renderUpdated() {
  const { game } = view;
  const isWatched = game.status === "IN_PROGRESS" && stream?.lastUpdate;
  byId("updated").textContent = isWatched ? `Last update ${timeText(stream.lastUpdate)}` : "";
}

/** Mistakes in the book, each with a link to the page that mends it. */
function issueLinks() {
  return (view.issues ?? []).map((issue) => {
    const text = `! Inning ${issue.inning} has ${issue.outs} ${issue.outs === 1 ? "out" : "outs"}`;
    return team.canScore
      ? element("a", { class: "hacktracker-issue-link", href: `${base}/score/${gameId}#inning-${issue.inning}` }, text, element("span", { "aria-hidden": "true" }, " ›"))
      : element("p", { class: "hacktracker-issue" }, text);
  });
}

function playRow(atBat, content) {
  return team.canScore
    ? element("a", { class: "hacktracker-play", href: `${base}/score/${gameId}#${atBat.atBatId}` }, content, element("span", { class: "quiet", "aria-hidden": "true" }, "›"))
    : element("div", { class: "hacktracker-play" }, content);
}

function actions(game) {
  const button = (key, text, click, kind = "plain") => element("button", { type: "button", class: kind, "data-key": key, click }, text);
  const list = [];
  const isOpen = game.status === "SCHEDULED" || game.status === "IN_PROGRESS";
  if (team.canScore) {
    if (game.status === "IN_PROGRESS") list.push(element("a", { class: "button", "data-key": "score", href: `${base}/score/${gameId}` }, "Score"));
    if (game.status === "SCHEDULED") list.push(button("start", "Start game", start, ""));
    if (game.status === "IN_PROGRESS" && !team.isPersonal) list.push(button("lineup", lineup.isOpen ? "Hide lineup" : "Change lineup", toggleLineup));
    if (game.status === "FINAL") list.push(button("reopen", "Reopen", () => verb("reopen")));
    if (game.status === "POSTPONED") list.push(button("reschedule", "Reschedule", reschedule, ""));
    if (isOpen) list.push(button("postpone", "Postpone", postpone));
    if (game.status === "SCHEDULED" && !game.atBatCount) list.push(button("result", "Enter result", enterResult));
  }
  if (team.canManage) list.push(button("edit", "Edit", edit));
  return list;
}

async function send(work) {
  const done = await attempt(async () => {
    const answer = await work();
    show({ ...view, ...(answer.issues ? { issues: answer.issues } : {}), game: answer.game ?? answer });
    return true;
  });
  if (!done) await attempt(async () => show(await request("GET", path)));
  return done === true;
}

function verb(name, extra = {}) {
  return send(() => request("POST", `${path}/${name}`, { body: { revision: view.game.revision, ...extra }, once: true }));
}

async function saveLineup(ids) {
  const answer = await request("PUT", `${path}/lineup`, { body: { revision: view.game.revision, lineup: ids } });
  lineup.saved();
  show({ ...view, game: answer.game ?? answer });
  announce("The lineup is saved.");
}

async function start() {
  if (lineup.isChanged) {
    const saved = await attempt(async () => { await saveLineup(lineup.ids); return true; });
    if (!saved) return;
  }
  if (await verb("start")) location.href = `${base}/score/${gameId}`;
}

function toggleLineup() {
  lineup.isOpen = !lineup.isOpen;
  render();
  if (lineup.isOpen) byId("lineup").scrollIntoView({ block: "start" });
}

async function postpone() {
  const sure = await confirmDialog({ title: "Postpone this game?", text: "At-bats and score are kept.", action: "Postpone" });
  if (sure) await verb("postpone");
}

function reschedule() {
  openGameForm({ ...view.game }, {
    title: "Reschedule",
    action: "Reschedule",
    isPersonal: team.isPersonal,
    save: async ({ scheduledStart, ...rest }) => {
      const answer = await request("POST", `${path}/reschedule`, { body: { revision: view.game.revision, scheduledStart }, once: true });
      show({ ...view, game: answer.game ?? answer });
      const changes = Object.fromEntries(Object.entries(rest).filter(([key, value]) => value !== (view.game[key] ?? null)));
      if (team.canManage && Object.keys(changes).length) await patch(changes);
    },
  });
}

async function patch(changes) {
  const answer = await request("PATCH", path, { body: { revision: view.game.revision, ...changes } });
  show({ ...view, game: answer.game ?? answer });
}

async function edit() {
  const { game } = view;
  openGameForm(game, {
    title: "Edit game",
    isPersonal: team.isPersonal,
    onRemove: game.atBatCount ? null : remove,
    save: (values) => patch(Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== game[key]))),
  });
}

async function enterResult() {
  const { openScoreForm } = await import("./score-form.js");
  openScoreForm(view.game, {
    teamName: team.team.name,
    save: async (values) => {
      const scored = await request("PUT", `${path}/score`, { body: { revision: view.game.revision, ...values } });
      show({ ...view, game: scored.game ?? scored });
      const answer = await request("POST", `${path}/finish`, { body: { revision: view.game.revision }, once: true });
      show({ ...view, game: answer.game ?? answer });
    },
  });
}

async function remove() {
  const sure = await confirmDialog({ title: "Delete this game?", text: "It has no at-bats. This cannot be undone.", action: "Delete", danger: true });
  if (!sure) return;
  await attempt(async () => {
    await request("DELETE", path);
    location.href = `${base}/team/${view.game.teamId}#games`;
  }, { near: document.querySelector("dialog form") ?? undefined });
}
