//! The operations, one file each: request, response, and checks in the service's order.
//!
//! A request is created in one of two ways. `from_json` parses a body and refuses what the service
//! refuses before it looks at any table: first wrong shapes, then all violated constraints
//! together, then contradicting parameters, then values, then expressions. Or it is built in Rust,
//! from parts that rule out those mistakes. Either way it holds expressions as ASTs with their
//! names and values resolved.
//!
//! `check` then applies the checks that need the table's schema. Deciding what a write does is a
//! pure function of the request and the stored item.

mod answer;
mod batch;
mod batch_get_item;
mod batch_write_item;
mod body;
mod collection_metrics;
mod create_table;
mod definition;
mod delete_item;
mod delete_table;
mod describe_endpoints;
mod describe_limits;
mod describe_stream;
mod describe_table;
mod describe_time_to_live;
mod get_item;
mod get_records;
mod get_shard_iterator;
mod index_update;
mod list_streams;
mod list_tables;
mod list_tags_of_resource;
mod page;
mod parameter;
mod projection;
mod put_item;
mod query;
mod read;
mod scan;
mod table_name;
mod tag;
mod tag_resource;
mod transact_get_items;
mod transact_write_items;
mod transaction;
mod untag_resource;
mod update_item;
mod update_table;
mod update_time_to_live;
mod validate;
mod write;

pub use batch_get_item::{BatchGetItem, BatchGetItemAnswer, KeysAndAttributes};
pub use batch_write_item::{BatchWriteItem, BatchWriteItemAnswer, TableWrites, WriteRequest};
pub use collection_metrics::{ItemCollectionMetrics, MetricsByTable};
pub use create_table::{CreateTable, CreateTableAnswer};
pub use delete_item::DeleteItem;
pub use delete_table::{DeleteTable, DeleteTableAnswer};
pub use describe_endpoints::{DescribeEndpoints, DescribeEndpointsAnswer};
pub use describe_limits::{DescribeLimits, DescribeLimitsAnswer};
pub use describe_stream::{DescribeStream, DescribeStreamAnswer, stream_not_found};
pub use describe_table::{DescribeTable, DescribeTableAnswer};
pub use describe_time_to_live::{DescribeTimeToLive, DescribeTimeToLiveAnswer};
pub use get_item::{GetItem, GetItemAnswer};
pub use get_records::{GetRecords, GetRecordsAnswer};
pub use get_shard_iterator::{GetShardIterator, GetShardIteratorAnswer, ShardIteratorType};
pub use index_update::{IndexUpdate, OnDemandChange};
pub use list_streams::{ListStreams, ListStreamsAnswer};
pub use list_tables::{ListTables, ListTablesAnswer};
pub use list_tags_of_resource::{ListTagsOfResource, ListTagsOfResourceAnswer};
pub use page::{Page, PageAnswer};
pub use parameter::ReturnValues;
pub use put_item::PutItem;
pub use query::{Query, QueryPlan};
pub use read::{Selection, StartKey};
pub use scan::{Scan, ScanPlan, Segment};
pub use table_name::table_not_found;
pub use tag::ResourceArn;
pub use tag_resource::{TagResource, TagResourceAnswer};
pub use transact_get_items::{TransactGetItems, TransactGetItemsAnswer};
pub use transact_write_items::{
    ConditionCheck, Outcome, TransactWriteItem, TransactWriteItems, TransactWriteItemsAnswer,
};
pub use untag_resource::{UntagResource, UntagResourceAnswer};
pub use update_item::{UpdateItem, Updated};
pub use update_table::{StreamChange, UpdateTable, UpdateTableAnswer};
pub use update_time_to_live::{UpdateTimeToLive, UpdateTimeToLiveAnswer};
pub use write::WriteAnswer;

use crate::error::{Error, ErrorKind, Result};
use crate::json::Writer;
use crate::stored::Attributes;
use crate::stream::StreamRecord;
use crate::table::{TableDescription, TableStatus};

macro_rules! requests {
    ($($operation:ident,)+) => {
        /// A request for any operation.
        ///
        /// ```
        /// use singlet_dynamo::operation::Request;
        ///
        /// let request = Request::from_json("ListTables", br#"{"Limit": 10}"#)?;
        /// assert_eq!(request.operation(), "ListTables");
        /// # Ok::<(), singlet_dynamo::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub enum Request {
            $(
                #[doc = concat!("See [`", stringify!($operation), "`].")]
                $operation($operation),
            )+
        }

        impl Request {
            /// The names of all operations.
            pub const OPERATIONS: &[&str] = &[$(stringify!($operation),)+];

            /// Parses the body of a request for this operation.
            pub fn from_json(operation: &str, json: &[u8]) -> Result<Self> {
                match operation {
                    $(stringify!($operation) => $operation::from_json(json).map(Self::$operation),)+
                    _ => Err(Error::new(ErrorKind::UnknownOperation)),
                }
            }

            /// The name of the operation.
            #[must_use]
            pub fn operation(&self) -> &'static str {
                match self {
                    $(Self::$operation(_) => stringify!($operation),)+
                }
            }
        }

        $(
            impl From<$operation> for Request {
                fn from(request: $operation) -> Self {
                    Self::$operation(request)
                }
            }
        )+
    };
}

