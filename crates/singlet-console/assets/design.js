// Designs: which entity an item is, and the page of a design with its access patterns.
import { element } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";
import { countText, describe, send } from "./client.js";
import { drawItems } from "./items.js";
import { showRequest } from "./item.js";
import { keyValue, typeOf } from "./value.js";

/** The comparisons of design files, as expressions write them. */
const COMPARISONS = { below: "<", at_most: "<=", above: ">", at_least: ">=" };
/** The number of colours that entities have. */
const COLOURS = 8;

/** All designs: `{ design, costs, findings }`. */
export let designs = [];

export async function loadDesigns() {
  const response = await fetch("/console/designs");
  designs = await response.json();
}

/** The design of a table, with the table in it: names in designs may have a part for the environment. */
export function designOf(tableName) {
  for (const one of designs) {
    for (const [name, table] of Object.entries(one.design.tables)) {
      if (namePattern(name).test(tableName)) return { ...one, tableName: name, table };
    }
  }
  return null;
}

function namePattern(name) {
  return new RegExp(`^${name.split(/\{[^}]*\}/).map(literal).join(".+")}$`);
}

function literal(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The entity of an item and its colour: `{ name, colour }`, or `null` where no design knows it. */
export function entityOf(designed, item) {
  if (!designed) return null;
  const entities = Object.entries(designed.table.entities ?? {});
  let best = null;
  entities.forEach(([name, entity], at) => {
    const score = match(designed.table, entity, item);
    if (score > (best?.score ?? -1)) best = { name, colour: at % COLOURS, score };
  });
  return best;
}

/** How well an item fits an entity: by its discriminator, or else by the text of its key; -1 if not. */
function match(table, entity, item) {
  if (entity.discriminator) {
    const { attribute, value } = entity.discriminator;
    return item[attribute]?.S === value ? 10_000 : -1;
  }
  let score = 0;
  for (const part of ["partition", "sort"]) {
    const template = entity.key[part];
    const attribute = keyName(table.key[part]);
    if (!template || !attribute) continue;
    const value = item[attribute];
    if (!value || !templatePattern(template).test(String(value[typeOf(value)]))) return -1;
    score += template.replace(/\{[^}]*\}/g, "").length;
  }
  return score;
}

function keyName(attribute) {
  return typeof attribute === "string" ? attribute : attribute?.name;
}

const patterns = new Map();

function templatePattern(template) {
  if (!patterns.has(template)) {
    const parts = pieces(template).map((piece) => (piece.field ? "(.+)" : literal(piece.text)));
    patterns.set(template, new RegExp(`^${parts.join("")}$`, "s"));
  }
  return patterns.get(template);
}

/** The pieces of a template: `{ text }` and `{ field, width }`. */
export function pieces(template) {
  const found = [];
  for (const [all, field, width, brace] of template.matchAll(/\{(\w+)(?::0(\d+))?\}|(\{\{|\}\})|[^{}]+/g)) {
    if (field) found.push({ field, width: Number(width ?? 0) });
    else found.push({ text: brace ? brace[0] : all });
  }
  return found;
}

/** A template filled in with the values of a form. */
function fill(template, values) {
  return pieces(template).map((piece) => (piece.field ? (values[piece.field] ?? "").padStart(piece.width, "0") : piece.text)).join("");
}

/** A badge with the name of an entity, in its colour. */
export function entityBadge(entity) {
  return element("span", { class: `badge console-entity console-colour-${entity.colour}` }, entity.name);
}

/** The page of a design. `names` are the tables that exist. */
export function designPage(name, names) {
  const one = designs.find(({ design }) => design.name === name);
  if (!one) return [element("h1", {}, "No such design")];
  const { design, findings } = one;
  const open = findings.filter((finding) => !finding.accepted);
  return [
    element("h1", {}, design.name),
    design.description && element("p", { class: "lead" }, design.description),
    Object.entries(design.tables).map(([tableName, table]) => tableSection(tableName, table, names)),
    element("section", {}, element("h2", {}, "Access patterns"), patternsTable(one, names)),
    element("section", {}, element("h2", {}, "Check"),
      element("p", { class: "quiet" }, open.length ? countText(open.length, "finding") : "The check finds nothing to mend."),
      element("ul", { class: "console-findings" }, findings.map(findingItem))),
  ].flat(Infinity).filter(Boolean);
}

function findingItem(finding) {
  return element("li", {},
    element("span", { class: `badge ${finding.severity === "error" ? "bad" : ""}` }, finding.accepted ? "accepted" : finding.severity), " ",
    element("code", {}, finding.code), ` ${finding.place}: ${finding.message}`,
    element("p", { class: "quiet" }, finding.accepted ?? finding.advice));
}

