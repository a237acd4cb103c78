// What the scorekeeper has entered and the server has not confirmed yet. Entries wait in this browser
// and are sent in order, each once.
import { Problem } from "/assets/http.js";
import { OfflineQueue } from "/assets/queue.js";
import { token } from "/assets/session.js";
import { write } from "./api.js";

/** The queue of a game has this name and the game's id. */
const QUEUE_PREFIX = "threefc-";
/** Where all games had one queue before. */
const OLD_PLACE = "singlet.queue.threefc.";
const SENT_POLL_INTERVAL_MS = 50;
export const STILL_WAITING = "Entries are still waiting to be sent. End the game when the connection is back.";
/** How many entries of a game this browser remembers as its own, and as sent. */
const REMEMBERED_MAX = 60;

/**
 * An entry is one of
 * - `{ kind: "goal", gameId, body, scorer }`: addGoal; the eventId makes it safe to repeat;
 * - `{ kind: "assists", gameId, eventId, assistPlayerIds }`: editGoal;
 * - `{ kind: "undo", gameId, eventId }`: undoGoal;
 * - `{ kind: "remove", gameId, eventId }`: deleteGoal, of a goal that may or may not have arrived;
 * - `{ kind: "third", gameId, action: "start" | "finish", third, at }`;
 * - `{ kind: "third", gameId, action: "correct", third, startedAt, finishedAt }`: correctThird.
 */
function requestOf(entry) {
  const game = `/games/${encodeURIComponent(entry.gameId)}`;
  switch (entry.kind) {
    case "goal": return ["POST", `${game}/goals`, entry.body];
    case "assists": return ["PATCH", `${game}/goals/${entry.eventId}`, { assistPlayerIds: entry.assistPlayerIds }];
    case "undo": return ["POST", `${game}/goals/undo`, { expectedEventId: entry.eventId }];
    case "remove": return ["DELETE", `${game}/goals/${entry.eventId}`];
    case "third":
      if (entry.action === "correct") return ["PATCH", `${game}/thirds/${entry.third}`, { startedAt: entry.startedAt, finishedAt: entry.finishedAt }];
      return ["POST", `${game}/thirds/${entry.third}/${entry.action}`, { at: entry.at }];
    default: throw new Problem({ code: "unknown-entry", title: "This entry cannot be sent. Discard it" });
  }
}

/** Brings what waits from the time of the one queue to the queues of its games. Its keys stay. */
function moveOldEntries() {
  for (const place of Object.keys(localStorage).filter((key) => key.startsWith(OLD_PLACE))) {
    try {
      const text = localStorage.getItem(place);
      const { id, entry } = JSON.parse(text);
      if (!entry.gameId) continue;
      localStorage.setItem(`singlet.queue.${QUEUE_PREFIX}${entry.gameId}.${id}`, text);
      localStorage.removeItem(place);
    } catch {
      // It stays where it is: the storage is full, or it is no entry.
    }
  }
}

/**
 * The entries of all games in this browser. Every page with an outbox sends them; the page of a game
 * (`gameId`) shows those of its game. Each game has a queue of its own: if the server fails at an
 * entry of one, the entries of the others do not wait for it.
 *
 * An entry belongs to the person who made it, also if their token has expired by then: it waits until
 * they have signed in again, and is not sent in anybody else's name.
 */
export class Outbox {
  /** The queues by game. */
  #queues = new Map();
  #gameId;
  #listeners;
  /** Keys of entries that this page has sent, should the storage be full. */
  #sent = new Set();

  constructor(gameId, { onChange = () => {}, onSent = () => {} } = {}) {
    this.#gameId = gameId;
    this.#listeners = { onChange, onSent };
    moveOldEntries();
    if (gameId !== null) this.#open(gameId);
    this.#openWaiting();
    // Another tab may enter something for a game of which nothing has waited until now.
    addEventListener("storage", () => this.#openWaiting());
  }

  /** Opens the queues of all games of which something waits. */
  #openWaiting() {
    for (const name of OfflineQueue.names(QUEUE_PREFIX)) this.#open(name.slice(QUEUE_PREFIX.length));
  }

