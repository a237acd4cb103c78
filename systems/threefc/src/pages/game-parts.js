// What the pages of a game share: goals as lines, rosters, the pitch.
import { element, shape } from "/assets/dom.js";
import { teamOf } from "./game-state.js";
import { byNumber, COLORS, playerText, swatch, teamTag } from "./teams.js";

/** What a goal was, for the eye and, in words, for the ear. */
export function goalLine(view, goal) {
  const conceding = teamOf(view, goal.concedingTeamId);
  const scoring = teamOf(view, goal.scoringTeamId);
  const assists = goal.assists?.length ? ` (assist: ${goal.assists.map((one) => one.nickname).join(", ")})` : "";
  const who = element("span", { class: "threefc-who" }, goal.scorer?.nickname ?? element("span", { class: "quiet" }, "No name"), assists ? element("span", { class: "quiet" }, assists) : null);
  return [
    element("span", { class: "threefc-when" },
      element("span", { class: "visually-hidden" }, `Third ${goal.third}, minute `),
      element("span", { class: "threefc-third", "aria-hidden": "true" }, `T${goal.third} `), goal.displayTime),
    element("span", { class: "threefc-what" }, goal.ownGoal
      ? [element("span", {}, "Own goal:"), who, teamTag(conceding, { isShort: true })]
      : [teamTag(scoring, { isShort: true }), element("span", { class: "threefc-against" }, element("span", { "aria-hidden": "true" }, "›"), element("span", { class: "visually-hidden" }, "scored against")), teamTag(conceding, { isShort: true }), who]),
  ];
}

/** The rosters of the three teams. */
export function rosters(view) {
  return view.teams.map((team) => element("section", { class: "threefc-roster" },
    element("h3", {}, teamTag(team)),
    team.roster.length
      ? element("ul", {}, [...team.roster].sort(byNumber).map((player) => element("li", {}, playerText(player))))
      : element("p", { class: "quiet" }, "No squad yet. Goals can be entered without names.")));
}

/** The corners of a regular hexagon with a corner on top, around 0, 0. */
const CORNERS = [0, 1, 2, 3, 4, 5].map((index) => {
  const angle = (Math.PI / 180) * (60 * index - 90);
  return [100 * Math.cos(angle), 100 * Math.sin(angle)];
});
/** The team whose third has the corner on top stands first; the others follow clockwise. */
const THIRDS = [[5, 0, 1], [1, 2, 3], [3, 4, 5]];

/**
 * The pitch from above: a hexagon in three thirds, each in the colour of the team that defends it,
 * with what it has conceded. The table beside it says the same in words.
 */
export function drawPitch(svg, view) {
  svg.setAttribute("viewBox", "-104 -104 208 208");
  svg.setAttribute("aria-hidden", "true");
  svg.replaceChildren(...view.teams.map((team, index) => {
    const corners = THIRDS[index].map((corner) => CORNERS[corner]);
    const color = COLORS.includes(team.color) ? team.color : "white";
    const [x, y] = corners[1].map((value) => value * 0.5);
    const path = `M0 0L${corners.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L")}Z`;
    // The goal is on the side that follows the middle corner.
    const [from, to] = [corners[0], corners[1]];
    const at = (part) => from.map((value, axis) => (value + (to[axis] - value) * part).toFixed(1)).join(" ");
    return shape("g", { class: `threefc-area threefc-area-${color}` },
      shape("path", { d: path, class: "threefc-area-ground" }),
      ...marks(color, x, y),
      shape("path", { d: `M${at(0.36)}L${at(0.64)}`, class: "threefc-goal-line" }),
      shape("text", { x, y: y - 18, class: "threefc-area-code" }, team.code),
      shape("text", { x, y: y + 20, class: "threefc-area-count" }, String(team.conceded)));
  }), shape("path", { d: `M${CORNERS.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L")}Z`, class: "threefc-pitch-edge" }));
}

/** The pattern of a colour, as a few strokes beside the number. */
function marks(color, x, y) {
  const lines = {
    red: ["M-8 -3H8M-8 3H8M-3 -8V8M3 -8V8"],
    blue: ["M-6 0h.1M0 0h.1M6 0h.1M-3 -5h.1M3 -5h.1M-3 5h.1M3 5h.1"],
    yellow: ["M-8 5L-2 -5M-3 5L3 -5M2 5L8 -5"],
    green: ["M-8 -4H8M-8 0H8M-8 4H8"],
    orange: ["M-6 -6V6M-2 -6V6M2 -6V6M6 -6V6"],
    purple: ["M-8 -5L-2 5M-3 -5L3 5M2 -5L8 5"],
    black: [],
    white: ["M-7 -7H7V7H-7Z"],
  }[color] ?? [];
  return lines.map((d) => shape("path", { d, transform: `translate(${(x * 1).toFixed(1)} ${(y + 36).toFixed(1)})`, class: "threefc-area-mark" }));
}

/** One game as a line of a list: time, teams with what they have conceded, and how it stands. */
export function gameRow(row, teams, { href, time }) {
  const status = { scheduled: "", live: "Live", finished: row.outcome === "draw" ? "Draw" : "Final", abandoned: "Abandoned" }[row.status] ?? "";
  const isScored = row.status === "live" || row.status === "finished";
  return element("a", { href, class: `threefc-row threefc-row-${row.status}` },
    element("span", { class: "threefc-row-time" }, time, status ? element("span", { class: `badge threefc-status-${row.status}` }, status) : null),
    element("span", { class: "threefc-row-teams" }, ...row.teamIds.map((teamId) => {
      const team = teams.find((one) => one.teamId === teamId);
      const score = row.score?.find((one) => one.teamId === teamId);
      const isWinner = row.winnerTeamId === teamId;
      return element("span", { class: isWinner ? "is-winner" : null }, swatch(team?.color), element("b", {}, team?.code ?? "?"),
        isScored ? [" ", element("span", { class: "threefc-row-score" }, String(score?.conceded ?? 0)), element("span", { class: "visually-hidden" }, " conceded", isWinner ? ", winner" : "")] : null);
    }), isScored ? element("span", { class: "threefc-row-note", "aria-hidden": "true" }, "conceded") : null));
}
