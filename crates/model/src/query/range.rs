//! Which sort keys a query asks for.

use crate::attribute::{Attribute, NotStorable};
use crate::cursor::Identity;
use crate::error::Result;
use crate::key::{Given, GivenPart, KeyPart, Segment};
use crate::shape::template::push_part;
use crate::shape::{EntityShape, KeyAttribute, Template};
use crate::timestamp::Timestamp;
use singlet_dynamo::Value;
use singlet_dynamo::expression::{Comparator, KeyTest};
use singlet_dynamo::limits::SORT_KEY_SIZE_MAX;
use singlet_dynamo::schema::KeyType;

/// Follows every key that begins with a text, when it is put behind it: the last character that
/// there is.
const BEHIND: char = char::MAX;

/// Stands for text behind the last part of a sort key's template.
pub enum Tail {}

/// Parts of a sort key, of which the next one can be fixed.
#[diagnostic::on_unimplemented(
    message = "all parts of the sort key are fixed already",
    label = "there is no next part",
    note = "the parts of a sort key are those of its template, from the first to the last"
)]
pub trait Narrow {
    /// The next part.
    type Part: KeyPart;
    /// Those behind it.
    type Rest;
}

/// Parts of a sort key, of which the next one can be narrowed to a range.
#[diagnostic::on_unimplemented(
    message = "the next part of the sort key cannot be narrowed to a range",
    label = "no range here",
    note = "a part with others behind it sorts as its values do only if all of them have the same width: timestamps and numbers do"
)]
pub trait Ranged: Narrow {}

/// Values that all have the same width in a key, and sort there as they do by themselves.
///
/// A query can ask for a range of a part with other parts behind it only if the part has it: of
/// `{written_at}#{id}` a range of `written_at` is a range of keys, of `{name}#{id}` a range of `name`
/// is not: `ann` comes before `ann lee`, and the key `ann lee#1` before `ann#1`. [`KeyPart`] lists
/// which types have it.
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

/// The first parts of a sort key, which the members of a collection share. Behind them there is
/// more or not.
pub trait Take<const PARTS: usize, const MORE: bool> {
    /// Those parts, and [`Tail`] if there is more.
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
    ($($parts:literal: ($($part:ident),+) ($($more:ident),*);)+) => {
        $(
            impl<$($part,)+ $($more),*> Take<$parts, true> for ($($part,)+ $($more,)*) {
                type Parts = ($($part,)+ Tail);
            }
        )+
    };
}

taken! { (A) (A, B) (A, B, C) }
taken_with_more! {
    1: (A) ();
    1: (A) (B);
    1: (A) (B, C);
    1: (A) (B, C, D);
    1: (A) (B, C, D, E);
    1: (A) (B, C, D, E, F);
    2: (A, B) ();
    2: (A, B) (C);
    2: (A, B) (C, D);
    2: (A, B) (C, D, E);
    2: (A, B) (C, D, E, F);
    3: (A, B, C) ();
    3: (A, B, C) (D);
    3: (A, B, C) (D, E);
    3: (A, B, C) (D, E, F);
}

parts! { (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) }
ranged! { (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) }

/// What the next part of a sort key must be.
#[derive(Default)]
pub(crate) struct Range {
    lower: Option<Bound>,
    upper: Option<Bound>,
    prefix: Option<String>,
}

struct Bound {
    value: Result<Option<Value>, NotStorable>,
    is_included: bool,
}

impl Bound {
    fn new(part: &impl Attribute, is_included: bool) -> Self {
        Self { value: part.to_value(), is_included }
    }
}

impl Range {
    pub(super) fn from(mut self, part: &impl Attribute) -> Self {
        self.lower = Some(Bound::new(part, true));
        self
    }

    pub(super) fn after(mut self, part: &impl Attribute) -> Self {
        self.lower = Some(Bound::new(part, false));
        self
    }

    pub(super) fn until(mut self, part: &impl Attribute) -> Self {
        self.upper = Some(Bound::new(part, true));
        self
    }

    pub(super) fn before(mut self, part: &impl Attribute) -> Self {
        self.upper = Some(Bound::new(part, false));
        self
    }

    pub(super) fn starting_with(mut self, prefix: String) -> Self {
        self.prefix = Some(prefix);
        self
    }

    /// Whether it leaves nothing out.
    pub(super) fn is_everything(&self) -> bool {
        self.lower.is_none() && self.upper.is_none() && self.prefix.is_none()
    }
}

