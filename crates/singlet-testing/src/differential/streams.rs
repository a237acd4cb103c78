//! Streams, whose ARNs and sequence numbers are specific to a system.

use super::compare::told;
use super::sequence::{Place, SLOTS, StreamStep};
use super::{Pair, System};
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::operation::{
    Answer, DescribeStream, GetRecords, GetShardIterator, ListStreams, Request, ShardIteratorType,
};
use singlet_dynamo::stream::{SequenceNumber, ShardIterator, StreamRecord};
use singlet_dynamo::{Error, Item};
use std::collections::BTreeMap;

/// Iterators of both sides, and which of their records correspond.
#[derive(Default)]
pub(super) struct Streams {
    slots: [Option<Sides<ShardIterator>>; SLOTS],
    /// The sequence numbers of corresponding records, by stream.
    numbers: BTreeMap<String, Vec<Sides<SequenceNumber>>>,
}

/// A value of the system and its counterpart in the reference.
#[derive(Clone, Debug, PartialEq)]
struct Sides<T> {
    actual: T,
    expected: T,
}

/// The maximum number of pages that are read from an iterator.
const PAGES_MAX: usize = 1000;

impl<S: System> Pair<'_, S> {
    pub(super) fn stream(&mut self, step: &StreamStep) -> Result<(), String> {
        match step {
            StreamStep::List(table_name, limit) => self.list(table_name.clone(), *limit).map(drop),
            StreamStep::Describe(place) => match self.stream_at(*place)? {
                Some(arn) => self.describe(&arn).map(drop),
                None => Ok(()),
            },
            StreamStep::Open { slot, stream, place } => match self.stream_at(*stream)? {
                Some(arn) => self.open(*slot, &arn, *place),
                None => Ok(()),
            },
            StreamStep::Read { slot, limit } => self.read(*slot, *limit),
        }
    }

    /// Lists the streams of one table or of all, page by page.
    fn list(&mut self, table_name: Option<String>, limit: usize) -> Result<Vec<StreamArn>, String> {
        let mut request =
            ListStreams { table_name, exclusive_start_stream_arn: None, limit: Some(limit) };
        let mut arns = Vec::new();
        while let Some(Answer::ListStreams(page)) = self.request(&request.clone().into())? {
            arns.extend(page.streams);
            if page.is_last {
                break;
            }
            request.exclusive_start_stream_arn = arns.last().cloned();
        }
        Ok(arns)
    }

    fn stream_at(&mut self, place: usize) -> Result<Option<StreamArn>, String> {
        let arns = self.list(None, 100)?;
        Ok(arns.get(place % arns.len().max(1)).cloned())
    }

    /// The ids of the stream's only shard.
    fn describe(&mut self, arn: &StreamArn) -> Result<Option<Sides<String>>, String> {
        let request = DescribeStream {
            stream_arn: arn.clone(),
            exclusive_start_shard_id: None,
            children_of: None,
            limit: None,
        };
        let (actual, expected) = self.both(&request.clone().into(), &request.clone().into());
        let (Ok(Answer::DescribeStream(mut own)), Ok(Answer::DescribeStream(mut other))) =
            (actual.clone(), expected.clone())
        else {
            return super::compare(&request, &actual, &expected).map(|()| None);
        };
        let ids = Sides { actual: own.shards[0].id.clone(), expected: other.shards[0].id.clone() };
        for shard in own.shards.iter_mut().chain(&mut other.shards) {
            shard.id.clear();
            shard.starting_sequence_number = SequenceNumber::default();
            // Both must have ended, but the last sequence numbers differ.
            if let Some(end) = &mut shard.ending_sequence_number {
                *end = SequenceNumber::default();
            }
        }
        own.stream.shards.clear();
        other.stream.shards.clear();
        super::compare(&request, &Ok(own.into()), &Ok(other.into()))?;
        Ok(Some(ids))
    }

    fn open(&mut self, slot: usize, arn: &StreamArn, place: Place) -> Result<(), String> {
        let Some(shard) = self.describe(arn)? else { return Ok(()) };
        let known = self.streams.numbers.get(arn.as_str()).map_or(&[][..], Vec::as_slice);
        let numbers = |at: usize| known.get(at % known.len().max(1)).cloned();
        let place = match place {
            Place::TrimHorizon => Some(ShardIteratorType::TrimHorizon.into()),
            Place::Latest => Some(ShardIteratorType::Latest.into()),
            Place::At(at) => numbers(at).map(|at| at.map(ShardIteratorType::AtSequenceNumber)),
            Place::After(at) => {
                numbers(at).map(|at| at.map(ShardIteratorType::AfterSequenceNumber))
            }
        };
        let Some(place) = place else { return Ok(()) };
        let request = |shard_id: String, place: ShardIteratorType| GetShardIterator {
            stream_arn: arn.clone(),
            shard_id,
            place,
        };
        let own = request(shard.actual, place.actual);
        let (actual, expected) =
            self.both(&own.clone().into(), &request(shard.expected, place.expected).into());
        self.streams.slots[slot] = match (&actual, &expected) {
            (Ok(Answer::GetShardIterator(own)), Ok(Answer::GetShardIterator(other))) => {
                Some(Sides {
                    actual: own.shard_iterator.clone(),
                    expected: other.shard_iterator.clone(),
                })
            }
            _ => {
                super::compare(&own, &actual, &expected)?;
                None
            }
        };
        Ok(())
    }

    /// Reads both sides to the end and compares all records at once: size-based page breaks may
    /// differ.
    fn read(&mut self, slot: usize, limit: usize) -> Result<(), String> {
        let Some(iterators) = self.streams.slots[slot].take() else { return Ok(()) };
        let arn = iterators.actual.stream_arn.as_str().to_owned();
        let mut operations = 0;
        let actual = read_all(iterators.actual.clone(), limit, |request| {
            operations += 1;
            self.system.run(request)
        })?;
        self.operations += operations;
        let expected = read_all(iterators.expected, limit, |request| self.reference.run(&request))?;
        let (mut actual, mut expected) = match (actual, expected) {
            (Ok(actual), Ok(expected)) => (actual, expected),
            (actual, expected) => {
                let (actual, expected) = (actual.map(|_| ()), expected.map(|_| ()));
                if actual == expected {
                    return Ok(());
                }
                return Err(format!(
                    "asked:    records from {:?} on\nanswered: {actual:?}\nexpected: {expected:?}",
                    iterators.actual
                ));
            }
        };
        settle(&mut actual.records);
        settle(&mut expected.records);
        let pairs = numbers_of(&actual.records, &expected.records);
        for record in actual.records.iter_mut().chain(&mut expected.records) {
            record.event_id.clear();
            record.sequence_number = SequenceNumber::default();
        }
        if actual.records != expected.records || actual.next.is_some() != expected.next.is_some() {
            return Err(format!(
                "asked:    records from {:?} on, pages of {limit}\nanswered: {actual:#?}\nexpected: {expected:#?}",
                iterators.actual
            ));
        }
        self.streams.learn(&arn, pairs)?;
        let next = actual.next.zip(expected.next);
        self.streams.slots[slot] = next.map(|(actual, expected)| Sides { actual, expected });
        Ok(())
    }

    /// Sends each side its own form of a request.
    fn both(
        &mut self,
        own: &Request,
        other: &Request,
    ) -> (Result<Answer, Error>, Result<Answer, Error>) {
        (self.ask(own.clone()), self.reference.run(other))
    }
}

