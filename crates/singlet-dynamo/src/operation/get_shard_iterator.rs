//! GetShardIterator: a position in a shard to read from.

use super::describe_stream::{constrain_shard_id, stream_not_found};
use super::list_streams::constrain_stream_arn;
use crate::Timestamp;
use crate::arn::StreamArn;
use crate::constraint::Constraints;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Reader, Writer};
use crate::stream::{SequenceNumber, Shard, ShardIterator, StreamDescription};

/// Asks for a position in a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetShardIterator {
    /// The stream.
    pub stream_arn: StreamArn,
    /// The shard.
    pub shard_id: String,
    /// The position in it.
    pub place: ShardIteratorType,
}

/// A position in a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardIteratorType {
    /// The oldest record not yet trimmed.
    TrimHorizon,
    /// After the newest record.
    Latest,
    /// The record with this number.
    AtSequenceNumber(SequenceNumber),
    /// The record after the one with this number.
    AfterSequenceNumber(SequenceNumber),
}

/// The types by name, without their sequence numbers.
#[derive(Clone, Copy)]
enum Kind {
    TrimHorizon,
    Latest,
    At,
    After,
}

impl Kind {
    const CHOICES: [(&str, Self); 4] = [
        ("TRIM_HORIZON", Self::TrimHorizon),
        ("LATEST", Self::Latest),
        ("AT_SEQUENCE_NUMBER", Self::At),
        ("AFTER_SEQUENCE_NUMBER", Self::After),
    ];
}

impl GetShardIterator {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let (mut stream_arn, mut shard_id, mut kind, mut number) = (None, None, None, None);
        let mut reader = Reader::new(json)?;
        reader.structure("GetShardIteratorInput", |reader, member| {
            match member {
                "StreamArn" => stream_arn = reader.owned_string()?,
                "ShardId" => shard_id = reader.owned_string()?,
                "ShardIteratorType" => kind = reader.owned_string()?,
                "SequenceNumber" => number = reader.owned_string()?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;

        let mut constraints = Constraints::default();
        constraints.required("streamArn", &stream_arn);
        constrain_stream_arn(&mut constraints, "streamArn", &stream_arn);
        constraints.required("shardId", &shard_id);
        constrain_shard_id(&mut constraints, "shardId", &shard_id);
        constraints.required("shardIteratorType", &kind);
        let kind = constraints.one_of("shardIteratorType", kind.as_deref(), &Kind::CHOICES);
        if let Some(number) = &number {
            let len = number.chars().count();
            let path = "sequenceNumber";
            constraints.length_at_least(path, number, len, SequenceNumber::DIGITS_MIN);
            constraints.length_at_most(path, number, len, SequenceNumber::DIGITS_MAX);
        }
        constraints.finish()?;

        Ok(Self {
            place: place(kind.unwrap_or(Kind::Latest), number.as_deref())?,
            stream_arn: StreamArn::parse(stream_arn.unwrap_or_default())?,
            shard_id: shard_id.unwrap_or_default(),
        })
    }

    /// The shard, if the stream exists and has it.
    pub fn check<'s>(&self, stream: Option<&'s StreamDescription>) -> Result<&'s Shard> {
        let stream = stream.ok_or_else(|| stream_not_found(&self.stream_arn))?;
        stream.shards.iter().find(|shard| shard.id == self.shard_id).ok_or_else(|| {
            Error::with_message(
                ErrorKind::ResourceNotFound,
                "Requested resource not found: Shard does not exist",
            )
        })
    }

    /// The iterator, given the number of the oldest record in the shard and the number of the next
    /// new one. A trimmed record cannot be read any more.
    pub fn answer(
        &self,
        oldest: SequenceNumber,
        newest_next: SequenceNumber,
        now: Timestamp,
    ) -> Result<GetShardIteratorAnswer> {
        let next = match self.place {
            ShardIteratorType::TrimHorizon => oldest,
            ShardIteratorType::Latest => newest_next,
            ShardIteratorType::AtSequenceNumber(number) => number,
            ShardIteratorType::AfterSequenceNumber(number) => number.next(),
        };
        if next < oldest {
            return Err(Error::new(ErrorKind::TrimmedDataAccess));
        }
        Ok(GetShardIteratorAnswer {
            shard_iterator: ShardIterator {
                stream_arn: self.stream_arn.clone(),
                shard_id: self.shard_id.clone(),
                next,
                issued_at: now,
            },
        })
    }
}

fn place(kind: Kind, number: Option<&str>) -> Result<ShardIteratorType> {
    let surplus =
        || Error::invalid_parameter("SequenceNumber should not be passed for this iterator type");
    let number_of = || {
        let number = number.and_then(SequenceNumber::parse);
        number.ok_or_else(|| Error::invalid_parameter("Invalid SequenceNumber"))
    };
    match (kind, number) {
        (Kind::TrimHorizon | Kind::Latest, Some(_)) => Err(surplus()),
        (Kind::TrimHorizon, None) => Ok(ShardIteratorType::TrimHorizon),
        (Kind::Latest, None) => Ok(ShardIteratorType::Latest),
        (Kind::At, _) => Ok(ShardIteratorType::AtSequenceNumber(number_of()?)),
        (Kind::After, _) => Ok(ShardIteratorType::AfterSequenceNumber(number_of()?)),
    }
}

/// The position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetShardIteratorAnswer {
    /// The position.
    pub shard_iterator: ShardIterator,
}

impl GetShardIteratorAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.string("ShardIterator", &self.shard_iterator.to_string());
        });
    }
}
