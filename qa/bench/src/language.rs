//! The suite `language`: what every request costs before a store is asked.

mod conditions;
mod items;
mod numbers;
mod sample;

use crate::contest::Contest;

/// All contests of the suite.
pub(crate) fn contests() -> Vec<Contest> {
    let mut contests = conditions::contests();
    contests.extend(items::contests());
    contests.extend(numbers::contests());
    contests
}
