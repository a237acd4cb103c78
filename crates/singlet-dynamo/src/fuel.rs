//! Fuel: a budget of work for evaluating expressions.
//!
//! One request can ask for a lot of computing: a filter of hundreds of tests over a page of a
//! megabyte, or an update that moves the elements of a long list hundreds of times. Evaluators
//! charge what they are about to do to a [`Fuel`], and stop when it is used up. Who runs them
//! decides what happens then: run it again elsewhere, let others go first, or give up.

use std::convert::Infallible;
use std::fmt;

/// Units of fuel that are about a millisecond of work: one unit is roughly a nanosecond, or one
/// byte looked at. A unit is an estimate; it is for keeping requests from delaying each other, not
/// for measuring.
pub const FUEL_PER_MS: u64 = 1_000_000;

/// The budget is used up, or whoever grants more has refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfFuel;

impl fmt::Display for OutOfFuel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the evaluation takes more work than it was given")
    }
}

impl std::error::Error for OutOfFuel {}

/// A budget of work, charged before the work is done.
///
/// ```
/// use singlet_dynamo::fuel::{Fuel, OutOfFuel};
///
/// let mut fuel = Fuel::limited(100);
/// assert_eq!(fuel.spend(60), Ok(()));
/// assert_eq!(fuel.spend(60), Err(OutOfFuel));
///
/// let mut pauses = 0;
/// let mut pause = || {
///     pauses += 1;
///     pauses < 3
/// };
/// let mut fuel = Fuel::sliced(100, &mut pause);
/// assert_eq!(fuel.spend(60), Ok(()));
/// assert_eq!(fuel.spend(60), Ok(()));
/// assert_eq!(fuel.spend(60), Ok(()));
/// assert_eq!(fuel.spend(60), Err(OutOfFuel));
/// ```
pub struct Fuel<'p> {
    left: u64,
    slice: u64,
    /// Asked when a slice is used up, and for memory.
    supply: Option<&'p mut (dyn Supply + 'p)>,
}

/// Who grants fuel in slices, and memory. A function that says whether there is another slice is
/// one that counts no memory.
pub trait Supply {
    /// Called when a slice is used up. May wait, and says whether there is another slice.
    fn pause(&mut self) -> bool;

    /// Whether the request may keep so many bytes more.
    fn grant(&mut self, _bytes: usize) -> bool {
        true
    }

    /// Takes back bytes that were granted.
    fn release(&mut self, _bytes: usize) {}
}

impl<F: FnMut() -> bool> Supply for F {
    fn pause(&mut self) -> bool {
        self()
    }
}

impl<'p> Fuel<'p> {
    /// So many units, and no more.
    #[must_use]
    pub fn limited(units: u64) -> Self {
        Self { left: units, slice: 0, supply: None }
    }

    /// As much as it takes.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::limited(u64::MAX)
    }

    /// Slices of so many units. `supply` is asked after each of them whether to go on.
    pub fn sliced(units: u64, supply: &'p mut (dyn Supply + 'p)) -> Self {
        Self { left: units, slice: units, supply: Some(supply) }
    }

    /// Charges work that is about to be done.
    ///
    /// # Errors
    ///
    /// There is less fuel left than that. The rest is gone too: evaluation must not go on.
    #[inline]
    pub fn spend(&mut self, units: usize) -> Result<(), OutOfFuel> {
        match self.left.checked_sub(units as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.refill(units as u64),
        }
    }

    #[cold]
    fn refill(&mut self, units: u64) -> Result<(), OutOfFuel> {
        self.left = 0;
        let Some(supply) = &mut self.supply else { return Err(OutOfFuel) };
        if !supply.pause() {
            return Err(OutOfFuel);
        }
        // One step may be larger than a slice. It is done whole.
        self.left = self.slice.saturating_sub(units);
        Ok(())
    }

    /// Charges memory that is kept while evaluation goes on. Says how many bytes were charged: none
    /// where nobody counts them, and then they are not computed either. A limited budget needs no
    /// count, since whoever makes or reads bytes is charged for the work.
    ///
    /// # Errors
    ///
    /// There is no room. Evaluation must not go on.
    #[inline]
    pub fn keep(&mut self, bytes: impl FnOnce() -> usize) -> Result<usize, OutOfFuel> {
        let Some(supply) = &mut self.supply else { return Ok(0) };
        let bytes = bytes();
        if supply.grant(bytes) { Ok(bytes) } else { Err(OutOfFuel) }
    }

    /// Gives back memory that was charged and is kept no longer.
    pub fn release(&mut self, bytes: usize) {
        if let Some(supply) = &mut self.supply {
            supply.release(bytes);
        }
    }

    /// What is left of the budget, or of the current slice.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl fmt::Debug for Fuel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fuel").field("left", &self.left).finish_non_exhaustive()
    }
}

/// What evaluators charge their work to.
pub(crate) trait Meter {
    /// Why evaluation ends early.
    type Stop;
    /// Whether it makes a difference what is charged.
    const IS_METERED: bool;

    /// Charges so many units, which are computed only if they make a difference.
    fn charge(&mut self, units: impl FnOnce() -> usize) -> Result<(), Self::Stop>;
}

impl Meter for Fuel<'_> {
    type Stop = OutOfFuel;
    const IS_METERED: bool = true;

    #[inline]
    fn charge(&mut self, units: impl FnOnce() -> usize) -> Result<(), OutOfFuel> {
        self.spend(units())
    }
}

/// For work that is known to be small.
pub(crate) struct Unmetered;

impl Meter for Unmetered {
    type Stop = Infallible;
    const IS_METERED: bool = false;

    #[inline]
    fn charge(&mut self, _units: impl FnOnce() -> usize) -> Result<(), Infallible> {
        Ok(())
    }
}
