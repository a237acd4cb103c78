// Every page by the rules of axe-core, and by ours: one h1, nothing wider than the screen, targets of
// 44 pixels. Light and dark, on phones and desks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { address, ask, launch, open, picture } from "./browser.js";
import { checkAxe, checkColours, checkLayout } from "./checks.js";
import { json, startFront } from "./front.js";
import { GALLERY, GALLERY_SCRIPT } from "./gallery.js";

/** The systems whose pages must be found. */
const SYSTEMS = ["snakes", "threefc", "hacktracker", "fus", "cricket"];
/** How many pages there are at most. */
const PAGES_MAX = 40;

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

const SCREENS = [
  { name: "phone", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  { name: "desk", viewport: { width: 1280, height: 800 } },
];
/** The smallest phone, on which nothing may be cut off. */
const SMALL = { width: 320, height: 640 };

/** Checks a page in light and dark, and on a phone also on the smallest screen. */
async function check(page, where, screen) {
  for (const [colorScheme, checkIn] of [["dark", checkColours], ["light", checkAxe]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await picture(page, `${where.replaceAll("/", "_")}-${screen.name}-${colorScheme}`);
    await checkIn(page, `${where}, ${screen.name}, ${colorScheme}`);
  }
  await checkLayout(page, `${where}, ${screen.name}`, LAYOUT);
  if (!screen.isMobile) return;
  await page.setViewportSize(SMALL);
  await checkLayout(page, `${where}, ${SMALL.width} pixels`, LAYOUT);
  await page.setViewportSize(screen.viewport);
}

/** Links within a sentence are as high as its lines. */
const LAYOUT = { except: ":is(p a:not(.button), li a:not(.button), dd a, dt a):not(.actions a, .snakes-open a)" };

for (const screen of SCREENS) {
  const { name, ...options } = screen;

  test(`every page, ${name}`, { timeout: 900_000 }, async () => {
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    // The pages of the server, and of each system the first one and its API, found by links. Other
    // pages of a system are checked by its own suite.
    const found = new Set(["/"]);
    const checked = [];
    for (const path of found) {
      const page = await open(context, path);
      const isPage = await page.evaluate(() => document.contentType === "text/html");
      if (isPage) {
        assert.ok(checked.push(path) <= PAGES_MAX, found.size);
        if (path.endsWith("/api")) {
          await page.locator("details.operation summary").first().click();
          await page.waitForSelector("details.operation[open] .inside");
        }
        await page.waitForTimeout(200);
        const links = await page.evaluate(() => [...document.querySelectorAll("a[href]")].filter((a) => a.origin === location.origin).map((a) => a.pathname));
        for (const link of links) if (/^\/[a-z]*(\/api)?$/.test(link)) found.add(link);
        await check(page, path, screen);
        assert.deepEqual(page.faults, [], path);
      }
      await page.close();
    }
    const expected = ["/problems", ...SYSTEMS.flatMap((system) => [`/${system}`, `/${system}/api`])];
    for (const path of expected) assert.ok(checked.includes(path), `${path} is not among ${checked.join()}`);
    await context.close();
  });

  test(`a game, ${name}`, { timeout: 300_000 }, async () => {
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    const ann = await ask("POST", "/snakes/games", { body: { name: "Ann", board: { size: 10, snakesAndLadders: [] } } });
    const bob = await ask("POST", `/snakes/games/${ann.game.code}/players`, { body: { name: "W".repeat(24) } });
    const path = `/snakes/play/${ann.game.code}`;
    const visitor = await open(context, path);
    await visitor.waitForSelector("#join-name", { state: "visible" });
    await check(visitor, "game-joining", screen);
    await context.addInitScript(([key, player]) => sessionStorage.setItem(key, JSON.stringify(player)), [`snakes.${ann.game.code}`, { ...ann.player, secret: ann.secret }]);
    const page = await open(context, path);
    await page.waitForSelector("#start:not([disabled])");
    await check(page, "game-waiting", screen);
    await page.click("#leave");
    await page.waitForSelector("dialog[open]");
    await check(page, "game-dialog", screen);
    await page.keyboard.press("Escape");
    await page.focus("#start");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#roll[aria-disabled=false]");
    // The button is gone, and the focus is on the next thing to do.
    assert.equal(await page.evaluate(() => document.activeElement.id), "roll");
    await check(page, "game-playing", screen);
    for (let turn = 0; turn < 200; turn += 1) {
      const { wins } = await ask("POST", `/snakes/games/${ann.game.code}/roll`, { secret: turn % 2 ? bob.secret : ann.secret });
      if (wins) break;
    }
    await page.waitForSelector("#end:not([hidden])");
    await check(page, "game-end", screen);
    for (const one of [visitor, page]) assert.deepEqual(one.faults, []);
    const nowhere = await open(context, "/snakes/play/ZZZZZZ");
    nowhere.expected = () => true;
    await nowhere.waitForSelector("text=Game not found");
    await check(nowhere, "game-missing", screen);
    await context.close();
  });

  test(`everything that pages are made of, ${name}`, { timeout: 120_000 }, async () => {
    const front = await startFront({
      "GET /snakes/gallery": GALLERY,
      "GET /snakes/gallery.js": GALLERY_SCRIPT,
      "GET /snakes/kit/list": (_, answer) => json(answer, { items: [{ id: "a", text: "An item" }], next: "more" }),
      "GET /snakes/kit/stream": (_, answer) => json(answer, { code: "gone", title: "The stream has ended", status: 404 }, 404),
      "POST /snakes/kit/form": (_, answer) => json(answer, { code: "invalid", title: "Invalid request", status: 422, errors: [{ in: "body", field: "/name", detail: "must have 1 to 24 characters" }] }, 422),
    });
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    const page = await open(context, "/snakes/gallery", front.origin);
    page.expected = () => true;
    await page.waitForSelector("#list li");
    await page.locator("#form button").first().click();
    await page.waitForSelector(".field-error");
    await page.waitForSelector(".connection-bar:not(:empty)");
    await check(page, "gallery", screen);
    await page.evaluate(() => document.querySelector(".chart").scrollIntoView());
    await picture(page, `gallery-charts-${name}`);
    await page.click("#delete");
    await page.waitForSelector("dialog[open]");
    await check(page, "gallery-dialog", screen);
    await context.close();
    front.stop();
  });
}
