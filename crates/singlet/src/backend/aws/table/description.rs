//! What DynamoDB says that a table is like.

use super::super::error::failed;
use crate::backend::BackendError;
use aws_sdk_dynamodb::primitives::DateTime;
use aws_sdk_dynamodb::types;
use singlet_dynamo::Timestamp;
use singlet_dynamo::schema::{Index, IndexProjection, KeyAttribute, KeySchema, KeyType, Scope};
use singlet_dynamo::table::{
    IndexDescription, OnDemandThroughput, StreamViewType, TableClass, TableDescription,
    TableStatus, Tags, Throughput, ThroughputDescription,
};

/// The table that the SDK describes. Its tags and its time to live are told by other operations.
pub(super) fn describe(table: types::TableDescription) -> Result<TableDescription, BackendError> {
    let definitions = table.attribute_definitions.as_deref().unwrap_or_default();
    let billing = table.billing_mode_summary.as_ref();
    let is_on_demand = billing.and_then(|summary| summary.billing_mode.as_ref())
        == Some(&types::BillingMode::PayPerRequest);
    let mut indexes = Vec::new();
    for index in table.local_secondary_indexes.unwrap_or_default() {
        let key = key(index.key_schema(), definitions)?;
        let projection = projection(index.projection)?;
        let name = present(index.index_name, "an index's name")?;
        let index_schema = Index { name, key, projection, scope: Scope::Local };
        let mut described = IndexDescription::new(index_schema, Throughput::default());
        described.status = TableStatus::Active;
        described.item_count = number(index.item_count);
        described.size_bytes = number(index.index_size_bytes);
        indexes.push(described);
    }
    for index in table.global_secondary_indexes.unwrap_or_default() {
        let key = key(index.key_schema(), definitions)?;
        let projection = projection(index.projection)?;
        let name = present(index.index_name, "an index's name")?;
        let index_schema = Index { name, key, projection, scope: Scope::Global };
        let throughput = throughput(
            is_on_demand,
            index.provisioned_throughput.as_ref(),
            index.on_demand_throughput.as_ref(),
        );
        let mut described = IndexDescription::new(index_schema, throughput);
        described.status = index_status(index.index_status)?;
        described.backfilling = index.backfilling;
        described.item_count = number(index.item_count);
        described.size_bytes = number(index.index_size_bytes);
        indexes.push(described);
    }
    let throughput = throughput(
        is_on_demand,
        table.provisioned_throughput.as_ref(),
        table.on_demand_throughput.as_ref(),
    );
    let stream = table.stream_specification.filter(|stream| stream.stream_enabled);
    // A label is a moment without a zone, and means UTC.
    let latest_stream_at = table
        .latest_stream_label
        .and_then(|label| format!("{label}Z").parse::<crate::Timestamp>().ok())
        .map(|moment| Timestamp::from_millis(moment.as_millis()));
    Ok(TableDescription {
        key: key(table.key_schema.as_deref().unwrap_or_default(), definitions)?,
        name: present(table.table_name, "the table's name")?,
        arn: table.table_arn.unwrap_or_default(),
        id: table.table_id.unwrap_or_default(),
        created_at: table.creation_date_time.map(moment).unwrap_or_default(),
        status: table_status(table.table_status)?,
        indexes,
        throughput: ThroughputDescription::new(throughput),
        on_demand_since: billing
            .and_then(|summary| summary.last_update_to_pay_per_request_date_time)
            .map(moment),
        item_count: number(table.item_count),
        size_bytes: number(table.table_size_bytes),
        stream: stream.and_then(|stream| stream.stream_view_type).map(view_type).transpose()?,
        latest_stream_at,
        class: table.table_class_summary.and_then(|summary| {
            let changed_at = summary.last_update_date_time.map(moment);
            Some((class(summary.table_class.as_ref()?)?, changed_at))
        }),
        deletion_protection: table.deletion_protection_enabled.unwrap_or_default(),
        time_to_live: None,
        tags: Tags::default(),
    })
}

fn present<T>(member: Option<T>, what: &str) -> Result<T, BackendError> {
    member.ok_or_else(|| failed(format!("{what} is missing in the answer")))
}

