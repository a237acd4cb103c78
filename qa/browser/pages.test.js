// What the kit gives to every page: forms, lists, live updates, the offline queue, dialogs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { ask, atRest, DESK, launch, open, PHONE, picture, test, until } from "./browser.js";
import { checkPage, SCREENS } from "./checks.js";
import { json, startFront } from "./front.js";
import { GALLERY, GALLERY_SCRIPT } from "./gallery.js";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** Opens a stream that has nothing to say but that it is there, as the server does. Returns a function that silences it. */
function keepAlive(answer, onComment = () => {}) {
  answer.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
  const comments = setInterval(() => answer.write(":\n\n", onComment), 4_000);
  comments.unref();
  answer.on("close", () => clearInterval(comments));
  return () => clearInterval(comments);
}

/** The text of a token for this person, as far as pages read it. */
function tokenOf(sub, name = sub) {
  return `x.${Buffer.from(JSON.stringify({ sub, name, exp: 4e9 })).toString("base64url")}.x`;
}

async function bodyOf(asked) {
  let text = "";
  for await (const bytes of asked) text += bytes;
  return JSON.parse(text);
}

/** Waits until the page says this about its queue. */
function queueSays(page, text) {
  return page.waitForFunction((expected) => document.querySelector("#queue").textContent === expected, text);
}

/** The gallery behind a front with these routes, in a browser of its own. `hasClock` is for tests that set the clock. */
async function gallery(routes = {}, { hasClock = false, ...options } = DESK) {
  const front = await startFront({
    "GET /snakes/gallery": GALLERY,
    "GET /snakes/gallery.js": GALLERY_SCRIPT,
    "GET /snakes/kit/list": (_, answer) => json(answer, { items: [] }),
    "GET /snakes/kit/stream": (_, answer) => keepAlive(answer),
    ...routes,
  });
  const context = await browser.newContext(options);
  if (hasClock) await context.clock.install();
  const load = async () => {
    const page = await open(context, "/snakes/gallery", front.origin);
    await page.waitForFunction(() => window.kit?.stream);
    return page;
  };
  return { front, context, load, page: await load(), async end() { await context.close(); front.stop(); } };
}

async function isInView(page, selector) {
  const box = await page.locator(selector).boundingBox();
  const { width, height } = page.viewportSize();
  return box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
}

test("a field error is shown at its field, in view and focused", async () => {
  const context = await browser.newContext(PHONE);
  const page = await open(context, "/snakes");
  page.expected = (text) => text.includes("422");
  await page.fill("#create-name", "W".repeat(40));
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.locator("#create button").dispatchEvent("click");
  await page.waitForSelector("#create-name[aria-invalid=true]");
  const note = await page.getAttribute("#create-name", "aria-describedby");
  assert.match(await page.textContent(`#${note}`), /24/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "create-name");
  await until("the error is in view", () => isInView(page, `#${note}`));
  // Typing takes the error away.
  await page.type("#create-name", "x");
  assert.equal(await page.locator(".field-error").count(), 0);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("a problem without a field comes into view with the focus, and the form can be sent again", async () => {
  let requests = 0;
  const { page, end } = await gallery({
    "POST /snakes/kit/form": (_, answer) => {
      requests += 1;
      if (requests === 1) json(answer, { code: "name-taken", title: "Name taken", detail: "The name is taken. Choose another one.", status: 409 }, 409);
      else json(answer, { isSaved: true });
    },
  }, PHONE);
  page.expected = (text) => text.includes("409");
  await page.fill("input[name=count]", "3");
  await page.locator("#form button").first().focus();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.locator("#form button").first().dispatchEvent("click");
  await page.waitForSelector("[role=alert]");
  assert.equal(await page.textContent("[role=alert]"), "The name is taken. Choose another one.");
  await until("the problem is in view", () => isInView(page, "[role=alert]"));
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "alert");
  // Numbers are numbers.
  assert.deepEqual(await page.evaluate(() => window.kit.values), { name: "", count: 3, kind: "one", text: "" });
  await page.locator("#form button").first().click();
  await page.waitForFunction(() => !document.querySelector("[role=alert]"));
  assert.equal(requests, 2);
  assert.deepEqual(page.faults, []);
  await end();
});

test("a list shows more, takes changes, and keeps the focus", async () => {
  const parts = { "": { items: [1, 2, 3], next: "a" }, a: { items: [4, 5], next: "b" }, b: { items: [6] } };
  const { page, end } = await gallery({
    "GET /snakes/kit/list": (asked, answer) => {
      const { items, next } = parts[new URL(asked.url, "http://x").searchParams.get("cursor") ?? ""];
      json(answer, { items: items.map((id) => ({ id: `k${id}`, text: `Item ${id}` })), next });
    },
  });
  const texts = () => page.locator("#list li").allTextContents();
  await page.waitForSelector("#list li");
  assert.deepEqual(await texts(), ["Item 1", "Item 2", "Item 3"]);
  await page.focus("button.more");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#list li").length === 5);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Item 4");
  // A reload shows as much as before, and the focus stays on the item.
  await page.evaluate(() => window.kit.list.reload());
  assert.equal((await texts()).length, 5);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Item 4");
  // The focused item goes: the one in its place gets the focus.
  await page.evaluate(() => window.kit.list.remove("k4"));
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Item 5");
  await page.evaluate(() => window.kit.list.upsert({ id: "k9", text: "Item 9" }));
  await page.evaluate(() => window.kit.list.upsert({ id: "k2", text: "Item two" }));
  assert.deepEqual(await texts(), ["Item 9", "Item 1", "Item two", "Item 3", "Item 5"]);
  await page.click("button.more");
  await page.waitForFunction(() => document.querySelector("button.more").hidden);
  assert.equal((await texts()).at(-1), "Item 6");
  assert.deepEqual(page.faults, []);
  await end();
});

test("the offline queue sends each entry once and in order, over a reload and with two tabs", async () => {
  // As a server does it: a key that was seen is answered, and not carried out again.
  const keys = new Set();
  const carriedOut = [];
  let repeats = 0;
  let failures = 0;
  let isDown = true;
  let loseAnswer = true;
  const { page, load, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      let text = "";
      for await (const bytes of asked) text += bytes;
      if (isDown) {
        failures += 1;
        return answer.destroy();
      }
      const key = asked.headers["idempotency-key"];
      if (keys.has(key)) repeats += 1;
      else carriedOut.push(JSON.parse(text).number);
      keys.add(key);
      // The first is carried out, and its answer gets lost.
      if (loseAnswer) {
        loseAnswer = false;
        return answer.destroy();
      }
      return json(answer, {});
    },
  });
  page.expected = () => true;
  for (const number of [1, 2, 3]) await page.evaluate((one) => window.kit.queue.push({ number: one }), number);
  await until("an entry is sent in vain", () => failures > 0);
  await page.reload();
  await page.waitForFunction(() => window.kit?.queue);
  assert.equal(await page.textContent("#queue"), "3 waiting");
  const other = await load();
  other.expected = () => true;
  await other.evaluate(() => window.kit.queue.push({ number: 4 }));
  assert.equal(await other.textContent("#queue"), "4 waiting");
  isDown = false;
  for (const tab of [page, other]) await tab.evaluate(() => dispatchEvent(new Event("online")));
  for (const tab of [page, other]) await queueSays(tab, "0 waiting");
  assert.deepEqual(carriedOut, [1, 2, 3, 4]);
  assert.ok(repeats >= 1, "the entry whose answer was lost was not sent again");
  await end();
});

