// QR codes (ISO/IEC 18004), drawn in the page, because the content may be a secret. Byte mode at
// error correction level M, versions 1 to 10.
import { shape } from "./dom.js";

/** Per version: error correction codewords per block, and the data codewords of each block. */
const BLOCKS = [
  [10, [16]], [16, [28]], [26, [44]], [18, [32, 32]], [24, [43, 43]], [16, [27, 27, 27, 27]],
  [18, [31, 31, 31, 31]], [22, [38, 38, 39, 39]], [22, [36, 36, 36, 37, 37]], [26, [43, 43, 43, 43, 44]],
];
/** Per version: rows and columns of alignment pattern centres. */
const ALIGNMENT = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];
/** Whether a mask inverts the module at a row and a column. */
const MASKS = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];
/** The quiet zone, in modules. */
const QUIET_ZONE = 4;

/** An SVG of a text as a QR code, dark on light, or null if the text is too long. */
export function qrCode(text, label) {
  const modules = qrModules(text);
  if (!modules) return null;
  const size = modules.length + 2 * QUIET_ZONE;
  const runs = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : "")));
  return shape("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    shape("path", { d: `M0 0h${size}v${size}H0z`, fill: "#fff" }),
    shape("path", { d: runs.join(""), fill: "#000" }));
}

/** The modules of a code, row by row: true is dark. Null if the text exceeds version 10. */
export function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((_, index) => bytes.length <= bytesMax(index + 1)) + 1;
  if (version === 0) return null;
  const codewords = interleaved(version, dataCodewords(version, bytes));
  const codes = MASKS.map((_, mask) => drawn(version, codewords, mask));
  const penalties = codes.map(penalty);
  return codes[penalties.indexOf(Math.min(...penalties))];
}

function dataLength(version) {
  return BLOCKS[version - 1][1].reduce((sum, length) => sum + length, 0);
}

function countBits(version) {
  return version < 10 ? 8 : 16;
}

function bytesMax(version) {
  return Math.floor((dataLength(version) * 8 - 4 - countBits(version)) / 8);
}

/** The data codewords: mode, count, bytes, terminator and padding. */
function dataCodewords(version, bytes) {
  const bits = [];
  const push = (value, length) => { for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1); };
  push(0b0100, 4);
  push(bytes.length, countBits(version));
  for (const byte of bytes) push(byte, 8);
  const length = dataLength(version);
  push(0, Math.min(4, length * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const codewords = [];
  for (let at = 0; at < bits.length; at += 8) codewords.push(bits.slice(at, at + 8).reduce((value, bit) => value * 2 + bit, 0));
  for (let pad = 0xec; codewords.length < length; pad ^= 0xec ^ 0x11) codewords.push(pad);
  return codewords;
}

/** All codewords, interleaved: the first of each block, the second of each, … */
function interleaved(version, data) {
  const [checkLength, lengths] = BLOCKS[version - 1];
  let begin = 0;
  const blocks = lengths.map((length) => data.slice(begin, begin += length));
  const checks = blocks.map((block) => remainder(block, checkLength));
  const inTurn = (parts) => Array.from({ length: Math.max(...parts.map((part) => part.length)) }, (_, at) => parts.map((part) => part[at])).flat();
  return [...inTurn(blocks), ...inTurn(checks)].filter((codeword) => codeword !== undefined);
}

// GF(256), by powers of 2.
const POWERS = [1];
for (let exponent = 1; exponent < 255; exponent += 1) {
  const doubled = POWERS[exponent - 1] * 2;
  POWERS.push(doubled > 255 ? doubled ^ 0x11d : doubled);
}
const LOGARITHMS = new Map(POWERS.map((power, exponent) => [power, exponent]));

function product(one, other) {
  return one && other ? POWERS[(LOGARITHMS.get(one) + LOGARITHMS.get(other)) % 255] : 0;
}

/** Reed–Solomon: the block's remainder by the polynomial whose roots are the first powers of 2. */
function remainder(block, length) {
  let generator = [1];
  for (let root = 0; root < length; root += 1) {
    const next = [...generator, 0];
    generator.forEach((factor, at) => { next[at + 1] ^= product(factor, POWERS[root]); });
    generator = next;
  }
  const rest = [...block, ...Array(length).fill(0)];
  for (let at = 0; at < block.length; at += 1) {
    const factor = rest[at];
    generator.forEach((one, index) => { rest[at + index] ^= product(one, factor); });
  }
  return rest.slice(block.length);
}

/** The code with this mask. */
function drawn(version, codewords, mask) {
  const size = 17 + 4 * version;
  const modules = Array.from({ length: size }, () => Array(size).fill(null));
  const set = (row, column, isDark) => { if (row >= 0 && row < size && column >= 0 && column < size) modules[row][column] = isDark; };
  // Finder patterns, with the light border around them.
  for (const [top, left] of [[0, 0], [0, size - 7], [size - 7, 0]]) {
    for (let row = -1; row <= 7; row += 1) {
      for (let column = -1; column <= 7; column += 1) {
        const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3));
        set(top + row, left + column, ring !== 2 && ring !== 4);
      }
    }
  }
  for (const row of ALIGNMENT[version - 1]) {
    for (const column of ALIGNMENT[version - 1]) {
      // Skip centres that overlap a finder pattern.
      if (modules[row][column] !== null) continue;
      for (let y = -2; y <= 2; y += 1) for (let x = -2; x <= 2; x += 1) set(row + y, column + x, Math.max(Math.abs(x), Math.abs(y)) !== 1);
    }
  }
  // Timing patterns cross the alignment patterns, which agree with them.
  for (let at = 8; at < size - 8; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  drawFormat(set, size, mask);
  if (version >= 7) drawVersion(set, size, version);
  drawData(modules, codewords, MASKS[mask]);
  return modules;
}

