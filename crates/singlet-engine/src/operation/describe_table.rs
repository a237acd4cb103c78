//! DescribeTable.

use crate::engine::Engine;
use crate::error::{Error, Result};
use singlet_dynamo::operation::{DescribeTable, DescribeTableAnswer};
use singlet_dynamo::table::TableStatus;
use std::time::{Duration, Instant};

/// Timeout for a table to become active. Filling an index of a large table takes a while.
const PATIENCE: Duration = Duration::from_secs(600);

impl Engine {
    /// Describes a table.
    pub fn describe_table(&self, request: &DescribeTable) -> Result<DescribeTableAnswer> {
        let state = self.state()?;
        let table = state.catalogue.existing(&request.table_name)?;
        Ok(DescribeTableAnswer { table: table.description_now() })
    }

    /// Waits until a table and its indexes are active, like the waiters of the SDKs.
    pub fn wait_until_active(&self, table_name: &str) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let state = self.state()?;
            if state.catalogue.existing(table_name)?.description.status == TableStatus::Active {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Error::Overloaded);
            }
            match self.options().background {
                true => std::thread::sleep(Duration::from_millis(1)),
                false => self.maintain()?,
            }
        }
    }
}
