// The score of a game that is not scored at-bat by at-bat.
import { element } from "/assets/dom.js";
import { onSubmit } from "/assets/form.js";
import { sheet } from "/assets/dialog.js";
import { opponentName } from "./words.js";

/** Opens a sheet with both scores; `save({ teamScore, opponentScore })` sends them. */
export function openScoreForm(game, { teamName, save, title = "Enter the result", action = "Save as final" }) {
  const field = (name, label, value) => element("label", {}, `${label} `, element("input", { name, type: "number", min: 0, max: 999, required: true, inputmode: "numeric", value }));
  const form = element("form", { class: "hacktracker-form" },
    element("div", { class: "hacktracker-pair" },
      field("teamScore", teamName, game.teamScore ?? 0),
      field("opponentScore", opponentName(game), game.opponentScore ?? 0)),
    element("button", {}, action));
  const shown = sheet(form, { title });
  onSubmit(form, async (values) => {
    await save(values);
    shown.close();
  }, { reset: false });
}
