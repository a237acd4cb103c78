// ElectroDB: entities and collections in one table, with keys that it puts together itself.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Entity, Service } from "electrodb";
import { createTable, dynamodb } from "../endpoint.js";

const table = await createTable(
  { after },
  "electro",
  { pk: "S", sk: "S" },
  { indexes: { gsi1: { gsi1pk: "S", gsi1sk: "S" } } },
);
const Task = new Entity(
  {
    model: { entity: "task", version: "1", service: "office" },
    attributes: {
      team: { type: "string", required: true },
      task: { type: "string", required: true },
      person: { type: "string", required: true },
      points: { type: "number", default: 1 },
      labels: { type: "set", items: "string" },
      comments: {
        type: "list",
        items: { type: "map", properties: { by: { type: "string" }, text: { type: "string" } } },
      },
      made: { type: "number", default: () => 1, readOnly: true },
    },
    indexes: {
      tasks: {
        pk: { field: "pk", composite: ["team"] },
        sk: { field: "sk", composite: ["task"] },
      },
      assigned: {
        collection: "workload",
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["person"] },
        sk: { field: "gsi1sk", composite: ["task"] },
      },
    },
  },
  { client: dynamodb, table },
);
const Person = new Entity(
  {
    model: { entity: "person", version: "1", service: "office" },
    attributes: {
      person: { type: "string", required: true },
      name: { type: "string", required: true },
    },
    indexes: {
      person: {
        pk: { field: "pk", composite: ["person"] },
        sk: { field: "sk", composite: [] },
      },
      workload: {
        collection: "workload",
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["person"] },
        sk: { field: "gsi1sk", composite: [] },
      },
    },
  },
  { client: dynamodb, table },
);
const office = new Service({ task: Task, person: Person });

test("an entity is created once, read, changed and removed", async () => {
  const key = { team: "red", task: "paint" };
  await Task.create({ ...key, person: "anna", labels: ["wall"], comments: [] }).go();
  await assert.rejects(Task.create({ ...key, person: "ben" }).go(), /conditional request failed/);

  const patched = await Task.patch(key)
    .add({ points: 4, labels: ["roof"] })
    .append({ comments: [{ by: "ben", text: "wet!" }] })
    .set({ person: "ben" })
    .where((attribute, { eq }) => eq(attribute.person, "anna"))
    .go({ response: "all_new" });
  assert.equal(patched.data.points, 5);
  assert.deepEqual([...patched.data.labels].sort(), ["roof", "wall"]);
  assert.deepEqual(patched.data.comments, [{ by: "ben", text: "wet!" }]);

  const upserted = await Task.upsert({ ...key, person: "cleo" }).go({ response: "all_new" });
  assert.deepEqual([upserted.data.person, upserted.data.points], ["cleo", 1]);
  await assert.rejects(Task.patch({ team: "red", task: "none" }).set({ points: 2 }).go());

  const removed = await Task.remove(key).go({ response: "all_old" });
  assert.equal(removed.data.person, "cleo");
  assert.equal((await Task.get(key).go({ consistent: true })).data, null);
});

test("queries page by cursor and filter", async () => {
  const tasks = Array.from({ length: 60 }, (_, n) => ({
    team: "blue",
    task: `task-${String(n).padStart(2, "0")}`,
    person: n % 2 ? "dora" : "emil",
    points: n,
  }));
  const put = await Task.put(tasks).go();
  assert.deepEqual(put.unprocessed, []);

  const seen = [];
  let cursor = null;
  do {
    const page = await Task.query.tasks({ team: "blue" }).go({ cursor, limit: 13 });
    seen.push(...page.data.map((each) => each.task));
    cursor = page.cursor;
  } while (cursor !== null);
  assert.deepEqual(
    seen,
    tasks.map((each) => each.task),
  );

  const some = await Task.query
    .tasks({ team: "blue" })
    .between({ task: "task-10" }, { task: "task-19" })
    .where(({ points, person }, { gt, eq }) => `${gt(points, 14)} AND ${eq(person, "dora")}`)
    .go({ order: "desc" });
  assert.deepEqual(
    some.data.map((each) => each.points),
    [19, 17, 15],
  );
  const begun = await Task.query.tasks({ team: "blue" }).begins({ task: "task-0" }).go();
  assert.equal(begun.data.length, 10);

  const got = await Task.get(tasks.map(({ team, task }) => ({ team, task }))).go();
  assert.equal(got.data.length, 60);
  assert.deepEqual(got.unprocessed, []);
  const scanned = await Task.scan.where(({ team }, { eq }) => eq(team, "blue")).go({ pages: "all" });
  assert.equal(scanned.data.length, 60);
});

test("a collection brings different entities in one query", async () => {
  await Person.put({ person: "fritz", name: "Fritz" }).go();
  for (const task of ["one", "two"]) {
    await Task.put({ team: "green", task, person: "fritz" }).go();
  }
  const { data } = await office.collections.workload({ person: "fritz" }).go();
  assert.deepEqual(
    data.task.map((each) => each.task),
    ["one", "two"],
  );
  assert.deepEqual(data.person, [{ person: "fritz", name: "Fritz" }]);
});

test("a transaction is whole, and its refusal says which item was to blame", async () => {
  const written = await office.transaction
    .write(({ task, person }) => [
      person.put({ person: "gina", name: "Gina" }).commit(),
      task.create({ team: "grey", task: "one", person: "gina" }).commit(),
    ])
    .go();
  assert.equal(written.canceled, false);
  const refused = await office.transaction
    .write(({ task, person }) => [
      person.remove({ person: "gina" }).commit(),
      task.create({ team: "grey", task: "one", person: "gina" }).commit({ response: "all_old" }),
    ])
    .go();
  assert.equal(refused.canceled, true);
  assert.deepEqual(
    refused.data.map((each) => [each.rejected, each.code]),
    [
      [false, "None"],
      [true, "ConditionalCheckFailed"],
    ],
  );
  assert.equal(refused.data[1].item.person, "gina");
  const read = await office.transaction
    .get(({ task, person }) => [
      person.get({ person: "gina" }).commit(),
      task.get({ team: "grey", task: "none" }).commit(),
    ])
    .go();
  assert.deepEqual(
    read.data.map((each) => each.item?.name ?? null),
    ["Gina", null],
  );
});
