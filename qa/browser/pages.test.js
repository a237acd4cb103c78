// What the kit gives to every page: forms, lists, live updates, the offline queue, dialogs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import jsQR from "jsqr";
import { ask, atRest, DESK, launch, open, PHONE, picture, soon, test, until } from "./browser.js";
import { checkPage, SCREENS } from "./checks.js";
import { json, startFront } from "./front.js";
import { GALLERY, GALLERY_SCRIPT } from "./gallery.js";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** Opens a stream that has nothing to say but that it is there, as the server does. Returns a function that silences it. */
function keepAlive(answer, onComment = () => {}) {
  answer.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
  const comments = setInterval(() => answer.write(":\n\n", onComment), 1_000);
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
  return page.waitForFunction((expected) => document.querySelector("#queue")?.textContent === expected, text);
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
  await soon.match(() => page.textContent(`#${note}`), /24/);
  await soon.equal(() => page.evaluate(() => document.activeElement.id), "create-name");
  await until("the error is in view", () => isInView(page, `#${note}`));
  // Typing takes the error away.
  await page.type("#create-name", "x");
  await soon.equal(() => page.locator(".field-error").count(), 0);
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
  await soon.equal(() => page.textContent("[role=alert]"), "The name is taken. Choose another one.");
  await until("the problem is in view", () => isInView(page, "[role=alert]"));
  await soon.equal(() => page.evaluate(() => document.activeElement.getAttribute("role")), "alert");
  // Number inputs give numbers.
  await soon.deepEqual(() => page.evaluate(() => window.kit.values), { name: "", count: 3, kind: "one", text: "" });
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
  await soon.deepEqual(() => texts(), ["Item 1", "Item 2", "Item 3"]);
  await page.focus("button.more");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#list li").length === 5);
  await soon.equal(() => page.evaluate(() => document.activeElement.textContent), "Item 4");
  // A reload shows as much as before, and the focus stays on the item.
  await page.evaluate(() => window.kit.list.reload());
  await soon.equal(async () => (await texts()).length, 5);
  await soon.equal(() => page.evaluate(() => document.activeElement.textContent), "Item 4");
  // The focused item is removed, so its successor gets the focus.
  await page.evaluate(() => window.kit.list.remove("k4"));
  await soon.equal(() => page.evaluate(() => document.activeElement.textContent), "Item 5");
  await page.evaluate(() => window.kit.list.upsert({ id: "k9", text: "Item 9" }));
  await page.evaluate(() => window.kit.list.upsert({ id: "k2", text: "Item two" }));
  await soon.deepEqual(() => texts(), ["Item 9", "Item 1", "Item two", "Item 3", "Item 5"]);
  await page.click("button.more");
  await page.waitForFunction(() => document.querySelector("button.more")?.hidden);
  await soon.equal(async () => (await texts()).at(-1), "Item 6");
  assert.deepEqual(page.faults, []);
  await end();
});

