//! Design checks.
//!
//! Each rule has a code, a file here, and a page in `docs/checks` with the problem, its
//! consequences on DynamoDB, and the fix. [`Design::check`] applies all of them. Rules that the
//! compiler also applies to Rust types are in [`crate::check`].

mod caught_entity;
mod changed_primary_key;
mod consistent_index_read;
mod early_expiry;
mod empty_query;
mod filtered_key;
mod foreign_key_attribute;
mod hot_partition;
mod incomplete_key;
mod invalid_expression;
mod large_transaction;
mod late_takeover;
mod missing_partition_key;
mod mistyped_update;
mod one_sided_relation;
mod open_prefix;
mod oversized_item;
mod partition_range;
mod place;
mod shared;
mod skipped_sort_key;
mod stale_index_key;
mod stale_mirror;
mod torn_mirror;
mod unfilled_index;
mod unguarded_expiry;
mod unheld_filter;
mod unintended_index_row;
mod unknown_attribute;
mod unknown_field;
mod unknown_name;
mod unknown_operation;
mod unread_index;
mod unrenewed_expiry;
mod unserved_pattern;
mod unsorted_number;
mod unsupported_expression;
mod unused_acceptance;
mod user_scan;
mod wasteful_filter;
mod wrong_sparseness;

pub use place::Place;

use super::subject::Subject;
use super::{Acceptance, Design};
use serde::Serialize;
use std::fmt;

/// A rule that designs are checked against.
pub struct Rule {
    /// Code of the rule, and name of its page in `docs/checks`.
    pub code: &'static str,
    /// The problem in a few words.
    pub title: &'static str,
    find: fn(&Subject<'_>, &mut Findings),
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.title)
    }
}

/// All rules by code: names (1), keys (2), reads (3), indexes (4), writes (5), expiry (6), size
/// (7), and the check itself (9).
pub const RULES: [Rule; 56] = [
    unknown_name::RULE,
    unknown_operation::RULE,
    shared::KEY_MISMATCH,
    unknown_field::RULE,
    shared::MISNAMED_KEY,
    unknown_attribute::RULE,
    invalid_expression::RULE,
    unsupported_expression::RULE,
    shared::MISTYPED_KEY,
    shared::SHARED_ATTRIBUTE,
    shared::LOST_IN_KEY,
    shared::LONG_SORT_KEY,
    shared::INVALID_NAME,
    shared::KEY_COLLISION,
    shared::AMBIGUOUS_KEY,
    unsorted_number::RULE,
    hot_partition::RULE,
    shared::SHARED_KEY,
    missing_partition_key::RULE,
    partition_range::RULE,
    incomplete_key::RULE,
    foreign_key_attribute::RULE,
    caught_entity::RULE,
    open_prefix::RULE,
    empty_query::RULE,
    consistent_index_read::RULE,
    user_scan::RULE,
    wasteful_filter::RULE,
    unserved_pattern::RULE,
    one_sided_relation::RULE,
    filtered_key::RULE,
    unheld_filter::RULE,
    skipped_sort_key::RULE,
    unfilled_index::RULE,
    unread_index::RULE,
    wrong_sparseness::RULE,
    stale_index_key::RULE,
    changed_primary_key::RULE,
    unintended_index_row::RULE,
    shared::LOCAL_INDEX,
    shared::TOO_MANY_INDEXES,
    shared::FALSE_CONDITION,
    shared::MIXED_KEYS,
    shared::COMPOSITE_KEY,
    torn_mirror::RULE,
    stale_mirror::RULE,
    mistyped_update::RULE,
    large_transaction::RULE,
    unguarded_expiry::RULE,
    unrenewed_expiry::RULE,
    late_takeover::RULE,
    shared::MISSING_TTL,
    early_expiry::RULE,
    shared::UNHELD_EXPIRY,
    oversized_item::RULE,
    // Last, because it depends on the other rules' findings.
    unused_acceptance::RULE,
];

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; may be intended.
    Note,
    /// Works, but will cause problems.
    Warning,
    /// Rejected by DynamoDB, or data is lost or mixed up.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A problem in a design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's code.
    pub code: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// Location in the design.
    pub place: Place,
    /// Description of the problem.
    pub message: String,
    /// Suggested fix.
    pub advice: String,
    /// The design's reason for accepting it, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] {}: {}", self.severity, self.code, self.place, self.message)
    }
}

/// Findings collected so far.
struct Findings {
    /// The code of the current rule.
    code: &'static str,
    list: Vec<Finding>,
}

impl Findings {
    fn error(&mut self, place: Place, message: impl Into<String>, advice: impl Into<String>) {
        self.add(Severity::Error, place, message.into(), advice.into());
    }

    fn warning(&mut self, place: Place, message: impl Into<String>, advice: impl Into<String>) {
        self.add(Severity::Warning, place, message.into(), advice.into());
    }

    fn note(&mut self, place: Place, message: impl Into<String>, advice: impl Into<String>) {
        self.add(Severity::Note, place, message.into(), advice.into());
    }

    fn add(&mut self, severity: Severity, place: Place, message: String, advice: String) {
        let code = self.code;
        self.list.push(Finding { code, severity, place, message, advice, accepted: None });
    }
}

impl Design {
    /// Applies all rules. Findings are ordered by code; accepted findings are included, with the
    /// reason.
    ///
    /// ```
    /// use singlet::design::{Design, check::Severity};
    ///
    /// let design = Design::from_json(r#"{
    ///     "name": "squash",
    ///     "tables": {"squash": {
    ///         "key": {"partition": "PK"},
    ///         "indexes": {"byDate": {"key": {"partition": "date", "sort": "PK"}}},
    ///         "entities": {"Match": {
    ///             "key": {"partition": "MATCH#{id}"},
    ///             "indexes": {"byDate": {"partition": "{date}", "sort": "MATCH#{id}"}},
    ///             "attributes": {"id": "id", "date": "date"}
    ///         }}
    ///     }},
    ///     "patterns": {"Matches by date range": {"operations": [{
    ///         "action": "Query", "index": "byDate", "entities": ["Match"],
    ///         "key": {"date": {"between": ["{from}", "{to}"]}}
    ///     }]}}
    /// }"#)?;
    /// let findings = design.check();
    /// assert_eq!(findings.len(), 1);
    /// assert_eq!((findings[0].code, findings[0].severity), ("SD302", Severity::Error));
    /// # Ok::<(), singlet::design::ReadError>(())
    /// ```
    #[must_use]
    pub fn check(&self) -> Vec<Finding> {
        let subject = Subject::of(self);
        let mut findings = Findings { code: "", list: Vec::new() };
        for rule in &RULES {
            findings.code = rule.code;
            (rule.find)(&subject, &mut findings);
        }
        for finding in &mut findings.list {
            let covers = self.accepted.iter().find(|acceptance| finding.is_covered(acceptance));
            finding.accepted = covers.map(|acceptance| acceptance.because.clone());
        }
        findings.list
    }
}

impl Finding {
    /// Whether an acceptance covers this finding.
    fn is_covered(&self, acceptance: &Acceptance) -> bool {
        self.code == acceptance.code && self.place.has_all_of(acceptance)
    }
}
