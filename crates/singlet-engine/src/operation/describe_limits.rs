//! DescribeLimits.

use crate::engine::Engine;
use singlet_dynamo::operation::DescribeLimitsAnswer;

impl Engine {
    /// The service's default account limits. The engine does not enforce them.
    #[must_use]
    pub fn describe_limits(&self) -> DescribeLimitsAnswer {
        DescribeLimitsAnswer::default()
    }
}
