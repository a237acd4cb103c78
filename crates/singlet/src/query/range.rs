//! Conditions on the sort key.

#[cfg(test)]
mod tests;

use crate::attribute::NotStorable;
use crate::cursor::Identity;
use crate::design::KeyAttribute;
use crate::error::Result;
use crate::inspect::readable_part;
use crate::key::{Given, GivenPart, KeyPart, Segment};
use crate::shape::template::push_part;
use crate::shape::{EntityShape, Template};
use crate::timestamp::Timestamp;
use singlet_dynamo::Value;
use singlet_dynamo::expression::{Comparator, KeyTest};
use singlet_dynamo::limits::SORT_KEY_SIZE_MAX;
use singlet_dynamo::schema::KeyType;
use std::cmp::Ordering;

/// The smallest text greater than every text with this prefix. `None` if the prefix consists only
/// of `char::MAX`.
fn successor(text: &str) -> Option<String> {
    let mut text = text.to_owned();
    while let Some(last) = text.pop() {
        if let Some(next) = (last..=char::MAX).nth(1) {
            text.push(next);
            return Some(text);
        }
    }
    None
}

/// Stands for text after the last part of a sort key's template.
pub enum Tail {}

/// Stands for sort key parts that are separate attributes, in an index with a multi-attribute key.
/// Each sorts on its own, so any of them can be narrowed to a range.
pub enum Each<Parts> {
    #[doc(hidden)]
    Never(std::convert::Infallible, std::marker::PhantomData<Parts>),
}

impl<Parts: Narrow> Narrow for Each<Parts> {
    type Part = Parts::Part;
    type Rest = Each<Parts::Rest>;
}

impl<Parts: Narrow> Ranged for Each<Parts> {}

/// Sort key parts whose next part can be fixed.
#[diagnostic::on_unimplemented(
    message = "all parts of the sort key are fixed already",
    label = "there is no next part",
    note = "the parts of a sort key are those of its template, from the first to the last"
)]
pub trait Narrow {
    /// The next part.
    type Part: KeyPart;
    /// The remaining parts.
    type Rest;
}

/// Sort key parts whose next part can be narrowed to a range.
#[diagnostic::on_unimplemented(
    message = "the next part of the sort key cannot be narrowed to a range",
    label = "no range here",
    note = "a part with others behind it sorts as its values do only if all of them have the same width: timestamps and numbers do"
)]
pub trait Ranged: Narrow {}

/// Values of fixed width in a key, where they sort in their natural order.
///
/// A part followed by other parts can only be queried by range if it has this property. In
/// `{written_at}#{id}` a range of `written_at` is a range of keys. In `{name}#{id}` a range of
/// `name` is not: `ann` sorts before `ann lee`, but the key `ann lee#1` before `ann#1`. [`KeyPart`]
/// lists the types that qualify.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(SiteId, CommentId);
/// # #[table(name = "comments", key = (PK, SK), entities(Comment))]
/// # pub struct Comments;
/// #[derive(Entity)]
/// #[entity(Comments, key = ("SITE#{site}", "{written_at}#{id}"))]
/// pub struct Comment {
///     pub site: SiteId,
///     pub written_at: Timestamp,
///     pub id: CommentId,
/// }
///
/// let since = Timestamp::from_millis(1_767_225_600_000);
/// let recent = Comment::of(SiteId::new("s1")?).from(since);
/// # let _ = recent;
/// # Ok::<(), singlet::IdError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` have different widths in a key",
    label = "does not sort as its values do when other parts follow it"
)]
pub trait FixedWidth: KeyPart {}

impl FixedWidth for Timestamp {}
impl FixedWidth for u8 {}
impl FixedWidth for u16 {}
impl FixedWidth for u32 {}
impl FixedWidth for u64 {}
impl<T: FixedWidth> FixedWidth for Option<T> {}

impl<A: KeyPart> Ranged for (A,) {}

macro_rules! parts {
    ($(($first:ident $(, $rest:ident)*))+) => {
        $(
            impl<$first: KeyPart $(, $rest)*> Narrow for ($first, $($rest,)*) {
                type Part = $first;
                type Rest = ($($rest,)*);
            }
        )+
    };
}

