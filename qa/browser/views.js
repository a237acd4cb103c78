// Checks all views of a system's pages, as a user with full access and with each dialog open. Each
// system lists its views in a file such as fus.views.js.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { address, atRest, open, tokenOf } from "./browser.js";
import { checkPage, checkPhones } from "./checks.js";

const FOLDER = new URL("../../systems/", import.meta.url);
/** How many pages are open at the same time: they wait for the server half of the time. */
const PAGES_AT_ONCE = 2;
/** The browser notes every answer that is no success. */
export const NOT_FOUND = /404 \(Not Found\)/;

/** All systems: the packages below the folder. */
export const SYSTEMS = readdirSync(FOLDER).filter((name) => existsSync(new URL(`${name}/Cargo.toml`, FOLDER)));

/** The addresses of a system's pages as its routes have them, such as `/fus/site/{id}`. */
function addressesOf(system) {
  const routes = readFileSync(new URL(`${system}/src/routes.rs`, FOLDER), "utf8");
  const found = [...routes.matchAll(/^\s*"([^"]+)" => "pages\/[^"]+\.html"/gm)];
  assert.ok(found.length > 0, `no pages in the routes of ${system}`);
  return found.map(([, path]) => `/${system}${path === "/" ? "" : path}`);
}

function isAt({ path }, pattern) {
  const parts = pattern.split("/");
  const found = path.replace(/[?#].*/, "").split("/");
  return found.length === parts.length && parts.every((part, index) => part.startsWith("{") || part === found[index]);
}

/** The first view of each address that a system serves. Fails if there is none of one. */
function firstOfEach(system, views) {
  return addressesOf(system).map((pattern) => {
    const view = views.find((one) => isAt(one, pattern));
    assert.ok(view, `${pattern} is served, and ${system}.views.js has no view of it`);
    return view;
  });
}

/** Checks every view of a system on this screen. */
export async function checkAllViews(browser, system, screen) {
  await checkViews(browser, system, screen, (views) => views, { hasPictures: true });
}

/** Checks one view of each page that a system serves, on this screen. */
export async function checkEveryPage(browser, system, screen) {
  await checkViews(browser, system, screen, (views) => firstOfEach(system, views), { hasPictures: false });
}

/** Checks that nothing is cut off or broken at the widths of phones, in every view of a system. */
export async function checkWidths(browser, system, screen) {
  await checkViews(browser, system, screen, (views) => views, { check: checkPhones });
}

/** Checks that going back closes the dialog of each view that has one, and stays on the page. Returns how many there are. */
export async function checkBack(browser, system, screen) {
  let dialogs = 0;
  await checkViews(browser, system, screen, (views) => views.filter(({ act }) => act), {
    async check(page) {
      const count = await page.locator("dialog[open]").count();
      if (count === 0) return;
      dialogs += 1;
      const before = page.url();
      // Where one dialog has followed another, the page may still be going back itself.
      await page.waitForFunction((number) => history.state?.dialogs === number, count);
      await page.evaluate(() => history.back());
      await page.waitForFunction((number) => document.querySelectorAll("dialog[open]").length < number, count);
      assert.equal(page.url(), before);
    },
  });
  return dialogs;
}

async function checkViews(browser, system, { name, ...options }, choose, { check = checkPage, hasPictures }) {
  const undo = [];
  const contexts = new Map();
  try {
    const { layout, views } = await viewsOf(system, undo);
    const contextOf = (who) => {
      if (!contexts.has(who)) contexts.set(who, newContext(browser, system, who, options));
      return contexts.get(who);
    };
    const waiting = [...choose(views)];
    const failures = [];
    const work = async () => {
      for (let view = waiting.shift(); view; view = waiting.shift()) {
        const where = `${system}-${view.name}`;
        let page;
        try {
          page = await open(await contextOf(view.who), view.path);
          await show(page, view, { name, ...options });
          await check(page, where, { name, ...options }, { layout, hasPictures });
        } catch (error) {
          failures.push(`${where}, ${name}: ${error.message}`);
        }
        // One that did not load is closed with its context.
        failures.push(...(page?.faults ?? []).filter((fault) => !view.expected?.test(fault)).map((fault) => `${where}, ${name}: ${fault}`));
        await page?.close();
      }
    };
    await Promise.all(Array.from({ length: PAGES_AT_ONCE }, work));
    assert.deepEqual(failures, []);
  } finally {
    // Those that could not be made have told their view.
    for (const made of await Promise.allSettled(contexts.values())) await made.value?.close();
    for (const step of undo.reverse()) await step();
  }
}

/**
 * Calls the function `views(call, undo)` of a system's file. `call` sends requests, and `undo` collects
 * functions that take back what was made. It returns `{ layout, views }`: `layout` is for `checkLayout`.
 * A view is opened at `path` by `who`, or by a visitor, and complete when `ready` is visible; then `act`
 * opens something, and `shown` becomes visible. `expected` matches the faults that belong to it. The
 * first view of an address is the one with most on it.
 */
async function viewsOf(system, undo) {
  const { views } = await import(`./${system}.views.js`);
  return views(callerOf(system), undo);
}

async function newContext(browser, system, who, options) {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce", timezoneId: "UTC" });
  if (who) await context.addInitScript((token) => localStorage.setItem("singlet.token", token), await tokenOf(system, who));
  return context;
}

/** Waits until the view is complete, and opens what it shows. */
async function show(page, { ready, act, shown = "dialog[open]" }, screen) {
  await page.locator(ready).first().waitFor();
  if (act) {
    await act(page, screen);
    await page.locator(shown).first().waitFor();
  }
  await atRest(page);
}

/** Sends requests to a system as people of its demo data: `call(who, method, path, body)`. */
function callerOf(system) {
  const tokens = new Map();
  return async (who, method, path, body) => {
    if (who && !tokens.has(who)) tokens.set(who, await tokenOf(system, who));
    const answer = await fetch(`${address}/${system}${path}`, {
      method,
      headers: { ...(who ? { authorization: `Bearer ${tokens.get(who)}` } : {}), ...(body ? { "content-type": "application/json" } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} /${system}${path} by ${who}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  };
}

/** Presses one after the other. */
export function press(...selectors) {
  return async (page) => {
    for (const selector of selectors) await page.locator(selector).first().click();
  };
}
