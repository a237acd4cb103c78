// Ball by ball, the newest first.
import { announce, byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { showRetry } from "./format.js";

/** The balls of one match. `nameOf(n)` names an innings. */
export function ballList({ nameOf }) {
  const balls = new Map();
  let id = null;
  let before = null;
  let isLoaded = false;
  byId("earlier").addEventListener("click", () => load({ isMore: true }));

  async function load({ isMore = false } = {}) {
    const asked = id;
    const known = balls.size;
    try {
      const query = isMore && before ? `?before=${encodeURIComponent(before)}` : "";
      const page = await request("GET", `${base}/matches/${encodeURIComponent(id)}/balls${query}`);
      if (asked !== id) return;
      if (!isMore && page.items.length) {
        // Balls that were withdrawn, or that a replay has taken back, are not there any more.
        const oldest = Number(page.items.at(-1).id);
        for (const key of balls.keys()) if (Number(key) >= oldest) balls.delete(key);
      }
      for (const ball of page.items) balls.set(ball.id, ball);
      if (isMore || before === null || known === 0) before = page.before ?? null;
      isLoaded = true;
      render();
      if (isMore) announce(`${page.items.length} earlier balls.`);
    } catch (error) {
      if (asked === id) showRetry(byId("balls-note"), error, () => load({ isMore }));
    }
  }

  function render() {
    const all = [...balls.values()].sort((one, other) => Number(other.id) - Number(one.id));
    let innings = null;
    const nodes = all.map((ball) => {
      const isFirst = ball.innings !== innings;
      innings = ball.innings;
      return element("li", { "data-key": ball.id, class: ball.event ? `cricket-ball is-${ball.event}` : "cricket-ball" },
        isFirst ? element("h3", { class: "cricket-innings" }, nameOf(ball.innings)) : null,
        element("span", { class: "cricket-over" }, ball.over), " ",
        symbol(ball.symbol), " ",
        element("span", { class: "cricket-ball-text" }, ball.text));
    });
    replaceKeepingFocus(byId("balls"), nodes);
    byId("balls-note").textContent = isLoaded && all.length === 0 ? "No ball yet." : "";
    byId("earlier").hidden = !before;
  }

  return {
    show(matchId) {
      if (id !== matchId) {
        balls.clear();
        before = null;
        isLoaded = false;
        id = matchId;
        byId("balls").replaceChildren();
        byId("balls-note").textContent = "Loading…";
        byId("earlier").hidden = true;
      }
      return load();
    },
    /** What the stream says of the balls. */
    change({ added = [], changed = [], removed = [] }) {
      for (const gone of removed) balls.delete(gone);
      for (const ball of [...added, ...changed]) if (added.includes(ball) || balls.has(ball.id)) balls.set(ball.id, ball);
      render();
    },
  };
}

/** A ball as a small sign: kinds differ in shape and letter, not in colour alone. */
export function symbol(text) {
  const kind = text.includes("W") ? "wicket" : text === "6" ? "six" : text === "4" ? "four" : "plain";
  return element("span", { class: `cricket-symbol is-${kind}` }, text);
}
