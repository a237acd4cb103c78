// A player's statistics in a team, and one's own career over all teams.
import { byId, element, replaceKeepingFocus, shape } from "/assets/dom.js";
import { lineChart } from "/assets/chart.js";
import { base, request } from "/assets/http.js";
import { sprayField } from "./field.js";
import { scroller } from "./game-view.js";
import { seasonSelect, seasonsOf } from "./schedule.js";
import { addressParts, attempt, readAll, readTeam, startPage } from "./signed-in.js";
import { counted, dayText, fullName, NO_VALUE, numberText, opponentName } from "./words.js";

const AVERAGES = [["avg", "AVG", "Batting average"], ["obp", "OBP", "On-base percentage"], ["slg", "SLG", "Slugging percentage"], ["ops", "OPS", "On-base plus slugging"]];
const COUNTS = [
  ["g", "Games"], ["pa", "Plate app."], ["ab", "At-bats"], ["h", "Hits"], ["1B", "Singles"], ["2B", "Doubles"], ["3B", "Triples"], ["HR", "Home runs"], ["tb", "Total bases"],
  ["r", "Runs"], ["rbi", "RBIs"], ["BB", "Walks"], ["HBP", "Hit by pitch"], ["SAC", "Sacrifices"], ["sf", "of which flies"], ["FC", "Fielder’s choices"], ["E", "On error"], ["K", "Strikeouts"], ["OUT", "Other outs"],
];
/** Dates under a chart do not touch each other on a phone. */
const TICKS_MAX = innerWidth < 480 ? 4 : 6;

const [teamId, playerId] = addressParts();
const isCareer = !playerId;

startPage(load, { visitorText: "Sign in to see statistics." });

async function load() {
  if (isCareer) {
    document.title = "My career · HackTracker";
    byId("title").textContent = "My career";
    await loadCareer();
    document.querySelector("main").removeAttribute("aria-busy");
    return;
  }
  const team = await readTeam(teamId);
  const player = team.playersById.get(playerId) ?? await request("GET", `${team.path}/players/${encodeURIComponent(playerId)}`);
  document.title = `${fullName(player)} · ${team.team.name}`;
  byId("title").textContent = `${numberText(player)} ${fullName(player)}`.trim();
  byId("facts").textContent = [(player.positions ?? []).join(" "), player.status === "active" ? null : player.status, player.isGhost ? "ghost" : null].filter(Boolean).join(" · ");
  byId("team-link").textContent = team.team.name;
  byId("team-link").href = `${base}/team/${teamId}#stats`;
  const seasons = seasonsOf(await readAll(`${team.path}/games`));
  const path = `${team.path}/players/${encodeURIComponent(playerId)}/stats`;
  /** What is shown: a season or all, and one game of it or all. */
  const chosen = { season: "", game: "" };
  let stats = await request("GET", path);
  const render = () => {
    replaceKeepingFocus(byId("filters"), [
      seasons.length ? seasonSelect(seasons, chosen.season, changeSeason) : null,
      stats.games.length > 1 ? gameSelect(stats.games, chosen.game, (game) => { chosen.game = game; render(); }) : null,
    ].filter(Boolean));
    const game = stats.games.find((one) => one.gameId === chosen.game);
    show(stats, game);
  };
  const changeSeason = (season) => attempt(async () => {
    chosen.season = season;
    chosen.game = "";
    stats = await request("GET", season ? `${path}?season=${encodeURIComponent(season)}` : path);
    render();
  });
  render();
  document.querySelector("main").removeAttribute("aria-busy");
}

/** One's own statistics, of one team and one season if they are chosen. */
async function loadCareer() {
  const all = await request("GET", `${base}/users/me/stats`);
  const seasons = seasonsOf(all.games);
  const chosen = { team: "", season: "" };
  const change = (key) => (value) => attempt(async () => {
    chosen[key] = value;
    const query = new URLSearchParams(Object.entries(chosen).filter(([, one]) => one));
    render(query.size ? await request("GET", `${base}/users/me/stats?${query}`) : all);
  });
  const render = (stats) => {
    replaceKeepingFocus(byId("filters"), [
      all.teams.length > 1 ? teamSelect(all.teams, chosen.team, change("team")) : null,
      seasons.length ? seasonSelect(seasons, chosen.season, change("season")) : null,
    ].filter(Boolean));
    show(stats);
  };
  render(all);
}

function teamSelect(teams, chosen, change) {
  return element("label", { class: "hacktracker-season" }, element("span", { class: "visually-hidden" }, "Team "),
    element("select", { "data-key": "team", change: ({ target }) => change(target.value) },
      element("option", { value: "" }, "All teams"),
      teams.map((team) => element("option", { value: team.teamId, selected: team.teamId === chosen }, team.isDeleted ? `${team.name} (deleted)` : team.name))));
}

function gameSelect(games, chosen, change) {
  return element("label", { class: "hacktracker-season" }, element("span", { class: "visually-hidden" }, "Game "),
    element("select", { "data-key": "game", change: ({ target }) => change(target.value) },
      element("option", { value: "" }, "All games"),
      [...games].reverse().map((game) => element("option", { value: game.gameId, selected: game.gameId === chosen }, `${dayText(game.scheduledStart)} ${opponentName(game)}`))));
}

