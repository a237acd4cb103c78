//! The operations, one file each: request, answer, and checks in the service's order.
//!
//! A request comes into being in one of two ways. `from_json` reads a body and refuses what
//! the service refuses before it has looked at any table: first what is not of the right
//! shape, then all violated constraints together, then parameters that do not go together,
//! then values, then expressions. Or it is built in Rust, from parts that cannot be wrong in
//! those ways. Either way it holds expressions as ASTs with their names and values resolved.
//!
//! `check` then says, given the table's schema, what the service refuses once it has found the
//! table. Deciding what a write does to what is stored is a pure function of the request and
//! the stored item.

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
        /// A request for any of the operations.
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

            /// Reads the body of a request for the operation of this name.
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

/// Answers about tables are four times as large as all others, and far less frequent: they are
/// boxed, so that those of items are small to pass on.
macro_rules! answers {
    (@held $answer:ident) => { $answer };
    (@held $answer:ident boxed) => { Box<$answer> };
    ($($name:ident($answer:ident) $($boxed:ident)?,)+) => {
        /// An answer of any of the operations. Those that answer alike share a kind of answer.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Answer {
            $(
                #[doc = concat!("See [`", stringify!($answer), "`].")]
                $name(answers!(@held $answer $($boxed)?)),
            )+
        }

        impl Answer {
            /// Writes the answer's body.
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

/// How many bytes the JSON of a record of a stream has without its key and images, about.
const RECORD_BYTES: usize = 300;

impl Answer {
    /// About how many bytes of items the answer holds, found without looking into them. Its JSON
    /// takes about as many.
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

/// A member that is refused rather than passed over, since it asks for something that would
/// silently be missing.
fn unsupported(member: &str) -> Error {
    Error::invalid_parameter(format_args!("{member} is not supported"))
}

/// A table is being created or deleted, so that nothing else can be done to it.
fn in_use(state: &str, table_name: &str) -> Error {
    Error::with_message(
        ErrorKind::ResourceInUse,
        format!(
            "Attempt to change a resource which is still in use: Table is being {state}: {table_name}"
        ),
    )
}

/// Checks that nothing is under way at a table that is to be changed.
fn check_idle(table: &TableDescription) -> Result<()> {
    match table.status {
        TableStatus::Active => Ok(()),
        TableStatus::Creating => Err(in_use("created", &table.name)),
        TableStatus::Updating => Err(in_use("updated", &table.name)),
        TableStatus::Deleting => Err(in_use("deleted", &table.name)),
    }
}

/// Checks how many of something a page can have, for members whose bound is no constraint.
fn check_page_limit(limit: Option<i64>, max: usize) -> Result<()> {
    if limit.is_some_and(|limit| limit > max as i64) {
        return Err(Error::invalid_parameter(format_args!(
            "Limit cannot be greater than the maximum allowed size: {max}"
        )));
    }
    Ok(())
}

/// A limit that was found to be at least one.
fn limit_of(limit: Option<i64>) -> Option<usize> {
    limit.and_then(|limit| usize::try_from(limit).ok())
}
