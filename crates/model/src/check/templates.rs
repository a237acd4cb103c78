//! Whether key templates fit the keys that they fill.

use super::message::{Message, same};
use crate::key::{Form, Segment, Shape, is_ambiguous};
use crate::shape::{
    EntityShape, IndexShape, KeyAttribute, KeyAttributes, KeyShape, Projected, TableShape,
    Template, TemplatePart,
};
use singlet_dynamo::schema::KeyType;

/// Where a template stands, for messages.
#[derive(Clone, Copy)]
struct Place<'s> {
    entity: &'s EntityShape,
    /// The index; `None` for the primary key.
    index: Option<&'s str>,
}

pub(super) const fn check(entity: &EntityShape, table: &TableShape) {
    let place = Place { entity, index: None };
    place.check_key(&entity.key, &table.key);
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        let place = Place { entity, index: Some(of_index.index) };
        match find_index(table.indexes, of_index.index) {
            Some(index) => {
                place.check_key(&of_index.key, &index.key);
                check_expiry(entity, table, index);
            }
            None => Message::new()
                .code(entity.name)
                .and(" has a key for the index ")
                .code(of_index.index)
                .and(", which the table ")
                .code(table.type_name)
                .and(" does not have")
                .refuse(),
        }
        rest = others;
    }
}

/// Refuses an index that would show expired items, because it does not hold when they expire.
const fn check_expiry(entity: &EntityShape, table: &TableShape, index: &IndexShape) {
    let Some(ttl) = table.ttl else { return };
    if !entity.expires || holds(index, ttl) {
        return;
    }
    Message::new()
        .and("items of ")
        .code(entity.name)
        .and(" expire, and the index ")
        .code(index.name)
        .and(" does not hold ")
        .code(ttl)
        .and(", so that it would show expired ones; let it project that attribute too")
        .refuse();
}

const fn holds(index: &IndexShape, name: &str) -> bool {
    match index.projection {
        Projected::All => true,
        Projected::Keys => false,
        Projected::Attributes(names) => {
            let mut rest = names;
            while let [own, others @ ..] = rest {
                if same(own, name) {
                    return true;
                }
                rest = others;
            }
            false
        }
    }
}

pub(super) const fn find_index<'s>(
    indexes: &'s [IndexShape],
    name: &str,
) -> Option<&'s IndexShape> {
    let mut rest = indexes;
    while let [index, others @ ..] = rest {
        if same(index.name, name) {
            return Some(index);
        }
        rest = others;
    }
    None
}

