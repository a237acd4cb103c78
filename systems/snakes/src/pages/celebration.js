// The end of a game: who came where, and confetti for the winner.
import { element, reducedMotion, shape } from "/assets/dom.js";

const RANKS_SHOWN_MAX = 5;
const PIECES = 60;
const COLORS = ["#f3c969", "#4cc7ad", "#ef6f6c", "#7aa5ff", "#c58bff"];

/** Players by how far they came, behind the winner, who may have left. Equal squares share a rank. */
export function ranking(players, winnerId) {
  const isWinnerGone = Boolean(winnerId) && !players.some((one) => one.id === winnerId);
  const sorted = [...players].sort((one, other) => (other.id === winnerId) - (one.id === winnerId) || other.position - one.position);
  let rank = 0;
  return sorted.map((player, index) => {
    const before = sorted[index - 1];
    if (!before || before.id === winnerId || before.position !== player.position) rank = index + 1 + isWinnerGone;
    return { rank, player };
  });
}

/** The list of the best players, and of oneself; nothing if there is nobody to compare with. */
export function rankingList(players, winner, meId) {
  const all = ranking(players, winner?.id).map(({ rank, player }) => ({ rank, player, square: player.position === 0 ? "start" : String(player.position) }));
  if (winner && !winner.isHere) all.unshift({ rank: 1, player: winner, square: "has left" });
  if (all.length < 2) return null;
  const shown = all.filter(({ player }, index) => index < RANKS_SHOWN_MAX || player.id === meId);
  return element("ol", { class: "snakes-ranking" }, shown.map(({ rank, player, square }) =>
    element("li", { class: player.id === meId ? "is-me" : "" },
      element("span", { class: "rank" }, `${rank}.`),
      element("span", { class: "name" }, player.name, player.id === meId ? " (you)" : ""),
      element("span", { class: "square" }, square))));
}

/** Lets confetti fall inside an element, unless the person wants no motion. */
export function celebrate(place) {
  if (reducedMotion() || document.hidden) return;
  const layer = shape("svg", { class: "snakes-confetti", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
  place.append(layer);
  const falls = Array.from({ length: PIECES }, (_, index) => {
    const piece = shape("rect", { width: 1.6, height: 2.6, fill: COLORS[index % COLORS.length] });
    layer.append(piece);
    const [x, drift, turn] = [Math.random() * 100, Math.random() * 16 - 8, Math.random() * 900 - 450];
    return piece.animate([
      { transform: `translate(${x}px, -5px) rotate(0deg)`, opacity: 1 },
      { transform: `translate(${x + drift}px, 70px) rotate(${turn * 0.7}deg)`, opacity: 1, offset: 0.7 },
      { transform: `translate(${x + drift}px, 104px) rotate(${turn}deg)`, opacity: 0 },
    ], { duration: 1800 + Math.random() * 1800, delay: Math.random() * 700, easing: "cubic-bezier(.3,.1,.7,1)", fill: "both" }).finished;
  });
  Promise.allSettled(falls).then(() => layer.remove());
}
