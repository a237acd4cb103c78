//! Tables and streams in the catalogue, in memory and on disk alike.

use super::Stage;
use crate::catalogue::Table;
use crate::store::Keyspace;
use crate::stream::Stream;
use singlet_dynamo::Timestamp;
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::table::TableDescription;
use std::sync::Arc;

impl Stage<'_> {
    /// Gives a table another description, with what follows for its stream.
    pub(crate) fn change_table(&mut self, table: &Table, description: TableDescription) {
        let had_stream_at = table.stream_id.and(table.description.latest_stream_at);
        let has_stream_at = description.stream.and(description.latest_stream_at);
        let mut changed = table.described(description, Arc::make_mut(&mut self.catalogue));
        for (space, index) in table.indexes() {
            if changed.index(&index.name).is_none() {
                self.forget_counts(space.id);
            }
        }
        if had_stream_at != has_stream_at {
            self.close_stream(&mut changed);
            self.open_stream(&mut changed);
        }
        self.store_table(changed);
    }

    /// Activates a table unless there is work to be done before.
    pub(crate) fn settle_table(&mut self, name: &str) {
        if let Some(table) = self.catalogue.get(name).map(Arc::clone)
            && !table.has_index_work()
        {
            self.activate_table(&table);
        }
    }

    /// What was under way for a table is done.
    pub(crate) fn activate_table(&mut self, table: &Table) {
        let mut description = table.description.clone();
        description.activate(self.now);
        self.change_table(table, description);
    }

    /// Takes the name from a table that is being deleted, so that another can have it.
    pub(crate) fn retire_table(&mut self, table: &Table) {
        self.batch.delete(Keyspace::Catalogue, table.row_key());
        Arc::make_mut(&mut self.catalogue).remove(&table.name);
        self.store_table(table.without_name());
    }

    pub(crate) fn open_stream(&mut self, table: &mut Table) {
        let Some(view_type) = table.description.stream else { return };
        let Some(arn) = self.fresh_stream_arn(&mut table.description) else { return };
        let stream = Stream {
            id: Arc::make_mut(&mut self.catalogue).take_space(),
            arn,
            view_type,
            created_at: table.description.latest_stream_at.unwrap_or(self.now),
            key: table.schema.key.clone(),
            first_sequence: self.next_sequence,
            oldest_sequence: self.next_sequence,
            end: None,
        };
        table.stream_id = Some(stream.id);
        self.store_stream(stream);
    }

    /// The ARN of a table's new stream. It ends with the millisecond in which the stream was
    /// enabled; where a stream of a table of this name has that already, it is a later one.
    fn fresh_stream_arn(&self, description: &mut TableDescription) -> Option<StreamArn> {
        let own = |stream: &&Arc<Stream>| stream.arn.table_name() == description.name;
        let taken: Vec<StreamArn> =
            self.catalogue.streams().filter(own).map(|stream| stream.arn.clone()).collect();
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
        if let Some(stream) = self.catalogue.stream(id) {
            let stream =
                Stream { end: Some((self.now, self.next_sequence)), ..Stream::clone(stream) };
            self.store_stream(stream);
        }
    }

    /// Puts a table into the catalogue, in memory and on disk.
    pub(crate) fn store_table(&mut self, table: Table) {
        let (key, row) = table.row();
        self.batch.put(Keyspace::Catalogue, key, row);
        self.store_next();
        Arc::make_mut(&mut self.catalogue).insert(table);
    }

    pub(crate) fn store_stream(&mut self, stream: Stream) {
        let (key, row) = stream.row();
        self.batch.put(Keyspace::Catalogue, key, row);
        self.store_next();
        Arc::make_mut(&mut self.catalogue).insert_stream(stream);
    }

    fn store_next(&mut self) {
        let (key, row) = self.catalogue.next_row();
        self.batch.put(Keyspace::Catalogue, key, row);
    }

    /// Takes a table out of the catalogue; its rows are gone already.
    pub(crate) fn remove_table(&mut self, table: &Table) {
        self.batch.delete(Keyspace::Catalogue, table.row_key());
        self.forget_counts(table.id);
        for (space, _) in table.indexes() {
            self.forget_counts(space.id);
        }
        Arc::make_mut(&mut self.catalogue).remove(&table.name);
    }

    /// Takes a stream out of the catalogue; its records are gone already.
    pub(crate) fn remove_stream(&mut self, stream: &Stream) {
        self.batch.delete(Keyspace::Catalogue, stream.row_key());
        Arc::make_mut(&mut self.catalogue).remove_stream(stream.id);
    }
}
