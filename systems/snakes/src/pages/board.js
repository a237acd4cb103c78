// Draws a board and moves tokens on it.
import { reducedMotion, shape } from "/assets/dom.js";

const CELL = 100;
const STRIP = 76;
const SNAKE_COLORS = ["#4f9d5d", "#c2694b", "#7a6bb5", "#3f8f9c", "#b3903d"];
/** In games with more players tokens have numbers, because initials repeat. */
const INITIALS_MAX = 6;

export class Board {
  #svg;
  #size;
  #columns;
  #rows;
  #cells = new Map();
  #tokens = new Map();
  /** Above snakes and ladders, so that every square can be read. */
  #numberLayer = shape("g");
  #tokenLayer = shape("g");
  /** How often tokens were put somewhere: a move that began before that has no say any more. */
  #resets = 0;

  constructor(svg, { size, snakesAndLadders }) {
    this.#svg = svg;
    this.#size = size;
    this.#columns = size <= 100 ? Math.min(10, Math.ceil(Math.sqrt(size))) : 20;
    if (size > 100 && size <= 225) this.#columns = 15;
    this.#rows = Math.ceil(size / this.#columns);
    const [width, height] = [this.#columns * CELL, this.#rows * CELL + STRIP];
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren(
      this.#squares(),
      shape("g", {}, snakesAndLadders.filter(({ from, to }) => to > from).map((jump) => this.#ladder(jump))),
      shape("g", {}, snakesAndLadders.filter(({ from, to }) => to < from).map((jump, index) => this.#snake(jump, index))),
      this.#numberLayer,
      this.#tokenLayer);
  }

  /** The middle of a square. Rows run to and fro, from the bottom up. */
  #middle(square) {
    const row = Math.floor((square - 1) / this.#columns);
    const along = (square - 1) % this.#columns;
    const column = row % 2 ? this.#columns - 1 - along : along;
    return { x: (column + 0.5) * CELL, y: (this.#rows - row - 0.5) * CELL };
  }

  #squares() {
    const group = shape("g");
    for (let square = 1; square <= this.#size; square += 1) {
      const { x, y } = this.#middle(square);
      const tint = square === this.#size ? "goal" : "abc"[(Math.floor(x / CELL) + 2 * Math.floor(y / CELL)) % 3];
      const cell = shape("rect", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, class: `snakes-cell snakes-cell-${tint}` });
      this.#cells.set(square, cell);
      group.append(cell);
      this.#numberLayer.append(shape("text", { x: x - CELL / 2 + 8, y: y - CELL / 2 + 25, class: "snakes-number" }, String(square)));
      if (square === this.#size) group.append(shape("path", { d: star(x, y + 4, 30), class: "snakes-goal-star" }));
    }
    const top = this.#rows * CELL;
    group.append(
      shape("rect", { x: 0, y: top, width: this.#columns * CELL, height: STRIP, class: "snakes-start-strip" }),
      shape("text", { x: 16, y: top + STRIP / 2 + 8, class: "snakes-start-text" }, "Start"));
    return group;
  }

  #ladder({ from, to }) {
    const [foot, head] = [this.#middle(from), this.#middle(to)];
    const { length, ux, uy, px, py } = direction(foot, head);
    const gap = 15;
    const group = shape("g", { class: "snakes-ladder" }, shape("title", {}, `Ladder from ${from} to ${to}`));
    const rungs = Math.max(3, Math.round(length / 34));
    for (let rung = 1; rung < rungs; rung += 1) {
      const [x, y] = [foot.x + ux * length * (rung / rungs), foot.y + uy * length * (rung / rungs)];
      group.append(shape("line", { x1: x - px * gap, y1: y - py * gap, x2: x + px * gap, y2: y + py * gap, class: "snakes-rung" }));
    }
    for (const side of [-gap, gap]) {
      group.append(shape("line", { x1: foot.x + px * side, y1: foot.y + py * side, x2: head.x + px * side, y2: head.y + py * side, class: "snakes-rail" }));
    }
    return group;
  }

  #snake({ from, to }, index) {
    const [head, tail] = [this.#middle(from), this.#middle(to)];
    const spine = wave(head, tail, index % 2 ? 1 : -1);
    const color = SNAKE_COLORS[index % SNAKE_COLORS.length];
    // The body is thickest behind the head and ends in a point.
    const outline = [[], []];
    spine.forEach((point, place) => {
      const share = place / (spine.length - 1);
      const width = 13 * Math.sqrt(1 - share) * (0.75 + 0.25 * Math.min(1, share * 8)) + 1;
      const { px, py } = direction(spine[Math.max(0, place - 1)], spine[Math.min(spine.length - 1, place + 1)]);
      outline[0].push([point.x + px * width, point.y + py * width]);
      outline[1].unshift([point.x - px * width, point.y - py * width]);
    });
    const points = outline.flat().map((pair) => pair.map((number) => number.toFixed(1)).join(" "));
    const middle = spine.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`);
    const { ux, uy } = direction(spine[0], spine[2]);
    const angle = (Math.atan2(-uy, -ux) * 180) / Math.PI;
    return shape("g", { class: "snakes-snake" },
      shape("title", {}, `Snake from ${from} to ${to}`),
      shape("path", { d: `M${points.join("L")}Z`, fill: color, class: "snakes-snake-body" }),
      shape("path", { d: `M${middle.slice(3, -4).join("L")}`, class: "snakes-snake-scales" }),
      shape("g", { transform: `translate(${head.x} ${head.y}) rotate(${angle.toFixed(1)})` },
        shape("path", { d: "M20 0h12m0 0 8-6m-8 6 8 6", class: "snakes-snake-tongue" }),
        shape("ellipse", { cx: 4, cy: 0, rx: 21, ry: 16, fill: color, class: "snakes-snake-body" }),
        shape("circle", { cx: 9, cy: -8, r: 5.5, class: "snakes-snake-eye" }),
        shape("circle", { cx: 9, cy: 8, r: 5.5, class: "snakes-snake-eye" }),
        shape("circle", { cx: 11, cy: -8, r: 2.6, class: "snakes-snake-pupil" }),
        shape("circle", { cx: 11, cy: 8, r: 2.6, class: "snakes-snake-pupil" })));
  }

  /**
   * Makes the tokens those of these players. Each stays where it is shown, because moves are still
   * to be shown, unless `isReset`: then each is put where its player is.
   */
  show(players, { mine = null, turn = null, isReset = false } = {}) {
    if (isReset) this.#resets += 1;
    const ids = new Set(players.map((player) => player.id));
    for (const [id, token] of this.#tokens) {
      if (!ids.has(id)) {
        token.node.remove();
        this.#tokens.delete(id);
      }
    }
    players.forEach((player, index) => {
      let token = this.#tokens.get(player.id);
      if (!token) {
        token = { ...drawToken(player), position: player.position, isMoving: false };
        this.#tokens.set(player.id, token);
        this.#tokenLayer.append(token.node);
      }
      if (isReset) Object.assign(token, { position: player.position, isMoving: false });
      token.label(index, players.length);
      token.node.classList.toggle("is-mine", player.id === mine);
      token.node.classList.toggle("is-turn", player.id === turn);
    });
    // One's own token is on top of the others.
    const own = this.#tokens.get(mine);
    if (own && own.node !== this.#tokenLayer.lastChild) this.#tokenLayer.append(own.node);
    this.#settle();
  }

  /** Puts all tokens that rest where they are; those that share a square make room. */
  #settle() {
    const bySquare = new Map();
    for (const token of this.#tokens.values()) {
      if (token.isMoving) continue;
      const sharing = bySquare.get(token.position) ?? [];
      sharing.push(token);
      bySquare.set(token.position, sharing);
    }
    for (const [square, sharing] of bySquare) {
      sharing.forEach((token, index) => {
        const { x, y, scale } = this.#place(square, index, sharing.length);
        token.node.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
      });
    }
  }

  #place(square, index, count) {
    if (square === 0) {
      const room = this.#columns * CELL - 130;
      const step = Math.min(70, room / count);
      return { x: 120 + step * (index + 0.5), y: this.#rows * CELL + STRIP / 2, scale: Math.min(1, Math.max(0.35, step / 60)) };
    }
    const { x, y } = this.#middle(square);
    if (count === 1) return { x, y: y + 6, scale: 1 };
    if (count <= 6) {
      const turn = (index / count) * 2 * Math.PI - Math.PI / 2;
      return { x: x + 23 * Math.cos(turn), y: y + 6 + 21 * Math.sin(turn), scale: count <= 4 ? 0.68 : 0.56 };
    }
    const [turn, reach] = [index * 2.4, 36 * Math.sqrt((index + 0.5) / count)];
    return { x: x + reach * Math.cos(turn), y: y + 4 + reach * Math.sin(turn), scale: Math.max(0.18, 1.3 / Math.sqrt(count)) };
  }

  /** Moves a token square by square, and then along its snake or ladder. */
  async move(id, from, roll, to, effect, isHasty = false) {
    const token = this.#tokens.get(id);
    if (!token) return;
    if (isHasty || reducedMotion() || document.hidden) {
      token.position = to;
      this.#settle();
      return;
    }
    const resets = this.#resets;
    token.isMoving = true;
    token.node.classList.add("is-moving");
    this.#settle();
    try {
      if (effect === "overshoot") {
        await this.#shake(token, from);
      } else {
        const walked = [];
        for (let square = from; square <= from + roll; square += 1) walked.push(square);
        await this.#walk(token, walked);
        if (to !== from + roll) await this.#slide(token, from + roll, to, effect);
      }
    } finally {
      token.node.classList.remove("is-moving");
      if (resets === this.#resets) {
        token.isMoving = false;
        token.position = to;
        this.#settle();
        this.#light(to);
      }
    }
  }

  #at(square, lift = 0, scale = 1) {
    const { x, y } = square === 0 ? this.#place(0, 0, 1) : { x: this.#middle(square).x, y: this.#middle(square).y + 6 };
    return { transform: `translate(${x}px, ${y - lift}px) scale(${scale})` };
  }

  async #walk(token, squares) {
    const frames = [];
    squares.forEach((square, index) => {
      if (index > 0) {
        // A hop between two squares.
        const [a, b] = [this.#point(squares[index - 1]), this.#point(square)];
        frames.push({ transform: `translate(${(a.x + b.x) / 2}px, ${(a.y + b.y) / 2 - 26}px) scale(1.12)`, easing: "ease-in" });
      }
      frames.push({ ...this.#at(square), easing: "ease-out" });
    });
    await play(token.node, frames, 210 * (squares.length - 1));
    token.node.style.transform = frames.at(-1).transform;
  }

  #point(square) {
    return square === 0 ? this.#place(0, 0, 1) : { x: this.#middle(square).x, y: this.#middle(square).y + 6 };
  }

  async #slide(token, from, to, effect) {
    const [a, b] = [this.#middle(from), this.#middle(to)];
    const points = effect === "snake" ? wave(a, b, 1).filter((_, index) => index % 2 === 0) : [a, b];
    const frames = points.map(({ x, y }) => ({ transform: `translate(${x}px, ${y + 6}px) scale(1)` }));
    const length = Math.hypot(a.x - b.x, a.y - b.y);
    await play(token.node, frames, Math.min(1300, 450 + length), effect === "snake" ? "ease-in" : "ease-in-out");
    token.node.style.transform = frames.at(-1).transform;
  }

  async #shake(token, square) {
    const { x, y } = this.#point(square);
    const frames = [0, -9, 9, -6, 6, 0].map((shift) => ({ transform: `translate(${x + shift}px, ${y}px) scale(1)` }));
    await play(token.node, frames, 420);
  }

  #light(square) {
    const cell = this.#cells.get(square);
    cell?.classList.add("is-lit");
    setTimeout(() => cell?.classList.remove("is-lit"), 700);
  }
}

/** How a token is labelled: by its player's initial, or by its number where there are many. */
export function tokenLabel(player, index, count) {
  return count > INITIALS_MAX ? String(index + 1) : [...new Intl.Segmenter().segment(player.name)][0]?.segment.toUpperCase() ?? "?";
}

/** Tokens differ in colour, in shape, and in what is written on them. */
const OUTLINES = [
  () => shape("circle", { r: 27 }),
  () => shape("rect", { x: -25, y: -25, width: 50, height: 50, rx: 8 }),
  () => shape("path", { d: "M0 -31L31 0L0 31L-31 0Z" }),
  () => shape("path", { d: "M-15 -27H15L31 0L15 27H-15L-31 0Z" }),
  () => shape("path", { d: "M0 -31L30 22H-30Z" }),
];

/** A token, and how it is given its label and shape. */
function drawToken(player) {
  const node = shape("g", { class: "snakes-token" });
  let drawn = null;
  const label = (index, count) => {
    const [text, kind] = [tokenLabel(player, index, count), count > INITIALS_MAX ? index % OUTLINES.length : 0];
    if (drawn === `${text} ${kind}`) return;
    drawn = `${text} ${kind}`;
    const outline = OUTLINES[kind]();
    outline.setAttribute("fill", player.color);
    outline.classList.add("snakes-token-body");
    node.replaceChildren(
      shape("title", {}, player.name),
      shape("circle", { r: 36, class: "snakes-ring" }),
      outline,
      shape("text", { class: `snakes-token-text snakes-token-text-${Math.min(3, [...text].length)}`, y: kind === 4 ? 8 : 0 }, text));
  };
  return { node, label };
}

/** The six faces of a die. */
export function drawDie(svg, eyes) {
  const spots = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] }[eyes] ?? [];
  svg.replaceChildren(
    shape("rect", { x: 4, y: 4, width: 92, height: 92, rx: 20 }),
    ...spots.map((spot) => shape("circle", { cx: 26 + 24 * (spot % 3), cy: 26 + 24 * Math.floor(spot / 3), r: 9.5 })));
}

async function play(node, frames, duration, easing = "linear") {
  try {
    await node.animate(frames, { duration, easing }).finished;
  } catch {
    // The animation was cut short, because the token is gone.
  }
}

function direction(a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  return { length, ux, uy, px: -uy, py: ux };
}

/** The line of a snake's back: straight from head to tail, with waves in it. */
function wave(head, tail, side) {
  const { length, ux, uy, px, py } = direction(head, tail);
  const waves = Math.max(1, Math.round(length / 210));
  const steps = 16 + waves * 14;
  const height = Math.min(30, length / 6) * side;
  return Array.from({ length: steps + 1 }, (_, step) => {
    const share = step / steps;
    const aside = Math.sin(share * waves * 2 * Math.PI) * height * Math.sin(Math.PI * Math.min(1, 0.12 + share));
    return { x: head.x + ux * length * share + px * aside, y: head.y + uy * length * share + py * aside };
  });
}

function star(x, y, reach) {
  const points = Array.from({ length: 10 }, (_, index) => {
    const [radius, turn] = [index % 2 ? reach * 0.45 : reach, (index / 10) * 2 * Math.PI - Math.PI / 2];
    return `${(x + radius * Math.cos(turn)).toFixed(1)} ${(y + radius * Math.sin(turn)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}
