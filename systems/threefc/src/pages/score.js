// The scorekeeper's page: three taps for a goal, the clock of the thirds, the end of the game.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { base } from "/assets/http.js";
import { signInLink } from "/assets/session.js";
import { timeText } from "/assets/time.js";
import { addressPart, mayAct, onOtherPerson, showForbidden, showMissing, write } from "./api.js";
import { clockText, nextThird, runningThird, thirdName } from "./clock.js";
import { FollowedGame } from "./follow.js";
import { attempt, confirmed, menuSheet } from "./forms.js";
import { goalLine } from "./game-parts.js";
import { abandonedText, goalText, resultText, withWaiting } from "./game-state.js";
import { goalSheet } from "./goal-form.js";
import { enteredAt, eventIdAt, Outbox, STILL_WAITING } from "./outbox.js";
import { abandonSheet, assistsSheet, clockSheet, playerSheet, rosterSheet, scorerSheet } from "./score-sheets.js";
import { swatch } from "./teams.js";

/** How long assists and Undo are offered after a goal. Later, Undo is in the menu, and asks. */
const GOAL_BAR_MS = 8_000;
/** How long the start or end of a third can be taken back, and a removed goal put back. */
const THIRD_BAR_MS = 10_000;
/** Two goals of the same teams by two people within so long may be one. */
const TWICE_MS = 30_000;
/** Older pairs are no longer asked about. */
const TWICE_ASKED_MS = 600_000;

const gameId = addressPart(1);
const path = `/games/${encodeURIComponent(gameId)}`;
/**
 * What the bar offers now: `{ eventId }` of a new goal, `{ removed }` a goal, `{ third, id, text,
 * correction }`, `{ note }`, or null.
 */
let bar = null;
let barTimer = null;
/** Pairs of goals that are both right: the person has said so. */
const kept = new Set();

/** Whether another page is shown instead of this one. */
let isOver = false;
/** The game, which the outbox may ask for before it is there. */
let game = null;

const outbox = new Outbox(gameId, {
  onChange: () => (isOver ? showKept() : render()),
  onSent: (_, view) => { if (view?.gameId) game.take(view); },
});
game = new FollowedGame(gameId, {
  onChange: () => render(),
  onMessage: say,
  onRefused: (problem) => {
    isOver = true;
    showMissing("game", problem);
    showKept();
  },
});

/** Says what is kept of this game, on a page that cannot show the entries themselves. */
function showKept() {
  document.querySelector(".threefc-kept")?.remove();
  const entries = [...outbox.entries(), ...outbox.entriesOfOthers()];
  if (!entries.length) return;
  const refused = entries.filter(({ error }) => error).length;
  const waiting = entries.length - refused;
  const count = (number) => (number === 1 ? "1 entry of this game" : `${number} entries of this game`);
  document.querySelector("main .threefc-missing")?.append(element("div", { class: "threefc-kept" },
    waiting ? element("p", {}, `${count(waiting)} ${waiting === 1 ? "is" : "are"} kept in this browser, and sent when the person who made ${waiting === 1 ? "it" : "them"} has signed in.`) : null,
    refused ? element("p", {}, `${count(refused)} ${refused === 1 ? "was" : "were"} refused. ${entries.find(({ error }) => error).error}`) : null,
    element("p", { class: "actions" }, element("button", { type: "button", class: "plain small danger", click: () => attempt(() => discard(entries)) }, "Discard"))));
}

/** The game as it will be once everything that waits here is sent. */
function shown() {
  return withWaiting(game.view, outbox.entries());
}

function render() {
  if (!game?.view || isOver) return;
  if (!game.isRoleKnown) return;
  // What was refused and is in the game all the same had arrived before: nobody has to decide about it.
  for (const { id, entry, error } of outbox.entries()) {
    if (error && entry.kind === "goal" && game.view.goals.some((goal) => goal.eventId === entry.body.eventId)) outbox.drop(id);
  }
  if (!mayAct(game.view.myRole, "scorekeeper")) {
    isOver = true;
    showForbidden(`Only a scorekeeper or an admin of ${game.view.league.name} can do this.`, element("a", { class: "button plain", href: `${base}/games/${gameId}` }, "Watch the game"));
    showKept();
    return;
  }
  const view = shown();
  document.title = `${view.teams.map((team) => `${team.code} ${team.conceded}`).join(" · ")} · Keep score`;
  byId("title").textContent = `Keep score: ${view.teams.map((team) => team.code).join(" – ")}`;
  renderClock(view);
  renderTop(view);
  renderWaiting();
  renderTwice(view);
  renderGoals(view);
  renderPad(view);
}

