// Games in the administration: create, edit, move, reopen, delete, and what was changed.
import { announce, element } from "/assets/dom.js";
import { markField } from "/assets/form.js";
import { base } from "/assets/http.js";
import { dayText, momentText, timeText } from "/assets/time.js";
import { read, write } from "./api.js";
import { localInputValue } from "./clock.js";
import { actionSheet, confirmed, formSheet, menuSheet, texts } from "./forms.js";
import { gameRow } from "./game-parts.js";
import { changeText } from "./history.js";

const LENGTHS = [20, 25, 30].map((minutes) => [minutes, `${minutes} minutes`]);
const KICK_OFF = "14:00";

/** A game in the list of its session, with its menu. */
export function gameItem(row, { view, onChange }) {
  const codes = row.teamIds.map((teamId) => view.teams.find((team) => team.teamId === teamId)?.code ?? "?").join(" ");
  const path = `/games/${encodeURIComponent(row.gameId)}`;
  const change = async (action) => {
    await action();
    await onChange();
  };
  const open = () => menuSheet(`${timeText(row.gameStartTs)} ${codes}`, [
    { text: "Keep score", href: `${base}/games/${row.gameId}/score` },
    { text: "Edit", run: () => editGame(row, { view, path, onChange }) },
    { text: "Move", run: () => moveGame(row, { view, path, onChange }) },
    (row.status === "finished" || row.status === "abandoned") && { text: "Reopen", run: () => confirmed({ title: "Reopen the game?", text: "Its result is removed, and it can be played on.", action: "Reopen" }, () => change(() => write("POST", `${path}/reopen`, {}))) },
    { text: "History", run: () => showHistory(path, view) },
    { text: "Delete", isDanger: true, run: () => confirmed({ title: "Delete this game?", text: `${momentText(row.gameStartTs)} ${codes}. This cannot be taken back.`, action: "Delete game", danger: true }, () => change(() => write("DELETE", path))) },
  ]);
  return element("li", { class: "threefc-game-item", "data-key": `game-${row.gameId}` },
    gameRow(row, view.teams, { href: `${base}/games/${row.gameId}`, time: timeText(row.gameStartTs) }),
    element("button", { type: "button", class: "plain small threefc-dots", "aria-label": `Change game ${timeText(row.gameStartTs)} ${codes}`, click: open }, "⋯"));
}

function teamFields(view, chosen) {
  const teams = view.teams.filter((team) => !team.retired || chosen.includes(team.teamId));
  return [0, 1, 2].map((index) => ({ name: `team${index}`, label: `Team ${index + 1}`, type: "select", value: chosen[index] ?? teams[index]?.teamId, options: teams.map((team) => [team.teamId, `${team.code} ${team.name}`]) }));
}

/** The ids of the three teams, or null if one was chosen twice, which is then marked. */
function chosenTeams(values, form) {
  const ids = [0, 1, 2].map((index) => values[`team${index}`]);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (twice < 0) return ids;
  markField(form.elements.namedItem(`team${twice}`), "Choose three different teams");
  form.elements.namedItem(`team${twice}`).focus();
  return null;
}

/** Creates a game in a session. */
export function newGame({ view, session, onChange }) {
  formSheet({
    title: `New game, ${dayText(session.sessionDate)}`,
    action: "Create game",
    fields: [
      { name: "gameStartTs", label: "Kick-off", type: "datetime-local", value: `${session.sessionDate}T${KICK_OFF}`, required: true },
      ...teamFields(view, []),
      { name: "pitch", label: "Pitch (optional)", maxlength: 20 },
      { name: "thirdLengthMinutes", label: "Length of a third", type: "select", value: view.season.thirdLengthMinutes, options: LENGTHS },
    ],
    submit: async ({ gameStartTs, pitch, thirdLengthMinutes, ...rest }, form) => {
      const teamIds = chosenTeams(rest, form);
      if (!teamIds) return;
      await write("POST", `/sessions/${encodeURIComponent(session.sessionId)}/games`, { ...texts({ pitch }), gameStartTs: new Date(gameStartTs).toISOString(), teamIds, thirdLengthMinutes: Number(thirdLengthMinutes) });
      announce("The game is created.");
      await onChange();
    },
  });
}

