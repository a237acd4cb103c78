// Groups: permissions and members.
import { announce, byId, element, focusQuietly } from "/assets/dom.js";
import { confirmDialog } from "/assets/dialog.js";
import { markField, onSubmit, showProblem } from "/assets/form.js";
import { base, request, versionOf } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { dayText } from "/assets/time.js";
import { api, arrival, bringToTop, can, explained, isAdmin, isInSquash, PERMISSIONS, showNothing } from "./account.js";
import { combobox } from "./combobox.js";
import { count } from "./format.js";
import { peopleSource, personButton } from "./person.js";

const SQUASH = "Squash";

const place = byId("group");
const me = await arrival;
let groups = null;
/** Discards responses to earlier requests for details. */
let generation = 0;

if (can(me, "groups.read")) {
  byId("add-group").hidden = !isAdmin(me);
  byId("groups").hidden = false;
  groups = pagedList(byId("groups"), {
    path: `${api}/groups`,
    key: ({ name }) => name,
    empty: "No groups yet.",
    isBefore: (one, other) => one.name < other.name,
    item: (group) => element("li", {},
      element("a", { class: "fus-row-title", href: addressOf(group.name), click: (event) => open(event, group.name) }, group.name),
      element("span", { class: "quiet" }, count(group.memberCount, "member"))),
  });
  byId("add-group").addEventListener("click", () => {
    history.pushState(null, "", `${base}/groups`);
    showNew();
  });
  addEventListener("popstate", () => route());
  route({ isFirst: true });
} else if (isInSquash(me)) {
  // Members of the club see who else is in it.
  showMembersOnly();
} else {
  showNothing({ title: "Groups", text: "You do not have permission to see groups.", offersSignIn: me === null });
}

function addressOf(name) {
  return `${base}/groups?group=${encodeURIComponent(name)}`;
}

function open(event, name) {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", addressOf(name));
  show(name);
}

function route({ isFirst = false } = {}) {
  const name = new URLSearchParams(location.search).get("group");
  if (name) show(name, { isFocused: !isFirst });
  else close();
}

function close() {
  generation += 1;
  place.hidden = true;
  place.replaceChildren();
}

async function show(name, { isFocused = true } = {}) {
  generation += 1;
  const mine = generation;
  let group;
  try {
    group = await request("GET", `${api}/groups/${encodeURIComponent(name)}`);
  } catch (error) {
    if (mine !== generation) return;
    if (error.status === 404) reveal(element("h2", {}, name), element("p", {}, "There is no such group."));
    else showProblem(error);
    return;
  }
  if (mine !== generation) return;
  const isSquash = group.name === SQUASH;
  const heading = element("h2", { tabindex: "-1" }, group.name);
  const members = element("div", {});
  reveal(heading,
    isAdmin(me) && !isSquash ? settings(group) : description(group),
    members,
    isAdmin(me) && !isSquash ? element("p", { class: "actions" }, element("button", { type: "button", class: "plain danger", click: () => remove(name) }, "Delete group")) : null);
  showMembers(members, group);
  if (isFocused) focusHeading(heading);
}

function reveal(...nodes) {
  place.replaceChildren(element("div", { class: "fus-group" }, nodes));
  place.hidden = false;
}

function focusHeading(heading) {
  focusQuietly(heading);
  bringToTop(place);
}

function description(group) {
  return [
    group.description ? element("p", { class: "fus-text" }, group.description) : null,
    element("p", { class: "quiet" }, group.permissions.length ? `Members may ${group.permissions.map((permission) => PERMISSIONS[permission] ?? permission).join("; ")}.` : "Members get no permission from this group."),
    group.name === SQUASH ? element("p", { class: "quiet" }, "This group belongs to the squash club. It cannot be changed or deleted.") : null,
  ];
}

