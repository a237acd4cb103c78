// Scoring a game at-bat by at-bat.
import { announce, bringIntoView, byId, element, focusQuietly, replaceKeepingFocus, shape } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { clearProblem, showProblem } from "/assets/form.js";
import { base, Problem, request } from "/assets/http.js";
import { WatchStream } from "/assets/live.js";
import { drawField, markChosen, pointOf } from "./field.js";
import { eventSentence, lineScoreTable, playsList, runnerOf, whoDidWhat } from "./game-view.js";
import { playEditor, runnersEditor, stepper, zoneSelect } from "./play-editor.js";
import { isBatted, isImpossible, isHit, mayBeOver, nextHalf, occupied, outsIn, playerUp, previousHalf, RESULTS, situationBefore } from "./rules.js";
import { openScoreForm } from "./score-form.js";
import { project, ScoreQueue } from "./score-queue.js";
import { addressParts, attempt, readAll, readTeam, startPage } from "./signed-in.js";
import { counted, fullName, halfMark, halfName, numberText, opponentName, playSentence, RESULT_NAMES, shortName, STATUS_NAMES } from "./words.js";

const [gameId] = addressParts();
const path = `${base}/games/${encodeURIComponent(gameId)}`;
const pageAddress = `${base}/game/${encodeURIComponent(gameId)}`;
const AT_BAT_RESULTS_NOT_COUNTED = ["BB", "HBP", "SAC"];
const RUNS_MAX = 99;
const PERSONAL_INNING_MAX = 30;
/** After so long a play that is being sent is said to wait. */
const SENDING_MS_MAX = 2000;

let team = null;
/** What the server has: the answer of GET /games/{g}. */
let view = null;
let players = new Map();
let names = new Map();
let queue = null;
/** What the scorer has chosen for the next at-bat. */
const next = { hitLocation: null, playerId: null, wantsDetails: false };
/** The same for a game of one's own, where nothing follows from runners. */
const personal = { inning: 1, outs: 0, rbis: 0, scored: false };
/** The play whose runners are being placed: its result, or null. */
let placing = null;
let isReading = false;
let heldUpTimer = null;
/** What the panel shows, as text. */
let panelShown = null;

startPage(load, { visitorText: "Sign in to score this game." });

async function load() {
  view = await request("GET", path);
  team = await readTeam(view.game.teamId);
  if (!team.canScore) {
    location.replace(pageAddress);
    return;
  }
  if (view.game.status === "SCHEDULED" || view.game.status === "POSTPONED") {
    location.replace(pageAddress);
    return;
  }
  players = new Map([...team.playersById, ...view.players.map((player) => [player.playerId, player])]);
  personal.inning = view.atBats.at(-1)?.inning ?? 1;
  queue = new ScoreQueue(gameId, path, { onChange: queueChanged, onSent: sent });
  queueChanged();
  document.querySelector("main").removeAttribute("aria-busy");
  const isOver = view.game.status !== "IN_PROGRESS";
  if (isOver || location.hash) document.querySelector("main").classList.add("shows-plays");
  render();
  openAddressed();
  addEventListener("hashchange", openAddressed);
  const members = await readAll(`${team.path}/members`);
  names = new Map(members.map((member) => [member.userId, member.firstName]));
  // Without a connection scoring goes on, so a lost stream is no alarm here; the notice says what waits.
  new WatchStream(`${path}/events`, {
    states: ["gameState"],
    onState: (state) => show(state.game?.game ? state.game : state),
    onEvent: (kind, message) => heard(kind, message),
    onStatus: render,
  });
}

const nameOf = (id) => names.get(id) ?? "Somebody";

function show(newer) {
  if (newer.game.revision < view.game.revision) return;
  view = newer;
  for (const player of newer.players ?? []) players.set(player.playerId, player);
  render();
}

/** A change that anybody made, this page included. */
async function heard(kind, message) {
  if (kind === "gameDeleted") {
    location.replace(`${base}/team/${view.game.teamId}#games`);
    return;
  }
  if (message.game.revision <= view.game.revision) return;
  // The queue's own answer is on its way.
  if (queue.entries().some(({ entry, error }) => !error && entry.body.revision === message.game.revision - 1)) return;
  announce(eventSentence(message, { game: message.game, playersById: players, nameOf }));
  await reread();
}