test("the offline queue sends each entry once and in order, over a reload and with two tabs", async () => {
  // Like a server: a repeated key gets an answer but no second effect.
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
      // The first request has its effect, but the answer is lost.
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
  await soon.equal(() => page.textContent("#queue"), "3 waiting");
  const other = await load();
  other.expected = () => true;
  await other.evaluate(() => window.kit.queue.push({ number: 4 }));
  await soon.equal(() => other.textContent("#queue"), "4 waiting");
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
  await page.waitForFunction(() => document.querySelector("#queue")?.textContent === "2 waiting: Game over.");
  assert.deepEqual(sent, [1]);
  await page.evaluate((id) => window.kit.queue.drop(id), first);
  await page.waitForFunction(() => document.querySelector("#queue")?.textContent === "0 waiting");
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
  // The page retries a 503 or an in-progress request twice before the queue sees it.
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
  const keys = new Set();
  const { page, load, end } = await gallery({
    "POST /snakes/kit/queue": async (asked, answer) => {
      const { number } = await bodyOf(asked);
      const key = asked.headers["idempotency-key"];
      // Browsers sync localStorage between tabs with a delay, so a tab may resend an entry that
      // another tab has just sent. The key makes that harmless.
      if (keys.has(key)) return json(answer, {});
      sent.push({ number, at: Date.now() });
      if (sent.length > 1) {
        keys.add(key);
        return json(answer, {});
      }
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
    // Once the lock is free, everything was sent, but the queue does not know it yet.
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
  await soon.deepEqual(() => waiting(), [[-1, "The number is negative."], [-3, "The number is negative."]]);
  // One is corrected, with a new key unless the page gives one; the other stays.
  assert.equal(await page.evaluate(([first]) => window.kit.skipping.replace(first, { number: 1 }), ids), true);
  await page.waitForFunction(() => window.kit.skipping.entries().length === 1);
  assert.deepEqual(numbers(), [-1, 2, -3, 1]);
  assert.notEqual(sent[3].key, sent[0].key);
  assert.equal(await page.evaluate(([, , third]) => window.kit.skipping.replace(third, { number: 3 }, { key: "another-key-of-the-page" }), ids), true);
  await page.waitForFunction(() => window.kit.skipping.entries().length === 0);
  assert.deepEqual(sent.at(-1), { number: 3, key: "another-key-of-the-page" });
  // An entry that was removed cannot be corrected.
  assert.equal(await page.evaluate(([first]) => window.kit.skipping.replace(first, { number: 4 }), ids), false);
  await soon.deepEqual(() => waiting(), []);
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
  // The token expires while the page is open: the entry still belongs to Ann.
  await signIn("ann", -1);
  await push(1);
  await soon.deepEqual(() => waiting(), [true, [[1, "ann", null]]]);
  // The entry is not sent as another user.
  const bob = await signIn("bob", 600);
  await push(2);
  await page.waitForFunction(() => window.kit.queue.entries().length === 1);
  assert.deepEqual(sent, [[2, bob]]);
  const ann = await signIn("ann", 600);
  await page.waitForFunction(() => window.kit.queue.entries().length === 0);
  assert.deepEqual(sent.splice(0), [[2, bob], [1, ann]]);
  // The server refuses a token before it expires: entries get no error.
  isRefused = true;
  await push(3);
  await push(4);
  await page.waitForFunction(() => window.kit.queue.needsSignIn);
  await soon.deepEqual(() => waiting(), [true, [[3, "ann", null], [4, "ann", null]]]);
  isRefused = false;
  const again = await signIn("ann", 600, 1);
  await page.waitForFunction(() => window.kit.queue.entries().length === 0);
  assert.deepEqual(sent, [[3, again], [4, again]]);
  await soon.deepEqual(() => waiting(), [false, []]);
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
    token.keep(`x.${btoa(JSON.stringify({ sub: "ann", exp: Math.floor(Date.now() / 1000) + 4 }))}.x`);
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
  await soon.equal(() => page.inputValue("#form input[name=name]"), "Ann");
  status = 200;
  await page.click("#form button");
  await page.waitForFunction(() => document.querySelector("#form input[name=name]")?.value === "");
  await soon.equal(() => page.inputValue("#form select"), "one");
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
    await soon.equal(() => page.locator("#create [role=alert]").count(), isRefused ? 1 : 0);
    return [...sent];
  };
  // The answer is lost every time. The page retries, then the user.
  const [[first], ...rest] = await press(true);
  assert.ok(rest.length >= 2 && rest.every(([key]) => key === first), rest.join());
  isLosing = false;
  assert.deepEqual(await press(false), [[first, { name: "Ann" }]]);
  // After a success the next request has a new key.
  const [[second]] = await press(false);
  assert.notEqual(second, first);
  // A completed step is not repeated when a later step fails, even if that one changes.
  await page.evaluate(() => { window.isLast = false; });
  const [[third], [red]] = await press(true);
  assert.ok(third !== second && red !== third);
  await page.fill("#create input[name=place]", "blue");
  const [[made, ann], [blue]] = await press(true);
  assert.deepEqual([made, ann], [third, { name: "Ann" }]);
  assert.notEqual(blue, red);
  // A changed name makes it a new request.
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
    await soon.equal(() => page.locator("#change [role=alert]").count(), isLosing ? 1 : 0);
    for (const [what, key] of sent) if (what === "made") made.add(key);
    const keys = new Set(sent.filter(([what]) => what === place).map(([, key]) => key));
    assert.equal(keys.size, 1, sent.join());
    return [...keys][0];
  };
  // Each change succeeds, but the page gets no answer.
  const red = await press("red");
  assert.equal(await press("red"), red);
  const yellow = await press("yellow");
  assert.notEqual(yellow, red);
  const redAgain = await press("red");
  assert.ok(redAgain !== red && redAgain !== yellow);
  isLosing = false;
  assert.equal(await press("red"), redAgain);
  // The first object was created once.
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
  await soon.equal(() => page.getAttribute("#waits", "aria-busy"), "true");
  assert.equal(keys.length, 2);
  assert.notEqual(keys[0], keys[1]);
  await end();
});

test("a dialog takes the focus and gives it back", async () => {
  const { page, end } = await gallery();
  await page.focus("#delete");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  // Enter must not confirm a destructive action.
  await soon.equal(() => page.evaluate(() => document.activeElement.textContent), "Cancel");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await soon.equal(() => page.evaluate(() => document.activeElement.id), "delete");
  await page.keyboard.press("Enter");
  await page.click("dialog button.danger");
  await page.waitForFunction(() => window.kit.answers.length === 2);
  await soon.deepEqual(() => page.evaluate(() => window.kit.answers), [false, true]);
  assert.deepEqual(page.faults, []);
  await end();
});

// Browsers return the focus at once, but fire the close event later.
test("a dialog that has closed leaves the focus where the person put it", async () => {
  const { page, end } = await gallery();
  await page.click("#delete");
  const focused = await page.evaluate(() => new Promise((resolve) => {
    const dialog = document.querySelector("dialog[open]");
    dialog.addEventListener("close", () => resolve(document.activeElement.textContent));
    dialog.close();
    document.querySelector("main a[href], header a[href]").focus();
  }));
  assert.notEqual(focused, await page.textContent("#delete"));
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await soon.notEqual(() => page.evaluate(() => document.activeElement.id), "delete");
  await end();
});

// Regression: going back left the page and discarded the input.
test("going back closes a dialog and stays on the page, and going forward does not open it again", async () => {
  const { page, front, end } = await gallery();
  await page.goto(`${front.origin}/snakes`);
  await page.goto(`${front.origin}/snakes/gallery#second`);
  await page.waitForFunction(() => window.kit?.stream);
  await page.fill("#form input[name=name]", "Ann");
  const shows = (count, depth) => page.waitForFunction(([dialogs, entries]) => document.querySelectorAll("dialog").length === dialogs && (history.state?.dialogs ?? 0) === entries, [count, depth]);
  const back = () => page.evaluate(() => history.back());
  const openSheet = () => page.evaluate(async () => {
    const { sheet } = await import("/assets/dialog.js");
    const input = document.createElement("input");
    input.name = "typed";
    window.kit.sheet = sheet([input], { title: "Edit" });
  });
  await openSheet();
  await page.fill("dialog input", "a long text");
  await shows(1, 1);
  await back();
  await shows(0, 0);
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).hash, "/snakes/gallery#second");
  await soon.equal(() => page.inputValue("#form input[name=name]"), "Ann");
  await soon.equal(() => page.isVisible("#second"), true);
  // Forward reaches a stale history entry, and the page returns from there.
  await page.evaluate(() => new Promise((resolve) => { addEventListener("popstate", resolve, { once: true, capture: true }); history.forward(); }));
  await shows(0, 0);
  // Back closes one of two dialogs at a time, and answers a confirmation with no.
  await openSheet();
  await page.evaluate(() => document.querySelector("#delete").click());
  await shows(2, 2);
  await back();
  await shows(1, 1);
  await soon.equal(() => page.textContent("dialog h2"), "Edit");
  await soon.deepEqual(() => page.evaluate(() => window.kit.answers), [false]);
  await back();
  await shows(0, 0);
  // Closing by the button removes the entry, also if the next dialog opens at once.
  await openSheet();
  await page.evaluate(() => { window.kit.sheet.closed.then(() => document.querySelector("#delete").click()); });
  await page.click("dialog button");
  await page.waitForSelector("dialog[role=alertdialog]");
  await page.click("dialog button.danger");
  await shows(0, 0);
  await soon.deepEqual(() => page.evaluate(() => window.kit.answers), [false, true]);
  await back();
  await page.waitForURL((url) => url.pathname === "/snakes");
  assert.deepEqual(page.faults, []);
  await end();
});

