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
/** The widths of phones, on which nothing may be cut off or broken. */
const PHONE_WIDTHS = [320, 360, 375, 390, 412];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** How large whatever is pressed must be. */
const TARGET_PX_MIN = 44;
const TARGETS = "button, a[href], input, select, textarea, summary";

/** The rules that depend on colours. All others find the same in light and dark. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Longer words may be broken: names without spaces, addresses, ids. */
const WORD_LENGTH_MAX = 12;
/** Headings and numbers in tables that are longer may take several lines. */
const CELL_LENGTH_MAX = 14;

/**
 * Checks a page by all rules: in light and dark, and on a phone at all widths. `where` names it if it
 * fails, and names its pictures, if there are to be any. `layout` is for `checkLayout`.
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
  if (screen.isMobile) await checkPhones(page, where, screen, { layout });
}

/** Checks a page by our rules at the widths of phones. */
export async function checkPhones(page, where, screen, { layout } = {}) {
  const failures = [];
  for (const width of PHONE_WIDTHS) {
    await page.setViewportSize({ width, height: screen.viewport.height });
    for (const check of [checkLayout, checkWords, checkCells]) {
      await check(page, `${where}, ${width} pixels`, layout).catch(({ message }) => failures.push(message));
    }
  }
  await page.setViewportSize(screen.viewport);
  assert.ok(failures.length === 0, failures.join("; "));
}

/** Checks that no number and no short word is broken over two lines. Lines may end at a hyphen or a slash. */
export async function checkWords(page, where) {
  const found = await page.evaluate((lengthMax) => {
    const broken = new Map();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const lineOf = (node, at) => {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect();
    };
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
        const isDate = /\d{4}-\d{2}-\d{2}/.test(word);
        const isNumber = !isDate && /^[^\p{L}]*\d[^\p{L}]*$/u.test(word);
        if (word.length > lengthMax && !isNumber) continue;
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = range.getClientRects();
        // What only screen readers read is one pixel wide.
        if (lines.length < 2 || node.parentElement.clientWidth === 1) continue;
        for (let at = index + 1; at < index + word.length; at += 1) {
          const isWithin = isNumber || /^[\p{L}\d]{2}$/u.test(node.data.slice(at - 1, at + 1));
          if (!isWithin || lineOf(node, at).top < lineOf(node, at - 1).bottom - 1) continue;
          const of = node.parentElement.closest("[class]:not(body)");
          broken.set(`"${word}" in ${node.parentElement.tagName.toLowerCase()}${of ? ` of .${of.classList[0]}` : ""}`, true);
        }
      }
    }
    return [...broken.keys()];
  }, WORD_LENGTH_MAX);
  assert.ok(found.length === 0, `${where}: broken over two lines: ${found.join(", ")}`);
}

/** Checks that short headings of tables, and cells with a number and at most its unit, take one line. */
export async function checkCells(page, where) {
  const found = await page.evaluate((lengthMax) => {
    const range = document.createRange();
    // Blocks in a cell, each on its own line, are meant.
    const linesMeant = (cell) => cell.innerText.trim().split(/\n+/).length;
    const linesOf = (cell) => {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const boxes = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        range.selectNodeContents(node);
        // What only screen readers read is one pixel wide.
        boxes.push(...[...range.getClientRects()].filter(({ width }) => width > 1 && node.parentElement.clientWidth !== 1));
      }
      boxes.sort((one, other) => one.top - other.top);
      let [lines, bottom] = [0, -Infinity];
      for (const box of boxes) {
        if (box.top >= bottom - 1) lines += 1;
        bottom = Math.max(bottom, box.bottom);
      }
      return lines;
    };
    const text = (cell) => cell.innerText.trim().replace(/\s+/g, " ");
    const isNumber = (cell) => /\d/.test(text(cell)) && text(cell).replace(/\P{L}/gu, "").length <= 3;
    const cells = [...document.querySelectorAll("thead th"), ...[...document.querySelectorAll("td")].filter(isNumber)];
    const broken = cells.filter((cell) => text(cell).length <= lengthMax && linesOf(cell) > linesMeant(cell));
    return [...new Set(broken.map((cell) => `"${text(cell)}" in ${cell.tagName.toLowerCase()} of .${cell.closest("[class]").classList[0]}`))];
  }, CELL_LENGTH_MAX);
  assert.ok(found.length === 0, `${where}: cells of several lines: ${found.join(", ")}`);
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
      // Hidden.
      if (width === 0) continue;
      const isWide = width >= minimum - 0.5 || (narrow && node.matches(narrow));
      if (!isWide || height < minimum - 0.5) problems.push(`${node.tagName} "${node.textContent.trim().slice(0, 20)}" is ${width.toFixed(0)} × ${height.toFixed(0)}`);
    }
    return problems;
  }, { minimum: TARGET_PX_MIN, targets, except, narrow });
  assert.ok(found.length === 0, `${where}: ${found.join("; ")}`);
}
