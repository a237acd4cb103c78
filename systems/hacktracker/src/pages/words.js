// What things are called on the pages.
import { dayText as day, momentText } from "/assets/time.js";

export const RESULT_NAMES = {
  "1B": "Single", "2B": "Double", "3B": "Triple", HR: "Home run", BB: "Walk", HBP: "Hit by pitch", K: "Strikeout",
  OUT: "Out", SAC: "Sacrifice", FC: "Fielder’s choice", E: "Error",
};
export const HIT_TYPE_NAMES = { fly_ball: "Fly", ground_out: "Ground", line_drive: "Line", pop_up: "Pop", bunt: "Bunt" };
export const BASE_NAMES = ["out", "first", "second", "third", "home"];
export const STATUS_NAMES = { SCHEDULED: "Scheduled", IN_PROGRESS: "Live", FINAL: "Final", POSTPONED: "Postponed" };
export const ROLES = ["owner", "manager", "scorekeeper", "player"];
/** Shown for an average that does not exist. */
export const NO_VALUE = "–";

export function fullName(player) {
  return player ? [player.firstName, player.lastName].filter(Boolean).join(" ") : "Unknown player";
}

/** The name as scorers say it: the last one if there is one. */
export function shortName(player) {
  return player ? player.lastName || player.firstName : "?";
}

export function numberText(player) {
  return player?.playerNumber == null ? "" : `#${player.playerNumber}`;
}

/** Players in the order of their numbers, those without one last. */
export function byNumber(one, other) {
  return (one.playerNumber ?? 100) - (other.playerNumber ?? 100) || fullName(one).localeCompare(fullName(other));
}

export function opponentName(game) {
  return game.opponentName ?? "Opponent";
}

export function ordinal(count) {
  const ending = count % 100 >= 11 && count % 100 <= 13 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[count % 10] ?? "th";
  return `${count}${ending}`;
}

export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

export function dayText(iso, { withYear = false } = {}) {
  return iso ? day(iso, { weekday: false, withYear }) : "No date";
}

export function whenText(iso) {
  return iso ? momentText(iso) : "No date yet";
}

/** A date and time as a form field of type datetime-local has it, in this browser's time zone. */
export function toLocalField(iso) {
  if (!iso) return "";
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** "T3": the top of the third. */
export function halfMark(game) {
  const { state } = game;
  if (!state) return "";
  const isTop = (state.half === "TEAM") === (game.homeAway !== "HOME");
  return `${isTop ? "T" : "B"}${state.inning}`;
}

/** "Top of the 3rd". */
export function halfName(game) {
  const mark = halfMark(game);
  return mark ? `${mark[0] === "T" ? "Top" : "Bottom"} of the ${ordinal(Number(mark.slice(1)))}` : "";
}

/** W, L or T of a final game. */
export function outcome(game) {
  if (game.status !== "FINAL") return "";
  if (game.teamScore === game.opponentScore) return "T";
  return game.teamScore > game.opponentScore ? "W" : "L";
}

export const OUTCOME_NAMES = { W: "Won", L: "Lost", T: "Tied" };

/** "Fry: home run, 2 RBIs": what a screen reader says of an at-bat. */
export function playSentence(atBat, player) {
  const rbis = atBat.rbis ? `, ${counted(atBat.rbis, "RBI")}` : "";
  return `${shortName(player)}: ${RESULT_NAMES[atBat.result].toLowerCase()}${rbis}`;
}