/** A value followed by the remainder of its division by a generator of this degree (BCH). */
function withCheckBits(value, generator, degree) {
  let rest = value << degree;
  for (let bit = 31; bit >= degree; bit -= 1) if ((rest >>> bit) & 1) rest ^= generator << (bit - degree);
  return (value << degree) | rest;
}

function drawFormat(set, size, mask) {
  // Level M is 00.
  const format = withCheckBits(mask, 0x537, 10) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = Boolean((format >> bit) & 1);
    // Beside the top left finder pattern, around its corner and past the timing patterns.
    if (bit < 6) set(bit, 8, isDark);
    else if (bit < 8) set(bit + 1, 8, isDark);
    else set(8, bit === 8 ? 7 : 14 - bit, isDark);
    // Below the top right one, and beside the bottom left one.
    if (bit < 8) set(8, size - 1 - bit, isDark);
    else set(size - 15 + bit, 8, isDark);
  }
  set(size - 8, 8, true);
}

function drawVersion(set, size, version) {
  const information = withCheckBits(version, 0x1f25, 12);
  for (let bit = 0; bit < 18; bit += 1) {
    const isDark = Boolean((information >> bit) & 1);
    set(Math.floor(bit / 3), size - 11 + (bit % 3), isDark);
    set(size - 11 + (bit % 3), Math.floor(bit / 3), isDark);
  }
}

/** Fills free modules in two-column strips from the right, alternating up and down. */
function drawData(modules, codewords, isInverted) {
  const size = modules.length;
  let bit = 0;
  let isUpwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    // Skip the column of the timing pattern.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const row = isUpwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (modules[row][column] !== null) continue;
        const isDark = Boolean((codewords[bit >> 3] >> (7 - (bit & 7))) & 1);
        modules[row][column] = isDark !== isInverted(row, column);
        bit += 1;
      }
    }
    isUpwards = !isUpwards;
  }
}

/** Penalty score: long runs, blocks, finder-like patterns, and colour imbalance. */
function penalty(modules) {
  const size = modules.length;
  const columns = modules.map((_, at) => modules.map((row) => row[at]));
  let sum = 0;
  for (const line of [...modules, ...columns]) {
    const text = line.map(Number).join("");
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    for (let at = 0; at + 11 <= size; at += 1) {
      const part = text.slice(at, at + 11);
      if (part === "10111010000" || part === "00001011101") sum += 40;
    }
  }
  for (let row = 0; row + 1 < size; row += 1) {
    for (let column = 0; column + 1 < size; column += 1) {
      const [one, ...others] = [modules[row][column], modules[row][column + 1], modules[row + 1][column], modules[row + 1][column + 1]];
      if (others.every((other) => other === one)) sum += 3;
    }
  }
  const dark = modules.flat().filter(Boolean).length;
  return sum + 10 * Math.floor(Math.abs((dark * 20) / (size * size) - 10));
}
