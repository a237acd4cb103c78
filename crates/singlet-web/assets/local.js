// Development sign-in.
import { byId, element } from "/assets/dom.js";
import { onSubmit, showProblem } from "/assets/form.js";
import { request } from "/assets/http.js";
import { caller, onChange, signOut, token } from "/assets/session.js";

function show() {
  const who = caller();
  const groups = who?.groups.length ? ` (${who.groups.join(", ")})` : "";
  byId("now").replaceChildren(
    who ? `You are signed in as ${who.name}${groups}. ` : "You are a visitor: nobody is signed in. ",
    who ? element("button", { type: "button", class: "plain small", click: leave }, "Sign out") : "");
}

/**
 * The address to return to, with query and fragment. Null unless it is a path on this server that
 * begins with exactly one `/`.
 */
function returnAddress() {
  const path = new URLSearchParams(location.hash.slice(1)).get("return") ?? "";
  if (!/^\/(?![/\\])/.test(path)) return null;
  try {
    // Browsers ignore tabs and line breaks in addresses, so `/<tab>/host` names another site.
    const address = new URL(path, location.origin);
    return address.origin === location.origin ? address.href : null;
  } catch {
    return null;
  }
}

function goBack() {
  const address = returnAddress();
  if (address) location.assign(address);
}

function leave() {
  signOut();
  goBack();
}

async function signIn(body) {
  const signed = await request("POST", "/local/tokens", { body });
  token.keep(signed.token);
  goBack();
}

async function signInAs(system, subject, near) {
  try {
    await signIn({ persona: { system, subject } });
  } catch (error) {
    showProblem(error, { near });
  }
}

async function showPersonas() {
  let systems;
  try {
    ({ systems } = await request("GET", "/local/personas"));
  } catch (error) {
    if (error.status !== 404) showProblem(error);
    return;
  }
  // The system that the person came from is listed first.
  const address = returnAddress();
  const origin = address && new URL(address).pathname.split("/")[1];
  systems.sort((one, other) => (other.name === origin) - (one.name === origin));
  byId("personas").replaceChildren(...systems.map(({ name, title, personas }) => {
    const section = element("section", { class: "card personas" }, element("h2", {}, title));
    section.append(element("ul", {}, personas.map((persona) => element("li", {},
      element("button", { type: "button", class: "plain", click: () => signInAs(name, persona.subject, section) },
        element("b", {}, persona.name), element("span", { class: "quiet" }, persona.description)))),
    element("li", {}, element("button", { type: "button", class: "plain", click: leave },
      element("b", {}, "Visitor"), element("span", { class: "quiet" }, "nobody is signed in")))));
    return section;
  }));
}

onSubmit(byId("sign-in"), ({ name, groups }) => signIn({ name, groups: groups.split(/\s+/).filter(Boolean) }));
onChange(show);
show();
showPersonas();
