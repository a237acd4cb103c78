// Members of a team: roles, who is active, invites.
import { element, replaceKeepingFocus } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { onSubmit } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { shareLink, showLink } from "/assets/share.js";
import { attempt, readAll, userId } from "./signed-in.js";
import { dayText, fullName, numberText, ROLES } from "./words.js";

/** Managers deal with players and scorekeepers only. */
const OF_MANAGERS = ["player", "scorekeeper"];

export async function showMembers(team, place, reload) {
  const members = await readAll(`${team.path}/members`);
  members.sort((one, other) => ROLES.indexOf(one.role) - ROLES.indexOf(other.role) || fullName(one).localeCompare(fullName(other)));
  const list = element("ul", { class: "card hacktracker-rows hacktracker-members" }, members.map((member) => row(team, member, reload)));
  const side = team.canManage ? element("div", { "data-key": "invites" }, inviteForm(team, reload), inviteList(team, reload)) : null;
  place.classList.add("hacktracker-columns");
  replaceKeepingFocus(place, [list, side].filter(Boolean));
}

function mayChange(team, role) {
  return team.canOwn || (team.role === "manager" && OF_MANAGERS.includes(role));
}

function row(team, member, reload) {
  const isMe = member.userId === userId();
  const linked = team.players.find((player) => player.userId === member.userId);
  return element("li", { "data-key": member.userId },
    element("span", { class: "hacktracker-member" },
      element("b", {}, fullName(member), isMe ? " (you)" : ""),
      element("span", { class: "quiet" }, [member.role, member.status === "active" ? null : member.status, linked ? `plays as ${numberText(linked)} ${fullName(linked)}`.replace("  ", " ") : null].filter(Boolean).join(" · "))),
    element("span", { class: "hacktracker-controls" },
      mayChange(team, member.role) ? element("button", { type: "button", class: "plain small", "aria-haspopup": "dialog", "aria-label": `Change ${fullName(member)}`, click: () => change(team, member, reload) }, "Change") : null,
      isMe ? element("button", { type: "button", class: "plain danger small", click: () => leave(team, member) }, "Leave") : null));
}

function change(team, member, reload) {
  const roles = team.canOwn ? ROLES : OF_MANAGERS;
  const form = element("form", { class: "hacktracker-form" },
    element("label", {}, "Role ", element("select", { name: "role" }, roles.map((role) => element("option", { value: role, selected: role === member.role }, role)))),
    element("label", {}, "Status ", element("select", { name: "status" }, ["active", "inactive"].map((status) => element("option", { value: status, selected: status === member.status }, status)))),
    element("button", {}, "Save"),
    element("button", { type: "button", class: "plain danger", click: remove }, "Remove from the team"));
  const opened = sheet(form, { title: fullName(member) });
  onSubmit(form, async (values) => {
    const body = Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== member[key]));
    if (Object.keys(body).length) await request("PATCH", `${team.path}/members/${encodeURIComponent(member.userId)}`, { body });
    opened.close();
    await reload();
  }, { reset: false });
  async function remove() {
    const sure = await confirmDialog({ title: `Remove ${fullName(member)}?`, text: "Their player stays on the roster as inactive.", action: "Remove", danger: true });
    if (!sure) return;
    await attempt(async () => {
      await request("DELETE", `${team.path}/members/${encodeURIComponent(member.userId)}`);
      opened.close();
      await reload();
    }, { near: form });
  }
}

async function leave(team, member) {
  const sure = await confirmDialog({ title: `Leave ${team.team.name}?`, text: "Your at-bats stay in your career.", action: "Leave", danger: true });
  if (!sure) return;
  await attempt(async () => {
    await request("DELETE", `${team.path}/members/${encodeURIComponent(member.userId)}`);
    location.href = base;
  });
}

function inviteForm(team, reload) {
  const roles = team.canOwn ? [...ROLES].reverse() : OF_MANAGERS;
  const ghosts = team.players.filter((player) => player.isGhost);
  const form = element("form", { class: "card hacktracker-form" },
    element("h2", {}, "Invite"),
    element("label", {}, "As ", element("select", { name: "role" }, roles.map((role) => element("option", { value: role }, role)))),
    ghosts.length ? element("label", {}, "Plays as ", element("select", { name: "playerId" }, element("option", { value: "" }, "nobody on the roster"), ghosts.map((player) => element("option", { value: player.playerId }, `${numberText(player)} ${fullName(player)}`.trim())))) : null,
    element("button", {}, "Make a link"));
  onSubmit(form, async ({ role, playerId }) => {
    const { link } = await request("POST", `${team.path}/invites`, { once: true, body: { role, ...(playerId ? { playerId } : {}) } });
    const address = new URL(link, location.href).href;
    await reload();
    await showLink(address, { title: "Invite link", text: "It is good for 7 days, for one person." }).closed;
  });
  return form;
}

function inviteList(team, reload) {
  const invites = team.invites ?? [];
  if (!invites.length) return null;
  const withdraw = (invite) => attempt(async () => {
    await request("DELETE", `${team.path}/invites/${invite.code}`);
    await reload();
  });
  return element("section", { class: "card hacktracker-invites", "aria-label": "Open invites" },
    element("h2", {}, "Open invites"),
    element("ul", { class: "hacktracker-rows" }, invites.map((invite) => {
      const player = team.playersById.get(invite.playerId);
      const name = player ? `${numberText(player)} ${fullName(player)}`.trim() : invite.role;
      const expires = typeof invite.expiresAt === "number" ? new Date(invite.expiresAt * 1000).toISOString() : invite.expiresAt;
      return element("li", { "data-key": invite.code },
        element("span", { class: "hacktracker-member" }, element("b", {}, name), element("span", { class: "quiet" }, `${player ? `${invite.role} · ` : ""}until ${dayText(expires)}`)),
        element("span", { class: "hacktracker-controls" },
          element("button", { type: "button", class: "plain small", "aria-label": `Share the invite for ${name}`, click: () => shareLink(new URL(invite.link ?? `${base}/join/${team.team.teamId}/${invite.code}`, location.href).href, { title: `Join ${team.team.name}` }) }, "Share"),
          element("button", { type: "button", class: "plain danger small", "aria-label": `Withdraw the invite for ${name}`, click: () => withdraw(invite) }, "Withdraw")));
    })));
}