function renderClock(view) {
  const { text, time, stoppage } = clockText(view, game.now());
  const running = runningThird(view.thirds);
  const shownText = view.status === "scheduled" ? `Kick-off ${timeText(view.gameStartTs)}` : running ? `T${running.third}` : text;
  byId("clock").replaceChildren(...[
    element("span", {}, shownText, running ? element("span", { class: "visually-hidden" }, ` ${text}`) : null),
    time ? element("span", { class: "threefc-time", role: "timer", "aria-live": "off" }, time, stoppage ? element("small", {}, ` ${stoppage}`) : null) : null,
  ].filter(Boolean));
}

function renderTop(view) {
  byId("end-third").hidden = !isOpen(view) || !runningThird(view.thirds);
  byId("menu").hidden = false;
  byId("score").replaceChildren(...view.teams.map((team) => element("div", {},
    element("dt", {}, swatch(team.color), element("b", {}, team.code), element("span", { class: "visually-hidden" }, ` ${team.name}`)),
    element("dd", {}, String(team.conceded), element("span", { class: "threefc-scored" }, " conceded"), element("span", { class: "threefc-scored" }, `scored ${team.scored}`)))));
  const result = view.status === "finished" ? resultText(view.teams) : view.status === "abandoned" ? abandonedText(view.abandoned) : "";
  byId("result").hidden = !result;
  byId("result").textContent = result;
}

function renderWaiting() {
  const entries = outbox.entries();
  const waiting = entries.filter(({ error }) => !error).length;
  const refused = entries.filter(({ error, entry }) => error && entry.kind !== "goal");
  const text = waiting ? `${waiting} ${waiting === 1 ? "entry" : "entries"} waiting to send` : "";
  replaceKeepingFocus(byId("waiting"), [
    ...(text ? [element("span", { class: "threefc-dot", "aria-hidden": "true" }), element("span", {}, text)] : []),
    // A token is good for some hours only; entries wait for the person who made them.
    ...(text && outbox.needsSignIn ? [signInLink("Sign in to send")].filter(Boolean) : []),
    ...othersWaiting(),
    // A refused goal is shown in the list; what else was refused is shown here.
    ...refused.map(({ id, entry, error }) => element("span", { class: "threefc-refused", "data-key": id },
      element("span", {}, `${entryText(entry)} was refused. ${error}`),
      element("button", { type: "button", class: "plain small", click: () => outbox.drop(id) }, "Discard"))),
  ]);
}

/** Entries of other people who keep the score with this phone. They are not part of this score. */
function othersWaiting() {
  const count = outbox.entriesOfOthers().length;
  if (!count) return [];
  return [element("span", { class: "threefc-refused", "data-key": "others" },
    element("span", {}, `${count === 1 ? "1 entry" : `${count} entries`} from another person ${count === 1 ? "waits" : "wait"} until they sign in on this phone.`),
    element("button", { type: "button", class: "plain small", click: () => attempt(() => discard(outbox.entriesOfOthers(), "Discard another person's entries?")) }, "Discard"))];
}

async function discard(entries, title = "Discard what was entered here?") {
  await confirmed({ title, text: "It may not be part of the game yet. It is not sent again.", action: "Discard", danger: true },
    async () => { for (const { id } of entries) outbox.drop(id); });
}

function entryText(entry) {
  if (entry.kind === "third") return { start: `Start of third ${entry.third}`, finish: `End of third ${entry.third}`, correct: `Correction of third ${entry.third}` }[entry.action];
  return { assists: "Assists", undo: "Undo", remove: "Deletion" }[entry.kind] ?? "An entry";
}

