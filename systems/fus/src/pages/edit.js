// Adding and changing a site.
import { announce, byId, element } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";
import { markField, onSubmit, showFormProblem, showProblem } from "/assets/form.js";
import { base, request, versionOf } from "/assets/http.js";
import { api, arrival, explained, isAdmin, showNothing } from "./account.js";
import { hostOf, webAddress } from "./format.js";
import { tagField } from "./tags.js";

const id = /\/edit\/([^/]+)\/?$/.exec(location.pathname)?.[1] ?? null;
const path = `${api}/sites/${id}`;
const form = byId("edit");
const tags = tagField({ list: byId("tag-list"), input: byId("tag-text"), button: byId("tag-add") });
let site = null;
/** The logo of a site that does not exist yet. */
let logoFile = null;

const me = await arrival;
if (!isAdmin(me)) {
  showNothing({ title: id ? "Edit site" : "Add site", text: "Only admins change the catalogue.", offersSignIn: me === null });
} else if (id === null || await readSite()) {
  onSubmit(form, save, { reset: false });
  byId("logo-choose").addEventListener("click", () => byId("logo-file").click());
  byId("logo-file").addEventListener("change", chooseLogo);
  byId("logo-remove").addEventListener("click", removeLogo);
  byId("delete").addEventListener("click", askToDelete);
  if (id) showSite();
  else showNew();
}

function showNew() {
  document.title = "Add site · FUS";
  byId("title").textContent = "Add site";
  byId("url").addEventListener("change", showSameHost);
  form.hidden = false;
}

/** Reads the site, and says whether it is there. */
async function readSite() {
  try {
    site = await request("GET", path);
    return true;
  } catch (error) {
    if (error.status === 404) showNothing({ title: "Not found", text: "This site is not in the catalogue." });
    else showProblem(error);
    return false;
  }
}

function showSite() {
  byId("back").href = `${base}/site/${id}`;
  for (const name of ["url", "title", "description", "scrapedContent"]) form.elements[name].value = site[name] ?? "";
  tags.set(site.tags);
  showLogo();
  byId("delete").hidden = false;
  form.hidden = false;
}

/** Sites of the same host that are there already. Adding another one is allowed. */
async function showSameHost() {
  const note = byId("same-host");
  const address = webAddress(byId("url").value.trim());
  note.textContent = "";
  if (!address) return;
  try {
    const { sites } = await request("GET", `${api}/search?q=${encodeURIComponent(hostOf(address).slice(0, 100))}`);
    note.replaceChildren("Already there: ", ...(sites.length
      ? sites.flatMap((one, index) => [index ? ", " : "", element("a", { href: `${base}/site/${one.id}` }, one.title)])
      : ["none"]));
  } catch {
    // The page works without this hint.
  }
}

async function save({ url, title, description, scrapedContent }) {
  const body = { url: url.trim(), title, description, scrapedContent, tags: tags.values() };
  if (!webAddress(body.url)) {
    markField(form.elements.url, "The address must begin with https:// or http://");
    form.elements.url.focus();
    return;
  }
  try {
    const saved = site
      ? await request("PUT", path, { body, version: versionOf(site) })
      : await request("POST", `${api}/sites`, { body, once: true });
    if (logoFile) await request("PUT", `${api}/sites/${saved.id}/logo`, { body: logoFile });
    location.assign(`${base}/site/${saved.id}`);
  } catch (error) {
    throw explained(error);
  }
}

function showLogo(address = site?.logoUrl) {
  byId("logo").replaceChildren(...(address ? [element("img", { class: "fus-logo", src: address, alt: "The logo" })] : []));
  byId("logo-choose").textContent = address ? "Change" : "Choose";
  byId("logo-remove").hidden = !address;
}

async function chooseLogo() {
  const [file] = byId("logo-file").files;
  byId("logo-file").value = "";
  if (!file) return;
  if (!site) {
    logoFile = file;
    byId("logo-note").textContent = `${file.name} is stored when you save.`;
    byId("logo-remove").hidden = false;
    return;
  }
  await changeLogo("PUT", file, "The logo is changed.");
}

async function removeLogo() {
  byId("logo-choose").focus();
  if (site) await changeLogo("DELETE", undefined, "The logo is removed.");
  else {
    logoFile = null;
    byId("logo-note").textContent = "";
    byId("logo-remove").hidden = true;
  }
}

async function changeLogo(method, body, said) {
  byId("logo-note").textContent = "Working…";
  try {
    await request(method, `${path}/logo`, { body });
    const { logoUrl } = await request("GET", path);
    showLogo(logoUrl ?? null);
    byId("logo-note").textContent = said;
  } catch (error) {
    byId("logo-note").textContent = "";
    showProblem(explained(error), { near: byId("logo-field") });
  }
}

function askToDelete() {
  const title = element("input", { name: "title", autocomplete: "off", required: true });
  const ask = element("form", { class: "fus-fields", novalidate: true },
    element("p", {}, "This deletes the site with all its ratings and comments. It cannot be undone."),
    element("label", {}, `Type its title, “${site.title}”, to delete it `, title),
    element("p", { class: "actions" }, element("button", { class: "danger" }, "Delete")));
  sheet(ask, { title: "Delete this site?" });
  title.focus();
  onSubmit(ask, async (values) => {
    if (values.title.trim() !== site.title) {
      markField(title, "This is not the title of the site.");
      title.focus();
      return;
    }
    try {
      await request("DELETE", path);
    } catch (error) {
      if (error.status !== 404) return showFormProblem(ask, explained(error));
    }
    announce("Deleted.");
    location.assign(base);
  }, { reset: false });
}
