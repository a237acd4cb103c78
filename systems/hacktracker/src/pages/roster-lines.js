// Reads the lines of "Add players", such as `21 Kim Falk OF` or `9 Jess Ray LF/CF`. No browser is needed.

export const POSITIONS = ["P", "C", "1B", "2B", "3B", "SS", "LF", "LC", "CF", "RC", "RF", "OF", "SF", "DH", "DP", "EH", "UTIL"];
export const PLAYERS_MAX = 25;
export const POSITIONS_MAX = 5;
const NAME_CHARS_MAX = 50;
/** Other ways to write a position. */
const ALIASES = { LCF: "LC", RCF: "RC" };

function positionOf(word) {
  const code = word.toUpperCase();
  return POSITIONS.includes(code) ? code : ALIASES[code] ?? null;
}

/**
 * Reads one line: `{ player, error, note }`. `player` is what the server takes; `error` says why the line
 * cannot be added, `note` what the reader should look at.
 */
export function readLine(text) {
  const player = { firstName: "", positions: [] };
  const fail = (error) => ({ player, error, note: null });
  let rest = text.trim().replace(/\s*\/\s*/g, "/");
  const number = /^#?(\d+)(?=[\s,.:)]|$)[\s,.:)]*/.exec(rest);
  if (number) {
    if (Number(number[1]) > 99) return fail(`${number[1]} is not a number from 0 to 99.`);
    player.playerNumber = Number(number[1]);
    rest = rest.slice(number[0].length);
  }
  const [names, ...after] = rest.split(",");
  const words = names.split(/\s+/).filter(Boolean);
  // Behind a comma are positions, and nothing else.
  const found = after.join(" ").split(/[\s/]+/).filter(Boolean);
  while (words.length && words.at(-1).split("/").every(positionOf)) found.unshift(...words.pop().split("/"));
  const mixed = words.at(-1)?.includes("/") ? words.pop().split("/").filter(Boolean) : [];
  const unknown = [...mixed, ...found].find((word) => !positionOf(word));
  if (unknown) return fail(`“${unknown}” is not a position.`);
  if (!words.length) return fail("There is no name.");
  player.positions = [...new Set(found.map(positionOf))];
  if (player.positions.length > POSITIONS_MAX) return fail(`${player.positions.length} positions are too many: up to ${POSITIONS_MAX}.`);
  const [firstName, ...last] = words;
  player.firstName = firstName;
  if (last.length) player.lastName = last.join(" ");
  const long = [firstName, player.lastName ?? ""].find((name) => name.length > NAME_CHARS_MAX);
  if (long) return fail(`A name has up to ${NAME_CHARS_MAX} characters.`);
  return { player, error: null, note: noteOn(words) };
}

/** A last word in capitals may be a position that nobody knows, unless the whole name is in capitals. */
function noteOn(words) {
  const last = words.at(-1);
  const looksLikeCode = words.length > 1 && /^[A-Z0-9]{1,4}$/.test(last) && words[0] !== words[0].toUpperCase();
  return looksLikeCode ? `“${last}” is not a position, so it is part of the name.` : null;
}

/**
 * Reads all lines that are not blank: `[{ line, player, error, note }]`, with the lines counted from 1.
 * `taken` has the names of players by the numbers that they have.
 */
export function readLines(text, taken = new Map()) {
  const numbers = new Map();
  const read = text.split("\n").map((line, index) => ({ line: index + 1, text: line.trim() })).filter(({ text: line }) => line);
  return read.map(({ line, text: words }, index) => {
    const entry = { line, ...readLine(words) };
    const { playerNumber } = entry.player;
    if (!entry.error && index >= PLAYERS_MAX) entry.error = `Add up to ${PLAYERS_MAX} players at once.`;
    if (!entry.error && taken.has(playerNumber)) entry.error = `Number ${playerNumber} is taken by ${taken.get(playerNumber)}.`;
    if (!entry.error && numbers.has(playerNumber)) entry.error = `Number ${playerNumber} is on line ${numbers.get(playerNumber)} too.`;
    if (playerNumber !== undefined && !numbers.has(playerNumber)) numbers.set(playerNumber, line);
    return entry;
  });
}
