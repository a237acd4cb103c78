//! Parses table descriptions in responses.

use super::{
    BillingMode, IndexDescription, OnDemandThroughput, StreamViewType, TableClass,
    TableDescription, TableStatus, Tags, Throughput, ThroughputDescription, of_name,
};
use crate::Timestamp;
use crate::error::{Error, Result};
use crate::json::Reader;
use crate::schema::{
    Index, IndexProjection, KeyAttribute, KeyLimits, KeyRole, KeySchema, KeyType, Scope,
};

/// The members of the response. Keys are only complete with the attribute definitions, which may
/// come later.
#[derive(Default)]
struct Body {
    name: Option<String>,
    arn: Option<String>,
    id: Option<String>,
    created_at: Option<f64>,
    status: Option<String>,
    definitions: Vec<(String, String)>,
    key: Vec<(String, String)>,
    local_indexes: Vec<IndexBody>,
    global_indexes: Vec<IndexBody>,
    throughput: ThroughputBody,
    billing_mode: Option<String>,
    on_demand_since: Option<f64>,
    item_count: Option<i64>,
    size_bytes: Option<i64>,
    stream_enabled: Option<bool>,
    stream_view_type: Option<String>,
    stream_label: Option<String>,
    class: Option<String>,
    class_changed_at: Option<f64>,
    deletion_protection: Option<bool>,
}

#[derive(Default)]
struct IndexBody {
    name: Option<String>,
    key: Vec<(String, String)>,
    projection_type: Option<String>,
    non_key_attributes: Vec<String>,
    status: Option<String>,
    backfilling: Option<bool>,
    throughput: ThroughputBody,
    item_count: Option<i64>,
    size_bytes: Option<i64>,
}

#[derive(Default)]
struct ThroughputBody {
    read_capacity_units: Option<i64>,
    write_capacity_units: Option<i64>,
    max_read_request_units: Option<i64>,
    max_write_request_units: Option<i64>,
}

impl TableDescription {
    /// Parses a description without the throughput's history. TTL and tags are not part of it:
    /// other operations return them.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Body::default();
        let found = reader.structure("TableDescription", |reader, member| {
            match member {
                "TableName" => body.name = reader.owned_string()?,
                "TableArn" => body.arn = reader.owned_string()?,
                "TableId" => body.id = reader.owned_string()?,
                "CreationDateTime" => body.created_at = reader.double()?,
                "TableStatus" => body.status = reader.owned_string()?,
                "AttributeDefinitions" => {
                    body.definitions = pairs(reader, "AttributeName", "AttributeType")?;
                }
                "KeySchema" => body.key = pairs(reader, "AttributeName", "KeyType")?,
                "LocalSecondaryIndexes" => body.local_indexes = reader.elements(IndexBody::read)?,
                "GlobalSecondaryIndexes" => {
                    body.global_indexes = reader.elements(IndexBody::read)?;
                }
                "BillingModeSummary" => {
                    reader.structure("BillingModeSummary", |reader, member| {
                        match member {
                            "BillingMode" => body.billing_mode = reader.owned_string()?,
                            "LastUpdateToPayPerRequestDateTime" => {
                                body.on_demand_since = reader.double()?;
                            }
                            _ => reader.skip()?,
                        }
                        Ok(())
                    })?;
                }
                "ItemCount" => body.item_count = reader.integer("Long")?,
                "TableSizeBytes" => body.size_bytes = reader.integer("Long")?,
                "StreamSpecification" => {
                    reader.structure("StreamSpecification", |reader, member| {
                        match member {
                            "StreamEnabled" => body.stream_enabled = reader.boolean()?,
                            "StreamViewType" => body.stream_view_type = reader.owned_string()?,
                            _ => reader.skip()?,
                        }
                        Ok(())
                    })?;
                }
                "LatestStreamLabel" => body.stream_label = reader.owned_string()?,
                "TableClassSummary" => {
                    reader.structure("TableClassSummary", |reader, member| {
                        match member {
                            "TableClass" => body.class = reader.owned_string()?,
                            "LastUpdateDateTime" => body.class_changed_at = reader.double()?,
                            _ => reader.skip()?,
                        }
                        Ok(())
                    })?;
                }
                "DeletionProtectionEnabled" => body.deletion_protection = reader.boolean()?,
                _ => body.throughput.read(reader, member)?,
            }
            Ok(())
        })?;
        found.then(|| body.describe()).transpose()
    }
}

