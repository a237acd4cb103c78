// A league: its seasons and players.
import { byId, element } from "/assets/dom.js";
import { base } from "/assets/http.js";
import { shareLink } from "/assets/share.js";
import { addressPart, mayAct, onOtherPerson, read, readAll, showMissing } from "./api.js";
import { monthsText } from "./clock.js";
import { byNumber, playerText } from "./teams.js";

const leagueId = addressPart(1);
const path = `/leagues/${encodeURIComponent(leagueId)}`;

async function load() {
  try {
    show(await read(path));
  } catch (error) {
    showMissing("league", error);
  }
}

function show({ league, seasons, myRole }) {
  document.title = `${league.name} · 3FC`;
  byId("name").textContent = league.name;
  byId("city").textContent = [league.city, league.visibility === "private" ? "private" : null].filter(Boolean).join(" · ");
  byId("actions").replaceChildren(...[
    mayAct(myRole, "admin") ? element("a", { class: "button", href: `${base}/leagues/${leagueId}/admin` }, "Admin") : null,
    element("button", { type: "button", class: "plain", click: share }, "Share"),
  ].filter(Boolean));
  byId("seasons").replaceChildren(seasons.length
    ? element("ul", { class: "threefc-links" }, seasons.map((season) => element("li", {}, element("a", { href: `${base}/seasons/${season.seasonId}` },
      element("b", {}, season.name), element("span", { class: "quiet" }, monthsText(season.startsOn, season.endsOn))))))
    : element("p", { class: "quiet" }, "No seasons yet."));
  showPlayers(league.players);
}

function showPlayers(count) {
  const list = element("ul", { class: "threefc-names" });
  const note = element("p", { class: "quiet", role: "status" });
  const details = element("details", { class: "threefc-more" }, element("summary", {}, `${count} ${count === 1 ? "player" : "players"}`), note, list);
  byId("players").replaceChildren(count ? details : element("p", { class: "quiet" }, "No players yet."));
  details.addEventListener("toggle", async () => {
    if (!details.open || list.children.length) return;
    note.textContent = "Loading…";
    try {
      const players = (await readAll(`${path}/players`)).filter((player) => !player.archived).sort(byNumber);
      list.replaceChildren(...players.map((player) => element("li", {}, playerText(player))));
      note.textContent = "";
    } catch (error) {
      note.textContent = error.message;
    }
  });
}

async function share({ currentTarget }) {
  const done = await shareLink(location.href.split("#")[0], { title: byId("name").textContent });
  if (done === "copied") flash(currentTarget, "Copied");
}

function flash(button, text) {
  button.textContent = text;
  setTimeout(() => { button.textContent = "Share"; }, 1500);
}

onOtherPerson(load);
load();