test("the offline queue stops at a refused entry until it is dropped", async () => {
  const sent = [];
  const { page, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      let text = "";
      for await (const bytes of asked) text += bytes;
      const { number } = JSON.parse(text);
      sent.push(number);
      if (number === 1) json(answer, { code: "game-over", title: "Game over", status: 409 }, 409);
      else json(answer, {});
    },
  });
  page.expected = () => true;
  const first = await page.evaluate(() => { const id = window.kit.queue.push({ number: 1 }); window.kit.queue.push({ number: 2 }); return id; });
  await page.waitForFunction(() => document.querySelector("#queue").textContent === "2 waiting: Game over.");
  assert.deepEqual(sent, [1]);
  await page.evaluate((id) => window.kit.queue.drop(id), first);
  await page.waitForFunction(() => document.querySelector("#queue").textContent === "0 waiting");
  assert.deepEqual(sent, [1, 2]);
  await end();
});

test("the offline queue removes an entry that was carried out before and whose answer is lost", async () => {
  const sent = [];
  const { page, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      const { number } = await bodyOf(asked);
      sent.push(number);
      if (number === 1) json(answer, { code: "answer-not-kept", title: "Already carried out", status: 409 }, 409);
      else json(answer, {});
    },
  });
  page.expected = (text) => text.includes("409");
  await page.evaluate(() => { for (const number of [1, 2]) window.kit.queue.push({ number }); });
  await queueSays(page, "0 waiting");
  assert.deepEqual(sent, [1, 2]);
  assert.deepEqual(page.faults, []);
  await end();
});

test("the offline queue sends again what has failed for now", async () => {
  // The page's own requests repeat what has status 503 or is in progress twice before the queue knows.
  const failures = [
    { status: 409, code: "in-progress", times: 3 }, { status: 408 }, { status: 429 }, { status: 500 },
    { status: 502 }, { status: 503, times: 3 }, { status: 504 }, { status: null, times: 3 },
  ];
  const keys = failures.map(() => []);
  const { page, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      const { number } = await bodyOf(asked);
      const { status, code = "failed", times = 1 } = failures[number];
      keys[number].push(asked.headers["idempotency-key"]);
      if (keys[number].length > times) json(answer, {});
      else if (status === null) answer.destroy();
      else json(answer, { code, title: "Failed", status }, status);
    },
  });
  page.expected = () => true;
  for (const number of failures.keys()) {
    await page.evaluate((one) => window.kit.queue.push({ number: one }), number);
    await queueSays(page, "0 waiting");
  }
  for (const [number, { status, times = 1 }] of failures.entries()) {
    assert.equal(keys[number].length, times + 1, `status ${status}`);
    assert.equal(new Set(keys[number]).size, 1, `status ${status}`);
  }
  await end();
});

