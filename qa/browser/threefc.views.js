// The views of the pages of 3FC.
import { NOT_FOUND, press } from "./views.js";

export async function views(call, undo) {
  const api = (who, method, path, body) => call(who, method, `/v1${path}`, body);
  const { seasons } = await api(null, "GET", "/leagues/tidewall");
  const { sessions } = await api(null, "GET", `/seasons/${seasons[0].seasonId}`);
  const games = [];
  for (const { sessionId } of sessions) games.push(...(await api(null, "GET", `/sessions/${sessionId}/games`)).items);
  const gameOf = (status) => `/threefc/games/${games.find((one) => one.status === status).gameId}`;
  const invite = await api("ines", "POST", "/leagues/tidewall/invites", { role: "viewer" });
  undo.push(() => api("ines", "DELETE", `/leagues/tidewall/invites/${invite.hash}`));
  const season = `/threefc/seasons/${seasons[0].seasonId}`;
  const admin = "/threefc/leagues/tidewall/admin";
  const score = `${gameOf("live")}/score`;
  const menu = { who: "ines", path: score, ready: "#menu:not([hidden])" };
  const administered = { who: "ines", path: admin, ready: ".threefc-game-item" };
  const gameMenu = (item) => press(".threefc-game-item .threefc-dots", `dialog button:has-text('${item}')`);
  const players = { who: "ines", path: `${admin}#players`, ready: "#player-list li" };
  const people = { who: "ines", path: `${admin}#people`, ready: "#invite-list li" };
  return {
    layout: {},
    views: [
      { name: "home", who: "ines", path: "/threefc", ready: "#mine li" },
      { name: "home-visitor", path: "/threefc", ready: "#public li" },
      { name: "league", who: "ines", path: "/threefc/leagues/tidewall", ready: "#seasons li" },
      { name: "league-empty", who: "ruben", path: "/threefc/leagues/quarry-lane", ready: "text=No seasons yet." },
      { name: "season", path: season, ready: ".threefc-standings tbody tr" },
      { name: "season-scorers", path: `${season}#scorers`, ready: "#boards li" },
      { name: "season-games", path: `${season}#games`, ready: "#sessions .threefc-row" },
      { name: "game-live", path: gameOf("live"), ready: "#goals li" },
      { name: "game-scheduled", path: gameOf("scheduled"), ready: "text=Kick-off" },
      { name: "game-finished", who: "ines", path: gameOf("finished"), ready: "#result:not([hidden])" },
      { name: "game-abandoned", path: gameOf("abandoned"), ready: "text=Does not count." },
      { name: "game-missing", path: "/threefc/games/nothing-here", ready: "text=No such game", expected: NOT_FOUND },
      { name: "score", who: "tomasz", path: score, ready: "#buttons button" },
      { name: "score-second-tap", who: "tomasz", path: score, ready: "#buttons button", act: press("#buttons button") },
      { name: "score-third-tap", who: "tomasz", path: score, ready: "#buttons button", act: press("#buttons button", "dialog .threefc-tap") },
      { name: "score-edit", who: "tomasz", path: score, ready: "#goals .threefc-dots", act: press("#goals .threefc-dots") },
      { name: "score-menu", ...menu, act: press("#menu") },
      { name: "score-rosters", ...menu, act: press("#menu", "dialog button:has-text('Rosters')") },
      { name: "score-player", ...menu, act: press("#menu", "dialog button:has-text('+ Player')") },
      { name: "score-clock", ...menu, act: press("#menu", "dialog button:has-text('Correct the clock')", "dialog button:has-text('2nd third')") },
      { name: "score-undo", ...menu, act: press("#menu", "dialog button:has-text('Undo last goal')") },
      { name: "score-abandon", ...menu, act: press("#menu", "dialog button:has-text('Abandon')") },
      { name: "score-scheduled", who: "tomasz", path: `${gameOf("scheduled")}/score`, ready: "text=Start third 1" },
      { name: "score-forbidden", who: "noor", path: score, ready: "text=No access" },
      { name: "admin", ...administered },
      { name: "admin-players", ...players },
      { name: "admin-people", ...people },
      { name: "admin-settings", who: "ines", path: admin, ready: "#settings:not([hidden])", act: press("#settings") },
      { name: "admin-season", who: "ines", path: admin, ready: "#new-season:not([hidden])", act: press("#new-season") },
      { name: "admin-squads", ...administered, act: press("button:has-text('Squads')") },
      { name: "admin-squad", ...administered, act: press("button:has-text('Squads')", "dialog button:has-text('Squad')") },
      { name: "admin-game", ...administered, act: press("button:has-text('+ Game')") },
      { name: "admin-game-menu", ...administered, act: press(".threefc-game-item .threefc-dots") },
      { name: "admin-game-edit", ...administered, act: gameMenu("Edit") },
      { name: "admin-game-move", ...administered, act: gameMenu("Move") },
      { name: "admin-game-history", ...administered, act: gameMenu("History") },
      { name: "admin-season-change", ...administered, act: press("button:has-text('Change season')") },
      { name: "admin-player-add", ...players, act: press("#new-player") },
      { name: "admin-player-change", ...players, act: press("#player-list button:has-text('Change')") },
      { name: "admin-role", ...people, act: press("#grant-list button:has-text('Change')") },
      { name: "admin-invite", ...people, act: press("#invite") },
      { name: "join", who: "noor", path: `/threefc/join/tidewall#${encodeURIComponent(invite.code)}`, ready: "input[name=displayName]" },
      { name: "join-used", who: "noor", path: "/threefc/join/tidewall#nothing", ready: "text=This invitation was used", expected: NOT_FOUND },
      { name: "join-visitor", path: "/threefc/join/tidewall#nothing", ready: "text=Sign in to see" },
    ],
  };
}
