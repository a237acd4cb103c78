// Requests to the interface of 3FC, and what refusals mean to the person at the page.
import { element, focusQuietly } from "/assets/dom.js";
import { base, Problem, request } from "/assets/http.js";
import { caller, onChange, signInLink, token } from "/assets/session.js";

/** The path of the interface. */
export const api = `${base}/v1`;

/** How many parts of a list are read at most: the longest has 500 players. */
const PARTS_MAX = 30;

/** What to do next, by the code of a refusal. Other refusals are shown in the server's words. */
const NEXT_STEPS = {
  busy: "The server is busy. Wait a moment and try again.",
  "id-taken": "This address is taken. Choose another one.",
  "code-taken": "Another team of the season has this code. Choose another one.",
  "league-not-empty": "The league has seasons. Delete them first, or make the league private.",
  "league-too-large": "The league is too large to be deleted. Make it private instead, or remove roles first.",
  "season-not-empty": "The season has sessions. Delete them first.",
  "session-not-empty": "The session has games. Move or delete them first.",
  "player-in-other-squad": "A player is in the squad of another team. Remove them there first.",
  "team-retired": "A team is retired. Choose another one, or bring it back.",
  "game-started": "The game has started: its teams and its length stay. You can still move it.",
  "game-has-history": "Something has happened in this game, so it cannot be deleted. Abandon it instead.",
  "game-finished": "The game is finished. An admin can correct it.",
  "game-abandoned": "The game is abandoned. An admin can reopen it.",
  "too-many-changes": "This game was changed too often. It can only be finished or abandoned now.",
  "game-not-closed": "The game is neither finished nor abandoned. Play on.",
  "third-out-of-order": "Thirds are played one after the other. Check which one is running.",
  "third-over": "This third is over.",
  "third-has-goals": "Goals were entered in this third. Move or delete them first.",
  "thirds-open": "End all three thirds first.",
  "no-third-running": "No third is running. Start one, or enter the goal by hand.",
  "player-not-on-roster": "This player is not on the team's roster. Add them, or choose No name.",
  "player-has-goals": "This player is named in a goal. Correct the goal first.",
  "player-archived": "This player is archived. An admin can bring them back.",
  "roster-full": "The team has 15 players already. Remove one first.",
  "not-the-latest": "Another goal was entered since. Look at the list, and undo or delete there.",
  "goal-not-found": "This goal is no longer there. Look at the list.",
  "event-id-taken": "This goal was entered already. Look at the list.",
  "last-admin": "This is the only admin. Make another person admin first.",
  "invite-not-found": "This invitation was used, withdrawn or has expired. Ask for a new one.",
};

/** Refusals with several reasons: the server says which one it was. */
const EXPLAINED_BY_SERVER = ["third-out-of-order"];

/** Gives a refusal the words that say what to do next. */
export function explain(error) {
  if (!(error instanceof Problem) || !(error.code in NEXT_STEPS)) return error;
  if (!error.members.detail || !EXPLAINED_BY_SERVER.includes(error.code)) error.message = NEXT_STEPS[error.code];
  return error;
}

/** Reads something. */
export function read(path) {
  return request("GET", api + path);
}

/** Changes something. The request is carried out once, even if it has to be repeated. */
export async function write(method, path, body, { key } = {}) {
  try {
    return await request(method, api + path, { body, once: !key, headers: key ? { "idempotency-key": key } : {} });
  } catch (error) {
    throw explain(error);
  }
}

/** Reads a list to its end. */
export async function readAll(path) {
  const items = [];
  let cursor = null;
  for (let parts = 0; parts < PARTS_MAX; parts += 1) {
    const mark = path.includes("?") ? "&" : "?";
    const part = await read(cursor ? `${path}${mark}cursor=${encodeURIComponent(cursor)}` : path);
    items.push(...part.items);
    cursor = part.next ?? null;
    if (!cursor) break;
  }
  return items;
}

/** A part of this page's address behind the system's name: 1 is the id in `/threefc/games/{id}`. */
export function addressPart(index) {
  const text = location.pathname.slice(base.length + 1).split("/")[index] ?? "";
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Says that there is nothing to be seen here, instead of the page. `kind` is such as "game". */
export function showMissing(kind, error) {
  const main = document.querySelector("main");
  const isMissing = error?.status === 404;
  const heading = element("h1", {}, isMissing ? `No such ${kind}` : "This page could not be read");
  main.replaceChildren(element("section", { class: "card threefc-missing" }, heading,
    element("p", {}, isMissing ? `There is no such ${kind}, or it is private. Sign in if you have access.` : error?.message ?? "Try again."),
    element("p", { class: "actions" },
      isMissing ? signInLink() : element("button", { type: "button", click: () => location.reload() }, "Try again"),
      element("a", { class: "button plain", href: base }, "All leagues"))));
  document.title = `${heading.textContent} · 3FC`;
  focusQuietly(heading);
}

/** Says that this page is for others, instead of the page. */
export function showForbidden(text, back) {
  const heading = element("h1", {}, "No access");
  document.querySelector("main").replaceChildren(element("section", { class: "card threefc-missing" }, heading,
    element("p", {}, text),
    element("p", { class: "actions" }, signInLink(caller() ? "Sign in as another person" : "Sign in"), back)));
  focusQuietly(heading);
}

/**
 * Calls `listener` when somebody else signs in, or the person signs out. A token that expires changes
 * nothing on a page: without a connection it could not be loaded again.
 */
export function onOtherPerson(listener) {
  let subject = token.subject();
  onChange(() => {
    if (token.subject() === subject) return;
    subject = token.subject();
    listener();
  });
}

/** The caller's user id, as the server makes it of the subject of the token; null for a visitor. */
export function userId() {
  return caller()?.subject.replaceAll("%", "%25").replaceAll("#", "%23") ?? null;
}

/** Whether a role is enough: admin includes scorekeeper includes viewer. */
export function mayAct(role, needed) {
  const order = ["viewer", "scorekeeper", "admin"];
  return order.indexOf(role) >= order.indexOf(needed);
}

/** A page that is opened at one of its tabs would have a ring around all of that tab's panel. */
export function unmarkPanel() {
  const unmark = () => setTimeout(() => {
    if (document.activeElement?.getAttribute("role") === "tabpanel") document.activeElement.blur();
  });
  if (document.readyState === "complete") unmark();
  else addEventListener("load", unmark);
}
