//! DescribeTable: the complete description of a table.

use super::table_name::{existing_table, read_table_name};
use crate::error::Result;
use crate::json::Writer;
use crate::table::TableDescription;

/// Describes a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeTable {
    /// The table.
    pub table_name: String,
}

impl DescribeTable {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let table_name = read_table_name(json, "DescribeTableInput")?;
        Ok(Self { table_name: existing_table(table_name)? })
    }
}

/// The table.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeTableAnswer {
    /// The table.
    pub table: TableDescription,
}

impl DescribeTableAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("Table", |writer| self.table.write_json(writer));
        });
    }
}
