// A game as the page knows it: changes from the live stream, entries that wait, the result. Pure
// functions over GameView.
import { displayTime, minuteAt } from "./clock.js";

/** Messages after which the whole game is read again: they change more than they carry. */
const READ_AGAIN = ["rosterChanged", "gameChanged", "gameAbandoned", "gameReopened"];

/**
 * Applies a message of the live stream. Returns `{ view, isStale }`: a stale view is shown, but must be
 * read again.
 */
export function applyMessage(view, event, message) {
  if (message.sequence <= view.sequence) return { view, isStale: false };
  if (message.sequence > view.sequence + 1) return { view, isStale: true };
  let { goals, latestEventId } = view;
  let isStale = READ_AGAIN.includes(event);
  if (event === "goalAdded" && message.goal) {
    goals = [...withoutGoal(goals, message.goal.eventId), message.goal];
    latestEventId = message.goal.eventId;
  } else if (event === "goalChanged" && message.goal) {
    goals = [...withoutGoal(goals, message.goal.eventId), message.goal];
  } else if (event === "goalRemoved") {
    const gone = message.eventId ?? message.goal?.eventId;
    goals = withoutGoal(goals, gone);
    // Which goal was entered before this one, only the server knows.
    if (gone === latestEventId) {
      latestEventId = undefined;
      isStale = true;
    }
  }
  const changed = recount({ ...view, sequence: message.sequence, status: message.status, thirds: message.thirds, goals, latestEventId, result: message.result ?? undefined });
  const isRight = (message.score ?? []).every((one) => {
    const team = changed.teams.find(({ teamId }) => teamId === one.teamId);
    return team && team.conceded === one.conceded && team.scored === one.scored;
  });
  return { view: changed, isStale: isStale || !isRight };
}

function withoutGoal(goals, eventId) {
  return goals.filter((goal) => goal.eventId !== eventId);
}

/** Puts goals in the order of the timeline, and counts the score from them. */
export function recount(view) {
  const goals = [...view.goals].sort((one, other) => one.third - other.third || one.gameMinute - other.gameMinute || (one.eventId < other.eventId ? -1 : 1));
  const counted = goals.filter((goal) => !goal.error);
  const count = (team, third) => ({
    conceded: counted.filter((goal) => goal.concedingTeamId === team.teamId && (!third || goal.third === third)).length,
    scored: counted.filter((goal) => goal.scoringTeamId === team.teamId && (!third || goal.third === third)).length,
  });
  const teams = view.teams.map((team) => ({ ...team, ...count(team), byThird: [1, 2, 3].map((third) => count(team, third)) }));
  return { ...view, goals, teams };
}

/**
 * The game with entries that wait in this browser, as it will be once they are sent. Their goals are
 * marked with `waiting`, and refused ones with `error`; `id` is the entry's.
 */
export function withWaiting(view, entries) {
  let changed = view;
  for (const { id, entry, error } of entries) changed = applyEntry(changed, entry, { id, error });
  return changed === view ? view : recount(changed);
}

function applyEntry(view, entry, { id, error }) {
  switch (entry.kind) {
    case "goal": {
      if (view.goals.some((goal) => goal.eventId === entry.body.eventId)) return view;
      const goal = { ...waitingGoal(view, entry.body, entry.scorer), id, waiting: !error, error };
      return { ...view, goals: [...view.goals, goal], latestEventId: error ? view.latestEventId : goal.eventId };
    }
    case "third":
      return error ? view : changeThird(view, entry);
    case "assists":
      return error ? view : { ...view, goals: view.goals.map((goal) => (goal.eventId === entry.eventId ? { ...goal, assists: playerRefs(view, entry.assistPlayerIds), waiting: true } : goal)) };
    case "undo":
    case "remove": {
      if (error || !view.goals.some((goal) => goal.eventId === entry.eventId)) return view;
      return { ...view, goals: withoutGoal(view.goals, entry.eventId), latestEventId: view.latestEventId === entry.eventId ? undefined : view.latestEventId };
    }
    default:
      return view;
  }
}