/// A range of sort keys in which the items of an entity, or of several, can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interval {
    /// Anywhere.
    Any,
    /// Under this key.
    Exactly(String),
    /// Under keys that begin with this.
    StartingWith(String),
    /// Between these, both included.
    Between(String, String),
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

    fn upper(&self) -> Option<String> {
        match self {
            Self::Any => None,
            Self::StartingWith(prefix) => Some(format!("{prefix}{BEHIND}")),
            Self::Exactly(upper) | Self::Between(_, upper) => Some(upper.clone()),
        }
    }

    /// The smallest interval that both are in.
    pub(crate) fn hull(self, other: &Self) -> Self {
        if self == *other {
            return self;
        }
        match (self.lower(), other.lower(), self.upper(), other.upper()) {
            (Some(a), Some(b), Some(c), Some(d)) => Self::Between(a.min(b), c.max(d)),
            _ => Self::Any,
        }
    }

    /// What is asked of the sort key: that it is in here.
    pub(crate) fn test(&self) -> SortTest {
        let is = |test| SortTest::Is(test, None);
        match self {
            Self::Any => SortTest::Any,
            Self::Exactly(key) => {
                is(KeyTest::Compare(Comparator::Equal, Value::from(key.as_str())))
            }
            Self::StartingWith(prefix) => is(KeyTest::BeginsWith(Value::from(prefix.as_str()))),
            Self::Between(lower, upper) => {
                is(KeyTest::Between(Value::from(lower.as_str()), Value::from(upper.as_str())))
            }
        }
    }
}

/// What is asked of the sort key.
#[derive(Debug, PartialEq)]
pub(crate) enum SortTest {
    /// Nothing: the whole partition.
    Any,
    /// This; and the sort keys that are equal to the value do not count.
    Is(KeyTest, Option<Value>),
    /// The range is empty.
    Never,
}

impl SortTest {
    /// What fixed parts and a range of the next one ask of the sort key. Some keys may have more
    /// behind the template: this text and something else.
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

/// A bound of text, and whether it is included.
type TextBound = (String, bool);

impl SortTest {
    /// The same, of sort keys that also begin with this text and are in these bounds, both
    /// included.
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
            return Self::Is(KeyTest::BeginsWith(Value::from(prefix)), None);
        }
        let included = |text: &str| (text.to_owned(), true);
        let (own_lower, own_upper) = self.bounds();
        let lowers = [own_lower, prefix.map(included), lower.map(included)];
        let behind = prefix.map(|prefix| (format!("{prefix}{BEHIND}"), true));
        let uppers = [own_upper, behind, upper.map(included)];
        // Of two bounds at the same text, the one that excludes it is narrower.
        let lower = lowers
            .into_iter()
            .flatten()
            .max_by(|(a, is_in), (b, other_is_in)| a.cmp(b).then(other_is_in.cmp(is_in)));
        let value = |(text, is_included)| (Value::S(text), is_included);
        between(lower.map(value), uppers.into_iter().flatten().min().map(value))
    }

    /// Whether all keys that begin with this text pass the test.
    fn contains_all_with(&self, prefix: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Is(KeyTest::BeginsWith(Value::S(own)), None) => prefix.starts_with(own.as_str()),
            Self::Is(..) | Self::Never => false,
        }
    }

    /// The texts between which the keys are that pass the test.
    fn bounds(self) -> (Option<TextBound>, Option<TextBound>) {
        let Self::Is(test, excluded) = self else { return (None, None) };
        let bound = |value: Value, is_included: bool| match &value {
            Value::S(text) => {
                Some((text.clone(), is_included && excluded.as_ref() != Some(&value)))
            }
            _ => None,
        };
        match test {
            KeyTest::Between(lower, upper) => (bound(lower, true), bound(upper, true)),
            KeyTest::BeginsWith(Value::S(prefix)) => {
                let behind = format!("{prefix}{BEHIND}");
                (Some((prefix, true)), Some((behind, true)))
            }
            KeyTest::BeginsWith(_) => (None, None),
            KeyTest::Compare(Comparator::Greater, lower) => (bound(lower, false), None),
            KeyTest::Compare(Comparator::GreaterOrEqual, lower) => (bound(lower, true), None),
            KeyTest::Compare(Comparator::Less, upper) => (None, bound(upper, false)),
            KeyTest::Compare(Comparator::LessOrEqual, upper) => (None, bound(upper, true)),
            KeyTest::Compare(_, value) => (bound(value.clone(), true), bound(value, true)),
        }
    }

    /// Adds what is asked to what makes a query the one that it is.
    pub(crate) fn identify(&self, identity: Identity) -> Identity {
        match self {
            Self::Any => identity.text("any"),
            Self::Never => identity.text("never"),
            Self::Is(test, excluded) => {
                let identity = match test {
                    KeyTest::Compare(comparator, value) => {
                        identity.text(comparator.sign()).value(value)
                    }
                    KeyTest::Between(lower, upper) => {
                        identity.text("between").value(lower).value(upper)
                    }
                    KeyTest::BeginsWith(prefix) => identity.text("begins_with").value(prefix),
                };
                excluded.iter().fold(identity.text("but"), Identity::value)
            }
        }
    }
}

