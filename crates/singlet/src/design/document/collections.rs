//! Which items lie together, as a picture in text.

use super::markdown::Markdown;
use crate::design::{Table, Template};
use std::fmt::Write as _;

/// A partition, and what lies in it: sort keys with the names of their entities.
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
    let primary =
        entities.map(|entity| (&entity.key.partition, entity.key.sort.as_ref(), &entity.name));
    let mut picture = draw(&collections(primary));
    for index in &table.indexes {
        let keys = table.entities.iter().flat_map(|entity| {
            let keys = entity.index_keys(&index.name);
            keys.map(|key| (&key.partition, key.sort.as_ref(), &entity.name))
        });
        let collections = collections(keys);
        if !collections.is_empty() {
            let _ = write!(picture, "\nIn {}:\n\n{}", index.name, draw(&collections));
        }
    }
    out.block("", &picture);
}

/// Brings together what has the same partition key. Fields may have different names in different
/// entities, `GAME#{code}` and `GAME#{gameCode}`, so that only literals count.
fn collections<'d>(
    keys: impl Iterator<Item = (&'d Template, Option<&'d Template>, &'d String)>,
) -> Vec<Collection> {
    let mut all: Vec<(String, Collection)> = Vec::new();
    for (partition, sort, entity) in keys {
        let shape = partition.fill(|_| "{}".to_owned());
        let item = (sort.map(ToString::to_string).unwrap_or_default(), entity.clone());
        // A partition that is nothing but a field may hold anything, so that it stands by itself.
        let shared = all.iter_mut().find(|(own, _)| *own == shape && shape != "{}");
        match shared {
            Some((_, collection)) => collection.items.push(item),
            None => {
                let partition = partition.to_string();
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
        // In the order in which they lie there, as far as their first letters tell.
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
