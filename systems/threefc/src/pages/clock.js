// Times: the clock of the thirds, and dates as people read them. Pure functions.

const ORDINALS = ["", "1st", "2nd", "3rd"];
const LOCALE = "en-GB";

/** The name of a third, such as "2nd third". */
export function thirdName(third) {
  return `${ORDINALS[third]} third`;
}

/**
 * The minute of a moment in a third, counted from the beginning of the game: each third begins at a
 * multiple of its length, and the first minute is 1.
 */
export function minuteAt(third, startedAt, at, lengthMinutes) {
  const minutes = Math.floor(Math.max(0, Date.parse(at) - Date.parse(startedAt)) / 60_000);
  return Math.min(999, (third - 1) * lengthMinutes + minutes + 1);
}

/** A minute as it is shown: within its third, and beyond the length as `20+3'`. */
export function displayTime(third, gameMinute, lengthMinutes) {
  const within = gameMinute - (third - 1) * lengthMinutes;
  return within <= lengthMinutes ? `${within}'` : `${lengthMinutes}+${within - lengthMinutes}'`;
}

/** The third that runs, or null. */
export function runningThird(thirds) {
  return thirds.find((one) => one.startedAt && !one.finishedAt) ?? null;
}

/** The number of the third to start next, or null if one runs or all have been played. */
export function nextThird(thirds) {
  if (runningThird(thirds)) return null;
  return thirds.find((one) => !one.startedAt)?.third ?? null;
}

/** How long a third has run at a moment (milliseconds), as `07:42`. */
export function elapsedText(startedAt, nowMs) {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(startedAt)) / 1000));
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What the clock of a game says: `{ text, time }`; `time` is empty unless a third runs. */
export function clockText(game, nowMs) {
  const running = runningThird(game.thirds);
  if (game.status === "finished") return { text: "Finished", time: "" };
  if (game.status === "abandoned") return { text: "Abandoned", time: "" };
  if (running) return { text: thirdName(running.third), time: elapsedText(running.startedAt, nowMs) };
  const played = game.thirds.filter((one) => one.finishedAt).length;
  return { text: played ? `${thirdName(played)} over` : "Not started", time: "" };
}

/** The date of today in this time zone, as `2026-05-03`. */
export function today(now = new Date()) {
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** A date such as `2026-05-03` as "Sun 3 May", with the year if it is another one. */
export function dayText(date, now = new Date()) {
  const at = new Date(`${date}T12:00:00`);
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
  return at.toLocaleDateString(LOCALE, { weekday: "short", day: "numeric", month: "short", ...year }).replace(",", "");
}

/** The time of day of a moment, as `14:00`. */
export function timeText(moment) {
  return new Date(moment).toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit" });
}

/** The time of day of a moment with seconds, as `14:00:30`: for an input of the type time. */
export function secondsText(moment) {
  return new Date(moment).toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** A time of day, such as `14:00:30`, as the moment closest to another one. Null if it is no time. */
export function closestMoment(time, moment) {
  const at = new Date(moment);
  const [hours, minutes, seconds = 0] = time.split(":").map(Number);
  at.setHours(hours, minutes, seconds, 0);
  if (Number.isNaN(at.getTime())) return null;
  const days = Math.round((Date.parse(moment) - at) / 86_400_000);
  at.setDate(at.getDate() + days);
  return at.toISOString();
}

/** A moment as "Sun 3 May 14:00". */
export function momentText(moment) {
  return `${dayText(today(new Date(moment)))} ${timeText(moment)}`;
}

/** The months of a season, such as "Mar–Jun 2026", or an empty text. */
export function monthsText(startsOn, endsOn) {
  const month = (date, options) => new Date(`${date}T12:00:00`).toLocaleDateString(LOCALE, { month: "short", ...options });
  if (startsOn && endsOn && startsOn.slice(0, 7) !== endsOn.slice(0, 7)) {
    const isOneYear = startsOn.slice(0, 4) === endsOn.slice(0, 4);
    return `${month(startsOn, isOneYear ? {} : { year: "numeric" })}–${month(endsOn, { year: "numeric" })}`;
  }
  const one = startsOn ?? endsOn;
  return one ? month(one, { year: "numeric" }) : "";
}

/** A moment for an input of the type datetime-local, in this time zone. */
export function localInputValue(moment) {
  const at = new Date(moment);
  return `${today(at)}T${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
}