impl Body {
    fn describe(self) -> Result<TableDescription> {
        let mode = self.billing_mode.as_deref();
        let mode = mode.and_then(|mode| of_name(&BillingMode::CHOICES, mode));
        let mode = mode.unwrap_or(BillingMode::Provisioned);
        let mut indexes = Vec::new();
        for index in self.local_indexes {
            indexes.push(index.describe(Scope::Local, mode, &self.definitions)?);
        }
        for index in self.global_indexes {
            indexes.push(index.describe(Scope::Global, mode, &self.definitions)?);
        }
        let view_type = self.stream_view_type.filter(|_| self.stream_enabled == Some(true));
        let class = self.class.and_then(|class| of_name(&TableClass::CHOICES, &class));
        Ok(TableDescription {
            key: key(&self.key, &self.definitions)?,
            name: present(self.name, "the table's name")?,
            arn: self.arn.unwrap_or_default(),
            id: self.id.unwrap_or_default(),
            created_at: self.created_at.map(Timestamp::from_seconds).unwrap_or_default(),
            status: status(self.status)?,
            indexes,
            throughput: ThroughputDescription::new(self.throughput.of_mode(mode)),
            on_demand_since: self.on_demand_since.map(Timestamp::from_seconds),
            item_count: count(self.item_count),
            size_bytes: count(self.size_bytes),
            stream: match view_type {
                Some(name) => Some(known(StreamViewType::from_name(&name), &name)?),
                None => None,
            },
            latest_stream_at: self.stream_label.as_deref().and_then(Timestamp::from_label),
            class: class.map(|class| (class, self.class_changed_at.map(Timestamp::from_seconds))),
            deletion_protection: self.deletion_protection.unwrap_or_default(),
            time_to_live: None,
            tags: Tags::default(),
        })
    }
}

impl IndexBody {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut body = Self::default();
        reader.structure("SecondaryIndexDescription", |reader, member| {
            match member {
                "IndexName" => body.name = reader.owned_string()?,
                "KeySchema" => body.key = pairs(reader, "AttributeName", "KeyType")?,
                "Projection" => {
                    reader.structure("Projection", |reader, member| {
                        match member {
                            "ProjectionType" => body.projection_type = reader.owned_string()?,
                            "NonKeyAttributes" => {
                                body.non_key_attributes = reader.elements(text)?;
                            }
                            _ => reader.skip()?,
                        }
                        Ok(())
                    })?;
                }
                "IndexStatus" => body.status = reader.owned_string()?,
                "Backfilling" => body.backfilling = reader.boolean()?,
                "ItemCount" => body.item_count = reader.integer("Long")?,
                "IndexSizeBytes" => body.size_bytes = reader.integer("Long")?,
                _ => body.throughput.read(reader, member)?,
            }
            Ok(())
        })?;
        Ok(body)
    }

    fn describe(
        self,
        scope: Scope,
        mode: BillingMode,
        definitions: &[(String, String)],
    ) -> Result<IndexDescription> {
        let projection = match self.projection_type.as_deref().unwrap_or_default() {
            "ALL" => IndexProjection::All,
            "KEYS_ONLY" => IndexProjection::KeysOnly,
            "INCLUDE" => IndexProjection::Include(self.non_key_attributes),
            other => return known(None, other),
        };
        let index = Index {
            name: present(self.name, "an index's name")?,
            key: key(&self.key, definitions)?,
            projection,
            scope,
        };
        // A local index exists as long as its table, and shares its throughput.
        let (status, throughput) = match scope {
            Scope::Local => (TableStatus::Active, Throughput::default()),
            Scope::Global => (status(self.status)?, self.throughput.of_mode(mode)),
        };
        let mut described = IndexDescription::new(index, throughput);
        described.status = status;
        described.backfilling = self.backfilling;
        described.item_count = count(self.item_count);
        described.size_bytes = count(self.size_bytes);
        Ok(described)
    }
}

