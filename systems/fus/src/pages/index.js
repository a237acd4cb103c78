// The catalogue, and beside it or instead of it one site.
import { announce, byId, element, focusQuietly, replaceKeepingFocus } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { api, arrival, isAdmin } from "./account.js";
import { combobox } from "./combobox.js";
import { hostOf } from "./format.js";
import { averageOf, logo, siteView } from "./site-view.js";
import { chooseTag, tagAddress, tagLink, tagOf } from "./tags.js";

/** How many tags one can filter by without opening the list of all. */
const CHIPS_MAX = 7;
/** How many tags of a site its card shows. */
const CARD_TAGS_MAX = 4;

let tag = null;
let siteId = null;
let sites = null;
/** How many of the sites that were read have a tag. */
const tagCounts = new Map();
const counted = new Set();
let chipsAreDue = false;

const view = siteView(byId("site"), {
  arrival,
  tag: () => tag,
  onChange(site) {
    if (sites.values().some(({ id }) => id === site.id)) sites.upsert(site);
  },
});

function card(site) {
  countTags(site);
  return element("li", { class: "card fus-card" },
    logo(site),
    element("div", { class: "fus-card-text" },
      element("a", { class: "fus-card-title", href: siteAddress(site.id), "data-route": true, "aria-current": site.id === siteId ? "true" : null }, site.title),
      averageOf(site, { isShort: true }),
      site.description ? element("span", { class: "fus-card-about" }, site.description) : null,
      element("span", { class: "fus-card-where quiet" }, hostOf(site.url), site.tags.length ? element("span", { class: "fus-card-tags" },
        site.tags.slice(0, CARD_TAGS_MAX).map((one) => ` #${one}`), site.tags.length > CARD_TAGS_MAX ? ` +${site.tags.length - CARD_TAGS_MAX}` : null) : null)));
}

function siteAddress(id) {
  return `${base}/site/${id}${tag ? `?tag=${encodeURIComponent(tag)}` : ""}`;
}

function showList() {
  const list = element("ul", { class: "fus-cards" });
  byId("sites").replaceChildren(list);
  sites = pagedList(list, {
    path: `${api}/sites?limit=50${tag ? `&tag=${encodeURIComponent(tag)}` : ""}`,
    key: ({ id }) => id,
    empty: tag ? "No sites with this tag." : "No sites yet.",
    item: card,
  });
}

/** The tags that most of the sites have which were read are offered first. */
function countTags(site) {
  if (counted.has(site.id)) return;
  counted.add(site.id);
  for (const one of site.tags) tagCounts.set(one, (tagCounts.get(one) ?? 0) + 1);
  if (chipsAreDue) return;
  chipsAreDue = true;
  queueMicrotask(showChips);
}

function showChips() {
  chipsAreDue = false;
  const often = [...tagCounts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).map(([one]) => one);
  const shown = often.slice(0, CHIPS_MAX);
  if (tag && !shown.includes(tag)) shown.unshift(tag);
  replaceKeepingFocus(byId("tags"), [
    ...(tag ? [element("a", { class: "fus-chip", href: tagAddress(null), "data-route": true, "data-key": "#" }, "× All sites")] : []),
    ...shown.map((one) => tagLink(one, { chosen: one === tag })),
    element("button", { type: "button", class: "fus-chip fus-chip-more", "data-key": "##", click: () => chooseTag((one) => go(tagAddress(one))) }, "All tags"),
  ]);
}

/** Goes to an address of this page without loading it again. */
function go(address) {
  history.replaceState({ scroll: scrollY }, "");
  history.pushState(null, "", address);
  route();
}

function route({ isFirst = false } = {}) {
  const before = { tag, siteId };
  tag = new URLSearchParams(location.search).get("tag");
  siteId = /\/site\/([^/]+)\/?$/.exec(location.pathname)?.[1] ?? null;
  byId("main").classList.toggle("has-site", siteId !== null);
  byId("site").hidden = siteId === null;
  showHeading();
  if (isFirst || tag !== before.tag) {
    showList();
    showChips();
  } else markCard();
  if (siteId === before.siteId) {
    if (!isFirst) {
      scrollTo(0, 0);
      announce(byId("catalogue-title").textContent);
    }
  } else if (siteId) {
    scrollTo(0, 0);
    view.show(siteId, { isFocused: !isFirst });
  } else {
    byId("site").replaceChildren();
    scrollTo(0, history.state?.scroll ?? 0);
    const opened = byId("sites").querySelector(`[data-key="${CSS.escape(before.siteId)}"] a`);
    if (opened) opened.focus({ preventScroll: true });
    else focusQuietly(byId("catalogue-title"));
  }
}

/** The site that is shown has the first heading, else the catalogue. */
function showHeading() {
  document.title = tag ? `#${tag} · FUS` : "Sites · FUS";
  byId("catalogue-title").replaceWith(element(siteId ? "h2" : "h1", { id: "catalogue-title" }, tag ? `Sites with #${tag}` : "Sites"));
}

function markCard() {
  for (const node of byId("sites").querySelectorAll("[data-key]")) {
    const link = node.querySelector("a");
    link.href = siteAddress(node.dataset.key);
    if (node.dataset.key === siteId) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

const search = byId("search-text");
const suggestions = combobox(search, {
  name: "Sites and tags",
  async suggest(text, signal) {
    const found = await request("GET", `${api}/search?q=${encodeURIComponent([...text].slice(0, 100).join(""))}`, { signal });
    // Sites first, unless the query is exactly a tag.
    const typed = tagOf(text);
    const [same, others] = [true, false].map((isSame) => found.tags.filter((one) => (one === typed) === isSame).map((one) => ({ tag: one })));
    return {
      values: [...same, ...found.sites, ...others],
      note: found.partial ? "Type more to narrow the list." : undefined,
    };
  },
  label: (value) => [
    element("span", { class: "badge" }, value.tag ? "tag" : "site"), " ",
    element("span", {}, value.tag ?? value.title),
  ],
  choose: take,
  enter: (values) => { if (values.length) take(values[0]); },
});

function take(value) {
  clearSearch();
  go(value.tag ? tagAddress(value.tag) : siteAddress(value.id));
}

function clearSearch() {
  search.value = "";
  byId("search-clear").hidden = true;
  suggestions.close();
}

search.addEventListener("input", () => { byId("search-clear").hidden = search.value === ""; });
search.addEventListener("keydown", (event) => { if (event.key === "Escape") clearSearch(); });
byId("search-clear").addEventListener("click", () => {
  clearSearch();
  search.focus();
});
byId("search").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-route]");
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.href);
});
addEventListener("popstate", () => route());
history.scrollRestoration = "manual";
route({ isFirst: true });
arrival.then((me) => { byId("add-site").hidden = !isAdmin(me); });
