// The page of a game.
import { announce, byId, element, focusQuietly, replaceKeepingFocus } from "/assets/dom.js";
import { confirmDialog } from "/assets/dialog.js";
import { clearProblem, markField, onSubmit, showProblem } from "/assets/form.js";
import { base, Problem, request } from "/assets/http.js";
import { connectionBar, LiveSocket } from "/assets/live.js";
import { shareLink } from "/assets/share.js";
import { Board, drawDie, tokenLabel } from "./board.js";
import { celebrate, ranking, rankingList } from "./celebration.js";
import { describeEvent, describeHistory } from "./history.js";
import { become, forget, lastName, mine, remembered } from "./identity.js";
import { signalTurn, soundSwitch } from "./signal.js";

/** How many lines the history has. */
const LOG_MAX = 60;
/** How many players a race lists. */
const PLAYERS_SHOWN_MAX = 30;
/** In a race nobody can watch everybody walk: when so many moves wait, they are made at once. */
const WAITING_MOVES_MAX = 3;
/** After so long the others may go on without the player whose turn it is. */
const TURN_TIME_MAX_MS = 60_000;

const code = codeOfAddress();
const path = `${base}/games/${encodeURIComponent(code)}`;
const wantsSound = soundSwitch(byId("sound"));

let game = null;
let me = mine(code);
let board = null;
let isRolling = false;
/** Whose turn the page has shown last, so that it is signalled once. */
let signalled = null;
/** The form that waits for a `joinedGame` or an `error`. */
let joining = null;
/**
 * Events that were received and are not shown yet: one after the other, each when the tokens have
 * come to rest. A new state makes them void.
 */
let showing = Promise.resolve();
let waiting = 0;
let epoch = 0;
/** When the last event was received. */
let heardAt = Date.now();
let turnTimer = null;

byId("code").textContent = code;
byId("code-title").textContent = code;
byId("join-name").value = lastName();
drawDie(byId("die"), 5);
showTitle();

const live = new LiveSocket((isFresh) => `${path}/socket${game && !isFresh ? `?after=${game.sequence}` : ""}`, {
  onMessage: handle,
  onOpen: () => { if (me) live.send({ type: "rejoinGame", secret: me.secret }); },
  onStatus: async (status) => {
    if (status !== "lost" && status !== "refused") return;
    stopRolling();
    joining?.reject(new Problem({ code: "unreachable", title: "The connection was lost. Try again when it is back" }));
    if (!game || status === "refused") await checkExists();
  },
});
connectionBar(live);

/** The code in the address of this page; what cannot be read is no game's code. */
function codeOfAddress() {
  const text = location.pathname.split("/").at(-1);
  try {
    return decodeURIComponent(text).replace(/[\s-]/g, "").toUpperCase();
  } catch {
    return text;
  }
}

async function checkExists() {
  try {
    await request("GET", path);
  } catch (error) {
    if (error.status === 404) showMissing();
  }
}

function handle(message) {
  switch (message.type) {
    case "gameState": return takeState(message.game);
    case "joinedGame": return joined(message);
    case "error": return refused(message);
    default: break;
  }
  // The present state includes it.
  if (!game || message.sequence < game.sequence) return undefined;
  // Something is missing in between: connect anew, and get the present state.
  if (message.sequence > game.sequence + 1) return live.restart();
  game.sequence = message.sequence;
  startTurnTimer();
  if (message.type === "playerMoved" && message.playerId === me?.id) {
    // The die has fallen. The token follows in its turn.
    isRolling = false;
    showRoll(message);
  }
  const received = epoch;
  waiting += 1;
  renderSide();
  showing = showing.then(async () => {
    if (received === epoch) await show(message);
    waiting -= 1;
    render();
  });
  return undefined;
}

/** Shows an event: changes the state, the board and the history. */
async function show(message) {
  const player = game.players.find((one) => one.id === message.playerId);
  switch (message.type) {
    case "playerJoined":
      if (player) break;
      game.players.push({ id: message.playerId, name: message.name, color: message.color, seat: message.seat, position: 0 });
      // In a rematch players have the seats of the game before, in whatever order they join.
      game.players.sort((one, other) => one.seat - other.seat);
      break;
    case "playerLeft":
      game.players = game.players.filter((one) => one.id !== message.playerId);
      game.creatorId = message.creatorId;
      game.turn = message.turn;
      if (message.playerId === me?.id) {
        forget(code);
        me = null;
      }
      break;
    case "gameStarted":
      game.status = "playing";
      game.turn = message.turn;
      break;
    case "playerMoved":
      if (player) await showMove(player, message);
      game.turn = message.turn;
      break;
    case "gameEnded":
      game.status = "finished";
      game.turn = null;
      takeWinner(message.winnerId);
      break;
    case "rematchOffered":
      game.rematchCode = message.code;
      break;
    default:
      break;
  }
  // The first message of a change says everything that changes the state.
  if (message.status) {
    game.status = message.status;
    takeWinner(message.winnerId);
  }
  log(describeEvent(message, { players: player ? [...game.players, player] : game.players, meId: me?.id, winnerName: game.winnerName }));
}

