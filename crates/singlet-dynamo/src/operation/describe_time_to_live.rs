//! DescribeTimeToLive: the TTL attribute of a table.

use super::table_name::{existing_table, read_table_name};
use crate::error::Result;
use crate::json::Writer;
use crate::table::TableDescription;

/// Asks for a table's TTL attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeTimeToLive {
    /// The table.
    pub table_name: String,
}

impl DescribeTimeToLive {
    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let table_name = read_table_name(json, "DescribeTimeToLiveInput")?;
        Ok(Self { table_name: existing_table(table_name)? })
    }

    /// The TTL settings of a table.
    #[must_use]
    pub fn answer(&self, table: &TableDescription) -> DescribeTimeToLiveAnswer {
        DescribeTimeToLiveAnswer { attribute_name: table.time_to_live.clone() }
    }
}

/// The TTL attribute, if TTL is enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeTimeToLiveAnswer {
    /// The attribute.
    pub attribute_name: Option<String>,
}

impl DescribeTimeToLiveAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("TimeToLiveDescription", |writer| {
                writer.object(|object| {
                    let is_enabled = self.attribute_name.is_some();
                    let status = if is_enabled { "ENABLED" } else { "DISABLED" };
                    object.string("TimeToLiveStatus", status);
                    if let Some(name) = &self.attribute_name {
                        object.string("AttributeName", name);
                    }
                });
            });
        });
    }
}
