// Live updates over Server-Sent Events and WebSockets, with automatic reconnects.
import { element } from "./dom.js";
import { Problem } from "./http.js";
import { credentials, onChange, token } from "./session.js";
import { timeText } from "./time.js";

/** Ping interval of a socket. */
const PING_INTERVAL_MS = 5_000;
/** A socket silent for this long is lost. */
const SOCKET_SILENCE_MAX_MS = 9_000;
/** The same for a stream. The server sends a comment every 4 s; one may be late or lost. */
const STREAM_SILENCE_MAX_MS = 9_000;
/** Timeout for the first bytes. */
const CONNECT_TIME_MAX_MS = 9_000;
/** How long `send` waits for a connection. */
const SEND_TIME_MAX_MS = 10_000;
/** How long a hidden tab keeps its stream: browsers allow six connections to a server. */
const HIDDEN_TIME_MAX_MS = 30_000;
/** How long the leading tab may take to answer another tab. */
const LEADER_ANSWER_MAX_MS = 2_000;
/** Heartbeat interval of the leading tab. */
const LEADER_SIGN_INTERVAL_MS = 3_000;
/** Events that carry a whole state. */
const STATES = ["state", "ready"];
/** Close codes that are final: done, topic ended, access denied. */
const FINAL_CODES = [1000, 4000, 4003];

/**
 * Common to streams and sockets: reconnecting, and the status. `status` is "connecting", "open",
 * "lost", "refused" (final: `problem` says why) or "closed". The event `status` is fired when it
 * changes.
 */
class Connection extends EventTarget {
  status = "connecting";
  problem = null;
  /** When anything was last received. */
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
    // A phone that wakes up should reconnect at once.
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

