// A small menu behind three dots.
import { element } from "/assets/dom.js";

/** A menu of `[{ text, run, danger }]`. Null if there is nothing to do. */
export function menu(label, actions) {
  if (actions.length === 0) return null;
  const summary = element("summary", { "aria-label": label }, element("span", { "aria-hidden": "true" }, "⋯"));
  const made = element("details", { class: "fus-menu" }, summary,
    element("div", { class: "card" }, actions.map(({ text, run, danger }) => element("button", {
      type: "button",
      class: danger ? "plain danger small" : "plain small",
      click() {
        made.open = false;
        // Dialogs return focus to the previously focused element.
        summary.focus({ preventScroll: true });
        run();
      },
    }, text))));
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !made.open) return;
    made.open = false;
    summary.focus();
  });
  return made;
}

// One menu is open at a time, and a click beside it closes it.
addEventListener("click", (event) => {
  for (const open of document.querySelectorAll(".fus-menu[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});
