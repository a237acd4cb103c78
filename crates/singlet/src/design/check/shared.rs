//! Rules that the compiler also applies to Rust types. See `crates/singlet/src/check`.

use super::{Findings, Rule};
use crate::design::subject::Subject;

const fn rule(code: &'static str, title: &'static str) -> Rule {
    Rule { code, title, find }
}

pub(super) const KEY_MISMATCH: Rule = rule("SD103", "a key does not fit its table or index");
pub(super) const MISNAMED_KEY: Rule =
    rule("SD105", "a key attribute holds something other than its name says");
pub(super) const MISTYPED_KEY: Rule =
    rule("SD110", "an attribute has another type than the key that it is in");
pub(super) const SHARED_ATTRIBUTE: Rule =
    rule("SD111", "two things are to be stored in one attribute");
pub(super) const LOST_IN_KEY: Rule =
    rule("SD112", "an attribute is stored in a key that not every item has");
pub(super) const LONG_SORT_KEY: Rule = rule("SD113", "a sort key has too many parts");
pub(super) const INVALID_NAME: Rule =
    rule("SD114", "a table or an index has a name that DynamoDB does not take");
pub(super) const KEY_COLLISION: Rule = rule("SD201", "items of two entities can have the same key");
pub(super) const AMBIGUOUS_KEY: Rule = rule("SD202", "different values give the same key");
pub(super) const SHARED_KEY: Rule = rule("SD205", "entities that share a key are not told apart");
pub(super) const LOCAL_INDEX: Rule = rule("SD407", "a local index does not fit its table");
pub(super) const TOO_MANY_INDEXES: Rule = rule("SD408", "a table has too many indexes");
pub(super) const FALSE_CONDITION: Rule =
    rule("SD409", "the condition of an index key never holds, or decides nothing");
pub(super) const MIXED_KEYS: Rule =
    rule("SD410", "keys of an entity in one index are not told apart");
pub(super) const COMPOSITE_KEY: Rule =
    rule("SD411", "a key of several attributes is not one that DynamoDB takes");
pub(super) const MISSING_TTL: Rule = rule("SD604", "items are to expire and are never deleted");
pub(super) const UNHELD_EXPIRY: Rule =
    rule("SD606", "an index does not hold when its items expire");

/// Copies the shared findings with the current rule's code.
pub(super) fn find(subject: &Subject<'_>, findings: &mut Findings) {
    let own = subject.faults.iter().filter(|fault| fault.code == findings.code);
    findings.list.extend(own.cloned());
}
