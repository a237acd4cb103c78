// What a game looks like: line score, situation, box score, plays. Shared by the pages of a game.
import { element, shape } from "/assets/dom.js";
import { BASES } from "./field.js";
import { isHit, occupied } from "./rules.js";
import { counted, fullName, halfName, NO_VALUE, numberText, opponentName, playSentence, RESULT_NAMES, shortName } from "./words.js";

/** The line score as a table: runs per inning, then R, H and, where it is known, left on base. */
export function lineScoreTable({ game, atBats, leftOnBase }, teamName) {
  const [ours, theirs] = [game.teamRuns ?? [], game.opponentRuns ?? []];
  const innings = Math.max(game.regulationInnings ?? 7, ours.length, theirs.length);
  const columns = Array.from({ length: innings }, (_, index) => index);
  const hits = atBats.filter((atBat) => isHit(atBat.result)).length;
  const hasLeft = leftOnBase !== undefined;
  const now = game.status === "IN_PROGRESS" ? game.state : null;
  const row = (name, half, runs, rest) => element("tr", {},
    element("th", { scope: "row" }, name),
    columns.map((index) => element("td", { class: now?.half === half && now.inning === index + 1 ? "is-now" : null }, runs[index] ?? "")),
    rest.map((cell) => element("td", { class: "is-total" }, cell)));
  const team = row(teamName, "TEAM", ours, [game.teamScore, hits, ...(hasLeft ? [leftOnBase] : [])]);
  const opponent = row(opponentName(game), "OPPONENT", theirs, [game.opponentScore, NO_VALUE, ...(hasLeft ? [NO_VALUE] : [])]);
  return scroller("Line score", element("table", { class: "hacktracker-line-score" },
    element("caption", { class: "visually-hidden" }, "Runs by inning"),
    element("thead", {}, element("tr", {}, element("td", {}),
      columns.map((index) => element("th", { scope: "col" }, index + 1)),
      [["R", "Runs"], ["H", "Hits"], ...(hasLeft ? [["LOB", "Left on base"]] : [])].map(([head, name]) => element("th", { scope: "col", class: "is-total" }, element("abbr", { title: name }, head))))),
    element("tbody", {}, game.homeAway === "HOME" ? [opponent, team] : [team, opponent])));
}

/** A table that is wider than a phone scrolls on its own. */
export function scroller(label, table) {
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, table);
}

/** A small picture of the bases, with its meaning in words. */
export function basesPicture(bases) {
  const taken = occupied(bases);
  const words = taken.length ? `Runners on ${taken.map((base) => ["first", "second", "third"][base - 1]).join(" and ")}` : "Bases empty";
  return shape("svg", { class: "hacktracker-bases", viewBox: "40 86 120 80", role: "img", "aria-label": words },
    BASES.map(({ x, y }, index) => shape("rect", { class: taken.includes(index + 1) ? "is-taken" : null, x: x * 200 - 13, y: y * 200 - 13, width: 26, height: 26, transform: `rotate(45 ${x * 200} ${y * 200})` })));
}

/** "Top of the 3rd, 1 out" with the runners' names. */
export function situation({ game, atBats }, playersById) {
  const { state } = game;
  if (!state) return null;
  const names = state.bases.filter(Boolean).map((id) => shortName(runnerOf(id, { game, atBats }, playersById)));
  const isOurs = state.half === "TEAM";
  return element("div", { class: "hacktracker-situation" },
    basesPicture(state.bases),
    element("div", {},
      element("b", {}, isOurs ? `${halfName(game)}, ${counted(state.outs, "out")}` : `${halfName(game)}, ${opponentName(game)} batting`),
      element("span", { class: "quiet" }, isOurs ? (names.length ? `On base: ${names.join(", ")}` : "Bases empty") : "Our half comes next")));
}

/** The player who stands on a base: the batter of the at-bat that put him there. */
export function runnerOf(atBatId, { game, atBats }, playersById) {
  if (atBatId === "PLACED") return playersById.get(game.placed?.[game.state.inning]) ?? null;
  const atBat = atBats.find((one) => one.atBatId === atBatId);
  return atBat ? playersById.get(atBat.playerId) ?? null : null;
}

/** The box score: everybody who batted or is in the lineup, substitutes under their slot. */
export function boxScoreTable({ box, game }, playersById, playerLink) {
  const seen = new Set();
  const rows = box.map(({ playerId, battingOrder, line }) => {
    const isSub = battingOrder != null && seen.has(battingOrder);
    seen.add(battingOrder);
    const player = playersById.get(playerId);
    return element("tr", { class: isSub ? "is-substitute" : null },
      element("th", { scope: "row" }, element("div", {},
        element("span", { class: "hacktracker-slot", "aria-hidden": "true" }, isSub ? "" : battingOrder ?? ""),
        element("a", { href: playerLink(playerId) }, shortName(player)), isSub ? element("span", { class: "visually-hidden" }, " (substitute)") : null)),
      [line.ab, line.r, line.h, line.rbi, line.BB, line.K].map((cell) => element("td", {}, cell)));
  });
  if (!rows.length) return element("p", { class: "quiet" }, game.status === "SCHEDULED" ? "The box score begins with the first at-bat." : "No at-bats yet.");
  const sum = (key) => box.reduce((total, { line }) => total + line[key], 0);
  return scroller("Box score", element("table", { class: "hacktracker-box" },
    element("caption", { class: "visually-hidden" }, "Box score"),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Batter"),
      [["AB", "At-bats"], ["R", "Runs"], ["H", "Hits"], ["RBI", "Runs batted in"], ["BB", "Walks"], ["K", "Strikeouts"]].map(([head, name]) => element("th", { scope: "col" }, element("abbr", { title: name }, head))))),
    element("tbody", {}, rows),
    element("tfoot", {}, element("tr", {}, element("th", { scope: "row" }, "Team"), ["ab", "r", "h", "rbi", "BB", "K"].map((key) => element("td", {}, sum(key)))))));
}

