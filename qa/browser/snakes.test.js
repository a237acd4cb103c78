// Whole games, with one tab per player.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { ask, atRest, DESK, launch, open, PHONE, picture, soon, test } from "./browser.js";
import { checkPage, SCREENS } from "./checks.js";
import { layout } from "./snakes.views.js";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** Creates a game on the door page, and returns its code. */
async function create(page, name, mode = "turns") {
  await page.fill("#create-name", name);
  await page.check(`input[value=${mode}]`);
  await page.click("#create button");
  await page.waitForURL(/\/snakes\/play\//);
  await page.waitForSelector("#status .snakes-big-code");
  return page.textContent("#status .snakes-big-code");
}

async function join(page, name) {
  await page.waitForSelector("#join-name", { state: "visible" });
  await page.fill("#join-name", name);
  await page.click("#join-form button");
  await page.waitForSelector("#join", { state: "hidden" });
}

async function position(page, name) {
  const text = await page.textContent(`#players li:has-text("${name}") .square`);
  return text === "start" ? 0 : Number(text);
}

test("two tabs play from the first roll to the last square", async () => {
  const context = await browser.newContext(DESK);
  const ann = await open(context, "/snakes");
  await picture(ann, "door");
  const code = await create(ann, "Ann");
  await picture(ann, "waiting");
  // The second player types the code, in another tab of the same browser.
  const bob = await open(context, "/snakes");
  // The list shows which games wait for players.
  await bob.waitForSelector(`#open li:has-text("Ann"):has-text("${code}")`);
  await bob.fill("#join-code", code.toLowerCase());
  await bob.click("#join button");
  await bob.waitForURL(/\/snakes\/play\//);
  // This browser knows Ann's player; Bob can still join as a new one.
  await join(bob, "Bob");
  await ann.waitForSelector('#players li:has-text("Bob")');
  await soon.equal(() => ann.textContent("#player-count"), "2");
  await soon.equal(() => bob.locator("#start").count(), 0);
  await ann.click("#start");
  await ann.waitForSelector("#roll[aria-disabled=false]");
  await picture(ann, "begun");
  const tabs = [ann, bob];
  let rolls = 0;
  // The first rolls are animated; then animations are off so that the game ends soon.
  for (const tab of tabs) await tab.emulateMedia({ reducedMotion: "no-preference" });
  while (rolls < 600) {
    const tab = tabs[rolls % 2];
    await tab.waitForSelector("#end:not([hidden]), #roll[aria-disabled=false]", { state: "attached" });
    if (await tab.locator("#end:not([hidden])").count()) break;
    // With the mouse and with the keyboard.
    if (rolls % 4 < 2) await tab.click("#roll");
    else {
      await tab.evaluate(() => document.activeElement?.blur());
      await tab.keyboard.press("r");
    }
    rolls += 1;
    if (rolls === 5) for (const one of tabs) await one.emulateMedia({ reducedMotion: "reduce" });
    if (rolls === 12) await picture(tab, "playing");
    await tab.waitForFunction(() => document.querySelector("#roll").ariaDisabled === "true" || !document.querySelector("#end").hidden);
  }
  for (const tab of tabs) await tab.waitForSelector("#end:not([hidden])");
  await picture(ann, "won-ann");
  await picture(bob, "won-bob");
  const said = async () => (await Promise.all(tabs.map((tab) => tab.textContent("#status h2")))).sort().join(" / ");
  await soon.match(said, /^(Ann|Bob) won \/ You won!$/);
  // Both pages show the same positions.
  for (const name of ["Ann", "Bob"]) {
    await soon.deepEqual(async () => new Set(await Promise.all(tabs.map((tab) => position(tab, name)))).size, 1, name);
  }
  await soon.equal(async () => Math.max(...await Promise.all(["Ann", "Bob"].map((name) => position(ann, name)))), 100);
  for (const tab of tabs) assert.deepEqual(tab.faults, []);
  await context.close();
});

test("a reload goes on as the same player, and a lost connection comes back", async () => {
  const context = await browser.newContext(DESK);
  const ann = await open(context, "/snakes");
  const code = await create(ann, "Ann");
  const bob = await open(context, `/snakes/play/${code}`);
  await join(bob, "Bob");
  await bob.reload();
  await bob.waitForSelector('#players li:has-text("Bob (you)")');
  // Both are offline, and may try to reconnect meanwhile.
  for (const page of [ann, bob]) page.expected = (text) => text.startsWith("WebSocket connection to");
  await context.setOffline(true);
  await ann.evaluate(() => window.dispatchEvent(new Event("offline")));
  await context.setOffline(false);
  await ann.click("#start");
  await bob.waitForSelector("#turn:not([hidden])");
  await soon.equal(() => bob.textContent("#roll"), "Ann rolls");
  await soon.equal(() => bob.textContent("#status p"), "You are next.");
  // Ann may still be reconnecting.
  await ann.waitForFunction(() => document.title.startsWith("Your turn!"));
  await soon.match(() => bob.title(), /^Ann’s turn/);
  assert.deepEqual(bob.faults, []);
  await context.close();
});

test("the creator takes a player out, who may join again", async () => {
  const context = await browser.newContext(DESK);
  const ann = await open(context, "/snakes");
  const code = await create(ann, "Ann");
  const bob = await open(context, `/snakes/play/${code}`);
  await join(bob, "Bob");
  await soon.equal(() => bob.locator("#players button").count(), 0);
  await ann.click('#players li:has-text("Bob") button');
  await ann.click("dialog button.danger");
  await bob.waitForSelector("#join-form", { state: "visible" });
  await join(bob, "Bert");
  await ann.waitForSelector('#players li:has-text("Bert")');
  await soon.equal(() => ann.textContent("#player-count"), "2");
  for (const page of [ann, bob]) assert.deepEqual(page.faults, []);
  await context.close();
});

test("markup in names is text, and bad input is explained", async () => {
  const context = await browser.newContext(DESK);
  const ann = await open(context, "/snakes");
  ann.expected = (text) => text.includes("404");
  await ann.fill("#join-code", "ZZZZZZ");
  await ann.click("#join button");
  await ann.waitForSelector("#join-code[aria-invalid=true]");
  await soon.match(() => ann.textContent("#join .field-error"), /no game has this code/i);
  const evil = "<img src=x onerror=1>";
  const code = await create(ann, evil);
  await ann.waitForSelector("#players li .name");
  await soon.ok(async () => (await ann.textContent("#players li .name")).includes(evil));
  await soon.equal(() => ann.locator("#players img").count(), 0);
  const bob = await open(context, `/snakes/play/${code}`);
  await bob.waitForSelector("#join-name", { state: "visible" });
  await bob.fill("#join-name", evil.toUpperCase());
  await bob.click("#join-form button");
  await bob.waitForSelector("#join-name[aria-invalid=true]");
  await soon.match(() => bob.textContent("#join-form .field-error"), /taken/i);
  for (const address of ["ZZZZZZ", "not-a-code", "%E0%A4%A"]) {
    const nowhere = await open(context, `/snakes/play/${address}`);
    nowhere.expected = () => true;
    await nowhere.waitForSelector("text=Game not found");
  }
  for (const page of [ann, bob]) assert.deepEqual(page.faults, []);
  await context.close();
});

test("on a phone, in the dark, everything is within reach", async () => {
  const dark = await browser.newContext({ ...PHONE, colorScheme: "dark" });
  const ann = await open(dark, "/snakes");
  await picture(ann, "phone-door");
  const code = await create(ann, "Ann");
  await picture(ann, "phone-waiting");
  const light = await browser.newContext(PHONE);
  const bob = await open(light, `/snakes/play/${code}`);
  await bob.waitForSelector("#join-name", { state: "visible" });
  await picture(bob, "phone-join");
  // After following a link, the form to join is above the board.
  await soon.ok(() => bob.evaluate(() => {
    const [form, board] = ["#join-form", "#board"].map((one) => document.querySelector(one).getBoundingClientRect());
    return form.bottom <= board.top && form.bottom <= innerHeight;
  }), "the form is above the board, and on the screen");
  await join(bob, "Bob");
  await ann.click("#start");
  await ann.waitForSelector("#roll[aria-disabled=false]");
  for (let turn = 0; turn < 6; turn += 1) {
    const tab = turn % 2 ? bob : ann;
    await tab.waitForSelector("#roll[aria-disabled=false]");
    await tab.tap("#roll");
    await tab.waitForSelector("#roll[aria-disabled=true]");
  }
  await ann.waitForSelector("#roll[aria-disabled=false]");
  for (const page of [ann, bob]) await atRest(page);
  await picture(ann, "phone-playing-dark");
  await picture(bob, "phone-playing-light");
  for (const page of [ann, bob]) {
    // No horizontal overflow, and the die is on the screen.
    await soon.ok(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "too wide");
    await soon.ok(() => page.evaluate(() => {
      const { top, bottom } = document.querySelector("#roll").getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }), "the die is not on the screen");
    assert.deepEqual(page.faults, []);
  }
  await dark.close();
  await light.close();
});

test("a race with many players is drawn, and anybody may roll", async () => {
  const context = await browser.newContext(DESK);
  const ann = await open(context, "/snakes");
  const code = await create(ann, "Ann", "race");
  const others = [];
  for (let number = 0; number < 60; number += 1) {
    others.push(await ask("POST", `/snakes/games/${code}/players`, { body: { name: `Player ${number}` } }));
  }
  await ann.waitForFunction(() => document.querySelector("#player-count")?.textContent === "61");
  await ann.click("#start");
  await ann.waitForSelector("#roll[aria-disabled=false]");
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(others.map(({ secret }) => ask("POST", `/snakes/games/${code}/roll`, { secret })));
    await ann.click("#roll");
    await ann.waitForSelector("#roll[aria-disabled=false]");
  }
  const { players } = await ask("GET", `/snakes/games/${code}`);
  const first = players.reduce((one, other) => (other.position > one.position ? other : one));
  await ann.waitForFunction((square) => document.querySelector("#players li:first-child .square")?.textContent === square, String(first.position));
  await atRest(ann);
  await picture(ann, "race");
  // The player's own row stays visible in a long list.
  const inSight = () => ann.evaluate(() => {
    const [list, own] = [document.querySelector("#players"), document.querySelector("#players li.is-me")].map((one) => one.getBoundingClientRect());
    return own.top >= list.top - 1 && own.bottom <= list.bottom + 1;
  });
  for (const top of [0, 100_000]) {
    await ann.evaluate((to) => { document.querySelector("#players").scrollTop = to; }, top);
    await soon.ok(() => inSight(), `scrolled to ${top}`);
  }
  // Each token is labelled, although there are more players than colours.
  await soon.equal(async () => new Set(await ann.locator("#board .snakes-token text").allTextContents()).size, 61);
  assert.deepEqual(ann.faults, []);
  await context.close();
});

test("a reload shows the history, and the group plays again together", async () => {
  const ann = await ask("POST", "/snakes/games", { body: { name: "Ann", board: { size: 10, snakesAndLadders: [] } } });
  const { code } = ann.game;
  const bob = await ask("POST", `/snakes/games/${code}/players`, { body: { name: "Bob" } });
  await ask("POST", `/snakes/games/${code}/start`, { secret: ann.secret });
  const first = await ask("POST", `/snakes/games/${code}/roll`, { secret: ann.secret });
  const tabs = [];
  for (const { player, secret } of [ann, bob]) {
    const context = await browser.newContext({ ...DESK, reducedMotion: "reduce" });
    await context.addInitScript(([key, one]) => { if (!sessionStorage.getItem(key)) sessionStorage.setItem(key, JSON.stringify(one)); }, [`snakes.${code}`, { id: player.id, name: player.name, secret }]);
    tabs.push(await open(context, `/snakes/play/${code}`));
  }
  const [annTab, bobTab] = tabs;
  // The log includes events from before the page was opened.
  await bobTab.waitForSelector(`#log li:has-text("Ann rolled ${first.roll}")`);
  await soon.equal(() => annTab.locator('#log li:has-text("The game started.")').count(), 1);
  // The die shows another player's roll, also to spectators.
  const watcher = await open(await browser.newContext({ ...DESK, reducedMotion: "reduce" }), `/snakes/play/${code}`);
  await watcher.waitForSelector("#turn:not([hidden])");
  const second = await ask("POST", `/snakes/games/${code}/roll`, { secret: bob.secret });
  await watcher.waitForSelector(`text=Bob rolled ${second.roll}.`);
  await soon.equal(() => watcher.locator("#die circle").count(), second.roll);
  for (let turn = 0; turn < 200; turn += 1) {
    const { wins } = await ask("POST", `/snakes/games/${code}/roll`, { secret: turn % 2 ? bob.secret : ann.secret });
    if (wins) break;
  }
  for (const tab of tabs) await tab.waitForSelector("#end:not([hidden])");
  const { players, winnerId } = await ask("GET", `/snakes/games/${code}`);
  await soon.match(() => annTab.textContent("#end .snakes-ranking li:first-child"), new RegExp(players.find((one) => one.id === winnerId).name));
  await picture(annTab, "ranking");
  // The first player creates the game, and the other sees the offer.
  await annTab.click("#end button:has-text('Play again')");
  await annTab.waitForSelector("#status .snakes-big-code");
  const next = await annTab.textContent("#status .snakes-big-code");
  assert.notEqual(next, code);
  await bobTab.click("#end button:has-text('Join the rematch')");
  await bobTab.waitForSelector('#players li:has-text("Bob (you)")');
  await soon.equal(() => bobTab.textContent("#status .snakes-big-code"), next);
  await annTab.waitForSelector("#start:not([disabled])");
  for (const tab of [...tabs, watcher]) {
    assert.deepEqual(tab.faults, []);
    await tab.context().close();
  }
});

/** A game of two on ten squares that is over: `{ code, winner, loser }`, each `{ player, secret }`. */
async function overGame() {
  const ann = await ask("POST", "/snakes/games", { body: { name: "Ann", board: { size: 10, snakesAndLadders: [] } } });
  const { code } = ann.game;
  const bob = await ask("POST", `/snakes/games/${code}/players`, { body: { name: "Bob" } });
  await ask("POST", `/snakes/games/${code}/start`, { secret: ann.secret });
  for (let turn = 0; turn < 400; turn += 1) {
    const [roller, other] = turn % 2 ? [bob, ann] : [ann, bob];
    const { wins } = await ask("POST", `/snakes/games/${code}/roll`, { secret: roller.secret });
    if (wins) return { code, winner: roller, loser: other };
  }
  throw new Error("nobody has won");
}

// Regression: the order was that of the requests, on the page too.
test("a rematch has the same order of play", async () => {
  const over = await overGame();
  const [ann, bob] = ["Ann", "Bob"].map((name) => [over.winner, over.loser].find(({ player }) => player.name === name));
  const bobAgain = await ask("POST", `/snakes/games/${over.code}/rematch`, { secret: bob.secret });
  const { code } = bobAgain.game;
  const page = await open(await browserOf(code, bobAgain), `/snakes/play/${code}`);
  await page.waitForSelector('#players li:has-text("Bob (you)")');
  await ask("POST", `/snakes/games/${over.code}/rematch`, { secret: ann.secret });
  await page.waitForSelector('#players li:has-text("Ann")');
  await soon.deepEqual(() => page.locator("#players .name").allTextContents(), ["Ann", "Bob (you)"]);
  await page.click("#start");
  await page.waitForSelector("#status >> text=Ann rolls");
  await soon.equal(() => page.textContent("#status p"), "You are next.");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

// Regression: the page said "Nobody has rolled yet" in the middle of a race, and "You joined" to a
// visitor.
test("a visitor watches a race", async () => {
  const ann = await ask("POST", "/snakes/games", { body: { name: "Ann", mode: "race", board: { size: 400, snakesAndLadders: [] } } });
  const { code } = ann.game;
  await ask("POST", `/snakes/games/${code}/players`, { body: { name: "Bob" } });
  await ask("POST", `/snakes/games/${code}/start`, { secret: ann.secret });
  const roll = () => ask("POST", `/snakes/games/${code}/roll`, { secret: ann.secret });
  const first = await roll();
  const page = await open(await browser.newContext({ ...DESK, reducedMotion: "reduce" }), `/snakes/play/${code}`);
  await page.waitForSelector(`#rolled:text-is("Ann rolled ${first.roll}.")`);
  await soon.equal(() => page.locator("#die circle").count(), first.roll);
  await soon.equal(() => page.textContent("#status p"), "You are watching.");
  await soon.deepEqual(() => page.locator("#log li").allTextContents(), ["You are watching a race in progress."]);
  const second = await roll();
  await page.waitForSelector(`#rolled:text-is("Ann rolled ${second.roll}.")`);
  await page.waitForSelector(`#log li:has-text("Ann rolled ${second.roll}")`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

/** A browser in which this player of a game goes on. */
async function browserOf(code, { player, secret }, options = {}) {
  const context = await browser.newContext({ ...DESK, reducedMotion: "reduce", ...options });
  await context.addInitScript(([key, one]) => sessionStorage.setItem(key, JSON.stringify(one)), [`snakes.${code}`, { id: player.id, name: player.name, secret }]);
  return context;
}

// Regression: the page looked for the winner among the players, so it said that everybody had left
// and ranked the loser first.
test("a winner who has left is still the winner", async () => {
  const { code, winner, loser } = await overGame();
  const won = `${winner.player.name} won`;
  const before = await open(await browserOf(code, loser), `/snakes/play/${code}`);
  await before.waitForSelector(`#end h2:text-is("${won}")`);
  await ask("DELETE", `/snakes/games/${code}/players/${winner.player.id}`, { secret: winner.secret });
  await before.waitForSelector(`#log li:text-is("${winner.player.name} left.")`);
  const later = await open(await browser.newContext({ ...PHONE, reducedMotion: "reduce" }), `/snakes/play/${code}`);
  await later.waitForSelector("#end:not([hidden])");
  await picture(later, "winner-left");
  // A rematch redraws the end of the game.
  await ask("POST", `/snakes/games/${code}/rematch`, { secret: loser.secret });
  for (const page of [before, later]) {
    await page.waitForSelector("#end >> text=A rematch is open.");
    await soon.equal(() => page.textContent("#end h2"), won);
    await soon.equal(() => page.textContent("#status h2"), won);
    await soon.equal(() => page.locator(`#log li:text-is("${won}.")`).count(), 1);
    const ranking = async () => (await page.locator("#end .snakes-ranking li").allTextContents()).join("\n");
    await soon.match(ranking, new RegExp(`^1\\.${winner.player.name}has left\\n2\\.${loser.player.name}`));
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});

test("confetti falls for those who want motion", async () => {
  const { code, loser } = await overGame();
  for (const [reducedMotion, count] of [["no-preference", 1], ["reduce", 0]]) {
    const context = await browserOf(code, loser, { reducedMotion });
    // Count on insertion: the animation may be over before the test looks.
    await context.addInitScript(() => {
      window.confetti = 0;
      const isConfetti = (node) => node instanceof Element && (node.matches(".snakes-confetti") || node.querySelector(".snakes-confetti"));
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) window.confetti += [...addedNodes].filter(isConfetti).length;
      }).observe(document, { childList: true, subtree: true });
    });
    const page = await open(context, `/snakes/play/${code}`);
    await page.waitForSelector("#end:not([hidden])");
    await page.waitForSelector(".snakes-confetti", { state: "detached" });
    await soon.equal(() => page.evaluate(() => window.confetti), count, reducedMotion);
    await page.context().close();
  }
});

test("a turn is signalled with sound only if somebody wants it, and with vibration", async () => {
  const ann = await ask("POST", "/snakes/games", { body: { name: "Ann" } });
  const { code } = ann.game;
  const bob = await ask("POST", `/snakes/games/${code}/players`, { body: { name: "Bob" } });
  await ask("POST", `/snakes/games/${code}/start`, { secret: ann.secret });
  const context = await browserOf(code, ann);
  await context.addInitScript(() => {
    window.signals = [];
    navigator.vibrate = () => window.signals.push("vibration");
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (...rest) {
      window.signals.push("tone");
      return start.apply(this, rest);
    };
  });
  const page = await open(context, `/snakes/play/${code}`);
  const signals = () => page.evaluate(() => window.signals.splice(0));
  const round = async () => {
    await page.click("#roll");
    await page.waitForSelector("#status >> text=Bob rolls");
    await ask("POST", `/snakes/games/${code}/roll`, { secret: bob.secret });
    await page.waitForSelector("#roll[aria-disabled=false]");
    return signals();
  };
  await page.waitForSelector("#roll[aria-disabled=false]");
  await soon.equal(() => page.isChecked("#sound"), false);
  await signals();
  assert.deepEqual(await round(), ["vibration"]);
  await page.check("#sound");
  assert.deepEqual(await signals(), ["tone", "tone"]);
  assert.deepEqual(await round(), ["vibration", "tone", "tone"]);
  await page.reload();
  await page.waitForSelector("#roll[aria-disabled=false]");
  await soon.equal(() => page.isChecked("#sound"), true);
  await context.close();
});

test("the pages around the game work", async () => {
  const context = await browser.newContext(DESK);
  const home = await open(context, "/");
  await picture(home, "home");
  await home.click(`a.button[href="/snakes"]`);
  await home.waitForURL(/\/snakes$/);
  const api = await open(context, "/snakes/api");
  await api.click("#rollDice summary");
  await api.waitForSelector("text=not-your-turn");
  await api.click("#createGame summary");
  await api.fill("#createGame textarea", '{"name": "Ann"}');
  await api.click("#createGame button");
  await api.waitForSelector("text=201 Created");
  await picture(api, "api");
  const problems = await open(context, "/problems#snakes.name-taken");
  await problems.waitForSelector('dt[id="snakes.name-taken"]');
  await picture(problems, "problems");
  for (const page of [home, api, problems]) assert.deepEqual(page.faults, []);
  await context.close();
});

for (const screen of SCREENS) {
  const { name, ...options } = screen;

  test(`every state of a game by the rules of axe-core and ours, ${name}`, async () => {
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    const ann = await ask("POST", "/snakes/games", { body: { name: "Ann", board: { size: 10, snakesAndLadders: [] } } });
    const bob = await ask("POST", `/snakes/games/${ann.game.code}/players`, { body: { name: "W".repeat(24) } });
    const path = `/snakes/play/${ann.game.code}`;
    const visitor = await open(context, path);
    await visitor.waitForSelector("#join-name", { state: "visible" });
    await checkPage(visitor, "game-joining", screen, { layout });
    await context.addInitScript(([key, player]) => sessionStorage.setItem(key, JSON.stringify(player)), [`snakes.${ann.game.code}`, { ...ann.player, secret: ann.secret }]);
    const page = await open(context, path);
    await page.waitForSelector("#start:not([disabled])");
    await checkPage(page, "game-waiting", screen, { layout });
    await page.click("#leave");
    await page.waitForSelector("dialog[open]");
    await checkPage(page, "game-dialog", screen, { layout });
    await page.keyboard.press("Escape");
    // A dialog that closes gives the focus back to the button that opened it.
    await page.waitForFunction(() => !document.querySelector("dialog[open]") && document.activeElement.id === "leave");
    await page.press("#start", "Enter");
    await page.waitForSelector("#roll[aria-disabled=false]");
    // The button has disappeared, and the focus moves to the next control.
    await soon.equal(() => page.evaluate(() => document.activeElement.id), "roll");
    await checkPage(page, "game-playing", screen, { layout });
    // Regression: a long name made the button three lines high.
    const { height } = await page.locator("#roll").boundingBox();
    await ask("POST", `/snakes/games/${ann.game.code}/roll`, { secret: ann.secret });
    await page.waitForSelector('#roll:has-text("rolls")');
    await soon.equal(async () => (await page.locator("#roll").boundingBox()).height, height);
    await checkPage(page, "game-waiting-for-turn", screen, { layout });
    for (let turn = 1; turn < 200; turn += 1) {
      const { wins } = await ask("POST", `/snakes/games/${ann.game.code}/roll`, { secret: turn % 2 ? bob.secret : ann.secret });
      if (wins) break;
    }
    await page.waitForSelector("#end:not([hidden])");
    await checkPage(page, "game-end", screen, { layout });
    for (const one of [visitor, page]) assert.deepEqual(one.faults, []);
    const nowhere = await open(context, "/snakes/play/ZZZZZZ");
    nowhere.expected = () => true;
    await nowhere.waitForSelector("text=Game not found");
    await checkPage(nowhere, "game-missing", screen, { layout });
    await context.close();
  });
}
