//! Fuel: a work budget for evaluating expressions.
//!
//! One request can be expensive to compute: a filter with hundreds of tests over a page of 1 MB, or
//! an update that moves the elements of a long list hundreds of times. Evaluators charge each step
//! to a [`Fuel`] before doing it, and stop when it runs out. The caller decides what happens then:
//! run it again elsewhere, let other requests go first, or give up.

use std::convert::Infallible;
use std::fmt;

/// Units of fuel per millisecond: one unit is roughly a nanosecond, or one byte processed. It is an
/// estimate for keeping requests from delaying each other, not a measurement.
pub const FUEL_PER_MS: u64 = 1_000_000;

/// The fuel ran out, or the supply refused more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfFuel;

impl fmt::Display for OutOfFuel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the evaluation ran out of fuel")
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
    /// Called when a slice runs out, and for memory.
    supply: Option<&'p mut (dyn Supply + 'p)>,
}

/// Grants fuel in slices, and memory. Implemented for functions that return whether to grant
/// another slice; these do not count memory.
pub trait Supply {
    /// Called when a slice runs out. May block. Returns whether there is another slice.
    fn pause(&mut self) -> bool;

    /// Whether the request may hold this many more bytes.
    fn grant(&mut self, _bytes: usize) -> bool {
        true
    }

    /// Returns granted bytes.
    fn release(&mut self, _bytes: usize) {}
}

impl<F: FnMut() -> bool> Supply for F {
    fn pause(&mut self) -> bool {
        self()
    }
}

impl<'p> Fuel<'p> {
    /// A budget of this many units.
    #[must_use]
    pub fn limited(units: u64) -> Self {
        Self { left: units, slice: 0, supply: None }
    }

    /// An unlimited budget.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::limited(u64::MAX)
    }

    /// Slices of this many units. After each one `supply` decides whether to continue.
    pub fn sliced(units: u64, supply: &'p mut (dyn Supply + 'p)) -> Self {
        Self { left: units, slice: units, supply: Some(supply) }
    }

    /// Charges work that is about to be done.
    ///
    /// # Errors
    ///
    /// Not enough fuel is left. The budget is then empty: evaluation must stop.
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
        // A step may exceed a slice; it is not divided.
        self.left = self.slice.saturating_sub(units);
        Ok(())
    }

    /// Charges memory held during evaluation and returns the bytes charged. If no supply counts
    /// memory, returns 0 without computing the size. A limited budget needs no count: creating or
    /// reading bytes is already charged as work.
    ///
    /// # Errors
    ///
    /// The supply refused. Evaluation must stop.
    #[inline]
    pub fn keep(&mut self, bytes: impl FnOnce() -> usize) -> Result<usize, OutOfFuel> {
        let Some(supply) = &mut self.supply else { return Ok(0) };
        let bytes = bytes();
        if supply.grant(bytes) { Ok(bytes) } else { Err(OutOfFuel) }
    }

    /// Releases memory that was charged.
    pub fn release(&mut self, bytes: usize) {
        if let Some(supply) = &mut self.supply {
            supply.release(bytes);
        }
    }

    /// Units left in the budget or the current slice.
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
    /// Why evaluation stops early.
    type Stop;
    /// Whether charges have any effect.
    const IS_METERED: bool;

    /// Charges units, computed only if charges have an effect.
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

/// For work known to be small.
pub(crate) struct Unmetered;

impl Meter for Unmetered {
    type Stop = Infallible;
    const IS_METERED: bool = false;

    #[inline]
    fn charge(&mut self, _units: impl FnOnce() -> usize) -> Result<(), Infallible> {
        Ok(())
    }
}
