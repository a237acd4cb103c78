//! Finds paths that cannot be combined in one update or projection.

use super::{Element, Fault, Path};

/// Finds two paths of which one is a prefix of the other, or that use an attribute both as a map
/// and as a list. The paths come in the service's order: last in the text first.
pub(super) fn check<'p>(paths: impl Iterator<Item = &'p Path>) -> Result<(), Fault> {
    let mut seen: Vec<&Path> = Vec::with_capacity(paths.size_hint().0);
    for path in paths {
        // Overlapping or conflicting paths sort next to each other: between a path and one that it
        // is a prefix of, only others with that prefix can be.
        let Err(place) = seen.binary_search(&path) else {
            return Err(Fault::Overlap(path.clone(), path.clone()));
        };
        let before = place.checked_sub(1).and_then(|place| seen.get(place));
        for other in before.into_iter().chain(seen.get(place)) {
            match meet(path, other) {
                Meeting::Apart => {}
                Meeting::Overlap => {
                    return Err(Fault::Overlap(path.clone(), (*other).clone()));
                }
                Meeting::Conflict => {
                    return Err(Fault::Conflict(path.clone(), (*other).clone()));
                }
            }
        }
        seen.insert(place, path);
    }
    Ok(())
}

enum Meeting {
    Apart,
    Overlap,
    Conflict,
}

fn meet(one: &Path, two: &Path) -> Meeting {
    if one.name() != two.name() {
        return Meeting::Apart;
    }
    match one.rest().iter().zip(two.rest()).find(|(a, b)| a != b) {
        None => Meeting::Overlap,
        Some((Element::Field(_), Element::Field(_)) | (Element::Index(_), Element::Index(_))) => {
            Meeting::Apart
        }
        Some(_) => Meeting::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path() -> impl Strategy<Value = Path> {
        let element =
            prop_oneof!["[ab]".prop_map(Element::Field), (0..2_u32).prop_map(Element::Index),];
        ("[ab]", proptest::collection::vec(element, 0..4))
            .prop_map(|(name, rest)| Path::new(name, rest).unwrap())
    }

    proptest! {
        /// Checking neighbours finds the same as checking all pairs.
        #[test]
        fn neighbours_are_enough(paths in proptest::collection::vec(path(), 0..6)) {
            let alone = |upto: usize| {
                let (last, before) = paths[..upto].split_last().unwrap();
                before.iter().all(|other| matches!(meet(last, other), Meeting::Apart))
            };
            let expected = (1..=paths.len()).all(alone);
            prop_assert_eq!(check(paths.iter()).is_ok(), expected);
        }
    }
}
