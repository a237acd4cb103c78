// Plays: correcting, removing and inserting them.
import { announce, bringIntoView, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { request } from "/assets/http.js";
import { runnerOf } from "./game-view.js";
import { playEditor, stepper } from "./play-editor.js";
import { isBatted, RESULTS, situationBefore } from "./rules.js";
import { book, path, render, reread, take } from "./score-book.js";
import { attempt } from "./signed-in.js";
import { fullName, playSentence, RESULT_NAMES, shortName } from "./words.js";

export function correctionNotes() {
  const { game } = book.view;
  return game.status === "IN_PROGRESS" || game.status === "FINAL" ? [element("p", { class: "quiet hacktracker-hint" }, "Tap a play to correct or remove it.")] : [];
}

export function playRow(atBat, content) {
  if (atBat.isWaiting) return element("div", { class: "hacktracker-play" }, content);
  return element("button", { type: "button", class: "hacktracker-play", "aria-haspopup": "dialog", click: () => correct(atBat) }, content);
}

export function insertButton(inning, after) {
  if (book.team.isPersonal || book.view.game.status !== "IN_PROGRESS") return null;
  const before = after ? book.view.atBats.find((one) => one.atBatId === after) : null;
  if (after && !before) return null;
  const where = before ? `after ${shortName(book.players.get(before.playerId))}` : "at the beginning";
  return element("button", { type: "button", class: "hacktracker-insert", "data-key": `insert-${inning}-${after}`, "aria-label": `Add a missed at-bat ${where}, inning ${inning}`, title: "Add a missed at-bat here", "aria-haspopup": "dialog", click: () => insert(inning, after) }, element("span", { "aria-hidden": "true" }, "+"));
}

/** Who may have batted: the lineup, and whoever is on the roster. */
function batters() {
  const order = [...(book.view.game.lineup ?? []), ...book.team.players.map((player) => player.playerId)];
  return [...new Set(order)].map((id) => book.players.get(id)).filter(Boolean);
}

function correct(atBat) {
  const situation = book.team.isPersonal ? { bases: [null, null, null], outs: atBat.outs } : situationBefore(book.view.atBats, atBat, book.view.game.placed);
  const form = book.team.isPersonal ? personalEditor(atBat, (body) => save(body)) : playEditor({
    play: atBat,
    situation,
    runnerName: (base) => shortName(runnerOf(situation.bases[base - 1], { game: { ...book.view.game, state: { inning: atBat.inning } }, atBats: book.view.atBats }, book.players)),
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
  const shown = sheet(form, { title: `Inning ${atBat.inning}: ${fullName(book.players.get(atBat.playerId))}` });
  async function save(body) {
    await attempt(async () => {
      const answer = await request("PATCH", `${path}/atbats/${atBat.atBatId}`, { body: { revision: book.view.game.revision, ...body } });
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
  const sure = await confirmDialog({ title: "Remove this at-bat?", text: `${playSentence(atBat, book.players.get(atBat.playerId))}. The rest of its inning is played again without it.`, action: "Remove", danger: true });
  if (!sure) return;
  shown.close();
  await attempt(async () => {
    // The revision guards against somebody else's change; a repeated removal is harmless.
    await request("DELETE", `${path}/atbats/${atBat.atBatId}?revision=${book.view.game.revision}`);
    announce("Removed.");
    await reread();
  }, { near: byId("plays-content") });
}

function insert(inning, after) {
  const before = book.view.atBats.find((one) => one.atBatId === after);
  const situation = situationBefore(book.view.atBats, { inning, sequence: (before?.sequence ?? 0) + 1 }, book.view.game.placed);
  const slot = missedSlot(inning, before);
  const form = playEditor({
    play: { result: "1B", playerId: book.view.game.lineup[slot] },
    situation,
    runnerName: (base) => shortName(runnerOf(situation.bases[base - 1], { game: { ...book.view.game, state: { inning } }, atBats: book.view.atBats }, book.players)),
    batters: batters(),
    saveText: "Insert",
    onSave: ({ result, playerId, moves, rbis, hitLocation, hitType }, { movesTouched, rbisTouched }) => attempt(async () => {
      const answer = await request("POST", `${path}/atbats`, { once: true, body: {
        revision: book.view.game.revision, result, playerId, insert: { inning, after },
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
  const size = Math.max(1, book.view.game.lineup.length);
  if (before?.battingOrder) return before.battingOrder % size;
  const first = book.view.atBats.filter((one) => one.inning === inning).sort((one, other) => one.sequence - other.sequence)[0];
  return first?.battingOrder ? (first.battingOrder - 2 + size) % size : 0;
}

/** The address may name an at-bat to correct, or an inning. */
export function openAddressed() {
  const id = location.hash.slice(1);
  if (!id || document.querySelector("dialog[open]")) return;
  document.querySelector("main").classList.add("shows-plays");
  render();
  const atBat = book.view.atBats.find((one) => one.atBatId === id);
  if (atBat) {
    // Before the dialog: its entry of the history has the same address, or going back would lead here again.
    history.replaceState(history.state, "", location.pathname);
    correct(atBat);
  } else {
    const heading = document.getElementById(id);
    if (heading) bringIntoView(heading);
  }
}
