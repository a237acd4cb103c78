// Plays on their way to the server. Scoring goes on without a connection: plays wait in the browser,
// in order, each with its Idempotency-Key and the revision of the game that it builds on.
import { Problem, request } from "/assets/http.js";
import { OfflineQueue } from "/assets/queue.js";
import { token } from "/assets/session.js";
import { goToHalf, moveRunners, recordAtBat, setOpponentRuns } from "./rules.js";
import { userId } from "./signed-in.js";

/** The events that a repeated request of the kind leaves, when its first answer got lost. */
const EVENTS = { opponent: "opponentScored", half: "halfChanged" };

/**
 * The queue of a game. An entry is `{ kind, body, inning? }` with the kinds atBat, runners, opponent
 * and half. `onRefused(problem)` is told what stopped it.
 */
export class ScoreQueue {
  #queue;
  #path;
  /** Why the queue stands still: the problem of the first entry. Unknown after a reload. */
  refusal = null;

  constructor(gameId, path, { onChange, onSent }) {
    this.#path = path;
    this.#queue = new OfflineQueue(`hacktracker.${gameId}`, {
      send: (entry, { key }) => this.#send(entry, key),
      onChange,
      onSent,
    });
  }

  /** What waits, for this person. */
  entries() {
    const subject = token.subject();
    return this.#queue?.entries().filter((one) => one.subject === subject) ?? [];
  }

  /** Whether the plays wait until the person signs in again. */
  get needsSignIn() {
    return this.#queue?.needsSignIn ?? false;
  }

  push(entry) {
    return this.#queue.push(entry);
  }

  /** Gives up the last play that waits. */
  dropLast() {
    const last = this.entries().at(-1);
    if (last) this.#queue.drop(last.id);
  }

  /** Gives up everything that waits. */
  dropAll() {
    this.refusal = null;
    for (const one of this.entries().reverse()) this.#queue.drop(one.id);
  }

  /** Sends what waits as the next plays of this game, whatever it has become meanwhile. */
  rebase(game, adapt) {
    const waiting = this.entries().map((one) => one.entry);
    this.dropAll();
    waiting.forEach((entry, index) => {
      const adapted = adapt(entry);
      this.push({ ...adapted, body: { ...adapted.body, revision: game.revision + index } });
    });
  }

  async #send(entry, key) {
    const [method, path] = {
      atBat: ["POST", `${this.#path}/atbats`],
      runners: ["POST", `${this.#path}/runners`],
      opponent: ["PUT", `${this.#path}/opponent/${entry.inning}`],
      half: ["PUT", `${this.#path}/half`],
    }[entry.kind];
    try {
      const answer = await request(method, path, { body: entry.body, headers: method === "POST" ? { "idempotency-key": key } : {} });
      this.refusal = null;
      return answer;
    } catch (error) {
      if (error instanceof Problem && isOwnRepetition(entry, error)) return { game: error.members.game, changed: [] };
      // A play that waits until the person signs in again is not refused.
      if (error instanceof Problem && !error.isTemporary && error.status !== 401) this.refusal = error;
      throw error;
    }
  }
}

/** A PUT whose first answer got lost finds its own change there. */
function isOwnRepetition(entry, { code, members }) {
  const { game } = members;
  return code === "game-moved-on" && game != null && entry.kind in EVENTS
    && game.revision === entry.body.revision + 1
    && game.lastEvent?.kind === EVENTS[entry.kind] && game.lastEvent.by === userId()
    && hasDone(entry, game);
}

/** Whether the game is as the request wants it. The same person may score with another device. */
function hasDone({ kind, inning, body }, game) {
  if (kind === "opponent") return game.opponentRuns?.[inning - 1] === body.runs;
  return game.state?.inning === body.inning && game.state.half === body.half;
}

/** The game as it will be when everything that waits is sent: `{ game, atBats }`. */
export function project({ game, atBats }, waiting) {
  let projected = { game, atBats };
  for (const { id, entry } of waiting) {
    // What the server already has is in the game.
    if (entry.body.revision < projected.game.revision) continue;
    projected = apply(projected, entry, `waiting-${id}`);
  }
  return projected;
}

function apply({ game, atBats }, { kind, body, inning }, atBatId) {
  if (!game.state && kind !== "atBat") return { game, atBats };
  switch (kind) {
    case "atBat": {
      if (!game.state || body.inning) {
        const atBat = { atBatId, gameId: game.gameId, playerId: body.playerId, outs: 0, rbis: 0, moves: [], ...body, sequence: atBats.length + 1, isWaiting: true };
        return { game: { ...game, revision: game.revision + 1, atBatCount: (game.atBatCount ?? 0) + 1 }, atBats: [...atBats, atBat] };
      }
      const recorded = recordAtBat(game, body, atBatId);
      const scorers = new Set(recorded.atBat.moves.filter((move) => move.to === 4).map((move) => move.atBatId));
      const before = atBats.map((atBat) => (scorers.has(atBat.atBatId) ? { ...atBat, scored: true } : atBat));
      return { game: recorded.game, atBats: [...before, { ...recorded.atBat, isWaiting: true }] };
    }
    case "runners": return { game: moveRunners(game, body), atBats };
    case "opponent": return { game: setOpponentRuns(game, inning, body.runs), atBats };
    case "half": return { game: goToHalf(game, body, atBats), atBats };
    default: return { game, atBats };
  }
}
