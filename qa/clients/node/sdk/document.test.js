// @aws-sdk/lib-dynamodb: the client that speaks in JavaScript's own values.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  NumberValue,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
} from "@aws-sdk/lib-dynamodb";
import { ONCE, createTable, dynamodb } from "../endpoint.js";

const documents = DynamoDBDocumentClient.from(dynamodb, {
  marshallOptions: { removeUndefinedValues: true },
});
// A separate client, because a document client changes the options of the one it wraps.
const exact = DynamoDBDocumentClient.from(new DynamoDBClient(ONCE), {
  unmarshallOptions: { wrapNumbers: true },
});

test("values of JavaScript come back as they went", async (t) => {
  const TableName = await createTable(t, "documents", { pk: "S" });
  const Item = {
    pk: "a",
    number: -12.5,
    truth: true,
    nothing: null,
    bytes: new Uint8Array([0, 1, 255]),
    texts: new Set(["a", "b"]),
    numbers: new Set([1, 2, 3]),
    blobs: new Set([new Uint8Array([9])]),
    list: [1, "two", [3, { four: [] }]],
    map: { nested: { deeply: [{ x: 1 }] } },
  };
  await documents.send(new PutCommand({ TableName, Item: { ...Item, left: undefined } }));
  const found = await documents.send(
    new GetCommand({ TableName, Key: { pk: "a" }, ConsistentRead: true }),
  );
  assert.deepEqual(found.Item, Item);
});

test("numbers keep their 38 digits", async (t) => {
  const TableName = await createTable(t, "digits", { pk: "N" });
  const digits = "12345678901234567890.123456789012345678";
  await exact.send(
    new PutCommand({
      TableName,
      Item: { pk: 9007199254740993n, value: NumberValue.from(digits) },
    }),
  );
  const found = await exact.send(new GetCommand({ TableName, Key: { pk: 9007199254740993n } }));
  assert.equal(found.Item.value.toString(), digits);
  assert.equal(found.Item.pk.toString(), "9007199254740993");
});

test("an update says what it changed", async (t) => {
  const TableName = await createTable(t, "updates", { pk: "S" });
  await documents.send(
    new PutCommand({ TableName, Item: { pk: "a", stats: { wins: 1, losses: 2 }, list: [1] } }),
  );
  const updated = await documents.send(
    new UpdateCommand({
      TableName,
      Key: { pk: "a" },
      UpdateExpression: "SET stats.wins = stats.wins + :one, #list = list_append(#list, :more)",
      ExpressionAttributeNames: { "#list": "list" },
      ExpressionAttributeValues: { ":one": 1, ":more": [2, 3] },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  assert.deepEqual(updated.Attributes, { stats: { wins: 2 }, list: [1, 2, 3] });
  const deleted = await documents.send(
    new DeleteCommand({ TableName, Key: { pk: "a" }, ReturnValues: "ALL_OLD" }),
  );
  assert.deepEqual(deleted.Attributes.stats, { wins: 2, losses: 2 });
});

test("a query turns its pages, on the table and on an index", async (t) => {
  const TableName = await createTable(
    t,
    "queries",
    { pk: "S", sk: "S" },
    { indexes: { gsi1: { owner: "S", at: "N" } } },
  );
  const items = Array.from({ length: 50 }, (_, n) => ({
    pk: "GAME",
    sk: `ROUND#${String(n).padStart(3, "0")}`,
    owner: n % 2 ? "anna" : "ben",
    at: 1000 - n,
  }));
  for (const half of [items.slice(0, 25), items.slice(25)]) {
    await documents.send(
      new BatchWriteCommand({
        RequestItems: { [TableName]: half.map((Item) => ({ PutRequest: { Item } })) },
      }),
    );
  }
  const rounds = [];
  let pages = 0;
  for await (const page of paginateQuery(
    { client: documents, pageSize: 7 },
    {
      TableName,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": "GAME", ":prefix": "ROUND#0" },
      ScanIndexForward: false,
    },
  )) {
    rounds.push(...page.Items.map((item) => item.sk));
    pages += 1;
  }
  assert.deepEqual(rounds, items.map((item) => item.sk).reverse());
  assert.equal(pages, 8);

  const ofAnna = await documents.send(
    new QueryCommand({
      TableName,
      IndexName: "gsi1",
      KeyConditionExpression: "#o = :o AND #a > :a",
      FilterExpression: "contains(sk, :digit)",
      ExpressionAttributeNames: { "#o": "owner", "#a": "at" },
      ExpressionAttributeValues: { ":o": "anna", ":a": 970, ":digit": "1" },
    }),
  );
  assert.deepEqual(
    ofAnna.Items.map((item) => item.sk),
    ["ROUND#021", "ROUND#019", "ROUND#017", "ROUND#015", "ROUND#013", "ROUND#011", "ROUND#001"],
  );
  assert.equal(ofAnna.ScannedCount, 15);
});

test("transactions and batches speak the same values", async (t) => {
  const TableName = await createTable(t, "together", { pk: "S" });
  await documents.send(
    new TransactWriteCommand({
      TransactItems: [
        { Put: { TableName, Item: { pk: "a", tags: new Set(["x"]) } } },
        {
          Update: {
            TableName,
            Key: { pk: "b" },
            UpdateExpression: "ADD hits :one",
            ExpressionAttributeValues: { ":one": 1 },
          },
        },
      ],
    }),
  );
  const read = await documents.send(
    new TransactGetCommand({
      TransactItems: [{ Get: { TableName, Key: { pk: "a" } } }],
    }),
  );
  assert.deepEqual(read.Responses[0].Item, { pk: "a", tags: new Set(["x"]) });
  const batch = await documents.send(
    new BatchGetCommand({
      RequestItems: {
        [TableName]: { Keys: [{ pk: "b" }, { pk: "none" }], ProjectionExpression: "hits" },
      },
    }),
  );
  assert.deepEqual(batch.Responses[TableName], [{ hits: 1 }]);

  await assert.rejects(
    documents.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            ConditionCheck: {
              TableName,
              Key: { pk: "a" },
              ConditionExpression: "size(tags) > :two",
              ExpressionAttributeValues: { ":two": 2 },
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            },
          },
        ],
      }),
    ),
    (error) => {
      assert.equal(error.name, "TransactionCanceledException");
      assert.equal(error.CancellationReasons[0].Code, "ConditionalCheckFailed");
      return true;
    },
  );
});
