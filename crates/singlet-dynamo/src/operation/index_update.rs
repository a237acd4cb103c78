//! GlobalSecondaryIndexUpdates: changes to indexes by UpdateTable.

use super::create_table::{GLOBAL_INDEXES_MAX, check_projected};
use super::definition::{
    CAPACITY_UNITS_MAX, Definitions, IndexBody, IndexMembers, OnDemandBody, ThroughputBody,
    check_bounds,
};
use super::table_name::constrain_required_name;
use crate::constraint::Constraints;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Reader;
use crate::schema::{Index, KeyLimits, KeySchema, Scope};
use crate::table::{
    BillingMode, IndexDescription, OnDemandThroughput, ProvisionedThroughput, TableDescription,
    TableStatus, Throughput,
};

/// A change of on-demand limits; `None` keeps a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnDemandChange {
    /// Read units per second, or [`OnDemandChange::UNLIMITED`].
    pub max_read_request_units: Option<i64>,
    /// Write units per second, or [`OnDemandChange::UNLIMITED`].
    pub max_write_request_units: Option<i64>,
}

impl OnDemandChange {
    /// Removes a limit.
    pub const UNLIMITED: i64 = -1;

    /// `whose` is `table`, or names an index.
    pub(super) fn of(body: OnDemandBody, whose: impl std::fmt::Display) -> Result<Self> {
        let unless_lifted = |units: Option<i64>| units.filter(|units| *units != Self::UNLIMITED);
        OnDemandBody {
            max_read_request_units: unless_lifted(body.max_read_request_units),
            max_write_request_units: unless_lifted(body.max_write_request_units),
        }
        .limits(whose)?;
        Ok(Self {
            max_read_request_units: body.max_read_request_units,
            max_write_request_units: body.max_write_request_units,
        })
    }

    /// The name of the first limit that changes.
    pub(super) fn first_member(&self) -> Option<&'static str> {
        let Self { max_read_request_units, max_write_request_units } = *self;
        OnDemandBody { max_read_request_units, max_write_request_units }.first_member()
    }

    pub(super) fn apply(&self, limits: OnDemandThroughput) -> OnDemandThroughput {
        let changed = |change: Option<i64>, before: Option<i64>| match change {
            None => before,
            Some(Self::UNLIMITED) => None,
            Some(units) => Some(units),
        };
        OnDemandThroughput {
            max_read_request_units: changed(
                self.max_read_request_units,
                limits.max_read_request_units,
            ),
            max_write_request_units: changed(
                self.max_write_request_units,
                limits.max_write_request_units,
            ),
        }
    }
}

/// A change to one index.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexUpdate {
    /// Adds an index and backfills it with the existing items.
    Create {
        /// The index.
        index: Index,
        /// Its throughput, if the table is provisioned.
        provisioned_throughput: Option<ProvisionedThroughput>,
        /// Its limits, if the table is on demand.
        on_demand_throughput: OnDemandChange,
    },
    /// Changes the throughput of an index.
    Update {
        /// The index.
        index_name: String,
        /// Its throughput, if the table is provisioned.
        provisioned_throughput: Option<ProvisionedThroughput>,
        /// Its limits, if the table is on demand.
        on_demand_throughput: OnDemandChange,
    },
    /// Deletes an index.
    Delete {
        /// The index.
        index_name: String,
    },
}

/// An update, unchecked.
#[derive(Default)]
pub(super) struct IndexUpdateBody {
    update: Option<ThroughputUpdateBody>,
    create: Option<IndexBody>,
    delete: Option<Option<String>>,
}

#[derive(Default)]
struct ThroughputUpdateBody {
    index_name: Option<String>,
    provisioned_throughput: Option<ThroughputBody>,
    on_demand_throughput: Option<OnDemandBody>,
}

/// An update with valid members.
#[derive(Default)]
pub(super) struct IndexUpdateMembers {
    update: Option<(String, Option<ProvisionedThroughput>, Option<OnDemandBody>)>,
    create: Option<IndexMembers>,
    delete: Option<String>,
}

