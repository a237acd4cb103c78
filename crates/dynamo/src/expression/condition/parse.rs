//! Text to conditions.

use super::{Condition, Fault, Operand};
use crate::error::Result;
use crate::expression::syntax::{self, Node, NodeId, Tree};
use crate::expression::{Function, OPERATORS_MAX, Parameter, Path, Placeholders};
use crate::{Type, Value};

impl Condition {
    /// Reads a condition's text. The placeholders that it has are noted as used.
    pub fn parse(
        text: &str,
        parameter: Parameter,
        placeholders: &mut Placeholders,
    ) -> Result<Self> {
        parse(text, placeholders).map_err(|fault| parameter.refuse(&fault))
    }
}

/// What became of a node.
enum Built {
    Operand(Operand),
    Condition(Condition),
    Taken,
}

fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Condition, Fault> {
    let tree = syntax::condition(text)?;
    // The service looks for every other fault first. Until then conditions are not joined, so
    // that none is nested deeper than a condition may be.
    let too_many = tree.operator_count() > OPERATORS_MAX;
    let mut builder = Builder { tree: &tree, built: Vec::with_capacity(tree.nodes.len()) };
    for (id, node) in tree.nodes.iter().enumerate() {
        let built = match *node {
            Node::And(left, right) | Node::Or(left, right) if too_many => {
                builder.condition(right)?;
                Built::Condition(builder.condition(left)?)
            }
            Node::Not(condition) if too_many => Built::Condition(builder.condition(condition)?),
            _ => builder.build(id, *node, placeholders)?,
        };
        builder.built.push(built);
    }
    match builder.built.pop() {
        _ if too_many => Err(Fault::TooManyOperators),
        Some(Built::Condition(condition)) => Ok(condition),
        _ => Err(Fault::Empty),
    }
}

/// Makes conditions of the nodes of a tree, from the first to the last.
struct Builder<'t> {
    tree: &'t Tree<'t>,
    built: Vec<Built>,
}

impl Builder<'_> {
    fn build(
        &mut self,
        id: NodeId,
        node: Node,
        placeholders: &mut Placeholders,
    ) -> Result<Built, Fault> {
        Ok(Built::Condition(match node {
            Node::Path { .. } => {
                let path = Path::resolve(self.tree, id, placeholders)?;
                return Ok(Built::Operand(Operand::Path(path)));
            }
            Node::Value(span) => {
                let value = placeholders.value(span.of(self.tree.text))?;
                return Ok(Built::Operand(Operand::Value(value)));
            }
            Node::Call(name, list) => {
                let Some(function) = Function::from_name(name.of(self.tree.text)) else {
                    return Err(Fault::UnknownFunction(name.of(self.tree.text).to_owned()));
                };
                let operands = self.tree.list(list);
                if operands.len() != function.operand_count() {
                    return Err(Fault::OperandCount(function, operands.len()));
                }
                let mut operands = operands.iter().copied();
                let mut next = || operands.next().map_or(Err(Fault::Empty), |id| self.operand(id));
                match function {
                    Function::Size => return Operand::size(next()?).map(Built::Operand),
                    Function::AttributeExists => {
                        Condition::attribute_exists(path(function, next()?)?)
                    }
                    Function::AttributeNotExists => {
                        Condition::attribute_not_exists(path(function, next()?)?)
                    }
                    Function::AttributeType => attribute_type(next()?, next()?)?,
                    Function::BeginsWith => Condition::begins_with(next()?, next()?)?,
                    Function::Contains => Condition::contains(next()?, next()?)?,
                    Function::IfNotExists | Function::ListAppend => {
                        return Err(Fault::NotForConditions(function));
                    }
                }
            }
            Node::Compare(comparator, left, right) => {
                Condition::compare(self.operand(left)?, comparator, self.operand(right)?)?
            }
            Node::Between { operand, lower, upper } => Condition::between(
                self.operand(operand)?,
                self.operand(lower)?,
                self.operand(upper)?,
            )?,
            Node::In(operand, list) => {
                let operand = self.operand(operand)?;
                let list = self.tree.list(list).iter().map(|&id| self.operand(id));
                Condition::is_in(operand, list.collect::<Result<_, _>>()?)?
            }
            Node::And(left, right) => self.condition(left)?.and_also(self.condition(right)?),
            Node::Or(left, right) => self.condition(left)?.or_else(self.condition(right)?),
            Node::Not(condition) => self.condition(condition)?.negated(),
            // The grammar of conditions has neither.
            Node::Sum(..) | Node::Difference(..) => return Err(Fault::Empty),
        }))
    }

    fn take(&mut self, id: NodeId) -> Built {
        self.built.get_mut(id).map_or(Built::Taken, |built| std::mem::replace(built, Built::Taken))
    }

    // The parser and the look at the words leave no operand where a condition must be, nor the
    // other way round; the errors of the next two are never told.

    fn operand(&mut self, id: NodeId) -> Result<Operand, Fault> {
        match self.take(id) {
            Built::Operand(operand) => Ok(operand),
            Built::Condition(_) | Built::Taken => Err(Fault::Empty),
        }
    }

    fn condition(&mut self, id: NodeId) -> Result<Condition, Fault> {
        match self.take(id) {
            Built::Condition(condition) => Ok(condition),
            Built::Operand(_) | Built::Taken => Err(Fault::Empty),
        }
    }
}

fn path(function: Function, operand: Operand) -> Result<Path, Fault> {
    match operand {
        Operand::Path(path) => Ok(path),
        Operand::Value(_) | Operand::Size(_) => Err(Fault::PathWanted(function)),
    }
}

fn attribute_type(operand: Operand, kind: Operand) -> Result<Condition, Fault> {
    let name = Function::AttributeType.name();
    super::distinct(name, &operand, [&kind])?;
    match kind {
        Operand::Value(Value::S(text)) => match Type::from_name(&text) {
            Some(kind) => Ok(Condition::attribute_type(operand, kind)),
            None => Err(Fault::UnknownType(text)),
        },
        Operand::Path(_) => Err(Fault::AnyOperandType(name)),
        Operand::Value(value) => Err(Fault::OperandType(name, value.kind())),
        Operand::Size(_) => Err(Fault::OperandType(name, Type::N)),
    }
}