test("the offline queue waits as long as Retry-After says, in every tab", async () => {
  const sent = [];
  const { page, load, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      const { number } = await bodyOf(asked);
      sent.push({ number, at: Date.now() });
      if (sent.length > 1) return json(answer, {});
      return answer.writeHead(429, { "content-type": "application/problem+json", "retry-after": "5" }).end('{"code":"rate-limited","title":"Too many requests","status":429}');
    },
  });
  page.expected = () => true;
  await page.evaluate(() => window.kit.queue.push({ number: 1 }));
  // On a busy machine the wait may be over by now.
  await page.waitForFunction(() => window.kit.queue.entries()[0]?.notBefore !== undefined || window.kit.queue.entries().length === 0);
  await page.evaluate(() => { window.kit.queue.push({ number: 2 }); dispatchEvent(new Event("online")); });
  const other = await load();
  await other.evaluate(() => window.kit.queue.push({ number: 3 }));
  for (const tab of [page, other]) await queueSays(tab, "0 waiting");
  assert.deepEqual(sent.map(({ number }) => number), [1, 1, 2, 3]);
  const waited = sent[1].at - sent[0].at;
  assert.ok(waited >= 4_900, `${waited} ms`);
  await end();
});

test("the offline queue does not hold up one person's entries for another's", async () => {
  const tokens = { ann: tokenOf("ann"), bob: tokenOf("bob") };
  const sent = [];
  let isDownForAnn = true;
  const { page, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      const { number } = await bodyOf(asked);
      const who = Object.keys(tokens).find((name) => asked.headers.authorization === `Bearer ${tokens[name]}`);
      if (who === "ann" && isDownForAnn) return answer.destroy();
      sent.push([who, number]);
      return json(answer, {});
    },
  });
  page.expected = () => true;
  const push = (who, number) => page.evaluate(([text, one]) => { window.kit.session.token.keep(text); window.kit.queue.push({ number: one }); }, [tokens[who], number]);
  await push("ann", 1);
  await push("bob", 2);
  await queueSays(page, "1 waiting");
  assert.deepEqual(sent, [["bob", 2]]);
  isDownForAnn = false;
  await page.evaluate((text) => window.kit.session.token.keep(text), tokens.ann);
  await queueSays(page, "0 waiting");
  assert.deepEqual(sent, [["bob", 2], ["ann", 1]]);
  await end();
});

test("the offline queue does not forget an entry that is added while sending ends", async () => {
  const sent = [];
  const { page, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      sent.push((await bodyOf(asked)).number);
      json(answer, {});
    },
  });
  await page.evaluate(() => {
    const { locks } = navigator;
    const original = locks.request.bind(locks);
    // When the lock is free, everything was sent, and the queue has not heard of it yet.
    locks.request = async (...values) => {
      const result = await original(...values);
      locks.request = original;
      window.kit.queue.push({ number: 2 });
      return result;
    };
    window.kit.queue.push({ number: 1 });
  });
  await page.waitForFunction(() => window.kit.queue.entries().length === 0);
  await queueSays(page, "0 waiting");
  assert.deepEqual(sent, [1, 2]);
  assert.deepEqual(page.faults, []);
  await end();
});

test("an offline queue that skips refused entries sends the others, and a corrected entry with a new key", async () => {
  const sent = [];
  const { page, end } = await gallery({
    "POST /snakes/kit/skipping": async (asked, answer) => {
      const { number } = await bodyOf(asked);
      sent.push({ number, key: asked.headers["idempotency-key"] });
      if (number < 0) json(answer, { code: "invalid", title: "Invalid", detail: "The number is negative.", status: 422 }, 422);
      else json(answer, {});
    },
  });
  page.expected = () => true;
  const numbers = () => sent.map(({ number }) => number);
  const waiting = () => page.evaluate(() => window.kit.skipping.entries().map(({ entry, error }) => [entry.number, error]));
  const ids = await page.evaluate(async () => {
    const { OfflineQueue } = await import("/assets/queue.js");
    const { request } = await import("/assets/http.js");
    window.kit.skipping = new OfflineQueue("skipping", {
      send: (entry, { key }) => request("POST", "/snakes/kit/skipping", { body: entry, headers: { "idempotency-key": key } }),
      onRefused: "skip",
    });
    return [-1, 2, -3].map((number) => window.kit.skipping.push({ number }, number === 2 ? { key: "a-key-of-the-page-itself" } : {}));
  });
  await page.waitForFunction(() => window.kit.skipping.entries().filter(({ error }) => error).length === 2);
  assert.deepEqual(numbers(), [-1, 2, -3]);
  assert.equal(sent[1].key, "a-key-of-the-page-itself");
  assert.deepEqual(await waiting(), [[-1, "The number is negative."], [-3, "The number is negative."]]);
  // One is corrected, with a new key unless it gets one; the other stays.
  assert.equal(await page.evaluate(([first]) => window.kit.skipping.replace(first, { number: 1 }), ids), true);
  await page.waitForFunction(() => window.kit.skipping.entries().length === 1);
  assert.deepEqual(numbers(), [-1, 2, -3, 1]);
  assert.notEqual(sent[3].key, sent[0].key);
  assert.equal(await page.evaluate(([, , third]) => window.kit.skipping.replace(third, { number: 3 }, { key: "another-key-of-the-page" }), ids), true);
  await page.waitForFunction(() => window.kit.skipping.entries().length === 0);
  assert.deepEqual(sent.at(-1), { number: 3, key: "another-key-of-the-page" });
  // What is gone cannot be corrected.
  assert.equal(await page.evaluate(([first]) => window.kit.skipping.replace(first, { number: 4 }), ids), false);
  assert.deepEqual(await waiting(), []);
  await end();
});

