// What the pages of the squash club share: who sees them, names of players, matches in words.
import { byId, element } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { dayText } from "/assets/time.js";
import { api, arrival, isInSquash, showNothing } from "./account.js";

/** How many parts of the list of players are read at most: 2,000 players. */
const PARTS_MAX = 20;

const PLACES = [
  { path: "/squash", text: "Results" },
  { path: "/squash/standings", text: "Standings" },
  { path: "/squash/players", text: "Players" },
];

/** All scores that a match can end with, the games of pair A first. */
export const SCORES = [[3, 0], [3, 1], [3, 2], [0, 3], [1, 3], [2, 3]];

/** The caller, if they see the club's pages; null after telling others that they do not. */
export async function enterClub({ isForWriting = false } = {}) {
  const me = await arrival;
  const isWelcome = isInSquash(me) && (!isForWriting || me.squash === "write");
  if (isWelcome) {
    byId("squash-nav").replaceChildren(...PLACES.map(({ path, text }) => element("a", {
      href: base + path,
      "aria-current": location.pathname.replace(/\/$/, "") === base + path ? "page" : null,
    }, text)));
    return me;
  }
  const text = isInSquash(me) ? "Only managers in the Squash group enter matches." : "Squash is for members of the Squash group.";
  showNothing({ title: "Squash", text, offersSignIn: me === null });
  return null;
}

/** All players, by name. */
export async function loadPlayers() {
  const players = [];
  let cursor = null;
  for (let part = 0; part < PARTS_MAX; part += 1) {
    const { items, next } = await request("GET", `${api}/squash/players?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    players.push(...items);
    cursor = next;
    if (!cursor) break;
  }
  const collator = new Intl.Collator("en");
  return players.sort((one, other) => collator.compare(one.name, other.name) || (one.id < other.id ? -1 : 1));
}

/** The names of players by their ids. */
export function namesOf(players) {
  return new Map(players.map(({ id, name }) => [id, name]));
}

/** The two pairs of a match: `[{ team, ids, games, won }]`, pair A first. */
export function pairsOf(match) {
  return ["A", "B"].map((team) => ({
    team,
    ids: [match[`team${team}Player1Id`], match[`team${team}Player2Id`]],
    games: match[`team${team}Games`],
    won: match.winningTeam === team,
  }));
}

/** Two names as a pair. */
export function pairName(ids, names) {
  return ids.map((id) => names.get(id) ?? "?").join(" + ");
}

/** A match as a row: both pairs, their games, and a link for those who may change it. */
export function matchRow(match, { names, canWrite, withDate = false }) {
  return element("li", { class: "fus-match" },
    withDate ? element("span", { class: "fus-match-date quiet" }, dayText(match.date)) : null,
    element("div", { class: "fus-match-pairs" }, pairsOf(match).map(({ ids, games, won }) => element("p", { class: won ? "fus-won" : null },
      element("span", {}, pairName(ids, names)), " ",
      element("b", { class: "fus-match-games" }, String(games)),
      won ? element("span", { class: "badge" }, "won") : null))),
    canWrite ? element("a", { class: "button plain small", href: `${base}/squash/enter?match=${encodeURIComponent(match.matchId)}`, "aria-label": `Edit ${pairsOf(match).map(({ ids }) => pairName(ids, names)).join(" against ")}` }, "Edit") : null);
}
