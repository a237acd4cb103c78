//! Writes: operations that are described first, and carried out by [`Db`](crate::Db), alone or in
//! a transaction.

mod check;
mod delete;
mod guard;
mod put;
mod rekey;
mod update;

pub use check::{Check, check};
pub use delete::{Delete, delete};
pub use guard::OutOfRange;
pub use put::{Put, create, put};
pub use update::{FieldGroup, Group, Update, update, upsert};

use crate::backend::{Backend, BackendError};
use crate::condition::{is_own_key, unless_expired};
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::item::{decode, has_passed, is_expired};
use crate::shape::{Shapes, TableShape};
use crate::subject::Subject;
use crate::timestamp::Timestamp;
use crate::transaction::RefusalError;
use guard::Guarded;
use singlet_dynamo::operation::{Request, ReturnValues, TransactWriteItem, WriteAnswer};
use singlet_dynamo::stored::{Attributes, StoredItem};
use singlet_dynamo::{Item, expression};

/// A write of one item, or a check of one, that can stand in a transaction.
pub trait Operation: Sized {
    /// The entity that the item is of.
    type Entity: Entity;

    /// What the operation comes to, in the table of this name, at this moment.
    #[doc(hidden)]
    fn plan(self, table_name: &str, now: Timestamp) -> Result<Plan>;

    /// The error to return when it is this operation that is refused, because its condition does
    /// not hold. Its type must be one that a [`singlet::Error`] can be made into, which is
    /// what everything else comes as.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// # #[derive(Entity)]
    /// # #[entity(Games, key = ("{code}"))]
    /// # pub struct Game { pub code: Code }
    /// #[derive(Debug)]
    /// enum Refusal {
    ///     CodeTaken,
    ///     Database(singlet::Error),
    /// }
    ///
    /// impl From<singlet::Error> for Refusal {
    ///     fn from(error: singlet::Error) -> Self {
    ///         Self::Database(error)
    ///     }
    /// }
    ///
    /// # singlet::block_on(async {
    /// let db = Db::<Games>::memory().await?;
    /// let game = Game { code: Code::new("ABC123")? };
    /// db.run(create(&game).or(Refusal::CodeTaken)).await.unwrap();
    /// let again = db.run(create(&game).or(Refusal::CodeTaken)).await;
    /// assert!(matches!(again, Err(Refusal::CodeTaken)));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    fn or<R: RefusalError>(self, refusal: R) -> Or<Self, R> {
        Or { operation: self, refusal, convert: R::from }
    }
}

/// A write that can be carried out by itself, and gives something back.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be carried out by itself",
    label = "not a write",
    note = "a check is part of a transaction: `db.transact((check(…), …))`"
)]
pub trait Write: Operation {
    /// What it gives back.
    type Output;

    /// The item that it is about at this moment, to be found out when it is refused.
    #[doc(hidden)]
    fn subject(&self, now: Timestamp) -> impl FnOnce() -> Subject + Send + use<Self>;

    /// Reads what the store gave back.
    #[doc(hidden)]
    fn output(returned: Option<Attributes>, now: Timestamp) -> Result<Self::Output>;
}

/// An operation with the error to return when it is refused.
#[must_use = "an operation does nothing until a `Db` runs it"]
pub struct Or<O, R> {
    operation: O,
    refusal: R,
    /// Kept from where the error was given, so that the compiler asks for it there and nowhere
    /// else.
    convert: fn(Error) -> R,
}

impl<O, R> Or<O, R> {
    pub(crate) fn into_parts(self) -> (O, R, fn(Error) -> R) {
        (self.operation, self.refusal, self.convert)
    }
}

impl<O: std::fmt::Debug, R> std::fmt::Debug for Or<O, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.operation.fmt(f)
    }
}

/// Operations that give nothing back, as all of a transaction must.
#[diagnostic::on_unimplemented(
    message = "an operation in a transaction gives nothing back, and this one is asked to",
    label = "leave out `returning_new` and `returning_old`",
    note = "DynamoDB's TransactWriteItems returns no items: read the item afterwards, or run the operation by itself with `Db::run`"
)]
pub trait ReturnsNothing {}

