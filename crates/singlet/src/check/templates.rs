//! Checks key templates against the keys that they fill.

use super::conditions;
use super::fault::{Fault, Faults};
use super::held::holds;
use super::message::{Message, same};
use crate::design::{Index, KeyAttribute, KeyAttributes, list};
use crate::key::{Form, Pattern, Segment, Shape};
use crate::shape::{
    EntityShapeOf, FieldShapeOf, KeyShapeOf, Storage, TableShapeOf, TemplateOf, TemplatePart,
};
use singlet_dynamo::schema::KeyType;

/// The maximum number of sort key parts that a query can fix.
const SORT_PARTS_MAX: usize = 8;

/// The key that a template belongs to.
#[derive(Clone, Copy)]
struct Place<'s> {
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    /// The index; `None` for the primary key.
    index: Option<&'s str>,
}

pub(super) const fn check<'s>(
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    faults: &mut Faults<'s>,
) {
    let place = Place { entity, table, index: None };
    place.check_key(&entity.key, &table.key, faults);
    check_kept_in_keys(entity, faults);
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        let place = Place { entity, table, index: Some(of_index.index) };
        match find_index(table.indexes, of_index.index) {
            Some(index) => {
                place.check_key(&of_index.key, &index.key, faults);
                check_expiry(entity, table, index, faults);
                conditions::check(entity, table, of_index, &index.key, others, faults);
            }
            None => faults.add(
                Fault::error(
                    "SD101",
                    Message::new()
                        .and("the entity has a key in the index ")
                        .code(of_index.index)
                        .and(", which the table does not have"),
                    "Declare the index, or name one that the table has.",
                )
                .entity(entity.name)
                .index(Some(of_index.index)),
            ),
        }
        rest = others;
    }
}

/// Rejects a field that is stored only in keys, if an item may lack the key it would be read from.
const fn check_kept_in_keys<'s>(entity: &'s EntityShapeOf<'s>, faults: &mut Faults<'s>) {
    let mut rest = entity.fields;
    let mut place = 0;
    while let [field, others @ ..] = rest {
        if matches!(field.storage, Storage::Key)
            && !is_in_primary_key(entity, place)
            && !is_kept_in_index(entity, place)
        {
            faults.add(
                Fault::error(
                    "SD112",
                    Message::new()
                        .code(field.name)
                        .and(" is stored within a key alone (`in_key`), and the first key without a condition that names it is not one that every item has, or there is none: its value cannot be read"),
                    "Leave `in_key` out; or put it into the primary key, or into a key in an index without a condition and without other parts that can be missing, and declare that key first.",
                )
                .entity(entity.name)
                .attribute(field.attribute),
            );
        }
        place += 1;
        rest = others;
    }
}

/// Whether the field can always be read from the first unconditional index key that names it, even
/// if other fields are missing.
const fn is_kept_in_index(entity: &EntityShapeOf<'_>, place: usize) -> bool {
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        if of_index.when.is_none() && of_index.key.has_place(place) {
            // A single field is present or absent; composed attributes are present together or not
            // at all.
            let (mut is_whole, mut position) = (true, 0);
            let mut first = None;
            while let Some(template) = of_index.key.template(position) {
                if first.is_none() && template.has(place) {
                    first = Some(template);
                }
                is_whole = is_whole && is_filled_with(template, place);
                position += 1;
            }
            return is_whole
                || match first {
                    Some(template) => template.is_lone(),
                    None => false,
                };
        }
        rest = others;
    }
    false
}

/// Whether the template is a single field, or has no other optional parts.
const fn is_filled_with(template: &TemplateOf<'_>, place: usize) -> bool {
    if template.is_lone() {
        return true;
    }
    let mut rest = template.parts;
    while let [part, others @ ..] = rest {
        if part.optional && part.place != place {
            return false;
        }
        rest = others;
    }
    true
}

/// Rejects an index that does not project the expiry, and so would return expired items.
const fn check_expiry<'s>(
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    index: &'s Index,
    faults: &mut Faults<'s>,
) {
    let Some(ttl) = table.ttl else { return };
    if !entity.expires || holds(table, index, ttl) {
        return;
    }
    faults.add(
        Fault::error(
            "SD606",
            Message::new()
                .and("items of ")
                .code(entity.name)
                .and(" expire, and the index ")
                .code(index.name())
                .and(" does not hold ")
                .code(ttl)
                .and(": it shows expired items, and nobody can tell"),
            "Let the index project that attribute too.",
        )
        .warning()
        .entity(entity.name)
        .index(Some(index.name())),
    );
}

