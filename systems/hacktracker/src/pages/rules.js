// The scoring rules, as the server has them: enough to propose what runners do, and to go on scoring
// without a connection. The server decides; a browser test compares both over random games.
//
// Bases are `[first, second, third]`, each the id of the at-bat that put the runner there, or null.
// A move is `{ from, to }`: 0 is the batter in `from` and an out in `to`, 4 is home.

export const RESULTS = ["1B", "2B", "3B", "HR", "BB", "HBP", "K", "OUT", "SAC", "FC", "E"];
export const HIT_TYPES = ["fly_ball", "ground_out", "line_drive", "pop_up", "bunt"];
export const OUT = 0;
export const HOME = 4;
const HALF_OUTS = 3;
const INNINGS_MAX = 30;

const HIT_BASES = { "1B": 1, "2B": 2, "3B": 3, HR: 4 };
/** Results without a batted ball: they have no hit location and no hit type. */
const NOT_BATTED = ["K", "BB", "HBP"];

export function isBatted(result) {
  return !NOT_BATTED.includes(result);
}

export function isHit(result) {
  return result in HIT_BASES;
}

/** The bases that are taken, as numbers. */
export function occupied(bases) {
  return [1, 2, 3].filter((base) => bases[base - 1] != null);
}

/** Whether a result cannot happen here, whatever the runners do. */
export function isImpossible(result, { bases, outs }) {
  const isEmpty = occupied(bases).length === 0;
  if (result === "SAC") return isEmpty || outs >= 2;
  return result === "FC" && isEmpty;
}

/** Where the batter may end. */
export function batterChoices(result) {
  if (result === "OUT") return [OUT];
  if (result === "HR") return [HOME];
  if (result === "BB" || result === "HBP") return [1, 2, 3, HOME];
  return [OUT, 1, 2, 3, HOME];
}

/** Where the runner on a base may end: never back. */
export function runnerChoices(from) {
  return [OUT, 1, 2, 3, HOME].filter((to) => to === OUT || to >= from);
}

/** Whether all bases behind this one are taken, so that a batter who reaches first pushes the runner on. */
function isForced(base, bases) {
  return occupied(bases).filter((one) => one < base).length === base - 1;
}

/** What batter and runners do unless the scorer says otherwise. */
export function defaultMoves(result, { bases, outs, hitType }) {
  const runners = occupied(bases);
  const lead = runners.at(-1);
  const advance = (count) => runners.map((from) => ({ from, to: Math.min(from + count, HOME) }));
  const stay = () => runners.map((from) => ({ from, to: from }));
  const force = () => runners.map((from) => ({ from, to: isForced(from, bases) ? from + 1 : from }));
  switch (result) {
    case "1B": case "2B": case "3B": case "HR": {
      const count = HIT_BASES[result];
      return [{ from: 0, to: count }, ...advance(count >= 3 ? HOME : count)];
    }
    case "BB": case "HBP":
      return [{ from: 0, to: 1 }, ...force()];
    case "SAC": {
      if (outs + 1 >= HALF_OUTS) return [{ from: 0, to: OUT }, ...stay()];
      if (hitType === "bunt") return [{ from: 0, to: OUT }, ...advance(1)];
      return [{ from: 0, to: OUT }, ...stay().map((move) => (move.from === lead ? { ...move, to: lead + 1 } : move))];
    }
    case "FC": {
      const isThird = outs + 1 >= HALF_OUTS;
      const gone = bases[0] != null ? 1 : lead;
      const others = bases[0] != null && !isThird ? force() : stay();
      return [{ from: 0, to: 1 }, ...others.map((move) => (move.from === gone ? { ...move, to: OUT } : move))];
    }
    case "E":
      return [{ from: 0, to: 1 }, ...advance(1)];
    default:
      return [{ from: 0, to: OUT }, ...stay()];
  }
}

/** A double play: batter and runner from first out, the others as by default. */
export function doublePlay(moves) {
  return moves.map((move) => (move.from <= 1 ? { ...move, to: OUT } : move));
}

/**
 * The moves of a play: those that the scorer named, and for the others the default. Whoever is not
 * named is pushed on when the base behind fills.
 */
export function settle(named, defaults) {
  let behind = 0;
  return defaults.map((move) => {
    const chosen = named?.find((one) => one.from === move.from);
    let { to } = chosen ?? move;
    if (!chosen && move.from > 0 && to !== OUT && to !== HOME && to <= behind) to = Math.min(behind + 1, HOME);
    if (to !== OUT) behind = Math.max(behind, to);
    return { from: move.from, to };
  });
}

export function runsOf(moves) {
  return moves.filter((move) => move.to === HOME).length;
}

export function outsOf(moves) {
  return moves.filter((move) => move.to === OUT).length;
}

