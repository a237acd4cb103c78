//! Making tables.

use crate::backend::BackendError;
use crate::db::Db;
use crate::error::Result;
use crate::shape::{Billing, KeyAttributes, Projected, TableShape};
use crate::table::Declaration;
use singlet_dynamo::ErrorKind;
use singlet_dynamo::operation::{Answer, CreateTable, DescribeTable, UpdateTimeToLive};
use singlet_dynamo::schema::{Index, IndexProjection, KeyAttribute, KeySchema, Scope, TableSchema};
use singlet_dynamo::table::{StreamViewType, TableStatus, Throughput};
use std::time::Duration;

impl<D: Declaration> Db<D> {
    /// Makes the tables that are missing.
    pub async fn provision(&self) -> Result<()> {
        for (place, table) in D::TABLES.iter().enumerate() {
            let name = self.name_at(place);
            match self.execute(create_table(table, name)).await {
                Ok(_) => {}
                Err(BackendError::Refused(refused))
                    if refused.kind() == ErrorKind::ResourceInUse =>
                {
                    continue;
                }
                Err(other) => return Err(other.into()),
            }
            self.wait_until_active(name).await?;
            if let Some(ttl) = table.ttl {
                let request = UpdateTimeToLive {
                    table_name: name.to_owned(),
                    attribute_name: ttl.to_owned(),
                    enabled: true,
                };
                self.execute(request).await?;
            }
        }
        Ok(())
    }

    async fn wait_until_active(&self, name: &str) -> Result<()> {
        loop {
            let request = DescribeTable { table_name: name.to_owned() };
            let Answer::DescribeTable(answer) = self.execute(request).await? else {
                return Err(BackendError::unexpected().into());
            };
            if answer.table.status == TableStatus::Active {
                return Ok(());
            }
            self.backend().sleep(Duration::from_millis(5)).await;
        }
    }
}

fn create_table(table: &TableShape, name: &str) -> CreateTable {
    let schema = TableSchema {
        name: name.to_owned(),
        key: key_schema(&table.key),
        indexes: table
            .indexes
            .iter()
            .map(|index| Index {
                name: index.name.to_owned(),
                key: key_schema(&index.key),
                projection: match index.projection {
                    Projected::All => IndexProjection::All,
                    Projected::Keys => IndexProjection::KeysOnly,
                    Projected::Attributes(names) => IndexProjection::Include(
                        names.iter().map(|name| (*name).to_owned()).collect(),
                    ),
                },
                scope: if index.local { Scope::Local } else { Scope::Global },
            })
            .collect(),
    };
    let mut request = CreateTable::new(schema);
    if let Billing::Provisioned { read, write } = table.billing {
        request.throughput = Throughput::provisioned(read.into(), write.into());
    }
    request.stream = table.stream.then_some(StreamViewType::NewAndOldImages);
    request
}

fn key_schema(key: &KeyAttributes) -> KeySchema {
    let attribute =
        |attribute: &crate::shape::KeyAttribute| KeyAttribute::new(attribute.name, attribute.kind);
    KeySchema { partition: attribute(&key.partition), sort: key.sort.as_ref().map(attribute) }
}
