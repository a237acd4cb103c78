// Follows a game: its state, each change as it happens, and the server's clock.
import { connectionBar, WatchStream } from "/assets/live.js";
import { caller } from "/assets/session.js";
import { api, read } from "./api.js";
import { applyMessage } from "./game-state.js";

/** How often a game is read in a row to make its view whole. */
const READS_MAX = 6;

/**
 * Follows a game. `onChange(view)` is called after each change, `onMessage(event, message, view)` for
 * each message of the stream, `onRefused(problem)` if there is nothing to follow.
 */
export class FollowedGame {
  view = null;
  /** The caller's role, which the stream does not carry: it tells everybody the same. */
  #role;
  #gameId;
  #options;
  #offsetMs = -Infinity;
  #reading = null;
  #isRead = false;
  /** Whether messages have changed more than they carry. */
  #isStale = false;
  #isRefreshing = false;
  #stream;

  constructor(gameId, { onChange, onMessage, onRefused }) {
    this.#gameId = gameId;
    this.#options = { onChange, onMessage, onRefused };
    this.#stream = new WatchStream(`${api}/games/${encodeURIComponent(gameId)}/live`, {
      onState: (view) => {
        this.take(view, { isState: true });
        // The stream says the same to everybody; what the caller may do is asked for.
        if (this.isRoleKnown) return;
        this.#isStale = true;
        this.#refresh();
      },
      onEvent: (event, message) => this.#handle(event, message),
      onStatus: (status, { problem }) => {
        if (status !== "refused") return;
        // The page says it itself.
        bar.remove();
        onRefused?.(problem);
      },
    });
    const bar = connectionBar(this.#stream);
  }

  /** The server's time now, in milliseconds. */
  now() {
    return Date.now() + (Number.isFinite(this.#offsetMs) ? this.#offsetMs : 0);
  }

  /** Takes a whole state: from the stream, or as the answer to a request. An older one is ignored. */
  take(view, { isState = false } = {}) {
    if (!view) return;
    if (!isState) this.#role = view.myRole;
    if (!isState && this.view && view.sequence < this.view.sequence) {
      this.view = { ...this.view, myRole: this.#role };
      this.#options.onChange(this.view);
      return;
    }
    this.#isStale = false;
    this.view = { ...view, myRole: this.#role };
    this.#setClock(view.serverNow, isState);
    this.#options.onChange(this.view);
  }

  /** A late or a repeated answer names an earlier time than it is; a state of the stream is fresh. */
  #setClock(serverNow, isState) {
    if (!serverNow) return;
    const offsetMs = Date.parse(serverNow) - Date.now();
    this.#offsetMs = isState ? offsetMs : Math.max(this.#offsetMs, offsetMs);
  }

  /** Whether it is known what the caller may do. */
  get isRoleKnown() {
    return !caller() || this.#role !== undefined || this.#isRead;
  }

  /** Reads the game again. Calls at the same time share one request. */
  read() {
    this.#reading ??= read(`/games/${encodeURIComponent(this.#gameId)}`)
      .then((view) => {
        this.#isRead = true;
        this.take(view);
      })
      .finally(() => { this.#reading = null; });
    return this.#reading;
  }

  #handle(event, message) {
    if (!this.view) return;
    const isNew = message.sequence > this.view.sequence;
    const { view, isStale } = applyMessage(this.view, event, message);
    this.view = view;
    this.#options.onChange(view);
    if (isNew) this.#options.onMessage?.(event, message, view);
    if (!isStale) return;
    this.#isStale = true;
    this.#refresh();
  }

  /**
   * Reads the game until the view is whole again: an answer may be older than messages that came
   * while it was on its way. If that fails, the next message or state mends it.
   */
  async #refresh() {
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    for (let tries = 0; this.#isStale && tries < READS_MAX; tries += 1) {
      if (tries > 0) await new Promise((resolve) => { setTimeout(resolve, 100 * 2 ** tries); });
      await this.read().catch(() => {});
    }
    this.#isRefreshing = false;
  }
}
