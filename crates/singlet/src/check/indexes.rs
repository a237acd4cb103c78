//! Whether indexes contradict each other or their table.

use super::fault::{Fault, Faults};
use super::message::{Message, same};
use crate::design::{Index, KeyAttribute, KeyAttributes, list};
use crate::shape::TableShapeOf;
use singlet_dynamo::schema::KeyType;

/// How many local indexes a table can have.
const LOCAL_MAX: usize = 5;
/// How many global indexes a table can have, unless AWS has been asked for more.
const GLOBAL_MAX: usize = 20;
/// How many partition attributes, and how many sort attributes, the key of a global index can have.
const ATTRIBUTES_MAX: usize = 4;

pub(super) const fn check<'s>(table: &'s TableShapeOf<'s>, faults: &mut Faults<'s>) {
    check_name(table.name, "table", None, faults);
    if let Some(name) = table.elsewhere {
        check_name(name, "table", None, faults);
    }
    check_composite(&table.key, false, None, faults);
    let (mut locals, mut globals) = (0, 0);
    let mut rest = table.indexes;
    while let [index, others @ ..] = rest {
        check_name(index.name(), "index", Some(index.name()), faults);
        check_types(index, &index.key, &table.key, faults);
        check_composite(&index.key, !index.is_local(), Some(index.name()), faults);
        if index.is_local() {
            locals += 1;
            check_local(table, index, faults);
        } else {
            globals += 1;
        }
        let mut rest_of_others = others;
        while let [other, more @ ..] = rest_of_others {
            if same(index.name(), other.name()) {
                let message = Message::new().and("two indexes are called ").code(index.name());
                let fault = Fault::error("", message, "Give each a name of its own.");
                faults.add(fault.index(Some(index.name())));
            }
            check_types(index, &index.key, &other.key, faults);
            rest_of_others = more;
        }
        rest = others;
    }
    if locals > LOCAL_MAX {
        faults.add(Fault::error(
            "SD408",
            Message::new()
                .and("the table ")
                .code(table.name)
                .and(" has more than 5 local indexes, which is all that DynamoDB takes"),
            "Make some of them global, or let several entities share one.",
        ));
    }
    if globals > GLOBAL_MAX {
        faults.add(Fault::error(
            "SD408",
            Message::new()
                .and("the table ")
                .code(table.name)
                .and(" has more than 20 global indexes, which is all that DynamoDB takes"),
            "Let several entities share an index, each with a word of its own in the key.",
        ));
    }
}

/// The shortest and the longest name of a table or an index.
const NAME_MIN: usize = 3;
const NAME_MAX: usize = 255;

/// Refuses the name of a table or an index that DynamoDB refuses in every environment. What stands
/// in braces is the environment, of which only the place is known.
const fn check_name<'s>(
    name: &'s str,
    noun: &'static str,
    index: Option<&'s str>,
    faults: &mut Faults<'s>,
) {
    let (mut len, mut has_environment, mut is_allowed) = (0, false, true);
    let mut rest = name.as_bytes();
    while let [byte, others @ ..] = rest {
        rest = others;
        if *byte == b'{' && is_table(noun) {
            has_environment = true;
            while let [byte, others @ ..] = rest
                && *byte != b'}'
            {
                rest = others;
            }
            if let [_, others @ ..] = rest {
                rest = others;
            }
            continue;
        }
        len += 1;
        is_allowed =
            is_allowed && (byte.is_ascii_alphanumeric() || matches!(*byte, b'_' | b'-' | b'.'));
    }
    if is_allowed && len <= NAME_MAX && (has_environment || len >= NAME_MIN) {
        return;
    }
    let message =
        Message::new().and("the ").and(noun).and(" name ").code(name).and(" is not valid");
    let advice = "A name has 3 to 255 characters: letters, digits, `_`, `-` and `.`.";
    faults.add(Fault::error("SD114", message, advice).index(index));
}

