// Live updates: streams of Server-Sent Events, and WebSockets. Both come back by themselves.
import { element } from "./dom.js";
import { Problem } from "./http.js";
import { credentials } from "./session.js";

/** How often the page asks over a socket whether the server is there. */
const PING_INTERVAL_MS = 5_000;
/** After so much silence of a socket the connection is lost. */
const SOCKET_SILENCE_MAX_MS = 9_000;
/** The same for a stream, on which the server sends a comment every 4 s: one may be late or lost. */
const STREAM_SILENCE_MAX_MS = 9_000;
/** How long the first bytes may take. */
const CONNECT_TIME_MAX_MS = 9_000;
/** How long `send` waits for a connection. */
const SEND_TIME_MAX_MS = 10_000;
/** How long a hidden tab keeps its stream: browsers allow six connections to a server. */
const HIDDEN_TIME_MAX_MS = 30_000;
/** The names of events that carry a whole state and no change. */
const STATES = ["state", "ready"];
/** Codes by which the server ends a connection for good: done, no such topic any more, no right to it. */
const FINAL_CODES = [1000, 4000, 4003];

/**
 * What streams and sockets share: when to connect again, and what to say about it. `status` is
 * "connecting", "open", "lost", "refused" (for good: `problem` says why) or "closed". Listeners of
 * the event `status` are told when it changes.
 */
class Connection extends EventTarget {
  status = "connecting";
  problem = null;
  /** When something was last received. */
  lastUpdate = null;
  #attempts = 0;
  #timer = null;
  #silence = null;
  #onStatus;
  #wake = () => {
    if (document.hidden) return;
    if (this.#timer !== null) this.#retryNow();
    else this.onVisible?.();
  };
  #offline = () => this.onOffline();

  constructor(onStatus) {
    super();
    this.#onStatus = onStatus;
    // A phone that wakes up should not wait for the next attempt.
    addEventListener("online", this.#wake);
    addEventListener("offline", this.#offline);
    document.addEventListener("visibilitychange", this.#wake);
  }

  get isOver() {
    return this.status === "closed" || this.status === "refused";
  }

  setStatus(status, problem = null) {
    if (this.isOver || this.status === status) return;
    this.status = status;
    this.problem = problem;
    if (status === "open") this.#attempts = 0;
    if (this.isOver) this.#end();
    this.#onStatus?.(status, this);
    this.dispatchEvent(new CustomEvent("status", { detail: status }));
  }

  /** Something was received: the server is there. Silence longer than this is a lost connection. */
  heard(silenceMaxMs, onSilence) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      // Timers of a hidden tab run late: it is judged when it is seen again.
      if (document.hidden) this.heard(silenceMaxMs, onSilence);
      else onSilence();
    }, silenceMaxMs);
  }

