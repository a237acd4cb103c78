//! The compiler and the check of a design file reject the same designs, with the same messages.
//!
//! Generates a thousand random designs. Each is written to a file and checked, and also converted
//! to the shapes that the macros generate and checked by the `const` functions that they call.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic here is a failing test")]

mod generator;

use generator::{Attributes, Chance, Entity, Field, Index, Key, Kind, Table, table};
use serde_json::{Map, Value as Json, json};
use singlet::design::{self, Billing, Design, KeyAttribute, KeyAttributes};
use singlet::dynamo::schema::{KeyType, Scope};
use singlet::key::{Segment, Shape};
use singlet::prelude::*;
use singlet::shape::{
    EntityShape, FieldShape, IndexKeyShape, KeyShape, Storage, TableShape, Template, TemplatePart,
    WhenShape,
};
use singlet::{Bytes, KeyPart};
use singlet_template::{Piece, pieces};
use std::panic::{AssertUnwindSafe, catch_unwind};

id!(Code);

#[derive(Attribute, Debug)]
#[attribute(rename_all = "lowercase")]
enum State {
    Open,
    Closed,
}

/// Rules shared with the compiler. The others need information that only a file has.
const SHARED: [&str; 18] = [
    "SD101", "SD103", "SD105", "SD110", "SD111", "SD112", "SD113", "SD114", "SD201", "SD202",
    "SD203", "SD205", "SD407", "SD408", "SD409", "SD410", "SD411", "SD604",
];
const SHARED_EXPIRY: &str = "SD606";
/// Reported by the macros: a template names an unknown field.
const UNKNOWN_FIELD: &str = "SD104";

/// The table as a design file.
fn file(table: &Table) -> String {
    let attribute =
        |(name, kind): &(String, KeyType)| json!({"name": name, "type": kind.to_string()});
    let attributes = |key: &Attributes| {
        let list = |list: &[(String, KeyType)]| one_or_list(list.iter().map(attribute).collect());
        Json::Object(members_of(list(&key.partition), list(&key.sort)))
    };
    let key = |key: &Key| {
        let list = |list: &[String]| one_or_list(list.iter().map(|text| json!(text)).collect());
        members_of(list(&key.partition), list(&key.sort))
    };
    let indexes = table.indexes.iter().map(|index| {
        let projection = match &index.projection {
            None => json!("ALL"),
            Some(names) if names.is_empty() => json!("KEYS_ONLY"),
            Some(names) => json!({ "INCLUDE": names }),
        };
        let scope = if index.local { "local" } else { "global" };
        let json = json!({"key": attributes(&index.key), "projection": projection, "scope": scope});
        (index.name.clone(), json)
    });
    let entities = table.entities.iter().map(|entity| {
        let mut keys: Map<String, Json> = Map::new();
        for own in &entity.indexes {
            let mut json = key(&own.key);
            if let Some((field, values)) = &own.when {
                json.insert("when".into(), json!({ field: values }));
            }
            let list = keys.entry(own.index.clone()).or_insert_with(|| json!([]));
            list.as_array_mut().unwrap().push(Json::Object(json));
        }
        let attributes = entity.fields.iter().map(|field| {
            let (kind, one_of) = match field.kind {
                Kind::Id => ("id", vec![]),
                Kind::Text => ("text", vec![]),
                Kind::State => ("text", vec!["open", "closed"]),
                Kind::Timestamp => ("timestamp", vec![]),
                Kind::Integer => ("integer", vec![]),
                Kind::Number => ("number", vec![]),
                Kind::Bytes => ("binary", vec![]),
                Kind::Boolean => ("boolean", vec![]),
                Kind::List => ("list", vec![]),
            };
            let json = json!({
                "type": kind, "one_of": one_of, "optional": field.optional, "in_key": field.in_key,
                "in_payload": is_in_payload(entity, field),
            });
            (field.name.clone(), json)
        });
        let mut json = json!({
            "key": key(&entity.key),
            "indexes": keys,
            "attributes": Map::from_iter(attributes),
            "shares_key_with": entity.shares_key_with,
        });
        let members = json.as_object_mut().unwrap();
        if let Some((attribute, value)) = &entity.discriminator {
            members.insert("discriminator".into(), json!({"attribute": attribute, "value": value}));
        }
        if let Some(payload) = &entity.payload {
            members.insert("payload".into(), json!(payload));
        }
        if entity.expires {
            members.insert("expires".into(), json!({"since": "given"}));
        }
        (entity.name.clone(), json)
    });
    let mut own = json!({
        "key": attributes(&table.key),
        "indexes": Map::from_iter(indexes),
        "entities": Map::from_iter(entities),
        "delimiter": table.delimiter,
    });
    if let Some(ttl) = &table.ttl {
        own.as_object_mut().unwrap().insert("ttl".into(), json!(ttl));
    }
    let tables = Map::from_iter([(table.name.clone(), own)]);
    json!({"name": "chance", "tables": tables}).to_string()
}