function capitalised(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** Check boxes of all permissions. Those that the caller lacks cannot be added. */
function permissionBoxes(held = []) {
  const lacking = Object.keys(PERMISSIONS).filter((permission) => !can(me, permission));
  return element("fieldset", { class: "fus-permissions" },
    element("legend", {}, "Members may"),
    Object.entries(PERMISSIONS).map(([permission, meaning]) => element("label", { class: "fus-check" },
      element("input", {
        type: "checkbox",
        name: permission,
        checked: held.includes(permission),
        disabled: lacking.includes(permission) && !held.includes(permission),
      }),
      element("span", {}, capitalised(meaning)))),
    lacking.length ? element("p", { class: "quiet" }, `You cannot let members ${lacking.map((permission) => PERMISSIONS[permission]).join(" or ")}, because you may not do so yourself.`) : null);
}

function chosenPermissions(values) {
  return Object.keys(PERMISSIONS).filter((permission) => values[permission]);
}

function settings(group) {
  const about = element("textarea", { name: "description", rows: 2, maxlength: 500 });
  about.value = group.description;
  const saved = element("span", { class: "quiet", role: "status" });
  const form = element("form", { class: "fus-fields", id: "group-form", novalidate: true },
    element("label", {}, "About ", about),
    permissionBoxes(group.permissions),
    element("p", { class: "actions" }, element("button", {}, "Save"), saved));
  onSubmit(form, async (values) => {
    saved.textContent = "";
    const body = { description: values.description, permissions: chosenPermissions(values) };
    try {
      group = await request("PUT", `${api}/groups/${encodeURIComponent(group.name)}`, { body, version: versionOf(group) });
    } catch (error) {
      throw explained(error);
    }
    groups.upsert(group);
    saved.textContent = "Saved.";
  }, { reset: false });
  return form;
}

function showNew() {
  generation += 1;
  const heading = element("h2", { tabindex: "-1" }, "New group");
  const form = element("form", { class: "fus-fields", novalidate: true },
    element("label", {}, "Name ", element("input", { name: "name", maxlength: 40, required: true, autocomplete: "off", autocapitalize: "none", spellcheck: "false" })),
    element("label", {}, "About ", element("textarea", { name: "description", rows: 2, maxlength: 500 })),
    permissionBoxes(),
    element("p", { class: "actions" }, element("button", {}, "Create"), element("button", { type: "button", class: "plain", click: close }, "Cancel")));
  onSubmit(form, async (values) => {
    const body = { name: values.name.trim(), description: values.description, permissions: chosenPermissions(values) };
    try {
      const group = await request("POST", `${api}/groups`, { body, once: true });
      groups.upsert(group);
      history.pushState(null, "", addressOf(group.name));
      await show(group.name);
    } catch (error) {
      throw explained(error);
    }
  }, { reset: false });
  reveal(heading, form);
  bringToTop(place);
  form.elements.name.focus();
}

async function remove(name) {
  const group = await request("GET", `${api}/groups/${encodeURIComponent(name)}`).catch(() => null);
  const number = group ? count(group.memberCount, "member") : "all members";
  if (!await confirmDialog({ title: `Delete ${name}?`, text: `${capitalised(number)} will lose what this group allows. This cannot be undone.`, action: "Delete", danger: true })) return;
  try {
    await request("DELETE", `${api}/groups/${encodeURIComponent(name)}`).catch((error) => {
      if (error.status !== 404) throw error;
    });
    groups.remove(name);
    history.replaceState(null, "", `${base}/groups`);
    close();
    focusQuietly(byId("groups-title"));
    announce("Deleted.");
  } catch (error) {
    showProblem(explained(error), { near: place });
  }
}

/** Whether the caller may add and remove members of a group. */
function mayManage(group) {
  if (group.name === SQUASH) return me.squash === "write";
  return can(me, "members.manage") && group.permissions.every((permission) => can(me, permission));
}

function mayNotManageBecause(group) {
  const lacking = group.permissions.filter((permission) => !can(me, permission));
  return group.name !== SQUASH && can(me, "members.manage") && lacking.length
    ? `You cannot change the members, because you do not have ${lacking.join(", ")}.` : null;
}

function showMembers(container, group) {
  const path = `${api}/groups/${encodeURIComponent(group.name)}/members`;
  const list = element("ul", { class: "fus-rows" });
  const isManaged = mayManage(group);
  const why = mayNotManageBecause(group);
  if (group.name === SQUASH && !isInSquash(me)) {
    container.replaceChildren(element("h3", {}, "Members"), element("p", { class: "quiet" }, "Only members of the Squash group see who is in it."));
    return;
  }
  container.replaceChildren(element("h3", {}, "Members"), ...(why ? [element("p", { class: "quiet" }, why)] : []), list);
  const members = pagedList(list, {
    path,
    key: ({ userId }) => userId,
    empty: "Nobody is in this group.",
    item: (member) => element("li", {},
      element("div", { class: "fus-row-text" }, personButton(member, me), element("span", { class: "quiet" }, `since ${dayText(member.addedAt.slice(0, 10), { weekday: false })}`)),
      isManaged || member.userId === me.userId
        ? element("button", { type: "button", class: "plain fus-cross", "aria-label": `Remove ${member.displayName}`, click: () => removeMember(member) }, "×") : null),
  });
  if (isManaged && can(me, "groups.read")) list.before(adder());

  function adder() {
    const input = element("input", { id: "add-member", autocomplete: "off", spellcheck: "false", placeholder: "Begin to type a name" });
    const button = element("button", { type: "button", class: "plain" }, "Add");
    const box = element("div", { class: "fus-adder-field" }, element("label", { for: "add-member" }, "Add a member"), element("div", { class: "fus-adder" }, input, button));
    let chosen = null;
    combobox(input, {
      ...peopleSource({ isLeftOut: ({ userId }) => userId === me.userId || members.values().some((member) => member.userId === userId) }),
      choose(person) {
        chosen = person;
        input.value = person.displayName;
        button.focus();
      },
      enter: () => button.click(),
    });
    input.addEventListener("input", () => { chosen = null; });
    button.addEventListener("click", async () => {
      if (!chosen) {
        markField(input, "Choose a person from the list.");
        input.focus();
        return;
      }
      const person = chosen;
      try {
        const added = await request("PUT", `${path}/${encodeURIComponent(person.userId)}`);
        members.upsert({ addedAt: new Date().toISOString(), addedBy: me.userId, ...person, ...added });
        chosen = null;
        input.value = "";
        input.focus();
        announce(`${person.displayName} is a member now.`);
        await showCount();
      } catch (error) {
        showProblem(error, { near: box });
      }
    });
    return box;
  }

  async function removeMember(member) {
    if (!await confirmDialog({ title: `Remove ${member.displayName} from ${group.name}?`, action: "Remove", danger: true })) return;
    try {
      await request("DELETE", `${path}/${encodeURIComponent(member.userId)}`).catch((error) => {
        if (error.status !== 404) throw error;
      });
      members.remove(member.userId);
      announce(`${member.displayName} is no longer a member.`);
      await showCount();
    } catch (error) {
      showProblem(error, { near: container });
    }
  }

  async function showCount() {
    if (groups) groups.upsert(await request("GET", `${api}/groups/${encodeURIComponent(group.name)}`));
  }
}

function showMembersOnly() {
  const members = element("div", {});
  reveal(element("h2", {}, SQUASH), members);
  showMembers(members, { name: SQUASH, permissions: [] });
}
