//! Tables: making, changing and describing them.

mod description;
mod schema;

use super::error::{backend_error, failed};
use crate::backend::BackendError;
use aws_sdk_dynamodb::{Client, types};
use description::describe;
use schema::{attribute_definitions, global_index, key_schema, local_index, projection};
use singlet_dynamo::operation::{
    CreateTable, CreateTableAnswer, DeleteTable, DeleteTableAnswer, DescribeTable,
    DescribeTableAnswer, DescribeTimeToLive, DescribeTimeToLiveAnswer, IndexUpdate, ListTables,
    ListTablesAnswer, OnDemandChange, StreamChange, UpdateTable, UpdateTableAnswer,
    UpdateTimeToLive, UpdateTimeToLiveAnswer,
};
use singlet_dynamo::schema::{KeyAttribute, Scope};
use singlet_dynamo::table::{
    BillingMode, OnDemandThroughput, ProvisionedThroughput, StreamViewType, TableClass,
    TableDescription, Throughput,
};

pub(super) async fn create(
    client: &Client,
    request: CreateTable,
) -> Result<CreateTableAnswer, BackendError> {
    let schema = &request.schema;
    let mut creation = client
        .create_table()
        .table_name(&schema.name)
        .set_attribute_definitions(Some(attribute_definitions(schema)?))
        .set_key_schema(Some(key_schema(&schema.key)?))
        .billing_mode(billing_mode(request.throughput.billing_mode()))
        .set_table_class(request.class.map(table_class))
        .deletion_protection_enabled(request.deletion_protection);
    match request.throughput {
        Throughput::Provisioned(throughput) => {
            creation = creation.provisioned_throughput(provisioned(throughput)?);
        }
        Throughput::OnDemand(limits) => {
            creation = creation.set_on_demand_throughput(on_demand(limits));
        }
    }
    for index in &schema.indexes {
        creation = match index.scope {
            Scope::Local => creation.local_secondary_indexes(local_index(index)?),
            Scope::Global => {
                let own = request.index_throughput.iter().find(|(name, _)| *name == index.name);
                let builder = global_index(index)?;
                let builder = match own {
                    Some((_, Throughput::Provisioned(throughput))) => {
                        builder.provisioned_throughput(provisioned(*throughput)?)
                    }
                    Some((_, Throughput::OnDemand(limits))) => {
                        builder.set_on_demand_throughput(on_demand(*limits))
                    }
                    None => builder,
                };
                creation.global_secondary_indexes(builder.build().map_err(failed)?)
            }
        };
    }
    if let Some(view_type) = request.stream {
        creation = creation.stream_specification(stream(StreamChange::Enable(view_type))?);
    }
    for (key, value) in request.tags {
        let tag = types::Tag::builder().key(key).value(value);
        creation = creation.tags(tag.build().map_err(failed)?);
    }
    let output = creation.send().await.map_err(backend_error)?;
    Ok(CreateTableAnswer { table_description: described(output.table_description)? })
}

pub(super) async fn update(
    client: &Client,
    request: UpdateTable,
) -> Result<UpdateTableAnswer, BackendError> {
    let mut change = client
        .update_table()
        .table_name(request.table_name)
        .set_billing_mode(request.billing_mode.map(billing_mode))
        .set_provisioned_throughput(request.provisioned_throughput.map(provisioned).transpose()?)
        .set_on_demand_throughput(on_demand_change(request.on_demand_throughput))
        .set_stream_specification(request.stream.map(stream).transpose()?)
        .set_table_class(request.class.map(table_class))
        .set_deletion_protection_enabled(request.deletion_protection);
    for update in request.index_updates {
        // Only a new index brings attributes along whose types are not known yet.
        if let IndexUpdate::Create { index, .. } = &update {
            for KeyAttribute { name, kind } in index.key.attributes() {
                change = change.attribute_definitions(schema::definition(name, *kind)?);
            }
        }
        change = change.global_secondary_index_updates(index_update(update)?);
    }
    let output = change.send().await.map_err(backend_error)?;
    Ok(UpdateTableAnswer { table_description: described(output.table_description)? })
}

fn index_update(update: IndexUpdate) -> Result<types::GlobalSecondaryIndexUpdate, BackendError> {
    let builder = types::GlobalSecondaryIndexUpdate::builder();
    Ok(match update {
        IndexUpdate::Create { index, provisioned_throughput, on_demand_throughput } => {
            let create = types::CreateGlobalSecondaryIndexAction::builder()
                .index_name(&index.name)
                .set_key_schema(Some(key_schema(&index.key)?))
                .projection(projection(&index.projection))
                .set_provisioned_throughput(provisioned_throughput.map(provisioned).transpose()?)
                .set_on_demand_throughput(on_demand_change(on_demand_throughput));
            builder.create(create.build().map_err(failed)?)
        }
        IndexUpdate::Update { index_name, provisioned_throughput, on_demand_throughput } => {
            let update = types::UpdateGlobalSecondaryIndexAction::builder()
                .index_name(index_name)
                .set_provisioned_throughput(provisioned_throughput.map(provisioned).transpose()?)
                .set_on_demand_throughput(on_demand_change(on_demand_throughput));
            builder.update(update.build().map_err(failed)?)
        }
        IndexUpdate::Delete { index_name } => {
            let delete = types::DeleteGlobalSecondaryIndexAction::builder().index_name(index_name);
            builder.delete(delete.build().map_err(failed)?)
        }
    }
    .build())
}

