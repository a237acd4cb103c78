// Players, roles and invitations of a league.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { showProblem } from "/assets/form.js";
import { base } from "/assets/http.js";
import { showLink } from "/assets/share.js";
import { dayText } from "/assets/time.js";
import { readAll, userId, write } from "./api.js";
import { confirmed, formSheet, texts } from "./forms.js";
import { playerText } from "./teams.js";

const ROLES = [["viewer", "Viewer: sees all games"], ["scorekeeper", "Scorekeeper: enters goals and runs the clock"], ["admin", "Admin: may do everything"]];

/** The players of the league. */
export class Players {
  #path;
  #players = null;

  constructor(path) {
    this.#path = path;
  }

  /** All players that can be in a squad, by name. Read once. */
  async active() {
    this.#players ??= await readAll(`${this.#path}/players`);
    return this.#players.filter((player) => !player.archived).sort((one, other) => one.nickname.localeCompare(other.nickname));
  }

  async load() {
    try {
      this.#players = await readAll(`${this.#path}/players`);
      this.#show();
    } catch (error) {
      showProblem(error);
    }
  }

  create() {
    formSheet({
      title: "New player",
      action: "Add player",
      fields: playerFields({}),
      submit: async (values) => {
        const player = await write("POST", `${this.#path}/players`, texts(values));
        this.#put(player);
        announce(`${player.nickname} is added.`);
      },
    });
  }

  #put(player) {
    this.#players = [...(this.#players ?? []).filter((one) => one.playerId !== player.playerId), player];
    this.#show();
  }

  #show() {
    const players = [...this.#players].sort((one, other) => one.archived - other.archived || one.nickname.localeCompare(other.nickname));
    byId("player-note").textContent = players.length ? "" : "No players yet.";
    replaceKeepingFocus(byId("player-list"), players.map((player) => element("li", { "data-key": player.playerId },
      element("span", {}, playerText(player), player.archived ? element("span", { class: "badge" }, "archived") : null),
      element("button", { type: "button", class: "plain small", "aria-label": `Change ${player.nickname}`, click: () => this.#change(player) }, "Change"))));
  }

  #change(player) {
    formSheet({
      title: player.nickname,
      fields: [...playerFields(player), { name: "archived", label: "Archived: joins no more squads and rosters", type: "checkbox", value: player.archived }],
      submit: async ({ nickname, number, archived }) => this.#put(await write("PATCH", `/players/${encodeURIComponent(player.playerId)}`, { nickname: nickname.trim(), number: number ?? null, archived })),
    });
  }
}

function playerFields({ nickname, number }) {
  return [
    { name: "nickname", label: "Nickname", value: nickname, required: true, maxlength: 24 },
    { name: "number", label: "Number (optional)", type: "number", inputmode: "numeric", min: 0, max: 99, value: number },
  ];
}

/** Roles and invitations. */
export class People {
  #path;

  constructor(path) {
    this.#path = path;
  }

  async load() {
    try {
      const [grants, invites] = await Promise.all([readAll(`${this.#path}/acl`), readAll(`${this.#path}/invites`)]);
      this.#showGrants(grants);
      this.#showInvites(invites);
    } catch (error) {
      showProblem(error);
    }
  }

  #showGrants(grants) {
    const order = ["admin", "scorekeeper", "viewer"];
    const sorted = [...grants].sort((one, other) => order.indexOf(one.role) - order.indexOf(other.role) || one.displayName.localeCompare(other.displayName));
    replaceKeepingFocus(byId("grant-list"), sorted.map((grant) => element("li", { "data-key": grant.userId },
      element("span", {}, grant.displayName, ", ", grant.role, grant.userId === userId() ? element("span", { class: "badge" }, "you") : null),
      element("button", { type: "button", class: "plain small", "aria-label": `Change ${grant.displayName}`, click: () => this.#change(grant) }, "Change"))));
  }

  #change(grant) {
    const path = `${this.#path}/acl/${encodeURIComponent(grant.userId)}`;
    const isMe = grant.userId === userId();
    const revoke = element("button", { type: "button", class: "plain danger threefc-wide", click: async () => {
      shown.close();
      await shown.closed;
      const question = { title: isMe ? "Leave the league?" : `Remove ${grant.displayName}'s access?`, text: [isMe ? "You can come back with an invitation only." : "They can come back with an invitation.", grant.role === "admin" ? `Open invitations that ${isMe ? "you" : "they"} have made are withdrawn.` : ""].join(" ").trim(), action: isMe ? "Leave" : "Remove", danger: true };
      if (!await confirmed(question, () => write("DELETE", path))) return;
      if (isMe) location.assign(base);
      else await this.load();
    } }, isMe ? "Leave the league" : "Remove access");
    const shown = formSheet({
      title: grant.displayName,
      fields: [
        { name: "displayName", label: "Name", value: grant.displayName, required: true, maxlength: 40 },
        { name: "role", label: "Role", type: "select", value: grant.role, options: ROLES, hint: grant.role === "admin" ? `With another role, open invitations that ${isMe ? "you" : "they"} have made are withdrawn.` : undefined },
      ],
      after: revoke,
      submit: async (values) => {
        await write("PUT", path, texts(values));
        await this.load();
      },
    });
  }

  #showInvites(invites) {
    byId("invite-note").textContent = invites.length ? "" : "No open invitations.";
    replaceKeepingFocus(byId("invite-list"), invites.map((invite) => element("li", { "data-key": invite.hash },
      element("span", {}, `${invite.role}, until ${dayText(invite.expiresAt)}`),
      element("button", { type: "button", class: "plain small danger", "aria-label": `Withdraw the invitation as ${invite.role}`, click: async () => {
        const isDone = await confirmed({ title: "Withdraw the invitation?", text: "Its link will no longer work.", action: "Withdraw", danger: true }, () => write("DELETE", `${this.#path}/invites/${encodeURIComponent(invite.hash)}`));
        if (isDone) await this.load();
      } }, "Withdraw"))));
  }

  /** Makes an invitation and shows its link, which is shown this once. */
  invite() {
    let made = null;
    const shown = formSheet({
      title: "Invite a person",
      text: "You get a link for one person, good for seven days.",
      action: "Create link",
      fields: [{ name: "role", label: "Role", type: "select", value: "scorekeeper", options: ROLES }],
      submit: async ({ role }) => { made = await write("POST", `${this.#path}/invites`, { role }); },
    });
    shown.closed.then(async () => {
      if (!made) return;
      const league = this.#path.split("/").at(-1);
      showLink(`${location.origin}${base}/join/${league}#${made.code}`, { title: `Invitation as ${made.role}`, text: "Send this link to the person. You won't see it again." });
      await this.load();
    });
  }
}
