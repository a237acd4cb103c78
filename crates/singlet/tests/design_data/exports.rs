//! Exports of designs: the engine accepts the tables and the example items, costs match the
//! engine's charges, and templates have the required members.

use serde_json::{Value as Json, json};
use singlet::design::{AccessPattern, Action, Design, Entity, Operation, Table};
use singlet_dynamo::json::Writer;
use singlet_dynamo::operation::Request;
use singlet_dynamo::schema::Scope;
use singlet_dynamo::{Item, Timestamp};
use singlet_engine::Engine;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/designs")
}

/// All designs in the tests.
fn designs() -> Vec<Design> {
    let mut designs = Vec::new();
    for folder in [folder(), folder().join("sources"), folder().join("built")] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                designs.extend(Design::from_json(&text));
            }
        }
    }
    assert_eq!(designs.len(), 11, "five as they were written, five as they are built, and one");
    designs
}

fn tables() -> impl Iterator<Item = Table> {
    designs().into_iter().flat_map(|design| design.tables)
}

/// Sends a request to the engine; returns the JSON response or the error text.
fn ask(engine: &Engine, operation: &str, body: &Json) -> Json {
    let text = body.to_string();
    let answer = Request::from_json(operation, text.as_bytes())
        .map_err(|error| error.message().to_owned())
        .and_then(|request| engine.execute(request).map_err(|error| error.to_string()));
    match answer {
        Ok(answer) => {
            let mut writer = Writer::new();
            answer.write_json(&mut writer);
            serde_json::from_slice(&writer.into_bytes()).unwrap_or_default()
        }
        Err(error) => json!(error),
    }
}

/// An engine with this table.
fn engine_with(table: &Table) -> Engine {
    let engine = Engine::memory().unwrap_or_else(|error| unreachable!("no memory: {error}"));
    let request = serde_json::from_str(&table.create_table_json("test")).unwrap_or_default();
    let answer = ask(&engine, "CreateTable", &request);
    let made = answer.pointer("/TableDescription/TableName");
    assert_eq!(made, Some(&json!(table.name_in("test"))), "{answer}");
    assert!(engine.wait_until_active(&table.name_in("test")).is_ok());
    engine
}

fn item_json(table: &Table, entity: &Entity) -> Json {
    let item = Item::from_entries(table.example(entity));
    serde_json::from_slice(&item.to_json()).unwrap_or_default()
}

#[test]
fn the_engine_makes_the_tables_as_they_are_designed() {
    for table in tables() {
        let request = table.create_table("test").map_err(|error| error.message().to_owned());
        let mut schema = table.schema();
        schema.name = table.name_in("test");
        // Requests list local indexes first.
        schema.indexes.sort_by_key(|index| index.scope == Scope::Global);
        assert_eq!(request.map(|request| request.schema), Ok(schema), "{}", table.name);

        let engine = engine_with(&table);
        let name = json!({"TableName": table.name_in("test")});
        let description = &ask(&engine, "DescribeTable", &name)["Table"];
        assert_eq!(
            description["KeySchema"][0]["AttributeName"],
            json!(table.key.partition[0].name)
        );
        if let Some(request) = table.time_to_live_json("test") {
            let request = serde_json::from_str(&request).unwrap_or_default();
            ask(&engine, "UpdateTimeToLive", &request);
            let answer = ask(&engine, "DescribeTimeToLive", &name);
            assert_eq!(answer["TimeToLiveDescription"]["AttributeName"], json!(table.ttl));
        }
    }
}

#[test]
fn the_engine_takes_the_example_items() {
    for table in tables() {
        let engine = engine_with(&table);
        for entity in &table.entities {
            let item = item_json(&table, entity);
            let request = json!({"TableName": table.name_in("test"), "Item": item});
            assert_eq!(ask(&engine, "PutItem", &request), json!({}), "{} {item}", entity.name);
            for key in &entity.indexes {
                let Some(index) = table.index(&key.index) else {
                    continue;
                };
                let partition = index.key.partition[0].name();
                let query = json!({
                    "TableName": table.name_in("test"), "IndexName": index.name, "Select": "COUNT",
                    "KeyConditionExpression": "#p = :p",
                    "ExpressionAttributeNames": {"#p": partition},
                    "ExpressionAttributeValues": {":p": item[partition]},
                });
                let count = &ask(&engine, "Query", &query)["Count"];
                assert!(count.as_i64() > Some(0), "{} is in {}", entity.name, index.name);
            }
        }
    }
}

