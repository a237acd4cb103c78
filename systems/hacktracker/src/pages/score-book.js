// The game that is being scored: what the server has, what waits, and what the scorer has chosen.
import { byId } from "/assets/dom.js";
import { showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { project } from "./score-queue.js";
import { addressParts } from "./signed-in.js";

export const [gameId] = addressParts();
export const path = `${base}/games/${encodeURIComponent(gameId)}`;
export const pageAddress = `${base}/game/${encodeURIComponent(gameId)}`;

export const book = {
  team: null,
  /** What the server has: the answer of GET /games/{g}. */
  view: null,
  players: new Map(),
  /** First names of the members. */
  names: new Map(),
  queue: null,
  /** What the scorer has chosen for the next at-bat. */
  next: { hitLocation: null, playerId: null, wantsDetails: false },
  /** The same for a game of one's own, where nothing follows from runners. */
  personal: { inning: 1, outs: 0, rbis: 0, scored: false, recorded: null },
  /** The play whose runners are being placed: its result, or null. */
  placing: null,
};
let isReading = false;
let draw = () => {};

/** What shows the page again after a change. */
export function onRender(work) {
  draw = work;
}

/** Shows the page again, once the game is read. */
export function render() {
  if (book.team && book.queue) draw();
}

export const nameOf = (id) => book.names.get(id) ?? "Somebody";

export function show(newer) {
  if (newer.game.revision < book.view.game.revision) return;
  book.view = newer;
  for (const player of newer.players ?? []) book.players.set(player.playerId, player);
  render();
}

export async function reread() {
  if (isReading) return;
  isReading = true;
  try {
    show(await request("GET", path));
  } catch (error) {
    if (!error.isUnreachable) showProblem(error, { near: byId("notices") });
  } finally {
    isReading = false;
  }
}

/** Takes the answer of a scoring request into what the page knows. */
export function take({ game, atBat, changed = [], issues }) {
  if (!game || game.revision < book.view.game.revision) {
    render();
    return;
  }
  const isGap = game.revision > book.view.game.revision + 1;
  const known = new Map(book.view.atBats.map((one) => [one.atBatId, one]));
  for (const one of [...changed, ...(atBat ? [atBat] : [])]) known.set(one.atBatId, one);
  book.view = { ...book.view, game, atBats: [...known.values()], issues: issues ?? book.view.issues };
  render();
  if (isGap) reread();
}

/** The game as the scorer sees it, with the plays that wait. Those behind a refusal are not counted. */
export function current() {
  const waiting = book.queue.entries();
  return { ...book.view, ...project(book.view, waiting.some((one) => one.error) ? [] : waiting) };
}
