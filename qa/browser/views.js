// The pages of the systems, each as somebody who sees all of it, and with everything that opens on it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { address, open, tokenOf } from "./browser.js";
import { checkPage } from "./checks.js";

const FOLDER = new URL("../../systems/", import.meta.url);
/** Long enough for a busy machine. */
const WAIT_MS_MAX = 120_000;
/** How many pages are open at the same time: they wait for the server half of the time. */
const PAGES_AT_ONCE = 2;
/** The browser notes every answer that is no success. */
const NOT_FOUND = /404 \(Not Found\)/;

/** All systems. */
export const SYSTEMS = readdirSync(FOLDER);

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
    assert.ok(view, `${pattern} is served, and views.js has no view of it`);
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

async function checkViews(browser, system, { name, ...options }, choose, { hasPictures }) {
  assert.ok(VIEWS[system], `views.js has no views of ${system}`);
  const undo = [];
  const contexts = new Map();
  try {
    const { layout, views } = await VIEWS[system](callerOf(system), undo);
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
          await checkPage(page, where, { name, ...options }, { layout, hasPictures });
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

async function newContext(browser, system, who, options) {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce", timezoneId: "UTC" });
  context.setDefaultTimeout(WAIT_MS_MAX);
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
  // Lists have arrived.
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
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
function press(...selectors) {
  return async (page) => {
    for (const selector of selectors) await page.locator(selector).first().click();
  };
}

/**
 * The views of each system, made by a function of `call` and of a list of what is to be undone. It
 * returns `{ layout, views }`: `layout` is for `checkLayout`. A view is opened at `path` by `who`, or by a
 * visitor, and complete when `ready` is visible; then `act` opens something, and `shown` is visible.
 * `expected` are faults that belong to it. The first view of an address is the one with most on it.
 */
const VIEWS = {
  async snakes(call) {
    const { game } = await call(null, "POST", "/games", { name: "Ann" });
    return {
      // Links within a sentence are as high as its lines.
      layout: { except: ":is(p a:not(.button), li a:not(.button)):not(.actions a, .snakes-open a)" },
      views: [
        { name: "door", path: "/snakes", ready: "#open li" },
        { name: "joining", path: `/snakes/play/${game.code}`, ready: "#join-name" },
      ],
    };
  },

  async threefc(call, undo) {
    const api = (who, method, path, body) => call(who, method, `/v1${path}`, body);
    const { seasons } = await api(null, "GET", "/leagues/tidewall");
    const { sessions } = await api(null, "GET", `/seasons/${seasons[0].seasonId}`);
    const games = [];
    for (const { sessionId } of sessions) games.push(...(await api(null, "GET", `/sessions/${sessionId}/games`)).items);
    const gameOf = (status) => `/threefc/games/${games.find((one) => one.status === status).gameId}`;
    const invite = await api("ines", "POST", "/leagues/tidewall/invites", { role: "viewer" });
    undo.push(() => api("ines", "DELETE", `/leagues/tidewall/invites/${invite.hash}`));
    const season = `/threefc/seasons/${seasons[0].seasonId}`;
    const admin = "/threefc/leagues/tidewall/admin";
    const score = `${gameOf("live")}/score`;
    const menu = { who: "ines", path: score, ready: "#menu:not([hidden])" };
    const administered = { who: "ines", path: admin, ready: ".threefc-game-item" };
    return {
      layout: {},
      views: [
        { name: "home", who: "ines", path: "/threefc", ready: "#mine li" },
        { name: "home-visitor", path: "/threefc", ready: "#public li" },
        { name: "league", who: "ines", path: "/threefc/leagues/tidewall", ready: "#seasons li" },
        { name: "league-empty", who: "ruben", path: "/threefc/leagues/quarry-lane", ready: "text=No seasons yet." },
        { name: "season", path: season, ready: ".threefc-standings tbody tr" },
        { name: "season-scorers", path: `${season}#scorers`, ready: "#boards li" },
        { name: "season-games", path: `${season}#games`, ready: "#sessions .threefc-row" },
        { name: "game-live", path: gameOf("live"), ready: "#goals li" },
        { name: "game-scheduled", path: gameOf("scheduled"), ready: "text=Kick-off" },
        { name: "game-finished", who: "ines", path: gameOf("finished"), ready: "#result:not([hidden])" },
        { name: "game-abandoned", path: gameOf("abandoned"), ready: "text=Does not count." },
        { name: "game-missing", path: "/threefc/games/nothing-here", ready: "text=No such game", expected: NOT_FOUND },
        { name: "score", who: "tomasz", path: score, ready: "#buttons button" },
        { name: "score-second-tap", who: "tomasz", path: score, ready: "#buttons button", act: press("#buttons button") },
        { name: "score-third-tap", who: "tomasz", path: score, ready: "#buttons button", act: press("#buttons button", "dialog .threefc-tap") },
        { name: "score-edit", who: "tomasz", path: score, ready: "#goals .threefc-dots", act: press("#goals .threefc-dots") },
        { name: "score-menu", ...menu, act: press("#menu") },
        { name: "score-rosters", ...menu, act: press("#menu", "dialog button:has-text('Rosters')") },
        { name: "score-player", ...menu, act: press("#menu", "dialog button:has-text('+ Player')") },
        { name: "score-abandon", ...menu, act: press("#menu", "dialog button:has-text('Abandon')") },
        { name: "score-scheduled", who: "tomasz", path: `${gameOf("scheduled")}/score`, ready: "text=Start third 1" },
        { name: "score-forbidden", who: "noor", path: score, ready: "text=No access" },
        { name: "admin", ...administered },
        { name: "admin-players", who: "ines", path: `${admin}#players`, ready: "#player-list li" },
        { name: "admin-people", who: "ines", path: `${admin}#people`, ready: "#invite-list li" },
        { name: "admin-settings", who: "ines", path: admin, ready: "#settings:not([hidden])", act: press("#settings") },
        { name: "admin-season", who: "ines", path: admin, ready: "#new-season:not([hidden])", act: press("#new-season") },
        { name: "admin-squads", ...administered, act: press("button:has-text('Squads')") },
        { name: "admin-squad", ...administered, act: press("button:has-text('Squads')", "dialog button:has-text('Squad')") },
        { name: "admin-game", ...administered, act: press("button:has-text('+ Game')") },
        { name: "admin-game-menu", ...administered, act: press(".threefc-game-item .threefc-dots") },
        { name: "join", who: "noor", path: `/threefc/join/tidewall#${encodeURIComponent(invite.code)}`, ready: "input[name=displayName]" },
        { name: "join-used", who: "noor", path: "/threefc/join/tidewall#nothing", ready: "text=This invitation was used", expected: NOT_FOUND },
        { name: "join-visitor", path: "/threefc/join/tidewall#nothing", ready: "text=Sign in to see" },
      ],
    };
  },

  async hacktracker(call) {
    const who = "nora-vance";
    const { items: teams } = await call(who, "GET", "/users/me/teams");
    const { teamId } = teams.find((one) => one.name === "Copper Kettles");
    const { items: games } = await call(who, "GET", `/teams/${teamId}/games`);
    const { players, invites } = await call(who, "GET", `/teams/${teamId}`);
    const { playerId } = players.find((one) => one.playerNumber === 12);
    const gameOf = (status) => games.find((one) => one.status === status).gameId;
    const team = `/hacktracker/team/${teamId}`;
    const score = `/hacktracker/score/${gameOf("IN_PROGRESS")}`;
    const scoring = { who, path: score, ready: ".hacktracker-pad" };
    const correct = async (page, screen) => {
      if (screen.isMobile) await page.click('button:has-text("Plays")');
      await page.locator("button.hacktracker-play").first().click();
    };
    return {
      // Links within a sentence are as high as its lines; what is in a table has the width of its column.
      layout: { except: ":is(p a:not(.button), dd a, dt a):not(.hacktracker-back a)", narrow: "table *" },
      views: [
        { name: "teams", who, path: "/hacktracker", ready: ".hacktracker-live" },
        { name: "visitor", path: "/hacktracker", ready: 'main a:has-text("Sign in")' },
        { name: "roster", who, path: team, ready: ".hacktracker-roster" },
        { name: "games", who, path: `${team}#games`, ready: ".hacktracker-games" },
        { name: "stats", who, path: `${team}#stats`, ready: ".hacktracker-stats" },
        { name: "members", who, path: `${team}#members`, ready: ".hacktracker-members" },
        { name: "live", who, path: `/hacktracker/game/${gameOf("IN_PROGRESS")}`, ready: ".hacktracker-box" },
        { name: "final", who, path: `/hacktracker/game/${gameOf("FINAL")}`, ready: ".hacktracker-box" },
        { name: "lineup", who, path: `/hacktracker/game/${gameOf("SCHEDULED")}`, ready: ".hacktracker-lineup" },
        { name: "postponed", who, path: `/hacktracker/game/${gameOf("POSTPONED")}`, ready: "#actions button" },
        { name: "scoring", ...scoring },
        { name: "plays", who, path: `${score}#inning-1`, ready: ".hacktracker-play" },
        { name: "strip", ...scoring, act: press('[data-result="2B"]'), shown: ".hacktracker-strip" },
        { name: "runners", ...scoring, act: press(".hacktracker-runner") },
        { name: "more", ...scoring, act: press('button:has-text("More")') },
        { name: "correction", ...scoring, act: correct },
        { name: "player", who, path: `/hacktracker/player/${teamId}/${playerId}`, ready: ".hacktracker-counts" },
        { name: "career", who, path: "/hacktracker/me", ready: ".hacktracker-counts" },
        { name: "join", who, path: `/hacktracker/join/${teamId}/${invites[0].code}`, ready: "#join" },
      ],
    };
  },

  async fus(call) {
    const { items } = await call(null, "GET", "/v1/sites?limit=100");
    const of = (title) => items.find((site) => site.title === title).id;
    const catalogue = { path: "/fus", ready: ".fus-cards li" };
    const rust = `/fus/site/${of("Rust by Example")}`;
    return {
      // Links within a sentence are as high as its lines; cards are pressed as a whole.
      layout: {
        targets: "main :is(button, a[href], input, select, textarea, summary), nav a, dialog :is(button, a[href])",
        except: "p a:not(.button, .fus-chip), .fus-card-title",
      },
      views: [
        { name: "catalogue", ...catalogue },
        { name: "search", ...catalogue, act: (page) => page.fill("#search-text", "ru"), shown: "[role=option]" },
        { name: "tags", ...catalogue, act: press(".fus-chip-more"), shown: "dialog li" },
        // Who has not rated a site is told so with a 404.
        { name: "site", who: "lea", path: rust, ready: "#rating-form", expected: NOT_FOUND },
        { name: "site-visitor", path: rust, ready: ".fus-visitor" },
        { name: "site-many-tags", who: "adam", path: `/fus/site/${of("Tag museum")}`, ready: "#rating-form", expected: NOT_FOUND },
        { name: "site-missing", who: "nils", path: "/fus/site/nowhere", ready: ".fus-nothing", expected: NOT_FOUND },
        { name: "new", who: "adam", path: "/fus/new", ready: "#edit:not([hidden])" },
        { name: "new-forbidden", who: "nils", path: "/fus/new", ready: ".fus-nothing" },
        { name: "edit", who: "adam", path: `/fus/edit/${of("Rust by Example")}`, ready: "#edit:not([hidden])" },
        { name: "me", who: "lea", path: "/fus/me", ready: "#rating-list li" },
        { name: "my-groups", who: "lea", path: "/fus/me#groups", ready: "#group-list li" },
        { name: "group", who: "adam", path: "/fus/groups?group=Moderators", ready: "#group li" },
        { name: "group-squash", who: "mina", path: "/fus/groups?group=Squash", ready: "#group li" },
        { name: "group-member", who: "pia", path: "/fus/groups", ready: "#group li" },
        { name: "squash", who: "mina", path: "/fus/squash", ready: "#squash:not([hidden])" },
        { name: "squash-visitor", path: "/fus/squash", ready: ".fus-nothing" },
        { name: "enter", who: "mina", path: "/fus/squash/enter", ready: "#match:not([hidden])" },
        { name: "standings", who: "pia", path: "/fus/squash/standings", ready: "#players tbody tr" },
        { name: "pairs", who: "pia", path: "/fus/squash/standings#pairs", ready: "#pairs tbody tr" },
        { name: "matches-of-player", who: "mina", path: "/fus/squash/standings", ready: "#players tbody tr", act: press("#players tbody button"), shown: "dialog .fus-match" },
        { name: "players", who: "mina", path: "/fus/squash/players", ready: "#players button" },
        { name: "player-edit", who: "mina", path: "/fus/squash/players", ready: "#players button", act: press("#players button:has-text('Edit')"), shown: "#player-form" },
      ],
    };
  },

  async cricket(call, undo) {
    // A match in play that stands still, so that nothing moves while it is looked at.
    const { matchId } = await call("olu", "POST", "/admin/replays", { tape: "t20-31", speed: 60 });
    undo.push(() => call("olu", "DELETE", `/admin/replays/${matchId}`));
    await call("olu", "PATCH", `/admin/replays/${matchId}`, { ball: "2:8.1", playing: false, speed: 60 });
    const end = Date.now() + WAIT_MS_MAX;
    while ((await call(null, "GET", `/matches/${matchId}`)).phase !== "live") {
      assert.ok(Date.now() < end, `${matchId} is not in play`);
      await new Promise((resolve) => { setTimeout(resolve, 250); });
    }
    await call("asha", "POST", `/user/follow/${matchId}`, { teamId: "neutral" });
    undo.push(() => call("asha", "DELETE", `/user/follow/${matchId}`));
    const path = `/cricket/match/${matchId}`;
    return {
      // Links within a sentence are as high as its lines; cards are pressed as a whole.
      layout: {
        targets: "main :is(button, a[href], input, select, summary), nav a, dialog button",
        except: "p a:not(.button), .cricket-open",
      },
      views: [
        { name: "list", who: "asha", path: "/cricket", ready: "#upcoming li" },
        { name: "match", who: "asha", path, ready: "#balls li" },
        { name: "scorecard", path: `${path}#scorecard`, ready: "#scorecard table" },
        { name: "charts", path: `${path}#charts`, ready: "#charts svg" },
        { name: "sheet", who: "asha", path, ready: "#balls li", act: press("#match-follow") },
        { name: "pushes", who: "asha", path: "/cricket/pushes", ready: "#activities > *" },
        { name: "pushes-visitor", path: "/cricket/pushes", ready: "#visitor a" },
        { name: "admin", who: "olu", path: "/cricket/admin", ready: ".cricket-replay" },
      ],
    };
  },
};
