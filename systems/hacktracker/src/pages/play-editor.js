// The form of one play: what the batter did, where everybody ended, RBIs, kind of hit. It is used
// for a new play, for correcting an earlier one, and for inserting one that was missed.
import { element, replaceKeepingFocus } from "/assets/dom.js";
import { zoneList, zoneName } from "./field.js";
import { areCrossed, batterChoices, defaultMoves, doublePlay, HIT_TYPES, isBatted, isImpossible, occupied, problemWith, proposedRbis, RESULTS, runnerChoices, runsOf, settle } from "./rules.js";
import { BASE_NAMES, fullName, HIT_TYPE_NAMES, numberText, RESULT_NAMES } from "./words.js";

const MARKS = ["out", "1", "2", "3", "H"];
const RBIS_MAX = 4;
let ids = 0;

/**
 * Makes the form. `play` is `{ result, playerId, hitLocation?, hitType?, rbis?, moves? }`, `situation`
 * `{ bases, outs }` before it, `runnerName(base)` who stands there. With `batters`, a list of players,
 * result, batter and place can be changed too. `onSave(values)` gets what was said, `onCancel` and
 * `onRemove` make buttons.
 */
export function playEditor({ play, situation, runnerName, batters = null, onSave, onCancel, onRemove, saveText = "Save" }) {
  ids += 1;
  const form = element("form", { class: "hacktracker-editor", novalidate: true });
  const name = `play-${ids}`;
  const chosen = { result: play.result, playerId: play.playerId, hitType: play.hitType ?? null, hitLocation: play.hitLocation ?? null };
  /** The moves that the scorer has named, and RBIs if he has. */
  let named = play.moves?.filter((move) => !move.how).map(({ from, to }) => ({ from, to })) ?? [];
  let rbis = play.rbis ?? null;
  const touched = { moves: false, rbis: false, type: false };

  const defaults = () => defaultMoves(chosen.result, { ...situation, hitType: chosen.hitType });
  const moves = () => settle(named, defaults());
  const rbisNow = () => Math.min(rbis ?? proposedRbis(chosen.result, moves()), runsOf(moves()), RBIS_MAX);

  function render() {
    replaceKeepingFocus(form, [
      batters ? element("div", { class: "hacktracker-pair", "data-key": "who" }, batterField(), resultField()) : null,
      batters && isBatted(chosen.result) ? zoneField() : null,
      ...moves().map(moveField),
      rbisField(),
      isBatted(chosen.result) ? hitTypeField() : null,
      canDoublePlay() ? element("button", { type: "button", class: "plain", "data-key": "double-play", click: makeDoublePlay }, "Double play") : null,
      element("p", { class: "hacktracker-warning", role: "status", "data-key": "warning" }, warning() ?? ""),
      element("div", { class: "actions", "data-key": "actions" },
        onRemove ? element("button", { type: "button", class: "plain danger", click: onRemove }, "Remove") : null,
        onCancel ? element("button", { type: "button", class: "plain", click: onCancel }, "Cancel") : null,
        element("button", { "data-key": "save" }, saveText)),
    ].filter(Boolean));
  }

  function warning() {
    return problemWith(chosen.result, moves(), { ...situation, hitType: isBatted(chosen.result) ? chosen.hitType : null });
  }

  function batterField() {
    return element("label", {}, "Batter ", element("select", { "data-key": "batter", change: ({ target }) => { chosen.playerId = target.value; } },
      batters.map((player) => element("option", { value: player.playerId, selected: player.playerId === chosen.playerId }, `${numberText(player)} ${fullName(player)}`.trim()))));
  }

  function resultField() {
    const change = ({ target }) => {
      chosen.result = target.value;
      named = [];
      rbis = null;
      touched.moves = false;
      touched.rbis = false;
      render();
    };
    return element("label", {}, "Result ", element("select", { "data-key": "result", change },
      RESULTS.map((result) => element("option", { value: result, selected: result === chosen.result, disabled: isImpossible(result, situation) && result !== chosen.result }, `${result} · ${RESULT_NAMES[result]}`))));
  }

  function zoneField() {
    return element("label", { "data-key": "zone" }, "Hit location ", zoneSelect(chosen.hitLocation, (location) => { chosen.hitLocation = location; }));
  }

  function moveField({ from, to }) {
    const choices = from === 0 ? batterChoices(chosen.result) : runnerChoices(from);
    const who = from === 0 ? "Batter" : `${runnerName(from)}, on ${BASE_NAMES[from]}`;
    const choose = (value) => {
      named = [...named.filter((move) => move.from !== from), { from, to: value }];
      touched.moves = true;
      if (!touched.rbis) rbis = null;
      render();
    };
    return element("fieldset", { class: "hacktracker-moves", "data-key": `move-${from}` },
      element("legend", {}, who),
      element("div", {}, [0, 1, 2, 3, 4].map((base) => (choices.includes(base)
        ? element("label", {},
          element("input", { type: "radio", name: `${name}-${from}`, value: base, checked: base === to, "aria-label": base === from && from > 0 ? `stays on ${BASE_NAMES[base]}` : BASE_NAMES[base], change: () => choose(base) }),
          element("span", { "aria-hidden": "true" }, MARKS[base]))
        : element("span", { class: "is-none", "aria-hidden": "true" }, "·")))));
  }

  function rbisField() {
    const value = rbisNow();
    return stepper({ label: "RBIs", key: "rbis", value, min: 0, max: Math.min(runsOf(moves()), RBIS_MAX), change: (next) => {
      rbis = next;
      touched.rbis = true;
      render();
    } });
  }

  function hitTypeField() {
    const choose = (type) => {
      chosen.hitType = type;
      // A bunt moves runners otherwise than a fly does.
      if (chosen.result === "SAC" && !touched.moves) {
        named = [];
        touched.type = true;
      }
      render();
    };
    return element("fieldset", { class: "hacktracker-moves is-types", "data-key": "type" },
      element("legend", {}, "Batted ball"),
      element("div", {}, HIT_TYPES.map((type) => element("label", {},
        element("input", { type: "checkbox", checked: chosen.hitType === type, change: ({ target }) => choose(target.checked ? type : null) }),
        element("span", {}, HIT_TYPE_NAMES[type])))));
  }

  function canDoublePlay() {
    return chosen.result === "OUT" && situation.bases[0] != null && situation.outs < 2;
  }

  function makeDoublePlay() {
    named = doublePlay(moves());
    touched.moves = true;
    if (!touched.rbis) rbis = null;
    render();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (warning()) return;
    const isOut = !isBatted(chosen.result);
    onSave({
      result: chosen.result,
      playerId: chosen.playerId,
      hitLocation: isOut ? null : chosen.hitLocation,
      hitType: isOut ? null : chosen.hitType,
      moves: moves(),
      rbis: rbisNow(),
    }, { movesTouched: touched.moves || touched.type, rbisTouched: touched.rbis });
  });
  render();
  return form;
}

