// The pages of Cricket: the list of matches, one match, notifications, and the operators' view.
// Case numbers refer to the acceptance cases in the specification. Each test creates and deletes
// its own matches, so the demo data does not change.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { address, DESK, launch, open, PHONE, picture, soon, test, tokenOf, until } from "./browser.js";
import { SCREENS } from "./checks.js";
import { checkAllViews } from "./views.js";

/** A browser notes every answer that is no success; here they are what the test is about. */
const EXPECTED = /Failed to load resource/;

let browser;
const undo = [];
before(async () => { browser = await launch(); });
after(async () => {
  await browser?.close();
  for (const step of undo.reverse()) await step();
});

/** Sends a request as this person, or as nobody. Returns `{ status, value }`. */
async function send(subject, method, path, body) {
  const answer = await fetch(`${address}/cricket${path}`, {
    method,
    headers: {
      ...(subject ? { authorization: `Bearer ${await tokenOf("cricket", subject)}` } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, value: text ? JSON.parse(text) : null };
}

/** Sends a request that must succeed, and returns what the answer says. */
async function ask(subject, method, path, body) {
  const { status, value } = await send(subject, method, path, body);
  assert.ok(status < 300, `${method} ${path} by ${subject}: ${status} ${JSON.stringify(value)}`);
  return value;
}

async function change(id, body) {
  return ask("olu", "PATCH", `/admin/replays/${id}`, body);
}

/** A match of this test's own, at this ball. It stands still unless it plays. */
async function newMatch({ tape = "t20-31", ball = "1:6.1", speed = 60, playing = true } = {}) {
  const { matchId } = await ask("olu", "POST", "/admin/replays", { tape, speed });
  undo.push(() => send("olu", "DELETE", `/admin/replays/${matchId}`));
  await change(matchId, { ball, playing, speed });
  await until(`${matchId} is in play`, async () => (await ask(null, "GET", `/matches/${matchId}`)).phase === "live");
  return matchId;
}

/** A browser of this person's own, or of a visitor. */
async function browserOf(subject, options = DESK) {
  const context = await browser.newContext({ ...options, timezoneId: "UTC" });
  if (subject) await context.addInitScript((token) => localStorage.setItem("singlet.token", token), await tokenOf("cricket", subject));
  return context;
}

/** Opens a page as this person. `close` also checks that nothing went wrong, but for what is expected. */
async function visit(subject, path, { options = DESK, expected = /$^/, prepare } = {}) {
  const context = await browserOf(subject, options);
  if (prepare) await prepare(context);
  const page = await open(context, path);
  return {
    page,
    async close() {
      assert.deepEqual(page.faults.filter((fault) => !expected.test(fault)), [], path);
      await context.close();
    },
  };
}

/** The answer of a page's request, instead of the server's. */
function instead(value, status = 200) {
  return (route) => route.fulfill({ status, contentType: status < 300 ? "application/json" : "application/problem+json", body: JSON.stringify(value) });
}

test("live matches tick by themselves, in the list and on their page", async () => {
  const id = await newMatch({ speed: 30 });
  const { page, close } = await visit(null, "/cricket", { options: PHONE });
  const card = page.locator(`#live [data-key="${id}"]`);
  await card.waitFor();
  await soon.match(() => card.textContent(), /Generated match/);
  const before = await card.textContent();
  await page.waitForFunction(([key, text]) => document.querySelector(`#live [data-key="${key}"]`).textContent !== text, [id, before]);
  await picture(page, "cricket-list-phone");
  await card.locator("a").click();
  await page.waitForURL(`**/cricket/match/${id}`);
  await soon.equal(() => page.locator("h1").count(), 1);
  await page.locator("#balls li").first().waitFor();
  await soon.equal(() => page.locator("#list").isVisible(), false, "on a phone the match stands alone");
  const ball = await page.locator("#balls li").first().getAttribute("data-key");
  const score = await page.locator("#match-score").textContent();
  await page.waitForFunction((known) => document.querySelector("#balls li").dataset.key !== known, ball);
  await soon.notEqual(() => page.locator("#match-score").textContent(), score);
  await soon.match(() => page.locator("#match-figures").textContent(), /Batter.*Bowling.*Run rate.*This over/s);
  await picture(page, "cricket-match-phone");
  await page.goBack();
  await card.waitFor();
  await close();
});

test("story: a match is followed, pushes appear, it ends and is archived", async () => {
  // Paused until the pages are open.
  const id = await newMatch({ ball: "2:12.1", playing: false });
  const { teams } = await ask(null, "GET", `/matches/${id}`);
  const context = await browserOf("chen");
  undo.push(() => send("chen", "DELETE", "/user/device"));
  const phone = await open(context, "/cricket/pushes");
  await phone.locator("#device-note", { hasText: "You have no device" }).waitFor();
  await phone.getByLabel("This browser is my phone").check();
  await phone.locator("#device-note", { hasText: "come here" }).waitFor();

  const page = await open(context, `/cricket/match/${id}`);
  const button = page.locator("#match-follow");
  await button.waitFor();
  await soon.equal(() => button.textContent(), "Follow");
  await button.click();
  await page.getByRole("dialog").getByRole("button", { name: teams[1].name }).click();
  await page.locator("#match-follow", { hasText: `Following ${teams[1].code}` }).waitFor();
  await soon.equal(async () => (await ask("chen", "GET", `/user/follow/${id}`)).teamId, teams[1].id);
  // The followed team comes first.
  await page.locator("#match-score p").first().filter({ hasText: teams[1].name }).waitFor();

  await change(id, { speed: 30, playing: true });
  await phone.locator(`#activities [data-key="${id}"]`).waitFor();
  await phone.locator("#messages li", { hasText: "activity start" }).first().waitFor();
  await phone.locator("#messages li", { hasText: "activity update" }).first().waitFor();
  await soon.match(() => phone.locator("#messages li").first().textContent(), /priority (5|10) · [\d.]+ k?B · …/);
  await picture(phone, "cricket-pushes-desk");

  await change(id, { speed: 240 });
  await page.locator("#match-where", { hasText: "Finished" }).waitFor();
  await page.locator("#match-follow").waitFor({ state: "hidden" });
  await until("the match is archived", async () => (await ask(null, "GET", `/matches/${id}`)).archived);
  const { result } = await ask(null, "GET", `/matches/${id}`);
  await page.locator("#match-score", { hasText: result.text }).waitFor();
  await phone.locator("#messages li", { hasText: "activity end" }).first().waitFor();
  await phone.locator(`#activities [data-key="${id}"]`, { hasText: "Ended" }).waitFor();
  // On a desktop the list is next to the match.
  await page.locator(`#recent [data-key="${id}"]`, { hasText: result.text }).waitFor();
  await soon.equal(() => page.locator(`#live [data-key="${id}"]`).count(), 0);
  await soon.equal(async () => (await send("chen", "GET", `/user/follow/${id}`)).status, 404, "nothing is followed any more");
  await picture(page, "cricket-ended-desk");
  // An archived match still has its balls and its scorecard.
  await page.reload();
  await page.locator("#balls li").first().waitFor();
  await page.getByRole("tab", { name: "Scorecard" }).click();
  await page.locator("#scorecard tbody tr").first().waitFor();
  assert.deepEqual([...page.faults, ...phone.faults].filter((fault) => !EXPECTED.test(fault)), []);
  await context.close();
});

// A visitor who pressed Follow signed in, and had to press it again.
test("following goes on after signing in", async () => {
  const id = await newMatch({ ball: "1:6.1", playing: false });
  const { teams } = await ask(null, "GET", `/matches/${id}`);
  for (const from of [`/cricket/match/${id}`, "/cricket"]) {
    const { page, close } = await visit(null, from);
    await page.locator(from === "/cricket" ? `#live [data-key="${id}"] .cricket-follow` : "#match-follow").click();
    await page.locator(".personas", { has: page.locator("h2", { hasText: "Cricket" }) }).locator("button", { hasText: "Chen" }).click();
    await page.waitForURL(`**/cricket/match/${id}`);
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: teams[0].name }).waitFor();
    // The address asks for it once.
    await soon.equal(() => new URL(page.url()).hash, "");
    if (from === "/cricket") {
      await sheet.getByRole("button", { name: teams[0].name }).click();
      await page.locator("#match-follow", { hasText: `Following ${teams[0].code}` }).waitFor();
      await soon.equal(async () => (await ask("chen", "GET", `/user/follow/${id}`)).teamId, teams[0].id);
    }
    await close();
  }
});

// Regression: a late answer without a device turned the switch off again.
test("a device that was switched on stays on when an earlier answer comes late", async () => {
  undo.push(() => send("dana", "DELETE", "/user/device"));
  let asked = 0;
  let arrive;
  const arrived = new Promise((resolve) => { arrive = resolve; });
  const { page, close } = await visit("dana", "/cricket/pushes", {
    async prepare(context) {
      await context.route("**/cricket/user/pushes", async (route) => {
        asked += 1;
        const isLate = asked === 2;
        const response = await route.fetch();
        if (isLate) await arrived;
        await route.fulfill({ response });
      });
    },
  });
  await page.locator("#device-note", { hasText: "You have no device" }).waitFor();
  // The page requests the setting again when its stream opens.
  await until("the page has asked twice", () => asked === 2);
  await page.getByLabel("This browser is my phone").check();
  await page.locator("#device-note", { hasText: "come here" }).waitFor();
  await page.evaluate(() => { document.querySelector("#since").textContent = ""; });
  arrive();
  await page.locator("#since:not(:empty)").waitFor();
  assert.equal(await page.textContent("#device-note"), "Alerts and activities come here.");
  assert.equal(await page.isChecked("#device"), true);
  await close();
});

test("scorecard and charts, by keyboard and by address", async () => {
  const id = await newMatch({ ball: "2:10.1", playing: false });
  const { page, close } = await visit(null, `/cricket/match/${id}#scorecard`);
  await page.locator("#scorecard table").first().waitFor();
  const card = await ask(null, "GET", `/matches/${id}/scorecard`);
  await soon.equal(() => page.locator("#scorecard [aria-pressed=true]").textContent(), `${card.innings[1].code} ${card.innings[1].score}`);
  await soon.equal(() => page.locator("#scorecard table").first().locator("tbody tr").count(), card.innings[1].batting.length);
  await page.locator("#scorecard button").first().click();
  await page.locator("#scorecard", { hasText: card.innings[0].batting[0].how }).waitFor();
  await soon.match(() => page.locator("#scorecard").textContent(), /Extras.*Total.*Fall of wickets.*Bowling/s);
  await page.getByRole("tab", { name: "Scorecard" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/#charts$/);
  await page.locator("#charts svg").first().waitFor();
  await soon.equal(() => page.locator("#charts svg").count(), 2);
  const { innings } = await ask(null, "GET", `/matches/${id}/charts`);
  await soon.equal(() => page.locator("#charts .chart-line").count(), innings.length, "one worm for each innings");
  const last = innings.at(-1);
  await soon.equal(() => page.locator("#charts .chart-bar").count(), last.overs.length);
  await soon.equal(() => page.locator("#charts .cricket-wicket").count(), last.overs.reduce((sum, over) => sum + over.wickets, 0));
  await page.locator("#charts summary").click();
  await soon.equal(() => page.locator("#charts details tbody tr").count(), last.overs.length);
  await picture(page, "cricket-charts-desk");
  await close();
});

test("earlier balls come 30 at a time", async () => {
  const id = await newMatch({ ball: "1:15.1", playing: false });
  const { page, close } = await visit(null, `/cricket/match/${id}`, { options: PHONE });
  await page.locator("#balls li").first().waitFor();
  await soon.equal(() => page.locator("#balls li").count(), 30);
  await page.getByRole("button", { name: "Earlier" }).click();
  await page.waitForFunction(() => document.querySelectorAll("#balls li").length === 60);
  const ids = await page.locator("#balls li").evaluateAll((nodes) => nodes.map((node) => Number(node.dataset.key)));
  assert.deepEqual(ids, [...ids].sort((one, other) => other - one), "the newest first");
  await close();
});

test("a follow changes its team and stops, from the list", async () => {
  const id = await newMatch({ playing: false });
  const { teams } = await ask(null, "GET", `/matches/${id}`);
  await ask("dana", "POST", `/user/follow/${id}`, { teamId: "neutral" });
  const { page, close } = await visit("dana", "/cricket", { options: PHONE });
  const button = page.locator(`#live [data-key="${id}"] button`);
  await button.filter({ hasText: "Following" }).click();
  await page.getByRole("dialog").getByRole("button", { name: teams[0].name }).click();
  await button.filter({ hasText: `Following ${teams[0].code}` }).click();
  await soon.equal(async () => (await ask("dana", "GET", `/user/follow/${id}`)).teamId, teams[0].id);
  await picture(page, "cricket-follow-phone");
  await page.getByRole("dialog").getByRole("button", { name: "Stop following" }).click();
  await button.filter({ hasText: /^Follow$/ }).waitFor();
  await soon.equal(async () => (await send("dana", "GET", `/user/follow/${id}`)).status, 404);
  await close();
});

test("an operator pauses, seeks and speeds up a replay; others are shown nothing", async () => {
  const id = await newMatch({ speed: 4 });
  const { page, close } = await visit("olu", "/cricket/admin", { expected: EXPECTED });
  const control = page.locator(`[data-key="${id}"]`);
  await control.waitFor();
  await page.locator("#jobs tr").first().waitFor();
  await page.locator("#locks tr", { hasText: "feed:livescores" }).waitFor();
  await page.locator("#feed", { hasText: "CLOSED" }).waitFor();
  const replay = async () => {
    const found = [];
    for (const { leagueId } of (await ask(null, "GET", "/leagues")).items) found.push(...(await ask("olu", "GET", `/admin/fixtures?leagueId=${leagueId}`)).items);
    return found.find(({ matchId }) => matchId === id).replay;
  };
  await control.getByRole("button", { name: /^Pause/ }).click();
  await control.getByRole("button", { name: /^Play/ }).waitFor();
  await soon.equal(async () => (await replay()).playing, false);
  await control.getByLabel(/^Speed of/).selectOption("30");
  await until("the speed is 30", async () => (await replay()).speed === 30);
  const before = (await replay()).positionMs;
  await control.getByLabel("Seek to ball").fill("2:3.1");
  await control.getByRole("button", { name: "Go" }).click();
  await until("the replay is further on", async () => (await replay()).positionMs > before);
  await control.getByLabel("Seek to ball").fill("4:99.1");
  await control.getByRole("button", { name: "Go" }).click();
  await control.getByRole("alert").waitFor();
  await control.getByRole("button", { name: /^Play/ }).click();
  await until("it plays", async () => (await replay()).playing);
  await picture(page, "cricket-admin-desk");
  await control.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await control.waitFor({ state: "detached" });
  await soon.equal(async () => (await send(null, "GET", `/matches/${id}`)).status, 404);
  await close();

  for (const who of [null, "asha"]) {
    const other = await visit(who, "/cricket/admin");
    await other.page.locator("#refused", { hasText: who ? "cricket-admin" : "Sign in" }).waitFor();
    await soon.equal(() => other.page.locator("#admin").isVisible(), false);
    await soon.equal(() => other.page.locator("#cricket-nav", { hasText: "Admin" }).count(), 0);
    await other.close();
  }
});

/** A match as the server would list it. */
function listed(values) {
  return {
    matchId: "1", league: { code: "CTL", name: "Coastal T20 League" }, format: "T20", phase: "scheduled", startTime: `${new Date().toISOString().slice(0, 10)}T23:59:00.000Z`,
    teams: [{ id: "301", code: "RID", name: "Ridge Rangers", score: null }, { id: "302", code: "VAL", name: "Vale Vikings", score: null }],
    headline: "Not started", generated: false, stale: false, archived: false, sequence: 1, ...values,
  };
}

test("case 13: a match that has not begun is upcoming and not live, also when nothing is live", async () => {
  const { page, close } = await visit(null, "/cricket", {
    expected: EXPECTED,
    async prepare(context) {
      await context.route("**/cricket/live", (route) => route.abort());
      await context.route("**/cricket/matches", instead({ live: [], items: [listed({})] }));
    },
  });
  await page.locator("#live-empty", { hasText: "No match is live. Next: RID v VAL at 23:59." }).waitFor();
  await soon.equal(() => page.locator("#live li").count(), 0);
  await page.locator("#upcoming", { hasText: "Today" }).locator("li", { hasText: "Ridge Rangers v Vale Vikings" }).waitFor();
  await page.locator(".connection-bar", { hasText: "Reconnecting…" }).waitFor();
  await close();
});

test("a wide page of a match has one stream, which also updates the list beside it", async () => {
  const id = await newMatch({ playing: false });
  const streams = new Set();
  const { page, close } = await visit(null, `/cricket/match/${id}`, {
    async prepare(context) {
      context.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.endsWith("/live")) streams.add(pathname);
      });
    },
  });
  const card = page.locator(`#live [data-key="${id}"]`);
  await page.locator("#match-figures table").waitFor();
  const before = await card.textContent();
  await change(id, { ball: "1:9.1" });
  await until("the card shows the new score", async () => (await card.textContent()) !== before);
  assert.deepEqual([...streams], [`/cricket/matches/${id}/live`]);
  await close();
});

