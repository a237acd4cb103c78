//! Backpressure: slows writers down while a checkpoint runs.
//!
//! If writers outrun checkpoints, the active log file fills up before the checkpoint of the other
//! one is done, and every writer stalls. To avoid that, each commit is delayed by its share of the
//! time that the checkpoint still needs.

use std::time::{Duration, Instant};

/// Assumed duration of the first checkpoint.
const CHECKPOINT_GUESS: Duration = Duration::from_secs(1);

/// Maximum delay of a commit, unless there is no room at all.
const DELAY_MAX: Duration = Duration::from_millis(100);

/// A checkpoint that exceeds its expected duration is assumed to need another `elapsed / OVERTIME`,
/// so the room shrinks ever more slowly.
const OVERTIME: u32 = 2;

#[derive(Debug)]
pub(super) struct Backpressure {
    /// Start of the running checkpoint.
    began: Option<Instant>,
    /// Duration of the last checkpoint.
    took: Duration,
    /// Time of the last commit.
    last: Option<Instant>,
}

impl Backpressure {
    pub(super) fn new() -> Self {
        Self { began: None, took: CHECKPOINT_GUESS, last: None }
    }

    pub(super) fn begin(&mut self, now: Instant) {
        self.began = Some(now);
    }

    pub(super) fn end(&mut self, now: Instant) {
        if let Some(began) = self.began.take() {
            self.took = now.saturating_duration_since(began);
        }
    }

    /// The delay of a commit of this size with this much room left.
    pub(super) fn delay(&self, now: Instant, bytes: u64, room_bytes: u64) -> Duration {
        let Some(began) = self.began else { return Duration::ZERO };
        let elapsed = now.saturating_duration_since(began);
        let left = self.took.saturating_sub(elapsed).max(elapsed / OVERTIME);
        let share = bytes as f64 / room_bytes.max(1) as f64;
        let due = left.mul_f64(share.min(1.0)).min(DELAY_MAX);
        // The time since the last commit counts towards the delay.
        let since_last = self.last.map(|last| now.saturating_duration_since(last));
        due.saturating_sub(since_last.unwrap_or_default())
    }

    /// Records a commit.
    pub(super) fn pass(&mut self, now: Instant) {
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: u64 = 1_000_000;

    #[test]
    fn nobody_waits_without_a_checkpoint() {
        let mut backpressure = Backpressure::new();
        let now = Instant::now();
        assert_eq!(backpressure.delay(now, ROOM, 1), Duration::ZERO);
        backpressure.begin(now);
        assert_ne!(backpressure.delay(now, ROOM / 100, ROOM), Duration::ZERO);
        backpressure.end(now + Duration::from_secs(3));
        assert_eq!(backpressure.delay(now, ROOM, 1), Duration::ZERO);
    }

    /// With writers that never pause and a checkpoint as long as the last one, or twice as long,
    /// the room suffices and delays stay short.
    #[test]
    fn the_room_lasts_as_long_as_the_checkpoint() {
        for overtime in [1, 2] {
            let mut now = Instant::now();
            let mut backpressure = Backpressure::new();
            let took = Duration::from_secs(3);
            backpressure.begin(now);
            now += took;
            backpressure.end(now);
            let end = now + took * overtime;
            backpressure.begin(now);
            let (mut room, mut commits, mut longest) = (ROOM, 0, Duration::ZERO);
            while now < end {
                let delay = backpressure.delay(now, 1_000, room);
                longest = longest.max(delay);
                now += delay;
                backpressure.pass(now);
                // Duration of the fsync.
                now += Duration::from_micros(100);
                room = room.checked_sub(1_000).expect("there is no room left");
                commits += 1;
            }
            assert!(longest <= DELAY_MAX, "{longest:?}");
            assert!(commits > 500, "only {commits}: the room was not used");
        }
    }
}
