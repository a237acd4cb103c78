//! GetRecords.

use crate::engine::Engine;
use crate::error::{Error, Result, Unfinished};
use crate::options::Options;
use crate::state::State;
use crate::store::{self, Direction, Keyspace};
use crate::stream::{Stream, decode, sequence_of_row};
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{GetRecords, GetRecordsAnswer, stream_not_found};
use singlet_dynamo::stream::{SequenceNumber, ShardIterator, StreamRecord};
use singlet_dynamo::{self as dynamo, ErrorKind};
use std::ops::Bound;

/// A page ends after the record that brings it to this many bytes: 1 MB, as documented.
const PAGE_SIZE_MAX: usize = 1024 * 1024;
/// Fuel per record, on top of its copied bytes.
const RECORD_FUEL: usize = 500;

impl Engine {
    /// Reads stream records, starting at a shard iterator.
    pub fn get_records(&self, request: &GetRecords) -> Result<GetRecordsAnswer> {
        self.read(|state, fuel| state.get_records(request, self.options(), fuel))
    }
}

impl State {
    pub(crate) fn get_records(
        &self,
        request: &GetRecords,
        options: &Options,
        fuel: &mut Fuel<'_>,
    ) -> Result<GetRecordsAnswer, Unfinished> {
        let now = options.clock.now();
        let iterator = &request.shard_iterator;
        iterator.check(now)?;
        let stream = self.stream(&iterator.stream_arn);
        let stream = stream.ok_or_else(|| stream_not_found(&iterator.stream_arn))?;
        let number = |next: SequenceNumber| u64::try_from(next.get()).unwrap_or(u64::MAX);
        let from = number(iterator.next);
        if from < stream.oldest_sequence {
            return Err(dynamo::Error::new(ErrorKind::TrimmedDataAccess).into());
        }
        let records = self.records(stream, from, request.limit, fuel)?;
        let next = records.last().map_or(iterator.next, |last| last.sequence_number.next());
        // A closed stream is done once all of its records were read.
        let is_done =
            stream.end.is_some() && self.records(stream, number(next), 1, fuel)?.is_empty();
        let next = (!is_done).then(|| ShardIterator { next, issued_at: now, ..iterator.clone() });
        let region = options.home.region.clone();
        Ok(GetRecordsAnswer { records, next_shard_iterator: next, region })
    }

    fn records(
        &self,
        stream: &Stream,
        from: u64,
        limit: usize,
        fuel: &mut Fuel<'_>,
    ) -> Result<Vec<StreamRecord>, Unfinished> {
        let rows = stream.rows_from(from);
        let (lower, upper) = (Bound::Included(&*rows.start), Bound::Excluded(&*rows.end));
        let mut records = Vec::new();
        let mut size = 0;
        for row in self.snapshot.range(Keyspace::Streams, lower, upper, Direction::Forward)? {
            if records.len() == limit || size >= PAGE_SIZE_MAX {
                break;
            }
            let row = row?;
            fuel.spend(RECORD_FUEL + row.value().len() / 4)?;
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
