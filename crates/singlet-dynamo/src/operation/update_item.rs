//! UpdateItem: changes attributes of an item, or creates it.

use super::parameter::ReturnValues;
use super::table_name::{constrain_table_name, named_table};
use super::write::{WriteBody, check_condition, decided};
use crate::Map;
use crate::capacity::ReturnConsumedCapacity;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::expression::{Action, Condition, Made, Parameter, Update, UpdateFault};
use crate::fuel::{Fuel, OutOfFuel};
use crate::json::Reader;
use crate::json::value::{Unchecked, read_key};
use crate::key::Key;
use crate::legacy::AttributeUpdates;
use crate::schema::TableSchema;
use crate::stored::{Attributes, StoredItem};

/// Updates the item with a key, or creates it.
///
/// ```
/// use singlet_dynamo::operation::UpdateItem;
/// use singlet_dynamo::stored::StoredItem;
/// use singlet_dynamo::{Item, Value};
///
/// let request = UpdateItem::from_json(br#"{
///     "TableName": "games",
///     "Key": {"PK": {"S": "GAME#1"}},
///     "UpdateExpression": "ADD round :one",
///     "ExpressionAttributeValues": {":one": {"N": "1"}},
///     "ReturnValues": "UPDATED_NEW"
/// }"#)?;
/// let old = Item::from([("PK", Value::from("GAME#1")), ("round", Value::from(6))]);
/// # use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
/// # let key = KeySchema::simple(KeyAttribute::new("PK", KeyType::S), None);
/// # let schema = TableSchema { name: "games".into(), key, indexes: vec![] };
/// let updated = request.decide(Some(&StoredItem::from(&old)), &schema)?;
/// let new = updated.item.unwrap().as_item().to_item();
/// assert_eq!(new.get("round"), Some(&Value::from(7)));
/// let answered = updated.attributes.unwrap().to_item();
/// assert_eq!(answered, Item::from([("round", Value::from(7))]));
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateItem {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The item's key: all of the table's key attributes, and no others.
    pub key: Map,
    /// The changes. Without any, creates the item if it does not exist.
    pub update: Option<Update>,
    /// Condition on the stored item, or on its absence.
    pub condition: Option<Condition>,
    /// What to return of the item.
    pub return_values: ReturnValues,
    /// Whether to return the stored item if the condition fails:
    /// `ReturnValuesOnConditionCheckFailure` of `ALL_OLD`.
    pub return_old_on_failure: bool,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
    /// Whether to return item collection metrics.
    pub return_item_collection_metrics: bool,
    /// Whether the update came as `AttributeUpdates`, which has its own error messages.
    is_legacy: bool,
}

/// The result of an update.
#[derive(Clone, Debug, PartialEq)]
pub struct Updated {
    /// The new item; `None` if there still is none.
    pub item: Option<StoredItem>,
    /// The attributes to return.
    pub attributes: Option<Attributes>,
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    key: Option<Unchecked<Map>>,
    attribute_updates: Option<AttributeUpdates>,
    update_expression: Option<String>,
    write: WriteBody,
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| {
            match member {
                "Key" => body.key = read_key(reader)?,
                "AttributeUpdates" => body.attribute_updates = AttributeUpdates::read(reader)?,
                "UpdateExpression" => body.update_expression = reader.owned_string()?,
                _ => body.write.read(reader, member)?,
            }
            Ok(())
        })?;
        Ok(body)
    }
}