test("a dialog that closes does not stop the way to another page", async () => {
  const { page, end } = await gallery();
  await page.evaluate(async () => {
    const { sheet } = await import("/assets/dialog.js");
    const shown = sheet(["Leave?"], { title: "Leave" });
    await new Promise((resolve) => { setTimeout(resolve, 50); });
    shown.close();
    location.assign("/snakes");
  });
  await page.waitForURL((url) => url.pathname === "/snakes");
  await page.goBack();
  await page.waitForFunction(() => window.kit?.stream && !document.querySelector("dialog") && !history.state?.dialogs);
  await end();
});

/** The text of the QR code that a page shows, read from the pixels. */
async function readCode(page, selector) {
  const { pixels, side } = await page.evaluate(async (selector) => {
    const drawing = document.querySelector(selector);
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
    await image.decode();
    const side = 4 * drawing.viewBox.baseVal.width;
    const context = Object.assign(document.createElement("canvas"), { width: side, height: side }).getContext("2d");
    context.drawImage(image, 0, 0, side, side);
    const { data } = context.getImageData(0, 0, side, side);
    return { pixels: Array.from({ length: side * side }, (_, at) => (data[4 * at] > 127 ? "1" : "0")).join(""), side };
  }, selector);
  return jsQR(Uint8ClampedArray.from([...pixels].flatMap((pixel) => [255 * pixel, 255 * pixel, 255 * pixel, 255])), side, side)?.data;
}

