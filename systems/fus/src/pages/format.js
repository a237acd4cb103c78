// Dates, counts and addresses in words. Nothing here touches the page.

const LOCALE = "en-GB";

/** The date so many days later. Dates such as `2026-05-04` are days of the calendar and have no zone. */
export function addDays(date, days) {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Today's date, UTC. */
export function today(now = new Date()) {
  return now.toISOString().slice(0, 10);
}

/** A day with its weekday, such as "Mon 4 May"; with the year unless it is this one. */
export function formatDay(date, { weekday = true, now = new Date() } = {}) {
  const at = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return date;
  const parts = { day: "numeric", month: "short", timeZone: "UTC" };
  if (weekday) parts.weekday = "short";
  if (at.getUTCFullYear() !== now.getUTCFullYear()) parts.year = "numeric";
  return new Intl.DateTimeFormat(LOCALE, parts).format(at).replaceAll(",", "");
}

/** Two dates as a range, such as "5 Jan – 19 Jan". */
export function formatRange(from, to) {
  return from === to ? formatDay(from) : `${formatDay(from, { weekday: false })} – ${formatDay(to, { weekday: false })}`;
}

/** A time, such as "3 May 18:02", in the reader's zone. */
export function formatTime(timestamp, { now = new Date() } = {}) {
  const at = new Date(timestamp);
  if (Number.isNaN(at.getTime())) return String(timestamp);
  const parts = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
  if (at.getFullYear() !== now.getFullYear()) parts.year = "numeric";
  return new Intl.DateTimeFormat(LOCALE, parts).format(at).replaceAll(",", "");
}

/** A number with its noun: "1 rating", "7 ratings". */
export function count(number, noun, plural = `${noun}s`) {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** The host of an address, or the address itself if it has none. */
export function hostOf(url) {
  try {
    return new URL(url).host || url;
  } catch {
    return url;
  }
}

/** The address if it is one of the web, else null: nothing else becomes a link. */
export function webAddress(url) {
  try {
    const { protocol, href } = new URL(url);
    return protocol === "http:" || protocol === "https:" ? href : null;
  } catch {
    return null;
  }
}

/** Up to two letters that stand for a name where there is no picture. */
export function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase() || "?";
}