/// Key attributes or templates in file form: a single value, or a list.
fn one_or_list(mut list: Vec<Json>) -> Option<Json> {
    match list.len() {
        0 => None,
        1 => list.pop(),
        _ => Some(Json::Array(list)),
    }
}

fn members_of(partition: Option<Json>, sort: Option<Json>) -> Map<String, Json> {
    let members = [("partition", partition), ("sort", sort)];
    members.into_iter().filter_map(|(name, json)| Some((name.to_owned(), json?))).collect()
}

/// With a payload, the macros store fields that are not in a key there.
fn is_in_payload(entity: &Entity, field: &Field) -> bool {
    entity.payload.is_some() && !field.in_key
}

/// Findings for the file; `Err` if it does not parse.
fn check_file(table: &Table) -> Result<Vec<String>, String> {
    let design = Design::from_json(&file(table)).map_err(|error| error.to_string())?;
    let codes = SHARED.iter().chain([&SHARED_EXPIRY, &UNKNOWN_FIELD]);
    let codes: Vec<&str> = codes.copied().collect();
    let findings = design.check().into_iter().filter(|finding| codes.contains(&finding.code));
    Ok(findings.map(|finding| finding.message).collect())
}

fn leak<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}

fn leak_text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn leak_texts(texts: &[String]) -> &'static [&'static str] {
    leak(texts.iter().map(|text| leak_text(text)).collect())
}

/// The shape that the macros give a field type in a template; `None` for types that are not key
/// parts, which do not compile.
fn shape_of(kind: Kind, delimiter: char) -> Option<Shape> {
    id!(Piped; delimiter = '|');
    Some(match kind {
        Kind::Id if delimiter == '|' => <Piped as KeyPart>::SHAPE,
        Kind::Id => <Code as KeyPart>::SHAPE,
        Kind::Text => <String as KeyPart>::SHAPE,
        Kind::State => <State as KeyPart>::SHAPE,
        Kind::Timestamp => <Timestamp as KeyPart>::SHAPE,
        Kind::Integer => <u32 as KeyPart>::SHAPE,
        Kind::Number => <i64 as KeyPart>::SHAPE,
        Kind::Bytes => <Bytes as KeyPart>::SHAPE,
        Kind::Boolean | Kind::List => return None,
    })
}

fn template_shape(text: &str, entity: &Entity, delimiter: char) -> Result<Template, String> {
    let (mut segments, mut parts) = (Vec::new(), Vec::new());
    for piece in pieces(text).map_err(|error| error.to_string())? {
        segments.push(match piece {
            Piece::Literal(text) => Segment::Literal(leak_text(&text)),
            Piece::Field { name, width } => {
                let place = entity.fields.iter().position(|field| field.name == name);
                let place = place.ok_or_else(|| format!("`{name}` is not a field"))?;
                let field = entity.fields.get(place).unwrap();
                let shape = shape_of(field.kind, delimiter)
                    .ok_or_else(|| format!("`{name}` cannot be part of a key"))?;
                let width = width.unwrap_or_default();
                parts.push(TemplatePart { place, shape, width, optional: field.optional });
                Segment::part(leak_text(&name), shape.form(width))
            }
        });
    }
    Ok(Template { text: leak_text(text), segments: leak(segments), parts: leak(parts) })
}

