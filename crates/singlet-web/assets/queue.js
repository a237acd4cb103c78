// An offline queue: entries are sent when there is a connection, once each and in order.
import { Problem, randomKey } from "./http.js";
import { caller, onChange as onCallerChange, token } from "./session.js";

const STORAGE_PREFIX = "singlet.queue.";
const RETRY_WAIT_MAX_MS = 30_000;
/** The longest Retry-After that is honoured. */
const RETRY_AFTER_MAX_MS = 3600_000;

/**
 * A queue that survives reloads and is shared by all tabs. One tab at a time sends, one entry at a
 * time.
 *
 * `send(entry, { key })` sends an entry with `key` as its Idempotency-Key, so the server executes
 * it once. If it throws a Problem that is not temporary, the entry is refused. After any other
 * error (no connection, a busy or failing server, a request with this key in progress) it is
 * retried with backoff, and not before Retry-After. Later entries wait behind it.
 *
 * `onRefused` decides about entries after a refused one. With "stop" (the default) they wait,
 * because they may depend on it. With "skip" they are sent, and the refused one stays with its
 * `error`. In both cases `retry()` resends it, `replace(id, entry)` corrects it, and `drop(id)`
 * discards it.
 *
 * Entries are only sent while the person who added them is signed in, and do not block those of
 * others. If the token has expired or is refused (401), entries wait for a new sign-in; meanwhile
 * `needsSignIn` is true.
 *
 * An entry that was already executed (`answer-not-kept`) is removed without `onSent`.
 *
 * `onChange(entries)` is called after each change, in every tab; `onSent(entry, result)` in the tab
 * that sent it.
 */
export class OfflineQueue {
  #prefix;
  #name;
  #options;
  #isRunning = false;
  #runsAgain = false;
  #timer = null;
  #attempts = 0;
  /** The token refused by the server. */
  #refusedToken = null;

  /** Names of non-empty queues in this browser that begin with this prefix. */
  static names(prefix) {
    const start = `${STORAGE_PREFIX}${prefix}`;
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(start));
    // Entry ids have no dots.
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
   * Adds an entry (any JSON value) and returns its id. `key` is its Idempotency-Key, random by
   * default: pass it if the request may have been sent with it before. The server accepts keys of
   * 16 to 128 characters that cannot be guessed.
   */
  push(entry, { key = randomKey() } = {}) {
    // Ids sort by time. Each entry has its own storage key, so that tabs cannot overwrite each
    // other's.
    const last = Number(this.entries().at(-1)?.id.split("-")[0] ?? 0);
    const id = `${String(Math.max(Date.now(), last + 1)).padStart(15, "0")}-${randomKey().slice(0, 8)}`;
    this.#write({ id, key, entry, subject: token.subject(), error: null });
    this.#changed();
    this.#run();
    return id;
  }

  /**
   * Waiting entries, oldest first: `[{ id, key, entry, subject, error }]`. `key` is the
   * Idempotency-Key, `subject` the person who added it (null for a visitor), `error` why the server
   * refused it.
   */
  entries() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.#prefix)).sort();
    return keys.map((key) => this.#read(key)).filter(Boolean);
  }

  /** Whether entries wait for the person who added them to sign in again. */
  get needsSignIn() {
    const subject = token.subject();
    if (subject === null || (caller() && token.text() !== this.#refusedToken)) return false;
    return this.entries().some((one) => one.subject === subject && !one.error);
  }

  /** Discards an entry. */
  drop(id) {
    localStorage.removeItem(this.#prefix + id);
    this.#changed();
    this.#run();
  }

  /**
   * Replaces a refused entry by a corrected one, which keeps its id and place and is sent again. It
   * gets a new Idempotency-Key unless `key` is given, because the server rejects a key reused with
   * another body. Returns false if there is no such entry or it was not refused.
   */
  replace(id, entry, { key = randomKey() } = {}) {
    const one = this.#read(this.#prefix + id);
    if (!one?.error) return false;
    this.#write({ ...one, key, entry, error: null, notBefore: 0 });
    this.#changed();
    this.#run();
    return true;
  }

  /** Resends refused entries. */
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

  /** Removes a sent entry, unless it was replaced meanwhile. */
  #remove(sent) {
    this.#attempts = 0;
    if (this.#read(this.#prefix + sent.id)?.key === sent.key) localStorage.removeItem(this.#prefix + sent.id);
  }

  /** Updates a sent entry, unless it was dropped or replaced meanwhile. */
  #update(sent, changes) {
    if (this.#read(this.#prefix + sent.id)?.key === sent.key) this.#write({ ...sent, ...changes });
  }

  #changed() {
    this.#notify(this.#options.onChange, this.entries());
  }

  /**
   * Calls a listener of the page. Its errors must not stop the queue or count as a failed request.
   */
  #notify(listener, ...values) {
    try {
      listener?.(...values);
    } catch (error) {
      reportError(error);
    }
  }

  async #run() {
    // A run may have passed the last entry without having ended: make it look again.
    this.#runsAgain = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#runsAgain) {
        this.#runsAgain = false;
        clearTimeout(this.#timer);
        // Without locks (no https), the idempotency keys still prevent duplicates.
        if (navigator.locks) await navigator.locks.request(this.#name, () => this.#sendAll());
        else await this.#sendAll();
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** The next entry to send, or null. Entries of other people are not sent as this caller. */
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
      // A wait above the maximum means that the clock was changed.
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
        // Already carried out, without a response to hand on.
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
          // The person may have signed in meanwhile.
          continue;
        }
        this.#update(next, { error: error.message });
      }
      this.#changed();
    }
  }

  /** Schedules a retry of an entry after a temporary failure. */
  #waitAfter(sent, retryAfterMs) {
    const backoff = Math.min(1000 * 2 ** this.#attempts, RETRY_WAIT_MAX_MS) * (0.5 + Math.random());
    this.#attempts += 1;
    if (retryAfterMs === null) {
      this.#runLater(backoff);
      return;
    }
    // Stored with the entry, so that other tabs and a reloaded page wait as well.
    const wait = Math.min(Math.max(retryAfterMs, backoff), RETRY_AFTER_MAX_MS);
    this.#update(sent, { notBefore: Date.now() + wait });
    this.#runLater(wait);
  }

  #runLater(wait) {
    this.#timer = setTimeout(() => this.#run(), wait);
  }
}
