//! Index keys that follow the fields that an update sets.

use super::update::Changes;
use crate::attribute::Attribute;
use crate::condition::missing;
use crate::design::AttributeType;
use crate::error::Result;
use crate::field::attribute_name;
use crate::key::KeyValues;
use crate::shape::{FieldShape, IndexKeyShape, Keeper, Shapes, Storage, Template, TemplatePart};
use crate::timestamp::Timestamp;
use singlet_dynamo::expression::{Action, Condition, Operand, Path, SetOperand, SetValue};
use singlet_dynamo::{Type, Value};

/// A key attribute that the update relies on: it does not write it, and the item must have it to be
/// in the index.
#[derive(Clone)]
pub(super) struct StoredKeyPart {
    pub(super) index: &'static str,
    pub(super) attribute: &'static str,
    /// Holds if the item has the attribute, or is not to be in the index.
    pub(super) condition: Condition,
}

/// Adds the changes of index keys, and returns which parts of them the stored item must have. The
/// compiler has seen to it that all fields are known from which a key is made that has to change:
/// they are set too, or are parts of the primary key.
pub(super) fn rekey(
    changes: &mut Changes,
    of: Shapes,
    key: &KeyValues,
    may_be_new: bool,
    now: Timestamp,
) -> Result<Vec<StoredKeyPart>> {
    let known = Known::of(changes, of, key, may_be_new.then_some(now))?;
    let mut written: Vec<&str> = Vec::new();
    for of_index in of.entity.indexes {
        let Some(index) = of.table.index(of_index.index) else { continue };
        for (position, (template, attribute)) in of_index.key.with(&index.key).enumerate() {
            let is_own = of.entity.is_own_attribute(template, attribute);
            // An attribute may belong to several indexes; it is the same for all of them. One of
            // the table's own key, which local indexes share, never changes.
            let is_primary = of.table.key.iter().any(|own| own.name() == attribute.name());
            if is_own || is_primary || written.contains(&attribute.name()) {
                continue;
            }
            let is_conditional = of.entity.is_conditional(of_index, position);
            let applies = of_index.applies(&|place| known.value(place));
            let is_concerned = match is_conditional {
                // The key with another condition may be the one to write.
                true if !applies => {
                    let mut keys = of.entity.keys_in(of_index.index);
                    let is_other = keys.any(|key| key.applies(&|place| known.value(place)));
                    !is_other && known.decides(of_index)
                }
                true => {
                    let templates = of_index.key.with(&index.key).enumerate();
                    let depending = templates
                        .filter(|(position, _)| of.entity.is_conditional(of_index, *position));
                    let parts: Vec<&TemplatePart> =
                        depending.flat_map(|(_, (template, _))| template.parts).collect();
                    known.concerns_condition(of_index, &parts, may_be_new)
                }
                false => {
                    known.concerns(of_index, template, may_be_new)
                        || known.completes(of_index, template)
                }
            };
            if !is_concerned {
                continue;
            }
            written.push(attribute.name());
            let path = Path::attribute(attribute.name())?;
            let has = (applies || !is_conditional)
                && of_index.key.has(template, &|place| known.value(place));
            let rendered = match has {
                true => {
                    let size_max = index.key.size_max(attribute);
                    template.render(attribute, size_max, &|place| known.value(place))?
                }
                false => None,
            };
            changes.actions.push(match rendered {
                None => Action::Remove(path),
                // What is made from the moment of creation stays as it is.
                Some(value) if known.was_created_with(template) => {
                    let kept = SetOperand::if_not_exists(path.clone(), SetOperand::Value(value))?;
                    Action::Set(path, SetValue::operand(kept))
                }
                Some(value) => Action::Set(path, value.into()),
            });
        }
    }
    known.relied_on(of, &written, may_be_new)
}

/// The attribute of a field; `None` if it is stored within a key or a payload.
fn stored_path(of: Shapes, field: &'static FieldShape) -> Result<Option<Path>> {
    Ok(match field.storage {
        Storage::Attribute | Storage::Expiry => {
            Some(Path::attribute(attribute_name(of.table, field))?)
        }
        Storage::Key | Storage::Payload => None,
    })
}