function tableSection(tableName, table, names) {
  const existing = names.filter((name) => namePattern(tableName).test(name));
  const key = (one) => [one.partition, one.sort].flat().filter(Boolean).map(keyName).join(", ");
  const indexes = Object.entries(table.indexes ?? {});
  const columns = ["Entity", key(table.key), ...indexes.map(([name]) => name)];
  return element("section", {},
    element("h2", {}, "Table ", element("code", {}, tableName)),
    element("p", { class: "actions" }, existing.map((name) => element("a", { class: "button plain small", href: `#/t/${encodeURIComponent(name)}` }, `Items of ${name}`))),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Entities of ${tableName}` },
      element("table", { class: "console-keys" },
        element("thead", {}, element("tr", {}, columns.map((column) => element("th", {}, column)))),
        element("tbody", {}, Object.entries(table.entities ?? {}).map(([name, entity], at) => element("tr", {},
          element("th", { scope: "row" }, entityBadge({ name, colour: at % COLOURS })),
          element("td", {}, keyCell(entity.key)),
          indexes.map(([index]) => element("td", {}, [entity.indexes?.[index] ?? []].flat().map(keyCell)))))))));
}

function keyCell(key) {
  return [key.partition, key.sort].flat().filter(Boolean).map((template) => element("code", { class: "console-template" }, pieces(template).map((piece) => (piece.field ? element("var", {}, `{${piece.field}}`) : piece.text))));
}

function patternsTable(one, names) {
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Access patterns" }, element("table", {},
    element("thead", {}, element("tr", {}, ["Pattern", "Requests", "Units", "Run"].map((title) => element("th", {}, title)))),
    element("tbody", {}, Object.entries(one.design.patterns ?? {}).map(([name, pattern]) => {
      const runnable = pattern.operations.length === 1 && ["GetItem", "Query"].includes(pattern.operations[0].action);
      return element("tr", {},
        element("th", { scope: "row" }, name),
        element("td", {}, pattern.operations.map((operation) => operation.action).join(", ") || "–", pattern.transaction ? " (transaction)" : ""),
        element("td", { class: "number" }, units(one.costs[name])),
        element("td", {}, runnable && element("button", { type: "button", class: "plain small", click: () => runSheet(one.design, name, pattern, names) }, "Run", element("span", { class: "visually-hidden" }, ` ${name}`))));
    }))));
}

function units(cost) {
  if (!cost) return "–";
  const parts = [[cost.read, "read"], [cost.write, "write"]].filter(([amount]) => amount > 0).map(([amount, kind]) => `${amount} ${kind}`);
  return `${cost.isLeast ? "≥ " : ""}${parts.join(", ") || "0"}`;
}

/** Runs a pattern from a form. */
export function runSheet(design, name, pattern, names) {
  const operation = pattern.operations[0];
  const [tableName, table] = Object.entries(design.tables).find(([, one]) => operation.entities?.some((entity) => one.entities?.[entity])) ?? Object.entries(design.tables)[0];
  const existing = names.filter((one) => namePattern(tableName).test(one));
  const tests = keyTests(table, operation);
  const fields = [...new Set(tests.flatMap(({ templates }) => templates.flatMap(pieces)).filter((piece) => piece.field).map((piece) => piece.field))];
  const choice = element("select", { name: "$table" }, existing.map((one) => element("option", { value: one }, one)));
  const result = element("div", { "aria-live": "polite" });
  const form = element("form", { class: "console-form", submit: run },
    element("label", {}, "Table", choice),
    fields.map((field) => element("label", {}, field, element("input", { name: field, required: true, autocomplete: "off" }))),
    element("div", { class: "actions" }, element("button", {}, "Run")));
  const { dialog } = sheet([form, result], { title: name });
  dialog.classList.add("console-wide");
  (form.querySelector("input") ?? form.querySelector("button")).focus();

  async function run(event) {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(form));
    result.replaceChildren(element("p", { class: "loading" }, "Running…"));
    try {
      const described = await describe(values.$table);
      const exchange = await send(operation.action, request(described, operation, tests, values));
      const items = exchange.answer.Items ?? (exchange.answer.Item ? [exchange.answer.Item] : []);
      const capacity = exchange.answer.ConsumedCapacity?.CapacityUnits;
      result.replaceChildren(
        element("p", { class: "console-summary" }, `${countText(items.length, "item")} in ${(exchange.micros / 1000).toFixed(1)} ms`, capacity === undefined ? "" : `, ${capacity} read units`, " ",
          element("button", { type: "button", class: "plain small", click: () => showRequest(exchange) }, "Request")),
        ...drawItems(described, items, { index: operation.index }));
    } catch (error) {
      result.replaceChildren(element("p", { class: "notice bad", role: "alert" }, error.message));
    }
  }
}

/** What an operation asks of the key: `{ attribute, test, templates }`. */
function keyTests(table, operation) {
  if (operation.key) {
    return Object.entries(operation.key).map(([attribute, condition]) => {
      if (typeof condition === "string") return { attribute, test: "=", templates: [condition] };
      const [test, value] = Object.entries(condition)[0];
      return { attribute, test, templates: [value].flat().map(String) };
    });
  }
  const entity = table.entities[operation.entities[0]];
  return ["partition", "sort"].filter((part) => entity.key[part]).map((part) => ({ attribute: keyName(table.key[part]), test: "=", templates: [entity.key[part]] }));
}

function request(table, operation, tests, values) {
  const value = (attribute, template) => keyValue(table.types[attribute] ?? "S", fill(template, values));
  const input = { TableName: table.name };
  if (operation.action === "GetItem") {
    input.Key = Object.fromEntries(tests.map(({ attribute, templates }) => [attribute, value(attribute, templates[0])]));
  } else {
    if (operation.index) input.IndexName = operation.index;
    const names = {};
    const valuesOf = {};
    const terms = tests.map(({ attribute, test, templates }, at) => {
      names[`#k${at}`] = attribute;
      templates.forEach((template, part) => { valuesOf[`:k${at}_${part}`] = value(attribute, template); });
      const [first, second] = templates.map((_, part) => `:k${at}_${part}`);
      if (test === "begins_with") return `begins_with(#k${at}, ${first})`;
      if (test === "between") return `#k${at} BETWEEN ${first} AND ${second}`;
      return `#k${at} ${COMPARISONS[test] ?? test} ${first}`;
    });
    input.KeyConditionExpression = terms.join(" AND ");
    input.ExpressionAttributeNames = names;
    input.ExpressionAttributeValues = valuesOf;
    if (operation.descending) input.ScanIndexForward = false;
    input.Limit = Math.min(operation.limit ?? 50, 50);
  }
  if (operation.consistent) input.ConsistentRead = true;
  input.ReturnConsumedCapacity = "TOTAL";
  return input;
}