/** Notes who has won, with the name: the winner may leave. */
function takeWinner(id) {
  if (!id || id === game.winnerId) return;
  game.winnerId = id;
  game.winnerName = game.players.find((one) => one.id === id)?.name ?? null;
}

/** Who has won: `{ id, name, isHere }`, or null. */
function winnerOf() {
  if (!game.winnerId) return null;
  const here = game.players.find((one) => one.id === game.winnerId);
  return { id: game.winnerId, name: here?.name ?? game.winnerName ?? "A player", isHere: Boolean(here) };
}

/** Who has won, as a heading, or what else ended the game. */
function winnerText(otherwise) {
  const winner = winnerOf();
  if (!winner) return otherwise;
  return winner.id === me?.id ? "You won!" : `${winner.name} won`;
}

async function showMove(player, message) {
  const isMine = player.id === me?.id;
  if (!isMine && (game.mode === "turns" || !me)) showRoll(message);
  const isHasty = waiting > (isMine ? 2 : 1) * WAITING_MOVES_MAX;
  await board.move(player.id, message.from, message.roll, message.to, message.effect, isHasty);
  player.position = message.to;
  if (game.mode === "turns" || isMine) announce(describeEvent(message, { players: [player], meId: me?.id }));
}

/** Shows the roll of a player on the die. */
function showRoll({ roll, playerId }) {
  const die = byId("die");
  die.classList.remove("is-tumbling", "is-thrown");
  drawDie(die, roll);
  // The class must be seen as new for the animation to run again.
  void die.getBoundingClientRect();
  die.classList.add("is-thrown");
  const name = playerId === me?.id ? "You" : game.players.find((one) => one.id === playerId)?.name ?? "A player";
  byId("rolled").textContent = `${name} rolled ${roll}.`;
}

/** Shows those who watch what was rolled before they came. */
function showLastRoll() {
  const moves = [...game.history, game.lastEvent].filter((event) => event.kind === "moved");
  if (moves.length) showRoll(moves.at(-1));
  else if (game.players.some((one) => one.position > 0)) byId("rolled").textContent = "The next roll is shown here.";
}

function takeState(state) {
  epoch += 1;
  game = state;
  isRolling = false;
  startTurnTimer();
  board ??= new Board(byId("board"), game.board);
  byId("place").hidden = false;
  byId("side").hidden = false;
  if (me && !game.players.some((player) => player.id === me.id)) {
    forget(code);
    me = null;
  }
  fillLog();
  showLastRoll();
  board.show(game.players, { mine: me?.id, turn: game.turn, isReset: true });
  render();
}

/** Looks again at whom the others wait for, once it has taken too long. */
function startTurnTimer() {
  heardAt = Date.now();
  clearTimeout(turnTimer);
  turnTimer = setTimeout(renderPlayers, TURN_TIME_MAX_MS);
}

function joined({ player, secret }) {
  if (secret) me = { id: player.id, name: player.name, secret };
  become(code, me);
  joining?.resolve();
  render();
}

function refused(message) {
  const problem = new Problem(message);
  stopRolling();
  if (problem.code === "game-not-found") return showMissing();
  if (problem.code === "wrong-secret" && me) {
    forget(code);
    me = null;
    render();
  }
  if (joining) joining.reject(problem);
  else showProblem(problem, { near: byId("status") });
  return undefined;
}

function showMissing() {
  live.close();
  document.querySelector("main").classList.add("is-missing");
  for (const id of ["join", "place", "side"]) byId(id).hidden = true;
  byId("share").hidden = true;
  document.title = "Game not found · Snakes and ladders";
  byId("status").replaceChildren(
    element("h2", {}, "Game not found"),
    element("p", {}, `No game has the code ${code}. Check the address. Games are deleted a day after their last move.`),
    element("p", { class: "actions" }, element("a", { class: "button", href: base }, "Create or join another game")));
}

