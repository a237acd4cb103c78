// Shared by the Node suites: access to the endpoint, and temporary tables.
//
// The suites read AWS_ENDPOINT_URL like every AWS SDK. They refuse to run without it, because they
// would otherwise talk to AWS.

import { randomUUID } from "node:crypto";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";

if (!process.env.AWS_ENDPOINT_URL) {
  throw new Error("Set AWS_ENDPOINT_URL; without it, these tests would run on AWS itself.");
}

// One attempt: a retry would hide a wrong answer.
export const ONCE = { maxAttempts: 1 };

export const dynamodb = new DynamoDBClient(ONCE);

/** A name that no other test uses, so that suites can share an endpoint. */
export function freshName(story) {
  return `${story}-${randomUUID().slice(0, 13)}`;
}

/** What `attempt` returns once it returns something, asked again and again. */
export async function eventually(attempt, seconds = 120) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const found = await attempt();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`nothing came within ${seconds} seconds`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Creates a table, waits for it, and has it deleted after the test.
 * `key` and the keys of `indexes` map one or two attributes to their types.
 */
export async function createTable(test, story, key, { indexes = {}, ...more } = {}) {
  const TableName = freshName(story);
  const attributes = Object.assign({}, key, ...Object.values(indexes));
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      KeySchema: keySchema(key),
      AttributeDefinitions: Object.entries(attributes).map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      BillingMode: "PAY_PER_REQUEST",
      ...(Object.keys(indexes).length > 0 && {
        GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, indexKey]) => ({
          IndexName,
          KeySchema: keySchema(indexKey),
          Projection: { ProjectionType: "ALL" },
        })),
      }),
      ...more,
    }),
  );
  test.after(() => dynamodb.send(new DeleteTableCommand({ TableName })));
  await waitUntilTableExists({ client: dynamodb, maxWaitTime: 120, minDelay: 1 }, { TableName });
  return TableName;
}

function keySchema(key) {
  return Object.keys(key).map((AttributeName, index) => ({
    AttributeName,
    KeyType: index === 0 ? "HASH" : "RANGE",
  }));
}
