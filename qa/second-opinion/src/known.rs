//! The known differences, read from differences.txt beside this crate's manifest. A section in
//! docs/differences.md explains each, with a source for which side is right.
//!
//! Rules must be as narrow as possible: a wide one hides our own bugs.

mod code;
mod constraint;

use crate::difference::{Difference, Exchange};
use crate::outcome::{Outcome, Refusal};
use serde_json::Value;
use std::sync::LazyLock;

/// A known difference.
#[derive(Default)]
pub(crate) struct Rule {
    /// The title of its section.
    pub(crate) name: &'static str,
    /// Whether a normal run may not show it.
    pub(crate) is_rare: bool,
    cases: Vec<Case>,
    recognise: Option<fn(&Exchange, &Difference) -> bool>,
    /// Whether this update, or part of a request, leaves different items though both accept it.
    is_silent: Option<fn(&Value) -> bool>,
}

/// Patterns; several for the same field are alternatives. An empty list matches everything.
#[derive(Default)]
struct Case {
    operation: Patterns,
    body: Patterns,
    path: Patterns,
    ours: Patterns,
    local: Patterns,
    order: Option<&'static str>,
    times: Option<&'static str>,
    each: Option<&'static str>,
}

#[derive(Default)]
struct Patterns(Vec<&'static str>);

/// The difference that shows in no answer: Local never finishes, and the story ends.
pub(crate) const STUCK: &str = "An index of attributes that are no keys";

static RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| match parse(include_str!("../differences.txt")) {
        Ok(rules) => rules,
        #[expect(clippy::panic, reason = "the file is part of the program")]
        Err(problem) => panic!("differences.txt: {problem}"),
    });

pub(crate) fn rules() -> &'static [Rule] {
    &RULES
}

fn parse(text: &'static str) -> Result<Vec<Rule>, String> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut is_new_case = true;
    for line in text.lines().filter(|line| !line.starts_with("# ") && *line != "#") {
        if let Some(name) = line.strip_prefix("## ") {
            rules.push(Rule { name, ..Rule::default() });
            is_new_case = true;
            continue;
        }
        if line.is_empty() {
            is_new_case = true;
            continue;
        }
        let rule = rules.last_mut().ok_or("a line before the first title")?;
        let (word, pattern) = line.split_once(' ').unwrap_or((line, ""));
        let pattern = pattern.trim_start();
        match word {
            "rare" => rule.is_rare = true,
            "code" => rule.recognise = Some(code::function(pattern).ok_or(pattern)?),
            "silent" => rule.is_silent = Some(code::silent(pattern).ok_or(pattern)?),
            _ => {
                if std::mem::take(&mut is_new_case) {
                    rule.cases.push(Case::default());
                }
                rule.cases.last_mut().ok_or(line)?.add(word, pattern)?;
            }
        }
    }
    Ok(rules)
}

impl Case {
    fn add(&mut self, word: &str, pattern: &'static str) -> Result<(), String> {
        let patterns = match word {
            "on" => &mut self.operation,
            "asks" => &mut self.body,
            "at" => &mut self.path,
            "ours" => &mut self.ours,
            "local" => &mut self.local,
            "order" | "times" | "each" => {
                let bound = match word {
                    "order" => &mut self.order,
                    "times" => &mut self.times,
                    _ => &mut self.each,
                };
                *bound = Some(pattern);
                return Ok(());
            }
            _ => return Err(format!("`{word}` is unknown")),
        };
        patterns.0.push(pattern);
        Ok(())
    }

    fn explains(&self, exchange: &Exchange, difference: &Difference) -> bool {
        let body = || exchange.body.to_lowercase();
        self.operation.fit(|pattern| fits(pattern, &exchange.operation))
            && match difference {
                Difference::Verdict => {
                    self.path.0.is_empty() && self.is_verdict(&exchange.ours, &exchange.local)
                }
                Difference::Member { path, ours, local } => {
                    !self.path.0.is_empty()
                        && self.path.fit(|pattern| fits(pattern, path))
                        && self.ours.fit(|pattern| is_member(pattern, ours.as_ref()))
                        && self.local.fit(|pattern| is_member(pattern, local.as_ref()))
                        && self.is_ordered(&exchange.request, ours.as_ref(), local.as_ref())
                }
            }
            && (self.body.0.is_empty()
                || self.body.fit(|pattern| fits(&pattern.to_lowercase(), &body())))
    }

