//! GetRecords: the records of a shard, from a place on.

use super::{check_page_limit, limit_of};
use crate::constraint::Constraints;
use crate::error::Result;
use crate::json::{Reader, Writer};
use crate::stream::{ShardIterator, StreamRecord};

/// How many records an answer has at most, and has unless the request says otherwise.
const PAGE_LEN_MAX: usize = 1000;
const ITERATOR_LEN_MAX: usize = 2048;

/// Asks for the records of a shard, from a place on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetRecords {
    /// The place.
    pub shard_iterator: ShardIterator,
    /// How many to give at most: 1000, unless the request says less.
    pub limit: usize,
}

impl GetRecords {
    /// Reads a request's body.
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

/// The records, and where to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct GetRecordsAnswer {
    /// The records, oldest first.
    pub records: Vec<StreamRecord>,
    /// Where to go on; `None` at the end of a shard that will get no more records.
    pub next_shard_iterator: Option<ShardIterator>,
    /// Where the table lives.
    pub region: String,
}

impl GetRecordsAnswer {
    /// Writes the answer's body.
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
