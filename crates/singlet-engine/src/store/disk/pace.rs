//! How fast writers may go while a checkpoint runs.
//!
//! Commits are cheap and checkpoints are not. If writers are faster than checkpoints for long, the
//! log's active file is full before the checkpoint of the other one is done, and everybody would
//! have to stop until it is. So that nobody does, writers share the room that is left over the time
//! that the checkpoint still needs, each commit its part.

use std::time::{Duration, Instant};

/// How long a checkpoint is taken to last before one has been seen.
const CHECKPOINT_GUESS: Duration = Duration::from_secs(1);

/// How long a commit is held up at most, unless there is no room at all.
const DELAY_MAX: Duration = Duration::from_millis(100);

/// A checkpoint that lasts longer than the one before is taken to last longer still, by the time
/// that it has lasted so far divided by this. So the room shrinks ever more slowly, with the square
/// of the time.
const OVERTIME: u32 = 2;

/// What is known of the speed of checkpoints.
#[derive(Debug)]
pub(super) struct Pace {
    /// When the running checkpoint began.
    began: Option<Instant>,
    /// How long the last one took.
    took: Duration,
    /// When the last commit was let through.
    last: Option<Instant>,
}

impl Pace {
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

    /// How long a commit of this size has to wait when so much room is left.
    pub(super) fn delay(&self, now: Instant, bytes: u64, room_bytes: u64) -> Duration {
        let Some(began) = self.began else { return Duration::ZERO };
        let elapsed = now.saturating_duration_since(began);
        let left = self.took.saturating_sub(elapsed).max(elapsed / OVERTIME);
        let share = bytes as f64 / room_bytes.max(1) as f64;
        let due = left.mul_f64(share.min(1.0)).min(DELAY_MAX);
        // What the commit before this one took counts.
        let since_last = self.last.map(|last| now.saturating_duration_since(last));
        due.saturating_sub(since_last.unwrap_or_default())
    }

    /// A commit goes through.
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
        let mut pace = Pace::new();
        let now = Instant::now();
        assert_eq!(pace.delay(now, ROOM, 1), Duration::ZERO);
        pace.begin(now);
        assert_ne!(pace.delay(now, ROOM / 100, ROOM), Duration::ZERO);
        pace.end(now + Duration::from_secs(3));
        assert_eq!(pace.delay(now, ROOM, 1), Duration::ZERO);
    }

    /// Writers that always have more to write, and a checkpoint that takes as long as the one
    /// before, or twice as long: the room lasts, and nobody waits for long.
    #[test]
    fn the_room_lasts_as_long_as_the_checkpoint() {
        for overtime in [1, 2] {
            let mut now = Instant::now();
            let mut pace = Pace::new();
            let took = Duration::from_secs(3);
            pace.begin(now);
            now += took;
            pace.end(now);
            let end = now + took * overtime;
            pace.begin(now);
            let (mut room, mut commits, mut longest) = (ROOM, 0, Duration::ZERO);
            while now < end {
                let delay = pace.delay(now, 1_000, room);
                longest = longest.max(delay);
                now += delay;
                pace.pass(now);
                // What the fsync takes.
                now += Duration::from_micros(100);
                room = room.checked_sub(1_000).expect("there is no room left");
                commits += 1;
            }
            assert!(longest <= DELAY_MAX, "{longest:?}");
            assert!(commits > 500, "only {commits}: the room was not used");
        }
    }
}
