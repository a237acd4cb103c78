// Follows a game: its state, each change as it happens, and the server's clock.
import { connectionBar, WatchStream } from "/assets/live.js";
import { api, read } from "./api.js";
import { applyMessage } from "./game-state.js";

/**
 * Follows a game. `onChange(view)` is called after each change, `onMessage(event, message, view)` for
 * each message of the stream, `onRefused(problem)` if there is nothing to follow.
 */
export class FollowedGame {
  view = null;
  #gameId;
  #options;
  #offsetMs = 0;
  #reading = null;
  #stream;

  constructor(gameId, { onChange, onMessage, onRefused }) {
    this.#gameId = gameId;
    this.#options = { onChange, onMessage, onRefused };
    this.#stream = new WatchStream(`${api}/games/${encodeURIComponent(gameId)}/live`, {
      onState: (view) => this.take(view, { isState: true }),
      onEvent: (event, message) => this.#handle(event, message),
      onStatus: (status, { problem }) => {
        if (status === "refused") onRefused?.(problem);
      },
    });
    connectionBar(this.#stream);
  }

  /** The server's time now, in milliseconds. */
  now() {
    return Date.now() + this.#offsetMs;
  }

  /** Takes a whole state: from the stream, or as the answer to a request. An older one is ignored. */
  take(view, { isState = false } = {}) {
    if (!view || (!isState && this.view && view.sequence < this.view.sequence)) return;
    this.view = view;
    if (view.serverNow) this.#offsetMs = Date.parse(view.serverNow) - Date.now();
    this.#options.onChange(view);
  }

  /** Reads the game again. Calls at the same time share one request. */
  read() {
    this.#reading ??= read(`/games/${encodeURIComponent(this.#gameId)}`)
      .then((view) => this.take(view))
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
    // A request that is on its way may have been answered before this change.
    if (isStale) (this.#reading ?? Promise.resolve()).catch(() => {}).then(() => this.read()).catch(() => {});
  }
}