#[test]
fn costs_are_what_the_engine_charges() {
    for design in designs() {
        for table in &design.tables {
            let engine = engine_with(table);
            let name = table.name_in("test");
            // A declared size may differ from the example's.
            for entity in table.entities.iter().filter(|entity| entity.typical_bytes.is_none()) {
                let item = item_json(table, entity);
                let key: Json = table
                    .key
                    .iter()
                    .map(|attribute| (attribute.name().to_owned(), item[attribute.name()].clone()))
                    .collect();
                let operation = |action| Operation {
                    table: Some(table.name.clone()),
                    entities: vec![entity.name.clone()],
                    ..Operation::new(action)
                };
                let cost = |action| design.cost(&AccessPattern::new("it", vec![operation(action)]));
                let charged = |operation, mut body: Json| {
                    body["TableName"] = json!(name);
                    body["ReturnConsumedCapacity"] = json!("TOTAL");
                    let answer = ask(&engine, operation, &body);
                    answer["ConsumedCapacity"]["CapacityUnits"].as_f64()
                };
                let place = format!("{}, {}", design.name, entity.name);
                let put = charged("PutItem", json!({"Item": item}));
                assert_eq!(put, Some(cost(Action::PutItem).write_units), "{place}: put");
                let get = charged("GetItem", json!({"Key": key}));
                assert_eq!(get, Some(cost(Action::GetItem).read_units), "{place}: get");
                let delete = charged("DeleteItem", json!({"Key": key}));
                assert_eq!(delete, Some(cost(Action::DeleteItem).write_units), "{place}: delete");
            }
        }
    }
}

/// CloudFormation's table properties, as far as designs cover them.
const PROPERTIES: [&str; 9] = [
    "AttributeDefinitions",
    "BillingMode",
    "GlobalSecondaryIndexes",
    "KeySchema",
    "LocalSecondaryIndexes",
    "ProvisionedThroughput",
    "StreamSpecification",
    "TableName",
    "TimeToLiveSpecification",
];

#[test]
fn cloud_formation_gets_the_members_that_it_knows() {
    for design in designs() {
        let template: Json = serde_json::from_str(&design.cloud_formation()).unwrap_or_default();
        assert_eq!(template["AWSTemplateFormatVersion"], json!("2010-09-09"));
        let resources = template["Resources"].as_object().cloned().unwrap_or_default();
        assert_eq!(resources.len(), design.tables.len(), "{}", design.name);
        for (id, resource) in &resources {
            assert!(id.chars().all(|c| c.is_ascii_alphanumeric()), "{id}");
            assert_eq!(resource["Type"], json!("AWS::DynamoDB::Table"));
            assert_eq!(resource["DeletionPolicy"], json!("Retain"));
            let properties = resource["Properties"].as_object().cloned().unwrap_or_default();
            for name in properties.keys() {
                assert!(PROPERTIES.contains(&name.as_str()), "{id}: {name}");
            }
            for needed in ["AttributeDefinitions", "BillingMode", "KeySchema", "TableName"] {
                assert!(properties.contains_key(needed), "{id}: {needed}");
            }
        }
        // Names refer to declared parameters.
        let names =
            resources.values().filter_map(|own| own["Properties"]["TableName"].get("Fn::Sub"));
        for name in names.filter_map(Json::as_str) {
            let parameter = name.split("${").nth(1).and_then(|rest| rest.split('}').next());
            assert_eq!(
                template["Parameters"][parameter.unwrap_or_default()]["Type"],
                json!("String")
            );
        }
    }
}

