//! Conditions on the fields of an entity.

use crate::attribute::Attribute;
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::field::{Comparand, Containing, Field, Operand, Spot, Testable, Textual};
use crate::inspect::readable;
use crate::marker::Marker;
use crate::shape::{Shapes, TableShape};
use crate::timestamp::Timestamp;
use singlet_dynamo::expression::{self, Comparator, Operand as Term, Path};
use singlet_dynamo::{Type, Value};
use std::marker::PhantomData;
use std::ops::Not;

/// A predicate over one item of an entity: for `only_if` of a write, and for the filter of a query
/// or scan.
///
/// Compare [fields](Field) with values of their types or with other fields, and join the
/// comparisons with [`and`](Self::and), [`or`](Self::or) and `!`. DynamoDB's rules apply: a
/// comparison with a missing field is false, except [`ne`](Field::ne).
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code, PlayerId);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game { pub code: Code, pub turn: u32, pub turns_max: u32, pub winner: Option<PlayerId> }
/// let running = Game::WINNER.missing().and(Game::TURN.between(1, 100));
/// let over = !running;
/// let last_turn = Game::TURN.eq(Game::TURNS_MAX);
/// # let _ = (over, last_turn);
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

    /// Matches if there is an item.
    pub fn exists() -> Self {
        Self::new(exists(Shapes::of::<E>()))
    }

    /// Matches if there is no item.
    pub fn missing() -> Self {
        Self::new(missing(Shapes::of::<E>()))
    }

    /// Matches if both conditions match.
    pub fn and(self, other: Self) -> Self {
        self.join(other, expression::Condition::and)
    }

    /// Matches if at least one of the conditions matches.
    pub fn or(self, other: Self) -> Self {
        self.join(other, expression::Condition::or)
    }

    fn join(
        self,
        other: Self,
        join: fn(Vec<expression::Condition>) -> Result<expression::Condition, expression::Fault>,
    ) -> Self {
        Self::new(joined(self.test, other.test, join))
    }
}

/// Matches if the condition does not.
impl<E: Entity> Not for Condition<E> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(negated(self.test))
    }
}

fn joined(
    one: Result<expression::Condition>,
    other: Result<expression::Condition>,
    join: fn(Vec<expression::Condition>) -> Result<expression::Condition, expression::Fault>,
) -> Result<expression::Condition> {
    Ok(join(vec![one?, other?])?)
}

#[inline(never)]
fn negated(test: Result<expression::Condition>) -> Result<expression::Condition> {
    Ok(expression::Condition::not(test?)?)
}

fn partition_path(of: Shapes) -> Result<Path> {
    Ok(Path::attribute(of.table.key.partition_name())?)
}

/// Matches if there is an item.
#[inline(never)]
pub(crate) fn exists(of: Shapes) -> Result<expression::Condition> {
    partition_path(of).map(expression::Condition::attribute_exists)
}

/// Matches if there is no item.
#[inline(never)]
pub(crate) fn missing(of: Shapes) -> Result<expression::Condition> {
    partition_path(of).map(expression::Condition::attribute_not_exists)
}

#[inline(never)]
fn compared(
    field: Spot,
    comparator: Comparator,
    operand: Result<Option<Term>>,
) -> Result<expression::Condition> {
    let operand = there(operand)?;
    let path = Term::Path(field.into_path()?);
    Ok(expression::Condition::compare(path, comparator, operand)?)
}

#[inline(never)]
fn without(field: Spot) -> Result<expression::Condition> {
    let is_null_stored = field.is_null_stored();
    let path = field.into_path()?;
    let missing = expression::Condition::attribute_not_exists(path.clone());
    if !is_null_stored {
        return Ok(missing);
    }
    let null = expression::Condition::attribute_type(Term::Path(path), Type::Null);
    Ok(expression::Condition::or(vec![missing, null])?)
}