macro_rules! ranged {
    ($(($first:ident, $($rest:ident),+))+) => {
        $(impl<$first: FixedWidth $(, $rest)+> Ranged for ($first, $($rest,)+) {})+
    };
}

/// The leading sort key parts that the members of a collection share; `MORE` if some keys continue
/// after them.
pub trait Take<const PARTS: usize, const MORE: bool> {
    /// Those parts, and [`Tail`] if `MORE`.
    type Parts;
}

impl<T> Take<0, false> for T {
    type Parts = ();
}

impl<T> Take<0, true> for T {
    type Parts = ();
}

macro_rules! taken {
    ($(($($part:ident),+))+) => {
        $(
            impl<$($part),+> Take<{ taken!(@count $($part)+) }, false> for ($($part,)+) {
                type Parts = ($($part,)+);
            }
        )+
    };
    (@count $($part:ident)+) => { [$(stringify!($part)),+].len() };
}

macro_rules! taken_with_more {
    ($($parts:literal: $own:tt $others:tt;)+) => {
        $(taken_with_more!(@each $parts $own () $others);)+
    };
    (@each $parts:literal $own:tt $more:tt ()) => {
        taken_with_more!(@one $parts $own $more);
    };
    (@each $parts:literal $own:tt ($($more:ident),*) ($next:ident $(, $others:ident)*)) => {
        taken_with_more!(@one $parts $own ($($more),*));
        taken_with_more!(@each $parts $own ($($more,)* $next) ($($others),*));
    };
    (@one $parts:literal ($($part:ident),+) ($($more:ident),*)) => {
        impl<$($part,)+ $($more),*> Take<$parts, true> for ($($part,)+ $($more,)*) {
            type Parts = ($($part,)+ Tail);
        }
    };
}

taken! { (A) (A, B) (A, B, C) }
// Up to eight parts, then text.
taken_with_more! {
    1: (A) (B, C, D, E, F, G, H, I);
    2: (A, B) (C, D, E, F, G, H, I);
    3: (A, B, C) (D, E, F, G, H, I);
}

parts! {
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
    (A, B, C, D, E, F, G, H, I)
}
ranged! {
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
    (A, B, C, D, E, F, G, H, I)
}

/// The range of the next sort key part.
#[derive(Default)]
pub(crate) struct Range {
    lower: Option<Bound>,
    upper: Option<Bound>,
    prefix: Option<String>,
}

/// The value of a part.
type Part = Result<Option<Value>, NotStorable>;

struct Bound {
    value: Part,
    is_included: bool,
}

impl Range {
    pub(super) fn from(mut self, value: Part) -> Self {
        self.lower = Some(Bound { value, is_included: true });
        self
    }

    pub(super) fn after(mut self, value: Part) -> Self {
        self.lower = Some(Bound { value, is_included: false });
        self
    }

    pub(super) fn until(mut self, value: Part) -> Self {
        self.upper = Some(Bound { value, is_included: true });
        self
    }

    pub(super) fn before(mut self, value: Part) -> Self {
        self.upper = Some(Bound { value, is_included: false });
        self
    }

    pub(super) fn starting_with(mut self, prefix: String) -> Self {
        self.prefix = Some(prefix);
        self
    }

    pub(super) fn is_everything(&self) -> bool {
        self.lower.is_none() && self.upper.is_none() && self.prefix.is_none()
    }

    /// Formats the range under the names of the builder methods.
    pub(super) fn debug(&self, shown: &mut std::fmt::DebugStruct<'_, '_>) {
        let bounds = [(&self.lower, ["after", "from"]), (&self.upper, ["before", "until"])];
        for (bound, [excluded, included]) in bounds {
            if let Some(bound) = bound {
                let name = if bound.is_included { included } else { excluded };
                shown.field(name, &format_args!("{}", readable_part(&bound.value)));
            }
        }
        if let Some(prefix) = &self.prefix {
            shown.field("starting_with", prefix);
        }
    }
}

