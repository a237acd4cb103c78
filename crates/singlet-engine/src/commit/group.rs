//! A group of writes on its way into the store.
//!
//! The committing thread takes commands in order. A plan whose reads are unchanged is staged
//! directly. Otherwise the write is planned again on top of the staged writes, with a budget; a
//! write that exceeds it returns to its own thread. A rejected write stages nothing, so nothing is
//! ever rolled back.

use super::plan::{Counted, Plan, View};
use super::{Outcome, Versions, Write};
use crate::catalogue::{Catalogue, counts_key};
use crate::client::{AnswerRoom, UNRESERVED_BYTES_MAX};
use crate::error::{Error, Result, Unfinished};
use crate::feed::Change;
use crate::lane::PLAN_FUEL;
use crate::options::Options;
use crate::store::{Batch, Keyspace, Snapshot, Store};
use crate::stream;
use singlet_dynamo as dynamo;
use singlet_dynamo::Timestamp;
use singlet_dynamo::fuel::Fuel;
use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory limit for the plans of waiting commands. A small update may plan 400 KB.
const WAITING_PLAN_BYTES_MAX: usize = 32 << 20;

/// A write in the queue. It is returned with its outcome, so that the waiting thread drops the
/// request (up to a million values) and not the committing one.
pub(crate) struct Command {
    pub(crate) write: Write,
    /// `None` if the committing thread has to plan it.
    pub(crate) plan: Option<Plan>,
    /// The plan's share of [`WAITING_PLAN_BYTES_MAX`].
    held: Option<HeldBytes>,
    /// Reserves memory for the item that the write returns.
    pub(crate) room: Option<AnswerRoom>,
    outcome: Result<Outcome, Unfinished>,
}

impl Command {
    pub(crate) fn new(write: Write, room: Option<AnswerRoom>) -> Box<Self> {
        let outcome = Err(Unfinished::OutOfFuel);
        Box::new(Self { write, plan: None, held: None, room, outcome })
    }

    /// Keeps the plan while the command waits, if there is memory for it. Otherwise the committing
    /// thread plans it again.
    pub(crate) fn hold_plan(&mut self, waiting: &Arc<AtomicUsize>) {
        let bytes = self.plan.as_ref().map_or(0, Plan::bytes);
        self.held = HeldBytes::take(waiting, bytes);
        if self.held.is_none() {
            self.plan = None;
        }
    }

    /// The outcome, or the command itself if it must be planned again on its own thread.
    pub(crate) fn finish(self: Box<Self>) -> Result<Result<Outcome>, Box<Self>> {
        match self.outcome {
            Ok(outcome) => Ok(Ok(outcome)),
            Err(Unfinished::Failed(error)) => Ok(Err(error)),
            Err(Unfinished::OutOfFuel) => Err(self),
        }
    }
}

/// A reservation from the memory for waiting plans.
struct HeldBytes {
    waiting: Arc<AtomicUsize>,
    bytes: usize,
}

impl HeldBytes {
    fn take(waiting: &Arc<AtomicUsize>, bytes: usize) -> Option<Self> {
        let add =
            |held: usize| held.checked_add(bytes).filter(|held| *held <= WAITING_PLAN_BYTES_MAX);
        waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(Self { waiting: Arc::clone(waiting), bytes })
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

pub(crate) struct Group<'g> {
    store: &'g Store,
    options: &'g Options,
    versions: &'g Versions,
    /// The version of the commit that this group becomes.
    version: u64,
    now: Timestamp,
    /// The state before the group. Unused while all plans are current.
    snapshot: OnceCell<Snapshot>,
    /// The catalogue including the staged changes.
    catalogue: Arc<Catalogue>,
    batch: Batch,
    changes: Vec<Change>,
    /// Sorted by id.
    counted: Vec<Counted>,
    next_sequence: u64,
}

/// The changes of a whole group.
pub(crate) struct Staged {
    pub(crate) version: u64,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) batch: Batch,
    pub(crate) changes: Vec<Change>,
    /// Changes of table and index counts.
    pub(crate) counted: Vec<Counted>,
    pub(crate) next_sequence: u64,
}

impl<'g> Group<'g> {
    pub(crate) fn new(
        store: &'g Store,
        options: &'g Options,
        versions: &'g Versions,
        catalogue: Arc<Catalogue>,
        (version, next_sequence): (u64, u64),
    ) -> Self {
        Self {
            store,
            options,
            versions,
            version,
            now: options.clock.now(),
            snapshot: OnceCell::new(),
            catalogue,
            batch: Batch::default(),
            changes: Vec::new(),
            counted: Vec::new(),
            next_sequence,
        }
    }

