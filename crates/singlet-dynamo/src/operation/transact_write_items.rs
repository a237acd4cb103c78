//! TransactWriteItems: up to 100 writes and checks that all succeed or all fail.

mod body;
mod parameters;

use super::batch::find_table;
use super::collection_metrics::MetricsByTable;
use super::transaction::{all_refused, check_count, check_distinct, first_refused};
use super::write::{check_condition, decided};
use super::{DeleteItem, PutItem, UpdateItem, Updated};
use crate::Map;
use crate::capacity::{CapacityByTable, ConsumedCapacity, ReturnConsumedCapacity};
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::expression::Condition;
use crate::fuel::{Fuel, OutOfFuel};
use crate::json::Writer;
use crate::key::Key;
use crate::limits::TRANSACTION_SIZE_MAX;
use crate::measure::{MeasuredItem, MeasuredWrite};
use crate::schema::TableSchema;
use crate::stored::StoredItem;
use crate::weight::encoding_fuel;
use std::borrow::Borrow;

/// Maximum length of a token.
const TOKEN_LEN_MAX: usize = 36;

/// Writes items in one transaction.
///
/// ```
/// use singlet_dynamo::operation::{DeleteItem, Outcome, PutItem, TransactWriteItems};
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
/// use singlet_dynamo::{Item, Value};
///
/// let game = |id: &str| Item::from([("PK", Value::from(id))]);
/// let request = TransactWriteItems::new(vec![
///     PutItem::new("games", game("GAME#1")).into(),
///     DeleteItem::new("games", game("GAME#2")).into(),
/// ]);
///
/// let key = KeySchema::simple(KeyAttribute::new("PK", KeyType::S), None);
/// let schema = TableSchema { name: "games".into(), key, indexes: vec![] };
/// let keys = request.check(|_| Some(&schema))?;
/// assert_eq!(keys[0].as_bytes(), b"GAME#1\0\0");
/// // Nothing is stored under either key.
/// let outcomes = request.decide([(&schema, None), (&schema, None)])?;
/// assert!(matches!(outcomes[1], Outcome::Delete));
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TransactWriteItems {
    /// The writes, at most one per item.
    pub actions: Vec<TransactWriteItem>,
    /// The idempotency token: requests with the same token are executed once.
    pub client_request_token: Option<String>,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
    /// Whether to return item collection metrics.
    pub return_item_collection_metrics: bool,
}

/// One action. Members of the operations that ask for something in the response have no effect
/// here, except for the item to return if a condition fails.
#[derive(Clone, Debug, PartialEq)]
pub enum TransactWriteItem {
    /// Checks a condition.
    ConditionCheck(ConditionCheck),
    /// Puts an item.
    Put(PutItem),
    /// Deletes an item.
    Delete(DeleteItem),
    /// Updates an item.
    Update(UpdateItem),
}

/// A condition on an item, which it does not change.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionCheck {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The item's key: all of the table's key attributes, and no others.
    pub key: Map,
    /// Condition on the stored item, or on its absence.
    pub condition: Condition,
    /// Whether to return the stored item if the condition fails.
    pub return_old_on_failure: bool,
}

impl ConditionCheck {
    /// A condition on an item.
    pub fn new(table_name: impl Into<String>, key: Map, condition: Condition) -> Self {
        Self { table_name: table_name.into(), key, condition, return_old_on_failure: false }
    }

    /// Checks the key and the condition against the table's schema, and returns the key.
    pub fn check(&self, schema: &TableSchema) -> Result<Key> {
        let key = schema.key.key_of_request(&self.key)?;
        self.condition.check_keys(schema)?;
        Ok(key)
    }
}

macro_rules! from_actions {
    ($($kind:ident($action:ident),)+) => {
        $(
            impl From<$action> for TransactWriteItem {
                fn from(action: $action) -> Self {
                    Self::$kind(action)
                }
            }
        )+
    };
}

from_actions! {
    ConditionCheck(ConditionCheck),
    Put(PutItem),
    Delete(DeleteItem),
    Update(UpdateItem),
}