async function editGame(row, { view, path, onChange }) {
  const game = await read(path);
  const hasBegun = game.status !== "scheduled" || game.goals.length > 0;
  formSheet({
    title: "Edit game",
    text: hasBegun ? "The game has begun: its teams and its length stay." : null,
    fields: [
      { name: "pitch", label: "Pitch (optional)", value: game.pitch, maxlength: 20 },
      ...(hasBegun ? [] : [...teamFields(view, row.teamIds), { name: "thirdLengthMinutes", label: "Length of a third", type: "select", value: game.thirdLengthMinutes, options: LENGTHS }]),
    ],
    submit: async ({ pitch, thirdLengthMinutes, ...rest }, form) => {
      const teamIds = hasBegun ? null : chosenTeams(rest, form);
      if (!hasBegun && !teamIds) return;
      await write("PATCH", path, { ...texts({ pitch }, { isChange: true }), ...(hasBegun ? {} : { teamIds, thirdLengthMinutes: Number(thirdLengthMinutes) }) });
      await onChange();
    },
  });
}

function moveGame(row, { view, path, onChange }) {
  formSheet({
    title: "Move game",
    action: "Move",
    fields: [
      { name: "gameStartTs", label: "Kick-off", type: "datetime-local", value: localInputValue(row.gameStartTs), required: true },
      { name: "sessionId", label: "Session", type: "select", value: row.sessionId, options: view.sessions.map((session) => [session.sessionId, [dayText(session.sessionDate), session.venue].filter(Boolean).join(" · ")]) },
    ],
    submit: async ({ gameStartTs, sessionId }) => {
      await write("PATCH", path, { gameStartTs: new Date(gameStartTs).toISOString(), ...(sessionId === row.sessionId ? {} : { sessionId }) });
      await onChange();
    },
  });
}

const ACTIONS = {
  goalAddedAfterFinish: "entered a goal after the finish",
  goalEdited: "changed a goal",
  goalDeleted: "deleted a goal",
  goalUndone: "took a goal back",
  thirdCorrected: "corrected a third",
  gameChanged: "changed the game",
  rosterChanged: "changed a roster",
  gameFinished: "finished the game",
  gameAbandoned: "abandoned the game",
  gameReopened: "reopened the game",
};

/** What was changed in a game, by whom and when, newest first. */
function showHistory(path, view) {
  const list = element("ol", { class: "threefc-history", reversed: true });
  const note = element("p", { class: "quiet", role: "status" }, "Loading…");
  const more = element("button", { type: "button", class: "plain", hidden: true }, "Older");
  actionSheet([list, note, more], { title: "History" });
  let cursor = null;
  let game = null;
  const load = async () => {
    try {
      // A game keeps its length if the season's changes.
      game ??= await read(path);
      const part = await read(`${path}/audit${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`);
      list.append(...part.items.map((record) => historyItem(record, view, game)));
      cursor = part.next ?? null;
      more.hidden = !cursor;
      note.textContent = list.children.length ? "" : "Nothing was corrected in this game.";
    } catch (error) {
      note.textContent = error.message;
    }
  };
  more.addEventListener("click", load);
  load();
}

function historyItem(record, view, { thirdLengthMinutes, teams, goals }) {
  const players = [...teams.flatMap((team) => team.roster), ...goals.flatMap((goal) => [goal.scorer, ...goal.assists])].filter(Boolean);
  const names = new Map(players.map((player) => [player.playerId, player.nickname]));
  const change = changeText(record, { ...view, length: thirdLengthMinutes, names });
  return element("li", {}, element("b", {}, record.by), ` ${ACTIONS[record.action] ?? record.action}`, change ? element("span", {}, `: ${change}`) : null, element("span", { class: "quiet" }, momentText(record.at)));
}