impl<E> ReturnsNothing for Put<'_, E, Nothing> {}
impl<E> ReturnsNothing for Update<E, Nothing> {}
impl<E> ReturnsNothing for Delete<E, Nothing> {}
impl<E> ReturnsNothing for Check<E> {}

/// What an operation comes to.
#[doc(hidden)]
#[derive(Clone)]
pub struct Plan {
    pub(crate) action: TransactWriteItem,
    /// What to do instead if the stored item is expired. Few plans have it, and all are moved.
    if_expired: Option<Box<TransactWriteItem>>,
    /// What to give back, if it is known beforehand.
    known: Option<Item>,
    /// Sums that must stay in range. Few plans have them, and all are moved.
    guarded: Option<Box<Guarded>>,
    pub(crate) entity: &'static str,
    pub(crate) table: &'static TableShape,
}

impl Plan {
    fn new(of: Shapes, action: impl Into<TransactWriteItem>) -> Self {
        Self {
            action: action.into(),
            if_expired: None,
            known: None,
            guarded: None,
            entity: of.entity.name,
            table: of.table,
        }
    }

    /// Changes over to what is to be done instead, if there is something, because the stored item
    /// is expired. Says whether it is worth another attempt.
    pub(crate) fn replace_if_expired(&mut self, item: Option<&Item>, now: Timestamp) -> bool {
        let Some(other) = &mut self.if_expired else { return false };
        let is_gone = |item: &Item| has_passed(self.table, StoredItem::from(item).as_item(), now);
        // What replaces an expired item was refused: somebody else has replaced or deleted it, so
        // that it is no longer expired.
        let is_replacement = matches!(self.action, TransactWriteItem::Put(_));
        if !is_replacement && !item.is_none_or(is_gone) {
            return false;
        }
        std::mem::swap(&mut self.action, &mut **other);
        true
    }

    /// Changes over to what is to be done instead of an expired item, or back.
    pub(crate) fn swap_forms(&mut self) {
        if let Some(other) = &mut self.if_expired {
            std::mem::swap(&mut self.action, &mut **other);
        }
    }

    /// Whether there is something else to do instead of an expired item.
    pub(crate) fn has_forms(&self) -> bool {
        self.if_expired.is_some()
    }

    /// Why the operation was refused, as the stored item tells: its condition does not hold, or a
    /// sum would leave its range.
    pub(crate) fn refused(&self, item: Option<Item>, now: Timestamp) -> Refused {
        Refused::of(self.entity, self.guarded.as_deref(), item, now)
    }

    /// The request that carries out the operation by itself, and what is left for another attempt
    /// if one may be needed: copying the plan costs more than a write in memory has to spare.
    pub(crate) fn into_request(self, backend: &dyn Backend) -> Result<(Request, Attempt)> {
        let may_need_another = self.if_expired.is_some() || backend.has_conflicts();
        let again = may_need_another.then(|| Box::new(self.clone()));
        let attempt = Attempt {
            known: match (&self.action, self.if_expired.as_deref()) {
                // What replaces an expired item is what a caller wants to see.
                (TransactWriteItem::Put(put), Some(TransactWriteItem::Update(update)))
                    if update.return_values == ReturnValues::AllNew =>
                {
                    Some(put.item.clone())
                }
                _ => self.known.clone(),
            },
            entity: self.entity,
            guarded: self.guarded,
            again,
        };
        let request = match self.action {
            TransactWriteItem::Put(put) => put.into(),
            TransactWriteItem::Delete(delete) => delete.into(),
            TransactWriteItem::Update(update) => update.into(),
            TransactWriteItem::ConditionCheck(_) => return Err(BackendError::unexpected().into()),
        };
        Ok((request, attempt))
    }
}

/// What is left of a plan that is being carried out.
pub(crate) struct Attempt {
    /// What to give back, if it is known beforehand.
    pub(crate) known: Option<Item>,
    entity: &'static str,
    guarded: Option<Box<Guarded>>,
    /// The plan, if there may be another attempt.
    pub(crate) again: Option<Box<Plan>>,
}