function render() {
  if (!game) return;
  board.show(game.players, { mine: me?.id, turn: game.turn });
  const first = ranking(game.players, game.winnerId).slice(0, 10).map(({ player }) => `${player.name} on ${player.position || "start"}`);
  byId("board").setAttribute("aria-label", `Board with ${game.board.size} squares. ${first.join(", ")}`);
  renderSide();
  renderEnd();
}

function renderSide() {
  const player = game.players.find((one) => one.id === me?.id);
  const isPlaying = game.status === "playing";
  const isFree = game.mode === "race" || (game.turn === me?.id && waiting === 0);
  const canRoll = Boolean(player && isPlaying && isFree);
  byId("join").hidden = Boolean(player) || game.status !== "waiting";
  byId("turn").hidden = !isPlaying;
  byId("roll").hidden = !player;
  // It keeps the focus while others roll, so it is not disabled.
  byId("roll").setAttribute("aria-disabled", String(!canRoll || isRolling));
  renderRollText(canRoll);
  byId("rolled").hidden = Boolean(player);
  byId("leave").hidden = !player || game.status === "finished";
  byId("status").classList.toggle("is-mine", canRoll && game.mode === "turns");
  renderStatus(player);
  renderPlayers();
  renderContinue(player);
  showTitle();
  const isMyTurn = canRoll && game.mode === "turns";
  if (isMyTurn && signalled !== game.sequence) signalTurn({ withSound: wantsSound() });
  signalled = isMyTurn ? game.sequence : null;
}

function renderRollText(canRoll) {
  const turn = game.players.find((one) => one.id === game.turn && one.id !== me?.id);
  if (isRolling) byId("roll").textContent = "Rolling…";
  else if (canRoll || !turn) byId("roll").textContent = "Roll";
  // A long name is cut, so that the button has one line.
  else byId("roll").replaceChildren(element("span", {}, turn.name), " rolls");
}

function showTitle() {
  const turn = game?.status === "playing" && game.players.find((one) => one.id === game.turn);
  const part = turn ? (turn.id === me?.id ? "Your turn! · " : `${turn.name}’s turn · `) : "";
  document.title = `${part}${code} · Snakes and ladders`;
}

function renderStatus(player) {
  const status = byId("status");
  const [title, ...rest] = statusContent(player).filter(Boolean);
  // Screen readers say what changes, so nothing is written that has not changed.
  const text = [title, ...rest.map((child) => `${child.textContent}${child.querySelector?.(":disabled") ? "-" : ""}`)].join("|");
  if (status.dataset.text === text) return;
  status.dataset.text = text;
  const hadFocus = status.contains(document.activeElement) && document.activeElement.id === "start";
  replaceKeepingFocus(status, [element("h2", {}, title), ...rest]);
  if (!hadFocus || byId("start")) return;
  // The game has begun.
  if (byId("roll").hidden) focusQuietly(status.querySelector("h2"));
  else byId("roll").focus({ preventScroll: true });
}

function statusContent(player) {
  const quiet = (...text) => element("p", { class: "quiet" }, ...text);
  if (game.status === "waiting") {
    const isEnough = game.players.length >= 2;
    const isCreator = player && game.creatorId === player.id;
    const creator = game.players.find((one) => one.id === game.creatorId);
    return [
      isEnough ? "Ready to start" : "Waiting for players",
      quiet("Others join with this code:"),
      element("p", { class: "snakes-big-code" }, code),
      isCreator
        ? element("div", { class: "actions" }, element("button", { type: "button", id: "start", "data-key": "start", disabled: !isEnough, click: start }, isEnough ? "Start the game" : "Two players are needed"))
        : quiet(player ? `${creator?.name ?? "The creator"} starts the game.` : "You can join while the game waits."),
    ];
  }
  if (game.status === "finished") {
    return [
      winnerText("The game is over"),
      byId("end").classList.contains("is-closed") ? endActions() : null,
    ];
  }
  if (game.mode === "race") return ["Race!", quiet(player ? "Roll as often as you can. First on the last square wins." : "You are watching.")];
  const turn = game.players.find((one) => one.id === game.turn);
  if (turn && turn.id === me?.id) return ["It is your turn", quiet("Roll the die", element("span", { class: "snakes-by-key" }, " or press R"), ".")];
  return [`${turn?.name ?? "Somebody"} rolls`, quiet(player ? whenIsMyTurn() : "You are watching.")];
}

