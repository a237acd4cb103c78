// Small SVG charts, each with an equivalent table for screen readers.
import { element, shape } from "./dom.js";

/** Charts are drawn for the width that they are shown at, so that their text is as large as other text. */
const WIDTH_USUAL = 640;
const WIDTH_MIN = 280;
const HEIGHT = 300;
const MARGIN = { top: 12, right: 28, bottom: 44, left: 48 };
/** The height of a line of text above the drawing: the label of the axis, or the legend. */
const LINE_HEIGHT = 26;

function widthOf(svg) {
  return Math.max(WIDTH_MIN, svg.clientWidth || WIDTH_USUAL);
}

/**
 * Lines over an axis of numbers or dates. `series` is `[{ name, points: [[x, y], …] }]`; `x` and `y`
 * are `{ label, format }`.
 */
export function lineChart(svg, { title, series, x = {}, y = {} }) {
  const points = series.flatMap((one) => one.points);
  const frame = begin(svg, { title, names: series.map((one) => one.name), xs: extent(points.map(([at]) => at)), ys: niceExtent(points.map(([, value]) => value)), x, y });
  series.forEach((one, index) => {
    const path = one.points.map(([at, value]) => `${frame.toX(at).toFixed(1)} ${frame.toY(value).toFixed(1)}`).join("L");
    if (path) svg.append(shape("path", { d: `M${path}`, class: `chart-line chart-${index % 6}` }));
    // Mark the points if there are few: a single point makes no line.
    if (one.points.length <= 40) {
      svg.append(...one.points.map(([at, value]) => shape("circle", { cx: frame.toX(at), cy: frame.toY(value), r: 3.5, class: `chart-dot chart-${index % 6}` })));
    }
  });
  const formatX = x.format ?? String;
  const formatY = y.format ?? String;
  table(svg, title, ["Series", x.label ?? "x", y.label ?? "y"], series.flatMap((one) => one.points.map(([at, value]) => [one.name, formatX(at), formatY(value)])));
}

/** One bar for each of `bars`: `[{ label, value }]`. `y` is `{ label, format }`. */
export function barChart(svg, { title, bars, y = {} }) {
  const ys = niceExtent([0, ...bars.map((bar) => bar.value)]);
  const frame = begin(svg, { title, names: [], xs: [0, Math.max(1, bars.length)], ys, x: { ticks: [] }, y });
  const step = frame.toX(1) - frame.toX(0);
  bars.forEach((bar, index) => {
    const left = frame.toX(index) + step * 0.15;
    const [from, to] = [frame.toY(Math.max(0, ys[0])), frame.toY(bar.value)];
    svg.append(
      shape("rect", { x: left, y: Math.min(from, to), width: step * 0.7, height: Math.max(1, Math.abs(from - to)), class: "chart-bar chart-0" }),
      shape("text", { x: left + step * 0.35, y: HEIGHT - MARGIN.bottom + 18, class: "chart-tick chart-middle" }, shorten(bar.label, step)));
  });
  const format = y.format ?? String;
  table(svg, title, ["Name", y.label ?? "Value"], bars.map((bar) => [bar.label, format(bar.value)]));
}

/**
 * Where balls were hit on a field seen from above: `hits` is `[{ x, y, kind, label }]`, with home at
 * 0, 0, the middle of the outfield at 0, 1, and the foul lines at 45 degrees. `kinds` names the kinds
 * in the order of their colours.
 */
export function sprayChart(svg, { title, hits, kinds = [...new Set(hits.map((hit) => hit.kind))] }) {
  describe(svg, title);
  svg.classList.add("chart-spray");
  const width = widthOf(svg);
  const reach = width * 0.64;
  const home = { x: width / 2, y: LINE_HEIGHT * 2 + reach };
  const at = (x, y) => [home.x + x * reach, home.y - y * reach];
  const [[leftX, leftY], [rightX, rightY]] = [at(-Math.SQRT1_2, Math.SQRT1_2), at(Math.SQRT1_2, Math.SQRT1_2)];
  svg.setAttribute("viewBox", `0 0 ${width} ${home.y + 20}`);
  const inner = 0.32;
  const diamond = [at(0, 0), at(inner * Math.SQRT1_2, inner * Math.SQRT1_2), at(0, inner * Math.SQRT2), at(-inner * Math.SQRT1_2, inner * Math.SQRT1_2)];
  svg.replaceChildren(
    shape("path", { d: `M${home.x} ${home.y}L${leftX} ${leftY}A${reach} ${reach} 0 0 1 ${rightX} ${rightY}Z`, class: "chart-field" }),
    shape("path", { d: `M${diamond.map((point) => point.join(" ")).join("L")}Z`, class: "chart-infield" }),
    ...legend(kinds, width, 0),
    ...hits.map((hit) => {
      const [cx, cy] = at(hit.x, hit.y);
      return mark(cx, cy, kinds.indexOf(hit.kind), hit.label ?? hit.kind);
    }));
  table(svg, title, ["Hit", "Kind", "Direction", "Distance"], hits.map((hit, index) => [hit.label ?? String(index + 1), hit.kind, direction(hit), Math.hypot(hit.x, hit.y).toFixed(2)]));
}