test("entries of an offline queue wait for their person to sign in again when the token ends or is refused", async () => {
  const sent = [];
  let isRefused = false;
  const { page, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      if (isRefused) return json(answer, { code: "unauthenticated", title: "Sign in", status: 401 }, 401);
      sent.push([(await bodyOf(asked)).number, asked.headers.authorization?.split(".")[1]]);
      return json(answer, {});
    },
  });
  page.expected = () => true;
  const signIn = (sub, seconds, version = 0) => page.evaluate(async ([claims]) => {
    const { token } = await import("/assets/session.js");
    token.keep(`x.${btoa(JSON.stringify(claims))}.x`);
    return btoa(JSON.stringify(claims));
  }, [{ sub, exp: Math.floor(Date.now() / 1000) + seconds, version }]);
  const push = (number) => page.evaluate((one) => { window.kit.queue.push({ number: one }); }, number);
  const waiting = () => page.evaluate(() => [window.kit.queue.needsSignIn, window.kit.queue.entries().map(({ entry, subject, error }) => [entry.number, subject, error])]);
  // The token ends while the page is open: the entry is still Ann's.
  await signIn("ann", -1);
  await push(1);
  assert.deepEqual(await waiting(), [true, [[1, "ann", null]]]);
  // Somebody else does not send it.
  const bob = await signIn("bob", 600);
  await push(2);
  await page.waitForFunction(() => window.kit.queue.entries().length === 1);
  assert.deepEqual(sent, [[2, bob]]);
  const ann = await signIn("ann", 600);
  await page.waitForFunction(() => window.kit.queue.entries().length === 0);
  assert.deepEqual(sent.splice(0), [[2, bob], [1, ann]]);
  // The server refuses a token before its time: no entry is to blame.
  isRefused = true;
  await push(3);
  await push(4);
  await page.waitForFunction(() => window.kit.queue.needsSignIn);
  assert.deepEqual(await waiting(), [true, [[3, "ann", null], [4, "ann", null]]]);
  isRefused = false;
  const again = await signIn("ann", 600, 1);
  await page.waitForFunction(() => window.kit.queue.entries().length === 0);
  assert.deepEqual(sent, [[3, again], [4, again]]);
  assert.deepEqual(await waiting(), [false, []]);
  await end();
});

test("listeners hear that the token has expired", async () => {
  const { page, end } = await gallery();
  const heard = await page.evaluate(async () => {
    const { onChange, token } = await import("/assets/session.js");
    const callers = [];
    const isOver = new Promise((resolve) => {
      onChange((who) => {
        callers.push(who?.subject ?? null);
        if (!who) resolve();
      });
    });
    token.keep(`x.${btoa(JSON.stringify({ sub: "ann", exp: Math.floor(Date.now() / 1000) + 2 }))}.x`);
    await isOver;
    return [callers, token.subject()];
  });
  assert.deepEqual(heard, [["ann", null], "ann"]);
  await end();
});

test("an upload over a slow network has more time than other requests", async () => {
  let received = 0;
  let isOtherGivenUp = false;
  const { page, end } = await gallery({
    "PUT /snakes/kit/file": async (asked, answer) => {
      await until("the other request is given up", () => isOtherGivenUp);
      for await (const bytes of asked) received += bytes.length;
      json(answer, { isKept: true });
    },
    "POST /snakes/kit/form": (_, answer) => answer.on("close", () => { isOtherGivenUp = true; }),
  });
  const [upload, other] = await page.evaluate(async () => {
    const { request } = await import("/assets/http.js");
    return Promise.all([
      request("PUT", "/snakes/kit/file", { body: new Blob([new Uint8Array(1_000_000)]) }),
      request("POST", "/snakes/kit/form", { body: {} }).catch(({ code }) => code),
    ]);
  });
  assert.deepEqual(upload, { isKept: true });
  assert.equal(received, 1_000_000);
  assert.equal(other, "unreachable");
  assert.deepEqual(page.faults, []);
  await end();
});

