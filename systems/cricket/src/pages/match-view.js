// One match: score, who bats and bowls, ball by ball, scorecard and charts.
import { announce, byId, element, focusQuietly, replaceKeepingFocus } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { connectionBar, WatchStream } from "/assets/live.js";
import { tabs } from "/assets/tabs.js";
import { ballList, symbol } from "./balls.js";
import { charts } from "./charts.js";
import { chooseTeam, followText, resumeFollowing } from "./follow.js";
import { clock, dayName, isBeforePlay, isOver, phaseName, showRetry, teamName, teamScore, versus } from "./format.js";
import { scorecard } from "./scorecard.js";

/** What replayed matches are called everywhere. */
const GENERATED = "Generated match";
/** How often figures that are not pushed are read again while they change. */
const FIGURES_INTERVAL_MS = 3_000;

/**
 * The place where a match is shown. `onFollowed(matchId, team)` is told what is followed from here.
 * `list` is what stands beside it: whether it is seen, what takes its events, and `onStream()`, which
 * is called when `hasStream` changes.
 */
export function matchView({ onFollowed, list }) {
  let id = null;
  let match = null;
  let display = null;
  let stream = null;
  let bar = null;
  /** Whether this match has a stream, or will have one once it is read. */
  let hasStream = false;
  let shownTab = "live-tab";
  let figuresTimer = null;
  let figuresAt = 0;
  let saidEvent = null;
  let isFirstState = true;
  const balls = ballList({ nameOf: inningsName });
  const card = scorecard();
  const graphs = charts({ ballsOf: (n) => match?.innings.find((one) => one.n === n)?.balls });

  tabs(byId("match"), {
    onShow(panel) {
      shownTab = panel.id;
      loadTab();
    },
  });
  const followed = (team) => {
    follow(team);
    onFollowed(id, team);
  };
  byId("match-follow").addEventListener("click", () => chooseTeam(match, followed));

  /** "Innings 2, KIN". */
  function inningsName(n) {
    const innings = match?.innings.find((one) => one.n === n);
    const team = match?.teams.find(({ id: teamId }) => teamId === innings?.teamId);
    return `${innings?.superOver ? "Super over" : `Innings ${n}`}${team ? `, ${team.name}` : ""}`;
  }

  function follow(team) {
    match = { ...match, following: team ?? undefined };
    render();
    // The display is per side.
    listen();
  }

  function loadTab() {
    if (!id) return;
    if (shownTab === "scorecard") card.show(id);
    else if (shownTab === "charts") graphs.show(id);
  }

  /** Reads what the open tab shows, now or soon. */
  function refresh() {
    if (figuresTimer !== null) return;
    const wait = Math.max(0, figuresAt + FIGURES_INTERVAL_MS - Date.now());
    figuresTimer = setTimeout(async () => {
      figuresTimer = null;
      figuresAt = Date.now();
      const asked = id;
      try {
        const read = await request("GET", `${base}/matches/${encodeURIComponent(asked)}`);
        if (asked !== id) return;
        match = { ...read, following: match?.following ?? read.following };
        render();
        loadTab();
      } catch {
        // Keep the old figures; the next change tries again.
      }
    }, wait);
  }

  async function load({ isFocused = false } = {}) {
    const asked = id;
    try {
      const read = await request("GET", `${base}/matches/${encodeURIComponent(asked)}`);
      if (asked !== id) return;
      match = read;
      figuresAt = Date.now();
      byId("match-problem").replaceChildren();
      byId("match-content").hidden = false;
      render();
      if (isFocused) focusQuietly(byId("match-title"));
      balls.show(id);
      loadTab();
      listen();
      if (!isOver(match)) resumeFollowing(match, followed);
    } catch (error) {
      if (asked !== id) return;
      setHasStream(false);
      if (error.code === "match-not-found") missing();
      else showRetry(byId("match-problem"), error, () => load({ isFocused }));
    }
  }

  function setHasStream(has) {
    hasStream = has;
    list.onStream();
  }

  function missing() {
    document.title = "No such match · Cricket";
    byId("match-content").hidden = true;
    byId("match-problem").replaceChildren(element("div", { class: "card" },
      element("h1", { id: "match-title" }, "No such match"),
      element("p", {}, "It was deleted, or the address is wrong.")));
  }

  function listen() {
    stop();
    setHasStream(!match.archived);
    if (match.archived) return showDisplay();
    const asked = id;
    const query = new URLSearchParams();
    if (match.following) query.set("team", match.following);
    if (list.isSeen()) query.set("list", "true");
    isFirstState = true;
    stream = new WatchStream(`${base}/matches/${encodeURIComponent(id)}/live${query.size ? `?${query}` : ""}`, {
      onState(state) {
        if (state.live) list.onState(state);
        display = state.display;
        // After a lost connection balls may have gone by.
        if (!isFirstState) balls.show(asked);
        else balls.change({ added: state.balls });
        isFirstState = false;
        saidEvent ??= eventKey(display.event);
        changed();
      },
      onEvent(event, data) {
        if (event === "display") {
          display = data;
          changed();
          sayEvent();
        } else if (event === "balls") balls.change(data);
        else if (event === "stale") {
          display = { ...display, stale: data.since !== null, updatedAt: data.since ?? display?.updatedAt };
          render();
        } else if (event === "ended") {
          announce(data.result?.text ?? "The match has ended.");
          load();
        } else list.onEvent(event, data);
      },
      onStatus(status) {
        if (status === "refused") setHasStream(false);
      },
    });
    bar = connectionBar(stream);
    return undefined;
  }

  /** A match that is over is read once. */
  async function showDisplay() {
    const asked = id;
    try {
      const read = await request("GET", `${base}/matches/${encodeURIComponent(asked)}/display`);
      if (asked !== id) return;
      display = read;
      render();
    } catch {
      // Score and result are there all the same.
    }
  }

  function changed() {
    render();
    refresh();
  }

  function sayEvent() {
    const key = eventKey(display.event);
    if (key === saidEvent) return;
    saidEvent = key;
    if (display.event) announce(`${display.event.title} ${display.event.text}`);
  }

  function stop() {
    stream?.close();
    bar?.remove();
    stream = null;
    bar = null;
  }

  function render() {
    if (!match) return;
    const shown = display?.matchId === id ? display : null;
    const now = { ...match, phase: shown?.phase ?? match.phase };
    document.title = `${versus(match)} · Cricket`;
    if (byId("match-title")?.textContent !== versus(match)) {
      byId("match-heading").replaceChildren(element("h1", { id: "match-title" }, versus(match)));
    }
    const button = byId("match-follow");
    button.hidden = isOver(now);
    button.textContent = followText(match);
    button.classList.toggle("plain", !match.following);
    byId("match-where").replaceChildren(
      element("span", {}, [match.league.name, match.round, match.venue].filter((part) => part && part !== GENERATED).join(" · ")), " ",
      element("span", { class: "badge" }, match.format), " ",
      now.phase === "live" ? element("span", { class: "cricket-dot" }, match.day ? `Live, day ${match.day}` : "Live") : element("span", { class: "badge" }, phaseName(now.phase)), " ",
      match.generated ? element("span", { class: "badge" }, GENERATED) : "");
    const isStale = shown ? shown.stale : match.stale;
    const updatedAt = shown?.updatedAt ?? match.updatedAt;
    const stale = isStale && !match.archived ? `Last update ${updatedAt ? clock(updatedAt) : "unknown"}. Scores may be behind.` : "";
    if (byId("match-stale").textContent !== stale) byId("match-stale").textContent = stale;
    replaceKeepingFocus(byId("match-score"), scoreNodes(match, shown, now));
    replaceKeepingFocus(byId("match-figures"), shown ? figureNodes(shown) : []);
  }

  return {
    get hasStream() {
      return hasStream;
    },
    /** The list beside the match came, or went. */
    listChanged() {
      if (stream) listen();
    },
    show(matchId, options) {
      stop();
      hasStream = true;
      if (id !== matchId) {
        match = null;
        display = null;
        saidEvent = null;
        byId("match-content").hidden = true;
        byId("match-heading").replaceChildren();
      }
      id = matchId;
      byId("match-problem").replaceChildren(element("p", { class: "quiet", role: "status" }, "Loading…"));
      return load(options);
    },
    close() {
      stop();
      hasStream = false;
      id = null;
      match = null;
      byId("match-heading").replaceChildren();
      byId("match-problem").replaceChildren();
    },
    /** The match is followed from the list. */
    setFollowing(matchId, team) {
      if (matchId === id && match) follow(team);
    },
  };
}

