//! Checks shared by TransactWriteItems and TransactGetItems: distinct items, and cancellation.

use super::batch::are_distinct;
use super::table_name::{constrain_name, named_table};
use crate::constraint::{Constraints, check_length};
use crate::error::{CancellationReason, Error, Result};
use crate::key::Key;

/// Maximum number of actions in a transaction.
const ACTIONS_MAX: usize = 100;

/// Checks the number of actions.
pub(super) fn check_count(actions: usize) -> Result<()> {
    check_length("TransactItems", actions, 1, ACTIONS_MAX)
}

/// Adds the violations of an action's table name. `path` is its position.
pub(super) fn constrain_table_name(constraints: &mut Constraints, path: &str, name: Option<&str>) {
    constraints.required(path, &name);
    // An ARN is checked when it is parsed.
    if let Some(name) = name.filter(|name| !name.starts_with("arn:")) {
        constrain_name(constraints, path, name);
    }
}

/// Checks the name or ARN of an action's table.
pub(super) fn table_name_of(name_or_arn: Option<String>) -> Result<String> {
    named_table(name_or_arn.unwrap_or_default())
}

/// Refuses two actions on the same item. Takes keys with their tables' names; invalid keys are
/// reported later.
pub(super) fn check_distinct<'t>(keys: impl Iterator<Item = (&'t str, Option<Key>)>) -> Result<()> {
    let encoded = keys.filter_map(|(table_name, key)| {
        let mut encoded = table_name.as_bytes().to_vec();
        // Names contain no zero byte, so different items have different bytes.
        encoded.push(0);
        encoded.extend_from_slice(key?.as_bytes());
        Some(encoded)
    });
    if are_distinct(encoded.collect()) {
        return Ok(());
    }
    Err(Error::validation("Transaction request cannot include multiple operations on one item"))
}

/// The results of all actions, or the cancellation for the first failed one. Stops there.
pub(super) fn first_refused<T>(
    results: impl ExactSizeIterator<Item = Result<T>>,
) -> Result<Vec<T>> {
    let count = results.len();
    let mut gave = Vec::with_capacity(count);
    for (place, result) in results.enumerate() {
        match result {
            Ok(value) => gave.push(value),
            Err(error) => {
                let mut reasons = vec![CancellationReason::default(); count];
                if let (Some(own), Some(reason)) =
                    (reasons.get_mut(place), CancellationReason::of(&error))
                {
                    *own = reason;
                    return Err(Error::transaction_canceled(reasons));
                }
                return Err(error);
            }
        }
    }
    Ok(gave)
}

/// The results of all actions, or the cancellation with all failures.
pub(super) fn all_refused<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut gave = Vec::new();
    let mut reasons = Vec::new();
    for result in results {
        reasons.push(match result {
            Ok(value) => {
                gave.push(value);
                CancellationReason::default()
            }
            // An error that is not a reason concerns the whole request.
            Err(error) => CancellationReason::of(&error).ok_or(error)?,
        });
    }
    if reasons.iter().all(|reason| reason.failure.is_none()) {
        return Ok(gave);
    }
    Err(Error::transaction_canceled(reasons))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{KeyAttribute, KeySchema, KeyType};
    use crate::{ErrorKind, Item, Map, Value};

    fn results() -> [Result<u8>; 3] {
        [
            Ok(1),
            Err(Error::validation("no")),
            Err(Error::conditional_check_failed(Some(
                Item::from([("pk", Value::from("a"))]).into(),
            ))),
        ]
    }

    #[test]
    fn refusals_become_reasons() {
        let first = first_refused(results().into_iter()).unwrap_err();
        fn codes(error: &Error) -> Vec<&str> {
            error.cancellation_reasons().iter().map(CancellationReason::code).collect()
        }
        assert_eq!(codes(&first), ["None", "ValidationError", "None"]);
        let all = all_refused(results().into_iter()).unwrap_err();
        assert_eq!(codes(&all), ["None", "ValidationError", "ConditionalCheckFailed"]);
        assert!(all.cancellation_reasons()[2].item.is_some());
        assert_eq!(all_refused([Ok(1), Ok(2)].into_iter()).unwrap(), [1, 2]);
    }

    #[test]
    fn a_server_error_is_not_a_cancellation_reason() {
        for refused in [first_refused::<u8>, |results| all_refused(results)] {
            let error = Err(Error::new(ErrorKind::InternalServerError));
            let results = vec![Ok(1), error].into_iter();
            assert_eq!(refused(results).unwrap_err().kind(), ErrorKind::InternalServerError);
        }
    }

    #[test]
    fn items_of_two_tables_are_distinct() {
        let schema = KeySchema::simple(KeyAttribute::new("pk", KeyType::S), None);
        let key = |text: &str| schema.key_of_item(&Map::from([("pk", Value::from(text))])).ok();
        let check = |keys: [(&'static str, Option<Key>); 2]| check_distinct(keys.into_iter());
        assert!(check([("ab", key("c")), ("a", key("bc"))]).is_ok());
        assert!(check([("a", None), ("a", None)]).is_ok());
        assert!(check([("a", key("b")), ("a", key("b"))]).is_err());
    }
}