test("a link can be shared without a clipboard", async () => {
  const { page, end } = await gallery();
  await page.evaluate(() => {
    Object.defineProperty(navigator, "share", { value: undefined });
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await page.click("#plain");
  await page.waitForSelector("dialog input");
  await soon.equal(() => page.evaluate(() => window.kit.shared), "shown");
  await soon.deepEqual(() => page.evaluate(() => { const { value, selectionStart, selectionEnd } = document.querySelector("dialog input"); return [value, value.slice(selectionStart, selectionEnd)]; }), [page.url(), page.url()]);
  await picture(page, "share");
  await page.click("dialog .actions:last-child button");
  await page.waitForFunction(() => document.activeElement.id === "plain");
  assert.deepEqual(page.faults, []);
  await end();
});

// Regression: the server rendered the code, so an invitation's secret was in the address of a
// request.
test("the QR code of a link is drawn by the page, and the server never sees the link", async () => {
  const { page, end } = await gallery();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  const secret = "K7xQ-zoë-0451";
  const link = await page.evaluate(async (code) => {
    const { showLink } = await import("/assets/share.js");
    const link = new URL(`/threefc/join/tidewall#${code}`, location.href).href;
    showLink(link, { title: "Invitation" });
    return link;
  }, secret);
  await page.waitForSelector("dialog .qr");
  assert.equal(await readCode(page, "dialog svg.qr"), link);
  assert.deepEqual(asked.filter((url) => decodeURIComponent(url).includes("K7xQ")), []);
  await picture(page, "share-code");
  assert.deepEqual(page.faults, []);
  await end();
});

test("QR codes of all sizes are read back", async () => {
  const { page, end } = await gallery();
  // The largest text of each version at level M, a smaller one, and text that is not ASCII.
  const longest = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213];
  const letters = "https://example.org/Join?code=abcDEF-_~#";
  const texts = longest.flatMap((length) => [length - 7, length].map((size) => letters.repeat(6).slice(0, size)));
  for (const text of [...texts, "Zoë · ☂ 雨", "0123456789012345"]) {
    await page.evaluate(async (content) => {
      const { qrCode } = await import("/assets/qr.js");
      document.querySelector("svg.qr")?.remove();
      document.querySelector("main").append(qrCode(content, "Code"));
    }, text);
    assert.equal(await readCode(page, "svg.qr"), text, `${text.length} characters`);
  }
  const sizes = await page.evaluate(async (lengths) => {
    const { qrModules } = await import("/assets/qr.js");
    return lengths.map((length) => [qrModules("x".repeat(length))?.length, qrModules("x".repeat(length + 1))?.length]);
  }, longest);
  // A version has four modules more than the one before; one byte more needs the next version.
  assert.deepEqual(sizes, longest.map((_, index) => [21 + 4 * index, index === 9 ? undefined : 25 + 4 * index]));
  await end();
});

// Regression: there was only a selected field, which is hard to copy on a phone.
test("a link that is shown can be copied and shared by buttons", async () => {
  const { page, end } = await gallery({}, PHONE);
  await page.evaluate(async () => {
    window.kit.copied = [];
    window.kit.passedOn = [];
    Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.kit.copied.push(text); } } });
    Object.defineProperty(navigator, "share", { value: async (data) => { window.kit.passedOn.push(data); } });
    const { showLink } = await import("/assets/share.js");
    showLink("https://example.org/join#1", { title: "Invitation" });
  });
  await page.click("dialog button:has-text('Copy link')");
  await page.waitForSelector("dialog button:has-text('Copied')");
  await page.click("dialog button:has-text('Share')");
  await page.waitForFunction(() => window.kit.passedOn.length === 1);
  await soon.deepEqual(() => page.evaluate(() => [window.kit.copied, window.kit.passedOn[0].url]), [["https://example.org/join#1"], "https://example.org/join#1"]);
  await picture(page, "share-buttons");
  // If copying is not allowed, the link stays selected.
  await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error("no")); });
  await page.click("dialog button:has-text('Cop')");
  await page.waitForFunction(() => document.activeElement.tagName === "INPUT");
  assert.deepEqual(page.faults, []);
  await end();
});

