//! Parses updates.

use super::{Action, Clause, Fault, SetOperand, SetValue, Update};
use crate::Value;
use crate::error::Result;
use crate::expression::syntax::{self, Node, NodeId, Tree};
use crate::expression::{Function, OPERATORS_MAX, Parameter, Path, Placeholders, overlap};
use std::ops::RangeInclusive;

impl Update {
    /// Parses an update and marks its placeholders as used.
    pub fn parse(
        text: &str,
        parameter: Parameter,
        placeholders: &mut Placeholders,
    ) -> Result<Self> {
        parse(text, placeholders).map_err(|fault| parameter.refuse(&fault))
    }
}

fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Update, Fault> {
    let (tree, actions) = syntax::update(text)?;
    // The service goes through the actions twice, from last to first: once for the paths they
    // change, and once for the rest.
    let mut paths = Vec::with_capacity(actions.len());
    for action in actions.iter().rev() {
        match Path::resolve(&tree, action.path, placeholders) {
            Ok(path) => paths.push(path),
            Err(fault) => {
                overlap::check(paths.iter())?;
                return Err(fault);
            }
        }
    }
    overlap::check(paths.iter())?;
    let mut made = Vec::with_capacity(actions.len());
    for (action, path) in actions.iter().rev().zip(paths) {
        let action = match (action.clause, action.value) {
            (Clause::Set, Some(value)) => {
                // The nodes of the value are between the path and the value's root.
                let nodes = action.path + 1..=value;
                Action::Set(path, set_value(&tree, nodes, placeholders)?)
            }
            (Clause::Add, Some(value)) => Action::Add(path, given(&tree, value, placeholders)?),
            (Clause::Delete, Some(value)) => {
                Action::Delete(path, given(&tree, value, placeholders)?)
            }
            _ => Action::Remove(path),
        };
        action.check()?;
        made.push(action);
    }
    if tree.operator_count() > OPERATORS_MAX {
        return Err(Fault::TooManyOperators);
    }
    made.reverse();
    Update::new(made)
}

/// The value of an ADD or DELETE action.
fn given(tree: &Tree<'_>, node: NodeId, placeholders: &mut Placeholders) -> Result<Value, Fault> {
    match tree.nodes.get(node) {
        Some(Node::Value(span)) => placeholders.value(span.of(tree.text)),
        _ => Err(Fault::Empty),
    }
}

/// The result of a node.
enum Built {
    Operand(SetOperand),
    Whole(SetValue),
    Taken,
}

/// Builds the value of a SET action from its nodes, from first to last.
fn set_value(
    tree: &Tree<'_>,
    nodes: RangeInclusive<NodeId>,
    placeholders: &mut Placeholders,
) -> Result<SetValue, Fault> {
    let first = *nodes.start();
    let mut built: Vec<Built> = Vec::new();
    for node in nodes {
        let mut operand = |node: NodeId| {
            let place = node.checked_sub(first).and_then(|place| built.get_mut(place));
            match place.map(|place| std::mem::replace(place, Built::Taken)) {
                Some(Built::Operand(operand)) => Ok(operand),
                // The word check rules out a whole value in place of an operand.
                _ => Err(Fault::Empty),
            }
        };
        let one = match tree.nodes.get(node) {
            Some(Node::Path { .. }) => {
                Built::Operand(SetOperand::Path(Path::resolve(tree, node, placeholders)?))
            }
            Some(Node::Value(span)) => {
                Built::Operand(SetOperand::Value(placeholders.value(span.of(tree.text))?))
            }
            Some(&Node::Sum(left, right)) => {
                Built::Whole(SetValue::sum(operand(left)?, operand(right)?)?)
            }
            Some(&Node::Difference(left, right)) => {
                Built::Whole(SetValue::difference(operand(left)?, operand(right)?)?)
            }
            Some(&Node::Call(name, list)) => {
                let operands = tree.list(list);
                let function = match Function::from_name(name.of(tree.text)) {
                    Some(function) => function,
                    None => return Err(Fault::UnknownFunction(name.of(tree.text).to_owned())),
                };
                let &[one, two] = operands else {
                    return Err(Fault::OperandCount(function, operands.len()));
                };
                let (one, two) = (operand(one)?, operand(two)?);
                match (function, one) {
                    (Function::ListAppend, one) => Built::Whole(SetValue::list_append(one, two)?),
                    (_, SetOperand::Path(path)) => {
                        Built::Operand(SetOperand::if_not_exists(path, two)?)
                    }
                    _ => return Err(Fault::PathWanted(function)),
                }
            }
            // The grammar of updates has no others.
            _ => return Err(Fault::Empty),
        };
        built.push(one);
    }
    match built.pop() {
        Some(Built::Whole(value)) => Ok(value),
        Some(Built::Operand(operand)) => Ok(SetValue::operand(operand)),
        _ => Err(Fault::Empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Printer;

    /// The parsed text, printed again with its placeholders, or the error.
    fn check(text: &str, expected: &str) {
        let mut placeholders = Placeholders::of(
            &[("#a", "a")],
            [(":n", Value::from(1)), (":s", Value::from("s")), (":l", Value::L(vec![]))],
        );
        let found = match parse(text, &mut placeholders) {
            Ok(update) => Printer::new().update(&update),
            Err(fault) => fault.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn clauses_are_read_in_any_order_and_case() {
        for (text, expected) in [
            ("remove b Set #a=:n", "SET #0 = :0 REMOVE #1"),
            ("SET a = (b + :n), c = (:n) - (a)", "SET #0 = #1 + :0, #2 = :1 - #0"),
            (
                "SET a = list_append(if_not_exists(a, :l), :l)",
                "SET #0 = list_append(if_not_exists(#0, :0), :1)",
            ),
            (
                "SET a = if_not_exists(b.c[1], if_not_exists(d, :n)) + :n",
                "SET #0 = if_not_exists(#1.#2[1], if_not_exists(#3, :0)) + :1",
            ),
            ("ADD a :n, b.c :n", "ADD #0 :0, #1.#2 :1"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn faults_are_reported_from_the_last_action_to_the_first() {
        for (text, expected) in [
            (
                "SET a = :n SET b = :n",
                "The \"SET\" section can only be used once in an update expression;",
            ),
            ("SET a = b + c + d", "Syntax error; token: \"+\", near: \"c + d\""),
            ("SET a = (b + c) + d", "Syntax error; token: \"+\", near: \") + d\""),
            ("SET a = ((b)) @", "The expression has redundant parentheses;"),
            ("SET a = list_append(b,((c)) @", "Syntax error; token: \"@\", near: \") @\""),
            (
                "SET a = :y, b = :z",
                "An expression attribute value used in expression is not defined; attribute value: :z",
            ),
            (
                "SET #z = b, a = :y",
                "An expression attribute name used in the document path is not defined; attribute name: #z",
            ),
            (
                "SET a = :y, a.b = :n",
                "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]",
            ),
            (
                "SET a[0] = :n REMOVE a.b",
                "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, [0]], path two: [a, b]",
            ),
            (
                "SET c = if_not_exists(b) ADD a :s",
                "Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND",
            ),
            (
                "SET a = if_not_exists(:n, b)",
                "Operator or function requires a document path; operator or function: if_not_exists",
            ),
            (
                "SET a = list_append(list_append(a, b), c)",
                "The function is not allowed to be used this way in an expression; function: list_append",
            ),
        ] {
            check(text, expected);
        }
    }
}
