// All users, teams and games, for admins. Each list is read part by part.
import { byId, element } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { tabs } from "/assets/tabs.js";
import { scroller } from "./game-view.js";
import { startPage } from "./signed-in.js";
import { counted, dayText, fullName, NO_VALUE, opponentName, STATUS_NAMES } from "./words.js";

const LIMIT = 50;

/** Columns of each list: heading and text. The first one names the row. */
const LISTS = {
  users: {
    key: (user) => user.userId,
    empty: "No users yet.",
    columns: [
      ["Name", (user) => fullName(user)], ["E-mail", (user) => user.email], ["Phone", (user) => user.phoneNumber],
      ["Teams", (user) => user.teamCount], ["Players", (user) => user.playerCount], ["Since", (user) => dayText(user.createdAt, { withYear: true })], ["Id", (user) => user.userId],
    ],
  },
  teams: {
    key: (team) => team.teamId,
    empty: "No teams yet.",
    columns: [
      ["Name", (team) => team.name], ["Kind", (team) => (team.team_type === "PERSONAL" ? "personal" : "managed")], ["Owner", (team) => team.ownerId],
      ["Members", (team) => team.memberCount], ["Players", (team) => team.playerCount], ["Games", (team) => team.gameCount], ["Since", (team) => dayText(team.createdAt, { withYear: true })], ["Id", (team) => team.teamId],
    ],
  },
  games: {
    key: (game) => game.gameId,
    empty: "No games yet.",
    columns: [
      ["Opponent", (game) => opponentName(game)], ["Status", (game) => STATUS_NAMES[game.status]], ["Score", (game) => `${game.teamScore}–${game.opponentScore}`],
      ["At-bats", (game) => game.atBatCount], ["Season", (game) => game.seasonId], ["Date", (game) => (game.scheduledStart ? dayText(game.scheduledStart, { withYear: true }) : null)], ["Team", (game) => game.teamId], ["Id", (game) => game.gameId],
    ],
  },
};

startPage(load, { visitorText: "Sign in as an admin to see this page." });

async function load() {
  // Who is no admin is told so, instead of three empty lists.
  await request("GET", `${base}/users?limit=1`);
  document.querySelector("main").removeAttribute("aria-busy");
  const shown = new Set();
  tabs(byId("parts"), { onShow: ({ id }) => {
    if (!shown.has(id)) show(id, LISTS[id]);
    shown.add(id);
  } });
}

function show(id, { key, empty, columns }) {
  const body = element("tbody", {});
  const count = element("p", { class: "quiet", role: "status" });
  byId(id).replaceChildren(count, element("div", { class: "card hacktracker-flush" }, scroller(`All ${id}`, element("table", { class: "hacktracker-admin" },
    element("caption", { class: "visually-hidden" }, `All ${id}`),
    element("thead", {}, element("tr", {}, columns.map(([head]) => element("th", { scope: "col" }, head)))), body))));
  // The button for more stands behind the table and not in it.
  const place = element("div", {});
  byId(id).append(place);
  let total = 0;
  pagedList(body, {
    path: `${base}/${id}?limit=${LIMIT}`, key, empty, more: "Show more",
    onPart: ({ items, next }) => {
      total += items.length;
      count.textContent = `${counted(total, id.slice(0, -1))}${next ? " so far" : ""}`;
    },
    item: (value) => element("tr", {}, columns.map(([, text], index) => element(index ? "td" : "th", index ? {} : { scope: "row" }, text(value) ?? NO_VALUE))),
  });
  for (const node of [...body.parentElement.querySelectorAll(":scope > .list-note, :scope > .more")]) place.append(node);
}
