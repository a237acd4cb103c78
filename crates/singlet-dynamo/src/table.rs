//! Table descriptions: throughput, stream, tags and state in addition to the schema.
//!
//! A [`TableDescription`] is all that a store has to keep for a table. CreateTable creates one,
//! UpdateTable, UpdateTimeToLive and the tag operations change it, and DescribeTable writes it.
//! Each of these is a pure function, so every store behaves the same.

mod json;
mod read;
mod stored;
mod throughput;

pub(crate) use json::{write_definitions, write_key_schema, write_projection};
pub use throughput::{
    BillingMode, OnDemandThroughput, ProvisionedThroughput, Throughput, ThroughputDescription,
    WarmThroughput,
};

use crate::schema::{Index, KeyAttribute, KeySchema, Scope, TableSchema};
use crate::{Timestamp, arn};
use std::collections::BTreeMap;

/// The state of a table or index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableStatus {
    /// Being created, and not usable yet.
    Creating,
    /// Usable.
    Active,
    /// Usable, and being changed.
    Updating,
    /// Being deleted.
    Deleting,
}

impl TableStatus {
    /// The names in responses.
    const NAMES: [(&str, Self); 4] = [
        ("CREATING", Self::Creating),
        ("ACTIVE", Self::Active),
        ("UPDATING", Self::Updating),
        ("DELETING", Self::Deleting),
    ];

    /// The name in responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        name_of(&Self::NAMES, self)
    }

    /// The status with this name.
    fn from_name(name: &str) -> Option<Self> {
        of_name(&Self::NAMES, name)
    }
}

/// Which images of an item a stream contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamViewType {
    /// The key only.
    KeysOnly,
    /// The item after the change.
    NewImage,
    /// The item before the change.
    OldImage,
    /// Both.
    NewAndOldImages,
}

impl StreamViewType {
    /// The names, in the service's order.
    pub(crate) const CHOICES: [(&str, Self); 4] = [
        ("NEW_IMAGE", Self::NewImage),
        ("OLD_IMAGE", Self::OldImage),
        ("NEW_AND_OLD_IMAGES", Self::NewAndOldImages),
        ("KEYS_ONLY", Self::KeysOnly),
    ];

    /// The name in requests and responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        name_of(&Self::CHOICES, self)
    }

    /// The type with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        of_name(&Self::CHOICES, name)
    }

    /// Whether records contain the new item.
    #[must_use]
    pub fn has_new_image(self) -> bool {
        matches!(self, Self::NewImage | Self::NewAndOldImages)
    }

    /// Whether records contain the old item.
    #[must_use]
    pub fn has_old_image(self) -> bool {
        matches!(self, Self::OldImage | Self::NewAndOldImages)
    }
}

/// The storage class, which affects the price but not the behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableClass {
    /// For frequent access.
    Standard,
    /// For large tables with infrequent access.
    StandardInfrequentAccess,
}

impl TableClass {
    pub(crate) const CHOICES: [(&str, Self); 2] = [
        ("STANDARD", Self::Standard),
        ("STANDARD_INFREQUENT_ACCESS", Self::StandardInfrequentAccess),
    ];

    /// The name in requests and responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        name_of(&Self::CHOICES, self)
    }
}

