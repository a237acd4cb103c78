//! Reading a stream.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::state::State;
use crate::store::{self, Direction, Keyspace};
use crate::stream::{Stream, decode, sequence_of_row};
use singlet_dynamo::operation::{GetRecords, GetRecordsAnswer, stream_not_found};
use singlet_dynamo::stream::{ShardIterator, StreamRecord};
use singlet_dynamo::{self as dynamo, ErrorKind};
use std::ops::Bound;

/// A page ends after the record that brings it to this many bytes: 1 MB, as the service says.
const PAGE_SIZE_MAX: usize = 1024 * 1024;

impl Engine {
    /// The records of a stream from a place on.
    pub fn get_records(&self, request: &GetRecords) -> Result<GetRecordsAnswer> {
        let now = self.options().clock.now();
        let iterator = &request.shard_iterator;
        iterator.check(now)?;
        let state = self.state()?;
        let stream = state.stream(&iterator.stream_arn);
        let stream = stream.ok_or_else(|| stream_not_found(&iterator.stream_arn))?;
        let from = u64::try_from(iterator.next.get()).unwrap_or(u64::MAX);
        if from < stream.oldest_sequence {
            return Err(Error::Refused(dynamo::Error::new(ErrorKind::TrimmedDataAccess)));
        }
        let records = state.records(stream, from, request.limit)?;
        let next = records.last().map_or(iterator.next, |last| last.sequence_number.next());
        // A stream that has ended is done once all of its records were read.
        let is_done = stream.end.is_some()
            && state.records(stream, u64::try_from(next.get()).unwrap_or(u64::MAX), 1)?.is_empty();
        let next = (!is_done).then(|| ShardIterator { next, issued_at: now, ..iterator.clone() });
        let region = self.options().home.region.clone();
        Ok(GetRecordsAnswer { records, next_shard_iterator: next, region })
    }
}

impl State {
    fn records(&self, stream: &Stream, from: u64, limit: usize) -> Result<Vec<StreamRecord>> {
        let rows = stream.rows_from(from);
        let (lower, upper) = (Bound::Included(&*rows.start), Bound::Excluded(&*rows.end));
        let mut records = Vec::new();
        let mut size = 0;
        for row in self.snapshot.range(Keyspace::Streams, lower, upper, Direction::Forward)? {
            if records.len() == limit || size >= PAGE_SIZE_MAX {
                break;
            }
            let row = row?;
            size += row.value().len();
            let number = sequence_of_row(row.key());
            let record = number.and_then(|number| decode(stream, number, row.value()));
            records.push(record.ok_or_else(|| {
                Error::Store(store::Error::Corrupt("a stream record cannot be read".to_owned()))
            })?);
        }
        Ok(records)
    }
}