    pub(crate) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Stages a write. Returns the fuel spent.
    pub(crate) fn add(&mut self, command: &mut Command) -> u64 {
        let mut fuel = Fuel::limited(PLAN_FUEL);
        command.held = None;
        let planned = match command.plan.take() {
            Some(plan) if self.is_current(&plan) => Ok(plan),
            plan => self.plan_again(&command.write, plan.as_ref(), &mut fuel),
        };
        let room = command.room.as_ref();
        let outcome = planned.and_then(|plan| {
            find_room(room, plan.returned_bytes())?;
            Ok(self.stage(plan))
        });
        command.outcome = outcome.map_err(|error| error.within_room(room));
        PLAN_FUEL - fuel.left()
    }

    /// Whether all rows that the plan read are unchanged.
    fn is_current(&self, plan: &Plan) -> bool {
        plan.catalogue_version == self.catalogue.version()
            && !plan.effects.reads.iter().any(|slot| self.versions.is_newer(*slot, plan.version))
    }

    fn plan_again(
        &self,
        write: &Write,
        before: Option<&Plan>,
        fuel: &mut Fuel<'_>,
    ) -> Result<Plan, Unfinished> {
        let snapshot = match self.snapshot.get() {
            Some(snapshot) => snapshot,
            None => {
                let snapshot = self.store.snapshot()?;
                self.snapshot.get_or_init(|| snapshot)
            }
        };
        let view = View {
            catalogue: &self.catalogue,
            snapshot,
            staged: &self.batch,
            version: self.version,
            versions: self.versions,
            next_sequence: self.next_sequence,
            options: self.options,
            now: self.now,
        };
        view.plan(write, before, fuel)
    }

    /// Stages a plan's changes.
    fn stage(&mut self, plan: Plan) -> Outcome {
        let effects = plan.effects;
        for slot in effects.written {
            self.versions.raise(slot, self.version);
        }
        for (keyspace, key, value) in effects.edits {
            match value {
                Some(value) => self.batch.put(keyspace, key, value),
                None => self.batch.delete(keyspace, key),
            }
        }
        for item in effects.items {
            let sequence_number = self.next_sequence;
            self.next_sequence += 1;
            if let Some((stream_id, mut record)) = item.record {
                stream::set_moment(&mut record, self.now);
                self.batch.put(
                    Keyspace::Streams,
                    stream::row_key(stream_id, sequence_number),
                    record,
                );
            }
            self.changes.push(Change {
                table_name: item.table_name,
                sequence_number,
                old: item.old,
                new: item.new,
                is_expiry: item.is_expiry,
            });
        }
        effects.counted.into_iter().for_each(|counted| self.count(counted));
        self.counted.retain(|counted| !effects.uncounted.contains(&counted.id));
        if let Some(catalogue) = effects.catalogue {
            self.catalogue = Arc::new(catalogue);
        }
        plan.outcome
    }

    fn count(&mut self, more: Counted) {
        // A commit may touch thousands of indexes.
        match self.counted.binary_search_by_key(&more.id, |counted| counted.id) {
            Ok(place) => {
                if let Some(counted) = self.counted.get_mut(place) {
                    counted.items += more.items;
                    counted.bytes += more.bytes;
                }
            }
            Err(place) => self.counted.insert(place, more),
        }
    }

    /// Finishes the group, with the new counts of its tables.
    pub(crate) fn finish(mut self) -> Staged {
        if matches!(self.store, Store::Disk(_)) {
            for Counted { id, counts, items, bytes } in &self.counted {
                let row = counts.value_after(*items, *bytes);
                self.batch.put(Keyspace::Catalogue, counts_key(*id), row);
            }
        }
        let Self { version, catalogue, batch, changes, counted, next_sequence, .. } = self;
        Staged { version, catalogue, batch, changes, counted, next_sequence }
    }
}

/// Reserves memory for an item that a write returns.
pub(crate) fn find_room(room: Option<&AnswerRoom>, bytes: usize) -> Result<()> {
    match room {
        Some(room) if bytes > UNRESERVED_BYTES_MAX && !room(bytes) => Err(Error::Overloaded),
        _ => Ok(()),
    }
}

impl Unfinished {
    /// Replaces a rejection that carries items with [`Error::Overloaded`] if memory for them is
    /// short.
    pub(crate) fn within_room(self, room: Option<&AnswerRoom>) -> Self {
        let Self::Failed(error) = &self else { return self };
        let bytes = error.refusal().map_or(0, dynamo::Error::item_bytes);
        find_room(room, bytes).map_or_else(Self::Failed, |()| self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_that_wait_hold_so_much_memory_and_no_more() {
        let waiting = Arc::default();
        let most = HeldBytes::take(&waiting, WAITING_PLAN_BYTES_MAX);
        assert!(most.is_some() && HeldBytes::take(&waiting, 1).is_none());
        assert!(HeldBytes::take(&waiting, 0).is_some());
        drop(most);
        assert!(HeldBytes::take(&waiting, usize::MAX).is_none());
        assert!(HeldBytes::take(&waiting, 1).is_some());
        assert_eq!(waiting.load(Ordering::Relaxed), 0);
    }
}