function eventKey(event) {
  return event ? `${event.kind}/${event.innings}/${event.ball}/${event.text}` : "";
}

function scoreNodes(match, display, now) {
  const teams = display?.teams ?? match.teams;
  const positions = new Map(match.teams.map(({ id, position }) => [id, position]));
  const headline = match.result?.text ?? display?.result ?? display?.headline ?? match.headline;
  const headlineIsFinal = Boolean(match.result ?? display?.result);
  const event = display?.event;
  const tossed = match.toss && match.teams.find(({ id }) => id === match.toss.teamId);
  return [
    ...teams.map((team) => element("p", { class: display?.batting === team.id && !headlineIsFinal ? "cricket-line is-batting" : "cricket-line" },
      teamName({ ...team, position: positions.get(team.id) }), " ", teamScore(now, team))),
    isBeforePlay(now) ? element("p", { class: "cricket-headline" }, `${dayName(match.startTime)} at ${clock(match.startTime)}`) : null,
    headline && !(isBeforePlay(now) && headline === "Not started") ? element("p", { class: "cricket-headline" }, headline) : null,
    tossed && !display?.batting ? element("p", { class: "quiet" }, `Toss: ${tossed.name} chose to ${match.toss.elected}.`) : null,
    event && !headlineIsFinal && event.text !== headline ? element("p", { class: `cricket-event is-${event.mood}` }, element("strong", {}, event.title), " ", event.text, event.ball ? element("span", { class: "quiet" }, ` · ${event.ball}`) : null) : null,
  ].filter(Boolean);
}

