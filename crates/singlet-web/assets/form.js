// Forms, and problems shown where people see them.
import { bringIntoView, element, focusQuietly } from "./dom.js";
import { fieldName, Problem, withKeys } from "./http.js";

/**
 * Handles a form: `handler` gets its values, the form and the button that was pressed, and returns a
 * promise. While it works, the form cannot be sent again. A problem is shown at its fields, or else
 * at the top of the form.
 *
 * If the handler fails and the person sends the form again, requests that are the same as before
 * have the same Idempotency-Key. So what the first attempt did without the page hearing of it, or
 * before a later request failed, is not done twice.
 *
 * After success the form is reset to the values of its markup. It keeps what was typed if `reset` is
 * false, or if the handler has marked a field with `markField` and returned.
 */
export function onSubmit(form, handler, { reset = true } = {}) {
  let isBusy = false;
  /** The keys of the requests since the form was last sent with success. */
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
      // A disabled button loses the focus.
      if (document.activeElement === document.body && focused?.isConnected) focused.focus({ preventScroll: true });
    } catch (error) {
      release();
      showFormProblem(form, error);
    }
  });
}

/** The values of a form: numbers and check boxes as what they are, empty numbers left out. */
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

/** Shows each error at its field; what has no field here is shown at the top of the form. */
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
  // Several radio buttons of one name are one field.
  const field = found instanceof RadioNodeList ? found[0] : found;
  return field?.type === "hidden" ? null : field;
}

let ids = 0;

/** Shows what is wrong with a field beside it. */
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
 * Shows a problem at the top of `near` (the page's main part unless given), brings it into view and
 * focuses it. One problem is shown at a time.
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

/** Removes the problem that is shown, if there is one. */
export function clearProblem() {
  if (!shown) return;
  const { box, focused } = shown;
  const hadFocus = box.contains(document.activeElement);
  shown = null;
  box.remove();
  if (hadFocus && focused?.isConnected && focused !== document.body) focusQuietly(focused);
}
