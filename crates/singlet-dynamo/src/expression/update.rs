//! Updates: how to turn an old item into a new one.

mod apply;
mod parse;

pub(crate) use apply::Made;
pub use apply::UpdateFault;

use super::{Fault, Function, OPERATORS_MAX, Path, overlap};
use crate::{Type, Value};
use std::fmt;

/// Turns an old item into a new one.
///
/// Created from text by [`Update::parse`], or from actions by [`Update::new`]. The actions change
/// different parts of the item, and all read the old item.
///
/// ```
/// use singlet_dynamo::expression::{Parameter, Placeholders, Update};
/// use singlet_dynamo::{Item, Value, binary};
///
/// let mut placeholders = Placeholders::of(&[], [(":one", Value::from(1))]);
/// let text = "SET round = round + :one, last_round = round REMOVE winner";
/// let update = Update::parse(text, Parameter::UpdateExpression, &mut placeholders)?;
///
/// let key = Item::from([("PK", Value::from("GAME#1"))]);
/// let mut old = key.clone();
/// old.insert("round", Value::from(7));
/// old.insert("winner", Value::from("Ada"));
/// let stored = binary::encode(&old);
///
/// let new = update.apply(Some(binary::ItemRef::trusted(&stored)), &key)?;
/// assert_eq!(new.get("round"), Some(&Value::from(8)));
/// assert_eq!(new.get("last_round"), Some(&Value::from(7)));
/// assert_eq!(new.get("winner"), None);
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Ordered by clause: SET, REMOVE, ADD, DELETE.
    actions: Vec<Action>,
}

/// One change of an [`Update`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sets the value at the path.
    Set(Path, SetValue),
    /// Removes the value at the path, if there is one.
    Remove(Path),
    /// Adds a number to a number, or a set to a set. A missing attribute is created.
    Add(Path, Value),
    /// Removes elements from a set.
    Delete(Path, Value),
}

/// The clause of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the variants are the keywords")]
pub enum Clause {
    Set,
    Remove,
    Add,
    Delete,
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Set => "SET",
            Self::Remove => "REMOVE",
            Self::Add => "ADD",
            Self::Delete => "DELETE",
        })
    }
}

/// The new value in a SET action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetValue(Computation);

/// The content of a [`SetValue`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Computation {
    /// The operand itself.
    Operand(SetOperand),
    /// `left + right`.
    Sum(SetOperand, SetOperand),
    /// `left - right`.
    Difference(SetOperand, SetOperand),
    /// `list_append(first, second)`.
    ListAppend(SetOperand, SetOperand),
}

/// An operand of SET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetOperand {
    /// The old item's value at this path.
    Path(Path),
    /// A value in the request.
    Value(Value),
    /// The old item's value at a path, or a default.
    IfNotExists(Box<IfNotExists>),
}

/// `if_not_exists(path, otherwise)`.
// Invariant: nested no deeper than OPERATORS_MAX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IfNotExists {
    path: Path,
    otherwise: SetOperand,
    operators: usize,
}

impl IfNotExists {
    /// The path, tried first.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The default.
    #[must_use]
    pub fn otherwise(&self) -> &SetOperand {
        &self.otherwise
    }
}

impl SetOperand {
    /// `if_not_exists(path, otherwise)`.
    pub fn if_not_exists(path: Path, otherwise: Self) -> Result<Self, Fault> {
        let operators = otherwise.operators() + 1;
        if operators > OPERATORS_MAX {
            return Err(Fault::TooManyOperators);
        }
        if matches!(&otherwise, Self::Path(other) if *other == path) {
            return Err(Fault::SameOperand(Function::IfNotExists.name(), path));
        }
        Ok(Self::IfNotExists(Box::new(IfNotExists { path, otherwise, operators })))
    }

    fn operators(&self) -> usize {
        match self {
            Self::Path(_) | Self::Value(_) => 0,
            Self::IfNotExists(inner) => inner.operators,
        }
    }

    /// Refuses a value of the wrong type for an operator or function. The type of a path or default
    /// is only known with an item.
    fn check(&self, operator: &'static str, wanted: Type) -> Result<(), Fault> {
        match self {
            Self::Value(value) if value.kind() != wanted => {
                Err(Fault::OperandType(operator, value.kind()))
            }
            _ => Ok(()),
        }
    }

    /// The type of a value or default, if it is known without an item.
    fn known_type(&self) -> Option<Type> {
        let mut operand = self;
        loop {
            match operand {
                Self::Path(_) => return None,
                Self::Value(value) => return Some(value.kind()),
                Self::IfNotExists(inner) => operand = &inner.otherwise,
            }
        }
    }

    fn visit_paths<'a>(&'a self, visit: &mut impl FnMut(&'a Path)) {
        let mut operand = self;
        loop {
            match operand {
                Self::Path(path) => return visit(path),
                Self::Value(_) => return,
                Self::IfNotExists(inner) => {
                    visit(&inner.path);
                    operand = &inner.otherwise;
                }
            }
        }
    }
}

