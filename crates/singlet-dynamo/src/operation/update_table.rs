//! UpdateTable: changes a table's throughput, stream, indexes or deletion protection.

use super::create_table::table_class_of;
use super::definition::{
    AttributeDefinitionBody, Definitions, OnDemandBody, StreamBody, StreamMembers, ThroughputBody,
    check_bounds, first_repeated, read_list,
};
use super::index_update::{IndexUpdate, IndexUpdateBody, OnDemandChange, unchanged};
use super::table_name::existing_table;
use crate::Timestamp;
use crate::constraint::Constraints;
use crate::error::{Error, ErrorKind, Result};
use crate::json::kept::{KEPT_MAX, Kept};
use crate::json::{Reader, Writer};
use crate::schema::Scope;
use crate::table::{
    BillingMode, OnDemandThroughput, ProvisionedThroughput, StreamViewType, TableClass,
    TableDescription, TableStatus, Throughput,
};

/// Changes a table.
///
/// ```
/// use singlet_dynamo::operation::UpdateTable;
///
/// let request = UpdateTable {
///     deletion_protection: Some(true),
///     ..UpdateTable::new("games")
/// };
/// assert!(request.index_updates.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateTable {
    /// The table.
    pub table_name: String,
    /// The new billing mode, if it changes.
    pub billing_mode: Option<BillingMode>,
    /// The new provisioned throughput, if it changes.
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    /// Changes to the on-demand limits.
    pub on_demand_throughput: OnDemandChange,
    /// Changes to the global indexes.
    pub index_updates: Vec<IndexUpdate>,
    /// Enables the stream, with its view type, or disables it.
    pub stream: Option<StreamChange>,
    /// The new table class, if it changes.
    pub class: Option<TableClass>,
    /// The new deletion protection, if it changes.
    pub deletion_protection: Option<bool>,
}