  /** Notes that the server is alive. A longer silence is a lost connection. */
  heard(silenceMaxMs, onSilence) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      // Timers of a hidden tab run late: check when it is visible again.
      if (document.hidden) this.heard(silenceMaxMs, onSilence);
      else onSilence();
    }, silenceMaxMs);
  }

  quiet() {
    clearTimeout(this.#silence);
  }

  /** Stops listening and reconnecting, until it connects again. */
  rest() {
    this.quiet();
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Reconnects with exponential backoff. */
  connectLater(connect) {
    clearTimeout(this.#timer);
    this.quiet();
    if (this.isOver) return;
    // Jitter, so that clients that lost the same server do not reconnect together.
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
 * Tabs that share work done by one of them, the leader. The leader holds a lock; when it closes,
 * the next tab leads. `onLead()` is called in the new leader, `onMessage(message)` with messages of
 * other tabs, `onDeposed()` if another tab took over.
 */
class TabGroup {
  isLeader = false;
  #channel;
  #left = new AbortController();
  #callbacks;

  constructor(name, callbacks) {
    this.name = name;
    this.#callbacks = callbacks;
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener("message", ({ data }) => callbacks.onMessage(data));
    this.#compete({ signal: this.#left.signal });
  }

  /** Whether this browser supports sharing. Pages without TLS have no locks, except on loopback. */
  static get isPossible() {
    return "locks" in navigator && "BroadcastChannel" in window;
  }

  tell(message) {
    this.#channel.postMessage(message);
  }

  /** Takes over from an unresponsive leader. */
  takeOver() {
    this.#compete({ steal: true });
  }

  leave() {
    this.#left.abort();
    this.#channel.close();
  }

  #compete(options) {
    const { signal } = this.#left;
    const led = navigator.locks.request(this.name, options, () => {
      if (signal.aborted) return undefined;
      this.isLeader = true;
      this.#callbacks.onLead();
      return new Promise((resolve) => { signal.addEventListener("abort", resolve); });
    });
    led.catch(() => { if (this.isLeader && !signal.aborted) this.#callbacks.onDeposed(); });
  }
}

/**
 * Follows a stream of Server-Sent Events, read with `fetch` to send the token in a header.
 *
 * `onState(data, event)` gets whole states, `onEvent(event, data)` every later change. After a lost
 * connection the stream resumes after the last event, or starts with a state again.
 *
 * `states` names the events that carry a whole state; "state" and "ready" by default. Set it if the
 * server uses another name in `TopicState` or `Live::signals`.
 *
 * Tabs of one caller share a connection, because browsers allow six per server: one tab reads the
 * stream and forwards events. When it closes or is hidden for long, another tab resumes after the
 * last event. For a new tab, which needs the whole state, the stream is reopened.
 */
export class WatchStream extends Connection {
  #path;
  #options;
  #lastId = null;
  #abort = null;
  /** Whether the current connection starts with a whole state that has not arrived yet. */
  #isFresh = false;
  #group = null;
  #signs = null;
  #hiddenTimer = null;
  #isPaused = false;
  #onVisibility = () => this.#checkVisibility();
  #stopListening;

  constructor(path, { onState, onEvent, onStatus, states = STATES } = {}) {
    super(onStatus);
    this.#path = path;
    this.#options = { onState, onEvent, states };
    document.addEventListener("visibilitychange", this.#onVisibility);
    this.#stopListening = onChange(() => {
      if (this.#group && this.#group.name !== this.#groupName()) this.#rejoin();
    });
    // A tab opened in the background connects when it becomes visible.
    this.#isPaused = document.hidden;
    if (!document.hidden) this.#join();
  }

  close() {
    this.setStatus("closed");
  }

  setStatus(status, problem = null) {
    const isNew = !this.isOver && this.status !== status;
    super.setStatus(status, problem);
    if (isNew && status !== "closed") this.#tell({ status, problem: problem?.members });
    if (!this.isOver) return;
    document.removeEventListener("visibilitychange", this.#onVisibility);
    clearTimeout(this.#hiddenTimer);
    this.#stopListening();
    this.#leave();
  }

  onOffline() {
    this.#abort?.abort();
  }

  #checkVisibility() {
    clearTimeout(this.#hiddenTimer);
    if (document.hidden) {
      this.#hiddenTimer = setTimeout(() => {
        this.#isPaused = true;
        this.#leave();
      }, HIDDEN_TIME_MAX_MS);
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#join();
    }
  }

  /** Callers may see different data, so tabs are grouped by caller. */
  #groupName() {
    return `singlet ${this.#path} ${token.text()?.slice(-32) ?? ""}`;
  }

  #join() {
    if (!TabGroup.isPossible) {
      this.#connect();
      return;
    }
    const group = new TabGroup(this.#groupName(), {
      onLead: () => this.#lead(),
      onMessage: (message) => {
        if (group !== this.#group) return;
        if (!group.isLeader) this.#follow(message);
        else if (message.hello) this.#welcome();
      },
      onDeposed: () => { if (group === this.#group) this.#rejoin(); },
    });
    this.#group = group;
    group.tell({ hello: true });
    this.#expectLeader(LEADER_ANSWER_MAX_MS);
  }

  /** Takes over after this much silence, and again if another tab took over and is silent too. */
  #expectLeader(silenceMaxMs) {
    this.heard(silenceMaxMs, () => {
      this.#group?.takeOver();
      this.#expectLeader(STREAM_SILENCE_MAX_MS);
    });
  }

  #rejoin() {
    this.#leave();
    this.#join();
  }

  #leave() {
    this.rest();
    clearInterval(this.#signs);
    this.#group?.leave();
    this.#group = null;
    const abort = this.#abort;
    this.#abort = null;
    abort?.abort();
  }

  #lead() {
    this.#signs = setInterval(() => this.#tell({}), LEADER_SIGN_INTERVAL_MS);
    this.#connect();
  }

  #tell(message) {
    if (this.#group?.isLeader) this.#group.tell(message);
  }

  /** Another tab has joined. */
  #welcome() {
    this.#tell({ status: this.status });
    if (this.#isFresh) return;
    this.#lastId = null;
    const abort = this.#abort;
    if (!abort || abort.signal.aborted) return;
    this.#connect();
    abort.abort();
  }

  /** Handles an event or heartbeat of the leading tab. */
  #follow({ status, problem, event, hello }) {
    if (hello) return;
    this.#expectLeader(STREAM_SILENCE_MAX_MS);
    if (event) this.#dispatch(event);
    if (status) this.setStatus(status, problem ? new Problem(problem) : null);
  }

  async #connect() {
    const abort = new AbortController();
    this.#abort = abort;
    this.#isFresh = this.#lastId === null;
    this.heard(CONNECT_TIME_MAX_MS, () => abort.abort());
    try {
      const response = await fetch(this.#path, {
        headers: { accept: "text/event-stream", ...credentials(), ...(this.#lastId === null ? {} : { "last-event-id": this.#lastId }) },
        cache: "no-store",
        signal: abort.signal,
      });
      if (!response.ok) return this.#refused(response, abort);
      this.setStatus("open");
      await this.#read(response.body, abort);
    } catch {
      // The connection ended, or was silent for too long.
    }
    abort.abort();
    if (abort === this.#abort) this.connectLater(() => this.#connect());
    return undefined;
  }

  /** Handles the `end` event. */
  #ended({ code, reason }) {
    if (FINAL_CODES.includes(code)) this.setStatus("refused", endProblem(code, reason));
    this.#abort?.abort();
  }

  async #refused(response, abort) {
    const text = await response.text().catch(() => "");
    let problem;
    try {
      problem = new Problem({ status: response.status, ...JSON.parse(text) });
    } catch {
      problem = new Problem({ status: response.status, title: `The server answered with status ${response.status}` });
    }
    if (abort !== this.#abort) return;
    if (problem.isTemporary || response.status >= 500) this.connectLater(() => this.#connect());
    else this.setStatus("refused", problem);
  }

  async #read(body, abort) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const heard = () => this.heard(STREAM_SILENCE_MAX_MS, () => abort.abort());
    let rest = "";
    let event = {};
    heard();
    for (;;) {
      const { value, done } = await reader.read();
      if (done || abort.signal.aborted) return;
      heard();
      const lines = (rest + value).split(/\r\n|\n|\r/);
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          this.#tell({ event });
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
    this.#isFresh = false;
    this.lastUpdate = new Date();
    try {
      const value = data ? JSON.parse(data) : null;
      if (event === "end") this.#ended(value);
      else if (this.#options.states.includes(event)) this.#options.onState?.(value, event);
      else this.#options.onEvent?.(event, value);
    } catch (error) {
      // A page's handler failed, not the connection.
      reportError(error);
    }
  }
}

/** The problem of a connection ended for good. */
function endProblem(code, reason) {
  return new Problem({ code: "ended", closeCode: code, title: reason || "The server has ended the connection" });
}

/**
 * A WebSocket with JSON messages. `path` is the address, or a function called before each attempt
 * (it may name the last event seen) with whether the whole state is wanted (after `restart`).
 * `onMessage(message)` gets the server's messages, `onOpen()` is called after each connect.
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

  /** Sends a message once connected; rejects after ten seconds without a connection. */
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

  /** Reconnects at once and requests the whole state. */
  restart() {
    this.#isFresh = true;
    this.#drop();
    this.#connect();
  }

  /** Closes the connection for good. With a problem, it was refused. */
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

  /** A hidden tab does not ping, so silence means nothing. */
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
    // In a hidden tab, the browser still answers the server's pings.
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
 * Shows below the page's header that the connection is lost, and since when. Short interruptions
 * are not shown.
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
        const since = live.lastUpdate ? `Last update ${timeText(live.lastUpdate)}. ` : "";
        bar.textContent = `Connection lost. ${since}Reconnecting…`;
      }, bar.textContent ? 0 : delayMs);
    } else if (live.status === "refused") bar.textContent = live.problem?.message ?? "The connection was refused.";
    else if (live.status !== "connecting") bar.textContent = "";
  };
  live.addEventListener("status", show);
  show();
  return bar;
}
