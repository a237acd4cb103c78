// The views of the pages of HackTracker.
import { press } from "./views.js";

export async function views(call, undo) {
  const who = "nora-vance";
  const { items: teams } = await call(who, "GET", "/users/me/teams");
  const { teamId } = teams.find((one) => one.name === "Copper Kettles");
  const { items: games } = await call(who, "GET", `/teams/${teamId}/games`);
  const { players, invites } = await call(who, "GET", `/teams/${teamId}`);
  const { playerId } = players.find((one) => one.playerNumber === 12);
  const gameOf = (status) => games.find((one) => one.status === status).gameId;
  const team = `/hacktracker/team/${teamId}`;
  const score = `/hacktracker/score/${gameOf("IN_PROGRESS")}`;
  const roster = { who, path: team, ready: ".hacktracker-roster" };
  const schedule = { who, path: `${team}#games`, ready: ".hacktracker-games" };
  const members = { who, path: `${team}#members`, ready: ".hacktracker-members" };
  const lineup = { who, path: `/hacktracker/game/${gameOf("SCHEDULED")}`, ready: ".hacktracker-lineup" };
  const scoring = { who, path: score, ready: ".hacktracker-pad" };
  const ownGame = await playOwnGame(call, undo);
  const correct = async (page, screen) => {
    if (screen.isMobile) await page.click('button:has-text("Plays")');
    await page.locator("button.hacktracker-play").first().click();
  };
  return {
    // Links in a sentence are as high as its lines; elements in a table are as wide as their
    // column.
    layout: { except: ":is(p a:not(.button), dd a, dt a):not(.hacktracker-back a)", narrow: "table *" },
    views: [
      { name: "teams", who, path: "/hacktracker", ready: ".hacktracker-live" },
      { name: "visitor", path: "/hacktracker", ready: 'main a:has-text("Sign in")' },
      { name: "roster", ...roster },
      { name: "edit-team", ...roster, act: press("#manage") },
      { name: "edit-player", ...roster, act: press('.hacktracker-roster button[aria-label^="Edit"]') },
      { name: "games", ...schedule },
      { name: "new-game", ...schedule, act: press('button:has-text("+ Game")') },
      { name: "stats", who, path: `${team}#stats`, ready: ".hacktracker-stats" },
      { name: "members", ...members },
      { name: "member", ...members, act: press('.hacktracker-members button:has-text("Change")') },
      { name: "live", who, path: `/hacktracker/game/${gameOf("IN_PROGRESS")}`, ready: ".hacktracker-box" },
      { name: "final", who, path: `/hacktracker/game/${gameOf("FINAL")}`, ready: ".hacktracker-box" },
      { name: "lineup", ...lineup },
      { name: "lineup-replace", ...lineup, act: press('.hacktracker-lineup button[aria-label^="Replace"]') },
      { name: "edit-game", ...lineup, act: press('#actions button:has-text("Edit")') },
      { name: "postponed", who, path: `/hacktracker/game/${gameOf("POSTPONED")}`, ready: "#actions button" },
      { name: "scoring", ...scoring },
      { name: "plays", who, path: `${score}#inning-1`, ready: ".hacktracker-play" },
      { name: "strip", ...scoring, act: press('[data-result="2B"]'), shown: ".hacktracker-strip" },
      { name: "runners", ...scoring, act: press(".hacktracker-runner") },
      { name: "more", ...scoring, act: press('button:has-text("More")') },
      { name: "correction", ...scoring, act: correct },
      { name: "player", who, path: `/hacktracker/player/${teamId}/${playerId}`, ready: ".hacktracker-counts" },
      { name: "career", who, path: "/hacktracker/me", ready: ".hacktracker-counts" },
      { name: "preview", who, path: team, ready: ".hacktracker-roster", act: (page) => page.fill("textarea[name=lines]", "9 Jess Ray LF/CF\n100 Big Number\n8 Lee Ann QB"), shown: "#preview tbody tr" },
      { name: "admin", who: "ada-quist", path: "/hacktracker/admin", ready: "#users tbody tr" },
      { name: "admin-games", who: "ada-quist", path: "/hacktracker/admin#games", ready: "#games tbody tr" },
      { name: "personal", who: "stella-moreau", path: `/hacktracker/score/${ownGame}`, ready: ".hacktracker-my-line" },
      { name: "join", who, path: `/hacktracker/join/${teamId}/${invites[0].code}`, ready: "#join" },
    ],
  };
}

/** A game of one's own that is being played, until the views have been looked at. */
async function playOwnGame(call, undo) {
  const who = "stella-moreau";
  const { items } = await call(who, "GET", "/users/me/teams");
  let { gameId, revision } = await call(who, "POST", `/teams/${items[0].teamId}/games`, { opponentName: "Sunday pick-up" });
  const step = async (method, path, body = {}) => {
    const answer = await call(who, method, `/games/${gameId}/${path}`, { revision, ...body });
    revision = answer.game.revision;
  };
  await step("POST", "start");
  for (const result of ["1B", "K", "HR"]) await step("POST", "atbats", { result, inning: 1 });
  undo.push(async () => {
    for (let count = 0; count < 3; count += 1) await step("POST", "undo");
    await call(who, "DELETE", `/games/${gameId}`);
  });
  return gameId;
}
