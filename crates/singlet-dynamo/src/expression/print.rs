//! Prints expressions as text with placeholders.

use super::condition::Test;
use super::operand::Subject;
use super::update::Computation;
use super::{
    Action, Clause, Comparator, Condition, Element, Function, KeyCondition, KeyTest, Operand, Path,
    Projection, SetOperand, SetValue, Update,
};
use crate::{Type, Value};
use std::borrow::Cow;

/// Prints the expressions of one request, which share their placeholders.
///
/// Every name and value is written as a placeholder, so reserved words do not matter. Parsing the
/// output gives the same expression.
///
/// ```
/// use singlet_dynamo::expression::{Action, KeyCondition, KeyTest, Path, Printer, Projection};
/// use singlet_dynamo::Value;
///
/// let mut printer = Printer::new();
/// let game = KeyCondition::partition("PK", Value::from("GAME#1"))
///     .and("SK", KeyTest::BeginsWith(Value::from("PLAYER#")))?;
/// let name = Projection::new(vec![Path::attribute("name")?])?;
/// assert_eq!(printer.key_condition(&game), "#0 = :0 AND begins_with(#1, :1)");
/// assert_eq!(printer.projection(&name), "#2");
/// assert_eq!(printer.names().last(), Some(("#2".to_owned(), "name")));
/// assert_eq!(printer.values().next(), Some((":0".to_owned(), &Value::from("GAME#1"))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Printer<'v> {
    names: Vec<String>,
    values: Vec<Cow<'v, Value>>,
}

impl<'v> Printer<'v> {
    /// A printer without placeholders.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The name placeholders and their names.
    pub fn names(&self) -> impl ExactSizeIterator<Item = (String, &str)> {
        self.names.iter().enumerate().map(|(place, name)| (format!("#{place}"), name.as_str()))
    }