/// Fields whose values are known.
struct Known {
    /// Those that the update sets.
    set: Vec<(usize, Option<Value>)>,
    /// Those that have a value afterwards: they are set to one, or computed.
    filled: Vec<usize>,
    /// Those of the primary key.
    in_key: Vec<(usize, Value)>,
    /// The moment of creation, if the item may be new.
    created: Option<(usize, Value)>,
}

impl Known {
    fn of(
        changes: &Changes,
        of: Shapes,
        key: &KeyValues,
        created: Option<Timestamp>,
    ) -> Result<Self> {
        let places = 0..of.entity.fields.len();
        let in_key = places.filter_map(|place| Some((place, key.part(of, place)?))).collect();
        let created = match (of.entity.kept(Keeper::Created), created) {
            (Some(place), Some(now)) => now.to_value()?.map(|now| (place, now)),
            _ => None,
        };
        let set = changes.sets.clone();
        let is_removed =
            |place: usize| set.iter().any(|(own, value)| *own == place && value.is_none());
        let mut filled = changes.provided.clone();
        filled.extend(of.entity.kept(Keeper::Updated));
        filled.extend(of.entity.kept(Keeper::Version));
        filled.retain(|place| !is_removed(*place));
        Ok(Self { set, filled, in_key, created })
    }

    fn value(&self, place: usize) -> Option<&Value> {
        if let Some((_, value)) = self.set.iter().find(|(own, _)| *own == place) {
            return value.as_ref();
        }
        let fixed = self.in_key.iter().chain(&self.created);
        fixed.into_iter().find(|(own, _)| *own == place).map(|(_, value)| value)
    }

    fn is_set(&self, template: &Template) -> bool {
        self.set.iter().any(|(place, _)| template.has(*place))
    }

    fn was_created_with(&self, template: &Template) -> bool {
        self.created.as_ref().is_some_and(|(place, _)| template.has(*place))
    }

    /// Whether the key attribute of this template has to be written.
    fn concerns(&self, of_index: &IndexKeyShape, template: &Template, may_be_new: bool) -> bool {
        let composed = || of_index.key.composed();
        if may_be_new {
            // An item that may be new needs all that can be said of it. Of a field that may be
            // missing and is not set, nothing can be said: an item that is there may have it, and
            // stays in the index or out of it; a new one does not, and needs no key.
            let is_open = |template: &Template| {
                template.parts.iter().any(|part| part.optional && !self.knows(part.place))
            };
            let is_composed = template.only_place().is_none();
            return template.parts.iter().all(|part| self.knows(part.place))
                && !(is_composed && composed().any(is_open));
        }
        let is_optional = |template: &Template| template.parts.iter().any(|part| part.optional);
        // Composed attributes come and go together if a part of one of them can.
        match template.only_place() {
            None if composed().any(is_optional) => composed().any(|template| self.is_set(template)),
            _ => self.is_set(template),
        }
    }

    /// Whether another attribute of the index key is written, and this one can be written with it.
    /// The stored item may lack it, if it was written before the index existed or by another
    /// program.
    fn completes(&self, of_index: &IndexKeyShape, template: &Template) -> bool {
        self.filled.iter().any(|place| of_index.key.has_place(*place))
            && template.parts.iter().all(|part| self.value(part.place).is_some())
    }

