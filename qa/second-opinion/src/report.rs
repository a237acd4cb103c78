//! The results of a run.

use crate::performance::{self, Finding, Notes};
use crate::stage::Stage;
use crate::{STORY_STEPS, known};
use singlet_testing::differential::{Difference, shrink};
use singlet_testing::generator::{Step, story as story_of};
use std::collections::BTreeMap;

const TEXT_CHARS_MAX: usize = 2000;
/// The maximum number of replays for shrinking a story.
const PERFORMANCES_MAX: usize = 40;

/// Results of all stories.
#[derive(Default)]
pub(crate) struct Report {
    /// By kind: the count, the first story and its finding.
    found: BTreeMap<String, (usize, u64, Finding)>,
    met: BTreeMap<&'static str, usize>,
}

impl Report {
    /// Adds the results of a story.
    pub(crate) fn add(&mut self, story: u64, notes: Notes) {
        for (name, count) in notes.met {
            *self.met.entry(name).or_default() += count;
        }
        for finding in notes.findings {
            let entry = self.found.entry(finding.kind.clone());
            entry.or_insert_with(|| (0, story, finding)).0 += 1;
        }
    }

    /// The number of unlisted differences.
    pub(crate) fn count(&self) -> usize {
        self.found.values().map(|(count, ..)| count).sum()
    }

    /// Listed differences that never occurred though they are not rare: they must be removed from
    /// the list.
    pub(crate) fn never_met(&self) -> Vec<&'static str> {
        let rules = known::rules().iter().filter(|rule| !rule.is_rare);
        rules.map(|rule| rule.name).filter(|name| !self.met.contains_key(name)).collect()
    }

    /// Prints the report, with stories for up to `shown` differences. True if all differences are
    /// listed.
    pub(crate) fn print(&self, stage: &mut Stage, shown: usize) -> bool {
        println!("listed differences, and how often they were met:");
        for rule in known::rules() {
            let count = self.met.get(rule.name).copied().unwrap_or_default();
            println!("{count:>7}  {}", rule.name);
        }
        let mut found: Vec<_> = self.found.values().collect();
        found.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
        for (place, (count, story, finding)) in found.iter().enumerate() {
            println!("\nNOT LISTED, {count} times, first in story {story}, step {}", finding.step);
            let mut steps = story_of(*story, STORY_STEPS)[..=finding.step].to_vec();
            match place < shown {
                true => steps = shortest(stage, steps, &finding.kind),
                false => steps = steps.split_off(finding.step),
            }
            for step in steps {
                println!("  {}", short(&step.to_string()));
            }
            println!("  {}", short(&finding.difference.to_string()));
            println!("  ours:  {}", short(&finding.exchange.ours.to_string()));
            println!("  Local: {}", short(&finding.exchange.local.to_string()));
        }
        if !found.is_empty() {
            println!(
                "\n{} kinds of differences are not listed. If Local is right, mend what is ours; \
                 if not, list it in docs/differences.md with its source, and in qa/second-opinion/differences.txt.",
                found.len()
            );
        }
        found.is_empty()
    }
}

/// Removes steps while the same kind of difference still shows.
fn shortest(stage: &mut Stage, steps: Vec<Step>, kind: &str) -> Vec<Step> {
    let mut left = PERFORMANCES_MAX;
    let difference_at = |step| Difference { step, what: String::new() };
    let last = difference_at(steps.len() - 1);
    let shows = |steps: &[Step]| {
        left = left.checked_sub(1)?;
        let mut notes = Notes::default();
        performance::play(stage, steps, &mut notes).ok()?;
        let found = notes.findings.iter().find(|other| other.kind == kind)?;
        Some(difference_at(found.step))
    };
    shrink(steps, last, shows).0
}

fn short(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
