import { byId, element } from "/assets/dom.js";
import { onSubmit } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { WatchStream } from "/assets/live.js";

const entries = pagedList(byId("entries"), {
  path: `${base}/entries`, key: (entry) => entry.id, empty: "No entries yet. Be the first.",
  item: (entry) => element("li", { class: "card" }, element("b", {}, entry.name), " ", entry.text),
});
onSubmit(byId("sign"), ({ text }) => request("POST", `${base}/entries`, { body: { text }, once: true }));
new WatchStream(`${base}/live`, {
  onState: () => entries.reload(),
  onEvent: (event, entry) => (event === "entry" ? entries.upsert(entry) : entries.remove(entry.id)),
});
