//! DescribeTimeToLive.

use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{DescribeTimeToLive, DescribeTimeToLiveAnswer};

impl Engine {
    /// Whether a table's items expire, and by which attribute.
    pub fn describe_time_to_live(
        &self,
        request: &DescribeTimeToLive,
    ) -> Result<DescribeTimeToLiveAnswer> {
        let state = self.state()?;
        let table = state.catalogue.existing(&request.table_name)?;
        Ok(request.answer(&table.description))
    }
}