function figureNodes(display) {
  if (!display.batting || display.result) return [];
  const rate = ({ runs, balls }) => (balls ? ((100 * runs) / balls).toFixed(2) : "–");
  const facts = [
    ["Run rate", display.runRate],
    ["Required", display.requiredRate],
    ["Projected", display.projected],
    ["Target", display.target],
  ].filter(([, value]) => value !== null && value !== undefined);
  return [
    element("div", { class: "card cricket-now" },
      element("table", { class: "cricket-figures" },
        element("caption", { class: "visually-hidden" }, "At the crease"),
        element("thead", {}, element("tr", {}, ["Batter", "R", "B", "4s", "6s", "SR"].map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, display.batters.map((batter) => element("tr", { class: batter.onStrike ? "is-in" : null },
          element("th", { scope: "row" }, batter.name, batter.onStrike ? element("span", { title: "On strike" }, "*") : null),
          [batter.runs, batter.balls, batter.fours, batter.sixes, rate(batter)].map((cell) => element("td", {}, String(cell))))))),
      display.bowler ? element("p", { class: "cricket-line" }, element("span", {}, element("span", { class: "quiet" }, "Bowling "), display.bowler.name), element("span", { class: "cricket-runs" }, display.bowler.figures)) : null,
      facts.length ? element("dl", { class: "cricket-facts" }, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, String(value))))) : null,
      display.thisOver.length ? element("p", { class: "cricket-this-over" }, element("span", { class: "quiet" }, "This over "), display.thisOver.map((one) => [symbol(one), " "])) : null),
  ];
}
