// The table: a game as it is played.
import { element, Live, request } from "/assets/singlet.js";
import { Board, drawDie } from "./board.js";
import { become, forget, lastName, mine, remembered } from "./identity.js";

const $ = (id) => document.getElementById(id);
const code = decodeURIComponent(location.pathname.split("/").at(-1)).toUpperCase();
const path = `/snakes/games/${encodeURIComponent(code)}`;
const LOG_MAX = 60;
// In a race nobody can watch everybody walk: when so many moves wait, they are just made.
const HASTE = 3;
// After so long the others may go on without the player whose turn it is.
const TURN_TIME_MAX_MS = 60_000;

let game = null;
let me = mine(code);
let board = null;
let isRolling = false;
/**
 * What has been heard and not shown yet: one thing after the other, each when the tokens have
 * come to rest. A new state makes all of it old.
 */
let showing = Promise.resolve();
let waiting = 0;
let epoch = 0;
/** When something last happened, as far as this page knows. */
let heardAt = Date.now();
let patience = null;

document.title = `${code} · Snakes and ladders`;
$("code").textContent = code;
$("join-name").value = lastName();
drawDie($("die"), 5);

const live = new Live((isFresh) => `${path}/socket${game && !isFresh ? `?after=${game.sequence}` : ""}`);
live.addEventListener("open", () => {
  $("lost").hidden = true;
  trouble(null);
  if (me) live.send({ type: "rejoinGame", secret: me.secret });
});
live.addEventListener("lost", async () => {
  $("lost").hidden = false;
  stopRolling();
  if (game) return;
  // Was there ever such a game?
  try {
    await request("GET", path);
  } catch (error) {
    if (error.status === 404) gone();
  }
});
live.addEventListener("message", ({ detail }) => hear(detail));

function hear(message) {
  switch (message.type) {
    case "gameState": return takeState(message.game);
    case "joinedGame": return joined(message);
    case "error": return refused(message);
    case "pong": return undefined;
    default: break;
  }
  // What the present state tells is not told again.
  if (!game || message.sequence < game.sequence) return undefined;
  // Something is missing in between: come back, and be told the present state.
  if (message.sequence > game.sequence + 1) return live.restart();
  game.sequence = message.sequence;
  waitForTurn();
  if (message.type === "playerMoved" && message.playerId === me?.id) {
    // The die has fallen. The token follows in its turn.
    drawDie($("die"), message.roll);
    isRolling = false;
    $("die").classList.remove("tumbling");
  }
  const heard = epoch;
  waiting += 1;
  renderSide();
  showing = showing.then(async () => {
    if (heard === epoch) await show(message);
    waiting -= 1;
    render();
  });
  return undefined;
}

/** Makes what happened visible. */
async function show(message) {
  const player = game.players.find((one) => one.id === message.playerId);
  switch (message.type) {
    case "playerJoined":
      if (!player) {
        game.players.push({ id: message.playerId, name: message.name, color: message.color, position: 0 });
      }
      log(`${message.name} joined.`);
      break;
    case "playerLeft":
      game.players = game.players.filter((one) => one.id !== message.playerId);
      game.creatorId = message.creatorId;
      game.turn = message.turn;
      if (message.playerId === me?.id) {
        forget(code);
        me = null;
      }
      log(`${player?.name ?? "Somebody"} left.`);
      break;
    case "gameStarted":
      game.status = "playing";
      game.turn = message.turn;
      log("The game begins.");
      break;
    case "playerMoved":
      if (player) await showMove(player, message);
      game.turn = message.turn;
      break;
    case "gameEnded":
      game.status = "finished";
      game.winnerId = message.winnerId;
      game.turn = null;
      break;
    default:
      break;
  }
}

async function showMove(player, { roll, from, to, effect }) {
  const isMine = player.id === me?.id;
  await board.move(player.id, from, roll, to, effect, waiting > (isMine ? 2 * HASTE : HASTE));
  player.position = to;
  const what = {
    none: `${from} to ${to}`,
    ladder: `${from} to ${from + roll}, and up the ladder to ${to}`,
    snake: `${from} to ${from + roll}, and down the snake to ${to}`,
    overshoot: `too much, still on ${from}`,
  }[effect];
  const text = `${isMine ? "You" : player.name} rolled ${roll}: ${what}.`;
  log(text);
  if (game.mode === "turns" || isMine) announce(text);
}

function takeState(state) {
  const isNew = !game;
  epoch += 1;
  game = state;
  waitForTurn();
  if (!board) board = new Board($("board"), game.board);
  if (me && !game.players.some((player) => player.id === me.id)) {
    forget(code);
    me = null;
  }
  if (isNew) log(game.status === "waiting" ? "The game waits for players." : "This is how the game stands.");
  board.show(game.players, me?.id, game.turn, true);
  render();
}

