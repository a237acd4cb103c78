// What the pages of all systems share. Nothing here or in any page makes markup of text: text
// from elsewhere only ever becomes text.

/** Makes an element. Attributes that are functions are listeners; `null` children are left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  set(made, attributes, children);
  return made;
}

/** The same for the elements of a drawing. */
export function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(made, attributes, children);
  return made;
}

function set(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child != null));
}

/** A refusal, as the server explains it. Its message can be shown to people. */
export class Problem extends Error {
  constructor(problem) {
    const faults = (problem.errors ?? []).map((fault) => `${fault.field.replace(/^\//, "")} ${fault.detail}`);
    super(problem.detail ?? (faults.length ? faults.join("; ") : problem.title));
    this.code = problem.code;
    this.status = problem.status;
    this.faults = problem.errors ?? [];
  }
}

/** The token by which this browser says who is calling, if it has one. */
export const token = {
  keep: (text) => localStorage.setItem("singlet.token", text),
  forget: () => localStorage.removeItem("singlet.token"),
  text: () => localStorage.getItem("singlet.token"),
  /** What the token says, as far as the page may care; the server checks it. */
  claims() {
    try {
      const claims = JSON.parse(atob(this.text().split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
      return claims.exp * 1000 > Date.now() ? { groups: [], ...claims } : null;
    } catch {
      return null;
    }
  },
};

/**
 * Asks the server. Answers with what its JSON says, and throws a Problem if it is refused. With
 * `once`, what got lost on the way is asked again, and the server does it once all the same.
 */
export async function request(method, path, { body, headers, once = false } = {}) {
  const options = {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token.claims() ? { authorization: `Bearer ${token.text()}` } : {}),
      ...(once ? { "idempotency-key": randomKey() } : {}),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options).catch((error) => (once ? fetch(path, options) : Promise.reject(error)));
  } catch {
    throw new Problem({ code: "unreachable", title: "The server cannot be reached." });
  }
  const text = await answer.text();
  if (answer.ok) return text ? JSON.parse(text) : null;
  try {
    throw new Problem(JSON.parse(text));
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem({ code: "unreadable", title: `The server answered with status ${answer.status}.` });
  }
}

/** 128 bits that nobody can guess. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * A socket that comes back by itself, sooner at first and then less often. Events:
 * `open`, `message` (detail: what the JSON says), `lost` (detail: when it tries again, in ms).
 */
export class Live extends EventTarget {
  #address;
  #socket = null;
  #attempts = 0;
  #timer = null;
  #over = false;
  #isFresh = false;
  #wake = () => {
    if (!this.#over && this.#timer !== null && document.visibilityState === "visible") this.#connect();
  };

  /**
   * `address` is asked for before each attempt, because it may say what was seen last; it is told
   * whether what was seen last is to be forgotten.
   */
  constructor(address) {
    super();
    this.#address = address;
    // A phone that wakes up should not wait for the next attempt.
    addEventListener("online", this.#wake);
    document.addEventListener("visibilitychange", this.#wake);
    this.#connect();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  send(message) {
    if (this.isOpen) this.#socket.send(JSON.stringify(message));
    return this.isOpen;
  }

  /** Comes back at once, as if nothing had been seen. */
  restart() {
    const before = this.#socket;
    this.#isFresh = true;
    this.#connect();
    before?.close();
  }

  close() {
    this.#over = true;
    clearTimeout(this.#timer);
    removeEventListener("online", this.#wake);
    document.removeEventListener("visibilitychange", this.#wake);
    this.#socket?.close();
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const address = new URL(this.#address(this.#isFresh), location.href);
    this.#isFresh = false;
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#attempts = 0;
      this.dispatchEvent(new Event("open"));
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.#socket) return;
      this.dispatchEvent(new CustomEvent("message", { detail: JSON.parse(event.data) }));
    });
    socket.addEventListener("close", () => {
      if (this.#over || socket !== this.#socket) return;
      // Many clients that lost the same server should not all come back at the same moment.
      const wait = Math.min(500 * 2 ** this.#attempts, 15000) * (0.5 + Math.random());
      this.#attempts += 1;
      this.#timer = setTimeout(() => this.#connect(), wait);
      this.dispatchEvent(new CustomEvent("lost", { detail: wait }));
    });
  }
}
