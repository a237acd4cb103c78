// The views of the pages of Cricket.
import { until } from "./browser.js";
import { press } from "./views.js";

export async function views(call, undo) {
  // A match in play that stands still, so that nothing moves while it is looked at.
  const { matchId } = await call("olu", "POST", "/admin/replays", { tape: "t20-31", speed: 60 });
  undo.push(() => call("olu", "DELETE", `/admin/replays/${matchId}`));
  await call("olu", "PATCH", `/admin/replays/${matchId}`, { ball: "2:8.1", playing: false, speed: 60 });
  await until(`${matchId} is in play`, async () => (await call(null, "GET", `/matches/${matchId}`)).phase === "live");
  await call("asha", "POST", `/user/follow/${matchId}`, { teamId: "neutral" });
  undo.push(() => call("asha", "DELETE", `/user/follow/${matchId}`));
  const path = `/cricket/match/${matchId}`;
  return {
    // Links within a sentence are as high as its lines; cards are pressed as a whole.
    layout: {
      targets: "main :is(button, a[href], input, select, summary), nav a, dialog button",
      except: "p a:not(.button), .cricket-open",
    },
    views: [
      { name: "list", who: "asha", path: "/cricket", ready: "#upcoming li" },
      { name: "match", who: "asha", path, ready: "#balls li" },
      { name: "scorecard", path: `${path}#scorecard`, ready: "#scorecard table" },
      { name: "charts", path: `${path}#charts`, ready: "#charts svg" },
      { name: "sheet", who: "asha", path, ready: "#balls li", act: press("#match-follow") },
      { name: "pushes", who: "asha", path: "/cricket/pushes", ready: "#activities > *" },
      { name: "pushes-visitor", path: "/cricket/pushes", ready: "#visitor a" },
      { name: "admin", who: "olu", path: "/cricket/admin", ready: ".cricket-replay" },
    ],
  };
}
