// The browser that the suites drive: Chromium as the system has it, headless.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test as nodeTest } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";

/** Where the server is, which the test command has started. */
export const address = process.env.SINGLET_URL;
/** The command of the browser. */
const command = process.env.CHROMIUM ?? "chromium";
/** Where pictures go, for people to look at. */
const pictures = process.env.SINGLET_PICTURES ?? "../../target/browser/pictures";

/** Limits that only a hung test reaches. Suites wait for conditions, and assert no durations. */
const WAIT_MS_MAX = 240_000;
const TEST_MS_MAX = 1_800_000;
const POLL_INTERVAL_MS = 100;

/** A page gives up a connection that takes long on a busy machine, and tries again. */
const GIVEN_UP = /WebSocket is closed before the connection is established/;

/** A test. From a suite with names that begin with "story: ", a usual run selects only those tests. */
export function test(name, body) {
  nodeTest(name, { timeout: TEST_MS_MAX }, body);
}

/** Polls until `look` returns something truthy, and returns it. `what` names it in the error. */
export async function until(what, look) {
  const end = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() >= end) throw new Error(`still not: ${what}`);
    await pause(POLL_INTERVAL_MS);
  }
}

/**
 * Assertions on what a page or the server says, repeated until they hold: a page changes after a key, a click
 * or an answer, not together with it. `await soon.equal(() => page.textContent("h1"), "Games")`
 */
export const soon = new Proxy(assert, {
  get: (_, name) => async (read, ...expected) => {
    const end = Date.now() + WAIT_MS_MAX;
    for (;;) {
      try {
        return assert[name](await read(), ...expected);
      } catch (error) {
        if (Date.now() >= end) throw error;
      }
      await pause(POLL_INTERVAL_MS);
    }
  },
});

/** Waits until the lists of a page are loaded and its finite animations have ended. */
export async function atRest(page) {
  await page.waitForFunction(() => {
    const isMoving = (one) => one.playState === "running" && one.effect?.getComputedTiming().endTime !== Infinity;
    return !document.querySelector("[aria-busy=true]") && !document.getAnimations().some(isMoving);
  });
}

/** Starts a browser. Its pages wait as long as a busy machine needs. */
export async function launch() {
  if (!address) throw new Error("SINGLET_URL must say where the server is");
  mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({
    timeout: WAIT_MS_MAX,
    executablePath: execFileSync("which", [command], { encoding: "utf8" }).trim(),
    // A test may run as root in a container, and must not speak to anybody but the server.
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(WAIT_MS_MAX);
    return context;
  };
  return browser;
}

export const DESK = { viewport: { width: 1280, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

/**
 * A page that fails the test if anything in it goes wrong: an error in a script, something that
 * the security policy had to block, a file that is missing. `origin` is where the page is, if it
 * is not on the server itself.
 */
export async function open(context, path, origin = address) {
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !GIVEN_UP.test(message.text()) && !page.expected?.(message.text())) page.faults.push(message.text());
  });
  page.on("request", (request) => {
    const asked = new URL(request.url()).origin;
    if (asked !== new URL(origin).origin && !request.url().startsWith("data:")) page.faults.push(`elsewhere: ${request.url()}`);
  });
  await page.goto(origin + path);
  return page;
}

/** The token of a person of a system's demo data. */
export async function tokenOf(system, subject) {
  const answer = await fetch(`${address}/local/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ persona: { system, subject } }),
  });
  if (!answer.ok) throw new Error(`${subject} of ${system} cannot sign in: ${answer.status}`);
  return (await answer.json()).token;
}

/** Sends a request to the server, as a program would. */
export async function ask(method, path, { body, secret } = {}) {
  const answer = await fetch(address + path, {
    method,
    headers: { ...(body ? { "content-type": "application/json" } : {}), ...(secret ? { "player-secret": secret } : {}) },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

export async function picture(page, name) {
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
