// Times and dates, the same on all pages: 24 hours, and "Tue 17 Nov".
const LOCALE = "en-GB";

/** A date such as `2026-05-03` has no time zone: it is the same day for every reader. */
function read(moment) {
  return new Date(/^\d{4}-\d{2}-\d{2}$/.test(moment) ? `${moment}T12:00:00` : moment);
}

function write(at, parts) {
  return at.toLocaleString(LOCALE, parts).replaceAll(",", "");
}

/** The time of day, as "14:05". */
export function timeText(moment, { seconds = false } = {}) {
  return write(read(moment), { hour: "2-digit", minute: "2-digit", ...(seconds ? { second: "2-digit" } : {}) });
}

/** A day, as "Tue 17 Nov"; with the year if it is not the current one, or on request. */
export function dayText(moment, { weekday = true, withYear = false, now = new Date() } = {}) {
  const at = read(moment);
  const year = withYear || at.getFullYear() !== now.getFullYear() ? { year: "numeric" } : {};
  return write(at, { day: "numeric", month: "short", ...(weekday ? { weekday: "short" } : {}), ...year });
}

/** Date and time, as "Tue 17 Nov 14:05". */
export function momentText(moment, options) {
  return `${dayText(moment, options)} ${timeText(moment)}`;
}

/** "Today", "Tomorrow", "Yesterday", or the weekday with its date. */
export function dayName(moment, now = new Date()) {
  const day = read(moment);
  const distance = Math.round((new Date(day).setHours(0, 0, 0, 0) - new Date(now).setHours(0, 0, 0, 0)) / 86_400_000);
  return { 0: "Today", 1: "Tomorrow", [-1]: "Yesterday" }[distance] ?? write(day, { weekday: "long", day: "numeric", month: "long" });
}