function changeThird(view, { action, third, at, startedAt, finishedAt }) {
  const thirds = view.thirds.map((one) => {
    if (one.third !== third) return one;
    if (action === "start") return { ...one, startedAt: one.startedAt ?? at };
    if (action === "finish") return { ...one, finishedAt: one.finishedAt ?? at };
    // A time that is left out stays; null takes it back.
    const corrected = (now, change) => (change === undefined ? now : change ?? undefined);
    return { third, startedAt: corrected(one.startedAt, startedAt), finishedAt: corrected(one.finishedAt, finishedAt) };
  });
  const status = view.status === "scheduled" || view.status === "live" ? (thirds[0].startedAt ? "live" : "scheduled") : view.status;
  return { ...view, thirds, status };
}

/** A goal that is not sent yet, as the server would show it. */
function waitingGoal(view, body, scorer) {
  const length = view.thirdLengthMinutes;
  const { startedAt } = view.thirds.find((one) => one.third === body.third) ?? {};
  const gameMinute = body.gameMinute ?? (startedAt ? minuteAt(body.third, startedAt, body.occurredAt, length) : (body.third - 1) * length + 1);
  return {
    eventId: body.eventId,
    third: body.third,
    gameMinute,
    displayTime: displayTime(body.third, gameMinute, length),
    concedingTeamId: body.concedingTeamId,
    scoringTeamId: body.scoringTeamId,
    ownGoal: body.ownGoal,
    // Somebody who is not on a roster any more has a name all the same.
    scorer: body.scorerPlayerId ? scorer ?? playerRefs(view, [body.scorerPlayerId])[0] : null,
    assists: playerRefs(view, body.assistPlayerIds ?? []),
  };
}

function playerRefs(view, ids) {
  const players = view.teams.flatMap((team) => team.roster);
  return ids.map((id) => players.find(({ playerId }) => playerId === id) ?? { playerId: id, nickname: "?" });
}

/** The team with this id. */
export function teamOf(view, teamId) {
  return view.teams.find((team) => team.teamId === teamId) ?? null;
}

/** What a goal was, in a few words for the ear: "DRI conceded, FOG scored, Kite". */
export function goalText(view, goal) {
  const conceding = teamOf(view, goal.concedingTeamId)?.code ?? "?";
  const scoring = goal.ownGoal ? "own goal" : `${teamOf(view, goal.scoringTeamId)?.code ?? "?"} scored`;
  return [`${conceding} conceded`, scoring, goal.scorer?.nickname].filter(Boolean).join(", ");
}

/**
 * The result by the score: `{ outcome, winners, reason }`. The fewest conceded win; among equals the
 * most scored; who is equal in both draws.
 */
export function resultOf(teams) {
  const fewest = Math.min(...teams.map((team) => team.conceded));
  const tied = teams.filter((team) => team.conceded === fewest);
  const most = Math.max(...tied.map((team) => team.scored));
  const winners = tied.filter((team) => team.scored === most);
  const reason = tied.length === 1 ? "fewest conceded" : "level on conceded, most scored";
  return { outcome: winners.length === 1 ? "win" : "draw", winners, reason };
}

/** The result as a sentence: "FOG wins: fewest conceded" or "Draw: ANC and FOG". */
export function resultText(teams) {
  const { outcome, winners, reason } = resultOf(teams);
  const codes = winners.map((team) => team.code);
  if (outcome === "win") return `${codes[0]} wins: ${reason}`;
  return `Draw: ${codes.slice(0, -1).join(", ")} and ${codes.at(-1)}`;
}

/** Why a game was abandoned, in a word or two. */
export function abandonedReason(abandoned) {
  return ["weather", "light", "injury", "no-show"].includes(abandoned?.reason) ? abandoned.reason : "other reason";
}

/** Why a game was abandoned, as it is shown. */
export function abandonedText(abandoned) {
  return `Abandoned (${abandonedReason(abandoned)}). Does not count.`;
}
