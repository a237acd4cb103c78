//! Chooses the connection to close when a new one needs its place.

use crate::activity::Activity;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Idle connections remembered by one scan.
const IDLE_NOTED_MAX: usize = 64;
/// Stale entries allowed in the queue, beyond the number of open connections.
const ENDED_NOTED_MAX: usize = 64;

/// The eviction order: first connections without a verified request, oldest first, then the longest
/// idle.
///
/// An attacker who opens connections quickly forces an eviction for each, so choosing must not scan
/// all connections every time.
#[derive(Debug)]
pub(crate) struct EvictionQueue<K> {
    /// Connections without a verified request at the last check, oldest first. May contain closed
    /// ones.
    strangers: VecDeque<K>,
    /// Idle connections seen by the last scan, longest idle first, each with its idle-since time.
    /// Connections that became idle later come after them.
    idle: VecDeque<(u64, K)>,
    /// Whether the last scan found only busy connections. Suppresses scans until the next sweep.
    are_all_busy: bool,
}

impl<K: Copy + Eq + Hash> EvictionQueue<K> {
    pub(crate) fn new() -> Self {
        Self { strangers: VecDeque::new(), idle: VecDeque::new(), are_all_busy: false }
    }

    /// Adds a connection; `open` already contains it.
    pub(crate) fn note_accepted<C: AsRef<Activity>>(&mut self, key: K, open: &HashMap<K, C>) {
        if self.strangers.len() > 2 * open.len() + ENDED_NOTED_MAX {
            self.strangers.retain(|key| is_stranger(open, key));
        }
        self.strangers.push_back(key);
    }

    /// Allows scanning again.
    pub(crate) fn note_sweep(&mut self) {
        self.are_all_busy = false;
    }

    /// Removes and returns the best connection to close. `None` if all are busy, or were busy at a
    /// scan since the last sweep.
    pub(crate) fn choose<C: AsRef<Activity>>(&mut self, open: &HashMap<K, C>) -> Option<K> {
        while let Some(key) = self.strangers.pop_front() {
            if is_stranger(open, &key) {
                return Some(key);
            }
        }
        let mut chosen = self.longest_idle(open);
        if chosen.is_none() && !self.are_all_busy {
            self.note_idle(open);
            chosen = self.longest_idle(open);
            self.are_all_busy = chosen.is_none();
        }
        chosen
    }

    fn longest_idle<C: AsRef<Activity>>(&mut self, open: &HashMap<K, C>) -> Option<K> {
        while let Some((since, key)) = self.idle.pop_front() {
            if open.get(&key).and_then(|connection| connection.as_ref().idle_since()) == Some(since)
            {
                return Some(key);
            }
        }
        None
    }

    fn note_idle<C: AsRef<Activity>>(&mut self, open: &HashMap<K, C>) {
        let idle = open
            .iter()
            .filter_map(|(key, connection)| Some((connection.as_ref().idle_since()?, *key)));
        let mut idle: Vec<_> = idle.collect();
        if idle.len() > IDLE_NOTED_MAX {
            idle.select_nth_unstable_by_key(IDLE_NOTED_MAX, |(since, _)| *since);
            idle.truncate(IDLE_NOTED_MAX);
        }
        idle.sort_unstable_by_key(|(since, _)| *since);
        self.idle = idle.into();
    }
}

