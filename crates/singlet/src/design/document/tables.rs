//! Tables and indexes in the document.

use super::markdown::{Markdown, code};
use crate::design::{Billing, Design, Index, KeyAttribute, KeyAttributes, Projection, Table};
use singlet_dynamo::schema::{KeyType, Scope};

/// An overview of all tables.
pub(super) fn write_overview(design: &Design, out: &mut Markdown) {
    let rows = design.tables.iter().map(|table| {
        let indexes: Vec<String> = table.indexes.iter().map(|index| code(&index.name)).collect();
        let entities: Vec<&str> = table.entities.iter().map(|own| own.name.as_str()).collect();
        vec![
            code(&table.name),
            key(&table.key),
            indexes.join(", "),
            table.ttl.as_deref().map(code).unwrap_or_default(),
            entities.join(", "),
        ]
    });
    out.heading(2, "Tables");
    out.table(&["table", "key", "indexes", "TTL", "entities"], rows.collect());
}

pub(super) fn write(table: &Table, out: &mut Markdown) {
    let mut facts = vec![format!("Key: {}", key(&table.key))];
    facts.push(match table.billing {
        Billing::OnDemand => "Billing: on demand (PAY_PER_REQUEST)".to_owned(),
        Billing::Provisioned { read_units, write_units } => format!(
            "Billing: provisioned, {read_units} read and {write_units} write units a second, and \
             the same for each index"
        ),
    });
    if let Some(ttl) = &table.ttl {
        facts.push(format!("Expired items are deleted by {}, in seconds since 1970", code(ttl)));
    }
    if let Some(stream) = table.stream {
        facts.push(format!("Stream: {}", stream.as_str()));
    }
    out.list(facts);
    if table.indexes.is_empty() {
        return;
    }
    out.heading(3, "Indexes");
    let rows = table.indexes.iter().map(|index| index_row(table, index));
    out.table(&["index", "key", "holds", "filled by", "purpose"], rows.collect());
}

fn index_row(table: &Table, index: &Index) -> Vec<String> {
    let scope = match index.scope {
        Scope::Global => "",
        Scope::Local => " (local)",
    };
    let holds = match &index.projection {
        Projection::All => "all attributes".to_owned(),
        Projection::KeysOnly => "keys".to_owned(),
        Projection::Include(names) => {
            let names: Vec<String> = names.iter().map(|name| code(name)).collect();
            format!("keys and {}", names.join(", "))
        }
    };
    let filled = table.entities.iter().flat_map(|entity| {
        entity.index_keys(&index.name).map(|key| match (&key.when, &key.only_with) {
            (Some(when), _) => format!("{} when {}", entity.name, code(&when.to_string())),
            (None, None) => entity.name.clone(),
            (None, Some(name)) => format!("{} with {}", entity.name, code(name)),
        })
    });
    vec![
        format!("{}{scope}", code(&index.name)),
        key(&index.key),
        holds,
        filled.collect::<Vec<_>>().join(", "),
        index.description.as_deref().unwrap_or_default().to_owned(),
    ]
}

/// `PK`, `SK`, with the type if it is not text.
fn key(key: &KeyAttributes) -> String {
    let attribute = |attribute: &KeyAttribute| match attribute.kind {
        KeyType::S => code(&attribute.name),
        kind => format!("{} ({kind})", code(&attribute.name)),
    };
    let codes = |attributes: Vec<&KeyAttribute>| {
        attributes.into_iter().map(attribute).collect::<Vec<_>>().join(", ")
    };
    match key.is_composite() {
        false => codes(key.iter().collect()),
        true => {
            let sort = codes(key.sort.iter().collect());
            format!("({}), ({sort})", codes(key.partition.iter().collect()))
        }
    }
}
