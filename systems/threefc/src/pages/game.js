// A game for everybody who watches.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { base } from "/assets/http.js";
import { shareLink } from "/assets/share.js";
import { dayText, momentText, timeText } from "/assets/time.js";
import { addressPart, mayAct, onOtherPerson, showMissing } from "./api.js";
import { clockText } from "./clock.js";
import { FollowedGame } from "./follow.js";
import { drawPitch, goalLine, rosters } from "./game-parts.js";
import { abandonedText, goalText, resultText } from "./game-state.js";
import { Outbox } from "./outbox.js";
import { teamTag } from "./teams.js";

const gameId = addressPart(1);
/** The goals that were on the page before, so that new ones can be marked. */
let known = null;

const game = new FollowedGame(gameId, {
  onChange: show,
  onMessage: say,
  onRefused: (problem) => showMissing("game", problem),
});

function show(view) {
  const codes = view.teams.map((team) => team.code).join(" – ");
  document.title = `${view.teams.map((team) => `${team.code} ${team.conceded}`).join(" · ")} · 3FC`;
  byId("title").textContent = `${codes}, ${momentText(view.gameStartTs)}`;
  byId("way").replaceChildren(
    element("a", { href: `${base}/leagues/${view.league.leagueId}` }, view.league.name),
    element("a", { href: `${base}/seasons/${view.season.seasonId}#games` }, view.season.name),
    element("span", { class: "quiet" }, [dayText(view.session.sessionDate), view.pitch, view.session.venue].filter(Boolean).join(" · ")));
  const keep = byId("keep");
  keep.href = `${base}/games/${gameId}/score`;
  keep.hidden = !mayAct(view.myRole, "scorekeeper");
  showClock();
  showResult(view);
  drawPitch(byId("pitch"), view);
  byId("table").replaceChildren(scoreTable(view));
  showGoals(view);
  byId("rosters").replaceChildren(...rosters(view));
}

/** Only the clock is drawn every second. It is not announced. */
function showClock() {
  if (!game.view) return;
  const { text, time, stoppage } = clockText(game.view, game.now());
  const isLive = game.view.status === "live";
  const shown = game.view.status === "scheduled" ? `Kick-off ${timeText(game.view.gameStartTs)}` : text;
  byId("clock").replaceChildren(...[
    isLive ? element("span", { class: "badge threefc-status-live" }, "Live") : null,
    element("span", {}, shown),
    time ? element("span", { class: "threefc-time", role: "timer", "aria-live": "off" }, time, stoppage ? element("small", {}, ` ${stoppage}`) : null) : null,
  ].filter(Boolean));
}

function showResult(view) {
  const line = byId("result");
  const text = view.status === "finished" ? resultText(view.teams) : view.status === "abandoned" ? [abandonedText(view.abandoned), view.abandoned?.note].filter(Boolean).join(" ") : "";
  line.hidden = !text;
  if (line.textContent !== text) line.textContent = text;
}

function scoreTable(view) {
  const row = (label, values, options = {}) => element("tr", options, element("th", { scope: "row" }, label), values.map((value) => element("td", {}, String(value))));
  const played = view.thirds.filter((one) => one.startedAt || view.goals.some((goal) => goal.third === one.third));
  return element("table", { class: "threefc-score-table" },
    element("caption", { class: "visually-hidden" }, "Score. Fewest conceded wins."),
    element("thead", {}, element("tr", {}, element("td", {}), view.teams.map((team) => element("th", { scope: "col" }, teamTag(team, { isShort: true }))))),
    element("tbody", {},
      row("Conceded", view.teams.map((team) => team.conceded), { class: "threefc-total" }),
      played.map(({ third }) => row(`Third ${third}`, view.teams.map((team) => team.byThird[third - 1]?.conceded ?? 0), { class: "threefc-part" })),
      row("Scored", view.teams.map((team) => team.scored))));
}

function showGoals(view) {
  const before = known;
  known = new Set(view.goals.map((goal) => goal.eventId));
  byId("goals-card").hidden = view.status === "scheduled" && view.goals.length === 0;
  byId("goals-empty").hidden = view.goals.length > 0;
  replaceKeepingFocus(byId("goals"), [...view.goals].reverse().map((goal) => element("li", {
    class: before && !before.has(goal.eventId) ? "is-new" : null,
    "data-key": goal.eventId,
  }, goalLine(view, goal))));
}

function say(event, message, view) {
  const goal = view.goals.find((one) => one.eventId === message.goal?.eventId);
  if (event === "goalAdded" && goal) announce(`Goal. ${goalText(view, goal)}.`);
  else if (event === "goalRemoved") announce("A goal was taken back.");
  else if (event === "goalChanged" && goal) announce(`A goal was corrected. ${goalText(view, goal)}.`);
  else if (event === "gameFinished") announce(`The game is over. ${resultText(view.teams)}.`);
  else if (event === "thirdStarted" || event === "thirdFinished") announce(`${clockText(view, game.now()).text}${event === "thirdStarted" ? " has started" : ""}.`);
}

byId("share").addEventListener("click", async ({ currentTarget }) => {
  const done = await shareLink(location.href.split("#")[0], { title: byId("title").textContent });
  if (done !== "copied") return;
  currentTarget.textContent = "Copied";
  setTimeout(() => { currentTarget.textContent = "Share"; }, 1500);
});
setInterval(showClock, 1000);
onOtherPerson(() => location.reload());
// Entries of a page that was closed offline need not wait until it is opened again.
new Outbox(null);