/// The effect of an action on an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The new item.
    Put(StoredItem),
    /// The item is deleted.
    Delete,
    /// The item is unchanged.
    Keep,
}

impl Outcome {
    /// The item after the action, given the one before.
    #[must_use]
    pub fn after<'a>(&'a self, old: Option<&'a StoredItem>) -> Option<&'a StoredItem> {
        match self {
            Self::Put(item) => Some(item),
            Self::Delete => None,
            Self::Keep => old,
        }
    }
}

impl TransactWriteItem {
    /// The table's name or ARN.
    #[must_use]
    pub fn table_name(&self) -> &str {
        match self {
            Self::ConditionCheck(check) => &check.table_name,
            Self::Put(put) => &put.table_name,
            Self::Delete(delete) => &delete.table_name,
            Self::Update(update) => &update.table_name,
        }
    }

    /// The item or key in the request.
    fn attributes(&self) -> &Map {
        match self {
            Self::ConditionCheck(check) => &check.key,
            Self::Put(put) => &put.item,
            Self::Delete(delete) => &delete.key,
            Self::Update(update) => &update.key,
        }
    }

    /// Refuses empty key values, which the service reports before it begins a transaction.
    fn check_not_empty(&self, schema: &TableSchema) -> Result<()> {
        schema.key.check_not_empty(self.attributes())?;
        match self {
            Self::Put(put) => schema.check_indexes(|index| index.check_not_empty(&put.item)),
            Self::Update(UpdateItem { update: Some(update), .. }) => update.check_not_empty(schema),
            Self::Update(_) | Self::ConditionCheck(_) | Self::Delete(_) => Ok(()),
        }
    }

    /// Checks the action against the table's schema and returns the item's key. `size` is the size
    /// of the item or key in the request.
    fn check(&self, schema: &TableSchema, size: usize) -> Result<Key> {
        match self {
            Self::ConditionCheck(check) => check.check(schema),
            Self::Put(put) => put.check_by(schema, size),
            Self::Delete(delete) => delete.check(schema),
            Self::Update(update) => update.check(schema),
        }
    }

    fn decide(
        &self,
        schema: &TableSchema,
        old: Option<&StoredItem>,
        fuel: &mut Fuel<'_>,
    ) -> Result<Result<Outcome>, OutOfFuel> {
        Ok(match self {
            Self::ConditionCheck(check) => {
                let condition = Some(&check.condition);
                check_condition(condition, old, check.return_old_on_failure, fuel)?
                    .map(|()| Outcome::Keep)
            }
            Self::Put(put) => {
                fuel.spend(put.item.encoding_fuel(usize::MAX).unwrap_or(usize::MAX))?;
                put.decide_within(old, fuel)?.map(|_| Outcome::Put(StoredItem::from(&put.item)))
            }
            Self::Delete(delete) => delete.decide_within(old, fuel)?.map(|_| Outcome::Delete),
            Self::Update(update) => match update.decide_within(old, schema, fuel)? {
                Ok(Updated { item: Some(item), .. }) => {
                    // All of them are held until the transaction is staged.
                    fuel.keep(|| item.stored_bytes())?;
                    Ok(Outcome::Put(item))
                }
                Ok(Updated { item: None, .. }) => Ok(Outcome::Keep),
                Err(error) => Err(error),
            },
        })
    }
}

impl TransactWriteItems {
    /// A transaction of these actions.
    #[must_use]
    pub fn new(actions: Vec<TransactWriteItem>) -> Self {
        Self {
            actions,
            client_request_token: None,
            return_consumed_capacity: ReturnConsumedCapacity::None,
            return_item_collection_metrics: false,
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        body::read(json)
    }

    /// Checks all actions against their tables' schemas and returns the keys of their items.
    pub fn check<'s>(&self, tables: impl Fn(&str) -> Option<&'s TableSchema>) -> Result<Vec<Key>> {
        self.check_by(&self.sizes(), tables)
    }

