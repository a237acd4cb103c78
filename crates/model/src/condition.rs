//! Conditions on the fields of an entity.

use crate::attribute::Attribute;
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::field::{Containing, Field, Operand, Testable, Textual};
use crate::marker::Marker;
use crate::shape::TableShape;
use crate::table::Table;
use crate::timestamp::Timestamp;
use singlet_dynamo::expression::{self, Comparator, Operand as Term, Path};
use singlet_dynamo::{Type, Value};
use std::marker::PhantomData;
use std::ops::Not;

/// Says of an item of this entity whether it is so.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code, PlayerId);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game { pub code: Code, pub turn: u32, pub winner: Option<PlayerId> }
/// let running = Game::winner.missing().and(Game::turn.between(1, 100));
/// let over = !running;
/// # let _ = over;
/// ```
#[must_use = "a condition does nothing by itself"]
pub struct Condition<E> {
    test: Result<expression::Condition>,
    entity: Marker<E>,
}

impl<E> Condition<E> {
    pub(crate) fn into_expression(self) -> Result<expression::Condition> {
        self.test
    }
}

impl<E: Entity> Condition<E> {
    fn new(test: Result<expression::Condition>) -> Self {
        Self { test, entity: PhantomData }
    }

    pub(crate) fn of(test: Result<expression::Condition, expression::Fault>) -> Self {
        Self::new(test.map_err(Error::from))
    }

    /// There is an item.
    pub fn exists() -> Self {
        Self::new(partition_path::<E>().map(expression::Condition::attribute_exists))
    }

    /// There is no item.
    pub fn missing() -> Self {
        Self::new(partition_path::<E>().map(expression::Condition::attribute_not_exists))
    }

    /// Both hold.
    pub fn and(self, other: Self) -> Self {
        self.join(other, expression::Condition::and)
    }

    /// At least one of the two holds.
    pub fn or(self, other: Self) -> Self {
        self.join(other, expression::Condition::or)
    }

    fn join(
        self,
        other: Self,
        join: fn(Vec<expression::Condition>) -> Result<expression::Condition, expression::Fault>,
    ) -> Self {
        Self::new(self.test.and_then(|one| Ok(join(vec![one, other.test?])?)))
    }
}

/// The condition does not hold.
impl<E: Entity> Not for Condition<E> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(self.test.and_then(|test| Ok(expression::Condition::not(test)?)))
    }
}

fn partition_path<E: Entity>() -> Result<Path> {
    Ok(Path::attribute(E::Table::SHAPE.key.partition.name)?)
}

/// The same condition of an item that counts as gone when it is expired, as if DynamoDB had
/// deleted it already.
pub(crate) fn unless_expired<E: Entity>(
    condition: expression::Condition,
    now: Timestamp,
) -> Result<expression::Condition> {
    let Some(expired) = is_expired::<E>(now)? else { return Ok(condition) };
    // What the condition says of nothing is what it says of an expired item.
    Ok(if condition.matches(None) {
        expression::Condition::or(vec![expired, condition])?
    } else {
        expression::Condition::and(vec![condition, expression::Condition::not(expired)?])?
    })
}

/// That an item is not expired; `None` if items of this table never are.
pub(crate) fn is_fresh(
    table: &TableShape,
    now: Timestamp,
) -> Result<Option<expression::Condition>> {
    let expired = table.ttl.map(|ttl| has_passed(ttl, now)).transpose()?;
    Ok(expired.map(expression::Condition::not).transpose()?)
}

/// That an item is expired; `None` if items of this entity never are.
pub(crate) fn is_expired<E: Entity>(now: Timestamp) -> Result<Option<expression::Condition>> {
    let Some(ttl) = E::Table::SHAPE.ttl.filter(|_| E::SHAPE.expires) else { return Ok(None) };
    has_passed(ttl, now).map(Some)
}

/// That the time to live in this attribute has passed.
fn has_passed(ttl: &str, now: Timestamp) -> Result<expression::Condition> {
    Ok(expression::Condition::compare(
        Term::Path(Path::attribute(ttl)?),
        Comparator::LessOrEqual,
        Term::Value(Value::from(now.as_seconds())),
    )?)
}

impl<E: Entity, V: Attribute, K: Testable> Field<E, V, K> {
    fn test(
        self,
        value: &impl Operand<V>,
        make: impl FnOnce(Term, Term) -> Result<expression::Condition, expression::Fault>,
    ) -> Condition<E> {
        Condition::new(
            term(value).and_then(|value| Ok(make(Term::Path(self.into_path()?), value)?)),
        )
    }

    fn compare(self, comparator: Comparator, value: &impl Operand<V>) -> Condition<E> {
        self.test(value, |path, value| expression::Condition::compare(path, comparator, value))
    }

