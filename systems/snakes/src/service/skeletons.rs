//! What the names of players look like, remembered.

use singlet_web::text;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many names are remembered: those of 27 races with three hundred players. A name and its
/// skeleton have a kilobyte at most, so this is 8 MB.
const NAMES_MAX: usize = 8_192;

/// The skeletons of stored names. To compute them again for all players whenever somebody joins
/// takes 5 ms in a race of three hundred with names as long as they may be. Clones are one.
#[derive(Clone, Default)]
pub(super) struct Skeletons(Arc<Mutex<HashMap<String, Arc<str>>>>);

impl Skeletons {
    /// Whether one of the stored names looks like this new one. The new one is not remembered, so
    /// that joins which are refused displace nothing.
    pub(super) fn is_taken<'a>(
        &self,
        name: &str,
        mut stored: impl Iterator<Item = &'a str>,
    ) -> bool {
        let skeleton = text::skeleton(name);
        stored.any(|other| other == name || *self.of(other) == *skeleton)
    }

    fn of(&self, name: &str) -> Arc<str> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(name) {
            return Arc::clone(known);
        }
        let skeleton: Arc<str> = text::skeleton(name).into();
        let mut known = lock();
        if known.len() >= NAMES_MAX {
            known.clear();
        }
        known.insert(name.to_owned(), Arc::clone(&skeleton));
        skeleton
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;

    /// The skeletons of all players were computed again on each join.
    #[test]
    fn stored_names_are_remembered_and_new_ones_are_not() {
        let skeletons = Skeletons::default();
        let stored = ["Ann", "Bob", "Cleo"];
        let known = || skeletons.0.lock().unwrap().len();
        for (name, is_taken) in [("Dan", false), ("Ann", true), ("ΑΝΝ", true), ("CLEO", true)] {
            assert_eq!(skeletons.is_taken(name, stored.into_iter()), is_taken, "{name}");
        }
        assert_eq!(known(), 3);
        let remembered = skeletons.of("Ann");
        assert!(Arc::ptr_eq(&remembered, &skeletons.of("Ann")));
        for number in 0..2 * NAMES_MAX {
            skeletons.of(&format!("n{number}"));
        }
        assert!(known() <= NAMES_MAX);
        assert!(skeletons.is_taken("Ann", stored.into_iter()));
    }
}
