// The pages of FUS: the catalogue, profiles, groups and the squash club. Case numbers refer to the
// acceptance cases in the specification. Each test creates and removes its own data, so the demo
// data does not change.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { deflateSync, crc32 } from "node:zlib";
import { addUp, formatTenths } from "../../systems/fus/src/pages/rating.js";
import { address, atRest, DESK, launch, open, PHONE, picture, soon, test, tokenOf, until } from "./browser.js";
import { SCREENS } from "./checks.js";
import { checkAllViews } from "./views.js";

const API = "/fus/v1";
/** What no page may ever run. */
const MARKUP = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';
/** The same where there is little room. */
const SHORT_MARKUP = "<img src=x onerror=window.ran=1>";

let browser;
const undo = [];
before(async () => { browser = await launch(); });
after(async () => {
  await browser?.close();
  for (const step of undo.reverse()) await step();
});

/** Sends a request as this person, or as nobody. Returns `{ status, value }`. */
async function send(subject, method, path, { body, version } = {}) {
  const answer = await fetch(address + API + path, {
    method,
    headers: {
      ...(subject ? { authorization: `Bearer ${await tokenOf("fus", subject)}` } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(version === undefined ? {} : { "if-match": `"${version}"` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, value: text ? JSON.parse(text) : null };
}

/** Sends a request that must succeed, and returns what the answer says. */
async function ask(subject, method, path, options) {
  const { status, value } = await send(subject, method, path, options);
  assert.ok(status < 300, `${method} ${path} by ${subject}: ${status} ${JSON.stringify(value)}`);
  return value;
}

let names = 0;
/** A name that nothing has yet, short enough for every screen. */
function fresh(name) {
  names += 1;
  return `${name} ${Date.now().toString(36).slice(-4)}${names}`;
}

async function newSite(values = {}) {
  const body = { url: "https://fresh.example/", title: fresh("Fresh site"), description: "Made by a test.", scrapedContent: "", tags: [], ...values };
  const site = await ask("adam", "POST", "/sites", { body });
  undo.push(() => send("adam", "DELETE", `/sites/${site.id}`));
  return site;
}

async function newPlayer(name) {
  const player = await ask("mina", "POST", "/squash/players", { body: { name: fresh(name) } });
  undo.push(() => send("mina", "DELETE", `/squash/players/${player.id}`));
  return player;
}

async function newMatch(date, [a1, a2, b1, b2], [teamAGames, teamBGames]) {
  const body = { date, teamAPlayer1Id: a1.id, teamAPlayer2Id: a2.id, teamBPlayer1Id: b1.id, teamBPlayer2Id: b2.id, teamAGames, teamBGames };
  const match = await ask("mina", "POST", "/squash/matches", { body });
  undo.push(() => send("mina", "DELETE", `/squash/matches/${match.matchId}`));
  return match;
}

/** A browser of this person's own, or of a visitor. */
async function browserOf(subject, options = DESK) {
  const context = await browser.newContext({ ...options, timezoneId: "UTC" });
  if (subject) await context.addInitScript((token) => localStorage.setItem("singlet.token", token), await tokenOf("fus", subject));
  return context;
}

/** Opens a page as this person. `close` also checks that nothing went wrong, but for what is expected. */
async function visit(subject, path, { options = DESK, expected = /$^/, prepare } = {}) {
  const context = await browserOf(subject, options);
  await prepare?.(context);
  const page = await open(context, path);
  return {
    page,
    async close() {
      assert.deepEqual(page.faults.filter((fault) => !expected.test(fault)), [], path);
      await context.close();
    },
  };
}

/** A PNG image of one colour. */
function png(width, height, [red, green, blue] = [200, 60, 30], { pixels = true } = {}) {
  const chunk = (kind, data) => {
    const content = Buffer.concat([Buffer.from(kind), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(content));
    return Buffer.concat([length, content, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.concat([Buffer.from([0]), Buffer.concat(Array.from({ length: pixels ? width : 0 }, () => Buffer.from([red, green, blue])))]);
  const data = deflateSync(Buffer.concat(Array.from({ length: pixels ? height : 1 }, () => line)));
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

const NOT_FOUND = /404 \(Not Found\)/;

test("rule 3.1: the average, the half stars and the bars", () => {
  const of = (...stars) => {
    const { tenths, halves, bars } = addUp([1, 2, 3, 4, 5].map((number) => stars.filter((one) => one === number).length));
    return [tenths === null ? null : formatTenths(tenths), halves, bars.toReversed()];
  };
  assert.deepEqual(of(5, 4, 4), ["4.3", 9, [33, 66, 0, 0, 0]]);
  assert.deepEqual(of(5, 4, 4, 4), ["4.3", 9, [25, 75, 0, 0, 0]]);
  assert.deepEqual(of(1, 4, 4, 4), ["3.3", 7, [0, 75, 0, 0, 25]]);
  assert.deepEqual(of(4, 4, 4), ["4.0", 8, [0, 100, 0, 0, 0]]);
  assert.deepEqual(of(), [null, null, [0, 0, 0, 0, 0]]);
});

test("case 1 and 2: rating in place moves the average and the bars", async () => {
  const site = await newSite();
  for (const [who, stars] of [["max", 5], ["pia", 4], ["lea", 4]]) await ask(who, "PUT", `/sites/${site.id}/rating`, { body: { stars, note: "" } });
  const { page, close } = await visit("nils", `/fus/site/${site.id}`, { options: PHONE });
  const average = page.locator(".fus-summary-average");
  await average.waitFor();
  await soon.match(() => average.textContent(), /^4\.3 of 5 stars,3 ratings$/);
  // Without a star there is nothing to save.
  await page.click("#rating-form button:has-text('Save')");
  await soon.match(() => page.textContent(".field-error"), /Choose a number of stars/);
  // By keyboard: the stars are radio buttons with labels.
  await page.getByRole("radio", { name: "1 star" }).focus();
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("ArrowRight");
  await soon.ok(() => page.getByRole("radio", { name: "4 stars" }).isChecked());
  await soon.equal(() => page.locator(".field-error").count(), 0);
  await page.fill("#rating-form [name=note]", "read again");
  await page.click("#rating-form button:has-text('Save')");
  await page.waitForFunction(() => document.querySelector(".fus-summary-average")?.textContent.endsWith("4 ratings"));
  await soon.match(() => average.textContent(), /^4\.3 of 5/);
  const bars = () => page.locator(".fus-histogram .visually-hidden").allTextContents();
  await soon.deepEqual(bars, ["5 stars: 1 rating, 25 %", "4 stars: 3 ratings, 75 %", "3 stars: 0 ratings, 0 %", "2 stars: 0 ratings, 0 %", "1 star: 0 ratings, 0 %"]);
  // Saving the same again changes nothing.
  await page.click("#rating-form button:has-text('Save')");
  await page.waitForFunction(() => !document.querySelector("#rating-form[aria-busy]"));
  await soon.match(() => average.textContent(), /4 ratings$/);
  // A bar shows who gave these stars, but not their notes.
  await page.click(".fus-histogram li:nth-child(2) button");
  await page.waitForSelector("dialog li:nth-child(3)");
  await soon.deepEqual(async () => (await page.locator("dialog li").allTextContents()).sort(), ["Lea Stern", "Nils Aho", "Pia Holm"]);
  await soon.doesNotMatch(() => page.textContent("dialog"), /read again/);
  await page.keyboard.press("Escape");
  // It is remembered, and can be taken away.
  await page.reload();
  await page.waitForSelector("#rating-form");
  await soon.equal(() => page.inputValue("#rating-form [name=note]"), "read again");
  await page.click("#rating-form button:has-text('Remove')");
  await page.click("dialog button.danger");
  await page.waitForFunction(() => document.querySelector(".fus-summary-average")?.textContent.endsWith("3 ratings"));
  await soon.equal(() => page.locator("#rating-form :checked").count(), 0);
  await close();
});

test("case 6: tags that an admin changes move the site from tag to tag", async () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => fresh(name).replaceAll(" ", "-"));
  const site = await newSite({ tags: [a, b] });
  const { page, close } = await visit("adam", `/fus/site/${site.id}`);
  await page.click(".fus-back a:has-text('Edit')");
  await page.waitForSelector("#edit:not([hidden])");
  await page.click(`[aria-label="Remove the tag ${a}"]`);
  await page.fill("#tag-text", c.toUpperCase());
  await page.keyboard.press("Enter");
  await soon.deepEqual(async () => (await page.locator("#tag-list li").allTextContents()), [`#${b}×`, `#${c}×`]);
  await page.click("#edit button:has-text('Save')");
  await page.waitForURL(/\/fus\/site\//);
  await page.waitForSelector(`.fus-site .fus-chips :text("#${c}")`);
  await page.goto(`${address}/fus?tag=${a}`);
  await page.waitForSelector("text=No sites with this tag.");
  await page.goto(`${address}/fus?tag=${c}`);
  await page.waitForSelector(`.fus-cards :text("${site.title}")`);
  await close();
});

test("case 8: a site that is still being saved says so, and what was typed is kept", async () => {
  const site = await newSite();
  const { page, close } = await visit("adam", `/fus/edit/${site.id}`, { expected: /409/ });
  await page.route(`**${API}/sites/${site.id}`, (route) => (route.request().method() === "PUT"
    ? route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify({ status: 409, code: "site-busy", title: "Site is being changed" }) })
    : route.continue()));
  await page.waitForSelector("#edit:not([hidden])");
  await page.fill("[name=title]", "Another title");
  await page.click("#edit button:has-text('Save')");
  await page.waitForSelector("text=The last change is still being saved. Try again in a minute.");
  await soon.equal(() => page.inputValue("[name=title]"), "Another title");
  await close();
});

test("case 9: of two admins who save, the second is told and loses nothing", async () => {
  const site = await newSite();
  const one = await visit("adam", `/fus/edit/${site.id}`);
  const other = await visit("sofia", `/fus/edit/${site.id}`, { expected: /412/ });
  for (const { page } of [one, other]) await page.waitForSelector("#edit:not([hidden])");
  await one.page.fill("[name=description]", "Changed by Adam.");
  await one.page.click("#edit button:has-text('Save')");
  await one.page.waitForURL(/\/fus\/site\//);
  await other.page.fill("[name=description]", "Changed by Sofia.");
  await other.page.click("#edit button:has-text('Save')");
  await other.page.waitForSelector("text=Someone else changed this. Reload and try again.");
  await soon.equal(() => other.page.inputValue("[name=description]"), "Changed by Sofia.");
  await soon.equal(async () => (await ask(null, "GET", `/sites/${site.id}`)).description, "Changed by Adam.");
  await one.close();
  await other.close();
});

test("case 10: a deleted site is gone for everybody, and deleting asks for its title", async () => {
  const site = await newSite({ tags: ["rust"] });
  await ask("nils", "PUT", `/sites/${site.id}/rating`, { body: { stars: 2, note: "" } });
  const { page, close } = await visit("adam", `/fus/edit/${site.id}`, { expected: NOT_FOUND });
  await page.click("#delete");
  await page.fill("dialog input", "something else");
  await page.click("dialog button.danger");
  await soon.match(() => page.textContent("dialog .field-error"), /not the title/);
  await page.fill("dialog input", site.title);
  await page.click("dialog button.danger");
  await page.waitForURL(/\/fus$/);
  await page.waitForSelector(".fus-cards li");
  await soon.equal(() => page.locator(`:text("${site.title}")`).count(), 0);
  await page.goto(`${address}/fus/site/${site.id}`);
  await page.waitForSelector("text=This site is not in the catalogue.");
  await picture(page, "fus-missing");
  await page.click("a:has-text('Back to the catalogue')");
  await page.waitForSelector(".fus-cards li");
  await close();
  const nils = await visit("nils", "/fus/me");
  await nils.page.waitForFunction(() => !document.querySelector("#rating-list").hasAttribute("aria-busy"));
  await soon.equal(() => nils.page.locator(`:text("${site.title}")`).count(), 0);
  await nils.close();
});

test("case 12: search as one types, by keyboard, and the older call is given up", async () => {
  const { page, close } = await visit(null, "/fus", { options: PHONE });
  const asked = [];
  const givenUp = [];
  page.on("request", (request) => { if (request.url().includes("/search?")) asked.push(new URL(request.url()).searchParams.get("q")); });
  page.on("requestfailed", (request) => givenUp.push(new URL(request.url()).searchParams.get("q")));
  // Hold the first response until the page has aborted the request.
  await page.route("**/search?q=ru", async (route) => {
    await until("the call is given up", () => givenUp.includes("ru"));
    await route.continue().catch(() => {});
  });
  await page.waitForSelector(".fus-cards li");
  await page.click("#search-text");
  await page.keyboard.type("r");
  // Longer than the debounce delay.
  await page.evaluate(() => new Promise((resolve) => { setTimeout(resolve, 400); }));
  assert.deepEqual(asked, [], "one character is not enough");
  await page.keyboard.type("u");
  await until("the page asks", () => asked.includes("ru"));
  await page.keyboard.insertText("st b");
  await page.waitForSelector('[role=option]:has-text("Rust by Example")');
  assert.deepEqual(asked, ["ru", "rust b"]);
  assert.deepEqual(givenUp, ["ru"]);
  await picture(page, "fus-search");
  // Announced to screen readers.
  await page.waitForFunction(() => /suggestion/.test(document.querySelector("[data-announce]")?.textContent));
  await soon.equal(() => page.getAttribute("#search-text", "aria-expanded"), "true");
  await soon.match(async () => (await page.locator("[role=option]").allTextContents())[0], /Rust by Example/, "the title that begins as typed comes first");
  await page.keyboard.press("ArrowDown");
  await soon.match(async () => page.textContent(`#${await page.getAttribute("#search-text", "aria-activedescendant")}`, { timeout: 1_000 }), /Rust by Example/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/fus\/site\//);
  await page.waitForSelector('h1:has-text("Rust by Example")');
  await soon.equal(() => page.evaluate(() => document.activeElement.tagName), "H1");
  await page.goBack();
  await page.waitForSelector(".fus-cards li");
  // Escape closes the list, and again it clears the text.
  await page.fill("#search-text", "sea");
  await page.waitForSelector('[role=option]:has-text("sea")');
  await soon.match(async () => (await page.locator("[role=option]").allTextContents())[0], /^tag\s+sea$/, "what was typed is a tag");
  await page.keyboard.press("Escape");
  await page.waitForSelector("[role=option]", { state: "detached" });
  await page.keyboard.press("Escape");
  await soon.equal(() => page.inputValue("#search-text"), "");
  // A tag filters.
  await page.fill("#search-text", "trai");
  await page.click('[role=option]:has(.badge:text-is("tag")):has-text("trains")');
  await page.waitForURL(/\?tag=trains/);
  await page.waitForSelector('h1:has-text("Sites with #trains")');
  await close();
});

test("case 13 and 14: a moderator removes a comment; nobody else can, and its author keeps the place", async () => {
  const site = await newSite();
  const { commentId } = await ask("max", "POST", `/sites/${site.id}/comments`, { body: { body: "Buy cheap boats!" } });
  await ask("pia", "POST", `/sites/${site.id}/comments`, { body: { body: "First line.\nSecond line: https://link.example" } });
  const path = `/fus/site/${site.id}`;
  const nils = await visit("nils", path);
  await nils.page.waitForSelector(".fus-comment:nth-child(2)");
  await soon.equal(() => nils.page.locator(".fus-menu").count(), 0, "Nils may do nothing to them");
  await soon.equal(() => nils.page.locator(".fus-comment a").count(), 0, "links are not clickable");
  await nils.close();
  const max = await visit("max", path, { expected: /409/ });
  await max.page.waitForSelector(".fus-comment:nth-child(2)");
  const lea = await visit("lea", path, { options: PHONE });
  await lea.page.waitForSelector(".fus-comment:nth-child(2)");
  const ad = lea.page.locator(".fus-comment", { hasText: "Max Berg" });
  await ad.locator("summary").click();
  await soon.deepEqual(() => ad.locator(".fus-menu button").allTextContents(), ["Remove"]);
  await ad.locator(".fus-menu button").click();
  await lea.page.fill("dialog [name=reason]", "Advertising.");
  await lea.page.click("dialog button.danger");
  await lea.page.waitForSelector("text=Removed by a moderator: Advertising.");
  // It is still the second of two.
  await soon.match(() => lea.page.textContent(".fus-comment:nth-child(2)"), /Max Berg.*Removed by a moderator: Advertising\./);
  await soon.doesNotMatch(() => lea.page.textContent("main"), /cheap boats/);
  await picture(lea.page, "fus-removed");
  await lea.close();
  // Max, whose page is older, tries to edit it.
  const mine = max.page.locator(".fus-comment", { hasText: "cheap boats" });
  await mine.locator("summary").click();
  await mine.locator("button:has-text('Edit')").click();
  await max.page.fill(".fus-comment textarea", "Buy cheaper boats!");
  await max.page.click(".fus-comment button:has-text('Save')");
  await max.page.waitForSelector("[role=alert]");
  await soon.match(() => max.page.textContent("[role=alert]"), /removed/);
  await max.page.reload();
  const stub = max.page.locator(".fus-comment", { hasText: "Removed by a moderator" });
  await stub.locator("summary").click();
  await soon.deepEqual(() => stub.locator(".fus-menu button").allTextContents(), ["Delete"]);
  await stub.locator(".fus-menu button").click();
  await max.page.click("dialog button.danger");
  await stub.waitFor({ state: "detached" });
  await max.close();
  assert.equal((await send("max", "PUT", `/sites/${site.id}/comments/${commentId}`, { body: { body: "x" } })).status, 404);
});

test("comments are edited and deleted in place, and come in parts", async () => {
  const site = await newSite();
  for (let number = 1; number <= 24; number += 1) await ask("pia", "POST", `/sites/${site.id}/comments`, { body: { body: `Number ${number}.` } });
  const { page, close } = await visit("nils", `/fus/site/${site.id}`);
  await page.fill("#comment-form textarea", "Mine.");
  await page.click("#comment-form button");
  const mine = page.locator(".fus-comment").first();
  await mine.filter({ hasText: "Mine." }).waitFor();
  await page.waitForSelector("h2:has-text('25 comments')");
  await soon.equal(() => page.inputValue("#comment-form textarea"), "");
  await mine.locator("summary").click();
  await mine.locator("button:has-text('Edit')").click();
  await soon.equal(() => page.evaluate(() => document.activeElement.tagName), "TEXTAREA");
  await page.keyboard.type(" Indeed.");
  await page.click(".fus-comment button:has-text('Save')");
  await mine.filter({ hasText: "Mine. Indeed." }).waitFor();
  await soon.match(() => mine.textContent(), /edited/);
  await page.click("button.more:not([hidden])");
  await page.waitForFunction(() => document.querySelectorAll(".fus-comment").length === 25);
  await soon.match(() => page.locator(".fus-comment").last().textContent(), /Number 1\./);
  await mine.locator("summary").click();
  await mine.locator("button:has-text('Delete')").click();
  await page.click("dialog button.danger");
  await page.waitForSelector("h2:has-text('24 comments')");
  await soon.equal(() => page.locator(":text('Mine. Indeed.')").count(), 0);
  await close();
});

test("case 15 and 16: groups are made and deleted, and nobody gives what they lack", async () => {
  const name = fresh("Keepers").replaceAll(" ", "-");
  undo.push(() => send("sofia", "DELETE", `/groups/${name}`));
  const adam = await visit("adam", "/fus/groups", { options: PHONE });
  await adam.page.click("#add-group");
  await soon.ok(() => adam.page.isDisabled("[name='logins.read']"), "Adam cannot give logins.read");
  await soon.match(() => adam.page.textContent(".fus-permissions"), /You cannot let members see when and from where others signed in, because you may not do so yourself\./);
  await adam.page.fill("#group [name=name]", name);
  await adam.page.check("[name='comments.moderate']");
  await adam.page.click("button:has-text('Create')");
  await adam.page.waitForSelector(`h2:has-text("${name}")`);
  // Add searches people, and never offers oneself.
  await adam.page.fill("#add-member", "a");
  await adam.page.waitForSelector(".fus-suggestions:not([hidden])");
  await soon.equal(() => adam.page.locator("[role=option]:has-text('Adam')").count(), 0);
  for (const person of ["Nils", "Max"]) {
    await adam.page.fill("#add-member", person.toLowerCase());
    await adam.page.click(`[role=option]:has-text("${person}")`);
    await adam.page.click(".fus-adder button");
    await adam.page.waitForSelector(`#group li:has-text("${person}")`);
  }
  await adam.page.waitForSelector(`#groups li:has-text("${name}"):has-text("2 members")`);
  await picture(adam.page, "fus-group");
  await soon.equal(async () => (await ask("nils", "GET", "/me")).permissions.includes("comments.moderate"), true);
  // Sofia grants a permission that she has.
  const sofia = await visit("sofia", `/fus/groups?group=${name}`);
  await sofia.page.check("[name='logins.read']");
  await sofia.page.click("#group-form button");
  await sofia.page.waitForSelector("#group-form :text('Saved.')");
  await soon.deepEqual(async () => (await ask("sofia", "GET", `/groups/${name}`)).permissions.sort(), ["comments.moderate", "logins.read"]);
  // Adam's page is older, so he may not overwrite the change.
  adam.page.faults.length = 0;
  await adam.page.fill("#group [name=description]", "Adam's words");
  await adam.page.click("#group-form button");
  await adam.page.waitForSelector("text=Someone else changed this. Reload and try again.");
  adam.page.faults.length = 0;
  await adam.page.click("button:has-text('Delete group')");
  await soon.match(() => adam.page.textContent("dialog"), /2 members will lose/);
  await adam.page.click("dialog button.danger");
  await adam.page.waitForSelector(`#groups li:has-text("${name}")`, { state: "detached" });
  await soon.equal(async () => (await ask("nils", "GET", "/me")).permissions.includes("comments.moderate"), false);
  await adam.close();
  await sofia.close();
});

test("case 17: Mina adds Nils to Squash, who then sees it and leaves", async () => {
  undo.push(() => send("mina", "DELETE", "/groups/Squash/members/nils"));
  const nils = await visit("nils", "/fus");
  await nils.page.waitForSelector("#fus-nav a:has-text('My profile')");
  await soon.equal(() => nils.page.locator("#fus-nav a:has-text('Squash')").count(), 0);
  const mina = await visit("mina", "/fus/groups?group=Squash");
  await mina.page.waitForSelector("#group li");
  await soon.equal(() => mina.page.locator("button:has-text('Delete group')").count(), 0, "Squash cannot be deleted");
  await mina.page.fill("#add-member", "nils");
  await mina.page.keyboard.press("ArrowDown");
  await mina.page.waitForSelector("[role=option]");
  await mina.page.keyboard.press("ArrowDown");
  await mina.page.keyboard.press("Enter");
  await mina.page.keyboard.press("Enter");
  await mina.page.waitForSelector("#group li:has-text('Nils')");
  await mina.close();
  await nils.page.reload();
  await nils.page.click("#fus-nav a:has-text('Squash')");
  await nils.page.waitForSelector(".fus-match, :text('No matches')");
  await soon.ok(() => nils.page.isHidden("#enter-link"));
  await nils.page.goto(`${address}/fus/me#groups`);
  await nils.page.click('[aria-label="Leave Squash"]');
  await nils.page.click("dialog button.danger");
  await nils.page.waitForSelector("#fus-nav a:has-text('Squash')", { state: "detached" });
  await nils.close();
});

test("case 18: outside the club there is nothing to see, whatever the address", async () => {
  const { items } = await ask("mina", "GET", "/squash/players");
  for (const who of [null, "nils", "max", "adam"]) {
    for (const path of ["/squash", "/squash/enter", "/squash/enter?match=made-up", "/squash/standings", `/squash/players?player=${items[0].id}`]) {
      const { page, close } = await visit(who, `/fus${path}`);
      await page.waitForSelector("text=Squash is for members of the Squash group.");
      await soon.equal(() => page.locator("main a:has-text('Sign in')").count(), who ? 0 : 1);
      await soon.doesNotMatch(() => page.textContent("main"), new RegExp(items[0].name));
      await close();
    }
  }
});

test("case 19 and 20: a member cannot enter a match; a manager can, and the standings count it", async () => {
  const pia = await visit("pia", "/fus/squash/enter");
  await pia.page.waitForSelector("text=Only managers in the Squash group enter matches.");
  await pia.page.goto(`${address}/fus/squash`);
  await pia.page.waitForSelector("#squash:not([hidden])");
  await soon.ok(() => pia.page.isHidden("#enter-link"));
  await soon.equal(() => pia.page.locator("a:has-text('Edit')").count(), 0);
  await pia.close();

  const players = [];
  for (const name of ["Ada", "Ben", "Cleo", "Dan"]) players.push(await newPlayer(name));
  const seats = ["teamAPlayer1Id", "teamAPlayer2Id", "teamBPlayer1Id", "teamBPlayer2Id"];
  const { page, close } = await visit("mina", "/fus/squash/enter", { options: PHONE, expected: /422/ });
  await page.waitForSelector("#match:not([hidden])");
  for (const [index, seat] of seats.entries()) {
    await soon.ok(() => page.isDisabled("#save"), "not complete");
    await page.selectOption(`[name=${seat}]`, players[index].id);
  }
  // A chosen player disappears from the other three lists.
  for (const [index, seat] of seats.entries()) {
    const offered = await page.locator(`[name=${seat}] option`).evaluateAll((options) => options.map((option) => option.value));
    for (const [other, { id }] of players.entries()) assert.equal(offered.includes(id), other === index);
  }
  const scores = await page.getByRole("radio").evaluateAll((radios) => radios.map((radio) => radio.closest("label").querySelector(".visually-hidden").textContent));
  assert.deepEqual(scores, ["3–0, A wins", "3–1, A wins", "3–2, A wins", "0–3, B wins", "1–3, B wins", "2–3, B wins"]);
  await soon.ok(() => page.isDisabled("#save"));
  await page.getByRole("radio", { name: "3–1, A wins" }).check({ force: true });
  const [ada, ben, cleo, dan] = players.map(({ name }) => name);
  await soon.match(() => page.textContent("#sentence"), new RegExp(`^${ada} \\+ ${ben} beat ${cleo} \\+ ${dan} 3–1 on `));
  // The server's error for a date is shown at its field.
  const today = await page.inputValue("#date");
  await page.fill("#date", "1999-12-31");
  await page.click("#save");
  await page.waitForSelector("#date[aria-invalid=true]");
  await soon.equal(() => page.evaluate(() => document.activeElement.id), "date");
  await page.fill("#date", today);
  await picture(page, "fus-enter");
  // Another one on the same day, with the pairs mixed.
  await page.click("#save-another");
  await page.waitForSelector("#last-saved:not([hidden])");
  await soon.equal(() => page.inputValue("#date"), today);
  await soon.equal(() => page.inputValue("[name=teamAPlayer1Id]"), "");
  for (const [index, seat] of seats.entries()) await page.selectOption(`[name=${seat}]`, players[[0, 2, 1, 3][index]].id);
  await page.getByRole("radio", { name: "2–3, B wins" }).check({ force: true });
  await page.click("#save");
  await page.waitForURL(/\/fus\/squash\?day=/);
  await page.waitForSelector(`.fus-match:has-text("${ada} + ${cleo}")`);
  const { items } = await ask("mina", "GET", `/squash/matches?date=${today}&limit=100`);
  for (const { matchId } of items.filter((match) => players.some(({ id }) => id === match.teamAPlayer1Id))) undo.push(() => send("mina", "DELETE", `/squash/matches/${matchId}`));
  await picture(page, "fus-results");
  await page.goto(`${address}/fus/squash/standings?from=${today}&to=${today}`);
  const row = async (name) => (await page.locator(`#players tr:has-text("${name}") td`).allTextContents()).slice(1).join(" ");
  await page.waitForSelector(`#players tr:has-text("${ada}")`);
  await soon.deepEqual(async () => [await row(ada), await row(ben), await row(cleo), await row(dan)], ["2 1 1 5–4", "2 2 0 6–3", "2 0 2 3–6", "2 1 1 4–5"]);
  await picture(page, "fus-standings");
  await close();
});

test("rules 3.6 and 3.7: standings of players and pairs, form in words, and matches of a row", async () => {
  // A separate year, so that the range holds no other matches.
  const year = 2001 + Math.floor(Math.random() * 20);
  const players = [];
  for (const name of ["Ada", "Ben", "Cleo", "Dan", "Eve"]) players.push(await newPlayer(name));
  const [ada, ben, cleo, dan, eve] = players;
  await newMatch(`${year}-01-05`, [ada, ben, cleo, dan], [3, 1]);
  await newMatch(`${year}-01-12`, [ada, cleo, ben, dan], [3, 2]);
  await newMatch(`${year}-01-19`, [dan, eve, ada, ben], [3, 0]);
  const { page, close } = await visit("pia", `/fus/squash/standings?from=${year}-01-05&to=${year}-01-19`, { options: PHONE, expected: /422/ });
  await page.waitForSelector("#players tbody tr");
  const rows = async (panel) => page.locator(`${panel} tbody tr`).evaluateAll((all) => all.map((one) => [
    one.querySelector("button").textContent, ...[...one.querySelectorAll("td")].map((cell) => cell.textContent),
  ].map((text) => text.replaceAll(/ [0-9a-z]{5,}/g, "")).join(" ")));
  await soon.deepEqual(() => rows("#players"), ["Ada 1 3 2 1 6–6", "Eve 2 1 1 0 3–0", "Cleo 3 2 1 1 4–5", "Dan 4 3 1 2 6–6", "Ben 5 3 1 2 5–7"]);
  const form = await page.textContent(`#players tr:has-text("${dan.name}") .visually-hidden`);
  assert.equal(form, "Form: lost 1–3, lost 2–3, won 3–0");
  const heights = await page.locator(`#players tr:has-text("${dan.name}") rect`).evaluateAll((bars) => bars.map((bar) => [bar.getAttribute("class"), Number(bar.getAttribute("height"))]));
  assert.deepEqual(heights, [["fus-form-lost", 10], ["fus-form-lost", 5], ["fus-form-won", 15]]);
  await soon.match(() => page.textContent("#total"), new RegExp(`^3 matches in 5 Jan ${year} – 19 Jan ${year}$`));
  await page.click(".tabs a:has-text('Pairs')");
  await soon.deepEqual(() => rows("#pairs"), ["Dan + Eve 1 1 1 0 3–0", "Ada + Cleo 2 1 1 0 3–2", "Ada + Ben 3 2 1 1 3–4", "Ben + Dan 4 1 0 1 2–3", "Cleo + Dan 5 1 0 1 1–3"]);
  await page.click(`#pairs button:has-text("${ada.name} + ${ben.name}")`);
  await page.waitForSelector("dialog .fus-match:nth-child(2)");
  await soon.equal(() => page.locator("dialog .fus-match").count(), 2);
  await page.keyboard.press("Escape");
  // Only one day: ranks are shared.
  await page.fill("[name=to]", `${year}-01-05`);
  await page.click("#range-form button");
  await page.waitForFunction(() => document.querySelectorAll("#players tbody tr").length === 4);
  await soon.deepEqual(() => rows("#players"), ["Ada 1 1 1 0 3–1", "Ben 1 1 1 0 3–1", "Cleo 3 1 0 1 1–3", "Dan 3 1 0 1 1–3"]);
  await page.fill("[name=to]", `${year}-01-01`);
  await page.click("#range-form button");
  await page.waitForSelector(".field-error");
  await soon.match(() => page.textContent(".field-error"), /before the beginning/);
  await page.fill("[name=from]", `${year}-06-01`);
  await page.fill("[name=to]", `${year}-06-02`);
  await page.click("#range-form button");
  await page.waitForSelector("#pairs :text('No matches in this range.')");
  await close();
});

test("the squash page opens on the newest day with matches, also after a pause", async () => {
  const day = `${new Date().getFullYear() - 1 - Math.floor(Math.random() * 20)}-07-05`;
  const players = [];
  for (const name of ["Ada", "Ben", "Cleo", "Dan"]) players.push(await newPlayer(name));
  await newMatch(day, players, [3, 1]);
  let asked = 0;
  const { page, close } = await visit("mina", "/fus/squash", {
    // The newest match is that old.
    prepare: (context) => context.route(/squash\/matches\?.*limit=1$/, (route) => {
      asked += 1;
      const url = new URL(route.request().url());
      url.searchParams.set("to", day);
      return route.continue({ url: url.href });
    }),
  });
  await page.waitForSelector(`.fus-match:has-text("${players[0].name}")`);
  await soon.equal(() => page.inputValue("#day"), day);
  await soon.match(() => page.textContent("#shown"), new RegExp(`Jul ${day.slice(0, 4)}`));
  assert.equal(asked, 1);
  await close();
});

test("case 22 and 23: results by day and range; a match moves to another day with another player", async () => {
  const year = 2001 + Math.floor(Math.random() * 20);
  const [day, next] = [`${year}-05-04`, `${year}-05-05`];
  const players = [];
  for (const name of ["Ada", "Ben", "Cleo", "Dan", "Eve"]) players.push(await newPlayer(name));
  const [ada, ben, cleo, dan, eve] = players;
  const match = await newMatch(day, [ada, ben, cleo, dan], [3, 0]);
  await newMatch(day, [ada, cleo, ben, dan], [3, 2]);
  await newMatch(day, [ada, dan, ben, cleo], [1, 3]);
  const { page, close } = await visit("mina", `/fus/squash?day=${day}`);
  await page.waitForSelector(".fus-match:nth-child(3)");
  await soon.equal(() => page.locator(".fus-match").count(), 3);
  await page.locator(".fus-match", { hasText: `${ada.name} + ${ben.name}` }).locator("a").click();
  await page.waitForSelector("#match:not([hidden])");
  await soon.equal(() => page.textContent("h1"), "Edit match");
  await page.fill("#date", next);
  await page.selectOption("[name=teamBPlayer2Id]", eve.id);
  await page.click("#save");
  await page.waitForURL(new RegExp(`day=${next}`));
  await page.waitForSelector(`.fus-match:has-text("${cleo.name} + ${eve.name}")`);
  const counts = await Promise.all([dan, eve].map(async ({ id }) => (await ask("mina", "GET", `/squash/players/${id}`)).matchCount));
  assert.deepEqual(counts, [2, 1]);
  // The arrows go from day to day with matches.
  await page.click("#earlier");
  await page.waitForURL(new RegExp(`day=${day}`));
  await page.waitForFunction(() => document.querySelectorAll(".fus-match").length === 2);
  await page.fill("[name=from]", day);
  await page.fill("[name=to]", next);
  await page.click("#range-form button");
  await page.waitForFunction(() => document.querySelectorAll(".fus-match").length === 3);
  await soon.equal(() => page.locator(".fus-match h3").count(), 2, "each day has its date once");
  // Players in matches stay; the page says why.
  page.faults.length = 0;
  await page.goto(`${address}/fus/squash/players?player=${ada.id}`);
  await page.click("#player-form button:has-text('Delete')");
  await page.click("dialog button.danger");
  await page.waitForSelector(`text=${ada.name} is in 3 matches. Delete those first.`);
  page.faults.length = 0;
  await page.goto(`${address}/fus/squash/enter?match=${match.matchId}`);
  await page.click("#delete");
  await page.click("dialog button.danger");
  await page.waitForURL(new RegExp(`day=${next}`));
  await page.waitForSelector("text=No matches on this day.");
  await close();
});

test("case 24: an avatar is taken by what it is, not by its name", async () => {
  undo.push(() => send("nils", "DELETE", "/me/avatar"));
  const { page, close } = await visit("nils", "/fus/me", { options: PHONE, expected: /41[35]|422|404/ });
  await page.waitForSelector("#profile:not([hidden])");
  await soon.equal(() => page.textContent("#avatar"), "NA", "initials where there is no picture");
  const choose = (name, mimeType, buffer) => page.setInputFiles("#avatar-file", { name, mimeType, buffer });
  await choose("picture.jpg", "image/jpeg", png(300, 200));
  await page.waitForSelector("text=Your picture is changed.");
  const image = page.locator("#avatar img");
  await image.evaluate((node) => node.decode());
  await soon.deepEqual(() => image.evaluate((node) => [node.naturalWidth, node.naturalHeight]), [256, 256]);
  const first = await image.getAttribute("src");
  await choose("drawing.png", "image/png", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran=1"/>'));
  await page.waitForSelector("[role=alert]");
  await soon.match(() => page.textContent("[role=alert]"), /PNG, JPEG or WebP/);
  await choose("large.png", "image/png", png(20_000, 20_000, [0, 0, 0], { pixels: false }));
  await page.waitForFunction(() => /pixels/.test(document.querySelector("[role=alert]")?.textContent));
  await choose("many.png", "image/png", Buffer.concat([png(100, 100), Buffer.alloc(3 << 20)]));
  await page.waitForFunction(() => /bytes|large/i.test(document.querySelector("[role=alert]")?.textContent));
  await soon.equal(() => image.getAttribute("src"), first, "a refused picture changes nothing");
  await choose("other.png", "image/png", png(64, 64, [20, 90, 200]));
  await page.waitForFunction((src) => document.querySelector("#avatar img").getAttribute("src") !== src, first);
  await soon.equal(async () => (await fetch(address + first)).status, 404, "the old picture is gone");
  await picture(page, "fus-me");
  await page.click("#avatar-remove");
  await page.waitForSelector("text=Your picture is removed.");
  await soon.equal(() => page.locator("#avatar img").count(), 0);
  await soon.equal(() => page.evaluate(() => window.ran), undefined);
  await close();
});

test("case 25: markup in every field is shown and never run; addresses are of the web", async () => {
  const before = await ask("nils", "GET", "/me");
  undo.push(() => send("nils", "PUT", "/me", { body: { displayName: before.displayName, description: before.description } }));
  await ask("nils", "PUT", "/me", { body: { displayName: SHORT_MARKUP, description: MARKUP } });
  const site = await newSite({ title: MARKUP, description: MARKUP, scrapedContent: MARKUP, tags: ["markup"] });
  const path = `/sites/${site.id}`;
  await ask("nils", "PUT", `${path}/rating`, { body: { stars: 3, note: MARKUP } });
  await ask("nils", "POST", `${path}/comments`, { body: { body: MARKUP } });
  const removed = await ask("max", "POST", `${path}/comments`, { body: { body: MARKUP } });
  await ask("lea", "POST", `${path}/comments/max/${removed.commentId}/removal`, { body: { reason: MARKUP } });
  const group = fresh("Markup").replaceAll(" ", "-");
  await ask("adam", "POST", "/groups", { body: { name: group, description: MARKUP, permissions: [] } });
  undo.push(() => send("adam", "DELETE", `/groups/${group}`));
  await ask("adam", "PUT", `/groups/${group}/members/nils`);
  const players = [];
  for (let number = 1; number <= 4; number += 1) players.push(await newPlayer(SHORT_MARKUP));
  const year = 2001 + Math.floor(Math.random() * 20);
  const match = await newMatch(`${year}-08-08`, players, [3, 0]);
  const query = encodeURIComponent(MARKUP);
  const pages = [
    ["adam", `/fus?tag=markup`, "#sites", MARKUP],
    [null, `/fus?tag=${query}`, "h1", MARKUP],
    [null, `/fus/site/${query}`, "main", "not in the catalogue"],
    ["nils", `/fus/site/${site.id}`, ".fus-comments", `Removed by a moderator: ${MARKUP}`],
    ["nils", `/fus/site/${site.id}`, "h1", MARKUP],
    ["adam", `/fus/edit/${site.id}`, "form", null],
    ["nils", "/fus/me", "#rating-list", MARKUP],
    ["nils", "/fus/me#comments", "#comment-list", MARKUP],
    ["max", "/fus/me#comments", "#comment-list", MARKUP],
    ["adam", `/fus/groups?group=${group}`, "#group", SHORT_MARKUP],
    ["max", `/fus/groups?group=${group}`, "#group", MARKUP],
    ["adam", `/fus/groups?group=${query}`, "#group", MARKUP],
    ["mina", `/fus/squash?day=${year}-08-08`, "#matches", SHORT_MARKUP],
    ["mina", `/fus/squash?day=${query}`, "#shown", MARKUP],
    ["mina", `/fus/squash/enter?match=${match.matchId}`, "#sentence", SHORT_MARKUP],
    ["mina", `/fus/squash/standings?from=${year}-08-08&to=${year}-08-08`, "#players", SHORT_MARKUP],
    ["mina", `/fus/squash/players?player=${players[0].id}`, "#player h2", SHORT_MARKUP],
  ];
  for (const [who, address, place, shown] of pages) {
    const { page, close } = await visit(who, address, { expected: /404|422|400/ });
    await page.waitForSelector(`${place}:not([hidden])`);
    if (shown) await page.waitForFunction(([selector, text]) => document.querySelector(selector).textContent.includes(text), [place, shown]);
    await atRest(page);
    await soon.equal(() => page.evaluate(() => window.ran), undefined, address);
    await soon.equal(() => page.locator("img[src=x], main script").count(), 0, address);
    await close();
  }
  // Inside suggestions, dialogs and the name in the header.
  const { page, close } = await visit("nils", `/fus/site/${site.id}`, { expected: /404/ });
  await page.fill("#search-text", "window");
  await page.waitForSelector(`[role=option]:has-text("${"window.ran"}")`);
  await page.keyboard.press("Escape");
  await page.click(".fus-histogram button");
  await page.waitForFunction((text) => document.querySelector("dialog")?.textContent.includes(text), SHORT_MARKUP);
  await page.keyboard.press("Escape");
  await page.locator(".fus-comment .fus-person", { hasText: "img" }).click();
  await page.waitForFunction((text) => document.querySelector("dialog")?.textContent.includes(text), MARKUP);
  await soon.equal(() => page.evaluate(() => window.ran), undefined);
  await close();
  // The page and the server both reject an invalid URL at its field.
  const adam = await visit("adam", "/fus/new", { expected: /422/ });
  await adam.page.waitForSelector("#edit:not([hidden])");
  await adam.page.fill("[name=url]", "javascript:alert(1)");
  await adam.page.fill("[name=title]", "x");
  await adam.page.click("#edit button:has-text('Save')");
  await soon.match(() => adam.page.textContent(".field-error"), /https/);
  await adam.close();
  for (const url of ["javascript:alert(1)", "data:text/html,x", "ftp://x.example/", "https://user:password@x.example/"]) {
    const { status } = await send("adam", "POST", "/sites", { body: { url, title: "x", description: "", scrapedContent: "", tags: [] } });
    assert.equal(status, 422, url);
  }
});

for (const [screen, options] of [["phone", PHONE], ["desk", DESK]]) {
  test(`story: on a ${screen}, browse by tag, rate, comment, upload an avatar, enter a match, see the standings`, async () => {
    undo.push(() => send("sofia", "DELETE", "/me/avatar"));
    const { page, close } = await visit("sofia", "/fus", { options });
    await page.waitForSelector(".fus-cards li");
    await picture(page, `fus-catalogue-${screen}`);
    // All tags, then one of them.
    await page.click(".fus-chip-more");
    await page.waitForSelector("dialog li");
    await picture(page, `fus-tags-${screen}`);
    while (await page.locator("dialog .fus-chip:text-is('#knots')").count() === 0) {
      const before = await page.locator("dialog li").count();
      await page.click("dialog button.more");
      await page.waitForFunction((number) => document.querySelectorAll("dialog li").length > number, before);
    }
    await page.click("dialog .fus-chip:text-is('#knots')");
    await page.waitForSelector("h1:has-text('Sites with #knots')");
    const card = page.locator(".fus-card", { hasText: "Knots for beginners" });
    await card.click();
    await page.waitForSelector("h1:has-text('Knots for beginners')");
    const link = page.locator("h1 a");
    await soon.deepEqual(() => link.evaluate((node) => [node.target, node.rel, node.href]), ["_blank", "noopener noreferrer nofollow ugc", "https://knots.example/"]);
    // Rate and comment.
    const sum = () => page.locator(".fus-summary-average").textContent();
    await page.waitForSelector("#rating-form");
    const had = await page.locator("#rating-form :checked").count();
    const earlier = had ? await send("sofia", "GET", `/sites/${new URL(page.url()).pathname.split("/").at(-1)}/rating`) : null;
    const before = Number(/(\d+) ratings?$/.exec(await sum())?.[1] ?? 0);
    await page.getByRole("radio", { name: "5 stars" }).check({ force: true });
    await page.click("#rating-form button:has-text('Save')");
    await page.waitForFunction((number) => new RegExp(`\\b${number} ratings?$`).test(document.querySelector(".fus-summary-average")?.textContent), before + (had ? 0 : 1));
    const siteId = new URL(page.url()).pathname.split("/").at(-1);
    undo.push(() => (earlier
      ? send("sofia", "PUT", `/sites/${siteId}/rating`, { body: { stars: earlier.value.stars, note: earlier.value.note } })
      : send("sofia", "DELETE", `/sites/${siteId}/rating`)));
    const words = fresh("My favourite is the bowline.");
    await page.fill("#comment-form textarea", words);
    await page.click("#comment-form button");
    await page.waitForSelector(`.fus-comment:has-text("${words}")`);
    await picture(page, `fus-site-${screen}`);
    // Back to the same place in the list.
    await page.goBack();
    await page.waitForSelector("h1:has-text('Sites with #knots')");
    await soon.match(() => page.evaluate(() => document.activeElement.textContent), /Knots for beginners/);
    // My profile shows all of it.
    await page.click("#fus-nav a:has-text('My profile')");
    await page.waitForSelector("#profile:not([hidden])");
    await page.setInputFiles("#avatar-file", { name: "me.png", mimeType: "image/png", buffer: png(120, 120, [60, 120, 200]) });
    await page.waitForSelector("#avatar img");
    await page.waitForSelector("#rating-list li:has-text('Knots for beginners')");
    await picture(page, `fus-profile-${screen}`);
    await page.click(".tabs a:has-text('Comments')");
    const row = page.locator("#comment-list li", { hasText: words });
    await row.waitFor();
    await row.locator("a").click();
    await page.waitForSelector(`.fus-comment:has-text("${words}") img.fus-avatar`);
    await page.goto(`${address}/fus/me#comments`);
    await row.locator("summary").click();
    await row.locator(".fus-menu button").click();
    await page.click("dialog button.danger");
    await row.waitFor({ state: "detached" });
    // A match between two new pairs.
    const players = [];
    for (const name of ["Ines", "Jana", "Kai", "Luc"]) players.push(await newPlayer(name));
    await page.click("#fus-nav a:has-text('Squash')");
    await page.waitForSelector("#enter-link:not([hidden])");
    await picture(page, `fus-squash-${screen}`);
    await page.click("#enter-link");
    await page.waitForSelector("#match:not([hidden])");
    for (const [index, seat] of ["teamAPlayer1Id", "teamAPlayer2Id", "teamBPlayer1Id", "teamBPlayer2Id"].entries()) await page.selectOption(`[name=${seat}]`, players[index].id);
    await page.getByRole("radio", { name: "0–3, B wins" }).check({ force: true });
    const date = await page.inputValue("#date");
    await page.click("#save");
    await page.waitForSelector(`.fus-match:has-text("${players[0].name}")`);
    const { items } = await ask("sofia", "GET", `/squash/matches?date=${date}&limit=100`);
    const { matchId } = items.find((match) => match.teamAPlayer1Id === players[0].id);
    undo.push(() => send("sofia", "DELETE", `/squash/matches/${matchId}`));
    await page.click("#squash-nav a:has-text('Standings')");
    const line = page.locator(`#players tr:has-text("${players[2].name}")`);
    await line.waitFor();
    await soon.deepEqual(async () => (await line.locator("td").allTextContents()).slice(1), ["1", "1", "0", "3–0"]);
    await soon.equal(() => line.locator(".fus-form-chart .visually-hidden").textContent(), "Form: won 3–0");
    await picture(page, `fus-club-${screen}`);
    await close();
  });
}

test("an admin adds a site with a logo, and sees what is there of the same host", async () => {
  const { page, close } = await visit("adam", "/fus", { options: PHONE });
  await page.click("#add-site");
  await page.waitForSelector("#edit:not([hidden])");
  await page.fill("[name=url]", "https://rust.example/other");
  await page.locator("[name=url]").blur();
  await page.waitForSelector("#same-host a:has-text('Rust by Example')");
  const title = fresh("Second look at Rust");
  await page.fill("[name=title]", title);
  await page.fill("[name=description]", "One\nTwo");
  await page.fill("#tag-text", "rus");
  await page.waitForSelector("[role=option]:has-text('#rust')");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#tag-list li:has-text('#rust')");
  await page.setInputFiles("#logo-file", { name: "logo.png", mimeType: "image/png", buffer: png(200, 100) });
  await picture(page, "fus-new");
  await page.click("#edit button:has-text('Save')");
  await page.waitForURL(/\/fus\/site\//);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  undo.push(() => send("adam", "DELETE", `/sites/${id}`));
  await page.waitForSelector(`h1:has-text("${title}")`);
  const logo = page.locator(".fus-site-head img");
  await logo.evaluate((node) => node.decode());
  const [width, height] = await logo.evaluate((node) => [node.naturalWidth, node.naturalHeight]);
  assert.ok(width === 2 * height && width <= 512, `${width} × ${height}`);
  await page.goto(`${address}/fus/edit/${id}`);
  await page.click("#logo-remove");
  await page.waitForSelector("text=The logo is removed.");
  await close();
});

test("a visitor reads, and is asked to sign in", async () => {
  const { page, close } = await visit(null, "/fus", { options: PHONE });
  await page.locator(".fus-card a").first().click();
  await page.waitForSelector("text=Sign in to rate and comment.");
  await soon.equal(() => page.locator("#rating-form, #comment-form, .fus-menu, .fus-histogram button").count(), 0);
  await page.goto(`${address}/fus/me`);
  await page.waitForSelector("text=Sign in to see your profile.");
  await page.click("main a:has-text('Sign in')");
  await page.waitForURL(/\/local#return=/);
  await close();
});

for (const screen of SCREENS) {
  test(`every view by the rules of axe-core and ours, ${screen.name}`, () => checkAllViews(browser, "fus", screen));
}
