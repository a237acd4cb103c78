// An invitation: the code is in the fragment of the address, which browsers do not send.
import { byId, element } from "/assets/dom.js";
import { onSubmit } from "/assets/form.js";
import { base } from "/assets/http.js";
import { caller, onChange, signInLink } from "/assets/session.js";
import { addressPart, write } from "./api.js";

const leagueId = addressPart(1);
const path = `/leagues/${encodeURIComponent(leagueId)}/invites`;
const MEANINGS = {
  admin: "as admin: run its seasons, games, players and people.",
  scorekeeper: "as scorekeeper: enter goals and run the clock of all its games.",
  viewer: "as viewer: see all its games.",
};

function code() {
  return decodeURIComponent(location.hash.slice(1));
}

async function show() {
  const content = byId("content");
  byId("accept").hidden = true;
  if (!code()) {
    content.replaceChildren(element("p", {}, "This link is not complete. Copy all of it, up to its last character."));
    return;
  }
  if (!caller()) {
    content.replaceChildren(element("p", {}, "Sign in to see the invitation."), element("p", { class: "actions" }, signInLink()));
    return;
  }
  try {
    const { name, role } = await write("POST", `${path}/preview`, { code: code() });
    byId("title").textContent = `${name} invites you`;
    document.title = `${name} invites you · 3FC`;
    content.replaceChildren(element("p", { class: "lead" }, MEANINGS[role] ?? `as ${role}.`));
    const form = byId("accept");
    form.elements.displayName.value ||= caller().name.includes("@") ? "" : caller().name;
    form.hidden = false;
  } catch (error) {
    content.replaceChildren(element("p", {}, error.message), element("p", { class: "actions" }, element("a", { class: "button plain", href: base }, "All leagues")));
  }
}

onSubmit(byId("accept"), async ({ displayName }) => {
  await write("POST", `${path}/accept`, { code: code(), displayName: displayName.trim() });
  location.assign(`${base}/leagues/${encodeURIComponent(leagueId)}`);
}, { reset: false });
addEventListener("hashchange", show);
onChange(show);
show();
