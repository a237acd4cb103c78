// Suggestions below a text field, from the server, as one types.
import { announce, element } from "/assets/dom.js";
import { count } from "./format.js";

/** How long after the last key the server is asked. */
const PAUSE_MS = 150;

let ids = 0;

/**
 * Makes a combobox of a text field. `suggest(text, signal)` resolves to `{ values, note }`, `label`
 * makes what is shown of a value, and `choose` gets the value that was chosen. From `lengthMin`
 * characters on the server is asked.
 *
 * Arrow keys go through the list, Enter chooses, Escape closes it. Without a list Enter does what it
 * does in any text field, unless `enter` takes it.
 */
export function combobox(input, { suggest, label, choose, enter, lengthMin = 2, name = "Suggestions" }) {
  ids += 1;
  const list = element("ul", { id: `suggestions-${ids}`, role: "listbox", "aria-label": name });
  const note = element("p", { class: "quiet" });
  const box = element("div", { class: "fus-suggestions card", hidden: true }, list, note);
  const place = element("div", { class: "fus-combobox" });
  input.replaceWith(place);
  place.append(input, box);
  for (const [key, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id })) input.setAttribute(key, value);

  let values = [];
  let active = -1;
  let timer = null;
  let asked = null;

  function forget() {
    clearTimeout(timer);
    asked?.abort();
    asked = null;
  }

  function close() {
    forget();
    values = [];
    active = -1;
    box.hidden = true;
    list.replaceChildren();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  async function ask(text) {
    asked?.abort();
    const mine = new AbortController();
    asked = mine;
    try {
      const found = await suggest(text, mine.signal);
      if (asked === mine) show(found);
    } catch (error) {
      if (asked === mine) show({ values: [], note: error.message });
    }
  }

  function show(found) {
    values = found.values;
    active = -1;
    input.removeAttribute("aria-activedescendant");
    list.replaceChildren(...values.map((value, index) => element("li", {
      id: `${list.id}-${index}`,
      role: "option",
      "aria-selected": "false",
      // The field keeps the focus.
      pointerdown: (event) => event.preventDefault(),
      click: () => take(index),
    }, label(value))));
    const said = found.note ?? (values.length === 0 ? "Nothing found." : "");
    note.textContent = said;
    note.hidden = !said;
    list.hidden = values.length === 0;
    box.hidden = false;
    input.setAttribute("aria-expanded", String(values.length > 0));
    announce([values.length ? count(values.length, "suggestion") : null, said].filter(Boolean).join(". "));
  }

  function move(to) {
    active = (to + values.length) % values.length;
    [...list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === active)));
    const option = list.children[active];
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function take(index) {
    const value = values[index];
    close();
    choose(value);
  }

  input.addEventListener("input", () => {
    const text = input.value.trim();
    forget();
    if ([...text].length < lengthMin) close();
    else timer = setTimeout(() => ask(text), PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" && values.length) move(active + 1);
    else if (event.key === "ArrowUp" && values.length) move(active < 0 ? -1 : active - 1);
    else if (event.key === "Enter" && active >= 0) take(active);
    else if (event.key === "Enter" && enter) enter(values);
    else if (event.key === "Escape" && !box.hidden) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener("blur", close);
  return { close };
}
