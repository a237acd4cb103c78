//! What a run has shown.

use crate::performance::{Finding, Notes};
use crate::stage::Stage;
use crate::{STORY_STEPS, known, shrink};
use singlet_testing::generator::story as story_of;
use std::collections::BTreeMap;

/// How much of a request or answer is shown.
const TEXT_CHARS_MAX: usize = 2000;

/// What was noticed in all stories.
#[derive(Default)]
pub(crate) struct Report {
    /// By kind: how often it was found, and first in which story.
    found: BTreeMap<String, (usize, u64, Finding)>,
    met: BTreeMap<&'static str, usize>,
}

impl Report {
    /// Adds what was noticed in a story.
    pub(crate) fn add(&mut self, story: u64, notes: Notes) {
        for (name, count) in notes.met {
            *self.met.entry(name).or_default() += count;
        }
        for finding in notes.findings {
            let entry = self.found.entry(finding.kind.clone());
            entry.or_insert_with(|| (0, story, finding)).0 += 1;
        }
    }

    /// How many differences were found that are not listed.
    pub(crate) fn count(&self) -> usize {
        self.found.values().map(|(count, ..)| count).sum()
    }

    /// The listed differences that were never met though they are not rare. What is no longer
    /// there must not stay listed.
    pub(crate) fn never_met(&self) -> Vec<&'static str> {
        let rules = known::rules().iter().filter(|rule| !rule.is_rare);
        rules.map(|rule| rule.name).filter(|name| !self.met.contains_key(name)).collect()
    }

    /// Prints it all, so many differences with a story. True if all that differed is listed.
    pub(crate) fn print(&self, stage: &mut Stage, shown: usize) -> Result<bool, String> {
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
                true => steps = shrink::shrink(stage, steps, &finding.kind)?,
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
        Ok(found.is_empty())
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