fn key_shape(key: &Key, entity: &Entity, delimiter: char) -> Result<KeyShape, String> {
    let list = |list: &[String]| -> Result<&'static [Template], String> {
        let shapes = list.iter().map(|text| template_shape(text, entity, delimiter));
        Ok(leak(shapes.collect::<Result<_, String>>()?))
    };
    Ok(KeyShape { pattern: "of", partition: list(&key.partition)?, sort: list(&key.sort)? })
}

fn field_shape(field: &Field, entity: &Entity, table: &Table) -> FieldShape {
    let (name, optional) = (leak_text(&field.name), field.optional);
    // A field with the TTL attribute's name is the TTL if its type allows it.
    let is_expiry = table.ttl.as_ref() == Some(&field.name)
        && matches!(field.kind, Kind::Integer | Kind::Number);
    let shape = match field.kind {
        _ if is_expiry && !field.in_key && !is_in_payload(entity, field) => {
            FieldShape::new::<Expiry>(name, name).stored(Storage::Expiry)
        }
        Kind::Id => FieldShape::new::<Code>(name, name),
        Kind::Text => FieldShape::new::<String>(name, name),
        Kind::State => FieldShape::new::<State>(name, name),
        Kind::Timestamp => FieldShape::new::<Timestamp>(name, name),
        Kind::Integer => FieldShape::new::<u32>(name, name),
        Kind::Number => FieldShape::new::<i64>(name, name),
        Kind::Bytes => FieldShape::new::<Bytes>(name, name),
        Kind::Boolean => FieldShape::new::<bool>(name, name),
        Kind::List => FieldShape::new::<Vec<u32>>(name, name),
    };
    let shape = match (field.in_key, is_in_payload(entity, field)) {
        (true, _) => shape.stored(Storage::Key),
        (_, true) => shape.stored(Storage::Payload),
        _ => shape,
    };
    if optional { shape.with_default() } else { shape }
}

fn key_attributes(key: &Attributes) -> KeyAttributes {
    let attribute = |(name, kind): &(String, KeyType)| KeyAttribute::new(name.clone(), *kind);
    KeyAttributes {
        partition: key.partition.iter().map(attribute).collect(),
        sort: key.sort.iter().map(attribute).collect(),
    }
}

fn entity_shape(entity: &Entity, table: &Table) -> Result<EntityShape, String> {
    let delimiter = table.delimiter;
    let mut indexes = Vec::new();
    for own in &entity.indexes {
        let when = own.when.as_ref().map(|(field, values)| WhenShape {
            field: leak_text(field),
            place: entity.fields.iter().position(|one| one.name == *field).unwrap(),
            values: leak_texts(values),
        });
        let key = key_shape(&own.key, entity, delimiter)?;
        indexes.push(IndexKeyShape { index: leak_text(&own.index), key, when });
    }
    let fields = entity.fields.iter().map(|field| field_shape(field, entity, table)).collect();
    let own = entity.discriminator.as_ref();
    Ok(EntityShape {
        name: leak_text(&entity.name),
        key: key_shape(&entity.key, entity, delimiter)?,
        indexes: leak(indexes),
        fields: leak(fields),
        stored: &[],
        discriminator: own.map(|(attribute, value)| (leak_text(attribute), leak_text(value))),
        payload: entity.payload.as_deref().map(leak_text),
        expires: entity.expires,
        shares_key_with: leak_texts(&entity.shares_key_with),
    })
}