test("a message says what was done, above a dialog too, and its button acts", async () => {
  const { page, end } = await gallery({}, { ...PHONE, hasClock: true });
  await page.evaluate(() => {
    window.kit.undone = 0;
    window.kit.toast("Goal for RED", { action: "Undo", onAction: () => { window.kit.undone += 1; } });
    // The toast stays while it has the focus.
    document.querySelector(".toast button").focus();
  });
  await page.waitForSelector(".toast:has-text('Goal for RED')");
  await page.waitForFunction(() => document.querySelector("[data-announce=polite]")?.textContent === "Goal for RED");
  await soon.ok(() => isInView(page, ".toast"));
  await checkPage(page, "toast", SCREENS[0], { layout: { targets: ".toast button" } });
  await page.click(".toast button");
  await soon.equal(() => page.evaluate(() => window.kit.undone), 1);
  await soon.equal(() => page.locator(".toast").count(), 0);
  // The next toast replaces the previous one, shows above a dialog, and disappears.
  await page.click("#delete");
  const seen = await page.evaluate(() => {
    for (const text of ["Saved", "Undone: goal for RED"]) window.kit.toast(text);
    const { x, y } = document.querySelector(".toast span").getBoundingClientRect();
    return [[...document.querySelectorAll(".toast")].map((one) => one.textContent), document.elementFromPoint(x + 1, y + 1).textContent];
  });
  assert.deepEqual(seen, [["Undone: goal for RED"], "Undone: goal for RED"]);
  await page.clock.fastForward(7_000);
  await page.waitForFunction(() => !document.querySelector(".toast"));
  assert.deepEqual(page.faults, []);
  await end();
});

