//! The expression cases, answered by the expression module alone: what a request's expressions
//! are, what the table's schema says of them, and what they do to the given item.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::expression::{
    Condition, KeyCondition, Parameter, Placeholders, Projection, Update,
};
use singlet_dynamo::json::Reader;
use singlet_dynamo::json::value::read_map;
use singlet_dynamo::schema::{
    Index, IndexProjection, KeyAttribute, KeySchema, KeyType, Scope, TableSchema,
};
use singlet_dynamo::{Error, ErrorKind, Item, Result, Value};
use singlet_testkit::cases::{self, Answer, Case};

/// The members of any request that has expressions.
#[derive(Default)]
struct Request {
    table: String,
    index: Option<String>,
    key: Item,
    update: Option<String>,
    condition: Option<String>,
    filter: Option<String>,
    key_condition: Option<String>,
    projection: Option<String>,
    return_values: Option<String>,
    legacy: bool,
    placeholders: Placeholders,
}

impl Request {
    fn read(json: &str) -> Result<Self> {
        let mut request = Self::default();
        let mut reader = Reader::new(json.as_bytes())?;
        reader.structure("Input", |reader, member| {
            match member {
                "TableName" => request.table = reader.owned_string()?.unwrap_or_default(),
                "IndexName" => request.index = reader.owned_string()?,
                "Key" | "Item" => {
                    request.key = read_map(reader)?.unwrap().into_result()?;
                }
                "UpdateExpression" => request.update = reader.owned_string()?,
                "ConditionExpression" => request.condition = reader.owned_string()?,
                "FilterExpression" => request.filter = reader.owned_string()?,
                "KeyConditionExpression" => request.key_condition = reader.owned_string()?,
                "ProjectionExpression" => request.projection = reader.owned_string()?,
                "ReturnValues" => request.return_values = reader.owned_string()?,
                "ExpressionAttributeNames" => request.placeholders.read_names(reader)?,
                "ExpressionAttributeValues" => request.placeholders.read_values(reader)?,
                _ => {
                    request.legacy = true;
                    reader.skip()?;
                }
            }
            Ok(())
        })?;
        reader.end()?;
        Ok(request)
    }
}

fn schema(table: &str) -> TableSchema {
    let key = |partition: (&str, KeyType), sort: Option<(&str, KeyType)>| KeySchema {
        partition: KeyAttribute::new(partition.0, partition.1),
        sort: sort.map(|(name, kind)| KeyAttribute::new(name, kind)),
    };
    let kind = match table {
        "Number" => KeyType::N,
        "Binary" => KeyType::B,
        _ => KeyType::S,
    };
    let index = |name: &str, scope, key| Index {
        name: name.to_owned(),
        key,
        projection: IndexProjection::All,
        scope,
    };
    let (s, n) = (KeyType::S, KeyType::N);
    let indexes = match table {
        "Indexed" => vec![
            index("byAll", Scope::Global, key(("gpk", s), Some(("gsk", n)))),
            index("byKeys", Scope::Global, key(("gpk", s), None)),
            index("bySome", Scope::Global, key(("gsk", n), Some(("gpk", s)))),
            index("local", Scope::Local, key(("pk", s), Some(("lsk", n)))),
            index("localKeys", Scope::Local, key(("pk", s), Some(("lsk", n)))),
        ],
        _ => vec![],
    };
    let sort = (table != "Hash").then_some(("sk", kind));
    TableSchema { name: table.to_owned(), key: key(("pk", kind), sort), indexes }
}

