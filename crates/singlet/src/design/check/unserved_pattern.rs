//! SD311: an access pattern without operations.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD311", title: "nothing serves an access pattern", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for pattern in &subject.design.patterns {
        if pattern.operations.is_empty() {
            findings.warning(
                Place::pattern(&pattern.name),
                "the design names the pattern, and no operation that serves it",
                "Give it a key: in the table, in an index, or by a mirror. Without one it will be a scan.",
            );
        }
    }
}
