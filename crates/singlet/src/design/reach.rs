//! Which keys satisfy a key condition.

use super::{KeyTest, Template};
use crate::key::{Form, Segment, catches, overlaps};
use std::cmp::Ordering;

/// Which parts of an entity's key satisfy a key condition.
pub(super) struct Reached {
    pub(super) partition: bool,
    pub(super) sort: bool,
}

/// Whether some key of the template `theirs` passes the test, for some parameters.
///
/// Conservative: true if unknown.
pub(super) fn reaches<'t>(
    test: &'t KeyTest,
    segments: impl Fn(&'t Template) -> Vec<Segment<'t>>,
    theirs: &[Segment<'_>],
) -> bool {
    let can_be = |template: &'t Template, order: Ordering| {
        compare(theirs, &segments(template)).is_none_or(|found| found == order)
    };
    match test {
        KeyTest::Equals(template) => overlaps(&segments(template), theirs),
        KeyTest::BeginsWith(template) => catches(&segments(template), theirs),
        KeyTest::Below(bound) | KeyTest::AtMost(bound) => can_be(bound, Ordering::Less),
        KeyTest::Above(bound) | KeyTest::AtLeast(bound) => can_be(bound, Ordering::Greater),
        KeyTest::Between([lower, upper]) => {
            // Every text between the bounds starts with their common prefix.
            let common = lower.pieces().iter().zip(upper.pieces()).take_while(|(a, b)| a == b);
            let lower_segments = segments(lower);
            let common = lower_segments.get(..common.count()).unwrap_or_default();
            catches(common, theirs)
                && can_be(lower, Ordering::Greater)
                && can_be(upper, Ordering::Less)
        }
    }
}

/// How keys of one template compare to keys of another, if the order is the same for all of them.
fn compare(one: &[Segment<'_>], other: &[Segment<'_>]) -> Option<Ordering> {
    let mut other = bounds(other);
    for ours in bounds(one) {
        // A shorter template does not sort first: a variable-length part may follow.
        match (ours, other.next()?) {
            ((_, most), (least, _)) if most < least => return Some(Ordering::Less),
            ((least, _), (_, most)) if least > most => return Some(Ordering::Greater),
            ((least, most), theirs) if least == most && theirs == (least, most) => {}
            _ => return None,
        }
    }
    None
}

/// The minimum and maximum byte at each position, up to the first variable-length part.
fn bounds<'s>(segments: &'s [Segment<'_>]) -> impl Iterator<Item = (u8, u8)> + 's {
    const DIGIT: (u8, u8) = (b'0', b'9');
    let is_fixed = |segment: &&Segment<'_>| match segment {
        Segment::Literal(_) => true,
        Segment::Part { form, .. } => form.is_fixed_width(),
    };
    segments.iter().take_while(is_fixed).flat_map(|segment| {
        let bounds: Vec<(u8, u8)> = match segment {
            Segment::Literal(text) => text.bytes().map(|byte| (byte, byte)).collect(),
            Segment::Part { form: Form::Digits(width), .. } => vec![DIGIT; usize::from(*width)],
            Segment::Part { form, .. } => {
                let bounds = |byte| if byte == b'0' { DIGIT } else { (byte, byte) };
                form.picture().unwrap_or_default().bytes().map(bounds).collect()
            }
        };
        bounds
    })
}
