// Entries that are sent when there is a connection, each once and in order.
import { Problem, randomKey } from "./http.js";
import { caller, onChange as onCallerChange, token } from "./session.js";

const STORAGE_PREFIX = "singlet.queue.";
const RETRY_WAIT_MAX_MS = 30_000;
/** The longest Retry-After that is honoured. */
const RETRY_AFTER_MAX_MS = 3600_000;

/**
 * A queue that survives reloads and is shared by the tabs of a browser. One tab at a time sends, one
 * entry at a time.
 *
 * `send(entry, { key })` sends an entry with `key` as its Idempotency-Key, so that the server carries
 * it out once, however often it is sent. If it throws a Problem that is not temporary, the entry is
 * refused. After any other error (no connection, a busy or failing server, a request with this key
 * that is still in progress) the entry is sent again later: after growing waits, and not before the
 * time that the server names in Retry-After. Later entries wait behind it.
 *
 * `onRefused` says what a refused entry means for the later ones. With "stop", which is the default,
 * they wait, because they may build on it. With "skip" they are sent, and the refused one stays
 * marked with its `error`. In both cases `retry()` sends it again, `replace(id, entry)` corrects it,
 * and `drop(id)` gives it up.
 *
 * Entries are sent only while the person is signed in who has added them. They do not hold up the
 * entries of other people. If the token has expired, or the server refuses it (401), entries wait
 * until that person has signed in again; meanwhile `needsSignIn` is true.
 *
 * An entry that the server says was carried out before (`answer-not-kept`) is removed without `onSent`.
 *
 * `onChange(entries)` is called after each change, in every tab; `onSent(entry, result)` in the tab
 * that has sent it.
 */
export class OfflineQueue {
  #prefix;
  #name;
  #options;
  #isRunning = false;
  #runsAgain = false;
  #timer = null;
  #attempts = 0;
  /** The token that the server has refused. */
  #refusedToken = null;