/// What is answered, as far as it depends on expressions: attributes, or items.
fn answer(case: &Case) -> Result<Option<String>> {
    let mut request = Request::read(&case.request.body)?;
    let operation = case.request.operation.as_str();
    use Parameter as P;
    let expressions: &[(Parameter, bool)] = &match operation {
        "UpdateItem" => vec![
            (P::UpdateExpression, request.update.is_some()),
            (P::ConditionExpression, request.condition.is_some()),
        ],
        "PutItem" | "DeleteItem" => vec![(P::ConditionExpression, request.condition.is_some())],
        "GetItem" => vec![(P::ProjectionExpression, request.projection.is_some())],
        "Scan" => vec![
            (P::ProjectionExpression, request.projection.is_some()),
            (P::FilterExpression, request.filter.is_some()),
        ],
        _ => vec![
            (P::ProjectionExpression, request.projection.is_some()),
            (P::FilterExpression, request.filter.is_some()),
            (P::KeyConditionExpression, request.key_condition.is_some()),
        ],
    };
    request.placeholders.check_needed(expressions)?;
    if expressions.iter().any(|(_, given)| *given) {
        request.placeholders.check()?;
    }
    let placeholders = &mut request.placeholders;
    let condition = |text: &Option<String>, parameter, placeholders: &mut Placeholders| {
        text.as_ref().map(|text| Condition::parse(text, parameter, placeholders)).transpose()
    };
    let update = request.update.as_ref();
    let update = update.map(|text| Update::parse(text, P::UpdateExpression, placeholders));
    let update = update.transpose()?;
    let parsed = condition(&request.condition, P::ConditionExpression, placeholders)?;
    let key_condition = condition(&request.key_condition, P::KeyConditionExpression, placeholders)?;
    let filter = condition(&request.filter, P::FilterExpression, placeholders)?;
    let projection = request.projection.as_ref();
    let projection =
        projection.map(|text| Projection::parse(text, P::ProjectionExpression, placeholders));
    let projection = projection.transpose()?;
    placeholders.check_all_used()?;
    let key_condition = key_condition.map(KeyCondition::from_condition).transpose()?;

    let schema = schema(&request.table);
    let (queried, index) = match &request.index {
        Some(name) => (&schema.index(name).unwrap().key, schema.index(name)),
        None => (&schema.key, None),
    };
    let range = key_condition.map(|condition| condition.range(queried, index)).transpose()?;
    if let Some(filter) = &filter {
        if operation == "Query" {
            filter.check_filter(queried)?;
        }
        filter.check_keys(&schema)?;
    }
    if let Some(update) = &update {
        update.check_keys(&schema)?;
    }
    parsed.as_ref().map_or(Ok(()), |condition| condition.check_keys(&schema))?;
    projection.as_ref().map_or(Ok(()), |projection| projection.check_keys(&schema))?;

    let items: Vec<Item> =
        case.given.iter().map(|item| Item::from_json(item.as_bytes()).unwrap()).collect();
    if let Some(range) = range {
        let found: Vec<&Item> = items
            .iter()
            .filter(|item| item.get("pk") == Some(range.partition()))
            .filter(|item| item.get("sk").is_none_or(|sort| range.contains(sort)))
            .collect();
        let json: Vec<String> =
            found.iter().map(|item| String::from_utf8(item.to_json()).unwrap()).collect();
        let count = found.len();
        return Ok(Some(format!(
            r#"{{"Items":[{}],"Count":{count},"ScannedCount":{count}}}"#,
            json.join(",")
        )));
    }
    let bytes = items.first().map(binary::encode);
    let old = bytes.as_deref().map(ItemRef::trusted);
    if parsed.is_some_and(|condition| !condition.matches(old)) {
        return Err(Error::new(ErrorKind::ConditionalCheckFailed));
    }
    let attributes = |member: &str, item: &Item| {
        format!(r#"{{"{member}":{}}}"#, String::from_utf8(item.to_json()).unwrap())
    };
    if let Some(projection) = projection {
        let Some(old) = old else { return Ok(Some("{}".to_owned())) };
        return Ok(Some(attributes("Item", &projection.project(old))));
    }
    let Some(update) = update else { return Ok(None) };
    let new = update.apply(old, &request.key)?;
    update.check_new(&new, &schema)?;
    let stored = binary::encode(&new);
    let returned = match request.return_values.as_deref() {
        Some("ALL_OLD") => old.map(|old| old.to_item()).unwrap_or_default(),
        Some("ALL_NEW") => new,
        Some("UPDATED_OLD") => update.updated_old(old),
        Some("UPDATED_NEW") => update.updated_new(ItemRef::new(&stored).unwrap()),
        _ => Item::new(),
    };
    Ok(Some(match returned.is_empty() {
        true => "{}".to_owned(),
        false => attributes("Attributes", &returned),
    }))
}

/// JSON without regard to the order of members and of the elements of sets.
fn canonical(json: &str) -> Vec<(String, Value)> {
    fn members(json: &str) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let mut reader = Reader::new(json.as_bytes()).unwrap();
        reader
            .structure("Answer", |reader, member| {
                let text = match member {
                    "Item" | "Attributes" => {
                        let item = read_map(reader)?.unwrap().into_result()?;
                        format!("{item:?}")
                    }
                    "Items" => {
                        let mut items = Vec::new();
                        reader.list(|reader| {
                            let item = read_map(reader)?.unwrap().into_result()?;
                            items.push(format!("{item:?}"));
                            Ok(())
                        })?;
                        items.join("\n")
                    }
                    _ => reader.integer("Integer")?.unwrap().to_string(),
                };
                all.push((member.to_owned(), text));
                Ok(())
            })
            .unwrap();
        all.sort();
        all
    }
    members(json).into_iter().map(|(name, text)| (name, Value::from(text))).collect()
}

#[test]
fn expressions_are_answered_as_the_service_answers_them() {
    let cases = cases::load().unwrap();
    let mut failures = Vec::new();
    let mut count = 0;
    for case in cases.iter().filter(|case| case.place.starts_with("expression-")) {
        // Legacy parameters are not this module's.
        if Request::read(&case.request.body).is_ok_and(|request| request.legacy) {
            continue;
        }
        count += 1;
        let found = answer(case);
        let right = match (&case.answer, &found) {
            (Answer::Accepted, Ok(_)) => true,
            (Answer::Exactly(expected), Ok(Some(json))) => canonical(expected) == canonical(json),
            (Answer::Exactly(_), Ok(None)) => true,
            (Answer::Refused { code, message, .. }, Err(error)) => {
                error.kind().name() == code && Some(error.message()) == message.as_deref()
            }
            _ => false,
        };
        if !right {
            failures.push(format!(
                "{} {}\n  expected {}\n  found    {found:?}",
                case.place, case.title, case.answer
            ));
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 600, "only {count} cases");
}