/** The RBIs that a play is proposed to have. */
export function proposedRbis(result, moves) {
  if (result === "E" || result === "K") return 0;
  if (result === "OUT" && outsOf(moves) >= 2) return 0;
  return runsOf(moves);
}

/** Why these moves cannot be, or null. */
export function problemWith(result, moves, { bases, outs, hitLocation, hitType }) {
  if (isImpossible(result, { bases, outs })) {
    return result === "SAC" ? "A sacrifice needs a runner and fewer than two outs" : "A fielder's choice needs a runner";
  }
  if (!isBatted(result) && (hitLocation || hitType)) return "This result has no batted ball";
  const batter = moves.find((move) => move.from === 0);
  if (batter && !batterChoices(result).includes(batter.to)) return "The batter cannot end there with this result";
  if (outs + outsOf(moves) > HALF_OUTS) return `There would be ${outs + outsOf(moves)} outs`;
  if (moves.some((move) => move.to !== OUT && move.from > 0 && move.to < move.from)) return "A runner cannot go back";
  return areCrossed(moves) ? "Two runners cannot be on one base, and none can be passed" : null;
}

/** Whether two end on one base, or one passes another. Moves are in the order of the bases. */
export function areCrossed(moves) {
  let behind = 0;
  for (const { to } of moves) {
    if (to === OUT) continue;
    if (to !== HOME && to <= behind) return true;
    behind = Math.max(behind, to);
  }
  return false;
}

/** The bases after a play. The batter is named by his at-bat. */
export function basesAfter(bases, moves, batterId) {
  const after = [null, null, null];
  for (const { from, to } of moves) {
    if (to >= 1 && to <= 3) after[to - 1] = from === 0 ? batterId : bases[from - 1];
  }
  // Runners who are not named stay where they are.
  for (const base of occupied(bases)) {
    if (!moves.some((move) => move.from === base)) after[base - 1] ??= bases[base - 1];
  }
  return after;
}

/** The half after this one. We bat first unless we are at home. */
export function nextHalf({ inning, half }, homeAway) {
  const isSecond = isTop({ half }, homeAway) === false;
  return { inning: isSecond ? inning + 1 : inning, half: half === "TEAM" ? "OPPONENT" : "TEAM" };
}

/** The half before this one, or null at the beginning. */
export function previousHalf({ inning, half }, homeAway) {
  const isFirst = isTop({ half }, homeAway);
  if (isFirst && inning === 1) return null;
  return { inning: isFirst ? inning - 1 : inning, half: half === "TEAM" ? "OPPONENT" : "TEAM" };
}

export function isTop({ half }, homeAway) {
  return (half === "TEAM") === (homeAway !== "HOME");
}

function total(runs) {
  return (runs ?? []).reduce((sum, one) => sum + one, 0);
}

/** A game with its scores computed from its runs; while there is nothing, they are as set by hand. */
function scored(game) {
  const { handScore } = game;
  if (handScore && !game.atBatCount && !total(game.opponentRuns)) return { ...game, teamScore: handScore.team, opponentScore: handScore.opponent };
  return { ...game, teamScore: total(game.teamRuns), opponentScore: total(game.opponentRuns) };
}

/**
 * Opens a half, and gives it its place in the line score. One of ours that has at-bats goes on where it
 * was; one that has three outs is passed over.
 */
function enter(game, { inning, half }, placed, atBats = []) {
  const key = half === "TEAM" ? "teamRuns" : "opponentRuns";
  const runs = [...(game[key] ?? [])];
  while (runs.length < Math.min(inning, INNINGS_MAX)) runs.push(0);
  const opened = { ...game, [key]: runs, placed: placed ? { ...game.placed, [inning]: placed } : game.placed };
  const own = half === "TEAM" ? atBats.filter((atBat) => atBat.inning === inning) : [];
  const outs = outsIn(own, inning);
  if (outs >= HALF_OUTS) return enter(opened, nextHalf({ inning, half }, game.homeAway));
  const { bases } = half === "TEAM" ? situationBefore(own, { inning, sequence: Infinity }, opened.placed) : { bases: [null, null, null] };
  return { ...opened, state: { ...game.state, inning, half, outs, bases, atBats: own.length } };
}

/** Adds runs and outs to the team's half, and ends it with the third out. */
function play(game, moves, batterId) {
  const { state } = game;
  const teamRuns = [...(game.teamRuns ?? [])];
  while (teamRuns.length < state.inning) teamRuns.push(0);
  teamRuns[state.inning - 1] += runsOf(moves);
  const outs = state.outs + outsOf(moves);
  const played = { ...game, teamRuns, state: { ...state, outs, bases: basesAfter(state.bases, moves, batterId) } };
  return outs < HALF_OUTS ? played : enter(played, nextHalf(state, game.homeAway));
}

