// The first page: leagues.
import { byId, element } from "/assets/dom.js";
import { markField } from "/assets/form.js";
import { base } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { caller, onChange, signInLink } from "/assets/session.js";
import { api, read, write } from "./api.js";
import { formSheet, texts } from "./forms.js";
import { drawPitch } from "./game-parts.js";
import { Outbox } from "./outbox.js";

drawPitch(byId("pitch"), { teams: [{ code: "RED", color: "red", conceded: 1 }, { code: "BLU", color: "blue", conceded: 2 }, { code: "YEL", color: "yellow", conceded: 0 }] });

function leagueLink({ leagueId, name, city, role }) {
  return element("li", {}, element("a", { href: `${base}/leagues/${leagueId}` },
    element("span", {}, element("b", {}, name), city ? element("span", { class: "quiet" }, ` ${city}`) : null),
    role ? element("span", { class: "badge" }, role) : null));
}

/** All leagues of the person: at most 200, in parts of 100. */
async function readMine() {
  const leagues = [];
  let path = "/me";
  while (path) {
    const part = await read(path);
    leagues.push(...part.leagues);
    path = part.next ? `/me?cursor=${encodeURIComponent(part.next)}` : null;
  }
  return leagues;
}

async function showMine() {
  const list = byId("mine-list");
  if (!caller()) {
    list.replaceChildren(
      element("p", { class: "quiet" }, "Sign in to see your leagues, to keep the score, or to start a league."),
      element("p", { class: "actions" }, signInLink()));
    return;
  }
  try {
    const leagues = await readMine();
    list.replaceChildren(
      leagues.length ? element("ul", { class: "threefc-links" }, leagues.map(leagueLink)) : element("p", { class: "quiet" }, "You have no league yet."),
      element("p", { class: "actions" }, element("button", { type: "button", class: "plain", click: newLeague }, "+ New league")));
  } catch (error) {
    list.replaceChildren(element("p", { class: "quiet" }, error.message), element("p", { class: "actions" }, element("button", { type: "button", class: "plain", click: showMine }, "Try again")));
  }
}

function newLeague() {
  formSheet({
    title: "New league",
    action: "Create league",
    fields: [
      { name: "name", label: "Name", required: true, maxlength: 60 },
      { name: "city", label: "City (optional)", maxlength: 40 },
      { name: "leagueId", label: "Address (optional)", maxlength: 40, autocapitalize: "none", spellcheck: "false", hint: `Letters a–z, digits and -; the league is then at ${base}/leagues/your-choice.` },
      { name: "visibility", label: "Who can see it", type: "select", value: "public", options: [["public", "Everybody"], ["private", "Only people with a role in it"]] },
    ],
    submit: async (values, form) => {
      const league = await createLeague(texts(values), form);
      if (!league) return;
      location.assign(`${base}/leagues/${league.leagueId}`);
    },
  });
}

/** An address that is taken is shown at its field. */
async function createLeague(body, form) {
  try {
    return await write("POST", "/leagues", body);
  } catch (error) {
    if (error.code !== "id-taken") throw error;
    markField(form.elements.leagueId, error.message);
    form.elements.leagueId.focus();
    return null;
  }
}

pagedList(byId("public"), { path: `${api}/leagues`, key: (league) => league.leagueId, empty: "No public leagues yet.", item: leagueLink });
onChange(showMine);
showMine();
// Entries of a page that was closed offline need not wait until it is opened again.
new Outbox(null);