impl IndexUpdateBody {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("GlobalSecondaryIndexUpdate", |reader, member| {
            match member {
                "Update" => body.update = ThroughputUpdateBody::read(reader)?,
                "Create" => {
                    body.create = IndexBody::read(reader, "CreateGlobalSecondaryIndexAction")?;
                }
                "Delete" => {
                    let mut index_name = None;
                    let class = "DeleteGlobalSecondaryIndexAction";
                    let found = reader.structure(class, |reader, member| {
                        match member {
                            "IndexName" => index_name = reader.owned_string()?,
                            _ => reader.skip()?,
                        }
                        Ok(())
                    })?;
                    body.delete = found.then_some(index_name);
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    pub(super) fn constrain(self, constraints: &mut Constraints, path: &str) -> IndexUpdateMembers {
        let update = self.update.map(|update| {
            constrain_required_name(
                constraints,
                &format!("{path}.update.indexName"),
                &update.index_name,
            );
            let throughput = update.provisioned_throughput.and_then(|throughput| {
                throughput.constrain(constraints, &format!("{path}.update.provisionedThroughput"))
            });
            (update.index_name.unwrap_or_default(), throughput, update.on_demand_throughput)
        });
        let create = self.create.map(|create| {
            create.constrain(constraints, &format!("{path}.create"), KeyLimits::Composite)
        });
        let delete = self.delete.map(|index_name| {
            constrain_required_name(constraints, &format!("{path}.delete.indexName"), &index_name);
            index_name.unwrap_or_default()
        });
        IndexUpdateMembers { update, create, delete }
    }
}

impl ThroughputUpdateBody {
    fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("UpdateGlobalSecondaryIndexAction", |reader, member| {
            match member {
                "IndexName" => body.index_name = reader.owned_string()?,
                "ProvisionedThroughput" => {
                    body.provisioned_throughput = ThroughputBody::read(reader)?;
                }
                "OnDemandThroughput" => body.on_demand_throughput = OnDemandBody::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }
}

impl IndexUpdateMembers {
    /// The change in this update; `definitions` are the request's, if it has any.
    pub(super) fn update(self, definitions: Option<&Definitions>) -> Result<IndexUpdate> {
        match (self.update, self.create, self.delete) {
            (None, None, None) => Err(Error::invalid_parameter(
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null",
            )),
            (Some((index_name, provisioned_throughput, on_demand)), None, None) => {
                let whose = format_args!("index : {index_name}");
                Ok(IndexUpdate::Update {
                    on_demand_throughput: OnDemandChange::of(on_demand.unwrap_or_default(), whose)?,
                    provisioned_throughput,
                    index_name: index_name.clone(),
                })
            }
            (None, Some(members), None) => create(&members, definitions),
            (None, None, Some(index_name)) => Ok(IndexUpdate::Delete { index_name }),
            _ => Err(Error::invalid_parameter(
                "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
            )),
        }
    }
}

fn create(members: &IndexMembers, definitions: Option<&Definitions>) -> Result<IndexUpdate> {
    let name = &members.name;
    let Some(definitions) = definitions else {
        return Err(Error::invalid_parameter(format_args!(
            "AttributeDefinitions is not specified for index: {name}"
        )));
    };
    let key = definitions.key_schema(&members.elements, KeyLimits::Composite)?;
    let index = members.index(key, Scope::Global)?;
    if let Some(throughput) = &members.provisioned_throughput {
        check_bounds(throughput, format_args!(" for index {name}"))?;
    }
    let on_demand = members.on_demand_throughput.unwrap_or_default();
    Ok(IndexUpdate::Create {
        index,
        provisioned_throughput: members.provisioned_throughput,
        on_demand_throughput: OnDemandChange::of(on_demand, format_args!("index : {name}"))?,
    })
}

impl IndexUpdate {
    /// The name of the index.
    #[must_use]
    pub fn index_name(&self) -> &str {
        match self {
            Self::Create { index, .. } => &index.name,
            Self::Update { index_name, .. } | Self::Delete { index_name } => index_name,
        }
    }

    /// Whether it creates or deletes an index. A table allows one such change at a time.
    pub(super) fn is_online(&self) -> bool {
        !matches!(self, Self::Update { .. })
    }

    /// Checks one update; `mode` is the table's billing mode after the request.
    pub(super) fn check(&self, table: &TableDescription, mode: BillingMode) -> Result<()> {
        let name = self.index_name();
        match (self, table.index(name)) {
            (Self::Create { .. }, Some(_)) => {
                Err(Error::validation("Attempting to create an index which already exists"))
            }
            (Self::Create { index, provisioned_throughput, .. }, None) => {
                let count = table.indexes_of(Scope::Global).count();
                if count >= GLOBAL_INDEXES_MAX {
                    return Err(Error::with_message(
                        ErrorKind::LimitExceeded,
                        format!(
                            "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of {GLOBAL_INDEXES_MAX}"
                        ),
                    ));
                }
                check_created_throughput(name, provisioned_throughput.is_some(), mode)?;
                check_types(&index.key, table)?;
                let present = table.indexes.iter().map(|described| &described.index.projection);
                check_projected(present.chain([&index.projection]))
            }
            (Self::Update { .. } | Self::Delete { .. }, None) => Err(Error::with_message(
                ErrorKind::ResourceNotFound,
                format!("Requested resource not found: Index {name} for table {}", table.name),
            )),
            (Self::Update { .. }, Some(described)) if described.index.scope == Scope::Local => {
                Err(Error::validation(format!(
                    "Cannot update an index that is not a GlobalSecondaryIndex: {name}"
                )))
            }
            (Self::Delete { .. }, Some(described)) if described.index.scope == Scope::Local => {
                Err(Error::validation(format!(
                    "Cannot delete an index that is not a GlobalSecondaryIndex: {name}"
                )))
            }
            (Self::Delete { .. }, Some(_)) => Ok(()),
            (
                Self::Update { provisioned_throughput, on_demand_throughput, .. },
                Some(described),
            ) => check_throughput(described, *provisioned_throughput, on_demand_throughput, mode),
        }
    }

    /// Applies one update to the table's description.
    pub(super) fn apply(
        &self,
        table: &mut TableDescription,
        mode: BillingMode,
        now: crate::Timestamp,
    ) {
        match self {
            Self::Create { index, provisioned_throughput, on_demand_throughput } => {
                let throughput = match (mode, provisioned_throughput) {
                    (BillingMode::Provisioned, Some(throughput)) => {
                        Throughput::Provisioned(*throughput)
                    }
                    _ => Throughput::OnDemand(on_demand_throughput.apply(Default::default())),
                };
                let mut described = IndexDescription::new(index.clone(), throughput);
                described.backfilling = Some(false);
                table.indexes.push(described);
            }
            Self::Update { index_name, provisioned_throughput, on_demand_throughput } => {
                let Some(described) = table.index_mut(index_name) else { return };
                let throughput = match (provisioned_throughput, described.throughput.throughput) {
                    (Some(throughput), _) => Throughput::Provisioned(*throughput),
                    (None, Throughput::OnDemand(limits)) => {
                        Throughput::OnDemand(on_demand_throughput.apply(limits))
                    }
                    (None, before) => before,
                };
                described.throughput.change(throughput, now);
                described.status = TableStatus::Updating;
            }
            Self::Delete { index_name } => {
                if let Some(described) = table.index_mut(index_name) {
                    described.status = TableStatus::Deleting;
                }
            }
        }
    }
}

/// Refuses a key with an attribute that has another type in an existing key: no item with the
/// attribute could ever be written.
fn check_types(key: &KeySchema, table: &TableDescription) -> Result<()> {
    let of_indexes = table.indexes.iter().map(|described| &described.index.key);
    for present in std::iter::once(&table.key).chain(of_indexes) {
        for (old, old_role) in present.elements() {
            for (new, new_role) in key.elements() {
                if old.name == new.name && old.kind != new.kind {
                    return Err(Error::invalid_parameter(format_args!(
                        "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. \
                         Existing schema: Schema:[SchemaElement: key{{{}:{}:{old_role}}}] \
                         New schema: Schema:[SchemaElement: key{{{}:{}:{new_role}}}]",
                        old.name, old.kind, new.name, new.kind
                    )));
                }
            }
        }
    }
    Ok(())
}

fn check_created_throughput(name: &str, is_given: bool, mode: BillingMode) -> Result<()> {
    match (mode, is_given) {
        (BillingMode::Provisioned, false) => Err(Error::invalid_parameter(format_args!(
            "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {name}"
        ))),
        (BillingMode::PayPerRequest, true) => Err(Error::invalid_parameter(format_args!(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
        ))),
        _ => Ok(()),
    }
}

fn check_throughput(
    described: &IndexDescription,
    provisioned: Option<ProvisionedThroughput>,
    on_demand: &OnDemandChange,
    mode: BillingMode,
) -> Result<()> {
    let name = &described.index.name;
    match mode {
        BillingMode::PayPerRequest => {
            if provisioned.is_some() || on_demand.first_member().is_none() {
                return Err(Error::invalid_parameter(format_args!(
                    "The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
                )));
            }
        }
        BillingMode::Provisioned => {
            if let Some(member) = on_demand.first_member() {
                return Err(Error::invalid_parameter(format_args!(
                    "{member} for OnDemandThroughput for index : {name} cannot be specified when the table BillingMode is PROVISIONED"
                )));
            }
            let Some(wanted) = provisioned else {
                return Err(Error::invalid_parameter(format_args!(
                    "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {name}"
                )));
            };
            if [wanted.read_capacity_units, wanted.write_capacity_units]
                .iter()
                .any(|units| *units > CAPACITY_UNITS_MAX)
            {
                return Err(Error::validation(
                    "This operation cannot be performed with given input values. Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate",
                ));
            }
            if described.throughput.throughput == Throughput::Provisioned(wanted) {
                return Err(unchanged(wanted, &format!("index {name}"), "index"));
            }
        }
    }
    Ok(())
}

/// Nothing would change; `what` is the table or an index with its name, `kind` without it.
pub(super) fn unchanged(wanted: ProvisionedThroughput, what: &str, kind: &str) -> Error {
    let ProvisionedThroughput { read_capacity_units: read, write_capacity_units: write } = wanted;
    Error::validation(format!(
        "The provisioned throughput for the {what} will not change. The requested value equals the current value. \
         Current ReadCapacityUnits provisioned for the {kind}: {read}. Requested ReadCapacityUnits: {read}. \
         Current WriteCapacityUnits provisioned for the {kind}: {write}. Requested WriteCapacityUnits: {write}. \
         Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    ))
}
