// The roster: players with numbers and positions, who is linked, and adding many at once.
import { announce, element, replaceKeepingFocus } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { markField, onSubmit, showFormProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { shareLink } from "/assets/share.js";
import { attempt, readAll, userId } from "./signed-in.js";
import { PLAYERS_MAX, POSITIONS, POSITIONS_MAX, readLines } from "./roster-lines.js";
import { byNumber, counted, fullName, NO_VALUE, numberText } from "./words.js";

export async function showRoster(team, place, reload) {
  const players = [...team.players].sort((one, other) => (one.status === "inactive") - (other.status === "inactive") || byNumber(one, other));
  const canAdd = team.canManage && !team.isPersonal;
  const list = element("ul", { class: "hacktracker-roster card" }, players.map((player) => row(team, player, reload)));
  const parts = [players.length ? list : element("p", { class: "quiet" }, "No players yet.")];
  if (canAdd) parts.push(addForm(team, players.length === 0, reload));
  place.classList.add("hacktracker-columns");
  replaceKeepingFocus(place, parts);
}

function row(team, player, reload) {
  const member = player.userId ? team.members.find((one) => one.userId === player.userId) : null;
  const isMine = player.userId != null && player.userId === userId();
  const badges = [
    player.isGhost ? (team.canManage ? "ghost" : null) : member ? member.role : "linked",
    player.status === "active" ? null : player.status,
    isMine ? "you" : null,
  ].filter(Boolean);
  const canInvite = player.isGhost && team.canManage && !team.isPersonal;
  const canEdit = team.canManage || isMine;
  return element("li", { "data-key": player.playerId, class: player.status === "inactive" ? "is-inactive" : null },
    element("a", { class: "hacktracker-player", href: `${base}/player/${team.team.teamId}/${player.playerId}` },
      element("span", { class: "hacktracker-number" }, player.playerNumber ?? "–"),
      element("span", { class: "hacktracker-player-name" }, fullName(player), " ", badges.map((badge) => element("span", { class: "badge" }, badge))),
      element("span", { class: "quiet" }, (player.positions ?? []).join(" "))),
    element("span", { class: "hacktracker-controls" },
      canInvite ? element("button", { type: "button", class: "plain hacktracker-icon", "aria-label": `Invite ${fullName(player)}`, title: "Invite", click: () => invite(team, player) }, "+") : null,
      canEdit ? element("button", { type: "button", class: "plain hacktracker-icon", "aria-label": `Edit ${fullName(player)}`, title: "Edit", "aria-haspopup": "dialog", click: () => editPlayer(team, player, reload) }, "✎") : null));
}

/** A ghost becomes somebody's player by a link. */
async function invite(team, player) {
  await attempt(async () => {
    const { link } = await request("POST", `${team.path}/invites`, { once: true, body: { role: "player", playerId: player.playerId } });
    const address = new URL(link, location.href).href;
    const done = await shareLink(address, { title: `Join ${team.team.name}`, text: `Join ${team.team.name} as ${fullName(player)}.` });
    if (done === "copied") announceVisibly(player);
  });
}

function announceVisibly(player) {
  const opened = sheet(element("p", {}, `Invite link for ${fullName(player)} copied. Works once, for 7 days.`), { title: "Invite link copied" });
  opened.dialog.querySelector("button").focus();
}

function addForm(team, isFirst, reload) {
  const taken = new Map(team.players.filter((player) => player.playerNumber != null).map((player) => [player.playerNumber, fullName(player)]));
  const area = element("textarea", { name: "lines", rows: 5, required: true, autocomplete: "off", "aria-describedby": "lines-help", placeholder: "21 Kim Falk OF\n9 Jess Ray LF/CF" });
  const preview = element("div", { id: "preview" });
  const form = element("form", { class: "card hacktracker-form", "data-key": "add" },
    element("h2", {}, isFirst ? "Add your players" : "Add players"),
    element("label", {}, "One player a line: number, name, positions ", area),
    element("p", { class: "quiet", id: "lines-help" }, `Number and positions are optional. Up to ${PLAYERS_MAX} at once. Positions: ${POSITIONS.join(" ")}.`),
    preview,
    element("button", {}, "Add players"));
  const show = () => replaceKeepingFocus(preview, previewOf(readLines(area.value, taken)));
  area.addEventListener("input", show);
  onSubmit(form, async ({ lines }) => {
    const read = readLines(lines, taken);
    const fail = (problem) => {
      markField(area, problem);
      area.focus();
    };
    const wrong = read.filter(({ error }) => error).map(({ line, error }) => `Line ${line}: ${error}`);
    if (!read.length || wrong.length) {
      fail(wrong.join(" ") || "Write at least one name.");
      return;
    }
    try {
      await request("POST", `${team.path}/players`, { once: true, body: { players: read.map(({ player }) => player) } });
    } catch (error) {
      const named = error.fieldErrors?.map(({ field, detail }) => [read[Number(field.split("/")[2])]?.line, detail]) ?? [];
      const taking = read.find(({ player }) => player.playerNumber === error.members?.playerNumber);
      if (error.code === "number-taken" && taking) fail(`Line ${taking.line}: ${error.message}`);
      else if (named.length && named.every(([line]) => line)) fail(named.map(([line, detail]) => `Line ${line}: ${detail}.`).join(" "));
      else throw error;
      return;
    }
    area.value = "";
    show();
    announce(`${counted(read.length, "player")} added.`);
    await reload();
  });
  return form;
}

/** How each line was read, before anything is saved. */
function previewOf(read) {
  if (!read.length) return [];
  const wrong = read.filter(({ error }) => error).length;
  const row = ({ line, player, error, note }) => element("tr", { class: error ? "is-wrong" : null },
    element("th", { scope: "row" }, line),
    error ? element("td", { colspan: 4 }, error) : [
      element("td", {}, player.playerNumber ?? NO_VALUE),
      element("td", {}, player.firstName),
      element("td", {}, player.lastName ?? NO_VALUE, note ? element("span", { class: "hacktracker-note" }, note) : null),
      element("td", {}, player.positions.join(" ") || NO_VALUE),
    ]);
  return [
    element("table", { class: "hacktracker-preview", "data-key": "preview" },
      element("caption", {}, "How the lines are read"),
      element("thead", {}, element("tr", {}, ["Line", "No.", "First", "Last", "Positions"].map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, read.map(row))),
    element("p", { class: "quiet", role: "status", "data-key": "summary" }, wrong ? `${counted(wrong, "line")} to fix.` : `${counted(read.length, "player")} to add.`),
  ];
}

async function editPlayer(team, player, reload) {
  const isManager = team.canManage;
  const canLink = isManager && !team.isPersonal;
  // Names of members come from a list of their own.
  const members = canLink && player.isGhost ? await attempt(() => readAll(`${team.path}/members`)) ?? [] : [];
  const form = element("form", { class: "hacktracker-form" },
    element("div", { class: "hacktracker-pair" },
      element("label", {}, "First name ", element("input", { name: "firstName", required: true, maxlength: 50, value: player.firstName })),
      element("label", {}, "Last name ", element("input", { name: "lastName", maxlength: 50, value: player.lastName ?? "" }))),
    isManager ? element("div", { class: "hacktracker-pair" },
      element("label", {}, "Number ", element("input", { name: "playerNumber", type: "number", min: 0, max: 99, inputmode: "numeric", value: player.playerNumber ?? "" })),
      element("label", {}, "Status ", element("select", { name: "status" }, ["active", "sub", "inactive"].map((status) => element("option", { value: status, selected: status === player.status }, status))))) : null,
    element("fieldset", { class: "hacktracker-positions" },
      element("legend", {}, `Positions, up to ${POSITIONS_MAX}`),
      element("div", {}, POSITIONS.map((position) => element("label", { class: "hacktracker-chip" }, element("input", { type: "checkbox", "data-position": position, checked: (player.positions ?? []).includes(position) }), element("span", {}, position))))),
    element("button", {}, "Save"),
    canLink ? linkPart(team, player, members, reload, () => opened.close()) : null,
    isManager && player.isGhost && !team.isPersonal ? element("button", { type: "button", class: "plain danger", click: () => removePlayer(team, player, reload, form, () => opened.close()) }, "Remove player") : null);
  const opened = sheet(form, { title: `${numberText(player)} ${fullName(player)}`.trim() });
  onSubmit(form, async ({ firstName, lastName, playerNumber, status }) => {
    const positions = [...form.querySelectorAll("[data-position]:checked")].map((box) => box.dataset.position);
    if (positions.length > POSITIONS_MAX) {
      markField(form.querySelector("[data-position]"), `Choose at most ${POSITIONS_MAX}`);
      return;
    }
    const changes = { firstName, lastName: lastName.trim() || null, positions, ...(isManager ? { playerNumber: playerNumber ?? null, status } : {}) };
    const body = Object.fromEntries(Object.entries(changes).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(player[key] ?? null)));
    try {
      if (Object.keys(body).length) await request("PATCH", `${team.path}/players/${player.playerId}`, { body });
    } catch (error) {
      if (error.code === "number-taken") markField(form.elements.playerNumber, error.message);
      else showFormProblem(form, error);
      return;
    }
    opened.close();
    await reload();
  }, { reset: false });
}

/** Who this player is, among the members. */
function linkPart(team, player, members, reload, close) {
  const send = (method, body) => attempt(async () => {
    await request(method, `${team.path}/players/${player.playerId}/link`, body ? { body } : {});
    close();
    await reload();
  }, { near: document.querySelector("dialog form") });
  if (!player.isGhost) {
    return element("button", { type: "button", class: "plain", click: async () => {
      const sure = await confirmDialog({ title: `Unlink ${fullName(player)}?`, text: "The at-bats stay with the team and leave this person’s career.", action: "Unlink" });
      if (sure) await send("DELETE");
    } }, "Unlink");
  }
  const free = members.filter((member) => member.status === "active" && !team.players.some((one) => one.userId === member.userId));
  if (!free.length) return null;
  const select = element("select", {}, free.map((member) => element("option", { value: member.userId }, fullName(member))));
  return element("div", { class: "hacktracker-pair is-link" },
    element("label", {}, "Link to member ", select),
    element("button", { type: "button", class: "plain", click: () => send("PUT", { userId: select.value }) }, "Link"));
}

async function removePlayer(team, player, reload, form, close) {
  const sure = await confirmDialog({ title: `Remove ${fullName(player)}?`, text: "Only players without at-bats can be removed; others can be made inactive.", action: "Remove", danger: true });
  if (!sure) return;
  await attempt(async () => {
    await request("DELETE", `${team.path}/players/${player.playerId}`);
    close();
    await reload();
  }, { near: form });
}
