//! Validates requests built in Rust, with the same errors as for a JSON body.
//!
//! [`Request::from_json`] refuses a body that violates a constraint before it looks at any table.
//! The members of a request are public, so one built in Rust can violate constraints too: a limit
//! of zero, an invalid segment, too many keys in a batch. Call [`Request::validate`] before
//! executing such a request.

use super::batch::check_distinct;
use super::table_name::{constrain_name, constrain_table_name, named_table};
use super::transact_write_items::constrain_token;
use super::{
    BatchGetItem, BatchWriteItem, Request, Scan, TransactGetItems, TransactWriteItem,
    TransactWriteItems, WriteRequest, batch_get_item, batch_write_item, list_tables, scan,
    transaction,
};
use crate::constraint::{Constraints, JavaList, Quoted};
use crate::error::{Error, Result};
use crate::json::value::TOO_DEEP;
use crate::limits::{KEY_ATTRIBUTE_NAME_SIZE_MAX, NESTING_MAX};
use crate::{Item, Value, binary};

impl Request {
    /// Applies the checks of [`Request::from_json`] to a request built in Rust.
    ///
    /// Expressions and values are valid by construction, except that values can nest too deep.
    ///
    /// ```
    /// use singlet_dynamo::operation::{Request, Scan, Segment};
    ///
    /// let mut scan = Scan::new("games");
    /// scan.segment = Some(Segment { number: 4, total: 4 });
    /// let error = Request::from(scan).validate().unwrap_err();
    /// assert!(error.message().starts_with("The Segment parameter is zero-based"));
    /// ```
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::GetItem(get) => check_table_name(&get.table_name),
            Self::PutItem(put) => {
                check_table_name(&put.table_name)?;
                check_item(&put.item)
            }
            Self::UpdateItem(update) => check_table_name(&update.table_name),
            Self::DeleteItem(delete) => check_table_name(&delete.table_name),
            Self::Query(query) => {
                let is_plain = query.limit != Some(0) && query.index_name.is_none();
                if is_plain {
                    return check_table_name(&query.table_name);
                }
                let mut constraints = Constraints::default();
                if let Some(name) = &query.index_name {
                    constrain_name(&mut constraints, "indexName", name);
                }
                constrain_table_name(&mut constraints, Some(&query.table_name));
                constrain_limit(&mut constraints, query.limit);
                constraints.finish()?;
                check_table_name(&query.table_name)
            }
            Self::Scan(scan) => check_scan(scan),
            Self::BatchGetItem(batch) => check_batch_get(batch),
            Self::BatchWriteItem(batch) => check_batch_write(batch),
            Self::TransactGetItems(transaction) => check_transact_get(transaction),
            Self::TransactWriteItems(transaction) => check_transact_write(transaction),
            Self::DescribeTable(request) => check_table_name(&request.table_name),
            Self::DeleteTable(request) => check_table_name(&request.table_name),
            Self::UpdateTable(request) => check_table_name(&request.table_name),
            Self::DescribeTimeToLive(request) => check_table_name(&request.table_name),
            Self::UpdateTimeToLive(request) => {
                check_table_name(&request.table_name)?;
                let name = &request.attribute_name;
                let (path, len) = ("timeToLiveSpecification.attributeName", name.chars().count());
                let mut constraints = Constraints::default();
                constraints.length_at_least(path, name, len, 1);
                constraints.length_at_most(path, name, len, KEY_ATTRIBUTE_NAME_SIZE_MAX);
                constraints.finish()
            }
            Self::ListTables(request) => {
                let mut constraints = Constraints::default();
                if let Some(name) = &request.exclusive_start_table_name {
                    constrain_name(&mut constraints, "exclusiveStartTableName", name);
                }
                constrain_limit(&mut constraints, request.limit);
                let limit = request.limit.and_then(|limit| i64::try_from(limit).ok());
                constraints.at_most("limit", limit, list_tables::PAGE_LEN_MAX as i64);
                constraints.finish()
            }
            // These cannot be invalid, or are checked on execution.
            Self::CreateTable(_)
            | Self::DescribeEndpoints(_)
            | Self::DescribeLimits(_)
            | Self::DescribeStream(_)
            | Self::GetRecords(_)
            | Self::GetShardIterator(_)
            | Self::ListStreams(_)
            | Self::ListTagsOfResource(_)
            | Self::TagResource(_)
            | Self::UntagResource(_) => Ok(()),
        }
    }
}

/// Refuses a text that is neither a table name nor an ARN. This runs for every request, so valid
/// names allocate nothing.
fn check_table_name(name_or_arn: &str) -> Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    if (3..=255).contains(&name_or_arn.len()) && name_or_arn.bytes().all(is_plain) {
        return Ok(());
    }
    let mut constraints = Constraints::default();
    constrain_table_name(&mut constraints, Some(name_or_arn));
    constraints.finish()?;
    named_table(name_or_arn.to_owned()).map(drop)
}

