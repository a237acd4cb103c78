//! Short sequences that show a difference.

use super::Difference;
use super::Step;

/// Leaves out steps as long as a difference still shows: first many at a time, then one by one.
pub(super) fn shrink(
    mut steps: Vec<Step>,
    mut difference: Difference,
    mut shows: impl FnMut(&[Step]) -> Option<Difference>,
) -> (Vec<Step>, Difference) {
    steps.truncate(difference.step + 1);
    let mut width = steps.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let mut has_shrunk = false;
        while at < steps.len() {
            let end = (at + width).min(steps.len());
            let rest = [&steps[..at], &steps[end..]].concat();
            match shows(&rest) {
                Some(found) => {
                    steps = rest;
                    steps.truncate(found.step + 1);
                    difference = found;
                    has_shrunk = true;
                }
                None => at = end,
            }
        }
        if width == 1 && !has_shrunk {
            return (steps, difference);
        }
        width = width.div_ceil(2).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let steps: Vec<Step> = (0..100).map(Step::Advance).collect();
        let place = |steps: &[Step], wanted: i64| {
            steps.iter().position(|step| matches!(step, Step::Advance(own) if *own == wanted))
        };
        // The difference shows once 17 and, later, 60 have been there.
        let shows = |steps: &[Step]| {
            let (first, second) = (place(steps, 17)?, place(steps, 60)?);
            (first < second).then(|| Difference { step: second, what: String::new() })
        };
        let difference = shows(&steps).unwrap();
        let (short, difference) = shrink(steps, difference, shows);
        assert!(matches!(*short, [Step::Advance(17), Step::Advance(60)]), "{short:?}");
        assert_eq!(difference.step, 1);
    }
}