/// A range of sort keys that contains the items of one or more entities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interval {
    Any,
    Exactly(String),
    StartingWith(String),
    /// From this key on, up to a bound if there is one.
    Between(String, Option<TextBound>),
}

impl Interval {
    fn lower(&self) -> Option<String> {
        match self {
            Self::Any => None,
            Self::Exactly(lower) | Self::StartingWith(lower) | Self::Between(lower, _) => {
                Some(lower.clone())
            }
        }
    }

    fn upper(&self) -> Option<TextBound> {
        match self {
            Self::Any => None,
            Self::Exactly(upper) => Some((upper.clone(), true)),
            Self::StartingWith(prefix) => behind(prefix),
            Self::Between(_, upper) => upper.clone(),
        }
    }

    /// The smallest interval that contains both.
    pub(crate) fn hull(self, other: &Self) -> Self {
        if self == *other {
            return self;
        }
        let (Some(lower), Some(other_lower)) = (self.lower(), other.lower()) else {
            return Self::Any;
        };
        let upper = self.upper().zip(other.upper()).map(|(upper, other)| upper.max(other));
        Self::Between(lower.min(other_lower), upper)
    }

    pub(crate) fn test(&self) -> SortTest {
        match self {
            Self::Any => SortTest::Any,
            Self::Exactly(key) => {
                SortTest::is(KeyTest::Compare(Comparator::Equal, Value::from(key.as_str())))
            }
            Self::StartingWith(prefix) => {
                SortTest::is(KeyTest::BeginsWith(Value::from(prefix.as_str())))
            }
            Self::Between(lower, upper) => {
                between_texts(Some((lower.clone(), true)), upper.clone())
            }
        }
    }
}

/// The condition on the sort key.
#[derive(Debug, PartialEq)]
pub(crate) enum SortTest {
    /// None: the whole partition.
    Any,
    /// This condition, minus the excluded ends.
    Is(KeyTest, ExcludedEnds),
    /// The range is empty.
    Never,
}

/// Which ends of a `BETWEEN`, which includes both, to drop from the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExcludedEnds {
    lower: bool,
    upper: bool,
}

impl SortTest {
    fn is(test: KeyTest) -> Self {
        Self::Is(test, ExcludedEnds::default())
    }

    /// The sort keys that the request returns but the range excludes.
    pub(crate) fn excluded(&self) -> impl Iterator<Item = &Value> {
        let ends = match self {
            Self::Is(KeyTest::Between(lower, upper), excluded) => {
                [Some(lower).filter(|_| excluded.lower), Some(upper).filter(|_| excluded.upper)]
            }
            _ => [None, None],
        };
        ends.into_iter().flatten()
    }

    /// The condition for fixed parts and a range of the next part. `more` is the text that follows
    /// the template in keys that continue after it.
    pub(crate) fn of(
        entity: &EntityShape,
        template: &Template,
        more: Option<&str>,
        attribute: &KeyAttribute,
        fixed: &[GivenPart],
        range: &Range,
    ) -> Result<Self> {
        Given::of(entity, fixed)?;
        let test = match attribute.kind {
            KeyType::S => text_test(template, more, fixed, range)?,
            KeyType::N | KeyType::B => value_test(fixed, range)?,
        };
        let values = match &test {
            Self::Is(KeyTest::Compare(_, one) | KeyTest::BeginsWith(one), _) => [Some(one), None],
            Self::Is(KeyTest::Between(lower, upper), _) => [Some(lower), Some(upper)],
            Self::Any | Self::Never => [None, None],
        };
        for value in values.into_iter().flatten() {
            template.check_size(value, SORT_KEY_SIZE_MAX)?;
        }
        Ok(test)
    }
}

type TextBound = (String, bool);

/// The exclusive upper bound of all texts with this prefix, if there is one.
fn behind(prefix: &str) -> Option<TextBound> {
    successor(prefix).map(|next| (next, false))
}

