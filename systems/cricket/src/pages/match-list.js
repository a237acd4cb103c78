// The list of matches. Live scores update from a stream.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { connectionBar, WatchStream } from "/assets/live.js";
import { chooseTeam, followText } from "./follow.js";
import { clock, dayName, isBeforePlay, isOver, phaseName, showRetry, teamName, teamScore, versus } from "./format.js";

const live = new Map();
const others = new Map();
let cursor = null;
let league = new URLSearchParams(location.search).get("league") ?? "";
let chosen = null;
let stream = null;
let bar = null;
let onFollow = () => {};

/** Shows the list. `onFollowed(matchId, team)` is told what is followed from here. */
export function startList({ onFollowed }) {
  onFollow = onFollowed;
  load();
  loadLeagues();
  byId("more").addEventListener("click", () => load({ isMore: true }));
  byId("league").addEventListener("change", ({ target }) => {
    league = target.value;
    const address = new URL(location.href);
    if (league) address.searchParams.set("league", league);
    else address.searchParams.delete("league");
    history.replaceState(history.state, "", address);
    others.clear();
    load();
  });
}

/** Follows live scores. Beside a match, its stream has them: `listState` and `listEvent` are called. */
export function watchList(isWatched) {
  if (isWatched === (stream !== null)) return;
  if (!isWatched) {
    stream.close();
    bar.remove();
    stream = null;
    return;
  }
  stream = new WatchStream(`${base}/live`, { states: ["matches"], onState: listState, onEvent: listEvent });
  bar = connectionBar(stream);
}

/** All matches in play. */
export function listState({ live: all }) {
  const before = [...live.keys()];
  const now = new Set(all.map(({ matchId }) => matchId));
  for (const match of all) keep(live, match);
  // A match that left the list during a disconnection has ended.
  for (const id of before.filter((one) => !now.has(one))) leave(id);
  render();
}

export function listEvent(event, data) {
  if (event === "matchChanged") changed(data);
  else if (event === "matchArchived") leave(data.matchId);
}

/** Marks the match that is shown beside the list. */
export function markMatch(id) {
  chosen = id;
  render();
}

/** A match is followed, or not any more, from its own page. */
export function setFollowing(id, team) {
  for (const map of [live, others]) {
    if (map.has(id)) map.set(id, { ...map.get(id), following: team ?? undefined });
  }
  render();
}

function keep(map, match) {
  const known = live.get(match.matchId) ?? others.get(match.matchId);
  // The shared stream does not say who follows.
  const following = match.following ?? known?.following;
  if (map === live) others.delete(match.matchId);
  map.set(match.matchId, { ...match, following });
}

function changed(match) {
  if (isBeforePlay(match) || (isOver(match) && !live.has(match.matchId))) {
    if (!league || match.league.code === league) keep(others, match);
  } else keep(live, match);
  render();
}

/** A match was archived, or deleted. */
async function leave(id) {
  try {
    const { items } = await request("GET", `${base}/matches?ids=${encodeURIComponent(id)}`);
    live.delete(id);
    others.delete(id);
    for (const match of items) if (!league || match.league.code === league) others.set(id, match);
    render();
  } catch {
    // The next state of the stream says it again.
  }
}

async function load({ isMore = false } = {}) {
  const address = new URL(`${base}/matches`, location.href);
  if (league) address.searchParams.set("league", league);
  if (isMore && cursor) address.searchParams.set("cursor", cursor);
  const asked = league;
  try {
    const page = await request("GET", address.pathname + address.search);
    if (asked !== league) return;
    for (const match of page.live) live.set(match.matchId, match);
    for (const match of page.items) if (!live.has(match.matchId)) others.set(match.matchId, match);
    cursor = page.cursor ?? null;
    byId("list-problem").replaceChildren();
    if (isMore) announce(`${page.items.length} more.`);
    render({ isLoaded: true });
  } catch (error) {
    byId("live-empty").textContent = "";
    showRetry(byId("list-problem"), error, () => load({ isMore }));
  }
}

async function loadLeagues() {
  try {
    const { items } = await request("GET", `${base}/leagues`);
    byId("league").append(...items.map(({ code, name }) => element("option", { value: code, selected: code === league }, name)));
  } catch {
    // All leagues are shown.
  }
}

