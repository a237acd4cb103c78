// A season: standings, leaderboards, and games by session. It follows all its games.
import { byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { base } from "/assets/http.js";
import { connectionBar, WatchStream } from "/assets/live.js";
import { tabs } from "/assets/tabs.js";
import { dayText, timeText } from "/assets/time.js";
import { addressPart, api, mayAct, onOtherPerson, read, readAll, showMissing, unmarkPanel } from "./api.js";
import { today } from "./clock.js";
import { gameRow } from "./game-parts.js";
import { playerText, teamTag } from "./teams.js";

const seasonId = addressPart(1);
const path = `/seasons/${encodeURIComponent(seasonId)}`;
/** Standings are read again within so long, so that many pages do not ask at the same moment. */
const READ_AGAIN_MAX_MS = 2_000;

let season = null;
/** The games of each session that was opened: session id → game id → row. */
const games = new Map();
/** The last rows that the stream has sent of games of other sessions, by game id. */
const rowsElsewhere = new Map();
/** Sessions that the person has opened or closed: id → whether it is open. */
const chosen = new Map();
let readTimer = null;
let isReading = null;

tabs(byId("page"));
unmarkPanel();
const stream = new WatchStream(`${api}${path}/live`, {
  onState: load,
  onEvent: (event, message) => {
    if (event === "gameRow") takeRow(message);
    else if (event === "gameRemoved") removeRow(message);
  },
  onStatus: (status, { problem }) => {
    if (status !== "refused") return;
    // The page says it itself.
    bar.remove();
    showMissing("season", problem);
  },
});
const bar = connectionBar(stream);
onOtherPerson(() => location.reload());

async function load() {
  try {
    season = await read(path);
  } catch (error) {
    if (!season) showMissing("season", error);
    return;
  }
  rowsElsewhere.clear();
  const ids = season.sessions.map((session) => session.sessionId);
  for (const id of [...games.keys()]) if (!ids.includes(id)) games.delete(id);
  show();
  // A session that was opened and closed again is kept up to date as well.
  for (const session of season.sessions) if (isOpen(session) || games.has(session.sessionId)) loadGames(session);
}

async function loadGames(session) {
  const { sessionId } = session;
  try {
    const rows = await readAll(`/sessions/${encodeURIComponent(sessionId)}/games`);
    const known = games.get(sessionId) ?? new Map();
    games.set(sessionId, new Map(rows.map((row) => [row.gameId, newer(known.get(row.gameId) ?? rowsElsewhere.get(row.gameId), row)])));
    for (const { gameId } of rows) rowsElsewhere.delete(gameId);
    showSessions();
  } catch (error) {
    // An open session stays as it is until the connection is back; a closed one is read when it is opened.
    if (!isOpen(session)) games.delete(sessionId);
    console.warn(error);
  }
}

function newer(one, other) {
  return one?.updatedAt && other.updatedAt && one.updatedAt > other.updatedAt ? one : other;
}

function takeRow(row) {
  const before = [...games.values()].map((rows) => rows.get(row.gameId)).find(Boolean) ?? rowsElsewhere.get(row.gameId);
  if (before && newer(before, row) === before) return;
  // A game that was moved leaves its old session.
  for (const rows of games.values()) rows.delete(row.gameId);
  rowsElsewhere.delete(row.gameId);
  const rows = games.get(row.sessionId) ?? rowsElsewhere;
  rows.set(row.gameId, row);
  if (season) showSessions();
  const isKnown = season?.sessions.some((session) => session.sessionId === row.sessionId);
  const result = (one) => (one.status === "finished" ? JSON.stringify([one.outcome, one.winnerTeamId, one.score]) : null);
  // A game that this page has not seen before may be new, or may have counted until now.
  if (!isKnown || !before || result(before) !== result(row)) readLater();
}

/** A game was deleted or moved. If it was moved, its new row is shown already, with another start or session. */
function removeRow({ gameId, sessionId, gameStartTs }) {
  if (!games.has(sessionId)) {
    if (rowsElsewhere.get(gameId)?.gameStartTs === gameStartTs) rowsElsewhere.delete(gameId);
    // The session's number of games has changed.
    readLater();
    return;
  }
  if (games.get(sessionId)?.get(gameId)?.gameStartTs !== gameStartTs) return;
  games.get(sessionId).delete(gameId);
  showSessions();
}

function readLater() {
  clearTimeout(readTimer);
  readTimer = setTimeout(() => {
    // What is on its way may be from before the change.
    if (isReading) {
      readLater();
      return;
    }
    isReading = read(path).then((view) => { season = view; show(); }).catch(() => {}).finally(() => { isReading = null; });
  }, Math.random() * READ_AGAIN_MAX_MS);
}

function show() {
  document.title = `${season.season.name} · ${season.league.name} · 3FC`;
  byId("way").replaceChildren(element("a", { href: `${base}/leagues/${season.league.leagueId}` }, season.league.name));
  byId("name").textContent = season.season.name;
  byId("actions").replaceChildren(...(mayAct(season.myRole, "admin") ? [element("a", { class: "button plain small", href: `${base}/leagues/${season.league.leagueId}/admin` }, "Admin")] : []));
  replaceKeepingFocus(byId("standings"), [standings()]);
  byId("boards").replaceChildren(
    board("Goals", season.boards.goals, "goals"),
    board("Goals per game", season.boards.perGame, "goals per game"),
    board("Assists", season.boards.assists, "assists"),
    board("Own goals", season.boards.ownGoals, "own goals"));
  showSessions();
}

function teamBy(teamId) {
  return season.teams.find((team) => team.teamId === teamId);
}

const COLUMNS = [["played", "P", "Played"], ["wins", "W", "Won"], ["draws", "D", "Drawn"], ["losses", "L", "Lost"], ["conceded", "C", "Conceded"], ["scored", "S", "Scored"]];

function standings() {
  const rows = season.standings;
  const isShared = (position) => rows.filter((row) => row.position === position).length > 1;
  const isPlayed = rows.some((row) => row.played > 0);
  return element("div", {},
    element("table", { class: "threefc-standings" },
      element("caption", { class: "visually-hidden" }, "Standings. Most wins first, then draws, fewest conceded, most scored."),
      element("thead", {}, element("tr", {},
        element("th", { scope: "col" }, element("span", { class: "visually-hidden" }, "Position")),
        element("th", { scope: "col" }, "Team"),
        COLUMNS.map(([, short, long]) => element("th", { scope: "col" }, element("abbr", { title: long, "aria-hidden": "true" }, short), element("span", { class: "visually-hidden" }, long))))),
      element("tbody", {}, rows.map((row) => element("tr", { "data-key": row.teamId },
        element("td", {}, `${row.position}${isPlayed && isShared(row.position) ? "=" : ""}`),
        element("th", { scope: "row" }, teamTag(teamBy(row.teamId))),
        COLUMNS.map(([name]) => element("td", { class: name === "wins" ? "threefc-strong" : null }, String(row[name]))))))),
    element("p", { class: "quiet threefc-pad-text" }, isPlayed ? "C: goals conceded, fewest are best. S: goals scored." : "No games yet. The table fills with the first finished game."));
}

function board(title, entries, unit) {
  return element("section", { class: "card" }, element("h2", {}, title),
    entries?.length
      ? element("ol", { class: "threefc-ranks" }, entries.map((entry) => element("li", {},
        element("span", { class: "threefc-rank" }, element("span", { class: "visually-hidden" }, "Rank "), String(entry.rank)),
        element("span", { class: "threefc-rank-name" }, playerText(entry.player), " ", element("span", { class: "quiet" }, `${entry.games} ${entry.games === 1 ? "game" : "games"}`)),
        element("b", {}, unit === "goals per game" ? Number(entry.value).toFixed(2) : String(entry.value), element("span", { class: "visually-hidden" }, ` ${unit}`)))))
      : element("p", { class: "quiet" }, "Nobody yet."));
}

/** Today's session, the last one before and the first one after it are open until somebody says otherwise. */
function isOpen({ sessionId, sessionDate }) {
  if (chosen.has(sessionId)) return chosen.get(sessionId);
  const now = today();
  const dates = season.sessions.map((session) => session.sessionDate).sort();
  return sessionDate === now || sessionDate === dates.filter((date) => date < now).at(-1) || sessionDate === dates.find((date) => date > now);
}

function showSessions() {
  if (!season) return;
  const sessions = [...season.sessions].sort((one, other) => (one.sessionDate < other.sessionDate ? -1 : 1));
  replaceKeepingFocus(byId("sessions"), sessions.length ? sessions.map(sessionPart) : [element("p", { class: "quiet" }, "No games yet. The table fills with the first finished game.")]);
  const now = [...games.values()].flatMap((rows) => [...rows.values()]).filter((row) => row.status === "live");
  byId("now").replaceChildren(...(now.length ? [element("section", { class: "card threefc-flush" }, element("h2", {}, "Now playing"), gameList(now))] : []));
}

function gameList(rows) {
  const sorted = [...rows].sort((one, other) => (one.gameStartTs < other.gameStartTs ? -1 : 1));
  return element("ul", { class: "threefc-rows" }, sorted.map((row) => element("li", { "data-key": row.gameId },
    gameRow(row, season.teams, { href: `${base}/games/${row.gameId}`, time: timeText(row.gameStartTs) }))));
}

function sessionPart(session) {
  const { sessionId, sessionDate, venue } = session;
  const rows = games.get(sessionId);
  const count = rows ? rows.size : session.games;
  const details = element("details", { class: "card threefc-session threefc-flush", open: isOpen(session), "data-key": `session-${sessionId}` },
    element("summary", {}, element("span", {}, element("b", {}, sessionDate === today() ? `Today, ${dayText(sessionDate)}` : dayText(sessionDate)), venue ? element("span", { class: "quiet" }, ` ${venue}`) : null),
      element("span", { class: "badge" }, `${count} ${count === 1 ? "game" : "games"}`)),
    rows ? (rows.size ? gameList([...rows.values()]) : element("p", { class: "quiet threefc-pad-text" }, "No games yet.")) : element("p", { class: "quiet threefc-pad-text" }, "Loading…"));
  details.addEventListener("toggle", () => {
    if (details.open === isOpen(session)) return;
    chosen.set(sessionId, details.open);
    if (details.open && !games.has(sessionId)) loadGames(session);
  });
  return details;
}
