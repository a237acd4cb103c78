// Who is signed in, in this browser.
import { element, replaceKeepingFocus } from "./dom.js";

const KEY = "singlet.token";
const listeners = new Set();

/** The token that requests carry. */
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
  /** What the token says, or null if there is none or it has expired. The server checks it. */
  claims() {
    const claims = decoded(this.text());
    return claims && claims.exp * 1000 > Date.now() ? { groups: [], ...claims } : null;
  },
  /** Whose token it is, also after it has expired; null for a visitor and after signing out. */
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

/** The headers by which a request says who calls. */
export function credentials() {
  return token.claims() ? { authorization: `Bearer ${token.text()}` } : {};
}

/**
 * Calls `listener` when somebody signs in or out, in any tab of this browser, and when the token
 * expires. Returns a function that ends it.
 */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify() {
  notifyAtExpiry();
  for (const listener of listeners) listener(caller());
}

/** The longest time that a timer can wait. */
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
 * Where people sign in, and come back from to this page, with its query and its fragment (invitation
 * links carry a code there). Null if this server has no such page.
 */
export function signInAddress() {
  const { signIn } = document.documentElement.dataset;
  return signIn ? `${signIn}?return=${encodeURIComponent(location.pathname + location.search + location.hash)}` : null;
}

/** A link to the page where people sign in, or null if this server has none. */
export function signInLink(text = "Sign in") {
  const address = signInAddress();
  return address && element("a", { href: address, class: "button small", click: updateReturn }, text);
}

/** The page's address may have changed since the link was made: tabs and filters change it. */
function updateReturn({ currentTarget }) {
  currentTarget.href = signInAddress();
}

/** Forgets who is signed in. */
export function signOut() {
  token.forget();
}

/** Shows who is signed in and lets them sign out, and visitors sign in. */
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
