// My pushes, as a phone would show them.
import { byId, element, replaceKeepingFocus } from "/assets/dom.js";
import { base, randomKey, request } from "/assets/http.js";
import { connectionBar, WatchStream } from "/assets/live.js";
import { caller, signInLink } from "/assets/session.js";
import { clock, clockWithSeconds, showRetry } from "./format.js";
import "./nav.js";

/** How many messages are shown: the server keeps as many. */
const MESSAGES_MAX = 200;
const DEVICE_KEY = `cricket.device.${caller()?.subject ?? ""}`;
const KINDS = { alert: "alert", start: "activity start", update: "activity update", end: "activity end" };

let messages = [];

function keep(all) {
  const known = new Map([...messages, ...all].map((message) => [message.id, message]));
  messages = [...known.values()].sort((one, other) => other.id - one.id).slice(0, MESSAGES_MAX);
  render();
}

async function load() {
  const asked = switches;
  try {
    const { since, device, items } = await request("GET", `${base}/user/pushes`);
    // An answer from before a switch knows the device as it was.
    if (asked === switches) showDevice(device);
    byId("since").textContent = `since ${clock(since)}`;
    byId("messages-problem").replaceChildren();
    // After a restart of the server its numbers begin anew.
    if (items.length === 0 || (messages.length && items[0].id < messages[0].id)) messages = [];
    byId("messages-note").textContent = "";
    keep(items);
  } catch (error) {
    byId("messages-note").textContent = "";
    showRetry(byId("messages-problem"), error, load);
  }
}

function render() {
  replaceKeepingFocus(byId("messages"), messages.map(messageNode));
  byId("messages-note").replaceChildren(...(messages.length ? [] : ["Nothing yet. Follow a ", element("a", { href: base }, "live match"), "."]));
  replaceKeepingFocus(byId("activities"), activities());
}

/** The activities on the lock screen: each shows what the last message of its match said. */
function activities() {
  const last = new Map();
  for (const message of messages) {
    if (message.state && !last.has(message.matchId)) last.set(message.matchId, message);
  }
  if (last.size === 0) return [element("p", {}, "No activity on the lock screen.")];
  return [...last.values()].map((message) => {
    const { state } = message;
    return element("a", { class: "cricket-activity", href: `${base}/match/${encodeURIComponent(message.matchId)}`, "data-key": message.matchId },
      element("span", { class: "cricket-activity-head" }, element("span", {}, `${state.league} · ${state.format}`), element("span", {}, message.kind === "end" ? "Ended" : clock(message.at))),
      state.teams.map((team) => element("span", { class: "cricket-line" }, element("span", {}, team.code), element("span", { class: "cricket-runs" }, team.score ?? ""))),
      element("span", {}, state.result ?? state.headline),
      state.event && !state.result && state.event.text !== state.headline ? element("span", { class: "cricket-activity-event" }, element("strong", {}, state.event.title), ` ${state.event.text}`) : null);
  });
}

// The end of a token, which does not wrap.
function token(end) {
  return element("span", { class: "cricket-token" }, end);
}

function messageNode(message) {
  const size = message.bytes < 1000 ? `${message.bytes} B` : `${(message.bytes / 1000).toFixed(1)} kB`;
  return element("li", { class: message.title ? "cricket-message is-alert" : "cricket-message", "data-key": String(message.id) },
    element("time", { datetime: message.at }, clockWithSeconds(message.at)),
    element("div", {},
      message.title ? element("p", { class: "cricket-message-title" }, message.title) : null,
      message.body ? element("p", {}, message.body) : null,
      element("p", { class: "quiet cricket-message-meta" },
        element("span", { class: "badge" }, KINDS[message.kind] ?? message.kind), ` priority ${message.priority} · ${size} · `, token(message.token))));
}

// The switch that makes this browser a phone.
let isBusy = false;
/** How often it was begun or done. */
let switches = 0;

function showDevice(device) {
  const own = localStorage.getItem(DEVICE_KEY);
  const isOwn = Boolean(device && own && device.tokenEnd === `…${own.slice(-4)}`);
  byId("device").checked = isOwn;
  if (isOwn) byId("device-note").textContent = "Alerts and activities come here.";
  else if (device) byId("device-note").replaceChildren("Alerts go to another device (", token(device.tokenEnd), "). Switch this one on to use it instead.");
  else byId("device-note").textContent = "You have no device: nothing is pushed to you.";
}

async function switchDevice() {
  if (isBusy) return;
  isBusy = true;
  switches += 1;
  const isOn = byId("device").checked;
  let device = null;
  byId("device-problem").replaceChildren();
  try {
    if (isOn) {
      const deviceToken = `browser-${crypto.randomUUID?.() ?? randomKey()}`;
      await request("POST", `${base}/user/device`, { body: { deviceToken, platform: "ios", environment: "sandbox", appVersion: "browser" } });
      localStorage.setItem(DEVICE_KEY, deviceToken);
      const start = `start-${crypto.randomUUID?.() ?? randomKey()}`;
      device = await request("PUT", `${base}/user/device/push-to-start`, { body: { deviceToken, pushToStartToken: start } });
    } else {
      await request("DELETE", `${base}/user/device`);
      localStorage.removeItem(DEVICE_KEY);
    }
    showDevice(device);
  } catch (error) {
    byId("device").checked = !isOn;
    showRetry(byId("device-problem"), error, load);
  } finally {
    isBusy = false;
    switches += 1;
  }
}

if (caller()) {
  byId("pushes").hidden = false;
  byId("device").addEventListener("change", switchDevice);
  const stream = new WatchStream(`${base}/user/pushes/live`, {
    onState: load,
    onEvent(event, message) {
      if (event === "push") keep([message]);
    },
  });
  connectionBar(stream);
  load();
} else {
  byId("visitor").hidden = false;
  byId("visitor").replaceChildren(element("p", {}, "Sign in to see your pushes."), element("p", {}, signInLink() ?? ""));
}
