// Tags: as links, as a list to choose from, and in a field.
import { element } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { api } from "./account.js";
import { combobox } from "./combobox.js";

/** The address of the sites with a tag, or of all sites. */
export function tagAddress(tag) {
  return tag ? `${base}?tag=${encodeURIComponent(tag)}` : base;
}

/** A tag as a link to the sites that have it. */
export function tagLink(tag, { chosen = false } = {}) {
  return element("a", { class: "fus-chip", href: tagAddress(tag), "data-route": true, "data-key": tag, "aria-current": chosen ? "true" : null }, `#${tag}`);
}

/** The first tags of a site, and how many more there are. */
export function tagLinks(tags, max) {
  const shown = tags.slice(0, max).map((tag) => tagLink(tag));
  if (tags.length <= max) return shown;
  const rest = element("button", { type: "button", class: "fus-chip", click() {
    const first = tagLink(tags[max]);
    rest.replaceWith(first, ...tags.slice(max + 1).map((tag) => tagLink(tag)));
    first.focus();
  } }, `${tags.length - max} more tags`);
  return [...shown, rest];
}

/** Shows all tags in use, to choose one. */
export function chooseTag(choose) {
  const list = element("ul", { class: "fus-chips" });
  const { close } = sheet(element("div", {}, list), { title: "All tags" });
  pagedList(list, {
    path: `${api}/tags?limit=100`,
    key: ({ tag }) => tag,
    empty: "No tags yet.",
    item: ({ tag }) => element("li", {}, element("a", { class: "fus-chip", href: tagAddress(tag), click(event) {
      event.preventDefault();
      close();
      choose(tag);
    } }, `#${tag}`)),
  });
}

/** Normalizes a tag roughly as the server does; the server decides. */
export function tagOf(text) {
  const tag = text.trim().replace(/^#+/, "").toLocaleLowerCase("en").replace(/\s+/g, "-");
  return tag === "c#" ? "csharp" : tag;
}

/** A field of tags: chips that can be taken out, and a text field that adds one. */
export function tagField({ list, input, button }, { onChange = () => {} } = {}) {
  let tags = [];

  function show() {
    list.replaceChildren(...tags.map((tag, index) => element("li", {},
      element("button", { type: "button", class: "fus-chip", "aria-label": `Remove the tag ${tag}`, click() {
        tags = tags.filter((one) => one !== tag);
        show();
        onChange();
        (list.querySelectorAll("button")[Math.min(index, tags.length - 1)] ?? input).focus();
      } }, `#${tag}`, element("span", { "aria-hidden": "true" }, "×")))));
    list.hidden = tags.length === 0;
  }

  function add(text) {
    const made = text.split(",").map(tagOf).filter((tag) => tag && !tags.includes(tag));
    input.value = "";
    // Clearing an invalid tag also clears its error.
    input.dispatchEvent(new Event("input"));
    if (made.length === 0) return;
    tags = [...tags, ...new Set(made)];
    show();
    onChange();
  }

  combobox(input, {
    name: "Tags in use",
    suggest: async (text, signal) => {
      const { tags: found } = await request("GET", `${api}/search?q=${encodeURIComponent(tagOf(text).slice(0, 100))}`, { signal });
      return { values: found.filter((tag) => !tags.includes(tag)), note: "" };
    },
    label: (tag) => `#${tag}`,
    choose: add,
    enter: () => add(input.value),
  });
  button.addEventListener("click", () => {
    add(input.value);
    input.focus();
  });
  show();
  return {
    set(values) {
      tags = [...values];
      show();
    },
    /** All tags, with the one that stands in the text field. */
    values() {
      if (input.value.trim()) add(input.value);
      return tags;
    },
  };
}