let isLoaded = false;
function render(options = {}) {
  isLoaded ||= options.isLoaded === true;
  const byStart = (one, other) => (one.startTime < other.startTime ? -1 : 1) || (one.matchId < other.matchId ? -1 : 1);
  const inPlay = [...live.values()].filter((match) => !league || match.league.code === league).sort(byStart);
  const upcoming = [...others.values()].filter(isBeforePlay).sort(byStart);
  const recent = [...others.values()].filter((match) => !isBeforePlay(match)).sort(byStart).reverse();
  replaceKeepingFocus(byId("live"), inPlay.map(liveCard));
  if (isLoaded) {
    const [next] = upcoming;
    byId("live-empty").textContent = inPlay.length ? "" : `No match is live.${next ? ` Next: ${versus(next)} ${when(next)}.` : ""}`;
    replaceKeepingFocus(byId("upcoming"), days(upcoming, "No matches in the next seven days."));
    replaceKeepingFocus(byId("recent"), days(recent, "No matches in the last two days."));
  }
  byId("more").hidden = !cursor;
}

function when(match) {
  const day = dayName(match.startTime);
  return day === "Today" ? `at ${clock(match.startTime)}` : `${day.toLowerCase() === "tomorrow" ? "tomorrow" : `on ${day}`} at ${clock(match.startTime)}`;
}

/** By day, and in a day by league. */
function days(matches, empty) {
  if (matches.length === 0) return [element("p", { class: "quiet" }, empty)];
  const all = Map.groupBy ? Map.groupBy(matches, ({ startTime }) => dayName(startTime)) : groups(matches);
  return [...all].flatMap(([day, ofDay]) => [
    element("h3", { class: "cricket-day" }, day),
    element("ul", { class: "cricket-rows" }, [...ofDay].sort((one, other) => (one.league.code < other.league.code ? -1 : one.league.code > other.league.code ? 1 : 0)).map(row)),
  ]);
}

function groups(matches) {
  const all = new Map();
  for (const match of matches) {
    const day = dayName(match.startTime);
    all.set(day, [...(all.get(day) ?? []), match]);
  }
  return all;
}

function link(match, ...content) {
  return element("a", { class: "cricket-open", href: `${base}/match/${encodeURIComponent(match.matchId)}${location.search}`, "data-route": true, "aria-current": match.matchId === chosen ? "true" : null }, content);
}

function liveCard(match) {
  return element("li", { class: "card cricket-card", "data-key": match.matchId },
    element("div", { class: "cricket-card-head" },
      element("span", { class: "quiet" }, `${match.league.name} · ${match.format}`),
      match.phase === "live" ? element("span", { class: "cricket-dot" }, "Live") : element("span", { class: "badge" }, phaseName(match.phase))),
    link(match, match.teams.map((team) => element("span", { class: "cricket-line" },
      teamName(team), " ", teamScore(match, team)))),
    element("p", { class: "cricket-headline" }, match.result?.text ?? match.headline ?? ""),
    element("div", { class: "cricket-card-foot" },
      element("span", { class: "cricket-badges" },
        match.generated ? element("span", { class: "badge" }, "Generated match") : null,
        match.stale ? element("span", { class: "badge cricket-amber" }, "May be behind") : null),
      followButton(match)));
}

function row(match) {
  const isPlanned = isBeforePlay(match);
  const result = match.result?.text ?? (isPlanned ? null : phaseName(match.phase));
  return element("li", { class: "cricket-row", "data-key": match.matchId },
    element("span", { class: "cricket-row-when quiet" }, element("span", {}, clock(match.startTime)), " ", element("span", { class: "badge" }, match.league.code)),
    element("div", { class: "cricket-row-text" },
      link(match, match.teams.map(({ name }) => name).join(" v ")),
      element("span", { class: "quiet" }, isPlanned ? [match.phase === "scheduled" ? match.format : `${match.format} · ${phaseName(match.phase)}`] : [result, match.teams.some(({ score }) => score) ? ` · ${match.teams.map(({ code, score }) => `${code} ${score ?? "–"}`).join(", ")}` : null],
        match.generated ? " · Generated match" : null)),
    isPlanned ? followButton(match) : null);
}

function followButton(match) {
  if (isOver(match)) return null;
  return element("button", {
    type: "button",
    class: match.following ? "small cricket-follow" : "plain small cricket-follow",
    "aria-label": `${followText(match)}: ${versus(match)}`,
    click: () => chooseTeam(match, (team) => {
      setFollowing(match.matchId, team);
      onFollow(match.matchId, team);
    }),
  }, followText(match));
}
