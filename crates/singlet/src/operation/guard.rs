//! Sums that must stay within what the types of their fields can hold.
//!
//! DynamoDB adds whatever it is told to. A `u8` of 260 would be stored, and no read of the item
//! would succeed any more. So an update that adds to such a field has a condition beside it, the
//! guard. When the update is refused, the stored item tells which of its conditions did not hold.

use super::rekey::StoredKeyPart;
use crate::error::{Error, Result};
use crate::field::Numeric;
use crate::item::has_passed;
use crate::shape::TableShape;
use crate::subject::Subject;
use crate::timestamp::Timestamp;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::expression::{Comparator, Condition, Operand, Path};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Item, Number, Type, Value};
use std::fmt;

/// What a missing number counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// The item always has one.
    Never,
    /// Zero, as for ADD.
    Zero,
    /// Nothing: DynamoDB refuses the update.
    Nothing,
}

/// What a numeric type can hold, without the type.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    range: Option<(Number, Number)>,
    is_optional: bool,
}

impl Bounds {
    pub(super) fn of<V: Numeric>() -> Self {
        Self { range: V::range(), is_optional: V::OPTIONAL }
    }
}

/// A sum that must stay within a range.
#[derive(Clone)]
pub(super) struct Guard {
    /// The field that is to hold the sum, as messages name it.
    field: String,
    /// Where the number is to which the amount is added.
    source: Path,
    amount: Number,
    range: (Number, Number),
    condition: Condition,
}

impl Guard {
    /// Guards `source + amount`, which `field` is to hold; `None` if its type can hold every sum.
    pub(super) fn of(
        field: String,
        source: &Path,
        amount: Number,
        missing: Missing,
        bounds: Bounds,
    ) -> Result<Option<Self>> {
        let Some(range) = bounds.range.filter(|_| !amount.is_zero()) else { return Ok(None) };
        let (least, greatest) = range;
        let (end, comparator) = match amount.is_negative() {
            true => (least, Comparator::GreaterOrEqual),
            false => (greatest, Comparator::LessOrEqual),
        };
        // A difference that needs more digits than there are is that of a small amount and a far
        // end, beside which it does not count.
        let bound = Operand::Value(Value::N(end.checked_sub(amount).unwrap_or(end)));
        let in_range = Condition::compare(Operand::Path(source.clone()), comparator, bound)?;
        let may_be_missing = match missing {
            Missing::Never => false,
            Missing::Zero => (least..=greatest).contains(&amount),
            Missing::Nothing => true,
        };
        let mut either = vec![in_range];
        if may_be_missing {
            either.push(Condition::attribute_not_exists(source.clone()));
        }
        if bounds.is_optional {
            // NULL has no range: DynamoDB refuses to add to it, in its own words.
            either.push(Condition::attribute_type(Operand::Path(source.clone()), Type::Null));
        }
        let condition = Condition::or(either)?;
        Ok(Some(Self { field, source: source.clone(), amount, range, condition }))
    }

    pub(super) fn condition(&self) -> &Condition {
        &self.condition
    }
}

/// The guards of an update, and what else it is on condition of.
#[derive(Clone)]
pub(super) struct Guarded {
    /// The condition without the guards.
    pub(super) own: Option<Condition>,
    pub(super) guards: Vec<Guard>,
    pub(super) key_parts: Vec<StoredKeyPart>,
    pub(super) table: &'static TableShape,
    /// Whether items of the entity expire.
    pub(super) expires: bool,
}

impl Guarded {
    /// The guard because of which the update was refused, if that was why: the rest of its
    /// condition holds for the item that is stored.
    pub(super) fn broken(
        &self,
        entity: &'static str,
        item: Option<&Item>,
        now: Timestamp,
    ) -> Option<Error> {
        let stored = item.map(StoredItem::from);
        let item = stored.as_ref().map(StoredItem::as_item);
        if self.own.as_ref().is_some_and(|own| !own.matches(item)) {
            return None;
        }
        // What is expired counts as gone.
        let item = item.filter(|item| !(self.expires && has_passed(self.table, *item, now)));
        if let Some(part) = self.key_parts.iter().find(|part| !part.condition.matches(item)) {
            let StoredKeyPart { index, attribute, .. } = *part;
            return Some(Error::IncompleteIndexKey { entity, index, attribute, subject: None });
        }
        let guard = self.guards.iter().find(|guard| !guard.condition.matches(item))?;
        let number = match item.and_then(|item| guard.source.find(item)) {
            Some(ValueRef::N(number)) => Some(number),
            None => None,
            // What is no number cannot be added to, in range or not.
            Some(_) => return None,
        };
        let (min, max) = guard.range;
        let (field, amount) = (guard.field.clone(), guard.amount);
        let sum = OutOfRange { entity, field, stored: number, amount, min, max, subject: None };
        Some(Error::OutOfRange(Box::new(sum)))
    }
}

/// A sum that the type of a field cannot hold, so that nothing was written.
///
/// ```
/// use singlet::Error;
/// # use singlet::prelude::*;
/// # id!(Isbn);
/// # #[table(name = "books", key = (isbn), entities(Book))]
/// # pub struct Books;
/// # #[derive(Entity)]
/// # #[entity(Books, key = ("{isbn}"))]
/// # pub struct Book { pub isbn: Isbn, pub copies: u32 }
/// # singlet::block_on(async {
/// # let db = Db::<Books>::memory().await?;
/// # let isbn = Isbn::new("978-0-14-143951-8")?;
/// db.run(create(&Book { isbn: isbn.clone(), copies: 1 })).await?;
/// let outcome = db.run(update(Book::key(&isbn)).add(Book::COPIES, -2)).await;
/// let Err(Error::OutOfRange(sum)) = outcome else { panic!("{outcome:?}") };
/// assert_eq!(
///     sum.to_string(),
///     "`copies` of Book holds numbers from 0 to 4294967295, and 1 + -2 is not one \
///      (Book isbn = `978-0-14-143951-8`)"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutOfRange {
    /// The name of the entity's type.
    pub entity: &'static str,
    /// The field, or the part of it: `copies`, `scores.ada`.
    pub field: String,
    /// What is stored; a missing number counts as zero.
    pub stored: Option<Number>,
    /// What was to be added.
    pub amount: Number,
    /// The least number that the field's type holds.
    pub min: Number,
    /// The greatest number that the field's type holds.
    pub max: Number,
    /// The item that was to be changed, if it is known.
    pub subject: Option<Subject>,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entity, field, stored, amount, min, max, subject } = self;
        let stored = stored.unwrap_or(Number::ZERO);
        write!(
            f,
            "`{field}` of {entity} holds numbers from {min} to {max}, and {stored} + {amount} is not one"
        )?;
        subject.as_ref().map_or(Ok(()), |subject| write!(f, " ({subject})"))
    }
}

impl std::error::Error for OutOfRange {}
