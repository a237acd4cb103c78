// The form of one goal: to correct one, or to enter one by hand.
import { element } from "/assets/dom.js";
import { markField } from "/assets/form.js";
import { formSheet, ticked } from "./forms.js";
import { byNumber, playerText } from "./teams.js";

const ASSISTS_MAX = 3;
const OWN_GOAL = "own";

/**
 * Shows the form of a goal. `goal` is the present one, or null for a new one. `submit(body)` gets what
 * addGoal and editGoal take; third and minute only if they have changed.
 */
export function goalSheet({ view, goal, title, action = "Save", submit, after }) {
  const length = view.thirdLengthMinutes;
  const third = goal?.third ?? 1;
  const within = goal ? goal.gameMinute - (goal.third - 1) * length : 1;
  const teams = view.teams.map((team) => [team.teamId, `${team.code} ${team.name}`]);
  const scorer = element("select", { name: "scorerPlayerId" });
  const assists = element("fieldset", { class: "threefc-checks", "data-name": "assistPlayerIds" });
  const shown = formSheet({
    title,
    action,
    after,
    fields: [
      { name: "concedingTeamId", label: "Conceded by", type: "select", value: goal?.concedingTeamId, options: teams },
      { name: "scoring", label: "Scored by", type: "select", value: goal?.ownGoal ? OWN_GOAL : goal?.scoringTeamId ?? view.teams[1].teamId, options: [...teams, [OWN_GOAL, "Own goal"]] },
      element("label", {}, "Scorer ", scorer),
      element("div", { class: "threefc-pair" },
        element("label", {}, "Third ", element("select", { name: "third" }, [1, 2, 3].map((one) => element("option", { value: one, selected: one === third }, String(one))))),
        element("label", {}, "Minute of the third ", element("input", { name: "gameMinute", type: "number", inputmode: "numeric", min: 0, max: 999, value: within, required: true }))),
      assists,
    ],
    submit: async (values, form) => {
      const chosen = ticked(form, "assistPlayerIds");
      const isOwn = values.scoring === OWN_GOAL;
      if (!isOwn && values.scoring === values.concedingTeamId) {
        markField(form.elements.scoring, "A team cannot score against itself. Choose Own goal.");
        form.elements.scoring.focus();
        return;
      }
      if (chosen.length > ASSISTS_MAX) {
        markField(form.elements.namedItem(`assistPlayerIds.${chosen[0]}`), `At most ${ASSISTS_MAX} players assist`);
        return;
      }
      const body = {
        concedingTeamId: values.concedingTeamId,
        scoringTeamId: isOwn ? null : values.scoring,
        ownGoal: isOwn,
        scorerPlayerId: values.scorerPlayerId || null,
        assistPlayerIds: isOwn ? [] : chosen,
      };
      const minute = (Number(values.third) - 1) * length + (values.gameMinute ?? 0);
      const isMoved = !goal || Number(values.third) !== goal.third || minute !== goal.gameMinute;
      await submit(isMoved ? { ...body, third: Number(values.third), gameMinute: minute } : body);
    },
  });
  const { form } = shown;
  const fill = () => {
    const { concedingTeamId, scoring } = Object.fromEntries(new FormData(form));
    const isOwn = scoring === OWN_GOAL;
    const of = view.teams.find((team) => team.teamId === (isOwn ? concedingTeamId : scoring));
    const wanted = scorer.value || (scorer.options.length ? "" : goal?.scorer?.playerId ?? "");
    const players = [...of.roster];
    if (goal?.scorer && !players.some((one) => one.playerId === goal.scorer.playerId) && of.teamId === (goal.ownGoal ? goal.concedingTeamId : goal.scoringTeamId)) players.push(goal.scorer);
    scorer.replaceChildren(element("option", { value: "" }, "No name"), ...players.sort(byNumber).map((player) => element("option", { value: player.playerId, selected: player.playerId === wanted }, playerText(player))));
    const before = assists.childElementCount ? ticked(form, "assistPlayerIds") : (goal?.assists ?? []).map((one) => one.playerId);
    assists.replaceChildren(...(isOwn ? [] : assistBoxes(view, { first: of.teamId, scorerPlayerId: scorer.value, chosen: before })));
  };
  for (const name of ["concedingTeamId", "scoring", "scorerPlayerId"]) form.elements.namedItem(name).addEventListener("change", fill);
  fill();
  return shown;
}

/** Check boxes for those who assisted: players of all three teams, those of the scoring team first. */
export function assistBoxes(view, { first, scorerPlayerId, chosen = [] }) {
  const teams = [...view.teams].sort((one, other) => (other.teamId === first) - (one.teamId === first));
  const players = teams.flatMap((team) => [...team.roster].sort(byNumber).map((player) => ({ team, player }))).filter(({ player }) => player.playerId !== scorerPlayerId);
  if (!players.length) return [];
  return [
    element("legend", {}, "Assists (at most 3)"),
    element("div", { class: "threefc-check-list" }, players.map(({ team, player }) => element("label", { class: "threefc-check" },
      element("input", { type: "checkbox", name: `assistPlayerIds.${player.playerId}`, value: player.playerId, checked: chosen.includes(player.playerId) }),
      element("span", {}, `${team.code} ${playerText(player)}`)))),
  ];
}
