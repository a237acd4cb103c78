// Shares a link with the means the browser has.
import { announce, element } from "./dom.js";
import { sheet } from "./dialog.js";
import { qrCode } from "./qr.js";

/**
 * Shares a link with the system's dialog, else by copying it, else by showing it selected and as a
 * QR code. Resolves to "shared", "copied", "shown" or "cancelled".
 */
export async function shareLink(url, { title, text } = {}) {
  if (navigator.share) {
    try {
      await navigator.share({ title, text, url });
      return "shared";
    } catch (error) {
      if (error.name === "AbortError") return "cancelled";
    }
  }
  try {
    await navigator.clipboard.writeText(url);
    announce("The link is copied.");
    return "copied";
  } catch {
    showLink(url, { title, text });
    return "shown";
  }
}

/** Shows a link with buttons to copy and share it, and as a QR code for phones. */
export function showLink(url, { title = "Share this link", text } = {}) {
  const field = element("input", { readonly: true, value: url, "aria-label": "Link" });
  const select = () => {
    field.focus();
    field.select();
  };
  const copy = element("button", { type: "button", click: () => copyLink(url, copy, select) }, "Copy link");
  const share = navigator.share && element("button", { type: "button", class: "plain", click: () => navigator.share({ title, text, url }).catch(() => {}) }, "Share…");
  const shown = sheet([
    text ? element("p", {}, text) : null,
    field,
    element("div", { class: "actions share-actions" }, copy, share),
    qrCode(url, "QR code of the link"),
  ], { title });
  select();
  return shown;
}

async function copyLink(url, button, select) {
  try {
    await navigator.clipboard.writeText(url);
    button.textContent = "Copied";
    announce("The link is copied.");
  } catch {
    // The person copies the selected text.
    button.textContent = "Copy the selected link";
    select();
  }
}
