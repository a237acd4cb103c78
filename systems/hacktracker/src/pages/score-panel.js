// The panel: what there is to do now.
import { announce, byId, element, focusQuietly, replaceKeepingFocus, shape } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";
import { clearProblem } from "/assets/form.js";
import { drawField, markChosen, pointOf } from "./field.js";
import { runnerOf } from "./game-view.js";
import { playEditor, runnersEditor, stepper, zoneSelect } from "./play-editor.js";
import { isBatted, isHit, isImpossible, occupied, playerUp, RESULTS } from "./rules.js";
import { book, current, pageAddress, render } from "./score-book.js";
import { theirPanel, verb } from "./score-halves.js";
import { undoable, undoButton } from "./score-undo.js";
import { counted, fullName, numberText, playSentence, RESULT_NAMES, shortName, STATUS_NAMES } from "./words.js";

const AT_BAT_RESULTS_NOT_COUNTED = ["BB", "HBP", "SAC"];
const PERSONAL_INNING_MAX = 30;

/** What the panel shows, as text. */
let panelShown = null;

/**
 * Shows what there is to do, unless it is shown already: somebody may be in the middle of it, with a
 * list open or runners half placed.
 */
export function renderPanel(now) {
  const { game, atBats } = now;
  if (book.placing && byId("now").querySelector(".hacktracker-strip")) return;
  const runners = game.state?.bases.map((id) => id && shortName(runnerOf(id, now, book.players)));
  const shown = JSON.stringify([game.status, { ...game.state, bases: runners }, game.opponentRuns, game.lineup, atBats.map((atBat) => atBat.playerId + atBat.result), book.next, book.personal, book.placing, undoable(now)?.text]);
  if (shown === panelShown) return;
  panelShown = shown;
  replaceKeepingFocus(byId("now"), panel(now));
}

function panel(now) {
  const { game } = now;
  if (game.status !== "IN_PROGRESS") return [overPanel(game)];
  if (book.team.isPersonal) return personalPanel(now);
  return game.state.half === "TEAM" ? ourPanel(now) : [theirPanel(game)];
}

function overPanel(game) {
  return element("div", { class: "card", "data-key": "over" },
    element("h2", {}, game.status === "FINAL" ? `Final: ${game.teamScore}–${game.opponentScore}` : STATUS_NAMES[game.status]),
    element("p", {}, game.status === "FINAL" ? "At-bats can still be corrected." : "The game is not being played."),
    element("div", { class: "actions" },
      game.status === "FINAL" ? element("button", { type: "button", class: "plain", click: () => verb("reopen") }, "Reopen") : null,
      element("a", { class: "button", href: pageAddress }, "Box score")));
}

function ourPanel(now) {
  const { game } = now;
  const playerId = book.next.playerId ?? playerUp(game);
  if (book.placing) return [strip(now, playerId)];
  return [
    batterRow(now, playerId),
    fieldBox(now),
    hitRow(),
    pad(game.state, (result) => choose(current(), result), undoButton(now)),
  ];
}

function batterRow({ atBats }, playerId) {
  const player = book.players.get(playerId);
  const own = atBats.filter((atBat) => atBat.playerId === playerId);
  const count = own.filter((atBat) => !AT_BAT_RESULTS_NOT_COUNTED.includes(atBat.result)).length;
  const hits = own.filter((atBat) => isHit(atBat.result)).length;
  return element("button", { type: "button", class: "hacktracker-batter", "data-key": "batter", "aria-haspopup": "dialog", click: chooseBatter },
    element("span", { class: "quiet" }, "Up"),
    element("b", { id: "up" }, `${numberText(player)} ${shortName(player)}`.trim()),
    element("span", { class: "quiet" }, own.length ? `${hits} for ${count}` : "first at-bat"));
}

