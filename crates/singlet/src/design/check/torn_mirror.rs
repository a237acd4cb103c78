//! SD501: an item and its mirror are not written in one transaction.

use super::stale_mirror::mirrors;
use super::{Findings, Place, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule = Rule {
    code: "SD501",
    title: "an item and its mirror are not written in one transaction",
    find,
};

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (_, mirror, original) in mirrors(subject) {
        for pattern in subject.design.patterns.iter().filter(|pattern| !pattern.transaction) {
            let writes = |entity| {
                subject
                    .steps_of(pattern)
                    .any(|step| step.puts(entity) || step.updates(entity) || step.deletes(entity))
            };
            if writes(original) && writes(mirror) {
                findings.error(
                    Place::pattern(&pattern.name).entity(&mirror.name),
                    format!("`{}` and `{}`, which mirrors it, are written one after the other: whoever fails in between leaves them apart", original.name, mirror.name),
                    "Write both in one transaction: `\"transaction\": true`.",
                );
            }
        }
    }
}