/// A change to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamChange {
    /// Enables it with this view type.
    Enable(StreamViewType),
    /// Disables it.
    Disable,
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    table_name: Option<String>,
    attribute_definitions: Option<Kept<AttributeDefinitionBody>>,
    billing_mode: Option<String>,
    provisioned_throughput: Option<ThroughputBody>,
    on_demand_throughput: Option<OnDemandBody>,
    index_updates: Option<Kept<IndexUpdateBody>>,
    stream_specification: Option<StreamBody>,
    table_class: Option<String>,
    deletion_protection_enabled: Option<bool>,
    /// Encryption and warm throughput have no effect here, but like the service we only accept them
    /// alone.
    has_encryption: bool,
    has_warm_throughput: bool,
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.structure("UpdateTableInput", |reader, member| {
            match member {
                "TableName" => body.table_name = reader.owned_string()?,
                "AttributeDefinitions" => {
                    body.attribute_definitions = read_list(reader, AttributeDefinitionBody::read)?;
                }
                "BillingMode" => body.billing_mode = reader.owned_string()?,
                "ProvisionedThroughput" => {
                    body.provisioned_throughput = ThroughputBody::read(reader)?;
                }
                "OnDemandThroughput" => body.on_demand_throughput = OnDemandBody::read(reader)?,
                "GlobalSecondaryIndexUpdates" => {
                    body.index_updates = read_list(reader, IndexUpdateBody::read)?;
                }
                "StreamSpecification" => body.stream_specification = StreamBody::read(reader)?,
                "TableClass" => body.table_class = reader.owned_string()?,
                "DeletionProtectionEnabled" => {
                    body.deletion_protection_enabled = reader.boolean()?;
                }
                "SSESpecification" => {
                    body.has_encryption =
                        reader.structure("SSESpecification", |reader, _| reader.skip())?;
                }
                "WarmThroughput" => {
                    reader.structure("WarmThroughput", |reader, _| {
                        // An empty structure counts as absent.
                        body.has_warm_throughput = true;
                        reader.skip()
                    })?;
                }
                "ReplicaUpdates" | "VectorIndexUpdates" | "MultiRegionConsistency" => {
                    return Err(super::unsupported(member));
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;
        Ok(body)
    }

    /// Whether the request has changes of another kind than `one`.
    fn changes_besides(&self, one: Change) -> bool {
        Change::ALL.iter().any(|change| *change != one && self.has(*change))
    }

    fn has(&self, change: Change) -> bool {
        match change {
            Change::Encryption => self.has_encryption,
            Change::Class => self.table_class.is_some(),
            Change::Protection => self.deletion_protection_enabled.is_some(),
            Change::WarmThroughput => self.has_warm_throughput,
            Change::OnDemandThroughput => {
                self.on_demand_throughput.is_some_and(|limits| limits.first_member().is_some())
            }
            Change::Billing => self.billing_mode.is_some(),
            Change::Throughput => self.provisioned_throughput.is_some(),
            Change::Stream => self.stream_specification.is_some(),
            Change::Indexes => self.index_updates.is_some(),
        }
    }

    /// Checks that there is a change, and that changes which must be alone are.
    fn check_together(&self) -> Result<()> {
        let has_updates = self.index_updates.as_ref().is_some_and(|updates| !updates.is_empty());
        if !has_updates && !self.changes_besides(Change::Indexes) {
            return Err(Error::validation(
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, \
                 SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, \
                 DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required",
            ));
        }
        if !has_updates && self.index_updates.is_some() {
            return Err(Error::invalid_parameter("List of GlobalSecondaryIndexUpdates is empty"));
        }
        for (change, words) in [
            (Change::Encryption, "Server-Side Encryption modification"),
            (Change::Class, "TableClass modification"),
            (Change::Protection, "DeletionProtection modification"),
            (Change::WarmThroughput, "WarmThroughput"),
        ] {
            if self.has(change) && self.changes_besides(change) {
                return Err(Error::invalid_parameter(format_args!(
                    "{words} must be the only operation in the request"
                )));
            }
        }
        let others = [Change::Throughput, Change::Stream, Change::Indexes];
        if self.has(Change::OnDemandThroughput) && others.iter().any(|change| self.has(*change)) {
            return Err(Error::invalid_parameter(
                "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
            ));
        }
        Ok(())
    }
}

/// The kinds of changes in a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Encryption,
    Class,
    Protection,
    WarmThroughput,
    OnDemandThroughput,
    Billing,
    Throughput,
    Stream,
    Indexes,
}

impl Change {
    const ALL: [Self; 9] = [
        Self::Encryption,
        Self::Class,
        Self::Protection,
        Self::WarmThroughput,
        Self::OnDemandThroughput,
        Self::Billing,
        Self::Throughput,
        Self::Stream,
        Self::Indexes,
    ];
}

fn stream_change(stream: &StreamMembers) -> Result<StreamChange> {
    match (stream.is_enabled, stream.view_type) {
        (true, Some(view_type)) => Ok(StreamChange::Enable(view_type)),
        (false, None) => Ok(StreamChange::Disable),
        (true, None) => Err(Error::invalid_parameter(
            "If stream is being enabled then UpdateViewType is required",
        )),
        (false, Some(_)) => Err(Error::invalid_parameter(
            "If stream is being disabled, then UpdateViewType must not be specified",
        )),
    }
}

impl UpdateTable {
    /// A request without changes yet.
    pub fn new(table_name: impl Into<String>) -> Self {
        Self { table_name: table_name.into(), ..Self::default() }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut body = Body::read(json)?;
        let table_name = existing_table(body.table_name.take())?;

        let mut constraints = Constraints::default();
        let has_definitions = body.attribute_definitions.is_some();
        let definitions_whole = body.attribute_definitions.as_ref().is_none_or(Kept::is_whole);
        let updates_whole = body.index_updates.as_ref().is_none_or(Kept::is_whole);
        let definitions = Definitions::constrain(
            &mut constraints,
            body.attribute_definitions.take().unwrap_or_default(),
        );
        let billing_mode =
            constraints.one_of("billingMode", body.billing_mode.as_deref(), &BillingMode::CHOICES);
        let provisioned_throughput = body
            .provisioned_throughput
            .as_ref()
            .and_then(|throughput| throughput.constrain(&mut constraints, "provisionedThroughput"));
        let stream =
            body.stream_specification.as_ref().map(|stream| stream.constrain(&mut constraints));
        // Checking the constraints takes the updates apart, so look at them first.
        let together = body.check_together();
        let index_updates: Vec<_> = body
            .index_updates
            .take()
            .unwrap_or_default()
            .into_vec()
            .into_iter()
            .enumerate()
            .map(|(place, update)| {
                let path = format!("globalSecondaryIndexUpdates.{}.member", place + 1);
                update.constrain(&mut constraints, &path)
            })
            .collect();
        constraints.finish()?;
        together?;
        if !definitions_whole || !updates_whole {
            // No table has that many keys or indexes.
            return Err(Error::invalid_parameter(format_args!(
                "{} has more than {KEPT_MAX} elements",
                if definitions_whole {
                    "GlobalSecondaryIndexUpdates"
                } else {
                    "AttributeDefinitions"
                }
            )));
        }

        if billing_mode == Some(BillingMode::Provisioned) && provisioned_throughput.is_none() {
            return Err(Error::invalid_parameter(
                "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
            ));
        }
        if let Some(throughput) = &provisioned_throughput {
            check_bounds(throughput, "")?;
        }
        let on_demand = body.on_demand_throughput.unwrap_or_default();
        let definitions = has_definitions.then_some(&definitions);
        let request = Self {
            table_name,
            billing_mode,
            provisioned_throughput,
            on_demand_throughput: OnDemandChange::of(on_demand, "table")?,
            stream: stream.as_ref().map(stream_change).transpose()?,
            class: body.table_class.as_deref().map(table_class_of).transpose()?,
            deletion_protection: body.deletion_protection_enabled,
            index_updates: index_updates
                .into_iter()
                .map(|update| update.update(definitions))
                .collect::<Result<_>>()?,
        };
        request.check_simultaneous()?;
        Ok(request)
    }

    /// Refuses changes that cannot be combined.
    fn check_simultaneous(&self) -> Result<()> {
        let names = self.index_updates.iter().map(IndexUpdate::index_name);
        if let Some(name) = first_repeated(names) {
            return Err(Error::invalid_parameter(format_args!(
                "Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            )));
        }
        let changes_throughput = self.provisioned_throughput.is_some();
        if self.stream.is_some() && changes_throughput {
            return Err(Error::invalid_parameter(
                "You cannot modify stream status while updating table IOPS",
            ));
        }
        let is_online = self.index_updates.iter().any(IndexUpdate::is_online);
        if is_online && changes_throughput {
            return Err(Error::invalid_parameter(
                "You cannot create or delete index while updating table IOPS",
            ));
        }
        if is_online && self.stream.is_some() {
            return Err(Error::invalid_parameter(
                "You cannot create or delete index while changing stream status",
            ));
        }
        Ok(())
    }

    /// The billing mode after the change.
    fn mode(&self, table: &TableDescription) -> BillingMode {
        self.billing_mode.unwrap_or_else(|| table.billing_mode())
    }

    /// Checks the request against the current table.
    pub fn check(&self, table: &TableDescription) -> Result<()> {
        super::check_idle(table)?;
        let mode = self.mode(table);
        self.check_throughput(table, mode)?;
        if self.index_updates.iter().filter(|update| update.is_online()).count() > 1 {
            return Err(Error::with_message(
                ErrorKind::LimitExceeded,
                "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
            ));
        }
        for update in &self.index_updates {
            update.check(table, mode)?;
        }
        if mode == BillingMode::Provisioned && table.billing_mode() == BillingMode::PayPerRequest {
            self.check_all_provisioned(table)?;
        }
        match (self.stream, table.stream) {
            (Some(StreamChange::Enable(_)), Some(_)) => Err(Error::validation(format!(
                "Table already has an enabled stream: TableName: {}",
                table.name
            ))),
            (Some(StreamChange::Disable), None) => Err(Error::validation(format!(
                "Table has no stream to disable: TableName: {}",
                table.name
            ))),
            _ => Ok(()),
        }
    }

    fn check_throughput(&self, table: &TableDescription, mode: BillingMode) -> Result<()> {
        match (mode, self.provisioned_throughput) {
            (BillingMode::PayPerRequest, Some(_)) => Err(Error::invalid_parameter(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
            )),
            (BillingMode::Provisioned, Some(wanted))
                if table.throughput.throughput == Throughput::Provisioned(wanted) =>
            {
                Err(unchanged(wanted, "table", "table"))
            }
            (BillingMode::Provisioned, _) => match self.on_demand_throughput.first_member() {
                None => Ok(()),
                Some(member) => Err(Error::invalid_parameter(format_args!(
                    "{member} for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED"
                ))),
            },
            (BillingMode::PayPerRequest, None) => Ok(()),
        }
    }

    /// A table that becomes provisioned needs a throughput for each of its global indexes.
    fn check_all_provisioned(&self, table: &TableDescription) -> Result<()> {
        let has_throughput = |name: &str| {
            self.index_updates.iter().any(|update| match update {
                IndexUpdate::Update { index_name, provisioned_throughput, .. } => {
                    index_name == name && provisioned_throughput.is_some()
                }
                IndexUpdate::Delete { index_name } => index_name == name,
                IndexUpdate::Create { .. } => false,
            })
        };
        let lacking: Vec<&str> = table
            .indexes_of(Scope::Global)
            .map(|described| described.index.name.as_str())
            .filter(|name| !has_throughput(name))
            .collect();
        if lacking.is_empty() {
            return Ok(());
        }
        Err(Error::invalid_parameter(format_args!(
            "ProvisionedThroughput must be specified for index: {}",
            lacking.join(",")
        )))
    }

    /// Applies the request to the table's description. A stream that is enabled gets the current
    /// time as its label. Changes that take time are pending until [`TableDescription::activate`].
    pub fn apply(&self, table: &mut TableDescription, now: Timestamp) {
        let mode = self.mode(table);
        let before = table.throughput.throughput;
        let after = match (mode, self.provisioned_throughput, before) {
            (BillingMode::Provisioned, Some(throughput), _) => Throughput::Provisioned(throughput),
            (BillingMode::Provisioned, None, before) => before,
            (BillingMode::PayPerRequest, _, Throughput::OnDemand(limits)) => {
                Throughput::OnDemand(self.on_demand_throughput.apply(limits))
            }
            (BillingMode::PayPerRequest, _, Throughput::Provisioned(_)) => {
                table.on_demand_since = Some(now);
                for described in &mut table.indexes {
                    described.throughput.change(Throughput::default(), now);
                }
                let limits = self.on_demand_throughput.apply(OnDemandThroughput::default());
                Throughput::OnDemand(limits)
            }
        };
        table.throughput.change(after, now);
        for update in &self.index_updates {
            update.apply(table, mode, now);
        }
        match self.stream {
            None => {}
            Some(StreamChange::Disable) => table.stream = None,
            Some(StreamChange::Enable(view_type)) => {
                table.stream = Some(view_type);
                table.latest_stream_at = Some(now);
            }
        }
        if let Some(class) = self.class {
            table.class = Some((class, Some(now)));
        }
        if let Some(protection) = self.deletion_protection {
            table.deletion_protection = protection;
        }
        // Deletion protection and on-demand limits change at once; all else takes time.
        let takes_time = self.billing_mode.is_some()
            || self.provisioned_throughput.is_some()
            || self.stream.is_some()
            || self.class.is_some()
            || self.index_updates.iter().any(IndexUpdate::is_online);
        if takes_time {
            table.status = TableStatus::Updating;
        }
    }
}

/// The table while it is being updated.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateTableAnswer {
    /// The table.
    pub table_description: TableDescription,
}

impl UpdateTableAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("TableDescription", |writer| self.table_description.write_json(writer));
        });
    }
}
