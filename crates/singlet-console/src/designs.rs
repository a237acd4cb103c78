//! Designs with their findings and the cost of each access pattern.

use serde_json::{Map, Value, json};
use singlet::design::Design;

/// Designs in the form of the design file, each with its findings and costs.
pub(crate) fn to_json(designs: &[Design]) -> String {
    Value::Array(designs.iter().map(one).collect()).to_string()
}

fn one(design: &Design) -> Value {
    let file: Value = serde_json::from_str(&design.to_json()).unwrap_or_default();
    let costs: Map<String, Value> = design
        .patterns
        .iter()
        .map(|pattern| {
            let cost = design.cost(pattern);
            let units = json!({
                "read": cost.read_units,
                "write": cost.write_units,
                "isLeast": cost.is_least,
            });
            (pattern.name.to_string(), units)
        })
        .collect();
    let findings: Vec<Value> = design
        .check()
        .iter()
        .map(|finding| {
            json!({
                "code": finding.code,
                "severity": finding.severity.to_string(),
                "place": finding.place.to_string(),
                "message": finding.message,
                "advice": finding.advice,
                "accepted": finding.accepted,
            })
        })
        .collect();
    json!({ "design": file, "costs": costs, "findings": findings })
}
