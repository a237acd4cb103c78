//! The operations, one file each. Checks and decisions are in `singlet_dynamo`; this adds access to
//! the rows.

mod batch_get_item;
mod batch_write_item;
mod create_table;
mod delete_item;
mod delete_table;
mod describe_limits;
mod describe_stream;
mod describe_table;
mod describe_time_to_live;
mod get_item;
mod get_records;
mod get_shard_iterator;
mod list_streams;
mod list_tables;
mod list_tags_of_resource;
mod put_item;
mod query;
mod scan;
mod tag_resource;
mod transact_get_items;
mod transact_write_items;
mod untag_resource;
mod update_item;
mod update_table;
mod update_time_to_live;

pub(crate) use batch_write_item::Batch;
pub(crate) use put_item::Put;
pub(crate) use transact_write_items::Transaction;
