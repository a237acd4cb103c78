//! Plays a story on both endpoints.

use crate::difference::{Difference, Exchange};
use crate::known;
use crate::outcome::sort_key;
use crate::stage::{Scene, Stage};
use singlet_testing::generator::Step;
use std::collections::BTreeMap;

/// An unlisted difference.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// Equal for differences that likely have the same cause.
    pub(crate) kind: String,
    /// The step that showed it.
    pub(crate) step: usize,
    pub(crate) exchange: Exchange,
    pub(crate) difference: Difference,
}

/// Findings and known differences of stories.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) findings: Vec<Finding>,
    /// How often each listed difference occurred.
    pub(crate) met: BTreeMap<&'static str, usize>,
}

/// Plays a story from its beginning.
pub(crate) fn play(stage: &mut Stage, steps: &[Step], notes: &mut Notes) -> Result<(), String> {
    stage.set()?;
    let mut performance = Performance { stage, notes, is_parted: false };
    for (at, step) in steps.iter().enumerate() {
        if !performance.step(at, step)? {
            break;
        }
    }
    Ok(())
}

struct Performance<'a> {
    stage: &'a mut Stage,
    notes: &'a mut Notes,
    /// Whether items were copied to Local, which shows in its streams.
    is_parted: bool,
}

impl Performance<'_> {
    /// Plays a step and returns whether the story can go on.
    fn step(&mut self, at: usize, step: &Step) -> Result<bool, String> {
        if self.is_parted && matches!(step, Step::Records(_)) {
            return Ok(true);
        }
        let exchange = match self.stage.play(step)? {
            Scene::Played(exchange) => exchange,
            Scene::Settled => return Ok(true),
            Scene::LocalIsStuck => {
                *self.notes.met.entry(known::STUCK).or_default() += 1;
                return Ok(false);
            }
        };
        for difference in exchange.differences() {
            self.note(at, &exchange, difference);
        }
        if exchange.has_parted() {
            self.is_parted = true;
            // Items can be reconciled, tables cannot. Local may also refuse an item.
            return Ok(exchange.is_about_items() && self.stage.reconcile().is_ok());
        }
        if let Some((rule, keys)) = known::silent_rule_for(&exchange) {
            let known: Vec<String> = keys.iter().map(sort_key).collect();
            let parted = self.stage.reconcile()?;
            // A key with an unknown member still identifies its item.
            let is_one = known.len() == 1 && parted.len() == 1;
            for apart in parted {
                self.is_parted = true;
                match is_one || known.contains(&sort_key(&apart.key())) {
                    true => *self.notes.met.entry(rule.name).or_default() += 1,
                    false => {
                        let path = format!("the item {}", apart.key());
                        let difference =
                            Difference::Member { path, ours: apart.ours, local: apart.local };
                        self.note(at, &exchange, difference);
                    }
                }
            }
        }
        Ok(true)
    }

    fn note(&mut self, step: usize, exchange: &Exchange, difference: Difference) {
        if let Some(rule) = known::rule_for(exchange, &difference) {
            *self.notes.met.entry(rule.name).or_default() += 1;
            return;
        }
        let kind = difference.kind(exchange);
        self.notes.findings.push(Finding { kind, step, exchange: exchange.clone(), difference });
    }
}