test("a form is emptied after success, unless it is to keep its values or a field was marked", async () => {
  let status = 409;
  const { page, end } = await gallery({
    "POST /snakes/kit/form": (_, answer) => json(answer, { code: "name-taken", title: "Name taken", status }, status),
  });
  page.expected = (text) => text.includes("409");
  await page.fill("#form input[name=name]", "Ann");
  await page.selectOption("#form select", "two");
  await page.click("#form button");
  await page.waitForSelector("[role=alert]");
  assert.equal(await page.inputValue("#form input[name=name]"), "Ann");
  status = 200;
  await page.click("#form button");
  await page.waitForFunction(() => document.querySelector("#form input[name=name]").value === "");
  assert.equal(await page.inputValue("#form select"), "one");
  const kept = await page.evaluate(async () => {
    const { markField, onSubmit } = await import("/assets/form.js");
    const submit = async (handler, options) => {
      const form = document.createElement("form");
      const input = Object.assign(document.createElement("input"), { name: "name", value: "Bob" });
      form.append(input);
      document.querySelector("main").append(form);
      onSubmit(form, async () => handler(input), options);
      const isDone = new Promise((resolve) => {
        new MutationObserver(() => { if (!form.ariaBusy) resolve(); }).observe(form, { attributeFilter: ["aria-busy"] });
      });
      form.requestSubmit();
      await isDone;
      form.remove();
      return input.value;
    };
    return [await submit(() => {}), await submit(() => {}, { reset: false }), await submit((input) => markField(input, "is taken"))];
  });
  assert.deepEqual(kept, ["", "Bob", "Bob"]);
  assert.deepEqual(page.faults, []);
  await end();
});

test("a form that is sent again repeats its keys, so that nothing is done twice", async () => {
  const sent = [];
  let isLosing = true;
  const { page, end } = await gallery({
    "POST /snakes/kit/made": async (asked, answer) => {
      sent.push([asked.headers["idempotency-key"], await bodyOf(asked)]);
      if (isLosing) answer.destroy();
      else json(answer, { id: sent.length });
    },
    "POST /snakes/kit/next": async (asked, answer) => {
      sent.push([asked.headers["idempotency-key"], await bodyOf(asked)]);
      json(answer, { code: "full", title: "Full", status: 409 }, 409);
    },
  });
  page.expected = () => true;
  await page.evaluate(async () => {
    const { onSubmit } = await import("/assets/form.js");
    const { request } = await import("/assets/http.js");
    const form = Object.assign(document.createElement("form"), { id: "create" });
    form.innerHTML = '<input name="name" value="Ann"><input name="place" value="red"><button>Create</button>';
    document.querySelector("main").append(form);
    window.isLast = true;
    onSubmit(form, async ({ name, place }) => {
      await request("POST", "/snakes/kit/made", { body: { name }, once: true });
      if (!window.isLast) await request("POST", "/snakes/kit/next", { body: { place }, once: true });
    }, { reset: false });
  });
  /** Sends the form, and returns the keys and bodies of its requests. */
  const press = async (isRefused) => {
    sent.length = 0;
    await page.click("#create button");
    await page.waitForSelector("#create:not([aria-busy])");
    assert.equal(await page.locator("#create [role=alert]").count(), isRefused ? 1 : 0);
    return [...sent];
  };
  // The answer is lost every time, and the browser tries again by itself; then the person does.
  const [[first], ...rest] = await press(true);
  assert.ok(rest.length >= 2 && rest.every(([key]) => key === first), rest.join());
  isLosing = false;
  assert.deepEqual(await press(false), [[first, { name: "Ann" }]]);
  // After success it is another request.
  const [[second]] = await press(false);
  assert.notEqual(second, first);
  // What was done before a later step failed is not done again, also if the later step changes.
  await page.evaluate(() => { window.isLast = false; });
  const [[third], [red]] = await press(true);
  assert.ok(third !== second && red !== third);
  await page.fill("#create input[name=place]", "blue");
  const [[made, ann], [blue]] = await press(true);
  assert.deepEqual([made, ann], [third, { name: "Ann" }]);
  assert.notEqual(blue, red);
  // Another name is another request.
  await page.fill("#create input[name=name]", "Bob");
  const [[bob]] = await press(true);
  assert.notEqual(bob, third);
  await end();
});

test("a form that changes something there and back again sends three changes", async () => {
  const sent = [];
  let isLosing = true;
  const { page, end } = await gallery({
    "POST /snakes/kit/made": async (asked, answer) => {
      sent.push(["made", asked.headers["idempotency-key"]]);
      json(answer, { id: 1 });
    },
    "PUT /snakes/kit/place": async (asked, answer) => {
      sent.push([(await bodyOf(asked)).place, asked.headers["idempotency-key"]]);
      if (isLosing) answer.destroy();
      else json(answer, {});
    },
  });
  page.expected = () => true;
  await page.evaluate(async () => {
    const { onSubmit } = await import("/assets/form.js");
    const { request } = await import("/assets/http.js");
    const form = Object.assign(document.createElement("form"), { id: "change" });
    form.innerHTML = '<input name="place"><button>Change</button>';
    document.querySelector("main").append(form);
    onSubmit(form, async ({ place }) => {
      await request("POST", "/snakes/kit/made", { body: {}, once: true });
      await request("PUT", "/snakes/kit/place", { body: { place }, once: true });
    }, { reset: false });
  });
  const made = new Set();
  /** Sends the form, and returns the one key of its change. */
  const press = async (place) => {
    sent.length = 0;
    await page.fill("#change input", place);
    await page.click("#change button");
    await page.waitForSelector("#change:not([aria-busy])");
    assert.equal(await page.locator("#change [role=alert]").count(), isLosing ? 1 : 0);
    for (const [what, key] of sent) if (what === "made") made.add(key);
    const keys = new Set(sent.filter(([what]) => what === place).map(([, key]) => key));
    assert.equal(keys.size, 1, sent.join());
    return [...keys][0];
  };
  // Each change is made, and the page does not hear of it.
  const red = await press("red");
  assert.equal(await press("red"), red);
  const yellow = await press("yellow");
  assert.notEqual(yellow, red);
  const redAgain = await press("red");
  assert.ok(redAgain !== red && redAgain !== yellow);
  isLosing = false;
  assert.equal(await press("red"), redAgain);
  // What was made first was made once.
  assert.equal(made.size, 1);
  await end();
});

