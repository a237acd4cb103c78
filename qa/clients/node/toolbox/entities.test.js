// dynamodb-toolbox: a table, schemas, and commands that are built for an entity.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  $add,
  $append,
  $remove,
  BatchGetCommand,
  BatchGetRequest,
  BatchPutRequest,
  BatchWriteCommand,
  ConditionCheck,
  DeleteItemCommand,
  DeleteTransaction,
  Entity,
  GetItemCommand,
  GetTransaction,
  PutItemCommand,
  PutTransaction,
  QueryCommand,
  ScanCommand,
  Table,
  UpdateItemCommand,
  UpdateTransaction,
  executeBatchGet,
  executeBatchWrite,
  executeTransactGet,
  executeTransactWrite,
  binary,
  item,
  list,
  number,
  set,
  string,
} from "dynamodb-toolbox";
import { createTable, dynamodb } from "../endpoint.js";

const name = await createTable(
  { after },
  "zoo",
  { pk: "S", sk: "S" },
  { indexes: { heaviest: { pk: "S", weight: "N" } } },
);
const zoo = new Table({
  name,
  documentClient: DynamoDBDocumentClient.from(dynamodb),
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "string" },
  indexes: {
    heaviest: {
      type: "global",
      partitionKey: { name: "pk", type: "string" },
      sortKey: { name: "weight", type: "number" },
    },
  },
});
const Animal = new Entity({
  name: "animal",
  table: zoo,
  schema: item({
    house: string().key().savedAs("pk"),
    name: string().key().savedAs("sk"),
    weight: number().optional(),
    feeds: set(string()).optional(),
    diary: list(string()).optional(),
    photo: binary().optional(),
  }),
});

test("an item is put, read, changed and deleted", async () => {
  const elephant = {
    house: "savanna",
    name: "Ella",
    weight: 4000,
    feeds: new Set(["hay"]),
    diary: ["arrived"],
    photo: new Uint8Array([0, 1, 2]),
  };
  await Animal.build(PutItemCommand).item(elephant).send();
  const found = await Animal.build(GetItemCommand)
    .key({ house: "savanna", name: "Ella" })
    .options({ consistent: true })
    .send();
  const { created, modified, entity, ...same } = found.Item;
  assert.deepEqual(same, elephant);

  await assert.rejects(
    Animal.build(PutItemCommand)
      .item(elephant)
      .options({ condition: { attr: "name", exists: false } })
      .send(),
    ConditionalCheckFailedException,
  );

  const updated = await Animal.build(UpdateItemCommand)
    .item({
      house: "savanna",
      name: "Ella",
      weight: $add(-100),
      feeds: $add(new Set(["fruit"])),
      diary: $append(["lost weight"]),
      photo: $remove(),
    })
    .options({ returnValues: "ALL_NEW", condition: { attr: "weight", gt: 1000 } })
    .send();
  assert.equal(updated.Attributes.weight, 3900);
  assert.deepEqual(updated.Attributes.feeds, new Set(["hay", "fruit"]));
  assert.deepEqual(updated.Attributes.diary, ["arrived", "lost weight"]);
  assert.equal(updated.Attributes.photo, undefined);

  const deleted = await Animal.build(DeleteItemCommand)
    .key({ house: "savanna", name: "Ella" })
    .options({ returnValues: "ALL_OLD" })
    .send();
  assert.equal(deleted.Attributes.weight, 3900);
});

test("batches, queries and scans", async () => {
  const animals = Array.from({ length: 20 }, (_, n) => ({
    house: "aviary",
    name: `bird-${String(n).padStart(2, "0")}`,
    weight: 20 - n,
  }));
  await executeBatchWrite(
    zoo
      .build(BatchWriteCommand)
      .requests(...animals.map((each) => Animal.build(BatchPutRequest).item(each))),
  );
  const { Responses } = await executeBatchGet(
    zoo
      .build(BatchGetCommand)
      .requests(...animals.map(({ house, name }) => Animal.build(BatchGetRequest).key({ house, name }))),
  );
  assert.equal(Responses[0].length, 20);

  const query = (options) =>
    zoo
      .build(QueryCommand)
      .entities(Animal)
      .query({ partition: "aviary", range: { beginsWith: "bird-0" } })
      .options(options)
      .send();
  const first = await query({ limit: 4 });
  const rest = await query({ exclusiveStartKey: first.LastEvaluatedKey });
  assert.deepEqual(
    [...first.Items, ...rest.Items].map((each) => each.name),
    animals.slice(0, 10).map((each) => each.name),
  );
  const whole = await query({ limit: 3, maxPages: Infinity });
  assert.equal(whole.Items.length, 10);

  const heaviest = await zoo
    .build(QueryCommand)
    .entities(Animal)
    .query({ index: "heaviest", partition: "aviary", range: { gte: 18 } })
    .options({ reverse: true, filters: { animal: { attr: "name", beginsWith: "bird" } } })
    .send();
  assert.deepEqual(
    heaviest.Items.map((each) => each.weight),
    [20, 19, 18],
  );

  const scanned = await zoo
    .build(ScanCommand)
    .entities(Animal)
    .options({ filters: { animal: { attr: "house", eq: "aviary" } }, maxPages: Infinity })
    .send();
  assert.equal(scanned.Items.length, 20);
});

test("transactions", async () => {
  await executeTransactWrite(
    Animal.build(PutTransaction).item({ house: "pool", name: "Sam", weight: 90 }),
    Animal.build(PutTransaction).item({ house: "pool", name: "Olli", weight: 80 }),
  );
  await assert.rejects(
    executeTransactWrite(
      Animal.build(UpdateTransaction).item({ house: "pool", name: "Sam", weight: $add(1) }),
      Animal.build(DeleteTransaction).key({ house: "pool", name: "Olli" }),
      Animal.build(ConditionCheck)
        .key({ house: "pool", name: "Nemo" })
        .condition({ attr: "name", exists: true }),
    ),
    (error) => {
      assert.ok(error instanceof TransactionCanceledException);
      assert.deepEqual(
        error.CancellationReasons.map(({ Code }) => Code),
        ["None", "None", "ConditionalCheckFailed"],
      );
      return true;
    },
  );
  const { Responses } = await executeTransactGet(
    Animal.build(GetTransaction).key({ house: "pool", name: "Sam" }),
    Animal.build(GetTransaction).key({ house: "pool", name: "Olli" }),
  );
  assert.deepEqual(
    Responses.map(({ Item }) => Item.weight),
    [90, 80],
  );
});
