//! Table operations. `singlet_dynamo` computes the new descriptions.

use super::Reference;
use super::table::Table;
use singlet_dynamo::Error;
use singlet_dynamo::operation::{
    CreateTable, CreateTableAnswer, DeleteTable, DeleteTableAnswer, DescribeTable,
    DescribeTableAnswer, DescribeTimeToLive, DescribeTimeToLiveAnswer, ListTables,
    ListTablesAnswer, ListTagsOfResource, ListTagsOfResourceAnswer, TagResource, TagResourceAnswer,
    UntagResource, UntagResourceAnswer, UpdateTable, UpdateTableAnswer, UpdateTimeToLive,
    UpdateTimeToLiveAnswer, table_not_found,
};
use singlet_dynamo::table::{IndexDescription, TableDescription, TableStatus};

/// ListTables' default page size.
const LIST_LEN: usize = 100;

impl Reference {
    /// A table in any state, or the error of table operations.
    fn existing(&self, name: &str) -> Result<&Table, Error> {
        self.table(name).ok_or_else(|| table_not_found(name))
    }

    fn description(&self, name: &str) -> Option<&TableDescription> {
        self.table(name).map(|table| &table.description)
    }

    pub(super) fn create_table(
        &mut self,
        request: &CreateTable,
    ) -> Result<CreateTableAnswer, Error> {
        request.check(self.description(&request.schema.name))?;
        let mut description = request.describe(&self.home, String::new(), self.now);
        self.open_stream(&mut description);
        let table_description = description.clone();
        let mut table = Table { description, items: Vec::new() };
        table.description.activate(self.now);
        self.tables.push(table);
        Ok(CreateTableAnswer { table_description })
    }

    pub(super) fn update_table(
        &mut self,
        request: &UpdateTable,
    ) -> Result<UpdateTableAnswer, Error> {
        let now = self.now;
        let table = self.existing(&request.table_name)?;
        request.check(&table.described())?;
        let before = table.description.clone();
        let mut after = before.clone();
        request.apply(&mut after, self.now);
        if before.stream != after.stream {
            self.close_stream(&request.table_name);
            self.open_stream(&mut after);
        }
        let table = self.table_mut(&request.table_name);
        table.description = after;
        let table_description = table.described();
        // Wait for an index that is being created or deleted.
        let is_done = |described: &IndexDescription| {
            !matches!(described.status, TableStatus::Creating | TableStatus::Deleting)
        };
        if table.description.indexes.iter().all(is_done) {
            table.description.activate(now);
        }
        Ok(UpdateTableAnswer { table_description })
    }

    pub(super) fn delete_table(
        &mut self,
        request: &DeleteTable,
    ) -> Result<DeleteTableAnswer, Error> {
        request.check(&self.existing(&request.table_name)?.description)?;
        self.close_stream(&request.table_name);
        let table = self.table_mut(&request.table_name);
        request.apply(&mut table.description);
        table.description.stream = None;
        let table_description = table.described();
        self.tables.retain(|table| table.name() != request.table_name);
        Ok(DeleteTableAnswer { table_description })
    }

    pub(super) fn describe_table(
        &self,
        request: &DescribeTable,
    ) -> Result<DescribeTableAnswer, Error> {
        Ok(DescribeTableAnswer { table: self.existing(&request.table_name)?.described() })
    }

    pub(super) fn list_tables(&self, request: &ListTables) -> ListTablesAnswer {
        let mut names: Vec<String> = self
            .tables
            .iter()
            .map(|table| table.name().to_owned())
            .filter(|name| match &request.exclusive_start_table_name {
                None => true,
                Some(start) => name > start,
            })
            .collect();
        names.sort();
        let limit = request.limit.unwrap_or(LIST_LEN);
        let is_last = names.len() <= limit;
        names.truncate(limit);
        ListTablesAnswer { table_names: names, is_last }
    }

    pub(super) fn update_time_to_live(
        &mut self,
        request: &UpdateTimeToLive,
    ) -> Result<UpdateTimeToLiveAnswer, Error> {
        request.check(&self.existing(&request.table_name)?.description)?;
        request.apply(&mut self.table_mut(&request.table_name).description);
        Ok(request.answer())
    }

    pub(super) fn describe_time_to_live(
        &self,
        request: &DescribeTimeToLive,
    ) -> Result<DescribeTimeToLiveAnswer, Error> {
        Ok(request.answer(&self.existing(&request.table_name)?.description))
    }

    pub(super) fn tag_resource(
        &mut self,
        request: &TagResource,
    ) -> Result<TagResourceAnswer, Error> {
        let name = request.resource_arn.table_name();
        request.check(&self.home, self.description(name))?;
        request.apply(&mut self.table_mut(name).description);
        Ok(TagResourceAnswer)
    }

    pub(super) fn untag_resource(
        &mut self,
        request: &UntagResource,
    ) -> Result<UntagResourceAnswer, Error> {
        let name = request.resource_arn.table_name();
        request.check(&self.home, self.description(name))?;
        request.apply(&mut self.table_mut(name).description);
        Ok(UntagResourceAnswer)
    }

    pub(super) fn list_tags(
        &self,
        request: &ListTagsOfResource,
    ) -> Result<ListTagsOfResourceAnswer, Error> {
        request.answer(&self.home, self.description(request.resource_arn.table_name()))
    }
}