    /// The key attributes that the stored item must have because the update can put it into their
    /// index and does not write them. Fields that the model keeps do not count: they change with
    /// every update, also with one that has nothing to do with the index.
    fn relied_on(
        &self,
        of: Shapes,
        written: &[&str],
        may_be_new: bool,
    ) -> Result<Vec<StoredKeyPart>> {
        let is_kept = |place: &usize| {
            of.entity.field(*place).is_some_and(|field| field.keeper != Keeper::Program)
        };
        let mut relied_on = Vec::new();
        for of_index in of.entity.indexes {
            let Some(index) = of.table.index(of_index.index) else { continue };
            let key = &of_index.key;
            let decides = |place: usize| of_index.when.is_some_and(|when| when.place == place);
            let mut given = self.filled.iter().filter(|place| !is_kept(place));
            if !given.any(|place| key.has_place(*place) || decides(*place))
                || self.excludes(of_index)
            {
                continue;
            }
            for (template, attribute) in key.with(&index.key) {
                let is_primary = of.table.key.iter().any(|own| own.name() == attribute.name());
                if is_primary
                    || written.contains(&attribute.name())
                    || of.entity.is_own_attribute(template, attribute)
                {
                    continue;
                }
                if let Some(mut either) = self.reasons_to_lack(of, of_index, template)? {
                    let path = Path::attribute(attribute.name())?;
                    either.push(Condition::attribute_exists(path));
                    if may_be_new {
                        either.push(missing(of)?);
                    }
                    relied_on.push(StoredKeyPart {
                        index: of_index.index,
                        attribute: attribute.name(),
                        condition: Condition::or(either)?,
                    });
                }
            }
        }
        Ok(relied_on)
    }

    /// Whether the update itself keeps the item out of the index.
    fn excludes(&self, of_index: &IndexKeyShape) -> bool {
        let applies = match &of_index.when {
            Some(when) if self.knows(when.place) => when.holds(self.value(when.place)),
            _ => true,
        };
        let lacks = |part: &TemplatePart| {
            part.optional && self.knows(part.place) && self.value(part.place).is_none()
        };
        let templates = of_index.key.partition.iter().chain(of_index.key.sort);
        !applies || templates.flat_map(|template| template.parts).any(lacks)
    }

    /// Conditions under which an item rightly lacks the key attribute of this template; `None` if
    /// that cannot be seen in its attributes.
    fn reasons_to_lack(
        &self,
        of: Shapes,
        of_index: &IndexKeyShape,
        template: &Template,
    ) -> Result<Option<Vec<Condition>>> {
        let mut reasons = Vec::new();
        if let Some(when) = of_index.when.filter(|when| !self.knows(when.place))
            && let Some(field) = of.entity.field(when.place)
        {
            let Some(path) = stored_path(of, field)? else { return Ok(None) };
            let values = when.values.iter().map(|text| {
                Operand::Value(match field.kind {
                    AttributeType::Boolean => Value::Bool(*text == "true"),
                    _ => Value::S((*text).to_owned()),
                })
            });
            let is_one_of = Condition::is_in(Operand::Path(path), values.collect())?;
            reasons.push(Condition::not(is_one_of)?);
        }
        // Composed attributes are present together or not at all.
        let lone = Some(template).filter(|template| template.only_place().is_some());
        let composed = of_index.key.composed().filter(|_| lone.is_none());
        for part in lone.into_iter().chain(composed).flat_map(|template| template.parts) {
            if !part.optional || self.knows(part.place) || self.filled.contains(&part.place) {
                continue;
            }
            let Some(field) = of.entity.field(part.place) else { continue };
            let Some(path) = stored_path(of, field)? else { return Ok(None) };
            reasons.push(Condition::attribute_not_exists(path.clone()));
            if field.null {
                reasons.push(Condition::attribute_type(Operand::Path(path), Type::Null));
            }
        }
        Ok(Some(reasons))
    }

    /// Whether the key that applies, which has a condition, has to be written: it may apply since
    /// now, or a part of it changes.
    fn concerns_condition(
        &self,
        of_index: &IndexKeyShape,
        parts: &[&TemplatePart],
        may_be_new: bool,
    ) -> bool {
        let is_set = |place: usize| self.set.iter().any(|(own, _)| *own == place);
        // Of a part that is not set, nothing can be said of an item that is there.
        let is_known = parts.iter().all(|part| self.knows(part.place));
        let is_changed = self.decides(of_index) || parts.iter().any(|part| is_set(part.place));
        is_known && (may_be_new || is_changed)
    }

    /// Whether the update sets the field of this key's condition.
    fn decides(&self, of_index: &IndexKeyShape) -> bool {
        let when = of_index.when.as_ref();
        when.is_some_and(|when| self.set.iter().any(|(place, _)| *place == when.place))
    }

    fn knows(&self, place: usize) -> bool {
        self.set.iter().any(|(own, _)| *own == place) || self.value(place).is_some()
    }
}
