//! Updates.

use super::document::{Numbered, lookup, way};
use singlet_dynamo::expression::{
    Action, Computation, Element, Path, SetOperand, SetValue, Update, UpdateFault,
};
use singlet_dynamo::limits::NESTING_MAX;
use singlet_dynamo::{Item, Set, Value};
use std::collections::BTreeSet;

/// An action of an update.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the variants are the clauses' names")]
pub enum Change {
    Set(Path, NewValue),
    Remove(Path),
    Add(Path, Value),
    Delete(Path, Value),
}

/// The right-hand side of SET.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the variants are the operators' names")]
pub enum NewValue {
    Operand(Given),
    Sum(Given, Given),
    Difference(Given, Given),
    Append(Given, Given),
}

/// An operand of SET.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the variants are the kinds of operands")]
pub enum Given {
    Path(Path),
    Value(Value),
    Default(Path, Box<Given>),
}

/// Builds an update; `None` if it is invalid.
#[must_use]
pub fn build_update(changes: &[Change]) -> Option<Update> {
    let actions = changes.iter().map(|change| {
        Some(match change.clone() {
            Change::Set(path, value) => Action::Set(path, value.build()?),
            Change::Remove(path) => Action::Remove(path),
            Change::Add(path, value) => Action::Add(path, value),
            Change::Delete(path, value) => Action::Delete(path, value),
        })
    });
    Update::new(actions.collect::<Option<Vec<_>>>()?).ok()
}

/// The actions of an update.
#[must_use]
pub fn changes_of(update: &Update) -> Vec<Change> {
    let change = |action: &Action| match action.clone() {
        Action::Set(path, value) => Change::Set(path, NewValue::of(&value)),
        Action::Remove(path) => Change::Remove(path),
        Action::Add(path, value) => Change::Add(path, value),
        Action::Delete(path, value) => Change::Delete(path, value),
    };
    update.actions().iter().map(change).collect()
}

impl Change {
    /// Whether this is a REMOVE.
    #[must_use]
    pub fn removes(&self) -> bool {
        matches!(self, Self::Remove(_))
    }

    /// The target path.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Set(path, _)
            | Self::Remove(path)
            | Self::Add(path, _)
            | Self::Delete(path, _) => path,
        }
    }

    /// Actions are applied clause by clause, regardless of their order in the text.
    fn clause(&self) -> u8 {
        match self {
            Self::Set(..) => 0,
            Self::Remove(_) => 1,
            Self::Add(..) => 2,
            Self::Delete(..) => 3,
        }
    }
}

impl NewValue {
    fn of(value: &SetValue) -> Self {
        match value.computation() {
            Computation::Operand(a) => Self::Operand(Given::of(a)),
            Computation::Sum(a, b) => Self::Sum(Given::of(a), Given::of(b)),
            Computation::Difference(a, b) => Self::Difference(Given::of(a), Given::of(b)),
            Computation::ListAppend(a, b) => Self::Append(Given::of(a), Given::of(b)),
        }
    }

    fn build(&self) -> Option<SetValue> {
        match self {
            Self::Operand(a) => Some(SetValue::operand(a.build()?)),
            Self::Sum(a, b) => SetValue::sum(a.build()?, b.build()?).ok(),
            Self::Difference(a, b) => SetValue::difference(a.build()?, b.build()?).ok(),
            Self::Append(a, b) => SetValue::list_append(a.build()?, b.build()?).ok(),
        }
    }

    /// Operands are evaluated and checked from left to right.
    fn find(&self, item: &Item) -> Result<Value, UpdateFault> {
        let number = |given: &Given| match given.find(item)? {
            Value::N(number) => Ok(number),
            _ => Err(UpdateFault::OperandType),
        };
        let list = |given: &Given| match given.find(item)? {
            Value::L(list) => Ok(list),
            _ => Err(UpdateFault::OperandType),
        };
        match self {
            Self::Operand(a) => a.find(item),
            Self::Sum(a, b) => Ok(Value::N(number(a)?.checked_add(number(b)?)?)),
            Self::Difference(a, b) => Ok(Value::N(number(a)?.checked_sub(number(b)?)?)),
            Self::Append(a, b) => Ok(Value::L([list(a)?, list(b)?].concat())),
        }
    }
}

