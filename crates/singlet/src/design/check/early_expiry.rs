//! SD605: items are deleted when something ends, but expire a fixed time after it began.

use super::{Findings, Place, Rule};
use crate::design::subject::{Step, Subject};
use crate::design::{Action, Since};

pub(super) const RULE: Rule =
    Rule { code: "SD605", title: "items expire before what they are kept for has ended", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let Some((Since::Attribute(start), Some(seconds))) =
            entity.expires.as_ref().map(|expiry| (&expiry.since, expiry.seconds))
        else {
            continue;
        };
        // Users delete items at will; a job deletes them because something has ended.
        let cleanup = subject.steps.iter().find(|step| {
            let names = step.entities().iter().any(|own| own.name == entity.name);
            names && !step.pattern.caller.is_user() && deletes(step)
        });
        if let Some(cleanup) = cleanup {
            findings.note(
                Place::table(&table.name).entity(&entity.name),
                format!(
                    "`{}` expires {seconds} seconds after `{start}`, and is deleted by '{}' when that is over: whatever takes longer loses it before",
                    entity.name, cleanup.pattern.name
                ),
                "Count from the end instead: let whoever writes an item say when it expires, `\"since\": \"given\"`.",
            );
        }
    }
}

fn deletes(step: &Step<'_>) -> bool {
    match &step.operation.action {
        Action::DeleteItem => true,
        Action::BatchWriteItem => step.operation.deletes,
        Action::Other(name) => name.contains("Delete"),
        _ => false,
    }
}
