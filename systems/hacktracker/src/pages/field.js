// The drawing of the field, on which hits are placed and shown. It is a square: x from left to right,
// y from top to bottom, both 0 to 1.
import { element, shape } from "/assets/dom.js";
import { isHit } from "./rules.js";
import { RESULT_NAMES } from "./words.js";

const SIZE = 200;
const PLATE = { x: 0.5, y: 0.9 };
const FENCE = 0.7;
const INFIELD = 0.38;
export const BASES = [{ x: 0.68, y: 0.72 }, { x: 0.5, y: 0.55 }, { x: 0.32, y: 0.72 }];
const DIRECTIONS = ["left", "left centre", "centre", "right centre", "right"];
const DIRECTION_DEGREES = 18;

/** Where a ball went: `{ direction, depth }`, for example "left" and "outfield"; direction "foul" outside the lines. */
export function zoneOf({ x, y }) {
  const angle = (Math.atan2(x - PLATE.x, PLATE.y - y) * 180) / Math.PI;
  const distance = Math.hypot(x - PLATE.x, y - PLATE.y);
  const depth = distance < INFIELD ? "infield" : distance <= FENCE ? "outfield" : "over the fence";
  // A rounding error of the angle must not make a ball on the line foul.
  if (Math.abs(angle) > 45 + 1e-9) return { direction: "foul", depth };
  return { direction: DIRECTIONS[Math.min(4, Math.max(0, Math.floor((angle + 45) / DIRECTION_DEGREES)))], depth };
}

/** The name of a zone: "Left field", "Over the fence, centre". */
export function zoneName(location) {
  const { direction, depth } = zoneOf(location);
  if (direction === "foul") return location.x < PLATE.x ? "Foul, left" : "Foul, right";
  const name = `${direction[0].toUpperCase()}${direction.slice(1)}`;
  if (depth === "infield") return `${name} infield`;
  return depth === "outfield" ? `${name} field` : `Over the fence, ${direction}`;
}

/** The middle of each zone, for those who choose from a list: `[{ name, location }]`. */
export function zoneList() {
  const zones = [];
  for (const distance of [0.27, 0.55, 0.78]) {
    DIRECTIONS.forEach((_, index) => {
      const angle = ((-45 + DIRECTION_DEGREES * (index + 0.5)) * Math.PI) / 180;
      zones.push(at(angle, distance));
    });
  }
  zones.push({ x: 0.2, y: 0.8 }, { x: 0.8, y: 0.8 });
  return zones.map((location) => ({ name: zoneName(location), location }));
}

function at(angle, distance) {
  const limit = (value) => Math.min(1, Math.max(0, Number(value.toFixed(3))));
  return { x: limit(PLATE.x + distance * Math.sin(angle)), y: limit(PLATE.y - distance * Math.cos(angle)) };
}

/** The point of the field that a click meets. */
export function pointOf(svg, event) {
  const box = svg.getBoundingClientRect();
  const part = (value) => Number(Math.min(1, Math.max(0, value)).toFixed(3));
  return { x: part((event.clientX - box.left) / box.width), y: part((event.clientY - box.top) / box.height) };
}