/** Moves of runners between at-bats: where each goes, and how. */
export function runnersEditor({ bases, runnerName, onSave }) {
  ids += 1;
  const name = `runners-${ids}`;
  const to = new Map(occupied(bases).map((base) => [base, base]));
  let how = "SB";
  const hows = { SB: "Stolen base", CS: "Caught stealing", WP: "Wild pitch", PB: "Passed ball", OTHER: "Other" };
  const note = element("p", { class: "hacktracker-warning", role: "status" });
  const form = element("form", { class: "hacktracker-editor" },
    [...to.keys()].reverse().map((base) => element("fieldset", { class: "hacktracker-moves" },
      element("legend", {}, `${runnerName(base)}, on ${BASE_NAMES[base]}`),
      element("div", {}, [0, 1, 2, 3, 4].map((end) => (runnerChoices(base).includes(end)
        ? element("label", {},
          element("input", { type: "radio", name: `${name}-${base}`, value: end, checked: end === base, "aria-label": end === base ? `stays on ${BASE_NAMES[end]}` : BASE_NAMES[end], change: () => to.set(base, end) }),
          element("span", { "aria-hidden": "true" }, MARKS[end]))
        : element("span", { class: "is-none", "aria-hidden": "true" }, "·")))))),
    element("label", {}, "How ", element("select", { change: ({ target }) => { how = target.value; } }, Object.entries(hows).map(([value, text]) => element("option", { value }, text)))),
    note,
    element("div", { class: "actions" }, element("button", {}, "Save")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const all = [...to].map(([from, end]) => ({ from, to: end }));
    const moves = all.filter((move) => move.from !== move.to);
    if (areCrossed(all)) note.textContent = "Two runners cannot be on one base, and none can be passed.";
    else if (!moves.length) note.textContent = "Nobody moves yet.";
    else onSave({ moves, how });
  });
  return form;
}

/** A number with − and +. */
export function stepper({ label, key, value, min, max, change, isLarge = false }) {
  const button = (text, say, next) => element("button", { type: "button", class: "plain hacktracker-icon", "aria-label": say, "aria-disabled": next < min || next > max ? "true" : null, click: () => { if (next >= min && next <= max) change(next); } }, text);
  return element("div", { class: `hacktracker-stepper${isLarge ? " is-large" : ""}`, role: "group", "aria-label": label, "data-key": key },
    element("span", {}, label),
    button("−", `${label}: one less`, value - 1),
    element("output", { "data-value": key }, value),
    button("+", `${label}: one more`, value + 1));
}

/** A list of zones in place of the field. */
export function zoneSelect(location, change, attributes = {}) {
  const zones = zoneList();
  const here = location ? zoneName(location) : null;
  return element("select", { ...attributes, change: ({ target }) => change(target.value ? zones.find((zone) => zone.name === target.value).location : null) },
    element("option", { value: "", selected: !here }, "Hit location (optional)"),
    zones.map((zone) => element("option", { value: zone.name, selected: zone.name === here }, zone.name)));
}
