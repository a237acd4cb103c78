//! Writes: described first, then run by [`Db`](crate::Db), alone or in a transaction.

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

/// A write or check of one item. It can be part of a transaction.
pub trait Operation: Sized {
    /// The entity of the item.
    type Entity: Entity;

    /// Builds the requests for the operation, in the table of this name, as of this moment.
    #[doc(hidden)]
    fn plan(self, table_name: &str, now: Timestamp) -> Result<Plan>;

    /// Sets the error to return if this operation's condition fails. Its type must implement
    /// `From<singlet::Error>`, which covers every other failure.
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

/// A write that can run outside a transaction and returns a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be carried out by itself",
    label = "not a write",
    note = "a check is part of a transaction: `db.transact((check(…), …))`"
)]
pub trait Write: Operation {
    /// The return value.
    type Output;

    /// The item, computed only if the write fails.
    #[doc(hidden)]
    fn subject(&self, now: Timestamp) -> impl FnOnce() -> Subject + Send + use<Self>;

    #[doc(hidden)]
    fn output(returned: Option<Attributes>, now: Timestamp) -> Result<Self::Output>;
}

/// An operation with the error to return if its condition fails.
#[must_use = "an operation does nothing until a `Db` runs it"]
pub struct Or<O, R> {
    operation: O,
    refusal: R,
    /// Captured in `or`, so that the `From` bound is only needed there.
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

/// Operations that can be part of a transaction: DynamoDB returns nothing from one.
#[diagnostic::on_unimplemented(
    message = "an operation in a transaction gives nothing back, and this one is asked to",
    label = "leave out `returning_new` and `returning_old`",
    note = "DynamoDB's TransactWriteItems returns no items: `Db::transact_returning` returns the entities of `create` and `put`; for an `update`, read the item afterwards, or run it by itself with `Db::run`"
)]
pub trait ReturnsNothing {
    /// What [`Db::transact_returning`](crate::Db::transact_returning) returns for it.
    type Stored: Send;
    #[doc(hidden)]
    fn stored(plan: &Plan) -> Result<Self::Stored>;
}

impl<E: Entity> ReturnsNothing for Put<'_, E, Nothing> {
    type Stored = E;

    fn stored(plan: &Plan) -> Result<E> {
        match &plan.action {
            TransactWriteItem::Put(put) => Ok(decode(StoredItem::from(&put.item).as_item())?),
            _ => Err(BackendError::unexpected().into()),
        }
    }
}

impl<E> ReturnsNothing for Update<E, Nothing> {
    type Stored = ();

    fn stored(_: &Plan) -> Result<()> {
        Ok(())
    }
}

impl<E> ReturnsNothing for Delete<E, Nothing> {
    type Stored = ();

    fn stored(_: &Plan) -> Result<()> {
        Ok(())
    }
}

impl<E> ReturnsNothing for Check<E> {
    type Stored = ();

    fn stored(_: &Plan) -> Result<()> {
        Ok(())
    }
}

#[doc(hidden)]
#[derive(Clone)]
pub struct Plan {
    pub(crate) action: TransactWriteItem,
    /// The action to send instead if the stored item is expired. Boxed: few plans have one, and all
    /// plans are moved.
    if_expired: Option<Box<TransactWriteItem>>,
    /// The return value, if known in advance.
    known: Option<Item>,
    /// Conditions that the model adds, each with its error. Boxed: few plans have any, and all plans are moved.
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

    /// After a failed condition, swaps in the alternative action if the stored item is expired.
    /// Returns whether to try again.
    pub(crate) fn replace_if_expired(&mut self, item: Option<&Item>, now: Timestamp) -> bool {
        let Some(other) = &mut self.if_expired else { return false };
        let is_gone = |item: &Item| has_passed(self.table, StoredItem::from(item).as_item(), now);
        // A replacement fails its condition if another writer replaced or deleted the expired item
        // in the meantime.
        let is_replacement = matches!(self.action, TransactWriteItem::Put(_));
        if !is_replacement && !item.is_none_or(is_gone) {
            return false;
        }
        std::mem::swap(&mut self.action, &mut **other);
        true
    }

    /// Swaps the two actions.
    pub(crate) fn swap_forms(&mut self) {
        if let Some(other) = &mut self.if_expired {
            std::mem::swap(&mut self.action, &mut **other);
        }
    }

    pub(crate) fn has_forms(&self) -> bool {
        self.if_expired.is_some()
    }

    /// Classifies the failure by the stored item: a failed condition, or a guard of the model.
    pub(crate) fn refused(&self, item: Option<Item>, now: Timestamp) -> Refused {
        Refused::of(self.entity, self.guarded.as_deref(), item, now)
    }

    /// The request for this operation outside a transaction. The plan is cloned only if a second
    /// attempt may be needed: the copy would cost more than an in-memory write can spare.
    pub(crate) fn into_request(self, backend: &dyn Backend) -> Result<(Request, Attempt)> {
        let may_need_another = self.if_expired.is_some() || backend.has_conflicts();
        let again = may_need_another.then(|| Box::new(self.clone()));
        let attempt = Attempt {
            known: match (&self.action, self.if_expired.as_deref()) {
                // If the replacement succeeds, its item is the new item that the caller asked for.
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

/// State kept while a plan's request is in flight.
pub(crate) struct Attempt {
    /// The return value, if known in advance.
    pub(crate) known: Option<Item>,
    entity: &'static str,
    guarded: Option<Box<Guarded>>,
    /// The plan, if a second attempt may be needed.
    pub(crate) again: Option<Box<Plan>>,
}

impl Attempt {
    pub(crate) fn returned(self, answer: WriteAnswer) -> Option<Attributes> {
        self.known.map(Attributes::from).or(answer.attributes)
    }

    pub(crate) fn refused(&self, item: Option<Item>, now: Timestamp) -> Refused {
        Refused::of(self.entity, self.guarded.as_deref(), item, now)
    }
}

pub(crate) enum Refused {
    Condition {
        entity: &'static str,
        item: Option<Item>,
    },
    /// A guard of the model does not hold.
    Guard(Error),
}

impl Refused {
    fn of(
        entity: &'static str,
        guarded: Option<&Guarded>,
        item: Option<Item>,
        now: Timestamp,
    ) -> Self {
        match guarded.and_then(|guarded| guarded.broken(entity, item.as_ref(), now)) {
            Some(error) => Self::Guard(error),
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
            Refused::Guard(error) => error,
        }
    }
}

/// What a write returns, as types.
pub mod returning {
    /// Nothing.
    pub enum Nothing {}
    /// The previous item, if any.
    pub enum Old {}
    /// The new item.
    pub enum New {}
}

use returning::{New, Nothing, Old};

/// Selects what a write returns.
pub trait Returning<E> {
    /// The return type.
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
        // An expired item counts as missing, even while it is still stored.
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

/// Encodes the attributes as a stored item, to decode without copying.
pub(crate) fn stored(attributes: Attributes) -> StoredItem {
    match attributes {
        Attributes::Stored(item) => item,
        Attributes::Selected(item) => StoredItem::from(&item),
    }
}

/// The condition of a write. Expired items count as missing, and items of other entities that share
/// the key are never overwritten.
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

/// Joins the conditions with AND; expired items count as missing.
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
