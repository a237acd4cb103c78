//! Indexes with composite keys, in files and declared as types.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic here is a failing test")]

use singlet::design::Design;
use singlet::prelude::*;

const FILE: &str = r#"{
    "name": "Issues",
    "tables": {"issues-{env}": {
        "key": {"partition": "PK"},
        "indexes": {"byState": {"key": {
            "partition": ["tenant", "region"],
            "sort": ["state", {"name": "priority", "type": "N"}]
        }}},
        "entities": {"Issue": {
            "key": {"partition": "ISSUE#{id}"},
            "indexes": {"byState": {
                "partition": ["{tenant}", "{region}"],
                "sort": ["{state}", "{priority}"],
                "only_with": "priority"
            }},
            "attributes": {
                "id": "id", "tenant": "id", "region": "id", "state": "id",
                "priority": {"type": "integer", "optional": true}
            }
        }}
    }},
    "patterns": {
        "Issue::key": {"operations": [{
            "action": "GetItem", "table": "issues-{env}", "entities": ["Issue"],
            "key": {"PK": "ISSUE#{id}"}
        }]},
        "Issue::by_state": {"operations": [{
            "action": "Query", "table": "issues-{env}", "index": "byState", "entities": ["Issue"],
            "key": {"tenant": "{tenant}", "region": "{region}"}
        }]}
    }
}"#;

id!(Id, Tenant, Region, State);

#[table(
    name = "issues-{env}",
    key = (PK),
    index(byState = ((tenant, region), (state, priority: N))),
    entities(Issue)
)]
struct Issues;

#[derive(Entity)]
#[entity(Issues, key = ("ISSUE#{id}"), byState by_state = ((tenant, region), (state, priority)))]
struct Issue {
    id: Id,
    tenant: Tenant,
    region: Region,
    state: State,
    priority: Option<u32>,
}

fn file() -> Design {
    Design::from_json(FILE).unwrap()
}

#[test]
fn a_file_says_what_the_types_say() {
    assert_eq!(Issues::design(), file());
    assert_eq!(Design::from_json(&file().to_json()).unwrap(), file());
    assert!(file().check().is_empty(), "{:?}", file().check());
}

#[test]
fn requests_have_all_attributes_in_their_order() {
    let design = file();
    let request: serde_json::Value =
        serde_json::from_str(&design.tables[0].create_table_json("test")).unwrap();
    let template: serde_json::Value = serde_json::from_str(&design.cloud_formation()).unwrap();
    let expected = serde_json::json!([
        {"AttributeName": "tenant", "KeyType": "HASH"},
        {"AttributeName": "region", "KeyType": "HASH"},
        {"AttributeName": "state", "KeyType": "RANGE"},
        {"AttributeName": "priority", "KeyType": "RANGE"},
    ]);
    assert_eq!(request["GlobalSecondaryIndexes"][0]["KeySchema"], expected);
    let resources = template["Resources"].as_object().unwrap();
    let table = resources.values().next().unwrap();
    let index = &table["Properties"]["GlobalSecondaryIndexes"][0];
    assert_eq!(index["KeySchema"], expected);
    assert_eq!(design.tables[0].create_table("test").unwrap().schema.name, "issues-test");
    let model = design.workbench("test", singlet::dynamo::Timestamp::from_millis(0));
    assert!(model.contains("\"GlobalSecondaryIndexes\": []"), "{model}");
}

#[test]
fn documents_show_both_lists() {
    let document = file().document();
    for expected in [
        "| `byState` | (`tenant`, `region`), (`state`, `priority` (N)) |",
        "| `byState` | `{tenant}`, `{region}` | `{state}`, `{priority}` |",
        "{tenant}, {region}\n└─ {state}, {priority}  Issue",
    ] {
        assert!(document.contains(expected), "{expected} in\n{document}");
    }
    let keys = "byState: `{tenant}`, `{region}` / `{state}`, `{priority}` with `priority`";
    assert!(file().key_table().contains(keys), "{}", file().key_table());
}

#[test]
fn differences_are_told_attribute_by_attribute() {
    let other = FILE.replace(r#"["tenant", "region"]"#, r#""tenant""#);
    let other = other.replace(r#"["{tenant}", "{region}"]"#, r#""{tenant}""#);
    assert_eq!(
        file().differences(&Design::from_json(&other).unwrap()),
        [
            "table issues-{env}, index byState: key ((tenant: S, region: S), (state: S, priority: N)) or ((tenant: S), (state: S, priority: N))",
            "table issues-{env}, entity Issue, index byState: partition key ({tenant}, {region}) or {tenant}",
        ]
    );
}

/// The check of a file reports the compiler's errors with the same messages.
#[test]
fn mistakes_are_found() {
    let found = |from: &str, to: &str| -> Vec<String> {
        let design = Design::from_json(&FILE.replace(from, to)).unwrap();
        design.check().iter().map(ToString::to_string).collect()
    };
    let at = "table 'issues-{env}', index 'byState'";
    assert_eq!(
        found(r#"["{state}", "{priority}"]"#, r#""{state}""#),
        [format!(
            "error[SD103] {at}, entity 'Issue': the key has 2 partition and 2 sort attributes, and the entity gives 2 and 1"
        )]
    );
    assert_eq!(
        found(r#""key": {"tenant": "{tenant}", "region""#, r#""key": {"region""#),
        [
            "error[SD301] pattern 'Issue::by_state', operation 1, attribute 'tenant': the query says nothing of the partition key `tenant`"
        ]
    );
    assert_eq!(
        found(
            r#""region": "{region}"}"#,
            r#""region": "{region}", "priority": {"at_least": "{priority}"}}"#
        ),
        [
            "error[SD315] pattern 'Issue::by_state', operation 1, attribute 'priority': the query asks for `priority`, and not for one value of `state`, which stands before it in the key"
        ]
    );
    let five = r#"["tenant", "region", "a", "b", "c"]"#;
    let found = found(r#"["tenant", "region"]"#, five);
    assert_eq!(
        found.iter().find(|finding| finding.contains("SD411")),
        Some(&format!("error[SD411] {at}: the partition key has more than four attributes"))
    );
    let error = Design::from_json(&FILE.replace(r#"["tenant", "region"]"#, "[]")).unwrap_err();
    assert!(error.to_string().contains("an empty list is no key"), "{error}");
}
