// Dialogs. The browser keeps the focus inside them, and gives it back afterwards.
import { element } from "./dom.js";

let ids = 0;

/** Asks before something is done. Resolves to whether it was confirmed. */
export function confirmDialog({ title, text, action = "OK", danger = false, cancel = "Cancel" }) {
  return new Promise((resolve) => {
    const no = element("button", { type: "button", class: "plain", value: "no" }, cancel);
    const yes = element("button", { type: "button", class: danger ? "danger" : null, value: "yes" }, action);
    const dialog = open({ title, role: "alertdialog" }, text ? element("p", {}, text) : null, element("div", { class: "actions" }, no, yes));
    yes.addEventListener("click", () => dialog.close("yes"));
    no.addEventListener("click", () => dialog.close("no"));
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
    // What cannot be undone is not one careless key away.
    (danger ? no : yes).focus();
  });
}

/**
 * Shows content in a sheet. `close` is the text of the button that closes it, such as "Cancel" below
 * a form. Returns `{ dialog, close(), closed }`.
 */
export function sheet(content, { title, close = "Close" }) {
  const button = element("button", { type: "button", class: "plain" }, close);
  const dialog = open({ title }, content, element("div", { class: "actions" }, button));
  dialog.classList.add("sheet");
  button.addEventListener("click", () => dialog.close());
  const closed = new Promise((resolve) => { dialog.addEventListener("close", resolve); });
  return { dialog, close: () => dialog.close(), closed };
}

function open({ title, role }, ...content) {
  ids += 1;
  const before = document.activeElement;
  const key = before?.closest("[data-key]")?.dataset.key;
  const heading = element("h2", { id: `dialog-title-${ids}` }, title);
  const dialog = element("dialog", { role, "aria-labelledby": heading.id }, element("div", { class: "dialog-content" }, heading, content));
  // A click beside the dialog closes it, as the Escape key does.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    // The element that had the focus may have been replaced while the dialog was open.
    const target = before?.isConnected ? before : key && [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
    (target?.matches?.("button, a, input, [tabindex]") ? target : target?.querySelector?.("button, a"))?.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