pub(super) const fn find_index<'s>(indexes: &'s [Index], name: &str) -> Option<&'s Index> {
    let mut rest = indexes;
    while let [index, others @ ..] = rest {
        if same(index.name(), name) {
            return Some(index);
        }
        rest = others;
    }
    None
}

pub(super) const fn field_at<'s>(
    entity: &'s EntityShapeOf<'s>,
    place: usize,
) -> Option<&'s FieldShapeOf<'s>> {
    let mut rest = entity.fields;
    let mut before = place;
    while let [field, others @ ..] = rest {
        if before == 0 {
            return Some(field);
        }
        before -= 1;
        rest = others;
    }
    None
}

pub(super) const fn is_in_primary_key(entity: &EntityShapeOf<'_>, place: usize) -> bool {
    entity.key.has_place(place)
}

/// The pattern of all keys from a template. A field restricted to a set of texts counts as
/// containing the delimiter if one of them does.
pub(super) const fn pattern(
    entity: &EntityShapeOf<'_>,
    template: &TemplateOf<'_>,
    delimiter: u8,
) -> Pattern {
    let mut pattern = Pattern::empty();
    let mut parts = template.parts;
    let mut rest = template.segments;
    while let [segment, others @ ..] = rest {
        match segment {
            Segment::Literal(text) => pattern.push_literal(text),
            Segment::Part { form, .. } => {
                let mut form = *form;
                if let [part, more @ ..] = parts {
                    if let Some(field) = field_at(entity, part.place)
                        && is_closed(field.one_of, delimiter)
                    {
                        form = Form::Without(delimiter);
                    }
                    parts = more;
                }
                pattern.push_form(form);
            }
        }
        rest = others;
    }
    pattern
}

/// Whether the field is restricted to texts that are not empty and do not contain the delimiter.
const fn is_closed(texts: &[&str], delimiter: u8) -> bool {
    let mut rest = texts;
    while let [text, others @ ..] = rest {
        let mut bytes = text.as_bytes();
        if bytes.is_empty() {
            return false;
        }
        while let [first, more @ ..] = bytes {
            if *first == delimiter {
                return false;
            }
            bytes = more;
        }
        rest = others;
    }
    !texts.is_empty()
}

impl<'s> Place<'s> {
    const fn add(self, fault: Fault<'s>, faults: &mut Faults<'s>) {
        faults.add(fault.entity(self.entity.name).index(self.index));
    }

    const fn check_key(
        self,
        key: &'s KeyShapeOf<'s>,
        attributes: &'s KeyAttributes,
        faults: &mut Faults<'s>,
    ) {
        if attributes.is_composite() || key.partition.len() > 1 || key.sort.len() > 1 {
            self.check_composite(key, attributes, faults);
            return;
        }
        if let Some(attribute) = attributes.at(0) {
            self.check_template(key.first(), attribute, true, faults);
        }
        match (key.first_sort(), list(&attributes.sort).first()) {
            (Some(sort), Some(attribute)) => {
                self.check_template(sort, attribute, false, faults);
                self.check_length(sort, attribute, faults);
            }
            (None, None) => {}
            (Some(sort), None) => self.add(
                Fault::error(
                    "SD103",
                    Message::new()
                        .and("the entity has a sort key ")
                        .code(sort.text)
                        .and(", and there is none here"),
                    "Declare a sort key, or move what tells the items apart into the partition key.",
                ),
                faults,
            ),
            (None, Some(sort)) => self.add(
                Fault::error(
                    "SD103",
                    Message::new()
                        .and("there is a sort key ")
                        .code(sort.name())
                        .and(", and the entity says nothing of it"),
                    "Say how the entity's sort key is put together; a constant such as `METADATA` will do.",
                )
                .attribute(sort.name()),
                faults,
            ),
        }
    }

    /// Rejects a multi-attribute key whose attributes are not plain fields under their own names.
    const fn check_composite(
        self,
        key: &'s KeyShapeOf<'s>,
        attributes: &'s KeyAttributes,
        faults: &mut Faults<'s>,
    ) {
        if key.partition.len() != list(&attributes.partition).len()
            || key.sort.len() != list(&attributes.sort).len()
        {
            self.add(
                Fault::error(
                    "SD103",
                    Message::new()
                        .and("the key has ")
                        .count(list(&attributes.partition).len())
                        .and(" partition and ")
                        .count(list(&attributes.sort).len())
                        .and(" sort attributes, and the entity gives ")
                        .count(key.partition.len())
                        .and(" and ")
                        .count(key.sort.len()),
                    "Name a field for each attribute, in their order: `((tenant, region), (state, priority))`.",
                ),
                faults,
            );
            return;
        }
        let mut position = 0;
        while let (Some(template), Some(attribute)) =
            (key.template(position), attributes.at(position))
        {
            position += 1;
            if is_stored_as(self.entity, template, attribute.name()) {
                self.check_template(template, attribute, true, faults);
                continue;
            }
            self.add(
                Fault::error(
                    "SD411",
                    Message::new()
                        .and("the attribute ")
                        .code(attribute.name())
                        .and(" of a key of several attributes is ")
                        .code(template.text)
                        .and(", and not a field that is stored under its name"),
                    "Use the field itself, and store it under the name of the key attribute: by itself, neither within a key (`in_key`) nor within the payload.",
                )
                .attribute(attribute.name()),
                faults,
            );
        }
    }

