//! Data models for NoSQL Workbench.
//!
//! The form is that of models which Workbench 3 has saved: a facet for each entity, with its example
//! item. Workbench knows no local indexes, and takes an attribute to have one type in the whole
//! table; where entities disagree, the first of them counts, and the others' examples lack it.

use super::definition::{AttributeDefinition, Projection, key_attributes};
use super::{Billing, Design, Entity, Table};
use serde::Serialize;
use serde_json::{Value as Json, json};
use singlet_dynamo::json::Writer;
use singlet_dynamo::schema::{KeySchema, Scope};
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
    partition_key: AttributeDefinition<'d>,
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

/// What Workbench calls the key attributes in the view of one entity.
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
    /// A data model that NoSQL Workbench imports, as JSON, with an example item of each entity.
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
        key_attributes: (&table.key).into(),
        non_key_attributes,
        table_facets: table.entities.iter().map(|entity| facet(table, entity, &types)).collect(),
        global_secondary_indexes: table
            .indexes
            .iter()
            .filter(|index| index.scope == Scope::Global)
            .map(|index| IndexModel {
                index_name: &index.name,
                key_attributes: (&index.key).into(),
                projection: (&index.projection).into(),
            })
            .collect(),
        data_access: no_data_access(),
        billing_mode: table.billing.mode(),
        provisioned_capacity_settings: capacity(table.billing),
    }
}

impl<'d> From<&'d KeySchema> for KeyAttributes<'d> {
    fn from(key: &'d KeySchema) -> Self {
        Self { partition_key: (&key.partition).into(), sort_key: key.sort.as_ref().map(Into::into) }
    }
}

/// The attributes of all items, each with the first type that it is seen with.
fn attribute_types(table: &Table) -> Vec<(String, Type)> {
    let keys = key_attributes(table);
    let mut types: Vec<(String, Type)> =
        keys.iter().map(|key| (key.name.clone(), Type::from(key.kind))).collect();
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
            partition_key_alias: table.key.partition.name.clone(),
            sort_key_alias: table.key.sort.as_ref().map(|attribute| attribute.name.clone()),
        },
        non_key_attributes: non_key.map(|(name, _)| name.clone()).collect(),
        table_data: vec![
            item.iter().map(|(name, value)| (name.clone(), attribute_value(value))).collect(),
        ],
        data_access: no_data_access(),
    }
}

/// A value in DynamoDB's JSON.
fn attribute_value(value: &Value) -> Json {
    let mut writer = Writer::new();
    value.write_json(&mut writer);
    serde_json::from_slice(&writer.into_bytes()).unwrap_or_default()
}

/// What Workbench saves where a table was not imported from MySQL.
fn no_data_access() -> Json {
    json!({"MySql": {}})
}

/// What is set aside, without scaling by itself, which Workbench says by equal bounds.
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

/// `Jan 31, 2026, 09:30 AM`, as Workbench writes dates.
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