/** Draws the field without anything on it. */
export function drawField(svg, label) {
  svg.classList.add("hacktracker-field");
  svg.setAttribute("viewBox", `0 0 ${SIZE} ${SIZE}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const point = ({ x, y }) => `${x * SIZE} ${y * SIZE}`;
  const fair = (radius) => {
    const side = radius * Math.SQRT1_2;
    const [left, right] = [{ x: PLATE.x - side, y: PLATE.y - side }, { x: PLATE.x + side, y: PLATE.y - side }];
    return `M${point(PLATE)}L${point(left)}A${radius * SIZE} ${radius * SIZE} 0 0 1 ${point(right)}Z`;
  };
  const diamond = `M${point(PLATE)}L${BASES.map(point).join("L")}Z`;
  svg.replaceChildren(
    shape("rect", { class: "hacktracker-foul", x: 0, y: 0, width: SIZE, height: SIZE, rx: 10 }),
    shape("path", { class: "hacktracker-grass", d: fair(FENCE) }),
    shape("path", { class: "hacktracker-dirt", d: fair(INFIELD) }),
    shape("path", { class: "hacktracker-diamond", d: diamond }),
    shape("path", { class: "hacktracker-lines", d: `M${point({ x: 0, y: 0.4 })}L${point(PLATE)}L${point({ x: 1, y: 0.4 })}` }),
    ...BASES.map(({ x, y }) => shape("rect", { class: "hacktracker-base", x: x * SIZE - 4, y: y * SIZE - 4, width: 8, height: 8, transform: `rotate(45 ${x * SIZE} ${y * SIZE})` })),
    shape("path", { class: "hacktracker-base", d: plateShape() }));
}

function plateShape() {
  const [x, y] = [PLATE.x * SIZE, PLATE.y * SIZE];
  return `M${x - 4} ${y - 4}h8v4l-4 4l-4 -4Z`;
}

/** Results in the order of the legend; each has a shape of its own, hits are filled and outs hollow. */
const MARKS = {
  "1B": circle, "2B": square, "3B": triangle, HR: diamond, OUT: circle, SAC: square, FC: triangle, E: diamond,
};

function circle(x, y, size) {
  return shape("circle", { cx: x, cy: y, r: size });
}

function square(x, y, size) {
  return shape("rect", { x: x - size, y: y - size, width: size * 2, height: size * 2 });
}

function triangle(x, y, size) {
  return shape("path", { d: `M${x} ${y - size * 1.2}L${x + size * 1.2} ${y + size}L${x - size * 1.2} ${y + size}Z` });
}

function diamond(x, y, size) {
  return shape("path", { d: `M${x} ${y - size * 1.4}L${x + size * 1.4} ${y}L${x} ${y + size * 1.4}L${x - size * 1.4} ${y}Z` });
}

function mark(result, x, y, size) {
  const made = MARKS[result](x, y, size);
  made.setAttribute("class", isHit(result) ? "hacktracker-mark is-hit" : "hacktracker-mark");
  return made;
}

/** Marks where a ball went that is about to be recorded. */
export function markChosen(svg, location) {
  svg.querySelector(".hacktracker-chosen")?.remove();
  if (location) svg.append(shape("circle", { class: "hacktracker-chosen", cx: location.x * SIZE, cy: location.y * SIZE, r: 5 }));
}

/** Draws all hits of a player on the field, with a legend and a table. `container` is emptied. */
export function sprayField(container, spray, { title }) {
  const hits = spray.filter((hit) => hit.result in MARKS);
  const svg = shape("svg", {});
  drawField(svg, hits.length ? `${title}: ${hits.length} batted balls. A table follows.` : `${title}: none yet`);
  for (const hit of hits) {
    const made = mark(hit.result, hit.x * SIZE, hit.y * SIZE, 4.2);
    made.append(shape("title", {}, `${RESULT_NAMES[hit.result]}, ${zoneName(hit).toLowerCase()}`));
    svg.append(made);
  }
  const results = Object.keys(MARKS).filter((result) => hits.some((hit) => hit.result === result));
  const legend = element("ul", { class: "hacktracker-legend" }, results.map((result) => element("li", {},
    shape("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, mark(result, 8, 8, 4.5)),
    `${RESULT_NAMES[result]} ${hits.filter((hit) => hit.result === result).length}`)));
  const table = element("details", { class: "hacktracker-more" }, element("summary", {}, "As a table"),
    element("table", {},
      element("caption", { class: "visually-hidden" }, title),
      element("thead", {}, element("tr", {}, ["Zone", "Balls", "Hits"].map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, zoneCounts(hits).map(([zone, balls, count]) => element("tr", {}, element("th", { scope: "row" }, zone), element("td", {}, balls), element("td", {}, count))))));
  container.replaceChildren(svg, results.length ? legend : element("p", { class: "quiet" }, "No hit locations recorded yet."), ...(hits.length ? [table] : []));
}

function zoneCounts(hits) {
  const zones = new Map();
  for (const hit of hits) {
    const zone = zoneName(hit);
    const [balls, count] = zones.get(zone) ?? [0, 0];
    zones.set(zone, [balls + 1, count + (isHit(hit.result) ? 1 : 0)]);
  }
  return [...zones].sort(([, [one]], [, [other]]) => other - one).map(([zone, [balls, count]]) => [zone, balls, count]);
}
