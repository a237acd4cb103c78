//! Item collections, as a text diagram.

use super::markdown::Markdown;
use crate::design::{Table, Template};
use std::fmt::Write as _;

/// A partition and its sort keys, with the names of their entities.
struct Collection {
    partition: String,
    items: Vec<(String, String)>,
}

pub(super) fn write(table: &Table, out: &mut Markdown) {
    if table.entities.is_empty() {
        return;
    }
    out.heading(3, "Item collections");
    let entities = table.entities.iter();
    let primary = entities.map(|own| (own.key.partition.as_slice(), &*own.key.sort, &own.name));
    let mut picture = draw(&collections(primary));
    for index in &table.indexes {
        let keys = table.entities.iter().flat_map(|entity| {
            let keys = entity.index_keys(&index.name);
            keys.map(|key| (key.partition.as_slice(), &*key.sort, &entity.name))
        });
        let collections = collections(keys);
        if !collections.is_empty() {
            let _ = write!(picture, "\nIn {}:\n\n{}", index.name, draw(&collections));
        }
    }
    out.block("", &picture);
}

/// Groups keys by partition key. Compares only literals, since entities may name a field
/// differently: `GAME#{code}` and `GAME#{gameCode}`.
fn collections<'d>(
    keys: impl Iterator<Item = (&'d [Template], &'d [Template], &'d String)>,
) -> Vec<Collection> {
    let mut all: Vec<(String, Collection)> = Vec::new();
    for (partition, sort, entity) in keys {
        let joined = |one: &dyn Fn(&Template) -> String, templates: &[Template]| {
            templates.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let shape = joined(&|own| own.fill(|_| "{}".to_owned()), partition);
        let item = (joined(&Template::to_string, sort), entity.clone());
        // A partition key without literals could match anything, so it gets a separate group.
        let is_open = partition.iter().all(|template| template.as_field().is_some());
        let shared = all.iter_mut().find(|(own, _)| *own == shape && !is_open);
        match shared {
            Some((_, collection)) => collection.items.push(item),
            None => {
                let partition = joined(&Template::to_string, partition);
                all.push((shape, Collection { partition, items: vec![item] }));
            }
        }
    }
    all.into_iter().map(|(_, collection)| collection).collect()
}

fn draw(collections: &[Collection]) -> String {
    let mut picture = String::new();
    for (place, collection) in collections.iter().enumerate() {
        if place > 0 {
            picture.push('\n');
        }
        let mut items: Vec<&(String, String)> = collection.items.iter().collect();
        // Sort by key, as far as the templates' literals determine the order.
        items.sort_by(|one, other| one.0.cmp(&other.0));
        if let [(sort, entity)] = items.as_slice()
            && sort.is_empty()
        {
            let _ = writeln!(picture, "{}  {entity}", collection.partition);
            continue;
        }
        let _ = writeln!(picture, "{}", collection.partition);
        let width = items.iter().map(|(sort, _)| sort.chars().count()).max().unwrap_or(0);
        for (place, (sort, entity)) in items.iter().enumerate() {
            let branch = if place + 1 == items.len() { "└─" } else { "├─" };
            let _ = writeln!(picture, "{branch} {sort:width$}  {entity}");
        }
    }
    picture
}
