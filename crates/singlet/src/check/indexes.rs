//! Whether indexes contradict each other or their table.

use super::fault::{Fault, Faults};
use super::message::{Message, same};
use crate::shape::{IndexShapeOf, KeyAttributeOf, KeyAttributesOf, TableShapeOf};
use singlet_dynamo::schema::KeyType;

/// How many local indexes a table can have.
const LOCAL_MAX: usize = 5;
/// How many global indexes a table can have, unless AWS has been asked for more.
const GLOBAL_MAX: usize = 20;

pub(super) const fn check<'s>(table: &'s TableShapeOf<'s>, faults: &mut Faults<'s>) {
    let (mut locals, mut globals) = (0, 0);
    let mut rest = table.indexes;
    while let [index, others @ ..] = rest {
        check_types(index, &index.key, &table.key, faults);
        if index.local {
            locals += 1;
            check_local(table, index, faults);
        } else {
            globals += 1;
        }
        let mut rest_of_others = others;
        while let [other, more @ ..] = rest_of_others {
            if same(index.name, other.name) {
                let message = Message::new().and("two indexes are called ").code(index.name);
                let fault = Fault::error("", message, "Give each a name of its own.");
                faults.add(fault.index(Some(index.name)));
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

const fn check_local<'s>(
    table: &'s TableShapeOf<'s>,
    index: &'s IndexShapeOf<'s>,
    faults: &mut Faults<'s>,
) {
    let message = Message::new().and("the local index ").code(index.name);
    let message = if !same(index.key.partition.name, table.key.partition.name) {
        message
            .and(" has the partition key ")
            .code(index.key.partition.name)
            .and(", and the table has ")
            .code(table.key.partition.name)
    } else if table.key.sort.is_none() {
        message.and(" is of a table without a sort key, which cannot have one")
    } else if index.key.sort.is_none() {
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
        .index(Some(index.name)),
    );
}

const fn check_types<'s>(
    index: &'s IndexShapeOf<'s>,
    one: &'s KeyAttributesOf<'s>,
    other: &KeyAttributesOf<'_>,
    faults: &mut Faults<'s>,
) {
    check_type(index, &one.partition, other, faults);
    if let Some(sort) = &one.sort {
        check_type(index, sort, other, faults);
    }
}

const fn check_type<'s>(
    index: &'s IndexShapeOf<'s>,
    attribute: &'s KeyAttributeOf<'s>,
    other: &KeyAttributesOf<'_>,
    faults: &mut Faults<'s>,
) {
    let mut clash = is_clash(attribute, &other.partition);
    if let Some(sort) = &other.sort {
        clash = clash || is_clash(attribute, sort);
    }
    if clash {
        faults.add(
            Fault::error(
                "SD110",
                Message::new()
                    .and("the attribute ")
                    .code(attribute.name)
                    .and(" stands in several keys, with different types"),
                "Give it one type, or take another attribute.",
            )
            .index(Some(index.name))
            .attribute(attribute.name),
        );
    }
}

const fn is_clash(one: &KeyAttributeOf<'_>, other: &KeyAttributeOf<'_>) -> bool {
    let same_kind = matches!(
        (one.kind, other.kind),
        (KeyType::S, KeyType::S) | (KeyType::N, KeyType::N) | (KeyType::B, KeyType::B)
    );
    same(one.name, other.name) && !same_kind
}