/// Makes the condition treat an expired item as missing, as if DynamoDB had deleted it already.
pub(crate) fn unless_expired(
    of: Shapes,
    condition: expression::Condition,
    now: Timestamp,
) -> Result<expression::Condition> {
    let Some(expired) = is_expired(of, now)? else { return Ok(condition) };
    // An expired item is treated like a missing one.
    Ok(if condition.matches(None) {
        expression::Condition::or(vec![expired, condition])?
    } else {
        expression::Condition::and(vec![condition, expression::Condition::not(expired)?])?
    })
}

/// The key is free, or its item belongs to this entity; `None` if no other entity shares its keys.
pub(crate) fn is_own_key(of: Shapes) -> Result<Option<expression::Condition>> {
    let Some((name, value)) = of.entity.discriminator.filter(|_| of.entity.shares_keys()) else {
        return Ok(None);
    };
    let is_own = expression::Condition::compare(
        Term::Path(Path::attribute(name)?),
        Comparator::Equal,
        Term::Value(Value::from(value)),
    )?;
    let is_free = expression::Condition::attribute_not_exists(partition_path(of)?);
    Ok(Some(expression::Condition::or(vec![is_free, is_own])?))
}

/// The item is not expired; `None` if items of this table never expire.
pub(crate) fn is_fresh(
    table: &TableShape,
    now: Timestamp,
) -> Result<Option<expression::Condition>> {
    let expired = table.ttl.map(|ttl| has_passed(ttl, now)).transpose()?;
    Ok(expired.map(expression::Condition::not).transpose()?)
}

/// The item is expired; `None` if items of this entity never expire.
pub(crate) fn is_expired(of: Shapes, now: Timestamp) -> Result<Option<expression::Condition>> {
    let Some(ttl) = of.table.ttl.filter(|_| of.entity.expires) else { return Ok(None) };
    has_passed(ttl, now).map(Some)
}

/// The time to live in this attribute has passed.
fn has_passed(ttl: &str, now: Timestamp) -> Result<expression::Condition> {
    Ok(expression::Condition::compare(
        Term::Path(Path::attribute(ttl)?),
        Comparator::LessOrEqual,
        Term::Value(Value::from(now.as_seconds())),
    )?)
}

/// Conditions on a field. The other operand is a value of its type, or another field of the entity.
impl<E: Entity, V: Attribute, K: Testable> Field<E, V, K> {
    fn compare(self, comparator: Comparator, operand: Result<Option<Term>>) -> Condition<E> {
        Condition::new(compared(self.into_spot(), comparator, operand))
    }

    /// Equal. A missing value equals a missing field.
    pub fn eq(self, value: impl Comparand<E, V>) -> Condition<E> {
        match value.into_term() {
            Ok(None) => self.missing(),
            operand => self.compare(Comparator::Equal, operand),
        }
    }

    /// Not equal, or missing.
    pub fn ne(self, value: impl Comparand<E, V>) -> Condition<E> {
        match value.into_term() {
            Ok(None) => self.exists(),
            operand => self.compare(Comparator::NotEqual, operand),
        }
    }

    /// Less than.
    pub fn lt(self, value: impl Comparand<E, V>) -> Condition<E> {
        self.compare(Comparator::Less, value.into_term())
    }

    /// Less than or equal.
    pub fn le(self, value: impl Comparand<E, V>) -> Condition<E> {
        self.compare(Comparator::LessOrEqual, value.into_term())
    }

    /// Greater than.
    pub fn gt(self, value: impl Comparand<E, V>) -> Condition<E> {
        self.compare(Comparator::Greater, value.into_term())
    }

    /// Greater than or equal.
    pub fn ge(self, value: impl Comparand<E, V>) -> Condition<E> {
        self.compare(Comparator::GreaterOrEqual, value.into_term())
    }

    /// Between the two values, inclusive.
    pub fn between(self, lower: impl Comparand<E, V>, upper: impl Comparand<E, V>) -> Condition<E> {
        let (lower, upper) = (there(lower.into_term()), there(upper.into_term()));
        Condition::new(lower.and_then(|lower| {
            let path = Term::Path(self.into_path()?);
            Ok(expression::Condition::between(path, lower, upper?)?)
        }))
    }