impl ThroughputBody {
    /// Reads the member if it is a throughput, else skips it.
    fn read(&mut self, reader: &mut Reader<'_>, member: &str) -> Result<()> {
        if !["ProvisionedThroughput", "OnDemandThroughput"].contains(&member) {
            return reader.skip();
        }
        reader.structure(member, |reader, member| {
            match member {
                "ReadCapacityUnits" => self.read_capacity_units = reader.integer("Long")?,
                "WriteCapacityUnits" => self.write_capacity_units = reader.integer("Long")?,
                "MaxReadRequestUnits" => self.max_read_request_units = reader.integer("Long")?,
                "MaxWriteRequestUnits" => self.max_write_request_units = reader.integer("Long")?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(())
    }

    fn of_mode(&self, mode: BillingMode) -> Throughput {
        match mode {
            BillingMode::Provisioned => Throughput::provisioned(
                self.read_capacity_units.unwrap_or_default(),
                self.write_capacity_units.unwrap_or_default(),
            ),
            BillingMode::PayPerRequest => {
                // The service writes -1 for an unset limit.
                let limit = |units: Option<i64>| units.filter(|units| *units >= 0);
                Throughput::OnDemand(OnDemandThroughput {
                    max_read_request_units: limit(self.max_read_request_units),
                    max_write_request_units: limit(self.max_write_request_units),
                })
            }
        }
    }
}

/// A list of structures with two strings each.
fn pairs(reader: &mut Reader<'_>, first: &str, second: &str) -> Result<Vec<(String, String)>> {
    reader.elements(|reader| {
        let mut pair = (String::new(), String::new());
        reader.structure("", |reader, member| {
            if member == first {
                pair.0 = text(reader)?;
            } else if member == second {
                pair.1 = text(reader)?;
            } else {
                reader.skip()?;
            }
            Ok(())
        })?;
        Ok(pair)
    })
}

fn text(reader: &mut Reader<'_>) -> Result<String> {
    Ok(reader.owned_string()?.unwrap_or_default())
}

fn key(elements: &[(String, String)], definitions: &[(String, String)]) -> Result<KeySchema> {
    let element = |(name, role): &(String, String)| {
        let kind = definitions.iter().find(|(own, _)| own == name);
        let kind = kind.and_then(|(_, kind)| KeyType::from_name(kind));
        let kind = present(kind, "the type of a key attribute")?;
        let role = KeyRole::CHOICES.iter().find(|(own, _)| own == role).map(|(_, role)| *role);
        Ok((KeyAttribute::new(name.as_str(), kind), present(role, "the role of a key attribute")?))
    };
    let elements = elements.iter().map(element).collect::<Result<Vec<_>>>()?;
    present(elements.first(), "a partition key")?;
    KeySchema::new(elements, KeyLimits::Composite)
        .map_err(|error| Error::serialization(error.message().to_owned()))
}

/// Other statuses, such as `ARCHIVED`, are errors: such a table cannot be used.
fn status(name: Option<String>) -> Result<TableStatus> {
    let name = present(name, "a status")?;
    known(TableStatus::from_name(&name), &name)
}

fn present<T>(member: Option<T>, what: &str) -> Result<T> {
    member.ok_or_else(|| Error::serialization(format!("{what} is missing")))
}

fn known<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::serialization(format!("unknown value: {name}")))
}

/// A count, which is never negative.
fn count(count: Option<i64>) -> u64 {
    count.and_then(|count| u64::try_from(count).ok()).unwrap_or_default()
}
