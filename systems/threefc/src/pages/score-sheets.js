// The sheets of the scorekeeper's page.
import { announce, element, replaceKeepingFocus } from "/assets/dom.js";
import { markField, showProblem } from "/assets/form.js";
import { timeText } from "/assets/time.js";
import { readAll, write } from "./api.js";
import { closestMoment, thirdName } from "./clock.js";
import { actionSheet, formSheet, texts, ticked } from "./forms.js";
import { assistBoxes } from "./goal-form.js";
import { byNumber, playerText, swatch, teamTag } from "./teams.js";

/**
 * The second and the third tap: who scored, then which player. Resolves to
 * `{ ownGoal, scoringTeamId, scorerPlayerId }`, or null if it was cancelled. `view()` gives the game
 * as it is now; `addPlayer(team)` adds a player and resolves to their id.
 */
export function scorerSheet({ view, conceding, addPlayer }) {
  return new Promise((resolve) => {
    let choice = null;
    const place = element("div", { class: "threefc-scorers" });
    const others = view().teams.filter((team) => team.teamId !== conceding.teamId);
    const taps = [...others.map((team) => ({ team, ownGoal: false })), { team: conceding, ownGoal: true }].map(({ team, ownGoal }) => element("button", {
      type: "button",
      class: ownGoal ? "threefc-tap threefc-own" : "threefc-tap",
      "aria-pressed": "false",
      click: (event) => choose(event.currentTarget, team, ownGoal),
    }, ownGoal ? element("b", {}, "Own goal") : [swatch(team.color), element("b", {}, team.code), element("span", { class: "threefc-tap-name" }, team.name)]));
    const shown = actionSheet([element("div", { class: "threefc-buttons" }, taps), place], { title: `${conceding.code} conceded. Who scored?`, close: "Cancel" });
    shown.dialog.classList.add("threefc-taps");
    taps[0].focus();
    shown.closed.then(() => resolve(choice));

    function finish(team, ownGoal, scorerPlayerId) {
      choice = { ownGoal, scoringTeamId: ownGoal ? null : team.teamId, scorerPlayerId };
      shown.close();
    }

    function choose(button, team, ownGoal) {
      for (const one of taps) one.setAttribute("aria-pressed", String(one === button));
      const roster = [...(view().teams.find((one) => one.teamId === team.teamId)?.roster ?? [])].sort(byNumber);
      const players = roster.map((player) => element("button", { type: "button", class: "plain threefc-tap", click: () => finish(team, ownGoal, player.playerId) }, playerText(player)));
      const none = element("button", { type: "button", class: "plain threefc-tap threefc-none", click: () => finish(team, ownGoal, null) }, "No name");
      const more = element("button", { type: "button", class: "plain threefc-tap threefc-none", click: async () => {
        const playerId = await addPlayer(team);
        if (playerId) finish(team, ownGoal, playerId);
      } }, "+ Player");
      place.replaceChildren(...[
        element("h3", { id: "scorer-title" }, ownGoal ? `Own goal by (${team.code})` : `Scorer (${team.code})`),
        roster.length ? null : element("p", { class: "quiet" }, "No squad yet. Goals can be entered without names."),
        element("div", { class: "threefc-buttons threefc-players", role: "group", "aria-labelledby": "scorer-title" }, players, none, more)].filter(Boolean));
      (players[0] ?? none).focus({ preventScroll: true });
      place.scrollIntoView({ block: "nearest" });
    }
  });
}

/** Asks who assisted. Resolves to the players' ids, or null. */
export function assistsSheet(view, goal) {
  return new Promise((resolve) => {
    let chosen = null;
    const group = element("fieldset", { class: "threefc-checks", "data-name": "assistPlayerIds" },
      assistBoxes(view, { first: goal.scoringTeamId, scorerPlayerId: goal.scorer?.playerId, chosen: goal.assists.map((one) => one.playerId) }));
    if (!group.childElementCount) group.append(element("p", { class: "quiet" }, "Nobody is on a roster yet."));
    const shown = formSheet({
      title: "Who assisted?",
      fields: [group],
      submit: async (_, form) => {
        const ids = ticked(form, "assistPlayerIds");
        if (ids.length > 3) throw new Error("At most three players assist. Untick some.");
        chosen = ids;
      },
    });
    shown.closed.then(() => resolve(chosen));
  });
}

/**
 * Adds a player to a roster: one of the league, or a new one. `team` is null if it is to be chosen.
 * Resolves to the player's id, or null.
 */
export async function playerSheet({ view, team, onView }) {
  const path = `/leagues/${encodeURIComponent(view.league.leagueId)}/players`;
  let known = [];
  try {
    known = (await readAll(path)).filter((player) => !player.archived).sort((one, other) => one.nickname.localeCompare(other.nickname));
  } catch (error) {
    // A sheet may be open, and would hide a problem of the page.
    showProblem(error, { near: [...document.querySelectorAll("dialog[open] .dialog-content")].at(-1) });
    return null;
  }
  const placeOf = (player) => view.teams.find((one) => one.roster.some(({ playerId }) => playerId === player.playerId));
  return new Promise((resolve) => {
    let added = null;
    const shown = formSheet({
      title: team ? `Player for ${team.code}` : "Add a player",
      action: "Add player",
      fields: [
        ...(team ? [] : [{ name: "teamId", label: "Team", type: "select", options: view.teams.map((one) => [one.teamId, `${one.code} ${one.name}`]) }]),
        { name: "playerId", label: "Player", type: "select", options: [["", "A new player"], ...known.map((player) => [player.playerId, `${playerText(player)}${placeOf(player) ? ` (now ${placeOf(player).code})` : ""}`])] },
        { name: "nickname", label: "Nickname (new player)", maxlength: 24 },
        { name: "number", label: "Number (optional)", type: "number", inputmode: "numeric", min: 0, max: 99 },
      ],
      submit: async ({ teamId = team?.teamId, playerId, ...player }) => {
        const id = playerId || (await write("POST", path, texts(player))).playerId;
        onView(await write("PUT", `/games/${encodeURIComponent(view.gameId)}/roster/${encodeURIComponent(id)}`, { teamId }));
        added = id;
        announce("The player is on the roster.");
      },
    });
    shown.closed.then(() => resolve(added));
  });
}