test("a page that has nothing to show yet says that it loads", async () => {
  const page = GALLERY.replace(/<main>.*<\/main>/s, '<main><section id="content" hidden><h1>Content</h1></section></main>').replace("/snakes/gallery.js", "/snakes/slow.js");
  const slow = 'window.kit = { stream: true, show() { document.getElementById("content").hidden = false; } };';
  const { page: shown, end } = await gallery({ "GET /snakes/gallery": page, "GET /snakes/slow.js": slow });
  await shown.waitForSelector(".loading:has-text('Loading…')");
  await picture(shown, "loading");
  await shown.evaluate(() => window.kit.show());
  await shown.waitForFunction(() => !document.querySelector(".loading"));
  assert.deepEqual(shown.faults, []);
  await end();
});

test("times and dates read the same everywhere", async () => {
  const { page, end } = await gallery({}, { ...DESK, locale: "en-US", timezoneId: "America/New_York" });
  const texts = await page.evaluate(async () => {
    const { dayName, dayText, momentText, timeText } = await import("/assets/time.js");
    const [moment, now] = ["2026-11-17T19:05:09Z", new Date("2026-11-18T12:00:00Z")];
    return [
      timeText(moment), timeText(moment, { seconds: true }), timeText("2026-11-17T05:00:00Z"), momentText(moment, { now }),
      dayText("2026-05-03", { now }), dayText("2025-05-03", { weekday: false, now }), dayText(moment, { withYear: true, now }),
      dayName(moment, now), dayName(now, now), dayName("2026-11-30", now),
    ];
  });
  assert.deepEqual(texts, ["14:05", "14:05:09", "00:00", "Tue 17 Nov 14:05", "Sun 3 May", "3 May 2025", "Tue 17 Nov 2026", "Yesterday", "Today", "Monday 30 November"]);
  await end();
});

test("tabs follow the arrow keys and the address", async () => {
  const { page, end } = await gallery();
  const shown = () => page.evaluate(() => ["first", "second", "third"].filter((id) => !document.getElementById(id).hidden).join());
  await soon.equal(() => shown(), "first");
  await page.focus('[role=tab][aria-selected="true"]');
  await page.keyboard.press("ArrowRight");
  await soon.equal(() => shown(), "second");
  await page.waitForURL((url) => url.hash === "#second");
  await page.keyboard.press("End");
  await soon.equal(() => shown(), "third");
  await page.reload();
  await page.waitForFunction(() => window.kit?.stream);
  await soon.equal(() => shown(), "third");
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
  // Chunks may end anywhere.
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
  await soon.deepEqual(() => page.evaluate(() => window.kit.events), [["state", { count: 1 }], ["added", { name: "Zoë" }], ["state", null]]);
  assert.deepEqual(seen, [null, "8", "9"]);
  await soon.equal(() => page.textContent(".connection-bar"), "Not found.");
  await end();
});

/**
 * A stream as the server has it: it begins with a whole state unless it resumes, and then has numbered
 * events. `open` are its connections, `asked` the headers of all that there were.
 */
function countingStream() {
  const stream = { open: new Set(), asked: [], count: 0 };
  const write = (answer, event, number) => answer.write(`id: ${number}\nevent: ${event}\ndata: ${number}\n\n`);
  stream.send = () => {
    stream.count += 1;
    for (const answer of stream.open) write(answer, "added", stream.count);
  };
  stream.route = (asked, answer) => {
    stream.asked.push(asked.headers);
    keepAlive(answer);
    stream.open.add(answer);
    answer.on("close", () => stream.open.delete(answer));
    const last = Number(asked.headers["last-event-id"] ?? -1);
    if (last < 0) write(answer, "state", stream.count);
    else for (let number = last + 1; number <= stream.count; number += 1) write(answer, "added", number);
  };
  return stream;
}

/** The numbers of the changes that a page has got since its latest state, after that of the state itself. */
function numbersOf(page) {
  return page.evaluate(() => {
    const events = window.kit.events;
    return events.slice(events.findLastIndex(([event]) => event === "state")).map(([, number]) => number);
  });
}

/** Waits until a page knows everything up to this number. None since its latest state is missing, or there twice. */
async function hasNumbersTo(page, last) {
  await until(`the page knows all up to ${last}`, async () => {
    const numbers = await numbersOf(page);
    return numbers.at(-1) === last && numbers.every((number, index) => number === numbers[0] + index);
  });
}

