//! The differences that are known, each with a section in docs/differences.md that says who is
//! right and how we know.
//!
//! A rule says as exactly as it can which difference it means: one that is too wide hides
//! mistakes of ours.

mod capacity;
mod constraint;
mod items;
mod order;
mod refusals;
mod shape;
mod tables;
mod transactions;
mod updates;

use crate::difference::{Difference, Exchange};
use crate::outcome::Refusal;
use serde_json::Value;

/// A known difference.
pub(crate) struct Rule {
    /// The title of its section.
    pub(crate) name: &'static str,
    /// Whether a run of the usual length may not meet it.
    pub(crate) is_rare: bool,
    explains: Explains,
}

/// A known difference that an answer does not show: both accept, and hold different items then.
pub(crate) struct SilentRule {
    /// The title of its section.
    pub(crate) name: &'static str,
    /// Whether this update, a request or part of one, is such a case.
    is_such: fn(&Value) -> bool,
}

/// A known difference that no answer shows: Local never finishes, and the story ends.
pub(crate) const STUCK: &str = "An index of attributes that are no keys";

/// How a difference is recognised.
enum Explains {
    /// By a function.
    When(fn(&Exchange, &Difference) -> bool),
    /// Both refuse, in other words: ours and Local's, where `*` stands for anything.
    Words(&'static [(&'static str, &'static str)]),
}

/// All that are known.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    let all = [
        capacity::RULES,
        constraint::RULES,
        items::RULES,
        order::RULES,
        refusals::RULES,
        shape::RULES,
        tables::RULES,
        transactions::RULES,
        updates::RULES,
    ];
    all.into_iter().flatten()
}

/// The names of all that are known, with those that answers do not show.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let silent = updates::SILENT_RULES.iter().map(|rule| rule.name);
    let shown = rules().map(|rule| rule.name);
    shown.chain(silent.filter(|name| rules().all(|rule| rule.name != *name))).chain([STUCK])
}

/// The rule by which both may hold different items now, and the keys of these items.
pub(crate) fn silent_rule_for(exchange: &Exchange) -> Option<(&'static SilentRule, Vec<Value>)> {
    if !exchange.ours.is_accepted() || !exchange.local.is_accepted() {
        return None;
    }
    let updates: Vec<&Value> = match exchange.operation.as_str() {
        "UpdateItem" => vec![&exchange.request],
        "TransactWriteItems" => {
            let actions = exchange.request["TransactItems"].as_array();
            actions.into_iter().flatten().map(|action| &action["Update"]).collect()
        }
        _ => return None,
    };
    updates::SILENT_RULES.iter().find_map(|rule| {
        let such: Vec<&&Value> = updates.iter().filter(|update| (rule.is_such)(update)).collect();
        let keys = such.iter().map(|update| update["Key"].clone()).collect();
        (!such.is_empty()).then_some((rule, keys))
    })
}

/// The rule that explains a difference.
pub(crate) fn rule_for(exchange: &Exchange, difference: &Difference) -> Option<&'static Rule> {
    rules().find(|rule| match rule.explains {
        Explains::When(is_it) => is_it(exchange, difference),
        Explains::Words(pairs) => match (exchange.ours.refusal(), exchange.local.refusal()) {
            (Some(ours), Some(local)) if *difference == Difference::Verdict => {
                pairs.iter().any(|pair| is_pair(pair, ours, local))
            }
            _ => false,
        },
    })
}

fn is_pair(pair: &(&str, &str), ours: &Refusal, local: &Refusal) -> bool {
    let text = |refusal: &Refusal| format!("{}: {}", refusal.code, refusal.message);
    ours.status == local.status && fits(pair.0, &text(ours)) && fits(pair.1, &text(local))
}

/// Whether these are the messages of one refusal, ours and Local's.
fn same_in_other_words(ours: &str, local: &str) -> bool {
    let refusal = |message: &str| Refusal {
        status: 400,
        code: "ValidationException".to_owned(),
        message: message.to_owned(),
        details: Value::Null,
    };
    let (ours, local) = (refusal(ours), refusal(local));
    refusals::RULES.iter().any(|rule| match rule.explains {
        Explains::Words(pairs) => pairs.iter().any(|pair| is_pair(pair, &ours, &local)),
        Explains::When(_) => false,
    })
}

/// Whether a text is as the pattern says, where `*` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_has_a_section_that_says_who_is_right() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/differences.md");
        let document = std::fs::read_to_string(path).unwrap();
        let sections: Vec<(&str, &str)> = document
            .split("\n### ")
            .skip(1)
            .filter_map(|section| section.split_once('\n'))
            .collect();
        let titles: BTreeSet<&str> = sections.iter().map(|(title, _)| *title).collect();
        assert_eq!(titles.len(), sections.len(), "a title is there twice");
        assert_eq!(titles, names().collect(), "titles of sections, names of rules");
        for (title, text) in sections {
            let is_settled = text.contains("Right: ")
                && (text.contains("Source: ") || text.contains("not known"));
            assert!(
                is_settled || text.contains("not documented") || text.contains("by the letter"),
                "{title}"
            );
        }
    }

    #[test]
    fn no_name_stands_for_two_rules() {
        let mut seen = BTreeSet::new();
        assert!(names().all(|name| seen.insert(name)));
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert!(fits("a * c", "a b c") && fits("a*", "a") && fits("a*c*e", "abcde"));
        assert!(!fits("a * c", "a b cd") && !fits("a", "ab") && !fits("a*c*e", "abde"));
    }
}
