//! Data models for NoSQL Workbench.
//!
//! The format is that of Workbench 3: one facet per entity, with its example item. Workbench
//! supports neither local indexes nor composite keys, so those indexes are left out. An attribute
//! has one type per table; if entities disagree, the first wins, and the others' examples lack it.

use super::definition::{AttributeDefinition, Projection, key_attributes};
use super::{Billing, Design, Entity, Table, key};
use serde::Serialize;
use serde_json::{Value as Json, json};
use singlet_dynamo::json::Writer;
use singlet_dynamo::schema::Scope;
use singlet_dynamo::{Timestamp, Type, Value};

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Model<'d> {
    model_name: &'d str,
    model_metadata: Metadata<'d>,
    data_model: Vec<TableModel<'d>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metadata<'d> {
    author: &'static str,
    date_created: String,
    date_last_modified: String,
    description: &'d str,
    #[serde(rename = "AWSService")]
    aws_service: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct TableModel<'d> {
    table_name: String,
    key_attributes: KeyAttributes<'d>,
    non_key_attributes: Vec<NonKeyAttribute>,
    table_facets: Vec<Facet<'d>>,
    global_secondary_indexes: Vec<IndexModel<'d>>,
    data_access: Json,
    billing_mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    provisioned_capacity_settings: Option<Json>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct KeyAttributes<'d> {
    #[serde(skip_serializing_if = "Option::is_none")]
    partition_key: Option<AttributeDefinition<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_key: Option<AttributeDefinition<'d>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct NonKeyAttribute {
    attribute_name: String,
    attribute_type: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Facet<'d> {
    facet_name: &'d str,
    key_attribute_alias: Alias,
    table_data: Vec<Json>,
    non_key_attributes: Vec<String>,
    data_access: Json,
}

/// Names of the key attributes in one entity's view.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Alias {
    partition_key_alias: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_key_alias: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct IndexModel<'d> {
    index_name: &'d str,
    key_attributes: KeyAttributes<'d>,
    projection: Projection<'d>,
}

impl Design {
    /// A data model for import into NoSQL Workbench, as JSON, with an example item per entity.
    #[must_use]
    pub fn workbench(&self, environment: &str, now: Timestamp) -> String {
        super::file::pretty(&Model {
            model_name: &self.name,
            model_metadata: Metadata {
                author: "",
                date_created: date(now),
                date_last_modified: date(now),
                description: self.description.as_deref().unwrap_or_default(),
                aws_service: "Amazon DynamoDB",
                version: "3.0",
            },
            data_model: self.tables.iter().map(|table| table_model(table, environment)).collect(),
        })
    }
}

fn table_model<'d>(table: &'d Table, environment: &str) -> TableModel<'d> {
    let types = attribute_types(table);
    let non_key_attributes = types
        .iter()
        .filter(|(name, _)| !table.key.contains(name))
        .map(|(name, kind)| NonKeyAttribute {
            attribute_name: name.clone(),
            attribute_type: kind.as_str(),
        })
        .collect();
    TableModel {
        table_name: table.name_in(environment),
        key_attributes: key_attributes_of(&table.key),
        non_key_attributes,
        table_facets: table.entities.iter().map(|entity| facet(table, entity, &types)).collect(),
        global_secondary_indexes: table
            .indexes
            .iter()
            .filter(|index| index.scope == Scope::Global && !index.key.is_composite())
            .map(|index| IndexModel {
                index_name: &index.name,
                key_attributes: key_attributes_of(&index.key),
                projection: (&index.projection).into(),
            })
            .collect(),
        data_access: no_data_access(),
        billing_mode: table.billing.mode(),
        provisioned_capacity_settings: capacity(table.billing),
    }
}

fn key_attributes_of(key: &key::KeyAttributes) -> KeyAttributes<'_> {
    KeyAttributes {
        partition_key: key.partition.first().map(Into::into),
        sort_key: key.sort.first().map(Into::into),
    }
}

/// All attributes, each with the first type it occurs with.
fn attribute_types(table: &Table) -> Vec<(String, Type)> {
    let keys = key_attributes(table);
    let mut types: Vec<(String, Type)> =
        keys.iter().map(|key| (key.name.to_string(), Type::from(key.kind))).collect();
    for entity in &table.entities {
        for (name, value) in table.example(entity) {
            if !types.iter().any(|(own, _)| *own == name) {
                types.push((name, value.kind()));
            }
        }
    }
    types
}

fn facet<'d>(table: &Table, entity: &'d Entity, types: &[(String, Type)]) -> Facet<'d> {
    let is_fitting = |name: &str, value: &Value| {
        types.iter().any(|(own, kind)| own == name && *kind == value.kind())
    };
    let mut item = table.example(entity);
    item.retain(|(name, value)| is_fitting(name, value));
    let non_key = item.iter().filter(|(name, _)| !table.key.contains(name));
    Facet {
        facet_name: &entity.name,
        key_attribute_alias: Alias {
            partition_key_alias: table.key.partition_name().to_owned(),
            sort_key_alias: table.key.sort.first().map(|attribute| attribute.name.to_string()),
        },
        non_key_attributes: non_key.map(|(name, _)| name.clone()).collect(),
        table_data: vec![
            item.iter().map(|(name, value)| (name.clone(), attribute_value(value))).collect(),
        ],
        data_access: no_data_access(),
    }
}

/// A value as DynamoDB JSON.
fn attribute_value(value: &Value) -> Json {
    let mut writer = Writer::new();
    value.write_json(&mut writer);
    serde_json::from_slice(&writer.into_bytes()).unwrap_or_default()
}

/// Workbench writes this for tables that were not imported from MySQL.
fn no_data_access() -> Json {
    json!({"MySql": {}})
}

/// Provisioned throughput. Equal bounds turn autoscaling off.
fn capacity(billing: Billing) -> Option<Json> {
    let Billing::Provisioned { read_units, write_units } = billing else {
        return None;
    };
    let scaling = |units: u64| {
        json!({
            "ScalableTargetRequest": {
                "MinCapacity": units,
                "MaxCapacity": units,
                "ServiceRole": "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"
            },
            "ScalingPolicyConfiguration": {"TargetValue": 70}
        })
    };
    Some(json!({
        "ProvisionedThroughput": billing.throughput(),
        "AutoScalingRead": scaling(read_units),
        "AutoScalingWrite": scaling(write_units),
    }))
}

/// `Jan 31, 2026, 09:30 AM`, Workbench's date format.
fn date(now: Timestamp) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = now.to_string();
    let number = |from: usize, to: usize| {
        text.get(from..to).and_then(|digits| digits.parse::<usize>().ok()).unwrap_or(1)
    };
    let month = MONTHS.get(number(5, 7).saturating_sub(1)).unwrap_or(&"Jan");
    let (hour, half) = match number(11, 13) {
        0 => (12, "AM"),
        hour @ 1..=11 => (hour, "AM"),
        12 => (12, "PM"),
        hour => (hour - 12, "PM"),
    };
    format!(
        "{month} {:02}, {}, {hour:02}:{:02} {half}",
        number(8, 10),
        number(0, 4),
        number(14, 16)
    )
}