  quiet() {
    clearTimeout(this.#silence);
  }

  /** Connects again, soon at first and then less often. */
  connectLater(connect) {
    clearTimeout(this.#timer);
    this.quiet();
    if (this.isOver) return;
    // Many clients that lost the same server should not all come back at the same moment.
    const wait = Math.min(500 * 2 ** this.#attempts, 15_000) * (0.5 + Math.random());
    this.#attempts += 1;
    this.connect = connect;
    this.#timer = setTimeout(() => this.#retryNow(), wait);
    this.setStatus("lost");
  }

  #retryNow() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.connect();
  }

  #end() {
    clearTimeout(this.#timer);
    this.quiet();
    removeEventListener("online", this.#wake);
    removeEventListener("offline", this.#offline);
    document.removeEventListener("visibilitychange", this.#wake);
  }
}

/**
 * Follows a stream of Server-Sent Events, read with `fetch` so that the token goes in a header.
 *
 * `onState(data, event)` gets whole states, `onEvent(event, data)` every change after it. After a
 * lost connection the stream goes on behind the last event, or begins with a state again.
 *
 * `states` names the events that carry a whole state: "state" and "ready" unless given. Give it if
 * the server has another name in `TopicState` or `Live::signals`.
 */
export class WatchStream extends Connection {
  #path;
  #options;
  #lastId = null;
  #abort = null;
  #hiddenTimer = null;
  #isPaused = false;
  #onVisibility = () => this.#checkVisibility();

  constructor(path, { onState, onEvent, onStatus, states = STATES } = {}) {
    super(onStatus);
    this.#path = path;
    this.#options = { onState, onEvent, states };
    document.addEventListener("visibilitychange", this.#onVisibility);
    this.#connect();
  }

  close() {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    clearTimeout(this.#hiddenTimer);
    this.setStatus("closed");
    this.#abort?.abort();
  }

  onOffline() {
    this.#abort?.abort();
  }

  #checkVisibility() {
    clearTimeout(this.#hiddenTimer);
    if (document.hidden) {
      this.#hiddenTimer = setTimeout(() => {
        this.#isPaused = true;
        this.#abort?.abort();
      }, HIDDEN_TIME_MAX_MS);
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#connect();
    }
  }

  async #connect() {
    const abort = new AbortController();
    this.#abort = abort;
    this.heard(CONNECT_TIME_MAX_MS, () => abort.abort());
    try {
      const response = await fetch(this.#path, {
        headers: { accept: "text/event-stream", ...credentials(), ...(this.#lastId === null ? {} : { "last-event-id": this.#lastId }) },
        cache: "no-store",
        signal: abort.signal,
      });
      if (!response.ok) return this.#refused(response);
      this.setStatus("open");
      await this.#read(response.body, () => this.heard(STREAM_SILENCE_MAX_MS, () => abort.abort()));
    } catch {
      // The connection ended, or was silent for too long.
    }
    abort.abort();
    this.quiet();
    if (abort === this.#abort && !this.#isPaused) this.connectLater(() => this.#connect());
    return undefined;
  }

  /** The server ends the stream, and says why. */
  #ended({ code, reason }) {
    if (FINAL_CODES.includes(code)) this.setStatus("refused", endProblem(code, reason));
    this.#abort?.abort();
  }

  async #refused(response) {
    const text = await response.text().catch(() => "");
    let problem;
    try {
      problem = new Problem({ status: response.status, ...JSON.parse(text) });
    } catch {
      problem = new Problem({ status: response.status, title: `The server answered with status ${response.status}` });
    }
    if (problem.isTemporary || response.status >= 500) this.connectLater(() => this.#connect());
    else this.setStatus("refused", problem);
  }

  async #read(body, heard) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    let event = {};
    heard();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard();
      const lines = (rest + value).split(/\r\n|\n|\r/);
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          this.#dispatch(event);
          event = {};
          continue;
        }
        const [, name, text] = /^([^:]*):? ?(.*)$/s.exec(line);
        if (name === "data") event.data = event.data === undefined ? text : `${event.data}\n${text}`;
        else if (name === "event" || name === "id") event[name] = text;
      }
    }
  }

  #dispatch({ id, event = "message", data }) {
    if (id !== undefined) this.#lastId = id;
    if (data === undefined && event === "message") return;
    this.lastUpdate = new Date();
    try {
      const value = data ? JSON.parse(data) : null;
      if (event === "end") this.#ended(value);
      else if (this.#options.states.includes(event)) this.#options.onState?.(value, event);
      else this.#options.onEvent?.(event, value);
    } catch (error) {
      // A handler of the page has failed, which is no lost connection.
      reportError(error);
    }
  }
}

/** Why the server has ended a connection for good. */
function endProblem(code, reason) {
  return new Problem({ code: "ended", closeCode: code, title: reason || "The server has ended the connection" });
}

/**
 * A WebSocket with JSON messages. `path` is the address or a function that returns it, which is
 * called before each attempt because it may name the last event that was seen. The function gets
 * whether the whole state is wanted (after `restart`). `onMessage(message)` gets what the server
 * sends, `onOpen()` is called after each connection.
 */
export class LiveSocket extends Connection {
  #path;
  #options;
  #socket = null;
  #pings = null;
  #isFresh = false;
  #waiting = new Set();

