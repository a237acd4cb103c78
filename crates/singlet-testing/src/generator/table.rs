//! Requests about tables.

use super::design::{Design, Index, definitions, throughput};
use super::{Call, Generator, STORY, Step};
use serde_json::{Map, Value, json};

const VIEWS: &[&str] = &["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"];

impl Generator {
    /// Creates a table that stays.
    pub(super) fn new_table(&mut self, name: String, steps: &mut Vec<Step>) {
        let mut design = self.design(name);
        let mut body = design.create_table();
        if self.random.percent(50) {
            let view = self.pick(VIEWS);
            body.insert(
                "StreamSpecification".to_owned(),
                json!({"StreamEnabled": true, "StreamViewType": view}),
            );
            design.has_stream = true;
        }
        steps.push(Step::Ask(Call::new("CreateTable", body)));
        steps.push(Step::Settle(design.name.clone()));
        self.designs.push(design);
    }

    pub(super) fn delete_table(&mut self, name: &str, steps: &mut Vec<Step>) {
        steps.push(ask("DeleteTable", json!({"TableName": name})));
        steps.push(Step::Settle(name.to_owned()));
    }

    pub(super) fn about_tables(&mut self, steps: &mut Vec<Step>) {
        if !self.asks_endpoints() && self.random.percent(25) {
            return self.own_tables(steps);
        }
        match self.random.below(20) {
            0..6 => self.passing_table(steps),
            6..9 => self.update_table(steps),
            9..12 => {
                let design = self.any_design();
                let body = json!({"TableName": self.table_name(&design)});
                let operation =
                    self.pick(&["DescribeTable", "DescribeTimeToLive", "DescribeTable"]);
                self.ask(operation, body, steps);
            }
            12..14 => {
                let mut body = Map::new();
                if self.random.percent(50) {
                    let limit = if self.errs(10) {
                        self.pick(&[0, -1, 101])
                    } else {
                        self.pick(&[1, 2, 100])
                    };
                    body.insert("Limit".to_owned(), json!(limit));
                }
                if self.random.percent(40) {
                    let start = format!("{STORY}_a{}", self.pick(&["", "lpha", "x"]));
                    body.insert("ExclusiveStartTableName".to_owned(), json!(start));
                }
                self.ask("ListTables", body.into(), steps);
            }
            14..17 => self.time_to_live(steps),
            17..19 => {
                let operation = self.pick(&["DescribeLimits", "DescribeEndpoints"]);
                steps.push(ask(operation, json!({})));
            }
            _ => {
                let name = format!("{STORY}_nowhere");
                let operation = self.pick(&["DescribeTable", "DeleteTable", "DescribeTimeToLive"]);
                self.ask(operation, json!({"TableName": name}), steps);
            }
        }
    }

    /// Requests whose names or timing differ between endpoints, or that prevent deletion of a
    /// table.
    fn own_tables(&mut self, steps: &mut Vec<Step>) {
        let design = self.any_design();
        let mut arn = format!("arn:aws:dynamodb:us-east-1:000000000000:table/{}", design.name);
        if self.errs(10) {
            arn.push_str("_nowhere");
        }
        let tag = self.pick(&["owner", "stage", "cost centre"]);
        let (operation, body) = match self.random.below(12) {
            0..3 => return self.replace_table(steps),
            3 => {
                ("UpdateTable", json!({"TableName": design.name, "BillingMode": "PAY_PER_REQUEST"}))
            }
            4 => {
                let units = throughput(1 + self.random.below(3) as u64, 1);
                let mode = json!({"TableName": design.name, "BillingMode": "PROVISIONED", "ProvisionedThroughput": units});
                ("UpdateTable", mode)
            }
            5 => {
                let is_protected = self.random.percent(30);
                let change =
                    json!({"TableName": design.name, "DeletionProtectionEnabled": is_protected});
                ("UpdateTable", change)
            }
            6..9 => {
                let tags = json!([{"Key": tag, "Value": self.pick(&["us", "them"])}]);
                ("TagResource", json!({"ResourceArn": arn, "Tags": tags}))
            }
            9 => ("UntagResource", json!({"ResourceArn": arn, "TagKeys": [tag]})),
            _ => ("ListTagsOfResource", json!({"ResourceArn": arn})),
        };
        self.ask(operation, body, steps);
    }

    /// Deletes a table and recreates it with items.
    fn replace_table(&mut self, steps: &mut Vec<Step>) {
        self.mistakes = 0;
        let at = self.random.below(self.designs.len());
        let name = self.designs.remove(at).name;
        steps.push(ask("DeleteTable", json!({"TableName": name})));
        self.new_table(name, steps);
        steps.push(Step::Ask(self.load_many()));
    }

