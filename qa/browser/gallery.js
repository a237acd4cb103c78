// A page with everything that the kit offers to pages, for the tests.

/** The page. Its script is at `/snakes/gallery.js`. */
export const GALLERY = `<!doctype html>
<html lang="en" data-system="snakes" data-sign-in="/local">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>Gallery</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/singlet.css">
<script type="module" src="/assets/header.js"></script>
<script type="module" src="/snakes/gallery.js"></script>
</head>
<body>
<header class="top"><a class="mark" href="/"><img src="/assets/icon.svg" alt=""> <span>Singlet</span></a><a class="where" href="/snakes">Gallery</a><nav><a href="/snakes/api">API</a></nav><div id="caller" class="caller"></div></header>
<main>
<h1>Gallery</h1>
<p class="lead">Everything that pages are made of.</p>
<p class="notice">A notice. <span class="badge">badge</span></p>
<form id="form" class="card narrow" novalidate>
<h2>A form</h2>
<label>Name <input name="name"></label>
<label>Count <input name="count" type="number"></label>
<label>Kind <select name="kind"><option>one</option><option>two</option></select></label>
<label>Text <textarea name="text"></textarea></label>
<p class="actions"><button>Send</button> <button type="button" id="delete" class="danger">Delete</button> <button type="button" id="plain" class="plain">Share</button></p>
</form>
<section class="card"><h2>A list</h2><ul id="list"></ul></section>
<section id="tabs" class="card">
<h2>Tabs</h2>
<nav class="tabs"><a href="#first">First</a><a href="#second">Second</a><a href="#third">Third</a></nav>
<div id="first">The first part.</div><div id="second">The second part.</div><div id="third">The third part.</div>
</section>
<section class="card"><h2>Charts</h2>
<svg id="lines"></svg><svg id="bars"></svg><svg id="spray"></svg>
</section>
<p id="queue" class="quiet"></p>
<p id="stream" class="quiet"></p>
</main>
</body>
</html>`;

/** The script of the page. It puts what tests use into `window.kit`. */
export const GALLERY_SCRIPT = `
import { byId, element, toast } from "/assets/dom.js";
import { request } from "/assets/http.js";
import { onSubmit } from "/assets/form.js";
import { pagedList } from "/assets/list.js";
import { WatchStream, connectionBar } from "/assets/live.js";
import { OfflineQueue } from "/assets/queue.js";
import { tabs } from "/assets/tabs.js";
import { confirmDialog } from "/assets/dialog.js";
import { shareLink } from "/assets/share.js";
import { barChart, lineChart, sprayChart } from "/assets/chart.js";
import * as session from "/assets/session.js";

const kit = { session, toast, events: [], answers: [] };
window.kit = kit;
onSubmit(byId("form"), (values) => {
  kit.values = values;
  return request("POST", "/snakes/kit/form", { body: values });
});
kit.list = pagedList(byId("list"), {
  path: "/snakes/kit/list", key: (one) => one.id, empty: "Nothing.",
  item: (one) => element("li", {}, element("button", { type: "button", class: "plain small" }, one.text)),
});
tabs(byId("tabs"));
byId("delete").addEventListener("click", async () => kit.answers.push(await confirmDialog({ title: "Delete it?", text: "It cannot be brought back.", action: "Delete", danger: true })));
byId("plain").addEventListener("click", async () => { kit.shared = await shareLink(location.href, { title: "Gallery" }); });
lineChart(byId("lines"), { title: "Runs by day", x: { label: "Day" }, y: { label: "Runs" }, series: [{ name: "Home", points: [[1, 2], [2, 5], [3, 4]] }, { name: "Away", points: [[1, 3], [2, 1], [3, 6]] }] });
barChart(byId("bars"), { title: "Wins", y: { label: "Wins" }, bars: [{ label: "Ann", value: 7 }, { label: "Bob", value: 3 }, { label: "A very long name", value: 5 }] });
sprayChart(byId("spray"), { title: "Hits", hits: [{ x: -0.3, y: 0.6, kind: "single" }, { x: 0.1, y: 0.8, kind: "out" }, { x: 0.4, y: 0.5, kind: "double" }] });
kit.queue = new OfflineQueue("gallery", {
  send: (entry, { key }) => request("POST", "/snakes/kit/queue", { body: entry, headers: { "idempotency-key": key } }),
  onChange: (entries) => { byId("queue").textContent = entries.length + " waiting" + (entries[0]?.error ? ": " + entries[0].error : ""); },
});
kit.stream = new WatchStream("/snakes/kit/stream", {
  onState: (state) => kit.events.push(["state", state]),
  onEvent: (event, value) => kit.events.push([event, value]),
});
connectionBar(kit.stream);
`;
