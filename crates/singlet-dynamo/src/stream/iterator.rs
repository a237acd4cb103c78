//! Clients' positions in a shard.

use super::SequenceNumber;
use crate::Timestamp;
use crate::arn::StreamArn;
use crate::base64;
use crate::error::{Error, ErrorKind, Result};

/// How long an iterator is valid.
const VALID_MS: i64 = 15 * 60 * 1000;

/// A position in a shard, returned by GetShardIterator and passed to GetRecords.
///
/// Opaque to clients; like the service's, it begins with the ARN of the stream.
///
/// ```
/// use singlet_dynamo::arn::StreamArn;
/// use singlet_dynamo::stream::{SequenceNumber, ShardIterator, shard_id};
/// use singlet_dynamo::Timestamp;
///
/// let now = Timestamp::from_millis(1_767_225_600_000);
/// let iterator = ShardIterator {
///     stream_arn: StreamArn::parse("arn:aws:dynamodb:eu-west-1:123456789012:table/games/stream/1")?,
///     shard_id: shard_id(now, 0),
///     next: SequenceNumber::new(17),
///     issued_at: now,
/// };
/// assert_eq!(ShardIterator::parse(&iterator.to_string())?, iterator);
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardIterator {
    /// The stream.
    pub stream_arn: StreamArn,
    /// The shard.
    pub shard_id: String,
    /// The first record to read has this number or a larger one.
    pub next: SequenceNumber,
    /// When it was issued.
    pub issued_at: Timestamp,
}

impl ShardIterator {
    /// Parses an issued iterator.
    pub fn parse(text: &str) -> Result<Self> {
        Self::parts(text).ok_or_else(|| Error::validation("Invalid ShardIterator"))
    }

    fn parts(text: &str) -> Option<Self> {
        let (stream_arn, place) = text.split_once("|1|")?;
        let place = String::from_utf8(base64::decode(place).ok()?).ok()?;
        let mut parts = place.split('|');
        let iterator = Self {
            stream_arn: StreamArn::parse(stream_arn).ok()?,
            shard_id: parts.next()?.to_owned(),
            next: SequenceNumber::parse(parts.next()?)?,
            issued_at: Timestamp::from_millis(parts.next()?.parse().ok()?),
        };
        // Only the canonical text of an iterator is accepted.
        (iterator.to_string() == text).then_some(iterator)
    }

    /// Checks that it has not expired.
    pub fn check(&self, now: Timestamp) -> Result<()> {
        if now.millis_since(self.issued_at) > VALID_MS {
            return Err(Error::new(ErrorKind::ExpiredIterator));
        }
        Ok(())
    }
}

impl std::fmt::Display for ShardIterator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The trailing bar shows that nothing was cut off.
        let place = format!("{}|{}|{}|", self.shard_id, self.next, self.issued_at.as_millis());
        write!(f, "{}|1|{}", self.stream_arn.as_str(), base64::encode(place.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iterator() -> ShardIterator {
        ShardIterator {
            stream_arn: StreamArn::parse("arn:aws:dynamodb:a:1:table/games/stream/x").unwrap(),
            shard_id: super::super::shard_id(Timestamp::default(), 1),
            next: SequenceNumber::new(3),
            issued_at: Timestamp::from_millis(1000),
        }
    }

    #[test]
    fn an_iterator_expires_after_15_minutes() {
        let iterator = iterator();
        assert!(iterator.check(Timestamp::from_millis(1000 + VALID_MS)).is_ok());
        let error = iterator.check(Timestamp::from_millis(1001 + VALID_MS)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ExpiredIterator);
        assert_eq!(error.message(), "Shard iterator has expired");
    }

    #[test]
    fn a_modified_iterator_is_rejected() {
        let text = iterator().to_string();
        for cut in 0..text.len() {
            assert!(ShardIterator::parse(&text[..cut]).is_err(), "{cut}");
        }
        assert!(ShardIterator::parse(&text.replace("|1|", "|2|")).is_err());
        assert!(ShardIterator::parse(&format!("{text}=")).is_err());
    }
}
