// Navigation between the pages of Cricket.
import { byId, element } from "/assets/dom.js";
import { base } from "/assets/http.js";
import { caller, onChange } from "/assets/session.js";

/** Whether this person runs the system. */
export function isAdmin() {
  return caller()?.groups.includes("cricket-admin") ?? false;
}

const places = [
  [base, "Matches"],
  [`${base}/pushes`, "My pushes"],
  ...(isAdmin() ? [[`${base}/admin`, "Admin"]] : []),
];
const path = location.pathname.replace(/\/$/, "");
byId("cricket-nav").replaceChildren(...places.map(([address, text]) => element("a", {
  href: address,
  "aria-current": path === address || (address === base && path.startsWith(`${base}/match/`)) ? "page" : null,
}, text)));

// What one follows and may do is another person's then.
onChange(() => location.reload());
