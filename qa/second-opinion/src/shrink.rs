//! Short stories that show a difference.

use crate::performance::{self, Notes};
use crate::stage::Stage;
use singlet_testing::generator::Step;

/// How often a story is played to find a shorter one.
const PERFORMANCES_MAX: usize = 40;

/// Leaves out steps as long as the same kind of difference still shows: first many at a time,
/// then one by one.
pub(crate) fn shrink(stage: &mut Stage, steps: Vec<Step>, kind: &str) -> Result<Vec<Step>, String> {
    let mut shows = |steps: &[Step]| {
        let mut notes = Notes::default();
        performance::play(stage, steps, &mut notes)?;
        Ok(notes.findings.iter().any(|other| other.kind == kind))
    };
    shortest(steps, &mut shows)
}

fn shortest(
    mut steps: Vec<Step>,
    shows: &mut dyn FnMut(&[Step]) -> Result<bool, String>,
) -> Result<Vec<Step>, String> {
    let mut width = steps.len().div_ceil(2);
    let mut performances = 0;
    while width > 0 {
        let mut at = 0;
        // The last step is the one that shows the difference.
        while at + 1 < steps.len() && performances < PERFORMANCES_MAX {
            let end = (at + width).min(steps.len() - 1);
            let rest = [&steps[..at], &steps[end..]].concat();
            performances += 1;
            if shows(&rest)? {
                steps = rest;
            } else {
                at = end;
            }
        }
        width /= 2;
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let step = |number: usize| Step::Settle(number.to_string());
        let steps: Vec<Step> = (0..20).map(step).collect();
        let named = |steps: &[Step], wanted: &str| {
            steps.iter().any(|step| matches!(step, Step::Settle(name) if name == wanted))
        };
        let mut shows = |steps: &[Step]| Ok(named(steps, "7") && named(steps, "19"));
        let short = shortest(steps, &mut shows).unwrap();
        assert!(matches!(&short[..], [Step::Settle(a), Step::Settle(b)] if a == "7" && b == "19"));
    }
}
