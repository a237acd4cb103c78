// The caller's profile, ratings, comments and groups.
import { announce, byId, element } from "/assets/dom.js";
import { confirmDialog } from "/assets/dialog.js";
import { onSubmit, showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { tabs } from "/assets/tabs.js";
import { momentText } from "/assets/time.js";
import { api, arrival, groupNames, PERMISSIONS, showNothing } from "./account.js";
import { deleteComment } from "./comments.js";
import { menu } from "./menu.js";
import { avatar } from "./person.js";
import { deleteRating } from "./site-view.js";
import { drawnStars } from "./stars.js";

let me = await arrival;
if (me) show();
else showNothing({ title: "My profile", text: "Sign in to see your profile.", offersSignIn: true });

function show() {
  const form = byId("profile-form");
  for (const name of ["displayName", "description"]) form.elements[name].value = me[name] ?? "";
  showAvatar();
  showGroups();
  byId("last-login").textContent = me.lastLoginAt ? `Last login ${momentText(me.lastLoginAt)}${me.lastLoginIp ? ` from ${me.lastLoginIp}` : ""}` : "";
  onSubmit(form, save, { reset: false });
  byId("avatar-choose").addEventListener("click", () => byId("avatar-file").click());
  byId("avatar-file").addEventListener("change", chooseAvatar);
  byId("avatar-remove").addEventListener("click", removeAvatar);
  showLists();
  tabs(byId("mine"));
  byId("profile").hidden = false;
}

async function save({ displayName, description }) {
  byId("saved").textContent = "";
  await request("PUT", `${api}/me`, { body: { displayName, description } });
  me = await request("GET", `${api}/me`);
  byId("profile-form").elements.displayName.value = me.displayName;
  showAvatar();
  byId("saved").textContent = "Saved.";
}

function showAvatar() {
  byId("avatar").replaceChildren(avatar(me, { large: true }));
  byId("avatar-remove").hidden = !me.avatarUrl;
}

async function chooseAvatar() {
  const [file] = byId("avatar-file").files;
  byId("avatar-file").value = "";
  if (file) await changeAvatar("PUT", file, "Your picture is changed.");
}

async function removeAvatar() {
  byId("avatar-choose").focus();
  await changeAvatar("DELETE", undefined, "Your picture is removed.");
}

async function changeAvatar(method, body, said) {
  byId("avatar-note").textContent = "Working…";
  try {
    await request(method, `${api}/me/avatar`, { body });
    me = await request("GET", `${api}/me`);
    showAvatar();
    byId("avatar-note").textContent = said;
  } catch (error) {
    byId("avatar-note").textContent = "";
    showProblem(error, { near: byId("profile-form") });
  }
}

function showLists() {
  const ratings = pagedList(byId("rating-list"), {
    path: `${api}/me/ratings`,
    key: ({ siteId }) => siteId,
    empty: "You have rated nothing yet.",
    item: (rating) => element("li", {},
      element("div", { class: "fus-row-text" },
        siteLink(rating),
        element("span", { class: "fus-average" }, drawnStars(rating.stars * 2), element("span", { class: "quiet" },
          element("span", { class: "visually-hidden" }, `${rating.stars} of 5 stars, `), momentText(rating.updatedAt))),
        rating.note ? element("span", { class: "fus-text quiet" }, rating.note) : null),
      menu(`More about your rating of ${rating.siteTitle}`, [deletion("rating", () => deleteRating(rating.siteId), () => ratings.remove(rating.siteId))])),
  });
  const comments = pagedList(byId("comment-list"), {
    path: `${api}/me/comments`,
    key: ({ commentId }) => commentId,
    empty: "You have written nothing yet.",
    item: (comment) => element("li", {},
      element("div", { class: "fus-row-text" },
        siteLink(comment),
        comment.removed
          ? element("span", { class: "quiet" }, `Removed by a moderator: ${comment.removed.reason}`)
          : element("span", { class: "fus-text fus-clipped" }, comment.body),
        element("span", { class: "quiet" }, momentText(comment.createdAt), comment.updatedAt > comment.createdAt && !comment.removed ? ", edited" : "")),
      menu(`More about your comment on ${comment.siteTitle}`, [deletion("comment", () => deleteComment(comment.siteId, comment.commentId), () => comments.remove(comment.commentId))])),
  });
}

function siteLink({ siteId, siteTitle }) {
  return element("a", { class: "fus-row-title", href: `${base}/site/${siteId}` }, siteTitle);
}

function deletion(noun, carryOut, takeOut) {
  return {
    text: "Delete",
    danger: true,
    async run() {
      if (!await confirmDialog({ title: `Delete your ${noun}?`, text: "It cannot be brought back.", action: "Delete", danger: true })) return;
      try {
        await carryOut();
        takeOut();
        announce("Deleted.");
      } catch (error) {
        showProblem(error, { near: byId("mine") });
      }
    },
  };
}

function showGroups() {
  const names = groupNames(me);
  byId("group-list").replaceChildren(...names.map((name) => element("li", {},
    element("span", { class: "fus-row-title" }, name),
    element("button", { type: "button", class: "plain small", "aria-label": `Leave ${name}`, click: () => leave(name) }, "Leave"))));
  byId("rights").textContent = [
    names.length ? null : "You are in no group.",
    me.roles.length ? `Your role: ${me.roles.join(", ")}.` : null,
    me.permissions.length ? `You may ${me.permissions.map((permission) => PERMISSIONS[permission] ?? permission).join("; ")}.` : null,
  ].filter(Boolean).join(" ");
}

async function leave(name) {
  if (!await confirmDialog({ title: `Leave ${name}?`, text: "Only somebody else can add you again.", action: "Leave", danger: true })) return;
  try {
    await request("DELETE", `${api}/groups/${encodeURIComponent(name)}/members/${encodeURIComponent(me.userId)}`).catch((error) => {
      if (error.status !== 404) throw error;
    });
    // Rights, and with them the navigation, follow from groups.
    location.reload();
  } catch (error) {
    showProblem(error, { near: byId("mine") });
  }
}
