//! Differences between two designs.

use super::named::Named;
use super::{
    Attribute, Design, Entity, Index, IndexKey, KeyAttribute, KeyAttributes, Table, Template,
};
use std::fmt::Debug;

impl Design {
    /// Lists every difference in how the two designs store items: tables, keys, indexes, templates
    /// and attributes, one line each. Ignores descriptions, sizes and patterns.
    ///
    /// Use it to compare a design declared as Rust types with one in a file.
    ///
    /// ```
    /// use singlet::design::{Design, KeyAttribute, KeyAttributes, Table};
    /// use singlet_dynamo::schema::KeyType;
    ///
    /// let keyed_by = |name: &'static str| {
    ///     let key = KeyAttributes::simple(KeyAttribute::new(name, KeyType::S), None);
    ///     Design { tables: vec![Table::new("locks", key)], ..Design::new("locks") }
    /// };
    /// assert!(keyed_by("lockKey").differences(&keyed_by("lockKey")).is_empty());
    /// assert_eq!(
    ///     keyed_by("lockKey").differences(&keyed_by("lockId")),
    ///     ["table locks: key (lockKey: S) or (lockId: S)"]
    /// );
    /// ```
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Found::default();
        found.pairs("", &self.tables, &other.tables, |found, place, one, other| {
            found.tables(place, one, other);
        });
        found.lines
    }
}

#[derive(Default)]
struct Found {
    lines: Vec<String>,
}

impl Found {
    /// Compares elements with the same name, and reports elements that only one design has.
    fn pairs<T: Named>(
        &mut self,
        place: &str,
        ones: &[T],
        others: &[T],
        mut compare: impl FnMut(&mut Self, &str, &T, &T),
    ) {
        let within = |name: &str| {
            format!("{place}{}{} {name}", if place.is_empty() { "" } else { ", " }, T::NOUN)
        };
        for one in ones {
            match others.iter().find(|other| other.name() == one.name()) {
                Some(other) => compare(self, &within(one.name()), one, other),
                None => self.lines.push(format!("{}: only in the first", within(one.name()))),
            }
        }
        for other in others {
            if !ones.iter().any(|one| one.name() == other.name()) {
                self.lines.push(format!("{}: only in the second", within(other.name())));
            }
        }
    }

    /// Reports a property whose values differ.
    fn fact<T: PartialEq>(
        &mut self,
        place: &str,
        noun: &str,
        one: &T,
        other: &T,
        show: impl Fn(&T) -> String,
    ) {
        if one != other {
            self.lines.push(format!("{place}: {noun} {} or {}", show(one), show(other)));
        }
    }

    fn tables(&mut self, place: &str, one: &Table, other: &Table) {
        self.fact(place, "key", &one.key, &other.key, shown_key);
        self.fact(place, "TTL attribute", &one.ttl, &other.ttl, shown);
        self.fact(place, "stream", &one.stream, &other.stream, shown);
        self.pairs(place, &one.indexes, &other.indexes, |found, place, one, other| {
            found.indexes(place, one, other);
        });
        self.pairs(place, &one.entities, &other.entities, |found, place, one, other| {
            found.entities(place, one, other);
        });
    }

    fn indexes(&mut self, place: &str, one: &Index, other: &Index) {
        self.fact(place, "key", &one.key, &other.key, shown_key);
        self.fact(place, "projection", &one.projection, &other.projection, shown);
        self.fact(place, "scope", &one.scope, &other.scope, shown);
    }

    fn entities(&mut self, place: &str, one: &Entity, other: &Entity) {
        let (key, other_key) = (&one.key, &other.key);
        self.fact(place, "partition key", &key.partition, &other_key.partition, shown_templates);
        self.fact(place, "sort key", &key.sort, &other_key.sort, shown_templates);
        self.index_keys(place, one, other);
        self.fact(place, "shares keys with", &one.shares_key_with, &other.shares_key_with, shown);
        self.fact(place, "discriminator", &one.discriminator, &other.discriminator, shown);
        self.fact(place, "payload", &one.payload, &other.payload, shown);
        self.pairs(place, &one.attributes, &other.attributes, |found, place, one, other| {
            let stored = |own: &Attribute| (own.kind.stored_name(), own.in_key, own.in_payload);
            found.fact(
                place,
                "stored as",
                &stored(one),
                &stored(other),
                |(kind, in_key, in_payload)| match (in_key, in_payload) {
                    (true, _) => "a part of keys".to_owned(),
                    (_, true) => "a part of the payload".to_owned(),
                    _ => (*kind).to_owned(),
                },
            );
        });
    }
}

impl Found {
    /// Compares index keys, matched by index and condition.
    fn index_keys(&mut self, place: &str, one: &Entity, other: &Entity) {
        let same = |a: &IndexKey, b: &IndexKey| a.index == b.index && a.when == b.when;
        let within = |key: &IndexKey| match &key.when {
            Some(when) => format!("{place}, index {} when {when}", key.index),
            None => format!("{place}, index {}", key.index),
        };
        for own in &one.indexes {
            match other.indexes.iter().find(|other| same(own, other)) {
                Some(other) => {
                    let place = within(own);
                    let (partition, theirs) = (&own.partition, &other.partition);
                    self.fact(&place, "partition key", partition, theirs, shown_templates);
                    self.fact(&place, "sort key", &own.sort, &other.sort, shown_templates);
                }
                None => self.lines.push(format!("{}: only in the first", within(own))),
            }
        }
        for theirs in &other.indexes {
            if !one.indexes.iter().any(|own| same(own, theirs)) {
                self.lines.push(format!("{}: only in the second", within(theirs)));
            }
        }
    }
}

fn shown(value: &impl Debug) -> String {
    format!("{value:?}")
}

fn shown_templates(templates: &Vec<Template>) -> String {
    match templates.as_slice() {
        [] => "none".to_owned(),
        [only] => only.to_string(),
        several => {
            let texts: Vec<String> = several.iter().map(Template::to_string).collect();
            format!("({})", texts.join(", "))
        }
    }
}

fn shown_key(key: &KeyAttributes) -> String {
    let shown = |attributes: &mut dyn Iterator<Item = &KeyAttribute>| {
        let shown = attributes.map(|own| format!("{}: {}", own.name, own.kind));
        shown.collect::<Vec<_>>().join(", ")
    };
    match key.is_composite() {
        false => format!("({})", shown(&mut key.iter())),
        true => {
            let (partition, sort) = (shown(&mut key.partition.iter()), shown(&mut key.sort.iter()));
            format!("(({partition}), ({sort}))")
        }
    }
}
