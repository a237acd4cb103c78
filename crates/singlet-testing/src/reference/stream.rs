//! Streams as lists of records.

use super::Reference;
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::operation::{
    DescribeStream, DescribeStreamAnswer, GetRecords, GetRecordsAnswer, GetShardIterator,
    GetShardIteratorAnswer, ListStreams, ListStreamsAnswer, ShardIteratorType, stream_not_found,
};
use singlet_dynamo::schema::KeySchema;
use singlet_dynamo::stream::{
    EventName, SequenceNumber, Shard, ShardIterator, StreamDescription, StreamRecord, StreamStatus,
    shard_id,
};
use singlet_dynamo::table::{StreamViewType, TableDescription};
use singlet_dynamo::{Error, ErrorKind, Item, Timestamp};

/// Records are kept for a day.
const RETENTION_MS: i64 = 24 * 60 * 60 * 1000;
/// ListStreams' default page size.
const LIST_LEN: usize = 100;

#[derive(Clone, Debug)]
pub(super) struct Stream {
    arn: StreamArn,
    shard_id: String,
    view_type: StreamViewType,
    created_at: Timestamp,
    key: KeySchema,
    /// The sequence number of its first record, which may have been trimmed.
    first: u128,
    /// When it was disabled, and its highest possible sequence number.
    end: Option<(Timestamp, u128)>,
    records: Vec<StreamRecord>,
    /// Records before this number have been trimmed.
    oldest: u128,
}

impl Stream {
    fn description(&self) -> StreamDescription {
        StreamDescription {
            arn: self.arn.clone(),
            status: if self.end.is_none() { StreamStatus::Enabled } else { StreamStatus::Disabled },
            view_type: self.view_type,
            created_at: self.created_at,
            key: self.key.clone(),
            shards: vec![Shard {
                id: self.shard_id.clone(),
                parent_id: None,
                starting_sequence_number: SequenceNumber::new(self.first),
                ending_sequence_number: self
                    .end
                    .map(|(_, last)| SequenceNumber::new(last.max(self.first))),
            }],
        }
    }
}

impl Reference {
    /// Opens the stream of a table description.
    pub(super) fn open_stream(&mut self, description: &mut TableDescription) {
        // Make the ARN unique even if two streams of a table start at the same time.
        while let (Some(at), Some(arn)) =
            (description.latest_stream_at, description.latest_stream_arn())
            && description.stream.is_some()
            && self.streams.iter().any(|stream| stream.arn.as_str() == arn)
        {
            description.latest_stream_at = Some(Timestamp::from_millis(at.as_millis() + 1));
        }
        let (Some(view_type), Some(created_at), Some(arn)) =
            (description.stream, description.latest_stream_at, description.latest_stream_arn())
        else {
            return;
        };
        self.stream_count += 1;
        self.streams.push(Stream {
            arn: StreamArn::parse(arn).expect("the ARN of a stream"),
            shard_id: shard_id(created_at, self.stream_count),
            view_type,
            created_at,
            key: description.key.clone(),
            first: self.record_count + 1,
            end: None,
            records: Vec::new(),
            oldest: self.record_count + 1,
        });
    }

    /// Closes the table's stream, if any.
    pub(super) fn close_stream(&mut self, table_name: &str) {
        let (now, last) = (self.now, self.record_count);
        let open = self.streams.iter_mut().filter(|stream| stream.end.is_none());
        for stream in open.filter(|stream| stream.arn.table_name() == table_name) {
            stream.end = Some((now, last));
        }
    }

    /// Appends a record if the table has a stream.
    pub(super) fn record(
        &mut self,
        table_name: &str,
        old: Option<Item>,
        new: Option<Item>,
        is_expiry: bool,
    ) {
        let Some(table) = self.table(table_name) else { return };
        let Some(keys) = old.as_ref().or(new.as_ref()).map(|item| table.key_of(item)) else {
            return;
        };
        let now = self.now;
        let number = self.record_count + 1;
        let mut streams = self.streams.iter_mut();
        let of_table =
            |stream: &&mut Stream| stream.end.is_none() && stream.arn.table_name() == table_name;
        let Some(stream) = streams.find(of_table) else { return };
        stream.records.push(StreamRecord {
            event_id: format!("{number:032x}"),
            event_name: match (&old, &new) {
                (None, _) => EventName::Insert,
                (Some(_), Some(_)) => EventName::Modify,
                (Some(_), None) => EventName::Remove,
            },
            sequence_number: SequenceNumber::new(number),
            created_at: now,
            view_type: stream.view_type,
            keys,
            new_image: new.filter(|_| stream.view_type.has_new_image()).map(Into::into),
            old_image: old.filter(|_| stream.view_type.has_old_image()).map(Into::into),
            is_expiry,
        });
        self.record_count = number;
    }

