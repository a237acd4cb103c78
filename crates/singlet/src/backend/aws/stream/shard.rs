//! One shard of a stream, with its read progress.

use super::super::client::Client;
use super::request::{get_records, get_shard_iterator};
use crate::backend::{BackendError, FeedEvent};
use singlet_dynamo::ErrorKind;
use std::time::Duration;
use tokio::time::Instant;

/// The interval between reads of a shard. Lambda polls four times a second, and DynamoDB supports
/// two readers per shard.
const READ_PAUSE: Duration = Duration::from_millis(250);
/// Records per read: DynamoDB's maximum.
const RECORDS_MAX: usize = 1000;

/// When a feed resumes in a shard that it had not read from, it skips records older than its start
/// by more than this. Clocks differ, and DynamoDB rounds.
const SINCE_SLACK_SECS: i64 = 60;

/// Read progress of a shard.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    /// Nothing read yet: start at the end. The feed began in this second.
    Latest(i64),
    /// Nothing read yet: start with the first change since this second.
    Since(i64),
    /// Nothing read yet: start with the oldest record.
    Beginning,
    /// Read up to this sequence number.
    Behind(String),
    /// Read to the end.
    End,
}

pub(super) struct Step {
    /// The shard's progress once this step is consumed.
    pub(super) place: Option<Place>,
    /// `None` at the end of a shard.
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
    /// The shard iterator, which expires after some minutes.
    iterator: Option<String>,
    /// Steps that were read and not collected yet.
    pub(super) read: Vec<Step>,
    /// Skip records from before this second, up to the first that is not.
    skip_before: Option<i64>,
    pub(super) next_read: Instant,
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

    /// Requests a shard iterator, unless there is one.
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

    /// Reads the next records. An error is added to the steps, and the next read resumes from the
    /// same position.
    pub(super) async fn read(&mut self, client: &Client, stream_arn: &str) {
        self.next_read = Instant::now() + READ_PAUSE;
        if let Err(error) = self.try_read(client, stream_arn).await {
            self.recover(error);
        }
    }

    async fn try_read(&mut self, client: &Client, stream_arn: &str) -> Result<(), BackendError> {
        let iterator = self.take_place(client, stream_arn).await?;
        let page = get_records(client, &iterator, RECORDS_MAX).await?;
        // No await from here on, so a dropped future can neither lose nor repeat records.
        if page.records.len() >= RECORDS_MAX {
            // There is more: read on at once.
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

    /// Updates the state after an error.
    fn recover(&mut self, error: BackendError) {
        let kind = match &error {
            BackendError::Refused(refused) => Some(refused.kind()),
            _ => None,
        };
        match (kind, &self.place) {
            // The feed was not polled for 15 minutes. Resume after the last record read. If there
            // was none, the changes since are unknown.
            (Some(ErrorKind::ExpiredIterator), Place::Latest(_)) => {
                self.iterator = None;
                self.fell_behind(None);
            }
            (Some(ErrorKind::ExpiredIterator), _) => self.iterator = None,
            // The records were older than a day and were trimmed.
            (Some(ErrorKind::TrimmedDataAccess), _) => {
                self.iterator = None;
                self.place = Place::Beginning;
                self.fell_behind(Some(Place::Beginning));
            }
            // The whole shard was trimmed.
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