test("six tabs share one connection, and another page loads beside them", async () => {
  const stream = countingStream();
  const { front, context, load, page, end } = await gallery({ "GET /snakes/kit/stream": stream.route });
  const tabs = [page];
  // Each tab receives the whole state, for which the stream may be reopened.
  for (let number = 2; number <= 6; number += 1) tabs.push(await load());
  for (const tab of tabs) await hasNumbersTo(tab, 0);
  await until("one connection is open", () => stream.open.size === 1);
  const other = await open(context, "/snakes", front.origin);
  await other.waitForSelector("#create-name");
  stream.send();
  stream.send();
  for (const tab of tabs) await hasNumbersTo(tab, 2);
  // One tab signs in: all tabs reconnect as this user.
  await tabs[3].evaluate((text) => window.kit.session.token.keep(text), tokenOf("ann"));
  await until("the stream is read as Ann", () => stream.open.size === 1 && stream.asked.at(-1).authorization);
  stream.send();
  for (const tab of tabs) await hasNumbersTo(tab, 3);
  await until("one connection is open", () => stream.open.size === 1);
  for (const tab of [...tabs, other]) assert.deepEqual(tab.faults, []);
  await end();
});

test("when the tab that reads the stream is closed, another one resumes without losing events", async () => {
  const stream = countingStream();
  const { load, page, end } = await gallery({ "GET /snakes/kit/stream": stream.route });
  const tabs = [await load(), await load()];
  for (const tab of [page, ...tabs]) await hasNumbersTo(tab, 0);
  await until("one connection is open", () => stream.open.size === 1);
  stream.send();
  for (const tab of tabs) await hasNumbersTo(tab, 1);
  const connections = stream.asked.length;
  await page.close();
  // Either no tab reads yet, or the closed one still does.
  stream.send();
  await until("another tab reads", () => stream.open.size === 1 && stream.asked.length > connections);
  stream.send();
  for (const tab of tabs) await hasNumbersTo(tab, 3);
  // It resumed instead of starting over with the state.
  assert.ok(stream.asked.at(-1)["last-event-id"]);
  for (const tab of tabs) assert.deepEqual(tab.faults, []);
  await end();
});

test("a tab that hangs or is hidden for long gives the stream to another", async () => {
  const stream = countingStream();
  const { load, page, end } = await gallery({ "GET /snakes/kit/stream": stream.route }, { ...DESK, hasClock: true });
  const tab = await load();
  for (const one of [page, tab]) await hasNumbersTo(one, 0);
  const setHidden = (isHidden) => page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  await setHidden(true);
  await page.clock.fastForward(31_000);
  stream.send();
  await until("the visible tab is told", async () => (await numbersOf(tab)).at(-1) === 1);
  await soon.equal(async () => (await numbersOf(page)).at(-1), 0);
  await setHidden(false);
  await until("the other one is told when it is seen again", async () => (await numbersOf(page)).at(-1) === 1);
  // A tab that holds the lock and sends nothing.
  await tab.evaluate(async () => {
    const [held] = (await navigator.locks.query()).held;
    navigator.locks.request(held.name, { steal: true }, () => new Promise(() => {})).catch(() => {});
  });
  await page.clock.fastForward(10_000);
  await until("one connection is open", () => stream.open.size === 1);
  stream.send();
  for (const one of [page, tab]) await until("the event came", async () => (await numbersOf(one)).at(-1) === 2);
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
  // Long enough in total to exceed the silence that a page tolerates.
  await until("comments were sent", () => comments >= 12);
  assert.equal(connections, 1);
  await soon.equal(() => page.textContent(".connection-bar"), "");
  silence();
  front.freeze();
  await page.clock.fastForward(10_000);
  await page.waitForSelector(".connection-bar:not(:empty)");
  front.thaw();
  await page.waitForFunction(() => window.kit.stream.status === "open" && document.querySelector(".connection-bar")?.textContent === "");
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
  await soon.match(() => page.textContent(".connection-bar"), /^Connection lost\. Last update \d/);
  await picture(page, "connection-lost");
  // An action waits for the connection, and reports an error if there is none.
  await page.click("#roll");
  await soon.equal(() => page.textContent("#roll"), "Rolling…");
  await page.waitForSelector("[role=alert]");
  await soon.match(() => page.textContent("[role=alert]"), /no connection/i);
  front.thaw();
  await page.waitForFunction(() => document.querySelector(".connection-bar")?.textContent === "");
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
    const fits = (what) => soon.ok(() => page.evaluate((most) => document.documentElement.scrollWidth <= most, width), `${what}: wider than ${width}`);
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
  await soon.equal(() => page.textContent("#caller"), "Sign in");
  await soon.equal(() => page.getAttribute("#caller a", "href"), "/local#return=%2Fsnakes%2Fgallery");
  const other = await load();
  await page.evaluate((text) => window.kit.session.token.keep(text), tokenOf("zoë", "Zoë"));
  await other.waitForSelector("#caller summary");
  await soon.match(() => other.textContent("#caller summary"), /Zoë/);
  await other.click("#caller summary");
  await picture(other, "caller-menu");
  await other.click("#caller button");
  await page.waitForSelector("#caller a");
  await soon.deepEqual(() => page.locator(".chart-table caption").allTextContents(), ["Runs by day", "Wins", "Hits"]);
  for (const tab of [page, other]) assert.deepEqual(tab.faults, []);
  await end();
});

