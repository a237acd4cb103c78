//! Parameters that several operations share.

use crate::constraint::Constraints;

/// A table name, or an ARN that ends in one.
///
/// Members that name a table take an ARN too, so their length is bounded by an ARN's.
const TABLE_NAME_OR_ARN_LEN_MAX: usize = 1024;

/// Checks the member `tableName` of an operation on an existing table.
pub(super) fn constrain_table_name(constraints: &mut Constraints, name: &Option<String>) {
    constraints.required("tableName", name);
    if let Some(name) = name {
        constraints.length_at_least("tableName", name, name.len(), 1);
        constraints.length_at_most("tableName", name, name.len(), TABLE_NAME_OR_ARN_LEN_MAX);
    }
}

/// The table's name: what follows `table/` in an ARN, or the member as it is.
pub(super) fn table_name_of(name_or_arn: String) -> String {
    match name_or_arn.strip_prefix("arn:").and_then(|arn| arn.rsplit_once(":table/")) {
        Some((_, name)) => name.to_owned(),
        None => name_or_arn,
    }
}
