// The door: make a game, or go to one.
import { element, request } from "/assets/singlet.js";
import { Board } from "./board.js";
import { become, lastName } from "./identity.js";

const $ = (id) => document.getElementById(id);

$("create-name").value = lastName();
new Board($("picture"), { size: 9, snakesAndLadders: [{ from: 2, to: 9 }, { from: 8, to: 4 }] })
  .show([{ id: "a", name: "You", color: "#3B82F6", position: 5 }, { id: "b", name: "Friend", color: "#EF4444", position: 3 }], "a", null, true);

function trouble(error) {
  $("trouble").textContent = error?.message ?? "";
  $("trouble").hidden = !error;
}

$("create").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  const button = form.querySelector("button");
  button.disabled = true;
  trouble(null);
  try {
    const { name, mode } = Object.fromEntries(new FormData(form));
    const { game, player, secret } = await request("POST", "/snakes/games", { body: { name, mode }, once: true });
    become(game.code, { id: player.id, name: player.name, secret });
    location.assign(`/snakes/play/${game.code}`);
  } catch (error) {
    trouble(error);
    button.disabled = false;
  }
});

$("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  trouble(null);
  const code = $("join-code").value.replace(/\s/g, "").toUpperCase();
  try {
    const game = await request("GET", `/snakes/games/${encodeURIComponent(code)}`);
    location.assign(`/snakes/play/${game.code}`);
  } catch (error) {
    trouble(error);
    $("join-code").select();
  }
});

async function list() {
  try {
    const { items } = await request("GET", "/snakes/games?limit=50");
    const open = items.filter((game) => game.status === "waiting").slice(0, 8);
    $("open").replaceChildren(...open.map((game) => element("li", {},
      element("a", { href: `/snakes/play/${game.code}` },
        element("code", {}, game.code),
        element("span", { class: "quiet" }, `${game.mode === "race" ? "race" : "in turns"}, ${game.playerCount} of ${game.playerCountMax}`)))));
    if (open.length === 0) $("open").replaceChildren(element("li", { class: "quiet" }, "None at the moment."));
  } catch (error) {
    $("open").replaceChildren(element("li", { class: "quiet" }, error.message));
  }
}

list();
setInterval(() => { if (!document.hidden) list(); }, 10000);