/** Looks again at whom the others wait for, once it has taken too long. */
function waitForTurn() {
  heardAt = Date.now();
  clearTimeout(patience);
  patience = setTimeout(renderPlayers, TURN_TIME_MAX_MS);
}

function joined({ player, secret }) {
  if (secret) me = { id: player.id, name: player.name, secret };
  become(code, me);
  trouble(null);
  render();
}

function refused({ code: reason, title, detail, errors }) {
  stopRolling();
  if (reason === "wrong-secret" && me) {
    forget(code);
    me = null;
    render();
  }
  const faults = (errors ?? []).map((fault) => `${fault.field.replace(/^\//, "")} ${fault.detail}`).join("; ");
  trouble(detail ?? (faults || title));
}

function trouble(text) {
  $("trouble").textContent = text ? `${text[0].toUpperCase()}${text.slice(1)}` : "";
  $("trouble").hidden = !text;
}

function gone() {
  live.close();
  $("lost").hidden = true;
  $("status").replaceChildren(
    element("h2", {}, "There is no such game"),
    element("p", {}, `No game has the code ${code}. Games are gone a day after the last thing that happened in them.`),
    element("p", { class: "actions" }, element("a", { class: "button", href: "/snakes" }, "Back to the door")));
}

function render() {
  if (!game) return;
  board.show(game.players, me?.id, game.turn, false);
  $("board").setAttribute("aria-label", game.players.map((one) => `${one.name} on ${one.position}`).join(", "));
  renderSide();
  renderEnd();
}

function renderSide() {
  const player = game.players.find((one) => one.id === me?.id);
  const isCreator = player && game.creatorId === player.id;
  const isFree = game.mode === "race" || (game.turn === me?.id && waiting === 0);
  const canRoll = player && game.status === "playing" && isFree;
  $("join").hidden = Boolean(player) || game.status !== "waiting";
  $("turn").hidden = !player || game.status !== "playing";
  $("roll").disabled = !canRoll || isRolling;
  $("roll-text").textContent = canRoll ? (isRolling ? "Rolling…" : "Roll") : "Wait";
  $("leave").hidden = !player;
  $("status").classList.toggle("mine", Boolean(canRoll && game.mode === "turns"));
  renderStatus(player, isCreator);
  renderPlayers();
  renderContinue(player);
}

function renderStatus(player, isCreator) {
  const turn = game.players.find((one) => one.id === game.turn);
  const status = $("status");
  const show = (...children) => {
    // Screen readers say what changes, so that nothing is written that has not changed.
    const text = children.map((child) => child?.textContent ?? "").join("|");
    if (status.dataset.text !== text) {
      status.dataset.text = text;
      status.replaceChildren(...children.filter(Boolean));
    }
  };
  if (game.status === "waiting") {
    const enough = game.players.length >= 2;
    show(
      element("h2", {}, enough ? "Ready when you are" : "Waiting for players"),
      element("p", { class: "quiet" }, "Others join with this code:"),
      element("p", { class: "big-code" }, code),
      isCreator
        ? element("div", { class: "actions" }, element("button", { type: "button", id: "start", disabled: !enough, click: () => live.send({ type: "startGame" }) }, enough ? "Start the game" : "It takes two"))
        : element("p", { class: "quiet" }, player ? "The creator starts the game." : ""));
  } else if (game.status === "playing") {
    if (game.mode === "race") {
      show(element("h2", {}, "Race!"), element("p", { class: "quiet" }, player ? "Roll as fast as you can." : "You are watching."));
    } else {
      const isMine = turn && turn.id === me?.id;
      show(element("h2", {}, isMine ? "It is your turn" : `${turn?.name ?? "Somebody"} is to roll`), element("p", { class: "quiet" }, isMine ? "Roll the die" : player ? "You are next before long." : "You are watching.", isMine ? element("span", { class: "by-key" }, ", or press R") : null, isMine ? "." : null));
    }
  } else {
    const winner = game.players.find((one) => one.id === game.winnerId);
    show(element("h2", {}, winner ? (winner.id === me?.id ? "You have won!" : `${winner.name} has won`) : "The game is over"), element("p", { class: "quiet" }, `The last square is ${game.board.size}.`));
  }
}

function renderPlayers() {
  $("player-count").textContent = game.players.length;
  // In a race the first ones are of interest, and oneself.
  let shown = [...game.players];
  if (game.mode === "race" && game.status !== "waiting") shown.sort((one, other) => other.position - one.position);
  const own = shown.find((one) => one.id === me?.id);
  if (shown.length > 30) shown = [...new Set([...shown.slice(0, 30), ...(own ? [own] : [])])];
  $("players").replaceChildren(...shown.map((one) => {
    const dot = element("span", { class: "dot" });
    dot.style.background = one.color;
    return element("li", { class: one.id === game.turn ? "turn" : "" },
      dot,
      element("span", { class: "name" }, one.name, one.id === me?.id ? element("span", { class: "quiet" }, " (you)") : null),
      one.id === game.winnerId ? element("span", { title: "Winner" }, "♛") : null,
      canTakeOut(one) ? element("button", { type: "button", class: "plain danger small", click: () => takeOut(one) }, "Remove", element("span", { class: "visually-hidden" }, ` ${one.name}`)) : null,
      element("span", { class: "place" }, one.position === 0 ? "start" : String(one.position)));
  }));
}