/**
 * Plays by inning, newest inning first. `play(atBat, content)` makes the row's control, and `insert(inning,
 * after)` the one that inserts an at-bat behind it, or at the beginning.
 */
export function playsList({ game, atBats, issues = [] }, playersById, { play, insert = () => null }) {
  const innings = [...new Set([...atBats.map((atBat) => atBat.inning), ...issues.map((issue) => issue.inning)])].sort((one, other) => other - one);
  if (!innings.length) return [element("p", { class: "quiet" }, "No at-bats yet.")];
  return innings.map((inning) => {
    const issue = issues.find((one) => one.inning === inning);
    const runs = game.teamRuns?.[inning - 1] ?? 0;
    const plays = atBats.filter((atBat) => atBat.inning === inning).sort((one, other) => one.sequence - other.sequence);
    return element("section", { class: "hacktracker-inning", "data-key": `inning-${inning}`, "aria-labelledby": `inning-${inning}` },
      element("h3", { id: `inning-${inning}` }, `Inning ${inning}`, element("span", { class: "quiet" }, game.teamRuns ? ` ${counted(runs, "run")}` : ""),
        issue ? element("span", { class: "hacktracker-issue" }, `! ${counted(issue.outs, "out")}`) : null, insert(inning, null)),
      element("ol", { class: "hacktracker-plays" }, plays.map((atBat) => element("li", { "data-key": atBat.atBatId },
        play(atBat, playContent(atBat, playersById)), insert(inning, atBat.atBatId)))));
  });
}

function playContent(atBat, playersById) {
  const player = playersById.get(atBat.playerId);
  const notes = [
    atBat.rbis ? counted(atBat.rbis, "RBI") : null,
    atBat.scored ? "scored" : null,
    atBat.moves?.filter((move) => move.how && move.how !== "OTHER").map((move) => move.how).join(", ") || null,
    atBat.isWaiting ? "waiting" : null,
  ].filter(Boolean).join(" · ");
  return [
    element("span", { class: "hacktracker-play-name" }, element("span", { class: "quiet" }, numberText(player)), " ", shortName(player)),
    element("abbr", { class: `hacktracker-result is-${kindOf(atBat.result)}`, title: RESULT_NAMES[atBat.result] }, atBat.result),
    element("span", { class: "quiet" }, notes),
  ];
}

function kindOf(result) {
  if (["1B", "2B", "3B", "HR"].includes(result)) return "hit";
  return ["BB", "HBP", "E"].includes(result) ? "on" : "out";
}

/** What happened last, in a sentence. */
export function eventSentence(event, { game, playersById, nameOf = () => "Somebody" }) {
  const atBat = event.atBat;
  const player = atBat ? playersById.get(atBat.playerId) : null;
  const score = `${game.teamScore} to ${game.opponentScore}`;
  switch (event.kind) {
    case "atBatRecorded": return atBat ? `${playSentence(atBat, player)}. ${score}` : `An at-bat was recorded. ${score}`;
    case "atBatCorrected": return `${nameOf(event.by)} corrected an at-bat${event.inning ? ` in inning ${event.inning}` : ""}. ${score}`;
    case "atBatRemoved": return `${nameOf(event.by)} took back an at-bat. ${score}`;
    case "runnersMoved": return `The runners moved. ${score}`;
    case "opponentScored": return `${opponentName(game)}: ${counted(game.opponentRuns?.[(event.inning ?? 1) - 1] ?? 0, "run")} in inning ${event.inning ?? ""}. ${score}`;
    case "halfChanged": return halfName(game);
    case "lineupChanged": return "The lineup has changed";
    case "gameStarted": return "The game has started";
    case "gameFinished": return `Final: ${score}`;
    case "gameReopened": return "The game was reopened";
    case "gamePostponed": return "The game was postponed";
    default: return "The game has changed";
  }
}

/** "Skye recorded OUT for Kim Falk": what somebody else did meanwhile. */
export function whoDidWhat(event, { playersById, nameOf }) {
  const who = nameOf(event?.by);
  const player = event?.atBat ? fullName(playersById.get(event.atBat.playerId)) : null;
  switch (event?.kind) {
    case "atBatRecorded": return player ? `${who} recorded ${event.atBat.result} for ${player}.` : `${who} recorded an at-bat.`;
    case "atBatCorrected": return `${who} corrected an at-bat.`;
    case "atBatRemoved": return `${who} took back an at-bat.`;
    case "runnersMoved": return `${who} moved the runners.`;
    case "opponentScored": return `${who} changed the opponent’s runs.`;
    case "halfChanged": return `${who} changed the half.`;
    case "gameFinished": return `${who} finished the game.`;
    default: return `${who} changed the game.`;
  }
}
