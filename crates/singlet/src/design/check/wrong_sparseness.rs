//! SD403: an index is declared sparse by an attribute that is not in its key.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD403", title: "an index is not sparse by what it is said to be", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        for key in &entity.indexes {
            let (Some(name), Some(index)) = (&key.only_with, table.index(&key.index)) else {
                continue;
            };
            if index.key.contains(name) || key.templates().any(|template| template.names(name)) {
                continue;
            }
            let own: Vec<&str> = index.key.iter().map(|own| own.name()).collect();
            findings.error(
                Place::table(&table.name).entity(&entity.name).index(&key.index).attribute(name),
                format!(
                    "items are said to be in the index `{}` only with `{name}`, and what decides are its key attributes ({})",
                    index.name,
                    own.join(", ")
                ),
                format!("Set and remove the key attributes together with `{name}`, in the same update, or let `{name}` be part of the index's key."),
            );
        }
    }
}
