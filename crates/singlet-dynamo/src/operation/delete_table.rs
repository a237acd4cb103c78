//! DeleteTable: deletes a table and its items.

use super::table_name::{existing_table, read_table_name};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Writer;
use crate::table::{TableDescription, TableStatus};

/// Deletes a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteTable {
    /// The table.
    pub table_name: String,
}

impl DeleteTable {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let table_name = read_table_name(json, "DeleteTableInput")?;
        Ok(Self { table_name: existing_table(table_name)? })
    }

    /// Checks that the table can be deleted in its current state.
    pub fn check(&self, table: &TableDescription) -> Result<()> {
        super::check_idle(table)?;
        if table.deletion_protection {
            return Err(Error::validation(
                "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
            ));
        }
        if table.indexes.iter().any(|described| described.status != TableStatus::Active) {
            return Err(Error::with_message(
                ErrorKind::ResourceInUse,
                "Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted.",
            ));
        }
        Ok(())
    }

    /// Marks the table as being deleted.
    pub fn apply(&self, table: &mut TableDescription) {
        table.status = TableStatus::Deleting;
    }
}

/// The table while it is being deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteTableAnswer {
    /// The table.
    pub table_description: TableDescription,
}

impl DeleteTableAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("TableDescription", |writer| self.table_description.write_json(writer));
        });
    }
}