/// A count, which is never negative.
fn number(count: Option<i64>) -> u64 {
    count.and_then(|count| u64::try_from(count).ok()).unwrap_or_default()
}

fn moment(time: DateTime) -> Timestamp {
    Timestamp::from_millis(time.to_millis().unwrap_or_default())
}

fn key(
    elements: &[types::KeySchemaElement],
    definitions: &[types::AttributeDefinition],
) -> Result<KeySchema, BackendError> {
    let attribute = |role: types::KeyType| -> Result<Option<KeyAttribute>, BackendError> {
        let Some(element) = elements.iter().find(|element| element.key_type == role) else {
            return Ok(None);
        };
        let name = element.attribute_name();
        let kind = definitions
            .iter()
            .find(|definition| definition.attribute_name() == name)
            .and_then(|definition| KeyType::from_name(definition.attribute_type().as_str()));
        Ok(Some(KeyAttribute::new(name, present(kind, "the type of a key attribute")?)))
    };
    Ok(KeySchema {
        partition: present(attribute(types::KeyType::Hash)?, "a partition key")?,
        sort: attribute(types::KeyType::Range)?,
    })
}

fn projection(projection: Option<types::Projection>) -> Result<IndexProjection, BackendError> {
    let projection = present(projection, "an index's projection")?;
    Ok(match projection.projection_type {
        Some(types::ProjectionType::All) => IndexProjection::All,
        Some(types::ProjectionType::KeysOnly) => IndexProjection::KeysOnly,
        Some(types::ProjectionType::Include) => {
            IndexProjection::Include(projection.non_key_attributes.unwrap_or_default())
        }
        other => return Err(failed(format!("an index projects {other:?}"))),
    })
}

fn throughput(
    is_on_demand: bool,
    provisioned: Option<&types::ProvisionedThroughputDescription>,
    on_demand: Option<&types::OnDemandThroughput>,
) -> Throughput {
    if is_on_demand {
        // A limit of -1 is how the service says that there is none.
        let limit = |units: Option<i64>| units.filter(|units| *units >= 0);
        let max_read_request_units =
            on_demand.and_then(|on_demand| limit(on_demand.max_read_request_units));
        let max_write_request_units =
            on_demand.and_then(|on_demand| limit(on_demand.max_write_request_units));
        Throughput::OnDemand(OnDemandThroughput { max_read_request_units, max_write_request_units })
    } else {
        let units = |member: fn(&types::ProvisionedThroughputDescription) -> Option<i64>| {
            provisioned.and_then(member).unwrap_or_default()
        };
        Throughput::provisioned(
            units(types::ProvisionedThroughputDescription::read_capacity_units),
            units(types::ProvisionedThroughputDescription::write_capacity_units),
        )
    }
}

fn table_status(status: Option<types::TableStatus>) -> Result<TableStatus, BackendError> {
    Ok(match present(status, "the table's status")? {
        types::TableStatus::Creating => TableStatus::Creating,
        types::TableStatus::Active => TableStatus::Active,
        types::TableStatus::Updating => TableStatus::Updating,
        types::TableStatus::Deleting => TableStatus::Deleting,
        // Nothing can be done with such a table, and waiting does not help.
        other => return Err(failed(format!("the table is {other}"))),
    })
}

fn index_status(status: Option<types::IndexStatus>) -> Result<TableStatus, BackendError> {
    Ok(match present(status, "an index's status")? {
        types::IndexStatus::Creating => TableStatus::Creating,
        types::IndexStatus::Active => TableStatus::Active,
        types::IndexStatus::Updating => TableStatus::Updating,
        types::IndexStatus::Deleting => TableStatus::Deleting,
        other => return Err(failed(format!("an index is {other}"))),
    })
}

fn view_type(view_type: types::StreamViewType) -> Result<StreamViewType, BackendError> {
    StreamViewType::from_name(view_type.as_str())
        .ok_or_else(|| failed(format!("the table's stream has {view_type}")))
}

fn class(class: &types::TableClass) -> Option<TableClass> {
    match class {
        types::TableClass::Standard => Some(TableClass::Standard),
        types::TableClass::StandardInfrequentAccess => Some(TableClass::StandardInfrequentAccess),
        _ => None,
    }
}
