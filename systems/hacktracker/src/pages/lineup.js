// The batting order as it is put together: from the bench into slots, and up and down.
import { announce, element, replaceKeepingFocus } from "/assets/dom.js";
import { sheet } from "/assets/dialog.js";
import { attempt } from "./signed-in.js";
import { byNumber, fullName, numberText } from "./words.js";

const SIZE_MIN = 4;
const SIZE_MAX = 30;

/** Edits the lineup inside `container`. `save(ids)` sends it. */
export class LineupEditor {
  ids = [];
  isChanged = false;
  /** Whether it is shown during the game. */
  isOpen = false;
  #container;
  #save;
  #game = null;
  #players = [];
  #canEdit = false;

  constructor(container, { save }) {
    this.#container = container;
    container.classList.add("hacktracker-columns");
    this.#save = save;
  }

  /** Shows the lineup of a game. What was changed here and not saved stays. */
  show({ game, players, canEdit }) {
    this.#game = game;
    this.#players = players;
    this.#canEdit = canEdit;
    if (!this.isChanged) this.ids = [...(game.lineup ?? [])];
    this.#render();
  }

  /** The server has it. */
  saved() {
    this.isChanged = false;
  }

  #change(ids, said) {
    this.ids = ids;
    this.isChanged = true;
    announce(said);
    this.#render();
  }

  #move(index, step) {
    const ids = [...this.ids];
    const to = index + step;
    if (to < 0 || to >= ids.length) return;
    [ids[index], ids[to]] = [ids[to], ids[index]];
    this.#change(ids, `${this.#name(ids[to])} bats ${to + 1}.`);
  }

  /** Who can play and is not in the lineup. */
  #bench() {
    return this.#players.filter((player) => !this.ids.includes(player.playerId) && player.status !== "inactive").sort(byNumber);
  }

  #name(id) {
    return fullName(this.#players.find((player) => player.playerId === id));
  }

  #render() {
    const { ids } = this;
    const slots = ids.map((id, index) => this.#slot(id, index));
    const bench = this.#bench();
    const parts = [ids.length
      ? element("ol", { class: "hacktracker-lineup" }, slots)
      : element("p", { class: "quiet" }, this.#canEdit ? "Nobody yet. Tap players on the bench in batting order." : "There is no lineup yet.")];
    if (this.#canEdit) {
      parts.push(element("div", { "data-key": "bench" },
        element("h3", {}, "Bench"),
        bench.length ? element("ul", { class: "hacktracker-bench" }, bench.map((player) => this.#benchPlayer(player))) : element("p", { class: "quiet" }, "Nobody is left on the bench."),
        ids.length < SIZE_MIN ? element("p", { class: "quiet" }, `A lineup has at least ${SIZE_MIN} players.`) : null,
        element("div", { class: "actions" },
          element("button", { type: "button", class: "plain", "data-key": "save", disabled: !this.isChanged || undefined, click: () => attempt(() => this.#save(this.ids), { near: this.#container }) }, "Save lineup"))));
    }
    replaceKeepingFocus(this.#container, parts);
  }

  #slot(id, index) {
    const player = this.#players.find((one) => one.playerId === id);
    const name = fullName(player);
    const isUp = this.#game.status === "IN_PROGRESS" && this.#game.state?.nextBattingOrder === index + 1;
    const control = (label, text, click, isOff) => element("button", { type: "button", class: "plain hacktracker-icon", "aria-label": label, disabled: isOff || undefined, click }, text);
    return element("li", { "data-key": id },
      element("span", { class: "hacktracker-slot" }, index + 1),
      element("span", { class: "hacktracker-lineup-name" }, element("span", { class: "quiet" }, numberText(player)), ` ${name}`, isUp ? element("span", { class: "badge" }, "up") : null),
      this.#canEdit ? element("span", { class: "hacktracker-controls" },
        control(`Move ${name} up`, "↑", () => this.#move(index, -1), index === 0),
        control(`Move ${name} down`, "↓", () => this.#move(index, 1), index === this.ids.length - 1),
        control(`Replace ${name} or take them out`, "⇄", () => this.#replace(index))) : null);
  }

  /** A substitute takes the slot, or the slot goes. */
  #replace(index) {
    const id = this.ids[index];
    const name = this.#name(id);
    const bench = this.#bench();
    const content = element("div", { class: "hacktracker-choices" },
      bench.map((player) => element("button", { type: "button", class: "plain", click: () => {
        shown.close();
        this.#change(this.ids.with(index, player.playerId), `${fullName(player)} bats ${index + 1} for ${name}.`);
      } }, `${numberText(player)} ${fullName(player)}`.trim())),
      element("button", { type: "button", class: "plain danger", click: () => {
        shown.close();
        this.#change(this.ids.filter((one) => one !== id), `${name} is on the bench.`);
      } }, `Take ${name} out`));
    const shown = sheet(content, { title: `Slot ${index + 1}: ${name}` });
  }

  #benchPlayer(player) {
    const add = () => {
      if (this.ids.length < SIZE_MAX) this.#change([...this.ids, player.playerId], `${fullName(player)} bats ${this.ids.length + 1}.`);
    };
    return element("li", { "data-key": `bench-${player.playerId}` },
      element("button", { type: "button", class: "plain", click: add }, `${numberText(player)} ${fullName(player)}`.trim(),
        player.status === "sub" ? element("span", { class: "badge" }, "sub") : null, element("span", { "aria-hidden": "true" }, "+")));
  }
}
