// Above the panel: where the game stands, plays that wait, refusals, the end of the game.
import { element, shape } from "/assets/dom.js";
import { signInLink } from "/assets/session.js";
import { whoDidWhat } from "./game-view.js";
import { mayBeOver, occupied, playerUp } from "./rules.js";
import { book, nameOf, pageAddress, render, reread } from "./score-book.js";
import { finish, openMore } from "./score-halves.js";
import { counted, fullName, halfMark, halfName, shortName, STATUS_NAMES } from "./words.js";

/** After so long a play that is being sent is said to wait. */
const SENDING_MS_MAX = 2000;

let heldUpTimer = null;

export function bar(game) {
  const isOurs = game.state?.half === "TEAM" && !book.team.isPersonal && game.status === "IN_PROGRESS";
  const isPlays = document.querySelector("main").classList.contains("shows-plays");
  return [
    element("a", { class: "hacktracker-bar-back", href: pageAddress, "aria-label": "Live view and box score", "data-key": "back" }, "‹"),
    element("div", { class: "hacktracker-bar-facts", "data-key": "facts" },
      book.team.isPersonal ? null : element("b", {}, element("span", { "aria-hidden": "true" }, halfMark(game)), element("span", { class: "visually-hidden" }, halfName(game))),
      isOurs ? outsPicture(game.state.outs) : null,
      element("b", { id: "score", class: "hacktracker-bar-score" }, `${game.teamScore}–${game.opponentScore}`),
      game.status === "IN_PROGRESS" ? null : element("span", { class: "badge" }, STATUS_NAMES[game.status])),
    element("button", { type: "button", class: "plain small hacktracker-plays-button", "data-key": "plays", "aria-expanded": String(isPlays), "aria-controls": "plays", click: togglePlays }, isPlays ? "Score" : "Plays"),
    game.status === "IN_PROGRESS" ? element("button", { type: "button", class: "plain small", "data-key": "more", "aria-haspopup": "dialog", click: openMore }, "More") : null,
  ].filter(Boolean);
}

function outsPicture(outs) {
  return element("span", { class: "hacktracker-outs" },
    shape("svg", { viewBox: "0 0 34 14", "aria-hidden": "true" }, [0, 1].map((index) => shape("circle", { cx: 8 + index * 17, cy: 7, r: 5.5, class: index < outs ? "is-out" : null }))),
    element("span", {}, counted(outs, "out")));
}

function togglePlays() {
  document.querySelector("main").classList.toggle("shows-plays");
  render();
  scrollTo({ top: 0 });
}

export function notices(game) {
  const list = [];
  const waiting = book.queue.entries();
  const refused = waiting.find((one) => one.error);
  if (refused) list.push(refusalNotice(refused, waiting.length));
  else if (book.queue.needsSignIn) list.push(signInNotice(waiting.length));
  else if (isHeldUp(waiting)) {
    list.push(element("div", { class: "notice", role: "status", id: "waiting", "data-key": "waiting" }, `${counted(waiting.length, "play")} waiting`, navigator.onLine ? "" : " for a connection"));
  }
  if (!waiting.length && mayBeOver(game) && !book.team.isPersonal) {
    list.push(element("div", { class: "notice", "data-key": "over" },
      element("p", {}, "The game may be over. Finish?"),
      element("div", { class: "actions" }, element("button", { type: "button", click: finish }, "Finish game"))));
  }
  return list;
}

/** Plays that are being sent are not worth a word; those that cannot be sent are. */
function isHeldUp(waiting) {
  if (!waiting.length) return false;
  // Ids begin with the time.
  const age = Date.now() - Number(waiting[0].id.split("-")[0]);
  if (!navigator.onLine || age > SENDING_MS_MAX) return true;
  clearTimeout(heldUpTimer);
  heldUpTimer = setTimeout(render, SENDING_MS_MAX);
  return false;
}

function signInNotice(count) {
  return element("div", { class: "notice bad", role: "alert", "data-key": "signed-out" },
    element("p", {}, `${counted(count, "play")} waiting. Sign in to send them.`),
    element("div", { class: "actions" }, signInLink()));
}

function refusalNotice(refused, count) {
  const problem = book.queue.refusal;
  const isMoved = problem ? problem.code === "game-moved-on" : true;
  const game = problem?.members?.game ?? book.view.game;
  const mine = `${count > 1 ? `Your ${count} plays were not saved` : "Yours was not saved"}: ${playText(refused.entry)}${count > 1 ? " first" : ""}.`;
  const text = `${isMoved ? whoDidWhat(game.lastEvent, { playersById: book.players, nameOf }) : refused.error} ${mine}`;
  const up = book.players.get(playerUp(game));
  const next = refused.entry.kind === "atBat" && up ? `Record as next: ${refused.entry.body.result} for ${shortName(up)}` : "Record as next";
  return element("div", { class: "notice bad", role: "alert", "data-key": "refused" },
    element("p", {}, text),
    element("div", { class: "actions" },
      element("button", { type: "button", class: "plain danger", click: dropMine }, "Drop mine"),
      isMoved ? element("button", { type: "button", click: () => recordAsNext(game) }, next) : element("button", { type: "button", click: editRefused }, "Change it")));
}

/** What an entry of the queue says: "2B for Pia Lindgren". */
function playText({ kind, body, batter, inning }) {
  const player = book.players.get(batter ?? body.playerId);
  switch (kind) {
    case "atBat": return player ? `${body.result} for ${fullName(player)}` : body.result;
    case "runners": return "the runners’ moves";
    case "opponent": return `${counted(body.runs, "run")} in inning ${inning}`;
    default: return "the next half";
  }
}

async function dropMine() {
  book.queue.dropAll();
  book.placing = null;
  await reread();
  render();
}

/** What waits is sent after what somebody else has recorded. Runners that stand elsewhere now take the defaults. */
async function recordAsNext(seen) {
  await reread();
  const game = book.view.game.revision >= seen.revision ? book.view.game : seen;
  book.queue.rebase(game, (entry) => {
    if (entry.kind !== "atBat") return entry;
    const { moves, rbis, playerId, ...rest } = entry.body;
    return { ...entry, batter: undefined, body: entry.bases && entry.bases !== occupied(game.state?.bases ?? []).join() ? rest : { ...rest, ...(moves ? { moves } : {}), ...(rbis == null ? {} : { rbis }) } };
  });
  book.placing = null;
  render();
}

/** A play that breaks a rule goes back to the pad, and those after it are given up. */
function editRefused() {
  book.queue.dropAll();
  book.placing = null;
  render();
}