fn constrain_limit(constraints: &mut Constraints, limit: Option<usize>) {
    constraints.at_least("limit", limit.and_then(|limit| i64::try_from(limit).ok()), 1);
}

fn check_scan(request: &Scan) -> Result<()> {
    let segment = request.segment.map(|segment| i64::from(segment.number));
    let total = request.segment.map(|segment| i64::from(segment.total));
    let mut constraints = Constraints::default();
    if let Some(name) = &request.index_name {
        constrain_name(&mut constraints, "indexName", name);
    }
    scan::constrain_total(&mut constraints, total);
    constrain_table_name(&mut constraints, Some(&request.table_name));
    scan::constrain_segment(&mut constraints, segment);
    constrain_limit(&mut constraints, request.limit);
    constraints.finish()?;
    check_table_name(&request.table_name)?;
    scan::checked_segment(segment, total).map(drop)
}

/// Refuses an item that is nested too deep. `check` looks at its size.
fn check_item(item: &Item) -> Result<()> {
    let nests = |value: &Value| matches!(value, Value::M(_) | Value::L(_));
    if item.iter().any(|(_, value)| nests(value) && value.levels() > NESTING_MAX) {
        return Err(Error::validation(TOO_DEEP));
    }
    Ok(())
}

/// Refuses invalid table names in a batch. The service quotes the body, which does not exist here,
/// so the names are quoted.
fn constrain_batch_names<'n>(
    constraints: &mut Constraints,
    names: impl Iterator<Item = &'n String>,
) {
    let names: Vec<&String> = names.collect();
    if names.iter().any(|name| check_table_name(name).is_err()) {
        constraints.violate(
            Quoted(JavaList::of(&names)),
            "requestItems",
            super::batch::NAMES_CONSTRAINT,
        );
    }
}

fn check_batch_get(batch: &BatchGetItem) -> Result<()> {
    let mut constraints = Constraints::default();
    constrain_batch_names(&mut constraints, batch.tables.iter().map(|table| &table.table_name));
    constraints.finish()?;
    let lens = batch.tables.iter().map(|table| (table.table_name.as_str(), table.keys.len()));
    batch_get_item::check_lengths(lens)?;
    for table in &batch.tables {
        check_distinct(table.keys.iter().map(binary::encode).collect())?;
    }
    Ok(())
}

fn check_batch_write(batch: &BatchWriteItem) -> Result<()> {
    let mut constraints = Constraints::default();
    constrain_batch_names(&mut constraints, batch.tables.iter().map(|table| &table.table_name));
    constraints.finish()?;
    let lens = batch.tables.iter().map(|table| (table.table_name.as_str(), table.requests.len()));
    batch_write_item::check_lengths(lens)?;
    for write in batch.tables.iter().flat_map(|table| &table.requests) {
        if let WriteRequest::Put(item) = write {
            check_item(item)?;
        }
    }
    Ok(())
}

fn check_transact_get(request: &TransactGetItems) -> Result<()> {
    let mut constraints = Constraints::default();
    constraints.length_at_least("transactItems", "[]", request.gets.len(), 1);
    for (place, get) in request.gets.iter().enumerate() {
        if check_table_name(&get.table_name).is_err() {
            let path = format!("transactItems.{}.member.get.tableName", place + 1);
            transaction::constrain_table_name(&mut constraints, &path, Some(&get.table_name));
        }
    }
    constraints.finish()?;
    transaction::check_count(request.gets.len())
}

fn check_transact_write(request: &TransactWriteItems) -> Result<()> {
    let mut constraints = Constraints::default();
    constraints.length_at_least("transactItems", "[]", request.actions.len(), 1);
    for (place, action) in request.actions.iter().enumerate() {
        if check_table_name(action.table_name()).is_err() {
            let kind = match action {
                TransactWriteItem::ConditionCheck(_) => "conditionCheck",
                TransactWriteItem::Put(_) => "put",
                TransactWriteItem::Delete(_) => "delete",
                TransactWriteItem::Update(_) => "update",
            };
            let path = format!("transactItems.{}.member.{kind}.tableName", place + 1);
            transaction::constrain_table_name(&mut constraints, &path, Some(action.table_name()));
        }
    }
    constrain_token(&mut constraints, request.client_request_token.as_deref());
    constraints.finish()?;
    transaction::check_count(request.actions.len())?;
    for action in &request.actions {
        if let TransactWriteItem::Put(put) = action {
            check_item(&put.item)?;
        }
    }
    Ok(())
}
