// @aws-sdk/client-dynamodb: the client that speaks in typed attribute values.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ExecuteStatementCommand,
  GetItemCommand,
  ListTagsOfResourceCommand,
  PutItemCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  TagResourceCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  TransactionCanceledException,
  UpdateItemCommand,
  UpdateTimeToLiveCommand,
  paginateListTables,
  paginateScan,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { createTable, dynamodb, freshName } from "../endpoint.js";

test("every type comes back as it went", async (t) => {
  const TableName = await createTable(t, "types", { pk: "B", sk: "N" });
  const Item = {
    pk: { B: new Uint8Array([0, 255, 7]) },
    sk: { N: "-12.5" },
    text: { S: "ünïcödé 🎲 \u0000" },
    empty: { S: "" },
    exact: { N: "3.1415926535897932384626433832795028842" },
    yes: { BOOL: true },
    nothing: { NULL: true },
    texts: { SS: ["a", "b"] },
    numbers: { NS: ["1", "2.5"] },
    binaries: { BS: [new Uint8Array([1]), new Uint8Array([2, 3])] },
    list: { L: [{ S: "x" }, { L: [{ M: { deep: { N: "1" } } }] }] },
    map: { M: { a: { M: {} }, b: { L: [] } } },
  };
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
  const Key = { pk: Item.pk, sk: Item.sk };
  const found = await dynamodb.send(
    new GetItemCommand({ TableName, Key, ConsistentRead: true, ReturnConsumedCapacity: "TOTAL" }),
  );
  assert.deepEqual(found.Item, Item);
  assert.deepEqual(found.ConsumedCapacity, { TableName, CapacityUnits: 1 });
  assert.match(found.$metadata.requestId, /^[0-9A-Z]{52}$/);

  const updated = await dynamodb.send(
    new UpdateItemCommand({
      TableName,
      Key,
      UpdateExpression: "SET #m.a.b = :one, #l[0] = :one REMOVE nothing ADD numbers :three",
      ExpressionAttributeNames: { "#m": "map", "#l": "list" },
      ExpressionAttributeValues: { ":one": { N: "1" }, ":three": { NS: ["3"] } },
      ReturnValues: "ALL_NEW",
    }),
  );
  assert.deepEqual(updated.Attributes.map, { M: { a: { M: { b: { N: "1" } } }, b: { L: [] } } });
  assert.deepEqual([...updated.Attributes.numbers.NS].sort(), ["1", "2.5", "3"]);
  assert.equal(updated.Attributes.nothing, undefined);

  const deleted = await dynamodb.send(
    new DeleteItemCommand({ TableName, Key, ReturnValues: "ALL_OLD" }),
  );
  assert.deepEqual(deleted.Attributes, updated.Attributes);
});

