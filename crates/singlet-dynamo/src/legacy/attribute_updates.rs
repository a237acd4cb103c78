//! `AttributeUpdates`: updates by attribute name.

use super::by_name::ByName;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::expression::{Action, Fault, Path, SetOperand, SetValue, Update};
use crate::json::Reader;
use crate::json::value::{Unchecked, read_value_within};
use crate::{Type, Value};

/// Updates by attribute name, unchecked.
#[derive(Default)]
pub(crate) struct AttributeUpdates(ByName<Body>);

#[derive(Default)]
struct Body {
    value: Option<Unchecked<Value>>,
    action: Option<String>,
    /// The parsed text, after the constraints were checked.
    verb: Option<Verb>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Verb {
    #[default]
    Put,
    Add,
    Delete,
}

impl Verb {
    /// The names, in the service's order.
    const CHOICES: [(&str, Self); 3] =
        [("ADD", Self::Add), ("DELETE", Self::Delete), ("PUT", Self::Put)];
}

impl AttributeUpdates {
    /// Reads the member `AttributeUpdates`.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let class = "com.amazonaws.dynamodb.v20120810.AttributeValueUpdate";
        let updates = ByName::read(reader, "AttributeUpdates", class, |reader, budget| {
            let mut body = Body::default();
            reader.structure("AttributeValueUpdate", |reader, member| {
                match member {
                    "Value" => body.value = read_value_within(reader, budget)?,
                    "Action" => body.action = reader.owned_string()?,
                    _ => reader.skip()?,
                }
                Ok(())
            })?;
            Ok(body)
        })?;
        Ok(updates.map(Self))
    }

    /// Adds the violations of the member's constraints.
    pub(crate) fn constrain(&mut self, constraints: &mut Constraints) {
        for (name, body) in self.0.iter_mut() {
            let path = format!("attributeUpdates.{name}.member.action");
            body.verb = constraints.one_of(&path, body.action.as_deref(), &Verb::CHOICES);
        }
    }

    /// The equivalent update; `None` if it does nothing.
    pub(crate) fn into_update(self) -> Result<Option<Update>> {
        let actions = self
            .0
            .into_entries()?
            .map(|(name, body)| {
                body.into_action(name)?.map_err(|fault| Error::validation(fault.to_string()))
            })
            .collect::<Result<Vec<_>>>()?;
        if actions.is_empty() {
            return Ok(None);
        }
        Update::unlimited(actions).map(Some).map_err(|fault| Error::validation(fault.to_string()))
    }
}

impl Body {
    /// The action on an attribute. The outer error is the parameter's.
    fn into_action(self, name: String) -> Result<Result<Action, Fault>> {
        let verb = self.verb.unwrap_or_default();
        let Some(value) = self.value.map(Unchecked::into_result).transpose()? else {
            if verb != Verb::Delete {
                return Err(Error::invalid_parameter(
                    "Only DELETE action is allowed when no attribute value is specified",
                ));
            }
            return Ok(Path::attribute(name).map(Action::Remove));
        };
        let is_set = matches!(value.kind(), Type::Ss | Type::Ns | Type::Bs);
        match verb {
            Verb::Delete if !is_set => Err(Error::invalid_parameter(format_args!(
                "DELETE action with value is not supported for the type {}",
                value.kind()
            ))),
            Verb::Add if !is_set && !matches!(value.kind(), Type::N | Type::L) => {
                Err(Error::invalid_parameter(format_args!(
                    "ADD action is not supported for the type {}",
                    value.kind()
                )))
            }
            _ => Ok(Path::attribute(name).and_then(|path| action(verb, path, value))),
        }
    }
}

fn action(verb: Verb, path: Path, value: Value) -> Result<Action, Fault> {
    Ok(match verb {
        Verb::Put => Action::Set(path, value.into()),
        Verb::Delete => Action::Delete(path, value),
        // Expressions cannot ADD to a list, but they can append to it.
        Verb::Add if value.kind() == Type::L => {
            let list =
                SetOperand::if_not_exists(path.clone(), SetOperand::Value(Value::L(vec![])))?;
            Action::Set(path, SetValue::list_append(list, SetOperand::Value(value))?)
        }
        Verb::Add => Action::Add(path, value),
    })
}
