//! GetShardIterator.

use crate::engine::Engine;
use crate::error::Result;
use crate::state::State;
use crate::store::{Direction, Keyspace};
use crate::stream::{Stream, sequence_of_row};
use singlet_dynamo::operation::{GetShardIterator, GetShardIteratorAnswer, stream_not_found};
use singlet_dynamo::stream::SequenceNumber;
use std::ops::Bound;

impl Engine {
    /// Returns a position in a stream, from which [`Engine::get_records`] reads.
    pub fn get_shard_iterator(&self, request: &GetShardIterator) -> Result<GetShardIteratorAnswer> {
        let state = self.state()?;
        let stream = state.stream(&request.stream_arn);
        let description = stream.map(Stream::description);
        request.check(description.as_ref())?;
        let stream = stream.ok_or_else(|| stream_not_found(&request.stream_arn))?;
        let number = |sequence: u64| SequenceNumber::new(u128::from(sequence));
        let oldest = number(stream.oldest_sequence);
        let next = state.newest_sequence(stream)?.map_or(oldest, |newest| number(newest).next());
        Ok(request.answer(oldest, next, self.options().clock.now())?)
    }
}

impl State {
    /// The sequence number of the last record, if any.
    fn newest_sequence(&self, stream: &Stream) -> Result<Option<u64>> {
        let rows = stream.rows_from(0);
        let (lower, upper) = (Bound::Included(&*rows.start), Bound::Excluded(&*rows.end));
        let mut rows = self.snapshot.range(Keyspace::Streams, lower, upper, Direction::Backward)?;
        Ok(rows.next().transpose()?.and_then(|row| sequence_of_row(row.key())))
    }
}
