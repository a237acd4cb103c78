// The clock of the thirds, and dates for forms. Pure functions.

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

function minutesText(seconds) {
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}

/** How long a third has run at a moment (milliseconds): `{ time: "20:00", stoppage: "+02:30" }`. */
function elapsed(startedAt, nowMs, lengthMinutes) {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(startedAt)) / 1000));
  const over = seconds - lengthMinutes * 60;
  return over > 0
    ? { time: minutesText(lengthMinutes * 60), stoppage: `+${minutesText(over)}` }
    : { time: minutesText(seconds), stoppage: "" };
}

/** What the clock of a game says: `{ text, time, stoppage }`; `time` is empty unless a third runs. */
export function clockText(game, nowMs) {
  const running = runningThird(game.thirds);
  if (game.status === "finished") return { text: "Finished", time: "", stoppage: "" };
  if (game.status === "abandoned") return { text: "Abandoned", time: "", stoppage: "" };
  if (running) return { text: thirdName(running.third), ...elapsed(running.startedAt, nowMs, game.thirdLengthMinutes) };
  const played = game.thirds.filter((one) => one.finishedAt).length;
  return { text: played ? `${thirdName(played)} over` : "Not started", time: "", stoppage: "" };
}

/** The date of today in this time zone, as `2026-05-03`. */
export function today(now = new Date()) {
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
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
