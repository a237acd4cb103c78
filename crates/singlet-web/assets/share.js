// Sharing a link, by whatever the browser has.
import { announce, element } from "./dom.js";
import { sheet } from "./dialog.js";

/** The longest text of which the server makes a QR code. */
const QR_BYTES_MAX = 512;

/**
 * Shares a link: with the system's own dialog, else by copying it, else by showing it selected and
 * as a QR code. Resolves to "shared", "copied", "shown" or "cancelled".
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

/** Shows a link, selected so that it can be copied, and as a QR code for phones. */
export function showLink(url, { title = "Share this link", text } = {}) {
  const field = element("input", { readonly: true, value: url, "aria-label": "Link" });
  const content = [text ? element("p", {}, text) : null, element("p", {}, "Copy this link, or scan the code with a phone."), field];
  if (new TextEncoder().encode(url).length <= QR_BYTES_MAX) {
    const code = element("img", { class: "qr", alt: "QR code of the link", src: `/assets/qr.svg?text=${encodeURIComponent(url)}` });
    code.addEventListener("error", () => code.remove());
    content.push(code);
  }
  const shown = sheet(content, { title });
  field.focus();
  field.select();
  return shown;
}