/** The slot that is up, 1 for the first, of a game with a lineup. */
export function slotUp(game) {
  return game.state?.nextBattingOrder ?? 1;
}

/** The player who is up. */
export function playerUp(game) {
  return game.lineup[slotUp(game) - 1] ?? null;
}

/**
 * Records an at-bat in a game of a team: the game after it, and the at-bat. `entry` is what the
 * request has: `{ result, playerId?, hitLocation?, hitType?, rbis?, moves? }`.
 */
export function recordAtBat(game, entry, atBatId) {
  const { state } = game;
  const moves = settle(entry.moves, defaultMoves(entry.result, { ...state, hitType: entry.hitType }));
  const playerId = entry.playerId ?? playerUp(game);
  const slot = game.lineup.indexOf(playerId) + 1 || slotUp(game);
  const rbis = entry.rbis ?? proposedRbis(entry.result, moves);
  const atBat = {
    gameId: game.gameId, atBatId, playerId, teamId: game.teamId, inning: state.inning, outs: state.outs, result: entry.result, rbis,
    hitLocation: entry.hitLocation, hitType: entry.hitType, battingOrder: slot, sequence: state.atBats + 1,
    moves: moves.map((move) => ({ atBatId: move.from === 0 ? atBatId : state.bases[move.from - 1], ...move })),
    scored: moves.some((move) => move.from === 0 && move.to === HOME),
  };
  const counted = { ...game, state: { ...state, nextBattingOrder: (slot % game.lineup.length) + 1, atBats: state.atBats + 1 } };
  const after = play(counted, moves, atBatId);
  return { game: scored({ ...after, atBatCount: (game.atBatCount ?? 0) + 1, revision: game.revision + 1 }), atBat };
}

/** Moves runners between at-bats. */
export function moveRunners(game, { moves }) {
  return scored({ ...play(game, settle(moves, occupied(game.state.bases).map((from) => ({ from, to: from }))), null), revision: game.revision + 1 });
}

/** Sets the opponent's runs of an inning. */
export function setOpponentRuns(game, inning, runs) {
  const opponentRuns = [...(game.opponentRuns ?? [])];
  while (opponentRuns.length < inning) opponentRuns.push(0);
  opponentRuns[inning - 1] = runs;
  return scored({ ...game, opponentRuns, revision: game.revision + 1 });
}

/** Goes to the next half, which may have at-bats of its own. Only the server goes back. */
export function goToHalf(game, { inning, half, placedRunner }, atBats = []) {
  const endedEarly = game.state.half === "TEAM" ? [...new Set([...(game.endedEarly ?? []), game.state.inning])] : game.endedEarly;
  return scored({ ...enter({ ...game, endedEarly }, { inning, half }, placedRunner, atBats), revision: game.revision + 1 });
}

/** The situation before an at-bat of an inning: bases and outs, from the moves before it. */
export function situationBefore(atBats, { inning, sequence }, placed) {
  let bases = [null, placed?.[inning] ? "PLACED" : null, null];
  let outs = 0;
  for (const atBat of atBats) {
    if (atBat.inning !== inning || atBat.sequence >= sequence) continue;
    for (const group of movesInSteps(atBat)) {
      bases = basesAfter(bases, group, atBat.atBatId);
      outs += outsOf(group);
    }
  }
  return { bases, outs: Math.min(outs, 2) };
}

/** All outs of our half of an inning: more than three if the book is wrong. */
export function outsIn(atBats, inning) {
  return atBats.filter((atBat) => atBat.inning === inning).reduce((sum, atBat) => sum + outsOf(atBat.moves ?? []), 0);
}

/** The moves of the play itself, and after it each move between at-bats. */
function movesInSteps({ moves = [] }) {
  const steps = [moves.filter((move) => !move.how), ...moves.filter((move) => move.how).map((move) => [move])];
  return steps.filter((step) => step.length > 0);
}

/** Whether the rules say that the game may be over, so that "Finish?" is proposed. */
export function mayBeOver(game) {
  const { state } = game;
  if (game.status !== "IN_PROGRESS" || !state) return false;
  const last = game.regulationInnings ?? 7;
  const isHome = game.homeAway === "HOME";
  const [home, away] = isHome ? [game.teamScore, game.opponentScore] : [game.opponentScore, game.teamScore];
  if (!isTop(state, game.homeAway)) return state.inning >= last && home > away;
  const isUntouched = state.half === "TEAM" ? state.atBats === 0 && !game.teamRuns?.[state.inning - 1] : !game.opponentRuns?.[state.inning - 1];
  return state.inning > last && isUntouched && home !== away;
}