impl Place<'_> {
    /// "`Game`: the key of the index `GSI1`", and so on.
    const fn message(self) -> Message {
        let message = Message::new().code(self.entity.name);
        match self.index {
            Some(index) => message.and(": the key for the index ").code(index).and(" "),
            None => message.and(": the primary key "),
        }
    }

    const fn check_key(self, key: &KeyShape, attributes: &KeyAttributes) {
        self.check_template(&key.partition, &attributes.partition);
        match (&key.sort, &attributes.sort) {
            (Some(sort), Some(attribute)) => self.check_template(sort, attribute),
            (None, None) => {}
            (Some(_), None) => self
                .message()
                .and("has a template for a sort key, and the key has no sort key")
                .refuse(),
            (None, Some(sort)) => {
                self.message().and("has no template for the sort key ").code(sort.name).refuse()
            }
        }
    }

    const fn check_template(self, template: &Template, attribute: &KeyAttribute) {
        let mut rest = template.parts;
        let mut segments = template.segments;
        while let [part, others @ ..] = rest {
            let (name, more) = next_part(segments);
            segments = more;
            if part.optional && self.index.is_none() {
                self.message()
                    .and("is made of ")
                    .code(name)
                    .and(", which may be missing; every item has a key")
                    .refuse();
            }
            match attribute.kind {
                KeyType::S => self.check_text_part(part, name),
                KeyType::N => self.check_lone_part(template, part, attribute, "N"),
                KeyType::B => self.check_lone_part(template, part, attribute, "B"),
            }
            rest = others;
        }
        if !matches!(attribute.kind, KeyType::S) {
            if template.parts.len() != 1 {
                self.message()
                    .and("attribute ")
                    .code(attribute.name)
                    .and(" is not text, so its template is one field and nothing else: `\"{field}\"`")
                    .refuse();
            }
            return;
        }
        if is_ambiguous(template.segments) {
            self.message()
                .and("template ")
                .code(template.text)
                .and(" can give the same key for different values, so that one item would overwrite another; put `#` between the fields, and use identifiers made with `id!`, which cannot contain it")
                .refuse();
        }
    }

    /// Refuses numbers without a width, and widths of other things.
    const fn check_text_part(self, part: &TemplatePart, name: &str) {
        match part.shape {
            Shape::Integer if part.width == 0 => self
                .message()
                .and("writes the number ")
                .code(name)
                .and(" as text, in which 10 comes before 9; give it a width, such as `{")
                .and(name)
                .and(":04}`")
                .refuse(),
            Shape::Number => self
                .message()
                .and("writes ")
                .code(name)
                .and(" as text, and text does not sort as such numbers do; use an unsigned integer with a width, or a key attribute of type N")
                .refuse(),
            Shape::Bytes => self
                .message()
                .and("writes ")
                .code(name)
                .and(" as text, and it is bytes; use a key attribute of type B")
                .refuse(),
            Shape::Text(_) if part.width > 0 => self
                .message()
                .and("gives ")
                .code(name)
                .and(" a width, and it is no number")
                .refuse(),
            Shape::Integer | Shape::Text(_) => {}
        }
    }

    /// Refuses what is not one field of the attribute's type.
    const fn check_lone_part(
        self,
        template: &Template,
        part: &TemplatePart,
        attribute: &KeyAttribute,
        kind: &str,
    ) {
        let fits = match attribute.kind {
            KeyType::N => matches!(part.shape, Shape::Integer | Shape::Number) && part.width == 0,
            KeyType::B => matches!(part.shape, Shape::Bytes),
            KeyType::S => true,
        };
        if !fits || template.segments.len() != 1 {
            self.message()
                .and("template ")
                .code(template.text)
                .and(" fills the attribute ")
                .code(attribute.name)
                .and(", which is of type ")
                .and(kind)
                .and(": it must be one field of that type and nothing else")
                .refuse();
        }
    }
}

/// The name of the first part among the segments, and the segments behind it.
const fn next_part<'s>(segments: &'s [Segment<'static>]) -> (&'static str, &'s [Segment<'static>]) {
    let mut rest = segments;
    while let [segment, others @ ..] = rest {
        if let Segment::Part { name, .. } = segment {
            return (name, others);
        }
        rest = others;
    }
    ("", rest)
}

/// Whether two templates give the same keys for the same values.
pub(super) const fn same_templates(one: &[Segment<'_>], other: &[Segment<'_>]) -> bool {
    let (mut one, mut other) = (one, other);
    loop {
        match (one, other) {
            ([], []) => return true,
            ([a, rest_of_one @ ..], [b, rest_of_other @ ..]) => {
                let is_same = match (a, b) {
                    (Segment::Literal(a), Segment::Literal(b)) => same(a, b),
                    (Segment::Part { form: a, .. }, Segment::Part { form: b, .. }) => {
                        same_form(*a, *b)
                    }
                    _ => false,
                };
                if !is_same {
                    return false;
                }
                one = rest_of_one;
                other = rest_of_other;
            }
            _ => return false,
        }
    }
}

pub(super) const fn same_form(one: Form, other: Form) -> bool {
    match (one, other) {
        (Form::Without(a), Form::Without(b)) | (Form::Digits(a), Form::Digits(b)) => a == b,
        (Form::Open, Form::Open)
        | (Form::Timestamp, Form::Timestamp)
        | (Form::Date, Form::Date) => true,
        _ => false,
    }
}
