// Stars: drawn for an average, and to choose from.
import { element, shape } from "/assets/dom.js";

const STAR = "M10 1.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8L10 14.9l-5.2 2.7 1-5.8L1.6 7.7l5.8-.8z";

/** Five stars, filled by halves. What they say stands beside them as text, so they are hidden from screen readers. */
export function drawnStars(halves) {
  const stars = Array.from({ length: 5 }, (_, index) => {
    const filled = Math.max(0, Math.min(2, halves - index * 2));
    return shape("svg", { x: index * 20, width: 20, height: 20, viewBox: "0 0 20 20" },
      shape("path", { d: STAR, class: "fus-star-ground" }),
      // Half a star is its left half: the drawing is cut off in the middle.
      filled ? shape("svg", { width: filled * 10, height: 20, viewBox: `0 0 ${filled * 10} 20` }, shape("path", { d: STAR, class: "fus-star-fill" })) : null);
  });
  return shape("svg", { class: "fus-stars", viewBox: "0 0 100 20", "aria-hidden": "true", focusable: "false" }, stars);
}

/** Five radio buttons named `stars`. */
export function starChoice(chosen) {
  return element("fieldset", { class: "fus-choice" },
    element("legend", {}, "My rating"),
    [1, 2, 3, 4, 5].map((number) => element("label", { class: "fus-choice-star" },
      element("input", { type: "radio", name: "stars", value: number, checked: number === chosen }),
      shape("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, shape("path", { d: STAR })),
      element("span", { class: "fus-choice-number", "aria-hidden": "true" }, String(number)),
      element("span", { class: "visually-hidden" }, number === 1 ? "1 star" : `${number} stars`))));
}