function direction({ x, y }) {
  const angle = (Math.atan2(x, y) * 180) / Math.PI;
  if (Math.abs(angle) > 45) return "foul";
  return ["left", "centre", "right"][Math.min(2, Math.floor((angle + 45) / 30))];
}

/** Kinds differ in shape and not in colour alone. */
function mark(x, y, kind, label) {
  const index = Math.max(0, kind);
  const name = { class: `chart-mark chart-${index % 6}` };
  const made = [
    () => shape("circle", { ...name, cx: x, cy: y, r: 7 }),
    () => shape("rect", { ...name, x: x - 6, y: y - 6, width: 12, height: 12 }),
    () => shape("path", { ...name, d: `M${x} ${y - 8}L${x + 8} ${y + 6}L${x - 8} ${y + 6}Z` }),
    () => shape("path", { ...name, d: `M${x} ${y - 9}L${x + 9} ${y}L${x} ${y + 9}L${x - 9} ${y}Z` }),
  ][index % 4]();
  if (label) made.append(shape("title", {}, label));
  return made;
}

function begin(svg, { title, names, xs, ys, x, y }) {
  describe(svg, title);
  const width = widthOf(svg);
  svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  svg.replaceChildren();
  const legendTop = y.label ? LINE_HEIGHT : 0;
  const top = MARGIN.top + legendTop + (names.length > 1 ? LINE_HEIGHT : 0);
  const toX = (value) => MARGIN.left + ((value - xs[0]) / (xs[1] - xs[0] || 1)) * (width - MARGIN.left - MARGIN.right);
  const toY = (value) => HEIGHT - MARGIN.bottom - ((value - ys[0]) / (ys[1] - ys[0] || 1)) * (HEIGHT - MARGIN.bottom - top);
  const [formatX, formatY] = [x.format ?? String, y.format ?? String];
  for (const value of ticks(ys)) {
    svg.append(
      shape("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: toY(value), y2: toY(value), class: "chart-grid" }),
      shape("text", { x: MARGIN.left - 8, y: toY(value) + 4, class: "chart-tick chart-end" }, formatY(value)));
  }
  for (const value of x.ticks ?? ticks(xs)) {
    svg.append(shape("text", { x: toX(value), y: HEIGHT - MARGIN.bottom + 18, class: "chart-tick chart-middle" }, formatX(value)));
  }
  if (x.label) svg.append(shape("text", { x: (MARGIN.left + width - MARGIN.right) / 2, y: HEIGHT - 6, class: "chart-label chart-middle" }, x.label));
  if (y.label) svg.append(shape("text", { x: 0, y: 16, class: "chart-label" }, y.label));
  if (names.length > 1) svg.append(...legend(names, width, legendTop));
  return { toX, toY };
}

function legend(names, width, top) {
  const step = (width - MARGIN.right) / Math.max(names.length, 3);
  return names.flatMap((name, index) => {
    const left = 10 + index * step;
    return [mark(left, top + 14, index), shape("text", { x: left + 14, y: top + 18, class: "chart-tick" }, shorten(name, step - 24))];
  });
}

function describe(svg, title) {
  svg.classList.add("chart");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", title);
}

/** The same figures for those who cannot see the drawing. */
function table(svg, title, heads, rows) {
  if (svg.nextElementSibling?.matches(".chart-table")) svg.nextElementSibling.remove();
  svg.after(element("div", { class: "chart-table visually-hidden" },
    element("table", {},
      element("caption", {}, title),
      element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows.map(([first, ...rest]) => element("tr", {}, element("th", { scope: "row" }, first), rest.map((cell) => element("td", {}, cell))))))));
}

function shorten(text, width) {
  const room = Math.max(3, Math.floor(width / 8));
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}

function extent(values) {
  return values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
}

function niceExtent(values) {
  const [low, high] = extent(values);
  const all = ticks([Math.min(0, low), high > low || high > 0 ? high : low + 1]);
  const step = all.length > 1 ? all[1] - all[0] : 1;
  return [Math.min(all[0], low), all.at(-1) >= high ? all.at(-1) : all.at(-1) + step];
}

/** Round numbers between two, about five. */
function ticks([low, high]) {
  if (!(high > low)) return [low];
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const made = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) made.push(Number(value.toFixed(10)));
  return made;
}