  /** The names of this browser's queues that have entries and whose names begin so. */
  static names(prefix) {
    const start = `${STORAGE_PREFIX}${prefix}`;
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(start));
    // Ids of entries have no dots.
    return [...new Set(keys.map((key) => key.slice(STORAGE_PREFIX.length, key.lastIndexOf("."))))];
  }

  constructor(name, { send, onChange, onSent, onRefused = "stop" }) {
    if (!["stop", "skip"].includes(onRefused)) throw new TypeError('onRefused must be "stop" or "skip"');
    this.#name = `${STORAGE_PREFIX}${name}`;
    this.#prefix = `${this.#name}.`;
    this.#options = { send, onChange, onSent, onRefused };
    addEventListener("storage", ({ key }) => {
      if (key !== null && !key.startsWith(this.#prefix)) return;
      this.#changed();
      this.#run();
    });
    addEventListener("online", () => this.#run());
    onCallerChange(() => {
      this.#changed();
      this.#run();
    });
    this.#changed();
    this.#run();
  }

  /**
   * Adds an entry (any JSON value), and returns its id. `key` is its Idempotency-Key, which is random
   * unless given: give it if the same request may already have been sent with it. The server takes
   * keys of 16 to 128 characters that cannot be guessed.
   */
  push(entry, { key = randomKey() } = {}) {
    // Ids sort by time. Each entry has a place of its own in the storage, so that tabs cannot
    // overwrite each other's.
    const last = Number(this.entries().at(-1)?.id.split("-")[0] ?? 0);
    const id = `${String(Math.max(Date.now(), last + 1)).padStart(15, "0")}-${randomKey().slice(0, 8)}`;
    this.#write({ id, key, entry, subject: token.subject(), error: null });
    this.#changed();
    this.#run();
    return id;
  }

  /**
   * What waits: `[{ id, key, entry, subject, error }]`, oldest first. `key` is the Idempotency-Key,
   * `subject` says who has added the entry (null for a visitor), `error` why the server refused it.
   */
  entries() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.#prefix)).sort();
    return keys.map((key) => this.#read(key)).filter(Boolean);
  }

  /** Whether entries wait because the person who has added them must sign in again. */
  get needsSignIn() {
    const subject = token.subject();
    if (subject === null || (caller() && token.text() !== this.#refusedToken)) return false;
    return this.entries().some((one) => one.subject === subject && !one.error);
  }

  /** Gives up an entry. */
  drop(id) {
    localStorage.removeItem(this.#prefix + id);
    this.#changed();
    this.#run();
  }

  /**
   * Replaces a refused entry by one that the person has corrected. It keeps its id and its place, and
   * is sent again. It gets a new Idempotency-Key unless `key` is given, because the server rejects a
   * key that comes again with another body. Returns false, and changes nothing, if there is no such
   * entry or it was not refused.
   */
  replace(id, entry, { key = randomKey() } = {}) {
    const one = this.#read(this.#prefix + id);
    if (!one?.error) return false;
    this.#write({ ...one, key, entry, error: null, notBefore: 0 });
    this.#changed();
    this.#run();
    return true;
  }

  /** Tries again to send what was refused. */
  retry() {
    for (const one of this.entries()) if (one.error) this.#write({ ...one, error: null });
    this.#changed();
    this.#run();
  }

  #read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  #write(one) {
    localStorage.setItem(this.#prefix + one.id, JSON.stringify(one));
  }

  /** Removes an entry that was sent, unless it has been replaced meanwhile. */
  #remove(sent) {
    this.#attempts = 0;
    if (this.#read(this.#prefix + sent.id)?.key === sent.key) localStorage.removeItem(this.#prefix + sent.id);
  }

  /** Changes an entry that was sent, unless it has been dropped or replaced meanwhile. */
  #update(sent, changes) {
    if (this.#read(this.#prefix + sent.id)?.key === sent.key) this.#write({ ...sent, ...changes });
  }

  #changed() {
    this.#notify(this.#options.onChange, this.entries());
  }

  /** Calls a listener of the page. Its errors must not stop the queue, nor pass for a failed request. */
  #notify(listener, ...values) {
    try {
      listener?.(...values);
    } catch (error) {
      reportError(error);
    }
  }

  async #run() {
    // A run that has seen the last entry may not be over yet: it must look again.
    this.#runsAgain = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#runsAgain) {
        this.#runsAgain = false;
        clearTimeout(this.#timer);
        // Without locks (a page that is not on https) the keys still make the server do it once.
        if (navigator.locks) await navigator.locks.request(this.#name, () => this.#sendAll());
        else await this.#sendAll();
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** The entry to send next, or null. What somebody else has added is not sent in this caller's name. */
  #next() {
    const subject = caller()?.subject ?? null;
    if (subject !== null && token.text() === this.#refusedToken) return null;
    const own = this.entries().filter((one) => one.subject === subject);
    if (this.#options.onRefused === "skip") return own.find((one) => !one.error) ?? null;
    return own[0]?.error ? null : own[0] ?? null;
  }

  async #sendAll() {
    for (let next = this.#next(); next; next = this.#next()) {
      const wait = (next.notBefore ?? 0) - Date.now();
      // A longer wait than can have been asked for means that the clock was changed.
      if (wait > 0 && wait <= RETRY_AFTER_MAX_MS) {
        this.#runLater(wait);
        return;
      }
      const sentWith = token.text();
      try {
        const result = await this.#options.send(next.entry, { key: next.key });
        this.#remove(next);
        this.#notify(this.#options.onSent, next.entry, result);
      } catch (error) {
        const isProblem = error instanceof Problem;
        // It was carried out before, and there is no answer to hand on.
        if (isProblem && error.code === "answer-not-kept") {
          this.#remove(next);
          this.#changed();
          continue;
        }
        if (!isProblem) reportError(error);
        if (!isProblem || error.isTemporary) {
          this.#waitAfter(next, error?.retryAfterMs ?? null);
          this.#changed();
          return;
        }
        this.#attempts = 0;
        if (error.status === 401 && next.subject !== null) {
          this.#refusedToken = sentWith;
          this.#changed();
          // Somebody may have signed in meanwhile.
          continue;
        }
        this.#update(next, { error: error.message });
      }
      this.#changed();
    }
  }

  /** Schedules the next attempt for an entry that has failed for now. */
  #waitAfter(sent, retryAfterMs) {
    const backoff = Math.min(1000 * 2 ** this.#attempts, RETRY_WAIT_MAX_MS) * (0.5 + Math.random());
    this.#attempts += 1;
    if (retryAfterMs === null) {
      this.#runLater(backoff);
      return;
    }
    // Kept with the entry, so that other tabs and a reloaded page wait as well.
    const wait = Math.min(Math.max(retryAfterMs, backoff), RETRY_AFTER_MAX_MS);
    this.#update(sent, { notBefore: Date.now() + wait });
    this.#runLater(wait);
  }

  #runLater(wait) {
    this.#timer = setTimeout(() => this.#run(), wait);
  }
}