    fn is_verdict(&self, ours: &Outcome, local: &Outcome) -> bool {
        let has_same_status = match (ours.refusal(), local.refusal()) {
            // Local answers some invalid requests with 500.
            (Some(ours), Some(local)) => {
                ours.status == local.status || local.code == "InternalFailure"
            }
            _ => true,
        };
        has_same_status
            && self.ours.fit(|pattern| is_outcome(pattern, ours))
            && self.local.fit(|pattern| is_outcome(pattern, local))
    }

    fn is_ordered(&self, request: &Value, ours: Option<&Value>, local: Option<&Value>) -> bool {
        let number = |value: Option<&Value>| value.and_then(Value::as_f64);
        let (less, more) = match (self.order, number(ours), number(local)) {
            (None, ..) => return true,
            (Some("ours < local"), Some(ours), Some(local)) => (ours, local),
            (Some("ours > local"), Some(ours), Some(local)) => (local, ours),
            _ => return false,
        };
        less < more && more <= self.bound(request, less)
    }

    /// The maximum for the larger of two numbers.
    fn bound(&self, request: &Value, less: f64) -> f64 {
        if self.times.is_none() && self.each.is_none() {
            return f64::INFINITY;
        }
        let members = |path: &str| count(request, path.split('/').skip(1)) as f64;
        let factor = |times: &str| times.parse().unwrap_or_else(|_| members(times));
        less * self.times.map_or(1.0, factor) + self.each.map_or(0.0, members)
    }
}

impl Patterns {
    /// Whether one of the patterns matches, and no negated one.
    fn fit(&self, fits: impl Fn(&'static str) -> bool) -> bool {
        let (forbidden, wanted): (Vec<&'static str>, Vec<&'static str>) =
            self.0.iter().partition(|pattern| pattern.starts_with('!'));
        (wanted.is_empty() || wanted.iter().any(|pattern| fits(pattern)))
            && !forbidden.iter().any(|pattern| fits(pattern.trim_start_matches('!')))
    }
}

fn is_outcome(pattern: &str, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Accepted(_) => matches!(pattern, "accepted" | "*"),
        Outcome::Refused(refusal) => is_refusal(pattern, refusal),
    }
}

/// Whether an error matches a pattern, which names its code unless it is the usual one.
fn is_refusal(pattern: &str, refusal: &Refusal) -> bool {
    let has_code = pattern.split(' ').next().is_some_and(|word| word.ends_with(':'));
    match has_code {
        true => fits(pattern, &format!("{}: {}", refusal.code, refusal.message)),
        false if pattern == "*" => true,
        false => refusal.code == "ValidationException" && fits(pattern, &refusal.message),
    }
}

fn is_member(pattern: &str, value: Option<&Value>) -> bool {
    match value {
        None => pattern == "-",
        Some(value) => pattern != "-" && fits(pattern, &value.to_string()),
    }
}

/// The number of members at a path, where `*` matches any name or index.
fn count<'p>(value: &Value, mut path: impl Iterator<Item = &'p str> + Clone) -> usize {
    let Some(step) = path.next() else { return 1 };
    match value {
        Value::Array(elements) if step == "*" => {
            elements.iter().map(|element| count(element, path.clone())).sum()
        }
        Value::Object(members) if step == "*" => {
            members.values().map(|member| count(member, path.clone())).sum()
        }
        _ => value.get(step).map_or(0, |member| count(member, path)),
    }
}

/// Whether these are our and Local's messages for the same error.
fn same_in_other_words(ours: &str, local: &str) -> bool {
    let refused = |message: &str| {
        Outcome::Refused(Refusal {
            status: 400,
            code: "ValidationException".to_owned(),
            message: message.to_owned(),
            details: Value::Null,
        })
    };
    let (ours, local) = (refused(ours), refused(local));
    let depends_on_words = |case: &&Case| {
        case.operation.0.is_empty() && case.body.0.is_empty() && case.path.0.is_empty()
    };
    let cases = rules().iter().flat_map(|rule| &rule.cases).filter(depends_on_words);
    cases.into_iter().any(|case| case.is_verdict(&ours, &local))
}

