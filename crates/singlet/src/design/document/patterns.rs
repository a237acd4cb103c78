//! Access patterns in the document, with their operations and cost.

use super::markdown::{Markdown, code};
use crate::design::subject::{Step, Subject};
use crate::design::{AccessPattern, Action, Caller, Cost, Design, ExpiredItems, KeyTest, Template};

pub(super) fn write(design: &Design, out: &mut Markdown) {
    if design.patterns.is_empty() {
        return;
    }
    let rows = design.patterns.iter().map(|pattern| row(design, pattern)).collect();
    out.heading(2, "Access patterns");
    out.table(
        &[
            "pattern",
            "for",
            "operation",
            "key condition and expressions",
            "cost",
            "how often",
            "triggered by",
        ],
        rows,
    );
    out.paragraph(
        "Costs are capacity units for one call, reckoned from typical items: RU are read units, WU \
         write units with those of the indexes.",
    );
}

fn row(design: &Design, pattern: &AccessPattern) -> Vec<String> {
    let subject = Subject::of_pattern(design, pattern);
    let operations: Vec<String> =
        subject.steps.iter().map(|step| operation(design, step)).collect();
    let operations = match (operations.as_slice(), pattern.transaction) {
        ([], _) => "none yet".to_owned(),
        (_, true) => format!("in one transaction: {}", operations.join("; ")),
        (_, false) => operations.join("; "),
    };
    let conditions: Vec<String> = subject.steps.iter().map(conditions).collect();
    let name = match &pattern.description {
        None => pattern.name.clone(),
        Some(description) => format!("{}. {description}", pattern.name),
    };
    let mut often: Vec<String> = pattern.frequency.iter().cloned().collect();
    if let Some(rate) = pattern.per_second {
        often.push(format!("up to {rate} per second"));
    }
    vec![
        name,
        match pattern.caller {
            Caller::User => "user",
            Caller::System => "system",
            Caller::Both => "both",
        }
        .to_owned(),
        operations,
        conditions.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("; "),
        cost(design.cost(pattern), pattern.per_second),
        often.join("; "),
        pattern.triggered_by.join(", "),
    ]
}

/// `Query GSI1 for Player`
fn operation(design: &Design, step: &Step<'_>) -> String {
    let operation = step.operation;
    let mut text = operation.action.to_string();
    if operation.action == Action::BatchWriteItem && operation.deletes {
        text.push_str(" (delete)");
    }
    if let Some(table) = step.table.filter(|_| design.tables.len() > 1) {
        text = format!("{text} {}", code(&table.name));
    }
    if let Some(index) = &operation.index {
        text = format!("{text} {}", code(index));
    }
    if !operation.entities.is_empty() {
        text = format!("{text} for {}", operation.entities.join(", "));
    }
    if operation.consistent {
        text.push_str(", strongly consistent");
    }
    if operation.descending {
        text.push_str(", descending");
    }
    if let Some(limit) = operation.limit {
        text = format!("{text}, limit {limit}");
    }
    if operation.expired == ExpiredItems::Skipped {
        text.push_str(", without what has expired");
    }
    text
}

fn conditions(step: &Step<'_>) -> String {
    let operation = step.operation;
    let mut parts = Vec::new();
    let tests: Vec<String> = if operation.key.is_empty() && step.is_by_key() {
        own_key(step)
    } else {
        operation.key.iter().map(|condition| test(&condition.attribute, &condition.test)).collect()
    };
    if !tests.is_empty() {
        parts.push(code(&tests.join(" AND ")));
    }
    for (what, expression) in
        [("update", &operation.update), ("if", &operation.condition), ("filter", &operation.filter)]
    {
        if let Some(text) = expression {
            parts.push(format!("{what} {}", code(text)));
        }
    }
    parts.join(", ")
}

/// The key of the operation's entity, if it has exactly one.
fn own_key(step: &Step<'_>) -> Vec<String> {
    let entities = step.entities();
    let ([entity], Some(table)) = (entities.as_slice(), step.table) else {
        return Vec::new();
    };
    let pairs = table.key.iter().zip(entity.key.templates());
    pairs
        .map(|(attribute, template)| format!("{} = {}", attribute.name, quoted(template)))
        .collect()
}

fn test(attribute: &str, test: &KeyTest) -> String {
    match test {
        KeyTest::Equals(template) => format!("{attribute} = {}", quoted(template)),
        KeyTest::Below(template) => format!("{attribute} < {}", quoted(template)),
        KeyTest::AtMost(template) => format!("{attribute} <= {}", quoted(template)),
        KeyTest::Above(template) => format!("{attribute} > {}", quoted(template)),
        KeyTest::AtLeast(template) => format!("{attribute} >= {}", quoted(template)),
        KeyTest::Between([lower, upper]) => {
            format!("{attribute} BETWEEN {} AND {}", quoted(lower), quoted(upper))
        }
        KeyTest::BeginsWith(template) => format!("begins_with({attribute}, {})", quoted(template)),
    }
}

/// Quotes a template, unless it is a single parameter.
fn quoted(template: &Template) -> String {
    match template.as_field() {
        Some(field) => format!("{{{field}}}"),
        None => format!("\"{template}\""),
    }
}

fn cost(cost: Cost, per_second: Option<f64>) -> String {
    let mut parts = Vec::new();
    for (units, noun) in [(cost.read_units, "RU"), (cost.write_units, "WU")] {
        if units > 0.0 {
            let rate = match per_second {
                Some(rate) => format!(" ({}/s)", round(units * rate)),
                None => String::new(),
            };
            parts.push(format!("{} {noun}{rate}", round(units)));
        }
    }
    let least = if cost.is_least && !parts.is_empty() { "at least " } else { "" };
    format!("{least}{}", parts.join(" + "))
}

/// Rounds to one decimal place, and drops `.0`.
fn round(units: f64) -> String {
    let text = format!("{units:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
