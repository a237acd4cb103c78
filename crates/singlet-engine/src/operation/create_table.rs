//! CreateTable.

use crate::catalogue::Table;
use crate::commit::{Planner, Write};
use crate::engine::{Engine, answer};
use crate::error::Result;
use singlet_dynamo::operation::{CreateTable, CreateTableAnswer};

impl Engine {
    /// Creates a table. As in the service, the answer has the status `CREATING`, but the table can
    /// be used at once.
    pub fn create_table(&self, request: CreateTable) -> Result<CreateTableAnswer> {
        answer!(CreateTable of self.write(Write::CreateTable(request))).map(|answer| *answer)
    }
}

impl Planner<'_, '_> {
    pub(crate) fn create_table(&mut self, request: &CreateTable) -> Result<CreateTableAnswer> {
        let options = self.view.options;
        let present = self.catalogue().get(&request.schema.name).map(|table| &table.description);
        request.check(present)?;
        let description = request.describe(&options.home, options.random.uuid(), self.view.now);
        self.catalogue().check_quotas(None, &description)?;
        let mut table = Table::create(description, self.catalogue_mut());
        self.open_stream(&mut table);
        let table_description = table.description.clone();
        self.store_table(table);
        self.settle_table(&request.schema.name);
        Ok(CreateTableAnswer { table_description })
    }
}