async function reread() {
  if (isReading) return;
  isReading = true;
  try {
    show(await request("GET", path));
  } catch (error) {
    if (!error.isUnreachable) showProblem(error, { near: byId("notices") });
  } finally {
    isReading = false;
  }
}

/** The server has taken a play: its answer is the game now. */
function sent(entry, answer) {
  take(answer);
  if (entry.kind === "opponent") announce(`${view.game.teamScore} to ${view.game.opponentScore}`);
}

/** Takes the answer of a scoring request into what the page knows. */
function take({ game, atBat, changed = [], issues }) {
  if (!game || game.revision < view.game.revision) {
    render();
    return;
  }
  const isGap = game.revision > view.game.revision + 1;
  const known = new Map(view.atBats.map((one) => [one.atBatId, one]));
  for (const one of [...changed, ...(atBat ? [atBat] : [])]) known.set(one.atBatId, one);
  view = { ...view, game, atBats: [...known.values()], issues: issues ?? view.issues };
  render();
  if (isGap) reread();
}

/** The game as the scorer sees it, with the plays that wait. Those behind a refusal are not counted. */
function current() {
  const waiting = queue.entries();
  return { ...view, ...project(view, waiting.some((one) => one.error) ? [] : waiting) };
}

/** A play that waits was sent, refused, added or given up. */
function queueChanged() {
  if (!queue) return;
  const isRefused = queue.entries().some((one) => one.error);
  // Before the scorer decides about the refused play, nothing can be recorded.
  byId("now").inert = isRefused;
  render();
  if (isRefused) reread();
}

function render() {
  if (!team || !queue) return;
  const now = current();
  const { game } = now;
  document.title = `${halfMark(game)} ${game.teamScore}–${game.opponentScore} ${opponentName(game)}`.trim();
  byId("title").textContent = `Score ${team.team.name} – ${opponentName(game)}`;
  replaceKeepingFocus(byId("bar"), bar(game));
  replaceKeepingFocus(byId("notices"), notices(game));
  renderPanel(now);
  replaceKeepingFocus(byId("plays-content"), [
    ...(team.isPersonal ? [] : [lineScoreTable(now, team.team.name)]),
    ...correctionNotes(),
    ...playsList(now, players, { play: playRow, insert: insertButton }),
  ]);
}

/**
 * Shows what there is to do, unless it is shown already: somebody may be in the middle of it, with a
 * list open or runners half placed.
 */
function renderPanel(now) {
  const { game, atBats } = now;
  if (placing && byId("now").querySelector(".hacktracker-strip")) return;
  const runners = game.state?.bases.map((id) => id && shortName(runnerOf(id, now, players)));
  const shown = JSON.stringify([game.status, { ...game.state, bases: runners }, game.opponentRuns, game.lineup, atBats.map((atBat) => atBat.playerId + atBat.result), next, personal, placing, undoable(now)?.text]);
  if (shown === panelShown) return;
  panelShown = shown;
  replaceKeepingFocus(byId("now"), panel(now));
}

// The bar: where the game stands.

