// People: their picture, and what others see of them.
import { element } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";
import { request } from "/assets/http.js";
import { momentText } from "/assets/time.js";
import { api, can } from "./account.js";
import { initials } from "./format.js";

/** The picture of a person, or the initials of their name. The name stands beside it, so it says nothing. */
export function avatar({ userId, displayName, avatarUrl }, { large = false } = {}) {
  const size = large ? " fus-avatar-large" : "";
  if (avatarUrl) return element("img", { class: `fus-avatar${size}`, src: avatarUrl, alt: "", loading: "lazy", decoding: "async" });
  const colour = [...userId].reduce((total, character) => (total * 31 + character.codePointAt(0)) % 6, 0);
  return element("span", { class: `fus-avatar${size} chart-${colour}`, "aria-hidden": "true" }, initials(displayName));
}

/** A name that opens what there is to know about the person. */
export function personButton(person, me) {
  return element("button", { type: "button", class: "fus-person", click: () => showPerson(person, me) }, person.displayName);
}

async function showPerson({ userId, displayName }, me) {
  const content = element("div", { class: "fus-profile", role: "status" }, element("p", { class: "quiet" }, "Loading…"));
  sheet(content, { title: displayName });
  try {
    const [person, groups] = await Promise.all([
      request("GET", `${api}/users/${encodeURIComponent(userId)}`),
      can(me, "groups.read") ? request("GET", `${api}/users/${encodeURIComponent(userId)}/groups`) : null,
    ]);
    content.replaceChildren(element("div", {},
      avatar(person, { large: true }),
      element("p", { class: "fus-text" }, person.description || "Nothing about this person yet."),
      groups ? element("p", {}, groups.items.length ? `In ${groups.items.map((group) => group.name ?? group.groupName).join(", ")}.` : "In no group.") : null,
      person.lastLoginAt ? element("p", { class: "quiet" }, `Last login ${momentText(person.lastLoginAt)}${person.lastLoginIp ? ` from ${person.lastLoginIp}` : ""}.`) : null));
  } catch (error) {
    const text = error.code === "user-not-found" ? "This person has no profile." : error.message;
    content.replaceChildren(element("p", {}, text));
  }
}

/** Suggestions of people whose name begins as typed, for a combobox. */
export function peopleSource({ isLeftOut = () => false } = {}) {
  return {
    name: "People",
    lengthMin: 1,
    suggest: async (text, signal) => {
      const { items } = await request("GET", `${api}/people?prefix=${encodeURIComponent(text)}`, { signal });
      return { values: items.filter((person) => !isLeftOut(person)) };
    },
    label: (person) => person.displayName,
  };
}