    fn ask(&mut self, operation: &'static str, body: Value, steps: &mut Vec<Step>) {
        let Value::Object(members) = body else {
            return;
        };
        let call = self.finished(operation, members);
        steps.push(Step::Ask(call));
    }

    /// A short-lived table, if it is created at all.
    fn passing_table(&mut self, steps: &mut Vec<Step>) {
        self.passing += 1;
        let name = format!("{STORY}_passing{}", self.passing);
        let design = self.design(name.clone());
        let mut body = design.create_table();
        if self.random.percent(30) {
            let view = self.pick(VIEWS);
            body.insert(
                "StreamSpecification".to_owned(),
                json!({"StreamEnabled": true, "StreamViewType": view}),
            );
        }
        if self.random.percent(20) {
            body.insert("DeletionProtectionEnabled".to_owned(), json!(false));
        }
        if self.random.percent(20) {
            body.insert(
                "TableClass".to_owned(),
                json!(self.pick(&["STANDARD", "STANDARD_INFREQUENT_ACCESS"])),
            );
        }
        if self.random.percent(20) {
            body.insert("Tags".to_owned(), json!([{"Key": "k", "Value": "v"}]));
        }
        if self.random.percent(20) {
            body.insert("SSESpecification".to_owned(), json!({"Enabled": false}));
        }
        self.misdesign(&mut body);
        self.ask("CreateTable", body.into(), steps);
        steps.push(Step::Settle(name.clone()));
        steps.push(ask("DescribeTable", json!({"TableName": name})));
        self.delete_table(&name, steps);
    }

