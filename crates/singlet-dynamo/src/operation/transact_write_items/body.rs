//! Parses a transaction: reports all violated constraints of all actions together, then the
//! mistakes of each action in order.

use super::{ConditionCheck, TransactWriteItem, TransactWriteItems, check_size, constrain_token};
use crate::Map;
use crate::capacity::ReturnConsumedCapacity;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::expression::{Condition, Fault, Parameter, Placeholders, REPEATED_SIZE_MAX, Update};
use crate::json::Reader;
use crate::json::kept::Kept;
use crate::json::value::{Unchecked, read_item, read_key};
use crate::operation::definition::read_list;
use crate::operation::parameter::{COLLECTION_METRICS, ON_FAILURE};
use crate::operation::put_item;
use crate::operation::transaction::{check_count, constrain_table_name, table_name_of};
use crate::operation::{DeleteItem, PutItem, UpdateItem};

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    transact_items: Option<Kept<TransactItemBody>>,
    client_request_token: Option<String>,
    return_consumed_capacity: Option<String>,
    return_item_collection_metrics: Option<String>,
}

/// How many actions of one of `TransactItems` are kept: one of each kind. A second one is an error.
const ACTIONS_KEPT_MAX: usize = 4;

/// One of `TransactItems`, unchecked: one action, if it is valid.
#[derive(Default)]
struct TransactItemBody {
    actions: Vec<ActionBody>,
}

/// The kinds of actions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    ConditionCheck,
    Put,
    Delete,
    Update,
}

impl Kind {
    /// The kind with this member name in the body.
    fn of_member(member: &str) -> Option<Self> {
        Some(match member {
            "ConditionCheck" => Self::ConditionCheck,
            "Put" => Self::Put,
            "Delete" => Self::Delete,
            "Update" => Self::Update,
            _ => return None,
        })
    }

    /// The name in constraint paths.
    fn path(self) -> &'static str {
        match self {
            Self::ConditionCheck => "conditionCheck",
            Self::Put => "put",
            Self::Delete => "delete",
            Self::Update => "update",
        }
    }

    /// The name of the member with the item or key.
    fn attributes_path(self) -> &'static str {
        if self == Self::Put { "item" } else { "key" }
    }
}

/// An action, unchecked.
struct ActionBody {
    kind: Kind,
    table_name: Option<String>,
    /// The item of a put, or the key of another action.
    attributes: Option<Unchecked<Map>>,
    update_expression: Option<String>,
    condition_expression: Option<String>,
    placeholders: Placeholders,
    on_failure: Option<String>,
    /// The member of this name, after the constraints were checked.
    return_old_on_failure: bool,
}