  #open(id) {
    if (this.#queues.has(id)) return;
    const isShown = id === this.#gameId;
    const { onChange, onSent } = this.#listeners;
    this.#queues.set(id, new OfflineQueue(QUEUE_PREFIX + id, {
      // A refused entry does not hold up the others: each goal stands for itself.
      onRefused: "skip",
      send: (entry, { key }) => this.#send(entry, key),
      onChange: () => { if (isShown) onChange(); },
      onSent: (entry, result) => { if (isShown) onSent(entry, result); },
    }));
  }

  get #queue() {
    return this.#queues.get(this.#gameId);
  }

  /** What waits for this game: `[{ id, key, entry, error }]`, oldest first. */
  entries() {
    return this.#all().filter((one) => one.subject === token.subject());
  }

  /** What other people have entered for this game in this browser: it waits for them to sign in. */
  entriesOfOthers() {
    return this.#all().filter((one) => one.subject !== token.subject());
  }

  /** Whether entries of this game still have to be sent. Refused ones do not count. */
  get isWaiting() {
    return this.entries().some(({ error }) => !error);
  }

  /** Waits until all entries are sent, as long as that takes. Fails if the browser goes offline. */
  async allSent() {
    while (this.isWaiting) {
      if (!navigator.onLine || this.needsSignIn) throw new Error(STILL_WAITING);
      await new Promise((resolve) => { setTimeout(resolve, SENT_POLL_INTERVAL_MS); });
    }
  }

  /** Whether entries wait until the person has signed in again. */
  get needsSignIn() {
    return this.#queue.needsSignIn;
  }

  #all() {
    // The queue reports a change before its constructor is done.
    return this.#queue?.entries() ?? [];
  }

  push(entry) {
    try {
      return this.#queue.push({ ...entry, gameId: this.#gameId }, entry.kind === "goal" ? { key: entry.body.eventId } : {});
    } catch (error) {
      // Nothing has been kept: the person must know it.
      throw new Error("This browser has no room for the entry. Free some storage, or leave private browsing, and enter it again.", { cause: error });
    }
  }

  /** Adds a goal. `scorer` is the player as the page shows them. */
  pushGoal(body, scorer) {
    this.markMine(body.eventId);
    return this.push({ kind: "goal", body, scorer });
  }

  /** Replaces a refused goal by a corrected one. */
  replaceGoal(id, body) {
    this.markMine(body.eventId);
    return this.#queue.replace(id, { kind: "goal", gameId: this.#gameId, body }, { key: body.eventId });
  }

  drop(id) {
    this.#queue.drop(id);
  }

  /**
   * Takes a goal back. One that was never sent is just dropped. If it was, the server may have it or
   * get it yet: it is sent until it is answered, and deleted after that.
   */
  takeBack(eventId) {
    const waiting = this.entries().filter(({ entry }) => eventIdOf(entry) === eventId);
    const goal = waiting.find(({ entry }) => entry.kind === "goal");
    if (!goal) {
      this.push({ kind: "undo", eventId });
      return;
    }
    const wasSent = this.#wasSent(goal);
    for (const { id } of waiting) if (id !== goal.id || !wasSent) this.drop(id);
    if (wasSent) this.push({ kind: "remove", eventId });
  }

  /** Whether a goal is about to be deleted. */
  #isTakenBack({ gameId, body }) {
    return this.#queues.get(gameId).entries().some(({ entry }) => entry.kind === "remove" && entry.eventId === body.eventId);
  }

  /** Takes the start or the end of a third back, in the same way. */
  takeBackThird(id, correction) {
    const waiting = this.entries().find((one) => one.id === id);
    if (waiting && !this.#wasSent(waiting)) this.drop(id);
    else this.push({ kind: "third", action: "correct", ...correction });
  }

  /** Whether the server may have this entry already. */
  #wasSent({ key }) {
    return this.#sent.has(key) || remembered("sent", this.#gameId).includes(key);
  }

  /** Remembers that this goal was entered in this browser. */
  markMine(eventId) {
    remember("mine", this.#gameId, eventId);
  }

  /** Whether this goal was entered in this browser. */
  isMine(eventId) {
    return remembered("mine", this.#gameId).includes(eventId);
  }

  async #send(entry, key) {
    // The browser knows that there is no connection: the request has certainly not been sent.
    if (!navigator.onLine) throw new Problem({ code: "unreachable", title: "There is no connection" });
    this.#sent.add(key);
    remember("sent", entry.gameId, key);
    const [method, path, body] = requestOf(entry);
    try {
      return await write(method, path, body, { key });
    } catch (error) {
      if (entry.kind === "remove" && error.status === 404) return null;
      // A goal that was taken back meanwhile need not be corrected.
      const isRefused = !error.isTemporary && error.status !== 401;
      if (entry.kind === "goal" && isRefused && this.#isTakenBack(entry)) return null;
      throw error;
    }
  }
}

function eventIdOf(entry) {
  return entry.body?.eventId ?? entry.eventId;
}

function keyOf(kind, gameId) {
  return `threefc.${kind}.${gameId}`;
}

function remembered(kind, gameId) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(kind, gameId))) ?? [];
  } catch {
    return [];
  }
}

function remember(kind, gameId, name) {
  const others = remembered(kind, gameId).filter((one) => one !== name);
  try {
    localStorage.setItem(keyOf(kind, gameId), JSON.stringify([...others, name].slice(-REMEMBERED_MAX)));
  } catch {
    // A full storage must not keep entries from being sent.
  }
}

/** A UUIDv7 for this moment (milliseconds): goals of one minute sort in the order of entry. */
export function eventIdAt(nowMs) {
  const time = Math.floor(nowMs).toString(16).padStart(12, "0");
  const random = [...crypto.getRandomValues(new Uint8Array(10))];
  random[0] = (random[0] & 0x0f) | 0x70;
  random[2] = (random[2] & 0x3f) | 0x80;
  const rest = random.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest.slice(0, 4)}-${rest.slice(4, 8)}-${rest.slice(8)}`;
}

/** When a goal was entered, by its eventId (milliseconds). */
export function enteredAt(eventId) {
  return Number.parseInt(eventId.replaceAll("-", "").slice(0, 12), 16);
}
