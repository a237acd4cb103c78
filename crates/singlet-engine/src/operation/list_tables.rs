//! ListTables.

use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::operation::{ListTables, ListTablesAnswer};

impl Engine {
    /// Lists table names, in order, page by page.
    pub fn list_tables(&self, request: &ListTables) -> Result<ListTablesAnswer> {
        let state = self.state()?;
        let start = request.exclusive_start_table_name.as_deref();
        Ok(request.page(state.catalogue.names_after(start)))
    }
}
