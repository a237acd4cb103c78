//! Shrinks sequences that show a difference.

use super::Difference;

/// Removes steps while a difference still shows: first many at a time, then one by one.
pub fn shrink<S: Clone>(
    mut steps: Vec<S>,
    mut difference: Difference,
    mut shows: impl FnMut(&[S]) -> Option<Difference>,
) -> (Vec<S>, Difference) {
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
        let steps: Vec<u32> = (0..100).collect();
        let place = |steps: &[u32], wanted| steps.iter().position(|step| *step == wanted);
        // The difference needs 17 and, later, 60.
        let shows = |steps: &[u32]| {
            let (first, second) = (place(steps, 17)?, place(steps, 60)?);
            (first < second).then(|| Difference { step: second, what: String::new() })
        };
        let difference = shows(&steps).unwrap();
        let (short, difference) = shrink(steps, difference, shows);
        assert_eq!(short, [17, 60]);
        assert_eq!(difference.step, 1);
    }
}
