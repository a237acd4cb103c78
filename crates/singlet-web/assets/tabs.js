// Tabs: links to parts of a page, one of which is shown.

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex='0']";

/**
 * Turns `<nav class="tabs"><a href="#games">Games</a> …</nav>` inside `container` and the linked
 * elements into tabs. Arrow keys switch tabs, and the address names the current one. Without this
 * script all parts are shown, and the links jump to them.
 */
export function tabs(container, { onShow } = {}) {
  const list = container.querySelector(".tabs");
  const links = [...list.querySelectorAll("a")];
  const panelOf = (link) => document.getElementById(link.hash.slice(1));
  list.setAttribute("role", "tablist");
  for (const link of links) {
    const panel = panelOf(link);
    link.id ||= `tab-${panel.id}`;
    link.setAttribute("role", "tab");
    link.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", link.id);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      show(link, { isChosen: true });
    });
  }
  list.addEventListener("keydown", (event) => {
    const at = links.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const link = links[(to + links.length) % links.length];
    show(link, { isChosen: true });
    link.focus();
  });
  addEventListener("hashchange", showAddress);
  showAddress();

  function showAddress() {
    show(links.find((link) => link.hash === location.hash) ?? links.find((link) => link.getAttribute("aria-selected") === "true") ?? links[0]);
  }

  function show(chosen, { isChosen = false } = {}) {
    for (const link of links) {
      const isShown = link === chosen;
      link.setAttribute("aria-selected", String(isShown));
      link.tabIndex = isShown ? 0 : -1;
      panelOf(link).hidden = !isShown;
      // A panel without links or buttons must be focusable itself.
      if (isShown && !panelOf(link).querySelector(FOCUSABLE)) panelOf(link).setAttribute("tabindex", "0");
      else panelOf(link).removeAttribute("tabindex");
    }
    if (isChosen && location.hash !== chosen.hash) history.replaceState(history.state, "", chosen.hash);
    onShow?.(panelOf(chosen));
  }

  return { show: (id) => show(links.find((link) => link.hash === `#${id}`) ?? links[0], { isChosen: true }) };
}
