//! SD503: an update action does not fit the attribute's type.

use super::{Findings, Rule};
use crate::design::AttributeType;
use crate::design::subject::Subject;
use singlet_dynamo::Type;
use singlet_dynamo::expression::{Action, Computation, Path, SetOperand};

pub(super) const RULE: Rule =
    Rule { code: "SD503", title: "an update does not fit the type of an attribute", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let Some(Ok(update)) = &step.update else {
            continue;
        };
        for entity in step.entities() {
            for action in update.actions() {
                for (path, what, wanted) in uses(action) {
                    // The design does not describe nested values.
                    let attribute = entity.attribute(path.name()).filter(|_| path.is_attribute());
                    let Some(attribute) = attribute.filter(|own| !fits(own.kind, wanted)) else {
                        continue;
                    };
                    findings.error(
                        step.place().entity(&entity.name).attribute(&attribute.name),
                        format!(
                            "{what} needs {}, and `{}` is stored as {}",
                            noun(wanted),
                            attribute.name,
                            attribute.kind.stored_name()
                        ),
                        "Use SET with a value, or give the attribute the type that is meant.",
                    );
                }
            }
        }
    }
}

/// The type that an update action requires.
#[derive(Clone, Copy)]
enum Wanted {
    Number,
    NumberOrSet,
    Set,
    List,
}

fn noun(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Number => "a number",
        Wanted::NumberOrSet => "a number or a set",
        Wanted::Set => "a set",
        Wanted::List => "a list",
    }
}

fn fits(kind: AttributeType, wanted: Wanted) -> bool {
    // `Any` may have the required type.
    let Some(kind) = kind.stored() else { return true };
    let is_set = matches!(kind, Type::Ss | Type::Ns | Type::Bs);
    match wanted {
        Wanted::Number => kind == Type::N,
        Wanted::NumberOrSet => kind == Type::N || is_set,
        Wanted::Set => is_set,
        Wanted::List => kind == Type::L,
    }
}

/// The attributes that an action uses, with the required types.
fn uses(action: &Action) -> Vec<(&Path, &'static str, Wanted)> {
    match action {
        Action::Add(path, _) => vec![(path, "ADD", Wanted::NumberOrSet)],
        Action::Delete(path, _) => vec![(path, "DELETE", Wanted::Set)],
        Action::Set(_, value) => {
            let (operands, what, wanted) = match value.computation() {
                Computation::Operand(_) => return Vec::new(),
                Computation::Sum(left, right) => ([left, right], "`+`", Wanted::Number),
                Computation::Difference(left, right) => ([left, right], "`-`", Wanted::Number),
                Computation::ListAppend(first, second) => {
                    ([first, second], "list_append", Wanted::List)
                }
            };
            let paths = operands.into_iter().filter_map(path_of);
            paths.map(|path| (path, what, wanted)).collect()
        }
        Action::Remove(_) => Vec::new(),
    }
}

/// The operand's path; `None` for a literal value.
fn path_of(operand: &SetOperand) -> Option<&Path> {
    match operand {
        SetOperand::Path(path) => Some(path),
        SetOperand::IfNotExists(operand) => Some(operand.path()),
        SetOperand::Value(_) => None,
    }
}
