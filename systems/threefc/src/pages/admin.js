// Administration of a league: seasons, games, players, and who may do what.
import { byId, element } from "/assets/dom.js";
import { base } from "/assets/http.js";
import { tabs } from "/assets/tabs.js";
import { addressPart, mayAct, onOtherPerson, read, showForbidden, showMissing, unmarkPanel, write } from "./api.js";
import { People, Players } from "./admin-people.js";
import { Seasons } from "./admin-seasons.js";
import { confirmed, formSheet, texts } from "./forms.js";

const leagueId = addressPart(1);
const path = `/leagues/${encodeURIComponent(leagueId)}`;
let league = null;

async function load() {
  let answer;
  try {
    answer = await read(path);
  } catch (error) {
    showMissing("league", error);
    return null;
  }
  league = answer.league;
  if (!mayAct(answer.myRole, "admin")) {
    showForbidden(`Only an admin of ${league.name} can do this.`, element("a", { class: "button plain", href: `${base}/leagues/${leagueId}` }, "Back to league"));
    return null;
  }
  showName();
  return answer;
}

function showName() {
  document.title = `${league.name}, administration · 3FC`;
  byId("name").textContent = league.name;
  byId("way").replaceChildren(element("a", { href: `${base}/leagues/${leagueId}` }, "Back to league"));
}

function settings() {
  const remove = element("button", { type: "button", class: "plain danger threefc-wide", click: async () => {
    shown.close();
    await shown.closed;
    if (await confirmed({ title: `Delete ${league.name}?`, text: "The league, its players, roles and invitations are deleted. This cannot be taken back.", action: "Delete league", danger: true }, () => write("DELETE", path))) location.assign(base);
  } }, "Delete league");
  const shown = formSheet({
    title: "Settings",
    fields: [
      { name: "name", label: "Name", value: league.name, required: true, maxlength: 60 },
      { name: "city", label: "City (optional)", value: league.city, maxlength: 40 },
      { name: "visibility", label: "Who can see it", type: "select", value: league.visibility, options: [["public", "Everybody"], ["private", "Only people with a role in it"]] },
    ],
    after: remove,
    submit: async (values) => {
      league = { ...league, city: undefined, ...await write("PATCH", path, texts(values, { isChange: true })) };
      showName();
    },
  });
}

async function start() {
  const answer = await load();
  if (!answer) return;
  const people = new People(path);
  const players = new Players(path);
  const seasons = new Seasons(path, { seasons: answer.seasons, players });
  byId("settings").hidden = false;
  byId("settings").addEventListener("click", settings);
  byId("new-season").hidden = false;
  byId("new-season").addEventListener("click", () => seasons.create());
  byId("new-player").addEventListener("click", () => players.create());
  byId("invite").addEventListener("click", () => people.invite());
  seasons.show();
  unmarkPanel();
  tabs(byId("page"), { onShow: ({ id }) => ({ players, people })[id]?.load() });
}

onOtherPerson(() => location.reload());
start();