impl SetValue {
    /// The operand itself.
    #[must_use]
    pub fn operand(operand: SetOperand) -> Self {
        Self(Computation::Operand(operand))
    }

    /// `left + right`, of numbers.
    pub fn sum(left: SetOperand, right: SetOperand) -> Result<Self, Fault> {
        left.check("+", Type::N)?;
        right.check("+", Type::N)?;
        Ok(Self(Computation::Sum(left, right)))
    }

    /// `left - right`, of numbers.
    pub fn difference(left: SetOperand, right: SetOperand) -> Result<Self, Fault> {
        left.check("-", Type::N)?;
        right.check("-", Type::N)?;
        Ok(Self(Computation::Difference(left, right)))
    }

    /// `list_append(first, second)`.
    pub fn list_append(first: SetOperand, second: SetOperand) -> Result<Self, Fault> {
        first.check(Function::ListAppend.name(), Type::L)?;
        second.check(Function::ListAppend.name(), Type::L)?;
        Ok(Self(Computation::ListAppend(first, second)))
    }

    /// The value's content.
    #[must_use]
    pub fn computation(&self) -> &Computation {
        &self.0
    }

    fn operators(&self) -> usize {
        match &self.0 {
            Computation::Operand(operand) => operand.operators(),
            Computation::Sum(a, b)
            | Computation::Difference(a, b)
            | Computation::ListAppend(a, b) => a.operators() + b.operators() + 1,
        }
    }

    /// The value, if it is in the request.
    pub(super) fn given(&self) -> Option<&Value> {
        match &self.0 {
            Computation::Operand(SetOperand::Value(value)) => Some(value),
            _ => None,
        }
    }

    /// The type, if it is known without an item.
    pub(super) fn known_type(&self) -> Option<Type> {
        match &self.0 {
            Computation::Operand(operand) => operand.known_type(),
            Computation::Sum(..) | Computation::Difference(..) => Some(Type::N),
            Computation::ListAppend(..) => Some(Type::L),
        }
    }

    fn visit_paths<'a>(&'a self, visit: &mut impl FnMut(&'a Path)) {
        match &self.0 {
            Computation::Operand(operand) => operand.visit_paths(visit),
            Computation::Sum(a, b)
            | Computation::Difference(a, b)
            | Computation::ListAppend(a, b) => {
                a.visit_paths(visit);
                b.visit_paths(visit);
            }
        }
    }
}

impl From<Value> for SetValue {
    fn from(value: Value) -> Self {
        Self::operand(SetOperand::Value(value))
    }
}

impl Action {
    /// The path that the action changes.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Set(path, _)
            | Self::Remove(path)
            | Self::Add(path, _)
            | Self::Delete(path, _) => path,
        }
    }

    /// The action's clause.
    #[must_use]
    pub fn clause(&self) -> Clause {
        match self {
            Self::Set(..) => Clause::Set,
            Self::Remove(_) => Clause::Remove,
            Self::Add(..) => Clause::Add,
            Self::Delete(..) => Clause::Delete,
        }
    }

    /// Refuses values that ADD or DELETE do not support.
    fn check(&self) -> Result<(), Fault> {
        let (value, fits) = match self {
            Self::Set(..) | Self::Remove(_) => return Ok(()),
            Self::Add(_, value) => {
                (value, matches!(value.kind(), Type::N | Type::Ss | Type::Ns | Type::Bs))
            }
            Self::Delete(_, value) => {
                (value, matches!(value.kind(), Type::Ss | Type::Ns | Type::Bs))
            }
        };
        match fits {
            true => Ok(()),
            false => Err(Fault::ClauseOperandType(self.clause(), value.kind())),
        }
    }
}

impl Update {
    /// An update of these actions. Needs at least one.
    pub fn new(actions: Vec<Action>) -> Result<Self, Fault> {
        let update = Self::unlimited(actions)?;
        let operators: usize = update
            .actions
            .iter()
            .map(|action| match action {
                Action::Set(_, value) => value.operators(),
                _ => 0,
            })
            .sum();
        if operators > OPERATORS_MAX {
            return Err(Fault::TooManyOperators);
        }
        Ok(update)
    }

    /// Like [`new`](Self::new), with any number of operators: only expressions limit them.
    pub(crate) fn unlimited(mut actions: Vec<Action>) -> Result<Self, Fault> {
        if actions.is_empty() {
            return Err(Fault::Empty);
        }
        overlap::check(actions.iter().rev().map(Action::path))?;
        actions.iter().rev().try_for_each(Action::check)?;
        actions.sort_by_key(Action::clause);
        Ok(Self { actions })
    }

    /// The actions, ordered by clause.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Calls the function with each path of the update, including those it reads.
    pub(super) fn visit_paths<'a>(&'a self, visit: &mut impl FnMut(&'a Path)) {
        for action in &self.actions {
            visit(action.path());
            if let Action::Set(_, value) = action {
                value.visit_paths(visit);
            }
        }
    }
}