    /// The sizes of the items and keys in the request, for [`TransactWriteItems::check_by`]. Walks
    /// over all of them.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        self.actions.iter().map(|action| action.attributes().size()).collect()
    }

    /// The fuel for encoding the items of puts; `None` if it exceeds `max`.
    #[must_use]
    pub fn encoding_fuel(&self, max: usize) -> Option<usize> {
        let puts = self.actions.iter().filter_map(|action| match action {
            TransactWriteItem::Put(put) => Some(&put.item),
            _ => None,
        });
        encoding_fuel(puts, max)
    }

    /// Like [`TransactWriteItems::check`], given the sizes of the items and keys in the request.
    pub fn check_by<'s>(
        &self,
        sizes: &[usize],
        tables: impl Fn(&str) -> Option<&'s TableSchema>,
    ) -> Result<Vec<Key>> {
        let mut constraints = Constraints::default();
        constrain_token(&mut constraints, self.client_request_token.as_deref());
        constraints.finish()?;
        check_count(self.actions.len())?;
        check_size(sizes.iter().sum())?;
        let find = |action: &TransactWriteItem| find_table(&tables, action.table_name());
        let schemas = self.actions.iter().map(find).collect::<Result<Vec<_>>>()?;
        let actions = || self.actions.iter().zip(schemas.iter().copied());
        for (action, schema) in actions() {
            action.check_not_empty(schema)?;
        }
        check_distinct(actions().map(|(action, schema)| {
            (schema.name.as_str(), schema.key.key_within(action.attributes()).ok())
        }))?;
        let checked = actions().zip(sizes);
        first_refused(checked.map(|((action, schema), size)| action.check(schema, *size)))
    }

    /// Decides whether the transaction succeeds and what becomes of the items, given the table and
    /// the stored item of each action.
    pub fn decide<'s>(
        &self,
        stored: impl IntoIterator<Item = (&'s TableSchema, Option<&'s StoredItem>)>,
    ) -> Result<Vec<Outcome>> {
        decided(self.decide_within(stored, &mut Fuel::unlimited()))
    }

    /// Like [`TransactWriteItems::decide`], charging the work.
    ///
    /// # Errors
    ///
    /// The fuel runs out before the decision.
    pub fn decide_within<'s>(
        &self,
        stored: impl IntoIterator<Item = (&'s TableSchema, Option<&'s StoredItem>)>,
        fuel: &mut Fuel<'_>,
    ) -> Result<Result<Vec<Outcome>>, OutOfFuel> {
        let mut outcomes = Vec::with_capacity(self.actions.len());
        for (action, (schema, old)) in self.actions.iter().zip(stored) {
            outcomes.push(action.decide(schema, old, fuel)?);
        }
        Ok(all_refused(outcomes.into_iter()))
    }

    /// The response, given the inputs and the result of [`decide`](Self::decide), without item
    /// collection metrics, which the engine adds.
    pub fn answer<'s>(
        &self,
        stored: impl IntoIterator<Item = (&'s TableSchema, Option<&'s StoredItem>)>,
        outcomes: &[Outcome],
    ) -> TransactWriteItemsAnswer {
        let writes = stored.into_iter().zip(outcomes).map(|((schema, old), outcome)| {
            let new = outcome.after(old).map(StoredItem::as_item);
            (schema, MeasuredWrite::whole(old.map(StoredItem::as_item), new))
        });
        self.answer_measured(writes)
    }

    /// Like [`answer`](Self::answer), given the measured items before and after.
    pub fn answer_measured<'s>(
        &self,
        writes: impl IntoIterator<Item = (&'s TableSchema, impl Borrow<MeasuredWrite>)>,
    ) -> TransactWriteItemsAnswer {
        let mut capacity = CapacityByTable::new(self.return_consumed_capacity);
        for (action, (schema, write)) in self.actions.iter().zip(writes) {
            capacity.add(|detail| {
                ConsumedCapacity::of_measured_write(schema, detail, write.borrow())
                    .in_transaction()
                    .told_of(action.table_name())
            });
        }
        TransactWriteItemsAnswer { capacity, item_collection_metrics: MetricsByTable::default() }
    }

    /// Refuses a transaction whose items exceed 4 MB in total, the limit in the API reference. Each
    /// counts with the larger of its old and new size; items that are only checked do not count.
    ///
    /// # Errors
    ///
    /// ValidationException.
    pub fn check_written(&self, writes: &[MeasuredWrite]) -> Result<()> {
        let size = |item: &Option<MeasuredItem>| item.as_ref().map_or(0, MeasuredItem::size);
        let is_check =
            |action: &TransactWriteItem| matches!(action, TransactWriteItem::ConditionCheck(_));
        let written = self.actions.iter().zip(writes).filter(|(action, _)| !is_check(action));
        check_size(written.map(|(_, write)| size(&write.old).max(size(&write.new))).sum())
    }

    /// The response to a repeated request whose token was already executed, given the current sizes
    /// of the items: it charges reads instead of writes.
    pub fn answer_again(&self, sizes: impl IntoIterator<Item = usize>) -> TransactWriteItemsAnswer {
        let mut capacity = CapacityByTable::new(self.return_consumed_capacity);
        for (action, size) in self.actions.iter().zip(sizes) {
            capacity.add(|detail| {
                ConsumedCapacity::of_transact_read(action.table_name(), detail, size)
            });
        }
        TransactWriteItemsAnswer { capacity, item_collection_metrics: MetricsByTable::default() }
    }
}

