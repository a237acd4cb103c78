//! DescribeTimeToLive: whether items expire, and by which attribute.

use super::table_name::{existing_table, read_table_name};
use crate::error::Result;
use crate::json::Writer;
use crate::table::TableDescription;

/// Asks whether the items of a table expire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeTimeToLive {
    /// The table.
    pub table_name: String,
}

impl DescribeTimeToLive {
    /// Reads a request's body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let table_name = read_table_name(json, "DescribeTimeToLiveInput")?;
        Ok(Self { table_name: existing_table(table_name)? })
    }

    /// What there is to say of a table.
    #[must_use]
    pub fn answer(&self, table: &TableDescription) -> DescribeTimeToLiveAnswer {
        DescribeTimeToLiveAnswer { attribute_name: table.time_to_live.clone() }
    }
}

/// The attribute that tells when items expire, if they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeTimeToLiveAnswer {
    /// The attribute.
    pub attribute_name: Option<String>,
}

impl DescribeTimeToLiveAnswer {
    /// Writes the answer's body.
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