/** The rosters, with a button to take each player out. */
export function rosterSheet({ game, path }) {
  const place = element("div", { class: "threefc-roster-edit" });
  const show = () => replaceKeepingFocus(place, game.view.teams.map((team) => element("section", {}, element("h3", {}, teamTag(team)),
    team.roster.length
      ? element("ul", { class: "threefc-plain" }, [...team.roster].sort(byNumber).map((player) => element("li", { "data-key": player.playerId },
        element("span", {}, playerText(player)),
        element("button", { type: "button", class: "plain small danger", "aria-label": `Remove ${player.nickname}`, click: () => remove(player) }, "Remove"))))
      : element("p", { class: "quiet" }, "No squad yet. Goals can be entered without names."))));
  const remove = async (player) => {
    try {
      game.take(await write("DELETE", `${path}/roster/${encodeURIComponent(player.playerId)}`));
      announce(`${player.nickname} is off the roster.`);
      show();
    } catch (error) {
      showProblem(error, { near: place });
    }
  };
  show();
  return actionSheet([place], { title: "Rosters" });
}

/**
 * The times of a third. `submit({ startedAt, finishedAt })` gets those that were changed;
 * `takeBack(change, note)` the latest start or end as null. A finished game keeps all of them.
 */
export function clockSheet({ view, third, now, submit, takeBack }) {
  const name = thirdName(third.third);
  const before = view.thirds.find((one) => one.third === third.third - 1);
  const next = view.thirds.find((one) => one.third === third.third + 1);
  const isLatest = !next?.startedAt && (view.status === "live" || view.status === "scheduled");
  const hasGoals = view.goals.some((goal) => goal.third === third.third);
  const undo = (text, change, note) => element("button", { type: "button", class: "plain danger threefc-wide", click: async () => {
    shown.close();
    await shown.closed;
    takeBack(change, note);
  } }, text);
  const after = isLatest && third.finishedAt ? undo("This third is not over", { finishedAt: null }, `${name} goes on`)
    : isLatest && !hasGoals ? undo("This third has not started", { startedAt: null }, `${name} not started`) : null;
  const time = (label, field) => ({ name: field, label, type: "time", step: 1, required: true, value: timeText(third[field], { seconds: true }) });
  const shown = formSheet({
    title: `Clock of the ${name}`,
    text: "Goals keep their minutes.",
    after,
    fields: [time("Started at", "startedAt"), ...(third.finishedAt ? [time("Ended at", "finishedAt")] : [])],
    submit: async (values, form) => {
      const times = Object.fromEntries(["startedAt", "finishedAt"].filter((field) => third[field]).map((field) => {
        const isSame = values[field] === timeText(third[field], { seconds: true });
        return [field, isSame ? third[field] : closestMoment(values[field], third[field])];
      }));
      const limits = [["startedAt", before?.finishedAt, `must not be before the ${thirdName(third.third - 1)} ended`], ["finishedAt", times.startedAt, "must not be before the start"]];
      const wrong = limits.find(([field, least]) => times[field] && least && times[field] < least)
        ?? Object.keys(times).filter((field) => Date.parse(times[field]) > now).map((field) => [field, null, "must not be in the future"])[0]
        ?? (next?.startedAt && times.finishedAt > next.startedAt ? ["finishedAt", null, `must not be after the ${thirdName(third.third + 1)} started`] : null);
      if (wrong) {
        markField(form.elements[wrong[0]], wrong[2]);
        form.elements[wrong[0]].focus();
        return;
      }
      const change = Object.fromEntries(Object.entries(times).filter(([field, moment]) => moment !== third[field]));
      if (Object.keys(change).length) submit(change);
    },
  });
}

/** Asks why a game is abandoned. */
export function abandonSheet({ view, submit }) {
  return formSheet({
    title: "Abandon the game?",
    text: "Its goals stay visible, and it counts in no table. An admin can reopen it.",
    action: "Abandon game",
    isDanger: true,
    fields: [
      { name: "reason", label: "Reason", type: "select", options: [["weather", "Weather"], ["light", "Light"], ["injury", "Injury"], ["no-show", "No-show"], ["other", "Other"]] },
      { name: "note", label: "Note (optional)", maxlength: 120 },
      { name: "absentTeamIds", label: "Absent teams", type: "checks", options: view.teams.map((team) => [team.teamId, `${team.code} ${team.name}`]) },
    ],
    submit: ({ reason, note }, form) => submit({ ...texts({ reason, note }), absentTeamIds: ticked(form, "absentTeamIds") }),
  });
}
