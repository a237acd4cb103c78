// Scoring a game at-bat by at-bat.
import { announce, byId, replaceKeepingFocus } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { WatchStream } from "/assets/live.js";
import { eventSentence, lineScoreTable, playsList } from "./game-view.js";
import { bar, notices } from "./score-bar.js";
import { book, current, gameId, nameOf, onRender, pageAddress, path, render, reread, show, take } from "./score-book.js";
import { renderPanel } from "./score-panel.js";
import { correctionNotes, insertButton, openAddressed, playRow } from "./score-plays.js";
import { ScoreQueue } from "./score-queue.js";
import { readAll, readTeam, startPage } from "./signed-in.js";
import { halfMark, opponentName } from "./words.js";

onRender(draw);
startPage(load, { visitorText: "Sign in to score this game." });

async function load() {
  book.view = await request("GET", path);
  book.team = await readTeam(book.view.game.teamId);
  if (!book.team.canScore) {
    location.replace(pageAddress);
    return;
  }
  if (book.view.game.status === "SCHEDULED" || book.view.game.status === "POSTPONED") {
    location.replace(pageAddress);
    return;
  }
  book.players = new Map([...book.team.playersById, ...book.view.players.map((player) => [player.playerId, player])]);
  book.personal.inning = book.view.atBats.at(-1)?.inning ?? 1;
  book.queue = new ScoreQueue(gameId, path, { onChange: queueChanged, onSent: sent });
  queueChanged();
  document.querySelector("main").removeAttribute("aria-busy");
  const isOver = book.view.game.status !== "IN_PROGRESS";
  if (isOver || location.hash) document.querySelector("main").classList.add("shows-plays");
  render();
  openAddressed();
  addEventListener("hashchange", openAddressed);
  const members = await readAll(`${book.team.path}/members`);
  book.names = new Map(members.map((member) => [member.userId, member.firstName]));
  // Without a connection scoring goes on, so a lost stream is no alarm here; the notice says what waits.
  new WatchStream(`${path}/events`, {
    states: ["gameState"],
    onState: (state) => show(state.game?.game ? state.game : state),
    onEvent: (kind, message) => heard(kind, message),
    onStatus: render,
  });
}

/** A change that anybody made, this page included. */
async function heard(kind, message) {
  if (kind === "gameDeleted") {
    location.replace(`${base}/team/${book.view.game.teamId}#games`);
    return;
  }
  if (message.game.revision <= book.view.game.revision) return;
  // The queue's own answer is on its way.
  if (book.queue.entries().some(({ entry, error }) => !error && entry.body.revision === message.game.revision - 1)) return;
  announce(eventSentence(message, { game: message.game, playersById: book.players, nameOf }));
  await reread();
}

/** The server has taken a play: its answer is the game now. */
function sent(entry, answer) {
  take(answer);
  if (entry.kind === "opponent") announce(`${book.view.game.teamScore} to ${book.view.game.opponentScore}`);
}

/** A play that waits was sent, refused, added or given up. */
function queueChanged() {
  if (!book.queue) return;
  const isRefused = book.queue.entries().some((one) => one.error);
  // Before the scorer decides about the refused play, nothing can be recorded.
  byId("now").inert = isRefused;
  render();
  if (isRefused) reread();
}

function draw() {
  const now = current();
  const { game } = now;
  document.title = `${halfMark(game)} ${game.teamScore}–${game.opponentScore} ${opponentName(game)}`.trim();
  byId("title").textContent = `Score ${book.team.team.name} – ${opponentName(game)}`;
  replaceKeepingFocus(byId("bar"), bar(game));
  replaceKeepingFocus(byId("notices"), notices(game));
  renderPanel(now);
  replaceKeepingFocus(byId("plays-content"), [
    ...(book.team.isPersonal ? [] : [lineScoreTable(now, book.team.team.name)]),
    ...correctionNotes(),
    ...playsList(now, book.players, { play: playRow, insert: insertButton }),
  ]);
}