fn name_of<T: PartialEq>(names: &[(&'static str, T)], wanted: T) -> &'static str {
    names.iter().find(|(_, one)| *one == wanted).map_or("", |(name, _)| *name)
}

fn of_name<T: Copy>(names: &[(&str, T)], wanted: &str) -> Option<T> {
    names.iter().find(|(name, _)| *name == wanted).map(|(_, one)| *one)
}

/// The tags of a table, by key.
pub type Tags = BTreeMap<String, String>;

/// The complete description of a table.
///
/// ```
/// use singlet_dynamo::Timestamp;
/// use singlet_dynamo::arn::Home;
/// use singlet_dynamo::operation::CreateTable;
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
/// use singlet_dynamo::table::TableStatus;
///
/// let request = CreateTable::new(TableSchema {
///     name: "games".into(),
///     key: KeySchema::simple(KeyAttribute::new("PK", KeyType::S), None),
///     indexes: vec![],
/// });
/// let home = Home { region: "us-east-1".into(), account: "123456789012".into() };
/// let mut games = request.describe(&home, "an id".into(), Timestamp::from_millis(0));
/// assert_eq!(games.status, TableStatus::Creating);
/// games.activate(Timestamp::from_millis(20));
/// assert_eq!(games.status, TableStatus::Active);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TableDescription {
    /// The name.
    pub name: String,
    /// The ARN. A later table of the same name has the same one.
    pub arn: String,
    /// A UUID that distinguishes this table from others with its name.
    pub id: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its state.
    pub status: TableStatus,
    /// The primary key.
    pub key: KeySchema,
    /// The indexes, in declaration order.
    pub indexes: Vec<IndexDescription>,
    /// The billing mode and throughput.
    pub throughput: ThroughputDescription,
    /// When it last switched to on-demand mode.
    pub on_demand_since: Option<Timestamp>,
    /// The number of items.
    pub item_count: u64,
    /// The total size of its items.
    pub size_bytes: u64,
    /// The view type of its stream, if it is enabled.
    pub stream: Option<StreamViewType>,
    /// When its last stream was enabled. This is also the stream's label, so it outlives the
    /// stream.
    pub latest_stream_at: Option<Timestamp>,
    /// Its class, if a request ever set one, and when that changed.
    pub class: Option<(TableClass, Option<Timestamp>)>,
    /// Whether deletion protection is on.
    pub deletion_protection: bool,
    /// The TTL attribute, if TTL is enabled.
    pub time_to_live: Option<String>,
    /// Its tags.
    pub tags: Tags,
}

/// The complete description of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexDescription {
    /// Its name, key and projection.
    pub index: Index,
    /// Its state.
    pub status: TableStatus,
    /// For an index added to a table: whether it is being backfilled.
    pub backfilling: Option<bool>,
    /// Its throughput; a local index has its table's.
    pub throughput: ThroughputDescription,
    /// The number of items.
    pub item_count: u64,
    /// The total size of its items.
    pub size_bytes: u64,
}

impl IndexDescription {
    /// An index that is being created.
    #[must_use]
    pub fn new(index: Index, throughput: Throughput) -> Self {
        Self {
            index,
            status: TableStatus::Creating,
            backfilling: None,
            throughput: ThroughputDescription::new(throughput),
            item_count: 0,
            size_bytes: 0,
        }
    }
}

impl TableDescription {
    /// The keys and indexes, which is all that checking a request needs.
    #[must_use]
    pub fn schema(&self) -> TableSchema {
        TableSchema {
            name: self.name.clone(),
            key: self.key.clone(),
            indexes: self.indexes.iter().map(|described| described.index.clone()).collect(),
        }
    }

    /// The index of this name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&IndexDescription> {
        self.indexes.iter().find(|described| described.index.name == name)
    }

    /// The index of this name, mutable.
    pub fn index_mut(&mut self, name: &str) -> Option<&mut IndexDescription> {
        self.indexes.iter_mut().find(|described| described.index.name == name)
    }

    /// The indexes of this scope.
    pub fn indexes_of(&self, scope: Scope) -> impl Iterator<Item = &IndexDescription> {
        self.indexes.iter().filter(move |described| described.index.scope == scope)
    }

    /// The key attributes of the table and its indexes, by name. A request must define exactly
    /// these.
    #[must_use]
    pub fn attribute_definitions(&self) -> Vec<&KeyAttribute> {
        let keys = self.indexes.iter().map(|described| &described.index.key);
        definitions_of(std::iter::once(&self.key).chain(keys))
    }

    /// The ARN of the stream enabled last.
    #[must_use]
    pub fn latest_stream_arn(&self) -> Option<String> {
        self.latest_stream_at.map(|moment| arn::stream(&self.arn, moment))
    }

    /// The billing mode.
    #[must_use]
    pub fn billing_mode(&self) -> BillingMode {
        self.throughput.throughput.billing_mode()
    }

    /// Completes pending changes: the table and its indexes become active, and deleted indexes are
    /// removed.
    pub fn activate(&mut self, now: Timestamp) {
        self.status = TableStatus::Active;
        self.throughput.settle();
        self.indexes.retain(|described| described.status != TableStatus::Deleting);
        for described in &mut self.indexes {
            described.status = TableStatus::Active;
            described.backfilling = None;
            described.throughput.settle();
        }
        if self.billing_mode() == BillingMode::PayPerRequest && self.on_demand_since.is_none() {
            self.on_demand_since = Some(now);
        }
    }
}

/// The attributes of these keys by name, without duplicates.
pub(crate) fn definitions_of<'k>(
    keys: impl Iterator<Item = &'k KeySchema>,
) -> Vec<&'k KeyAttribute> {
    let mut attributes: Vec<&KeyAttribute> = keys.flat_map(KeySchema::attributes).collect();
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    attributes.dedup_by(|a, b| a.name == b.name);
    attributes
}
