//! Writing items.

use super::Reference;
use super::cost;
use super::table::{Table, is_row, only};
use crate::naive::{self, Change, Claim};
use singlet_dynamo::capacity::{CapacityByTable, ReturnConsumedCapacity};
use singlet_dynamo::error::CancellationReason;
use singlet_dynamo::expression::Condition;
use singlet_dynamo::operation::{
    BatchWriteItem, BatchWriteItemAnswer, DeleteItem, ItemCollectionMetrics, MetricsByTable,
    PutItem, ReturnValues, TransactWriteItem, TransactWriteItems, TransactWriteItemsAnswer,
    UpdateItem, WriteAnswer, WriteRequest,
};
use singlet_dynamo::schema::{Index, Scope};
use singlet_dynamo::{Error, ErrorKind, Item, Timestamp};

/// The maximum item size is 400 KB.
const ITEM_SIZE: usize = 400 * 1024;
/// Tokens are valid for ten minutes.
const TOKEN_MS: i64 = 10 * 60 * 1000;

/// The token of an executed transaction.
#[derive(Clone, Debug)]
pub(super) struct Token {
    text: String,
    used_at: Timestamp,
    actions: Vec<TransactWriteItem>,
}

/// The item before and after a write.
struct Written {
    old: Option<Item>,
    new: Option<Item>,
}

impl Reference {
    pub(super) fn put_item(&mut self, request: &PutItem) -> Result<WriteAnswer, Error> {
        let written = self.put(request)?;
        let table = self.usable(&request.table_name)?;
        Ok(WriteAnswer {
            attributes: written.old.clone().filter(|_| request.return_old).map(Into::into),
            item_collection_metrics: metrics(
                table,
                &request.item,
                request.return_item_collection_metrics,
            ),
            consumed_capacity: written.cost(table, request.return_consumed_capacity),
        })
    }

    pub(super) fn delete_item(&mut self, request: &DeleteItem) -> Result<WriteAnswer, Error> {
        let written = self.delete(request)?;
        let table = self.usable(&request.table_name)?;
        Ok(WriteAnswer {
            attributes: written.old.clone().filter(|_| request.return_old).map(Into::into),
            item_collection_metrics: metrics(
                table,
                &request.key,
                request.return_item_collection_metrics,
            ),
            consumed_capacity: written.cost(table, request.return_consumed_capacity),
        })
    }

    pub(super) fn update_item(&mut self, request: &UpdateItem) -> Result<WriteAnswer, Error> {
        let written = self.update(request)?;
        let table = self.usable(&request.table_name)?;
        let paths: Vec<_> = request
            .update
            .iter()
            .flat_map(|update| update.actions().iter().map(|action| action.path().clone()))
            .collect();
        let parts = |item: &Option<Item>| {
            let parts = item.as_ref().map(|item| naive::project(&paths, item));
            parts.filter(|parts| !parts.is_empty())
        };
        let attributes = match request.return_values {
            ReturnValues::None => None,
            ReturnValues::AllOld => written.old.clone(),
            ReturnValues::AllNew => written.new.clone(),
            ReturnValues::UpdatedOld => parts(&written.old),
            ReturnValues::UpdatedNew => parts(&written.new),
        };
        Ok(WriteAnswer {
            attributes: attributes.map(Into::into),
            item_collection_metrics: metrics(
                table,
                &request.key,
                request.return_item_collection_metrics,
            ),
            consumed_capacity: written.cost(table, request.return_consumed_capacity),
        })
    }

    fn put(&mut self, request: &PutItem) -> Result<Written, Error> {
        let table = self.usable(&request.table_name)?;
        request.check(&table.schema())?;
        let old = table.find(&request.item).cloned();
        check(request.condition.as_ref(), old.as_ref(), request.return_old_on_failure)?;
        let new = Some(request.item.clone());
        self.replace(&request.table_name, old.clone(), new.clone(), false);
        Ok(Written { old, new })
    }

    fn delete(&mut self, request: &DeleteItem) -> Result<Written, Error> {
        let table = self.usable(&request.table_name)?;
        request.check(&table.schema())?;
        let old = table.find(&request.key).cloned();
        check(request.condition.as_ref(), old.as_ref(), request.return_old_on_failure)?;
        self.replace(&request.table_name, old.clone(), None, false);
        Ok(Written { old, new: None })
    }

