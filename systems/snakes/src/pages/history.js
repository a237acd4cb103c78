// Events of a game in words.

/** Events are named by what they are in the stored history, and by their message when they are pushed. */
const KINDS = { playerJoined: "joined", playerLeft: "left", gameStarted: "started", playerMoved: "moved", gameEnded: "ended", rematchOffered: "rematch" };

/** One line for an event, or null if there is nothing to say. */
export function describeEvent(event, { players, meId, winnerName }) {
  const name = nameOf(event.playerId, { players, meId }) ?? event.name ?? "A player";
  switch (event.kind ?? KINDS[event.type]) {
    case "created": return `${name} created the game.`;
    case "joined": return `${name} joined.`;
    case "left": return `${name} left.`;
    case "started": return "The game started.";
    case "moved": return `${name} rolled ${event.roll}: ${describeMove(event)}.`;
    case "ended": return describeEnd(event.winnerId, { players, meId, winnerName });
    case "rematch": return "A rematch is open.";
    default: return null;
  }
}

/** The stored history of a game, oldest first. */
export function describeHistory(game, { meId }) {
  const known = { players: game.players, meId, winnerName: game.winnerName };
  return game.history.flatMap((event) => {
    const line = describeEvent(event, known);
    return event.endsGame ? [line, describeEnd(game.winnerId, known)] : [line];
  }).filter(Boolean);
}

function nameOf(id, { players, meId }) {
  if (id === undefined || id === null) return undefined;
  return id === meId ? "You" : players.find((one) => one.id === id)?.name;
}

function describeMove({ from, roll, to, effect }) {
  const start = from === 0 ? "start" : from;
  switch (effect) {
    case "ladder": return `${start} to ${from + roll}, then up the ladder to ${to}`;
    case "snake": return `${start} to ${from + roll}, then down the snake to ${to}`;
    case "overshoot": return `too far, stays on ${start}`;
    default: return `${start} to ${to}`;
  }
}

function describeEnd(winnerId, known) {
  return winnerId ? `${nameOf(winnerId, known) ?? known.winnerName ?? "A player"} won.` : "The game ended.";
}