impl ActionBody {
    fn read(reader: &mut Reader<'_>, kind: Kind, class: &str) -> Result<Option<Self>> {
        let mut body = Self {
            kind,
            table_name: None,
            attributes: None,
            update_expression: None,
            condition_expression: None,
            placeholders: Placeholders::default(),
            on_failure: None,
            return_old_on_failure: false,
        };
        let found = reader.structure(class, |reader, member| {
            match member {
                "TableName" => body.table_name = reader.owned_string()?,
                "Item" if kind == Kind::Put => body.attributes = read_item(reader)?,
                "Key" if kind != Kind::Put => body.attributes = read_key(reader)?,
                "UpdateExpression" if kind == Kind::Update => {
                    body.update_expression = reader.owned_string()?;
                }
                "ConditionExpression" => body.condition_expression = reader.owned_string()?,
                "ExpressionAttributeNames" => body.placeholders.read_names(reader)?,
                "ExpressionAttributeValues" => body.placeholders.read_values(reader)?,
                "ReturnValuesOnConditionCheckFailure" => body.on_failure = reader.owned_string()?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    fn constrain(&mut self, constraints: &mut Constraints, path: &str) {
        let path = format!("{path}.{}", self.kind.path());
        constraints.required(&format!("{path}.{}", self.kind.attributes_path()), &self.attributes);
        let name = self.table_name.as_deref();
        constrain_table_name(constraints, &format!("{path}.tableName"), name);
        match self.kind {
            Kind::ConditionCheck => constraints
                .required(&format!("{path}.conditionExpression"), &self.condition_expression),
            Kind::Update => {
                constraints.required(&format!("{path}.updateExpression"), &self.update_expression);
            }
            Kind::Put | Kind::Delete => {}
        }
        let on_failure = constraints.one_of(
            &format!("{path}.returnValuesOnConditionCheckFailure"),
            self.on_failure.as_deref(),
            &ON_FAILURE,
        );
        self.return_old_on_failure = on_failure.unwrap_or_default();
    }

    /// The size of the action: attributes, expressions, and placeholder values.
    fn size(&self) -> usize {
        let expressions = self.update_expression.iter().chain(&self.condition_expression);
        self.attributes.as_ref().map_or(0, |attributes| attributes.content().size())
            + expressions.map(String::len).sum::<usize>()
            + self.placeholders.values_size()
    }

    /// Builds the action. `repeated_size` sums up what the expressions of all actions repeat.
    fn action(mut self, repeated_size: &mut usize) -> Result<TransactWriteItem> {
        let table_name = table_name_of(self.table_name.take())?;
        let mut expressions = Vec::with_capacity(2);
        if self.kind == Kind::Update {
            expressions.push((Parameter::UpdateExpression, self.update_expression.is_some()));
        }
        expressions.push((Parameter::ConditionExpression, self.condition_expression.is_some()));
        self.placeholders.check_needed(&expressions)?;
        let attributes =
            self.attributes.take().unwrap_or_else(|| Map::new().into()).into_result()?;
        if self.kind == Kind::Put {
            put_item::check_size(&attributes)?;
        }
        self.placeholders.check()?;
        let update = self
            .update_expression
            .take()
            .map(|text| Update::parse(&text, Parameter::UpdateExpression, &mut self.placeholders));
        let update = update.transpose()?;
        let condition = self.condition_expression.take().map(|text| {
            Condition::parse(&text, Parameter::ConditionExpression, &mut self.placeholders)
        });
        let condition = condition.transpose()?;
        self.placeholders.check_all_used()?;
        *repeated_size += self.placeholders.repeated_size();
        if *repeated_size > REPEATED_SIZE_MAX {
            return Err(Error::validation(Fault::RepeatedTooLarge.to_string()));
        }

        let return_old_on_failure = self.return_old_on_failure;
        Ok(match (self.kind, condition) {
            (Kind::ConditionCheck, Some(condition)) => TransactWriteItem::from(ConditionCheck {
                table_name,
                key: attributes,
                condition,
                return_old_on_failure,
            }),
            // The constraints have already rejected this.
            (Kind::ConditionCheck, None) => return Err(no_action()),
            (Kind::Put, condition) => TransactWriteItem::from(PutItem {
                condition,
                return_old_on_failure,
                ..PutItem::new(table_name, attributes)
            }),
            (Kind::Delete, condition) => TransactWriteItem::from(DeleteItem {
                condition,
                return_old_on_failure,
                ..DeleteItem::new(table_name, attributes)
            }),
            (Kind::Update, condition) => {
                let mut action = UpdateItem::new(table_name, attributes);
                action.update = update;
                action.condition = condition;
                action.return_old_on_failure = return_old_on_failure;
                action.into()
            }
        })
    }
}

fn no_action() -> Error {
    Error::validation(
        "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
    )
}

impl TransactItemBody {
    fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("TransactWriteItem", |reader, member| {
            let Some(kind) = Kind::of_member(member) else { return reader.skip() };
            let action = ActionBody::read(reader, kind, member)?;
            if body.actions.len() < ACTIONS_KEPT_MAX {
                body.actions.extend(action);
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    fn action(self, repeated_size: &mut usize) -> Result<TransactWriteItem> {
        let mut actions = self.actions.into_iter();
        match (actions.next(), actions.next()) {
            (Some(action), None) => action.action(repeated_size),
            (None, _) => Err(no_action()),
            (Some(_), Some(_)) => Err(Error::validation(
                "TransactItems can only contain one of Check, Put, Update or Delete",
            )),
        }
    }
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| {
            match member {
                "TransactItems" => {
                    body.transact_items = read_list(reader, TransactItemBody::read)?;
                }
                "ClientRequestToken" => body.client_request_token = reader.owned_string()?,
                "ReturnConsumedCapacity" => {
                    body.return_consumed_capacity = reader.owned_string()?;
                }
                "ReturnItemCollectionMetrics" => {
                    body.return_item_collection_metrics = reader.owned_string()?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(body)
    }

    fn constrain(&mut self) -> Result<(ReturnConsumedCapacity, bool)> {
        let mut constraints = Constraints::default();
        constraints.required("transactItems", &self.transact_items);
        if let Some(items) = &mut self.transact_items {
            constraints.length_at_least("transactItems", "[]", items.len(), 1);
            for (place, item) in items.as_mut_slice().iter_mut().enumerate() {
                let path = format!("transactItems.{}.member", place + 1);
                for action in &mut item.actions {
                    action.constrain(&mut constraints, &path);
                }
            }
        }
        constrain_token(&mut constraints, self.client_request_token.as_deref());
        let detail = constraints.one_of(
            "returnConsumedCapacity",
            self.return_consumed_capacity.as_deref(),
            &ReturnConsumedCapacity::CHOICES,
        );
        let metrics = constraints.one_of(
            "returnItemCollectionMetrics",
            self.return_item_collection_metrics.as_deref(),
            &COLLECTION_METRICS,
        );
        constraints.finish()?;
        Ok((detail.unwrap_or_default(), metrics.unwrap_or_default()))
    }
}

/// Parses a request body.
pub(super) fn read(json: &[u8]) -> Result<TransactWriteItems> {
    let mut body = Body::read(json)?;
    let (return_consumed_capacity, return_item_collection_metrics) = body.constrain()?;
    let items = body.transact_items.unwrap_or_default();
    check_count(items.len())?;
    let items = items.into_vec();
    let size = items.iter().flat_map(|item| &item.actions).map(ActionBody::size).sum();
    let mut repeated_size = 0;
    let actions = items.into_iter().map(|item| item.action(&mut repeated_size));
    let actions = actions.collect::<Result<_>>()?;
    check_size(size)?;
    Ok(TransactWriteItems {
        actions,
        client_request_token: body.client_request_token,
        return_consumed_capacity,
        return_item_collection_metrics,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measured as DynamoDB Local does.
    #[test]
    fn a_transaction_payload_is_limited_to_4_mb() {
        let value = "y".repeat(399_000);
        let action = |place: usize| {
            format!(
                r#"{{"Update":{{"TableName":"games","Key":{{"pk":{{"S":"k{place}"}}}},"UpdateExpression":"SET x = :v","ExpressionAttributeValues":{{":v":{{"S":"{value}"}}}}}}}}"#
            )
        };
        let request = |count| {
            let actions: Vec<String> = (0..count).map(action).collect();
            read(format!(r#"{{"TransactItems":[{}]}}"#, actions.join(",")).as_bytes())
        };
        assert!(request(10).is_ok());
        assert_eq!(
            request(11).unwrap_err().message(),
            "Transaction payload size cannot exceed 4MB. Payload Size: 4389155"
        );
    }
}
