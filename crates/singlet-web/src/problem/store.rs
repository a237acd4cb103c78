//! Maps errors of the store and the operating system to problems.

use super::{BUSY, INTERNAL, INVALID, Problem, ProblemType, UNAVAILABLE};
use crate::blob::BlobError;
use crate::outbound::OutboundError;
use crate::random::RandomUnavailable;
use crate::validate::FieldLocation;
use singlet::Error;

/// The detail for a value that cannot be part of a key.
const KEY_DETAIL: &str =
    "A name or an identifier is empty, too long, or has a character that it must not have.";

/// The problem type of a store error.
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

/// Invalid cursors and key values (too long, empty, or with the delimiter) are client errors. A
/// write that lost a race can be retried: [`BUSY`]. Other errors are logged without details for the
/// client.
///
/// A transaction conflict means that nothing was done. A failed condition does not: over a network
/// a write may be sent twice, and the second attempt fail because of the first. A service that
/// knows better, or that writes several times, maps these errors itself.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match (of_store(&error), error) {
            (_, Error::Cursor) => {
                let detail = "must be the value of next in an earlier answer";
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
