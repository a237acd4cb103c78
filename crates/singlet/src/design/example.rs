//! Example items, for documents and cost estimates.

use super::{Attribute, AttributeType, Entity, KeyAttribute, Table, Template};
use serde_json::Value as Json;
use singlet_dynamo::schema::KeyType;
use singlet_dynamo::{Item, Map, Number, Set, Value, base64};

impl Table {
    /// An example item of an entity, in the order people write attributes: key, fields, index keys.
    ///
    /// ```
    /// use singlet::design::Design;
    ///
    /// let design = Design::from_json(r#"{"name": "games", "tables": {"games": {
    ///     "key": {"partition": "PK"},
    ///     "entities": {"Game": {
    ///         "key": {"partition": "GAME#{code}"},
    ///         "attributes": {"code": {"type": "id", "example": "ABC123"}, "round": "integer"}
    ///     }}
    /// }}}"#)?;
    /// let table = &design.tables[0];
    /// let item = table.example(&table.entities[0]);
    /// let names: Vec<&str> = item.iter().map(|(name, _)| name.as_str()).collect();
    /// assert_eq!(names, ["PK", "code", "round"]);
    /// assert_eq!(item[0].1, "GAME#ABC123".into());
    /// # Ok::<(), singlet::design::ReadError>(())
    /// ```
    #[must_use]
    pub fn example(&self, entity: &Entity) -> Vec<(String, Value)> {
        let mut item: Vec<(String, Value)> = Vec::new();
        let mut add = |name: &str, value: Value| {
            if !item.iter().any(|(own, _)| own == name) {
                item.push((name.to_owned(), value));
            }
        };
        for (attribute, template) in self.key.iter().zip(entity.key.templates()) {
            add(&attribute.name, key_value(entity, attribute, template));
        }
        if let Some(discriminator) = &entity.discriminator {
            add(&discriminator.attribute, Value::from(discriminator.value.as_str()));
        }
        for attribute in entity.attributes.iter().filter(|attribute| attribute.is_stored()) {
            add(&attribute.name, value_of(entity, attribute));
        }
        if let Some(payload) = &entity.payload {
            let fields = entity.attributes.iter().filter(|attribute| attribute.in_payload);
            let fields: serde_json::Map<String, Json> =
                fields.map(|field| (field.name.clone(), plain(&value_of(entity, field)))).collect();
            add(payload, Value::from(Json::Object(fields).to_string()));
        }
        if let Some(expiry) = &entity.expires
            && let Some(name) = expiry.attribute.as_ref().or(self.ttl.as_ref())
        {
            add(name, Value::from(EPOCH_SECONDS));
        }
        for key in &entity.indexes {
            let Some(index) = self.index(&key.index) else {
                continue;
            };
            // The example has the index key only if its condition holds.
            let holds = key.when.as_ref().is_none_or(|when| {
                let value = entity.attribute(&when.attribute).map(|own| value_of(entity, own));
                value.is_some_and(|value| when.values.contains(&text_of(&value)))
            });
            if !holds {
                continue;
            }
            for (attribute, template) in index.key.iter().zip(key.templates()) {
                add(&attribute.name, key_value(entity, attribute, template));
            }
        }
        item
    }

    /// The example item, padded to the entity's typical size.
    pub(super) fn typical_item(&self, entity: &Entity) -> Item {
        let mut item = Map::from_entries(self.example(entity));
        let missing = entity.typical_bytes.map_or(0, |bytes| {
            usize::try_from(bytes).unwrap_or(usize::MAX).saturating_sub(item.size())
        });
        // Pad with an empty attribute name, which cannot collide. This item is never stored.
        if missing > 0 {
            item.insert("", Value::from("x".repeat(missing.min(TYPICAL_BYTES_MAX))));
        }
        item
    }
}

/// Upper bound on padding: DynamoDB's item size limit.
const TYPICAL_BYTES_MAX: usize = singlet_dynamo::limits::ITEM_SIZE_MAX;

/// 2026-01-01T00:00:00Z.
const EPOCH_SECONDS: i64 = 1_767_225_600;

/// Example value of a key attribute.
fn key_value(entity: &Entity, attribute: &KeyAttribute, template: &Template) -> Value {
    let field = template
        .as_field()
        .and_then(|field| entity.attribute(field))
        .map(|own| value_of(entity, own));
    match (attribute.kind, field) {
        (KeyType::N | KeyType::B, Some(value)) => value,
        (KeyType::N, None) => template
            .as_literal()
            .and_then(|text| text.parse::<Number>().ok())
            .map_or_else(|| Value::from(1), Value::from),
        (KeyType::B, None) => Value::B(b"example".to_vec()),
        (KeyType::S, _) => Value::from(template.fill(|field| match entity.attribute(field) {
            Some(attribute) => text_of(&value_of(entity, attribute)),
            None => sample_id(field),
        })),
    }
}

/// A value as text in a key.
fn text_of(value: &Value) -> String {
    match value {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::B(bytes) => base64::encode(bytes),
        _ => String::new(),
    }
}

/// The attribute's own example if it is valid, otherwise a sample for its type.
fn value_of(entity: &Entity, attribute: &Attribute) -> Value {
    let own = attribute.example.as_ref().and_then(|example| typed(attribute.kind, example));
    own.or_else(|| deciding(entity, attribute)).unwrap_or_else(|| sample(attribute))
}