fn given(value: &Result<Option<Value>, NotStorable>) -> Result<Option<&Value>> {
    Ok(value.as_ref().map_err(Clone::clone)?.as_ref())
}

/// Of a sort key that is a number or bytes: one field, as it is.
fn value_test(fixed: &[GivenPart], range: &Range) -> Result<SortTest> {
    if let Some((_, value)) = fixed.first() {
        let equal = |value: &Value| KeyTest::Compare(Comparator::Equal, value.clone());
        return Ok(given(value)?.map_or(SortTest::Never, |value| SortTest::Is(equal(value), None)));
    }
    let bound = |bound: &Option<Bound>| -> Result<Option<(Value, bool)>> {
        let Some(bound) = bound else { return Ok(None) };
        Ok(given(&bound.value)?.map(|value| (value.clone(), bound.is_included)))
    };
    Ok(between(bound(&range.lower)?, bound(&range.upper)?))
}

/// Of a sort key that is text: the beginning that is fixed, and bounds behind it.
fn text_test(
    template: &Template,
    more: Option<&str>,
    fixed: &[GivenPart],
    range: &Range,
) -> Result<SortTest> {
    let mut text = String::with_capacity(template.text.len() + 32);
    let mut fixed = fixed.iter();
    let mut pieces = template.segments.iter();
    // The part that comes next, if there is one.
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
        return Ok(SortTest::Is(test, None));
    };
    if let Some(prefix) = &range.prefix {
        text.push_str(prefix);
    }
    if range.lower.is_none() && range.upper.is_none() {
        return Ok(match text.is_empty() {
            true => SortTest::Any,
            false => SortTest::Is(KeyTest::BeginsWith(Value::S(text)), None),
        });
    }
    // With other pieces behind it, a part stands for all keys that begin with it.
    let is_last = pieces.next().is_none() && more.is_none();
    let bound = |bound: &Option<Bound>, goes_behind: bool| -> Result<Option<(Value, bool)>> {
        let Some(bound) = bound else { return Ok(None) };
        let mut key = text.clone();
        push_part(name, form, given(&bound.value)?, &mut key)?;
        if is_last {
            return Ok(Some((Value::S(key), bound.is_included)));
        }
        if bound.is_included == goes_behind {
            key.push(BEHIND);
        }
        Ok(Some((Value::S(key), true)))
    };
    let (mut lower, mut upper) = (bound(&range.lower, false)?, bound(&range.upper, true)?);
    if !text.is_empty() {
        // What is before and behind the beginning that is fixed does not belong here.
        lower = lower.or_else(|| Some((Value::S(text.clone()), true)));
        text.push(BEHIND);
        upper = upper.or(Some((Value::S(text), true)));
    }
    Ok(between(lower, upper))
}

/// What is between two bounds, of which the query language knows only some forms.
fn between(lower: Option<(Value, bool)>, upper: Option<(Value, bool)>) -> SortTest {
    let is = |test| SortTest::Is(test, None);
    match (lower, upper) {
        (None, None) => SortTest::Any,
        (Some((lower, true)), None) => is(KeyTest::Compare(Comparator::GreaterOrEqual, lower)),
        (Some((lower, false)), None) => is(KeyTest::Compare(Comparator::Greater, lower)),
        (None, Some((upper, true))) => is(KeyTest::Compare(Comparator::LessOrEqual, upper)),
        (None, Some((upper, false))) => is(KeyTest::Compare(Comparator::Less, upper)),
        (Some((lower, lower_included)), Some((upper, upper_included))) => {
            if is_empty(&lower, &upper) {
                return SortTest::Never;
            }
            let excluded = match (lower_included, upper_included) {
                (true, true) => None,
                (false, _) => Some(lower.clone()),
                (true, false) => Some(upper.clone()),
            };
            SortTest::Is(KeyTest::Between(lower, upper), excluded)
        }
    }
}

fn is_empty(lower: &Value, upper: &Value) -> bool {
    match (lower, upper) {
        (Value::S(lower), Value::S(upper)) => lower > upper,
        (Value::N(lower), Value::N(upper)) => lower > upper,
        (Value::B(lower), Value::B(upper)) => lower > upper,
        _ => true,
    }
}
