// @aws-sdk/client-dynamodb-streams: following a table's changes as they are made.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DeleteItemCommand,
  DescribeTableCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb-streams";
import { ONCE, createTable, dynamodb } from "../endpoint.js";

const streams = new DynamoDBStreamsClient(ONCE);

async function shardIterator(StreamArn, ShardIteratorType) {
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const { ShardId } = StreamDescription.Shards.at(-1);
  const { ShardIterator } = await streams.send(
    new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType }),
  );
  return ShardIterator;
}

test("a consumer follows a table", async (t) => {
  const TableName = await createTable(t, "followed", { pk: "S" }, {
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  const StreamArn = Table.LatestStreamArn;

  const listed = await streams.send(new ListStreamsCommand({ TableName }));
  assert.deepEqual(
    listed.Streams.map((stream) => stream.StreamArn),
    [StreamArn],
  );

  let next = await shardIterator(StreamArn, "TRIM_HORIZON");
  const follow = async () => {
    const { Records, NextShardIterator } = await streams.send(
      new GetRecordsCommand({ ShardIterator: next }),
    );
    next = NextShardIterator;
    return Records.map(({ eventName, dynamodb: { Keys, OldImage, NewImage } }) => [
      eventName,
      Keys.pk.S,
      OldImage?.n?.N,
      NewImage?.n?.N,
    ]);
  };
  const put = (pk, n) => ({ Put: { TableName, Item: { pk: { S: pk }, n: { N: n } } } });

  assert.deepEqual(await follow(), []);
  await dynamodb.send(new PutItemCommand(put("a", "1").Put));
  assert.deepEqual(await follow(), [["INSERT", "a", undefined, "1"]]);
  await dynamodb.send(
    new TransactWriteItemsCommand({ TransactItems: [put("a", "2"), put("b", "1")] }),
  );
  await dynamodb.send(new DeleteItemCommand({ TableName, Key: { pk: { S: "a" } } }));
  const changes = await follow();
  assert.deepEqual(changes.slice(0, 2).sort(), [
    ["INSERT", "b", undefined, "1"],
    ["MODIFY", "a", "1", "2"],
  ]);
  assert.deepEqual(changes.slice(2), [["REMOVE", "a", "2", undefined]]);
  assert.deepEqual(await follow(), []);
});

test("a stream that is not there has its own class of error", async () => {
  const StreamArn =
    "arn:aws:dynamodb:us-east-1:000000000000:table/nowhere/stream/2026-01-01T00:00:00.000";
  await assert.rejects(
    streams.send(new DescribeStreamCommand({ StreamArn })),
    (error) => error instanceof ResourceNotFoundException,
  );
});
