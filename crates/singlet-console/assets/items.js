// The items of a table or an index, drawn as single-table designs are drawn: a block for each
// partition, a row for each item, coloured by entity.
import { element, replaceKeepingFocus } from "/assets/dom.js";
import { attributesOf, bytesText, countText, describe, send } from "./client.js";
import { designOf, entityBadge, entityOf } from "./design.js";
import { createItem, showItem, showRequest } from "./item.js";
import { brief, keyValue, typeOf } from "./value.js";

/** Items on a page. */
const PAGE_ITEMS = 50;
/** Items that stay in the page. Older ones make room, so that a large table never fills the memory. */
const SHOWN_MAX = 1000;
/** Attributes that a row shows. */
const ATTRIBUTES_SHOWN = 12;
/** How many items one request of a filtered read may look at, and how many requests one press sends. */
const FILTERED_LIMIT = 1000;
const FILTERED_REQUESTS_MAX = 10;

const SORT_TESTS = { "=": "is", begins_with: "begins with", "<": "is before", "<=": "is at most", ">": "is after", ">=": "is at least", BETWEEN: "is between" };
const FILTERS = { "=": "is", "<>": "is not", contains: "contains", begins_with: "begins with", "<": "<", ">": ">", attribute_exists: "exists", attribute_not_exists: "does not exist" };

/** The page of a table's items. `parameters` are those of the address. */
export async function itemsPage(tableName, parameters) {
  const table = await describe(tableName);
  const designed = designOf(tableName);
  const index = table.indexes.find((one) => one.name === parameters.get("index")) ?? null;
  const key = index?.key ?? table.key;
  const results = element("div", { class: "console-results" });
  const summary = element("p", { class: "console-summary", role: "status" });
  const more = element("button", { type: "button", class: "plain more", hidden: true, click: () => read() }, "Load more");
  const form = searchForm(table, key, index, parameters);
  let items = [];
  let start;
  let last = null;
  let scanned = 0;

  const page = [
    element("div", { class: "console-heading" },
      element("h1", {}, tableName),
      element("p", { class: "quiet" }, `${countText(table.items, "item")}, ${bytesText(table.bytes)}`,
        designed && [" · ", element("a", { href: `#/d/${encodeURIComponent(designed.design.name)}` }, `Design ${designed.design.name}`)],
        " · ", element("a", { href: `#/t/${encodeURIComponent(tableName)}/changes` }, "Live changes"))),
    places(table, index),
    form,
    element("div", { class: "console-bar" }, summary,
      element("button", { type: "button", class: "plain small", id: "show-request", hidden: true, click: () => showRequest(last) }, "Request"),
      element("button", { type: "button", class: "small console-editor", id: "new-item", "aria-keyshortcuts": "n", click: () => createItem(table, changed) }, "New item")),
    results,
    more,
  ];
  read();
  return page;

  async function read() {
    more.disabled = true;
    summary.textContent = "Reading…";
    try {
      const isFiltered = Boolean(parameters.get("filter"));
      let found = [];
      for (let requests = 0; requests < (isFiltered ? FILTERED_REQUESTS_MAX : 1); requests += 1) {
        const { operation, input } = request(table, key, index, parameters);
        if (start) input.ExclusiveStartKey = start;
        last = await send(operation, input);
        found = found.concat(last.answer.Items);
        scanned += last.answer.ScannedCount;
        start = last.answer.LastEvaluatedKey;
        if (!start || found.length >= PAGE_ITEMS) break;
        summary.textContent = `Reading… ${countText(scanned, "item")} looked at`;
      }
      items = [...items, ...found];
      const dropped = Math.max(0, items.length - SHOWN_MAX);
      items.splice(0, dropped);
      show(isFiltered);
    } catch (error) {
      results.replaceChildren(element("p", { class: "notice bad", role: "alert" }, error.message));
      summary.textContent = "";
    } finally {
      more.disabled = false;
      document.getElementById("show-request")?.toggleAttribute("hidden", !last);
    }
  }

  function show(isFiltered = false) {
    const capacity = last.answer.ConsumedCapacity?.CapacityUnits;
    const parts = [countText(items.length, "item")];
    if (isFiltered) parts.push(`${scanned.toLocaleString("en")} looked at`);
    parts.push(`${(last.micros / 1000).toFixed(1)} ms`);
    if (capacity !== undefined) parts.push(`${capacity} read units`);
    summary.textContent = parts.join(" · ");
    const blocks = drawItems(table, items, { index: index?.name, onChange: changed });
    if (!items.length) blocks.push(element("p", { class: "quiet" }, start ? "Nothing found so far." : "No items here."));
    replaceKeepingFocus(results, blocks);
    more.hidden = !start;
  }

  /** An item was changed from here: the page shows it without reading everything again. */
  function changed(before, after) {
    const sameKey = (one, other) => attributesOf(table.key).every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
    const at = before ? items.findIndex((one) => sameKey(one, before)) : -1;
    if (at >= 0 && after) items.splice(at, 1, after);
    else if (at >= 0) items.splice(at, 1);
    else if (after) items.unshift(after);
    show();
  }
}

