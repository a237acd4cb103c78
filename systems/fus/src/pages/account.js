// The caller, their rights, and the navigation.
import { byId, element, reducedMotion } from "/assets/dom.js";
import { showProblem } from "/assets/form.js";
import { base, Problem, request } from "/assets/http.js";
import { caller, onChange, signInLink, signOut, token } from "/assets/session.js";

/** The path before all operations. */
export const api = `${base}/v1`;

/** Which login has been recorded in this tab. */
const LOGIN_KEY = "fus.login";

/** The pages that the navigation leads to, and who sees them. */
const PLACES = [
  { path: "", text: "Sites", isFor: () => true },
  { path: "/squash", text: "Squash", isFor: (me) => isInSquash(me) },
  { path: "/groups", text: "Groups", isFor: (me) => can(me, "groups.read") },
  { path: "/me", text: "My profile", isFor: (me) => me !== null },
];

/** Page texts for refusals. */
const MEANINGS = {
  "site-busy": "The last change is still being saved. Try again in a minute.",
  "changed-meanwhile": "Someone else changed this. Reload and try again.",
  "group-busy": "A group of this name is still being deleted. Try again in a minute.",
  "group-exists": "There is a group of this name. Upper and lower case make no difference. Choose another one.",
  "account-taken": "This account belongs to another player.",
};

// Reload for another account: rights depend on it.
onChange(() => location.reload());

/** All permissions there are, and what each allows. */
export const PERMISSIONS = {
  "comments.moderate": "remove comments",
  "groups.read": "see groups, their members and all people",
  "members.manage": "add and remove members",
  "logins.read": "see when and from where others signed in",
};

/** The caller's profile and rights, or null for a visitor. Read once for each page. */
export const arrival = loadMe();
arrival.then(showNavigation);

async function loadMe() {
  if (!caller()) return null;
  try {
    await recordLogin();
    return await request("GET", `${api}/me`);
  } catch (error) {
    // The server no longer accepts this token.
    if (error.status === 401) signOut();
    else showProblem(error);
    return null;
  }
}

async function recordLogin() {
  const { sub, iat } = token.claims();
  const login = `${sub} ${iat}`;
  if (sessionStorage.getItem(LOGIN_KEY) === login) return;
  await request("POST", `${api}/me/login`);
  sessionStorage.setItem(LOGIN_KEY, login);
}

function showNavigation(me) {
  byId("fus-nav").replaceChildren(...PLACES.filter(({ isFor }) => isFor(me)).map(({ path, text }) => element("a", {
    href: base + path,
    "aria-current": isHere(path) ? (location.pathname === base + path ? "page" : "true") : null,
  }, text)));
}

function isHere(path) {
  const inside = location.pathname.slice(base.length).replace(/\/$/, "");
  if (path === "") return inside === "" || /^\/(site|new|edit)\b/.test(inside);
  return inside === path || inside.startsWith(`${path}/`);
}

/** Whether this person has a permission. */
export function can(me, permission) {
  return me?.permissions.includes(permission) ?? false;
}

/** Whether this person changes sites and groups. */
export function isAdmin(me) {
  return me?.roles.some((role) => role === "SuperAdmin" || role === "admin") ?? false;
}

/** Whether this person sees the pages of the squash club. */
export function isInSquash(me) {
  return me !== null && me.squash !== "none";
}

/** The names of the groups that this person is in. */
export function groupNames(me) {
  return me.groups.map((group) => group.name ?? group.groupName ?? group);
}

/** Shows that there is nothing here, or nothing for this person, instead of the page's content. */
export function showNothing({ title, text, place = byId("main"), offersSignIn = false, isRoot = true }) {
  document.title = `${title} · FUS`;
  place.replaceChildren(element("div", { class: "card fus-nothing" },
    element(isRoot ? "h1" : "h2", { tabindex: "-1" }, title),
    element("p", {}, text),
    element("p", { class: "actions" },
      offersSignIn ? signInLink() : null,
      element("a", { class: "button plain", href: base }, "Back to the catalogue"))));
}

/** The page's own text for a problem, if it has one. Keeps the user's input. */
export function explained(error) {
  const meaning = MEANINGS[error.status === 412 ? "changed-meanwhile" : error.code];
  return meaning ? new Problem({ ...error.members, detail: meaning, errors: [] }) : error;
}

/** Scrolls to details opened below a list. On wide screens they are already visible beside it. */
export function bringToTop(node) {
  node.scrollIntoView({ block: matchMedia("(min-width: 60rem)").matches ? "nearest" : "start", behavior: reducedMotion() ? "instant" : "smooth" });
}