test("the same request twice while a form waits is two requests", async () => {
  const keys = [];
  const { page, end } = await gallery({
    "POST /snakes/kit/again": (asked, answer) => {
      keys.push(asked.headers["idempotency-key"]);
      json(answer, {});
    },
  });
  await page.evaluate(async () => {
    const { onSubmit } = await import("/assets/form.js");
    const { request } = await import("/assets/http.js");
    const form = Object.assign(document.createElement("form"), { id: "waits" });
    document.querySelector("main").append(form);
    onSubmit(form, () => new Promise(() => {}));
    form.requestSubmit();
    for (let times = 0; times < 2; times += 1) await request("POST", "/snakes/kit/again", { body: {}, once: true });
  });
  assert.equal(await page.getAttribute("#waits", "aria-busy"), "true");
  assert.equal(keys.length, 2);
  assert.notEqual(keys[0], keys[1]);
  await end();
});

test("a dialog takes the focus and gives it back", async () => {
  const { page, end } = await gallery();
  await page.focus("#delete");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  // What cannot be undone is not what Enter does.
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "delete");
  await page.keyboard.press("Enter");
  await page.click("dialog button.danger");
  await page.waitForFunction(() => window.kit.answers.length === 2);
  assert.deepEqual(await page.evaluate(() => window.kit.answers), [false, true]);
  assert.deepEqual(page.faults, []);
  await end();
});

