// A request as a command or as code.

export const LANGUAGES = { cli: "AWS CLI", python: "Python (boto3)", javascript: "JavaScript (SDK v3)", rust: "Rust (aws-sdk)", json: "JSON" };

const COMMAND_INDENT = " \\\n  ";

/** The request in a language. `endpoint` is left out for DynamoDB itself. */
export function snippet(language, operation, input, endpoint) {
  switch (language) {
    case "cli": return commandLine(operation, input, endpoint);
    case "python": return python(operation, input, endpoint);
    case "javascript": return javascript(operation, input, endpoint);
    case "rust": return rust(operation, input, endpoint);
    default: return JSON.stringify(input, null, 2);
  }
}

/** "ExclusiveStartKey" to "exclusive-start-key". */
function words(name, separator) {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, separator).toLowerCase();
}

function commandLine(operation, input, endpoint) {
  const options = Object.entries(input).map(([name, value]) => {
    const option = words(name, "-");
    if (typeof value === "boolean") return `--${value ? "" : "no-"}${option}`;
    return `--${option} ${shellWord(typeof value === "object" ? JSON.stringify(value) : String(value))}`;
  });
  if (endpoint) options.push(`--endpoint-url ${endpoint}`);
  return [`aws dynamodb ${words(operation, "-")}`, ...options].join(COMMAND_INDENT);
}

function shellWord(text) {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function python(operation, input, endpoint) {
  const place = endpoint ? `, endpoint_url=${JSON.stringify(endpoint)}` : "";
  const parameters = Object.entries(input).map(([name, value]) => `    ${name}=${pythonValue(value, 1)},\n`);
  return `import boto3\n\nclient = boto3.client("dynamodb"${place})\nanswer = client.${words(operation, "_")}(\n${parameters.join("")})\n`;
}

function pythonValue(value, depth) {
  const indent = "    ".repeat(depth + 1);
  const end = `${"    ".repeat(depth)}`;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return value.length ? `[\n${value.map((one) => `${indent}${pythonValue(one, depth + 1)},\n`).join("")}${end}]` : "[]";
  if (typeof value !== "object") return JSON.stringify(value);
  // Bytes are base64 in JSON only.
  if (Object.keys(value).length === 1 && typeof value.B === "string") return `{"B": base64.b64decode(${JSON.stringify(value.B)})}`;
  const line = `{${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonValue(one, depth)}`).join(", ")}}`;
  if (line.length <= 60 && !line.includes("\n")) return line;
  return `{\n${Object.entries(value).map(([name, one]) => `${indent}${JSON.stringify(name)}: ${pythonValue(one, depth + 1)},\n`).join("")}${end}}`;
}

function javascript(operation, input, endpoint) {
  const options = endpoint ? `{ endpoint: ${JSON.stringify(endpoint)} }` : "{}";
  return `import { DynamoDBClient, ${operation}Command } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient(${options});
const answer = await client.send(new ${operation}Command(${JSON.stringify(input, null, 2)}));
`;
}

function rust(operation, input, endpoint) {
  const place = endpoint ? `.endpoint_url(${JSON.stringify(endpoint)})` : "";
  const calls = Object.entries(input).flatMap(([name, value]) => rustCalls(words(name, "_"), value));
  return `let config = aws_config::from_env()${place}.load().await;
let client = aws_sdk_dynamodb::Client::new(&config);
let answer = client
    .${words(operation, "_")}()
${calls.map((call) => `    ${call}\n`).join("")}    .send()
    .await?;
`;
}

/** The calls of a fluent builder that set one parameter. */
function rustCalls(name, value) {
  if (typeof value === "string") return [name === "select" || name.startsWith("return_") ? `.${name}(${JSON.stringify(value)}.into())` : `.${name}(${JSON.stringify(value)})`];
  if (typeof value !== "object" || value === null) return [`.${name}(${value})`];
  return Object.entries(value).map(([key, one]) => {
    const content = typeof one === "string" ? JSON.stringify(one) : rustValue(one);
    return `.${name}(${JSON.stringify(key)}, ${content})`;
  });
}

function rustValue(value) {
  const type = Object.keys(value)[0];
  const content = value[type];
  const list = (items) => `vec![${items.join(", ")}]`;
  const text = (one) => `${JSON.stringify(one)}.into()`;
  switch (type) {
    case "S": return `AttributeValue::S(${text(content)})`;
    case "N": return `AttributeValue::N(${text(content)})`;
    case "BOOL": return `AttributeValue::Bool(${content})`;
    case "NULL": return "AttributeValue::Null(true)";
    case "SS": return `AttributeValue::Ss(${list(content.map(text))})`;
    case "NS": return `AttributeValue::Ns(${list(content.map(text))})`;
    case "L": return `AttributeValue::L(${list(content.map(rustValue))})`;
    case "M": return `AttributeValue::M(HashMap::from([${Object.entries(content).map(([name, one]) => `(${text(name)}, ${rustValue(one)})`).join(", ")}]))`;
    default: return `/* ${type} */`;
  }
}