impl Given {
    fn of(operand: &SetOperand) -> Self {
        match operand {
            SetOperand::Path(path) => Self::Path(path.clone()),
            SetOperand::Value(value) => Self::Value(value.clone()),
            SetOperand::IfNotExists(inner) => {
                Self::Default(inner.path().clone(), Box::new(Self::of(inner.otherwise())))
            }
        }
    }

    fn build(&self) -> Option<SetOperand> {
        match self {
            Self::Path(path) => Some(SetOperand::Path(path.clone())),
            Self::Value(value) => Some(SetOperand::Value(value.clone())),
            Self::Default(path, otherwise) => {
                SetOperand::if_not_exists(path.clone(), otherwise.build()?).ok()
            }
        }
    }

    fn find(&self, item: &Item) -> Result<Value, UpdateFault> {
        match self {
            Self::Path(path) => lookup(item, path).ok_or(UpdateFault::Missing),
            Self::Value(value) => Ok(value.clone()),
            Self::Default(path, otherwise) => {
                lookup(item, path).map_or_else(|| otherwise.find(item), Ok)
            }
        }
    }
}

/// Applies the actions to an item.
pub fn update(changes: &[Change], item: &Item) -> Result<Item, UpdateFault> {
    let mut changes: Vec<&Change> = changes.iter().collect();
    changes.sort_by_key(|change| change.clause());
    let mut effects = Vec::new();
    for change in changes {
        let path = change.path();
        if let Some((last, above)) = path.rest().split_last() {
            let above = Path::new(path.name(), above.to_vec()).expect("shorter than another");
            match (last, lookup(item, &above)) {
                (Element::Field(_), Some(Value::M(_))) | (Element::Index(_), Some(Value::L(_))) => {
                }
                _ => return Err(UpdateFault::Path),
            }
        }
        let after = match (change, lookup(item, path)) {
            (Change::Set(_, value), _) => Some(value.find(item)?),
            (Change::Remove(_) | Change::Delete(..), None) => continue,
            (Change::Remove(_), Some(_)) => None,
            (Change::Add(_, value), None) => Some(value.clone()),
            (Change::Add(_, value), Some(before)) => Some(added(&before, value)?),
            (Change::Delete(_, value), Some(before)) => deleted(&before, value)?,
        };
        if after.as_ref().is_some_and(|value| path.rest().len() + depth(value) > NESTING_MAX) {
            return Err(UpdateFault::Nesting);
        }
        effects.push((path, after));
    }
    let mut whole = Numbered::of(Value::M(item.clone()));
    for (path, value) in effects {
        whole.change(&way(path), value);
    }
    match whole.back() {
        Value::M(map) => Ok(map),
        _ => panic!("a map stays a map"),
    }
}

/// The nesting depth of lists and maps.
fn depth(value: &Value) -> usize {
    match value {
        Value::M(map) => 1 + map.iter().map(|(_, one)| depth(one)).max().unwrap_or(0),
        Value::L(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn added(before: &Value, value: &Value) -> Result<Value, UpdateFault> {
    fn both<T: Ord + Clone>(a: &Set<T>, b: &Set<T>) -> Set<T> {
        let all: BTreeSet<T> = a.iter().chain(b).cloned().collect();
        Set::new(all.into_iter().collect()).expect("as large as either")
    }
    Ok(match (before, value) {
        (Value::N(a), Value::N(b)) => Value::N(a.checked_add(*b)?),
        (Value::Ss(a), Value::Ss(b)) => Value::Ss(both(a, b)),
        (Value::Ns(a), Value::Ns(b)) => Value::Ns(both(a, b)),
        (Value::Bs(a), Value::Bs(b)) => Value::Bs(both(a, b)),
        _ => return Err(UpdateFault::OperandType),
    })
}

/// A set after DELETE; `None` if it becomes empty.
fn deleted(before: &Value, value: &Value) -> Result<Option<Value>, UpdateFault> {
    fn rest<T: Ord + Clone>(a: &Set<T>, b: &Set<T>) -> Option<Set<T>> {
        let left = a.iter().filter(|one| !b.iter().any(|other| other == *one)).cloned().collect();
        Set::new(left).ok()
    }
    match (before, value) {
        (Value::Ss(a), Value::Ss(b)) => Ok(rest(a, b).map(Value::Ss)),
        (Value::Ns(a), Value::Ns(b)) => Ok(rest(a, b).map(Value::Ns)),
        (Value::Bs(a), Value::Bs(b)) => Ok(rest(a, b).map(Value::Bs)),
        _ => Err(UpdateFault::OperandType),
    }
}
