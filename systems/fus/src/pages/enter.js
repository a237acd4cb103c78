// Entering a match, and changing one.
import { byId, element } from "/assets/dom.js";
import { confirmDialog } from "/assets/dialog.js";
import { markField, onSubmit, showProblem } from "/assets/form.js";
import { base, request, versionOf } from "/assets/http.js";
import { dayText } from "/assets/time.js";
import { api, explained, showNothing } from "./account.js";
import { enterClub, loadPlayers, namesOf, pairName, SCORES } from "./club.js";
import { addDays, today } from "./format.js";

const SEATS = ["teamAPlayer1Id", "teamAPlayer2Id", "teamBPlayer1Id", "teamBPlayer2Id"];
/** The fields that refusals are about. */
const FIELDS = { "date-invalid": "date", "same-player-twice": "teamBPlayer1Id", "unknown-player": "teamAPlayer1Id", "games-invalid": "games", "winner-mismatch": "games" };

const form = byId("match");
const matchId = new URLSearchParams(location.search).get("match");
const path = `${api}/squash/matches${matchId ? `/${encodeURIComponent(matchId)}` : ""}`;
let players = [];
let names = new Map();
let match = null;
let isAnother = false;

if (await enterClub({ isForWriting: true })) await start();

async function start() {
  try {
    players = await loadPlayers();
    if (matchId) match = await request("GET", path);
  } catch (error) {
    if (error.status === 404) showNothing({ title: "Not found", text: "This match is not in the results." });
    else showProblem(error);
    return;
  }
  names = namesOf(players);
  byId("date").max = addDays(today(), 1);
  byId("games").append(...SCORES.map(scoreChoice));
  if (match) fillIn();
  else byId("date").value = today();
  showSeats();
  form.addEventListener("input", showSeats);
  onSubmit(form, save, { reset: false });
  byId("save-another").addEventListener("click", () => { isAnother = true; });
  byId("save").addEventListener("click", () => { isAnother = false; });
  byId("delete").addEventListener("click", remove);
  form.hidden = false;
}

function scoreChoice([a, b]) {
  const winner = a > b ? "A" : "B";
  return element("label", { class: "fus-score" },
    element("input", { type: "radio", name: "games", value: `${a}-${b}` }),
    element("span", { "aria-hidden": "true" }, `${a}–${b}`),
    element("span", { class: "visually-hidden" }, `${a}–${b}, ${winner} wins`));
}

function fillIn() {
  document.title = "Edit match · FUS";
  byId("title").textContent = "Edit match";
  byId("date").value = match.date;
  showSeats(match);
  const games = `${match.teamAGames}-${match.teamBGames}`;
  for (const radio of form.querySelectorAll("[name=games]")) radio.checked = radio.value === games;
  byId("save-another").hidden = true;
  byId("delete").hidden = false;
}

/** Fills the lists of players: who sits in one seat is not offered in another. */
function showSeats(given = {}) {
  const seated = Object.fromEntries(SEATS.map((seat) => [seat, given[seat] ?? form.elements[seat].value]));
  for (const seat of SEATS) {
    const others = SEATS.filter((other) => other !== seat).map((other) => seated[other]);
    const free = players.filter(({ id }) => !others.includes(id));
    form.elements[seat].replaceChildren(
      element("option", { value: "" }, "Choose"),
      ...free.map(({ id, name }) => element("option", { value: id }, name)));
    form.elements[seat].value = seated[seat];
  }
  showSentence();
}

function showSentence() {
  const entered = read();
  const said = entered ? describe(entered) : "Choose the date, four players and the games.";
  if (byId("sentence").textContent !== said) byId("sentence").textContent = said;
  for (const id of ["save", "save-another"]) byId(id).disabled = !entered;
}

/** What is entered, or null if something is missing. */
function read() {
  const seats = SEATS.map((seat) => form.elements[seat].value);
  const games = form.querySelector("[name=games]:checked")?.value;
  if (!form.elements.date.value || !games || seats.some((id) => !id)) return null;
  const [teamAGames, teamBGames] = games.split("-").map(Number);
  return { date: form.elements.date.value, ...Object.fromEntries(SEATS.map((seat, index) => [seat, seats[index]])), teamAGames, teamBGames };
}

function describe({ date, teamAGames: a, teamBGames: b, ...seats }) {
  const pairs = [pairName([seats.teamAPlayer1Id, seats.teamAPlayer2Id], names), pairName([seats.teamBPlayer1Id, seats.teamBPlayer2Id], names)];
  const [winners, losers] = a > b ? pairs : pairs.toReversed();
  return `${winners} beat ${losers} ${Math.max(a, b)}–${Math.min(a, b)} on ${dayText(date, { weekday: false })}`;
}

async function save() {
  const entered = read();
  try {
    if (match) await request("PUT", path, { body: entered, version: versionOf(match) });
    else await request("POST", path, { body: entered, once: true });
  } catch (error) {
    const field = FIELDS[error.code];
    if (!field || error.fieldErrors.length) throw explained(error);
    const input = form.elements[field] instanceof RadioNodeList ? form.elements[field][0] : form.elements[field];
    markField(input, error.message);
    input.focus();
    return;
  }
  if (!isAnother) {
    location.assign(`${base}/squash?day=${entered.date}`);
    return;
  }
  byId("last-saved").textContent = `Saved: ${describe(entered)}.`;
  byId("last-saved").hidden = false;
  form.reset();
  byId("date").value = entered.date;
  showSeats();
  form.elements.teamAPlayer1Id.focus();
}

async function remove() {
  if (!await confirmDialog({ title: "Delete this match?", text: `${describe(match)}. It will be gone from the results and the standings.`, action: "Delete", danger: true })) return;
  try {
    await request("DELETE", path);
  } catch (error) {
    if (error.status !== 404) {
      showProblem(error, { near: form });
      return;
    }
  }
  location.assign(`${base}/squash?day=${match.date}`);
}
