//! A place in a stream.

use crate::engine::Engine;
use crate::error::Result;
use crate::state::State;
use crate::store::{Direction, Keyspace};
use crate::stream::{Stream, sequence_of_row};
use singlet_dynamo::operation::{GetShardIterator, GetShardIteratorAnswer};
use singlet_dynamo::stream::SequenceNumber;
use std::ops::Bound;

impl Engine {
    /// A place in a stream, from which [`Engine::get_records`] reads.
    pub fn get_shard_iterator(&self, request: &GetShardIterator) -> Result<GetShardIteratorAnswer> {
        let state = self.state()?;
        let stream = state.stream(&request.stream_arn);
        let description = stream.map(Stream::description);
        let shard = request.check(description.as_ref())?;
        let (oldest, newest) = match stream {
            Some(stream) => (
                state.end_of_stream(stream, Direction::Forward)?,
                state.end_of_stream(stream, Direction::Backward)?,
            ),
            None => (None, None),
        };
        let first = shard.starting_sequence_number;
        let number = |sequence: u64| SequenceNumber::new(u128::from(sequence));
        let oldest = oldest.map_or(first, number);
        let next = newest.map_or(first, |newest| number(newest).next());
        Ok(request.answer(oldest, next, self.options().clock.now())?)
    }
}

impl State {
    /// The number of the first record that is still there, or of the last.
    fn end_of_stream(&self, stream: &Stream, direction: Direction) -> Result<Option<u64>> {
        let rows = stream.rows_from(0);
        let (lower, upper) = (Bound::Included(&*rows.start), Bound::Excluded(&*rows.end));
        let mut rows = self.snapshot.range(Keyspace::Streams, lower, upper, direction)?;
        Ok(rows.next().transpose()?.and_then(|row| sequence_of_row(row.key())))
    }
}
