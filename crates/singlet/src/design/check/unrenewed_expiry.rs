//! SD602: an update does not extend the item's expiry.

use super::unguarded_expiry::attribute;
use super::{Findings, Rule};
use crate::design::Since;
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD602", title: "items that are still in use expire", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let Some(table) = step.table else {
            continue;
        };
        let changed = step.changed_attributes();
        for entity in step.entities() {
            let Some(expiry) = entity.expires.as_ref().filter(|_| step.updates(entity)) else {
                continue;
            };
            let message = match &expiry.since {
                Since::Creation => format!(
                    "`{}` expires at a time set when it was created, and is still changed afterwards: it vanishes in use",
                    entity.name
                ),
                Since::Change => format!(
                    "`{}` is to live on with every change, and this update does not renew it",
                    entity.name
                ),
                Since::Attribute(_) | Since::Given => continue,
            };
            let renews = attribute(table, entity).is_some_and(|name| changed.contains(&name));
            if !renews {
                let name = attribute(table, entity).unwrap_or("its expiry");
                findings.warning(
                    step.place().entity(&entity.name),
                    message,
                    format!("Set `{name}` anew in the same update."),
                );
            }
        }
    }
}
