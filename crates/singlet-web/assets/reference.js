// Shows an API from its OpenAPI document, and lets people try it.
import { byId, element } from "/assets/dom.js";
import { showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { token } from "/assets/session.js";

const METHODS = ["get", "post", "put", "patch", "delete"];
const place = byId("operations");

try {
  show(await request("GET", `${base}/openapi.json`));
} catch (error) {
  place.replaceChildren();
  showProblem(error, { near: place });
}

function show(api) {
  const groups = new Map(api.tags.map(({ name }) => [name, []]));
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((one) => methods[one])) {
      groups.get(methods[method].tags[0]).push(shown(api, path, method, methods[method]));
    }
  }
  place.replaceChildren(...[...groups].map(([name, operations]) =>
    element("section", { "aria-labelledby": `tag-${name}` }, element("h2", { id: `tag-${name}` }, name), operations)));
  byId(location.hash.slice(1))?.setAttribute("open", "");
}

function shown(api, path, method, operation) {
  const details = element("details", { class: "card operation", id: operation.operationId },
    element("summary", {},
      element("span", { class: `method ${method}` }, method.toUpperCase()),
      element("code", {}, base + path),
      element("span", { class: "quiet" }, prose(operation.summary))));
  // Rendered on first opening: most never are.
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) {
      details.append(element("div", { class: "inside" },
        element("div", {}, explained(api, operation)),
        tried(api, path, method, operation)));
    }
  });
  return details;
}

/** Text with backticks rendered as code. */
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

function explained(api, operation) {
  const parts = [element("p", {}, prose(operation.description))];
  if (operation.parameters) {
    parts.push(element("h3", {}, "Parameters"), element("ul", { class: "fields" },
      operation.parameters.map((one) => field(api, `${one.name} (${one.in})`, one.schema, one.required, one.description))));
  }
  const problems = new Map(api["x-problems"].map(({ code, type }) => [code, type]));
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (body) parts.push(element("h3", {}, "Body"), members(api, body));
  for (const [status, answer] of Object.entries(operation.responses)) {
    const json = answer.content?.["application/json"]?.schema;
    const codes = answer.content?.["application/problem+json"]?.schema.properties.code.enum;
    if (Number(status) < 400) {
      parts.push(element("h3", {}, `Answer ${status}`), json ? members(api, json) : element("p", {}, prose(answer.description)));
    } else if (codes) {
      parts.push(element("p", {}, element("span", { class: "badge" }, status), " ",
        codes.flatMap((code, index) => [index ? ", " : "", element("a", { href: problems.get(code) }, code)])));
    }
  }
  return parts;
}

/** Resolves schema references. */
function resolved(api, schema) {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  if (name) return resolved(api, api.components.schemas[name]);
  const choice = (schema.anyOf ?? []).find((one) => one.type !== "null");
  return choice && schema.anyOf.length === 2 ? resolved(api, choice) : schema;
}

function members(api, schema, depth = 0) {
  const { properties, items, required = [], oneOf, anyOf } = resolved(api, schema);
  if (items) return element("div", {}, "A list of:", members(api, items, depth));
  if (oneOf ?? anyOf) return element("div", {}, "One of:", (oneOf ?? anyOf).map((one) => members(api, one, depth)));
  if (!properties) return element("p", { class: "quiet" }, kind(api, schema));
  return element("ul", { class: "fields" }, Object.entries(properties).map(([name, one]) =>
    field(api, name, one, required.includes(name), one.description, depth)));
}

function field(api, name, schema, isRequired, about, depth = 0) {
  const inner = resolved(api, schema);
  const nested = resolved(api, inner.items ?? inner);
  return element("li", {},
    element("code", {}, name), " ",
    element("span", { class: "quiet" }, kind(api, schema), isRequired ? "" : ", optional"),
    about ?? inner.description ? element("div", { class: "quiet" }, prose(about ?? inner.description)) : null,
    nested.properties && depth < 4 ? members(api, nested, depth + 1) : null);
}