test("a link can be shared without a clipboard", async () => {
  const { page, end } = await gallery({ "GET /assets/qr.svg": (asked, answer) => answer.writeHead(200, { "content-type": "image/svg+xml" }).end('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>') });
  await page.evaluate(() => {
    Object.defineProperty(navigator, "share", { value: undefined });
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await page.click("#plain");
  await page.waitForSelector("dialog input");
  assert.equal(await page.evaluate(() => window.kit.shared), "shown");
  const [value, selected] = await page.evaluate(() => { const { value, selectionStart, selectionEnd } = document.querySelector("dialog input"); return [value, value.slice(selectionStart, selectionEnd)]; });
  assert.equal(value, page.url());
  assert.equal(selected, value);
  assert.match(await page.getAttribute("dialog img.qr", "src"), /^\/assets\/qr\.svg\?text=http/);
  await picture(page, "share");
  await page.click("dialog button");
  assert.equal(await page.evaluate(() => document.activeElement.id), "plain");
  assert.deepEqual(page.faults, []);
  await end();
});

test("tabs follow the arrow keys and the address", async () => {
  const { page, end } = await gallery();
  const shown = () => page.evaluate(() => ["first", "second", "third"].filter((id) => !document.getElementById(id).hidden).join());
  assert.equal(await shown(), "first");
  await page.focus('[role=tab][aria-selected="true"]');
  await page.keyboard.press("ArrowRight");
  assert.equal(await shown(), "second");
  assert.equal(new URL(page.url()).hash, "#second");
  await page.keyboard.press("End");
  assert.equal(await shown(), "third");
  await page.reload();
  await page.waitForFunction(() => window.kit?.stream);
  assert.equal(await shown(), "third");
  assert.deepEqual(page.faults, []);
  await end();
});

test("a stream resumes behind the last event, and a refusal is final", async () => {
  const seen = [];
  let isGone = false;
  let stream;
  const { page, end } = await gallery({
    "GET /snakes/kit/stream": (asked, answer) => {
      seen.push(asked.headers["last-event-id"] ?? null);
      if (isGone) return json(answer, { code: "not-found", title: "Not found", status: 404 }, 404);
      stream = answer.writeHead(200, { "content-type": "text/event-stream" });
      stream.write(seen.length === 1 ? "retry: 2000\n\nid: 7\nevent: state\nda" : "id: 9\nevent: ready\n\n");
      return undefined;
    },
  });
  page.expected = () => true;
  const eventsAre = (number) => page.waitForFunction((count) => window.kit.events.length === count, number);
  // Bytes may be cut anywhere.
  await page.waitForFunction(() => window.kit.stream.status === "open");
  stream.write('ta: {"count":1}\r\n\r\nid: 8\nevent: added\ndata: {"na');
  await eventsAre(1);
  stream.write('me":"Zoë"}\n\n: comment\n\n');
  await eventsAre(2);
  stream.destroy();
  await eventsAre(3);
  isGone = true;
  stream.destroy();
  await page.waitForFunction(() => window.kit.stream.status === "refused");
  assert.deepEqual(await page.evaluate(() => window.kit.events), [["state", { count: 1 }], ["added", { name: "Zoë" }], ["state", null]]);
  assert.deepEqual(seen, [null, "8", "9"]);
  assert.equal(await page.textContent(".connection-bar"), "Not found.");
  await end();
});

test("comments keep a stream open, and silence of ten seconds ends it", async () => {
  let connections = 0;
  let comments = 0;
  let silence = () => {};
  const { front, page, end } = await gallery({
    "GET /snakes/kit/stream": (_, answer) => {
      connections += 1;
      silence = keepAlive(answer, () => { comments += 1; });
    },
  }, { ...DESK, hasClock: true });
  await page.waitForFunction(() => window.kit.stream.status === "open");
  // Together longer than the silence that a page tolerates.
  await until("comments were sent", () => comments >= 3);
  assert.equal(connections, 1);
  assert.equal(await page.textContent(".connection-bar"), "");
  silence();
  front.freeze();
  await page.clock.fastForward(10_000);
  await page.waitForSelector(".connection-bar:not(:empty)");
  front.thaw();
  await page.waitForFunction(() => window.kit.stream.status === "open" && document.querySelector(".connection-bar").textContent === "");
  assert.ok(connections >= 2);
  assert.deepEqual(page.faults, []);
  await end();
});

test("a network that is silent for ten seconds is noticed, and a roll says so", async () => {
  const front = await startFront();
  const context = await browser.newContext(DESK);
  const ann = await ask("POST", "/snakes/games", { body: { name: "Ann" } });
  await ask("POST", `/snakes/games/${ann.game.code}/players`, { body: { name: "Bob" } });
  await ask("POST", `/snakes/games/${ann.game.code}/start`, { secret: ann.secret });
  await context.addInitScript(([key, player]) => sessionStorage.setItem(key, JSON.stringify(player)), [`snakes.${ann.game.code}`, { ...ann.player, secret: ann.secret }]);
  await context.clock.install();
  const page = await open(context, `/snakes/play/${ann.game.code}`, front.origin);
  page.expected = () => true;
  await page.waitForSelector("#roll[aria-disabled=false]");
  front.freeze();
  await page.clock.fastForward(10_000);
  await page.waitForSelector(".connection-bar:not(:empty)");
  assert.match(await page.textContent(".connection-bar"), /^Connection lost\. Last update \d/);
  await picture(page, "connection-lost");
  // An action waits for the connection, and says so when it does not come.
  await page.click("#roll");
  assert.equal(await page.textContent("#roll"), "Rolling…");
  await page.waitForSelector("[role=alert]");
  assert.match(await page.textContent("[role=alert]"), /no connection/i);
  front.thaw();
  await page.waitForFunction(() => document.querySelector(".connection-bar").textContent === "");
  await page.waitForSelector("#roll[aria-disabled=false]");
  await page.click("#roll");
  await page.waitForSelector('#players li:has-text("Bob")[aria-current]');
  await context.close();
  front.stop();
});

test("long names fit on the smallest phones", async () => {
  const name = "W".repeat(24);
  const ann = await ask("POST", "/snakes/games", { body: { name } });
  const bob = await ask("POST", `/snakes/games/${ann.game.code}/players`, { body: { name: "M".repeat(24) } });
  for (const width of [320, 390]) {
    const context = await browser.newContext({ ...PHONE, viewport: { width, height: 700 } });
    await context.addInitScript(([key, player]) => sessionStorage.setItem(key, JSON.stringify(player)), [`snakes.${ann.game.code}`, { ...ann.player, secret: ann.secret }]);
    const page = await open(context, `/snakes/play/${ann.game.code}`);
    await page.waitForSelector("#players li:nth-child(2)");
    const fits = async (what) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${what}: ${wide} > ${width}`);
    };
    await fits("waiting");
    if (width === 390) {
      await page.click("#start");
      await page.waitForSelector("#roll[aria-disabled=false]");
      await fits("playing");
    }
    assert.deepEqual(page.faults, []);
    await context.close();
  }
  assert.ok(bob.secret);
});

test("signing in is seen by every tab, and charts have tables", async () => {
  const { page, load, end } = await gallery();
  assert.equal(await page.textContent("#caller"), "Sign in");
  assert.equal(await page.getAttribute("#caller a", "href"), "/local?return=%2Fsnakes%2Fgallery");
  const other = await load();
  await page.evaluate((text) => window.kit.session.token.keep(text), tokenOf("zoë", "Zoë"));
  await other.waitForSelector("#caller summary");
  assert.match(await other.textContent("#caller summary"), /Zoë/);
  await other.click("#caller summary");
  await picture(other, "caller-menu");
  await other.click("#caller button");
  await page.waitForSelector("#caller a");
  assert.deepEqual(await page.locator(".chart-table caption").allTextContents(), ["Runs by day", "Wins", "Hits"]);
  for (const tab of [page, other]) assert.deepEqual(tab.faults, []);
  await end();
});

test("signing in leads back to the page with its fragment, and to no other site", async () => {
  const { page, end } = await gallery();
  await page.evaluate(() => history.replaceState(null, "", "?from=mail#code=K7-x"));
  await page.reload();
  const link = page.locator("#caller a");
  assert.equal(await link.getAttribute("href"), `/local?return=${encodeURIComponent("/snakes/gallery?from=mail#code=K7-x")}`);
  // The link follows the address.
  await page.evaluate(() => history.replaceState(null, "", "#code=K8-y"));
  await link.click();
  await page.waitForURL((url) => url.pathname === "/local");
  await page.fill("#sign-in input[name=name]", "ann");
  await page.click("#sign-in button");
  await page.waitForURL((url) => url.pathname === "/snakes/gallery");
  const { search, hash } = new URL(page.url());
  assert.equal(search + hash, "?from=mail#code=K8-y");
  for (const elsewhere of ["//elsewhere.example/", "/\\elsewhere.example/", "/\t/elsewhere.example/", "/\n\\elsewhere.example/", "https://elsewhere.example/", "javascript:alert(1)", "snakes"]) {
    const path = `/local?return=${encodeURIComponent(elsewhere)}`;
    await page.goto(new URL(path, page.url()).href);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.fill("#sign-in input[name=name]", "ann");
    await page.click("#sign-in button");
    await page.waitForSelector('#now:has-text("You are signed in as ann")');
    await atRest(page);
    assert.equal(new URL(page.url()).pathname, "/local", elsewhere);
  }
  assert.deepEqual(page.faults, []);
  await end();
});

function readOfWeb(path) {
  return readFileSync(new URL(`../../crates/singlet-web/${path}`, import.meta.url), "utf8");
}

/** The page of the guest book, as the server fills it in. */
function guestBookPage() {
  return readOfWeb("examples/guestbook/index.html")
    .replace("<html", '<html data-system="guestbook" data-sign-in="/local"')
    .replace("{head}", readOfWeb("assets/head.html"))
    .replace("{header}", readOfWeb("assets/header.html").replaceAll("{title}", "Guest book").replaceAll("{name}", "guestbook"))
    .replaceAll("{base}", "/guestbook");
}

// A mistake in the script of docs/a-system.md was seen by no test.
test("the page of the guest book lists entries, adds one, and follows the others", async () => {
  const entry = (id, name, text) => ({ id, name, text, createdAt: "2026-11-16T12:00:00.000Z" });
  const stored = [entry("b", "Mo", "What a view!")];
  const signed = [];
  let connected;
  const stream = new Promise((resolve) => { connected = resolve; });
  const push = async (event, value) => (await stream).write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
  const front = await startFront({
    "GET /guestbook": guestBookPage(),
    "GET /guestbook/guestbook.js": readOfWeb("examples/guestbook/guestbook.js"),
    "GET /guestbook/entries": (asked, answer) => {
      const isRest = asked.url.includes("cursor=rest");
      json(answer, isRest ? { items: stored.slice(2) } : { items: stored.slice(0, 2), next: stored.length > 2 ? "rest" : null });
    },
    "POST /guestbook/entries": async (asked, answer) => {
      const { text } = await bodyOf(asked);
      signed.push([asked.headers["idempotency-key"], text]);
      const added = entry("d", "Ann", text);
      json(answer, added, 201);
      await push("entry", added);
    },
    "GET /guestbook/live": (_, answer) => {
      keepAlive(answer);
      connected(answer);
    },
  });
  const [phone] = SCREENS;
  const { name: _, ...options } = phone;
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  const page = await open(context, "/guestbook", front.origin);
  const shows = (...texts) => page.waitForFunction((expected) => [...document.querySelectorAll("#entries li")].map((one) => one.textContent).join("|") === expected, texts.join("|"));
  await shows("Mo What a view!");
  // What was written between the list and the stream.
  stored.unshift(entry("c", "Ann", "<b>Thank you</b> for the tea."));
  stored.push(entry("a", "Zoë", "The first."));
  await push("ready", {});
  await shows("Ann <b>Thank you</b> for the tea.", "Mo What a view!");
  await page.click("text=More");
  await shows("Ann <b>Thank you</b> for the tea.", "Mo What a view!", "Zoë The first.");
  await page.fill("input[name=text]", "Hello.");
  await page.keyboard.press("Enter");
  await shows("Ann Hello.", "Ann <b>Thank you</b> for the tea.", "Mo What a view!", "Zoë The first.");
  await page.waitForFunction(() => document.querySelector("input[name=text]").value === "");
  assert.deepEqual(signed.map(([, text]) => text), ["Hello."]);
  assert.ok(signed[0][0], "a key that lets the request be repeated");
  await push("removed", stored[1]);
  await shows("Ann Hello.", "Ann <b>Thank you</b> for the tea.", "Zoë The first.");
  await checkPage(page, "guestbook", phone);
  assert.deepEqual(page.faults, []);
  await context.close();
  front.stop();
});
