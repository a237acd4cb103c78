// The views of the pages of FUS.
import { NOT_FOUND, press } from "./views.js";

export async function views(call) {
  const { items } = await call(null, "GET", "/v1/sites?limit=100");
  const of = (title) => items.find((site) => site.title === title).id;
  const catalogue = { path: "/fus", ready: ".fus-cards li" };
  const rust = `/fus/site/${of("Rust by Example")}`;
  return {
    // Links within a sentence are as high as its lines; cards are pressed as a whole.
    layout: {
      targets: "main :is(button, a[href], input, select, textarea, summary), nav a, dialog :is(button, a[href])",
      except: "p a:not(.button, .fus-chip), .fus-card-title",
    },
    views: [
      { name: "catalogue", ...catalogue },
      { name: "search", ...catalogue, act: (page) => page.fill("#search-text", "ru"), shown: "[role=option]" },
      { name: "tags", ...catalogue, act: press(".fus-chip-more"), shown: "dialog li" },
      { name: "site", who: "lea", path: rust, ready: "#rating-form" },
      { name: "site-visitor", path: rust, ready: ".fus-visitor" },
      { name: "site-many-tags", who: "adam", path: `/fus/site/${of("Tag museum")}`, ready: "#rating-form" },
      { name: "site-missing", who: "nils", path: "/fus/site/nowhere", ready: ".fus-nothing", expected: NOT_FOUND },
      { name: "new", who: "adam", path: "/fus/new", ready: "#edit:not([hidden])" },
      { name: "new-forbidden", who: "nils", path: "/fus/new", ready: ".fus-nothing" },
      { name: "edit", who: "adam", path: `/fus/edit/${of("Rust by Example")}`, ready: "#edit:not([hidden])" },
      { name: "me", who: "lea", path: "/fus/me", ready: "#rating-list li" },
      { name: "my-groups", who: "lea", path: "/fus/me#groups", ready: "#group-list li" },
      { name: "group", who: "adam", path: "/fus/groups?group=Moderators", ready: "#group li" },
      { name: "group-squash", who: "mina", path: "/fus/groups?group=Squash", ready: "#group li" },
      { name: "group-member", who: "pia", path: "/fus/groups", ready: "#group li" },
      { name: "squash", who: "mina", path: "/fus/squash", ready: "#matches .fus-match" },
      { name: "squash-visitor", path: "/fus/squash", ready: ".fus-nothing" },
      { name: "enter", who: "mina", path: "/fus/squash/enter", ready: "#match:not([hidden])" },
      { name: "standings", who: "pia", path: "/fus/squash/standings", ready: "#players tbody tr" },
      { name: "pairs", who: "pia", path: "/fus/squash/standings#pairs", ready: "#pairs tbody tr" },
      { name: "matches-of-player", who: "mina", path: "/fus/squash/standings", ready: "#players tbody tr", act: press("#players tbody button"), shown: "dialog .fus-match" },
      { name: "players", who: "mina", path: "/fus/squash/players", ready: "#players button" },
      { name: "player-edit", who: "mina", path: "/fus/squash/players", ready: "#players button", act: press("#players button:has-text('Edit')"), shown: "#player-form" },
    ],
  };
}
