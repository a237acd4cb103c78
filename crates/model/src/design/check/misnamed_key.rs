//! SD105: a key attribute has the name of a field, and holds something else.

use super::{Findings, Place, Rule};
use crate::design::Attribute;
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD105", title: "a key attribute holds something other than its name says", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let place = Place::table(&table.name).entity(&entity.name);
        let primary = table.key.attributes().zip(entity.key.templates());
        let mut all: Vec<_> =
            primary.map(|(attribute, template)| (place.clone(), attribute, template)).collect();
        for key in &entity.indexes {
            if let Some(index) = table.index(&key.index) {
                let place = place.clone().index(&key.index);
                let pairs = index.key.attributes().zip(key.templates());
                all.extend(pairs.map(|(attribute, template)| (place.clone(), attribute, template)));
            }
        }
        for (place, attribute, template) in all {
            let name = &attribute.name;
            if entity.attribute(name).is_some_and(Attribute::is_stored)
                && template.as_field() != Some(name)
            {
                findings.error(
                    place.attribute(name),
                    format!("`{name}` is an attribute of the entity, and as a key attribute it is `{template}`: an item cannot have both"),
                    "Rename the key attribute to what it holds, or let the key be the attribute itself.",
                );
            }
        }
    }
}