/** Before the game its creator decides who is in it; then nobody has to wait for ever. */
function canTakeOut(player) {
  const isIn = game.players.some((one) => one.id === me?.id);
  if (!isIn || player.id === me.id) return false;
  if (game.status === "waiting") return game.creatorId === me.id;
  return game.status === "playing" && game.turn === player.id && Date.now() - heardAt >= TURN_TIME_MAX_MS;
}

async function takeOut(player) {
  if (!confirm(`Remove ${player.name} from this game for good?`)) return;
  try {
    await request("DELETE", `${path}/players/${encodeURIComponent(player.id)}`, { headers: { "player-secret": me.secret } });
  } catch (error) {
    trouble(error.message);
  }
}

/** Other players of this browser, as whom one can go on. */
function renderContinue(player) {
  const place = $("continue");
  place.replaceChildren();
  if (player) return;
  const known = remembered(code).filter((one) => game.players.some((other) => other.id === one.id));
  if (known.length && game.status !== "finished") $("join").hidden = false;
  $("join-form").hidden = game.status !== "waiting";
  place.append(...known.map((one) => element("button", { type: "button", class: "plain", click: () => {
    me = one;
    live.send({ type: "rejoinGame", secret: one.secret });
  } }, `Go on as ${one.name}`)));
}

function renderEnd() {
  const curtain = $("curtain");
  const wasHidden = curtain.hidden;
  curtain.hidden = game.status !== "finished";
  if (curtain.hidden || !wasHidden) return;
  const winner = game.players.find((one) => one.id === game.winnerId);
  const isMine = winner && winner.id === me?.id;
  curtain.replaceChildren(element("div", {},
    element("div", { class: "crown", "aria-hidden": "true" }, winner ? "♛" : "·"),
    element("div", { class: "winner" }, winner ? (isMine ? "You have won!" : `${winner.name} has won`) : "Everybody has left"),
    element("div", { class: "actions" },
      element("button", { type: "button", click: again }, "Play again"),
      element("button", { type: "button", class: "plain", click: () => { curtain.style.display = "none"; } }, "Look at the board"))));
  announce(isMine ? "You have won!" : `${winner?.name ?? "Nobody"} has won.`);
}

async function again() {
  try {
    const name = me?.name ?? lastName() ?? "";
    if (!name) return location.assign("/snakes");
    const answer = await request("POST", "/snakes/games", { body: { name, mode: game.mode, board: game.board }, once: true });
    become(answer.game.code, { id: answer.player.id, name: answer.player.name, secret: answer.secret });
    location.assign(`/snakes/play/${answer.game.code}`);
  } catch (error) {
    trouble(error.message);
  }
  return undefined;
}

function log(text) {
  $("log").prepend(element("li", {}, text));
  while ($("log").children.length > LOG_MAX) $("log").lastChild.remove();
}

function announce(text) {
  $("announce").textContent = text;
}

function startRolling() {
  if ($("turn").hidden || $("roll").disabled) return;
  if (!live.send({ type: "rollDice" })) return;
  isRolling = true;
  trouble(null);
  $("die").classList.add("tumbling");
  renderSide();
}

function stopRolling() {
  isRolling = false;
  $("die").classList.remove("tumbling");
  if (game) renderSide();
}

$("roll").addEventListener("click", startRolling);
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, button, a");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "r" || event.key === "R" || event.key === " ") {
    event.preventDefault();
    startRolling();
  }
});

$("join-form").addEventListener("submit", (event) => {
  event.preventDefault();
  trouble(null);
  if (!live.send({ type: "joinGame", name: $("join-name").value })) trouble("There is no connection at the moment.");
});

$("leave").addEventListener("click", async () => {
  if (!me || !confirm("Leave this game for good?")) return;
  try {
    await request("DELETE", `${path}/players/${encodeURIComponent(me.id)}`, { headers: { "player-secret": me.secret } });
    forget(code);
    me = null;
    render();
  } catch (error) {
    trouble(error.message);
  }
});

$("share").addEventListener("click", async () => {
  const address = location.href;
  try {
    if (navigator.share) await navigator.share({ title: "Snakes and ladders", text: `Play with me: ${code}`, url: address });
    else {
      await navigator.clipboard.writeText(address);
      flash("Copied");
    }
  } catch {
    // Whoever closes the dialogue has nothing to be told; without a clipboard the code is there to read.
  }
});

function flash(text) {
  $("code").textContent = text;
  setTimeout(() => { $("code").textContent = code; }, 1200);
}
