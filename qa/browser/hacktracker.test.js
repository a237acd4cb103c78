// HackTracker: people make a team, score games and read statistics. Tests that carry a number show
// that case of the specification on the pages.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before } from "node:test";
import { readLines } from "../../systems/hacktracker/src/pages/roster-lines.js";
import * as rules from "../../systems/hacktracker/src/pages/rules.js";
import { address, DESK, launch, open, PHONE, picture, soon, test, until } from "./browser.js";
import { SCREENS } from "./checks.js";
import { checkAllViews } from "./views.js";

const BASE = "/hacktracker";
const NINE = ["Ortiz", "Bell", "Cho", "Dunn", "Evans", "Fry", "Gray", "Hale", "Ives"];
const RANDOM_GAMES = Number(process.env.HACKTRACKER_RANDOM_GAMES ?? 1000);

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** Somebody new, with a user, or a persona of the demo data: `{ token, call, signIn }`. */
async function person(name, { persona, isNew = false, groups = [] } = {}) {
  const body = persona ? { persona: { system: "hacktracker", subject: persona } } : { name: `${name}-${randomBytes(5).toString("hex")}`, groups };
  const signIn = async () => (await (await fetch(`${address}/local/tokens`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).json()).token;
  const token = await signIn();
  const call = (method, path, sent, headers = {}) => request(token, method, path, sent, headers);
  if (!persona && !isNew) await call("POST", "/users", { firstName: name, lastName: "Tester", email: "tester@example.com" });
  return { token, call, signIn };
}

async function request(token, method, path, body, headers = {}) {
  const answer = await fetch(address + BASE + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}), ...headers },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await answer.text();
  const value = text ? JSON.parse(text) : null;
  if (!answer.ok) throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text}`), { status: answer.status, code: value?.code, value });
  return value;
}

/** A browser in which this person is signed in. */
async function browserOf({ token }, options = PHONE) {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  await context.addInitScript((text) => localStorage.setItem("singlet.token", text), token);
  return context;
}

/** A team with nine players, and a game with all of them in the lineup. */
async function gameOf(owner, { names = NINE, start = true, ...game } = {}) {
  const made = await owner.call("POST", "/teams", { name: `Team ${randomBytes(3).toString("hex")}` });
  const team = made.team ?? made;
  const added = await owner.call("POST", `/teams/${team.teamId}/players`, { players: names.map((lastName, index) => ({ firstName: "Kit", lastName, playerNumber: index + 1, positions: ["OF"] })) });
  const players = added.items ?? added.players ?? added;
  const ids = names.map((name) => players.find((player) => player.lastName === name).playerId);
  let present = await owner.call("POST", `/teams/${team.teamId}/games`, { opponentName: "Night Owls", seasonId: "2026", scheduledStart: "2026-04-18T18:00:00.000Z", ...game });
  present = present.game ?? present;
  if (start) {
    await score(owner, present.gameId, "PUT", "lineup", { lineup: ids });
    ({ game: present } = await score(owner, present.gameId, "POST", "start", {}));
  }
  return { team, ids, game: present, path: `${BASE}/score/${present.gameId}` };
}

/** A change of a game at its present revision. */
async function score(who, gameId, method, path, body) {
  const { game } = await who.call("GET", `/games/${gameId}`);
  return who.call(method, `/games/${gameId}/${path}`, { revision: game.revision, ...body });
}

/** Taps a result, and saves what the strip proposes if there is one. */
async function tap(page, result) {
  await page.click(`[data-result="${result}"]`);
  const strip = page.locator(".hacktracker-strip");
  if (await strip.count()) await strip.locator('button:has-text("Save")').click();
}

/** Waits until everything is sent, and returns the game as the server has it. */
async function settled(page, who, gameId, revision) {
  await page.waitForFunction(() => Object.keys(localStorage).every((key) => !key.startsWith("singlet.queue.")));
  return until(`the game has revision ${revision}`, async () => {
    const view = await who.call("GET", `/games/${gameId}`);
    return revision === undefined || view.game.revision >= revision ? view : null;
  });
}

async function scoreShown(page, text) {
  await page.waitForFunction((expected) => document.querySelector("#score")?.textContent === expected, text);
}

/** Plays the inning of case 5 by taps. */
async function playCase5(page) {
  for (const [index, result] of ["1B", "BB", "2B", "SAC", "OUT", "HR", "K"].entries()) {
    await page.waitForFunction((name) => document.querySelector("#up")?.textContent.includes(name), NINE[index]);
    await tap(page, result);
  }
}

test("story: a team from nothing: nine players, lineup, two innings with an undo and a correction, box score, spray chart", async () => {
  const nora = await person("Nora", { isNew: true });
  const context = await browserOf(nora);
  const page = await open(context, BASE);
  // A new user is asked for a name first.
  page.expected = (text) => text.includes("404");
  await page.fill('input[name="firstName"]', "Nora");
  await page.fill('input[name="lastName"]', "Vance");
  await page.fill('input[name="email"]', "nora@example.com");
  await page.click('button:has-text("Continue")');
  await page.waitForSelector('.hacktracker-team:has-text("Personal Stats")');
  await page.waitForSelector("#empty:not([hidden])");
  await picture(page, "hacktracker-first-visit");
  await page.fill('#new input[name="name"]', "Copper Kettles");
  await page.uncheck('#new input[name="plays"]');
  await page.click('#new button:has-text("Create team")');
  await page.waitForURL(/\/hacktracker\/team\//);
  await page.waitForSelector('h1:has-text("Copper Kettles")');
  await page.fill('textarea[name="lines"]', NINE.map((name, index) => `${index + 1} Kit ${name} ${index ? "OF" : "SS 2B"}`).join("\n"));
  await page.click('#roster button:has-text("Add players")');
  await page.waitForFunction(() => document.querySelectorAll(".hacktracker-roster li").length === 9);
  await soon.match(() => page.textContent(".hacktracker-roster li:first-child"), /1\s*Kit Ortiz.*ghost.*SS 2B/);
  await picture(page, "hacktracker-story-roster");
  // A taken number is reported at the field, and the input is kept.
  page.expected = (text) => text.includes("404") || text.includes("409");
  await page.fill('textarea[name="lines"]', "3 Another One");
  await page.click('#roster button:has-text("Add players")');
  await page.waitForSelector(".field-error");
  await soon.match(() => page.textContent(".field-error"), /3/);
  await soon.equal(() => page.inputValue('textarea[name="lines"]'), "3 Another One");
  await page.fill('textarea[name="lines"]', "");

  await page.click('.tabs a[href="#games"]');
  await page.waitForSelector('text=Schedule the first game.');
  await page.click('#games button:has-text("+ Game")');
  await page.fill('dialog input[name="opponentName"]', "Night Owls");
  await page.fill('dialog input[name="scheduledStart"]', "2026-04-18T18:00");
  await page.fill('dialog input[name="seasonId"]', "2026");
  await page.click('dialog button:has-text("Create game")');
  await page.waitForURL(/\/hacktracker\/game\//);
  const gameId = page.url().split("/").at(-1);
  await page.waitForSelector(".hacktracker-bench");
  await soon.deepEqual(() => page.locator(".hacktracker-bench button").evaluateAll((all) => all.map((one) => one.textContent.split(" ")[0])), NINE.map((_, index) => `#${index + 1}`));
  // Last first, so that the order has to be changed.
  for (const name of [...NINE.slice(1), NINE[0]]) await page.click(`.hacktracker-bench button:has-text("${name}")`);
  for (let step = 0; step < 8; step += 1) await page.click('button[aria-label="Move Kit Ortiz up"]');
  await soon.match(() => page.textContent(".hacktracker-lineup li:first-child"), /Ortiz/);
  await picture(page, "hacktracker-story-lineup");
  await page.click('#actions button:has-text("Start game")');
  await page.waitForURL(/\/hacktracker\/score\//);

  // A tap on the field says where the ball went.
  const field = page.locator("#field");
  await field.waitFor();
  const { width, height } = await field.boundingBox();
  await field.click({ position: { x: width * 0.22, y: height * 0.45 } });
  await soon.equal(() => page.inputValue("#zone"), "Left field");
  await picture(page, "hacktracker-story-field");
  await tap(page, "1B");
  await page.waitForSelector('.hacktracker-runner:has-text("Ortiz")');
  await tap(page, "BB");
  await page.selectOption("#zone", "Right centre field");
  await tap(page, "2B");
  await scoreShown(page, "1–0");
  for (const result of ["SAC", "OUT"]) await tap(page, result);
  await page.selectOption("#zone", "Over the fence, centre");
  await page.click('[data-result="HR"]');
  await picture(page, "hacktracker-story-strip");
  await soon.equal(() => page.textContent('[data-value="rbis"]'), "2");
  await page.click('.hacktracker-strip button:has-text("Save")');
  await scoreShown(page, "4–0");
  await tap(page, "K");
  await page.waitForSelector('h2:has-text("Night Owls bat")');
  await picture(page, "hacktracker-story-their-half");
  // Undo reaches back into our half.
  await settled(page, nora, gameId);
  await soon.equal(() => page.textContent("#undo"), "Undo K");
  await page.click("#undo");
  await page.waitForFunction(() => document.querySelector("#up")?.textContent.includes("Gray"));
  await page.waitForSelector("text=2 outs");
  await tap(page, "K");
  await page.waitForSelector("#our-turn");
  await page.click('button[aria-label="Runs this inning: one more"]');
  await scoreShown(page, "4–1");
  await page.click("#our-turn");
  await page.waitForFunction(() => document.querySelector("#up")?.textContent.includes("Hale"));
  for (const result of ["OUT", "2B", "OUT", "2B", "OUT"]) await tap(page, result);
  await page.waitForSelector("#our-turn");
  await settled(page, nora, gameId);
  await scoreShown(page, "5–1");
  // An earlier at-bat was wrong: Evans reached on an error, and back again.
  await page.click('button:has-text("Plays")');
  await page.click('.hacktracker-play:has-text("Evans")');
  await page.selectOption('dialog [data-key="result"]', "E");
  await picture(page, "hacktracker-story-correction");
  await page.click('dialog button:has-text("Save")');
  await page.waitForSelector('.hacktracker-inning:has-text("Inning 1") .hacktracker-issue');
  await soon.match(() => page.textContent('.hacktracker-inning:has-text("Inning 1") h3'), /5 runs.*! 2 outs/);
  await picture(page, "hacktracker-story-issue");
  await page.click('.hacktracker-inning:has-text("Inning 1") .hacktracker-play:has-text("Evans")');
  await page.selectOption('dialog [data-key="result"]', "OUT");
  await page.click('dialog button:has-text("Save")');
  await page.waitForFunction(() => !document.querySelector(".hacktracker-issue"));
  await scoreShown(page, "5–1");

  // The box score and the line score.
  await page.click(".hacktracker-bar-back");
  await page.waitForSelector(".hacktracker-box");
  const cells = (name) => page.locator(`.hacktracker-box tr:has-text("${name}") td`).allTextContents();
  await soon.deepEqual(() => cells("Ortiz"), ["2", "1", "1", "0", "0", "0"]);
  await soon.deepEqual(() => cells("Fry"), ["1", "1", "1", "2", "0", "0"]);
  await soon.deepEqual(() => cells("Ives"), ["1", "1", "1", "0", "0", "0"]);
  await soon.deepEqual(() => page.locator(".hacktracker-line-score tr:has-text('Copper Kettles') td.is-total").allTextContents(), ["5", "5", "1"]);
  await picture(page, "hacktracker-story-box");
  // A player's spray chart, with a table for screen readers.
  await page.click('.hacktracker-box a:has-text("Ortiz")');
  await page.waitForSelector("#spray .hacktracker-mark.is-hit");
  await soon.equal(() => page.locator("#spray .hacktracker-field > .hacktracker-mark").count(), 1);
  await soon.match(() => page.textContent("#spray tbody"), /Left field11/);
  await soon.deepEqual(() => page.locator(".hacktracker-averages dd").allTextContents(), [".500", ".500", ".500", "1.000"]);
  await picture(page, "hacktracker-story-player");
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("case 05 and 09: an inning by taps, and undo", async () => {
  const owner = await person("Omar");
  const { game, path } = await gameOf(owner);
  const context = await browserOf(owner);
  const page = await open(context, path);
  await playCase5(page);
  await page.waitForSelector('h2:has-text("Night Owls bat")');
  const view = await settled(page, owner, game.gameId, game.revision + 7);
  assert.deepEqual(view.atBats.map((atBat) => atBat.rbis), [0, 0, 1, 1, 0, 2, 0]);
  assert.deepEqual(view.atBats.map((atBat) => atBat.outs), [0, 0, 0, 0, 1, 2, 2]);
  assert.deepEqual(view.atBats.map((atBat) => atBat.scored), [true, true, true, false, false, true, false]);
  await scoreShown(page, "4–0");
  await page.click("#undo");
  await page.waitForFunction(() => document.querySelector("#up")?.textContent.includes("Gray"));
  await soon.match(() => page.textContent("#bar"), /T1.*2 outs.*4–0/);
  await tap(page, "K");
  const again = await settled(page, owner, game.gameId, view.game.revision + 2);
  const bare = ({ atBats }) => atBats.map(({ atBatId, createdAt, updatedAt, moves, ...rest }) => ({ ...rest, moves: moves.map(({ from, to }) => ({ from, to })) }));
  assert.deepEqual(bare(again), bare(view));
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("case 06 and 07: corrections on the page, and what is wrong in the book", async () => {
  const owner = await person("Omar");
  const { game, team, path } = await gameOf(owner);
  for (const result of ["1B", "BB", "2B", "SAC", "OUT", "HR", "K"]) await score(owner, game.gameId, "POST", "atbats", { result });
  const context = await browserOf(owner);
  // The live page leads to the correction.
  const page = await open(context, `${BASE}/game/${game.gameId}`);
  const correct = async (name, result) => {
    await page.click(`.hacktracker-play:has-text("${name}")`);
    await page.waitForSelector("dialog[open]");
    await page.selectOption('dialog [data-key="result"]', result);
    await page.click('dialog button:has-text("Save")');
    // It opened again when its entry of the history was removed.
    await page.waitForFunction(() => !document.querySelector("dialog") && !history.state?.dialogs);
    assert.equal(new URL(page.url()).hash, "");
    await page.goto(`${address}${BASE}/game/${game.gameId}`);
    await page.waitForSelector(".hacktracker-box");
  };
  const average = async () => (await owner.call("GET", `/teams/${team.teamId}/stats`)).line.avg;
  await correct("Evans", "E");
  await page.waitForSelector('.hacktracker-issue-link:has-text("Inning 1 has 2 outs")');
  await soon.match(() => page.textContent("#big-score"), /5/);
  await soon.equal(() => average(), ".600");
  await correct("Evans", "OUT");
  await soon.equal(() => page.locator(".hacktracker-issue-link").count(), 0);
  await correct("Ortiz", "OUT");
  await page.waitForSelector('.hacktracker-issue-link:has-text("Inning 1 has 4 outs")');
  await soon.match(() => page.textContent("#big-score"), /3/);
  await soon.equal(() => average(), ".400");
  assert.deepEqual(page.faults, []);
  await context.close();
  assert.ok(path);
});

test("case 08: a missed at-bat is inserted on the page", async () => {
  const owner = await person("Omar");
  const { game, path } = await gameOf(owner, { names: ["Ortiz", "Cho", "Dunn", "Evans", "Fry", "Bell"] });
  for (const result of ["1B", "2B", "OUT", "OUT", "OUT"]) await score(owner, game.gameId, "POST", "atbats", { result });
  const context = await browserOf(owner, DESK);
  const page = await open(context, path);
  await page.click('button[aria-label="Add a missed at-bat after Ortiz, inning 1"]');
  await page.selectOption('dialog [data-key="batter"]', { label: "#6 Kit Bell" });
  await page.selectOption('dialog [data-key="result"]', "BB");
  await page.click('dialog button:has-text("Insert")');
  await page.waitForSelector('.hacktracker-play:has-text("Bell")');
  await scoreShown(page, "1–0");
  const { atBats, lineScore } = await owner.call("GET", `/games/${game.gameId}`);
  assert.deepEqual(atBats.map((atBat) => [atBat.result, atBat.rbis]), [["1B", 0], ["BB", 0], ["2B", 1], ["OUT", 0], ["OUT", 0], ["OUT", 0]]);
  assert.equal(lineScore.leftOnBase, 2);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("cases 10 to 13: the runner strip proposes and takes corrections", async () => {
  const owner = await person("Omar");
  const { game, path } = await gameOf(owner);
  const context = await browserOf(owner);
  const page = await open(context, path);
  // Case 11: a runner on first, no outs, and a double play.
  await tap(page, "1B");
  await page.click('[data-result="OUT"]');
  await page.click('button:has-text("Double play")');
  await soon.equal(() => page.textContent('[data-value="rbis"]'), "0");
  await page.click('.hacktracker-strip button:has-text("Save")');
  await page.waitForSelector("text=2 outs");
  // A sacrifice is impossible with two outs.
  await soon.ok(() => page.isDisabled('[data-result="SAC"]'));
  // Case 13: a dropped third strike. With details the strip is there with empty bases too.
  await page.check("#details");
  await page.click('[data-result="K"]');
  await page.locator('.hacktracker-moves:has-text("Batter") input[value="1"]').check({ force: true });
  await page.click('.hacktracker-strip button:has-text("Save")');
  await page.waitForSelector('.hacktracker-runner.is-on-1:has-text("Cho")');
  await page.waitForSelector("text=2 outs");
  await page.uncheck("#details");
  await tap(page, "2B");
  // Case 12: runners on second and third, two outs, both home, and the batter is out.
  await page.waitForSelector(".hacktracker-runner.is-on-3");
  await page.waitForSelector(".hacktracker-runner.is-on-2");
  await page.click('[data-result="1B"]');
  await page.locator('.hacktracker-moves:has-text("Dunn") input[value="4"]').check({ force: true });
  await page.locator('.hacktracker-moves:has-text("Batter") input[value="0"]').check({ force: true });
  await soon.equal(() => page.textContent('[data-value="rbis"]'), "2");
  await page.click('.hacktracker-strip button:has-text("Save")');
  await page.waitForSelector("#our-turn");
  await scoreShown(page, "2–0");
  await page.click("#our-turn");
  // Case 10: bases loaded, one out.
  for (const result of ["1B", "BB", "BB", "OUT"]) await tap(page, result);
  await page.click('[data-result="FC"]');
  await soon.equal(() => page.textContent('[data-value="rbis"]'), "1");
  await page.click('.hacktracker-strip button:has-text("Cancel")');
  await page.click('[data-result="BB"]');
  await soon.equal(() => page.textContent('[data-value="rbis"]'), "1");
  await page.click('.hacktracker-strip button:has-text("Save")');
  await scoreShown(page, "3–0");
  const { atBats } = await settled(page, owner, game.gameId);
  assert.deepEqual(atBats.filter((atBat) => atBat.inning === 1).map((atBat) => [atBat.result, atBat.outs, atBat.rbis]), [["1B", 0, 0], ["OUT", 0, 0], ["K", 2, 0], ["2B", 2, 0], ["1B", 2, 2]]);
  assert.equal(atBats.at(-1).rbis, 1);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("runners move between at-bats, and that is undone too", async () => {
  const owner = await person("Omar");
  const { game, path } = await gameOf(owner);
  const context = await browserOf(owner);
  const page = await open(context, path);
  await tap(page, "1B");
  await page.click('button[aria-label="Kit Ortiz on first: move"]');
  await page.click('dialog button:has-text("Save")');
  await page.waitForSelector("text=Nobody moves yet.");
  await page.locator('dialog .hacktracker-moves input[value="2"]').check({ force: true });
  await page.click('dialog button:has-text("Save")');
  await page.waitForSelector(".hacktracker-runner.is-on-2");
  const { atBats } = await settled(page, owner, game.gameId, game.revision + 2);
  assert.deepEqual(atBats[0].moves.at(-1), { atBatId: atBats[0].atBatId, from: 1, to: 2, how: "SB" });
  await page.waitForFunction(() => document.querySelector("#undo")?.textContent === "Undo SB");
  await page.click("#undo");
  await page.waitForSelector(".hacktracker-runner.is-on-1");
  // Caught stealing: the same batter is still up.
  await page.click(".hacktracker-runner.is-on-1");
  await page.locator('dialog .hacktracker-moves input[value="0"]').check({ force: true });
  await page.selectOption("dialog select", "CS");
  await page.click('dialog button:has-text("Save")');
  await page.waitForSelector("text=1 out");
  await soon.match(() => page.textContent("#up"), /Bell/);
  await settled(page, owner, game.gameId);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("case 16: their runs and the change of halves", async () => {
  const owner = await person("Omar");
  const { game, path } = await gameOf(owner);
  const bat = async (...results) => { for (const result of results) await score(owner, game.gameId, "POST", "atbats", { result }); };
  const turn = async (inning, runs, next) => {
    await score(owner, game.gameId, "PUT", `opponent/${inning}`, { runs });
    if (next) await score(owner, game.gameId, "PUT", "half", next);
  };
  await bat("1B", "BB", "2B", "SAC", "OUT", "HR", "K");
  await turn(1, 1, { inning: 2, half: "TEAM" });
  await bat("K", "K", "K");
  await turn(2, 3, { inning: 3, half: "TEAM" });
  await bat("HR", "HR", "K", "K", "K");
  const context = await browserOf(owner);
  const page = await open(context, path);
  await scoreShown(page, "6–4");
  await soon.match(() => page.textContent("#bar"), /B3/);
  for (let runs = 1; runs <= 3; runs += 1) await page.click('button[aria-label="Runs this inning: one more"]');
  await scoreShown(page, "6–7");
  await page.click("#our-turn");
  await page.waitForSelector("#field");
  await soon.match(() => page.textContent("#bar"), /T4/);
  const { game: after } = await settled(page, owner, game.gameId);
  assert.deepEqual([after.teamRuns, after.opponentRuns, after.state.inning, after.state.half], [[4, 0, 2, 0], [1, 3, 3], 4, "TEAM"]);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("case 17: the end is proposed and not forced", async () => {
  const owner = await person("Omar");
  const { game, path } = await gameOf(owner, { homeAway: "HOME", regulationInnings: 1 });
  await score(owner, game.gameId, "PUT", "opponent/1", { runs: 1 });
  await score(owner, game.gameId, "PUT", "half", { inning: 1, half: "TEAM" });
  await score(owner, game.gameId, "POST", "atbats", { result: "HR" });
  const context = await browserOf(owner);
  const page = await open(context, path);
  await scoreShown(page, "1–1");
  await soon.equal(() => page.locator("text=Finish?").count(), 0);
  await tap(page, "HR");
  await page.waitForSelector('.notice:has-text("Finish?")');
  await scoreShown(page, "2–1");
  const { game: still } = await settled(page, owner, game.gameId);
  assert.equal(still.status, "IN_PROGRESS");
  await picture(page, "hacktracker-finish");
  await page.click('.notice button:has-text("Finish game")');
  await page.click('dialog button:has-text("Finish game")');
  await page.waitForURL(/\/hacktracker\/game\//);
  await page.waitForSelector("text=Won");
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("case 18: two phones record at once, and the second one decides", async () => {
  const owner = await person("Skye");
  const { game, path } = await gameOf(owner);
  const [one, other] = [await browserOf(owner), await browserOf(owner)];
  // The second phone receives the play of the first too late.
  await other.route("**/events", (route) => route.abort());
  const first = await open(one, path);
  const second = await open(other, path);
  second.expected = () => true;
  await second.waitForSelector("#field");
  await first.waitForSelector("#field");
  await tap(first, "OUT");
  await settled(first, owner, game.gameId, game.revision + 1);
  await tap(second, "1B");
  await second.waitForSelector(".notice.bad");
  await soon.match(() => second.textContent(".notice.bad"), /Skye recorded OUT for Kit Ortiz\. Yours was not saved: 1B for Kit Ortiz\./);
  // The next batter has changed, and the button names the new one.
  await second.waitForSelector('button:has-text("Record as next: 1B for Bell")');
  await picture(second, "hacktracker-moved-on");
  await soon.equal(async () => (await owner.call("GET", `/games/${game.gameId}`)).atBats.length, 1);
  await second.click('button:has-text("Record as next")');
  const view = await settled(second, owner, game.gameId, game.revision + 2);
  assert.deepEqual(view.atBats.map((atBat) => atBat.result), ["OUT", "1B"]);
  assert.equal(view.game.revision, game.revision + 2);
  // The first phone hears of it.
  await first.waitForSelector('.hacktracker-runner:has-text("Bell")');
  // And once more, given up.
  await tap(first, "K");
  await settled(first, owner, game.gameId, game.revision + 3);
  await tap(second, "HR");
  await second.click('button:has-text("Drop mine")');
  await second.waitForSelector("text=2 outs");
  await soon.equal(async () => (await owner.call("GET", `/games/${game.gameId}`)).atBats.length, 3);
  assert.deepEqual(first.faults, []);
  await one.close();
  await other.close();
});

test("case 19: plays wait without a connection, and are sent once and in order", async () => {
  const owner = await person("Skye");
  const { game, path } = await gameOf(owner);
  const context = await browserOf(owner);
  const page = await open(context, path);
  page.expected = () => true;
  await page.waitForSelector("#field");
  await context.setOffline(true);
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await tap(page, "1B");
  await tap(page, "2B");
  await tap(page, "OUT");
  await page.waitForSelector('text=3 plays waiting');
  // The page continues from the expected state.
  await page.waitForFunction(() => document.querySelector("#up")?.textContent.includes("Dunn"));
  await soon.match(() => page.textContent("#bar"), /1 out/);
  await picture(page, "hacktracker-offline");
  await soon.equal(async () => (await owner.call("GET", `/games/${game.gameId}`)).atBats.length, 0);
  // Every request arrives twice.
  await page.route("**/atbats", async (route) => {
    const first = await route.fetch();
    const second = await route.fetch();
    assert.deepEqual(await second.json(), await first.json());
    await route.fulfill({ response: second });
  });
  await context.setOffline(false);
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  const view = await settled(page, owner, game.gameId, game.revision + 3);
  assert.deepEqual(view.atBats.map((atBat) => atBat.result), ["1B", "2B", "OUT"]);
  assert.equal(view.game.revision, game.revision + 3);
  await page.waitForFunction(() => !document.querySelector("#waiting"));
  await context.close();
});

test("plays wait while the scorer is signed out, and are sent after signing in", async () => {
  const owner = await person("Skye");
  const { game, path } = await gameOf(owner);
  const context = await browserOf(owner);
  const page = await open(context, path);
  page.expected = () => true;
  await page.waitForSelector("#field");
  const signIn = async () => page.evaluate(async (text) => (await import("/assets/session.js")).token.keep(text), await owner.signIn());
  // The server does not take the token any more.
  await page.route("**/atbats", (route) => route.fulfill({ status: 401, contentType: "application/problem+json", body: JSON.stringify({ code: "unauthenticated", status: 401, title: "Unauthorized" }) }));
  await tap(page, "HR");
  await tap(page, "K");
  await page.waitForSelector("text=2 plays waiting. Sign in to send them.");
  await soon.equal(() => page.locator('.notice.bad a:has-text("Sign in")').count(), 1);
  await soon.equal(() => page.locator('button:has-text("Drop mine")').count(), 0);
  await page.unroute("**/atbats");
  await signIn();
  await settled(page, owner, game.gameId, game.revision + 2);
  await page.waitForFunction(() => !document.querySelector(".notice.bad"));
  // The token expires while the scorer continues.
  await page.evaluate(() => {
    const [head, body, signature] = localStorage.getItem("singlet.token").split(".");
    const claims = JSON.parse(atob(body.replace(/-/g, "+").replace(/_/g, "/")));
    localStorage.setItem("singlet.token", [head, btoa(JSON.stringify({ ...claims, exp: 1 })).replace(/=+$/, ""), signature].join("."));
  });
  await tap(page, "1B");
  await page.waitForSelector("text=1 play waiting. Sign in to send them.");
  await signIn();
  const view = await settled(page, owner, game.gameId, game.revision + 3);
  assert.deepEqual(view.atBats.map((atBat) => atBat.result), ["HR", "K", "1B"]);
  await context.close();
});

test("what the same person has entered on another device is not taken for one's own", async () => {
  const owner = await person("Skye");
  const { game, path } = await gameOf(owner, { homeAway: "HOME" });
  const context = await browserOf(owner);
  await context.route("**/events", (route) => route.abort());
  const page = await open(context, path);
  page.expected = () => true;
  await page.waitForSelector("#our-turn");
  await score(owner, game.gameId, "PUT", "opponent/1", { runs: 2 });
  await page.click('button[aria-label="Runs this inning: one more"]');
  await page.waitForSelector(".notice.bad");
  await soon.match(() => page.textContent(".notice.bad"), /Yours was not saved/);
  await page.click('button:has-text("Record as next")');
  const view = await settled(page, owner, game.gameId, game.revision + 2);
  assert.deepEqual(view.game.opponentRuns, [1]);
  await context.close();
});

test("case 20 and 21: substitutes keep the slot, and a game needs a lineup", async () => {
  const owner = await person("Omar");
  const { game } = await gameOf(owner, { start: false });
  const context = await browserOf(owner);
  const page = await open(context, `${BASE}/game/${game.gameId}`);
  page.expected = (text) => text.includes("409");
  await page.click('#actions button:has-text("Start game")');
  await page.waitForSelector(".problem");
  await soon.match(() => page.textContent(".problem"), /lineup/i);
  for (const name of NINE.slice(0, 8)) await page.click(`.hacktracker-bench button:has-text("${name}")`);
  await page.click('#actions button:has-text("Start game")');
  await page.waitForURL(/\/hacktracker\/score\//);
  await page.waitForSelector("#field");
  await tap(page, "OUT");
  await tap(page, "OUT");
  await page.waitForFunction(() => document.querySelector("#up")?.textContent.includes("Cho"));
  await settled(page, owner, game.gameId);
  await page.click("#now [data-key=batter]");
  await page.click('dialog a:has-text("Substitute")');
  await page.waitForSelector("#lineup:not([hidden])");
  await page.click('button[aria-label="Replace Kit Cho or take them out"]');
  await page.click('dialog button:has-text("Ives")');
  await page.click('button:has-text("Save lineup")');
  await page.waitForSelector('.hacktracker-lineup li:nth-child(3):has-text("Ives") .badge:has-text("up")');
  const { game: after } = await owner.call("GET", `/games/${game.gameId}`);
  assert.equal(after.state.nextBattingOrder, 3);
  assert.equal(after.lineup.length, 8);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("a game without at-bats is deleted in its form, and one with at-bats is not", async () => {
  const owner = await person("Omar");
  const { game, team } = await gameOf(owner, { start: false });
  const context = await browserOf(owner);
  const page = await open(context, `${BASE}/game/${game.gameId}`);
  await page.click('#actions button:has-text("Edit")');
  await page.click('dialog button:has-text("Delete game")');
  await page.click("dialog[role=alertdialog] button.danger");
  await page.waitForURL((url) => url.pathname === `${BASE}/team/${team.teamId}`);
  await assert.rejects(owner.call("GET", `/games/${game.gameId}`), { code: "game-not-found" });
  const other = await gameOf(owner);
  await score(owner, other.game.gameId, "POST", "atbats", { result: "1B" });
  await page.goto(`${address}${BASE}/game/${other.game.gameId}`);
  await page.click('#actions button:has-text("Edit")');
  await page.waitForSelector('dialog button:has-text("Save")');
  await soon.equal(() => page.locator('dialog button:has-text("Delete game")').count(), 0);
  await assert.rejects(owner.call("DELETE", `/games/${other.game.gameId}`), { code: "game-has-at-bats" });
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("case 22: a deleted team is recovered from my teams, and careers keep its at-bats", async () => {
  const owner = await person("Nora");
  const { game, team, ids } = await gameOf(owner, { names: ["Ortiz", "Bell", "Cho", "Dunn"] });
  const { userId } = await owner.call("GET", "/users/me");
  await owner.call("PUT", `/teams/${team.teamId}/players/${ids[0]}/link`, { userId });
  for (let round = 0; round < 6; round += 1) for (let batter = 0; batter < 4; batter += 1) await score(owner, game.gameId, "POST", "atbats", { result: "HR" });
  const context = await browserOf(owner);
  const page = await open(context, `${BASE}/team/${team.teamId}`);
  await page.click("#manage");
  await page.click('dialog button:has-text("Delete team")');
  await page.click('dialog[role=alertdialog] button.danger');
  await page.waitForURL((url) => url.pathname === BASE);
  await page.waitForSelector("#deleted:not([hidden])");
  await soon.match(() => page.textContent("#deleted"), new RegExp(`${team.name} until`));
  const gone = await open(context, `${BASE}/team/${team.teamId}`);
  gone.expected = () => true;
  await gone.waitForSelector('h1:has-text("Team deleted")');
  const career = await open(context, `${BASE}/me`);
  await career.waitForSelector(`#teams tr:has-text("${team.name} (deleted)")`);
  await soon.equal(() => career.textContent('.hacktracker-counts div:has-text("Plate app.") dd'), "6");
  // A game of a deleted team cannot be opened.
  await soon.equal(() => career.locator("#games-content a").count(), 0);
  assert.deepEqual(career.faults, []);
  await page.click(`button[aria-label="Recover ${team.name}"]`);
  await page.waitForSelector(`.hacktracker-team:has-text("${team.name}")`);
  await page.waitForSelector("#deleted[hidden]", { state: "attached" });
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("case 23: a watcher sees plays as they happen, and again after a lost connection", async () => {
  const owner = await person("Omar");
  const { game } = await gameOf(owner);
  const context = await browserOf(owner, DESK);
  const page = await open(context, `${BASE}/game/${game.gameId}`);
  page.expected = () => true;
  await page.waitForSelector("#updated:not(:empty)");
  await soon.match(() => page.textContent("#updated"), /^Last update \d\d:\d\d$/);
  await score(owner, game.gameId, "POST", "atbats", { result: "HR" });
  await page.waitForSelector('.hacktracker-play:has-text("Ortiz")');
  await page.waitForFunction(() => document.querySelector("[data-announce=polite]")?.textContent === "Ortiz: home run, 1 RBI. 1 to 0");
  await context.setOffline(true);
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await page.waitForSelector(".connection-bar:not(:empty)");
  await soon.match(() => page.textContent(".connection-bar"), /Connection lost\. Last update/);
  for (const result of ["1B", "2B", "K", "OUT"]) await score(owner, game.gameId, "POST", "atbats", { result });
  await context.setOffline(false);
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await page.waitForSelector('.hacktracker-play:has-text("Evans")');
  await soon.deepEqual(() => page.locator(".hacktracker-result").allTextContents(), ["HR", "1B", "2B", "K", "OUT"]);
  await context.close();
});

test("case 24: zones of the field", async () => {
  const owner = await person("Omar");
  const { game, path } = await gameOf(owner);
  const context = await browserOf(owner);
  const page = await open(context, path);
  const zones = await page.evaluate(async () => {
    const { zoneList, zoneName } = await import("/hacktracker/field.js");
    return { tapped: [zoneName({ x: 0.22, y: 0.45 }), zoneName({ x: 0.5, y: 0.1 }), zoneName({ x: 0.5, y: 0.8 }), zoneName({ x: 0.05, y: 0.9 })], listed: zoneList().map(({ name }) => name) };
  });
  assert.deepEqual(zones.tapped, ["Left field", "Over the fence, centre", "Centre infield", "Foul, left"]);
  // Each place of the list is in the zone that it names, and no name is there twice.
  assert.equal(new Set(zones.listed).size, 17);
  await assert.rejects(score(owner, game.gameId, "POST", "atbats", { result: "1B", hitLocation: { x: 1.2, y: 0.5 } }), { status: 422 });
  await context.close();
});

test("case 04: a ghost is invited, and becomes somebody's player and career", async () => {
  const owner = await person("Omar");
  const { game, team, ids } = await gameOf(owner, { names: ["Falk", "Bell", "Cho", "Dunn"] });
  for (let round = 0; round < 5; round += 1) for (let batter = 0; batter < 4; batter += 1) await score(owner, game.gameId, "POST", "atbats", { result: batter ? "BB" : "HR" });
  const context = await browserOf(owner, { ...DESK, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await open(context, `${BASE}/team/${team.teamId}`);
  await page.click('button[aria-label="Invite Kit Falk"]');
  await page.waitForSelector('dialog:has-text("copied")');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /\/hacktracker\/join\//);
  const kim = await person("Kim");
  const other = await browserOf(kim);
  const joining = await open(other, new URL(link).pathname);
  await joining.waitForSelector('button:has-text("Join as Kit Falk")');
  await soon.match(() => joining.textContent("main"), /invite you as player.*Not you\? Ask Omar Tester/s);
  await picture(joining, "hacktracker-join");
  await joining.click("#join");
  await joining.waitForURL(/\/hacktracker\/team\//);
  await joining.waitForSelector('.hacktracker-roster li:has-text("Falk") .badge:has-text("you")');
  await joining.goto(`${address}${BASE}/me`);
  await joining.waitForSelector(".hacktracker-counts");
  await soon.equal(() => joining.textContent('.hacktracker-counts div:has-text("Plate app.") dd'), "5");
  // The code is used up.
  const late = await open(other, new URL(link).pathname);
  late.expected = () => true;
  await late.waitForSelector('h1:has-text("Invite not found")');
  await owner.call("DELETE", `/teams/${team.teamId}/players/${ids[0]}/link`);
  await joining.reload();
  await joining.waitForFunction(() => document.querySelector(".hacktracker-counts dd")?.textContent === "0");
  for (const one of [page, joining]) assert.deepEqual(one.faults, []);
  await context.close();
  await other.close();
});

test("a game of one's own has steppers and no runners", async () => {
  const stella = await person("Stella");
  const { items } = await stella.call("GET", "/users/me/teams");
  const personal = items.find((team) => team.team_type === "PERSONAL");
  const context = await browserOf(stella);
  const page = await open(context, `${BASE}/team/${personal.teamId}#games`);
  await page.click('#games button:has-text("+ Game")');
  await page.fill('dialog input[name="opponentName"]', "Pick-up");
  await page.click('dialog button:has-text("Create game")');
  await page.waitForURL(/\/hacktracker\/game\//);
  await page.click('#actions button:has-text("Start game")');
  await page.waitForURL(/\/hacktracker\/score\//);
  await page.click('button[aria-label="Inning: one more"]');
  await page.click('button[aria-label="RBIs: one more"]');
  await page.check("#scored");
  await soon.equal(() => page.textContent("#my-line"), "No at-bats yet");
  await page.click('[data-result="2B"]');
  // The page confirms and counts each at-bat at once, to prevent double taps.
  await page.waitForSelector('#recorded:has-text("Double recorded.")');
  await soon.equal(() => page.textContent("#my-line"), "1 for 1");
  await page.click('[data-result="HR"]');
  await page.waitForSelector('#recorded:has-text("Home run recorded.")');
  await soon.match(() => page.textContent(".hacktracker-my-line"), /2 for 2 2 plate appearances · 2 RBIs · 2 runs/);
  await soon.deepEqual(() => page.locator(".hacktracker-my-line .hacktracker-result").allTextContents(), ["2B", "HR"]);
  const gameId = page.url().split("/").at(-1);
  const view = await settled(page, stella, gameId);
  assert.deepEqual(view.atBats.map(({ result, inning, rbis, scored }) => [result, inning, rbis, scored]), [["2B", 2, 1, true], ["HR", 2, 1, true]]);
  await picture(page, "hacktracker-personal");
  await soon.equal(() => page.textContent("#undo"), "Undo HR");
  await page.click("#undo");
  await page.waitForFunction(() => document.querySelector("#undo")?.textContent === "Undo 2B");
  await soon.equal(() => page.textContent("#my-line"), "1 for 1");
  await soon.equal(() => page.locator("#recorded").count(), 0);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("lines of players are read with all positions, and what cannot be read is said", () => {
  const read = (line) => {
    const [{ player, error, note }] = readLines(line);
    if (error) return error;
    return [player.playerNumber ?? null, player.firstName, player.lastName ?? null, player.positions.join(" "), ...(note ? [note] : [])];
  };
  for (const [line, expected] of [
    ["21 Kim Falk OF", [21, "Kim", "Falk", "OF"]],
    ["9 Jess Ray LF", [9, "Jess", "Ray", "LF"]],
    ["9 Jess Ray LF/CF", [9, "Jess", "Ray", "LF CF"]],
    ["#7 Nora Vance SS 2B", [7, "Nora", "Vance", "SS 2B"]],
    ["Lee CF/LF", [null, "Lee", null, "CF LF"]],
    ["Ann, OF", [null, "Ann", null, "OF"]],
    ["21, Kim Falk, OF, SS", [21, "Kim", "Falk", "OF SS"]],
    ["3 Rei Ito, 2B/SS", [3, "Rei", "Ito", "2B SS"]],
    ["Bo 2B, SS", [null, "Bo", null, "2B SS"]],
    ["kim lcf / rcf", [null, "kim", null, "LC RC"]],
    ["7. Nora Vance", [7, "Nora", "Vance", ""]],
    ["0 Zoe", [0, "Zoe", null, ""]],
    ["5 Jo van der Berg EH", [5, "Jo", "van der Berg", "EH"]],
    ["Ann LF LF", [null, "Ann", null, "LF"]],
    ["JESS RAY", [null, "JESS", "RAY", ""]],
    ["9 Jess Ray QB", [9, "Jess", "Ray QB", "", "“QB” is not a position, so it is part of the name."]],
    ["100 Big Number", "100 is not a number from 0 to 99."],
    ["Lee CF/QB", "“QB” is not a position."],
    ["Falk, Kim", "“Kim” is not a position."],
    ["9 LF", "There is no name."],
    ["12", "There is no name."],
    ["1 Al P C 1B 2B 3B SS", "6 positions are too many: up to 5."],
    [`${"x".repeat(51)} Ray`, "A name has up to 50 characters."],
  ]) assert.deepEqual(read(line), expected, line);
  // Line numbers count blank lines.
  const lines = readLines("21 Kim\n\n21 Lou\n7 Nora", new Map([[7, "Omar Reyes"]]));
  assert.deepEqual(lines.map(({ line, error }) => [line, error]), [[1, null], [3, "Number 21 is on line 1 too."], [4, "Number 7 is taken by Omar Reyes."]]);
  const many = readLines(Array.from({ length: 26 }, (_, index) => `Kit ${index}x`).join("\n"));
  assert.deepEqual(many.filter(({ error }) => error).map(({ line }) => line), [26]);
});

test("adding players shows how each line was read before it is saved", async () => {
  const owner = await person("Omar");
  const { team } = await gameOf(owner, { names: ["Ortiz"], start: false });
  const context = await browserOf(owner);
  const page = await open(context, `${BASE}/team/${team.teamId}`);
  await page.fill('textarea[name="lines"]', "9 Jess Ray LF/CF\n100 Big Number\nAnn, OF\n1 Lou Hart");
  const rows = () => page.locator("#preview tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  await soon.deepEqual(() => rows(), [
    ["1", "9", "Jess", "Ray", "LF CF"],
    ["2", "100 is not a number from 0 to 99."],
    ["3", "–", "Ann", "–", "OF"],
    ["4", "Number 1 is taken by Kit Ortiz."],
  ]);
  await picture(page, "hacktracker-preview");
  await page.click('#roster button:has-text("Add players")');
  await page.waitForSelector(".field-error");
  await soon.match(() => page.textContent(".field-error"), /Line 2: 100 is not a number.*Line 4: Number 1 is taken/);
  await soon.equal(() => page.locator(".hacktracker-roster li").count(), 1);
  await page.fill('textarea[name="lines"]', "9 Jess Ray LF/CF\nAnn, OF");
  await page.click('#roster button:has-text("Add players")');
  await page.waitForFunction(() => document.querySelectorAll(".hacktracker-roster li").length === 3);
  await soon.match(() => page.textContent('.hacktracker-roster li:has-text("Jess Ray")'), /LF CF/);
  await soon.equal(() => page.locator("#preview tbody tr").count(), 0);
  // A manager gave the number after the page was read.
  await owner.call("POST", `/teams/${team.teamId}/players`, { players: [{ firstName: "Kim", playerNumber: 33 }] });
  page.expected = (text) => text.includes("409");
  await page.fill('textarea[name="lines"]', "34 Ann Ray\n\n33 Bo Ray");
  await page.click('#roster button:has-text("Add players")');
  await soon.match(() => page.textContent(".field-error"), /^Line 3: Number 33 is taken/);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("personal teams are labels: made, renamed, and filters of the career", async () => {
  const stella = await person("Stella");
  const context = await browserOf(stella);
  const page = await open(context, BASE);
  await page.selectOption('#new select[name="kind"]', "PERSONAL");
  await soon.ok(() => page.isHidden('#new input[name="playerNumber"]'));
  await page.fill('#new input[name="name"]', "Office league");
  await page.click('#new button:has-text("Create team")');
  await page.waitForURL(/\/hacktracker\/team\//);
  const office = page.url().split("/").at(-1).split("#")[0];
  await page.waitForSelector('h1:has-text("Office league")');
  await page.click("#manage");
  await page.fill('dialog input[name="name"]', "Works league");
  await page.click('dialog button:has-text("Save")');
  await page.waitForSelector('h1:has-text("Works league")');
  const { items } = await stella.call("GET", "/users/me/teams");
  const first = items.find((team) => team.name === "Personal Stats").teamId;
  for (const [team, seasonId, results] of [[first, "2026-fall", ["1B"]], [office, "2026-fall", ["HR", "K"]], [office, "2027-spring", ["BB", "2B", "OUT"]]]) {
    const { gameId } = await stella.call("POST", `/teams/${team}/games`, { seasonId });
    await score(stella, gameId, "POST", "start", {});
    for (const result of results) await score(stella, gameId, "POST", "atbats", { result, inning: 1 });
  }
  await page.goto(`${address}${BASE}/me`);
  const appearances = (count) => page.waitForFunction((expected) => [...document.querySelectorAll(".hacktracker-counts div")].find((one) => one.textContent.startsWith("Plate app."))?.querySelector("dd").textContent === expected, String(count));
  await appearances(6);
  await page.selectOption('[data-key="team"]', { label: "Works league" });
  await appearances(5);
  await page.selectOption('[data-key="season"]', "2026-fall");
  await appearances(2);
  await soon.equal(() => page.locator("#games-content tbody tr").count(), 1);
  await picture(page, "hacktracker-career-filtered");
  await page.selectOption('[data-key="team"]', "");
  await appearances(3);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("admins list users, teams and games part by part, and nobody else does", async () => {
  const admin = await person("Ada", { groups: ["Admin"] });
  const context = await browserOf(admin, DESK);
  const page = await open(context, BASE);
  await page.click('a:has-text("Admin")');
  await page.waitForURL(/\/hacktracker\/admin/);
  await page.waitForSelector("#users tbody tr");
  for (const list of ["teams", "games"]) {
    await page.click(`.tabs a[href="#${list}"]`);
    await page.waitForSelector(`#${list} tbody tr`);
    // Other tests leave behind many teams.
    const more = page.locator(`#${list} button.more`);
    const before = await page.locator(`#${list} tbody tr`).count();
    if (await more.isVisible()) {
      await more.click();
      await page.waitForFunction(([id, count]) => document.querySelectorAll(`#${id} tbody tr`).length > count, [list, before]);
    }
  }
  await picture(page, "hacktracker-admin");
  await soon.equal(() => page.locator("main form, main input").count(), 0);
  assert.deepEqual(page.faults, []);
  const stranger = await browserOf(await person("Stella"));
  const refused = await open(stranger, `${BASE}/admin`);
  refused.expected = () => true;
  await refused.waitForSelector('h1:has-text("Forbidden")');
  await refused.goto(`${address}${BASE}`);
  await refused.waitForSelector(".hacktracker-team");
  await soon.ok(() => refused.isHidden("#admin"));
  await stranger.close();
  await context.close();
});

test("players see no controls of scorers, and strangers no team", async () => {
  const owner = await person("Omar");
  const { game, team, ids } = await gameOf(owner);
  await score(owner, game.gameId, "POST", "atbats", { result: "1B" });
  const { code } = await owner.call("POST", `/teams/${team.teamId}/invites`, { role: "player", playerId: ids[1] });
  const pia = await person("Pia");
  await pia.call("POST", `/teams/${team.teamId}/invites/${code}/accept`);
  const context = await browserOf(pia);
  const page = await open(context, `${BASE}/game/${game.gameId}`);
  await page.waitForSelector(".hacktracker-box");
  await soon.equal(() => page.locator("#actions button, #actions a, a.hacktracker-play").count(), 0);
  // The scoring page sends players to the live one.
  await page.goto(`${address}${BASE}/score/${game.gameId}`);
  await page.waitForURL(/\/hacktracker\/game\//);
  await page.goto(`${address}${BASE}/team/${team.teamId}`);
  await page.waitForSelector(".hacktracker-roster");
  await soon.equal(() => page.locator('button:has-text("Add players"), #manage:visible, button[aria-label^="Invite"]').count(), 0);
  await soon.equal(() => page.locator('button[aria-label^="Edit"]').count(), 1);
  assert.deepEqual(page.faults, []);
  const stranger = await browserOf(await person("Stella"));
  const refused = await open(stranger, `${BASE}/team/${team.teamId}`);
  refused.expected = () => true;
  await refused.waitForSelector('h1:has-text("Team not found")');
  await soon.equal(async () => (await refused.textContent("main")).match(/Team not found/g).length, 1);
  const visitor = await open(await browser.newContext(PHONE), `${BASE}/score/${game.gameId}`);
  await visitor.waitForSelector('a:has-text("Sign in")');
  assert.deepEqual(visitor.faults, []);
  await visitor.context().close();
  await stranger.close();
  await context.close();
});

// Regression: user ids are token subjects with % and # encoded, but the pages compared the two
// directly.
test("an owner whose subject has a # has an owner's controls", async () => {
  const owner = await person("100%#1");
  const { team } = await gameOf(owner, { start: false });
  const context = await browserOf(owner);
  const page = await open(context, `${BASE}/team/${team.teamId}#members`);
  await page.waitForSelector('.hacktracker-members li:has-text("(you)") button:has-text("Leave")');
  await page.waitForSelector("#manage");
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("the keyboard alone scores an at-bat, and markup in names is text", async () => {
  const owner = await person("Omar");
  const evil = "<img src=x onerror=1>";
  const { game, path } = await gameOf(owner, { names: [evil, "Bell", "Cho", "Dunn"], opponentName: evil });
  const context = await browserOf(owner, DESK);
  const page = await open(context, path);
  await page.waitForSelector("#field");
  await page.focus("#zone");
  await page.keyboard.type("Left f");
  await page.focus('[data-result="1B"]');
  await page.keyboard.press("Enter");
  await page.waitForSelector(".hacktracker-runner");
  // The focus is still on the pad.
  await soon.equal(() => page.evaluate(() => document.activeElement.dataset.result), "1B");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".hacktracker-strip");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  await soon.equal(() => page.evaluate(() => document.querySelector(".hacktracker-strip fieldset input:checked").value), "2");
  // The runner is forced to advance.
  await soon.equal(() => page.evaluate(() => document.querySelectorAll(".hacktracker-strip fieldset")[1].querySelector("input:checked").value), "3");
  await page.focus('.hacktracker-strip [data-key="save"]');
  await page.keyboard.press("Enter");
  const { atBats } = await settled(page, owner, game.gameId, game.revision + 2);
  await soon.deepEqual(async () => atBats[0].hitLocation && (await page.evaluate(async (location) => (await import("/hacktracker/field.js")).zoneName(location), atBats[0].hitLocation)), "Left field");
  assert.deepEqual(atBats[1].moves.map(({ from, to }) => [from, to]), [[0, 2], [1, 3]]);
  await soon.equal(() => page.locator("main img").count(), 0);
  assert.deepEqual(page.faults, []);
  await context.close();
});

/** Random numbers that are the same in every run. */
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A play that can happen here, often with runners who do not take the default. */
function randomPlay(random, state) {
  for (;;) {
    const result = rules.RESULTS[random(rules.RESULTS.length)];
    const hitType = rules.isBatted(result) && random(4) === 0 ? rules.HIT_TYPES[random(rules.HIT_TYPES.length)] : undefined;
    const places = [0, ...rules.occupied(state.bases)];
    const named = random(3) ? [] : places.filter(() => random(2)).map((from) => {
      const choices = from === 0 ? rules.batterChoices(result) : rules.runnerChoices(from);
      return { from, to: choices[random(choices.length)] };
    });
    const moves = rules.settle(named, rules.defaultMoves(result, { ...state, hitType }));
    if (!rules.problemWith(result, moves, { ...state, hitType })) return { result, ...(hitType ? { hitType } : {}), ...(named.length ? { moves: named } : {}) };
  }
}

test(`${RANDOM_GAMES} random games: the rules of the page and of the server agree`, async () => {
  // A team has at most a thousand games, and a person makes at most 5,000 changes at once.
  const teams = await Promise.all([0, 1, 2, 3].map(async () => {
    const owner = await person("Random");
    return { owner, ...await gameOf(owner, { start: false }) };
  }));
  let plays = 0;
  const playOne = async (seed) => {
    const { owner, team, ids } = teams[seed % teams.length];
    const random = generator(seed);
    const homeAway = random(2) ? "HOME" : "AWAY";
    let game = await owner.call("POST", `/teams/${team.teamId}/games`, { homeAway });
    game = game.game ?? game;
    const path = `/games/${game.gameId}`;
    ({ game } = await owner.call("PUT", `${path}/lineup`, { revision: game.revision, lineup: ids.slice(0, 4 + random(6)) }));
    ({ game } = await owner.call("POST", `${path}/start`, { revision: game.revision }));
    for (let step = 0; step < 8; step += 1) {
      let expected;
      let answer;
      const { state, revision } = game;
      const runners = rules.occupied(state.bases);
      const back = rules.previousHalf(state, game.homeAway);
      const { atBats } = await owner.call("GET", path);
      if (back && random(6) === 0 && (back.half === "OPPONENT" || rules.outsIn(atBats, back.inning) < 3)) {
        // Only the server can return to an unfinished half, so the rest is entered again.
        ({ game } = await owner.call("PUT", `${path}/half`, { revision, ...back }));
        plays += 1;
        continue;
      }
      if (state.half === "OPPONENT" || random(8) === 0) {
        const to = rules.nextHalf(state, game.homeAway);
        const isFresh = to.half === "TEAM" && !atBats.some((atBat) => atBat.inning === to.inning);
        const half = { ...to, ...(isFresh && random(3) === 0 ? { placedRunner: ids[random(4)] } : {}) };
        expected = rules.goToHalf(game, half, atBats);
        answer = await owner.call("PUT", `${path}/half`, { revision, ...half });
      } else if (runners.length && state.atBats && random(5) === 0) {
        const from = runners.at(-1);
        const moves = [{ from, to: [0, Math.min(4, from + 1)][random(2)] }];
        expected = rules.moveRunners(game, { moves });
        answer = await owner.call("POST", `${path}/runners`, { revision, moves, how: "OTHER" });
      } else {
        const play = randomPlay(random, state);
        const recorded = rules.recordAtBat(game, play, "new");
        answer = await owner.call("POST", `${path}/atbats`, { revision, ...play });
        const name = (id) => (id === "new" ? answer.atBat.atBatId : id);
        expected = { ...recorded.game, state: { ...recorded.game.state, bases: recorded.game.state.bases.map(name) } };
        const atBat = { ...recorded.atBat, moves: recorded.atBat.moves.map((move) => ({ ...move, atBatId: name(move.atBatId) })) };
        for (const key of ["playerId", "inning", "outs", "result", "rbis", "battingOrder", "sequence", "scored", "moves"]) {
          assert.deepEqual(answer.atBat[key], atBat[key], `seed ${seed}, step ${step}, ${JSON.stringify(play)}: ${key}`);
        }
      }
      plays += 1;
      for (const key of ["state", "teamRuns", "opponentRuns", "teamScore", "opponentScore", "atBatCount", "revision", "endedEarly", "placed"]) {
        assert.deepEqual(answer.game[key], expected[key], `seed ${seed}, step ${step}: ${key}`);
      }
      assert.equal(answer.game.finishProposed ?? rules.mayBeOver(answer.game), rules.mayBeOver(answer.game), `seed ${seed}, step ${step}: end`);
      game = answer.game;
    }
  };
  const seeds = Array.from({ length: RANDOM_GAMES }, (_, index) => index + 1);
  const worker = async () => { for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await playOne(seed); };
  await Promise.all(Array.from({ length: 8 }, worker));
  assert.equal(plays, RANDOM_GAMES * 8);
});

for (const screen of SCREENS) {
  test(`every view by the rules of axe-core and ours, ${screen.name}`, () => checkAllViews(browser, "hacktracker", screen));
}