    /// It is this; for a missing value, it is missing.
    pub fn eq(self, value: impl Operand<V>) -> Condition<E> {
        match value.to_operand() {
            Ok(None) => self.missing(),
            _ => self.compare(Comparator::Equal, &value),
        }
    }

    /// It is not this; also if it is missing.
    pub fn ne(self, value: impl Operand<V>) -> Condition<E> {
        match value.to_operand() {
            Ok(None) => self.exists(),
            _ => self.compare(Comparator::NotEqual, &value),
        }
    }

    /// It is less than this.
    pub fn lt(self, value: impl Operand<V>) -> Condition<E> {
        self.compare(Comparator::Less, &value)
    }

    /// It is at most this.
    pub fn le(self, value: impl Operand<V>) -> Condition<E> {
        self.compare(Comparator::LessOrEqual, &value)
    }

    /// It is greater than this.
    pub fn gt(self, value: impl Operand<V>) -> Condition<E> {
        self.compare(Comparator::Greater, &value)
    }

    /// It is at least this.
    pub fn ge(self, value: impl Operand<V>) -> Condition<E> {
        self.compare(Comparator::GreaterOrEqual, &value)
    }

    /// It is between these, both included.
    pub fn between(self, lower: impl Operand<V>, upper: impl Operand<V>) -> Condition<E> {
        let upper = term(&upper);
        Condition::new(term(&lower).and_then(|lower| {
            let path = Term::Path(self.into_path()?);
            Ok(expression::Condition::between(path, lower, upper?)?)
        }))
    }

    /// It is one of these, of which there may be up to a hundred.
    pub fn is_in<O: Operand<V>>(self, values: impl IntoIterator<Item = O>) -> Condition<E> {
        let values: Result<Vec<Term>> = values.into_iter().map(|value| term(&value)).collect();
        Condition::new(values.and_then(|values| {
            Ok(expression::Condition::is_in(Term::Path(self.into_path()?), values)?)
        }))
    }

    /// It has a value.
    pub fn exists(self) -> Condition<E> {
        !self.missing()
    }

    /// It has no value.
    pub fn missing(self) -> Condition<E> {
        let is_null_stored = self.is_null_stored();
        Condition::new(self.into_path().and_then(|path| {
            let missing = expression::Condition::attribute_not_exists(path.clone());
            if !is_null_stored {
                return Ok(missing);
            }
            let null = expression::Condition::attribute_type(Term::Path(path), Type::Null);
            Ok(expression::Condition::or(vec![missing, null])?)
        }))
    }

    /// It begins with this text.
    pub fn begins_with(self, prefix: impl Into<String>) -> Condition<E>
    where
        V: Textual,
    {
        let prefix = Term::Value(Value::S(prefix.into()));
        Condition::new(
            self.into_path()
                .and_then(|path| Ok(expression::Condition::begins_with(Term::Path(path), prefix)?)),
        )
    }

    /// The list or set contains this element, or the text this text.
    pub fn contains<T: Attribute>(self, part: impl Operand<T>) -> Condition<E>
    where
        V: Containing<T>,
    {
        Condition::new(term(&part).and_then(|part| {
            Ok(expression::Condition::contains(Term::Path(self.into_path()?), part)?)
        }))
    }

    /// How long it is: characters of text, bytes, elements of a list, a set or a map.
    #[must_use]
    pub fn size(self) -> Size<E> {
        let term = self.into_path().and_then(|path| Ok(Term::size(Term::Path(path))?));
        Size { term, entity: PhantomData }
    }
}

fn term<V>(value: &impl Operand<V>) -> Result<Term> {
    match value.to_operand()? {
        Some(value) => Ok(Term::Value(value)),
        None => Err(Error::MissingOperand),
    }
}

/// How long a field is, to be compared.
pub struct Size<E> {
    term: Result<Term>,
    entity: Marker<E>,
}

impl<E: Entity> Size<E> {
    fn compare(self, comparator: Comparator, size: u32) -> Condition<E> {
        let size = Term::Value(Value::from(i64::from(size)));
        Condition::new(
            self.term.and_then(|term| Ok(expression::Condition::compare(term, comparator, size)?)),
        )
    }

    /// It is this long.
    pub fn eq(self, size: u32) -> Condition<E> {
        self.compare(Comparator::Equal, size)
    }

    /// It is shorter than this.
    pub fn lt(self, size: u32) -> Condition<E> {
        self.compare(Comparator::Less, size)
    }

    /// It is at most this long.
    pub fn le(self, size: u32) -> Condition<E> {
        self.compare(Comparator::LessOrEqual, size)
    }

    /// It is longer than this.
    pub fn gt(self, size: u32) -> Condition<E> {
        self.compare(Comparator::Greater, size)
    }

    /// It is at least this long.
    pub fn ge(self, size: u32) -> Condition<E> {
        self.compare(Comparator::GreaterOrEqual, size)
    }
}