test("signing in leads back to the page with its fragment, and to no other site", async () => {
  const { page, end } = await gallery();
  await page.evaluate(() => history.replaceState(null, "", "?from=mail#code=K7-x"));
  await page.reload();
  // Invitations have their code in the fragment, which must stay in the browser.
  const requested = [];
  page.on("request", (request) => requested.push(request.url().split("#")[0]));
  const link = page.locator("#caller a");
  await soon.equal(() => link.getAttribute("href"), `/local#return=${encodeURIComponent("/snakes/gallery?from=mail#code=K7-x")}`);
  // The link is updated with the address.
  await page.evaluate(() => history.replaceState(null, "", "#code=K8-y"));
  await link.click();
  await page.waitForURL((url) => url.pathname === "/local");
  await page.fill("#sign-in input[name=name]", "ann");
  await page.click("#sign-in button");
  await page.waitForURL((url) => url.pathname === "/snakes/gallery");
  await soon.ok(() => page.url().endsWith("/snakes/gallery?from=mail#code=K8-y"), page.url());
  assert.ok(requested.some((url) => new URL(url).pathname === "/local"));
  assert.deepEqual(requested.filter((url) => /K[78]-/.test(url)), []);
  for (const elsewhere of ["//elsewhere.example/", "/\\elsewhere.example/", "/\t/elsewhere.example/", "/\n\\elsewhere.example/", "https://elsewhere.example/", "javascript:alert(1)", "snakes"]) {
    const path = `/local#return=${encodeURIComponent(elsewhere)}`;
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

// Regression: no test ran the script of docs/a-system.md, which had a bug.
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
  // Written between reading the list and opening the stream.
  stored.unshift(entry("c", "Ann", "<b>Thank you</b> for the tea."));
  stored.push(entry("a", "Zoë", "The first."));
  await push("ready", {});
  await shows("Ann <b>Thank you</b> for the tea.", "Mo What a view!");
  await page.click("text=More");
  await shows("Ann <b>Thank you</b> for the tea.", "Mo What a view!", "Zoë The first.");
  await page.fill("input[name=text]", "Hello.");
  await page.keyboard.press("Enter");
  await shows("Ann Hello.", "Ann <b>Thank you</b> for the tea.", "Mo What a view!", "Zoë The first.");
  await page.waitForFunction(() => document.querySelector("input[name=text]")?.value === "");
  assert.deepEqual(signed.map(([, text]) => text), ["Hello."]);
  assert.ok(signed[0][0], "a key that lets the request be repeated");
  await push("removed", stored[1]);
  await shows("Ann Hello.", "Ann <b>Thank you</b> for the tea.", "Zoë The first.");
  await checkPage(page, "guestbook", phone);
  assert.deepEqual(page.faults, []);
  await context.close();
  front.stop();
});
