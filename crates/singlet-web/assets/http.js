// Requests to the server.
import { credentials } from "./session.js";

/** The path of this page's system, such as `/guestbook`. */
export const base = `/${document.documentElement.dataset.system ?? location.pathname.split("/")[1]}`;

/** Timeout of a request, plus the time for a raw body. */
const TIME_MAX_MS = 15_000;
/** Minimum upload rate of a raw body in bytes per millisecond, the same as the server's. */
const RAW_BYTES_PER_MS_MIN = 16;
/** How often a safe request is retried. */
const REPEATS_MAX = 2;
/** The longest delay before a retry; if the server asks for more, the request fails. */
const WAIT_MAX_MS = 3_000;
/** Statuses of temporary failures of the server or a proxy. */
const TEMPORARY_STATUSES = [408, 429, 500, 502, 503, 504];

/** Why a request failed (RFC 9457). Its message can be shown to people. */
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
    /** All members, including the system's own. */
    this.members = problem;
    /** The delay requested by Retry-After, or null. */
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the server was unreachable: the request may or may not have been executed. */
  get isUnreachable() {
    return this.code === "unreachable";
  }

  /**
   * Whether the request may succeed later: the server was unreachable, busy or failing, or is still
   * processing a request with the same Idempotency-Key. Anything else is a refusal.
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

/** The version of a value (its ETag), to be sent as `version` with a change. */
export function versionOf(value) {
  return versions.get(value) ?? value?.version;
}

/** 128 random bits: an Idempotency-Key. */
export function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Running actions, the latest last: their keys, and how often each request was sent. */
const runs = [];

/**
 * Runs `action` and records the Idempotency-Keys of its requests in `keys`, a Map. If it runs again
 * with the same Map, a request with the same method, path and body reuses its key, so the server
 * does not execute it again. Sending a request twice in one run counts as two. Requests other than
 * POST get a new key if another such request went to the same path since. If two actions run at
 * once, the Map of the later one gets the keys of both.
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
  // Such a change supersedes earlier ones: resending one of those is a new change.
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
 * Sends a request and returns the JSON of the response, or null without a body. Throws a Problem if
 * it is refused.
 *
 * `once` adds an Idempotency-Key: the request is retried if its response is lost, and executed
 * once. A resubmitted form reuses its keys. `version` is sent as If-Match: the change fails with
 * 412 if the value has changed since.
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
    // Still in progress, or the server was overloaded.
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

/** Parses Retry-After: seconds or a date. Null if missing or malformed. */
function readRetryAfter(text) {
  if (!text) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(ms, 0);
}

function pause(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}
