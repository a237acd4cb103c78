// The console's shell: routing, the list of tables, the palette, keyboard shortcuts.
import { byId, element, focusQuietly } from "/assets/dom.js";
import { bytesText, countText, describe, isEditing, setEditing, tableNames } from "./client.js";
import { changesPage, endChanges } from "./changes.js";
import { designPage, designs, loadDesigns, runSheet } from "./design.js";
import { setEndpoint } from "./item.js";
import { itemsPage, onKey } from "./items.js";
import { openPalette } from "./palette.js";

/** Tables whose size the overview asks for at once. */
const DESCRIBED_AT_ONCE = 8;

let names = [];
/** Counts up, so that a page that is ready too late is not shown. */
let visit = 0;

const about = await (await fetch("/console/about")).json();
setEndpoint(about.endpoint ?? null);
byId("place").textContent = `Data: ${about.place}`;
byId("editing-switch").hidden = about.isReadOnly;
byId("editing").addEventListener("change", ({ target }) => setEditing(target.checked));
byId("open-palette").addEventListener("click", () => openPalette(entries()));
await Promise.all([loadDesigns(), loadNames()]);
addEventListener("hashchange", show);
document.addEventListener("keydown", shortcut);
show();

async function loadNames() {
  try {
    names = await tableNames();
  } catch (error) {
    byId("main").replaceChildren(element("p", { class: "notice bad", role: "alert" }, `The tables cannot be listed: ${error.message}`));
  }
}

/** What the address names: `#/`, `#/t/NAME`, `#/t/NAME/changes`, `#/d/NAME`. */
function place() {
  const [path, query] = location.hash.slice(1).split("?");
  const [, kind, name, part] = path.split("/").map(decodeURIComponent);
  return { kind, name, part, parameters: new URLSearchParams(query) };
}

async function show() {
  visit += 1;
  const mine = visit;
  endChanges();
  const { kind, name, part, parameters } = place();
  renderSide(kind, name);
  const main = byId("main");
  let page;
  try {
    if (kind === "t" && part === "changes") page = await changesPage(name);
    else if (kind === "t") page = await itemsPage(name, parameters);
    else if (kind === "d") page = designPage(name, names);
    else page = await overview();
  } catch (error) {
    page = [element("h1", {}, name ?? "Console"), element("p", { class: "notice bad", role: "alert" }, error.message)];
  }
  if (mine !== visit) return;
  main.replaceChildren(...page);
  document.title = `${name ? `${name} · ` : ""}Console · Singlet`;
  if (document.activeElement === document.body) focusQuietly(main);
}

function renderSide(kind, name) {
  const link = (path, title, isHere) => element("li", {}, element("a", { href: path, "aria-current": isHere ? "page" : null }, title));
  byId("tables").replaceChildren(...names.map((one) => link(`#/t/${encodeURIComponent(one)}`, one, kind === "t" && one === name)));
  byId("designs").replaceChildren(...designs.map(({ design }) => link(`#/d/${encodeURIComponent(design.name)}`, design.name, kind === "d" && design.name === name)));
  byId("designs-title").hidden = designs.length === 0;
}

async function overview() {
  await loadNames();
  const rows = names.map((name) => {
    const count = element("td", { class: "number" }, "…");
    const size = element("td", { class: "number" }, "…");
    return { name, count, size, row: element("tr", {}, element("th", { scope: "row" }, element("a", { href: `#/t/${encodeURIComponent(name)}` }, name)), count, size) };
  });
  fillSizes(rows);
  return [
    element("h1", {}, "Tables"),
    element("p", { class: "lead" }, names.length ? `${countText(names.length, "table")}. Choose one to read its items.` : "There are no tables yet. Create one with any AWS SDK or the AWS CLI, and reload this page."),
    names.length > 0 && element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tables" }, element("table", { class: "console-tables" },
      element("thead", {}, element("tr", {}, element("th", {}, "Table"), element("th", { class: "number" }, "Items"), element("th", { class: "number" }, "Size"))),
      element("tbody", {}, rows.map(({ row }) => row)))),
    designs.length > 0 && element("section", {}, element("h2", {}, "Designs"), element("ul", { class: "console-designs" }, designs.map(({ design }) => element("li", {}, element("a", { href: `#/d/${encodeURIComponent(design.name)}` }, design.name), design.description && element("span", { class: "quiet" }, ` ${design.description}`))))),
    about.endpoint && element("section", { class: "console-endpoint" }, element("h2", {}, "From the command line"), element("pre", { tabindex: "0" }, `aws dynamodb list-tables --endpoint-url ${about.endpoint}`)),
  ].filter(Boolean);
}

async function fillSizes(rows) {
  const waiting = [...rows];
  const work = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      try {
        const { items, bytes } = await describe(one.name);
        one.count.textContent = items.toLocaleString("en");
        one.size.textContent = bytesText(bytes);
      } catch {
        one.count.textContent = "–";
        one.size.textContent = "–";
      }
    }
  };
  await Promise.all(Array.from({ length: DESCRIBED_AT_ONCE }, work));
}

/** Everything that the palette finds. */
function entries() {
  const go = (path) => () => { location.hash = path; };
  const list = names.flatMap((name) => [
    { title: name, kind: "Table", go: go(`#/t/${encodeURIComponent(name)}`) },
    { title: `Changes of ${name}`, kind: "Live", go: go(`#/t/${encodeURIComponent(name)}/changes`) },
  ]);
  for (const { design } of designs) {
    list.push({ title: design.name, kind: "Design", go: go(`#/d/${encodeURIComponent(design.name)}`) });
    for (const [title, pattern] of Object.entries(design.patterns ?? {})) {
      const isRunnable = pattern.operations.length === 1 && ["GetItem", "Query"].includes(pattern.operations[0].action);
      if (isRunnable) list.push({ title, kind: `Pattern of ${design.name}`, go: () => runSheet(design, title, pattern, names) });
    }
  }
  if (!about.isReadOnly) list.push({ title: isEditing() ? "Switch editing off" : "Switch editing on", kind: "Action", go: () => byId("editing").click() });
  return list;
}

function shortcut(event) {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) openPalette(entries());
    return;
  }
  onKey(event);
  const isTyping = event.target.closest?.("input, textarea, select, dialog");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    byId("search")?.focus();
  } else if (event.key === "n" && isEditing()) byId("new-item")?.click();
}
