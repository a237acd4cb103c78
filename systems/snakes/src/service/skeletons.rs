//! Whether a name is taken by one that looks the same.

use singlet_web::text;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The names of 27 full races. A name and its skeleton have a kilobyte at most, so this is 8 MB.
const NAMES_MAX: usize = 8_192;

/// A cache of the skeletons of stored names: without it, joining a full race takes up to 5 ms of
/// computing. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Skeletons(Arc<Mutex<HashMap<String, Arc<str>>>>);

impl Skeletons {
    /// Whether a stored name looks like this new one. The new one is not cached, so that refused
    /// joins displace nothing.
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
    use super::*;

    #[test]
    fn stored_names_are_cached_and_new_ones_are_not() {
        let skeletons = Skeletons::default();
        let stored = ["Ann", "Bob", "Cleo"];
        let known = || skeletons.0.lock().unwrap().len();
        for (name, is_taken) in [("Dan", false), ("Ann", true), ("ΑΝΝ", true), ("CLEO", true)] {
            assert_eq!(skeletons.is_taken(name, stored.into_iter()), is_taken, "{name}");
        }
        assert_eq!(known(), 3);
        for number in 0..2 * NAMES_MAX {
            skeletons.of(&format!("n{number}"));
        }
        assert!(known() <= NAMES_MAX);
        assert!(skeletons.is_taken("Ann", stored.into_iter()));
    }
}
