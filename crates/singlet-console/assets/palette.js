// The palette: every table, entity, access pattern and action by a few letters.
import { element } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";

const SHOWN_MAX = 12;

/** Opens the palette over these entries: `{ title, kind, go }`. */
export function openPalette(entries) {
  const list = element("ul", { class: "console-found", role: "listbox", id: "palette-found", "aria-label": "Found" });
  const input = element("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-found", "aria-label": "Table, entity, pattern or action", autocomplete: "off", spellcheck: "false", placeholder: "Table, entity, pattern or action", input: show, keydown });
  let found = [];
  let at = 0;
  const { dialog, close } = sheet([input, list], { title: "Go to" });
  dialog.classList.add("console-palette");
  input.focus();
  show();

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const typed = words.join(" ");
    // Prefix matches first, then other matches.
    const rank = ({ title }) => { const at = title.toLowerCase().indexOf(typed); return at < 0 ? 2 : Math.min(at, 1); };
    found = entries.filter(({ title, kind }) => words.every((word) => `${title} ${kind}`.toLowerCase().includes(word))).sort((one, other) => rank(one) - rank(other)).slice(0, SHOWN_MAX);
    at = 0;
    draw();
  }

  function draw() {
    list.replaceChildren(...found.map(({ title, kind }, place) => element("li", { role: "option", id: `palette-${place}`, "aria-selected": String(place === at), click: () => choose(place) }, element("span", {}, title), element("span", { class: "quiet" }, kind))));
    if (!found.length) list.append(element("li", { class: "quiet" }, "Nothing found"));
    input.setAttribute("aria-activedescendant", found.length ? `palette-${at}` : "");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  function keydown(event) {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (event.key === "Enter") {
      event.preventDefault();
      choose(at);
    } else if (to !== undefined && found.length) {
      event.preventDefault();
      at = (to + found.length) % found.length;
      draw();
    }
  }

  function choose(place) {
    if (!found[place]) return;
    close();
    found[place].go();
  }
}
