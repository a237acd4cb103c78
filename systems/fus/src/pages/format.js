// Dates, counts and addresses in words. Nothing here touches the page.

import { dayText } from "/assets/time.js";

/** The date so many days later. Dates such as `2026-05-04` are days of the calendar and have no zone. */
export function addDays(date, days) {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Today's date, UTC. */
export function today(now = new Date()) {
  return now.toISOString().slice(0, 10);
}

/** A day; or the text of an address that is none. */
export function formatDay(date, options) {
  return Number.isNaN(Date.parse(date)) ? date : dayText(date, options);
}

/** Two dates as a range, such as "5 Jan – 19 Jan". */
export function formatRange(from, to) {
  return from === to ? formatDay(from) : `${formatDay(from, { weekday: false })} – ${formatDay(to, { weekday: false })}`;
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
