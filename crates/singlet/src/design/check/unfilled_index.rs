//! SD401: an index without keys of any entity.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule = Rule { code: "SD401", title: "nothing fills an index", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for table in &subject.design.tables {
        // A design may omit the entities of a table.
        if table.entities.is_empty() {
            continue;
        }
        for index in &table.indexes {
            if !table.entities.iter().any(|entity| entity.is_in_index(&index.name)) {
                findings.warning(
                    Place::table(&table.name).index(&index.name),
                    format!("no entity has a key in the index `{}`, so it stays empty", index.name),
                    "Say which entity has which key there, or leave the index out until something needs it: one can be added to a table at any time.",
                );
            }
        }
    }
}
