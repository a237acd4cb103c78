//! Errors of the store and of the operating system, as clients get them.

use super::{BUSY, INTERNAL, INVALID, Problem, ProblemType, UNAVAILABLE};
use crate::random::RandomUnavailable;
use crate::validate::FieldLocation;
use singlet::Error;

/// The problem type of an error of the store.
#[doc(hidden)]
#[must_use]
pub fn of_store(error: &Error) -> &'static ProblemType {
    match error {
        Error::Cursor => &INVALID,
        Error::Conflict { .. } | Error::ConditionFailed { .. } | Error::Unprocessed { .. } => &BUSY,
        Error::Throttled { .. } | Error::NotReady { .. } => &UNAVAILABLE,
        _ => &INTERNAL,
    }
}

/// A cursor that is not one of the list is the client's mistake. A write that others were faster
/// than can be sent again: [`BUSY`]. What is left is logged, and the client learns nothing of it.
///
/// The store refused the request as a whole, so `BUSY` says that nothing was done. A service that
/// writes several times maps the errors of its later writes by itself.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match (of_store(&error), error) {
            (_, Error::Cursor) => {
                let detail = "must be what an earlier answer gave as `next`";
                Self::invalid_field(FieldLocation::Query, "cursor", detail)
            }
            // Some of a batch was written.
            (kind, Error::Unprocessed { .. }) => Self::new(kind),
            (kind, _) if kind == &BUSY => Self::new(kind).safe_to_retry(),
            (kind, error) => {
                tracing::error!(%error, "the store failed");
                Self::new(kind)
            }
        }
    }
}

impl From<RandomUnavailable> for Problem {
    fn from(error: RandomUnavailable) -> Self {
        tracing::error!(%error, "the operating system failed");
        Self::new(&INTERNAL)
    }
}
