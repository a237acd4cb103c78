//! What TransactWriteItems and TransactGetItems share: actions on distinct items, and how a
//! transaction is cancelled.

use super::batch::are_distinct;
use super::table_name::{constrain_name, named_table};
use crate::constraint::{Constraints, check_length};
use crate::error::{CancellationReason, Error, Result};
use crate::key::Key;

/// How many actions a transaction can have.
const ACTIONS_MAX: usize = 100;

/// Checks how many actions a transaction has.
pub(super) fn check_count(actions: usize) -> Result<()> {
    check_length("TransactItems", actions, 1, ACTIONS_MAX)
}

/// Adds the violations of an action's table name. `path` is where it stands.
pub(super) fn constrain_table_name(constraints: &mut Constraints, path: &str, name: Option<&str>) {
    constraints.required(path, &name);
    // What is an ARN is looked at when it is taken apart.
    if let Some(name) = name.filter(|name| !name.starts_with("arn:")) {
        constrain_name(constraints, path, name);
    }
}

/// The name or ARN of an action's table, after it was checked.
pub(super) fn table_name_of(name_or_arn: Option<String>) -> Result<String> {
    named_table(name_or_arn.unwrap_or_default())
}

/// Refuses two actions on one item. Keys come with their tables' names; what is no key of its
/// table is told of later.
pub(super) fn check_distinct<'t>(keys: impl Iterator<Item = (&'t str, Option<Key>)>) -> Result<()> {
    let encoded = keys.filter_map(|(table_name, key)| {
        let mut encoded = table_name.as_bytes().to_vec();
        // No name has a zero in it, so that no two items have the same bytes.
        encoded.push(0);
        encoded.extend(key?.encoded());
        Some(encoded)
    });
    if are_distinct(encoded.collect()) {
        return Ok(());
    }
    Err(Error::validation("Transaction request cannot include multiple operations on one item"))
}

/// What all actions gave; or, if one was refused, the reason why the transaction is cancelled.
/// No action after it is looked at.
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

/// What all actions gave; or, if some were refused, why the transaction is cancelled.
pub(super) fn all_refused<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut gave = Vec::new();
    let mut reasons = Vec::new();
    for result in results {
        reasons.push(match result {
            Ok(value) => {
                gave.push(value);
                CancellationReason::default()
            }
            // An error that is no reason is of the whole request.
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
    use crate::{ErrorKind, Item, Value};

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
    fn an_error_of_the_server_is_no_reason() {
        for refused in [first_refused::<u8>, |results| all_refused(results)] {
            let error = Err(Error::new(ErrorKind::InternalServerError));
            let results = vec![Ok(1), error].into_iter();
            assert_eq!(refused(results).unwrap_err().kind(), ErrorKind::InternalServerError);
        }
    }

    #[test]
    fn items_of_two_tables_are_distinct() {
        let key = |text: &str| Some(Key { partition: Value::from(text), sort: None });
        let check = |keys: [(&'static str, Option<Key>); 2]| check_distinct(keys.into_iter());
        assert!(check([("ab", key("c")), ("a", key("bc"))]).is_ok());
        assert!(check([("a", None), ("a", None)]).is_ok());
        assert!(check([("a", key("b")), ("a", key("b"))]).is_err());
    }
}
