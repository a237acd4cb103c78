// The scorecard: batters, extras, wickets and bowlers of one innings at a time.
import { byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { base, request } from "/assets/http.js";
import { showRetry } from "./format.js";

/** Buttons of which one is pressed: the innings. */
export function inningsChooser(all, chosen, choose) {
  return element("div", { class: "cricket-chooser", role: "group", "aria-label": "Innings" }, all.map(({ n, text }) => element("button", {
    type: "button",
    class: n === chosen ? "small" : "plain small",
    "aria-pressed": String(n === chosen),
    "data-key": `innings-${n}`,
    click: () => choose(n),
  }, text)));
}

/** The scorecard of one match. */
export function scorecard() {
  const place = byId("scorecard");
  let id = null;
  let card = null;
  let chosen = null;

  async function load() {
    const asked = id;
    try {
      const loaded = await request("GET", `${base}/matches/${encodeURIComponent(id)}/scorecard`);
      if (asked !== id) return;
      card = loaded;
      render();
    } catch (error) {
      if (asked !== id) return;
      const problem = element("div");
      place.prepend(problem);
      showRetry(problem, error, load);
    }
  }

  function render() {
    const innings = card.innings;
    if (innings.length === 0) {
      place.replaceChildren(element("p", { class: "quiet" }, "No scorecard for this match."));
      return;
    }
    const one = innings.find(({ n }) => n === chosen) ?? innings.at(-1);
    replaceKeepingFocus(place, [
      inningsChooser(innings.map(({ n, code, score }) => ({ n, text: `${code} ${score}` })), one.n, (n) => {
        chosen = n;
        render();
      }),
      element("div", { class: "card" },
        element("h2", {}, "Batting"),
        batting(one),
        one.didNotBat.length ? element("p", {}, element("strong", {}, "Did not bat "), one.didNotBat.join(", ")) : null,
        one.fall.length ? [element("h2", {}, "Fall of wickets"), element("p", { class: "cricket-fall" }, one.fall.map(({ score, name, over }) => `${score} (${name} ${over})`).join(", "))] : null,
        element("h2", {}, "Bowling"),
        bowling(one)),
    ]);
  }

  return {
    show(matchId) {
      if (id !== matchId) {
        card = null;
        chosen = null;
        place.replaceChildren(element("p", { class: "quiet" }, "Loading…"));
      }
      id = matchId;
      return load();
    },
  };
}

function heads(...names) {
  return element("thead", {}, element("tr", {}, names.map(([text, full]) => element("th", { scope: "col" }, full ? element("abbr", { title: full }, text) : text))));
}

function batting({ code, batting: lines, extras, score }) {
  const kinds = [["wd", extras.wd], ["nb", extras.nb], ["b", extras.b], ["lb", extras.lb], ["pen", extras.pen]].filter(([, runs]) => runs > 0);
  return element("table", { class: "cricket-figures" },
    element("caption", { class: "visually-hidden" }, `Batting of ${code}`),
    heads(["Batter"], ["R", "Runs"], ["B", "Balls"], ["4s", "Fours"], ["6s", "Sixes"], ["SR", "Strike rate"]),
    element("tbody", {}, lines.map((line) => element("tr", { class: line.how === "not out" ? "is-in" : null },
      element("th", { scope: "row" }, line.name, line.how === "not out" ? "*" : null, element("span", { class: "cricket-how quiet" }, line.how)),
      [line.runs, line.balls, line.fours, line.sixes, line.strikeRate ?? "–"].map((cell) => element("td", {}, String(cell)))))),
    element("tfoot", {},
      element("tr", {}, element("th", { scope: "row" }, "Extras ", element("span", { class: "quiet" }, kinds.map(([kind, runs]) => `${kind} ${runs}`).join(" "))), element("td", {}, String(extras.total)), element("td", { colspan: "4" })),
      element("tr", {}, element("th", { scope: "row" }, "Total"), element("td", { colspan: "5" }, score))));
}

function bowling({ code, bowling: lines }) {
  return element("table", { class: "cricket-figures" },
    element("caption", { class: "visually-hidden" }, `Bowling against ${code}`),
    heads(["Bowler"], ["O", "Overs"], ["M", "Maidens"], ["R", "Runs"], ["W", "Wickets"], ["Ec", "Economy"]),
    element("tbody", {}, lines.map((line) => element("tr", {},
      element("th", { scope: "row" }, line.name),
      [line.overs, line.maidens, line.runs, line.wickets, line.economy ?? "–"].map((cell) => element("td", {}, String(cell)))))));
}
