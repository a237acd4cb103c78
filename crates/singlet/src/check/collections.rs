//! Whether the members of a collection can be read together, and by which queries.

use super::held::first_missing;
use super::message::{Message, same};
use super::templates::{same_form, same_templates};
use crate::collection::{CollectionShape, MemberShape, OWN_RANGE, Shared};
use crate::design::Index;
use crate::key::{Segment, overlaps};
use crate::shape::{EntityShape, KeyShape, TableShape, Template};

/// How many parts of a sort key the members of a collection can share, for ranges of them.
const SHARED_MAX: usize = 3;

/// Refuses a member that is not in the partition of the first one, that the index does not hold, or
/// that takes one of several items.
pub const fn collection(collection: &CollectionShape, place: usize, is_many: bool) {
    let (table, index) = (collection.table, collection.index);
    let [head, ..] = collection.members else { return };
    let (_, [member, ..]) = collection.members.split_at(place) else { return };
    if let Some(index) = index
        && index.key.is_composite()
    {
        Message::new()
            .and("the index ")
            .code(index.name())
            .and(" has a key of several attributes, and a collection is read by a key of one or two; query the entities one by one")
            .refuse();
    }
    let (one, other) = (head.key.first(), member.key.first());
    if !same_templates(one.segments, other.segments) {
        Message::new()
            .and("one query cannot read both: ")
            .code(head.entity.name)
            .and(" is in the partition ")
            .code(one.text)
            .and(", and ")
            .code(member.entity.name)
            .and(" in the partition ")
            .code(other.text)
            .and("; the members of a collection share a partition")
            .refuse();
    }
    if let Some(index) = index
        && let Some(attribute) = first_missing(member.entity, table, index, None)
    {
        Message::new()
            .and("the index ")
            .code(index.name())
            .and(" does not hold ")
            .code(attribute)
            .and(" of ")
            .code(member.entity.name)
            .and("; the members of a collection are read whole, so let it project that attribute too")
            .refuse();
    }
    if member.limit.is_none() && takes_all(collection.members, place, member) {
        Message::new()
            .and("two members take all items of ")
            .code(member.entity.name)
            .and(", and an item is in one of them only: leave one out, or give one a limit")
            .refuse();
    }
    if !is_many && !is_single(member.entity, member.key, index.is_some()) {
        Message::new()
            .and("a partition can hold several items of ")
            .code(member.entity.name)
            .and(": make this member a `Vec`")
            .refuse();
    }
}

/// Whether one of the first members, so many of them, takes all items of this member.
const fn takes_all(members: &[MemberShape], count: usize, member: &MemberShape) -> bool {
    let (first, _) = members.split_at(count);
    is_read_whole(first, member.entity, member.key)
}

/// Whether a partition holds one item of the entity at most: the fields of its sort key are all in
/// the partition key. Keys of an index are not unique, so there the fields of the primary key must
/// be in the partition key, too.
const fn is_single(entity: &EntityShape, key: &KeyShape, is_index: bool) -> bool {
    if !is_exact(key) {
        return false;
    }
    if !is_index {
        return true;
    }
    let sort_is_in = match entity.key.first_sort() {
        Some(sort) => is_within(sort, key.first()),
        None => true,
    };
    sort_is_in && is_within(entity.key.first(), key.first())
}

/// Whether the partition key says what the sort key is.
const fn is_exact(key: &KeyShape) -> bool {
    match key.first_sort() {
        Some(sort) => is_within(sort, key.first()),
        None => true,
    }
}

/// Whether the sort key is text alone.
const fn is_text(key: &KeyShape) -> bool {
    match key.first_sort() {
        Some(sort) => sort.parts.is_empty(),
        None => false,
    }
}

/// Whether all fields of the one template are in the other.
const fn is_within(template: &Template, other: &Template) -> bool {
    let mut rest = template.parts;
    while let [part, others @ ..] = rest {
        if !other.has(part.place) {
            return false;
        }
        rest = others;
    }
    true
}

