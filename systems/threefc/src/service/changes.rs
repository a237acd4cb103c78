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
pub(super) struct Changes<'d> {
    transaction: Option<Transaction<'d, ThreeFc, Error>>,
    now: Timestamp,
}

impl<'d> Changes<'d> {
    pub(super) fn new(db: &'d Db<ThreeFc>) -> Self {
        Self { transaction: Some(db.transaction()), now: db.now() }
    }

    /// The transaction, for an operation as of this moment.
    fn at(&mut self, moment: Timestamp) -> Option<&mut Transaction<'d, ThreeFc, Error>> {
        self.transaction = self.transaction.take().map(|transaction| transaction.at(moment));
        self.transaction.as_mut()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.transaction.as_ref().map_or(0, Transaction::len)
    }

    /// Writes an item that is not there; `taken` says why, if it is.
    pub(super) fn create<E: Stamped>(&mut self, entity: &E, taken: Error) {
        if let Some(transaction) = self.at(self.now) {
            transaction.push(create(entity).or(taken));
        }
    }

    /// Rewrites an item, unless somebody has written it since it was read.
    pub(super) fn rewrite<E: Stamped>(&mut self, entity: &E) {
        let seen = entity.updated_at();
        if let Some(transaction) = self.at(next_version(seen, self.now)) {
            let unchanged = E::unchanged_since(seen);
            transaction.push(put(entity).only_if(unchanged).or(Error::changed()));
        }
    }

    /// Deletes an item, unless somebody has written it since it was read.
    pub(super) fn delete<E: Stamped>(&mut self, entity: &E) {
        if let Some(transaction) = self.at(self.now) {
            let unchanged = E::unchanged_since(entity.updated_at());
            transaction.push(delete(Key::of(entity)).only_if(unchanged).or(Error::changed()));
        }
    }

    /// Writes an item of a game that is not there, and keeps when it was created: the game's version
    /// guards it.
    pub(super) fn insert<E: Stamped>(&mut self, entity: &E, at: Timestamp) {
        if let Some(transaction) = self.at(at) {
            let missing = Condition::missing();
            transaction.push(put(entity).only_if(missing).or(Error::changed()));
        }
    }

    /// Rewrites an item of a game that is there: the game's version guards it.
    pub(super) fn overwrite<E: Stamped>(&mut self, entity: &E, at: Timestamp) {
        if let Some(transaction) = self.at(at) {
            let exists = Condition::exists();
            transaction.push(put(entity).only_if(exists).or(Error::changed()));
        }
    }

    /// Deletes an item that is there: its parent's version guards it.
    pub(super) fn remove<E: Stamped>(&mut self, entity: &E) {
        if let Some(transaction) = self.at(self.now) {
            let exists = Condition::exists();
            transaction.push(delete(Key::of(entity)).only_if(exists).or(Error::changed()));
        }
    }

    /// Carries all of it out, or nothing.
    pub(super) async fn run(self) -> Result<(), Error> {
        match self.transaction {
            Some(transaction) => transaction.run().await,
            None => Ok(()),
        }
    }
}
