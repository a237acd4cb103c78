//! Changes to tables and streams in the catalogue, in memory and on disk.

use super::Planner;
use crate::catalogue::Table;
use crate::store::Keyspace;
use crate::stream::Stream;
use singlet_dynamo::Timestamp;
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::table::TableDescription;
use std::sync::Arc;

impl Planner<'_, '_> {
    /// Changes a table's description, and opens or closes its stream accordingly.
    pub(crate) fn change_table(&mut self, table: &Table, description: TableDescription) {
        let had_stream_at = table.stream_id.and(table.description.latest_stream_at);
        let has_stream_at = description.stream.and(description.latest_stream_at);
        let mut changed = table.described(description, self.catalogue_mut());
        for (space, index) in table.indexes() {
            if changed.index(&index.name).is_none() {
                self.drop_counts(space.id);
            }
        }
        if had_stream_at != has_stream_at {
            self.close_stream(&mut changed);
            self.open_stream(&mut changed);
        }
        self.store_table(changed);
    }

    /// Activates a table unless it has index work left.
    pub(crate) fn settle_table(&mut self, name: &str) {
        if let Some(table) = self.catalogue().get(name).map(Arc::clone)
            && !table.has_index_work()
        {
            self.activate_table(&table);
        }
    }

    /// Marks a table's pending changes as done.
    pub(crate) fn activate_table(&mut self, table: &Table) {
        let mut description = table.description.clone();
        description.activate(self.view.now);
        self.change_table(table, description);
    }

    /// Frees the name of a table being deleted.
    pub(crate) fn retire_table(&mut self, table: &Table) {
        self.delete(Keyspace::Catalogue, table.row_key());
        self.catalogue_mut().remove(&table.name);
        self.store_table(table.without_name());
    }

    pub(crate) fn open_stream(&mut self, table: &mut Table) {
        let Some(view_type) = table.description.stream else { return };
        let Some(arn) = self.fresh_stream_arn(&mut table.description) else { return };
        let stream = Stream {
            id: self.catalogue_mut().take_space(),
            arn,
            view_type,
            created_at: table.description.latest_stream_at.unwrap_or(self.view.now),
            key: table.schema.key.clone(),
            first_sequence: self.view.next_sequence,
            oldest_sequence: self.view.next_sequence,
            end: None,
        };
        table.stream_id = Some(stream.id);
        self.store_stream(stream);
    }

    /// The ARN of a table's new stream. It ends with the millisecond at which the stream was
    /// enabled, or the next one not used by a stream of the same table name.
    fn fresh_stream_arn(&self, description: &mut TableDescription) -> Option<StreamArn> {
        let own = |stream: &&Arc<Stream>| stream.arn.table_name() == description.name;
        let taken: Vec<StreamArn> =
            self.catalogue().streams().filter(own).map(|stream| stream.arn.clone()).collect();
        loop {
            let arn = StreamArn::parse(description.latest_stream_arn()?).ok()?;
            if !taken.contains(&arn) {
                return Some(arn);
            }
            let taken = description.latest_stream_at?.as_millis();
            description.latest_stream_at = Some(Timestamp::from_millis(taken.checked_add(1)?));
        }
    }

    fn close_stream(&mut self, table: &mut Table) {
        let Some(id) = table.stream_id.take() else { return };
        if let Some(stream) = self.catalogue().stream(id) {
            let stream = Stream {
                end: Some((self.view.now, self.view.next_sequence)),
                ..Stream::clone(stream)
            };
            self.store_stream(stream);
        }
    }

    /// Adds a table to the catalogue, in memory and on disk.
    pub(crate) fn store_table(&mut self, table: Table) {
        let (key, row) = table.row();
        self.put(Keyspace::Catalogue, key, row);
        self.store_next();
        self.catalogue_mut().insert(table);
    }

    pub(crate) fn store_stream(&mut self, stream: Stream) {
        let (key, row) = stream.row();
        self.put(Keyspace::Catalogue, key, row);
        self.store_next();
        self.catalogue_mut().insert_stream(stream);
    }

    fn store_next(&mut self) {
        let (key, row) = self.catalogue().next_row();
        self.put(Keyspace::Catalogue, key, row);
    }

    /// Removes a table from the catalogue. Its rows must be cleared before.
    pub(crate) fn remove_table(&mut self, table: &Table) {
        self.delete(Keyspace::Catalogue, table.row_key());
        self.drop_counts(table.id);
        for (space, _) in table.indexes() {
            self.drop_counts(space.id);
        }
        self.catalogue_mut().remove(&table.name);
    }

    /// Removes a stream from the catalogue. Its records must be deleted before.
    pub(crate) fn remove_stream(&mut self, stream: &Stream) {
        self.delete(Keyspace::Catalogue, stream.row_key());
        self.catalogue_mut().remove_stream(stream.id);
    }
}
