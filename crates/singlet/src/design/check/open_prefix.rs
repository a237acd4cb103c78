//! SD306: a prefix that ends inside a value.

use super::{Findings, Rule};
use crate::design::subject::Subject;
use crate::design::{Action, Entity, KeyTest, Piece, Template};
use crate::key::Form;

pub(super) const RULE: Rule = Rule { code: "SD306", title: "a prefix ends within a value", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let delimiter = step.delimiter();
        if step.operation.action != Action::Query {
            continue;
        }
        for condition in &step.operation.key {
            let KeyTest::BeginsWith(prefix) = &condition.test else {
                continue;
            };
            // A parameter that is not an attribute is user input, intended as a prefix.
            let entities = step.entities();
            let attribute =
                |field: &str| entities.iter().find_map(|entity: &&Entity| entity.attribute(field));
            let form = |field: &str| {
                attribute(field).map_or(Form::CLOSED, |attribute| attribute.form(delimiter))
            };
            let Some(field) = open_end(prefix, form).filter(|field| attribute(field).is_some())
            else {
                continue;
            };
            findings.error(
                step.place().attribute(&condition.attribute),
                format!("the prefix `{prefix}` ends within `{field}`: with `1` it also finds `10`"),
                format!("End the prefix behind the delimiter, `{prefix}{delimiter}`; or ask for the key itself with `=`."),
            );
        }
    }
}

/// The variable-length field that a prefix ends with, if any.
fn open_end(prefix: &Template, form: impl Fn(&str) -> Form) -> Option<&str> {
    match prefix.pieces().last()? {
        Piece::Field { name, width: None } if !form(name).is_fixed_width() => Some(name),
        _ => None,
    }
}
