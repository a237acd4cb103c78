//! Streams: the changes of a table's items, in order, for a day.
//!
//! Each stream has one shard, which ends when the stream is disabled or its table deleted. Records
//! are written to their own keyspace in the commit of the change. Sequence numbers ascend over the
//! whole engine.

use crate::catalogue::Table;
use crate::layout::SpaceId;
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::schema::KeySchema;
use singlet_dynamo::stored::{Attributes, StoredItem};
use singlet_dynamo::stream::{
    EventName, SequenceNumber, Shard, StreamDescription, StreamRecord, StreamStatus, shard_id,
};
use singlet_dynamo::table::StreamViewType;
use singlet_dynamo::{Item, Timestamp, binary};
use std::ops::Range;

pub(crate) const RETENTION_MS: i64 = 24 * 60 * 60 * 1000;
/// Length that marks an absent image.
const ABSENT: u32 = u32::MAX;

/// A stream that is enabled, or whose records can still be read.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) id: SpaceId,
    pub(crate) arn: StreamArn,
    pub(crate) view_type: StreamViewType,
    pub(crate) created_at: Timestamp,
    pub(crate) key: KeySchema,
    /// The lowest sequence number that it can have.
    pub(crate) first_sequence: u64,
    /// Records before this number were trimmed.
    pub(crate) oldest_sequence: u64,
    /// When it was disabled, and the number after its last record.
    pub(crate) end: Option<(Timestamp, u64)>,
}

impl Stream {
    pub(crate) fn description(&self) -> StreamDescription {
        // A stream without records ends at the number of its first possible record.
        let last = |end: u64| end.saturating_sub(1).max(self.first_sequence);
        let end = self.end.map(|(_, end)| SequenceNumber::new(u128::from(last(end))));
        StreamDescription {
            arn: self.arn.clone(),
            status: if self.end.is_none() { StreamStatus::Enabled } else { StreamStatus::Disabled },
            view_type: self.view_type,
            created_at: self.created_at,
            key: self.key.clone(),
            shards: vec![Shard {
                id: shard_id(self.created_at, self.id.0),
                parent_id: None,
                starting_sequence_number: SequenceNumber::new(u128::from(self.first_sequence)),
                ending_sequence_number: end,
            }],
        }
    }

    /// Whether all of its records are past their retention.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        self.end.is_some_and(|(ended_at, _)| now.millis_since(ended_at) > RETENTION_MS)
    }

    /// The rows of records starting at a number.
    pub(crate) fn rows_from(&self, sequence: u64) -> Range<Vec<u8>> {
        row_key(self.id, sequence)..crate::layout::all_of(self.id).end
    }
}

pub(crate) fn row_key(stream: SpaceId, sequence: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(12);
    out.extend_from_slice(&stream.0.to_be_bytes());
    out.extend_from_slice(&sequence.to_be_bytes());
    out
}

pub(crate) fn sequence_of_row(row: &[u8]) -> Option<u64> {
    row.last_chunk::<8>().map(|bytes| u64::from_be_bytes(*bytes))
}

/// A record's row: time (see [`set_moment`]), event, whether it is an expiry, the key, and the
/// images of the stream's view type.
pub(crate) fn encode(
    table: &Table,
    view: StreamViewType,
    old: Option<ItemRef<'_>>,
    new: Option<ItemRef<'_>>,
    is_expiry: bool,
) -> Vec<u8> {
    let event = match (&old, &new) {
        (None, _) => EventName::Insert,
        (Some(_), Some(_)) => EventName::Modify,
        (Some(_), None) => EventName::Remove,
    };
    let key: Item = table
        .schema
        .key
        .attributes()
        .filter_map(|attribute| {
            let value = new.or(old)?.get(&attribute.name)?.to_value();
            Some((attribute.name.clone(), value))
        })
        .collect();
    let key = binary::encode(&key);
    let mut out = Vec::with_capacity(32 + key.len());
    out.extend_from_slice(&[0; 8]);
    out.push(event as u8);
    out.push(u8::from(is_expiry));
    push_sized(Some(&key), &mut out);
    push_sized(old.filter(|_| view.has_old_image()).map(|item| item.as_bytes()), &mut out);
    push_sized(new.filter(|_| view.has_new_image()).map(|item| item.as_bytes()), &mut out);
    out
}

fn push_sized(bytes: Option<&[u8]>, out: &mut Vec<u8>) {
    let len = bytes.map_or(ABSENT, |bytes| u32::try_from(bytes.len()).unwrap_or(ABSENT));
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(bytes.unwrap_or_default());
}

/// `None` if the row is malformed.
pub(crate) fn decode(stream: &Stream, sequence: u64, row: &[u8]) -> Option<StreamRecord> {
    let (created_at, rest) = split_moment(row)?;
    let [event, is_expiry, rest @ ..] = rest else { return None };
    let event_name = match event {
        0 => EventName::Insert,
        1 => EventName::Modify,
        2 => EventName::Remove,
        _ => return None,
    };
    let (key, rest) = split_sized(rest)?;
    let (old, rest) = split_sized(rest)?;
    let (new, _) = split_sized(rest)?;
    let image = |bytes: Option<&[u8]>| {
        bytes.map(|bytes| Attributes::Stored(StoredItem::new(bytes.into(), 0..bytes.len())))
    };
    Some(StreamRecord {
        event_id: format!("{:016x}{:016x}", u64::from(stream.id.0), sequence),
        event_name,
        sequence_number: SequenceNumber::new(u128::from(sequence)),
        created_at,
        view_type: stream.view_type,
        keys: ItemRef::trusted(key?).to_item(),
        new_image: image(new),
        old_image: image(old),
        is_expiry: *is_expiry == 1,
    })
}

/// Sets the time of a record.
pub(crate) fn set_moment(record: &mut [u8], now: Timestamp) {
    if let Some(moment) = record.first_chunk_mut() {
        *moment = now.as_millis().to_be_bytes();
    }
}

/// Splits the time off a record's row.
pub(crate) fn split_moment(row: &[u8]) -> Option<(Timestamp, &[u8])> {
    let (millis, rest) = row.split_first_chunk::<8>()?;
    Some((Timestamp::from_millis(i64::from_be_bytes(*millis)), rest))
}

fn split_sized(bytes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    match u32::from_be_bytes(*len) {
        ABSENT => Some((None, rest)),
        len => {
            let (sized, rest) = rest.split_at_checked(usize::try_from(len).ok()?)?;
            Some((Some(sized), rest))
        }
    }
}
