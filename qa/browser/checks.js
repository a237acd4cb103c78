// What every page must be, whichever system it belongs to: the rules of axe-core, and ours.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { atRest, picture } from "./browser.js";

/** The screens on which every page is checked. */
export const SCREENS = [
  { name: "phone", viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  { name: "desk", viewport: { width: 1280, height: 800 } },
];
/** The smallest phone, on which nothing may be cut off. */
const SMALL = { width: 320, height: 640 };
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** How large whatever is pressed must be. */
const TARGET_PX_MIN = 44;
const TARGETS = "button, a[href], input, select, textarea, summary";

/** The rules that depend on colours. All others find the same in light and dark. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * Checks a page by all rules: in light and dark, and on a phone also on the smallest one. `where` names
 * it if it fails, and names its pictures, if there are to be any. `layout` is for `checkLayout`.
 */
export async function checkPage(page, where, screen, { layout, hasPictures = true } = {}) {
  for (const [colorScheme, checkIn] of [["dark", checkColours], ["light", checkAxe]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Colours that are still changing have no contrast that could be measured.
    await atRest(page);
    if (hasPictures) await picture(page, `${where.replaceAll("/", "_")}-${screen.name}-${colorScheme}`);
    await checkIn(page, `${where}, ${screen.name}, ${colorScheme}`);
  }
  await checkLayout(page, `${where}, ${screen.name}`, layout);
  if (!screen.isMobile) return;
  await page.setViewportSize(SMALL);
  await checkLayout(page, `${where}, ${SMALL.width} pixels`, layout);
  await page.setViewportSize(screen.viewport);
}

/** Checks a page by the rules of axe-core. `where` names it if it fails. */
export async function checkAxe(page, where) {
  await runAxe(page, where);
}

/** Checks the colours of a page, of which everything else has been checked in another colour scheme. */
export async function checkColours(page, where) {
  await runAxe(page, where, { runOnly: COLOUR_RULES });
}

async function runAxe(page, where, options = {}) {
  // The policy of the page allows no script but its own: this one comes from the debugger, once for each document.
  if (!await page.evaluate("'axe' in window")) await page.evaluate(AXE);
  const found = await page.evaluate(async (options) => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"], ...options });
    return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(", ")}`);
  }, options);
  assert.deepEqual(found, [], `${where}: ${found.join("; ")}`);
}

/**
 * Checks a page by our rules: one h1, nothing wider than the screen, targets of 44 pixels. `targets`
 * selects what is pressed; `except` what may be smaller, as links within a sentence are; `narrow` what
 * must be high enough alone.
 */
export async function checkLayout(page, where, { targets = TARGETS, except = null, narrow = null } = {}) {
  const found = await page.evaluate(({ minimum, targets, except, narrow }) => {
    const problems = [];
    const headings = document.querySelectorAll("h1").length;
    if (headings !== 1) problems.push(`${headings} h1`);
    const wide = document.documentElement.scrollWidth;
    if (wide > innerWidth) problems.push(`${wide} px wide on ${innerWidth}`);
    for (const node of document.querySelectorAll(targets)) {
      if (except && node.matches(except)) continue;
      // Boxes are pressed by their label.
      const target = node.matches("input[type=checkbox], input[type=radio]") ? node.closest("label") : node;
      const { width, height } = target.getBoundingClientRect();
      // What has no width is not shown.
      if (width === 0) continue;
      const isWide = width >= minimum - 0.5 || (narrow && node.matches(narrow));
      if (!isWide || height < minimum - 0.5) problems.push(`${node.tagName} "${node.textContent.trim().slice(0, 20)}" is ${width.toFixed(0)} × ${height.toFixed(0)}`);
    }
    return problems;
  }, { minimum: TARGET_PX_MIN, targets, except, narrow });
  assert.deepEqual(found, [], `${where}: ${found.join("; ")}`);
}
