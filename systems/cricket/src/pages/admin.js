// For operators: jobs, locks, the feed with its circuit breaker, replays, leagues.
import { announce, byId, element } from "/assets/dom.js";
import { onSubmit, showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { connectionBar, WatchStream } from "/assets/live.js";
import { caller, signInLink } from "/assets/session.js";
import { clockWithSeconds, isBeforePlay, showRetry, span } from "./format.js";
import { isAdmin } from "./nav.js";
import { replayControl, SPEEDS } from "./replay.js";

/** How often scores of replays are read again while they change. */
const SCORES_INTERVAL_MS = 2_000;
/** How many parts of a league's matches are read. */
const PARTS_MAX = 10;

const jobs = new Map();
let locks = [];
let feed = null;
const replays = new Map();

function renderJobs() {
  const now = Date.now();
  byId("jobs").replaceChildren(...[...jobs.values()].map((job) => element("tr", {},
    element("th", { scope: "row" }, job.name),
    element("td", {}, job.intervalMs < 1000 ? `${job.intervalMs} ms` : job.intervalMs < 10_000 ? `${job.intervalMs / 1000} s` : span(job.intervalMs)),
    element("td", {}, job.lastStart ? `${span(now - Date.parse(job.lastStart))} ago` : "–"),
    element("td", {}, job.lastTookMs === null ? "–" : `${job.lastTookMs} ms`),
    element("td", {}, job.next ? `in ${span(Date.parse(job.next) - now)}` : "running"),
    element("td", { class: job.lastError ? "cricket-bad" : null }, job.lastError ?? "–"))));
}

function renderLocks() {
  const now = Date.now();
  const held = locks.filter(({ expiresAt }) => expiresAt > now);
  byId("locks").replaceChildren(...held.map((lock) => element("tr", {},
    element("th", { scope: "row" }, lock.lockKey),
    element("td", {}, lock.owner),
    element("td", {}, `${((lock.expiresAt - now) / 1000).toFixed(1)} s`))));
  byId("locks-note").textContent = held.length ? "" : "No locks are held.";
}

function renderFeed() {
  if (!feed) return;
  const facts = [
    ["Feed", feed.feed],
    ["Pushes", feed.push],
    ["Breaker", element("span", { class: feed.breaker === "closed" ? "cricket-breaker" : "cricket-breaker is-open" }, feed.breaker.toUpperCase())],
    ["Failures in a row", String(feed.failures)],
    ["Last poll", feed.lastPoll ? `${span(Date.now() - Date.parse(feed.lastPoll))} ago` : "never"],
    ["Calls left this hour", feed.remaining === null || feed.remaining === undefined ? null : String(feed.remaining)],
    ["Reason", feed.breaker === "closed" ? null : feed.reason],
    ["Asked again at", feed.retryAt ? clockWithSeconds(feed.retryAt) : null],
    ["Pushes held back until", feed.pushClosedUntil ? clockWithSeconds(feed.pushClosedUntil) : null],
  ].filter(([, value]) => value !== null && value !== undefined);
  byId("feed").replaceChildren(...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function addReplay(match) {
  const known = replays.get(match.matchId);
  if (known) {
    known.update(match);
    return;
  }
  const control = replayControl(match, {
    onGone() {
      replays.delete(match.matchId);
      control.node.remove();
      showEmpty();
      announce("The replay was deleted.");
    },
    onChange: readScoresSoon,
  });
  replays.set(match.matchId, control);
  const others = [...replays.values()].filter((one) => one !== control).sort((one, other) => (isAfter(one.value(), other.value()) ? 1 : -1));
  const before = others.find((one) => isAfter(one.value(), match));
  byId("replays").insertBefore(control.node, before?.node ?? null);
  showEmpty();
}

/** Matches in play come first, those that are over last. */
function isAfter(one, other) {
  const rank = (match) => `${match.endedAt || match.archivedAt ? 2 : isBeforePlay(match) ? 1 : 0}${match.matchId}`;
  return rank(one) > rank(other);
}

function showEmpty() {
  byId("replays").querySelector(".cricket-none")?.remove();
  if (replays.size === 0) byId("replays").append(element("p", { class: "quiet cricket-none" }, "No match is replayed."));
}

async function load() {
  try {
    const [jobPage, lockPage, status, leagues] = await Promise.all(["admin/jobs", "admin/locks", "admin/feed", "leagues"].map((path) => request("GET", `${base}/${path}`)));
    for (const job of jobPage.items) jobs.set(job.name, job);
    locks = lockPage.items;
    feed = status;
    renderAll();
    showLeagues(leagues.items);
    await Promise.all(leagues.items.map(({ leagueId }) => loadReplays(leagueId)));
    showEmpty();
  } catch (error) {
    byId("refused").hidden = false;
    showRetry(byId("refused"), error, () => {
      byId("refused").hidden = true;
      load();
    });
  }
}

async function loadReplays(leagueId) {
  let cursor = null;
  for (let parts = 0; parts < PARTS_MAX; parts += 1) {
    const page = await request("GET", `${base}/admin/fixtures?leagueId=${encodeURIComponent(leagueId)}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    for (const match of page.items) if (match.replay) addReplay(match);
    cursor = page.next;
    if (!cursor) return;
  }
}

let scoresTimer = null;
function readScoresSoon() {
  scoresTimer ??= setTimeout(async () => {
    scoresTimer = null;
    const ids = [...replays.keys()].slice(0, 100);
    if (ids.length === 0) return;
    try {
      const { items } = await request("GET", `${base}/matches?ids=${ids.map(encodeURIComponent).join(",")}`);
      for (const match of items) replays.get(match.matchId)?.update(match);
    } catch {
      // The next change reads them again.
    }
  }, SCORES_INTERVAL_MS);
}

function showLeagues(all) {
  byId("leagues").replaceChildren(...all.map((league) => {
    const box = element("input", { type: "checkbox", checked: league.active });
    box.addEventListener("change", async () => {
      try {
        const changed = await request("PATCH", `${base}/leagues/${encodeURIComponent(league.leagueId)}`, { body: { active: box.checked } });
        announce(`${league.name} is ${changed.active ? "on" : "off"}.`);
      } catch (error) {
        box.checked = !box.checked;
        showProblem(error, { near: byId("leagues").parentElement });
      }
    });
    return element("li", {}, element("label", { class: "cricket-switch" }, box, " ", element("span", {}, `${league.code} · ${league.name}`)));
  }));
}

function renderAll() {
  renderJobs();
  renderLocks();
  renderFeed();
  for (const control of replays.values()) control.tick();
}

function start() {
  byId("admin").hidden = false;
  byId("load").elements.speed.append(...SPEEDS.map((speed) => element("option", { value: String(speed), selected: speed === 12 }, `${speed}×`)));
  onSubmit(byId("load"), async ({ tape, speed }) => {
    const match = await request("POST", `${base}/admin/replays`, { body: { tape: tape.trim(), speed: Number(speed) }, once: true });
    addReplay(match);
    announce("The match is loaded.");
    replays.get(match.matchId).node.scrollIntoView({ block: "nearest" });
  }, { reset: false });
  const stream = new WatchStream(`${base}/admin/live`, {
    onState: load,
    onEvent(event, data) {
      if (event === "job") jobs.set(data.name, data);
      else if (event === "lock") locks = data.items;
      else if (event === "feed") feed = data;
      else if (event === "replay") {
        const known = replays.get(data.matchId);
        known?.update({ replay: data.replay });
        readScoresSoon();
      }
    },
  });
  connectionBar(stream);
  setInterval(() => { if (!document.hidden) renderAll(); }, 1_000);
}

if (isAdmin()) start();
else {
  byId("refused").hidden = false;
  byId("refused").replaceChildren(
    element("p", {}, caller() ? "Only people of the group cricket-admin see this page." : "Sign in as an operator to see this page."),
    element("p", { class: "actions" }, signInLink(caller() ? "Switch person" : "Sign in") ?? "", element("a", { class: "button plain", href: base }, "Matches")));
}
