// Dialogs. The browser traps the focus and restores it afterwards. An open dialog is a history
// entry: going back closes it without leaving the page.
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
    // A stray Enter must not confirm a destructive action.
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
  // A click on the backdrop closes the dialog, like Escape.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (opened.includes(dialog)) opened.splice(opened.indexOf(dialog), 1);
    setTimeout(matchHistory, LEAVE_TIME_MS);
    // The browser has restored the focus by now, unless the element was replaced.
    if (document.activeElement !== document.body) return;
    const target = before?.isConnected ? before : key && [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
    (target?.matches?.("button, a, input, [tabindex]") ? target : target?.querySelector?.("button, a"))?.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  opened.push(dialog);
  matchHistory();
  return dialog;
}

/** How long a page may take to leave for another one after a dialog has closed, or to open the next. */
const LEAVE_TIME_MS = 100;
/** The open dialogs, the topmost last. */
const opened = [];
/** The address of the page below the dialogs. */
let address = null;
/** Whether this module goes back, and the browser is not there yet. */
let isGoing = false;
let isLeaving = false;

// After a reload no dialog is open.
if (entries()) history.replaceState({ ...history.state, dialogs: 0 }, "");

/** How many entries of the history, up to the current one, stand for a dialog. */
function entries() {
  return history.state?.dialogs ?? 0;
}

/** Makes as many entries in the history as dialogs are open. */
function matchHistory() {
  // Going back would cancel a navigation in progress.
  if (isGoing || isLeaving) return;
  address = location.href;
  while (entries() < opened.length) history.pushState({ ...history.state, dialogs: entries() + 1 }, "");
  if (entries() === opened.length) return;
  isGoing = true;
  history.go(opened.length - entries());
}

addEventListener("beforeunload", () => {
  isLeaving = true;
  // The navigation may not happen, as for a download.
  setTimeout(() => { isLeaving = false; }, 10 * LEAVE_TIME_MS);
});

// The page was restored from the back/forward cache.
addEventListener("pageshow", ({ persisted }) => {
  isLeaving = false;
  if (persisted) matchHistory();
});

// Registered before the page's listeners, for which nothing has changed.
addEventListener("popstate", (event) => {
  if ((isGoing || opened.length) && location.href === address) event.stopImmediatePropagation();
  if (isGoing) isGoing = false;
  else for (const dialog of opened.splice(entries()).reverse()) dialog.close();
  matchHistory();
}, { capture: true });
