// Times, phases and problems in words.
import { element } from "/assets/dom.js";
import { dayName, timeText } from "/assets/time.js";

export { dayName };

const PHASES = {
  scheduled: "Scheduled", toss: "Toss", delayed: "Delayed", live: "Live", innings_break: "Innings break", interval: "Break",
  stumps: "Stumps", interrupted: "Play stopped", finished: "Finished", abandoned: "Abandoned", cancelled: "Cancelled", postponed: "Postponed",
};
const BEFORE_PLAY = ["scheduled", "toss", "delayed", "postponed"];
const FINAL = ["finished", "abandoned", "cancelled"];

/** The phase of a match in words. */
export function phaseName(phase) {
  return PHASES[phase] ?? phase;
}

export function isBeforePlay({ phase }) {
  return BEFORE_PLAY.includes(phase);
}

/** Whether nothing more is to come. */
export function isOver({ phase, archived }) {
  return archived || FINAL.includes(phase);
}

/** `14:36` where the reader is. */
export function clock(time) {
  return timeText(time);
}

/** `14:36:05`. */
export function clockWithSeconds(time) {
  return timeText(time, { seconds: true });
}

/** How long ago, or for how long: `1 s`, `3 min`, `2 h`. */
export function span(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** A team's name, with its place in the standings if it is known. */
export function teamName({ name, position }) {
  const place = position && `${position}${position % 100 > 10 && position % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][position % 10] ?? "th"}`;
  return element("span", { class: "cricket-name" }, name, " ", place ? element("span", { class: "quiet cricket-position", title: "Place in the standings" }, place) : null);
}

/** A team's score in a match, or that it has not batted. */
export function teamScore(match, { score }) {
  if (score || isBeforePlay(match) || isOver(match)) return element("span", { class: "cricket-runs" }, score ?? "");
  return element("span", { class: "quiet" }, "yet to bat");
}

/** "HAR v KIN". */
export function versus({ teams }) {
  return teams.map(({ code }) => code).join(" v ");
}

/** Shows a problem with a button that tries again. What was there before stays. */
export function showRetry(place, error, retry) {
  place.replaceChildren(element("div", { class: "notice bad", role: "alert" },
    element("p", {}, error.message),
    element("p", {}, element("button", {
      type: "button",
      class: "plain danger small",
      click() {
        place.replaceChildren();
        retry();
      },
    }, "Try again"))));
}
