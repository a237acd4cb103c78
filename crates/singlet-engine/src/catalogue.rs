//! The in-memory catalogue of tables and streams.

mod row;

pub(crate) use row::{counts_key, counts_value};

use crate::layout::SpaceId;
use crate::stream::Stream;
use singlet_dynamo::arn::name_of_table;
use singlet_dynamo::schema::{Index, TableSchema};
use singlet_dynamo::table::{StreamViewType, TableDescription, TableStatus};
use singlet_dynamo::{Error, ErrorKind};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// All tables and streams. Immutable: every change makes a new version, so a reader keeps a
/// consistent view.
#[derive(Clone, Default)]
pub(crate) struct Catalogue {
    /// Incremented by every change, to detect plans made on an older catalogue.
    version: u64,
    tables: BTreeMap<String, Arc<Table>>,
    /// Streams whose records can still be read, including those of deleted tables.
    streams: BTreeMap<SpaceId, Arc<Stream>>,
    /// The next id for a table, an index or a stream.
    next_space: u32,
    /// Total size of all table descriptions.
    description_bytes: usize,
}

/// Table limit, including tables being deleted: the service's default quota.
pub(crate) const TABLES_MAX: usize = 2_500;
/// Limit on the total size of descriptions, which take about three times as much in memory.
pub(crate) const DESCRIPTION_BYTES_MAX: usize = 32 << 20;
/// Stream limit, including streams disabled within the last day.
pub(crate) const STREAMS_MAX: usize = 5_000;
/// Stream limit per table name. Streams of earlier tables with the same name count.
pub(crate) const STREAMS_OF_TABLE_MAX: usize = 100;

#[derive(Clone)]
pub(crate) struct Table {
    /// The space of its items.
    pub(crate) id: SpaceId,
    pub(crate) name: Arc<str>,
    /// Its counts are stale; see `counts`.
    pub(crate) description: TableDescription,
    /// Size of the description.
    description_bytes: usize,
    pub(crate) schema: TableSchema,
    /// One per index of the schema, in the same order.
    index_spaces: Vec<IndexSpace>,
    /// The space of the stream's records, if a stream is enabled.
    pub(crate) stream_id: Option<SpaceId>,
    /// Whether items older than the TTL setting still need expiry rows.
    pub(crate) must_fill_expiry: bool,
    pub(crate) counts: Arc<Counts>,
}

/// The space and counts of an index.
#[derive(Clone)]
pub(crate) struct IndexSpace {
    pub(crate) id: SpaceId,
    pub(crate) counts: Arc<Counts>,
}

impl IndexSpace {
    fn new(id: SpaceId) -> Self {
        Self { id, counts: Arc::default() }
    }
}

/// Item count and total size of a table or an index, updated by the writer.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    items: AtomicI64,
    bytes: AtomicI64,
}

impl Counts {
    pub(crate) fn new(items: i64, bytes: i64) -> Self {
        Self { items: AtomicI64::new(items), bytes: AtomicI64::new(bytes) }
    }

    /// Only the writer adds, so the two counters need not change together.
    pub(crate) fn add(&self, items: i64, bytes: i64) {
        self.items.fetch_add(items, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn items(&self) -> u64 {
        self.items.load(Ordering::Relaxed).try_into().unwrap_or(0)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed).try_into().unwrap_or(0)
    }
}

impl Catalogue {
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// A mutable copy with the next version number.
    pub(crate) fn next_version(&self) -> Self {
        Self { version: self.version + 1, ..self.clone() }
    }

    /// Rejects a new or changed description that would exceed a quota. The catalogue is held in
    /// memory and partly scanned for each change.
    pub(crate) fn check_quotas(
        &self,
        table: Option<&Table>,
        description: &TableDescription,
    ) -> Result<(), Error> {
        let refuse = |what: String| {
            let message = format!("Subscriber limit exceeded: {what}");
            Err(Error::with_message(ErrorKind::LimitExceeded, message))
        };
        if table.is_none() && self.tables.len() >= TABLES_MAX {
            return refuse(format!("There is a limit of {TABLES_MAX} tables per subscriber"));
        }
        let (before, after) =
            (table.map_or(0, |table| table.description_bytes), description.to_item().size());
        let all = self.description_bytes - before + after;
        if all > DESCRIPTION_BYTES_MAX && after > before {
            return refuse(format!(
                "The descriptions of all tables have a limit of {DESCRIPTION_BYTES_MAX} bytes"
            ));
        }
        let stream_of =
            |description: &TableDescription| description.stream.and(description.latest_stream_at);
        let has_new_stream = stream_of(description).is_some()
            && table.and_then(|table| stream_of(&table.description)) != stream_of(description);
        if has_new_stream {
            if self.streams.len() >= STREAMS_MAX {
                return refuse(format!("There is a limit of {STREAMS_MAX} streams"));
            }
            let own = self.streams.values();
            let own = own.filter(|stream| stream.arn.table_name() == description.name).count();
            if own >= STREAMS_OF_TABLE_MAX {
                return refuse(format!(
                    "There is a limit of {STREAMS_OF_TABLE_MAX} streams of one table in a day"
                ));
            }
        }
        Ok(())
    }

    /// Looks up a table in any state.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Table>> {
        self.tables.get(name)
    }

    /// Like [`Catalogue::get`], but a missing table is an error.
    pub(crate) fn existing(&self, name: &str) -> Result<&Arc<Table>, Error> {
        self.get(name).ok_or_else(|| {
            Error::with_message(
                ErrorKind::ResourceNotFound,
                format!("Requested resource not found: Table: {name} not found"),
            )
        })
    }

