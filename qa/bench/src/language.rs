//! The suite `language`: the cost of a request before it reaches a store.

mod conditions;
mod items;
mod numbers;
mod sample;

use crate::contest::Contest;

pub(crate) fn contests() -> Vec<Contest> {
    let mut contests = conditions::contests();
    contests.extend(items::contests());
    contests.extend(numbers::contests());
    contests
}
