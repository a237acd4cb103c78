//! Members that name a table, by name or ARN.
//!
//! Requests on items keep what they were given, since responses repeat it; [`name_of_table`]
//! returns the name. Requests about tables hold the name.

use crate::arn::{Arn, name_of_table};
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::json::Reader;

const LEN_MIN: usize = 3;
const LEN_MAX: usize = 255;
/// Maximum length of an ARN, which is longer than a name.
const ARN_LEN_MAX: usize = 1024;
const PATTERN: &str = "[a-zA-Z0-9_.-]+";

/// Checks the name of a table or index, where an ARN is not allowed.
pub(super) fn constrain_name(constraints: &mut Constraints, path: &str, name: &str) {
    let fits = !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    let len = name.chars().count();
    constraints.pattern(path, name, PATTERN, fits);
    constraints.length_at_least(path, name, len, LEN_MIN);
    constraints.length_at_most(path, name, len, LEN_MAX);
}

/// Checks a required name.
pub(super) fn constrain_required_name(
    constraints: &mut Constraints,
    path: &str,
    name: &Option<String>,
) {
    constraints.required(path, name);
    if let Some(name) = name {
        constrain_name(constraints, path, name);
    }
}

/// The table name in the member `TableName` of a request about tables.
///
/// Operations about tables check this member before all others and report it alone; for operations
/// on items it is one of the constraints.
pub(super) fn existing_table(name_or_arn: Option<String>) -> Result<String> {
    let name_or_arn = required(name_or_arn)?;
    let mut constraints = Constraints::default();
    let len = name_or_arn.chars().count();
    constraints.length_at_least("tableName", &name_or_arn, len, 1);
    constraints.length_at_most("tableName", &name_or_arn, len, ARN_LEN_MAX);
    constraints.finish()?;
    named_table(name_or_arn).map(|name_or_arn| name_of_table(&name_or_arn).to_owned())
}

/// Checks the member `tableName` of an operation on items.
pub(super) fn constrain_table_name(constraints: &mut Constraints, name: Option<&str>) {
    constraints.required("tableName", &name);
    if let Some(name) = name {
        let len = name.chars().count();
        constraints.length_at_least("tableName", name, len, 1);
        constraints.length_at_most("tableName", name, len, ARN_LEN_MAX);
    }
}

/// Checks a table's name or ARN.
///
/// The member's constraint allows the length of an ARN. A text that is not an ARN must be a valid
/// table name, which the service checks in a second round with the wording of the first.
pub(super) fn named_table(name_or_arn: String) -> Result<String> {
    if !name_or_arn.starts_with("arn:") {
        return valid(name_or_arn);
    }
    let name = Arn::parse(&name_or_arn).and_then(|arn| arn.table_name()).map(str::to_owned);
    name.and_then(|name| valid(name).ok()).map(|_| name_or_arn).ok_or_else(|| {
        // The missing space is the service's.
        Error::validation(
            "1 validation error detected: Valid ARN format is \
             'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', \
             where Resource name must have length less than or equal to 255, \
             Resource name must have length greater than or equal to 3, \
             Resource name must satisfyregular expression pattern: [a-zA-Z0-9_.-]+",
        )
    })
}

/// The name of a table to be created, where an ARN is not allowed.
pub(super) fn new_table(name: Option<String>) -> Result<String> {
    valid(required(name)?)
}

fn required(name: Option<String>) -> Result<String> {
    name.ok_or_else(|| {
        Error::validation(
            "The parameter 'TableName' is required but was not present in the request",
        )
    })
}

fn valid(name: String) -> Result<String> {
    check_name(&name)?;
    Ok(name)
}

/// Checks the name of a table, where an ARN is not allowed.
pub(super) fn check_name(name: &str) -> Result<()> {
    let mut constraints = Constraints::default();
    constrain_name(&mut constraints, "tableName", name);
    constraints.finish()
}

/// The error for a missing table.
#[must_use]
pub fn table_not_found(name: &str) -> Error {
    Error::with_message(
        crate::ErrorKind::ResourceNotFound,
        format!("Requested resource not found: Table: {name} not found"),
    )
}

/// Parses a body whose only relevant member is `TableName`.
pub(super) fn read_table_name(json: &[u8], class: &str) -> Result<Option<String>> {
    let mut table_name = None;
    let mut reader = Reader::new(json)?;
    reader.structure(class, |reader, member| {
        match member {
            "TableName" => table_name = reader.owned_string()?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    reader.end()?;
    Ok(table_name)
}
