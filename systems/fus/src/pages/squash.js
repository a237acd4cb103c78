// Results of the squash club, of one day or of a range of days.
import { byId, element, focusQuietly } from "/assets/dom.js";
import { markField, onSubmit, showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { dayText } from "/assets/time.js";
import { api } from "./account.js";
import { enterClub, loadPlayers, matchRow, namesOf } from "./club.js";
import { addDays, formatDay, formatRange, today } from "./format.js";

/** What is shown at first; only the last day with matches, if that is longer ago. */
const FIRST_DAYS = 28;
const FIRST_DAY = "2000-01-01";
/** How far the arrows look for a day with matches, and how many parts of the list they read for it at most. */
const LOOK_DAYS = 92;
const PARTS_MAX = 5;

const me = await enterClub();
if (me) await start();

async function start() {
  byId("squash").hidden = false;
  byId("enter-link").hidden = me.squash !== "write";
  let names;
  try {
    names = namesOf(await loadPlayers());
  } catch (error) {
    showProblem(error);
    return;
  }
  const [dayForm, rangeForm] = [byId("day-form"), byId("range-form")];

  /** The newest match, so that the page does not open empty after a pause. */
  let newest = null;
  try {
    const query = new URLSearchParams({ from: FIRST_DAY, to: addDays(today(), 1), limit: 1 });
    newest = (await request("GET", `${api}/squash/matches?${query}`)).items[0]?.date ?? null;
  } catch (error) {
    showProblem(error);
  }

  function route() {
    const asked = new URLSearchParams(location.search);
    const from = addDays(today(), -FIRST_DAYS);
    if (asked.get("day")) show({ day: asked.get("day") });
    else if (!asked.has("from") && !asked.has("to") && newest && newest < from) show({ day: newest });
    else show({ from: asked.get("from") ?? from, to: asked.get("to") ?? today() });
  }

  function go(query) {
    history.pushState(null, "", `${base}/squash?${new URLSearchParams(query)}`);
    route();
    focusQuietly(byId("shown"));
  }

  function show({ day, from, to }) {
    byId("step-note").textContent = "";
    byId("day").value = day ?? "";
    rangeForm.elements.from.value = from ?? "";
    rangeForm.elements.to.value = to ?? "";
    byId("shown").textContent = day ? formatDay(day) : formatRange(from, to);
    const list = element("ul", { class: "fus-matches" });
    byId("matches").replaceChildren(list);
    const query = new URLSearchParams(day ? { date: day } : { from, to });
    /** The first match of each date, by which a range has its date above it. */
    const firstOf = new Map();
    pagedList(list, {
      path: `${api}/squash/matches?${query}`,
      key: ({ matchId }) => matchId,
      empty: day ? "No matches on this day." : "No matches in this range.",
      item(match) {
        const row = matchRow(match, { names, canWrite: me.squash === "write" });
        if (!firstOf.has(match.date)) firstOf.set(match.date, match.matchId);
        if (!day && firstOf.get(match.date) === match.matchId) row.prepend(element("h3", {}, dayText(match.date)));
        return row;
      },
    });
  }

  /** Goes to the nearest day before (-1) or after (1) that has matches. */
  async function step(direction) {
    const { from: first, to: last } = rangeForm.elements;
    const start = byId("day").value || (direction < 0 ? first : last).value || today();
    const near = addDays(start, direction);
    const far = addDays(start, direction * LOOK_DAYS);
    const [from, to] = direction < 0 ? [far, near] : [near, far];
    try {
      const dates = await datesWithMatches(from, to);
      if (dates.length === 0) {
        byId("step-note").textContent = direction < 0 ? `No matches in the ${LOOK_DAYS} days before.` : `No matches in the ${LOOK_DAYS} days after.`;
        return;
      }
      dates.sort();
      const button = document.activeElement;
      history.pushState(null, "", `${base}/squash?day=${direction < 0 ? dates.at(-1) : dates[0]}`);
      route();
      button.focus({ preventScroll: true });
    } catch (error) {
      showProblem(error, { near: byId("squash") });
    }
  }

  byId("earlier").addEventListener("click", () => step(-1));
  byId("later").addEventListener("click", () => step(1));
  byId("day").addEventListener("change", () => { if (byId("day").value) go({ day: byId("day").value }); });
  dayForm.addEventListener("submit", (event) => event.preventDefault());
  onSubmit(rangeForm, async ({ from, to }) => {
    if (from > to) {
      markField(rangeForm.elements.to, "The end is before the beginning.");
      rangeForm.elements.to.focus();
      return;
    }
    go({ from, to });
  }, { reset: false });
  addEventListener("popstate", route);
  route();
}

async function datesWithMatches(from, to) {
  const dates = [];
  let cursor = null;
  for (let part = 0; part < PARTS_MAX; part += 1) {
    const query = new URLSearchParams({ from, to, limit: 100, ...(cursor ? { cursor } : {}) });
    const { items, next } = await request("GET", `${api}/squash/matches?${query}`);
    dates.push(...items.map(({ date }) => date));
    cursor = next;
    if (!cursor) break;
  }
  return dates;
}
