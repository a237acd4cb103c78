//! Stream records.

use super::SequenceNumber;
use crate::json::Writer;
use crate::stored::Attributes;
use crate::table::StreamViewType;
use crate::{Map, Timestamp};

/// The kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventName {
    /// The item was created.
    Insert,
    /// The item was changed.
    Modify,
    /// The item was deleted.
    Remove,
}

impl EventName {
    /// The name in responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Modify => "MODIFY",
            Self::Remove => "REMOVE",
        }
    }
}

/// A stream record: a change to one item.
///
/// ```
/// use singlet_dynamo::stream::{EventName, SequenceNumber, StreamRecord};
/// use singlet_dynamo::table::StreamViewType;
/// use singlet_dynamo::{Item, Timestamp, Value};
///
/// let key = Item::from([("id", Value::from("Fred"))]);
/// let record = StreamRecord {
///     event_id: "c9fbe7d0261a5163fcb6940593e41797".into(),
///     sequence_number: SequenceNumber::new(1),
///     created_at: Timestamp::from_millis(1_767_225_600_000),
///     view_type: StreamViewType::NewAndOldImages,
///     keys: key.clone(),
///     new_image: Some(key.into()),
///     old_image: None,
///     event_name: EventName::Insert,
///     is_expiry: false,
/// };
/// assert_eq!(record.size_bytes(), 12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamRecord {
    /// A unique id: 32 hexadecimal digits.
    pub event_id: String,
    /// The kind of change.
    pub event_name: EventName,
    /// Its position in its shard.
    pub sequence_number: SequenceNumber,
    /// When the change happened.
    pub created_at: Timestamp,
    /// Which images the stream contains.
    pub view_type: StreamViewType,
    /// The item's key.
    pub keys: Map,
    /// The new item, if the stream contains it.
    pub new_image: Option<Attributes>,
    /// The old item, if the stream contains it.
    pub old_image: Option<Attributes>,
    /// Whether TTL deleted the item, rather than a request.
    pub is_expiry: bool,
}

impl StreamRecord {
    /// The size that the service reports: the key's, and that of the images.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let images = self.new_image.iter().chain(&self.old_image);
        self.keys.size() + images.map(Attributes::size).sum::<usize>()
    }

    /// Writes the record as in GetRecords; `region` is the table's.
    pub(crate) fn write_json(&self, region: &str, writer: &mut Writer) {
        writer.object(|object| {
            object.string("eventID", &self.event_id);
            object.string("eventName", self.event_name.as_str());
            object.string("eventVersion", "1.1");
            object.string("eventSource", "aws:dynamodb");
            object.string("awsRegion", region);
            object.member("dynamodb", |writer| self.write_change(writer));
            if self.is_expiry {
                object.member("userIdentity", |writer| {
                    writer.object(|object| {
                        object.string("PrincipalId", "dynamodb.amazonaws.com");
                        object.string("Type", "Service");
                    });
                });
            }
        });
    }

    fn write_change(&self, writer: &mut Writer) {
        writer.object(|object| {
            // To the second, as in the service.
            let second = self.created_at.as_millis().div_euclid(1000);
            object.double("ApproximateCreationDateTime", second as f64);
            object.member("Keys", |writer| self.keys.write_json(writer));
            if let Some(image) = &self.new_image {
                object.member("NewImage", |writer| image.write_json(writer));
            }
            if let Some(image) = &self.old_image {
                object.member("OldImage", |writer| image.write_json(writer));
            }
            object.string("SequenceNumber", &self.sequence_number.to_string());
            object.integer("SizeBytes", self.size_bytes() as u64);
            object.string("StreamViewType", self.view_type.as_str());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{Answer, GetRecordsAnswer};
    use crate::{Item, Value};

    fn record(new: Option<Item>, old: Option<Item>) -> StreamRecord {
        StreamRecord {
            event_id: "0".repeat(32),
            event_name: EventName::Modify,
            sequence_number: SequenceNumber::new(7),
            created_at: Timestamp::from_millis(1_767_225_600_999),
            view_type: StreamViewType::NewAndOldImages,
            keys: Item::from([("id", Value::from("my-item-id"))]),
            new_image: new.map(Into::into),
            old_image: old.map(Into::into),
            is_expiry: false,
        }
    }

    #[test]
    fn sizes_match_the_service() {
        // Recorded from the service by localstack: test_dynamodb_stream_records_with_update_item.
        let image = |one: &str, two: &str| {
            Some(Item::from([
                ("id", Value::from("my-item-id")),
                ("attr1", Value::from(one)),
                ("attr2", Value::from(two)),
            ]))
        };
        assert_eq!(record(image("value1", "value2"), None).size_bytes(), 46);
        assert_eq!(record(image("value2", "value3"), image("value1", "value2")).size_bytes(), 80);
    }

    /// Records without images used to have size zero, so a thousand of them were written at once.
    #[test]
    fn records_without_images_have_a_size() {
        let answer = GetRecordsAnswer {
            records: vec![record(None, None); 1000],
            next_shard_iterator: None,
            region: "us-east-1".to_owned(),
        };
        let answer = Answer::from(answer);
        let mut writer = Writer::counting();
        answer.write_json(&mut writer);
        let expected = answer.item_bytes();
        assert!(expected <= writer.written_len() && writer.written_len() <= 2 * expected);
    }

    #[test]
    fn an_expiry_names_the_service() {
        let json = |record: &StreamRecord| {
            let mut writer = Writer::new();
            record.write_json("us-east-1", &mut writer);
            String::from_utf8(writer.into_bytes()).unwrap()
        };
        let mut record = record(None, None);
        assert_eq!(
            json(&record),
            concat!(
                r#"{"eventID":"00000000000000000000000000000000","eventName":"MODIFY","#,
                r#""eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"us-east-1","#,
                r#""dynamodb":{"ApproximateCreationDateTime":1767225600.0,"#,
                r#""Keys":{"id":{"S":"my-item-id"}},"SequenceNumber":"000000000000000000007","#,
                r#""SizeBytes":12,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#
            )
        );
        record.is_expiry = true;
        assert!(json(&record).ends_with(
            r#""userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}}"#
        ));
    }
}
