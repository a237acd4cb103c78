// What an audit record says, in words.
import { dayText, momentText, timeText } from "/assets/time.js";
import { displayTime } from "./clock.js";
import { abandonedReason } from "./game-state.js";

/**
 * What has changed: "T1 3' FOG against DRI → T2 5' FOG against DRI", or "" if the action says it all.
 * `length` is that of the game's thirds; `teams` and `sessions` are those of the season; `names` are
 * nicknames by player id.
 */
export function changeText({ before, after }, { length, teams, sessions, names }) {
  const code = (teamId) => teams.find((team) => team.teamId === teamId)?.code ?? "?";
  const name = (playerId) => names.get(playerId) ?? playerId;
  if ((before ?? after)?.concedingTeamId) return arrow([before, after].filter(Boolean).map((goal) => goalText(goal, { length, code, name })));
  if ((before ?? after)?.playerId) return `${name((before ?? after).playerId)}, ${arrow([before, after].map((place) => (place ? code(place.teamId) : "no team")))}`;
  if (before?.third) return `third ${before.third}, ${arrow([before, after].map(timesText))}`;
  if (!after) return "";
  return gameText(before, after, { code, sessions });
}

function arrow(texts) {
  return texts.join(" → ");
}

function goalText(goal, { length, code, name }) {
  const what = goal.ownGoal ? `own goal (${code(goal.concedingTeamId)})` : `${code(goal.scoringTeamId)} against ${code(goal.concedingTeamId)}`;
  const scorer = goal.scorerPlayerId ? name(goal.scorerPlayerId) : "no name";
  const assists = goal.assistPlayerIds?.length ? ` (assist: ${goal.assistPlayerIds.map(name).join(", ")})` : "";
  return `T${goal.third} ${displayTime(goal.third, goal.gameMinute, length)} ${what}, ${scorer}${assists}`;
}

/** From when to when a third was played. */
function timesText(third) {
  if (!third?.startedAt) return "not started";
  return `${timeText(third.startedAt)}–${third.finishedAt ? timeText(third.finishedAt) : ""}`;
}

/** The parts of a game that are shown if they have changed, and how. */
function gameText(before, after, { code, sessions }) {
  const day = (sessionId) => {
    const session = sessions.find((one) => one.sessionId === sessionId);
    return session ? dayText(session.sessionDate) : "?";
  };
  const parts = [
    ["kick-off", (game) => momentText(game.gameStartTs)],
    ["session", (game) => day(game.sessionId)],
    ["pitch", (game) => game.pitch ?? "none"],
    ["teams", (game) => game.teamIds.map(code).join(" ")],
    ["thirds of", (game) => `${game.thirdLengthMinutes} minutes`],
    ["result", (game) => resultText(game, code)],
  ];
  return parts
    .map(([name, of]) => [name, before ? of(before) : "", of(after)])
    .filter(([, old, now]) => old !== now)
    .map(([name, old, now]) => `${name} ${arrow([old, now])}`)
    .join(", ");
}

function resultText({ status, result, abandoned }, code) {
  if (status === "abandoned") return `abandoned (${[abandonedReason(abandoned), abandoned?.note].filter(Boolean).join(": ")})`;
  if (!result) return "open";
  if (result.winnerTeamId) return `${code(result.winnerTeamId)} wins`;
  return `draw of ${result.teams.filter((team) => team.outcome === "draw").map((team) => code(team.teamId)).join(" and ")}`;
}