/// The text in front of the first field of a sort key.
const fn lead(key: &KeyShape) -> &'static str {
    match key.first_sort() {
        Some(Template { segments: [Segment::Literal(text), ..], .. }) => text,
        _ => "",
    }
}

const fn starts_with(text: &str, prefix: &str) -> bool {
    let (mut text, mut prefix) = (text.as_bytes(), prefix.as_bytes());
    loop {
        match (text, prefix) {
            (_, []) => return true,
            ([a, rest @ ..], [b, rest_of_prefix @ ..]) if *a == *b => {
                text = rest;
                prefix = rest_of_prefix;
            }
            _ => return false,
        }
    }
}

const fn is_less(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    loop {
        match (one, other) {
            (_, []) => return false,
            ([], _) => return true,
            ([a, rest_of_one @ ..], [b, rest_of_other @ ..]) => {
                if *a != *b {
                    return *a < *b;
                }
                one = rest_of_one;
                other = rest_of_other;
            }
        }
    }
}

/// In which range of the sort key each member is read, counted from zero in ascending order, and
/// [`OWN_RANGE`] for a member with a limit. Members are in one range if no items of other entities
/// of the table can lie between them.
#[expect(clippy::indexing_slicing, reason = "a constant function; the places are below N")]
pub const fn collection_ranges<const N: usize>(
    members: &[MemberShape; N],
    table: &TableShape,
    index: Option<&Index>,
) -> [usize; N] {
    let mut ranges = [OWN_RANGE; N];
    let mut is_done = [false; N];
    let mut previous = N;
    let mut range = 0;
    loop {
        let (mut next, mut place) = (N, 0);
        while place < N {
            let is_open = !is_done[place] && members[place].limit.is_none();
            if is_open && (next == N || is_less(lead(members[place].key), lead(members[next].key)))
            {
                next = place;
            }
            place += 1;
        }
        if next == N {
            return ranges;
        }
        is_done[next] = true;
        if previous < N && !joins(members, &ranges, range, next) {
            let (one, other) = (&members[previous], &members[next]);
            if has_others_between(members, table, index, one.key, other.key) {
                range += 1;
            }
        }
        ranges[next] = range;
        previous = next;
    }
}

/// Whether the items of a member can be among what is read of the range anyway, or the other way
/// round. Ranges that are apart must not overlap, nor change places whatever the fields are.
#[expect(clippy::indexing_slicing, reason = "a constant function; the places are below N")]
const fn joins<const N: usize>(
    members: &[MemberShape; N],
    ranges: &[usize; N],
    range: usize,
    next: usize,
) -> bool {
    let mut place = 0;
    while place < N {
        let (key, lead_of_next) = (members[place].key, lead(members[next].key));
        let overlaps = starts_with(lead_of_next, lead(key))
            && (!is_text(key) || lead_of_next.len() == lead(key).len());
        if ranges[place] == range && overlaps {
            return true;
        }
        place += 1;
    }
    false
}

/// Whether items that are not asked for, or only in part, can lie between those of two members.
const fn has_others_between(
    members: &[MemberShape],
    table: &TableShape,
    index: Option<&Index>,
    lower: &KeyShape,
    upper: &KeyShape,
) -> bool {
    let mut rest = table.entities;
    while let [entity, others @ ..] = rest {
        if has_other_key_between(members, entity, index, lower, upper) {
            return true;
        }
        rest = others;
    }
    false
}

/// Whether one of the entity's keys, which are several in an index if they have conditions, is not
/// read whole and can lie between those of two members.
const fn has_other_key_between(
    members: &[MemberShape],
    entity: &EntityShape,
    index: Option<&Index>,
    lower: &KeyShape,
    upper: &KeyShape,
) -> bool {
    let Some(index) = index else {
        return !is_read_whole(members, entity, &entity.key)
            && lies_between(&entity.key, lower, upper);
    };
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        if same(of_index.index, index.name())
            && !is_read_whole(members, entity, &of_index.key)
            && lies_between(&of_index.key, lower, upper)
        {
            return true;
        }
        rest = others;
    }
    false
}

