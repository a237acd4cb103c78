// The first page: create a game, or join one.
import { byId, element } from "/assets/dom.js";
import { markField, onSubmit } from "/assets/form.js";
import { base, request } from "/assets/http.js";
import { pagedList } from "/assets/list.js";
import { Board } from "./board.js";
import { become, lastName } from "./identity.js";

/** How often the list of open games is read again. */
const RELOAD_INTERVAL_MS = 10_000;

byId("create-name").value = lastName();
new Board(byId("picture"), { size: 9, snakesAndLadders: [{ from: 2, to: 9 }, { from: 8, to: 4 }] })
  .show([{ id: "a", name: "You", color: "#3B82F6", position: 5 }, { id: "b", name: "Friend", color: "#EF4444", position: 3 }], { isReset: true });

onSubmit(byId("create"), async ({ name, mode }) => {
  const { game, player, secret } = await request("POST", `${base}/games`, { body: { name, mode }, once: true });
  become(game.code, { id: player.id, name: player.name, secret });
  location.assign(`${base}/play/${game.code}`);
});

onSubmit(byId("join"), async ({ code }) => {
  const typed = code.replace(/[\s-]/g, "").toUpperCase();
  try {
    const game = await request("GET", `${base}/games/${encodeURIComponent(typed)}`);
    location.assign(`${base}/play/${game.code}`);
  } catch (error) {
    if (error.status !== 404) throw error;
    markField(byId("join-code"), "No game has this code. Check it, or ask for a new one.");
    byId("join-code").select();
  }
});

const games = pagedList(byId("open"), {
  path: `${base}/games?limit=50`,
  key: (game) => game.code,
  filter: (game) => game.isOpen,
  empty: "No game is waiting for players.",
  more: "Older games",
  item: (game) => element("li", {},
    element("a", { href: `${base}/play/${game.code}` },
      element("span", {}, game.creatorName ?? "A game", " ", element("code", {}, game.code)),
      element("span", { class: "quiet" }, `${game.mode === "race" ? "Race" : "In turns"}, ${game.playerCount} of ${game.playerCountMax}`))),
});
setInterval(() => { if (!document.hidden) games.reload(); }, RELOAD_INTERVAL_MS);