test("refusals arrive as classes", async (t) => {
  const TableName = await createTable(t, "refusals", { pk: "S" });
  const Item = { pk: { S: "a" }, n: { N: "1" } };
  await dynamodb.send(new PutItemCommand({ TableName, Item }));

  await assert.rejects(
    dynamodb.send(
      new PutItemCommand({
        TableName,
        Item,
        ConditionExpression: "attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
    (error) => {
      assert.ok(error instanceof ConditionalCheckFailedException);
      assert.equal(error.message, "The conditional request failed");
      assert.equal(error.$metadata.httpStatusCode, 400);
      assert.deepEqual(error.Item, Item);
      return true;
    },
  );
  await assert.rejects(
    dynamodb.send(new GetItemCommand({ TableName: `${TableName}-not`, Key: { pk: { S: "a" } } })),
    (error) => error instanceof ResourceNotFoundException,
  );
  await assert.rejects(
    dynamodb.send(
      new CreateTableCommand({
        TableName,
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        BillingMode: "PAY_PER_REQUEST",
      }),
    ),
    (error) => error instanceof ResourceInUseException,
  );
  await assert.rejects(
    dynamodb.send(new GetItemCommand({ TableName, Key: { wrong: { S: "a" } } })),
    { name: "ValidationException", message: "The provided key element does not match the schema" },
  );
  await assert.rejects(
    dynamodb.send(new ExecuteStatementCommand({ Statement: `SELECT * FROM "${TableName}"` })),
    { name: "UnknownOperationException", message: /ExecuteStatement/ },
  );
});

test("a transaction says why it was cancelled, action by action", async (t) => {
  const TableName = await createTable(t, "transactions", { pk: "S" });
  const Put = (pk, more) => ({ Put: { TableName, Item: { pk: { S: pk } }, ...more } });
  await dynamodb.send(
    new TransactWriteItemsCommand({ TransactItems: [Put("a"), Put("b")] }),
  );
  await assert.rejects(
    dynamodb.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          Put("c"),
          Put("a", {
            ConditionExpression: "attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
          { Delete: { TableName, Key: { pk: { S: "b" } } } },
        ],
      }),
    ),
    (error) => {
      assert.ok(error instanceof TransactionCanceledException);
      assert.deepEqual(
        error.CancellationReasons.map(({ Code, Item }) => [Code, Item]),
        [
          ["None", undefined],
          ["ConditionalCheckFailed", { pk: { S: "a" } }],
          ["None", undefined],
        ],
      );
      return true;
    },
  );
  const read = await dynamodb.send(
    new TransactGetItemsCommand({
      TransactItems: ["a", "b", "c"].map((pk) => ({ Get: { TableName, Key: { pk: { S: pk } } } })),
    }),
  );
  assert.deepEqual(
    read.Responses.map(({ Item }) => Item?.pk.S),
    ["a", "b", undefined],
  );
});

test("batches, pages and segments see every item once", async (t) => {
  const TableName = await createTable(t, "pages", { pk: "S" });
  const keys = Array.from({ length: 75 }, (_, n) => ({ pk: { S: `item-${n}` } }));
  for (let start = 0; start < keys.length; start += 25) {
    const puts = keys.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    const answer = await dynamodb.send(
      new BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }),
    );
    assert.deepEqual(answer.UnprocessedItems, {});
  }
  const batch = await dynamodb.send(
    new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: keys } } }),
  );
  assert.equal(batch.Responses[TableName].length, 75);

  const segments = await Promise.all(
    [0, 1, 2].map(async (Segment) => {
      const seen = [];
      const pages = paginateScan(
        { client: dynamodb, pageSize: 10 },
        { TableName, Segment, TotalSegments: 3 },
      );
      for await (const page of pages) seen.push(...page.Items.map((item) => item.pk.S));
      return seen;
    }),
  );
  const seen = segments.flat();
  assert.equal(seen.length, 75);
  assert.equal(new Set(seen).size, 75);
});

test("tables are tagged, listed, expire their items, and go", async (t) => {
  const TableName = await createTable(t, "table", { pk: "S" });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  assert.equal(Table.TableStatus, "ACTIVE");
  assert.ok(Math.abs(Date.now() - Table.CreationDateTime.getTime()) < 60_000);

  const ResourceArn = Table.TableArn;
  await dynamodb.send(
    new TagResourceCommand({ ResourceArn, Tags: [{ Key: "team", Value: "red" }] }),
  );
  const { Tags } = await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn }));
  assert.deepEqual(Tags, [{ Key: "team", Value: "red" }]);

  const TimeToLiveSpecification = { Enabled: true, AttributeName: "until" };
  await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  const { TimeToLiveDescription } = await dynamodb.send(
    new DescribeTimeToLiveCommand({ TableName }),
  );
  assert.equal(TimeToLiveDescription.AttributeName, "until");

  const listed = [];
  for await (const page of paginateListTables({ client: dynamodb, pageSize: 2 }, {})) {
    listed.push(...page.TableNames);
  }
  assert.ok(listed.includes(TableName));
  const missing = freshName("never");
  const gone = await waitUntilTableNotExists(
    { client: dynamodb, maxWaitTime: 120, minDelay: 1 },
    { TableName: missing },
  );
  assert.equal(gone.state, "SUCCESS");
});
