//! SD104: a key template names a field that the entity does not have.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD104", title: "a key names a field that the entity does not have", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        // A design may declare only keys and no attributes.
        if entity.attributes.is_empty() {
            continue;
        }
        let place = Place::table(&table.name).entity(&entity.name);
        let primary = entity.key.templates().map(|template| (place.clone(), template));
        let others = entity.indexes.iter().flat_map(|key| {
            let place = place.clone().index(&key.index);
            key.templates().map(move |template| (place.clone(), template))
        });
        for (place, template) in primary.chain(others) {
            for field in template.fields() {
                if entity.attribute(field).is_none() {
                    findings.error(
                        place.clone().attribute(field),
                        format!("the key `{template}` names `{field}`, which is no attribute of the entity"),
                        "Declare the attribute. If it is stored nowhere but in the key, say `\"in_key\": true` of it.",
                    );
                }
            }
        }
    }
}
