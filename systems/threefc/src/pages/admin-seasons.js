// Seasons of a league with their teams, squads and sessions.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { showProblem } from "/assets/form.js";
import { base } from "/assets/http.js";
import { dayText } from "/assets/time.js";
import { gameItem, newGame } from "./admin-games.js";
import { read, readAll, write } from "./api.js";
import { monthsText, today } from "./clock.js";
import { actionSheet, attempt, confirmed, field, formSheet, menuSheet, texts, ticked } from "./forms.js";
import { COLORS, playerText, teamTag } from "./teams.js";

const LENGTHS = [20, 25, 30].map((minutes) => [minutes, `${minutes} minutes`]);
const SQUAD_MAX = 15;

/** The seasons of a league. One is open at a time, with its sessions and their games. */
export class Seasons {
  #path;
  #seasons;
  #players;
  /** What is open: season id → `{ view, games: Map of session id → rows }`. */
  #open = new Map();
  #openSessions = new Map();

  constructor(path, { seasons, players }) {
    this.#path = path;
    this.#seasons = seasons;
    this.#players = players;
    const season = seasons[0];
    if (season) this.#load(season.seasonId);
  }

  show() {
    replaceKeepingFocus(byId("season-list"), this.#seasons.length ? this.#seasons.map((season) => this.#seasonPart(season)) : [element("p", { class: "quiet" }, "No seasons yet.")]);
  }

  async #load(seasonId) {
    try {
      const view = await read(`/seasons/${encodeURIComponent(seasonId)}`);
      const games = this.#open.get(seasonId)?.games ?? new Map();
      this.#open.set(seasonId, { view, games });
      this.show();
      await Promise.all(view.sessions.filter((session) => this.#isSessionOpen(view, session)).map(({ sessionId }) => this.#loadGames(seasonId, sessionId)));
    } catch (error) {
      showProblem(error);
    }
  }

  async #loadGames(seasonId, sessionId) {
    const rows = await readAll(`/sessions/${encodeURIComponent(sessionId)}/games`);
    this.#open.get(seasonId)?.games.set(sessionId, rows);
    this.show();
  }

  /** Sessions of today and later are open until somebody says otherwise. */
  #isSessionOpen(view, { sessionId, sessionDate }) {
    return this.#openSessions.get(sessionId) ?? sessionDate >= today();
  }