/// Responses about tables are four times as large as the others and much rarer, so they are boxed.
macro_rules! answers {
    (@held $answer:ident) => { $answer };
    (@held $answer:ident boxed) => { Box<$answer> };
    ($($name:ident($answer:ident) $($boxed:ident)?,)+) => {
        /// The response of any operation.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Answer {
            $(
                #[doc = concat!("See [`", stringify!($answer), "`].")]
                $name(answers!(@held $answer $($boxed)?)),
            )+
        }

        impl Answer {
            /// Writes the response body.
            pub fn write_json(&self, writer: &mut Writer) {
                match self {
                    $(Self::$name(answer) => answer.write_json(writer),)+
                }
            }
        }

        $(
            impl From<$answer> for Answer {
                fn from(answer: $answer) -> Self {
                    Self::$name(answer.into())
                }
            }
        )+
    };
}

/// Approximate JSON size of a stream record without its key and images.
const RECORD_BYTES: usize = 300;

impl Answer {
    /// Approximate size of the items in the response, and of their JSON, without walking over them.
    #[must_use]
    pub fn item_bytes(&self) -> usize {
        let sum = |items: &[Attributes]| items.iter().map(Attributes::held_bytes).sum::<usize>();
        let held = |item: &Option<Attributes>| item.as_ref().map_or(0, Attributes::held_bytes);
        match self {
            Self::BatchGetItem(answer) => {
                answer.responses.iter().map(|(_, items)| sum(items)).sum()
            }
            Self::GetItem(answer) => held(&answer.item),
            Self::GetRecords(answer) => {
                let bytes = |record: &StreamRecord| {
                    let images = held(&record.new_image) + held(&record.old_image);
                    RECORD_BYTES + record.keys.size() + images
                };
                answer.records.iter().map(bytes).sum()
            }
            Self::Page(answer) => answer.items.as_deref().map_or(0, sum),
            Self::TransactGetItems(answer) => answer.responses.iter().map(held).sum(),
            Self::Write(answer) => held(&answer.attributes),
            _ => 0,
        }
    }
}

requests! {
    BatchGetItem,
    BatchWriteItem,
    CreateTable,
    DeleteItem,
    DeleteTable,
    DescribeEndpoints,
    DescribeLimits,
    DescribeStream,
    DescribeTable,
    DescribeTimeToLive,
    GetItem,
    GetRecords,
    GetShardIterator,
    ListStreams,
    ListTables,
    ListTagsOfResource,
    PutItem,
    Query,
    Scan,
    TagResource,
    TransactGetItems,
    TransactWriteItems,
    UntagResource,
    UpdateItem,
    UpdateTable,
    UpdateTimeToLive,
}

answers! {
    BatchGetItem(BatchGetItemAnswer),
    BatchWriteItem(BatchWriteItemAnswer),
    CreateTable(CreateTableAnswer) boxed,
    DeleteTable(DeleteTableAnswer) boxed,
    DescribeEndpoints(DescribeEndpointsAnswer),
    DescribeLimits(DescribeLimitsAnswer),
    DescribeStream(DescribeStreamAnswer),
    DescribeTable(DescribeTableAnswer) boxed,
    DescribeTimeToLive(DescribeTimeToLiveAnswer),
    GetItem(GetItemAnswer),
    GetRecords(GetRecordsAnswer),
    GetShardIterator(GetShardIteratorAnswer),
    ListStreams(ListStreamsAnswer),
    ListTables(ListTablesAnswer),
    ListTagsOfResource(ListTagsOfResourceAnswer),
    Page(PageAnswer),
    TagResource(TagResourceAnswer),
    TransactGetItems(TransactGetItemsAnswer),
    TransactWriteItems(TransactWriteItemsAnswer),
    UntagResource(UntagResourceAnswer),
    UpdateTable(UpdateTableAnswer) boxed,
    UpdateTimeToLive(UpdateTimeToLiveAnswer),
    Write(WriteAnswer),
}

/// Refuses a member that asks for something we do not have, rather than ignoring it.
fn unsupported(member: &str) -> Error {
    Error::invalid_parameter(format_args!("{member} is not supported"))
}

/// The table is being created or deleted, so it cannot be changed.
fn in_use(state: &str, table_name: &str) -> Error {
    Error::with_message(
        ErrorKind::ResourceInUse,
        format!(
            "Attempt to change a resource which is still in use: Table is being {state}: {table_name}"
        ),
    )
}

/// Checks that no change to the table is in progress.
fn check_idle(table: &TableDescription) -> Result<()> {
    match table.status {
        TableStatus::Active => Ok(()),
        TableStatus::Creating => Err(in_use("created", &table.name)),
        TableStatus::Updating => Err(in_use("updated", &table.name)),
        TableStatus::Deleting => Err(in_use("deleted", &table.name)),
    }
}

/// Checks a page limit, for members where it is not a constraint.
fn check_page_limit(limit: Option<i64>, max: usize) -> Result<()> {
    if limit.is_some_and(|limit| limit > max as i64) {
        return Err(Error::invalid_parameter(format_args!(
            "Limit cannot be greater than the maximum allowed size: {max}"
        )));
    }
    Ok(())
}

/// A limit known to be at least 1.
fn limit_of(limit: Option<i64>) -> Option<usize> {
    limit.and_then(|limit| usize::try_from(limit).ok())
}
