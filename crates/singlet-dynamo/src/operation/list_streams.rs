//! ListStreams: the streams of a table, or of all.

use super::table_name::constrain_name;
use super::{check_page_limit, limit_of};
use crate::arn::StreamArn;
use crate::constraint::Constraints;
use crate::error::Result;
use crate::json::{Reader, Writer};

/// Maximum and default page size.
const PAGE_LEN_MAX: usize = 100;
const ARN_LEN_MIN: usize = 37;
const ARN_LEN_MAX: usize = 1024;

/// Lists the streams of a table, or of all tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListStreams {
    /// The table; all tables if absent.
    pub table_name: Option<String>,
    /// The stream after which the page begins.
    pub exclusive_start_stream_arn: Option<StreamArn>,
    /// Page size: 100 by default, which is also the maximum.
    pub limit: Option<usize>,
}

/// Checks an optional member with a stream ARN.
pub(super) fn constrain_stream_arn(
    constraints: &mut Constraints,
    path: &str,
    arn: &Option<String>,
) {
    if let Some(arn) = arn {
        let len = arn.chars().count();
        constraints.length_at_least(path, arn, len, ARN_LEN_MIN);
        constraints.length_at_most(path, arn, len, ARN_LEN_MAX);
    }
}

impl ListStreams {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let (mut table_name, mut start, mut limit) = (None, None, None);
        let mut reader = Reader::new(json)?;
        reader.structure("ListStreamsInput", |reader, member| {
            match member {
                "TableName" => table_name = reader.owned_string()?,
                "ExclusiveStartStreamArn" => start = reader.owned_string()?,
                "Limit" => limit = reader.integer("Integer")?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;

        let mut constraints = Constraints::default();
        if let Some(name) = &table_name {
            constrain_name(&mut constraints, "tableName", name);
        }
        constrain_stream_arn(&mut constraints, "exclusiveStartStreamArn", &start);
        constraints.at_least("limit", limit, 1);
        constraints.finish()?;
        check_page_limit(limit, PAGE_LEN_MAX)?;
        Ok(Self {
            table_name,
            exclusive_start_stream_arn: start.map(StreamArn::parse).transpose()?,
            limit: limit_of(limit),
        })
    }

    /// The page, from all streams sorted by ARN.
    pub fn page<'a>(&self, streams: impl IntoIterator<Item = &'a StreamArn>) -> ListStreamsAnswer {
        let start = self.exclusive_start_stream_arn.as_ref().map(StreamArn::as_str);
        let mut rest = streams
            .into_iter()
            .filter(|arn| self.table_name.as_deref().is_none_or(|name| name == arn.table_name()))
            .filter(|arn| start.is_none_or(|start| arn.as_str() > start))
            .peekable();
        let limit = self.limit.unwrap_or(PAGE_LEN_MAX);
        let streams = rest.by_ref().take(limit).cloned().collect();
        ListStreamsAnswer { streams, is_last: rest.peek().is_none() }
    }
}

/// A page of streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListStreamsAnswer {
    /// The streams.
    pub streams: Vec<StreamArn>,
    /// Whether this is the last page.
    pub is_last: bool,
}

impl ListStreamsAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("Streams", |writer| {
                writer.array(&self.streams, |writer, arn| {
                    writer.object(|object| {
                        object.string("StreamArn", arn.as_str());
                        object.string("TableName", arn.table_name());
                        object.string("StreamLabel", arn.label());
                    });
                });
            });
            if let Some(last) = self.streams.last().filter(|_| !self.is_last) {
                object.string("LastEvaluatedStreamArn", last.as_str());
            }
        });
    }
}
