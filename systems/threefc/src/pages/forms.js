// Forms in sheets, made of lists of fields.
import { element } from "/assets/dom.js";
import { confirmDialog, sheet } from "/assets/dialog.js";
import { markField, onSubmit, showProblem } from "/assets/form.js";

/**
 * One field with its label. `type` is that of an input, or "select" (with `options`: `[value, text]`),
 * "checks" (a group of check boxes, with `options`) or "textarea". `hint` is shown below.
 */
export function field({ name, label, type = "text", value, options = [], hint, ...attributes }) {
  if (type === "checks") return checks({ name, label, value, options, hint });
  const control = type === "select"
    ? element("select", { name, ...attributes }, options.map(([key, text]) => element("option", { value: key, selected: String(key) === String(value ?? "") }, text)))
    : element(type === "textarea" ? "textarea" : "input", { name, type: type === "textarea" ? null : type, value: type === "textarea" ? null : value, autocomplete: "off", ...attributes });
  if (type === "textarea" && value) control.textContent = value;
  if (type === "checkbox") {
    if (value) control.setAttribute("checked", "");
    control.removeAttribute("value");
    return element("label", { class: "threefc-check" }, control, element("span", {}, label));
  }
  return element("label", {}, label, " ", control, hint ? element("span", { class: "threefc-hint quiet" }, hint) : null);
}

function checks({ name, label, value = [], options, hint }) {
  return element("fieldset", { class: "threefc-checks", "data-name": name },
    element("legend", {}, label),
    hint ? element("p", { class: "threefc-hint quiet" }, hint) : null,
    element("div", { class: "threefc-check-list" }, options.map(([key, text]) => element("label", { class: "threefc-check" },
      element("input", { type: "checkbox", name: `${name}.${key}`, value: key, checked: value.includes(key) }), element("span", {}, text)))));
}

/** The values of a group of check boxes that are ticked. */
export function ticked(form, name) {
  return [...form.querySelectorAll(`[data-name="${name}"] input:checked`)].map((input) => input.value);
}

/**
 * A form in a sheet. `submit(values, form)` returns a promise; the sheet is closed after it, unless a
 * field was marked. `after` is shown below the form. Resolves when the sheet is closed.
 */
export function formSheet({ title, text, fields, action = "Save", isDanger = false, submit, after }) {
  const nodes = fields.map((one) => (one instanceof Node ? one : field(one)));
  const button = element("button", { class: isDanger ? "danger" : null }, action);
  const form = element("form", { class: "threefc-form", novalidate: true }, text ? element("p", { class: "quiet" }, text) : null, nodes, element("div", { class: "actions" }, button));
  const shown = actionSheet([form, after ?? null], { title, close: "Cancel" });
  onSubmit(form, async (values) => {
    if (!checkRequired(form)) return;
    await submit(values, form);
    if (!form.querySelector("[aria-invalid]")) shown.close();
  }, { reset: false });
  form.querySelector("input, select, textarea")?.focus();
  return { ...shown, form };
}

/** Marks required fields that are empty, as the server would. Returns whether there are none. */
function checkRequired(form) {
  const empty = [...form.elements].filter((one) => one.required && !one.value.trim());
  for (const one of empty) markField(one, "is needed");
  empty[0]?.focus();
  return empty.length === 0;
}

/** The kit's sheet, with another word on the button that closes it. */
export function actionSheet(content, { title, close = "Close" }) {
  const shown = sheet(content, { title });
  shown.dialog.classList.add("threefc-sheet");
  const button = shown.dialog.querySelector(".dialog-content > .actions:last-child > button");
  if (button) button.textContent = close;
  return shown;
}

/**
 * A sheet with one button for each action: `[{ text, run, isDanger, href }]`. The sheet is closed before
 * an action runs.
 */
export function menuSheet(title, actions) {
  const list = element("ul", { class: "threefc-menu" });
  const shown = actionSheet([list], { title });
  list.append(...actions.filter(Boolean).map(({ text, run, href, isDanger }) => element("li", {}, href
    ? element("a", { class: "button plain", href }, text)
    : element("button", {
      type: "button",
      class: isDanger ? "plain danger" : "plain",
      click: async () => {
        shown.close();
        await shown.closed;
        attempt(run);
      },
    }, text))));
  list.querySelector("a, button")?.focus();
  return shown;
}

/** Runs an action of the page, and shows its problem if it has one. */
export async function attempt(action) {
  try {
    await action();
  } catch (error) {
    showProblem(error);
  }
}

/** Asks, runs an action, and shows its problem. Returns whether it was carried out. */
export async function confirmed(question, action) {
  if (!await confirmDialog(question)) return false;
  try {
    await action();
    return true;
  } catch (error) {
    showProblem(error);
    return false;
  }
}

/** Leaves out texts that are empty, for new things; `null` instead, for changes. */
export function texts(values, { isChange = false } = {}) {
  return Object.fromEntries(Object.entries(values)
    .map(([name, value]) => [name, typeof value === "string" ? value.trim() : value])
    .flatMap(([name, value]) => (value === "" || value === undefined ? (isChange ? [[name, null]] : []) : [[name, value]])));
}