/// A value that satisfies an index key's condition on this attribute.
fn deciding(entity: &Entity, attribute: &Attribute) -> Option<Value> {
    let mut conditions = entity.indexes.iter().filter_map(|key| key.when.as_ref());
    let value = conditions.find(|when| when.attribute == attribute.name)?.values.first()?;
    match attribute.kind {
        AttributeType::Boolean => Some(Value::from(value == "true")),
        kind => {
            Some(Value::from(value.as_str())).filter(|value| kind.stored() == Some(value.kind()))
        }
    }
}

/// Converts plain JSON to a value of a type, if possible.
fn typed(kind: AttributeType, json: &Json) -> Option<Value> {
    let value = match (kind, json) {
        (AttributeType::Binary, Json::String(text)) => Value::B(base64::decode(text).ok()?),
        (AttributeType::TextSet, Json::Array(elements)) => {
            let texts: Option<Vec<String>> =
                elements.iter().map(|element| element.as_str().map(str::to_owned)).collect();
            Value::Ss(Set::new(texts?).ok()?)
        }
        (AttributeType::NumberSet, Json::Array(elements)) => {
            let numbers: Option<Vec<Number>> =
                elements.iter().map(|element| element.to_string().parse().ok()).collect();
            Value::Ns(Set::new(numbers?).ok()?)
        }
        (AttributeType::Json, Json::Object(_) | Json::Array(_)) => Value::from(json.to_string()),
        _ => untyped(json)?,
    };
    kind.stored().is_none_or(|kind| value.kind() == kind).then_some(value)
}

/// Converts plain JSON to a value of the obvious type.
fn untyped(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::from(*truth),
        Json::Number(number) => Value::from(number.to_string().parse::<Number>().ok()?),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(elements) => {
            Value::L(elements.iter().map(untyped).collect::<Option<Vec<Value>>>()?)
        }
        Json::Object(members) => {
            let entry = |(name, json): (&String, &Json)| Some((name.clone(), untyped(json)?));
            Value::M(Map::from_entries(members.iter().map(entry).collect::<Option<_>>()?))
        }
    })
}

/// A sample value for the type.
fn sample(attribute: &Attribute) -> Value {
    match attribute.kind {
        AttributeType::Id => Value::from(sample_id(&attribute.name)),
        AttributeType::Text => {
            Value::from(attribute.one_of.first().cloned().unwrap_or_else(|| words(&attribute.name)))
        }
        AttributeType::Timestamp => Value::from("2026-01-31T09:30:00.000Z"),
        AttributeType::TimestampNanos => Value::from("2026-01-31T09:30:00.000000000Z"),
        AttributeType::Date => Value::from("2026-01-31"),
        AttributeType::Integer => Value::from(attribute.min.unwrap_or(1)),
        AttributeType::Number => Value::from(attribute.min.unwrap_or(1)),
        AttributeType::EpochSeconds => Value::from(EPOCH_SECONDS),
        AttributeType::Boolean => Value::from(true),
        AttributeType::Binary => Value::B(b"example".to_vec()),
        AttributeType::List => Value::L(Vec::new()),
        AttributeType::Map | AttributeType::Struct => Value::M(Map::default()),
        AttributeType::TextSet => set(vec!["example".to_owned()], Value::Ss),
        AttributeType::NumberSet => set(vec![Number::from(1)], Value::Ns),
        AttributeType::BinarySet => set(vec![b"example".to_vec()], Value::Bs),
        AttributeType::Json => Value::from("{}"),
        AttributeType::Any => Value::from("example"),
    }
}

fn set<T: Ord>(elements: Vec<T>, value: impl Fn(Set<T>) -> Value) -> Value {
    Set::new(elements).map_or(Value::Null, value)
}

/// `league-1` for `leagueId`.
fn sample_id(name: &str) -> String {
    let noun = name.strip_suffix("Id").filter(|noun| !noun.is_empty()).unwrap_or(name);
    format!("{}-1", words(noun).replace(' ', "-"))
}

/// `first name` for `firstName` and `first_name`.
fn words(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if letter == '_' {
            words.push(' ');
        } else {
            if letter.is_uppercase() && was_lower {
                words.push(' ');
            }
            words.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words
}

/// A value as plain JSON, for display.
pub(super) fn plain(value: &Value) -> Json {
    match value {
        Value::S(text) => Json::from(text.as_str()),
        Value::N(number) => plain_number(number),
        Value::B(bytes) => Json::from(base64::encode(bytes)),
        Value::Bool(truth) => Json::from(*truth),
        Value::Null => Json::Null,
        Value::M(map) => {
            Json::Object(map.iter().map(|(name, value)| (name.to_owned(), plain(value))).collect())
        }
        Value::L(list) => list.iter().map(plain).collect(),
        Value::Ss(set) => set.iter().map(String::as_str).collect(),
        Value::Ns(set) => set.iter().map(plain_number).collect(),
        Value::Bs(set) => set.iter().map(|bytes| base64::encode(bytes)).collect(),
    }
}

fn plain_number(number: &Number) -> Json {
    let text = number.to_string();
    serde_json::from_str(&text).unwrap_or(Json::from(text))
}
