//! Stories about the library's behaviour. Each is a test on every backend.

pub(crate) mod arithmetic;
mod attempts;
mod batches;
mod changes;
mod collections;
mod composite_keys;
mod conditions;
mod elements;
mod expiry;
mod index_keys;
mod inspection;
mod item_errors;
mod key_fields;
mod keys;
mod pages;
mod patterns;
mod payloads;
mod positions;
mod provisioning;
mod queries;
mod reads;
mod refusals;
mod spans;
mod stored_items;
mod transactions;
mod types;
mod unreadable;
mod updates;
mod writes;

use crate::sample::{Comment, Goal, Match, Rating, Site, Status};
use singlet::Timestamp;

pub(crate) fn id<T: std::str::FromStr>(text: impl AsRef<str>) -> T
where
    T::Err: std::fmt::Debug,
{
    text.as_ref().parse().unwrap()
}

pub(crate) fn site(id: &str, now: Timestamp) -> Site {
    Site {
        id: self::id(id),
        owner: self::id("owner"),
        title: "A title".into(),
        description: None,
        rating: None,
        visits: 0,
        is_public: true,
        tags: Default::default(),
        history: vec![],
        counts: Default::default(),
        location: None,
        thumbnail: None,
        created_at: now,
        updated_at: now,
        version: 0,
    }
}

pub(crate) fn rating(user: &str, site: &str, stars: u8) -> Rating {
    Rating { user: id(user), site: id(site), stars, note: None }
}

pub(crate) fn comment(user: &str, site: &str, comment: &str, written_at: Timestamp) -> Comment {
    Comment { user: id(user), site: id(site), id: id(comment), body: "…".into(), written_at }
}

pub(crate) fn game(id: &str, now: Timestamp) -> Match {
    Match {
        id: self::id(id),
        day: None,
        hour: 9,
        field: self::id("north"),
        live: None,
        start_time: now,
        status: Status::Scheduled,
    }
}

pub(crate) fn goal(game: &str, third: u8, minute: u16, id: &str) -> Goal {
    Goal { game: self::id(game), third, minute, id: self::id(id), scorer: None }
}

/// Whether the write's condition failed.
pub(crate) fn is_refused<T>(outcome: &singlet::Result<T>) -> bool {
    matches!(outcome, Err(singlet::Error::ConditionFailed { .. }))
}

/// Whether the store rejected the request as invalid.
pub(crate) fn is_invalid<T>(outcome: &singlet::Result<T>) -> bool {
    let refusal = outcome.as_ref().err().and_then(singlet::Error::refusal);
    refusal.is_some_and(|error| error.kind() == singlet::dynamo::ErrorKind::Validation)
}
