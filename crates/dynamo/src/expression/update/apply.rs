//! What an update does to an item.

use super::{Action, Computation, SetOperand, SetValue, Update};
use crate::binary::{self, ItemRef, ValueRef};
use crate::error::Error;
use crate::expression::projection::project;
use crate::expression::{Element, Path};
use crate::json::value::TOO_DEEP;
use crate::limits::NESTING_MAX;
use crate::{Item, NumberError, Value};
use std::fmt;

/// Why an update cannot be made to an item. Displays as the service's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateFault {
    /// An operand is not in the item.
    Missing,
    /// An operand is of a type that cannot be added, appended or deleted from.
    OperandType,
    /// What the path leads through is not there, or is no map or list.
    Path,
    /// A sum or difference is not a number that DynamoDB has.
    Number(NumberError),
    /// The new item is nested too deep.
    Nesting,
}

impl fmt::Display for UpdateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str(
                "The provided expression refers to an attribute that does not exist in the item",
            ),
            Self::OperandType => {
                f.write_str("An operand in the update expression has an incorrect data type")
            }
            Self::Path => f.write_str(
                "The document path provided in the update expression is invalid for update",
            ),
            Self::Number(error) => error.fmt(f),
            Self::Nesting => f.write_str(TOO_DEEP),
        }
    }
}

impl std::error::Error for UpdateFault {}

impl From<UpdateFault> for Error {
    fn from(fault: UpdateFault) -> Self {
        Self::validation(fault.to_string())
    }
}

impl From<NumberError> for UpdateFault {
    fn from(error: NumberError) -> Self {
        // The service tells a sum that needs more digits than there are as one that is too large.
        Self::Number(match error {
            NumberError::Precision => NumberError::Overflow,
            error => error,
        })
    }
}

impl Update {
    /// The item that the update makes of `old`, or of nothing: then `key`, the item's key
    /// attributes, is what it begins with.
    ///
    /// All operands are read from the old item. Indexes are those of the old item too: elements
    /// are set before any is removed, and what is set past the end of a list is appended in the
    /// order of its indexes.
    pub fn apply(&self, old: Option<ItemRef<'_>>, key: &Item) -> Result<Item, UpdateFault> {
        let is_new = old.is_none();
        let key_alone;
        let old = match old {
            Some(old) => old,
            None => {
                key_alone = binary::encode(key);
                ItemRef::trusted(&key_alone)
            }
        };
        let mut set: Vec<(&Path, Value)> = Vec::with_capacity(self.actions.len());
        let mut removed: Vec<&Path> = Vec::new();
        for action in &self.actions {
            // The service takes parts out of an item that is not there without a word, though it
            // refuses to take them out of an attribute that is not there.
            if is_new && matches!(action, Action::Remove(_)) {
                continue;
            }
            let path = action.path();
            check_parent(path, old)?;
            match action.effect(old)? {
                Effect::Set(value) if path.rest().len() + value.levels() > NESTING_MAX => {
                    return Err(UpdateFault::Nesting);
                }
                Effect::Set(value) => set.push((path, value)),
                Effect::Remove => removed.push(path),
                Effect::Nothing => {}
            }
        }

        let mut new = old.to_item();
        set.sort_by_key(|(path, _)| *path);
        for (path, value) in set {
            put(&mut new, path, value);
        }
        removed.sort_unstable();
        for path in removed.into_iter().rev() {
            take(&mut new, path);
        }
        Ok(new)
    }

    /// What ReturnValues `UPDATED_OLD` returns: the parts that the actions change, as they were.
    #[must_use]
    pub fn updated_old(&self, old: Option<ItemRef<'_>>) -> Item {
        old.map(|old| self.parts(old)).unwrap_or_default()
    }

    /// What ReturnValues `UPDATED_NEW` returns: what is now at the paths that the actions change.
    /// Of an element that was removed from a list, that is the one that took its place.
    #[must_use]
    pub fn updated_new(&self, new: ItemRef<'_>) -> Item {
        self.parts(new)
    }

    fn parts(&self, item: ItemRef<'_>) -> Item {
        let mut paths: Vec<&Path> = self.actions.iter().map(Action::path).collect();
        paths.sort_unstable();
        project(&paths, item)
    }
}

/// What an action comes down to.
enum Effect {
    Set(Value),
    Remove,
    Nothing,
}

impl Action {
    fn effect(&self, old: ItemRef<'_>) -> Result<Effect, UpdateFault> {
        match self {
            Self::Set(_, value) => value.compute(old).map(Effect::Set),
            Self::Remove(path) => match path.find(old) {
                Some(_) => Ok(Effect::Remove),
                None => Ok(Effect::Nothing),
            },
            Self::Add(path, value) => match path.find(old) {
                None => Ok(Effect::Set(value.clone())),
                Some(before) => add(before.to_value(), value).map(Effect::Set),
            },
            Self::Delete(path, value) => match path.find(old) {
                None => Ok(Effect::Nothing),
                Some(before) => delete(before.to_value(), value),
            },
        }
    }
}

