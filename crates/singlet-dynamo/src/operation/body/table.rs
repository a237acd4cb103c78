//! Requests about tables.

use crate::json::{Object, Writer};
use crate::operation::{
    CreateTable, IndexUpdate, OnDemandChange, StreamChange, UpdateTable, UpdateTimeToLive,
};
use crate::schema::{Index, KeyAttribute, Scope};
use crate::table::{
    BillingMode, OnDemandThroughput, ProvisionedThroughput, TableClass, Throughput, definitions_of,
    write_definitions, write_key_schema, write_projection,
};

pub(super) fn create(object: &mut Object<'_>, request: &CreateTable) {
    let schema = &request.schema;
    object.string("TableName", &schema.name);
    let keys = schema.indexes.iter().map(|index| &index.key);
    definitions(object, &definitions_of(std::iter::once(&schema.key).chain(keys)));
    object.member("KeySchema", |writer| write_key_schema(&schema.key, writer));
    for (member, scope) in
        [("LocalSecondaryIndexes", Scope::Local), ("GlobalSecondaryIndexes", Scope::Global)]
    {
        let mut indexes = schema.indexes.iter().filter(|index| index.scope == scope).peekable();
        if indexes.peek().is_none() {
            continue;
        }
        object.member(member, |writer| {
            writer.array(indexes, |writer, one| {
                let own = request.index_throughput.iter().find(|(name, _)| *name == one.name);
                writer.object(|object| {
                    index(object, one);
                    if let Some((_, own)) = own {
                        throughput(object, *own);
                    }
                });
            });
        });
    }
    billing_mode(object, Some(request.throughput.billing_mode()));
    throughput(object, request.throughput);
    stream(object, request.stream.map(StreamChange::Enable));
    class(object, request.class);
    if request.deletion_protection {
        object.boolean("DeletionProtectionEnabled", true);
    }
    if !request.tags.is_empty() {
        object.member("Tags", |writer| {
            writer.array(&request.tags, |writer, (key, value)| {
                writer.object(|object| {
                    object.string("Key", key);
                    object.string("Value", value);
                });
            });
        });
    }
}

pub(super) fn update(object: &mut Object<'_>, request: &UpdateTable) {
    object.string("TableName", &request.table_name);
    // Only a new index brings attributes with unknown types.
    let created = request.index_updates.iter().filter_map(|update| match update {
        IndexUpdate::Create { index, .. } => Some(&index.key),
        _ => None,
    });
    definitions(object, &definitions_of(created));
    billing_mode(object, request.billing_mode);
    provisioned(object, request.provisioned_throughput);
    on_demand(object, request.on_demand_throughput);
    if !request.index_updates.is_empty() {
        object.member("GlobalSecondaryIndexUpdates", |writer| {
            writer.array(&request.index_updates, index_update);
        });
    }
    stream(object, request.stream);
    class(object, request.class);
    if let Some(is_protected) = request.deletion_protection {
        object.boolean("DeletionProtectionEnabled", is_protected);
    }
}

fn index_update(writer: &mut Writer, update: &IndexUpdate) {
    writer.object(|object| match update {
        IndexUpdate::Create { index: created, provisioned_throughput, on_demand_throughput } => {
            object.member("Create", |writer| {
                writer.object(|object| {
                    index(object, created);
                    provisioned(object, *provisioned_throughput);
                    on_demand(object, *on_demand_throughput);
                });
            });
        }
        IndexUpdate::Update { index_name, provisioned_throughput, on_demand_throughput } => {
            object.member("Update", |writer| {
                writer.object(|object| {
                    object.string("IndexName", index_name);
                    provisioned(object, *provisioned_throughput);
                    on_demand(object, *on_demand_throughput);
                });
            });
        }
        IndexUpdate::Delete { index_name } => object.member("Delete", |writer| {
            writer.object(|object| object.string("IndexName", index_name));
        }),
    });
}

pub(super) fn time_to_live(object: &mut Object<'_>, request: &UpdateTimeToLive) {
    object.string("TableName", &request.table_name);
    object.member("TimeToLiveSpecification", |writer| {
        writer.object(|object| {
            object.boolean("Enabled", request.enabled);
            object.string("AttributeName", &request.attribute_name);
        });
    });
}

fn definitions(object: &mut Object<'_>, attributes: &[&KeyAttribute]) {
    if !attributes.is_empty() {
        object.member("AttributeDefinitions", |writer| write_definitions(attributes, writer));
    }
}

fn index(object: &mut Object<'_>, index: &Index) {
    object.string("IndexName", &index.name);
    object.member("KeySchema", |writer| write_key_schema(&index.key, writer));
    object.member("Projection", |writer| write_projection(&index.projection, writer));
}

fn billing_mode(object: &mut Object<'_>, mode: Option<BillingMode>) {
    if let Some(mode) = mode {
        object.string("BillingMode", mode.as_str());
    }
}

fn class(object: &mut Object<'_>, class: Option<TableClass>) {
    if let Some(class) = class {
        object.string("TableClass", class.as_str());
    }
}

fn throughput(object: &mut Object<'_>, throughput: Throughput) {
    match throughput {
        Throughput::Provisioned(throughput) => provisioned(object, Some(throughput)),
        Throughput::OnDemand(limits) => {
            let OnDemandThroughput { max_read_request_units, max_write_request_units } = limits;
            on_demand(object, OnDemandChange { max_read_request_units, max_write_request_units });
        }
    }
}

fn provisioned(object: &mut Object<'_>, throughput: Option<ProvisionedThroughput>) {
    let Some(throughput) = throughput else { return };
    object.member("ProvisionedThroughput", |writer| {
        writer.object(|object| {
            object.integer("ReadCapacityUnits", throughput.read_capacity_units);
            object.integer("WriteCapacityUnits", throughput.write_capacity_units);
        });
    });
}

/// On-demand limits; nothing if there are none.
fn on_demand(object: &mut Object<'_>, limits: OnDemandChange) {
    if limits == OnDemandChange::default() {
        return;
    }
    object.member("OnDemandThroughput", |writer| {
        writer.object(|object| {
            if let Some(units) = limits.max_read_request_units {
                object.integer("MaxReadRequestUnits", units);
            }
            if let Some(units) = limits.max_write_request_units {
                object.integer("MaxWriteRequestUnits", units);
            }
        });
    });
}

fn stream(object: &mut Object<'_>, change: Option<StreamChange>) {
    let Some(change) = change else { return };
    object.member("StreamSpecification", |writer| {
        writer.object(|object| match change {
            StreamChange::Disable => object.boolean("StreamEnabled", false),
            StreamChange::Enable(view_type) => {
                object.boolean("StreamEnabled", true);
                object.string("StreamViewType", view_type.as_str());
            }
        });
    });
}