/// The compiler's findings; `Err` if a type is not a key part or a field is unknown.
fn check_types(table: &Table) -> Result<Vec<String>, String> {
    let mut entities: Vec<&'static EntityShape> = Vec::new();
    for entity in &table.entities {
        entities.push(Box::leak(Box::new(entity_shape(entity, table)?)));
    }
    let index = |index: &Index| design::Index {
        projection: match &index.projection {
            None => design::Projection::All,
            Some(names) if names.is_empty() => design::Projection::KeysOnly,
            Some(names) => {
                design::Projection::Include(names.iter().map(|name| name.clone().into()).collect())
            }
        },
        scope: if index.local { Scope::Local } else { Scope::Global },
        ..design::Index::new(index.name.clone(), key_attributes(&index.key))
    };
    let shape: &'static TableShape = Box::leak(Box::new(TableShape {
        type_name: "chance",
        name: leak_text(&table.name),
        elsewhere: None,
        key: key_attributes(&table.key),
        indexes: leak(table.indexes.iter().map(index).collect()),
        ttl: table.ttl.as_deref().map(leak_text),
        billing: Billing::OnDemand,
        stream: false,
        delimiter: u8::try_from(table.delimiter).unwrap(),
        entities: leak(entities.clone()),
    }));
    let refused = |check: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(check)).err()?;
        Some(panic.downcast_ref::<String>().unwrap().clone())
    };
    let mut said: Vec<String> = refused(&|| singlet::check::table(shape)).into_iter().collect();
    said.extend(entities.iter().filter_map(|one| refused(&|| singlet::check::entity(one, shape))));
    Ok(said)
}

/// Errors of invalid templates.
fn faults(table: &Table) -> Vec<String> {
    let keys = table.entities.iter().flat_map(|entity| {
        std::iter::once(&entity.key).chain(entity.indexes.iter().map(|own| &own.key))
    });
    let texts = keys.flat_map(Key::templates);
    texts.filter_map(|text| Some(pieces(text).err()?.to_string())).collect()
}

#[test]
fn a_thousand_designs_are_refused_by_both_or_by_none() {
    // Silence this thread's expected panics, but not those of other tests.
    let (here, before) = (std::thread::current().id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() != here {
            before(panic);
        }
    }));
    let mut chance = Chance(14);
    let (mut accepted, mut refused, mut unreadable, mut composite) = (0, 0, 0, 0);
    let mut failures = Vec::new();
    for number in 0..1000 {
        let table = table(&mut chance);
        match (check_file(&table), check_types(&table)) {
            (Ok(found), Ok(said)) if found.is_empty() && said.is_empty() => {
                accepted += 1;
                let is_composite = |index: &Index| index.key.is_composite();
                composite += usize::from(table.indexes.iter().any(is_composite));
            }
            // The compiler stops at the first fault of a declaration; the file's findings include
            // it.
            (Ok(found), Ok(said))
                if !said.is_empty()
                    && said.iter().all(|said| found.iter().any(|found| said.contains(found))) =>
            {
                refused += 1;
            }
            // No valid shape: a type that is not a key part, or an unknown field.
            (Ok(found), Err(_)) if !found.is_empty() => refused += 1,
            // Both report an invalid template with the same message.
            (Err(of_file), Err(_)) if faults(&table).iter().any(|one| of_file.contains(one)) => {
                unreadable += 1;
            }
            (found, said) => {
                failures.push(format!("{number}: {found:?}\n  {said:?}\n  {}", file(&table)));
            }
        }
    }
    let _ = std::panic::take_hook();
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
    // Make sure that each outcome occurs often enough.
    assert!(
        accepted > 100 && refused > 300 && unreadable > 20 && composite > 5,
        "{accepted} {refused} {unreadable} {composite}"
    );
}

