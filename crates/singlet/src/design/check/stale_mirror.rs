//! SD502: an item changes but its mirror does not.

use super::{Findings, Place, Rule};
use crate::design::subject::{Step, Subject};
use crate::design::{AccessPattern, Entity, Mirror};

pub(super) const RULE: Rule =
    Rule { code: "SD502", title: "an item changes and its mirror does not", find };

/// All mirror relations, each with its mirror and its original.
pub(super) fn mirrors<'d>(
    subject: &Subject<'d>,
) -> impl Iterator<Item = (&'d Mirror, &'d Entity, &'d Entity)> {
    subject.entities().filter_map(|(_, entity)| {
        let mirror = entity.mirrors.as_ref()?;
        let (_, original) = subject.entity(&mirror.entity)?;
        Some((mirror, entity, original))
    })
}

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (relation, mirror, original) in mirrors(subject) {
        for pattern in &subject.design.patterns {
            if let Some((message, advice)) = fault(subject, pattern, relation, mirror, original) {
                findings.error(Place::pattern(&pattern.name).entity(&mirror.name), message, advice);
            }
        }
    }
}

/// A change of the original that the pattern does not repeat on the mirror.
fn fault(
    subject: &Subject<'_>,
    pattern: &AccessPattern,
    relation: &Mirror,
    mirror: &Entity,
    original: &Entity,
) -> Option<(String, String)> {
    let steps = || subject.steps_of(pattern);
    let (puts, deletes) =
        (steps().any(|step| step.puts(mirror)), steps().any(|step| step.deletes(mirror)));
    let updates = steps().any(|step| step.updates(mirror));
    let (one, other) = (&original.name, &mirror.name);
    // Moving an item is a delete and a put in one transaction; its mirror moves the same way.
    if steps().any(|step| step.deletes(original)) && !deletes {
        return Some((
            format!("`{one}` is deleted, and its `{other}` stays"),
            format!("Delete every `{other}` in the same transaction."),
        ));
    }
    if steps().any(|step| step.puts(original)) && !puts && !updates {
        return Some((
            format!("`{one}` is put, and no `{other}` for it"),
            format!("Put the `{other}` in the same transaction."),
        ));
    }
    let changed = steps()
        .filter(|step| step.updates(original))
        .find_map(|step| changed_attribute(step, relation, mirror, original))?;
    let is_in_key = is_in_key(changed, mirror);
    if is_in_key && !(puts && deletes) {
        return Some((
            format!("`{changed}` of `{one}` changes, and the `{other}` under its old value stays"),
            format!(
                "Delete each `{other}` that is no longer so and put the new ones, in the same transaction."
            ),
        ));
    }
    (!is_in_key && !puts && !updates).then(|| {
        (
            format!("`{changed}` of `{one}` changes, and `{other}` keeps the old value"),
            format!("Update `{other}` in the same transaction."),
        )
    })
}

/// A mirrored attribute that the step changes.
fn changed_attribute<'d>(
    step: &Step<'_>,
    relation: &'d Mirror,
    mirror: &'d Entity,
    original: &'d Entity,
) -> Option<&'d str> {
    let changed = step.changed_attributes();
    let is_changed = |name: &&str| changed.contains(name);
    if relation.attributes.is_empty() {
        let mut both = original.attributes.iter().map(|attribute| attribute.name.as_str());
        both.find(|name| mirror.attribute(name).is_some() && is_changed(name))
    } else {
        relation.attributes.iter().map(String::as_str).find(is_changed)
    }
}

/// Whether the mirror's key depends on the attribute: it contains it, or the mirror lacks the
/// attribute and so has one item per element.
fn is_in_key(attribute: &str, mirror: &Entity) -> bool {
    mirror.attribute(attribute).is_none()
        || mirror.key.templates().any(|template| template.names(attribute))
}
