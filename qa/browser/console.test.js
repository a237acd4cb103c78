// The console: tables, items, designs, access patterns and live changes.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { DESK, address, ask, launch, open, picture, soon, test, until } from "./browser.js";
import { SCREENS, checkPage } from "./checks.js";

const TABLE = "snakes-dev";
/** Links within a sentence are as high as its lines, and links beside a table are for a mouse. */
const LAYOUT = { except: ":is(p a:not(.button), li a:not(.button), td a, th a):not(.actions a), .console-side a" };

let browser;
const undo = [];
before(async () => { browser = await launch(); });
after(async () => {
  await browser?.close();
  for (const step of undo) await step();
});

/** Sends a request as the console does. */
async function dynamodb(operation, input) {
  const answer = await fetch(`${address}/console/request`, { method: "POST", headers: { "x-amz-target": `DynamoDB_20120810.${operation}` }, body: JSON.stringify(input) });
  return answer.json();
}

/** A game of Snakes with its two players, as the table holds it. */
async function newGame() {
  const { game } = await ask("POST", "/snakes/games", { body: { name: "Ann" } });
  await ask("POST", `/snakes/games/${game.code}/players`, { body: { name: "Bob" } });
  return { code: game.code, partition: `GAME#${game.code}`, path: `/console#/t/${TABLE}?p0=${encodeURIComponent(`GAME#${game.code}`)}` };
}

/** A table that nobody else writes to: other suites play games meanwhile. */
async function newTable() {
  const TableName = `console-${Date.now().toString(36)}`;
  const AttributeDefinitions = [{ AttributeName: "PK", AttributeType: "S" }];
  await dynamodb("CreateTable", { TableName, AttributeDefinitions, KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }], BillingMode: "PAY_PER_REQUEST" });
  undo.push(() => dynamodb("DeleteTable", { TableName }));
  await until(`${TableName} is there`, async () => (await dynamodb("DescribeTable", { TableName })).Table?.TableStatus === "ACTIVE");
  return TableName;
}

async function key(partition, sort) {
  const { Item } = await dynamodb("GetItem", { TableName: TABLE, Key: { PK: { S: partition }, SK: { S: sort } }, ConsistentRead: true });
  return Item;
}

/** Waits until no dialog is open and the entries that dialogs made in the history are gone. */
function noDialog(page) {
  return page.waitForFunction(() => !document.querySelector("dialog") && !history.state?.dialogs);
}