/** How long it takes until it is one's own turn. */
function whenIsMyTurn() {
  const at = (id) => game.players.findIndex((one) => one.id === id);
  const count = game.players.length;
  const before = (at(me.id) - at(game.turn) + count) % count;
  if (before === 1) return "You are next.";
  if (before === 2) return "Your turn comes after the next player.";
  return `Your turn comes after ${before} more players.`;
}

function renderPlayers() {
  byId("player-count").textContent = game.players.length;
  // In a race the first ones are of interest, and oneself.
  let shown = game.players.map((player, index) => ({ player, index }));
  if (game.status === "finished" || (game.mode === "race" && game.status === "playing")) {
    const order = new Map(ranking(game.players, game.winnerId).map(({ player }, rank) => [player.id, rank]));
    shown.sort((one, other) => order.get(one.player.id) - order.get(other.player.id));
  }
  if (shown.length > PLAYERS_SHOWN_MAX) shown = shown.filter(({ player }, rank) => rank < PLAYERS_SHOWN_MAX || player.id === me?.id);
  replaceKeepingFocus(byId("players"), shown.map(({ player, index }) => {
    const dot = element("span", { class: "snakes-dot", "aria-hidden": "true" }, tokenLabel(player, index, game.players.length));
    dot.style.background = player.color;
    const states = { "is-turn": player.id === game.turn, "is-me": player.id === me?.id };
    return element("li", { "data-key": player.id, class: Object.keys(states).filter((one) => states[one]).join(" "), "aria-current": player.id === game.turn ? "true" : null },
      dot,
      element("span", { class: "name" }, player.name, player.id === me?.id ? element("span", { class: "quiet" }, " (you)") : null),
      player.id === game.winnerId ? element("span", { role: "img", "aria-label": "Winner" }, "♛") : null,
      canRemove(player) ? element("button", { type: "button", class: "plain danger small", click: () => remove(player) }, "Remove", element("span", { class: "visually-hidden" }, ` ${player.name}`)) : null,
      element("span", { class: "square" }, player.position === 0 ? "start" : String(player.position)));
  }));
}

/** Before the game its creator decides who is in it; later nobody has to wait for ever. */
function canRemove(player) {
  const isIn = game.players.some((one) => one.id === me?.id);
  if (!isIn || player.id === me.id) return false;
  if (game.status === "waiting") return game.creatorId === me.id;
  return game.status === "playing" && game.turn === player.id && Date.now() - heardAt >= TURN_TIME_MAX_MS;
}

async function remove(player) {
  const isSure = await confirmDialog({ title: `Remove ${player.name}?`, text: "They lose their place in this game.", action: "Remove", danger: true });
  if (isSure) await leaveAs(player, byId("players"));
}

async function leaveAs(player, near) {
  try {
    await request("DELETE", `${path}/players/${encodeURIComponent(player.id)}`, { headers: { "player-secret": me.secret } });
    return true;
  } catch (error) {
    showProblem(error, { near: near.parentElement });
    return false;
  }
}

/** Other players of this browser, as whom one can go on. */
function renderContinue(player) {
  const known = player ? [] : remembered(code).filter((one) => game.players.some((other) => other.id === one.id));
  if (known.length && game.status !== "finished") byId("join").hidden = false;
  byId("join-form").hidden = game.status !== "waiting";
  replaceKeepingFocus(byId("continue"), known.map((one) => element("button", { type: "button", class: "plain", "data-key": one.id, click: () => {
    me = one;
    send({ type: "rejoinGame", secret: one.secret });
  } }, `Continue as ${one.name}`)));
}

/** What can be done after the end. A group plays again together: the first one makes the game. */
function endActions() {
  const player = game.players.find((one) => one.id === me?.id);
  const text = game.rematchCode ? (player ? "Join the rematch" : "Watch the rematch") : "Play again";
  return element("div", { class: "actions" },
    element("button", { type: "button", "data-key": "again", click: playAgain }, text),
    element("a", { class: "button plain", "data-key": "other", href: base }, "Other games"));
}