/// Adds the violations of a request's token.
pub(super) fn constrain_token(constraints: &mut Constraints, token: Option<&str>) {
    let Some(token) = token else { return };
    let len = token.chars().count();
    constraints.length_at_least("clientRequestToken", token, len, 1);
    constraints.length_at_most("clientRequestToken", token, len, TOKEN_LEN_MAX);
}

/// Refuses a transaction that is too large.
fn check_size(size: usize) -> Result<()> {
    if size > TRANSACTION_SIZE_MAX {
        return Err(Error::validation(format!(
            "Transaction payload size cannot exceed 4MB. Payload Size: {size}"
        )));
    }
    Ok(())
}

/// The response: consumed capacity and item collection metrics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactWriteItemsAnswer {
    /// Consumed capacity.
    pub capacity: CapacityByTable,
    /// The item collections written to, if requested.
    pub item_collection_metrics: MetricsByTable,
}

impl TransactWriteItemsAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            self.capacity.write_member(object);
            self.item_collection_metrics.write_member(object);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::schema::{KeyAttribute, KeySchema, KeyType};

    /// The length of a token was not checked in requests built without JSON.
    #[test]
    fn a_token_has_up_to_36_characters() {
        let item = Map::from([("id", Value::from("a"))]);
        let mut request = TransactWriteItems::new(vec![PutItem::new("games", item).into()]);
        let partition = KeyAttribute { name: "id".into(), kind: KeyType::S };
        let key = KeySchema::simple(partition, None);
        let schema = TableSchema { name: "games".into(), key, indexes: vec![] };
        request.client_request_token = Some("é".repeat(36));
        assert!(request.check(|_| Some(&schema)).is_ok());
        request.client_request_token = Some("e".repeat(37));
        assert_eq!(
            request.check(|_| Some(&schema)).unwrap_err().message(),
            "1 validation error detected: Value 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' at \
             'clientRequestToken' failed to satisfy constraint: \
             Member must have length less than or equal to 36"
        );
    }

    /// API reference, ClientRequestToken: the first call reports write units, later ones read
    /// units.
    #[test]
    fn a_request_that_comes_again_reads() {
        let item = Map::from([("id", Value::from("a"))]);
        let mut request = TransactWriteItems::new(vec![PutItem::new("games", item).into()]);
        request.return_consumed_capacity = ReturnConsumedCapacity::Total;
        let mut writer = Writer::new();
        request.answer_again([5000]).write_json(&mut writer);
        assert_eq!(
            String::from_utf8(writer.into_bytes()).unwrap(),
            r#"{"ConsumedCapacity":[{"TableName":"games","CapacityUnits":4.0,"ReadCapacityUnits":4.0}]}"#
        );
    }
}
