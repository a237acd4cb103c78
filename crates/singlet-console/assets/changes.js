// The live feed of a table: every change as it happens.
import { element } from "/assets/dom.js";
import { attributesOf, describe } from "./client.js";
import { designOf, entityBadge, entityOf } from "./design.js";
import { showItem } from "./item.js";
import { brief, same, typeOf } from "./value.js";

/** Changes that stay on the page. */
const SHOWN_MAX = 200;

let source = null;

/** Ends the feed of the page that is left. */
export function endChanges() {
  source?.close();
  source = null;
}

export async function changesPage(tableName) {
  const table = await describe(tableName);
  const designed = designOf(tableName);
  const status = element("p", { class: "quiet", role: "status" }, "Connecting…");
  const list = element("ul", { class: "console-changes" });
  const pause = element("button", { type: "button", class: "plain small", "aria-pressed": "false", click: toggle }, "Pause");
  let isPaused = false;
  let count = 0;
  let unseen = 0;
  const response = await probe(tableName);
  if (response) {
    status.textContent = response;
    pause.hidden = true;
  } else follow();
  return [
    element("div", { class: "console-heading" }, element("h1", {}, `Changes of ${tableName}`), element("p", { class: "actions" }, element("a", { href: `#/t/${encodeURIComponent(tableName)}` }, "Items"), pause)),
    status,
    list,
  ];

  function follow() {
    source = new EventSource(`/console/changes?table=${encodeURIComponent(tableName)}`);
    source.addEventListener("open", () => { status.textContent = count ? status.textContent : "Waiting for the first change…"; });
    source.addEventListener("error", () => { status.textContent = "The connection was lost. Connecting again…"; });
    source.addEventListener("message", ({ data }) => {
      const event = JSON.parse(data);
      if (event.problem) {
        status.textContent = event.problem;
        endChanges();
        return;
      }
      count += 1;
      if (isPaused) {
        unseen += 1;
        pause.textContent = `Continue (${unseen} new)`;
        return;
      }
      show(event);
    });
  }

  function show(event) {
    status.textContent = `${count.toLocaleString("en")} since this page was opened`;
    list.prepend(event.fellBehind ? element("li", { class: "quiet" }, `${event.missed ?? "Some"} changes came too fast to show.`) : entry(event));
    while (list.children.length > SHOWN_MAX) list.lastChild.remove();
  }

  function toggle() {
    isPaused = !isPaused;
    unseen = 0;
    pause.textContent = isPaused ? "Continue" : "Pause";
    pause.setAttribute("aria-pressed", String(isPaused));
  }

  function entry({ old: before, new: after, isExpiry }) {
    const item = after ?? before;
    const entity = entityOf(designed, item);
    const kind = !before ? "Created" : after ? "Changed" : isExpiry ? "Expired" : "Deleted";
    const key = attributesOf(table.key).map((name) => String(item[name]?.[typeOf(item[name])])).join(" · ");
    const names = before && after ? Object.keys({ ...before, ...after }).filter((name) => !same(before[name] ?? null, after[name] ?? null)) : [];
    return element("li", { class: entity ? `console-colour-${entity.colour}` : null },
      element("p", {}, element("time", { class: "quiet" }, new Date().toLocaleTimeString()), " ", element("strong", {}, kind), " ", entity && entityBadge(entity), " ",
        after ? element("button", { type: "button", class: "plain small console-key", click: () => showItem(table, after) }, key) : element("span", { class: "console-key" }, key)),
      names.length > 0 && element("dl", {}, names.map((name) => element("div", {}, element("dt", {}, name), element("dd", {},
        before[name] && element("del", {}, brief(before[name], 40)), " ", after[name] && element("ins", {}, brief(after[name], 40)))))));
  }
}

/** Why a table has no feed, if it has none: an event source does not tell. */
async function probe(tableName) {
  const ending = new AbortController();
  const response = await fetch(`/console/changes?table=${encodeURIComponent(tableName)}`, { signal: ending.signal });
  const problem = response.ok ? null : (await response.json()).message;
  ending.abort();
  return problem;
}
