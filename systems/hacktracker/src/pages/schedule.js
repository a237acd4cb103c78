// The games of a team: live, upcoming, results.
import { element, replaceKeepingFocus } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { openGameForm } from "./game-form.js";
import { readAll } from "./signed-in.js";
import { dayText, halfMark, opponentName, OUTCOME_NAMES, outcome, whenText } from "./words.js";

/** The seasons of games, newest first. */
export function seasonsOf(games) {
  return [...new Set(games.map((game) => game.seasonId).filter(Boolean))].sort().reverse();
}

/** A choice of season; "" is all of them. */
export function seasonSelect(seasons, chosen, change) {
  return element("label", { class: "hacktracker-season" }, element("span", { class: "visually-hidden" }, "Season "),
    element("select", { "data-key": "season", change: ({ target }) => change(target.value) },
      element("option", { value: "" }, "All seasons"),
      seasons.map((season) => element("option", { value: season, selected: season === chosen }, `Season ${season}`))));
}

export async function showSchedule(team, place) {
  const games = await readAll(`${team.path}/games`);
  let season = "";
  const create = () => openGameForm(null, {
    title: "New game",
    seasons: seasonsOf(games),
    isPersonal: team.isPersonal,
    action: "Create game",
    save: async (values) => {
      const game = await request("POST", `${team.path}/games`, { once: true, body: values });
      location.href = `${base}/game/${(game.game ?? game).gameId}`;
    },
  });
  const render = () => {
    const shown = games.filter((game) => !season || game.seasonId === season);
    const by = (status) => shown.filter((game) => game.status === status);
    const results = by("FINAL").sort((one, other) => (other.scheduledStart ?? "").localeCompare(one.scheduledStart ?? ""));
    const wins = (mark) => results.filter((game) => outcome(game) === mark).length;
    replaceKeepingFocus(place, [
      element("div", { class: "actions hacktracker-actions", "data-key": "top" },
        team.canManage ? element("button", { type: "button", click: create }, "+ Game") : null,
        seasonsOf(games).length ? seasonSelect(seasonsOf(games), season, (value) => { season = value; render(); }) : null),
      games.length ? null : element("p", { class: "quiet" }, team.canManage ? "Schedule the first game." : "No games yet."),
      group("Live", by("IN_PROGRESS")),
      group("Upcoming", by("SCHEDULED").sort((one, other) => (one.scheduledStart ?? "9").localeCompare(other.scheduledStart ?? "9"))),
      group("Results", results, results.length ? `${wins("W")} won, ${wins("L")} lost${wins("T") ? `, ${wins("T")} tied` : ""}` : null),
      group("Postponed", by("POSTPONED")),
    ].filter(Boolean));
  };
  render();
}

function group(title, games, note = null) {
  if (!games.length) return null;
  return element("section", { class: "hacktracker-games", "data-key": title },
    element("h2", {}, title, note ? element("span", { class: "quiet" }, ` ${note}`) : null),
    element("ul", { class: "card hacktracker-rows" }, games.map(row)));
}

function row(game) {
  const result = outcome(game);
  const mark = result
    ? element("span", { class: `hacktracker-outcome is-${result}` }, element("span", { "aria-hidden": "true" }, result), element("span", { class: "visually-hidden" }, OUTCOME_NAMES[result]))
    : game.status === "IN_PROGRESS" ? element("span", { class: "hacktracker-live" }, "LIVE") : element("span", { class: "hacktracker-outcome", "aria-hidden": "true" }, "–");
  const isScored = game.status === "FINAL" || game.status === "IN_PROGRESS";
  return element("li", { "data-key": game.gameId },
    element("a", { class: "hacktracker-game", href: `${base}/game/${game.gameId}` },
      mark,
      element("span", { class: "hacktracker-game-name" }, element("b", {}, opponentName(game)),
        element("span", { class: "quiet" }, game.status === "SCHEDULED" ? whenText(game.scheduledStart) : dayText(game.scheduledStart), game.status === "SCHEDULED" && game.location ? ` · ${game.location}` : "")),
      element("span", { class: "hacktracker-game-score" }, isScored ? `${game.teamScore}–${game.opponentScore}` : game.status === "POSTPONED" ? "postponed" : "",
        game.status === "IN_PROGRESS" && game.state ? element("span", { class: "quiet" }, ` ${halfMark(game)}`) : null)));
}
