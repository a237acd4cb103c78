//! One transaction, with the conditions that every kind of write has here.

use crate::design::{Stamped, ThreeFc, next_version};
use crate::error::{ApiError as _, Error, Result};
use singlet::Key;
use singlet::prelude::*;
use singlet::transaction::Transaction;

/// Writes that happen together or not at all.
///
/// The version of an item is its `updatedAt`, so each write has the moment at which it happens: the
/// later of now and a millisecond after the version that was seen.
pub(super) struct Changes<'d> {
    db: &'d Db<ThreeFc>,
    transaction: Transaction<'d, ThreeFc, Error>,
    now: Timestamp,
}

impl<'d> Changes<'d> {
    pub(super) fn new(db: &'d Db<ThreeFc>) -> Self {
        Self::as_of(db, db.now())
    }

    pub(super) fn as_of(db: &'d Db<ThreeFc>, now: Timestamp) -> Self {
        Self { db, transaction: new_transaction(db), now }
    }

    /// The transaction, for operations as of this moment.
    fn at(&mut self, moment: Timestamp) -> &mut Transaction<'d, ThreeFc, Error> {
        let transaction = std::mem::replace(&mut self.transaction, new_transaction(self.db));
        self.transaction = transaction.at(moment);
        &mut self.transaction
    }

    pub(super) fn len(&self) -> usize {
        self.transaction.len()
    }

    /// Requires that an item was not written since it was read.
    pub(super) fn check<E: Stamped>(&mut self, entity: &E) {
        let unchanged = E::unchanged_since(entity.updated_at());
        self.at(self.now).push(check(Key::of(entity)).only_if(unchanged));
    }

    /// Writes an item that must not exist; `taken` is the error if it does.
    pub(super) fn create<E: Stamped>(&mut self, entity: &E, taken: Error) {
        self.create_at(entity, self.now, taken);
    }

    /// The same as of a moment, which becomes the version.
    pub(super) fn create_at<E: Stamped>(&mut self, entity: &E, moment: Timestamp, taken: Error) {
        self.at(moment).push(create(entity).or(taken));
    }

    /// Rewrites an item, unless it was written since it was read.
    pub(super) fn rewrite<E: Stamped>(&mut self, entity: &E) {
        self.rewrite_after(entity, entity.updated_at());
    }

    /// The same with a version that is also later than a moment.
    pub(super) fn rewrite_after<E: Stamped>(&mut self, entity: &E, moment: Timestamp) {
        let seen = entity.updated_at();
        let step = put(entity).only_if(E::unchanged_since(seen));
        self.at(next_version(seen.max(moment), self.now)).push(step);
    }

    /// Deletes an item, unless it was written since it was read.
    pub(super) fn delete<E: Stamped>(&mut self, entity: &E) {
        let unchanged = E::unchanged_since(entity.updated_at());
        self.at(self.now).push(delete(Key::of(entity)).only_if(unchanged));
    }

    /// Rewrites an item and its mirror. They are always written together, so the version of the item
    /// guards both.
    pub(super) fn rewrite_both<E: Stamped, M: Stamped>(&mut self, entity: &E, mirror: &M) {
        self.rewrite(entity);
        self.rewrite_guarded(mirror, next_version(entity.updated_at(), self.now));
    }

    /// Deletes an item of a parent whose version guards it, because the transaction rewrites or
    /// deletes the parent too. The same holds for the mirror of an item.
    pub(super) fn delete_guarded<E: Stamped>(&mut self, entity: &E) {
        self.at(self.now).push(delete(Key::of(entity)).only_if(Condition::exists()));
    }

    /// Rewrites an item of such a parent.
    pub(super) fn rewrite_guarded<E: Stamped>(&mut self, entity: &E, version: Timestamp) {
        self.at(version).push(put(entity).only_if(Condition::exists()));
    }

    /// Writes what differs between items of such a parent.
    pub(super) fn replace<E: Stamped + PartialEq>(
        &mut self,
        before: &[E],
        after: &[E],
        version: Timestamp,
    ) {
        self.at(version).replace(before, after);
    }

    /// Carries all of it out, or nothing.
    pub(super) async fn run(self) -> Result<()> {
        self.transaction.run().await
    }
}

fn new_transaction(db: &Db<ThreeFc>) -> Transaction<'_, ThreeFc, Error> {
    db.transaction().or(Error::changed)
}
