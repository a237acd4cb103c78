// One site: details, ratings, the caller's rating, comments.
import { announce, element, focusQuietly, shape } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { markField, onSubmit, showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { signInLink } from "/assets/session.js";
import { api, isAdmin, showNothing } from "./account.js";
import { comments } from "./comments.js";
import { count, hostOf, initials, webAddress } from "./format.js";
import { personButton } from "./person.js";
import { addUp, formatTenths } from "./rating.js";
import { drawnStars, starChoice } from "./stars.js";
import { tagAddress, tagLinks } from "./tags.js";

/** How many tags are shown at first. */
const TAGS_MAX = 12;

/** The average of a site as stars, a figure and a number of ratings. */
export function averageOf(site, { isShort = false } = {}) {
  const { tenths, halves, count: ratings } = addUp(site.histogram);
  if (tenths === null) return element("span", { class: "fus-average quiet" }, "No ratings yet");
  return element("span", { class: "fus-average" },
    element("b", {}, formatTenths(tenths), element("span", { class: "visually-hidden" }, " of 5 stars,")),
    drawnStars(halves),
    element("span", { class: "quiet" }, isShort ? element("span", { "aria-hidden": "true" }, `(${ratings})`) : count(ratings, "rating"),
      isShort ? element("span", { class: "visually-hidden" }, count(ratings, "rating")) : null));
}

/** The logo of a site, or the initials of its title, which stands beside it. */
export function logo(site) {
  if (site.logoUrl) return element("img", { class: "fus-logo", src: site.logoUrl, alt: "", loading: "lazy", decoding: "async" });
  const colour = [...site.title].reduce((total, character) => (total * 31 + character.codePointAt(0)) % 6, 0);
  return element("span", { class: `fus-logo chart-${colour}`, "aria-hidden": "true" }, initials(site.title));
}

/** Deletes the caller's rating. A missing rating counts as deleted. */
export async function deleteRating(siteId) {
  try {
    await request("DELETE", `${api}/sites/${siteId}/rating`);
  } catch (error) {
    if (error.status !== 404) throw error;
  }
}

/**
 * Shows sites in `place`, one at a time. `onChange` gets a site whose ratings or comments have
 * changed; `tag` says which tag the catalogue beside it is filtered by.
 */
export function siteView(place, { arrival, onChange, tag }) {
  /** Discards responses to earlier views. */
  let generation = 0;

  /** `segment` is the id as it stands in the address. */
  async function show(segment, { isFocused = true } = {}) {
    generation += 1;
    const mine = generation;
    place.replaceChildren(element("p", { class: "quiet", role: "status" }, "Loading…"));
    const path = `${api}/sites/${segment}`;
    try {
      const [site, me] = await Promise.all([request("GET", path), arrival]);
      const rating = me ? await request("GET", `${path}/rating`) : null;
      if (mine !== generation) return;
      draw(site, { me, rating, path });
    } catch (error) {
      if (mine !== generation) return;
      if (error.status === 404) showNothing({ place, title: "Not found", text: "This site is not in the catalogue." });
      else {
        place.replaceChildren(element("h1", {}, "Site"));
        showProblem(error, { near: place });
      }
    }
    if (isFocused) focusQuietly(place.querySelector("h1"));
  }

  function draw(site, { me, rating, path }) {
    document.title = `${site.title} · FUS`;
    const address = webAddress(site.url);
    const summary = element("section", { class: "card fus-summary", "aria-label": "Ratings" });
    const commentsTitle = element("h2", {}, "");
    const talk = element("section", { class: "card", "aria-label": "Comments" }, commentsTitle);

    function drawSummary() {
      summary.replaceChildren(element("p", { class: "fus-summary-average" }, averageOf(site)), histogram(site, me));
      commentsTitle.textContent = site.commentCount ? count(site.commentCount, "comment") : "Comments";
    }

    async function readAgain() {
      site = await request("GET", path);
      drawSummary();
      onChange(site);
    }

    drawSummary();
    place.replaceChildren(element("div", { class: "fus-site" },
      element("p", { class: "fus-back" }, element("a", { href: tagAddress(tag()), "data-route": true }, "‹ All sites"),
        isAdmin(me) ? element("a", { class: "button plain small", href: `${base}/edit/${site.id}` }, "Edit") : null),
      element("header", { class: "fus-site-head" }, logo(site),
        element("div", {},
          element("h1", { tabindex: "-1" }, address
            ? element("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow ugc" }, site.title, element("span", { class: "visually-hidden" }, " (opens in a new tab)"))
            : site.title),
          element("p", { class: "quiet" }, hostOf(site.url)))),
      site.tags.length ? element("p", { class: "fus-chips" }, tagLinks(site.tags, TAGS_MAX)) : null,
      site.description ? element("p", { class: "fus-text" }, site.description) : null,
      site.scrapedContent ? element("details", { class: "fus-page-text" }, element("summary", {}, "Page text"), element("p", { class: "fus-text" }, site.scrapedContent)) : null,
      summary,
      me ? ratingForm({ rating, path, siteId: site.id, readAgain }) : visitorNote(),
      talk));
    comments(talk, { siteId: site.id, me, onCount: () => readAgain().catch((error) => showProblem(error, { near: talk })) });
  }

  return { show };
}

