// A proxy in front of the server under test. It adds pages and routes, and can drop all traffic
// silently, like a broken network.
import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { address } from "./browser.js";

/** The policy of the server, so that added pages live under it as well. */
const POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * Starts it. `routes` maps "GET /path" to a function of request and response, or to a page's text.
 * Returns `{ origin, freeze(), thaw(), stop() }`.
 */
export async function startFront(routes = {}) {
  const target = new URL(address);
  const tunnels = new Set();
  let frozen = null;
  let thaw = () => {};

  const server = createServer(async (asked, answer) => {
    await frozen;
    const route = routes[`${asked.method} ${new URL(asked.url, address).pathname}`];
    if (typeof route === "string") {
      const type = route.startsWith("<!doctype") ? "text/html; charset=utf-8" : "text/javascript";
      answer.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(route);
      return;
    }
    if (route) {
      route(asked, answer);
      return;
    }
    const passed = request({ host: target.hostname, port: target.port, method: asked.method, path: asked.url, headers: asked.headers }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  server.on("upgrade", async (asked, client, head) => {
    client.on("error", () => {});
    await frozen;
    const upstream = connect(Number(target.port), target.hostname, () => {
      const headers = asked.rawHeaders.map((text, index) => (index % 2 ? `${text}\r\n` : `${text}: `)).join("");
      upstream.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${headers}\r\n`);
      upstream.write(head);
      client.on("data", (bytes) => { if (!frozen) upstream.write(bytes); });
      upstream.on("data", (bytes) => { if (!frozen) client.write(bytes); });
    });
    const tunnel = { client, upstream };
    tunnels.add(tunnel);
    const end = () => {
      tunnels.delete(tunnel);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A failed test does not stop the proxy, which must not keep the process alive.
  server.unref();
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    /** Stops forwarding without closing connections. */
    freeze() {
      frozen = new Promise((resolve) => { thaw = resolve; });
    },
    /** The network is back. What was lost stays lost. */
    thaw() {
      frozen = null;
      for (const { client, upstream } of tunnels) {
        client.destroy();
        upstream.destroy();
      }
      thaw();
    },
    stop() {
      server.closeAllConnections();
      server.close();
      for (const { client, upstream } of tunnels) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
}

/** Answers in JSON. */
export function json(answer, value, status = 200) {
  answer.writeHead(status, { "content-type": status < 400 ? "application/json" : "application/problem+json" }).end(JSON.stringify(value));
}
