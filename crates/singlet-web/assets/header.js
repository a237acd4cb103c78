// The page header with the signed-in caller, and a note on pages without content yet.
import { byId, element } from "./dom.js";
import { callerMenu } from "./session.js";

/** Pages that load faster show no note. */
const LOADING_DELAY_MS = 300;

const place = byId("caller");
if (place) callerMenu(place);

const main = document.querySelector("main");
const isEmpty = () => main.innerText.trim() === "" && !main.querySelector("svg, canvas, img");
if (main && isEmpty()) {
  const note = element("p", { class: "loading", role: "status" });
  const watch = new MutationObserver(() => {
    if (isEmpty()) return;
    watch.disconnect();
    note.remove();
  });
  watch.observe(main, { attributes: true, childList: true, characterData: true, subtree: true });
  main.before(note);
  setTimeout(() => { note.textContent = "Loading…"; }, LOADING_DELAY_MS);
}