function fieldBox(now) {
  const svg = shape("svg", { id: "field" });
  drawField(svg, "The field. Tap where the ball went, or choose a place from the list below.");
  markChosen(svg, book.next.hitLocation);
  svg.addEventListener("click", (event) => {
    book.next.hitLocation = pointOf(svg, event);
    render();
  });
  const runners = book.team.isPersonal ? [] : occupied(now.game.state.bases).map((base) => {
    const runner = runnerOf(now.game.state.bases[base - 1], now, book.players);
    return element("button", { type: "button", class: `hacktracker-runner is-on-${base}`, "data-key": `runner-${base}`, "aria-haspopup": "dialog", "aria-label": `${fullName(runner)} on ${["first", "second", "third"][base - 1]}: move`, click: moveRunners }, shortName(runner));
  });
  return element("div", { class: `hacktracker-field-box${book.team.isPersonal ? " is-small" : ""}`, "data-key": "field" }, svg, runners);
}

function hitRow() {
  return element("div", { class: "hacktracker-hit-row", "data-key": "hit" },
    zoneSelect(book.next.hitLocation, (location) => {
      book.next.hitLocation = location;
      // The list stays as it is, because somebody may be typing in it.
      markChosen(byId("field"), location);
    }, { id: "zone", "aria-label": "Hit location" }),
    book.team.isPersonal ? null : element("label", { class: "hacktracker-check" }, element("input", { type: "checkbox", id: "details", checked: book.next.wantsDetails, change: ({ target }) => { book.next.wantsDetails = target.checked; } }), "Details"));
}

function pad(situation, record, last) {
  return element("div", { class: "hacktracker-pad", "data-key": "pad" },
    RESULTS.map((result) => element("button", {
      type: "button", class: `is-${padKind(result)}`, "data-key": `result-${result}`, "data-result": result, title: RESULT_NAMES[result],
      disabled: situation && isImpossible(result, situation) ? true : null, click: () => record(result),
    }, element("span", { "aria-hidden": "true" }, result), element("span", { class: "visually-hidden" }, RESULT_NAMES[result]))),
    last);
}

function padKind(result) {
  if (isHit(result)) return "hit";
  return ["BB", "HBP", "E"].includes(result) ? "on" : "out";
}

/** A result was tapped: with nobody on base it is recorded, else the runners are placed first. */
function choose({ game }, result) {
  clearProblem();
  if (occupied(game.state.bases).length === 0 && !book.next.wantsDetails) {
    record({ result, ...(book.next.playerId ? { playerId: book.next.playerId } : {}), ...(isBatted(result) && book.next.hitLocation ? { hitLocation: book.next.hitLocation } : {}) });
    return;
  }
  book.placing = result;
  renderPanel(current());
  focusQuietly(byId("now").querySelector(".hacktracker-strip h2"));
  scrollTo({ top: 0 });
}

/** Where batter and runners end. */
function strip(now, playerId) {
  const { game } = now;
  const { bases, outs } = game.state;
  const close = () => {
    book.placing = null;
    render();
    byId("now").querySelector("[data-result]")?.focus({ preventScroll: true });
  };
  return element("div", { class: "card hacktracker-strip", "data-key": "strip" },
    element("h2", {}, `${numberText(book.players.get(playerId))} ${shortName(book.players.get(playerId))}: ${RESULT_NAMES[book.placing]}`.trim()),
    playEditor({
      play: { result: book.placing, playerId, hitLocation: book.next.hitLocation },
      situation: { bases, outs },
      runnerName: (base) => shortName(runnerOf(bases[base - 1], now, book.players)),
      onCancel: close,
      onSave: ({ result, moves, rbis, hitLocation, hitType }, { rbisTouched }) => {
        book.placing = null;
        record({
          result, moves,
          ...(book.next.playerId ? { playerId: book.next.playerId } : {}),
          ...(rbisTouched ? { rbis } : {}),
          ...(hitLocation ? { hitLocation } : {}),
          ...(hitType ? { hitType } : {}),
        });
        byId("now").querySelector("[data-result], button")?.focus({ preventScroll: true });
      },
    }));
}

function record(body) {
  const { game } = current();
  book.next.hitLocation = null;
  book.next.playerId = null;
  const batter = body.playerId ?? playerUp(game);
  book.queue.push({ kind: "atBat", batter, body: { ...body, revision: game.revision }, bases: game.state ? occupied(game.state.bases).join() : "" });
  const after = current();
  const atBat = after.atBats.at(-1);
  if (atBat) announce(`${playSentence(atBat, book.players.get(atBat.playerId))}. ${after.game.teamScore} to ${after.game.opponentScore}`);
}

