//! SD404: an update changes a field but not the index key built from it.

use super::{Findings, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD404", title: "an update leaves an index key stale", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let changed = step.changed_attributes();
        let Some(table) = step.table else {
            continue;
        };
        for entity in step.entities() {
            for key in &entity.indexes {
                let Some(index) = table.index(&key.index) else {
                    continue;
                };
                for (attribute, template) in index.key.iter().zip(key.templates()) {
                    if changed.contains(&attribute.name()) {
                        continue;
                    }
                    // SD405 covers the primary key.
                    if table.key.contains(&attribute.name) {
                        continue;
                    }
                    // A key that is a plain field keeps its value when `when` changes; the other
                    // key attribute decides.
                    let when = key.when.as_ref().filter(|_| template.as_field().is_none());
                    let decides = when.map(|when| when.attribute.as_str());
                    let mut fields = template.fields().chain(decides);
                    if let Some(field) = fields.find(|field| changed.contains(field)) {
                        findings.error(
                            step.place().index(&index.name).attribute(&attribute.name),
                            format!(
                                "the update changes `{field}`, and `{}` in the index `{}` still holds the old `{template}`",
                                attribute.name, index.name
                            ),
                            format!("Set `{}` in the same update, or remove it there if `{field}` is removed.", attribute.name),
                        );
                    }
                }
            }
        }
    }
}
