// One item: its attributes, its index entries, and an editor.
import { element, toast } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { attributesOf, isEditing, keyOf, send } from "./client.js";
import { designOf, entityBadge, entityOf } from "./design.js";
import { partitionAddress } from "./items.js";
import { LANGUAGES, snippet } from "./snippet.js";
import { plain, plainItem, same, typeName, typedItem } from "./value.js";

/** Attributes that a condition compares: a request has at most 300 operators. */
const COMPARED_MAX = 100;

let endpoint = null;

/** Names the endpoint that copied commands use. */
export function setEndpoint(url) {
  endpoint = url;
}

/** Shows an item. `onChange(before, after)` is called when it was changed. */
export async function showItem(table, shown, onChange) {
  let item = shown;
  try {
    // An index may hold only part of the item, and it may have changed.
    const { answer } = await send("GetItem", { TableName: table.name, Key: keyOf(table, shown), ConsistentRead: true });
    if (!answer.Item) {
      toast("This item no longer exists.");
      onChange?.(shown, null);
      return;
    }
    item = answer.Item;
  } catch (error) {
    toast(error.message);
  }
  const entity = entityOf(designOf(table.name), item);
  const places = table.indexes.filter((index) => attributesOf(index.key).every((name) => item[name]));
  const act = (work) => () => { opened.close(); work(); };
  const actions = isEditing() && onChange && element("div", { class: "actions" },
    element("button", { type: "button", click: act(() => editItem(table, item, onChange)) }, "Edit"),
    element("button", { type: "button", class: "plain", click: act(() => createItem(table, onChange, item)) }, "Duplicate"),
    element("button", { type: "button", class: "plain danger", click: act(() => deleteItem(table, item, onChange)) }, "Delete"));
  const opened = sheet([
    entity && element("p", {}, entityBadge(entity)),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Attributes" }, element("table", { class: "console-attributes" }, element("tbody", {}, Object.entries(item).map(([name, value]) => element("tr", {},
      element("th", { scope: "row" }, name, element("span", { class: "quiet" }, ` ${typeName(value)}`)),
      element("td", {}, valueText(name, value))))))),
    element("h3", {}, "Where it is found"),
    element("p", { class: "actions" },
      element("a", { class: "button plain small", href: partitionAddress(table, null, item), click: () => opened.close() }, "Its partition"),
      places.map((index) => element("a", { class: "button plain small", href: partitionAddress(table, index, item), click: () => opened.close() }, `In ${index.name}`))),
    element("p", { class: "actions" },
      copyButton("Copy JSON", () => JSON.stringify(plainItem(item), null, 2)),
      copyButton("Copy DynamoDB JSON", () => JSON.stringify(item, null, 2)),
      element("button", { type: "button", class: "plain small", click: () => showRequest({ operation: "GetItem", input: { TableName: table.name, Key: keyOf(table, item) } }) }, "Request")),
    actions,
  ], { title: attributesOf(table.key).map((name) => Object.values(item[name])[0]).join(" · ") });
  opened.dialog.classList.add("console-wide");
}

function valueText(name, value) {
  const json = plain(value);
  if (typeof json === "object" && json !== null) return element("pre", { tabindex: "0", role: "region", "aria-label": name }, JSON.stringify(json, null, 2));
  return element("span", { class: "long-text" }, String(json));
}

function copyButton(title, text) {
  const button = element("button", { type: "button", class: "plain small", click: copy }, title);
  return button;

  async function copy() {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = title; }, 2000);
  }
}

/** Shows a request, with its answer if it was sent, as what it can be copied. */
export function showRequest({ operation, input, answer, micros }) {
  const code = element("pre", { tabindex: "0" });
  let language = localStorage.getItem("console.language") ?? "cli";
  const choice = element("select", { change: choose, "aria-label": "Language" }, Object.entries(LANGUAGES).map(([value, title]) => element("option", { value, selected: value === language }, title)));
  choose();
  const { dialog } = sheet([
    element("p", { class: "actions" }, choice, copyButton("Copy", () => code.textContent)),
    code,
    answer && element("details", {}, element("summary", {}, `Answer after ${(micros / 1000).toFixed(1)} ms`), element("pre", { tabindex: "0" }, JSON.stringify(answer, null, 2).slice(0, 100_000))),
  ], { title: operation });
  dialog.classList.add("console-wide");

  function choose() {
    language = choice.value;
    localStorage.setItem("console.language", language);
    code.textContent = snippet(language, operation, input, endpoint);
  }
}

/** Creates an item, from nothing or as a copy of another. */
export function createItem(table, onChange, from = null) {
  const empty = Object.fromEntries(attributesOf(table.key).map((name) => [name, table.types[name] === "N" ? 0 : ""]));
  edit(table, { title: "New item", start: from ? plainItem(from) : empty }, async (after) => {
    const input = { TableName: table.name, Item: after, ConditionExpression: "attribute_not_exists(#k)", ExpressionAttributeNames: { "#k": table.key.partition[0] } };
    return { operation: "PutItem", input, before: null, after };
  }, onChange);
}

/** Changes an item: only what differs is written, if the item is still what was seen. */
function editItem(table, before, onChange) {
  edit(table, { title: "Edit item", start: plainItem(before) }, async (after) => {
    for (const name of attributesOf(table.key)) {
      if (!same(before[name], after[name])) throw new Error(`${name} is part of the key, which cannot be changed. Duplicate the item instead.`);
    }
    const input = { TableName: table.name, Key: keyOf(table, before), ...update(before, after) };
    if (!input.UpdateExpression) throw new Error("Nothing has changed.");
    return { operation: "UpdateItem", input, before, after };
  }, onChange);
}

