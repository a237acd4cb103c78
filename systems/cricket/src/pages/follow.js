// Following a match, with a favourite team or none.
import { announce, element } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";
import { showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { caller, signInAddress } from "/assets/session.js";
import { versus } from "./format.js";

/** In the address of a match, it opens the sheet: where a visitor who wants to follow comes back to. */
const FOLLOW = "#follow";

/** Opens the sheet if the address asks for it, once. */
export function resumeFollowing(match, onChange) {
  if (location.hash !== FOLLOW || !caller()) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  chooseTeam(match, onChange);
}

/** What the button of a match says. */
export function followText(match) {
  if (!match.following) return "Follow";
  return match.following === "neutral" ? "Following" : `Following ${match.teams.find(({ id }) => id === match.following)?.code ?? ""}`.trim();
}

/** Asks with which team. `onChange` gets the team's id, `neutral`, or null. A visitor signs in first. */
export function chooseTeam(match, onChange) {
  if (!caller()) {
    const address = signInAddress(`${base}/match/${encodeURIComponent(match.matchId)}${location.search}${FOLLOW}`);
    if (address) location.assign(address);
    return;
  }
  const path = `${base}/user/follow/${encodeURIComponent(match.matchId)}`;
  const options = [
    ...match.teams.map(({ id, name }) => [id, name]),
    ["neutral", "Neutral"],
  ];
  let isBusy = false;
  const act = async (send, team, said) => {
    if (isBusy) return;
    isBusy = true;
    try {
      await send();
      onChange(team);
      opened.close();
      announce(said);
    } catch (error) {
      showProblem(error, { near: content });
    }
    isBusy = false;
  };
  const content = element("div", { class: "cricket-sheet" },
    element("p", { class: "quiet" }, "Your phone shows wickets, milestones and the result, from the side you choose."),
    options.map(([id, name]) => element("button", {
      type: "button",
      class: id === match.following ? null : "plain",
      "aria-pressed": String(id === match.following),
      click: () => act(() => request(match.following ? "PATCH" : "POST", path, { body: { teamId: id } }), id, `You follow ${versus(match)}.`),
    }, name)),
    match.following ? element("button", {
      type: "button",
      class: "plain danger",
      click: () => act(() => request("DELETE", path), null, `You no longer follow ${versus(match)}.`),
    }, "Stop following") : null);
  const opened = sheet(content, { title: `Follow ${versus(match)}` });
}