impl SortTest {
    /// Also requires this prefix and these inclusive bounds.
    pub(crate) fn narrowed(
        self,
        prefix: Option<&str>,
        lower: Option<&str>,
        upper: Option<&str>,
    ) -> Self {
        if self == Self::Never || (prefix, lower, upper) == (None, None, None) {
            return self;
        }
        if let (Some(prefix), None, None) = (prefix, lower, upper)
            && self.contains_all_with(prefix)
        {
            return Self::is(KeyTest::BeginsWith(Value::from(prefix)));
        }
        let included = |text: &str| (text.to_owned(), true);
        let (own_lower, own_upper) = self.bounds();
        let lowers = [own_lower, prefix.map(included), lower.map(included)];
        let uppers = [own_upper, prefix.and_then(behind), upper.map(included)];
        // Of two bounds at the same text, the exclusive one is narrower.
        let lower = lowers
            .into_iter()
            .flatten()
            .max_by(|(a, is_in), (b, other_is_in)| a.cmp(b).then(other_is_in.cmp(is_in)));
        between_texts(lower, uppers.into_iter().flatten().min())
    }

    /// Whether every key with this prefix passes.
    fn contains_all_with(&self, prefix: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Is(KeyTest::BeginsWith(Value::S(own)), _) => prefix.starts_with(own.as_str()),
            Self::Is(..) | Self::Never => false,
        }
    }

    fn bounds(self) -> (Option<TextBound>, Option<TextBound>) {
        let Self::Is(test, excluded) = self else { return (None, None) };
        let bound = |value: Value, is_included: bool| match value {
            Value::S(text) => Some((text, is_included)),
            _ => None,
        };
        match test {
            KeyTest::Between(lower, upper) => {
                (bound(lower, !excluded.lower), bound(upper, !excluded.upper))
            }
            KeyTest::BeginsWith(Value::S(prefix)) => {
                let upper = behind(&prefix);
                (Some((prefix, true)), upper)
            }
            KeyTest::BeginsWith(_) => (None, None),
            KeyTest::Compare(Comparator::Greater, lower) => (bound(lower, false), None),
            KeyTest::Compare(Comparator::GreaterOrEqual, lower) => (bound(lower, true), None),
            KeyTest::Compare(Comparator::Less, upper) => (None, bound(upper, false)),
            KeyTest::Compare(Comparator::LessOrEqual, upper) => (None, bound(upper, true)),
            KeyTest::Compare(_, value) => (bound(value.clone(), true), bound(value, true)),
        }
    }

    /// Adds the condition to the identity of a query.
    pub(crate) fn identify(&self, identity: Identity) -> Identity {
        match self {
            Self::Any => identity.text("any"),
            Self::Never => identity.text("never"),
            Self::Is(test, _) => {
                let identity = match test {
                    KeyTest::Compare(comparator, value) => {
                        identity.text(comparator.sign()).value(value)
                    }
                    KeyTest::Between(lower, upper) => {
                        identity.text("between").value(lower).value(upper)
                    }
                    KeyTest::BeginsWith(prefix) => identity.text("begins_with").value(prefix),
                };
                self.excluded().fold(identity.text("but"), Identity::value)
            }
        }
    }
}

fn given(value: &Result<Option<Value>, NotStorable>) -> Result<Option<&Value>> {
    Ok(value.as_ref().map_err(Clone::clone)?.as_ref())
}

/// The condition for a number or bytes: a single field, stored unchanged.
fn value_test(fixed: &[GivenPart], range: &Range) -> Result<SortTest> {
    if let Some((_, value)) = fixed.first() {
        let equal = |value: &Value| KeyTest::Compare(Comparator::Equal, value.clone());
        return Ok(given(value)?.map_or(SortTest::Never, |value| SortTest::is(equal(value))));
    }
    let bound = |bound: &Option<Bound>| -> Result<Option<(Value, bool)>> {
        let Some(bound) = bound else { return Ok(None) };
        Ok(given(&bound.value)?.map(|value| (value.clone(), bound.is_included)))
    };
    Ok(between(bound(&range.lower)?, bound(&range.upper)?))
}

