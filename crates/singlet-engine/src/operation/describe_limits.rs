//! Telling the account's limits.

use crate::engine::Engine;
use singlet_dynamo::operation::DescribeLimitsAnswer;

impl Engine {
    /// The limits that the service has for an account: told, and not enforced here.
    #[must_use]
    pub fn describe_limits(&self) -> DescribeLimitsAnswer {
        DescribeLimitsAnswer::default()
    }
}