/** The request that the address stands for: a query where a partition is given, and a scan otherwise. */
function request(table, key, index, parameters) {
  const input = { TableName: table.name, ...(index && { IndexName: index.name }), ReturnConsumedCapacity: "TOTAL" };
  const names = {};
  const values = {};
  const terms = [];
  const partition = key.partition.map((_, at) => parameters.get(`p${at}`) ?? "");
  const isQuery = partition.every((text) => text !== "");
  if (isQuery) {
    key.partition.forEach((name, at) => {
      names[`#p${at}`] = name;
      values[`:p${at}`] = keyValue(table.types[name], partition[at]);
      terms.push(`#p${at} = :p${at}`);
    });
    const texts = key.sort.map((_, at) => parameters.get(`s${at}`) ?? "");
    const given = texts.findIndex((text) => text === "");
    const count = given < 0 ? texts.length : given;
    for (let at = 0; at < count; at += 1) {
      const name = key.sort[at];
      const test = at === count - 1 ? parameters.get("test") ?? "=" : "=";
      names[`#s${at}`] = name;
      values[`:s${at}`] = keyValue(table.types[name], texts[at]);
      if (test === "begins_with") terms.push(`begins_with(#s${at}, :s${at})`);
      else if (test === "BETWEEN") {
        values[`:t${at}`] = keyValue(table.types[name], parameters.get("to") ?? "");
        terms.push(`#s${at} BETWEEN :s${at} AND :t${at}`);
      } else terms.push(`#s${at} ${test} :s${at}`);
    }
    input.KeyConditionExpression = terms.join(" AND ");
    if (parameters.get("order") === "descending") input.ScanIndexForward = false;
  }
  const filter = parameters.get("filter");
  if (filter) {
    names["#f"] = filter;
    input.FilterExpression = filterText(parameters.get("is") ?? "=", parameters.get("value") ?? "", values);
  }
  if (Object.keys(names).length) input.ExpressionAttributeNames = names;
  if (Object.keys(values).length) input.ExpressionAttributeValues = values;
  input.Limit = filter ? FILTERED_LIMIT : PAGE_ITEMS;
  return { operation: isQuery ? "Query" : "Scan", input };
}

/** What is typed may be a text, a number or a truth value: the filter finds each. */
function filterText(test, text, values) {
  if (test.startsWith("attribute_")) return `${test}(#f)`;
  values[":f"] = { S: text };
  if (test === "contains" || test === "begins_with") return `${test}(#f, :f)`;
  const alternatives = [`#f ${test} :f`];
  const others = [];
  if (text.trim() !== "" && Number.isFinite(Number(text))) others.push({ N: text.trim() });
  if (text === "true" || text === "false") others.push({ BOOL: text === "true" });
  others.forEach((value, at) => {
    values[`:f${at}`] = value;
    alternatives.push(`#f ${test} :f${at}`);
  });
  return alternatives.join(test === "<>" ? " AND " : " OR ");
}

function searchForm(table, key, index, parameters) {
  const field = (name, label, attributes = {}) => element("label", {}, label, element("input", { name, autocomplete: "off", spellcheck: "false", value: parameters.get(name) ?? "", ...attributes }));
  const select = (name, label, options, chosen) => element("label", {}, label, element("select", { name }, Object.entries(options).map(([value, title]) => element("option", { value, selected: value === chosen }, title))));
  const to = field("to", "and");
  const test = select("test", "Sort key", SORT_TESTS, parameters.get("test") ?? "begins_with");
  const showTo = () => { to.hidden = test.querySelector("select").value !== "BETWEEN"; };
  test.addEventListener("change", showTo);
  showTo();
  const hasMore = Boolean(parameters.get("filter") || parameters.get("order") === "descending");
  const form = element("form", { class: "card console-search", role: "search", submit: go },
    element("div", { class: "console-fields" },
      key.partition.map((name, at) => field(`p${at}`, name, at === 0 ? { id: "search", placeholder: "Any partition", "aria-keyshortcuts": "/" } : {})),
      key.sort.length > 0 && [test, key.sort.map((name, at) => field(`s${at}`, name)), to],
      element("div", { class: "actions" }, element("button", {}, "Read"), element("a", { href: address(table.name, { index: index?.name ?? "" }) }, "Clear"))),
    element("details", { open: hasMore }, element("summary", {}, "Filter and order"),
      element("div", { class: "console-fields" },
        field("filter", "Attribute"),
        select("is", "Test", FILTERS, parameters.get("is") ?? "="),
        field("value", "Value"),
        key.sort.length > 0 && select("order", "Order", { "": "Ascending", descending: "Descending" }, parameters.get("order") ?? ""))));
  return form;

  function go(event) {
    event.preventDefault();
    const hash = address(table.name, { index: index?.name ?? "", ...Object.fromEntries(new FormData(form)) });
    if (location.hash === hash) dispatchEvent(new Event("hashchange"));
    else location.hash = hash;
  }
}

