// Pages for people who are signed in: what they show to visitors, and to somebody who is here for
// the first time.
import { byId, element } from "/assets/dom.js";
import { onSubmit, showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { caller, onChange, signInLink, token } from "/assets/session.js";

/** The parts of this page's address after the name of the page. */
export function addressParts() {
  return location.pathname.slice(base.length).split("/").slice(2).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

/**
 * Loads the page with `load` if somebody is signed in, and asks to sign in if not. What goes wrong
 * is shown instead of the page. Another person gets the page anew.
 */
export async function startPage(load, { visitorText = "Sign in to see your teams." } = {}) {
  const subject = caller()?.subject ?? null;
  onChange((who) => { if ((who?.subject ?? null) !== subject) location.reload(); });
  if (!subject) {
    showInstead(byId("visitor-title")?.textContent ?? document.title, element("p", {}, visitorText), signInLink());
    return;
  }
  try {
    await load();
  } catch (error) {
    showFailure(error);
  }
}

/** Shows why the page cannot be shown. */
export function showFailure(error) {
  if (!("status" in error) && !error.isUnreachable) console.error(error);
  const isGone = error.status === 404 || error.status === 403 || error.status === 410;
  const again = element("button", { type: "button", click: () => location.reload() }, "Try again");
  const title = error.title ?? "This page cannot be shown";
  // Without a detail the message is the title once more.
  showInstead(title, error.message === `${title}.` ? null : element("p", {}, error.message),
    element("p", { class: "actions" }, isGone ? null : again, element("a", { class: "button plain", href: base }, "My teams")));
}

function showInstead(title, ...content) {
  const main = document.querySelector("main");
  main.className = "hacktracker-notice";
  main.replaceChildren(element("h1", {}, title), ...content.filter(Boolean));
  main.removeAttribute("aria-busy");
}

/**
 * The caller's user. Who is here for the first time says their name in a form at the top of the page;
 * resolves when there is a user.
 */
export async function ensureUser(place) {
  try {
    return await request("GET", `${base}/users/me`);
  } catch (error) {
    if (error.code !== "user-not-found") throw error;
  }
  const [first = "", ...rest] = (caller()?.name ?? "").split(" ");
  const form = element("form", { class: "card hacktracker-form" },
    element("h2", {}, "Welcome"),
    element("p", { class: "quiet" }, "How do your teammates know you?"),
    element("div", { class: "hacktracker-pair" },
      element("label", {}, "First name ", element("input", { name: "firstName", required: true, maxlength: 50, autocomplete: "given-name", value: first })),
      element("label", {}, "Last name ", element("input", { name: "lastName", required: true, maxlength: 50, autocomplete: "family-name", value: rest.join(" ") }))),
    // The e-mail address of the token wins; without one the person says it.
    token.claims()?.email ? null : element("label", {}, "E-mail ", element("input", { name: "email", type: "email", required: true, maxlength: 254, autocomplete: "email" })),
    element("button", {}, "Continue"));
  place.prepend(form);
  return new Promise((resolve) => {
    onSubmit(form, async (values) => {
      const user = await request("POST", `${base}/users`, { body: values, once: true });
      form.remove();
      resolve(user);
    });
  });
}

/** Runs something that a button starts, and shows what goes wrong at the top of `near`. */
export async function attempt(work, { near } = {}) {
  try {
    return await work();
  } catch (error) {
    showProblem(error, near ? { near } : {});
    return undefined;
  }
}

/** All items of a list that comes in parts. */
export async function readAll(path) {
  const items = [];
  let cursor = null;
  do {
    const url = new URL(path, location.href);
    if (cursor) url.searchParams.set("cursor", cursor);
    const part = await request("GET", url.pathname + url.search);
    items.push(...part.items);
    cursor = part.next ?? null;
  } while (cursor);
  return items;
}

/** The caller's user id, as the server makes it of the subject of the token; null for a visitor. */
export function userId() {
  return caller()?.subject.replaceAll("%", "%25").replaceAll("#", "%23") ?? null;
}

/** A team with its roster and what the caller may do there. */
export async function readTeam(teamId) {
  const view = await request("GET", `${base}/teams/${encodeURIComponent(teamId)}`);
  return describeTeam(view);
}

export function describeTeam(view) {
  const mine = view.members.find((member) => member.userId === userId());
  const role = mine?.status === "active" ? mine.role : null;
  const isPersonal = view.team.team_type === "PERSONAL";
  return {
    ...view,
    role,
    isPersonal,
    path: `${base}/teams/${encodeURIComponent(view.team.teamId)}`,
    canEdit: role === "owner",
    canOwn: role === "owner" && !isPersonal,
    canManage: role === "owner" || role === "manager",
    canScore: ["owner", "manager", "scorekeeper"].includes(role),
    playersById: new Map(view.players.map((player) => [player.playerId, player])),
  };
}
