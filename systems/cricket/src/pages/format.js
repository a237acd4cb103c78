// Times, phases and problems in words.
import { element } from "/assets/dom.js";

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
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** `14:36:05`. */
export function clockWithSeconds(time) {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

/** "Today", "Tomorrow", "Yesterday", or the day of the week with its date. */
export function dayName(time) {
  const day = new Date(time);
  const distance = Math.round((new Date(day).setHours(0, 0, 0, 0) - new Date().setHours(0, 0, 0, 0)) / 86_400_000);
  return { 0: "Today", 1: "Tomorrow", [-1]: "Yesterday" }[distance] ?? day.toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });
}

/** How long ago, or for how long: `1 s`, `3 min`, `2 h`. */
export function span(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
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