/** The first goal of this browser that somebody else seems to have entered before. */
function twice(view) {
  const isSame = (one, other) => one.concedingTeamId === other.concedingTeamId && one.scoringTeamId === other.scoringTeamId && one.third === other.third;
  const recent = view.goals.filter((goal) => !goal.error && game.now() - enteredAt(goal.eventId) < TWICE_ASKED_MS);
  for (const mine of recent.filter((goal) => outbox.isMine(goal.eventId))) {
    // Whoever was later is asked, so that not both take theirs back.
    const other = recent.find((goal) => !outbox.isMine(goal.eventId) && isSame(goal, mine) && goal.eventId < mine.eventId && enteredAt(mine.eventId) - enteredAt(goal.eventId) <= TWICE_MS);
    if (other && !kept.has(`${mine.eventId} ${other.eventId}`)) return { mine, other };
  }
  return null;
}

function renderTwice(view) {
  const pair = view.status === "live" ? twice(view) : null;
  const place = byId("twice");
  const key = pair ? `${pair.mine.eventId} ${pair.other.eventId}` : "";
  if (place.dataset.pair === key) return;
  place.dataset.pair = key;
  place.replaceChildren(...(pair ? [element("div", { class: "notice threefc-twice", role: "alert" },
    element("p", {}, element("b", {}, "Entered twice?"), ` Another scorekeeper entered this goal too: ${goalText(view, pair.other)}.`),
    element("p", { class: "actions" },
      element("button", { type: "button", class: "plain small", click: () => { kept.add(key); render(); } }, "Keep both"),
      element("button", { type: "button", class: "plain small danger", click: () => attempt(() => removeMine(pair.mine)) }, "Remove mine")))] : []));
}

function removeMine(goal) {
  if (goal.waiting && goal.id) outbox.takeBack(goal.eventId);
  else outbox.push({ kind: "remove", eventId: goal.eventId });
}

function renderGoals(view) {
  byId("goals-empty").hidden = view.goals.length > 0;
  const mayEdit = mayEnter(view);
  replaceKeepingFocus(byId("goals"), [...view.goals].reverse().map((goal) => {
    const name = `${goal.displayTime} ${goalText(view, goal)}`;
    const state = goal.error ? "is-refused" : goal.waiting ? "is-waiting" : null;
    return element("li", { class: state, "data-key": goal.eventId },
      goalLine(view, goal),
      goal.waiting ? element("span", { class: "threefc-dot", role: "img", "aria-label": "Waiting to send" }) : null,
      goal.error
        ? element("span", { class: "threefc-refusal" }, element("span", {}, goal.error),
          element("span", { class: "actions" },
            element("button", { type: "button", class: "plain small", "aria-label": `Edit ${name}`, click: () => editRefused(goal) }, "Edit"),
            element("button", { type: "button", class: "plain small danger", "aria-label": `Discard ${name}`, click: () => outbox.drop(goal.id) }, "Discard")))
        : mayEdit ? element("button", { type: "button", class: "plain small threefc-dots", "aria-label": `Change ${name}`, click: () => changeGoal(goal) }, "⋯") : null);
  }));
}

function isOpen({ status }) {
  return status === "scheduled" || status === "live";
}

/** Whether the person may enter and correct goals. */
function mayEnter(view) {
  return isOpen(view) || (view.status === "finished" && view.myRole === "admin");
}

function renderPad(view) {
  const running = runningThird(view.thirds);
  const next = nextThird(view.thirds);
  byId("pad").hidden = false;
  renderBar(view);
  let question = "";
  let buttons = [];
  if (!isOpen(view)) {
    question = view.status === "finished" ? "The game is finished" : "The game is abandoned";
    buttons = [element("a", { class: "button plain threefc-wide", href: `${base}/games/${gameId}`, "data-key": "watch" }, "View game")];
  } else if (running) {
    question = "Goal! Who conceded?";
    buttons = view.teams.map((team) => element("button", { type: "button", class: "threefc-tap", "data-key": team.teamId, click: () => attempt(() => enterGoal(team)) },
      swatch(team.color), element("b", {}, team.code), element("span", { class: "threefc-tap-name" }, team.name)));
  } else if (next) {
    buttons = [element("button", { type: "button", class: "threefc-wide", "data-key": "start", click: () => attempt(() => startThird(next)) }, `Start third ${next}`)];
  } else {
    buttons = [element("button", { type: "button", class: "threefc-wide", "data-key": "finish", click: () => attempt(finish) }, "Finish game")];
  }
  byId("question").hidden = !question;
  byId("question").textContent = question;
  replaceKeepingFocus(byId("buttons"), buttons);
}