/// Recorded compiler errors, compared with the findings for the same designs in files.
#[test]
fn what_macros_refuse_is_told_in_the_same_words() {
    let entity = |key: Json, attributes: Json| json!({"key": key, "attributes": attributes});
    let table = |key: Json, indexes: Json, entities: Json| json!({"key": key, "indexes": indexes, "entities": entities});
    let pair = json!({"partition": "PK", "sort": "SK"});
    let issue = |key: Json| {
        json!({
            "key": {"partition": "A#{repo}", "sort": "ISSUE#{number:07}"},
            "indexes": {"GSI1": key},
            "attributes": {
                "repo": "id", "number": "integer",
                "state": {"type": "text", "one_of": ["open", "closed"]}
            }
        })
    };
    let issues = |key: Json| {
        let index = json!({"GSI1": {"key": {"partition": "GSI1PK", "sort": "GSI1SK"}}});
        table(pair.clone(), index, json!({ "Issue": issue(key) }))
    };
    let cases = [
        (
            "ambiguous_template",
            "SD202",
            table(
                pair.clone(),
                json!({}),
                json!({"Pair": entity(
                    json!({"partition": "PAIR#{one}#{other}", "sort": "METADATA"}),
                    json!({"one": "text", "other": "text"}),
                )}),
            ),
        ),
        (
            "optional_primary_key",
            "SD103",
            table(
                json!({"partition": "PK"}),
                json!({}),
                json!({"Game": entity(
                    json!({"partition": "GAME#{code}"}),
                    json!({"code": {"type": "id", "optional": true}}),
                )}),
            ),
        ),
        (
            "number_without_width",
            "SD203",
            table(
                pair.clone(),
                json!({}),
                json!({"Goal": entity(
                    json!({"partition": "GAME#{code}", "sort": "GOAL#{minute}"}),
                    json!({"code": "id", "minute": "integer"}),
                )}),
            ),
        ),
        (
            "contradictions",
            "SD105",
            table(
                json!({"partition": "PK"}),
                json!({}),
                json!({"Covered": entity(
                    json!({"partition": "GAME#{code}"}),
                    json!({"code": "id", "PK": "text"}),
                )}),
            ),
        ),
        (
            "tables",
            "SD407",
            table(
                pair.clone(),
                json!({"byOther": {"key": {"partition": "other", "sort": "a"}, "scope": "local"}}),
                json!({}),
            ),
        ),
        (
            "conditional_keys",
            "SD409",
            issues(json!({
                "partition": "A#{repo}", "sort": "OPEN#{number:07}", "when": {"state": "OPEN"}
            })),
        ),
        (
            "conditional_keys",
            "SD410",
            issues(json!([
                {"partition": "A#{repo}", "sort": "OPEN#{number:07}", "when": {"state": "open"}},
                {"partition": "A#{repo}", "sort": "ALL#{number:07}"}
            ])),
        ),
        (
            "lost_in_a_key",
            "SD112",
            table(
                pair.clone(),
                json!({}),
                json!({"InNoKey": entity(
                    json!({"partition": "A#{repo}", "sort": "METADATA"}),
                    json!({"repo": "id", "title": {"type": "text", "in_key": true}}),
                )}),
            ),
        ),
        (
            "long_sort_key",
            "SD113",
            table(
                pair.clone(),
                json!({}),
                json!({"Long": entity(
                    json!({"partition": "GAME#{code}", "sort": "{a}#{b}#{c}#{d}#{e}#{f}#{g}#{h}#{i}"}),
                    json!({
                        "code": "id", "a": "id", "b": "id", "c": "id", "d": "id", "e": "id", "f": "id",
                        "g": "id", "h": "id", "i": "id"
                    }),
                )}),
            ),
        ),
        (
            "shared_keys",
            "SD205",
            table(
                json!({"partition": "PK"}),
                json!({}),
                json!({
                    "Cat": {
                        "key": {"partition": "CAT#{name}"}, "shares_key_with": ["Dog"],
                        "attributes": {"name": "id"}
                    },
                    "Dog": {
                        "key": {"partition": "DOG#{name}"}, "shares_key_with": ["Cat"],
                        "attributes": {"name": "id"}
                    }
                }),
            ),
        ),
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../singlet-macros/tests");
    for (name, code, table) in cases {
        let said = std::fs::read_to_string(folder.join(format!("refusals/{name}.stderr"))).unwrap();
        let design = json!({"name": "d", "tables": {"table": table}}).to_string();
        let design = Design::from_json(&design).unwrap();
        let findings = design.check();
        let mut own = findings.iter().filter(|finding| finding.code == code);
        let finding = own.next().unwrap_or_else(|| panic!("{name}: {code} is not found"));
        let words = format!("{}. {} ({code})", finding.message, finding.advice);
        assert!(said.contains(&words), "{name}: {words}");
    }
}
