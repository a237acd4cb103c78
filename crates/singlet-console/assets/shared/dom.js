// Elements, focus and announcements. Text is never parsed as markup, here or in any page.

/** The element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Makes an element. Attributes that are functions are listeners; `null` children are left out. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an element of a drawing (SVG). */
export function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return made;
}

const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]";

/**
 * Replaces the children of an element and keeps the focus where it was. Nodes that stand for the
 * same thing before and after have the same `data-key`. If the focused thing is gone, the one that
 * has taken its place gets the focus, and the parent if there is none.
 */
export function replaceKeepingFocus(parent, nodes) {
  const focused = document.activeElement;
  if (!focused || focused === parent || !parent.contains(focused)) {
    parent.replaceChildren(...nodes);
    return;
  }
  const keyed = focused.closest("[data-key]");
  const key = keyed && parent.contains(keyed) ? keyed.dataset.key : null;
  const top = [...parent.children].findIndex((child) => child.contains(focused));
  const inner = keyed ? focusables(keyed).indexOf(focused) : -1;
  parent.replaceChildren(...nodes);
  const same = key === null ? null : [...parent.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key);
  const next = same ?? parent.children[Math.min(top, parent.children.length - 1)];
  const target = next ? focusables(next)[Math.max(inner, 0)] ?? focusables(next)[0] : null;
  if (target) target.focus({ preventScroll: true });
  else focusQuietly(same ?? parent);
}

function focusables(node) {
  return [...(node.matches(FOCUSABLE) ? [node] : []), ...node.querySelectorAll(FOCUSABLE)];
}

/** Focuses an element that people do not reach with the keyboard otherwise. */
export function focusQuietly(node) {
  if (!node.matches(FOCUSABLE)) node.setAttribute("tabindex", "-1");
  node.focus({ preventScroll: true });
}

const regions = new Map();

/** Tells screen readers something that the page shows. `assertive` interrupts what is being read. */
export function announce(text, { assertive = false } = {}) {
  const kind = assertive ? "assertive" : "polite";
  if (!regions.has(kind)) {
    const region = element("div", { class: "visually-hidden", "aria-live": kind, "data-announce": kind });
    document.body.append(region);
    regions.set(kind, region);
  }
  const region = regions.get(kind);
  // Screen readers ignore unchanged text and new regions.
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, 50);
}

/** How long a message stays. */
const TOAST_TIME_MS = 6_000;
let toastShown = null;

/**
 * Says for some seconds that something was done, in view and to screen readers: "Saved". `action` is a
 * button in it that calls `onAction`, such as "Undo". A new message replaces the one before.
 */
export function toast(text, { action, onAction } = {}) {
  toastShown?.remove();
  const button = action && element("button", { type: "button", class: "plain small", click: () => { shown.remove(); onAction(); } }, action);
  const shown = element("div", { class: "toast", role: "status", "aria-live": "off", popover: "manual" }, element("span", {}, text), button);
  toastShown = shown;
  // Elements outside an open dialog are inert.
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  (dialog ?? document.body).append(shown);
  shown.showPopover?.();
  announce(text);
  // Stay while the pointer or the focus is on it.
  const end = () => (shown.matches(":hover, :focus-within") ? setTimeout(end, TOAST_TIME_MS) : shown.remove());
  setTimeout(end, TOAST_TIME_MS);
}

const motion = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the person wants things to stand still. */
export function reducedMotion() {
  return motion.matches;
}

/** Scrolls an element into view, without motion for those who want none. */
export function bringIntoView(node) {
  node.scrollIntoView({ block: "nearest", behavior: reducedMotion() ? "instant" : "smooth" });
}