/** Shows statistics; with `game` the averages and counts of that one. */
function show(stats, game = null) {
  const line = game?.line ?? stats.line;
  replaceKeepingFocus(byId("averages"), [averages(line, game)]);
  replaceKeepingFocus(byId("counts"), [counts(line)]);
  sprayField(byId("spray"), stats.spray.filter((hit) => !game || hit.gameId === game.gameId), { title: "Spray chart" });
  trend(stats.games);
  const deleted = new Set((stats.teams ?? []).filter((team) => team.isDeleted).map((team) => team.teamId));
  replaceKeepingFocus(byId("games-content"), [gamesTable(stats.games, game, deleted)]);
  if (stats.teams) {
    byId("teams").hidden = false;
    replaceKeepingFocus(byId("teams-content"), [teamsTable(stats.teams)]);
  }
}

function averages(line, game) {
  return element("div", {},
    game ? element("p", { class: "quiet" }, `Only ${dayText(game.scheduledStart)}, ${opponentName(game)}`) : null,
    element("dl", { class: "hacktracker-averages" }, AVERAGES.map(([key, short, name]) => element("div", {}, element("dt", {}, element("abbr", { title: name }, short)), element("dd", {}, line[key] ?? NO_VALUE)))));
}

function counts(line) {
  return element("dl", { class: "hacktracker-counts" }, COUNTS.map(([key, name]) => element("div", {}, element("dt", {}, name), element("dd", {}, line[key] ?? 0))));
}

/** OPS game by game, and of the season so far. */
function trend(games) {
  const dated = games.filter((game) => game.line.ops != null);
  const place = byId("trend");
  if (dated.length < 2) {
    place.replaceChildren(element("p", { class: "quiet" }, dated.length ? `${counted(1, "game")} so far: OPS ${dated[0].line.ops}. A trend needs two.` : "A trend needs two games."));
    return;
  }
  const svg = shape("svg", {});
  place.replaceChildren(svg);
  const step = Math.ceil(dated.length / TICKS_MAX);
  const sofar = runningOps(dated);
  lineChart(svg, {
    title: "OPS by game",
    series: [
      { name: "Game", points: dated.map((game, index) => [index + 1, Number(game.line.ops)]) },
      { name: "So far", points: sofar.map((value, index) => [index + 1, value]).filter(([, value]) => value !== null) },
    ],
    x: { label: "Game", format: (index) => dayText(dated[index - 1]?.scheduledStart), ticks: dated.map((_, index) => index + 1).filter((at) => (at - 1) % step === 0) },
    y: { label: "OPS", format: (value) => value.toFixed(3).replace(/^0\./, ".") },
  });
}

/** The OPS over all games up to each one, from the counts. */
export function runningOps(games) {
  const sum = { h: 0, ab: 0, tb: 0, on: 0, of: 0 };
  return games.map(({ line }) => {
    sum.h += line.h;
    sum.ab += line.ab;
    sum.tb += line.tb;
    sum.on += line.h + line.BB + line.HBP;
    sum.of += line.ab + line.BB + line.HBP + line.sf;
    return sum.ab && sum.of ? Number((sum.on / sum.of + sum.tb / sum.ab).toFixed(3)) : null;
  });
}

/** Games of deleted teams count, and cannot be opened. */
function gamesTable(games, chosen, deleted) {
  if (!games.length) return element("p", { class: "quiet" }, "No at-bats yet.");
  const columns = [["ab", "AB"], ["h", "H"], ["r", "R"], ["rbi", "RBI"], ["BB", "BB"], ["K", "K"], ["avg", "AVG"], ["ops", "OPS"]];
  return scroller("Games", element("table", { class: "hacktracker-stats" },
    element("caption", { class: "visually-hidden" }, "Statistics by game"),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Game"), columns.map(([, name]) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, [...games].reverse().map((game) => element("tr", { class: game === chosen ? "is-chosen" : null },
      element("th", { scope: "row" }, deleted.has(game.teamId)
        ? element("span", { class: "hacktracker-row-name" }, gameName(game))
        : element("a", { href: `${base}/game/${game.gameId}` }, gameName(game))),
      columns.map(([key]) => element("td", {}, game.line[key] ?? NO_VALUE)))))));
}

function gameName(game) {
  return `${dayText(game.scheduledStart)} ${opponentName(game)}`;
}

function teamsTable(teams) {
  const columns = [["g", "G"], ["ab", "AB"], ["h", "H"], ["HR", "HR"], ["rbi", "RBI"], ["avg", "AVG"], ["ops", "OPS"]];
  return scroller("Teams", element("table", { class: "hacktracker-stats" },
    element("caption", { class: "visually-hidden" }, "Statistics by team"),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Team"), columns.map(([, name]) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, teams.map((team) => element("tr", {},
      element("th", { scope: "row" }, team.isDeleted ? element("span", { class: "hacktracker-row-name" }, `${team.name} (deleted)`) : element("a", { href: `${base}/player/${team.teamId}/${team.playerId}` }, team.name)),
      columns.map(([key]) => element("td", {}, team.line[key] ?? NO_VALUE)))))));
}