function kind(api, schema) {
  const inner = resolved(api, schema);
  if (inner.const !== undefined) return JSON.stringify(inner.const);
  if (inner.enum) return inner.enum.map((one) => JSON.stringify(one)).join(" or ");
  if (inner.items) return `list of ${kind(api, inner.items)}`;
  const bounds = [
    inner.minLength !== undefined || inner.maxLength !== undefined ? `${inner.minLength ?? 0} to ${inner.maxLength ?? "any number of"} characters` : null,
    inner.minimum !== undefined && inner.maximum !== undefined ? `${inner.minimum} to ${inner.maximum}` : null,
  ].filter(Boolean);
  const types = [inner.type ?? "object"].flat().filter((one) => one !== "null");
  return [types.join(" or "), ...bounds].join(", ");
}

/** An example value for a schema. */
function example(api, schema) {
  const inner = resolved(api, schema);
  if (inner.default !== undefined) return inner.default;
  if (inner.const !== undefined) return inner.const;
  if (inner.enum) return inner.enum[0];
  if (inner.oneOf) return example(api, inner.oneOf[0]);
  if (inner.properties) {
    const required = inner.required ?? [];
    return Object.fromEntries(Object.entries(inner.properties).filter(([name]) => required.includes(name)).map(([name, one]) => [name, example(api, one)]));
  }
  const type = [inner.type].flat()[0];
  return { string: "", integer: inner.minimum ?? 0, number: inner.minimum ?? 0, boolean: false, array: [] }[type] ?? null;
}

function tried(api, path, method, operation) {
  if (operation.responses["101"]) {
    return element("p", { class: "try quiet" }, "This is a WebSocket, and cannot be tried from here.");
  }
  const inputs = new Map();
  const fields = (operation.parameters ?? []).map((one) => {
    const input = element("input", { name: one.name, autocomplete: "off", required: one.required });
    inputs.set(one, input);
    return element("label", {}, one.name, input);
  });
  const names = (operation.security ?? []).flatMap((one) => Object.keys(one));
  const credentials = names.map((name) => {
    const scheme = api.components.securitySchemes[name];
    const isBearer = scheme.scheme === "bearer";
    const input = element("input", { name, autocomplete: "off", value: isBearer && token.claims() ? token.text() : null });
    inputs.set({ in: "header", name: scheme.name ?? "Authorization", prefix: isBearer ? "Bearer " : "" }, input);
    return element("label", {}, scheme.name ?? "Bearer token", input);
  });
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema ? element("textarea", { class: "code", spellcheck: "false" }, JSON.stringify(example(api, schema), null, 2)) : null;
  const result = element("div", { "aria-live": "polite" });
  const form = element("form", { class: "try", submit },
    element("h3", {}, "Try it"), fields, credentials,
    body ? element("label", {}, "Body", body) : null,
    element("button", {}, "Send"), result);
  return form;

  async function submit(event) {
    event.preventDefault();
    let address = base + path;
    const query = new URLSearchParams();
    const headers = body ? { "content-type": "application/json" } : {};
    for (const [one, { value }] of inputs) {
      if (value === "") continue;
      if (one.in === "path") address = address.replace(`{${one.name}}`, encodeURIComponent(value));
      else if (one.in === "query") query.set(one.name, value);
      else headers[one.name] = (one.prefix ?? "") + value;
    }
    if (query.size) address += `?${query}`;
    let answer;
    let text;
    try {
      answer = await fetch(address, { method: method.toUpperCase(), headers, body: body?.value });
      text = await answer.text();
    } catch {
      result.replaceChildren(element("p", { class: "status-bad" }, "The server cannot be reached."));
      return;
    }
    let pretty = text;
    try { pretty = JSON.stringify(JSON.parse(text), null, 2); } catch { /* Not JSON: shown as text. */ }
    result.replaceChildren(
      element("p", { class: answer.ok ? "status-good" : "status-bad" }, `${answer.status} ${answer.statusText}`),
      element("pre", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Response" }, pretty));
  }
}
