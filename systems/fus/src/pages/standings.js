// Standings of players and of pairs in a range of days.
import { byId, element } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";
import { markField, onSubmit, showFormProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { tabs } from "/assets/tabs.js";
import { api } from "./account.js";
import { enterClub, loadPlayers, matchRow, namesOf, pairsOf } from "./club.js";
import { formChart } from "./form-chart.js";
import { addDays, count, formatRange, today } from "./format.js";

/** What is shown at first: as many days as the server adds up. */
const FIRST_DAYS = 365;

const form = byId("range-form");
const me = await enterClub();
if (me) await start();

async function start() {
  byId("squash").hidden = false;
  tabs(byId("standings"));
  const asked = new URLSearchParams(location.search);
  form.elements.from.value = asked.get("from") ?? addDays(today(), -FIRST_DAYS);
  form.elements.to.value = asked.get("to") ?? today();
  onSubmit(form, async ({ from, to }) => {
    history.replaceState(null, "", `${base}/squash/standings?${new URLSearchParams({ from, to })}${location.hash}`);
    await show(from, to);
  }, { reset: false });
  await show(form.elements.from.value, form.elements.to.value);
}

async function show(from, to) {
  let standings;
  try {
    standings = await request("GET", `${api}/squash/standings?${new URLSearchParams({ from, to })}`);
  } catch (error) {
    if (error.code === "range-invalid") markRange("The end is before the beginning.");
    else if (error.code === "range-too-large") markRange("Choose a year or less.");
    else showFormProblem(form, error);
    return;
  }
  const range = { from: standings.from, to: standings.to };
  byId("players").replaceChildren(table("Players", standings.players, ({ name }) => name, ({ id }) => [id], range));
  byId("pairs").replaceChildren(table("Pairs", standings.pairs, ({ names }) => names.join(" + "), ({ ids }) => ids, range));
  byId("total").textContent = standings.matches === 0 ? "" : `${count(standings.matches, "match", "matches")} in ${formatRange(range.from, range.to)}`;
}

function markRange(text) {
  markField(form.elements.to, text);
  form.elements.to.focus();
}

function table(caption, entries, nameOf, idsOf, range) {
  if (entries.length === 0) return element("p", { class: "quiet" }, "No matches in this range.");
  const head = (short, long) => element("th", { scope: "col" }, element("abbr", { title: long }, short));
  return element("table", { class: "fus-table" },
    element("caption", { class: "visually-hidden" }, caption),
    element("thead", {}, element("tr", {}, head("#", "rank"), element("th", { scope: "col" }, "Name and form"), head("P", "played"), head("W", "won"), head("L", "lost"), element("th", { scope: "col" }, "Games"))),
    element("tbody", {}, entries.map((entry) => element("tr", {},
      element("td", { class: "fus-number" }, String(entry.rank)),
      element("th", { scope: "row" }, element("div", {},
        element("button", { type: "button", class: "fus-person", click: () => showMatches(nameOf(entry), idsOf(entry), range) }, nameOf(entry)),
        formChart(entry.form))),
      element("td", { class: "fus-number" }, String(entry.played)),
      element("td", { class: "fus-number" }, String(entry.won)),
      element("td", { class: "fus-number" }, String(entry.lost)),
      element("td", { class: "fus-number" }, `${entry.gamesFor}–${entry.gamesAgainst}`)))));
}

/** Shows the matches of a player or of a pair in the range. */
async function showMatches(title, ids, { from, to }) {
  const list = element("ul", { class: "fus-matches" });
  const content = element("div", {}, list);
  sheet(content, { title });
  let names;
  try {
    names = namesOf(await loadPlayers());
  } catch (error) {
    content.replaceChildren(element("p", {}, error.message));
    return;
  }
  pagedList(list, {
    path: `${api}/squash/players/${encodeURIComponent(ids[0])}/matches?limit=100`,
    key: ({ matchId }) => matchId,
    empty: "No matches in this range.",
    filter: (match) => match.date >= from && match.date <= to && pairsOf(match).some((pair) => ids.every((id) => pair.ids.includes(id))),
    item: (match) => matchRow(match, { names, canWrite: me.squash === "write", withDate: true }),
  });
}
