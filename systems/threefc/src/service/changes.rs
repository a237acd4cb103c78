//! One transaction, with the conditions that every kind of write has here.

use crate::design::{Stamped, ThreeFc, next_version};
use crate::error::Error;
use singlet::prelude::*;
use singlet::transaction::Transaction;
use singlet::{Condition, Key};

/// Writes that happen together or not at all.
///
/// The version of an item is its `updatedAt`, so each write says at which moment it happens: the
/// later of now and a millisecond after what was seen.
///
/// A *guarded* write does not compare versions: the version of the item's parent guards it, which is
/// rewritten or deleted in the same transaction.
pub(super) struct Changes<'d> {
    db: &'d Db<ThreeFc>,
    transaction: Transaction<'d, ThreeFc, Error>,
    now: Timestamp,
}

impl<'d> Changes<'d> {
    pub(super) fn new(db: &'d Db<ThreeFc>) -> Self {
        Self { db, transaction: db.transaction(), now: db.now() }
    }

    /// The transaction, for an operation as of this moment.
    fn at(&mut self, moment: Timestamp) -> &mut Transaction<'d, ThreeFc, Error> {
        let transaction = std::mem::replace(&mut self.transaction, self.db.transaction());
        self.transaction = transaction.at(moment);
        &mut self.transaction
    }

    /// Number of operations.
    pub(super) fn len(&self) -> usize {
        self.transaction.len()
    }

    /// Requires that nobody has written an item since it was read.
    pub(super) fn check<E: Stamped>(&mut self, entity: &E) {
        let unchanged = E::unchanged_since(entity.updated_at());
        let step = check(Key::of(entity)).only_if(unchanged).or(Error::changed());
        self.at(self.now).push(step);
    }

    /// Writes an item that must not exist; `taken` is the error if it does.
    pub(super) fn create<E: Stamped>(&mut self, entity: &E, taken: Error) {
        self.at(self.now).push(create(entity).or(taken));
    }

    /// The same as of a moment, which becomes its version.
    pub(super) fn create_at<E: Stamped>(&mut self, entity: &E, moment: Timestamp, taken: Error) {
        self.at(moment).push(create(entity).or(taken));
    }

    /// Rewrites an item, unless somebody has written it since it was read.
    pub(super) fn rewrite<E: Stamped>(&mut self, entity: &E) {
        self.rewrite_after(entity, entity.updated_at());
    }

    /// The same with a version that is also later than a moment.
    pub(super) fn rewrite_after<E: Stamped>(&mut self, entity: &E, moment: Timestamp) {
        let seen = entity.updated_at();
        let step = put(entity).only_if(E::unchanged_since(seen)).or(Error::changed());
        self.at(next_version(seen.max(moment), self.now)).push(step);
    }

    /// Deletes an item, unless somebody has written it since it was read.
    pub(super) fn delete<E: Stamped>(&mut self, entity: &E) {
        let unchanged = E::unchanged_since(entity.updated_at());
        let step = delete(Key::of(entity)).only_if(unchanged).or(Error::changed());
        self.at(self.now).push(step);
    }

    /// Writes an item that must not exist, guarded by its parent. Keeps its time of creation.
    pub(super) fn create_guarded<E: Stamped>(&mut self, entity: &E, at: Timestamp) {
        let step = put(entity).only_if(Condition::missing()).or(Error::changed());
        self.at(at).push(step);
    }

    /// Rewrites an item that must exist, guarded by its parent.
    pub(super) fn rewrite_guarded<E: Stamped>(&mut self, entity: &E, at: Timestamp) {
        let step = put(entity).only_if(Condition::exists()).or(Error::changed());
        self.at(at).push(step);
    }

    /// Deletes an item that must exist, guarded by its parent.
    pub(super) fn delete_guarded<E: Stamped>(&mut self, entity: &E) {
        let step = delete(Key::of(entity)).only_if(Condition::exists()).or(Error::changed());
        self.at(self.now).push(step);
    }

    /// Carries all of it out, or nothing.
    pub(super) async fn run(self) -> Result<(), Error> {
        self.transaction.run().await
    }
}