    /// The value placeholders and their values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = (String, &Value)> {
        self.values.iter().enumerate().map(|(place, value)| (format!(":{place}"), &**value))
    }

    /// The text of a condition.
    pub fn condition(&mut self, condition: &'v Condition) -> String {
        let mut out = String::new();
        self.test(condition.test(), &mut out);
        out
    }

    /// The text of a key condition.
    pub fn key_condition(&mut self, condition: &'v KeyCondition) -> String {
        let mut out = String::new();
        separated(&mut out, " AND ", condition.tests(), |out, (name, test)| match test {
            KeyTest::Compare(comparator, value) => {
                self.name(name, out);
                comparator_sign(*comparator, out);
                self.value(value, out);
            }
            KeyTest::Between(lower, upper) => {
                self.name(name, out);
                out.push_str(" BETWEEN ");
                self.value(lower, out);
                out.push_str(" AND ");
                self.value(upper, out);
            }
            KeyTest::BeginsWith(prefix) => {
                open(Function::BeginsWith, out);
                self.name(name, out);
                out.push_str(", ");
                self.value(prefix, out);
                out.push(')');
            }
        });
        out
    }

    /// The text of a projection.
    pub fn projection(&mut self, projection: &Projection) -> String {
        let mut out = String::new();
        separated(&mut out, ", ", projection.paths(), |out, path| self.path(path, out));
        out
    }

    /// The text of an update.
    pub fn update(&mut self, update: &'v Update) -> String {
        let mut out = String::new();
        let mut before: Option<Clause> = None;
        for action in update.actions() {
            let clause = action.clause();
            if before == Some(clause) {
                out.push_str(", ");
            } else {
                if before.is_some() {
                    out.push(' ');
                }
                out.push_str(&format!("{clause} "));
                before = Some(clause);
            }
            self.path(action.path(), &mut out);
            match action {
                Action::Remove(_) => {}
                Action::Set(_, value) => {
                    out.push_str(" = ");
                    self.set_value(value, &mut out);
                }
                Action::Add(_, value) | Action::Delete(_, value) => {
                    out.push(' ');
                    self.value(value, &mut out);
                }
            }
        }
        out
    }

    fn test(&mut self, test: &'v Test, out: &mut String) {
        match test {
            Test::And(parts) => separated(out, " AND ", parts, |out, part| {
                self.part(part.test(), matches!(part.test(), Test::Or(_)), out);
            }),
            Test::Or(parts) => separated(out, " OR ", parts, |out, part| {
                self.test(part.test(), out);
            }),
            Test::Not(condition) => {
                let inner = condition.test();
                out.push_str("NOT ");
                self.part(inner, matches!(inner, Test::And(_) | Test::Or(_)), out);
            }
            Test::Compare(left, comparator, right) => {
                self.operand(left, out);
                comparator_sign(*comparator, out);
                self.operand(right, out);
            }
            Test::Between(operand, lower, upper) => {
                self.operand(operand, out);
                out.push_str(" BETWEEN ");
                self.operand(lower, out);
                out.push_str(" AND ");
                self.operand(upper, out);
            }
            Test::In(operand, list) => {
                self.operand(operand, out);
                out.push_str(" IN (");
                separated(out, ", ", list, |out, one| self.operand(one, out));
                out.push(')');
            }
            Test::AttributeExists(path) => {
                open(Function::AttributeExists, out);
                self.path(path, out);
                out.push(')');
            }
            Test::AttributeNotExists(path) => {
                open(Function::AttributeNotExists, out);
                self.path(path, out);
                out.push(')');
            }
            Test::AttributeType(operand, kind) => self.type_test(operand, *kind, out),
            Test::BeginsWith(operand, prefix) => {
                self.call(Function::BeginsWith, operand, prefix, out);
            }
            Test::Contains(operand, part) => self.call(Function::Contains, operand, part, out),
        }
    }

    /// A nested test, in parentheses if precedence requires them.
    fn part(&mut self, test: &'v Test, parentheses: bool, out: &mut String) {
        if parentheses {
            out.push('(');
        }
        self.test(test, out);
        if parentheses {
            out.push(')');
        }
    }

    fn type_test(&mut self, operand: &'v Operand, kind: Type, out: &mut String) {
        open(Function::AttributeType, out);
        self.operand(operand, out);
        out.push_str(", ");
        self.push_value(Cow::Owned(Value::from(kind.as_str())), out);
        out.push(')');
    }

    fn call(&mut self, function: Function, one: &'v Operand, other: &'v Operand, out: &mut String) {
        open(function, out);
        self.operand(one, out);
        out.push_str(", ");
        self.operand(other, out);
        out.push(')');
    }

    fn operand(&mut self, operand: &'v Operand, out: &mut String) {
        match operand {
            Operand::Path(path) => self.path(path, out),
            Operand::Value(value) => self.value(value, out),
            Operand::Size(measured) => {
                open(Function::Size, out);
                match measured.subject() {
                    Subject::Path(path) => self.path(path, out),
                    Subject::Value(value) => self.value(value, out),
                }
                out.push(')');
            }
        }
    }

    fn set_value(&mut self, value: &'v SetValue, out: &mut String) {
        let (left, between, right, end) = match value.computation() {
            Computation::Operand(operand) => return self.set_operand(operand, out),
            Computation::Sum(left, right) => (left, " + ", right, ""),
            Computation::Difference(left, right) => (left, " - ", right, ""),
            Computation::ListAppend(first, second) => {
                open(Function::ListAppend, out);
                (first, ", ", second, ")")
            }
        };
        self.set_operand(left, out);
        out.push_str(between);
        self.set_operand(right, out);
        out.push_str(end);
    }

    fn set_operand(&mut self, operand: &'v SetOperand, out: &mut String) {
        match operand {
            SetOperand::Path(path) => self.path(path, out),
            SetOperand::Value(value) => self.value(value, out),
            SetOperand::IfNotExists(inner) => {
                open(Function::IfNotExists, out);
                self.path(inner.path(), out);
                out.push_str(", ");
                self.set_operand(inner.otherwise(), out);
                out.push(')');
            }
        }
    }

    fn path(&mut self, path: &Path, out: &mut String) {
        self.name(path.name(), out);
        for element in path.rest() {
            match element {
                Element::Field(name) => {
                    out.push('.');
                    self.name(name, out);
                }
                Element::Index(index) => out.push_str(&format!("[{index}]")),
            }
        }
    }

    /// One placeholder for all occurrences of a name.
    fn name(&mut self, name: &str, out: &mut String) {
        let place = self.names.iter().position(|own| own == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        out.push_str(&format!("#{place}"));
    }

    fn value(&mut self, value: &'v Value, out: &mut String) {
        self.push_value(Cow::Borrowed(value), out);
    }

    fn push_value(&mut self, value: Cow<'v, Value>, out: &mut String) {
        out.push_str(&format!(":{}", self.values.len()));
        self.values.push(value);
    }
}

fn open(function: Function, out: &mut String) {
    out.push_str(function.name());
    out.push('(');
}

fn comparator_sign(comparator: Comparator, out: &mut String) {
    out.push_str(&format!(" {comparator} "));
}

fn separated<'v, T>(
    out: &mut String,
    separator: &str,
    all: &'v [T],
    mut one: impl FnMut(&mut String, &'v T),
) {
    for (place, item) in all.iter().enumerate() {
        if place > 0 {
            out.push_str(separator);
        }
        one(out, item);
    }
}
