// The session of this browser.
import { element, replaceKeepingFocus } from "./dom.js";

const KEY = "singlet.token";
const listeners = new Set();

/** The token sent with requests. */
export const token = {
  keep(text) {
    localStorage.setItem(KEY, text);
    notify();
  },
  forget() {
    localStorage.removeItem(KEY);
    notify();
  },
  text: () => localStorage.getItem(KEY),
  /** The claims of the token, or null if it is missing or expired. The server verifies them. */
  claims() {
    const claims = decoded(this.text());
    return claims && claims.exp * 1000 > Date.now() ? { groups: [], ...claims } : null;
  },
  /** The subject of the token, even if expired; null for visitors and after signing out. */
  subject() {
    return decoded(this.text())?.sub ?? null;
  },
};

function decoded(text) {
  try {
    const part = text.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
    const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** The caller: `{ subject, name, groups }`, or null for a visitor. */
export function caller() {
  const claims = token.claims();
  return claims && { subject: claims.sub, name: claims.name ?? claims.sub, groups: claims.groups };
}

/** The authentication headers of a request. */
export function credentials() {
  return token.claims() ? { authorization: `Bearer ${token.text()}` } : {};
}

/**
 * Calls `listener` on sign-in and sign-out in any tab, and when the token expires. Returns a
 * function that stops it.
 */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify() {
  notifyAtExpiry();
  for (const listener of listeners) listener(caller());
}

/** The longest delay of a timer. */
const TIMER_MS_MAX = 2 ** 31 - 1;
let expiryTimer = null;

function notifyAtExpiry() {
  clearTimeout(expiryTimer);
  const claims = token.claims();
  if (!claims) return;
  const wait = claims.exp * 1000 - Date.now();
  expiryTimer = wait < TIMER_MS_MAX ? setTimeout(notify, wait + 1) : null;
}

notifyAtExpiry();

addEventListener("storage", (event) => {
  if (event.key === KEY || event.key === null) notify();
});

/**
 * The sign-in address, which returns to this page with its query and fragment. The return address
 * is itself in the fragment, so a secret in a page's fragment never reaches the server. Null without
 * a sign-in page.
 */
export function signInAddress(path = location.pathname + location.search + location.hash) {
  const { signIn } = document.documentElement.dataset;
  return signIn ? `${signIn}#return=${encodeURIComponent(path)}` : null;
}

/** A link to the sign-in page, or null without one. */
export function signInLink(text = "Sign in") {
  const address = signInAddress();
  return address && element("a", { href: address, class: "button small", click: updateReturn }, text);
}

/** Updates the return address: tabs and filters change the page's address. */
function updateReturn({ currentTarget }) {
  currentTarget.href = signInAddress();
}

/** Removes the token. */
export function signOut() {
  token.forget();
}

/** Shows the caller with a sign-out button, or a sign-in link to visitors. */
export function callerMenu(container) {
  const show = () => {
    const who = caller();
    if (!who) return replaceKeepingFocus(container, [signInLink()].filter(Boolean));
    const other = signInAddress();
    const menu = element("details", { class: "caller-menu" },
      element("summary", {}, element("span", { class: "visually-hidden" }, "Signed in as "), element("span", { class: "name" }, who.name)),
      element("div", { class: "card" },
        who.groups.length ? element("p", { class: "quiet" }, who.groups.join(", ")) : null,
        other ? element("a", { class: "button plain", href: other, click: updateReturn }, "Switch person") : null,
        element("button", { type: "button", class: "plain", click: signOut }, "Sign out")));
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    return replaceKeepingFocus(container, [menu]);
  };
  addEventListener("click", (event) => {
    const menu = container.querySelector("details[open]");
    if (menu && !menu.contains(event.target)) menu.open = false;
  });
  onChange(show);
  show();
}