pub(super) async fn describe_table(
    client: &Client,
    request: DescribeTable,
) -> Result<DescribeTableAnswer, BackendError> {
    let output = client
        .describe_table()
        .table_name(request.table_name)
        .send()
        .await
        .map_err(backend_error)?;
    Ok(DescribeTableAnswer { table: described(output.table)? })
}

pub(super) async fn delete(
    client: &Client,
    request: DeleteTable,
) -> Result<DeleteTableAnswer, BackendError> {
    let output =
        client.delete_table().table_name(request.table_name).send().await.map_err(backend_error)?;
    Ok(DeleteTableAnswer { table_description: described(output.table_description)? })
}

pub(super) async fn list(
    client: &Client,
    request: ListTables,
) -> Result<ListTablesAnswer, BackendError> {
    let limit = request.limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX));
    let output = client
        .list_tables()
        .set_exclusive_start_table_name(request.exclusive_start_table_name)
        .set_limit(limit)
        .send()
        .await
        .map_err(backend_error)?;
    Ok(ListTablesAnswer {
        table_names: output.table_names.unwrap_or_default(),
        is_last: output.last_evaluated_table_name.is_none(),
    })
}

pub(super) async fn describe_time_to_live(
    client: &Client,
    request: DescribeTimeToLive,
) -> Result<DescribeTimeToLiveAnswer, BackendError> {
    let output = client
        .describe_time_to_live()
        .table_name(request.table_name)
        .send()
        .await
        .map_err(backend_error)?;
    let attribute_name = output.time_to_live_description.and_then(|described| {
        let is_on = matches!(
            described.time_to_live_status,
            Some(types::TimeToLiveStatus::Enabled | types::TimeToLiveStatus::Enabling)
        );
        described.attribute_name.filter(|_| is_on)
    });
    Ok(DescribeTimeToLiveAnswer { attribute_name })
}

pub(super) async fn update_time_to_live(
    client: &Client,
    request: UpdateTimeToLive,
) -> Result<UpdateTimeToLiveAnswer, BackendError> {
    let UpdateTimeToLive { table_name, attribute_name, enabled } = request;
    let specification = types::TimeToLiveSpecification::builder()
        .enabled(enabled)
        .attribute_name(&attribute_name)
        .build()
        .map_err(failed)?;
    client
        .update_time_to_live()
        .table_name(table_name)
        .time_to_live_specification(specification)
        .send()
        .await
        .map_err(backend_error)?;
    Ok(UpdateTimeToLiveAnswer { attribute_name, enabled })
}

fn described(table: Option<types::TableDescription>) -> Result<TableDescription, BackendError> {
    describe(table.ok_or_else(|| failed("the answer does not describe the table"))?)
}

fn billing_mode(mode: BillingMode) -> types::BillingMode {
    match mode {
        BillingMode::Provisioned => types::BillingMode::Provisioned,
        BillingMode::PayPerRequest => types::BillingMode::PayPerRequest,
    }
}

fn table_class(class: TableClass) -> types::TableClass {
    match class {
        TableClass::Standard => types::TableClass::Standard,
        TableClass::StandardInfrequentAccess => types::TableClass::StandardInfrequentAccess,
    }
}

fn provisioned(
    throughput: ProvisionedThroughput,
) -> Result<types::ProvisionedThroughput, BackendError> {
    types::ProvisionedThroughput::builder()
        .read_capacity_units(throughput.read_capacity_units)
        .write_capacity_units(throughput.write_capacity_units)
        .build()
        .map_err(failed)
}

fn on_demand(limits: OnDemandThroughput) -> Option<types::OnDemandThroughput> {
    let OnDemandThroughput { max_read_request_units, max_write_request_units } = limits;
    on_demand_change(OnDemandChange { max_read_request_units, max_write_request_units })
}

/// Limits on demand; nothing, unless there is one.
fn on_demand_change(change: OnDemandChange) -> Option<types::OnDemandThroughput> {
    (change != OnDemandChange::default()).then(|| {
        types::OnDemandThroughput::builder()
            .set_max_read_request_units(change.max_read_request_units)
            .set_max_write_request_units(change.max_write_request_units)
            .build()
    })
}

fn stream(change: StreamChange) -> Result<types::StreamSpecification, BackendError> {
    let builder = types::StreamSpecification::builder();
    match change {
        StreamChange::Disable => builder.stream_enabled(false),
        StreamChange::Enable(view_type) => {
            builder.stream_enabled(true).stream_view_type(match view_type {
                StreamViewType::KeysOnly => types::StreamViewType::KeysOnly,
                StreamViewType::NewImage => types::StreamViewType::NewImage,
                StreamViewType::OldImage => types::StreamViewType::OldImage,
                StreamViewType::NewAndOldImages => types::StreamViewType::NewAndOldImages,
            })
        }
    }
    .build()
    .map_err(failed)
}
