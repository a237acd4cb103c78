//! Writes table descriptions as JSON.

use super::{BillingMode, IndexDescription, TableDescription};
use crate::arn;
use crate::json::{Object, Writer};
use crate::schema::{IndexProjection, KeyAttribute, KeySchema, Scope};

impl TableDescription {
    /// Writes the description, as in the responses of CreateTable, DescribeTable, UpdateTable and
    /// DeleteTable.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("AttributeDefinitions", |writer| {
                write_definitions(&self.attribute_definitions(), writer);
            });
            object.string("TableName", &self.name);
            object.member("KeySchema", |writer| write_key_schema(&self.key, writer));
            object.string("TableStatus", self.status.as_str());
            object.double("CreationDateTime", self.created_at.seconds());
            self.throughput.write_members(object);
            object.integer("TableSizeBytes", self.size_bytes);
            object.integer("ItemCount", self.item_count);
            object.string("TableArn", &self.arn);
            object.string("TableId", &self.id);
            self.write_billing(object);
            self.write_indexes("LocalSecondaryIndexes", Scope::Local, object);
            self.write_indexes("GlobalSecondaryIndexes", Scope::Global, object);
            self.write_stream(object);
            if let Some((class, changed_at)) = self.class {
                object.member("TableClassSummary", |writer| {
                    writer.object(|object| {
                        object.string("TableClass", class.as_str());
                        if let Some(moment) = changed_at {
                            object.double("LastUpdateDateTime", moment.seconds());
                        }
                    });
                });
            }
            object.boolean("DeletionProtectionEnabled", self.deletion_protection);
        });
    }

    /// A table that was never on demand has no summary: provisioned is the default.
    fn write_billing(&self, object: &mut Object<'_>) {
        let mode = self.billing_mode();
        if mode == BillingMode::Provisioned && self.on_demand_since.is_none() {
            return;
        }
        object.member("BillingModeSummary", |writer| {
            writer.object(|object| {
                object.string("BillingMode", mode.as_str());
                if let Some(moment) = self.on_demand_since {
                    object.double("LastUpdateToPayPerRequestDateTime", moment.seconds());
                }
            });
        });
    }

    fn write_indexes(&self, member: &str, scope: Scope, object: &mut Object<'_>) {
        if self.indexes_of(scope).next().is_none() {
            return;
        }
        object.member(member, |writer| {
            writer.array(self.indexes_of(scope), |writer, described| {
                described.write_json(&self.arn, writer);
            });
        });
    }

    fn write_stream(&self, object: &mut Object<'_>) {
        if let Some(view_type) = self.stream {
            object.member("StreamSpecification", |writer| {
                writer.object(|object| {
                    object.boolean("StreamEnabled", true);
                    object.string("StreamViewType", view_type.as_str());
                });
            });
        }
        if let Some(moment) = self.latest_stream_at {
            object.string("LatestStreamLabel", &moment.to_string());
            object.string("LatestStreamArn", &arn::stream(&self.arn, moment));
        }
    }
}

impl IndexDescription {
    fn write_json(&self, table_arn: &str, writer: &mut Writer) {
        writer.object(|object| {
            object.string("IndexName", &self.index.name);
            object.member("KeySchema", |writer| write_key_schema(&self.index.key, writer));
            object.member("Projection", |writer| write_projection(&self.index.projection, writer));
            if self.index.scope == Scope::Global {
                object.string("IndexStatus", self.status.as_str());
                if let Some(backfilling) = self.backfilling {
                    object.boolean("Backfilling", backfilling);
                }
                self.throughput.write_members(object);
            }
            object.integer("IndexSizeBytes", self.size_bytes);
            object.integer("ItemCount", self.item_count);
            object.string("IndexArn", &arn::index(table_arn, &self.index.name));
        });
    }
}

/// Writes the types of key attributes.
pub(crate) fn write_definitions(attributes: &[&KeyAttribute], writer: &mut Writer) {
    writer.array(attributes, |writer, attribute| {
        writer.object(|object| {
            object.string("AttributeName", &attribute.name);
            object.string("AttributeType", &attribute.kind.to_string());
        });
    });
}

/// Writes a key as `KeySchema`, with the roles of its attributes but not their types.
pub(crate) fn write_key_schema(key: &KeySchema, writer: &mut Writer) {
    writer.array(key.elements(), |writer, (attribute, role)| {
        writer.object(|object| {
            object.string("AttributeName", &attribute.name);
            object.string("KeyType", role.as_str());
        });
    });
}

/// Writes a projection; the service sorts the names.
pub(crate) fn write_projection(projection: &IndexProjection, writer: &mut Writer) {
    writer.object(|object| match projection {
        IndexProjection::All => object.string("ProjectionType", "ALL"),
        IndexProjection::KeysOnly => object.string("ProjectionType", "KEYS_ONLY"),
        IndexProjection::Include(names) => {
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            names.sort_unstable();
            object.string("ProjectionType", "INCLUDE");
            object.member("NonKeyAttributes", |writer| {
                writer.array(names, |writer, name| writer.string(name));
            });
        }
    });
}