    const fn check_length(
        self,
        sort: &'s TemplateOf<'s>,
        attribute: &'s KeyAttribute,
        faults: &mut Faults<'s>,
    ) {
        if sort.parts.len() > SORT_PARTS_MAX {
            self.add(
                Fault::error(
                    "SD113",
                    Message::new().and("the sort key ").code(sort.text).and(
                        " has more than eight parts, and queries fix eight at most, one after the other",
                    ),
                    "Join some of them in one attribute.",
                )
                .attribute(attribute.name()),
                faults,
            );
        }
    }

    const fn check_template(
        self,
        template: &'s TemplateOf<'s>,
        attribute: &'s KeyAttribute,
        is_partition: bool,
        faults: &mut Faults<'s>,
    ) {
        if template.segments.is_empty() {
            self.add(
                Fault::error(
                    "SD103",
                    Message::new()
                        .and("the key attribute ")
                        .code(attribute.name())
                        .and(" is empty"),
                    "Key attributes are never empty: give it a value.",
                )
                .attribute(attribute.name()),
                faults,
            );
            return;
        }
        let mut rest = template.parts;
        let mut segments = template.segments;
        while let [part, others @ ..] = rest {
            let (name, more) = next_part(segments);
            segments = more;
            if part.optional && self.index.is_none() {
                self.add(
                    Fault::error(
                        "SD103",
                        Message::new()
                            .code(name)
                            .and(" is part of the primary key ")
                            .code(template.text)
                            .and(", and items may lack it"),
                        "Every item needs its whole primary key: make the attribute obligatory, or leave it out of the key.",
                    )
                    .attribute(name),
                    faults,
                );
            }
            if matches!(attribute.kind, KeyType::S) {
                self.check_text_part(template, part, name, attribute, faults);
            }
            rest = others;
        }
        if !matches!(attribute.kind, KeyType::S) {
            self.check_lone_part(template, attribute, faults);
            return;
        }
        // The sort key of an index only orders items. It need not be parsed, unless a field is
        // stored only there.
        let must_be_told = self.index.is_none() || is_partition || self.is_read_from(template);
        let delimiter = self.table.delimiter;
        if must_be_told && pattern(self.entity, template, delimiter).is_ambiguous() {
            self.add(
                Fault::error(
                    "SD202",
                    fields(Message::new().and("different values of "), template)
                        .and(" give the same key ")
                        .code(template.text),
                    "Separate the fields by the delimiter, and give those before the last a type that cannot contain it: an identifier made with `id!`, in a file the type `id`.",
                ),
                faults,
            );
        }
    }

    /// Whether a field is stored only in this template.
    const fn is_read_from(self, template: &TemplateOf<'_>) -> bool {
        let mut rest = template.parts;
        while let [part, others @ ..] = rest {
            if let Some(field) = field_at(self.entity, part.place)
                && matches!(field.storage, Storage::Key)
                && !is_in_primary_key(self.entity, part.place)
            {
                return true;
            }
            rest = others;
        }
        false
    }