/// The condition for text: a fixed prefix, then bounds on the next part.
fn text_test(
    template: &Template,
    more: Option<&str>,
    fixed: &[GivenPart],
    range: &Range,
) -> Result<SortTest> {
    let mut text = String::with_capacity(template.text.len() + 32);
    let mut fixed = fixed.iter();
    let mut pieces = template.segments.iter();
    // The next part, if any.
    let next = loop {
        match pieces.next() {
            None => break None,
            Some(Segment::Literal(literal)) => text.push_str(literal),
            Some(Segment::Part { name, form }) => match fixed.next() {
                Some((_, value)) => push_part(name, *form, given(value)?, &mut text)?,
                None => break Some((*name, *form)),
            },
        }
    };
    let Some((name, form)) = next else {
        let test = match more {
            Some(more) => KeyTest::BeginsWith(Value::S(text + more)),
            None => KeyTest::Compare(Comparator::Equal, Value::S(text)),
        };
        return Ok(SortTest::is(test));
    };
    if let Some(prefix) = &range.prefix {
        text.push_str(prefix);
    }
    if range.lower.is_none() && range.upper.is_none() {
        return Ok(match text.is_empty() {
            true => SortTest::Any,
            false => SortTest::is(KeyTest::BeginsWith(Value::S(text))),
        });
    }
    let bound = |bound: &Option<Bound>| -> Result<Option<TextBound>> {
        let Some(bound) = bound else { return Ok(None) };
        let mut key = text.clone();
        push_part(name, form, given(&bound.value)?, &mut key)?;
        Ok(Some((key, bound.is_included)))
    };
    let (mut lower, mut upper) = (bound(&range.lower)?, bound(&range.upper)?);
    // If more segments follow, the part stands for all keys with it as a prefix.
    if pieces.next().is_some() || more.is_some() {
        lower = match lower {
            Some((key, false)) => match successor(&key) {
                Some(next) => Some((next, true)),
                None => return Ok(SortTest::Never),
            },
            other => other,
        };
        upper = match upper {
            Some((key, true)) => behind(&key),
            other => other,
        };
    }
    // Stay within the fixed prefix.
    upper = upper.or_else(|| behind(&text));
    lower = lower.or_else(|| Some((text, true)).filter(|(text, _)| !text.is_empty()));
    Ok(between_texts(lower, upper))
}

fn between_texts(lower: Option<TextBound>, upper: Option<TextBound>) -> SortTest {
    if let (Some((lower, true)), Some((upper, false))) = (&lower, &upper)
        && successor(lower).as_ref() == Some(upper)
    {
        return SortTest::is(KeyTest::BeginsWith(Value::from(lower.as_str())));
    }
    let value = |(text, is_included)| (Value::S(text), is_included);
    between(lower.map(value), upper.map(value))
}

/// Expresses two bounds in the forms that key conditions support.
fn between(lower: Option<(Value, bool)>, upper: Option<(Value, bool)>) -> SortTest {
    let is = SortTest::is;
    match (lower, upper) {
        (None, None) => SortTest::Any,
        (Some((lower, true)), None) => is(KeyTest::Compare(Comparator::GreaterOrEqual, lower)),
        (Some((lower, false)), None) => is(KeyTest::Compare(Comparator::Greater, lower)),
        (None, Some((upper, true))) => is(KeyTest::Compare(Comparator::LessOrEqual, upper)),
        (None, Some((upper, false))) => is(KeyTest::Compare(Comparator::Less, upper)),
        (Some((lower, lower_included)), Some((upper, upper_included))) => {
            let excluded = ExcludedEnds { lower: !lower_included, upper: !upper_included };
            if is_empty(&lower, &upper, excluded) {
                return SortTest::Never;
            }
            SortTest::Is(KeyTest::Between(lower, upper), excluded)
        }
    }
}

fn is_empty(lower: &Value, upper: &Value, excluded: ExcludedEnds) -> bool {
    let order = match (lower, upper) {
        (Value::S(lower), Value::S(upper)) => lower.cmp(upper),
        (Value::N(lower), Value::N(upper)) => lower.cmp(upper),
        (Value::B(lower), Value::B(upper)) => lower.cmp(upper),
        _ => return true,
    };
    match order {
        Ordering::Less => false,
        Ordering::Equal => excluded.lower || excluded.upper,
        Ordering::Greater => true,
    }
}