/** Links to the table and its indexes, each with its key. */
function places(table, index) {
  const link = (one, title, key) => element("a", { href: address(table.name, { index: one }), "aria-current": one === (index?.name ?? "") ? "page" : null }, title, element("span", { class: "quiet" }, ` ${attributesOf(key).join(", ")}`));
  return element("nav", { class: "tabs console-indexes", "aria-label": "Table and indexes" }, link("", "Table", table.key), table.indexes.map((one) => link(one.name, one.name, one.key)));
}

/** The address of a table's items. */
export function address(tableName, parameters = {}) {
  const text = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString();
  return `#/t/${encodeURIComponent(tableName)}${text ? `?${text}` : ""}`;
}

/** The address of an item's partition in the table or one of its indexes. */
export function partitionAddress(table, index, item) {
  const key = index?.key ?? table.key;
  const parameters = { index: index?.name ?? "" };
  key.partition.forEach((name, at) => { parameters[`p${at}`] = text(item[name]); });
  return address(table.name, parameters);
}

function text(value) {
  return value ? String(value[typeOf(value)]) : "";
}

/** Blocks of partitions with a row for each item. */
export function drawItems(table, items, { index, onChange } = {}) {
  const designed = designOf(table.name);
  const key = table.indexes.find((one) => one.name === index)?.key ?? table.key;
  const blocks = [];
  let current = null;
  for (const item of items) {
    const partition = key.partition.map((name) => text(item[name]));
    const id = JSON.stringify(partition);
    if (current?.id !== id) {
      current = { id, partition, items: [] };
      blocks.push(current);
    }
    current.items.push(item);
  }
  return blocks.map((block) => element("section", { class: "console-block", "data-key": `block ${block.id}` },
    element("h2", { class: "console-partition" }, key.partition.map((name, at) => [element("span", { class: "quiet" }, `${name} `), element("span", { class: "console-key" }, block.partition[at]), " "])),
    element("ul", {}, block.items.map((item) => row(table, key, designed, item, onChange)))));
}

function row(table, key, designed, item, onChange) {
  const entity = entityOf(designed, item);
  const hidden = new Set([...attributesOf(table.key), ...table.indexes.flatMap((one) => attributesOf(one.key))].filter((name) => !isFieldOf(designed, name)));
  for (const name of key.sort) hidden.add(name);
  const attributes = Object.entries(item).filter(([name]) => !hidden.has(name) && !key.partition.includes(name)).sort(([one], [other]) => order(designed, entity, one) - order(designed, entity, other));
  const shown = attributes.slice(0, ATTRIBUTES_SHOWN);
  const sort = key.sort.map((name) => text(item[name])).join(" · ");
  return element("li", { class: `console-row ${entity ? `console-colour-${entity.colour}` : ""}`, "data-key": JSON.stringify(attributesOf(table.key).map((name) => item[name])) },
    element("button", { type: "button", class: "console-open", click: () => showItem(table, item, onChange) },
      element("span", { class: "console-sort" }, entity && entityBadge(entity), element("span", { class: "console-key" }, sort || "Open"))),
    element("dl", {}, shown.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, brief(value, 40)))),
      attributes.length > shown.length && element("div", {}, element("dt", {}, "and"), element("dd", {}, `${attributes.length - shown.length} more`))));
}

/** Whether an attribute of a key is also a field that the design names. */
function isFieldOf(designed, name) {
  return Object.values(designed?.table.entities ?? {}).some((entity) => entity.attributes && name in entity.attributes);
}

/** Attributes in the order of the design, those it does not name behind them. */
function order(designed, entity, name) {
  const names = Object.keys(designed?.table.entities?.[entity?.name]?.attributes ?? {});
  const at = names.indexOf(name);
  return at < 0 ? names.length : at;
}

/** The keyboard in lists of items: arrows go from row to row. */
export function onKey(event) {
  const rows = [...document.querySelectorAll("main .console-open")];
  const at = rows.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
  if (at < 0 || to === undefined || !rows[to]) return;
  event.preventDefault();
  rows[to].focus();
}