fn is_stranger<K: Eq + Hash, C: AsRef<Activity>>(open: &HashMap<K, C>, key: &K) -> bool {
    open.get(key).is_some_and(|connection| !connection.as_ref().has_served())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is a failing test")]

    use super::*;
    use crate::clock::CoarseClock;
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::rc::Rc;
    use std::sync::Arc;

    /// An activity that counts how often it is inspected.
    struct Counted(Arc<Activity>, Rc<Cell<usize>>);

    impl AsRef<Activity> for Counted {
        fn as_ref(&self) -> &Activity {
            self.1.set(self.1.get() + 1);
            &self.0
        }
    }

    fn serve_once(activity: &Activity) {
        drop((activity.request(), activity.execute()));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Accept,
        Serve(prop::sample::Index),
        /// Makes a connection busy, or idle again.
        Begin(prop::sample::Index),
        Finish(prop::sample::Index),
        Wait,
        End(prop::sample::Index),
        Replace,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => Just(Step::Accept),
            2 => any::<prop::sample::Index>().prop_map(Step::Serve),
            1 => any::<prop::sample::Index>().prop_map(Step::Begin),
            1 => any::<prop::sample::Index>().prop_map(Step::Finish),
            2 => Just(Step::Wait),
            1 => any::<prop::sample::Index>().prop_map(Step::End),
            3 => Just(Step::Replace),
        ]
    }

    proptest! {
        /// The queue chooses the same connection as a full scan. Once all were busy, it chooses
        /// only new connections until the next sweep.
        #[test]
        fn the_most_dispensable_goes_first(steps in prop::collection::vec(step(), 0..200)) {
            let clock = CoarseClock::new();
            let mut open: HashMap<usize, Counted> = HashMap::new();
            let mut busy = HashMap::new();
            let mut queue = EvictionQueue::new();
            let (mut accepted, mut were_all_busy) = (0, false);
            for step in steps {
                let mut keys: Vec<usize> = open.keys().copied().collect();
                keys.sort_unstable();
                match step {
                    Step::Accept => {
                        let activity = Arc::new(Activity::new(&clock));
                        open.insert(accepted, Counted(activity, Rc::default()));
                        queue.note_accepted(accepted, &open);
                        accepted += 1;
                    }
                    Step::Wait => {
                        clock.pass(1);
                        queue.note_sweep();
                        were_all_busy = false;
                    }
                    Step::Serve(index) if !keys.is_empty() => serve_once(&open[index.get(&keys)].0),
                    Step::Begin(index) if !keys.is_empty() => {
                        let key = *index.get(&keys);
                        busy.insert(key, open[&key].0.take_over());
                    }
                    Step::Finish(index) if !keys.is_empty() => drop(busy.remove(index.get(&keys))),
                    Step::End(index) if !keys.is_empty() => {
                        let key = index.get(&keys);
                        drop((open.remove(key), busy.remove(key)));
                    }
                    Step::Serve(_) | Step::Begin(_) | Step::Finish(_) | Step::End(_) => {}
                    Step::Replace => {
                        let rank = |key: &usize| {
                            let activity = &open[key].0;
                            match activity.has_served() {
                                false => Some((false, *key as u64)),
                                true => Some((true, activity.idle_since()?)),
                            }
                        };
                        let chosen = queue.choose(&open);
                        let best = keys.iter().filter_map(rank).min();
                        let is_missed = chosen.is_none() && were_all_busy;
                        if !is_missed {
                            prop_assert_eq!(chosen.as_ref().and_then(rank), best);
                        }
                        were_all_busy |= chosen.is_none();
                        chosen.map(|key| open.remove(&key));
                    }
                }
            }
        }
    }

    /// Accepts `count` connections beyond the limit and returns how many were inspected for each.
    fn looks_for_each(serves: bool, count: usize) -> usize {
        const OPEN_MAX: usize = 4096;
        let (clock, looks) = (CoarseClock::new(), Rc::new(Cell::new(0)));
        let mut open = HashMap::new();
        let mut queue = EvictionQueue::new();
        for key in 0..OPEN_MAX + count {
            if open.len() == OPEN_MAX {
                let chosen = queue.choose(&open).unwrap();
                assert!(open.remove(&chosen).is_some());
            }
            let activity = Arc::new(Activity::new(&clock));
            if serves {
                serve_once(&activity);
            }
            open.insert(key, Counted(activity, Rc::clone(&looks)));
            queue.note_accepted(key, &open);
        }
        looks.get() / count
    }

    /// With 10,000 connections, each new one used to inspect all 4096.
    #[test]
    fn few_connections_are_inspected_for_a_new_one() {
        assert!(looks_for_each(false, 6_000) <= 2);
        assert!(looks_for_each(true, 6_000) <= 80);
    }

    #[test]
    fn closed_connections_are_forgotten() {
        let clock = CoarseClock::new();
        let mut queue = EvictionQueue::new();
        for key in 0..10_000 {
            let open =
                HashMap::from([(key, Counted(Arc::new(Activity::new(&clock)), Rc::default()))]);
            queue.note_accepted(key, &open);
        }
        assert!(queue.strangers.len() <= 100);
    }

    #[test]
    fn busy_connections_are_not_evicted_and_one_scan_per_sweep_suffices() {
        let (clock, looks) = (CoarseClock::new(), Rc::new(Cell::new(0)));
        let (mut queue, mut open) = (EvictionQueue::new(), HashMap::new());
        let mut busy = Vec::new();
        for key in 0..1000 {
            let activity = Arc::new(Activity::new(&clock));
            busy.push(activity.take_over());
            open.insert(key, Counted(activity, Rc::clone(&looks)));
            queue.note_accepted(key, &open);
        }
        for _ in 0..1000 {
            assert_eq!(queue.choose(&open), None);
        }
        assert!(looks.get() <= 2000, "{}", looks.get());
        busy.pop();
        queue.note_sweep();
        assert_eq!(queue.choose(&open), Some(999));
    }
}
