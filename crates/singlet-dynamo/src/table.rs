//! What a table is besides its schema: how it is paid for, its stream, its tags, its state.
//!
//! [`TableDescription`] is all that a store has to keep of a table. CreateTable makes one,
//! UpdateTable, UpdateTimeToLive and the tag operations change it, and DescribeTable writes it;
//! each of these is a pure function here, so that every store does the same.

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

/// Whether a table can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableStatus {
    /// It is being created, and cannot be used yet.
    Creating,
    /// It can be used.
    Active,
    /// It can be used, and is being changed.
    Updating,
    /// It is being deleted.
    Deleting,
}

impl TableStatus {
    /// The names, as answers give them.
    const NAMES: [(&str, Self); 4] = [
        ("CREATING", Self::Creating),
        ("ACTIVE", Self::Active),
        ("UPDATING", Self::Updating),
        ("DELETING", Self::Deleting),
    ];

    /// The name in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        name_of(&Self::NAMES, self)
    }

    /// The status with this name, if there is one.
    fn from_name(name: &str) -> Option<Self> {
        of_name(&Self::NAMES, name)
    }
}

/// Which of an item's images a stream carries.
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
    /// The names, in the order in which the service lists them.
    pub(crate) const CHOICES: [(&str, Self); 4] = [
        ("NEW_IMAGE", Self::NewImage),
        ("OLD_IMAGE", Self::OldImage),
        ("NEW_AND_OLD_IMAGES", Self::NewAndOldImages),
        ("KEYS_ONLY", Self::KeysOnly),
    ];

    /// The name in requests and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        name_of(&Self::CHOICES, self)
    }

    /// The type with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        of_name(&Self::CHOICES, name)
    }

    /// Whether a record carries the item after the change.
    #[must_use]
    pub fn has_new_image(self) -> bool {
        matches!(self, Self::NewImage | Self::NewAndOldImages)
    }

    /// Whether a record carries the item before the change.
    #[must_use]
    pub fn has_old_image(self) -> bool {
        matches!(self, Self::OldImage | Self::NewAndOldImages)
    }
}

/// What storage costs against what requests cost. It makes no difference to a table's behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableClass {
    /// For tables that are used much.
    Standard,
    /// For tables that are large and used little.
    StandardInfrequentAccess,
}

impl TableClass {
    pub(crate) const CHOICES: [(&str, Self); 2] = [
        ("STANDARD", Self::Standard),
        ("STANDARD_INFREQUENT_ACCESS", Self::StandardInfrequentAccess),
    ];

    /// The name in requests and answers.
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

/// All that there is to know of a table.
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
///     key: KeySchema { partition: KeyAttribute::new("PK", KeyType::S), sort: None },
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
    /// The ARN, which a table of the same name would have again.
    pub arn: String,
    /// What tells this table from others that had or will have its name: a UUID.
    pub id: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Whether it can be used.
    pub status: TableStatus,
    /// The primary key.
    pub key: KeySchema,
    /// The indexes, in the order in which they were declared.
    pub indexes: Vec<IndexDescription>,
    /// How much may be asked of it.
    pub throughput: ThroughputDescription,
    /// When it became, or last became, a table on demand.
    pub on_demand_since: Option<Timestamp>,
    /// How many items it holds.
    pub item_count: u64,
    /// How many bytes its items have.
    pub size_bytes: u64,
    /// What its stream carries, if it has one that is enabled.
    pub stream: Option<StreamViewType>,
    /// When its last stream was enabled. Its label is made of that, so it outlives the stream.
    pub latest_stream_at: Option<Timestamp>,
    /// Its class, if a request ever named one, and when that was changed.
    pub class: Option<(TableClass, Option<Timestamp>)>,
    /// Whether it refuses to be deleted.
    pub deletion_protection: bool,
    /// The attribute that tells when an item expires, if items do.
    pub time_to_live: Option<String>,
    /// Its tags.
    pub tags: Tags,
}

/// All that there is to know of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexDescription {
    /// Its name, key and projection.
    pub index: Index,
    /// Whether it can be used.
    pub status: TableStatus,
    /// For an index that is added to a table: whether the table's items are being put into it.
    pub backfilling: Option<bool>,
    /// How much may be asked of it; of a local index, as much as of its table.
    pub throughput: ThroughputDescription,
    /// How many items it holds.
    pub item_count: u64,
    /// How many bytes its items have.
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
    /// The keys and indexes: all that checking a request needs to know of the table.
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

    /// The index of this name, to change it.
    pub fn index_mut(&mut self, name: &str) -> Option<&mut IndexDescription> {
        self.indexes.iter_mut().find(|described| described.index.name == name)
    }

    /// The indexes of this scope.
    pub fn indexes_of(&self, scope: Scope) -> impl Iterator<Item = &IndexDescription> {
        self.indexes.iter().filter(move |described| described.index.scope == scope)
    }

    /// The attributes that some key has, by name. A request defines exactly these.
    #[must_use]
    pub fn attribute_definitions(&self) -> Vec<&KeyAttribute> {
        let keys = self.indexes.iter().map(|described| &described.index.key);
        definitions_of(std::iter::once(&self.key).chain(keys))
    }

    /// The ARN of the last stream that was enabled.
    #[must_use]
    pub fn latest_stream_arn(&self) -> Option<String> {
        self.latest_stream_at.map(|moment| arn::stream(&self.arn, moment))
    }

    /// How it is paid for.
    #[must_use]
    pub fn billing_mode(&self) -> BillingMode {
        self.throughput.throughput.billing_mode()
    }

    /// What was under way is done: the table and its indexes can be used as they are described,
    /// and indexes that were being deleted are gone.
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

/// The attributes of these keys by name, each once.
pub(crate) fn definitions_of<'k>(
    keys: impl Iterator<Item = &'k KeySchema>,
) -> Vec<&'k KeyAttribute> {
    let mut attributes: Vec<&KeyAttribute> = keys.flat_map(KeySchema::attributes).collect();
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    attributes.dedup_by(|a, b| a.name == b.name);
    attributes
}
