//! What differs between two designs in what they store.

use super::named::Named;
use super::{Attribute, Design, Entity, Index, IndexKey, Table, Template};
use singlet_dynamo::schema::KeySchema;
use std::fmt::Debug;

impl Design {
    /// Everything in which items of the two designs are stored differently: tables, keys, indexes,
    /// templates and attributes, each told in a line. Descriptions, sizes and patterns do not count.
    ///
    /// A design that was declared as Rust types is compared with the one in a file like this.
    ///
    /// ```
    /// use singlet::design::{Design, Table};
    /// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType};
    ///
    /// let keyed_by = |name: &str| {
    ///     let key = KeySchema { partition: KeyAttribute::new(name, KeyType::S), sort: None };
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
    /// Compares things with the same name, and tells those that only one of the designs has.
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

    /// Compares what both have, and shows it if it is not the same.
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
        self.fact(
            place,
            "partition key",
            &key.partition,
            &other_key.partition,
            Template::to_string,
        );
        self.fact(place, "sort key", &key.sort, &other_key.sort, shown_sort);
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
    /// Compares the keys in indexes, those of one index with the same condition with each other.
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
                    self.fact(&place, "partition key", partition, theirs, Template::to_string);
                    self.fact(&place, "sort key", &own.sort, &other.sort, shown_sort);
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

fn shown_sort(sort: &Option<Template>) -> String {
    sort.as_ref().map_or("none".to_owned(), Template::to_string)
}

fn shown_key(key: &KeySchema) -> String {
    let attributes: Vec<String> = key
        .attributes()
        .map(|attribute| format!("{}: {}", attribute.name, attribute.kind))
        .collect();
    format!("({})", attributes.join(", "))
}
