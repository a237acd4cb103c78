// A small chart of form: a bar for each of the last matches, up for a win, down for a loss.
import { element, shape } from "/assets/dom.js";

const BAR_WIDTH = 7;
const GAP = 4;
/** The height of one game. */
const GAME_HEIGHT = 5;
const MIDDLE = 16;

/** What a margin in games says: +3 is "won 3–0", −2 is "lost 1–3". */
export function describeMargin(margin) {
  return margin > 0 ? `won 3–${3 - margin}` : `lost ${3 + margin}–3`;
}

/** The chart of `[{ date, matchId, margin }]`, oldest first, and the same in words for those who cannot see it. */
export function formChart(form) {
  const width = Math.max(1, form.length) * (BAR_WIDTH + GAP) - GAP;
  return element("span", { class: "fus-form-chart" },
    shape("svg", { viewBox: `0 0 ${width} ${MIDDLE * 2}`, width, height: MIDDLE * 2, "aria-hidden": "true", focusable: "false" },
      shape("line", { x1: 0, x2: width, y1: MIDDLE, y2: MIDDLE, class: "fus-form-line" }),
      form.map(({ margin }, index) => shape("rect", {
        x: index * (BAR_WIDTH + GAP),
        y: margin > 0 ? MIDDLE - margin * GAME_HEIGHT : MIDDLE,
        width: BAR_WIDTH,
        height: Math.abs(margin) * GAME_HEIGHT,
        class: margin > 0 ? "fus-form-won" : "fus-form-lost",
      }))),
    element("span", { class: "visually-hidden" }, `Form: ${form.map(({ margin }) => describeMargin(margin)).join(", ")}`));
}
