// The comments of a site: read, write, edit, delete, remove.
import { announce, element } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { onSubmit, showProblem } from "/assets/form.js";
import { request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { momentText } from "/assets/time.js";
import { api, can } from "./account.js";
import { menu } from "./menu.js";
import { avatar, personButton } from "./person.js";

/** Shows the comments of a site. `onCount` is called when there is one more or one less. */
export function comments(place, { siteId, me, onCount }) {
  const path = `${api}/sites/${siteId}/comments`;
  const list = element("ul", { class: "fus-comments" });
  /** The comment that is being edited, by its id. */
  let edited = null;

  if (me) place.append(newComment());
  place.append(list);
  const shown = pagedList(list, {
    path,
    key: ({ commentId }) => commentId,
    empty: "No comments yet.",
    item: (comment) => (comment.commentId === edited ? editor(comment) : row(comment)),
  });

  function newComment() {
    const text = element("textarea", { name: "body", rows: 2, maxlength: 4000, required: true });
    const form = element("form", { class: "fus-fields", novalidate: true, id: "comment-form" },
      element("label", {}, "Comment ", text),
      element("p", { class: "actions" }, element("button", {}, "Send")));
    onSubmit(form, async ({ body }) => {
      const comment = await request("POST", path, { body: { body }, once: true });
      shown.upsert(withAuthor(comment));
      onCount();
      announce("Your comment is there.");
    });
    return form;
  }

  function row(comment) {
    const isMine = me?.userId === comment.userId;
    const actions = comment.removed
      ? [isMine && deletion(comment)]
      : [
        isMine && { text: "Edit", run: () => edit(comment) },
        isMine && deletion(comment),
        !isMine && can(me, "comments.moderate") && { text: "Remove", danger: true, run: () => removal(comment) },
      ];
    return element("li", { class: "fus-comment" },
      avatar(comment),
      element("div", { class: "fus-comment-head" },
        personButton(comment, me), " ",
        element("span", { class: "quiet" }, times(comment))),
      menu(`More about ${isMine ? "your" : `${comment.displayName}’s`} comment`, actions.filter(Boolean)),
      comment.removed
        ? element("p", { class: "fus-comment-body quiet" }, `Removed by a moderator: ${comment.removed.reason}`)
        : element("p", { class: "fus-comment-body fus-text" }, comment.body));
  }

  function times({ createdAt, updatedAt, removed }) {
    const isEdited = !removed && updatedAt > createdAt;
    return `${momentText(createdAt)}${isEdited ? `, edited ${momentText(updatedAt)}` : ""}`;
  }

  function edit(comment) {
    edited = comment.commentId;
    shown.upsert(comment);
    const text = list.querySelector("form textarea");
    text.focus();
    text.setSelectionRange(text.value.length, text.value.length);
  }

  function editor(comment) {
    const text = element("textarea", { name: "body", rows: 3, maxlength: 4000, required: true });
    text.value = comment.body;
    const leave = (changed) => {
      edited = null;
      shown.upsert(changed);
      [...list.children].find((node) => node.dataset.key === comment.commentId)?.querySelector("summary, button")?.focus();
    };
    const form = element("form", { class: "fus-fields", novalidate: true },
      element("label", {}, "Your comment ", text),
      element("p", { class: "actions" }, element("button", {}, "Save"), element("button", { type: "button", class: "plain", click: () => leave(comment) }, "Cancel")));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") leave(comment);
    });
    onSubmit(form, async ({ body }) => {
      const changed = await request("PUT", `${path}/${comment.commentId}`, { body: { body } });
      leave({ ...comment, ...changed });
      announce("Saved.");
    }, { reset: false });
    return element("li", { class: "fus-comment fus-comment-edited" }, form);
  }

  function deletion(comment) {
    return {
      text: "Delete",
      danger: true,
      async run() {
        if (!await confirmDialog({ title: "Delete your comment?", text: "It cannot be brought back.", action: "Delete", danger: true })) return;
        try {
          await deleteComment(siteId, comment.commentId);
          shown.remove(comment.commentId);
          onCount();
          announce("Deleted.");
        } catch (error) {
          showProblem(error, { near: place });
        }
      },
    };
  }

  function removal(comment) {
    const form = element("form", { class: "fus-fields", novalidate: true },
      element("p", {}, `The text of ${comment.displayName}’s comment will be gone for good. The reason is shown in its place.`),
      element("label", {}, "Reason ", element("input", { name: "reason", maxlength: 200, required: true, autocomplete: "off" })),
      element("p", { class: "actions" }, element("button", { class: "danger" }, "Remove")));
    const { close } = sheet(form, { title: "Remove this comment?" });
    onSubmit(form, async ({ reason }) => {
      const changed = await request("POST", `${path}/${encodeURIComponent(comment.userId)}/${comment.commentId}/removal`, { body: { reason } });
      shown.upsert({ ...comment, body: "", removed: { at: new Date().toISOString(), reason }, ...changed });
      close();
      announce("Removed.");
    });
    form.elements.reason.focus();
  }

  /** What the server says about a new comment, with what it may leave out. */
  function withAuthor(comment) {
    return { userId: me.userId, displayName: me.displayName, avatarUrl: me.avatarUrl, ...comment };
  }
}

/** Deletes one's own comment. One that is gone already is deleted too. */
export async function deleteComment(siteId, commentId) {
  try {
    await request("DELETE", `${api}/sites/${siteId}/comments/${commentId}`);
  } catch (error) {
    if (error.status !== 404) throw error;
  }
}
