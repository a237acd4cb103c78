// Requests to the tables, and what the console remembers of them.

/** DynamoDB's refusal of a request, or a failure on the way to it. */
export class Refused extends Error {
  constructor(status, { __type: type = "", message, Message, ...rest }) {
    super(message ?? Message ?? `The server answered with ${status}.`);
    this.status = status;
    /** The name of the error: "ConditionalCheckFailedException". */
    this.type = type.split("#").at(-1);
    this.details = rest;
  }
}

/** The requests that were sent, the newest first. */
export const sent = [];
const SENT_MAX = 50;

/** Sends a request. Gives `{ operation, input, answer, micros }`. */
export async function send(operation, input) {
  const response = await fetch("/console/request", {
    method: "POST",
    headers: { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": `DynamoDB_20120810.${operation}` },
    body: JSON.stringify(input),
  });
  const answer = await response.json();
  const exchange = { operation, input, answer, micros: Number(response.headers.get("Console-Time-Us") ?? 0) };
  if (operation !== "DescribeTable" && operation !== "ListTables") {
    sent.unshift(exchange);
    sent.splice(SENT_MAX);
  }
  if (!response.ok) throw new Refused(response.status, answer);
  return exchange;
}

/** The names of all tables. */
export async function tableNames() {
  const names = [];
  let start;
  do {
    const { answer } = await send("ListTables", start ? { ExclusiveStartTableName: start } : {});
    names.push(...answer.TableNames);
    start = answer.LastEvaluatedTableName;
  } while (start);
  return names;
}

/** A table: its name, key, indexes, and how many items it has. */
export async function describe(name) {
  const { answer: { Table: table } } = await send("DescribeTable", { TableName: name });
  const types = Object.fromEntries(table.AttributeDefinitions.map((one) => [one.AttributeName, one.AttributeType]));
  const key = (schema) => ({
    partition: schema.filter((one) => one.KeyType === "HASH").map((one) => one.AttributeName),
    sort: schema.filter((one) => one.KeyType === "RANGE").map((one) => one.AttributeName),
  });
  const indexes = [...(table.LocalSecondaryIndexes ?? []), ...(table.GlobalSecondaryIndexes ?? [])];
  return {
    name,
    types,
    key: key(table.KeySchema),
    indexes: indexes.map((one) => ({ name: one.IndexName, key: key(one.KeySchema), projection: one.Projection?.ProjectionType ?? "ALL" })),
    items: table.ItemCount ?? 0,
    bytes: table.TableSizeBytes ?? 0,
    hasStream: Boolean(table.StreamSpecification?.StreamEnabled),
  };
}

/** The names of the attributes of a key, in order. */
export function attributesOf(key) {
  return [...key.partition, ...key.sort];
}

/** The primary key of an item. */
export function keyOf(table, item) {
  return Object.fromEntries(attributesOf(table.key).map((name) => [name, item[name]]));
}

/** Bytes, for people: "1.2 MB". */
export function bytesText(bytes) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let unit = 0;
  let amount = bytes;
  for (; amount >= 1000 && unit < units.length - 1; unit += 1) amount /= 1000;
  return `${amount < 10 && unit ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

/** A number of things: "1 item", "1,204 items". */
export function countText(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

let editing = false;

/** Whether items may be changed. It is switched on in the header, for as long as the page is open. */
export function isEditing() {
  return editing;
}

export function setEditing(isOn) {
  editing = isOn;
  document.body.classList.toggle("is-editing", isOn);
  document.dispatchEvent(new Event("editing"));
}