function chooseBatter() {
  const { game } = current();
  const close = (playerId) => {
    book.next.playerId = playerId === playerUp(game) ? null : playerId;
    shown.close();
    render();
  };
  const shown = sheet(element("div", { class: "hacktracker-choices" }, game.lineup.map((playerId, index) => element("button", { type: "button", class: "plain", "aria-pressed": String(playerId === (book.next.playerId ?? playerUp(game))), click: () => close(playerId) }, `${index + 1}. ${numberText(book.players.get(playerId))} ${fullName(book.players.get(playerId))}`)), element("a", { class: "button plain", href: `${pageAddress}#lineup` }, "Substitute: change the lineup")), { title: "Who is up?" });
}

function moveRunners() {
  const now = current();
  const { bases } = now.game.state;
  const shown = sheet(runnersEditor({
    bases,
    runnerName: (base) => shortName(runnerOf(bases[base - 1], now, book.players)),
    onSave: ({ moves, how }) => {
      shown.close();
      book.queue.push({ kind: "runners", body: { revision: current().game.revision, moves, how } });
      announce("The runners have moved.");
    },
  }), { title: "Runners between at-bats" });
}

function personalPanel(now) {
  const set = (key) => (value) => {
    book.personal[key] = value;
    render();
  };
  return [
    element("div", { class: "hacktracker-steppers", "data-key": "steppers" },
      stepper({ label: "Inning", key: "inning", value: book.personal.inning, min: 1, max: PERSONAL_INNING_MAX, change: set("inning") }),
      stepper({ label: "Outs", key: "outs", value: book.personal.outs, min: 0, max: 2, change: set("outs") }),
      stepper({ label: "RBIs", key: "rbis", value: book.personal.rbis, min: 0, max: 4, change: set("rbis") }),
      element("label", { class: "hacktracker-check" }, element("input", { type: "checkbox", id: "scored", checked: book.personal.scored, change: ({ target }) => { book.personal.scored = target.checked; } }), "I scored")),
    fieldBox(now),
    hitRow(),
    personalLine(now),
    pad(null, recordPersonal, undoButton(now)),
  ];
}

/** My line in this game, each at-bat of it, and what was recorded last. */
function personalLine({ atBats }) {
  const hits = atBats.filter((atBat) => isHit(atBat.result)).length;
  const counts = atBats.filter((atBat) => !AT_BAT_RESULTS_NOT_COUNTED.includes(atBat.result)).length;
  const sum = (value) => atBats.reduce((total, atBat) => total + Number(value(atBat) ?? 0), 0);
  const runs = sum((atBat) => atBat.scored);
  const rbis = sum((atBat) => atBat.rbis);
  const notes = [counted(atBats.length, "plate appearance"), rbis ? counted(rbis, "RBI") : null, runs ? counted(runs, "run") : null].filter(Boolean);
  const { recorded } = book.personal;
  return element("div", { class: "card hacktracker-my-line", "data-key": "line" },
    element("p", {}, element("b", { id: "my-line" }, atBats.length ? `${hits} for ${counts}` : "No at-bats yet"), " ",
      atBats.length ? element("span", { class: "quiet" }, notes.join(" · ")) : null),
    atBats.length ? element("ol", { "aria-label": "At-bats of this game" }, atBats.map((atBat) => element("li", {},
      element("abbr", { class: `hacktracker-result is-${padKind(atBat.result)}`, title: `${RESULT_NAMES[atBat.result]}, inning ${atBat.inning}` }, atBat.result)))) : null,
    recorded ? element("p", { id: "recorded" }, `${RESULT_NAMES[recorded]} recorded.`) : null);
}

function recordPersonal(result) {
  const isHomeRun = result === "HR";
  const [player] = book.team.players;
  record({
    result, playerId: player.playerId, inning: book.personal.inning, outs: book.personal.outs,
    rbis: isHomeRun ? Math.max(1, book.personal.rbis) : book.personal.rbis, scored: isHomeRun || book.personal.scored,
    ...(isBatted(result) && book.next.hitLocation ? { hitLocation: book.next.hitLocation } : {}),
  });
  Object.assign(book.personal, { rbis: 0, scored: false, recorded: result });
  render();
}
