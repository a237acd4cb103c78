// The form of a game: when, where, against whom.
import { element } from "/assets/dom.js";
import { onSubmit } from "/assets/form.js";
import { sheet } from "/assets/dialog.js";
import { toLocalField } from "./words.js";

/** Opens a sheet with the form; `save(values)` sends them, and `onRemove` makes a button. `seasons` are proposed. */
export function openGameForm(game, { title, seasons = [], save, onRemove = null, isPersonal = false, action = "Save" }) {
  const isBegun = game != null && game.status !== "SCHEDULED" && game.status !== "POSTPONED";
  const list = element("datalist", { id: "seasons" }, seasons.map((season) => element("option", { value: season })));
  const form = element("form", { class: "hacktracker-form" },
    element("label", {}, "Opponent ", element("input", { name: "opponentName", maxlength: 100, value: game?.opponentName ?? "" })),
    element("label", {}, "When ", element("input", { name: "scheduledStart", type: "datetime-local", value: toLocalField(game?.scheduledStart) })),
    element("label", {}, "Where ", element("input", { name: "location", maxlength: 100, value: game?.location ?? "" })),
    element("label", {}, "Season ", element("input", { name: "seasonId", maxlength: 40, list: "seasons", value: game?.seasonId ?? seasons[0] ?? "" }), list),
    isPersonal ? null : element("div", { class: "hacktracker-pair" },
      element("label", {}, "We bat ", element("select", { name: "homeAway", disabled: isBegun },
        element("option", { value: "AWAY", selected: game?.homeAway !== "HOME" }, "first (away)"),
        element("option", { value: "HOME", selected: game?.homeAway === "HOME" }, "last (home)"))),
      element("label", {}, "Innings ", element("input", { name: "regulationInnings", type: "number", min: 1, max: 9, required: true, value: game?.regulationInnings ?? 7 }))),
    element("button", {}, action),
    onRemove ? element("button", { type: "button", class: "plain danger", click: onRemove }, "Delete game") : null);
  const shown = sheet(form, { title });
  onSubmit(form, async (values) => {
    await save(clean(values, game));
    shown.close();
  }, { reset: false });
  return shown;
}

/** Empty fields are left out of a new game, and removed from one that had them. */
function clean(values, game) {
  const cleaned = { ...values };
  cleaned.scheduledStart = values.scheduledStart ? new Date(values.scheduledStart).toISOString() : "";
  for (const [key, value] of Object.entries(cleaned)) {
    if (typeof value === "string") cleaned[key] = value.trim();
    if (cleaned[key] === "" && game?.[key] != null) cleaned[key] = null;
    else if (cleaned[key] === "") delete cleaned[key];
  }
  return cleaned;
}
