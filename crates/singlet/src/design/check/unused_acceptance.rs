//! SD901: an acceptance that covers no finding.

use super::{Findings, Place, RULES, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD901", title: "an acceptance covers no finding", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for acceptance in &subject.design.accepted {
        if findings.list.iter().any(|finding| finding.is_covered(acceptance)) {
            continue;
        }
        let place = Place {
            pattern: acceptance.pattern.clone(),
            operation: None,
            table: acceptance.table.clone(),
            index: acceptance.index.clone(),
            entity: acceptance.entity.clone(),
            attribute: acceptance.attribute.clone(),
        };
        let is_rule = RULES.iter().any(|rule| rule.code == acceptance.code);
        let message = if is_rule {
            format!("{} is accepted here, and is not found here", acceptance.code)
        } else {
            format!("`{}` is accepted, and there is no such rule", acceptance.code)
        };
        findings.warning(
            place,
            message,
            "Take the acceptance out, or correct the place that it names.",
        );
    }
}
