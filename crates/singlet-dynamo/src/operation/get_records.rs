//! GetRecords: reads the records of a shard.

use super::{check_page_limit, limit_of};
use crate::constraint::Constraints;
use crate::error::Result;
use crate::json::{Reader, Writer};
use crate::stream::{ShardIterator, StreamRecord};

/// Maximum and default number of records.
const PAGE_LEN_MAX: usize = 1000;
const ITERATOR_LEN_MAX: usize = 2048;

/// Reads the records of a shard from a position on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetRecords {
    /// The position.
    pub shard_iterator: ShardIterator,
    /// The maximum number of records: 1000 by default, which is also the limit.
    pub limit: usize,
}

impl GetRecords {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let (mut iterator, mut limit) = (None, None);
        let mut reader = Reader::new(json)?;
        reader.structure("GetRecordsInput", |reader, member| {
            match member {
                "ShardIterator" => iterator = reader.owned_string()?,
                "Limit" => limit = reader.integer("Integer")?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;

        let mut constraints = Constraints::default();
        constraints.required("shardIterator", &iterator);
        if let Some(iterator) = &iterator {
            let len = iterator.chars().count();
            constraints.length_at_least("shardIterator", iterator, len, 1);
            constraints.length_at_most("shardIterator", iterator, len, ITERATOR_LEN_MAX);
        }
        constraints.at_least("limit", limit, 1);
        constraints.finish()?;
        check_page_limit(limit, PAGE_LEN_MAX)?;
        Ok(Self {
            shard_iterator: ShardIterator::parse(&iterator.unwrap_or_default())?,
            limit: limit_of(limit).unwrap_or(PAGE_LEN_MAX),
        })
    }
}

/// The records, and the position after them.
#[derive(Clone, Debug, PartialEq)]
pub struct GetRecordsAnswer {
    /// The records, oldest first.
    pub records: Vec<StreamRecord>,
    /// The next position; `None` at the end of a closed shard.
    pub next_shard_iterator: Option<ShardIterator>,
    /// The region of the table.
    pub region: String,
}

impl GetRecordsAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("Records", |writer| {
                writer.array(&self.records, |writer, record| {
                    record.write_json(&self.region, writer);
                });
            });
            if let Some(iterator) = &self.next_shard_iterator {
                object.string("NextShardIterator", &iterator.to_string());
            }
        });
    }
}
