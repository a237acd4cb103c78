// Entries that are sent when there is a connection, each once and in order.
import { Problem, randomKey } from "./http.js";
import { caller, onChange as onCallerChange } from "./session.js";

const RETRY_WAIT_MAX_MS = 30_000;

/**
 * A queue that survives reloads and is shared by the tabs of a browser. One tab at a time sends, one
 * entry at a time.
 *
 * `send(entry, { key })` sends an entry with `key` as its Idempotency-Key, so that the server carries
 * it out once, however often it is sent. If the server cannot be reached, the entry waits. If it is
 * refused, the queue stops at it, because later entries may build on it: `retry()` tries again,
 * `drop(id)` gives it up. `onChange(entries)` is called after each change, in every tab;
 * `onSent(entry, result)` in the tab that has sent it.
 */
export class OfflineQueue {
  #prefix;
  #name;
  #options;
  #isRunning = false;
  #timer = null;
  #attempts = 0;

  constructor(name, { send, onChange, onSent }) {
    this.#name = `singlet.queue.${name}`;
    this.#prefix = `${this.#name}.`;
    this.#options = { send, onChange, onSent };
    addEventListener("storage", ({ key }) => {
      if (key !== null && !key.startsWith(this.#prefix)) return;
      this.#changed();
      this.#run();
    });
    addEventListener("online", () => this.#run());
    onCallerChange(() => this.#run());
    this.#changed();
    this.#run();
  }

  /** Adds an entry (any JSON value), and returns its id. */
  push(entry) {
    // Ids sort by time. Each entry has a place of its own in the storage, so that tabs cannot
    // overwrite each other's.
    const last = Number(this.entries().at(-1)?.id.split("-")[0] ?? 0);
    const id = `${String(Math.max(Date.now(), last + 1)).padStart(15, "0")}-${randomKey().slice(0, 8)}`;
    this.#write({ id, key: randomKey(), entry, subject: caller()?.subject ?? null, error: null });
    this.#changed();
    this.#run();
    return id;
  }

  /** What waits: `[{ id, entry, error }]`, oldest first. `error` is why the server refused it. */
  entries() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.#prefix)).sort();
    return keys.map((key) => this.#read(key)).filter(Boolean);
  }

  /** Gives up an entry. */
  drop(id) {
    localStorage.removeItem(this.#prefix + id);
    this.#changed();
    this.#run();
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

  #changed() {
    this.#options.onChange?.(this.entries());
  }

  async #run() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    clearTimeout(this.#timer);
    try {
      // Without locks (a page that is not on https) the keys still make the server do it once.
      if (navigator.locks) await navigator.locks.request(this.#name, () => this.#sendAll());
      else await this.#sendAll();
    } finally {
      this.#isRunning = false;
    }
  }

  async #sendAll() {
    for (;;) {
      const first = this.entries()[0];
      // What somebody else has entered is not sent in this caller's name.
      if (!first || first.error || first.subject !== (caller()?.subject ?? null)) return;
      try {
        const result = await this.#options.send(first.entry, { key: first.key });
        localStorage.removeItem(this.#prefix + first.id);
        this.#attempts = 0;
        this.#options.onSent?.(first.entry, result);
      } catch (error) {
        if (error instanceof Problem && !error.isTemporary) {
          // It may have been dropped meanwhile.
          if (this.#read(this.#prefix + first.id)) this.#write({ ...first, error: error.message });
        } else {
          const wait = Math.min(1000 * 2 ** this.#attempts, RETRY_WAIT_MAX_MS) * (0.5 + Math.random());
          this.#attempts += 1;
          this.#timer = setTimeout(() => this.#run(), wait);
          if (!(error instanceof Problem)) reportError(error);
          this.#changed();
          return;
        }
      }
      this.#changed();
    }
  }
}