/** The goal that was entered last, which Undo removes. */
function latestGoal(view) {
  return view.goals.find((goal) => goal.eventId === view.latestEventId && !goal.error) ?? null;
}

function renderBar(view) {
  const nodes = [];
  const button = (key, text, run) => element("button", { type: "button", class: "plain", "data-key": key, click: () => attempt(run) }, text);
  const fresh = bar?.eventId ? view.goals.find((goal) => goal.eventId === bar.eventId && !goal.error) : null;
  if (fresh && mayEnter(view)) {
    nodes.push(element("span", { class: "threefc-bar-text" }, `Goal: ${goalText(view, fresh)}`),
      fresh.ownGoal ? null : button("assists", "Assists", () => chooseAssists(fresh.eventId)),
      button("undo", "Undo", () => undo(fresh)));
  } else if (bar?.removed && mayEnter(view)) {
    nodes.push(element("span", { class: "threefc-bar-text" }, `Goal removed: ${goalText(view, bar.removed)}`), button("put-back", "Put back", () => putBack(bar.removed)));
  } else if (bar?.third && isOpen(view)) {
    nodes.push(element("span", { class: "threefc-bar-text" }, bar.text), button("undo-third", "Undo", undoThird));
  } else if (bar?.note) {
    nodes.push(element("span", { class: "threefc-bar-text" }, bar.note));
  }
  replaceKeepingFocus(byId("bar"), nodes.filter(Boolean));
}

function offer(what, ms) {
  bar = what;
  clearTimeout(barTimer);
  barTimer = setTimeout(() => { bar = null; render(); }, ms);
  render();
}

/** The three taps. The goal counts from the first one. */
async function enterGoal(conceding) {
  const nowMs = game.now();
  const third = runningThird(shown().thirds)?.third;
  const choice = await scorerSheet({ view: shown, conceding, addPlayer });
  if (!choice) return;
  addGoal({
    eventId: eventIdAt(nowMs),
    concedingTeamId: conceding.teamId,
    scoringTeamId: choice.ownGoal ? null : choice.scoringTeamId,
    ownGoal: choice.ownGoal,
    scorerPlayerId: choice.scorerPlayerId,
    assistPlayerIds: [],
    third,
    occurredAt: new Date(nowMs).toISOString(),
  });
  navigator.vibrate?.(40);
}

/** Enters a goal: it counts at once, and is sent when there is a connection. */
function addGoal(body) {
  outbox.pushGoal(body, shown().teams.flatMap((team) => team.roster).find((player) => player.playerId === body.scorerPlayerId) ?? null);
  offer({ eventId: body.eventId }, GOAL_BAR_MS);
  const goal = shown().goals.find((one) => one.eventId === body.eventId);
  if (goal) announce(`Goal. ${goalText(shown(), goal)}.`);
}

function undo(goal) {
  outbox.takeBack(goal.eventId);
  showRemoved(goal);
}

/** Says that a goal was removed, and offers to put it back. */
function showRemoved(goal) {
  announce("Goal removed.");
  offer({ removed: goal }, THIRD_BAR_MS);
}

/** Enters a removed goal again, at its minute. The server keeps removed event ids, so it gets a new one. */
function putBack(goal) {
  addGoal({
    eventId: eventIdAt(game.now()),
    concedingTeamId: goal.concedingTeamId,
    scoringTeamId: goal.scoringTeamId,
    ownGoal: goal.ownGoal,
    scorerPlayerId: goal.scorer?.playerId ?? null,
    assistPlayerIds: goal.assists.map((player) => player.playerId),
    third: goal.third,
    gameMinute: goal.gameMinute,
  });
}