const fn lies_between(key: &KeyShape, lower: &KeyShape, upper: &KeyShape) -> bool {
    overlaps(key.first().segments, lower.first().segments) && is_between(key, lower, upper)
}

/// Whether a member without a limit takes the items of the entity that have this key.
const fn is_read_whole(members: &[MemberShape], entity: &EntityShape, key: &KeyShape) -> bool {
    let mut rest = members;
    while let [member, others @ ..] = rest {
        if same(member.entity.name, entity.name)
            && same(member.key.pattern, key.pattern)
            && member.limit.is_none()
        {
            return true;
        }
        rest = others;
    }
    false
}

const fn is_between(key: &KeyShape, lower: &KeyShape, upper: &KeyShape) -> bool {
    let (own, low, high) = (lead(key), lead(lower), lead(upper));
    let spans = !is_exact(key)
        && (starts_with(low, own) && own.len() < low.len()
            || starts_with(high, own) && own.len() < high.len());
    if spans {
        return true;
    }
    if starts_with(own, high) {
        return false;
    }
    if starts_with(own, low) {
        return is_exact(lower);
    }
    is_less(low, own) && is_less(own, high)
}

/// What the sort keys of all members begin with.
pub const fn shared(members: &[MemberShape]) -> Shared {
    let none = Shared { segments: 0, parts: 0, has_more: true };
    let [head, others @ ..] = members else { return none };
    let Some(template) = head.key.first_sort() else { return Shared { has_more: false, ..none } };
    let mut shared = none;
    // The last place up to which the parts are those of all members.
    let mut rest = template.segments;
    let (mut segments, mut parts) = (0, 0);
    while let [segment, more @ ..] = rest {
        if !all_have(others, segments, segment) || parts == SHARED_MAX {
            break;
        }
        segments += 1;
        if let Segment::Part { form, .. } = segment {
            parts += 1;
            if form.is_fixed_width() || all_go_on_alike(members, segments) {
                shared = Shared { segments, parts, has_more: any_goes_on(members, segments) };
            }
        }
        rest = more;
    }
    shared
}

const fn segment_at(member: &MemberShape, place: usize) -> Option<&Segment<'static>> {
    let Some(sort) = member.key.first_sort() else { return None };
    if place >= sort.segments.len() {
        return None;
    }
    let (_, rest) = sort.segments.split_at(place);
    rest.first()
}

const fn all_have(members: &[MemberShape], place: usize, segment: &Segment<'_>) -> bool {
    let mut rest = members;
    while let [member, others @ ..] = rest {
        let is_same = match (segment_at(member, place), segment) {
            (Some(Segment::Literal(a)), Segment::Literal(b)) => same(a, b),
            (Some(Segment::Part { form: a, .. }), Segment::Part { form: b, .. }) => {
                same_form(*a, *b)
            }
            _ => false,
        };
        if !is_same {
            return false;
        }
        rest = others;
    }
    true
}

const fn any_goes_on(members: &[MemberShape], place: usize) -> bool {
    let mut rest = members;
    while let [member, others @ ..] = rest {
        if segment_at(member, place).is_some() {
            return true;
        }
        rest = others;
    }
    false
}

/// Whether all end there, or go on with texts that begin alike, so that a part of any width has an
/// end that is the same for all.
const fn all_go_on_alike(members: &[MemberShape], place: usize) -> bool {
    if !any_goes_on(members, place) {
        return true;
    }
    let mut first = None;
    let mut rest = members;
    while let [member, others @ ..] = rest {
        let Some(Segment::Literal(text)) = segment_at(member, place) else { return false };
        let [own, ..] = text.as_bytes() else { return false };
        match first {
            None => first = Some(*own),
            Some(byte) if byte == *own => {}
            Some(_) => return false,
        }
        rest = others;
    }
    true
}
