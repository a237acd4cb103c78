//! Streams: the changes to a table's items, in order, kept for a day.
//!
//! A stream is a list of shards, a shard a list of [`StreamRecord`]s with ascending
//! [`SequenceNumber`]s, and a [`ShardIterator`] a client's position in a shard.

mod iterator;
mod record;

pub use iterator::ShardIterator;
pub use record::{EventName, StreamRecord};

use crate::arn::StreamArn;
use crate::json::Writer;
use crate::schema::KeySchema;
use crate::table::StreamViewType;
use crate::{Timestamp, table};
use std::fmt;

/// The position of a record in its shard.
///
/// Clients see it as a number of at least 21 digits.
///
/// ```
/// use singlet_dynamo::stream::SequenceNumber;
///
/// let first = SequenceNumber::new(1);
/// assert_eq!(first.to_string(), "000000000000000000001");
/// assert_eq!(SequenceNumber::parse("000000000000000000001"), Some(first));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SequenceNumber(u128);

impl SequenceNumber {
    /// The minimum and maximum number of digits.
    pub(crate) const DIGITS_MIN: usize = 21;
    pub(crate) const DIGITS_MAX: usize = 40;

    /// The sequence number of this value.
    #[must_use]
    pub const fn new(number: u128) -> Self {
        Self(number)
    }

    /// The value.
    #[must_use]
    pub const fn get(self) -> u128 {
        self.0
    }

    /// The next one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Parses a sequence number, which consists of digits only.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| text.parse().ok().map(Self)).flatten()
    }
}

impl fmt::Display for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$}", self.0, width = Self::DIGITS_MIN)
    }
}

/// The id of a shard: its start time, and a number to distinguish shards with the same start.
#[must_use]
pub fn shard_id(began_at: Timestamp, number: u32) -> String {
    format!("shardId-{:020}-{number:08x}", began_at.as_millis().max(0))
}

/// Whether a stream is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamStatus {
    /// New changes are recorded.
    Enabled,
    /// No more changes are recorded; records can be read until they are a day old.
    Disabled,
}

impl StreamStatus {
    /// The name in responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "ENABLED",
            Self::Disabled => "DISABLED",
        }
    }
}

/// A part of a stream in which records are ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its id.
    pub id: String,
    /// The shard it continues, if that can still be read.
    pub parent_id: Option<String>,
    /// The sequence number of its first record.
    pub starting_sequence_number: SequenceNumber,
    /// The sequence number of its last record, once it is closed.
    pub ending_sequence_number: Option<SequenceNumber>,
}

impl Shard {
    fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.string("ShardId", &self.id);
            object.member("SequenceNumberRange", |writer| {
                writer.object(|object| {
                    let start = self.starting_sequence_number.to_string();
                    object.string("StartingSequenceNumber", &start);
                    if let Some(end) = self.ending_sequence_number {
                        object.string("EndingSequenceNumber", &end.to_string());
                    }
                });
            });
            if let Some(parent) = &self.parent_id {
                object.string("ParentShardId", parent);
            }
        });
    }
}

/// The complete description of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamDescription {
    /// Its ARN, which names its table and its label.
    pub arn: StreamArn,
    /// Whether it is active.
    pub status: StreamStatus,
    /// The images in its records.
    pub view_type: StreamViewType,
    /// When it was enabled.
    pub created_at: Timestamp,
    /// The primary key of the table.
    pub key: KeySchema,
    /// Its shards, parents before children.
    pub shards: Vec<Shard>,
}

impl StreamDescription {
    /// Writes the description with some of its shards; `last_shard_id` is the last one written, if
    /// there are more.
    pub(crate) fn write_json(
        &self,
        shards: &[Shard],
        last_shard_id: Option<&str>,
        writer: &mut Writer,
    ) {
        writer.object(|object| {
            object.string("StreamArn", self.arn.as_str());
            object.string("StreamLabel", self.arn.label());
            object.string("StreamStatus", self.status.as_str());
            object.string("StreamViewType", self.view_type.as_str());
            object.double("CreationRequestDateTime", self.created_at.seconds());
            object.string("TableName", self.arn.table_name());
            object.member("KeySchema", |writer| table::write_key_schema(&self.key, writer));
            object.member("Shards", |writer| {
                writer.array(shards, |writer, shard| shard.write_json(writer));
            });
            if let Some(id) = last_shard_id {
                object.string("LastEvaluatedShardId", id);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_lengths_clients_expect() {
        // API reference: a shard id has 28 to 65 characters, a sequence number 21 to 40.
        let id = shard_id(Timestamp::from_millis(1_767_225_600_000), 10);
        assert_eq!(id, "shardId-00000001767225600000-0000000a");
        for number in [0, 1, u128::from(u64::MAX), u128::MAX] {
            let number = SequenceNumber::new(number);
            let text = number.to_string();
            assert!(
                (SequenceNumber::DIGITS_MIN..=SequenceNumber::DIGITS_MAX).contains(&text.len())
            );
            assert_eq!(SequenceNumber::parse(&text), Some(number));
        }
        for bad in ["", "+1", "-1", "1a", "９", &"9".repeat(40)] {
            assert_eq!(SequenceNumber::parse(bad), None, "{bad}");
        }
    }
}