  constructor(path, { onMessage, onOpen, onStatus } = {}) {
    super(onStatus);
    this.#path = path;
    this.#options = { onMessage, onOpen };
    this.#connect();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN && this.status === "open";
  }

  /** Sends a message; waits for the connection, and rejects if there is none for ten seconds. */
  send(message) {
    if (this.isOpen) {
      this.#socket.send(JSON.stringify(message));
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting = { message, resolve, reject };
      waiting.timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(new Problem({ code: "unreachable", title: "There is no connection. Try again when it is back" }));
      }, SEND_TIME_MAX_MS);
      this.#waiting.add(waiting);
    });
  }

  /** Connects anew at once, and asks for the whole state. */
  restart() {
    this.#isFresh = true;
    this.#drop();
    this.#connect();
  }

  /** Ends the connection for good. With a problem, it was refused. */
  close(problem = null) {
    this.setStatus(problem ? "refused" : "closed", problem);
    this.#drop();
    for (const waiting of this.#waiting) {
      clearTimeout(waiting.timer);
      waiting.reject(problem ?? new Problem({ code: "closed", title: "The connection is closed" }));
    }
    this.#waiting.clear();
  }

  onOffline() {
    this.#lose();
  }

  /** While the tab was hidden it asked nothing, so it cannot have heard anything. */
  onVisible() {
    this.#ping();
    if (this.isOpen) this.#heard();
  }

  #connect() {
    this.#drop();
    const address = new URL(typeof this.#path === "function" ? this.#path(this.#isFresh) : this.#path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.#socket = socket;
    this.heard(CONNECT_TIME_MAX_MS, () => this.#lose());
    socket.addEventListener("open", () => {
      if (socket !== this.#socket) return;
      this.#isFresh = false;
      this.#heard();
      this.#pings = setInterval(() => this.#ping(), PING_INTERVAL_MS);
      this.setStatus("open");
      this.#options.onOpen?.();
      for (const waiting of this.#waiting) {
        clearTimeout(waiting.timer);
        socket.send(JSON.stringify(waiting.message));
        waiting.resolve();
      }
      this.#waiting.clear();
    });
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.#socket) return;
      this.#heard();
      const message = JSON.parse(data);
      if (message.type === "pong") return;
      this.lastUpdate = new Date();
      this.#options.onMessage?.(message);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (socket !== this.#socket) return;
      if (FINAL_CODES.includes(code)) this.close(endProblem(code, reason));
      else this.#lose();
    });
  }

  #heard() {
    this.heard(SOCKET_SILENCE_MAX_MS, () => this.#lose());
  }

  #ping() {
    // A hidden tab answers the server's own pings, which browsers do by themselves.
    if (!document.hidden && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send('{"type":"ping"}');
  }

  #lose() {
    if (this.isOver) return;
    this.#drop();
    this.connectLater(() => this.#connect());
  }

  #drop() {
    clearInterval(this.#pings);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }
}

/**
 * Shows below the page's header that the connection is lost, and since when nothing is new. Short
 * interruptions are not shown.
 */
export function connectionBar(live, { delayMs = 400 } = {}) {
  const bar = element("div", { class: "connection-bar", role: "status" });
  const header = document.querySelector("header.top");
  if (header) header.after(bar);
  else document.body.prepend(bar);
  let timer = null;
  const show = () => {
    clearTimeout(timer);
    if (live.status === "lost") {
      timer = setTimeout(() => {
        const since = live.lastUpdate?.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
        bar.textContent = `Connection lost. ${since ? `Last update ${since}. ` : ""}Reconnecting…`;
      }, bar.textContent ? 0 : delayMs);
    } else if (live.status === "refused") bar.textContent = live.problem?.message ?? "The connection was refused.";
    else if (live.status !== "connecting") bar.textContent = "";
  };
  live.addEventListener("status", show);
  show();
  return bar;
}
