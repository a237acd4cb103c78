// The control of a replayed match: play, pause, seek, speed.
import { announce, element } from "/assets/dom.js";
import { confirmDialog } from "/assets/dialog.js";
import { clearProblem, showProblem } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { phaseName, versus } from "./format.js";

export const SPEEDS = [1, 4, 12, 30, 60, 240];
/** How far the buttons go. */
const STEP_MS = 600_000;

/** Where a replay is now, in milliseconds from the start of its match. */
export function positionOf({ positionMs, playing, at, speed }) {
  if (!playing) return positionMs;
  const passed = Date.now() - Date.parse(at);
  if (positionMs >= 0) return positionMs + passed * speed;
  // Before the start time goes as it does.
  return passed < -positionMs ? positionMs + passed : (passed + positionMs) * speed;
}

/** `2:05:10`, or `−1:30` before the start. */
export function positionText(ms) {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const two = (value) => String(value).padStart(2, "0");
  const text = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return ms < 0 ? `−${text}` : text;
}

/** The control of one match. `update(match)` shows it anew, `tick()` moves its position. */
export function replayControl(match, { onGone, onChange }) {
  let current = match;
  const path = `${base}/admin/replays/${encodeURIComponent(match.matchId)}`;
  const position = element("output", { class: "cricket-position-text" });
  const slider = element("input", { type: "range", min: "0", step: "60000", "aria-label": `Position of ${versus(match)}` });
  const play = element("button", { type: "button", click: () => change({ playing: !current.replay.playing }) });
  const speed = element("select", { "aria-label": `Speed of ${versus(match)}` }, SPEEDS.map((value) => element("option", { value: String(value) }, `${value}×`)));
  const score = element("p", { class: "cricket-replay-score" });
  const ball = element("input", { name: "ball", type: "text", placeholder: "2:13.1", pattern: "[1-4]:[0-9]{1,3}\\.[0-9]{1,2}", title: "Innings, over and ball, such as 2:13.1", required: true, maxlength: "12", inputmode: "text", autocomplete: "off" });
  const seek = element("form", { class: "cricket-seek" }, element("label", {}, "Seek to ball ", ball), element("button", { class: "plain" }, "Go"));
  const step = (sign, text, label) => element("button", { type: "button", class: "plain", "aria-label": `${label}, ${versus(match)}`, click: () => change({ positionMs: Math.max(0, Math.round(positionOf(current.replay) + sign * STEP_MS)) }) }, text);
  const controls = element("div", { class: "cricket-controls" }, step(-1, "«", "Back 10 minutes"), play, step(1, "»", "Forward 10 minutes"), element("label", { class: "cricket-speed" }, "Speed ", speed));
  const remove = element("button", { type: "button", class: "plain danger small", click: askAndRemove }, "Delete");
  const note = element("p", { class: "quiet" }, "This match is over.");
  const node = element("div", { class: "cricket-replay", role: "group", "data-key": match.matchId, "aria-label": `Replay of ${versus(match)}, ${match.replay.tape}` },
    element("div", { class: "cricket-title" }, element("h3", {}, element("a", { href: `${base}/match/${encodeURIComponent(match.matchId)}` }, versus(match)), " ", element("span", { class: "badge" }, match.replay.tape)), position),
    score, controls, slider, element("div", { class: "cricket-seek-row" }, seek, note, remove));
  let isDragged = false;
  slider.addEventListener("input", () => {
    isDragged = true;
    position.textContent = positionText(slider.valueAsNumber);
  });
  slider.addEventListener("change", async () => {
    await change({ positionMs: slider.valueAsNumber });
    isDragged = false;
  });
  speed.addEventListener("change", () => change({ speed: Number(speed.value) }));
  seek.addEventListener("submit", (event) => {
    event.preventDefault();
    change({ ball: ball.value.trim() });
  });

  async function change(body) {
    try {
      update(await request("PATCH", path, { body }));
      clearProblem();
      announce(current.replay.playing ? `Plays at ${current.replay.speed} times.` : "Paused.");
      onChange?.();
    } catch (error) {
      showProblem(error, { near: node });
      update(current);
    }
  }

  async function askAndRemove() {
    if (!await confirmDialog({ title: `Delete ${versus(match)}?`, text: "The match is deleted, and its followers get no more pushes.", action: "Delete", danger: true })) return;
    try {
      await request("DELETE", path);
      onGone();
    } catch (error) {
      showProblem(error, { near: node });
    }
  }

  function update(next) {
    current = { ...current, ...next };
    const { replay, teams, phase } = current;
    const isOver = Boolean(current.endedAt || current.archived || current.archivedAt);
    for (const part of [controls, slider, seek]) part.hidden = isOver;
    note.hidden = !isOver;
    position.hidden = isOver;
    play.textContent = replay.playing ? "Pause" : "Play";
    play.setAttribute("aria-label", `${replay.playing ? "Pause" : "Play"} ${versus(match)}`);
    if (document.activeElement !== speed) speed.value = String(replay.speed);
    score.textContent = `${teams.map(({ code, score: runs }) => `${code} ${runs ?? "–"}`).join(", ")} · ${phaseName(phase)}`;
    tick();
  }

  function tick() {
    if (isDragged) return;
    const at = positionOf(current.replay);
    slider.max = String(Math.max(current.replay.durationMs ?? 0, at));
    slider.value = String(Math.max(0, at));
    slider.setAttribute("aria-valuetext", positionText(at));
    position.textContent = positionText(at);
  }

  update(match);
  return { node, update, tick, value: () => current };
}