function renderEnd() {
  const end = byId("end");
  const isOver = game.status === "finished";
  if (end.dataset.rematch !== (game.rematchCode ?? "")) end.hidden = true;
  if (!isOver || !end.hidden) {
    end.hidden = !isOver;
    return;
  }
  const isFirst = end.dataset.rematch === undefined;
  end.dataset.rematch = game.rematchCode ?? "";
  end.hidden = false;
  const winner = winnerOf();
  const title = winnerText("Everybody has left");
  const heading = element("h2", {}, title);
  replaceKeepingFocus(end, [element("div", { class: "snakes-end-content" },
    element("div", { class: "snakes-crown", "aria-hidden": "true" }, winner ? "♛" : "·"),
    heading,
    rankingList(game.players, winner, me?.id),
    game.rematchCode ? element("p", {}, "A rematch is open.") : null,
    endActions(),
    element("button", { type: "button", class: "plain small", "data-key": "look", click: closeEnd }, "Look at the board"))]);
  if (!isFirst) return;
  announce(`${title}.`, { assertive: true });
  // The die is gone, and the focus with it.
  if (document.activeElement === document.body || byId("turn").contains(document.activeElement)) focusQuietly(heading);
  if (winner) celebrate(end);
}

function closeEnd() {
  byId("end").classList.add("is-closed");
  renderSide();
  focusQuietly(byId("status").querySelector("h2"));
}

async function playAgain() {
  try {
    const answer = game.rematchCode && !me ? { game: { code: game.rematchCode } } : await rematch();
    if (answer.secret) become(answer.game.code, { id: answer.player.id, name: answer.player.name, secret: answer.secret });
    location.assign(`${base}/play/${answer.game.code}`);
  } catch (error) {
    showProblem(error, { near: byId("status") });
  }
}

/** The group's next game; a game of one's own for those who only watched. */
async function rematch() {
  if (me) return request("POST", `${path}/rematch`, { headers: { "player-secret": me.secret }, once: true });
  const name = lastName();
  if (name) return request("POST", `${base}/games`, { body: { name, mode: game.mode, board: game.board }, once: true });
  location.assign(base);
  return new Promise(() => {});
}

function log(text) {
  if (!text) return;
  byId("log").prepend(element("li", {}, text));
  while (byId("log").children.length > LOG_MAX) byId("log").lastChild.remove();
}

/** The history that the state brings along, for those who come later. */
function fillLog() {
  if (game.history?.length) byId("log").replaceChildren();
  for (const line of describeHistory(game, { meId: me?.id })) log(line);
  if (byId("log").children.length === 0) log(game.status === "waiting" ? "The game was created." : me ? "You are back in the race." : "You are watching a race in progress.");
}

/** Sends a message, and says so if there is no connection. */
async function send(message) {
  clearProblem();
  try {
    await live.send(message);
    return true;
  } catch (error) {
    showProblem(error, { near: byId("status") });
    return false;
  }
}

function start() {
  send({ type: "startGame" });
}

async function roll() {
  if (byId("turn").hidden || byId("roll").hidden || byId("roll").getAttribute("aria-disabled") === "true") return;
  isRolling = true;
  byId("die").classList.add("is-tumbling");
  renderSide();
  if (!await send({ type: "rollDice" })) stopRolling();
}

function stopRolling() {
  isRolling = false;
  byId("die").classList.remove("is-tumbling");
  if (game) renderSide();
}

byId("roll").addEventListener("click", roll);
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, dialog");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const isSpace = event.key === " " && !event.target.closest("button, a, summary, .scroll");
  if (event.key !== "r" && event.key !== "R" && !isSpace) return;
  event.preventDefault();
  roll();
});

onSubmit(byId("join-form"), async ({ name }, form) => {
  const answered = new Promise((resolve, reject) => { joining = { resolve, reject }; });
  try {
    await live.send({ type: "joinGame", name });
    await answered;
    focusQuietly(byId("status").querySelector("h2"));
  } catch (error) {
    if (error.code !== "name-taken") throw error;
    const input = form.elements.namedItem("name");
    markField(input, error.message);
    input.focus();
  } finally {
    joining = null;
    answered.catch(() => {});
  }
});

byId("leave").addEventListener("click", async () => {
  const text = game.status === "waiting" ? "You can join again while the game waits." : "You cannot come back into this game.";
  if (!me || !await confirmDialog({ title: "Leave the game?", text, action: "Leave", danger: true })) return;
  if (!await leaveAs(me, byId("leave"))) return;
  forget(code);
  me = null;
  render();
  focusQuietly(byId("status").querySelector("h2"));
});

byId("share").addEventListener("click", async () => {
  const done = await shareLink(location.href, { title: "Snakes and ladders", text: `Play snakes and ladders with me. The code is ${code}.` });
  if (done !== "copied") return;
  byId("code").textContent = "Copied";
  setTimeout(() => { byId("code").textContent = code; }, 1500);
});
