// Signing in for trying things out.
import { request, token } from "/assets/singlet.js";

const $ = (id) => document.getElementById(id);

function show() {
  const claims = token.claims();
  $("now").textContent = claims ? `You are ${claims.sub}${claims.groups.length ? `, of ${claims.groups.join(" and ")}` : ""}.` : "You are nobody yet.";
  $("sign-out").hidden = !claims;
}

$("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, groups } = Object.fromEntries(new FormData(event.currentTarget));
  $("trouble").hidden = true;
  try {
    const signed = await request("POST", "/local/tokens", { body: { name, groups: groups.split(/\s+/).filter(Boolean) } });
    token.keep(signed.token);
    show();
  } catch (error) {
    $("trouble").textContent = error.message;
    $("trouble").hidden = false;
  }
});
$("sign-out").addEventListener("click", () => {
  token.forget();
  show();
});
show();
