//! The requests of a feed, and the parts of the responses that it needs.

use super::super::client::Client;
use super::super::unreadable;
use crate::backend::{BackendError, FeedEvent};
use singlet_dynamo::Map;
use singlet_dynamo::error::Result;
use singlet_dynamo::json::value::{Unchecked, read_map};
use singlet_dynamo::json::{Object, Reader, Writer};
use singlet_dynamo::stored::StoredItem;

/// The ARN of a table's stream, if it is enabled with both images.
pub(super) async fn stream_of(client: &Client, table: &str) -> Result<String, BackendError> {
    let (mut is_enabled, mut view_type, mut arn) = (None, None, None);
    let request = |object: &mut Object<'_>| object.string("TableName", table);
    send(client, "DescribeTable", request, |reader, member| {
        if member != "Table" {
            return reader.skip();
        }
        structure(reader, |reader, member| {
            match member {
                "LatestStreamArn" => arn = reader.owned_string()?,
                "StreamSpecification" => structure(reader, |reader, member| {
                    match member {
                        "StreamEnabled" => is_enabled = reader.boolean()?,
                        "StreamViewType" => view_type = reader.owned_string()?,
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })
    })
    .await?;
    let has_images = is_enabled == Some(true) && view_type.as_deref() == Some("NEW_AND_OLD_IMAGES");
    let arn = arn.filter(|_| has_images);
    arn.ok_or_else(|| BackendError::NoStream { table: table.to_owned() })
}

/// A shard in a `DescribeStream` response.
#[derive(Default)]
pub(super) struct Described {
    pub(super) id: String,
    pub(super) parent_id: Option<String>,
    pub(super) is_open: bool,
}

#[derive(Default)]
pub(super) struct StreamPage {
    pub(super) shards: Vec<Described>,
    pub(super) last_shard_id: Option<String>,
    pub(super) is_disabled: bool,
}

pub(super) async fn describe_stream(
    client: &Client,
    stream_arn: &str,
    start: Option<&str>,
) -> Result<StreamPage, BackendError> {
    let mut page = StreamPage::default();
    let request = |object: &mut Object<'_>| {
        object.string("StreamArn", stream_arn);
        if let Some(id) = start {
            object.string("ExclusiveStartShardId", id);
        }
    };
    send(client, "DescribeStream", request, |reader, member| {
        if member != "StreamDescription" {
            return reader.skip();
        }
        structure(reader, |reader, member| {
            match member {
                "StreamStatus" => {
                    page.is_disabled = reader.string()?.as_deref() == Some("DISABLED");
                }
                "LastEvaluatedShardId" => page.last_shard_id = reader.owned_string()?,
                "Shards" => {
                    reader.list(|reader| {
                        page.shards.push(Described::read(reader)?);
                        Ok(())
                    })?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })
    })
    .await?;
    Ok(page)
}

impl Described {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut shard = Self { is_open: true, ..Self::default() };
        structure(reader, |reader, member| {
            match member {
                "ShardId" => shard.id = reader.owned_string()?.unwrap_or_default(),
                "ParentShardId" => shard.parent_id = reader.owned_string()?,
                "SequenceNumberRange" => structure(reader, |reader, member| {
                    match member {
                        "EndingSequenceNumber" => shard.is_open = reader.string()?.is_none(),
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(shard)
    }
}

pub(super) async fn get_shard_iterator(
    client: &Client,
    stream_arn: &str,
    shard_id: &str,
    kind: &str,
    number: Option<&str>,
) -> Result<String, BackendError> {
    let mut iterator = None;
    let request = |object: &mut Object<'_>| {
        object.string("StreamArn", stream_arn);
        object.string("ShardId", shard_id);
        object.string("ShardIteratorType", kind);
        if let Some(number) = number {
            object.string("SequenceNumber", number);
        }
    };
    send(client, "GetShardIterator", request, |reader, member| {
        match member {
            "ShardIterator" => iterator = reader.owned_string()?,
            _ => reader.skip()?,
        }
        Ok(())
    })
    .await?;
    iterator.ok_or_else(|| super::super::failed("the answer has no shard iterator"))
}

#[derive(Default)]
pub(super) struct Record {
    pub(super) sequence_number: Option<String>,
    /// Seconds since 1970.
    created_at: Option<f64>,
    old: Option<Unchecked<Map>>,
    new: Option<Unchecked<Map>>,
    principal: Option<String>,
    principal_type: Option<String>,
}

/// A `GetRecords` response.
#[derive(Default)]
pub(super) struct RecordPage {
    pub(super) records: Vec<Record>,
    /// `None` at the end of the shard.
    pub(super) next_shard_iterator: Option<String>,
}

pub(super) async fn get_records(
    client: &Client,
    iterator: &str,
    limit: usize,
) -> Result<RecordPage, BackendError> {
    let mut page = RecordPage::default();
    let request = |object: &mut Object<'_>| {
        object.string("ShardIterator", iterator);
        object.integer("Limit", limit as u64);
    };
    send(client, "GetRecords", request, |reader, member| {
        match member {
            "NextShardIterator" => page.next_shard_iterator = reader.owned_string()?,
            "Records" => {
                reader.list(|reader| {
                    page.records.push(Record::read(reader)?);
                    Ok(())
                })?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    })
    .await?;
    Ok(page)
}

impl Record {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut record = Self::default();
        structure(reader, |reader, member| {
            match member {
                "dynamodb" => structure(reader, |reader, member| {
                    match member {
                        "ApproximateCreationDateTime" => record.created_at = reader.double()?,
                        "SequenceNumber" => record.sequence_number = reader.owned_string()?,
                        "NewImage" => record.new = read_map(reader)?,
                        "OldImage" => record.old = read_map(reader)?,
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                "userIdentity" => structure(reader, |reader, member| {
                    match member {
                        "PrincipalId" => record.principal = reader.owned_string()?,
                        "Type" => record.principal_type = reader.owned_string()?,
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(record)
    }

    /// Whether the record is known to be from before this second.
    pub(super) fn is_before(&self, second: i64) -> bool {
        self.created_at.is_some_and(|created| created < second as f64)
    }

    pub(super) fn into_event(self) -> Result<FeedEvent, BackendError> {
        let item = |image: Unchecked<Map>| match image.into_result() {
            Ok(item) => Ok(StoredItem::from(&item)),
            Err(error) => Err(unreadable("GetRecords", &error)),
        };
        // TTL deletions have the service as their identity.
        let is_expiry = self.principal_type.as_deref() == Some("Service")
            && self.principal.as_deref() == Some("dynamodb.amazonaws.com");
        Ok(FeedEvent::Change {
            old: self.old.map(item).transpose()?,
            new: self.new.map(item).transpose()?,
            is_expiry,
        })
    }
}

/// Sends a request: `write` writes its members, `read` reads the members of the response.
async fn send(
    client: &Client,
    operation: &'static str,
    write: impl FnOnce(&mut Object<'_>),
    read: impl FnMut(&mut Reader<'_>, &str) -> Result<()>,
) -> Result<(), BackendError> {
    let mut writer = Writer::new();
    writer.object(write);
    let answer = client.send(operation, writer.into_bytes()).await?;
    let mut reader = Reader::new(&answer).map_err(|error| unreadable(operation, &error))?;
    reader.request(read).map_err(|error| unreadable(operation, &error))
}

fn structure(
    reader: &mut Reader<'_>,
    member: impl FnMut(&mut Reader<'_>, &str) -> Result<()>,
) -> Result<()> {
    reader.structure("", member).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(json: &str) -> Record {
        Record::read(&mut Reader::new(json.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn only_the_service_itself_lets_items_expire() {
        let is_expiry = |identity: &str| {
            let json = format!(r#"{{"userIdentity":{identity},"dynamodb":{{}}}}"#);
            matches!(record(&json).into_event(), Ok(FeedEvent::Change { is_expiry: true, .. }))
        };
        let service = r#"{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}"#;
        assert!(is_expiry(service));
        assert!(!is_expiry(&service.replace("dynamodb", "s3")));
        assert!(!is_expiry("null"));
    }

    /// DynamoDB Local encodes an empty map as a value without a type.
    #[test]
    fn a_record_that_cannot_be_read_has_its_number() {
        let json = r#"{"dynamodb":{"SequenceNumber":"7","NewImage":{"map":{}}}}"#;
        assert_eq!(record(json).sequence_number.as_deref(), Some("7"));
        let error = record(json).into_event().unwrap_err().to_string();
        assert!(error.contains("Supplied AttributeValue is empty"), "{error}");
    }
}
