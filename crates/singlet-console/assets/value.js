// Values of attributes: DynamoDB's JSON, and the plain JSON that people read and edit.

const TYPES = ["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"];
const TYPE_NAMES = { S: "String", N: "Number", B: "Binary", BOOL: "Boolean", NULL: "Null", M: "Map", L: "List", SS: "String set", NS: "Number set", BS: "Binary set" };

/** The type of a value: "S", "N" and so on. */
export function typeOf(value) {
  return Object.keys(value)[0];
}

/** The name of a value's type, for people. */
export function typeName(value) {
  return TYPE_NAMES[typeOf(value)];
}

/** A value in one short line. */
export function brief(value, charsMax = 60) {
  const type = typeOf(value);
  const content = value[type];
  let text;
  if (type === "S" || type === "N" || type === "B") text = content;
  else if (type === "BOOL") text = String(content);
  else if (type === "NULL") text = "null";
  else text = JSON.stringify(plain(value));
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text;
}

/**
 * A value as plain JSON. What plain JSON cannot say keeps its type: sets, bytes, and numbers with more
 * digits than JavaScript has, such as `{"N": "12345678901234567890"}`.
 */
export function plain(value) {
  const type = typeOf(value);
  const content = value[type];
  switch (type) {
    case "S": case "BOOL": return content;
    case "NULL": return null;
    case "N": return String(Number(content)) === content ? Number(content) : value;
    case "L": return content.map(plain);
    case "M": {
      const map = plainItem(content);
      return isWrapper(map) ? { M: map } : map;
    }
    default: return value;
  }
}

/** An item as plain JSON. */
export function plainItem(item) {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));
}

/** The value that plain JSON stands for: the reverse of `plain`. */
export function typed(json) {
  if (json === null) return { NULL: true };
  if (typeof json === "string") return { S: json };
  if (typeof json === "number") return { N: String(json) };
  if (typeof json === "boolean") return { BOOL: json };
  if (Array.isArray(json)) return { L: json.map(typed) };
  if (!isWrapper(json)) return { M: typedItem(json) };
  return "M" in json ? { M: typedItem(json.M) } : json;
}

/** The item that plain JSON stands for. */
export function typedItem(json) {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, typed(value)]));
}

/** Whether an object of plain JSON names the type of its only member. */
function isWrapper(json) {
  const names = Object.keys(json);
  if (names.length !== 1 || !TYPES.includes(names[0])) return false;
  const content = json[names[0]];
  switch (names[0]) {
    case "S": case "N": case "B": return typeof content === "string";
    case "SS": case "NS": case "BS": return Array.isArray(content) && content.every((one) => typeof one === "string");
    case "M": return content !== null && typeof content === "object" && !Array.isArray(content);
    default: return false;
  }
}

/** Whether two values are equal. */
export function same(one, other) {
  return canonical(one) === canonical(other);
}

function canonical(value) {
  if (value === undefined) return "";
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => {
    const content = ["SS", "NS", "BS"].includes(name) && Array.isArray(value[name]) ? [...value[name]].sort() : value[name];
    return `${JSON.stringify(name)}:${canonical(content)}`;
  })}}`;
}

/** A value of a key attribute, from what was typed. */
export function keyValue(type, text) {
  return { [type]: type === "N" ? text.trim() : text };
}