  #seasonPart(season) {
    const { seasonId } = season;
    const opened = this.#open.get(seasonId);
    const details = element("details", { class: "card threefc-season", open: Boolean(opened), "data-key": `season-${seasonId}` },
      element("summary", {}, element("h2", {}, season.name), element("span", { class: "quiet" }, monthsText(season.startsOn, season.endsOn))),
      opened ? this.#seasonContent(season, opened) : element("p", { class: "quiet" }, "Loading…"));
    details.addEventListener("toggle", () => {
      if (details.open === this.#open.has(seasonId)) return;
      if (details.open) this.#load(seasonId);
      else this.#open.delete(seasonId);
    });
    return details;
  }

  #seasonContent(season, { view, games }) {
    const sessions = [...view.sessions].sort((one, other) => (one.sessionDate < other.sessionDate ? 1 : -1));
    return element("div", {},
      element("p", { class: "actions" },
        element("button", { type: "button", class: "plain small", click: () => this.#teams(season.seasonId) }, "Squads"),
        element("button", { type: "button", class: "plain small", click: () => this.#createSession(season) }, "+ Session"),
        element("button", { type: "button", class: "plain small", click: () => this.#change(season) }, "Change season"),
        element("a", { href: `${base}/seasons/${season.seasonId}` }, "View season")),
      sessions.length ? sessions.map((session) => this.#sessionPart(view, session, games.get(session.sessionId))) : element("p", { class: "quiet" }, "No sessions yet. A session is one day of games."));
  }

  #sessionPart(view, session, rows) {
    const { seasonId } = view.season;
    const { sessionId } = session;
    const reload = () => this.#load(seasonId);
    const details = element("details", { class: "threefc-session", open: this.#isSessionOpen(view, session), "data-key": `session-${sessionId}` },
      element("summary", {}, element("span", {}, element("b", {}, dayText(session.sessionDate)), session.venue ? element("span", { class: "quiet" }, ` ${session.venue}`) : null),
        element("span", { class: "badge" }, `${rows?.length ?? session.games} ${(rows?.length ?? session.games) === 1 ? "game" : "games"}`)),
      rows?.length ? element("ul", { class: "threefc-plain" }, rows.map((row) => gameItem(row, { view, onChange: reload }))) : element("p", { class: "quiet" }, rows ? "No games yet." : "Loading…"),
      element("p", { class: "actions" },
        element("button", { type: "button", class: "plain small", click: () => newGame({ view, session, onChange: () => this.#openAndLoad(seasonId, sessionId) }) }, "+ Game"),
        element("button", { type: "button", class: "plain small", "aria-label": `Change session of ${dayText(session.sessionDate)}`, click: () => this.#changeSession(seasonId, session) }, "⋯")));
    details.addEventListener("toggle", () => {
      if (details.open === this.#isSessionOpen(view, session)) return;
      this.#openSessions.set(sessionId, details.open);
      if (details.open) attempt(() => this.#loadGames(seasonId, sessionId));
    });
    return details;
  }

  #openAndLoad(seasonId, sessionId) {
    this.#openSessions.set(sessionId, true);
    return this.#load(seasonId);
  }

  create() {
    const preset = (index, name, code, color) => element("div", { class: "threefc-team-fields" },
      field({ name: `teams.${index}.name`, label: `Team ${index + 1}`, value: name, maxlength: 30, required: true }),
      field({ name: `teams.${index}.code`, label: "Code", value: code, maxlength: 3, required: true, autocapitalize: "characters" }),
      field({ name: `teams.${index}.color`, label: "Colour", type: "select", value: color, options: COLORS.map((one) => [one, one]) }));
    formSheet({
      title: "New season",
      action: "Create season",
      text: "A season begins with three teams; add more under Squads.",
      fields: [
        ...seasonFields({ thirdLengthMinutes: 20 }),
        preset(0, "Red", "RED", "red"), preset(1, "Blue", "BLU", "blue"), preset(2, "Yellow", "YEL", "yellow"),
      ],
      submit: async ({ name, startsOn, endsOn, thirdLengthMinutes, ...rest }) => {
        const teams = [0, 1, 2].map((index) => ({ name: rest[`teams.${index}.name`].trim(), code: rest[`teams.${index}.code`].trim().toUpperCase(), color: rest[`teams.${index}.color`] }));
        const season = await write("POST", `${this.#path}/seasons`, { ...texts({ name, startsOn, endsOn }), thirdLengthMinutes: Number(thirdLengthMinutes), teams });
        this.#seasons = [season, ...this.#seasons];
        announce(`${season.name} is created.`);
        await this.#load(season.seasonId);
      },
    });
  }

  #change(season) {
    const path = `/seasons/${encodeURIComponent(season.seasonId)}`;
    const remove = element("button", { type: "button", class: "plain danger threefc-wide", click: async () => {
      shown.close();
      await shown.closed;
      if (!await confirmed({ title: `Delete ${season.name}?`, text: "The season and its teams are deleted. This cannot be taken back.", action: "Delete season", danger: true }, () => write("DELETE", path))) return;
      this.#seasons = this.#seasons.filter((one) => one.seasonId !== season.seasonId);
      this.#open.delete(season.seasonId);
      this.show();
    } }, "Delete season");
    const shown = formSheet({
      title: "Change season",
      fields: seasonFields(season),
      after: remove,
      submit: async ({ name, startsOn, endsOn, thirdLengthMinutes }) => {
        const changed = await write("PATCH", path, { ...texts({ name, startsOn, endsOn }, { isChange: true }), thirdLengthMinutes: Number(thirdLengthMinutes) });
        this.#seasons = this.#seasons.map((one) => (one.seasonId === season.seasonId ? changed : one));
        await this.#load(season.seasonId);
      },
    });
  }

  #createSession(season) {
    formSheet({
      title: "New session",
      action: "Create session",
      text: "A session is one day of games.",
      fields: sessionFields({ sessionDate: today() }),
      submit: async (values) => {
        const session = await write("POST", `/seasons/${encodeURIComponent(season.seasonId)}/sessions`, texts(values));
        await this.#openAndLoad(season.seasonId, session.sessionId);
      },
    });
  }

  #changeSession(seasonId, session) {
    const path = `/sessions/${encodeURIComponent(session.sessionId)}`;
    menuSheet(dayText(session.sessionDate), [
      { text: "Edit", run: () => formSheet({
        title: "Change session",
        fields: sessionFields(session),
        submit: async (values) => {
          await write("PATCH", path, texts(values, { isChange: true }));
          await this.#load(seasonId);
        },
      }) },
      { text: "Delete", isDanger: true, run: async () => {
        if (await confirmed({ title: "Delete this session?", text: "This cannot be taken back.", action: "Delete session", danger: true }, () => write("DELETE", path))) await this.#load(seasonId);
      } },
    ]);
  }

  /** The teams of a season: their squads, new ones, changes. */
  async #teams(seasonId) {
    const { view } = this.#open.get(seasonId);
    const list = element("ul", { class: "threefc-plain" });
    const shown = actionSheet([list, element("p", { class: "actions" }, element("button", { type: "button", class: "plain", click: () => go(() => this.#team(seasonId, null)) }, "+ Team"))], { title: `Squads, ${view.season.name}` });
    const go = async (next) => {
      shown.close();
      await shown.closed;
      attempt(next);
    };
    list.append(...view.teams.map((team) => element("li", {},
      element("span", {}, teamTag(team), element("span", { class: "threefc-hint quiet" }, team.retired ? "retired" : `${team.squadPlayerIds.length} players`)),
      element("span", { class: "actions" },
        element("button", { type: "button", class: "plain small", "aria-label": `Squad of ${team.name}`, click: () => go(() => this.#squad(seasonId, team)) }, "Squad"),
        element("button", { type: "button", class: "plain small", "aria-label": `Change ${team.name}`, click: () => go(() => this.#team(seasonId, team)) }, "⋯")))));
    list.querySelector("button")?.focus();
  }

  async #squad(seasonId, team) {
    const players = await this.#players.active();
    const { view } = this.#open.get(seasonId);
    const elsewhere = (playerId) => view.teams.find((one) => one.teamId !== team.teamId && one.squadPlayerIds.includes(playerId));
    formSheet({
      title: `Squad of ${team.name}`,
      fields: [{
        name: "squadPlayerIds", label: `Players (at most ${SQUAD_MAX})`, type: "checks", value: team.squadPlayerIds,
        options: players.map((player) => [player.playerId, `${playerText(player)}${elsewhere(player.playerId) ? ` (${elsewhere(player.playerId).code})` : ""}`]),
        hint: players.length ? null : "The league has no players yet. Add them under Players.",
      }],
      submit: async (_, form) => {
        const ids = ticked(form, "squadPlayerIds");
        if (ids.length > SQUAD_MAX) throw new Error(`A squad has at most ${SQUAD_MAX} players. Untick some.`);
        await write("PATCH", `/seasons/${encodeURIComponent(seasonId)}/teams/${encodeURIComponent(team.teamId)}`, { squadPlayerIds: ids });
        announce(`The squad of ${team.name} is saved.`);
        await this.#load(seasonId);
      },
    });
  }

  #team(seasonId, team) {
    const path = `/seasons/${encodeURIComponent(seasonId)}/teams`;
    formSheet({
      title: team ? "Change team" : "New team",
      action: team ? "Save" : "Create team",
      fields: [
        { name: "name", label: "Name", value: team?.name, required: true, maxlength: 30 },
        { name: "code", label: "Code", value: team?.code, required: true, maxlength: 3, autocapitalize: "characters", hint: "2 or 3 of A–Z and 0–9." },
        { name: "color", label: "Colour", type: "select", value: team?.color, options: COLORS.map((one) => [one, one]) },
        ...(team ? [{ name: "retired", label: "Retired (no new games)", type: "checkbox", value: team.retired }] : []),
      ],
      submit: async ({ name, code, ...rest }) => {
        const body = { name: name.trim(), code: code.trim().toUpperCase(), ...rest };
        await (team ? write("PATCH", `${path}/${encodeURIComponent(team.teamId)}`, body) : write("POST", path, body));
        await this.#load(seasonId);
      },
    });
  }
}

function seasonFields({ name, startsOn, endsOn, thirdLengthMinutes }) {
  return [
    { name: "name", label: "Name", value: name, required: true, maxlength: 40, placeholder: "Spring 2027" },
    { name: "startsOn", label: "First day (optional)", type: "date", value: startsOn },
    { name: "endsOn", label: "Last day (optional)", type: "date", value: endsOn },
    { name: "thirdLengthMinutes", label: "Length of a third", type: "select", value: thirdLengthMinutes, options: LENGTHS },
  ];
}

function sessionFields({ sessionDate, venue }) {
  return [
    { name: "sessionDate", label: "Day", type: "date", value: sessionDate, required: true },
    { name: "venue", label: "Place (optional)", value: venue, maxlength: 60 },
  ];
}