test("case 21: a score that may be behind says so, and says when that is over", async () => {
  const id = await newMatch({ playing: false });
  const detail = await ask(null, "GET", `/matches/${id}`);
  const display = await ask(null, "GET", `/matches/${id}/display`);
  const state = { sequence: 1, display: { ...display, stale: true, updatedAt: "2026-11-15T14:31:00.000Z" }, balls: [] };
  const events = (...all) => all.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  let answers = 0;
  const { page, close } = await visit(null, `/cricket/match/${id}`, {
    expected: EXPECTED,
    async prepare(context) {
      await context.route(`**/cricket/matches/${id}`, instead({ ...detail, stale: true }));
      await context.route(`**/cricket/matches/${id}/live?list=true`, (route) => {
        answers += 1;
        const body = answers < 3 ? events(["state", state]) : events(["state", state], ["stale", { since: null }]);
        return route.fulfill({ contentType: "text/event-stream", body });
      });
    },
  });
  await page.locator("#match-stale", { hasText: "Last update 14:31. Scores may be behind." }).waitFor();
  await page.locator("#match-stale:empty").waitFor({ state: "attached" });
  assert.ok(answers >= 3, "the page came back by itself");
  await close();
});

test("an error is shown with a way to try again", async () => {
  let isBroken = true;
  const { page, close } = await visit(null, "/cricket", {
    expected: EXPECTED,
    async prepare(context) {
      await context.route("**/cricket/matches", (route) => (isBroken ? instead({ title: "Something broke", code: "internal", status: 500 }, 500)(route) : route.continue()));
    },
  });
  await page.locator("#list-problem", { hasText: "Something broke." }).waitFor();
  isBroken = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("#upcoming li").first().waitFor();
  await soon.equal(() => page.locator("#list-problem").textContent(), "");
  await close();
  const lost = await visit(null, "/cricket/match/404404", { expected: EXPECTED });
  await lost.page.locator("h1", { hasText: "No such match" }).waitFor();
  await lost.close();
});

test("matches are listed by league and day", async () => {
  const { page, close } = await visit(null, "/cricket");
  await page.locator("#upcoming h3").first().waitFor();
  await page.getByLabel("League").selectOption("CTL");
  await page.waitForURL(/league=CTL/);
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll("#upcoming li, #recent li")];
    return rows.length > 0 && rows.every((row) => row.querySelector(".badge").textContent === "CTL");
  });
  await close();
});

for (const screen of SCREENS) {
  test(`every view by the rules of axe-core and ours, ${screen.name}`, () => checkAllViews(browser, "cricket", screen));
}