    /// Makes a mistake that only table requests can have.
    fn misdesign(&mut self, body: &mut Map<String, Value>) {
        if !self.errs(50) {
            return;
        }
        match self.random.below(15) {
            0 => body["AttributeDefinitions"] = json!([]),
            1 => {
                if let Some(definitions) = body["AttributeDefinitions"].as_array_mut() {
                    definitions.push(json!({"AttributeName": "unused", "AttributeType": "S"}));
                }
            }
            2 => {
                if let Some(definitions) = body["AttributeDefinitions"].as_array_mut() {
                    definitions.pop();
                }
            }
            3 => {
                if let Some(schema) = body["KeySchema"].as_array_mut() {
                    schema.reverse();
                }
            }
            4 => {
                if let Some(schema) = body["KeySchema"].as_array_mut() {
                    let first = schema[0].clone();
                    schema.push(first);
                }
            }
            5 => body["KeySchema"] = json!([{"AttributeName": "pk", "KeyType": "RANGE"}]),
            6 => {
                body.insert("BillingMode".to_owned(), json!("PAY_PER_REQUEST"));
                body.insert("ProvisionedThroughput".to_owned(), throughput(1, 1));
            }
            7 => {
                body.remove("BillingMode");
                body.remove("ProvisionedThroughput");
            }
            8 => {
                body.insert("ProvisionedThroughput".to_owned(), throughput(0, 1));
                body.insert("BillingMode".to_owned(), json!("PROVISIONED"));
            }
            9 => {
                *body = plain(&body["TableName"]);
                let index = json!({"IndexName": "one", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}});
                body.insert("GlobalSecondaryIndexes".to_owned(), json!([index, index]));
            }
            10 => {
                *body = plain(&body["TableName"]);
                let index = json!({"IndexName": "one", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}});
                body.insert("LocalSecondaryIndexes".to_owned(), json!([index]));
            }
            11 => {
                let wrong = self.pick(&[
                    json!({"ProjectionType": "INCLUDE"}),
                    json!({"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}),
                    json!({"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]}),
                    json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": []}),
                    json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "a"]}),
                    json!({"ProjectionType": "SOME"}),
                    json!({}),
                ]);
                let index = json!({"IndexName": "one", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": wrong});
                *body = plain(&body["TableName"]);
                body.insert("GlobalSecondaryIndexes".to_owned(), json!([index]));
            }
            12 => {
                let wrong = self.pick(&[
                    json!({"StreamEnabled": true}),
                    json!({"StreamEnabled": false}),
                    json!({"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}),
                    json!({"StreamEnabled": true, "StreamViewType": "ALL"}),
                    json!({"StreamViewType": "KEYS_ONLY"}),
                    json!({}),
                ]);
                body.insert("StreamSpecification".to_owned(), wrong);
            }
            13 => {
                // Too many of a role, out of order, or duplicated.
                let wrong = self.pick(&[
                    "HASH a HASH b HASH c HASH d HASH e",
                    "HASH a RANGE b RANGE c RANGE d RANGE e RANGE f",
                    "HASH a RANGE b HASH c",
                    "HASH a HASH b RANGE a",
                    "RANGE a RANGE b",
                ]);
                let words: Vec<&str> = wrong.split(' ').collect();
                let mut names = vec!["pk"];
                let mut key = Vec::new();
                for element in words.chunks(2) {
                    names.push(element[1]);
                    key.push(json!({"AttributeName": element[1], "KeyType": element[0]}));
                }
                names.sort_unstable();
                names.dedup();
                let define = |name| json!({"AttributeName": name, "AttributeType": "S"});
                *body = plain(&body["TableName"]);
                body["AttributeDefinitions"] = names.into_iter().map(define).collect();
                let index = json!({"IndexName": "one", "KeySchema": key, "Projection": {"ProjectionType": "ALL"}});
                body.insert("GlobalSecondaryIndexes".to_owned(), json!([index]));
            }
            _ => body["TableName"] = json!(self.designs[0].name),
        }
    }

    fn update_table(&mut self, steps: &mut Vec<Step>) {
        let at = self.random.below(self.designs.len());
        let mut design = self.designs[at].clone();
        let mut body = Map::new();
        body.insert("TableName".to_owned(), self.table_name(&design));
        let is_right = self.mistakes == 0;
        match self.random.below(6) {
            0 | 1 => self.add_index(&mut design, &mut body),
            2 => self.remove_index(&mut design, &mut body),
            3 => {
                let change = match design.has_stream {
                    true => json!({"StreamEnabled": false}),
                    false => json!({"StreamEnabled": true, "StreamViewType": self.pick(VIEWS)}),
                };
                design.has_stream = !design.has_stream;
                body.insert("StreamSpecification".to_owned(), change);
            }
            4 => {
                body.insert(
                    "ProvisionedThroughput".to_owned(),
                    throughput(5 + self.random.below(2) as u64, 7),
                );
            }
            _ => {
                body.insert("DeletionProtectionEnabled".to_owned(), json!(false));
            }
        }
        self.ask("UpdateTable", body.into(), steps);
        steps.push(Step::Settle(design.name.clone()));
        if is_right {
            self.designs[at] = design;
        }
    }

    fn add_index(&mut self, design: &mut Design, body: &mut Map<String, Value>) {
        let Some(index) = self.index(design, false) else {
            return;
        };
        let mut attributes: Vec<_> = design.key().chain(index.key()).collect();
        attributes.sort_by_key(|attribute| attribute.name);
        attributes.dedup_by_key(|attribute| attribute.name);
        body.insert("AttributeDefinitions".to_owned(), definitions(attributes));
        let definition = design.with_throughput(index.definition());
        body.insert("GlobalSecondaryIndexUpdates".to_owned(), json!([{"Create": definition}]));
        design.indexes.push(index);
    }

    fn remove_index(&mut self, design: &mut Design, body: &mut Map<String, Value>) {
        // Local never finishes deleting an index that shares a key attribute with another key.
        let is_apart = |index: &Index| {
            let others = design.indexes.iter().filter(|other| other.name != index.name);
            let mut keys = design.key().chain(others.flat_map(Index::key));
            keys.all(|key| index.key().all(|own| own.name != key.name))
        };
        let global = design.indexes.iter().position(|index| !index.is_local && is_apart(index));
        let name = match global {
            Some(at) if !self.errs(20) => design.indexes.remove(at).name,
            _ => super::design::NO_INDEX,
        };
        body.insert(
            "GlobalSecondaryIndexUpdates".to_owned(),
            json!([{"Delete": {"IndexName": name}}]),
        );
    }

    /// Items do not expire in comparisons of endpoints: both may delay deletion.
    fn time_to_live(&mut self, steps: &mut Vec<Step>) {
        let design = self.any_design();
        let body = json!({
            "TableName": self.table_name(&design),
            "TimeToLiveSpecification": {
                "AttributeName": self.pick(&["expires", "expires", "other"]),
                "Enabled": self.random.percent(70),
            },
        });
        self.ask("UpdateTimeToLive", body, steps);
        steps.push(ask("DescribeTimeToLive", json!({"TableName": design.name})));
    }
}

fn ask(operation: &'static str, body: Value) -> Step {
    Step::Ask(Call { operation, body: body.to_string() })
}

/// The simplest table.
fn plain(name: &Value) -> Map<String, Value> {
    let members = [
        ("TableName", name.clone()),
        ("KeySchema", json!([{"AttributeName": "pk", "KeyType": "HASH"}])),
        ("AttributeDefinitions", json!([{"AttributeName": "pk", "AttributeType": "S"}])),
        ("BillingMode", json!("PAY_PER_REQUEST")),
    ];
    members.into_iter().map(|(member, value)| (member.to_owned(), value)).collect()
}