impl Attempt {
    /// What the write gives back.
    pub(crate) fn returned(self, answer: WriteAnswer) -> Option<Attributes> {
        self.known.map(Attributes::from).or(answer.attributes)
    }

    /// Why the write was refused.
    pub(crate) fn refused(&self, item: Option<Item>, now: Timestamp) -> Refused {
        Refused::of(self.entity, self.guarded.as_deref(), item, now)
    }
}

/// Why an operation was refused.
pub(crate) enum Refused {
    /// Its condition does not hold.
    Condition { entity: &'static str, item: Option<Item> },
    /// A number would leave the range of its type.
    Range(Box<OutOfRange>),
}

impl Refused {
    fn of(
        entity: &'static str,
        guarded: Option<&Guarded>,
        item: Option<Item>,
        now: Timestamp,
    ) -> Self {
        match guarded.and_then(|guarded| guarded.broken(entity, item.as_ref(), now)) {
            Some(range) => Self::Range(Box::new(range)),
            None => Self::Condition { entity, item },
        }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Condition { entity, item } => {
                Self::ConditionFailed { entity, item: item.map(Box::new), subject: None }
            }
            Refused::Range(range) => Self::OutOfRange(range),
        }
    }
}

/// What a write gives back: a type for each answer.
pub mod returning {
    /// Nothing.
    pub enum Nothing {}
    /// The item as it was, if there was one.
    pub enum Old {}
    /// The item as it is now.
    pub enum New {}
}

use returning::{New, Nothing, Old};

/// What a write gives back.
pub trait Returning<E> {
    /// The type of it.
    type Output;
    #[doc(hidden)]
    const VALUES: ReturnValues;
    #[doc(hidden)]
    fn read(returned: Option<Attributes>, now: Timestamp) -> Result<Self::Output>;
}

impl<E: Entity> Returning<E> for Nothing {
    type Output = ();
    const VALUES: ReturnValues = ReturnValues::None;

    fn read(_: Option<Attributes>, _: Timestamp) -> Result<()> {
        Ok(())
    }
}

impl<E: Entity> Returning<E> for Old {
    type Output = Option<E>;
    const VALUES: ReturnValues = ReturnValues::AllOld;

    fn read(returned: Option<Attributes>, now: Timestamp) -> Result<Option<E>> {
        let Some(item) = returned.map(stored) else { return Ok(None) };
        // What was expired was gone, though it was still there.
        if is_expired::<E>(item.as_item(), now) {
            return Ok(None);
        }
        Ok(Some(decode(item.as_item())?))
    }
}

impl<E: Entity> Returning<E> for New {
    type Output = E;
    const VALUES: ReturnValues = ReturnValues::AllNew;

    fn read(returned: Option<Attributes>, _: Timestamp) -> Result<E> {
        let item = returned.map(stored).unwrap_or_else(|| StoredItem::from(&Item::new()));
        Ok(decode(item.as_item())?)
    }
}

/// The attributes as they would be stored, to be read where they lie.
pub(crate) fn stored(attributes: Attributes) -> StoredItem {
    match attributes {
        Attributes::Stored(item) => item,
        Attributes::Selected(item) => StoredItem::from(&item),
    }
}

/// The condition of a write, for which expired items are gone. Items of entities that share the key
/// are never written over.
fn condition_of(
    of: Shapes,
    own: Option<expression::Condition>,
    asked: Option<expression::Condition>,
    now: Timestamp,
) -> Result<Option<expression::Condition>> {
    let mut conditions: Vec<expression::Condition> = Vec::new();
    conditions.extend(own);
    conditions.extend(asked);
    conditions.extend(is_own_key(of)?);
    all_of(of, conditions, now)
}

/// All of these hold, and expired items are gone.
fn all_of(
    of: Shapes,
    conditions: Vec<expression::Condition>,
    now: Timestamp,
) -> Result<Option<expression::Condition>> {
    if conditions.is_empty() {
        return Ok(None);
    }
    unless_expired(of, expression::Condition::and(conditions)?, now).map(Some)
}
