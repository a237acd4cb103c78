//! The OpenAPI document matches the behaviour.

use crate::client::{start, system};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use singlet_web::Options;
use singlet_web::api::{Api, Body, Json, NoContent, Path, Query, Route};

/// A score.
///
/// ```
/// let secret_rust_example = 1;
/// ```
///
/// # Panics
///
/// Never.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Score {
    /// Who has it, see [`Score::points`] and [the rules](crate::rules).
    ///
    /// ```
    /// let secret_rust_example = 2;
    /// ```
    #[schemars(length(min = 1, max = 3))]
    name: String,
    points: u32,
    #[schemars(range(min = -5, max = 5))]
    bonus: Option<i32>,
    #[schemars(length(max = 2))]
    rounds: Vec<u8>,
}

async fn put_score(_: Path<u32>, score: Body<Score>) -> Json<Score> {
    Json(score.0)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// By name.
    Name,
    /// By points, the most first.
    Points,
}

#[derive(Deserialize, JsonSchema)]
struct Sorting {
    order: Option<Order>,
}

async fn find(_: Path<String>, sorting: Query<Sorting>) -> NoContent {
    let _ = sorting.0.order.map(|order| matches!(order, Order::Name | Order::Points));
    NoContent
}

fn api() -> Api<()> {
    Api::new(())
        .named("test", "Scores.")
        .route(Route::put("/scores/{number}", put_score).describe("putScore", "Puts a score."))
        .route(Route::get("/players/{name}", find).describe("find", "Finds.").idempotent())
}

/// All `description` values, at any depth.
fn descriptions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match value.as_str() {
                    Some(text) if name == "description" => found.push(text.to_owned()),
                    _ => descriptions(value, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| descriptions(value, found)),
        _ => {}
    }
}

/// Regression: the API page showed doc tests.
#[test]
fn descriptions_have_no_code() {
    let document = api().document();
    let schema = &document["components"]["schemas"]["Score"];
    assert_eq!(schema["description"], "A score.");
    let name = &schema["properties"]["name"]["description"];
    assert_eq!(name, "Who has it, see `Score::points` and the rules.");
    let mut found = Vec::new();
    descriptions(&document, &mut found);
    assert!(found.len() > 10);
    for text in found {
        for code in ["```", "secret_rust_example", "# ", "](", "[`"] {
            assert!(!text.contains(code), "{text}");
        }
    }
}

/// Values at the documented bounds are accepted, values beyond them rejected.
#[tokio::test]
async fn bounds_are_the_real_ones() {
    let document = api().document();
    let fields = &document["components"]["schemas"]["Score"]["properties"];
    assert_eq!(fields["points"]["maximum"], u32::MAX);
    assert_eq!(fields["rounds"]["items"]["maximum"], 255);
    let server =
        start(Options::default(), |server| server.with_system(system(api().into_router()))).await;
    let put = async |body: Value| {
        let lines = ["content-type: application/json"];
        server.send("PUT /test/scores/7", &lines, &body.to_string()).await
    };
    let good = json!({"name": "Ann", "points": 1, "bonus": 0, "rounds": []});
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    for (field, word, delta) in [
        ("points", "minimum", -1),
        ("points", "maximum", 1),
        ("bonus", "minimum", -1),
        ("bonus", "maximum", 1),
    ] {
        let bound = fields[field][word].as_i64().unwrap();
        assert_eq!(put(with(field, json!(bound))).await.status, 200, "{field} {word}");
        let refused = put(with(field, json!(bound + delta))).await;
        assert_eq!(refused.status, 422, "{field} {word}");
        let detail = refused.json()["errors"][0]["detail"].as_str().unwrap().to_owned();
        assert!(detail.starts_with("must be at "), "{detail}");
    }
    // Lengths count code points, as in JSON Schema.
    for (name, status) in [("ÄÖÜ", 200), ("😀😀😀", 200), ("😀😀😀😀", 422), ("", 422)]
    {
        assert_eq!(put(with("name", json!(name))).await.status, status, "{name}");
    }
    for (rounds, status) in [(json!([0, 255]), 200), (json!([256]), 422), (json!([1, 2, 3]), 422)] {
        assert_eq!(put(with("rounds", rounds.clone())).await.status, status, "{rounds}");
    }
    // Path parameters and headers.
    let parameter = |path: &str, method: &str, name: &str| {
        let all = document["paths"][path][method]["parameters"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap()["schema"].clone()
    };
    assert_eq!(parameter("/scores/{number}", "put", "number")["maximum"], u32::MAX);
    let max = parameter("/players/{name}", "get", "name")["maxLength"].as_u64().unwrap() as usize;
    for (len, status) in [(max, 204), (max + 1, 404)] {
        assert_eq!(server.get(&format!("/test/players/{}", "x".repeat(len))).await.status, status);
    }
    let key = parameter("/players/{name}", "get", "Idempotency-Key");
    assert_eq!((&key["minLength"], &key["maxLength"]), (&json!(16), &json!(130)));
}

/// Regression: a parameter referred to a schema missing in the document.
#[test]
fn every_reference_leads_to_a_schema() {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                map.values().for_each(|value| references(value, found));
            }
            Value::Array(list) => list.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let document = api().document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.iter().any(|target| target.ends_with("/Order")), "{found:?}");
    for target in found {
        assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target}");
    }
}

/// Regression: a malformed number in a path was reported as invalid instead of a 404.
#[tokio::test]
async fn a_path_with_a_value_of_another_type_leads_nowhere() {
    let server =
        start(Options::default(), |server| server.with_system(system(api().into_router()))).await;
    let body = r#"{"name":"Ann","points":1,"rounds":[]}"#;
    for (number, status, code) in [
        ("7", 200, ""),
        ("seven", 404, "not-found"),
        ("-1", 404, "not-found"),
        ("4294967296", 404, "not-found"),
    ] {
        let lines = ["content-type: application/json"];
        let answer = server.send(&format!("PUT /test/scores/{number}"), &lines, body).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{number}");
    }
}
