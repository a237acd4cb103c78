//! PutItem: an item as a whole, new or in place of what was there.

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

/// Puts an item, new or in place of the one with its key.
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
    /// The table, by its name or ARN; the answer calls it the same.
    pub table_name: String,
    /// The item.
    pub item: Item,
    /// What must be so of the item that is stored, or of nothing.
    pub condition: Option<Condition>,
    /// Whether to give back what was there: `ReturnValues` of `ALL_OLD`.
    pub return_old: bool,
    /// Whether a failed condition gives back what is there:
    /// `ReturnValuesOnConditionCheckFailure` of `ALL_OLD`.
    pub return_old_on_failure: bool,
    /// How much of its cost the answer tells.
    pub return_consumed_capacity: ReturnConsumedCapacity,
    /// Whether the answer tells of the item collection.
    pub return_item_collection_metrics: bool,
}

/// The members as they stand in the body.
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
    /// Puts an item, whatever was there.
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

    /// Reads a request's body.
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
            // Found while it was read, and told after this.
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

    /// The item's key, after the item and the condition were checked against the table's schema.
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

    /// Decides, given what is stored under the item's key, whether the item takes its place, and
    /// gives the attributes to answer.
    pub fn decide(&self, old: Option<&StoredItem>) -> Result<Option<Attributes>> {
        decided(self.decide_within(old, &mut Fuel::unlimited()))
    }

    /// Like `decide`, with the work charged.
    ///
    /// # Errors
    ///
    /// The fuel is used up before there is a decision.
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

/// Refuses an item that is too large to be put, wherever that would be.
pub(super) fn check_size(item: &Item) -> Result<()> {
    check_size_by(item.size())
}

/// Like [`check_size`], given the item's size.
pub(super) fn check_size_by(size: usize) -> Result<()> {
    if size > ITEM_SIZE_MAX { Err(too_large()) } else { Ok(()) }
}

/// Refuses an item of this size that is too large to be put into this table.
pub(super) fn check_size_in(schema: &TableSchema, item: &Item, size: usize) -> Result<()> {
    if schema.is_too_large_by(item, size) { Err(too_large()) } else { Ok(()) }
}

fn too_large() -> Error {
    Error::validation(ITEM_TOO_LARGE)
}