impl UpdateItem {
    /// Creates an item if it does not exist, and changes nothing if it does.
    pub fn new(table_name: impl Into<String>, key: Map) -> Self {
        Self {
            table_name: table_name.into(),
            key,
            update: None,
            condition: None,
            return_values: ReturnValues::None,
            return_old_on_failure: false,
            return_consumed_capacity: ReturnConsumedCapacity::None,
            return_item_collection_metrics: false,
            is_legacy: false,
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let Body { key, mut attribute_updates, update_expression, mut write } = Body::read(json)?;

        let mut constraints = Constraints::default();
        write.constrain_expected(&mut constraints);
        let return_consumed_capacity = write.constrain_capacity(&mut constraints);
        constrain_table_name(&mut constraints, write.table_name.as_deref());
        let return_values = write.constrain_return_values(&mut constraints);
        write.constrain_conditional_operator(&mut constraints);
        let return_old_on_failure = write.constrain_on_failure(&mut constraints);
        if let Some(updates) = &mut attribute_updates {
            updates.constrain(&mut constraints);
        }
        let return_item_collection_metrics = write.constrain_metrics(&mut constraints);
        constraints.required("key", &key);
        constraints.finish()?;
        let table_name = named_table(write.table_name.take().unwrap_or_default())?;

        write.check_styles(Some((attribute_updates.is_some(), update_expression.is_some())))?;
        let key = key.unwrap_or_else(|| Map::new().into()).into_result()?;
        let is_legacy = attribute_updates.is_some();
        let legacy = attribute_updates.unwrap_or_default().into_update()?;
        let expected = write.expected_condition()?;
        write.placeholders.check()?;
        let update = update_expression
            .map(|text| Update::parse(&text, Parameter::UpdateExpression, &mut write.placeholders))
            .transpose()?;
        let condition = write.condition()?;
        write.placeholders.check_all_used()?;

        Ok(Self {
            table_name,
            key,
            update: update.or(legacy),
            condition: condition.or(expected),
            return_values,
            return_old_on_failure,
            return_consumed_capacity,
            return_item_collection_metrics,
            is_legacy,
        })
    }

    /// Checks the key, the update and the condition against the table's schema, and returns the
    /// key.
    pub fn check(&self, schema: &TableSchema) -> Result<Key> {
        let key = schema.key.key_of_request(&self.key)?;
        if let Some(update) = &self.update {
            update.check_keys(schema)?;
        }
        if let Some(condition) = &self.condition {
            condition.check_keys(schema)?;
        }
        Ok(key)
    }

    /// Applies the update to the stored item. The schema is needed to validate index keys.
    pub fn decide(&self, old: Option<&StoredItem>, schema: &TableSchema) -> Result<Updated> {
        decided(self.decide_within(old, schema, &mut Fuel::unlimited()))
    }

    /// Like [`UpdateItem::decide`], charging the work.
    ///
    /// # Errors
    ///
    /// The fuel runs out before the decision.
    pub fn decide_within(
        &self,
        old: Option<&StoredItem>,
        schema: &TableSchema,
        fuel: &mut Fuel<'_>,
    ) -> Result<Result<Updated>, OutOfFuel> {
        let condition = self.condition.as_ref();
        let checked = check_condition(condition, old, self.return_old_on_failure, fuel)?;
        if let Err(error) = checked {
            return Ok(Err(error));
        }
        let item = match self.applied(old, schema, fuel)? {
            Ok(item) => item,
            Err(error) => return Ok(Err(error)),
        };
        let mut parts_of = |item: Option<&StoredItem>| match (item, &self.update) {
            (Some(item), Some(update)) => update.stored_parts(item, fuel),
            _ => Ok(None),
        };
        let attributes = match self.return_values {
            ReturnValues::None => None,
            ReturnValues::AllOld => old.cloned(),
            ReturnValues::AllNew => item.clone(),
            ReturnValues::UpdatedOld => parts_of(old)?,
            ReturnValues::UpdatedNew => parts_of(item.as_ref())?,
        };
        Ok(Ok(Updated { item, attributes: attributes.map(Attributes::Stored) }))
    }

    fn applied(
        &self,
        old: Option<&StoredItem>,
        schema: &TableSchema,
        fuel: &mut Fuel<'_>,
    ) -> Result<Result<Option<StoredItem>>, OutOfFuel> {
        match apply(self.update.as_ref(), &self.key, old, schema, fuel) {
            Ok(item) => Ok(Ok(item)),
            Err(ApplyFault::OutOfFuel) => Err(OutOfFuel),
            Err(ApplyFault::Update(UpdateFault::OperandType)) if self.is_legacy => {
                Ok(Err(Error::validation("Type mismatch for attribute to update")))
            }
            Err(ApplyFault::Update(fault)) => Ok(Err(fault.into())),
            Err(ApplyFault::Other(error)) => Ok(Err(error)),
        }
    }
}

/// Why an update failed.
pub(super) enum ApplyFault {
    /// It does not fit the item.
    Update(UpdateFault),
    /// The new item is invalid for the table.
    Other(Error),
    OutOfFuel,
}

/// Applies an update to the stored item; `None` if there still is no item.
pub(super) fn apply(
    update: Option<&Update>,
    key: &Map,
    old: Option<&StoredItem>,
    schema: &TableSchema,
    fuel: &mut Fuel<'_>,
) -> Result<Option<StoredItem>, ApplyFault> {
    let Some(update) = update else {
        return Ok(Some(old.cloned().unwrap_or_else(|| StoredItem::from(key))));
    };
    let stored = old.map(StoredItem::as_item);
    let Made { item: new, is_oversized } = match update.make_within(stored, key, fuel) {
        Ok(made) => made.map_err(ApplyFault::Update)?,
        Err(OutOfFuel) => return Err(ApplyFault::OutOfFuel),
    };
    // Only removing attributes from a missing item does not create it.
    let only_takes = |action: &Action| matches!(action, Action::Remove(_) | Action::Delete(..));
    if old.is_none() && update.actions().iter().all(only_takes) {
        return Ok(None);
    }
    update.check_new(&new, schema).map_err(ApplyFault::Other)?;
    if is_oversized || schema.is_too_large(&new) {
        return Err(ApplyFault::Update(UpdateFault::TooLarge));
    }
    Ok(Some(StoredItem::from(&new)))
}