/** Undo from the menu: it asks, because the tap may be a mistake long after the goal. */
async function undoLatest(goal) {
  await confirmed({ title: "Remove the last goal?", text: `T${goal.third} ${goal.displayTime} ${goalText(shown(), goal)}`, action: "Remove", danger: true }, async () => undo(goal));
}

async function chooseAssists(eventId) {
  const goal = shown().goals.find((one) => one.eventId === eventId);
  // The bar must not vanish under the sheet.
  clearTimeout(barTimer);
  const ids = await assistsSheet(shown(), goal);
  if (ids) outbox.push({ kind: "assists", eventId, assistPlayerIds: ids });
  bar = null;
  render();
}

function startThird(third) {
  const at = new Date(game.now()).toISOString();
  const id = outbox.push({ kind: "third", action: "start", third, at });
  offer({ third, id, text: `${thirdName(third)} started`, correction: { startedAt: null } }, THIRD_BAR_MS);
  announce(`${thirdName(third)} started.`);
  stayAwake();
}

function endThird() {
  const running = runningThird(shown().thirds);
  if (!running) return;
  const at = new Date(game.now()).toISOString();
  const id = outbox.push({ kind: "third", action: "finish", third: running.third, at });
  offer({ third: running.third, id, text: `${thirdName(running.third)} ended`, correction: { finishedAt: null } }, THIRD_BAR_MS);
  announce(`${thirdName(running.third)} ended.`);
}

function undoThird() {
  const { third, id, correction } = bar;
  outbox.takeBackThird(id, { third, ...correction });
  bar = null;
  announce("Undone.");
  render();
}

/** Corrects the clock: the times of a third that has started. */
function correctClock(view) {
  const started = view.thirds.filter((one) => one.startedAt);
  if (started.length === 1) return correctThird(view, started[0]);
  return menuSheet("Correct the clock", started.map((third) => ({
    text: `${thirdName(third.third)} ${timeText(third.startedAt, { seconds: true })}–${third.finishedAt ? timeText(third.finishedAt, { seconds: true }) : ""}`,
    run: () => correctThird(shown(), third),
  })));
}

function correctThird(view, third) {
  const push = (change) => outbox.push({ kind: "third", action: "correct", third: third.third, ...change });
  clockSheet({
    view,
    third,
    now: game.now(),
    submit: (change) => {
      const id = push(change);
      const correction = { startedAt: third.startedAt, finishedAt: third.finishedAt };
      offer({ third: third.third, id, text: `${thirdName(third.third)}: clock corrected`, correction }, THIRD_BAR_MS);
      announce("Clock corrected.");
    },
    takeBack: (change, note) => {
      push(change);
      offer({ note }, THIRD_BAR_MS);
      announce(note);
    },
  });
}

/** Ends the game once all entries are sent: the server refuses entries of a game that has ended. */
async function endGame(action, body) {
  if (outbox.isWaiting) offer({ note: "Sending the last entries…" }, 2 ** 31 - 1);
  try {
    await outbox.allSent();
    game.take(await write("POST", `${path}/${action}`, body));
  } finally {
    bar = null;
    render();
  }
}

/** Fails early when offline, before a dialog asks for confirmation. */
function checkConnection() {
  if (outbox.isWaiting && !navigator.onLine) throw new Error(STILL_WAITING);
}

async function finish() {
  checkConnection();
  const view = shown();
  const text = `${resultText(view.teams)}. Conceded: ${view.teams.map((team) => `${team.code} ${team.conceded}`).join(", ")}.`;
  if (await confirmed({ title: "Finish the game?", text, action: "Finish game", cancel: "Not yet" }, () => endGame("finish", {}))) announce(`Finished. ${resultText(view.teams)}.`);
}

async function force() {
  checkConnection();
  const view = shown();
  await confirmed({ title: "Finish now?", text: `Thirds that were not played stay unplayed, and the result stands: ${resultText(view.teams)}.`, action: "Finish now", danger: true },
    () => endGame("finish", { force: true }));
}

function abandon(view) {
  checkConnection();
  abandonSheet({ view, submit: (body) => endGame("abandon", body) });
}

