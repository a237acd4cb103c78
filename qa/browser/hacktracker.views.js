// The views of the pages of HackTracker.
import { press } from "./views.js";

export async function views(call) {
  const who = "nora-vance";
  const { items: teams } = await call(who, "GET", "/users/me/teams");
  const { teamId } = teams.find((one) => one.name === "Copper Kettles");
  const { items: games } = await call(who, "GET", `/teams/${teamId}/games`);
  const { players, invites } = await call(who, "GET", `/teams/${teamId}`);
  const { playerId } = players.find((one) => one.playerNumber === 12);
  const gameOf = (status) => games.find((one) => one.status === status).gameId;
  const team = `/hacktracker/team/${teamId}`;
  const score = `/hacktracker/score/${gameOf("IN_PROGRESS")}`;
  const scoring = { who, path: score, ready: ".hacktracker-pad" };
  const correct = async (page, screen) => {
    if (screen.isMobile) await page.click('button:has-text("Plays")');
    await page.locator("button.hacktracker-play").first().click();
  };
  return {
    // Links within a sentence are as high as its lines; what is in a table has the width of its column.
    layout: { except: ":is(p a:not(.button), dd a, dt a):not(.hacktracker-back a)", narrow: "table *" },
    views: [
      { name: "teams", who, path: "/hacktracker", ready: ".hacktracker-live" },
      { name: "visitor", path: "/hacktracker", ready: 'main a:has-text("Sign in")' },
      { name: "roster", who, path: team, ready: ".hacktracker-roster" },
      { name: "games", who, path: `${team}#games`, ready: ".hacktracker-games" },
      { name: "stats", who, path: `${team}#stats`, ready: ".hacktracker-stats" },
      { name: "members", who, path: `${team}#members`, ready: ".hacktracker-members" },
      { name: "live", who, path: `/hacktracker/game/${gameOf("IN_PROGRESS")}`, ready: ".hacktracker-box" },
      { name: "final", who, path: `/hacktracker/game/${gameOf("FINAL")}`, ready: ".hacktracker-box" },
      { name: "lineup", who, path: `/hacktracker/game/${gameOf("SCHEDULED")}`, ready: ".hacktracker-lineup" },
      { name: "postponed", who, path: `/hacktracker/game/${gameOf("POSTPONED")}`, ready: "#actions button" },
      { name: "scoring", ...scoring },
      { name: "plays", who, path: `${score}#inning-1`, ready: ".hacktracker-play" },
      { name: "strip", ...scoring, act: press('[data-result="2B"]'), shown: ".hacktracker-strip" },
      { name: "runners", ...scoring, act: press(".hacktracker-runner") },
      { name: "more", ...scoring, act: press('button:has-text("More")') },
      { name: "correction", ...scoring, act: correct },
      { name: "player", who, path: `/hacktracker/player/${teamId}/${playerId}`, ready: ".hacktracker-counts" },
      { name: "career", who, path: "/hacktracker/me", ready: ".hacktracker-counts" },
      { name: "join", who, path: `/hacktracker/join/${teamId}/${invites[0].code}`, ready: "#join" },
    ],
  };
}