function bar(game) {
  const isOurs = game.state?.half === "TEAM" && !team.isPersonal && game.status === "IN_PROGRESS";
  const isPlays = document.querySelector("main").classList.contains("shows-plays");
  return [
    element("a", { class: "hacktracker-bar-back", href: pageAddress, "aria-label": "Live view and box score", "data-key": "back" }, "‹"),
    element("div", { class: "hacktracker-bar-facts", "data-key": "facts" },
      team.isPersonal ? null : element("b", {}, element("span", { "aria-hidden": "true" }, halfMark(game)), element("span", { class: "visually-hidden" }, halfName(game))),
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

// Notices: plays that wait, refusals, the end of the game.

function notices(game) {
  const list = [];
  const waiting = queue.entries();
  const refused = waiting.find((one) => one.error);
  if (refused) list.push(refusalNotice(refused, waiting.length));
  else if (isHeldUp(waiting)) {
    list.push(element("div", { class: "notice", role: "status", id: "waiting", "data-key": "waiting" }, `${counted(waiting.length, "play")} waiting`, navigator.onLine ? "" : " for a connection"));
  }
  if (!waiting.length && mayBeOver(game) && !team.isPersonal) {
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

function refusalNotice(refused, count) {
  const problem = queue.refusal;
  const isMoved = problem ? problem.code === "game-moved-on" : true;
  const game = problem?.members?.game ?? view.game;
  const mine = count > 1 ? `Your ${count} plays were not saved` : "Yours was not saved";
  const text = isMoved ? `${whoDidWhat(game.lastEvent, { playersById: players, nameOf })} ${mine}:` : `${refused.error} ${mine}:`;
  return element("div", { class: "notice bad", role: "alert", "data-key": "refused" },
    element("p", {}, text),
    element("div", { class: "actions" },
      element("button", { type: "button", class: "plain danger", click: dropMine }, "Drop mine"),
      isMoved ? element("button", { type: "button", click: () => recordAsNext(game) }, "Record as next") : element("button", { type: "button", click: editRefused }, "Change it")));
}

async function dropMine() {
  queue.dropAll();
  placing = null;
  await reread();
  render();
}

/** What waits is sent after what somebody else has recorded. Runners that stand elsewhere now take the defaults. */
async function recordAsNext(seen) {
  await reread();
  const game = view.game.revision >= seen.revision ? view.game : seen;
  queue.rebase(game, (entry) => {
    if (entry.kind !== "atBat") return entry;
    const { moves, rbis, playerId, ...rest } = entry.body;
    return { ...entry, body: entry.bases && entry.bases !== occupied(game.state?.bases ?? []).join() ? rest : { ...rest, ...(moves ? { moves } : {}), ...(rbis == null ? {} : { rbis }) } };
  });
  placing = null;
  render();
}

/** A play that breaks a rule goes back to the pad, and those after it are given up. */
function editRefused() {
  queue.dropAll();
  placing = null;
  render();
}

function correctionNotes() {
  const { game } = view;
  return game.status === "IN_PROGRESS" || game.status === "FINAL" ? [element("p", { class: "quiet hacktracker-hint" }, "Tap a play to correct or remove it.")] : [];
}

// The panel: what there is to do now.

function panel(now) {
  const { game } = now;
  if (game.status !== "IN_PROGRESS") return [overPanel(game)];
  if (team.isPersonal) return personalPanel(now);
  return game.state.half === "TEAM" ? ourPanel(now) : [theirPanel(game)];
}

function overPanel(game) {
  return element("div", { class: "card", "data-key": "over" },
    element("h2", {}, game.status === "FINAL" ? `Final: ${game.teamScore}–${game.opponentScore}` : STATUS_NAMES[game.status]),
    element("p", {}, game.status === "FINAL" ? "At-bats can still be corrected." : "The game is not being played."),
    element("div", { class: "actions" },
      game.status === "FINAL" ? element("button", { type: "button", class: "plain", click: () => verb("reopen") }, "Reopen") : null,
      element("a", { class: "button", href: pageAddress }, "Box score")));
}

function ourPanel(now) {
  const { game } = now;
  const playerId = next.playerId ?? playerUp(game);
  if (placing) return [strip(now, playerId)];
  return [
    batterRow(now, playerId),
    fieldBox(now),
    hitRow(),
    pad(game.state, (result) => choose(current(), result), undoButton(now)),
  ];
}

function batterRow({ atBats }, playerId) {
  const player = players.get(playerId);
  const own = atBats.filter((atBat) => atBat.playerId === playerId);
  const count = own.filter((atBat) => !AT_BAT_RESULTS_NOT_COUNTED.includes(atBat.result)).length;
  const hits = own.filter((atBat) => isHit(atBat.result)).length;
  return element("button", { type: "button", class: "hacktracker-batter", "data-key": "batter", "aria-haspopup": "dialog", click: chooseBatter },
    element("span", { class: "quiet" }, "Up"),
    element("b", { id: "up" }, `${numberText(player)} ${shortName(player)}`.trim()),
    element("span", { class: "quiet" }, own.length ? `${hits} for ${count}` : "first at-bat"));
}

function fieldBox(now) {
  const svg = shape("svg", { id: "field" });
  drawField(svg, "The field. Tap where the ball went, or choose a place from the list below.");
  markChosen(svg, next.hitLocation);
  svg.addEventListener("click", (event) => {
    next.hitLocation = pointOf(svg, event);
    render();
  });
  const runners = team.isPersonal ? [] : occupied(now.game.state.bases).map((base) => {
    const runner = runnerOf(now.game.state.bases[base - 1], now, players);
    return element("button", { type: "button", class: `hacktracker-runner is-on-${base}`, "data-key": `runner-${base}`, "aria-haspopup": "dialog", "aria-label": `${fullName(runner)} on ${["first", "second", "third"][base - 1]}: move`, click: moveRunners }, shortName(runner));
  });
  return element("div", { class: "hacktracker-field-box", "data-key": "field" }, svg, runners);
}

function hitRow() {
  return element("div", { class: "hacktracker-hit-row", "data-key": "hit" },
    zoneSelect(next.hitLocation, (location) => {
      next.hitLocation = location;
      // The list stays as it is, because somebody may be typing in it.
      markChosen(byId("field"), location);
    }, { id: "zone", "aria-label": "Where the ball went" }),
    team.isPersonal ? null : element("label", { class: "hacktracker-check" }, element("input", { type: "checkbox", id: "details", checked: next.wantsDetails, change: ({ target }) => { next.wantsDetails = target.checked; } }), "Details"));
}

function pad(situation, record, last) {
  return element("div", { class: "hacktracker-pad", "data-key": "pad" },
    RESULTS.map((result) => element("button", {
      type: "button", class: `is-${padKind(result)}`, "data-key": `result-${result}`, "data-result": result, title: RESULT_NAMES[result],
      disabled: situation && isImpossible(result, situation) ? true : null, click: () => record(result),
    }, element("span", { "aria-hidden": "true" }, result), element("span", { class: "visually-hidden" }, RESULT_NAMES[result]))),
    last);
}

function padKind(result) {
  if (isHit(result)) return "hit";
  return ["BB", "HBP", "E"].includes(result) ? "on" : "out";
}

/** A result was tapped: with nobody on base it is recorded, else the runners are placed first. */
function choose({ game }, result) {
  clearProblem();
  if (occupied(game.state.bases).length === 0 && !next.wantsDetails) {
    record({ result, ...(next.playerId ? { playerId: next.playerId } : {}), ...(isBatted(result) && next.hitLocation ? { hitLocation: next.hitLocation } : {}) });
    return;
  }
  placing = result;
  renderPanel(current());
  focusQuietly(byId("now").querySelector(".hacktracker-strip h2"));
  scrollTo({ top: 0 });
}

/** Where batter and runners end. */
function strip(now, playerId) {
  const { game } = now;
  const { bases, outs } = game.state;
  const close = () => {
    placing = null;
    render();
    byId("now").querySelector("[data-result]")?.focus({ preventScroll: true });
  };
  return element("div", { class: "card hacktracker-strip", "data-key": "strip" },
    element("h2", {}, `${numberText(players.get(playerId))} ${shortName(players.get(playerId))}: ${RESULT_NAMES[placing]}`.trim()),
    playEditor({
      play: { result: placing, playerId, hitLocation: next.hitLocation },
      situation: { bases, outs },
      runnerName: (base) => shortName(runnerOf(bases[base - 1], now, players)),
      onCancel: close,
      onSave: ({ result, moves, rbis, hitLocation, hitType }, { rbisTouched }) => {
        placing = null;
        record({
          result, moves,
          ...(next.playerId ? { playerId: next.playerId } : {}),
          ...(rbisTouched ? { rbis } : {}),
          ...(hitLocation ? { hitLocation } : {}),
          ...(hitType ? { hitType } : {}),
        });
        byId("now").querySelector("[data-result], button")?.focus({ preventScroll: true });
      },
    }));
}

function record(body) {
  const { game } = current();
  next.hitLocation = null;
  next.playerId = null;
  queue.push({ kind: "atBat", body: { ...body, revision: game.revision }, bases: game.state ? occupied(game.state.bases).join() : "" });
  const after = current();
  const atBat = after.atBats.at(-1);
  if (atBat) announce(`${playSentence(atBat, players.get(atBat.playerId))}. ${after.game.teamScore} to ${after.game.opponentScore}`);
}

function chooseBatter() {
  const { game } = current();
  const close = (playerId) => {
    next.playerId = playerId === playerUp(game) ? null : playerId;
    shown.close();
    render();
  };
  const shown = sheet(element("div", { class: "hacktracker-choices" }, game.lineup.map((playerId, index) => element("button", { type: "button", class: "plain", "aria-pressed": String(playerId === (next.playerId ?? playerUp(game))), click: () => close(playerId) }, `${index + 1}. ${numberText(players.get(playerId))} ${fullName(players.get(playerId))}`)), element("a", { class: "button plain", href: `${pageAddress}#lineup` }, "Substitute: change the lineup")), { title: "Who is up?" });
}

function moveRunners() {
  const now = current();
  const { bases } = now.game.state;
  const shown = sheet(runnersEditor({
    bases,
    runnerName: (base) => shortName(runnerOf(bases[base - 1], now, players)),
    onSave: ({ moves, how }) => {
      shown.close();
      queue.push({ kind: "runners", body: { revision: current().game.revision, moves, how } });
      announce("The runners have moved.");
    },
  }), { title: "Runners between at-bats" });
}

// Undo.

/** What undo would take back: `{ text, run }`, or null. */
function undoable({ game, atBats }) {
  const waiting = queue.entries();
  const last = waiting.at(-1)?.entry;
  if (last) {
    const text = last.kind === "atBat" ? last.body.result : last.kind === "runners" ? last.body.how : last.kind === "opponent" ? "runs" : "half";
    return { text, run: () => { queue.dropLast(); render(); } };
  }
  const atBat = lastAtBat(atBats);
  if (!atBat) return null;
  if (!team.isPersonal) {
    const { state } = game;
    const before = previousHalf(state, game.homeAway);
    const isHere = state.half === "TEAM" && atBat.inning === state.inning;
    const isJustOver = state.half === "OPPONENT" && before?.inning === atBat.inning && !game.opponentRuns?.[state.inning - 1];
    if (!isHere && !isJustOver) return null;
  }
  const how = atBat.moves?.at(-1)?.how;
  return { text: how ?? atBat.result, run: undo };
}

function lastAtBat(atBats) {
  return [...atBats].sort((one, other) => one.inning - other.inning || one.sequence - other.sequence).at(-1);
}

function undoButton(now) {
  const last = undoable(now);
  return last ? element("button", { type: "button", class: "plain hacktracker-undo", "data-key": "undo", id: "undo", click: undoLast }, `Undo ${last.text}`) : null;
}

/** Takes back what is last now: what waited when the button was made may have been sent since. */
function undoLast() {
  undoable(current())?.run();
}

async function undo() {
  await attempt(async () => {
    await request("POST", `${path}/undo`, { body: { revision: view.game.revision }, once: true });
    await reread();
    announce("Taken back.");
  }, { near: byId("notices") });
}

// Their half.

function theirPanel(game) {
  const { inning } = game.state;
  const runs = game.opponentRuns?.[inning - 1] ?? 0;
  const now = current();
  const last = undoable(now);
  const ours = previousHalf(game.state, game.homeAway);
  const canGoBack = ours !== null && outsIn(now.atBats, ours.inning) < 3;
  return element("div", { class: "card hacktracker-their", "data-key": "their" },
    element("h2", {}, `${opponentName(game)} bat`),
    stepper({ label: "Runs this inning", key: "opponent-runs", value: runs, min: 0, max: RUNS_MAX, isLarge: true, change: (value) => queue.push({ kind: "opponent", inning, body: { revision: current().game.revision, runs: value } }) }),
    element("button", { type: "button", id: "our-turn", class: "hacktracker-wide", "data-key": "our-turn", click: goOn }, "3 outs: our turn"),
    element("div", { class: "actions" },
      canGoBack ? element("button", { type: "button", class: "plain", "data-key": "go-back", click: goBack }, "Back to our half") : null,
      last ? element("button", { type: "button", class: "plain", id: "undo", "data-key": "undo", click: undoLast }, `Undo ${last.text}`) : null,
      element("button", { type: "button", class: "plain", "data-key": "finish", click: finish }, "Finish game")));
}

/** The next half; in extra innings a runner may be placed on second base. */
function goOn() {
  const { game } = current();
  const to = nextHalf(game.state, game.homeAway);
  const push = (placedRunner) => {
    queue.push({ kind: "half", body: { revision: current().game.revision, ...to, ...(placedRunner ? { placedRunner } : {}) } });
    next.playerId = null;
    announce(halfName(current().game));
  };
  if (to.half !== "TEAM" || to.inning <= (game.regulationInnings ?? 7)) {
    push(null);
    return;
  }
  const select = element("select", {}, element("option", { value: "" }, "Nobody"), game.lineup.map((playerId) => element("option", { value: playerId }, fullName(players.get(playerId)))));
  const shown = sheet([element("p", {}, "Extra innings. Does your league place a runner on second base?"), element("label", {}, "Runner on second ", select),
    element("p", {}, element("button", { type: "button", click: () => { shown.close(); push(select.value || null); } }, "Our turn"))], { title: `Inning ${to.inning}` });
}

async function goBack() {
  const { game } = view;
  const to = previousHalf(game.state, game.homeAway);
  if (to) await scoring(() => request("PUT", `${path}/half`, { body: { revision: game.revision, ...to } }));
}

/** A change that needs a connection: it builds on what the server has. */
async function scoring(work) {
  if (queue.entries().length) {
    showProblem(new Problem({ title: "Plays are still waiting to be sent. This needs a connection" }), { near: byId("notices") });
    return false;
  }
  const done = await attempt(async () => {
    take(await work());
    await reread();
    return true;
  }, { near: byId("notices") });
  if (!done) await reread();
  return done === true;
}

function verb(name) {
  return scoring(() => request("POST", `${path}/${name}`, { body: { revision: view.game.revision }, once: true }));
}

async function finish() {
  const { game } = view;
  const sure = await confirmDialog({ title: "Finish the game?", text: `${team.team.name} ${game.teamScore}, ${opponentName(game)} ${game.opponentScore}. It can be reopened.`, action: "Finish game" });
  if (sure && await verb("finish")) location.href = pageAddress;
}

function openMore() {
  const { game } = current();
  const item = (text, click, kind = "plain") => element("button", { type: "button", class: kind, click: () => { shown.close(); click(); } }, text);
  const isOurs = game.state?.half === "TEAM";
  const before = game.state && !team.isPersonal ? previousHalf(game.state, game.homeAway) : null;
  const canGoBack = before !== null && (isOurs || outsIn(view.atBats, before.inning) < 3);
  const content = element("div", { class: "hacktracker-choices" },
    team.isPersonal ? item("Set the score", setScore) : null,
    !team.isPersonal && isOurs ? item("End our half now", endHalf) : null,
    canGoBack ? item(isOurs ? "Back to their half" : "Back to our half", goBack) : null,
    !team.isPersonal ? item("Correct their runs", correctRuns) : null,
    !team.isPersonal ? element("a", { class: "button plain", href: `${pageAddress}#lineup` }, "Change the lineup") : null,
    item("Postpone the game", async () => {
      if (await confirmDialog({ title: "Postpone the game?", text: "At-bats and score are kept.", action: "Postpone" }) && await verb("postpone")) location.href = pageAddress;
    }),
    item("Finish game", finish));
  const shown = sheet(content, { title: "More" });
}

async function endHalf() {
  const sure = await confirmDialog({ title: "End our half?", text: "For a run limit or the time. The inning may have fewer than three outs.", action: "End the half" });
  if (sure) goOn();
}

function correctRuns() {
  const { game } = view;
  const innings = (game.opponentRuns ?? []).map((_, index) => index + 1);
  if (!innings.length) innings.push(game.state.inning);
  const values = new Map(innings.map((inning) => [inning, game.opponentRuns?.[inning - 1] ?? 0]));
  const list = element("div", { class: "hacktracker-choices" });
  const draw = () => replaceKeepingFocus(list, innings.map((inning) => stepper({ label: `Inning ${inning}`, key: `inning-${inning}`, value: values.get(inning), min: 0, max: RUNS_MAX, change: (value) => {
    values.set(inning, value);
    queue.push({ kind: "opponent", inning, body: { revision: current().game.revision, runs: value } });
    draw();
  } })));
  draw();
  sheet(list, { title: `Runs of ${opponentName(game)}` });
}

function setScore() {
  openScoreForm(view.game, {
    teamName: "Us", title: "Score", action: "Save",
    save: async (values) => { take(await request("PUT", `${path}/score`, { body: { revision: view.game.revision, ...values } })); },
  });
}

// A game of one's own.

function personalPanel(now) {
  const set = (key) => (value) => {
    personal[key] = value;
    render();
  };
  return [
    element("div", { class: "hacktracker-steppers", "data-key": "steppers" },
      stepper({ label: "Inning", key: "inning", value: personal.inning, min: 1, max: PERSONAL_INNING_MAX, change: set("inning") }),
      stepper({ label: "Outs", key: "outs", value: personal.outs, min: 0, max: 2, change: set("outs") }),
      stepper({ label: "RBIs", key: "rbis", value: personal.rbis, min: 0, max: 4, change: set("rbis") }),
      element("label", { class: "hacktracker-check" }, element("input", { type: "checkbox", id: "scored", checked: personal.scored, change: ({ target }) => { personal.scored = target.checked; } }), "I scored")),
    fieldBox(now),
    hitRow(),
    pad(null, recordPersonal, undoButton(now)),
  ];
}

function recordPersonal(result) {
  const isHomeRun = result === "HR";
  const [player] = team.players;
  record({
    result, playerId: player.playerId, inning: personal.inning, outs: personal.outs,
    rbis: isHomeRun ? Math.max(1, personal.rbis) : personal.rbis, scored: isHomeRun || personal.scored,
    ...(isBatted(result) && next.hitLocation ? { hitLocation: next.hitLocation } : {}),
  });
  Object.assign(personal, { rbis: 0, scored: false });
  render();
}

// Plays: correcting, removing, inserting.

function playRow(atBat, content) {
  if (atBat.isWaiting) return element("div", { class: "hacktracker-play" }, content);
  return element("button", { type: "button", class: "hacktracker-play", "aria-haspopup": "dialog", click: () => correct(atBat) }, content);
}

function insertButton(inning, after) {
  if (team.isPersonal || view.game.status !== "IN_PROGRESS") return null;
  const before = after ? view.atBats.find((one) => one.atBatId === after) : null;
  if (after && !before) return null;
  const where = before ? `after ${shortName(players.get(before.playerId))}` : "at the beginning";
  return element("button", { type: "button", class: "hacktracker-insert", "data-key": `insert-${inning}-${after}`, "aria-label": `Add a missed at-bat ${where}, inning ${inning}`, title: "Add a missed at-bat here", "aria-haspopup": "dialog", click: () => insert(inning, after) }, element("span", { "aria-hidden": "true" }, "+"));
}

/** Who may have batted: the lineup, and whoever is on the roster. */
function batters() {
  const order = [...(view.game.lineup ?? []), ...team.players.map((player) => player.playerId)];
  return [...new Set(order)].map((id) => players.get(id)).filter(Boolean);
}

function correct(atBat) {
  const situation = team.isPersonal ? { bases: [null, null, null], outs: atBat.outs } : situationBefore(view.atBats, atBat, view.game.placed);
  const form = team.isPersonal ? personalEditor(atBat, (body) => save(body)) : playEditor({
    play: atBat,
    situation,
    runnerName: (base) => shortName(runnerOf(situation.bases[base - 1], { game: { ...view.game, state: { inning: atBat.inning } }, atBats: view.atBats }, players)),
    batters: batters(),
    onRemove: () => removeAtBat(atBat, shown),
    onSave: (values, { movesTouched, rbisTouched }) => save({
      result: values.result,
      ...(values.playerId === atBat.playerId ? {} : { playerId: values.playerId }),
      ...(movesTouched ? { moves: values.moves } : {}),
      ...(rbisTouched ? { rbis: values.rbis } : {}),
      ...place(values.hitLocation, atBat.hitLocation, "hitLocation"),
      ...place(values.hitType, atBat.hitType, "hitType"),
    }),
  });
  const shown = sheet(form, { title: `Inning ${atBat.inning}: ${fullName(players.get(atBat.playerId))}` });
  async function save(body) {
    await attempt(async () => {
      const answer = await request("PATCH", `${path}/atbats/${atBat.atBatId}`, { body: { revision: view.game.revision, ...body } });
      shown.close();
      take(answer);
      announce("Corrected.");
      await reread();
    }, { near: form });
  }
}

/** A value that has changed: what is gone is removed with null. */
function place(value, before, key) {
  if (JSON.stringify(value ?? null) === JSON.stringify(before ?? null)) return {};
  return { [key]: value ?? null };
}

function personalEditor(atBat, save) {
  let { rbis, scored } = atBat;
  const form = element("form", { class: "hacktracker-editor" });
  const result = element("select", {}, RESULTS.map((one) => element("option", { value: one, selected: one === atBat.result }, `${one} · ${RESULT_NAMES[one]}`)));
  const rbisField = element("div", {});
  const draw = () => replaceKeepingFocus(rbisField, [stepper({ label: "RBIs", key: "rbis", value: rbis, min: 0, max: 4, change: (value) => { rbis = value; draw(); } })]);
  draw();
  form.append(
    element("label", {}, "Result ", result), rbisField,
    element("label", { class: "hacktracker-check" }, element("input", { type: "checkbox", checked: scored, change: ({ target }) => { scored = target.checked; } }), "I scored"),
    element("div", { class: "actions" },
      element("button", { type: "button", class: "plain danger", click: () => removeAtBat(atBat, { close: () => form.closest("dialog").close() }) }, "Remove"),
      element("button", {}, "Save")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const isHomeRun = result.value === "HR";
    save({
      ...(result.value === atBat.result ? {} : { result: result.value }),
      rbis: isHomeRun ? Math.max(1, rbis) : rbis, scored: isHomeRun || scored,
      ...(isBatted(result.value) ? {} : { ...place(null, atBat.hitLocation, "hitLocation"), ...place(null, atBat.hitType, "hitType") }),
    });
  });
  return form;
}

async function removeAtBat(atBat, shown) {
  const sure = await confirmDialog({ title: "Remove this at-bat?", text: `${playSentence(atBat, players.get(atBat.playerId))}. The rest of its inning is played again without it.`, action: "Remove", danger: true });
  if (!sure) return;
  shown.close();
  await attempt(async () => {
    // The revision guards against somebody else's change; a repeated removal is harmless.
    await request("DELETE", `${path}/atbats/${atBat.atBatId}?revision=${view.game.revision}`);
    announce("Removed.");
    await reread();
  }, { near: byId("plays-content") });
}

function insert(inning, after) {
  const before = view.atBats.find((one) => one.atBatId === after);
  const situation = situationBefore(view.atBats, { inning, sequence: (before?.sequence ?? 0) + 1 }, view.game.placed);
  const slot = missedSlot(inning, before);
  const form = playEditor({
    play: { result: "1B", playerId: view.game.lineup[slot] },
    situation,
    runnerName: (base) => shortName(runnerOf(situation.bases[base - 1], { game: { ...view.game, state: { inning } }, atBats: view.atBats }, players)),
    batters: batters(),
    saveText: "Insert",
    onSave: ({ result, playerId, moves, rbis, hitLocation, hitType }, { movesTouched, rbisTouched }) => attempt(async () => {
      const answer = await request("POST", `${path}/atbats`, { once: true, body: {
        revision: view.game.revision, result, playerId, insert: { inning, after },
        ...(movesTouched ? { moves } : {}), ...(rbisTouched ? { rbis } : {}), ...(hitLocation ? { hitLocation } : {}), ...(hitType ? { hitType } : {}),
      } });
      shown.close();
      take(answer);
      announce("Inserted.");
      await reread();
    }, { near: form }),
  });
  const shown = sheet(form, { title: `Inning ${inning}: a missed at-bat` });
}

/** The index in the lineup of who was missed: after the one before, or before the first one. */
function missedSlot(inning, before) {
  const size = Math.max(1, view.game.lineup.length);
  if (before?.battingOrder) return before.battingOrder % size;
  const first = view.atBats.filter((one) => one.inning === inning).sort((one, other) => one.sequence - other.sequence)[0];
  return first?.battingOrder ? (first.battingOrder - 2 + size) % size : 0;
}

/** The address may name an at-bat to correct, or an inning. */
function openAddressed() {
  const id = location.hash.slice(1);
  if (!id || document.querySelector("dialog[open]")) return;
  document.querySelector("main").classList.add("shows-plays");
  render();
  const atBat = view.atBats.find((one) => one.atBatId === id);
  if (atBat) {
    correct(atBat);
    history.replaceState(history.state, "", location.pathname);
  } else {
    const heading = document.getElementById(id);
    if (heading) bringIntoView(heading);
  }
}