    /// Removes records older than a day, and streams that ended longer ago.
    pub(super) fn trim_streams(&mut self) {
        let now = self.now;
        let is_old = |moment: Timestamp| now.millis_since(moment) > RETENTION_MS;
        self.streams.retain(|stream| stream.end.is_none_or(|(at, _)| !is_old(at)));
        for stream in &mut self.streams {
            while stream.records.first().is_some_and(|record| is_old(record.created_at)) {
                stream.oldest = stream.records.remove(0).sequence_number.next().get();
            }
        }
    }

    pub(super) fn list_streams(&self, request: &ListStreams) -> ListStreamsAnswer {
        let mut arns: Vec<StreamArn> = self
            .streams
            .iter()
            .map(|stream| stream.arn.clone())
            .filter(|arn| request.table_name.as_deref().is_none_or(|name| arn.table_name() == name))
            .filter(|arn| match &request.exclusive_start_stream_arn {
                None => true,
                Some(start) => arn.as_str() > start.as_str(),
            })
            .collect();
        arns.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        let limit = request.limit.unwrap_or(LIST_LEN);
        let is_last = arns.len() <= limit;
        arns.truncate(limit);
        ListStreamsAnswer { streams: arns, is_last }
    }

    pub(super) fn describe_stream(
        &self,
        request: &DescribeStream,
    ) -> Result<DescribeStreamAnswer, Error> {
        let stream = self.stream(&request.stream_arn);
        let stream = stream.ok_or_else(|| stream_not_found(&request.stream_arn))?;
        Ok(request.answer(stream.description()))
    }

    pub(super) fn get_shard_iterator(
        &self,
        request: &GetShardIterator,
    ) -> Result<GetShardIteratorAnswer, Error> {
        let stream = self.stream(&request.stream_arn);
        request.check(stream.map(Stream::description).as_ref())?;
        let stream = stream.ok_or_else(|| stream_not_found(&request.stream_arn))?;
        let next = match request.place {
            ShardIteratorType::TrimHorizon => SequenceNumber::new(stream.oldest),
            ShardIteratorType::Latest => SequenceNumber::new(self.record_count + 1),
            ShardIteratorType::AtSequenceNumber(number) => number,
            ShardIteratorType::AfterSequenceNumber(number) => number.next(),
        };
        check_there(stream, next)?;
        Ok(GetShardIteratorAnswer {
            shard_iterator: ShardIterator {
                stream_arn: request.stream_arn.clone(),
                shard_id: request.shard_id.clone(),
                next,
                issued_at: self.now,
            },
        })
    }

    pub(super) fn get_records(&self, request: &GetRecords) -> Result<GetRecordsAnswer, Error> {
        let iterator = &request.shard_iterator;
        iterator.check(self.now)?;
        let stream = self.stream(&iterator.stream_arn);
        let stream = stream.ok_or_else(|| stream_not_found(&iterator.stream_arn))?;
        check_there(stream, iterator.next)?;
        let left: Vec<&StreamRecord> = stream
            .records
            .iter()
            .filter(|record| record.sequence_number >= iterator.next)
            .collect();
        let records: Vec<StreamRecord> =
            left.iter().take(request.limit).map(|record| (*record).clone()).collect();
        let is_over = stream.end.is_some() && records.len() == left.len();
        let next = records.last().map_or(iterator.next, |record| record.sequence_number.next());
        Ok(GetRecordsAnswer {
            records,
            next_shard_iterator: (!is_over).then(|| ShardIterator {
                next,
                issued_at: self.now,
                ..iterator.clone()
            }),
            region: self.home.region.clone(),
        })
    }

    fn stream(&self, arn: &StreamArn) -> Option<&Stream> {
        self.streams.iter().find(|stream| stream.arn == *arn)
    }
}

/// Fails if the records have been trimmed.
fn check_there(stream: &Stream, next: SequenceNumber) -> Result<(), Error> {
    match next.get() < stream.oldest {
        true => Err(Error::new(ErrorKind::TrimmedDataAccess)),
        false => Ok(()),
    }
}
