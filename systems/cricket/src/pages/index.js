// The list of matches, and beside it or instead of it one match.
import { byId, element, focusQuietly } from "/assets/dom.js";
import { base } from "/assets/http.js";
import "./nav.js";
import { listEvent, listState, markMatch, setFollowing, startList, watchList } from "./match-list.js";
import { matchView } from "./match-view.js";

/** The list beside a match has room. */
const wide = matchMedia("(min-width: 900px)");
let matchId = null;
const view = matchView({
  onFollowed: setFollowing,
  list: { isSeen: () => wide.matches, onState: listState, onEvent: listEvent, onStream: watch },
});

/** A page has one stream: that of the match has the list, too. */
function watch() {
  watchList(matchId === null || (wide.matches && !view.hasStream));
}

function route({ isFirst = false } = {}) {
  const before = matchId;
  matchId = /\/match\/([^/]+)\/?$/.exec(location.pathname)?.[1] ?? null;
  if (matchId) matchId = decodeURIComponent(matchId);
  byId("main").classList.toggle("has-match", matchId !== null);
  byId("match").hidden = matchId === null;
  byId("list-title").replaceWith(element(matchId ? "h2" : "h1", { id: "list-title" }, "Matches"));
  if (!isFirst && matchId === before) return;
  markMatch(matchId);
  if (matchId) {
    scrollTo(0, 0);
    view.show(matchId, { isFocused: !isFirst });
    watch();
    return;
  }
  document.title = "Matches · Cricket";
  view.close();
  watch();
  scrollTo(0, history.state?.scroll ?? 0);
  if (isFirst) return;
  const opened = document.querySelector(`[data-key="${CSS.escape(before)}"] a`);
  if (opened) opened.focus({ preventScroll: true });
  else focusQuietly(byId("list-title"));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-route]");
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  history.replaceState({ scroll: scrollY }, "");
  const address = new URL(link.href);
  // The way back keeps the filter.
  if (address.pathname === base) address.search = location.search;
  history.pushState(null, "", address);
  route();
});
addEventListener("popstate", () => route());
wide.addEventListener("change", () => {
  view.listChanged();
  watch();
});
history.scrollRestoration = "manual";
startList({ onFollowed: (id, team) => view.setFollowing(id, team) });
route({ isFirst: true });