    /// Rejects numbers without a width, widths on other types, and types without a text form.
    const fn check_text_part(
        self,
        template: &'s TemplateOf<'s>,
        part: &TemplatePart,
        name: &'s str,
        attribute: &KeyAttribute,
        faults: &mut Faults<'s>,
    ) {
        // A field stored directly as the key attribute has its own rule.
        if let (Some(field), [_]) = (field_at(self.entity, part.place), template.segments)
            && matches!(field.storage, Storage::Attribute)
            && same(field.attribute, attribute.name())
            && !matches!(part.shape, Shape::Text(_))
        {
            return;
        }
        let writes = Message::new().code(template.text).and(" writes ");
        let fault = match part.shape {
            Shape::Integer if part.width == 0 => Fault::error(
                "SD203",
                writes
                    .and("the number ")
                    .code(name)
                    .and(" without a width, and as text 10 comes before 9"),
                "Write it with leading zeros, such as four digits: `{minute:04}`.",
            )
            .warning(),
            Shape::Number => {
                let fault = Fault::error(
                    "SD203",
                    writes.code(name).and(" as text, and text does not sort as such numbers do"),
                    "Use a whole number that is never negative, with a width; or a key attribute of type N.",
                );
                if part.width == 0 { fault.warning() } else { fault }
            }
            Shape::Bytes => Fault::error(
                "SD103",
                writes.code(name).and(" as text, and it is bytes"),
                "Use a key attribute of type B, which is one field and nothing else.",
            ),
            Shape::Other => Fault::error(
                "SD103",
                writes.code(name).and(", which is neither text nor a number nor bytes"),
                "Keys are made of text, numbers and bytes: take another attribute.",
            ),
            Shape::Text(_) if part.width > 0 => Fault::error(
                "SD203",
                Message::new()
                    .code(template.text)
                    .and(" gives ")
                    .code(name)
                    .and(" a width, and it is no number"),
                "Leave the width out.",
            ),
            Shape::Text(Form::Without(byte))
                if byte != self.table.delimiter && !self.is_closed_field(part.place) =>
            {
                Fault::error(
                    "",
                    writes
                        .code(name)
                        .and(", which may contain ")
                        .byte(self.table.delimiter)
                        .and(", the delimiter of the table"),
                    "Make its identifiers for this delimiter: `id!(Code; delimiter = '|')`.",
                )
            }
            Shape::Integer | Shape::Text(_) => return,
        };
        self.add(fault.attribute(name), faults);
    }

    const fn is_closed_field(self, place: usize) -> bool {
        match field_at(self.entity, place) {
            Some(field) => is_closed(field.one_of, self.table.delimiter),
            None => false,
        }
    }

    /// Rejects a template that is not a single field of the attribute's type.
    const fn check_lone_part(
        self,
        template: &'s TemplateOf<'s>,
        attribute: &'s KeyAttribute,
        faults: &mut Faults<'s>,
    ) {
        let fits = match (template.segments, template.parts, attribute.kind) {
            ([_], [part], KeyType::N) => {
                matches!(part.shape, Shape::Integer | Shape::Number) && part.width == 0
            }
            ([_], [part], KeyType::B) => matches!(part.shape, Shape::Bytes),
            _ => false,
        };
        if !fits {
            let kind = if matches!(attribute.kind, KeyType::N) { "N" } else { "B" };
            self.add(
                Fault::error(
                    "SD103",
                    Message::new()
                        .and("the key attribute ")
                        .code(attribute.name())
                        .and(" has the type ")
                        .and(kind)
                        .and(", and ")
                        .code(template.text)
                        .and(" does not give that"),
                    "Let it be exactly one field of this type, or change the type of the key attribute.",
                )
                .attribute(attribute.name()),
                faults,
            );
        }
    }
}

/// Whether the template is a single field stored as this attribute. Undeclared fields are left to
/// another rule.
const fn is_stored_as(entity: &EntityShapeOf<'_>, template: &TemplateOf<'_>, name: &str) -> bool {
    let ([Segment::Part { .. }], [part]) = (template.segments, template.parts) else {
        return false;
    };
    match field_at(entity, part.place) {
        Some(field) => {
            part.width == 0
                && matches!(field.storage, Storage::Attribute)
                && same(field.attribute, name)
        }
        None => true,
    }
}

/// The fields of a template, for a message: "`one` and `other`".
const fn fields(mut message: Message, template: &TemplateOf<'_>) -> Message {
    let mut segments = template.segments;
    let mut rest = template.parts;
    while let [_, others @ ..] = rest {
        let (name, more) = next_part(segments);
        message = message.code(name);
        if !others.is_empty() {
            message = message.and(" and ");
        }
        segments = more;
        rest = others;
    }
    message
}

/// The name of the first part, and the segments after it.
const fn next_part<'s>(segments: &'s [Segment<'s>]) -> (&'s str, &'s [Segment<'s>]) {
    let mut rest = segments;
    while let [segment, others @ ..] = rest {
        if let Segment::Part { name, .. } = segment {
            return (name, others);
        }
        rest = others;
    }
    ("", rest)
}

/// Whether two templates produce the same keys from the same values.
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
        | (Form::TimestampNanos, Form::TimestampNanos)
        | (Form::Date, Form::Date)
        | (Form::Uuid, Form::Uuid) => true,
        _ => false,
    }
}
