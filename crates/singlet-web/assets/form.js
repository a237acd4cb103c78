// Forms, and problems shown where people see them.
import { bringIntoView, element, focusQuietly } from "./dom.js";
import { fieldName, Problem, withKeys } from "./http.js";

/**
 * Handles a form: `handler` gets its values, the form and the pressed button, and returns a
 * promise. The form cannot be sent again meanwhile. A problem is shown at its fields, or else at
 * the top of the form.
 *
 * If the handler fails and the person resubmits, identical requests reuse their Idempotency-Keys,
 * so completed work is not repeated.
 *
 * After success the form is reset, unless `reset` is false or the handler marked a field with
 * `markField`.
 */
export function onSubmit(form, handler, { reset = true } = {}) {
  let isBusy = false;
  /** Keys of the requests since the last successful submit. */
  const keys = new Map();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const focused = document.activeElement;
    const buttons = [...form.querySelectorAll("button")].filter((button) => !button.disabled);
    clearFields(form);
    clearProblem();
    const values = formValues(form);
    form.setAttribute("aria-busy", "true");
    for (const button of buttons) button.disabled = true;
    const release = () => {
      isBusy = false;
      form.removeAttribute("aria-busy");
      for (const button of buttons) button.disabled = false;
    };
    try {
      await withKeys(keys, () => handler(values, form, event.submitter));
      release();
      if (!form.querySelector("[aria-invalid]")) {
        keys.clear();
        if (reset) form.reset();
      }
      // Disabling a button loses its focus.
      if (document.activeElement === document.body && focused?.isConnected) focused.focus({ preventScroll: true });
    } catch (error) {
      release();
      showFormProblem(form, error);
    }
  });
}

/** The values of a form, with numbers and check boxes typed; empty numbers are left out. */
export function formValues(form) {
  const values = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || field.type === "submit" || field.type === "button") continue;
    if (field.type === "radio") {
      if (field.checked) values[field.name] = field.value;
    } else if (field.type === "checkbox") values[field.name] = field.checked;
    else if (field.type === "number" || field.type === "range") {
      if (field.value !== "") values[field.name] = field.valueAsNumber;
    } else if (field.type === "file") values[field.name] = field.files[0];
    else if (field.multiple) values[field.name] = [...field.selectedOptions].map((option) => option.value);
    else values[field.name] = field.value;
  }
  return values;
}

/** Shows each error at its field, and those without a field at the top of the form. */
export function showFormProblem(form, error) {
  if (!(error instanceof Problem)) console.error(error);
  const rest = [];
  let first = null;
  for (const { field, detail } of error.fieldErrors ?? []) {
    const input = fieldOf(form, field);
    if (!input) {
      rest.push(`${fieldName(field)} ${detail}`);
      continue;
    }
    markField(input, detail);
    first ??= input;
  }
  if (!first) {
    showProblem(error, { near: form });
    return;
  }
  if (rest.length) showProblem(new Error(rest.join("; ")), { near: form, focus: false });
  first.focus({ preventScroll: true });
  bringIntoView(first.closest("label") ?? first);
}

function fieldOf(form, pointer) {
  const path = pointer.split("/").filter(Boolean);
  const names = [path.join("."), path[0], path.at(-1)];
  const found = names.map((name) => (name ? form.elements.namedItem(name) : null)).find(Boolean);
  // Radio buttons with one name are one field.
  const field = found instanceof RadioNodeList ? found[0] : found;
  return field?.type === "hidden" ? null : field;
}

let ids = 0;

/** Shows an error beside a field. */
export function markField(input, detail) {
  const text = `${detail[0].toUpperCase()}${detail.slice(1)}${/[.!?]$/.test(detail) ? "" : "."}`;
  ids += 1;
  const note = element("span", { class: "field-error", id: `field-error-${ids}`, "data-error-of": input.name }, text);
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", note.id);
  const label = input.closest("label");
  if (label && input.type !== "radio" && input.type !== "checkbox") label.append(note);
  else (input.closest("fieldset") ?? label ?? input).after(note);
  input.addEventListener("input", () => clearField(input), { once: true });
}

function clearField(input) {
  const id = input.getAttribute("aria-describedby");
  if (id?.startsWith("field-error-")) {
    document.getElementById(id)?.remove();
    input.removeAttribute("aria-describedby");
  }
  input.removeAttribute("aria-invalid");
}

function clearFields(form) {
  for (const input of form.querySelectorAll("[aria-invalid]")) clearField(input);
}

let shown = null;

/**
 * Shows a problem at the top of `near` (by default the main part), scrolls to it and focuses it.
 * One problem is shown at a time.
 */
export function showProblem(error, { near = document.querySelector("main"), focus = true } = {}) {
  clearProblem();
  const box = element("div", { class: "notice bad problem", role: "alert", tabindex: "-1" },
    element("p", {}, error.message ?? String(error)));
  shown = { box, focused: document.activeElement };
  near.prepend(box);
  bringIntoView(box);
  if (focus) box.focus({ preventScroll: true });
}

/** Removes the problem shown, if any. */
export function clearProblem() {
  if (!shown) return;
  const { box, focused } = shown;
  const hadFocus = box.contains(document.activeElement);
  shown = null;
  box.remove();
  if (hadFocus && focused?.isConnected && focused !== document.body) focusQuietly(focused);
}
