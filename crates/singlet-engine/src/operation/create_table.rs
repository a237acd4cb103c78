//! Making a table.

use crate::catalogue::Table;
use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::Result;
use singlet_dynamo::arn::Home;
use singlet_dynamo::operation::{CreateTable, CreateTableAnswer};
use std::sync::Arc;

impl Engine {
    /// Makes a table. The answer says that it is being created, as the service does, but it can
    /// be used at once.
    pub fn create_table(&self, request: CreateTable) -> Result<CreateTableAnswer> {
        let (home, id) = (self.options().home.clone(), self.options().random.uuid());
        self.write(move |stage| stage.create_table(&request, &home, id))
    }
}

impl Stage<'_> {
    pub(crate) fn create_table(
        &mut self,
        request: &CreateTable,
        home: &Home,
        id: String,
    ) -> Result<CreateTableAnswer> {
        let present = self.catalogue.get(&request.schema.name).map(|table| &table.description);
        request.check(present)?;
        let description = request.describe(home, id, self.now);
        self.catalogue.check_quotas(None, &description)?;
        let mut table = Table::create(description, Arc::make_mut(&mut self.catalogue));
        self.open_stream(&mut table);
        let table_description = table.description.clone();
        self.store_table(table);
        self.settle_table(&request.schema.name);
        Ok(CreateTableAnswer { table_description })
    }
}