async function deleteItem(table, before, onChange) {
  const isSure = await confirmDialog({ title: "Delete this item?", text: attributesOf(table.key).map((name) => Object.values(before[name])[0]).join(" · "), action: "Delete", danger: true });
  if (!isSure) return;
  const input = { TableName: table.name, Key: keyOf(table, before), ...unchanged(before) };
  try {
    await send("DeleteItem", input);
    report(table, { operation: "DeleteItem", before, after: null }, onChange);
  } catch (error) {
    toast(explain(error));
  }
}

/** A condition that an item is still what was seen. */
function unchanged(before, names = {}, values = {}, absent = []) {
  const terms = Object.entries(before).slice(0, COMPARED_MAX).map(([name, value], at) => {
    names[`#c${at}`] = name;
    values[`:c${at}`] = value;
    return `#c${at} = :c${at}`;
  });
  // Fails if another writer has added the same attribute.
  terms.push(...absent.map((name) => `attribute_not_exists(${name})`));
  return { ConditionExpression: terms.join(" AND "), ExpressionAttributeNames: names, ExpressionAttributeValues: values };
}

/** What turns one item into another: attributes to set and to remove. */
function update(before, after) {
  const names = {};
  const values = {};
  const absent = [];
  const sets = Object.entries(after).filter(([name, value]) => !same(before[name], value)).map(([name, value], at) => {
    names[`#s${at}`] = name;
    values[`:s${at}`] = value;
    if (!(name in before)) absent.push(`#s${at}`);
    return `#s${at} = :s${at}`;
  });
  const removes = Object.keys(before).filter((name) => !(name in after)).map((name, at) => {
    names[`#r${at}`] = name;
    return `#r${at}`;
  });
  if (!sets.length && !removes.length) return {};
  const expression = [sets.length && `SET ${sets.join(", ")}`, removes.length && `REMOVE ${removes.join(", ")}`].filter(Boolean).join(" ");
  return { UpdateExpression: expression, ...unchanged(before, names, values, absent) };
}

/** An editor of JSON that shows the request before it is sent. `plan` makes the request. */
function edit(table, { title, start }, plan, onChange) {
  const area = element("textarea", { class: "code console-json", rows: 16, spellcheck: "false", "aria-label": "The item as JSON" });
  area.value = JSON.stringify(start, null, 2);
  const problem = element("p", { class: "notice bad", role: "alert", hidden: true });
  const preview = element("pre", { tabindex: "0", hidden: true });
  const review = element("button", { type: "button", class: "plain", click: () => attempt(show) }, "Show request");
  const save = element("button", { type: "button", click: () => attempt(write) }, "Save");
  const opened = sheet([
    element("p", { class: "quiet" }, "Sets, bytes and long numbers name their type: ", element("code", {}, '{"SS": ["a", "b"]}'), "."),
    area, problem, preview,
    element("div", { class: "actions" }, review, save),
  ], { title, close: "Cancel" });
  opened.dialog.classList.add("console-wide");
  area.focus();
  // Ctrl+Enter saves, as in other editors of requests.
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(write);
  });

  async function attempt(work) {
    problem.hidden = true;
    try {
      let json;
      try {
        json = JSON.parse(area.value);
      } catch (error) {
        throw new Error(`This is not JSON: ${error.message}`);
      }
      if (json === null || typeof json !== "object" || Array.isArray(json)) throw new Error("An item is a JSON object.");
      await work(await plan(typedItem(json)));
    } catch (error) {
      problem.textContent = explain(error);
      problem.hidden = false;
    }
  }

  function show({ operation, input }) {
    preview.textContent = `${operation} ${JSON.stringify(input, null, 2)}`;
    preview.hidden = false;
  }

  async function write(change) {
    await send(change.operation, change.input);
    opened.close();
    // A toast in an open dialog disappears with it.
    await opened.closed;
    report(table, change, onChange);
  }
}

function explain(error) {
  if (error.type === "ConditionalCheckFailedException") return "The item has changed since you opened it, or exists already. Close this, look at it again, and repeat your change.";
  return error.message;
}

/** Says what was done and offers to undo it. */
function report(table, change, onChange) {
  const { operation, before, after } = change;
  onChange?.(before, after);
  const done = { PutItem: "Created", UpdateItem: "Saved", DeleteItem: "Deleted" }[operation];
  toast(done, { action: "Undo", onAction: () => undo(table, change, onChange) });
}

/** Reverses a change, if nobody has changed the item since. */
async function undo(table, { before, after }, onChange) {
  let request;
  if (!before) request = ["DeleteItem", { TableName: table.name, Key: keyOf(table, after), ...unchanged(after) }];
  else if (!after) request = ["PutItem", { TableName: table.name, Item: before, ConditionExpression: "attribute_not_exists(#k)", ExpressionAttributeNames: { "#k": table.key.partition[0] } }];
  else request = ["UpdateItem", { TableName: table.name, Key: keyOf(table, before), ...update(after, before) }];
  try {
    await send(...request);
    onChange?.(after, before);
    toast("Undone");
  } catch (error) {
    toast(error.type === "ConditionalCheckFailedException" ? "Somebody has changed the item since. It stays as it is." : error.message);
  }
}