fn add(before: Value, value: &Value) -> Result<Value, UpdateFault> {
    match (before, value) {
        (Value::N(a), Value::N(b)) => Ok(Value::N(a.checked_add(*b)?)),
        (Value::Ss(a), Value::Ss(b)) => Ok(Value::Ss(a.union(b.clone()))),
        (Value::Ns(a), Value::Ns(b)) => Ok(Value::Ns(a.union(b.clone()))),
        (Value::Bs(a), Value::Bs(b)) => Ok(Value::Bs(a.union(b.clone()))),
        _ => Err(UpdateFault::OperandType),
    }
}

/// Sets are never empty: one that loses all its elements goes itself.
fn delete(before: Value, value: &Value) -> Result<Effect, UpdateFault> {
    let rest = match (before, value) {
        (Value::Ss(a), Value::Ss(b)) => a.difference(b).map(Value::Ss),
        (Value::Ns(a), Value::Ns(b)) => a.difference(b).map(Value::Ns),
        (Value::Bs(a), Value::Bs(b)) => a.difference(b).map(Value::Bs),
        _ => return Err(UpdateFault::OperandType),
    };
    Ok(rest.map_or(Effect::Remove, Effect::Set))
}

impl SetValue {
    fn compute(&self, old: ItemRef<'_>) -> Result<Value, UpdateFault> {
        let number = |operand: &SetOperand| match operand.find(old)? {
            Found::Stored(ValueRef::N(number)) => Ok(number),
            Found::Given(Value::N(number)) => Ok(*number),
            _ => Err(UpdateFault::OperandType),
        };
        let list = |operand: &SetOperand| match operand.find(old)?.to_value() {
            Value::L(list) => Ok(list),
            _ => Err(UpdateFault::OperandType),
        };
        match self.computation() {
            Computation::Operand(operand) => Ok(operand.find(old)?.to_value()),
            Computation::Sum(a, b) => Ok(Value::N(number(a)?.checked_add(number(b)?)?)),
            Computation::Difference(a, b) => Ok(Value::N(number(a)?.checked_sub(number(b)?)?)),
            Computation::ListAppend(a, b) => {
                let mut all = list(a)?;
                all.extend(list(b)?);
                Ok(Value::L(all))
            }
        }
    }
}

/// What an operand is for the old item.
enum Found<'a> {
    Stored(ValueRef<'a>),
    Given(&'a Value),
}

impl Found<'_> {
    fn to_value(&self) -> Value {
        match self {
            Self::Stored(value) => value.to_value(),
            Self::Given(value) => (*value).clone(),
        }
    }
}

impl SetOperand {
    fn find<'a>(&'a self, old: ItemRef<'a>) -> Result<Found<'a>, UpdateFault> {
        let mut operand = self;
        loop {
            match operand {
                Self::Path(path) => {
                    return path.find(old).map(Found::Stored).ok_or(UpdateFault::Missing);
                }
                Self::Value(value) => return Ok(Found::Given(value)),
                Self::IfNotExists(inner) => match inner.path().find(old) {
                    Some(found) => return Ok(Found::Stored(found)),
                    None => operand = inner.otherwise(),
                },
            }
        }
    }
}

/// What a path changes must be in a map or a list that is there already.
fn check_parent(path: &Path, old: ItemRef<'_>) -> Result<(), UpdateFault> {
    let Some((last, above)) = path.rest().split_last() else { return Ok(()) };
    let mut parent = old.get(path.name()).ok_or(UpdateFault::Path)?;
    for element in above {
        parent = element.find(parent).ok_or(UpdateFault::Path)?;
    }
    match (last, parent) {
        (Element::Field(_), ValueRef::M(_)) | (Element::Index(_), ValueRef::L(_)) => Ok(()),
        _ => Err(UpdateFault::Path),
    }
}

/// Sets what is at a path whose parent was checked.
fn put(item: &mut Item, path: &Path, value: Value) {
    let Some((last, above)) = path.rest().split_last() else {
        item.insert(path.name(), value);
        return;
    };
    match (parent(item, path.name(), above), last) {
        (Some(Value::M(map)), Element::Field(name)) => {
            map.insert(name.as_str(), value);
        }
        (Some(Value::L(list)), Element::Index(index)) => match list.get_mut(place(*index)) {
            Some(element) => *element = value,
            None => list.push(value),
        },
        _ => {}
    }
}

/// Takes out what is at a path.
fn take(item: &mut Item, path: &Path) {
    let Some((last, above)) = path.rest().split_last() else {
        item.remove(path.name());
        return;
    };
    match (parent(item, path.name(), above), last) {
        (Some(Value::M(map)), Element::Field(name)) => {
            map.remove(name);
        }
        (Some(Value::L(list)), Element::Index(index)) if place(*index) < list.len() => {
            list.remove(place(*index));
        }
        _ => {}
    }
}

fn parent<'a>(item: &'a mut Item, name: &str, above: &[Element]) -> Option<&'a mut Value> {
    above.iter().try_fold(item.get_mut(name)?, |value, element| match (value, element) {
        (Value::M(map), Element::Field(name)) => map.get_mut(name),
        (Value::L(list), Element::Index(index)) => list.get_mut(place(*index)),
        _ => None,
    })
}

fn place(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}
