//! CloudFormation templates.

use super::definition::TableDefinition;
use super::{Design, Table};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Document<'d> {
    #[serde(rename = "AWSTemplateFormatVersion")]
    version: &'static str,
    description: &'d str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<String, Value>,
    resources: BTreeMap<String, Resource<'d>>,
    outputs: BTreeMap<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Resource<'d> {
    #[serde(rename = "Type")]
    kind: &'static str,
    deletion_policy: &'static str,
    update_replace_policy: &'static str,
    properties: Properties<'d>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Properties<'d> {
    table_name: Value,
    #[serde(flatten)]
    definition: TableDefinition<'d>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_specification: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_live_specification: Option<Value>,
}

impl Design {
    /// A CloudFormation template, as JSON, with a resource for each table.
    ///
    /// A placeholder in a table name becomes a stack parameter. Tables are retained when the stack
    /// is deleted, because a deleted table cannot be restored.
    #[must_use]
    pub fn cloud_formation(&self) -> String {
        let mut resources = BTreeMap::new();
        let mut outputs = BTreeMap::new();
        let mut parameters = BTreeMap::new();
        for table in &self.tables {
            let id = logical_id(&table.name, &resources);
            if let Some(variable) = table.environment_variable() {
                let description =
                    format!("Where this is deployed; it is part of names such as {}", table.name);
                parameters.insert(
                    parameter_name(&variable),
                    json!({"Type": "String", "Description": description}),
                );
            }
            outputs.insert(
                format!("{id}Arn"),
                json!({"Description": format!("The ARN of {}", table.name),
                       "Value": {"Fn::GetAtt": [&id, "Arn"]}}),
            );
            let resource = Resource {
                kind: "AWS::DynamoDB::Table",
                deletion_policy: "Retain",
                update_replace_policy: "Retain",
                properties: properties(table),
            };
            resources.insert(id, resource);
        }
        super::file::pretty(&Document {
            version: "2010-09-09",
            description: shortened(self.description.as_deref().unwrap_or(&self.name)),
            parameters,
            resources,
            outputs,
        })
    }
}

/// Truncates a description to CloudFormation's limit.
fn shortened(description: &str) -> &str {
    /// In bytes.
    const DESCRIPTION_SIZE_MAX: usize = 1024;
    let end = (0..=DESCRIPTION_SIZE_MAX).rev().find(|end| description.is_char_boundary(*end));
    description.get(..end.unwrap_or(0)).unwrap_or(description)
}

fn properties(table: &Table) -> Properties<'_> {
    let table_name = match table.environment_variable() {
        None => json!(table.name),
        Some(variable) => {
            // `Fn::Sub` writes a parameter as `${Name}`.
            let parameter = format!("${{{}}}", parameter_name(&variable));
            json!({"Fn::Sub": table.name_in(&parameter)})
        }
    };
    Properties {
        table_name,
        definition: table.into(),
        stream_specification: table
            .stream
            .map(|view_type| json!({"StreamViewType": view_type.as_str()})),
        time_to_live_specification: table
            .ttl
            .as_ref()
            .map(|attribute| json!({"AttributeName": attribute, "Enabled": true})),
    }
}

/// `Env` for `env`: parameter names are alphanumeric.
fn parameter_name(variable: &str) -> String {
    camel_case(variable)
}

/// `CricketFixturesTable` for `cricket-fixtures`, made unique among `taken`.
fn logical_id<T>(name: &str, taken: &BTreeMap<String, T>) -> String {
    let template = name.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    let base = format!("{}Table", camel_case(&template.collect::<Vec<_>>().join("-")));
    let mut id = base.clone();
    let mut number = 2;
    while taken.contains_key(&id) {
        id = format!("{base}{number}");
        number += 1;
    }
    id
}

fn camel_case(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect()
}
