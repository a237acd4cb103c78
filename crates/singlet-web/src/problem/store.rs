//! Errors of the store and of the operating system, as clients get them.

use super::{BUSY, INTERNAL, INVALID, Problem, ProblemType, UNAVAILABLE};
use crate::blob::BlobError;
use crate::outbound::OutboundError;
use crate::random::RandomUnavailable;
use crate::validate::FieldLocation;
use singlet::Error;

/// What clients get to read about a value that cannot stand in a key.
const KEY_DETAIL: &str =
    "A name or an identifier is empty, too long, or has a character that it must not have.";

/// The problem type of an error of the store.
#[doc(hidden)]
#[must_use]
pub fn of_store(error: &Error) -> &'static ProblemType {
    match error {
        Error::Cursor | Error::Key(_) => &INVALID,
        Error::Conflict { .. } | Error::ConditionFailed { .. } | Error::Unprocessed { .. } => &BUSY,
        Error::Throttled { .. } | Error::NotReady { .. } => &UNAVAILABLE,
        _ => &INTERNAL,
    }
}

/// A cursor that is not one of the list is the client's mistake, and so is a value that no key has
/// room for: too long, empty, or with the delimiter in it. A write that others were faster
/// than can be sent again: [`BUSY`]. What is left is logged, and the client learns nothing of it.
///
/// A conflict of transactions says that nothing was done. A condition that failed does not: over a
/// network a write may be sent twice, and the second time fail because of the first. A service that
/// knows better, or that writes several times, maps these errors by itself.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match (of_store(&error), error) {
            (_, Error::Cursor) => {
                let detail = "must be what an earlier answer gave as `next`";
                Self::invalid_field(FieldLocation::Query, "cursor", detail)
            }
            (kind, error @ Error::Key(_)) => {
                tracing::warn!(%error, "a value cannot stand in a key");
                Self::new(kind).detail(KEY_DETAIL)
            }
            (kind, Error::Conflict { .. }) => Self::new(kind).safe_to_retry(),
            (kind, _) if kind == &BUSY => Self::new(kind),
            (kind, error) => {
                tracing::error!(%error, "the store failed");
                Self::new(kind)
            }
        }
    }
}

impl From<BlobError> for Problem {
    fn from(error: BlobError) -> Self {
        tracing::error!(%error, "a file cannot be stored or read");
        Self::new(&UNAVAILABLE)
    }
}

impl From<OutboundError> for Problem {
    fn from(error: OutboundError) -> Self {
        tracing::warn!(%error, "another service does not answer");
        Self::new(&UNAVAILABLE)
    }
}

impl From<RandomUnavailable> for Problem {
    fn from(error: RandomUnavailable) -> Self {
        tracing::error!(%error, "the operating system failed");
        Self::new(&INTERNAL)
    }
}