impl Streams {
    /// Records corresponding sequence numbers. A record keeps its number, and numbers increase.
    fn learn(&mut self, arn: &str, pairs: Vec<Sides<SequenceNumber>>) -> Result<(), String> {
        let known = self.numbers.entry(arn.to_owned()).or_default();
        for pair in pairs {
            if !known.contains(&pair) {
                known.push(pair);
            }
        }
        known.sort_by_key(|pair| pair.expected);
        let is_sound = known.is_sorted_by(|a, b| a.actual < b.actual && a.expected < b.expected);
        match is_sound {
            true => Ok(()),
            false => Err(format!("the numbers of records are out of order: {known:?}")),
        }
    }
}

#[derive(Debug)]
struct Records {
    records: Vec<StreamRecord>,
    next: Option<ShardIterator>,
}

fn read_all(
    iterator: ShardIterator,
    limit: usize,
    mut run: impl FnMut(Request) -> Result<Answer, Error>,
) -> Result<Result<Records, Error>, String> {
    let mut all = Records { records: Vec::new(), next: Some(iterator) };
    for _ in 0..PAGES_MAX {
        let Some(shard_iterator) = all.next.clone() else { break };
        match run(GetRecords { shard_iterator, limit }.into()) {
            Ok(Answer::GetRecords(page)) => {
                let len = page.records.len();
                if len > limit {
                    return Err(format!("a page of {len} records, though {limit} were asked for"));
                }
                all.records.extend(page.records);
                all.next = page.next_shard_iterator;
                if len == 0 {
                    break;
                }
            }
            Err(error) => return Ok(Err(error)),
            answer => return Err(format!("records were asked for, and given: {}", told(&answer))),
        }
    }
    Ok(Ok(all))
}

/// Sorts simultaneous expiries by key, because their order is specific to a system.
fn settle(records: &mut [StreamRecord]) {
    let together = |a: &StreamRecord, b: &StreamRecord| {
        a.is_expiry && b.is_expiry && a.created_at == b.created_at
    };
    let by_key = |record: &StreamRecord| Item::to_json(&record.keys);
    for run in records.chunk_by_mut(together) {
        run.sort_by_cached_key(by_key);
    }
}

/// The sequence numbers of corresponding records, without expiries.
fn numbers_of(actual: &[StreamRecord], expected: &[StreamRecord]) -> Vec<Sides<SequenceNumber>> {
    let pairs = actual.iter().zip(expected).filter(|(own, _)| !own.is_expiry);
    pairs
        .map(|(own, other)| Sides { actual: own.sequence_number, expected: other.sequence_number })
        .collect()
}

impl<T> Sides<T> {
    fn map<U>(self, with: impl Fn(T) -> U) -> Sides<U> {
        Sides { actual: with(self.actual), expected: with(self.expected) }
    }
}

impl<T: Clone> From<T> for Sides<T> {
    fn from(same: T) -> Self {
        Self { actual: same.clone(), expected: same }
    }
}