#[test]
fn cloud_formation_and_create_table_define_the_same() {
    for design in designs() {
        let template: Json = serde_json::from_str(&design.cloud_formation()).unwrap_or_default();
        let mut definitions: Vec<Json> = template["Resources"]
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::values)
            .map(|resource| resource["Properties"].clone())
            .collect();
        for table in &design.tables {
            let mut request: Json =
                serde_json::from_str(&table.create_table_json("${Env}")).unwrap_or_default();
            // The template differs from the request in three ways: the name is an object, the
            // stream has no `StreamEnabled`, and the TTL attribute is included.
            request["TableName"] = Json::Null;
            if let Some(stream) =
                request.get_mut("StreamSpecification").and_then(Json::as_object_mut)
            {
                assert_eq!(stream.remove("StreamEnabled"), Some(json!(true)));
            }
            let same = definitions.iter_mut().position(|definition| {
                let mut definition = definition.clone();
                definition["TableName"] = Json::Null;
                if let Some(members) = definition.as_object_mut() {
                    let ttl = members.remove("TimeToLiveSpecification");
                    assert_eq!(ttl.is_some(), ttl.is_some_and(|ttl| ttl["Enabled"] == json!(true)));
                }
                definition == request
            });
            assert!(same.is_some(), "{} {request}", table.name);
            same.map(|place| definitions.remove(place));
        }
    }
}

/// Follows the format of files saved by Workbench: an attribute has one type per table, facets name
/// existing attributes, and items are DynamoDB JSON with full keys.
#[test]
fn workbench_models_hold_together() {
    let now = Timestamp::from_millis(1_769_851_800_000);
    for design in designs() {
        let model: Json = serde_json::from_str(&design.workbench("test", now)).unwrap_or_default();
        assert_eq!(model["ModelMetadata"]["DateCreated"], json!("Jan 31, 2026, 09:30 AM"));
        assert_eq!(model["ModelMetadata"]["AWSService"], json!("Amazon DynamoDB"));
        let tables = model["DataModel"].as_array().cloned().unwrap_or_default();
        assert_eq!(tables.len(), design.tables.len());
        for (model, table) in tables.iter().zip(&design.tables) {
            let mut types: Vec<(String, String)> = Vec::new();
            let mut add = |definition: &Json| {
                let text =
                    |member: &str| definition[member].as_str().unwrap_or_default().to_owned();
                let name = text("AttributeName");
                assert!(!name.is_empty() && !types.iter().any(|(own, _)| *own == name), "{name}");
                types.push((name, text("AttributeType")));
            };
            add(&model["KeyAttributes"]["PartitionKey"]);
            model["KeyAttributes"].get("SortKey").iter().for_each(|sort| add(sort));
            model["NonKeyAttributes"].as_array().into_iter().flatten().for_each(&mut add);
            let facets = model["TableFacets"].as_array().cloned().unwrap_or_default();
            assert_eq!(facets.len(), table.entities.len());
            for facet in &facets {
                let item = facet["TableData"][0].as_object().cloned().unwrap_or_default();
                assert!(Item::from_json(json!(item).to_string().as_bytes()).is_ok(), "{facet}");
                assert!(table.key.iter().all(|key| item.contains_key(key.name())));
                for (name, value) in &item {
                    let kind = value.as_object().and_then(|value| value.keys().next()).cloned();
                    let known =
                        types.iter().find(|(own, _)| own == name).map(|(_, kind)| kind.clone());
                    assert_eq!(known, kind, "{name} in {facet}");
                    let is_key = table.key.contains(name);
                    let listed = facet["NonKeyAttributes"].as_array().cloned().unwrap_or_default();
                    assert_eq!(listed.contains(&json!(name)), !is_key, "{name}");
                }
            }
            for index in model["GlobalSecondaryIndexes"].as_array().into_iter().flatten() {
                let partition = &index["KeyAttributes"]["PartitionKey"]["AttributeName"];
                assert!(types.iter().any(|(own, _)| partition == own.as_str()), "{index}");
            }
        }
    }
}

/// Snapshots of the documents. `UPDATE_EXPECT=1` rewrites them.
#[test]
fn documents_are_as_they_were_read_last() {
    for (design, document) in
        [("everything.json", "everything.md"), ("built/snakes.json", "built/snakes.md")]
    {
        let text = fs::read_to_string(folder().join(design)).unwrap_or_default();
        let found = Design::from_json(&text).map(|design| design.document()).unwrap_or_default();
        let path = folder().join(document);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            assert!(fs::write(&path, &found).is_ok());
        }
        assert_eq!(found, fs::read_to_string(&path).unwrap_or_default(), "{document}");
    }
}
