//! Versions: `ETag` in responses, `If-Match` in requests.

use crate::client::{Running, start, system};
use axum::Extension;
use axum::extract::State;
use serde_json::json;
use singlet_web::Options;
use singlet_web::api::{Api, Created, IfMatch, Json, Route, StrictProblems, Versioned};
use singlet_web::problem::{Problem, changed_meanwhile};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Version = Arc<AtomicU64>;

async fn read(State(version): State<Version>) -> Json<u64> {
    Json(version.load(Ordering::SeqCst))
}

async fn show(State(version): State<Version>) -> Versioned<&'static str> {
    Versioned { version: version.load(Ordering::SeqCst), value: "a page" }
}

async fn change(
    State(version): State<Version>,
    IfMatch(seen): IfMatch,
) -> Result<Versioned<&'static str>, Problem> {
    let changed = version.compare_exchange(seen, seen + 1, Ordering::SeqCst, Ordering::SeqCst);
    changed.map_err(|stored| changed_meanwhile(seen, stored))?;
    Ok(Versioned { version: seen + 1, value: "a page" })
}

async fn remove(seen: Option<IfMatch>) -> Json<Option<u64>> {
    Json(seen.map(|IfMatch(version)| version))
}

async fn make() -> Created<&'static str> {
    Created::at("/page", "a page").version(1)
}

fn api(version: &Version) -> Api<Version> {
    Api::new(Arc::clone(version))
        .named("test", "Pages.")
        .route(Route::get("/version", read).describe("getVersion", "Shows the version."))
        .route(Route::get("/page", show).describe("getPage", "Shows the page."))
        .route(Route::put("/page", change).describe("changePage", "Changes the page."))
        .route(Route::delete("/page", remove).describe("removePage", "Removes the page."))
        .route(Route::post("/page", make).describe("makePage", "Makes a page."))
}

async fn server(strict: &StrictProblems) -> Running {
    let version = Arc::new(AtomicU64::new(7));
    let router = api(&version).into_router().layer(Extension(strict.clone()));
    start(Options::default(), |server| server.with_system(system(router))).await
}

#[tokio::test]
async fn a_version_is_an_etag() {
    let strict = StrictProblems::default();
    let server = server(&strict).await;
    let put = async |line: &str| server.send("PUT /test/page", &[line], "").await;
    assert_eq!(server.get("/test/page").await.headers["etag"], "\"7\"");
    let made = server.send("POST /test/page", &[], "").await;
    assert_eq!((made.status, made.headers["etag"].as_str()), (201, "\"1\""));
    let changed = put("if-match: \"7\"").await;
    assert_eq!((changed.status, changed.headers["etag"].as_str()), (200, "\"8\""));
    // Another client that also read version 7.
    let late = put("if-match: \"7\"").await;
    assert_eq!((late.status, late.code().as_str()), (412, "changed-meanwhile"));
    assert_eq!(late.json()["version"], 8);
    let without = put("x: y").await;
    assert_eq!((without.status, without.code().as_str()), (428, "if-match-required"));
    for wrong in [
        "8",
        "*",
        "W/\"8\"",
        "\"8\", \"9\"",
        "\"08\"",
        "\"+8\"",
        "\"\"",
        "\"8",
        "\"-1\"",
        "\"8 \"",
        "\"18446744073709551616\"",
        "ä",
    ] {
        let refused = put(&format!("if-match: {wrong}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{wrong}");
        assert_eq!(refused.json()["errors"][0]["field"], "if-match", "{wrong}");
    }
    let twice = ["if-match: \"8\"", "if-match: \"8\""];
    assert_eq!(server.send("PUT /test/page", &twice, "").await.status, 422);
    assert_eq!(server.get("/test/version").await.json(), json!(8));
    // An optional `If-Match` must still be a version.
    let delete = async |lines: &[&str]| server.send("DELETE /test/page", lines, "").await;
    assert_eq!(delete(&[]).await.json(), json!(null));
    assert_eq!(delete(&["if-match: \"8\""]).await.json(), json!(8));
    assert_eq!(delete(&["if-match: *"]).await.status, 422);
    assert_eq!(strict.undeclared(), Vec::<String>::new());
}

#[test]
fn the_document_says_where_if_match_is_needed() {
    let document = api(&Arc::default()).document();
    let header = |method: &str| document["paths"]["/page"][method]["parameters"][0].clone();
    assert_eq!(
        (&header("put")["name"], &header("put")["required"]),
        (&json!("if-match"), &json!(true))
    );
    assert_eq!(header("delete")["required"], json!(false));
    let responses = document["paths"]["/page"]["put"]["responses"].as_object().unwrap();
    assert!(["412", "428", "422"].iter().all(|status| responses.contains_key(*status)));
}
