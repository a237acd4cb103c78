//! One shard of a stream, and how far it was read.

use super::super::client::Client;
use super::request::{get_records, get_shard_iterator};
use crate::backend::{BackendError, FeedEvent};
use singlet_dynamo::ErrorKind;
use std::time::Duration;
use tokio::time::Instant;

/// How long between two reads of a shard. AWS's own reader, Lambda, reads four times a second, and
/// DynamoDB has room for two readers.
const READ_PAUSE: Duration = Duration::from_millis(250);
/// How many records are read at a time, which is as many as DynamoDB gives.
const RECORDS_MAX: usize = 1000;

/// How many seconds a record may be older than the second at which a feed began and still be told
/// of, when it goes on from a shard of which nothing was read. Clocks differ, and DynamoDB rounds.
const SINCE_SLACK_SECS: i64 = 60;

/// How far a shard was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    /// Nothing was read yet, and it begins with what comes next, from this second on.
    Latest(i64),
    /// Nothing was read yet, and it begins with what happened from this second on.
    Since(i64),
    /// Nothing was read yet, and it begins with the oldest that there is.
    Beginning,
    /// Up to this sequence number.
    Behind(String),
    /// To its end.
    End,
}

/// Something that was read in a shard.
pub(super) struct Step {
    /// How far the shard was read when this is given.
    pub(super) place: Option<Place>,
    /// What there is to tell; nothing at the end of a shard.
    pub(super) event: Option<Result<FeedEvent, BackendError>>,
}

impl Step {
    fn event(place: Option<Place>, event: Result<FeedEvent, BackendError>) -> Self {
        Self { place, event: Some(event) }
    }
}

pub(super) struct Shard {
    pub(super) id: String,
    place: Place,
    /// What DynamoDB knows the place by, for some minutes.
    iterator: Option<String>,
    /// What was read and not taken over yet.
    pub(super) read: Vec<Step>,
    /// Records from before this second are passed over, until one is not.
    skip_before: Option<i64>,
    pub(super) next_read: Instant,
    /// Whether everything was read that will ever be in it.
    pub(super) has_ended: bool,
}

impl Shard {
    pub(super) fn new(id: String, place: Place) -> Self {
        let skip_before = match place {
            Place::Since(second) => Some(second.saturating_sub(SINCE_SLACK_SECS)),
            _ => None,
        };
        Self {
            id,
            place,
            iterator: None,
            read: Vec::new(),
            skip_before,
            next_read: Instant::now(),
            has_ended: false,
        }
    }

    /// Has DynamoDB know the place, unless it does.
    pub(super) async fn take_place(
        &mut self,
        client: &Client,
        stream_arn: &str,
    ) -> Result<String, BackendError> {
        if let Some(iterator) = &self.iterator {
            return Ok(iterator.clone());
        }
        let (kind, number) = match &self.place {
            Place::Latest(_) => ("LATEST", None),
            Place::Since(_) | Place::Beginning | Place::End => ("TRIM_HORIZON", None),
            Place::Behind(number) => ("AFTER_SEQUENCE_NUMBER", Some(number.as_str())),
        };
        let iterator = get_shard_iterator(client, stream_arn, &self.id, kind, number).await?;
        self.iterator = Some(iterator.clone());
        Ok(iterator)
    }

    /// Reads what comes next. What goes wrong is told among what was read, and the next read goes
    /// on from the same place.
    pub(super) async fn read(&mut self, client: &Client, stream_arn: &str) {
        self.next_read = Instant::now() + READ_PAUSE;
        if let Err(error) = self.try_read(client, stream_arn).await {
            self.recover(error);
        }
    }

    async fn try_read(&mut self, client: &Client, stream_arn: &str) -> Result<(), BackendError> {
        let iterator = self.take_place(client, stream_arn).await?;
        let page = get_records(client, &iterator, RECORDS_MAX).await?;
        // From here on nothing is waited for, so that nothing is read twice or never.
        if page.records.len() >= RECORDS_MAX {
            // There is more, and no reason to let it wait.
            self.next_read = Instant::now();
        }
        for record in page.records {
            let place = record.sequence_number.clone().map(Place::Behind);
            if let Some(place) = &place {
                self.place = place.clone();
            }
            if self.skip_before.is_some_and(|second| record.is_before(second)) {
                continue;
            }
            self.skip_before = None;
            self.read.push(Step::event(place, record.into_event()));
        }
        self.has_ended = page.next_shard_iterator.is_none();
        if self.has_ended {
            self.read.push(Step { place: Some(Place::End), event: None });
        }
        self.iterator = page.next_shard_iterator;
        Ok(())
    }

    /// What becomes of the shard after an error.
    fn recover(&mut self, error: BackendError) {
        let kind = match &error {
            BackendError::Refused(refused) => Some(refused.kind()),
            _ => None,
        };
        match (kind, &self.place) {
            // Nobody asked for changes for a quarter of an hour. The place is known by what was
            // read last; only if nothing ever was, nobody knows what has happened since.
            (Some(ErrorKind::ExpiredIterator), Place::Latest(_)) => {
                self.iterator = None;
                self.fell_behind(None);
            }
            (Some(ErrorKind::ExpiredIterator), _) => self.iterator = None,
            // Records are kept for a day, and these were older.
            (Some(ErrorKind::TrimmedDataAccess), _) => {
                self.iterator = None;
                self.place = Place::Beginning;
                self.fell_behind(Some(Place::Beginning));
            }
            // The whole shard was older.
            (Some(ErrorKind::ResourceNotFound), _) => {
                self.has_ended = true;
                self.fell_behind(Some(Place::End));
            }
            _ => self.read.push(Step::event(None, Err(error))),
        }
    }

    fn fell_behind(&mut self, place: Option<Place>) {
        self.read.push(Step::event(place, Ok(FeedEvent::FellBehind { missed: None })));
    }
}
