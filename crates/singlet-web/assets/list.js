// Paged lists.
import { announce, element, replaceKeepingFocus } from "./dom.js";
import { request } from "./http.js";

/** Maximum number of pages `reload` reads to show as much as before. */
const PARTS_MAX = 5;

/**
 * Shows a paged list (`{ items, next }`) with a button for more.
 *
 * `path` is the address, or a function that returns it; `item` creates the node of a value, `key`
 * its key. `empty` is shown for an empty list, `more` on the button. `filter` hides values.
 * `isBefore(one, other)` orders new values; by default they come first. `onPart(part)` is called
 * with each page before its items are shown.
 */
export function pagedList(container, { path, item, key, empty = "Nothing yet.", more = "More", filter = () => true, isBefore = () => true, onPart }) {
  let values = [];
  let next = null;
  /** Results of older loads are ignored. */
  let generation = 0;
  /** Changes made while a page is loading, which may be older. */
  let changes = null;
  const note = element("p", { class: "list-note quiet", role: "status" }, "Loading…");
  const button = element("button", { type: "button", class: "plain more", hidden: true, click: () => load({ isMore: true }) }, more);
  container.after(note, button);
  container.setAttribute("aria-busy", "true");

  function address(cursor) {
    const url = new URL(typeof path === "function" ? path() : path, location.href);
    if (cursor) url.searchParams.set("cursor", cursor);
    return url.pathname + url.search;
  }

  async function load({ isMore = false } = {}) {
    generation += 1;
    const mine = generation;
    const shownBefore = values.length;
    const isFocused = document.activeElement === button;
    changes = [];
    try {
      let loaded = isMore ? [...values] : [];
      let cursor = isMore ? next : null;
      for (let parts = 0; parts < PARTS_MAX; parts += 1) {
        const part = await request("GET", address(cursor));
        if (mine !== generation) return;
        onPart?.(part);
        const known = new Set(loaded.map(key));
        loaded = [...loaded, ...part.items.filter((value) => !known.has(key(value)))];
        cursor = part.next ?? null;
        if (isMore || !cursor || loaded.length >= shownBefore) break;
      }
      values = loaded;
      next = cursor;
      for (const change of changes) change();
      changes = null;
      render();
      if (isMore) {
        announce(`${values.length - shownBefore} more.`);
        // The button moved or disappeared: focus the first new item.
        if (isFocused) focusItem(shownBefore);
      }
    } catch (error) {
      if (mine !== generation) return;
      changes = null;
      container.removeAttribute("aria-busy");
      note.hidden = false;
      note.replaceChildren(error.message, " ", element("button", { type: "button", class: "plain small", click: () => load({ isMore }) }, "Try again"));
    }
  }

  function focusItem(index) {
    const node = container.children[index];
    if (!node) return;
    const target = node.querySelector("a[href], button") ?? node;
    if (target === node) node.setAttribute("tabindex", "-1");
    target.focus();
  }

  function render() {
    const visible = values.filter((value) => filter(value));
    container.removeAttribute("aria-busy");
    replaceKeepingFocus(container, visible.map((value) => {
      const node = item(value);
      node.dataset.key = key(value);
      return node;
    }));
    note.textContent = visible.length === 0 ? empty : "";
    note.hidden = visible.length > 0;
    button.hidden = !next;
  }

  function change(apply) {
    changes?.push(apply);
    apply();
    render();
  }

  load();
  return {
    /** Reloads as much of the list as is shown. */
    reload: () => load(),
    /** Shows a new or changed value. */
    upsert(value) {
      change(() => {
        const at = values.findIndex((one) => key(one) === key(value));
        if (at >= 0) {
          values[at] = value;
          return;
        }
        const place = values.findIndex((one) => isBefore(value, one));
        values.splice(place < 0 ? values.length : place, 0, value);
      });
    },
    /** Removes a value. */
    remove(gone) {
      change(() => { values = values.filter((one) => key(one) !== gone); });
    },
    /** The values shown. */
    values: () => values.filter((value) => filter(value)),
  };
}
