// Undo: of plays that wait in the browser, and of those that the server has.
import { announce, byId, element } from "/assets/dom.js";
import { request } from "/assets/http.js";
import { previousHalf } from "./rules.js";
import { book, current, path, render, reread } from "./score-book.js";
import { attempt } from "./signed-in.js";

/** What undo would take back: `{ text, run }`, or null. */
export function undoable({ game, atBats }) {
  const waiting = book.queue.entries();
  const last = waiting.at(-1)?.entry;
  if (last) {
    const text = last.kind === "atBat" ? last.body.result : last.kind === "runners" ? last.body.how : last.kind === "opponent" ? "runs" : "half";
    return { text, run: () => { book.queue.dropLast(); book.personal.recorded = null; render(); } };
  }
  const atBat = lastAtBat(atBats);
  if (!atBat) return null;
  if (!book.team.isPersonal) {
    const { state } = game;
    const before = previousHalf(state, game.homeAway);
    const isHere = state.half === "TEAM" && atBat.inning === state.inning;
    const isJustOver = state.half === "OPPONENT" && before?.inning === atBat.inning && !game.opponentRuns?.[state.inning - 1];
    if (!isHere && !isJustOver) return null;
  }
  const how = atBat.moves?.at(-1)?.how;
  return { text: how ?? atBat.result, run: undo };
}

function lastAtBat(atBats) {
  return [...atBats].sort((one, other) => one.inning - other.inning || one.sequence - other.sequence).at(-1);
}

export function undoButton(now) {
  const last = undoable(now);
  return last ? element("button", { type: "button", class: "plain hacktracker-undo", "data-key": "undo", id: "undo", click: undoLast }, `Undo ${last.text}`) : null;
}

/** Takes back what is last now: what waited when the button was made may have been sent since. */
export function undoLast() {
  undoable(current())?.run();
}

async function undo() {
  await attempt(async () => {
    await request("POST", `${path}/undo`, { body: { revision: book.view.game.revision }, once: true });
    book.personal.recorded = null;
    await reread();
    announce("Taken back.");
  }, { near: byId("notices") });
}