/// The rule that explains a difference.
pub(crate) fn rule_for(exchange: &Exchange, difference: &Difference) -> Option<&'static Rule> {
    rules().iter().find(|rule| {
        rule.cases.iter().any(|case| case.explains(exchange, difference))
            || rule.recognise.is_some_and(|recognise| recognise(exchange, difference))
    })
}

/// The rule by which the stored items may differ now, and their keys.
pub(crate) fn silent_rule_for(exchange: &Exchange) -> Option<(&'static Rule, Vec<Value>)> {
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
    rules().iter().find_map(|rule| {
        let is_silent = rule.is_silent?;
        let such: Vec<&&Value> = updates.iter().filter(|update| is_silent(update)).collect();
        let keys = such.iter().map(|update| update["Key"].clone()).collect();
        (!such.is_empty()).then_some((rule, keys))
    })
}

/// Whether a text matches a pattern, where `*` matches anything.
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
    use serde_json::json;
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
        assert_eq!(titles, rules().iter().map(|rule| rule.name).collect(), "titles of both");
        assert_eq!(titles.len(), rules().len(), "a rule is there twice");
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
    fn a_star_stands_for_anything() {
        assert!(fits("a * c", "a b c") && fits("a*", "a") && fits("a*c*e", "abcde"));
        assert!(!fits("a * c", "a b cd") && !fits("a", "ab") && !fits("a*c*e", "abde"));
    }

    fn refused(status: u16, code: &str, message: &str) -> Outcome {
        Outcome::Refused(Refusal {
            status,
            code: code.to_owned(),
            message: message.to_owned(),
            details: Value::Null,
        })
    }

    fn exchange(operation: &str, body: &str, ours: Outcome, local: Outcome) -> Exchange {
        let request = serde_json::from_str(body).unwrap();
        Exchange { operation: operation.to_owned(), body: body.to_owned(), request, ours, local }
    }

    #[test]
    fn all_lines_of_a_case_must_fit() {
        let rules = parse(
            "## A\non    Query\nasks  *b*\nasks  !*c*\nours  a *\nlocal accepted\n\n\
             at    /n\nours  1\norder ours < local\ntimes 2\neach  /a/*/b\n\n## B\nrare\nours  X: *\nlocal Y: *\n",
        )
        .unwrap();
        let verdict = |rule: usize, operation: &str, body: &str, ours: Outcome, local: Outcome| {
            let exchange = exchange(operation, body, ours, local);
            rules[rule].cases.iter().any(|case| case.explains(&exchange, &Difference::Verdict))
        };
        let accepted = || Outcome::Accepted(json!({}));
        let ours = || refused(400, "ValidationException", "a b");
        assert!(verdict(0, "Query", r#"{"B":1}"#, ours(), accepted()));
        assert!(!verdict(0, "Scan", r#"{"B":1}"#, ours(), accepted()));
        assert!(!verdict(0, "Query", r#"{"A":1}"#, ours(), accepted()));
        assert!(!verdict(0, "Query", r#"{"B":1,"C":1}"#, ours(), accepted()));
        assert!(!verdict(0, "Query", r#"{"B":1}"#, refused(400, "X", "a b"), accepted()));
        assert!(verdict(1, "Query", "{}", refused(400, "X", ""), refused(400, "Y", "")));
        assert!(!verdict(1, "Query", "{}", refused(400, "X", ""), refused(500, "Y", "")));
        let member = |ours: Value, local: Value, body: &str| {
            let difference =
                Difference::Member { path: "/n".to_owned(), ours: Some(ours), local: Some(local) };
            let exchange = exchange("Scan", body, accepted(), accepted());
            rules[0].cases.iter().any(|case| case.explains(&exchange, &difference))
        };
        assert!(member(json!(1), json!(2), "{}") && !member(json!(1), json!(0), "{}"));
        // Twice as much, plus one for each `b`.
        assert!(!member(json!(1), json!(3), "{}"));
        let body = r#"{"a":[{"b":0},{"c":0},{"b":{}}]}"#;
        assert!(member(json!(1), json!(4), body) && !member(json!(1), json!(5), body));
        assert!(rules[1].is_rare && !rules[0].is_rare);
    }
}