    /// Equal to one of these values, at most a hundred. Without values, no item matches.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// # #[derive(Entity)]
    /// # #[entity(Games, key = ("{code}"))]
    /// # pub struct Game { pub code: Code, pub turn: u32 }
    /// # singlet::block_on(async {
    /// # let db = Db::<Games>::memory().await?;
    /// # let code = Code::new("ABC123")?;
    /// db.run(create(&Game { code: code.clone(), turn: 3 })).await?;
    /// let delete_if = |turns: Vec<u32>| delete(Game::key(&code)).only_if(Game::TURN.is_in(turns));
    /// assert!(db.run(delete_if(vec![])).await.is_err());
    /// assert!(db.run(delete_if(vec![2, 3])).await.is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn is_in<O: Comparand<E, V>>(self, values: impl IntoIterator<Item = O>) -> Condition<E> {
        let values = values.into_iter().map(|value| there(value.into_term()));
        Condition::new(values.collect::<Result<Vec<Term>>>().and_then(|values| {
            let path = self.into_path()?;
            if values.is_empty() {
                // DynamoDB does not accept IN without operands, and has no constants.
                let there = expression::Condition::attribute_exists(path.clone());
                let gone = expression::Condition::attribute_not_exists(path);
                return Ok(expression::Condition::and(vec![there, gone])?);
            }
            Ok(expression::Condition::is_in(Term::Path(path), values)?)
        }))
    }

    /// The field has a value.
    pub fn exists(self) -> Condition<E> {
        !self.missing()
    }

    /// The field has no value.
    pub fn missing(self) -> Condition<E> {
        Condition::new(without(self.into_spot()))
    }

    /// The text begins with this prefix.
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

    /// The list or set contains this element, or the text this substring.
    pub fn contains<T: Attribute>(self, part: impl Operand<T>) -> Condition<E>
    where
        V: Containing<T>,
    {
        const { V::HAS_ELEMENTS };
        Condition::new(term(&part).and_then(|part| {
            Ok(expression::Condition::contains(Term::Path(self.into_path()?), part)?)
        }))
    }

    /// The size of the field: characters of text, bytes, or elements of a list, a set or a map.
    #[must_use]
    pub fn size(self) -> Size<E> {
        let term = self.into_path().and_then(|path| Ok(Term::size(Term::Path(path))?));
        Size { term, entity: PhantomData }
    }
}

/// An operand that must have a value.
fn there(operand: Result<Option<Term>>) -> Result<Term> {
    operand?.ok_or(Error::MissingOperand)
}

fn term<V>(value: &impl Operand<V>) -> Result<Term> {
    match value.to_operand()? {
        Some(value) => Ok(Term::Value(value)),
        None => Err(Error::MissingOperand),
    }
}

/// The size of a field, for comparisons.
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

    /// Equal to this size.
    pub fn eq(self, size: u32) -> Condition<E> {
        self.compare(Comparator::Equal, size)
    }

    /// Less than this size.
    pub fn lt(self, size: u32) -> Condition<E> {
        self.compare(Comparator::Less, size)
    }

    /// At most this size.
    pub fn le(self, size: u32) -> Condition<E> {
        self.compare(Comparator::LessOrEqual, size)
    }

    /// Greater than this size.
    pub fn gt(self, size: u32) -> Condition<E> {
        self.compare(Comparator::Greater, size)
    }

    /// At least this size.
    pub fn ge(self, size: u32) -> Condition<E> {
        self.compare(Comparator::GreaterOrEqual, size)
    }
}

/// Prints the condition as an expression with names and values.
impl<E> std::fmt::Debug for Condition<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.test {
            Ok(test) => f.write_str(&readable(|printer| printer.condition(test))),
            Err(error) => write!(f, "({error})"),
        }
    }
}
