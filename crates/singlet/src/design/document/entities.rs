//! Entities in the document, each with an example.

use super::markdown::{Markdown, code};
use crate::design::example::plain;
use crate::design::{Attribute, AttributeType, Entity, Since, Table, Template};

pub(super) fn write(table: &Table, out: &mut Markdown) {
    if table.entities.is_empty() {
        return;
    }
    out.heading(3, "Entities");
    for entity in &table.entities {
        out.heading(4, &entity.name);
        if let Some(description) = &entity.description {
            out.paragraph(description);
        }
        out.table(&["", "partition key", "sort key"], keys(table, entity));
        let facts = facts(table, entity);
        if !facts.is_empty() {
            out.list(facts);
        }
        if !entity.attributes.is_empty() {
            let rows = entity.attributes.iter().map(attribute_row);
            out.table(&["attribute", "type", "notes"], rows.collect());
        }
        out.block("json", &example(table, entity));
    }
}

fn keys(table: &Table, entity: &Entity) -> Vec<Vec<String>> {
    let codes = |templates: &[Template]| {
        templates.iter().map(|own| code(&own.to_string())).collect::<Vec<_>>().join(", ")
    };
    let row = |place: String, partition: &[Template], sort: &[Template]| {
        vec![place, codes(partition), codes(sort)]
    };
    let key = &entity.key;
    let mut rows = vec![row(code(&table.name), &key.partition, &key.sort)];
    for key in &entity.indexes {
        let place = match &key.when {
            Some(when) => format!("{} when {}", code(&key.index), code(&when.to_string())),
            None => code(&key.index),
        };
        rows.push(row(place, &key.partition, &key.sort));
    }
    rows
}

fn facts(table: &Table, entity: &Entity) -> Vec<String> {
    let mut facts = Vec::new();
    for key in &entity.indexes {
        if let Some(name) = &key.only_with {
            facts.push(format!("In {} only with {}.", code(&key.index), code(name)));
        }
    }
    if !entity.shares_key_with.is_empty() {
        let names = entity.shares_key_with.join(", ");
        let by = entity
            .discriminator
            .as_ref()
            .map(|own| format!("; {} tells which of them an item is", code(&own.attribute)));
        facts.push(format!("Shares its keys with {names}{}.", by.unwrap_or_default()));
    }
    if let Some(mirror) = &entity.mirrors {
        let what = if mirror.attributes.is_empty() {
            mirror.entity.clone()
        } else {
            let names: Vec<String> = mirror.attributes.iter().map(|name| code(name)).collect();
            format!("{} of {}", names.join(", "), mirror.entity)
        };
        facts.push(format!("Mirrors {what}, and is written in the same transaction."));
    }
    if let Some(payload) = &entity.payload {
        facts.push(format!("{} holds the payload as a JSON text.", code(payload)));
    }
    if let Some(expiry) = &entity.expires {
        let time = expiry.seconds.map_or_else(|| "some time".to_owned(), duration);
        let since = match &expiry.since {
            Since::Creation => format!("{time} after its creation"),
            Since::Change => format!("{time} after its last change"),
            Since::Attribute(name) => format!("{time} after {}", code(name)),
            Since::Given => "when whoever writes it says".to_owned(),
        };
        let attribute = expiry.attribute.as_ref().or(table.ttl.as_ref());
        let by = attribute.map(|name| format!(", by {}", code(name))).unwrap_or_default();
        facts.push(format!("Expires {since}{by}."));
    }
    if let Some(bytes) = entity.typical_bytes {
        facts.push(format!("An item has about {bytes} bytes."));
    }
    if let Some(bytes) = entity.max_bytes {
        facts.push(format!("An item has at most {bytes} bytes."));
    }
    facts
}

fn attribute_row(attribute: &Attribute) -> Vec<String> {
    let mut notes: Vec<String> = attribute.description.iter().cloned().collect();
    if attribute.optional {
        notes.push("optional".to_owned());
    }
    if attribute.in_key {
        notes.push("only inside keys".to_owned());
    }
    if attribute.in_payload {
        notes.push("inside the payload".to_owned());
    }
    if !attribute.one_of.is_empty() {
        let texts: Vec<String> = attribute.one_of.iter().map(|text| code(text)).collect();
        notes.push(format!("one of {}", texts.join(", ")));
    }
    match (attribute.min, attribute.max) {
        (Some(min), Some(max)) => notes.push(format!("{min} to {max}")),
        (Some(min), None) => notes.push(format!("{min} or more")),
        (None, Some(max)) => notes.push(format!("at most {max}")),
        (None, None) => {}
    }
    if let Some(named) = &attribute.references {
        notes.push(format!("identifies a {named}"));
    }
    if let Some(bytes) = attribute.max_bytes {
        notes.push(format!("at most {bytes} bytes"));
    }
    let kind = match attribute.kind.stored() {
        Some(stored) => format!("{} ({stored})", kind(attribute.kind)),
        None => kind(attribute.kind).to_owned(),
    };
    vec![code(&attribute.name), kind, notes.join("; ")]
}

fn kind(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::Id => "identifier",
        AttributeType::Text => "text",
        AttributeType::Timestamp => "timestamp",
        AttributeType::TimestampNanos => "timestamp_nanos",
        AttributeType::Date => "date",
        AttributeType::Integer => "integer",
        AttributeType::Number => "number",
        AttributeType::EpochSeconds => "seconds since 1970",
        AttributeType::Boolean => "true or false",
        AttributeType::Binary => "bytes",
        AttributeType::List => "list",
        AttributeType::Map => "map",
        AttributeType::Struct => "struct",
        AttributeType::TextSet => "set of texts",
        AttributeType::NumberSet => "set of numbers",
        AttributeType::BinarySet => "set of bytes",
        AttributeType::Json => "JSON",
        AttributeType::Any => "any type",
    }
}

/// The example item as plain JSON, in attribute order.
fn example(table: &Table, entity: &Entity) -> String {
    let members: Vec<String> = table
        .example(entity)
        .iter()
        .map(|(name, value)| format!("  {}: {}", serde_json::json!(name), plain(value)))
        .collect();
    format!("{{\n{}\n}}", members.join(",\n"))
}

/// `24 hours`: the largest unit that divides the duration.
fn duration(seconds: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    // Use hours up to three days.
    let units = UNITS.iter().filter(|(length, _)| *length != 86_400 || seconds > 3 * 86_400);
    let mut fitting = units.filter(|(length, _)| seconds.is_multiple_of(*length));
    match fitting.next() {
        Some((length, unit)) => {
            let count = seconds / length;
            format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
        }
        None => format!("{seconds} seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        let told = [1, 60, 90, 86_400, 172_800, 604_800, 0].map(duration);
        assert_eq!(
            told,
            ["1 second", "1 minute", "90 seconds", "24 hours", "48 hours", "7 days", "0 hours"]
        );
    }
}
