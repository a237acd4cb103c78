//! Writes that take long to decide: decided outside of the stage, and only checked on it.
//!
//! On the stage all writes wait for each other, so deciding one may take only a little there
//! ([`STAGE_FUEL`](crate::lane::STAGE_FUEL)). A write that needs more leaves the stage before it has
//! staged anything. A dry run decides it on a snapshot, wherever there is time. Then it comes to the
//! stage again, with the decision and the items that it was made on. If they are still the same,
//! the decision holds, and nothing is evaluated again.

use super::Stage;
use super::stage::Place;
use crate::catalogue::Table;
use crate::error::{Error, Result, Unfinished};
use crate::lane::SLICE_FUEL;
use crate::state::State;
use singlet_dynamo as dynamo;
use singlet_dynamo::Timestamp;
use singlet_dynamo::fuel::{Fuel, OutOfFuel, Supply};
use singlet_dynamo::operation::ItemCollectionMetrics;
use singlet_dynamo::stored::StoredItem;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;

/// How often a write is decided again because its items have changed meanwhile. Beyond it the
/// client is asked to try later.
pub(crate) const DRY_RUNS_MAX: usize = 8;

/// What a dry run has found out.
#[derive(Default)]
pub(crate) struct Precomputed {
    decision: Option<Decision>,
    /// Estimates, in the order in which they are asked for.
    metrics: VecDeque<ItemCollectionMetrics>,
}

/// A decision, and what it was made on.
struct Decision {
    made_on: Vec<(Arc<Table>, Option<StoredItem>)>,
    /// Of the type that the operation decides.
    outcome: Box<dyn Any + Send>,
}

/// Whether a stage is for writing or for finding out.
#[derive(Default)]
pub(crate) enum Mode {
    /// Commands are evaluated and staged.
    #[default]
    Real,
    /// Commands are evaluated, with what was found out before.
    WithDecision(Precomputed),
    /// Commands end before they stage anything, and leave here what they found out.
    Dry(Precomputed),
}

/// Evaluates a write on a snapshot, up to where it would begin to write. `supply` is asked after each
/// slice of work, and for what is kept.
///
/// # Errors
///
/// A write that is refused is refused as of this snapshot, which is as good as any moment between
/// the request and its answer. [`Error::Closed`] if `supply` said no.
pub(crate) fn dry_run<A>(
    state: &State,
    now: Timestamp,
    operation: &impl Fn(&mut Stage<'_>) -> Result<A, Unfinished>,
    supply: &mut dyn Supply,
) -> Result<Precomputed> {
    let mut stage = Stage::new(&state.snapshot, Arc::clone(&state.catalogue), now, 0, false);
    stage.mode = Mode::Dry(Precomputed::default());
    stage.fuel = Fuel::sliced(SLICE_FUEL, supply);
    match operation(&mut stage) {
        // An operation that writes nothing, such as a transaction that was carried out before.
        Ok(_) | Err(Unfinished::DryRun) => {}
        Err(Unfinished::OutOfFuel) => return Err(Error::Closed),
        Err(Unfinished::Failed(error)) => return Err(error),
    }
    match stage.mode {
        Mode::Dry(found) => Ok(found),
        Mode::Real | Mode::WithDecision(_) => Ok(Precomputed::default()),
    }
}

impl Stage<'_> {
    /// Decides a write to these places, or takes over what a dry run has decided. An operation
    /// calls this after all else that can fail, and before it stages anything.
    pub(crate) fn decide<'p, D: Send + 'static>(
        &mut self,
        places: impl Iterator<Item = (&'p Arc<Table>, &'p Place)>,
        decide: impl FnOnce(&mut Fuel<'_>) -> Result<dynamo::Result<D>, OutOfFuel>,
    ) -> Result<D, Unfinished> {
        match &mut self.mode {
            Mode::Real => Ok(decide(&mut self.fuel)??),
            Mode::WithDecision(found) => {
                let decision = found.decision.take();
                match decision.filter(|decision| decision.holds(places)) {
                    // The decision is of this operation, so it is of its type.
                    Some(decision) => match decision.outcome.downcast::<D>() {
                        Ok(outcome) => Ok(*outcome),
                        Err(_) => Err(Error::Panicked.into()),
                    },
                    None => Ok(decide(&mut self.fuel)??),
                }
            }
            Mode::Dry(found) => {
                let outcome = Box::new(decide(&mut self.fuel)??);
                let made_on =
                    places.map(|(table, place)| (Arc::clone(table), place.old.clone())).collect();
                found.decision = Some(Decision { made_on, outcome });
                Err(Unfinished::DryRun)
            }
        }
    }

    /// An estimate that a dry run has made, or one that is made now. What is estimated twice would
    /// be another estimate, and not a better one.
    pub(crate) fn estimated(
        &mut self,
        estimate: impl FnOnce(&mut Self) -> Result<ItemCollectionMetrics, Unfinished>,
    ) -> Result<ItemCollectionMetrics, Unfinished> {
        if let Mode::WithDecision(found) = &mut self.mode
            && let Some(metrics) = found.metrics.pop_front()
        {
            return Ok(metrics);
        }
        let metrics = estimate(self)?;
        if let Mode::Dry(found) = &mut self.mode {
            found.metrics.push_back(metrics.clone());
        }
        Ok(metrics)
    }
}

impl Decision {
    /// Whether the items are still those that the decision was made on.
    fn holds<'p>(&self, places: impl Iterator<Item = (&'p Arc<Table>, &'p Place)>) -> bool {
        let mut made_on = self.made_on.iter();
        let mut places = places;
        let are_same = places.by_ref().all(|(table, place)| {
            made_on.next().is_some_and(|(own, old)| {
                let is_same = match (old, &place.old) {
                    (Some(old), Some(now)) => old.is_same(now),
                    (old, now) => old.is_none() && now.is_none(),
                };
                is_same && Arc::ptr_eq(own, table)
            })
        });
        are_same && made_on.next().is_none()
    }
}
