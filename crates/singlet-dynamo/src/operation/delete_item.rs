//! DeleteItem: deletes one item by its key.

use super::table_name::{constrain_table_name, named_table};
use super::write::{WriteBody, check_condition, decided};
use crate::Map;
use crate::capacity::ReturnConsumedCapacity;
use crate::constraint::Constraints;
use crate::error::Result;
use crate::expression::Condition;
use crate::fuel::{Fuel, OutOfFuel};
use crate::json::Reader;
use crate::json::value::{Unchecked, read_key};
use crate::key::Key;
use crate::schema::TableSchema;
use crate::stored::{Attributes, StoredItem};

/// Deletes the item with a key, if it exists.
///
/// ```
/// use singlet_dynamo::operation::DeleteItem;
/// use singlet_dynamo::stored::StoredItem;
/// use singlet_dynamo::{Item, Value};
///
/// let request = DeleteItem::from_json(br#"{
///     "TableName": "games",
///     "Key": {"PK": {"S": "GAME#1"}},
///     "ConditionExpression": "attribute_exists(winner)"
/// }"#)?;
/// let running = StoredItem::from(&Item::from([("PK", Value::from("GAME#1"))]));
/// let refused = request.decide(Some(&running)).unwrap_err();
/// assert_eq!(refused.message(), "The conditional request failed");
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteItem {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The item's key: all of the table's key attributes, and no others.
    pub key: Map,
    /// Condition on the stored item, or on its absence.
    pub condition: Option<Condition>,
    /// Whether to return the old item: `ReturnValues` of `ALL_OLD`.
    pub return_old: bool,
    /// Whether to return the stored item if the condition fails:
    /// `ReturnValuesOnConditionCheckFailure` of `ALL_OLD`.
    pub return_old_on_failure: bool,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
    /// Whether to return item collection metrics.
    pub return_item_collection_metrics: bool,
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    key: Option<Unchecked<Map>>,
    write: WriteBody,
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| match member {
            "Key" => read_key(reader).map(|key| body.key = key),
            _ => body.write.read(reader, member),
        })?;
        Ok(body)
    }
}

impl DeleteItem {
    /// An unconditional delete.
    pub fn new(table_name: impl Into<String>, key: Map) -> Self {
        Self {
            table_name: table_name.into(),
            key,
            condition: None,
            return_old: false,
            return_old_on_failure: false,
            return_consumed_capacity: ReturnConsumedCapacity::None,
            return_item_collection_metrics: false,
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let Body { key, mut write } = Body::read(json)?;

        let mut constraints = Constraints::default();
        let return_values = write.constrain_return_values(&mut constraints);
        write.constrain_conditional_operator(&mut constraints);
        let return_old_on_failure = write.constrain_on_failure(&mut constraints);
        write.constrain_expected(&mut constraints);
        let return_consumed_capacity = write.constrain_capacity(&mut constraints);
        let return_item_collection_metrics = write.constrain_metrics(&mut constraints);
        constraints.required("key", &key);
        constrain_table_name(&mut constraints, write.table_name.as_deref());
        constraints.finish()?;
        let table_name = named_table(write.table_name.take().unwrap_or_default())?;

        write.check_styles(None)?;
        let key = key.unwrap_or_else(|| Map::new().into()).into_result()?;
        let return_old = return_values.old_only()?;
        let expected = write.expected_condition()?;
        write.placeholders.check()?;
        let condition = write.condition()?;
        write.placeholders.check_all_used()?;

        Ok(Self {
            table_name,
            key,
            condition: condition.or(expected),
            return_old,
            return_old_on_failure,
            return_consumed_capacity,
            return_item_collection_metrics,
        })
    }

    /// Checks the key and the condition against the table's schema, and returns the key.
    pub fn check(&self, schema: &TableSchema) -> Result<Key> {
        let key = schema.key.key_of_request(&self.key)?;
        if let Some(condition) = &self.condition {
            condition.check_keys(schema)?;
        }
        Ok(key)
    }

    /// Decides whether the delete succeeds, given the stored item, and returns the attributes for
    /// the response.
    pub fn decide(&self, old: Option<&StoredItem>) -> Result<Option<Attributes>> {
        decided(self.decide_within(old, &mut Fuel::unlimited()))
    }

    /// Like `decide`, charging the work.
    ///
    /// # Errors
    ///
    /// The fuel runs out before the decision.
    pub fn decide_within(
        &self,
        old: Option<&StoredItem>,
        fuel: &mut Fuel<'_>,
    ) -> Result<Result<Option<Attributes>>, OutOfFuel> {
        let condition = self.condition.as_ref();
        let checked = check_condition(condition, old, self.return_old_on_failure, fuel)?;
        Ok(checked.map(|()| old.filter(|_| self.return_old).cloned().map(Attributes::Stored)))
    }
}