const fn is_table(noun: &str) -> bool {
    same(noun, "table")
}

/// Refuses keys of several attributes that DynamoDB does not take.
const fn check_composite<'s>(
    key: &'s KeyAttributes,
    is_global: bool,
    index: Option<&'s str>,
    faults: &mut Faults<'s>,
) {
    let rule = "A global index has up to four partition attributes and up to four sort attributes, each once. A table and a local index have one of each.";
    if !is_global && key.is_composite() {
        let message = Message::new().and(if index.is_some() {
            "a local index has a key of several attributes, which only global indexes can have"
        } else {
            "the table has a key of several attributes, which only global indexes can have"
        });
        faults.add(Fault::error("SD411", message, rule).index(index));
    } else if list(&key.partition).len() > ATTRIBUTES_MAX || list(&key.sort).len() > ATTRIBUTES_MAX
    {
        let message = Message::new().and(if list(&key.partition).len() > ATTRIBUTES_MAX {
            "the partition key has more than four attributes"
        } else {
            "the sort key has more than four attributes"
        });
        faults.add(Fault::error("SD411", message, rule).index(index));
    }
    let mut position = 0;
    while let Some(attribute) = key.at(position) {
        let mut before = 0;
        while before < position {
            if let Some(other) = key.at(before)
                && same(attribute.name(), other.name())
            {
                let message = Message::new()
                    .and("the key has the attribute ")
                    .code(attribute.name())
                    .and(" twice");
                faults.add(
                    Fault::error("SD411", message, rule).index(index).attribute(attribute.name()),
                );
            }
            before += 1;
        }
        position += 1;
    }
}

const fn check_local<'s>(table: &'s TableShapeOf<'s>, index: &'s Index, faults: &mut Faults<'s>) {
    let message = Message::new().and("the local index ").code(index.name());
    let (own, of_table) = (index.key.partition_name(), table.key.partition_name());
    let message = if !same(own, of_table) {
        message.and(" has the partition key ").code(own).and(", and the table has ").code(of_table)
    } else if list(&table.key.sort).is_empty() {
        message.and(" is of a table without a sort key, which cannot have one")
    } else if list(&index.key.sort).is_empty() {
        message.and(" has no sort key, and orders nothing")
    } else {
        return;
    };
    faults.add(
        Fault::error(
            "SD407",
            message,
            "A local index orders the items of a partition of the table in another way: it has the table's partition key and a sort key of its own. For anything else make it global.",
        )
        .index(Some(index.name())),
    );
}

const fn check_types<'s>(
    index: &'s Index,
    one: &'s KeyAttributes,
    other: &KeyAttributes,
    faults: &mut Faults<'s>,
) {
    let mut position = 0;
    while let Some(attribute) = one.at(position) {
        check_type(index, attribute, other, faults);
        position += 1;
    }
}

const fn check_type<'s>(
    index: &'s Index,
    attribute: &'s KeyAttribute,
    other: &KeyAttributes,
    faults: &mut Faults<'s>,
) {
    let (mut clash, mut position) = (false, 0);
    while let Some(theirs) = other.at(position) {
        clash = clash || is_clash(attribute, theirs);
        position += 1;
    }
    if clash {
        faults.add(
            Fault::error(
                "SD110",
                Message::new()
                    .and("the attribute ")
                    .code(attribute.name())
                    .and(" stands in several keys, with different types"),
                "Give it one type, or take another attribute.",
            )
            .index(Some(index.name()))
            .attribute(attribute.name()),
        );
    }
}

const fn is_clash(one: &KeyAttribute, other: &KeyAttribute) -> bool {
    let same_kind = matches!(
        (one.kind, other.kind),
        (KeyType::S, KeyType::S) | (KeyType::N, KeyType::N) | (KeyType::B, KeyType::B)
    );
    same(one.name(), other.name()) && !same_kind
}