test("the first page lists tables and designs with their sizes", async () => {
  const context = await browser.newContext(DESK);
  const page = await open(context, "/console");
  await page.waitForSelector(`.console-tables a:has-text("${TABLE}")`);
  await soon.match(() => page.textContent(`.console-tables tr:has-text("${TABLE}")`), /\d+ ?(bytes|KB|MB)/);
  await page.waitForSelector('.console-designs a:has-text("snakes")');
  await page.click(`.console-tables a:has-text("${TABLE}")`);
  await page.waitForSelector(".console-row");
  await picture(page, "console-items");
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("items are rows of their partition, named by their entities, and are found in every index", async () => {
  const { partition, path, code } = await newGame();
  const context = await browser.newContext(DESK);
  const page = await open(context, path);
  await soon.equal(() => page.locator(".console-row").count(), 3);
  await soon.equal(() => page.textContent(".console-partition .console-key"), partition);
  await soon.deepEqual(() => page.locator(".console-row .console-entity").allTextContents(), ["Game", "Player", "Player"]);
  // A sort key narrows the query.
  await page.fill("input[name=s0]", "PLAYER#");
  await page.press("input[name=s0]", "Enter");
  await soon.equal(() => page.locator(".console-row").count(), 2);
  await page.click("#show-request");
  await soon.match(() => page.textContent("dialog pre"), /aws dynamodb query/);
  await soon.match(() => page.textContent("dialog pre"), /--endpoint-url http/);
  for (const [language, expected] of Object.entries({ python: "client.query(", javascript: "new QueryCommand(", rust: ".query()", json: '"KeyConditionExpression"' })) {
    await page.selectOption("dialog select", language);
    await soon.ok(async () => (await page.textContent("dialog pre")).includes(expected), language);
  }
  await page.keyboard.press("Escape");
  // The same item in an index is one press away.
  await page.locator(".console-open").first().click();
  await page.click('dialog a:has-text("In GSI1")');
  await page.waitForSelector('.console-indexes a[aria-current]:has-text("GSI1")');
  await soon.match(() => page.textContent(".console-partition"), /PLAYER#/);
  await soon.match(() => page.textContent(".console-row"), new RegExp(code));
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("a filter finds texts, numbers and truth values, and says how much it looked at", async () => {
  const { code } = await newGame();
  const context = await browser.newContext(DESK);
  const page = await open(context, `/console#/t/${TABLE}?filter=gameCode&is=%3D&value=${code}`);
  await soon.equal(() => page.locator(".console-row").count(), 2);
  await soon.match(() => page.textContent(".console-summary"), /looked at/);
  await page.fill("input[name=filter]", "seat");
  await page.fill("input[name=value]", "1");
  await page.press("input[name=value]", "Enter");
  await page.waitForSelector('.console-row:has-text("Bob")');
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("an item is edited on condition that it is what was seen, and the change can be undone", async () => {
  const { partition, path } = await newGame();
  const context = await browser.newContext(DESK);
  const page = await open(context, path);
  page.expected = (text) => text.includes("400");
  const openFirst = async () => {
    await page.locator(".console-open").first().click();
    await page.waitForSelector("dialog[open]");
  };
  const edit = async (change) => {
    await page.click('dialog button:text-is("Edit")');
    await page.waitForSelector("dialog textarea");
    const item = JSON.parse(await page.inputValue("dialog textarea"));
    change(item);
    await page.fill("dialog textarea", JSON.stringify(item));
  };
  await page.waitForSelector(".console-row");
  // Nothing can be changed before editing is switched on.
  await openFirst();
  await soon.equal(() => page.locator('dialog button:text-is("Edit")').count(), 0);
  await page.keyboard.press("Escape");
  await noDialog(page);
  await page.check("#editing");
  await openFirst();
  await edit((item) => { item.remark = { SS: ["b", "a"] }; delete item.mode; });
  await page.click('dialog button:text-is("Show request")');
  await page.waitForSelector("dialog pre:not([hidden])");
  await soon.match(() => page.textContent("dialog pre"), /^UpdateItem[^]*REMOVE[^]*ConditionExpression/);
  await picture(page, "console-edit");
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('.toast:has-text("Saved")');
  let item = await key(partition, "METADATA");
  assert.deepEqual([item.remark, item.mode], [{ SS: ["a", "b"] }, undefined]);
  await page.click('.toast button:has-text("Undo")');
  await page.waitForSelector('.toast:has-text("Undone")');
  item = await key(partition, "METADATA");
  assert.deepEqual([item.remark, item.mode.S], [undefined, "turns"]);
  // A concurrent change during the edit.
  await openFirst();
  await edit((one) => { one.remark = "late"; });
  await dynamodb("UpdateItem", { TableName: TABLE, Key: { PK: { S: partition }, SK: { S: "METADATA" } }, UpdateExpression: "SET remark = :r", ExpressionAttributeValues: { ":r": { S: "first" } } });
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('dialog .notice:has-text("has changed since")');
  await soon.equal(async () => (await key(partition, "METADATA")).remark.S, "first");
  // The key cannot be changed, and JSON must be JSON.
  await page.fill("dialog textarea", '{"PK": "GAME#OTHER", "SK": "METADATA"}');
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('dialog .notice:has-text("part of the key")');
  await page.fill("dialog textarea", "{");
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('dialog .notice:has-text("not JSON")');
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("an item is created, duplicated and deleted", async () => {
  const { partition, path } = await newGame();
  const context = await browser.newContext(DESK);
  const page = await open(context, path);
  page.expected = (text) => text.includes("400");
  await page.waitForSelector(".console-row");
  await page.check("#editing");
  await page.locator("main").focus();
  await page.keyboard.press("n");
  await page.fill("dialog textarea", JSON.stringify({ PK: partition, SK: "NOTE#1", text: "new" }));
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('.console-row:has-text("NOTE#1")');
  await soon.equal(async () => (await key(partition, "NOTE#1")).text.S, "new");
  // One that exists is not overwritten.
  await page.click("#new-item");
  await page.fill("dialog textarea", JSON.stringify({ PK: partition, SK: "NOTE#1", text: "newer" }));
  await page.click('dialog button:text-is("Save")');
  await page.waitForSelector('dialog .notice:has-text("exists already")');
  await soon.equal(async () => (await key(partition, "NOTE#1")).text.S, "new");
  await page.keyboard.press("Escape");
  await noDialog(page);
  await page.click('.console-open:has-text("NOTE#1")');
  await page.click('dialog button:text-is("Delete")');
  await page.click("dialog button.danger:text-is('Delete')");
  await page.waitForSelector('.toast:has-text("Deleted")');
  await soon.equal(() => key(partition, "NOTE#1"), undefined);
  await page.click('.toast button:has-text("Undo")');
  await page.waitForSelector('.toast:has-text("Undone")');
  await soon.equal(async () => (await key(partition, "NOTE#1")).text.S, "new");
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("a design shows entities and keys, and runs an access pattern", async () => {
  const { code } = await newGame();
  const context = await browser.newContext(DESK);
  const page = await open(context, "/console#/d/snakes");
  await page.waitForSelector(".console-keys");
  await soon.match(() => page.textContent(".console-keys"), /Player.*GAME#\{\w+\}.*PLAYER#\{\w+\}/s);
  await picture(page, "console-design");
  const patterns = page.locator("tr", { has: page.locator("button:has-text('Run')") });
  await soon.ok(async () => (await patterns.count()) >= 3);
  // Every pattern that can be run has a form for the fields of its key.
  const name = await patterns.filter({ hasText: "Query" }).first().locator("th").textContent();
  await page.keyboard.press("Control+k");
  await page.fill("dialog input", name);
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog form");
  for (const field of await page.locator("dialog form input").all()) await field.fill(code);
  await page.click('dialog form button:text-is("Run")');
  await page.waitForSelector("dialog .console-summary");
  await soon.match(() => page.textContent("dialog .console-summary"), /\d+ items? in [\d.]+ ms, [\d.]+ read units/);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("changes appear as they happen, with what differs", async () => {
  const TableName = await newTable();
  const Key = { PK: { S: "NOTE#1" } };
  const remark = (text) => dynamodb("UpdateItem", { TableName, Key, UpdateExpression: "SET remark = :r", ExpressionAttributeValues: { ":r": { S: text } } });
  await remark("before");
  const context = await browser.newContext(DESK);
  const page = await open(context, `/console#/t/${TableName}/changes`);
  await page.waitForSelector("text=Waiting for the first change");
  await remark("seen live");
  const entry = page.locator(".console-changes li", { hasText: "seen live" });
  await entry.waitFor();
  await soon.match(() => entry.textContent(), /Changed/);
  await page.click('button:text-is("Pause")');
  await dynamodb("UpdateItem", { TableName, Key, UpdateExpression: "REMOVE remark" });
  await page.waitForSelector('button:has-text("1 new")');
  await soon.equal(() => page.locator(".console-changes li").count(), 1);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("everything is reached with the keyboard", async () => {
  const { path, code } = await newGame();
  const context = await browser.newContext(DESK);
  const page = await open(context, path);
  await page.waitForSelector(".console-row");
  await page.keyboard.press("/");
  await soon.equal(() => page.evaluate(() => document.activeElement.id), "search");
  await page.locator(".console-open").first().focus();
  await page.keyboard.press("ArrowDown");
  await soon.match(() => page.evaluate(() => document.activeElement.textContent), /PLAYER#/);
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  await soon.match(() => page.textContent("dialog"), new RegExp(code));
  await page.keyboard.press("Escape");
  await noDialog(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("design fus");
  await page.keyboard.press("Enter");
  await page.waitForSelector('h1:text-is("fus")');
  assert.deepEqual(page.faults, []);
  await context.close();
});

test("other sites and other machines do not reach the console", async () => {
  const other = await fetch(`${address}/console`, { headers: { "x-forwarded-for": "192.0.2.1" } });
  assert.equal(other.status, 404);
  const plain = await fetch(`${address}/console/request`, { method: "POST", body: "{}" });
  assert.equal(plain.status, 400);
});

for (const screen of SCREENS) {
  const { name, ...options } = screen;
  test(`every view by the rules of axe-core and ours, ${name}`, async () => {
    const { path } = await newGame();
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    const page = await open(context, "/console");
    await page.waitForSelector(".console-tables");
    await checkPage(page, "console", screen, { layout: LAYOUT });
    await page.goto(`${address}${path}`);
    await page.waitForSelector(".console-row");
    await checkPage(page, "console-items", screen, { layout: LAYOUT });
    await page.locator(".console-open").first().click();
    await page.waitForSelector("dialog[open]");
    await checkPage(page, "console-item", screen, { layout: LAYOUT });
    await page.keyboard.press("Escape");
    await noDialog(page);
    await page.goto(`${address}/console#/d/snakes`);
    await page.waitForSelector(".console-keys");
    await checkPage(page, "console-design", screen, { layout: LAYOUT });
    await page.goto(`${address}/console#/t/${await newTable()}/changes`);
    await page.waitForSelector("text=Waiting for the first change");
    await checkPage(page, "console-changes", screen, { layout: LAYOUT });
    assert.deepEqual(page.faults, []);
    await context.close();
  });
}
