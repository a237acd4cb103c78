//! Parses conditions.

use super::{Condition, Fault, Operand};
use crate::error::Result;
use crate::expression::syntax::{self, Node, NodeId, Tree};
use crate::expression::{Function, OPERATORS_MAX, Parameter, Path, Placeholders};
use crate::{Type, Value};

impl Condition {
    /// Parses a condition and marks its placeholders as used.
    pub fn parse(
        text: &str,
        parameter: Parameter,
        placeholders: &mut Placeholders,
    ) -> Result<Self> {
        parse(text, placeholders).map_err(|fault| parameter.refuse(&fault))
    }
}

/// The result of a node.
enum Built {
    Operand(Operand),
    Condition(Condition),
    Taken,
}

fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Condition, Fault> {
    let tree = syntax::condition(text)?;
    // The service reports every other fault first. Until then conditions are not joined, so that
    // none is nested too deep.
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

/// Builds conditions from the nodes of a tree, from first to last.
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

    // The parser and the word check rule out operands in place of conditions and conditions in
    // place of operands, so these two errors never occur.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Printer;

    /// The parsed text, printed again with its placeholders, or the error.
    fn check(text: &str, expected: &str) {
        let mut placeholders = Placeholders::of(
            &[("#a", "a")],
            [(":n", Value::from(1)), (":m", Value::from(2)), (":s", Value::from("s"))],
        );
        let found = match parse(text, &mut placeholders) {
            Ok(condition) => Printer::new().condition(&condition),
            Err(fault) => fault.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn not_binds_tighter_than_and_which_binds_tighter_than_or() {
        for (text, expected) in [
            ("a=:n", "#0 = :0"),
            ("NOT a=:n AND b=:n", "NOT #0 = :0 AND #1 = :1"),
            ("NOT (a=:n AND b=:n)", "NOT (#0 = :0 AND #1 = :1)"),
            ("a=:n OR b=:n AND c=:n", "#0 = :0 OR #1 = :1 AND #2 = :2"),
            ("(a=:n OR b=:n) AND c=:n", "(#0 = :0 OR #1 = :1) AND #2 = :2"),
            ("NOT NOT a=:n", "NOT NOT #0 = :0"),
            // Chains are flattened.
            ("a=:n AND (b=:n AND c=:n)", "#0 = :0 AND #1 = :1 AND #2 = :2"),
            ("(a=:n OR b=:n) OR c=:n", "#0 = :0 OR #1 = :1 OR #2 = :2"),
            ("a BETWEEN :n AND :m AND b=:n", "#0 BETWEEN :0 AND :1 AND #1 = :2"),
            ("(size((b)))IN(:n,a.b[2])", "size(#0) IN (:0, #1.#0[2])"),
            (
                "attribute_type(:n, :s)",
                "Invalid attribute type name found; type: s, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}",
            ),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn a_syntax_error_names_the_first_invalid_token() {
        let syntax =
            |token: &str, near: &str| format!("Syntax error; token: \"{token}\", near: \"{near}\"");
        for (text, token, near) in [
            (" ", "<EOF>", " "),
            ("a", "<EOF>", "a"),
            ("(a = :n", "<EOF>", ":n"),
            ("a = :n)", ")", ":n)"),
            ("a  =  =  :n", "=", "=  =  :n"),
            ("  =  a", "=", "  =  a"),
            ("a = :n b  ", "b", ":n b  "),
            ("a IN :n", ":n", "IN :n"),
            ("a BETWEEN :n OR :m", "OR", ":n OR :m"),
            ("(a) AND b = :n", "AND", ") AND b"),
            ("size(a = :n) = :n", "=", "a = :n"),
            ("a 😀 b", "😀", "a 😀 b"),
        ] {
            check(text, &syntax(token, near));
        }
    }

    #[test]
    fn redundant_parentheses_are_reported_once_certain() {
        let redundant = "The expression has redundant parentheses;";
        for text in [
            "((a = :n)) @",
            "((a)) = @",
            "((contains(a, b))) @",
            "a = ((b)) @",
            "a = size(((b)) @",
            "a IN (((b)) @",
            "(((a) = b)) @",
            "contains(a, ((b)))",
        ] {
            check(text, redundant);
        }
        for (text, token, near) in [
            ("((a)) b", "b", ") b"),
            ("((a)) AND", "AND", ") AND"),
            ("contains(a,((b)) @", "@", ") @"),
            ("((a = b) AND c = d) @", "@", ") @"),
        ] {
            check(text, &format!("Syntax error; token: \"{token}\", near: \"{near}\""));
        }
    }

    #[test]
    fn one_of_several_faults_is_reported() {
        for (text, expected) in [
            ("abort = foo(a)", "Attribute name is a reserved keyword; reserved keyword: abort"),
            ("foo(abort)", "Invalid function name; function: foo"),
            (
                "contains(#z)",
                "An expression attribute name used in the document path is not defined; attribute name: #z",
            ),
            (
                "contains(a, a, b)",
                "Incorrect number of operands for operator or function; operator or function: contains, number of operands: 3",
            ),
            (
                "size(:n) = :z",
                "Incorrect operand type for operator or function; operator or function: size, operand type: N",
            ),
            (
                "#a = a",
                "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]",
            ),
            (
                "a BETWEEN :m AND :n",
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
                 lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}",
            ),
        ] {
            check(text, expected);
        }
        let many = "a=b AND ".repeat(151) + "a=b";
        check(&many, "The expression contains too many operators; operator count: 301");
        check(
            &(many + " AND #z = b"),
            "An expression attribute name used in the document path is not defined; attribute name: #z",
        );
    }
}