    fn update(&mut self, request: &UpdateItem) -> Result<Written, Error> {
        let table = self.usable(&request.table_name)?;
        request.check(&table.schema())?;
        let old = table.find(&request.key).cloned();
        check(request.condition.as_ref(), old.as_ref(), request.return_old_on_failure)?;
        let new = updated(request, old.as_ref(), table)?;
        self.replace(&request.table_name, old.clone(), new.clone(), false);
        Ok(Written { old, new })
    }

    pub(super) fn batch_write_item(
        &mut self,
        request: &BatchWriteItem,
    ) -> Result<BatchWriteItemAnswer, Error> {
        let schemas = self.usable_schemas();
        request.check(|name| schemas.iter().find(|schema| schema.name == name))?;
        let detail = request.return_consumed_capacity;
        let mut answer = BatchWriteItemAnswer {
            capacity: CapacityByTable::new(detail),
            ..BatchWriteItemAnswer::default()
        };
        for writes in &request.tables {
            let name = &writes.table_name;
            for write in &writes.requests {
                let (attributes, written) = match write {
                    WriteRequest::Put(item) => (item, self.put(&PutItem::new(name, item.clone()))?),
                    WriteRequest::Delete(key) => {
                        (key, self.delete(&DeleteItem::new(name, key.clone()))?)
                    }
                };
                let table = self.usable(name)?;
                if let Some(consumed) = written.cost(table, detail) {
                    answer.capacity.add(|_| consumed);
                }
                let wanted = request.return_item_collection_metrics;
                if let Some(metrics) = metrics(table, attributes, wanted) {
                    answer.item_collection_metrics.add(name, metrics);
                }
            }
        }
        Ok(answer)
    }

    pub(super) fn transact_write_items(
        &mut self,
        request: &TransactWriteItems,
    ) -> Result<TransactWriteItemsAnswer, Error> {
        let schemas = self.usable_schemas();
        request.check(|name| schemas.iter().find(|schema| schema.name == name))?;
        if let Some(token) = &request.client_request_token {
            let is_known = |known: &&Token| {
                known.text == *token && self.now.millis_since(known.used_at) < TOKEN_MS
            };
            match self.tokens.iter().rev().find(is_known) {
                Some(known) if known.actions != request.actions => {
                    return Err(Error::new(ErrorKind::IdempotentParameterMismatch));
                }
                Some(_) => return self.replay(request),
                None => {}
            }
        }
        let mut copy = self.clone();
        let mut reasons = Vec::new();
        let mut answer = TransactWriteItemsAnswer {
            capacity: CapacityByTable::new(request.return_consumed_capacity),
            item_collection_metrics: MetricsByTable::default(),
        };
        for action in &request.actions {
            let written = match copy.act(action) {
                Ok(written) => written,
                Err(error) => {
                    reasons.push(CancellationReason::of(&error).ok_or(error)?);
                    continue;
                }
            };
            reasons.push(CancellationReason::default());
            let table = copy.usable(action.table_name())?;
            answer.capacity.add(|detail| {
                let (old, new) = (written.old.as_ref(), written.new.as_ref());
                cost::of_transact_write(table, detail, old, new)
            });
            let makes_nothing = matches!(action, TransactWriteItem::ConditionCheck(_))
                || (matches!(action, TransactWriteItem::Update(_)) && written.new.is_none());
            let wanted = request.return_item_collection_metrics && !makes_nothing;
            if let Some(metrics) = metrics(table, attributes_of(action), wanted) {
                answer.item_collection_metrics.add(action.table_name(), metrics);
            }
        }
        if reasons.iter().any(|reason| reason.failure.is_some()) {
            return Err(Error::transaction_canceled(reasons));
        }
        *self = copy;
        if let Some(token) = &request.client_request_token {
            self.tokens.push(Token {
                text: token.clone(),
                used_at: self.now,
                actions: request.actions.clone(),
            });
        }
        Ok(answer)
    }

    fn act(&mut self, action: &TransactWriteItem) -> Result<Written, Error> {
        match action {
            TransactWriteItem::Put(put) => self.put(put),
            TransactWriteItem::Delete(delete) => self.delete(delete),
            TransactWriteItem::Update(update) => self.update(update),
            TransactWriteItem::ConditionCheck(request) => {
                let old = self.usable(&request.table_name)?.find(&request.key).cloned();
                check(Some(&request.condition), old.as_ref(), request.return_old_on_failure)?;
                Ok(Written { new: old.clone(), old })
            }
        }
    }

