// The players of the squash club.
import { announce, byId, element, focusQuietly, replaceKeepingFocus } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { markField, onSubmit, showProblem } from "/assets/form.js";
import { base, request, versionOf } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { api, bringToTop, can, explained } from "./account.js";
import { combobox } from "./combobox.js";
import { enterClub, loadPlayers, matchRow, namesOf } from "./club.js";
import { count } from "./format.js";
import { peopleSource } from "./person.js";

const place = byId("player");
let players = [];

const me = await enterClub();
if (me) await start();

async function start() {
  byId("squash").hidden = false;
  byId("add-player").hidden = me.squash !== "write";
  try {
    players = await loadPlayers();
  } catch (error) {
    showProblem(error);
    return;
  }
  showList();
  byId("find").addEventListener("input", showList);
  byId("add-player").addEventListener("click", () => showForm(null));
  const asked = players.find(({ id }) => id === new URLSearchParams(location.search).get("player"));
  if (asked && me.squash === "write") await open(asked.id);
}

function fold(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");
}

function showList() {
  const text = fold(byId("find").value.trim());
  const found = players.filter(({ name }) => fold(name).includes(text));
  replaceKeepingFocus(byId("players"), found.map((player) => element("li", { "data-key": player.id },
    element("div", { class: "fus-row-text" },
      element("span", { class: "fus-row-title" }, player.name),
      element("span", { class: "quiet" }, count(player.matchCount, "match", "matches"))),
    element("button", { type: "button", class: "plain small", "aria-label": `Matches of ${player.name}`, click: () => showMatches(player) }, "Matches"),
    me.squash === "write" ? element("button", { type: "button", class: "plain small", "aria-label": `Edit ${player.name}`, click: () => open(player.id) }, "Edit") : null)));
  byId("players").hidden = found.length === 0;
  byId("players-note").textContent = found.length ? "" : players.length ? "No player has this name." : "No players yet.";
}

async function reload() {
  players = await loadPlayers();
  showList();
}

async function open(id) {
  try {
    const player = await request("GET", `${api}/squash/players/${encodeURIComponent(id)}`);
    const account = player.userId ? await request("GET", `${api}/users/${encodeURIComponent(player.userId)}`).catch(() => ({ userId: player.userId, displayName: player.userId })) : null;
    showForm(player, account);
  } catch (error) {
    showProblem(error, { near: byId("squash") });
  }
}

/** The form of a player, or of a new one. */
function showForm(player, account = null) {
  const heading = element("h2", { tabindex: "-1" }, player ? player.name : "New player");
  const name = element("input", { name: "name", maxlength: 60, required: true, autocomplete: "off" });
  const email = element("input", { name: "email", type: "email", maxlength: 254, autocomplete: "off" });
  const link = element("input", { id: "player-account", name: "userId", autocomplete: "off", spellcheck: "false", placeholder: "Begin to type a name" });
  name.value = player?.name ?? "";
  email.value = player?.email ?? "";
  link.value = account?.displayName ?? "";
  let userId = player?.userId ?? null;
  const form = element("form", { class: "fus-fields", id: "player-form", novalidate: true },
    element("label", {}, "Name ", name),
    element("label", {}, "Email ", email),
    can(me, "groups.read") ? element("div", {}, element("label", { for: "player-account" }, "Account"), link) : null,
    element("p", { class: "actions" },
      element("button", {}, "Save"),
      element("button", { type: "button", class: "plain", click: close }, "Cancel"),
      player ? element("button", { type: "button", class: "plain danger fus-far", click: () => remove(player) }, "Delete") : null));
  if (form.contains(link)) {
    combobox(link, { ...peopleSource(), choose(person) {
      userId = person.userId;
      link.value = person.displayName;
    } });
    link.addEventListener("input", () => { userId = null; });
  }
  onSubmit(form, async (values) => {
    if (link.value.trim() && !userId) {
      markField(link, "Choose the account from the list, or leave it empty.");
      link.focus();
      return;
    }
    const body = { name: values.name, ...(values.email.trim() ? { email: values.email.trim() } : {}), ...(userId ? { userId } : {}) };
    try {
      if (player) await request("PUT", `${api}/squash/players/${encodeURIComponent(player.id)}`, { body, version: versionOf(player) });
      else await request("POST", `${api}/squash/players`, { body, once: true });
    } catch (error) {
      throw explained(error);
    }
    close();
    await reload();
    announce("Saved.");
  }, { reset: false });
  place.replaceChildren(heading, form);
  place.hidden = false;
  history.replaceState(null, "", player ? `${base}/squash/players?player=${encodeURIComponent(player.id)}` : `${base}/squash/players`);
  bringToTop(place);
  if (player) focusQuietly(heading);
  else name.focus();
}

function close() {
  place.hidden = true;
  place.replaceChildren();
  history.replaceState(null, "", `${base}/squash/players`);
  byId("find").focus({ preventScroll: true });
}

async function remove(player) {
  if (!await confirmDialog({ title: `Delete ${player.name}?`, text: "This cannot be undone.", action: "Delete", danger: true })) return;
  try {
    await request("DELETE", `${api}/squash/players/${encodeURIComponent(player.id)}`);
  } catch (error) {
    if (error.code === "player-in-matches") {
      const { matchCount } = await request("GET", `${api}/squash/players/${encodeURIComponent(player.id)}`).catch(() => player);
      showProblem(new Error(`${player.name} is in ${count(matchCount, "match", "matches")}. Delete those first.`), { near: byId("player-form") });
      return;
    }
    if (error.status !== 404) {
      showProblem(error, { near: byId("player-form") });
      return;
    }
  }
  close();
  announce("Deleted.");
  await reload().catch((error) => showProblem(error));
}

function showMatches(player) {
  const list = element("ul", { class: "fus-matches" });
  sheet(element("div", {}, list), { title: player.name });
  const names = namesOf(players);
  pagedList(list, {
    path: `${api}/squash/players/${encodeURIComponent(player.id)}/matches`,
    key: ({ matchId }) => matchId,
    empty: "No matches yet.",
    item: (match) => matchRow(match, { names, canWrite: me.squash === "write", withDate: true }),
  });
}
