// Teams as they are shown: code, name and pattern, so that colour alone never says which one it is.
import { element } from "/assets/dom.js";

/** The colours that a team can have. Each has a pattern of its own (see threefc.css). */
export const COLORS = ["red", "blue", "yellow", "green", "orange", "purple", "black", "white"];

/** A small square in the colour and the pattern of a team. */
export function swatch(color) {
  return element("span", { class: `threefc-swatch threefc-${COLORS.includes(color) ? color : "white"}`, "aria-hidden": "true" });
}

/** A team with its code and, unless `isShort`, its name. Screen readers always hear the name. */
export function teamTag(team, { isShort = false } = {}) {
  if (!team) return element("span", { class: "threefc-team" }, "?");
  return element("span", { class: "threefc-team" }, swatch(team.color),
    element("b", {}, team.code), " ",
    element("span", { class: isShort ? "visually-hidden" : "threefc-team-name" }, team.name));
}

/** A player with their number. */
export function playerText(player) {
  return player.number == null ? player.nickname : `${player.number} ${player.nickname}`;
}

/** The order of players in a list: by number, then by name. */
export function byNumber(one, other) {
  return (one.number ?? 100) - (other.number ?? 100) || one.nickname.localeCompare(other.nickname);
}