    /// Looks up a table by name or ARN. Fails if it is being created or deleted.
    pub(crate) fn usable(&self, name_or_arn: &str) -> Result<&Arc<Table>, Error> {
        self.get(name_of_table(name_or_arn))
            .filter(|table| {
                !matches!(table.description.status, TableStatus::Creating | TableStatus::Deleting)
            })
            .ok_or_else(|| Error::new(ErrorKind::ResourceNotFound))
    }

    /// The schema of a usable table, by name or ARN.
    pub(crate) fn schema(&self, name_or_arn: &str) -> Option<&TableSchema> {
        self.usable(name_or_arn).ok().map(|table| &table.schema)
    }

    pub(crate) fn by_id(&self, id: SpaceId) -> Option<&Arc<Table>> {
        self.tables.values().find(|table| table.id == id)
    }

    /// All tables, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }

    /// Table names after `start`, without tables being deleted.
    pub(crate) fn names_after(&self, start: Option<&str>) -> impl Iterator<Item = &str> {
        let lower = start.map_or(Bound::Unbounded, Bound::Excluded);
        self.tables
            .range::<str, _>((lower, Bound::Unbounded))
            .filter(|(_, table)| table.description.status != TableStatus::Deleting)
            .map(|(name, _)| name.as_str())
    }

    /// All streams, oldest first.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &Arc<Stream>> {
        self.streams.values()
    }

    /// Streams with a higher id, in order.
    pub(crate) fn streams_behind(&self, id: SpaceId) -> impl Iterator<Item = &Arc<Stream>> {
        self.streams.range((Bound::Excluded(id), Bound::Unbounded)).map(|(_, stream)| stream)
    }

    pub(crate) fn stream(&self, id: SpaceId) -> Option<&Arc<Stream>> {
        self.streams.get(&id)
    }

    /// Allocates an id. Ids are never reused.
    pub(crate) fn take_space(&mut self) -> SpaceId {
        let id = SpaceId(self.next_space);
        self.next_space += 1;
        id
    }

    /// Adds or replaces a table.
    pub(crate) fn insert(&mut self, table: Table) {
        self.description_bytes += table.description_bytes;
        if let Some(before) = self.tables.insert(table.description.name.clone(), Arc::new(table)) {
            self.description_bytes -= before.description_bytes;
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        if let Some(table) = self.tables.remove(name) {
            self.description_bytes -= table.description_bytes;
        }
    }

    pub(crate) fn insert_stream(&mut self, stream: Stream) {
        self.streams.insert(stream.id, Arc::new(stream));
    }

    pub(crate) fn remove_stream(&mut self, id: SpaceId) {
        self.streams.remove(&id);
    }
}

impl Table {
    /// A new table, with ids for itself and its indexes.
    pub(crate) fn create(description: TableDescription, catalogue: &mut Catalogue) -> Self {
        let schema = description.schema();
        Self {
            id: catalogue.take_space(),
            name: description.name.as_str().into(),
            index_spaces: schema
                .indexes
                .iter()
                .map(|_| IndexSpace::new(catalogue.take_space()))
                .collect(),
            schema,
            description_bytes: description.to_item().size(),
            description,
            stream_id: None,
            must_fill_expiry: false,
            counts: Arc::default(),
        }
    }

    /// The table with a new description. Indexes that remain keep their ids.
    pub(crate) fn described(
        &self,
        description: TableDescription,
        catalogue: &mut Catalogue,
    ) -> Self {
        let schema = description.schema();
        let index_spaces = schema
            .indexes
            .iter()
            .map(|index| match self.index(&index.name) {
                Some((space, _)) => space.clone(),
                None => IndexSpace::new(catalogue.take_space()),
            })
            .collect();
        let description_bytes = description.to_item().size();
        Self { schema, description, description_bytes, index_spaces, ..self.clone() }
    }

    /// Renames a table being deleted to a name that no request can use, while its rows are cleared.
    pub(crate) fn without_name(&self) -> Self {
        let name = format!("deleted table {}", self.id.0);
        let mut description = self.description.clone();
        description.name.clone_from(&name);
        Self { name: name.into(), description, ..self.clone() }
    }

    /// Whether an index must be filled or cleared before the table is active. Indexes of a table
    /// being created have nothing to fill.
    pub(crate) fn has_index_work(&self) -> bool {
        self.description.status != TableStatus::Creating
            && self.description.indexes.iter().any(|described| {
                matches!(described.status, TableStatus::Creating | TableStatus::Deleting)
            })
    }

    pub(crate) fn indexes(&self) -> impl Iterator<Item = (&IndexSpace, &Index)> {
        self.index_spaces.iter().zip(&self.schema.indexes)
    }

    pub(crate) fn index(&self, name: &str) -> Option<(&IndexSpace, &Index)> {
        self.indexes().find(|(_, index)| index.name == name)
    }

    /// The space and view type of the enabled stream.
    pub(crate) fn stream(&self) -> Option<(SpaceId, StreamViewType)> {
        Some((self.stream_id?, self.description.stream?))
    }

    /// The description with current counts. Indexes being created or deleted report none.
    pub(crate) fn description_now(&self) -> TableDescription {
        let mut description = self.description.clone();
        description.item_count = self.counts.items();
        description.size_bytes = self.counts.bytes();
        for (space, described) in self.index_spaces.iter().zip(&mut description.indexes) {
            if described.status == TableStatus::Active {
                described.item_count = space.counts.items();
                described.size_bytes = space.counts.bytes();
            }
        }
        description
    }
}
