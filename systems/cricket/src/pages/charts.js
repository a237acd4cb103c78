// Worm, Manhattan and rates of a match.
import { byId, element, replaceKeepingFocus, shape } from "/assets/dom.js";
import { barChart, lineChart } from "/assets/chart.js";
import { base, request } from "/assets/http.js";
import { showRetry } from "./format.js";
import { inningsChooser } from "./scorecard.js";

/** So many overs have a number each below their bar. */
const LABELS_MAX = 10;

/** The charts of one match. */
export function charts({ ballsOf }) {
  const place = byId("charts");
  let id = null;
  let text = null;
  let all = [];
  let chosen = null;
  let isOpen = false;

  async function load() {
    const asked = id;
    try {
      const loaded = await request("GET", `${base}/matches/${encodeURIComponent(id)}/charts`);
      if (asked !== id) return;
      const now = JSON.stringify(loaded);
      if (now === text) return;
      text = now;
      all = loaded.innings.filter(({ overs }) => overs.length);
      render();
    } catch (error) {
      if (asked !== id) return;
      const problem = element("div");
      place.prepend(problem);
      showRetry(problem, error, load);
    }
  }

  function render() {
    if (all.length === 0) {
      place.replaceChildren(element("p", { class: "quiet" }, "No charts for this match."));
      return;
    }
    const one = all.find(({ n }) => n === chosen) ?? all.at(-1);
    const worm = shape("svg");
    const manhattan = shape("svg");
    isOpen = place.querySelector("details")?.open ?? isOpen;
    replaceKeepingFocus(place, [
      element("section", { class: "card" }, element("h2", {}, "Worm"), worm),
      element("section", { class: "card" }, element("h2", {}, "Manhattan"),
        inningsChooser(all.map((innings) => ({ n: innings.n, text: name(innings) })), one.n, (n) => {
          chosen = n;
          render();
        }),
        manhattan,
        element("p", { class: "quiet" }, element("span", { class: "cricket-wicket-key", "aria-hidden": "true" }, "● "), "A dot is a wicket in that over."),
        element("details", { class: "cricket-rates", open: isOpen, "data-key": "rates" }, element("summary", {}, "Rates per over"), rates(one, ballsOf(one.n)))),
    ]);
    lineChart(worm, {
      title: "Runs after each over",
      series: all.map((innings) => ({ name: name(innings), points: [[0, 0], ...innings.overs.map(({ o, total }) => [o, total])] })),
      x: { label: "Overs" },
      y: { label: "Runs" },
    });
    barChart(manhattan, { title: `Runs in each over, ${name(one)}`, bars: one.overs.map(({ o, runs }) => ({ label: String(o), value: runs })), y: { label: "Runs" } });
    markWickets(manhattan, one.overs);
  }

  function name(innings) {
    const ofTeam = all.filter(({ team }) => team === innings.team);
    return ofTeam.length > 1 ? `${innings.code} ${ofTeam.indexOf(innings) + 1}` : innings.code;
  }

  return {
    show(matchId) {
      if (id !== matchId) {
        text = null;
        all = [];
        chosen = null;
        place.replaceChildren(element("p", { class: "quiet" }, "Loading…"));
      }
      id = matchId;
      return load();
    },
  };
}

/** Dots above the bars, and no more numbers below them than there is room for. */
function markWickets(svg, overs) {
  const bars = [...svg.querySelectorAll(".chart-bar")];
  bars.forEach((bar, index) => {
    const [x, y, width] = ["x", "y", "width"].map((key) => Number(bar.getAttribute(key)));
    const radius = Math.min(4, Math.max(2, width / 2));
    for (let wicket = 0; wicket < overs[index].wickets; wicket += 1) {
      svg.append(shape("circle", { class: "cricket-wicket", cx: x + width / 2, cy: Math.max(6, y - 8 - wicket * (radius * 2 + 2)), r: radius }));
    }
    const label = bar.nextElementSibling;
    const step = overs.length <= LABELS_MAX ? 1 : overs.length <= 60 ? 5 : 10;
    if (step > 1 && overs[index].o % step !== 0 && overs[index].o !== 1) label.remove();
    else label.textContent = String(overs[index].o);
  });
}

/** `balls` is how many there were so far: the last over may not be complete. */
function rates({ overs, code }, balls) {
  const rate = ({ o, total }) => ((6 * total) / (o === overs.at(-1).o && balls ? balls : 6 * o)).toFixed(2);
  return element("table", { class: "cricket-figures" },
    element("caption", { class: "visually-hidden" }, `Overs of ${code}`),
    element("thead", {}, element("tr", {}, ["Over", "Runs", "Wickets", "Total", "Run rate"].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, overs.map((over) => element("tr", {},
      element("th", { scope: "row" }, String(over.o)),
      [over.runs, over.wickets, over.total, rate(over)].map((cell) => element("td", {}, String(cell)))))));
}