/** Adds a player to a roster, new or known to the league, and returns their id. */
function addPlayer(team) {
  return playerSheet({ view: game.view, team, onView: (view) => game.take(view) });
}

function changeGoal(goal) {
  if (goal.waiting && goal.id) {
    menuSheet(`${goal.displayTime} ${goalText(shown(), goal)}`, [
      !goal.ownGoal && { text: "Assists", run: () => chooseAssists(goal.eventId) },
      { text: "Remove", isDanger: true, run: () => undo(goal) },
    ]);
    return;
  }
  const view = shown();
  const remove = element("button", { type: "button", class: "plain danger threefc-wide", click: async () => {
    sheet.close();
    await confirmed({ title: "Delete this goal?", text: `${goal.displayTime} ${goalText(view, goal)}`, action: "Delete", danger: true },
      async () => {
        game.take(await write("DELETE", `${path}/goals/${goal.eventId}`));
        showRemoved(goal);
      });
  } }, "Delete goal");
  const sheet = goalSheet({ view, goal, title: "Change goal", after: remove, submit: async (body) => game.take(await write("PATCH", `${path}/goals/${goal.eventId}`, body)) });
}

function editRefused(goal) {
  goalSheet({
    view: shown(),
    goal,
    title: "Correct this entry",
    action: "Send again",
    submit: async (body) => {
      const before = outbox.entries().find(({ id }) => id === goal.id)?.entry.body;
      const { occurredAt, ...rest } = before ?? {};
      // The minute stays the tap's unless it was changed by hand.
      const time = body.gameMinute === undefined && occurredAt ? { occurredAt } : {};
      outbox.replaceGoal(goal.id, { ...rest, ...body, ...time, eventId: eventIdAt(game.now()) });
    },
  });
}

function byHand() {
  goalSheet({
    view: shown(),
    goal: null,
    title: "Goal by hand",
    action: "Enter goal",
    submit: async (body) => addGoal({ eventId: eventIdAt(game.now()), ...body }),
  });
}

function openMenu() {
  const view = shown();
  const isAdmin = view.myRole === "admin";
  const mayChange = mayEnter(view);
  const latest = latestGoal(view);
  menuSheet("Menu", [
    mayChange && { text: "Rosters", run: () => rosterSheet({ game, path }) },
    mayChange && { text: "+ Player", run: () => addPlayer(null) },
    mayChange && { text: "Goal by hand", run: byHand },
    mayChange && latest && { text: "Undo last goal", run: () => undoLatest(latest) },
    mayChange && view.thirds[0].startedAt && { text: "Correct the clock", run: () => correctClock(view) },
    isOpen(view) && isAdmin && { text: "Finish now", run: force },
    isOpen(view) && { text: "Abandon game", isDanger: true, run: () => abandon(view) },
    !isOpen(view) && isAdmin && { text: "Reopen game", run: () => confirmed({ title: "Reopen the game?", text: "Its result is removed, and it can be played on.", action: "Reopen" }, async () => game.take(await write("POST", `${path}/reopen`, {}))) },
    { text: "View game", href: `${base}/games/${gameId}` },
    { text: "All games of the season", href: `${base}/seasons/${view.season.seasonId}#games` },
  ]);
}

function say(event, message, view) {
  const goal = view.goals.find((one) => one.eventId === message.goal?.eventId);
  if (event === "goalAdded" && goal && !outbox.isMine(goal.eventId)) announce(`Goal by another scorekeeper. ${goalText(view, goal)}.`);
}

let lock = null;

/** Keeps the screen on while the game is open, where the browser can do that. */
async function stayAwake() {
  if (!navigator.wakeLock || document.hidden || (lock && !lock.released)) return;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    // A phone that saves power says no; the page works all the same.
  }
}

byId("end-third").addEventListener("click", () => attempt(endThird));
byId("menu").addEventListener("click", () => attempt(openMenu));
document.addEventListener("visibilitychange", stayAwake);
addEventListener("pointerdown", stayAwake, { once: true });
setInterval(() => { if (game.view && !isOver) renderClock(shown()); }, 1000);
onOtherPerson(() => location.reload());
stayAwake();
