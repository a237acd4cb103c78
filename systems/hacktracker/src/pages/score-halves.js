// The opponent's half, the way from half to half, and the end of the game.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { showProblem } from "/assets/form.js";
import { Problem, request } from "/assets/http.js";
import { stepper } from "./play-editor.js";
import { nextHalf, outsIn, previousHalf } from "./rules.js";
import { book, current, pageAddress, path, reread, take } from "./score-book.js";
import { openScoreForm } from "./score-form.js";
import { undoable, undoLast } from "./score-undo.js";
import { attempt } from "./signed-in.js";
import { fullName, halfName, opponentName } from "./words.js";

const RUNS_MAX = 99;

export function theirPanel(game) {
  const { inning } = game.state;
  const runs = game.opponentRuns?.[inning - 1] ?? 0;
  const now = current();
  const last = undoable(now);
  const ours = previousHalf(game.state, game.homeAway);
  const canGoBack = ours !== null && outsIn(now.atBats, ours.inning) < 3;
  return element("div", { class: "card hacktracker-their", "data-key": "their" },
    element("h2", {}, `${opponentName(game)} bat`),
    stepper({ label: "Runs this inning", key: "opponent-runs", value: runs, min: 0, max: RUNS_MAX, isLarge: true, change: (value) => book.queue.push({ kind: "opponent", inning, body: { revision: current().game.revision, runs: value } }) }),
    element("button", { type: "button", id: "our-turn", class: "hacktracker-wide", "data-key": "our-turn", click: goOn }, "3 outs: our turn"),
    element("div", { class: "actions" },
      canGoBack ? element("button", { type: "button", class: "plain", "data-key": "go-back", click: goBack }, "Back to our half") : null,
      last ? element("button", { type: "button", class: "plain", id: "undo", "data-key": "undo", click: undoLast }, `Undo ${last.text}`) : null,
      element("button", { type: "button", class: "plain", "data-key": "finish", click: finish }, "Finish game")));
}

/** The next half; in extra innings a runner may be placed on second base. */
function goOn() {
  const { game } = current();
  const to = nextHalf(game.state, game.homeAway);
  const push = (placedRunner) => {
    book.queue.push({ kind: "half", body: { revision: current().game.revision, ...to, ...(placedRunner ? { placedRunner } : {}) } });
    book.next.playerId = null;
    announce(halfName(current().game));
  };
  if (to.half !== "TEAM" || to.inning <= (game.regulationInnings ?? 7)) {
    push(null);
    return;
  }
  const select = element("select", {}, element("option", { value: "" }, "Nobody"), game.lineup.map((playerId) => element("option", { value: playerId }, fullName(book.players.get(playerId)))));
  const shown = sheet([element("p", {}, "Extra innings. Does your league place a runner on second base?"), element("label", {}, "Runner on second ", select),
    element("p", {}, element("button", { type: "button", click: () => { shown.close(); push(select.value || null); } }, "Our turn"))], { title: `Inning ${to.inning}` });
}

async function goBack() {
  const { game } = book.view;
  const to = previousHalf(game.state, game.homeAway);
  if (to) await scoring(() => request("PUT", `${path}/half`, { body: { revision: game.revision, ...to } }));
}

/** A change that needs a connection: it builds on what the server has. */
async function scoring(work) {
  if (book.queue.entries().length) {
    showProblem(new Problem({ title: "Plays are still waiting to be sent. This needs a connection" }), { near: byId("notices") });
    return false;
  }
  const done = await attempt(async () => {
    take(await work());
    await reread();
    return true;
  }, { near: byId("notices") });
  if (!done) await reread();
  return done === true;
}

export function verb(name) {
  return scoring(() => request("POST", `${path}/${name}`, { body: { revision: book.view.game.revision }, once: true }));
}

export async function finish() {
  const { game } = book.view;
  const sure = await confirmDialog({ title: "Finish the game?", text: `${book.team.team.name} ${game.teamScore}, ${opponentName(game)} ${game.opponentScore}. It can be reopened.`, action: "Finish game" });
  if (sure && await verb("finish")) location.href = pageAddress;
}

export function openMore() {
  const { game } = current();
  const item = (text, click, kind = "plain") => element("button", { type: "button", class: kind, click: () => { shown.close(); click(); } }, text);
  const isOurs = game.state?.half === "TEAM";
  const before = game.state && !book.team.isPersonal ? previousHalf(game.state, game.homeAway) : null;
  const canGoBack = before !== null && (isOurs || outsIn(book.view.atBats, before.inning) < 3);
  const content = element("div", { class: "hacktracker-choices" },
    book.team.isPersonal ? item("Set the score", setScore) : null,
    !book.team.isPersonal && isOurs ? item("End our half now", endHalf) : null,
    canGoBack ? item(isOurs ? "Back to their half" : "Back to our half", goBack) : null,
    !book.team.isPersonal ? item("Correct their runs", correctRuns) : null,
    !book.team.isPersonal ? element("a", { class: "button plain", href: `${pageAddress}#lineup` }, "Change the lineup") : null,
    item("Postpone the game", async () => {
      if (await confirmDialog({ title: "Postpone the game?", text: "At-bats and score are kept.", action: "Postpone" }) && await verb("postpone")) location.href = pageAddress;
    }),
    item("Finish game", finish));
  const shown = sheet(content, { title: "More" });
}

async function endHalf() {
  const sure = await confirmDialog({ title: "End our half?", text: "For a run limit or the time. The inning may have fewer than three outs.", action: "End the half" });
  if (sure) goOn();
}

function correctRuns() {
  const { game } = book.view;
  const innings = (game.opponentRuns ?? []).map((_, index) => index + 1);
  if (!innings.length) innings.push(game.state.inning);
  const values = new Map(innings.map((inning) => [inning, game.opponentRuns?.[inning - 1] ?? 0]));
  const list = element("div", { class: "hacktracker-choices" });
  const draw = () => replaceKeepingFocus(list, innings.map((inning) => stepper({ label: `Inning ${inning}`, key: `inning-${inning}`, value: values.get(inning), min: 0, max: RUNS_MAX, change: (value) => {
    values.set(inning, value);
    book.queue.push({ kind: "opponent", inning, body: { revision: current().game.revision, runs: value } });
    draw();
  } })));
  draw();
  sheet(list, { title: `Runs of ${opponentName(game)}` });
}

function setScore() {
  openScoreForm(book.view.game, {
    teamName: "Us", title: "Score", action: "Save",
    save: async (values) => { take(await request("PUT", `${path}/score`, { body: { revision: book.view.game.revision, ...values } })); },
  });
}
