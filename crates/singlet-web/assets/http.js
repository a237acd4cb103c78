// Requests to the server.
import { credentials } from "./session.js";

/** The path of this page's system, such as `/guestbook`. */
export const base = `/${document.documentElement.dataset.system ?? location.pathname.split("/")[1]}`;

/** How long a request may take, beyond the time for a raw body. A server that is there answers sooner. */
const TIME_MAX_MS = 15_000;
/** How many bytes of a raw body must go out in a millisecond, on average. The server asks for as many. */
const RAW_BYTES_PER_MS_MIN = 16;
/** How often a request that is safe to repeat is repeated. */
const REPEATS_MAX = 2;
/** The longest wait before a repetition; a server that asks for more is believed to be busy. */
const WAIT_MAX_MS = 3_000;
/** Statuses that say nothing about the request itself: the server or something before it is in trouble. */
const TEMPORARY_STATUSES = [408, 429, 500, 502, 503, 504];

/** Why a request failed, as the server explains it (RFC 9457). Its message can be shown to people. */
export class Problem extends Error {
  constructor(problem, { cause, retryAfterMs = null } = {}) {
    const errors = problem.errors ?? [];
    const listed = errors.map(({ field, detail }) => sentence(`${fieldName(field)} ${detail}`));
    super(listed.length ? listed.join(" ") : sentence(problem.detail ?? problem.title ?? "The request failed"), { cause });
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    /** `[{ in, field, detail }]`; `field` is a JSON pointer such as `/name`. */
    this.fieldErrors = errors;
    /** All members, with those that the system has added. */
    this.members = problem;
    /** How long the server asks to wait before the next attempt (Retry-After), or null. */
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the server could not be asked: it may or may not have done what was asked for. */
  get isUnreachable() {
    return this.code === "unreachable";
  }

  /**
   * Whether the same request may succeed later: the server could not be reached, was busy or failed,
   * or still works on a request with the same Idempotency-Key. Anything else is a refusal.
   */
  get isTemporary() {
    return this.isUnreachable || this.code === "in-progress" || TEMPORARY_STATUSES.includes(this.status);
  }
}

/** The name of a field: the last segment of its JSON pointer. */
export function fieldName(pointer) {
  return pointer.split("/").at(-1) || pointer;
}

function sentence(text) {
  const begun = text ? `${text[0].toUpperCase()}${text.slice(1)}` : text;
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

const versions = new WeakMap();

/** The version that the server gave with a value (its ETag), to be sent as `version` with a change. */
export function versionOf(value) {
  return versions.get(value) ?? value?.version;
}

/** 128 random bits: an Idempotency-Key. */
export function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The actions that are under way, the latest last: their keys, and how often each request was sent. */
const runs = [];

/**
 * Runs `action`, and keeps the Idempotency-Keys of its requests in `keys`, a Map. If `action` runs
 * again with the same Map, a request with the same method, path and body has the same key: the server
 * does not do again what it did the first time. A request that is sent twice in one run is two
 * requests. What replaces or removes something (any method but POST) has a new key if another such
 * request went to the same path since. Where two actions run at once, the Map of the later one takes
 * the keys of both.
 */
export async function withKeys(keys, action) {
  const run = { keys, counts: new Map() };
  runs.push(run);
  try {
    return await action();
  } finally {
    runs.splice(runs.indexOf(run), 1);
  }
}

function keyFor(method, path, body) {
  const run = runs.at(-1);
  if (!run || isRaw(body)) return randomKey();
  const name = JSON.stringify([method, body]);
  const sentThere = run.keys.get(path) ?? new Map();
  const known = sentThere.get(name) ?? [];
  // What was there before this change is another change if it is sent once more.
  if (method !== "POST") sentThere.clear();
  run.keys.set(path, sentThere.set(name, known));
  const count = run.counts.get(known) ?? 0;
  run.counts.set(known, count + 1);
  known[count] ??= randomKey();
  return known[count];
}

function isRaw(body) {
  return body instanceof Blob || body instanceof ArrayBuffer;
}

/**
 * Sends a request, and returns what the response says in JSON, or null if it has no body. Throws a
 * Problem if it is refused.
 *
 * `once` adds an Idempotency-Key: the request is repeated if its response got lost, and the server
 * carries it out once. A form that is sent again after a problem repeats its keys. `version` is sent
 * as If-Match: the change is refused with 412 if the value has changed since.
 */
export async function request(method, path, { body, headers, once = false, version, signal } = {}) {
  const options = {
    method,
    headers: {
      ...(body === undefined || isRaw(body) ? {} : { "content-type": "application/json" }),
      ...credentials(),
      ...(once ? { "idempotency-key": keyFor(method, path, body) } : {}),
      ...(version === undefined ? {} : { "if-match": `"${version}"` }),
      ...headers,
    },
    body: body === undefined || isRaw(body) ? body : JSON.stringify(body),
  };
  const timeMaxMs = TIME_MAX_MS + (isRaw(body) ? (body.size ?? body.byteLength) / RAW_BYTES_PER_MS_MIN : 0);
  const isRepeatable = method === "GET" || "idempotency-key" in options.headers;
  for (let repeats = 0; ; repeats += 1) {
    const { response, text, error } = await send(path, options, signal, timeMaxMs);
    const isLast = !isRepeatable || repeats >= REPEATS_MAX || signal?.aborted;
    if (error) {
      if (isLast) throw new Problem({ code: "unreachable", title: "The server cannot be reached. Check your connection and try again" }, { cause: error });
      await pause(300 * 2 ** repeats);
      continue;
    }
    if (response.ok) return read(response, text);
    const problem = refusal(response, text);
    const wait = problem.retryAfterMs ?? 300 * 2 ** repeats;
    // A request with this key is still being worked on, or the server had no time for it.
    const isWorthIt = response.status === 503 || problem.code === "in-progress";
    if (isLast || !isWorthIt || wait > WAIT_MAX_MS) throw problem;
    await pause(wait);
  }
}

async function send(path, options, signal, timeMaxMs) {
  const limit = AbortSignal.timeout(timeMaxMs);
  const either = signal && AbortSignal.any ? AbortSignal.any([signal, limit]) : limit;
  try {
    const response = await fetch(path, { ...options, signal: either });
    return { response, text: await response.text() };
  } catch (error) {
    return { error };
  }
}

function read(response, text) {
  if (!text) return null;
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem({ code: "unreadable", status: response.status, title: "The server sent a response that this page cannot read" });
  }
  const version = /^"(\d+)"$/.exec(response.headers.get("etag") ?? "")?.[1];
  if (version !== undefined && value !== null && typeof value === "object") versions.set(value, Number(version));
  return value;
}

function refusal(response, text) {
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"));
  try {
    return new Problem({ status: response.status, ...JSON.parse(text) }, { retryAfterMs });
  } catch {
    return new Problem({ code: "unreadable", status: response.status, title: `The server answered with status ${response.status}` }, { retryAfterMs });
  }
}

/** Reads a Retry-After header, which is a number of seconds or a date. Null if it is missing or malformed. */
function readRetryAfter(text) {
  if (!text) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(ms, 0);
}

function pause(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}
