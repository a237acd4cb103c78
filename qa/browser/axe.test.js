// Every page by the rules of axe-core, and by ours: one h1, nothing wider than the screen, targets of
// 44 pixels. Light and dark. Other views of the pages are checked by the suites of the systems.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { atRest, launch, open, picture, test } from "./browser.js";
import { checkPage, SCREENS } from "./checks.js";
import { json, startFront } from "./front.js";
import { GALLERY, GALLERY_SCRIPT } from "./gallery.js";
import { checkBack, checkEveryPage, checkWidths, SYSTEMS } from "./views.js";

/** The pages of the server itself. */
const SERVER_PAGES = ["/", "/problems", "/jobs", "/local"];
/** How many pages there are at most. */
const PAGES_MAX = 40;

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** Links within a sentence or a table are as high as its lines. */
const LAYOUT = { except: ":is(p a:not(.button), li a:not(.button), dd a, dt a, td a, th a):not(.actions a)" };

const [PHONE] = SCREENS;
for (const system of SYSTEMS) {
  test(`every page that ${system} serves, phone`, () => checkEveryPage(browser, system, PHONE));
  // Regression: table cells broke numbers, so "50" was shown as "5" over "0".
  test(`nothing is cut off or broken at the widths of phones, ${system}`, () => checkWidths(browser, system, PHONE));
  // Regression: going back left the page and discarded the input.
  test(`going back closes an open dialog on a phone, ${system}`, async () => {
    const dialogs = await checkBack(browser, system, PHONE);
    // The dialogs of Snakes need a game with players; its own suite covers them.
    assert.ok(dialogs > 0 || system === "snakes", "no dialogs");
  });
}

for (const screen of SCREENS) {
  const { name, ...options } = screen;

  test(`the pages of the server, and how each system begins, ${name}`, async () => {
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    // Crawls links, including the first page of each system and its API page. API pages share one
    // template and are large, so the desktop checks only one.
    const systemsWithApi = screen.isMobile ? SYSTEMS : SYSTEMS.slice(0, 1);
    const isChecked = (path) => !path.endsWith("/api") || systemsWithApi.some((system) => path === `/${system}/api`);
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
        await atRest(page);
        const links = await page.evaluate(() => [...document.querySelectorAll("a[href]")].filter((a) => a.origin === location.origin).map((a) => a.pathname));
        for (const link of links) if (/^\/[a-z]*(\/api)?$/.test(link) && isChecked(link)) found.add(link);
        await checkPage(page, path, screen, { layout: LAYOUT });
        assert.deepEqual(page.faults, [], path);
      }
      await page.close();
    }
    const expected = [...SERVER_PAGES, ...SYSTEMS.map((system) => `/${system}`), ...systemsWithApi.map((system) => `/${system}/api`)];
    for (const path of expected) assert.ok(checked.includes(path), `${path} is not among ${checked.join()}`);
    await context.close();
  });

  test(`everything that pages are made of, ${name}`, async () => {
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
    await checkPage(page, "gallery", screen, { layout: LAYOUT });
    await page.evaluate(() => document.querySelector(".chart").scrollIntoView());
    await picture(page, `gallery-charts-${name}`);
    await page.click("#delete");
    await page.waitForSelector("dialog[open]");
    await checkPage(page, "gallery-dialog", screen, { layout: LAYOUT });
    await context.close();
    front.stop();
  });
}