function visitorNote() {
  return element("div", { class: "card fus-visitor" }, element("p", {}, "Sign in to rate and comment."), signInLink());
}

/** A bar per number of stars; signed-in users can see who gave them. */
function histogram(site, me) {
  const { bars, count: ratings } = addUp(site.histogram);
  return element("ul", { class: "fus-histogram", "aria-label": "Ratings by stars" }, [5, 4, 3, 2, 1].map((stars) => {
    const number = site.histogram[stars - 1];
    const content = [
      element("span", { "aria-hidden": "true" }, `${stars} ★`),
      shape("svg", { class: "fus-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        shape("rect", { class: "fus-bar-ground", width: 100, height: 10 }),
        shape("rect", { class: "fus-bar-fill", width: bars[stars - 1], height: 10 })),
      element("span", { class: "fus-bar-number", "aria-hidden": "true" }, String(number)),
      element("span", { class: "visually-hidden" }, `${count(stars, "star")}: ${count(number, "rating")}, ${ratings ? bars[stars - 1] : 0} %`),
    ];
    return element("li", {}, me && number > 0
      ? element("button", { type: "button", class: "fus-bar-row", click: () => showRaters(site, stars, me) }, content)
      : element("span", { class: "fus-bar-row" }, content));
  }));
}

function showRaters(site, stars, me) {
  const list = element("ul", { class: "fus-rows" });
  sheet(element("div", {}, list), { title: `Who gave ${count(stars, "star")}` });
  pagedList(list, {
    path: `${api}/ratings?stars=${stars}&site=${encodeURIComponent(site.id)}`,
    key: ({ userId }) => userId,
    empty: "Nobody.",
    item: (rating) => element("li", {}, personButton(rating, me)),
  });
}

function ratingForm({ rating, path, siteId, readAgain }) {
  const note = element("input", { name: "note", maxlength: 500, autocomplete: "off" });
  const remove = element("button", { type: "button", class: "plain", hidden: !rating }, "Remove");
  // `announce` informs screen readers.
  const saved = element("span", { class: "quiet", "aria-hidden": "true" });
  const form = element("form", { class: "card fus-fields", id: "rating-form", novalidate: true },
    starChoice(rating?.stars),
    element("label", {}, "Note for myself ", note),
    element("p", { class: "actions" }, element("button", {}, "Save"), remove, saved));
  note.value = rating?.note ?? "";
  // Errors are shown at the first star; choosing any star clears them.
  form.addEventListener("input", () => { saved.textContent = ""; });
  form.addEventListener("change", () => form.querySelector("[name=stars]").dispatchEvent(new Event("input")));
  onSubmit(form, async ({ stars, note: text }) => {
    if (!stars) {
      const first = form.querySelector("[name=stars]");
      markField(first, "Choose a number of stars.");
      first.focus();
      return;
    }
    await request("PUT", `${path}/rating`, { body: { stars: Number(stars), note: text } });
    remove.hidden = false;
    await readAgain();
    saved.textContent = "Your rating is saved.";
    announce(saved.textContent);
  }, { reset: false });
  remove.addEventListener("click", async () => {
    if (!await confirmDialog({ title: "Remove your rating?", action: "Remove", danger: true })) return;
    try {
      await deleteRating(siteId);
      for (const radio of form.querySelectorAll("[name=stars]")) radio.checked = false;
      note.value = "";
      remove.hidden = true;
      form.querySelector("[name=stars]").focus();
      await readAgain();
      saved.textContent = "Your rating is removed.";
      announce(saved.textContent);
    } catch (error) {
      showProblem(error, { near: form });
    }
  });
  return form;
}