    /// A repeated transaction does nothing and costs as much as reading the items it wrote.
    fn replay(&self, request: &TransactWriteItems) -> Result<TransactWriteItemsAnswer, Error> {
        let mut capacity = CapacityByTable::new(request.return_consumed_capacity);
        for action in &request.actions {
            let table = self.usable(action.table_name())?;
            let found = table.find(attributes_of(action));
            capacity.add(|detail| cost::of_transact_read(table.name(), detail, found));
        }
        Ok(TransactWriteItemsAnswer {
            capacity,
            item_collection_metrics: MetricsByTable::default(),
        })
    }

    /// Inserts, replaces or removes an item. A write that changes nothing leaves no stream record.
    pub(super) fn replace(
        &mut self,
        table_name: &str,
        old: Option<Item>,
        new: Option<Item>,
        is_expiry: bool,
    ) {
        let Some(attributes) = old.as_ref().or(new.as_ref()) else { return };
        if old == new {
            return;
        }
        let attributes = attributes.clone();
        self.table_mut(table_name).replace(&attributes, new.clone());
        self.record(table_name, old, new, is_expiry);
    }
}

impl Written {
    fn cost(
        &self,
        table: &Table,
        detail: ReturnConsumedCapacity,
    ) -> Option<singlet_dynamo::capacity::ConsumedCapacity> {
        cost::of_write(table, detail, self.old.as_ref(), self.new.as_ref())
    }
}

/// Fails if the condition is false.
fn check(condition: Option<&Condition>, old: Option<&Item>, return_old: bool) -> Result<(), Error> {
    let nothing = Item::new();
    let holds =
        condition.is_none_or(|condition| Claim::of(condition).holds(old.unwrap_or(&nothing)));
    match holds {
        true => Ok(()),
        false => Err(Error::conditional_check_failed(
            old.filter(|_| return_old).cloned().map(Into::into),
        )),
    }
}

/// The result of an update on an item or on no item.
fn updated(request: &UpdateItem, old: Option<&Item>, table: &Table) -> Result<Option<Item>, Error> {
    let before = old.unwrap_or(&request.key);
    let Some(update) = &request.update else { return Ok(Some(before.clone())) };
    let mut changes = naive::changes_of(update);
    let only_takes = |change: &Change| matches!(change, Change::Remove(_) | Change::Delete(..));
    let makes_nothing = old.is_none() && changes.iter().all(only_takes);
    if old.is_none() {
        changes.retain(|change| !change.removes());
    }
    let new = naive::update(&changes, before)?;
    if makes_nothing {
        return Ok(None);
    }
    update.check_new(&new, &table.schema())?;
    if size_with_local_rows(&new, table) > ITEM_SIZE {
        return Err(Error::validation("Item size to update has exceeded the maximum allowed size"));
    }
    Ok(Some(new))
}

/// The size of an item with its rows in local indexes.
fn size_with_local_rows(item: &Item, table: &Table) -> usize {
    let schema = table.schema();
    let is_held = |index: &&Index| index.scope == Scope::Local && is_row(index, item);
    let rows = schema.indexes.iter().filter(is_held);
    let sizes = rows.map(|index| cost::size(&only(item, |name| index.holds(&schema.key, name))));
    cost::size(item) + sizes.sum::<usize>()
}

/// Item collection metrics, if requested and the table has local indexes.
fn metrics(table: &Table, attributes: &Item, wanted: bool) -> Option<ItemCollectionMetrics> {
    let has_local = table.description.indexes_of(Scope::Local).next().is_some();
    let name = &table.description.key.first().name;
    let partition = attributes.get(name)?.clone();
    let collection = table.items.iter().filter(|item| item.get(name) == Some(&partition));
    let size = collection.map(|item| cost::size(item) as u64).sum();
    (wanted && has_local).then(|| ItemCollectionMetrics::new(name.as_str(), partition, size))
}

/// The item or key of an action.
fn attributes_of(action: &TransactWriteItem) -> &Item {
    match action {
        TransactWriteItem::ConditionCheck(check) => &check.key,
        TransactWriteItem::Put(put) => &put.item,
        TransactWriteItem::Delete(delete) => &delete.key,
        TransactWriteItem::Update(update) => &update.key,
    }
}
