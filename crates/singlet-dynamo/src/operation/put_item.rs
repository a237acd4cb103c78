//! PutItem: writes a whole item, new or replacing the old one.

use super::table_name::{constrain_table_name, named_table};
use super::write::{WriteBody, check_condition, decided};
use crate::capacity::ReturnConsumedCapacity;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::expression::Condition;
use crate::fuel::{Fuel, OutOfFuel};
use crate::json::Reader;
use crate::json::value::{ITEM_TOO_LARGE, Unchecked, read_item};
use crate::key::Key;
use crate::limits::ITEM_SIZE_MAX;
use crate::schema::TableSchema;
use crate::stored::{Attributes, StoredItem};
use crate::{Item, Map};

/// Puts an item, new or replacing the one with its key.
///
/// ```
/// use singlet_dynamo::operation::PutItem;
/// use singlet_dynamo::{Item, Value};
///
/// let request = PutItem::from_json(br#"{
///     "TableName": "games",
///     "Item": {"PK": {"S": "GAME#1"}},
///     "ConditionExpression": "attribute_not_exists(PK)"
/// }"#)?;
/// assert_eq!(request.item, Item::from([("PK", Value::from("GAME#1"))]));
/// // Nothing is stored under the key, so the condition holds.
/// assert_eq!(request.decide(None)?, None);
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PutItem {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The item.
    pub item: Item,
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
    item: Option<Unchecked<Map>>,
    write: WriteBody,
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| match member {
            "Item" => read_item(reader).map(|item| body.item = item),
            _ => body.write.read(reader, member),
        })?;
        Ok(body)
    }
}

impl PutItem {
    /// An unconditional put.
    pub fn new(table_name: impl Into<String>, item: Item) -> Self {
        Self {
            table_name: table_name.into(),
            item,
            condition: None,
            return_old: false,
            return_old_on_failure: false,
            return_consumed_capacity: ReturnConsumedCapacity::None,
            return_item_collection_metrics: false,
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let Body { item, mut write } = Body::read(json)?;

        let mut constraints = Constraints::default();
        let return_values = write.constrain_return_values(&mut constraints);
        write.constrain_conditional_operator(&mut constraints);
        constraints.required("item", &item);
        let return_old_on_failure = write.constrain_on_failure(&mut constraints);
        write.constrain_expected(&mut constraints);
        let return_consumed_capacity = write.constrain_capacity(&mut constraints);
        let return_item_collection_metrics = write.constrain_metrics(&mut constraints);
        constrain_table_name(&mut constraints, write.table_name.as_deref());
        constraints.finish()?;
        let table_name = named_table(write.table_name.take().unwrap_or_default())?;

        write.check_styles(None)?;
        let item = item.unwrap_or_else(|| Map::new().into());
        if item.fault() == Some(ITEM_TOO_LARGE) {
            // Found during parsing, but reported after this.
            return_values.old_only()?;
        }
        let item = item.into_result()?;
        let return_old = return_values.old_only()?;
        check_size(&item)?;
        let expected = write.expected_condition()?;
        write.placeholders.check()?;
        let condition = write.condition()?;
        write.placeholders.check_all_used()?;

        Ok(Self {
            table_name,
            item,
            condition: condition.or(expected),
            return_old,
            return_old_on_failure,
            return_consumed_capacity,
            return_item_collection_metrics,
        })
    }

    /// Checks the item and the condition against the table's schema, and returns the key.
    pub fn check(&self, schema: &TableSchema) -> Result<Key> {
        self.check_by(schema, self.item.size())
    }

    /// Like [`PutItem::check`], given the item's size, which takes a walk over all of it.
    pub(super) fn check_by(&self, schema: &TableSchema, size: usize) -> Result<Key> {
        check_size_by(size)?;
        let key = schema.check_item(&self.item)?;
        check_size_in(schema, &self.item, size)?;
        if let Some(condition) = &self.condition {
            condition.check_keys(schema)?;
        }
        Ok(key)
    }

    /// Decides whether the put succeeds, given the stored item, and returns the attributes for the
    /// response.
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

/// Refuses an item that is too large for any table.
pub(super) fn check_size(item: &Item) -> Result<()> {
    check_size_by(item.size())
}

/// Like [`check_size`], given the item's size.
pub(super) fn check_size_by(size: usize) -> Result<()> {
    if size > ITEM_SIZE_MAX { Err(too_large()) } else { Ok(()) }
}

/// Refuses an item that is too large for this table.
pub(super) fn check_size_in(schema: &TableSchema, item: &Item, size: usize) -> Result<()> {
    if schema.is_too_large_by(item, size) { Err(too_large()) } else { Ok(()) }
}

fn too_large() -> Error {
    Error::validation(ITEM_TOO_LARGE)
}
