// The statistics of a team's players in a table that can be sorted.
import { announce, element, replaceKeepingFocus } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { scroller } from "./game-view.js";
import { seasonSelect, seasonsOf } from "./schedule.js";
import { attempt, readAll } from "./signed-in.js";
import { counted, fullName, NO_VALUE, shortName } from "./words.js";

const COLUMNS = [
  ["ab", "AB", "At-bats"], ["h", "H", "Hits"], ["avg", "AVG", "Batting average"], ["ops", "OPS", "On-base plus slugging"], ["obp", "OBP", "On-base percentage"], ["slg", "SLG", "Slugging percentage"],
  ["g", "G", "Games"], ["pa", "PA", "Plate appearances"], ["2B", "2B", "Doubles"], ["3B", "3B", "Triples"], ["HR", "HR", "Home runs"],
  ["r", "R", "Runs"], ["rbi", "RBI", "Runs batted in"], ["BB", "BB", "Walks"], ["K", "K", "Strikeouts"],
];

/** Players with fewer plate appearances for each game of the team are not ranked by averages. */
const APPEARANCES_PER_GAME = 2;
const AVERAGES = ["avg", "obp", "slg", "ops"];

export async function showTeamStats(team, place) {
  const seasons = seasonsOf(await readAll(`${team.path}/games`));
  let season = seasons[0] ?? "";
  let sorted = "ops";
  let stats = await read();

  function read() {
    return request("GET", `${team.path}/stats${season ? `?season=${encodeURIComponent(season)}` : ""}`);
  }

  function render() {
    const rows = stats.players.map((row) => ({ ...row, player: team.playersById.get(row.playerId) ?? row })).filter((row) => row.line.pa > 0);
    // An average of few at-bats says little: it comes behind those of players who have batted enough.
    const enough = AVERAGES.includes(sorted) ? stats.line.g * APPEARANCES_PER_GAME : 0;
    const isRanked = (row) => row.line.pa >= enough;
    rows.sort((one, other) => isRanked(other) - isRanked(one) || value(other.line, sorted) - value(one.line, sorted) || fullName(one.player).localeCompare(fullName(other.player)));
    const choose = (key, name) => {
      sorted = key;
      announce(`Sorted by ${name}.`);
      render();
    };
    const head = element("tr", {}, element("th", { scope: "col" }, "Player"), COLUMNS.map(([key, short, name]) => element("th", { scope: "col", "data-key": key, "aria-sort": key === sorted ? "descending" : null },
      element("button", { type: "button", class: "hacktracker-sort", title: name, click: () => choose(key, name) }, short, element("span", { "aria-hidden": "true" }, key === sorted ? " ▾" : "")))));
    const body = rows.map(({ player, playerId, line }) => element("tr", {},
      element("th", { scope: "row" }, element("a", { href: `${base}/player/${team.team.teamId}/${playerId}` }, shortName(player))), cells(line)));
    const foot = element("tr", {}, element("th", { scope: "row" }, "Team"), cells(stats.line));
    const unranked = rows.filter((row) => !isRanked(row)).length;
    replaceKeepingFocus(place, [
      seasons.length ? element("div", { class: "actions hacktracker-actions", "data-key": "top" }, seasonSelect(seasons, season, change)) : null,
      rows.length
        ? element("div", { class: "card hacktracker-flush", "data-key": "table" }, scroller("Statistics of the team", element("table", { class: "hacktracker-stats" }, element("caption", { class: "visually-hidden" }, "Statistics of the team"), element("thead", {}, head), element("tbody", {}, body), element("tfoot", {}, foot))))
        : element("p", { class: "quiet" }, "No at-bats yet."),
      unranked ? element("p", { class: "quiet", "data-key": "unranked" }, `${counted(unranked, "player")} with fewer than ${enough} plate appearances at the end.`) : null,
    ].filter(Boolean));
  }

  function change(chosen) {
    season = chosen;
    attempt(async () => {
      stats = await read();
      render();
    }, { near: place });
  }

  render();
}

function cells(line) {
  return COLUMNS.map(([key]) => element("td", {}, line[key] ?? NO_VALUE));
}

/** Averages are text, and missing ones come last. */
function value(line, key) {
  return line[key] == null ? -1 : Number(line[key]);
}
