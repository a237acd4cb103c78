//! DescribeStream: a stream and its shards.

use super::list_streams::constrain_stream_arn;
use super::{check_page_limit, limit_of};
use crate::arn::StreamArn;
use crate::constraint::Constraints;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Reader, Writer};
use crate::stream::{Shard, StreamDescription};

/// Maximum and default page size.
const PAGE_LEN_MAX: usize = 100;
const SHARD_ID_LEN_MIN: usize = 28;
const SHARD_ID_LEN_MAX: usize = 65;

/// Describes a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeStream {
    /// The stream.
    pub stream_arn: StreamArn,
    /// The shard after which the page begins.
    pub exclusive_start_shard_id: Option<String>,
    /// Only return children of this shard.
    pub children_of: Option<String>,
    /// Page size: 100 by default, which is also the maximum.
    pub limit: Option<usize>,
}

/// Checks an optional member with a shard id.
pub(super) fn constrain_shard_id(constraints: &mut Constraints, path: &str, id: &Option<String>) {
    if let Some(id) = id {
        let len = id.chars().count();
        constraints.length_at_least(path, id, len, SHARD_ID_LEN_MIN);
        constraints.length_at_most(path, id, len, SHARD_ID_LEN_MAX);
    }
}

/// The error for a missing stream.
#[must_use]
pub fn stream_not_found(arn: &StreamArn) -> Error {
    Error::with_message(
        ErrorKind::ResourceNotFound,
        format!("Requested resource not found: Stream: {} not found", arn.as_str()),
    )
}

/// The filter, unchecked.
#[derive(Default)]
struct Filter {
    kind: Option<String>,
    shard_id: Option<String>,
}

impl DescribeStream {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let (mut stream_arn, mut start, mut limit) = (None, None, None);
        let mut filter = Filter::default();
        let mut reader = Reader::new(json)?;
        reader.structure("DescribeStreamInput", |reader, member| {
            match member {
                "StreamArn" => stream_arn = reader.owned_string()?,
                "ExclusiveStartShardId" => start = reader.owned_string()?,
                "Limit" => limit = reader.integer("Integer")?,
                "ShardFilter" => {
                    reader.structure("ShardFilter", |reader, member| {
                        match member {
                            "Type" => filter.kind = reader.owned_string()?,
                            "ShardId" => filter.shard_id = reader.owned_string()?,
                            _ => reader.skip()?,
                        }
                        Ok(())
                    })?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;

        let mut constraints = Constraints::default();
        constraints.required("streamArn", &stream_arn);
        constrain_stream_arn(&mut constraints, "streamArn", &stream_arn);
        constrain_shard_id(&mut constraints, "exclusiveStartShardId", &start);
        constraints.at_least("limit", limit, 1);
        let choices = [("CHILD_SHARDS", ())];
        let filters =
            constraints.one_of("shardFilter.type", filter.kind.as_deref(), &choices).is_some();
        constrain_shard_id(&mut constraints, "shardFilter.shardId", &filter.shard_id);
        constraints.finish()?;
        check_page_limit(limit, PAGE_LEN_MAX)?;
        Ok(Self {
            stream_arn: StreamArn::parse(stream_arn.unwrap_or_default())?,
            exclusive_start_shard_id: start,
            children_of: filter.shard_id.filter(|_| filters),
            limit: limit_of(limit),
        })
    }

    /// The requested page of a stream's shards.
    #[must_use]
    pub fn answer(&self, stream: StreamDescription) -> DescribeStreamAnswer {
        let start = self.exclusive_start_shard_id.as_deref();
        let parent = self.children_of.as_deref();
        let mut rest = stream
            .shards
            .iter()
            .filter(|shard| start.is_none_or(|start| shard.id.as_str() > start))
            .filter(|shard| parent.is_none_or(|parent| shard.parent_id.as_deref() == Some(parent)))
            .peekable();
        let limit = self.limit.unwrap_or(PAGE_LEN_MAX);
        let shards: Vec<Shard> = rest.by_ref().take(limit).cloned().collect();
        let is_last = rest.peek().is_none();
        DescribeStreamAnswer { shards, is_last, stream }
    }
}

/// A stream and a page of its shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeStreamAnswer {
    /// The stream, with all of its shards.
    pub stream: StreamDescription,
    /// The shards of this page.
    pub shards: Vec<Shard>,
    /// Whether this is the last page.
    pub is_last: bool,
}

impl DescribeStreamAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        let last = self.shards.last().filter(|_| !self.is_last);
        writer.object(|object| {
            object.member("StreamDescription", |writer| {
                self.stream.write_json(&self.shards, last.map(|shard| shard.id.as_str()), writer);
            });
        });
    }
}
