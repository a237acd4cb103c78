//! DescribeLimits: the quotas of an account.

use crate::error::Result;
use crate::json::{Reader, Writer};

/// Asks for the quotas of the account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DescribeLimits;

impl DescribeLimits {
    /// Parses a request body, which has no members.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(json)?;
        reader.structure("DescribeLimitsInput", |reader, _| reader.skip())?;
        reader.end()?;
        Ok(Self)
    }
}

/// The quotas in units per second, for the account and per table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescribeLimitsAnswer {
    /// Read units of all tables.
    pub account_max_read_capacity_units: i64,
    /// Write units of all tables.
    pub account_max_write_capacity_units: i64,
    /// Read units of a table with its global indexes.
    pub table_max_read_capacity_units: i64,
    /// Write units of a table with its global indexes.
    pub table_max_write_capacity_units: i64,
}

/// The quotas of a new account.
impl Default for DescribeLimitsAnswer {
    fn default() -> Self {
        Self {
            account_max_read_capacity_units: 80_000,
            account_max_write_capacity_units: 80_000,
            table_max_read_capacity_units: 40_000,
            table_max_write_capacity_units: 40_000,
        }
    }
}

impl DescribeLimitsAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.integer("AccountMaxReadCapacityUnits", self.account_max_read_capacity_units);
            object.integer("AccountMaxWriteCapacityUnits", self.account_max_write_capacity_units);
            object.integer("TableMaxReadCapacityUnits", self.table_max_read_capacity_units);
            object.integer("TableMaxWriteCapacityUnits", self.table_max_write_capacity_units);
        });
    }
}
