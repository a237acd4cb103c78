//! Table definitions for CreateTable and CloudFormation, which differ in only a few members.

use super::{Billing, Index, KeyAttribute, KeyAttributes, Table, Text};
use serde::Serialize;
use singlet_dynamo::schema::Scope;

/// The members that CreateTable and CloudFormation share.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct TableDefinition<'d> {
    attribute_definitions: Vec<AttributeDefinition<'d>>,
    key_schema: Vec<KeyElement<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    local_secondary_indexes: Vec<IndexDefinition<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    global_secondary_indexes: Vec<IndexDefinition<'d>>,
    billing_mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    provisioned_throughput: Option<Throughput>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct AttributeDefinition<'d> {
    attribute_name: &'d str,
    attribute_type: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct KeyElement<'d> {
    attribute_name: &'d str,
    key_type: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct IndexDefinition<'d> {
    index_name: &'d str,
    key_schema: Vec<KeyElement<'d>>,
    projection: Projection<'d>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provisioned_throughput: Option<Throughput>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Projection<'d> {
    projection_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    non_key_attributes: Option<&'d [Text]>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Throughput {
    read_capacity_units: u64,
    write_capacity_units: u64,
}

impl Billing {
    /// Name of the billing mode in requests.
    pub(super) fn mode(self) -> &'static str {
        match self {
            Self::OnDemand => "PAY_PER_REQUEST",
            Self::Provisioned { .. } => "PROVISIONED",
        }
    }

    pub(super) fn throughput(self) -> Option<Throughput> {
        match self {
            Self::OnDemand => None,
            Self::Provisioned { read_units, write_units } => Some(Throughput {
                read_capacity_units: read_units,
                write_capacity_units: write_units,
            }),
        }
    }
}

impl<'d> From<&'d KeyAttribute> for AttributeDefinition<'d> {
    fn from(attribute: &'d KeyAttribute) -> Self {
        Self { attribute_name: &attribute.name, attribute_type: attribute.kind.to_string() }
    }
}

impl<'d> From<&'d super::Projection> for Projection<'d> {
    fn from(projection: &'d super::Projection) -> Self {
        let (projection_type, non_key_attributes) = match projection {
            super::Projection::All => ("ALL", None),
            super::Projection::KeysOnly => ("KEYS_ONLY", None),
            super::Projection::Include(names) => ("INCLUDE", Some(&**names)),
        };
        Self { projection_type, non_key_attributes }
    }
}

impl<'d> From<&'d Table> for TableDefinition<'d> {
    fn from(table: &'d Table) -> Self {
        let throughput = table.billing.throughput();
        let of_scope = |scope| table.indexes.iter().filter(move |index| index.scope == scope);
        let index = |index: &'d Index, provisioned_throughput| IndexDefinition {
            index_name: &index.name,
            key_schema: key_schema(&index.key),
            projection: (&index.projection).into(),
            provisioned_throughput,
        };
        Self {
            attribute_definitions: key_attributes(table).into_iter().map(Into::into).collect(),
            key_schema: key_schema(&table.key),
            // Local indexes share the table's provisioned throughput.
            local_secondary_indexes: of_scope(Scope::Local).map(|own| index(own, None)).collect(),
            global_secondary_indexes: of_scope(Scope::Global)
                .map(|own| index(own, throughput))
                .collect(),
            billing_mode: table.billing.mode(),
            provisioned_throughput: throughput,
        }
    }
}

fn key_schema(key: &KeyAttributes) -> Vec<KeyElement<'_>> {
    key.elements()
        .map(|(attribute, role)| KeyElement {
            attribute_name: &attribute.name,
            key_type: role.as_str(),
        })
        .collect()
}

/// The key attributes of a table and its indexes, deduplicated.
pub(super) fn key_attributes(table: &Table) -> Vec<&KeyAttribute> {
    let mut all: Vec<&KeyAttribute> = Vec::new();
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    for attribute in keys.flat_map(KeyAttributes::iter) {
        if !all.iter().any(|own| own.name == attribute.name) {
            all.push(attribute);
        }
    }
    all
}
