//! HTTP statuses, headers, and requests rejected before they reach the service: acceptance case 25
//! without the pages.

use crate::cases_images::{huge_png, jpeg_with_script, picture};
use fus::{DeletionMode, system_with};
use hyper::Method;
use image::ImageFormat;
use serde_json::{Value, json};
use singlet_testing::{TestClient, TestServer};

async fn server() -> TestServer {
    TestServer::start(vec![system_with(DeletionMode::Background)]).await
}

fn site(title: &str) -> Value {
    json!({"url": "https://site.example/", "title": title, "tags": ["One", "two words"]})
}

async fn put_bytes(client: &TestClient, path: &str, kind: &str, bytes: Vec<u8>) -> (u16, String) {
    let client = client.with_header("content-type", kind);
    let response = client.send_bytes(Method::PUT, path, bytes.into()).await;
    (response.status, response.code())
}

#[tokio::test]
async fn sites_have_addresses_versions_and_keys_that_make_once() {
    let server = server().await;
    let adam = server.as_user("adam", &["admin"]);
    let keyed = adam.with_header("idempotency-key", "0f8fad5b-d9cb-469f-a165-70867728950e");
    let made = keyed.post("/fus/v1/sites", site("Tides")).await;
    let first = made.expect(201);
    let path = made.headers["location"].clone();
    assert_eq!(path, format!("/fus/v1/sites/{}", first["id"].as_str().unwrap()));
    assert_eq!(made.version(), Some(1));
    assert_eq!(first["tags"], json!(["one", "two-words"]));
    assert_eq!(keyed.post("/fus/v1/sites", site("Tides")).await.expect(201)["id"], first["id"]);
    let listed = server.visitor().get("/fus/v1/sites").await.expect(200);
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    // Lists omit the page text; no response shows stored attributes.
    for (shown, has_text) in [(&listed["items"][0], false), (&first, true)] {
        assert_eq!(shown.get("scrapedContent").is_some(), has_text);
        for hidden in ["PK", "SK", "entityType", "entitySk", "state", "taskId", "ratingSum"] {
            assert_eq!(shown.get(hidden), None, "{hidden}");
        }
    }
    assert_eq!(adam.put(&path, site("Other")).await.code(), "if-match-required");
    let stale = adam.with_header("if-match", "\"9\"");
    assert_eq!(stale.put(&path, site("Other")).await.expect(412)["code"], "changed-meanwhile");
    let changed = adam.with_header("if-match", "\"1\"").put(&path, site("Other")).await;
    assert_eq!(
        (changed.expect(200)["title"].clone(), changed.version()),
        (json!("Other"), Some(2))
    );
    assert_eq!(adam.delete(&path).await.status, 204);
    assert_eq!(adam.delete(&path).await.expect(404)["code"], "site-not-found");
}

/// `law` asks for everything that was made where `Location` says; others see it there too.
#[tokio::test]
async fn comments_members_and_ratings_have_addresses() {
    let server = server().await;
    let (sofia, nils) = (server.as_user("sofia", &["SuperAdmin"]), server.as_user("nils", &[]));
    nils.send(Method::POST, "/fus/v1/me/login", None).await.expect(200);
    let path = sofia.post("/fus/v1/sites", site("Tides")).await.headers["location"].clone();
    let made = nils.post(&format!("{path}/comments"), json!({"body": "Yes."})).await;
    let shown = server.visitor().get(&made.headers["location"]).await;
    assert_eq!(shown.expect(200), made.expect(201));
    let nothing = format!("{path}/comments/none");
    assert_eq!(nils.get(&nothing).await.expect(404)["code"], "comment-not-found");
    let group = json!({"name": "Readers", "permissions": []});
    sofia.post("/fus/v1/groups", group).await.expect(201);
    let member = "/fus/v1/groups/Readers/members/nils";
    let made = sofia.send(Method::PUT, member, None).await.expect(201);
    assert_eq!(sofia.get(member).await.expect(200), made);
    assert_eq!(nils.get(member).await.expect(200), made);
    let nothing = "/fus/v1/groups/Readers/members/sofia";
    assert_eq!(sofia.get(nothing).await.expect(404)["code"], "member-not-found");
    // A site the caller has not rated returns null, not an error.
    assert_eq!(nils.get(&format!("{path}/rating")).await.expect(200), Value::Null);
}

#[tokio::test]
async fn members_are_added_once_and_repeated_without_harm() {
    let server = server().await;
    let (adam, nils) = (server.as_user("adam", &["admin"]), server.as_user("nils", &[]));
    let me = nils.send(Method::POST, "/fus/v1/me/login", None).await.expect(200);
    assert_eq!(me["userId"], "nils");
    assert!(me["lastLoginAt"].as_str().is_some_and(|at| at.ends_with("Z")));
    assert_eq!(me["lastLoginIp"], "127.0.0.1");
    assert_eq!(
        (&me["squash"], &me["roles"], &me["groups"]),
        (&json!("none"), &json!([]), &json!([]))
    );
    let group = json!({"name": "Readers", "description": "", "permissions": ["groups.read"]});
    let made = adam.post("/fus/v1/groups", group).await;
    assert_eq!((made.status, made.version()), (201, Some(1)));
    let unknown = json!({"name": "Others", "permissions": ["everything"]});
    assert_eq!(adam.post("/fus/v1/groups", unknown).await.expect(422)["code"], "invalid");
    // Regression: a misspelt field was ignored, and the group lost its permissions.
    let misspelt = json!({"name": "Typists", "permision": ["groups.read"]});
    let refused = adam.post("/fus/v1/groups", misspelt).await.expect(422);
    assert_eq!(refused["errors"][0]["field"], "/permision");
    let path = "/fus/v1/groups/Readers/members/nils";
    assert_eq!(adam.send(Method::PUT, path, None).await.status, 201);
    assert_eq!(adam.send(Method::PUT, path, None).await.status, 200);
    let me = nils.get("/fus/v1/me").await.expect(200);
    assert_eq!((&me["permissions"], &me["groups"]), (&json!(["groups.read"]), &json!(["Readers"])));
    let found = nils.get("/fus/v1/people?prefix=ni").await.expect(200);
    assert_eq!(found["items"], json!([{"userId": "nils", "displayName": "nils"}]));
    assert_eq!(nils.delete(path).await.status, 204);
    assert_eq!(nils.delete(path).await.status, 404);
}

#[tokio::test]
async fn case_24_pictures_are_taken_by_their_bytes_and_served_so_that_nothing_runs() {
    let server = server().await;
    let nils = server.as_user("nils", &[]);
    let path = "/fus/v1/me/avatar";
    let png = picture(ImageFormat::Png);
    // Regardless of the declared type.
    for kind in ["image/jpeg", "text/html", "image/svg+xml"] {
        assert_eq!(put_bytes(&nils, path, kind, png.clone()).await, (200, String::new()), "{kind}");
    }
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec();
    let refused = [
        (svg, 415, "image-type"),
        (huge_png(), 422, "image-dimensions"),
        (vec![0; (2 << 20) + 1], 413, "image-too-large"),
        (Vec::new(), 415, "image-type"),
    ];
    for (file, status, code) in refused {
        let answer = put_bytes(&nils, path, "image/png", file).await;
        assert_eq!(answer, (status, code.to_owned()));
    }
    assert_eq!(put_bytes(&nils, path, "image/jpeg", jpeg_with_script()).await.0, 200);
    let me = nils.get("/fus/v1/me").await.expect(200);
    let url = me["avatarUrl"].as_str().unwrap();
    let image = server.visitor().get(url).await;
    assert_eq!(image.status, 200);
    let headers = [
        ("content-type", "image/jpeg"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("content-disposition", "inline"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "public, max-age=31536000, immutable"),
    ];
    for (name, value) in headers {
        assert_eq!(image.headers[name], value, "{name}");
    }
    let read = image::load_from_memory(&image.body).unwrap();
    assert_eq!((read.width(), read.height()), (256, 256));
    for path in [
        "/fus/v1/users/nils/avatar/..%2f..%2fsecret.png",
        "/fus/v1/users/%2e%2e/avatar/0f8fad5b-d9cb-469f-a165-70867728950e.png",
        "/fus/v1/users/nils/avatar/0f8fad5b-d9cb-469f-a165-70867728950e.png",
    ] {
        assert_eq!(server.visitor().get(path).await.status, 404, "{path}");
    }
}

/// Regression: violations found by the service were reported one at a time, after all others.
#[tokio::test]
async fn everything_that_is_wrong_with_a_body_is_told_at_once() {
    let server = server().await;
    let sofia = server.as_user("sofia", &["SuperAdmin"]);
    let long = "x".repeat(121);
    for (path, body, fields) in [
        (
            "sites",
            json!({"url": "ftp://a", "title": "\u{301}", "tags": ["sea", "a/b"], "more": 1}),
            &["/more", "/tags/1", "/title", "/url"][..],
        ),
        ("sites", json!({"url": "x", "title": long}), &["/title", "/url"]),
        (
            "sites",
            json!({
                "url": "x", "title": "Tides", "scrapedContent": "é".repeat(4097),
                "tags": (0..201).map(|tag| tag.to_string()).collect::<Vec<_>>(),
            }),
            &["/scrapedContent", "/tags", "/url"],
        ),
        ("groups", json!({"name": "a b", "permissions": ["all"]}), &["/name", "/permissions/0"]),
        ("squash/players", json!({"name": "\u{200b}", "email": "@"}), &["/email", "/name"]),
    ] {
        let refused = sofia.post(&format!("/fus/v1/{path}"), body).await.expect(422);
        let errors = refused["errors"].as_array().unwrap().iter();
        let mut found: Vec<&str> = errors.map(|one| one["field"].as_str().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, fields, "{refused}");
    }
}

#[tokio::test]
async fn case_25_markup_is_text_and_only_http_addresses_are_taken() {
    let server = server().await;
    let adam = server.as_user("adam", &["admin"]);
    let script = "<script>alert(1)</script>";
    for address in
        ["javascript:alert(1)", "data:text/html,x", "https://user@site.example/", "ftp://a"]
    {
        let body = json!({"url": address, "title": "Bad"});
        let refused = adam.post("/fus/v1/sites", body).await.expect(422);
        assert_eq!(
            (&refused["code"], &refused["errors"][0]["field"]),
            (&json!("invalid"), &json!("/url"))
        );
    }
    let body = json!({
        "url": "https://site.example/<script>", "title": script, "description": script,
        "scrapedContent": script, "tags": ["safe"],
    });
    let made = adam.post("/fus/v1/sites", body).await;
    let shown = made.expect(201);
    assert_eq!(made.headers["content-type"], "application/json");
    assert_eq!(made.headers["x-content-type-options"], "nosniff");
    assert_eq!((&shown["title"], &shown["description"]), (&json!(script), &json!(script)));
    // In an address it is encoded, and in a tag refused.
    assert_eq!(shown["url"], "https://site.example/%3Cscript%3E");
    let tagged = json!({"url": "https://a.example", "title": "T", "tags": [script]});
    assert_eq!(adam.post("/fus/v1/sites", tagged).await.status, 422);
    let id = shown["id"].as_str().unwrap();
    let rating = json!({"stars": 5, "note": script});
    adam.put(&format!("/fus/v1/sites/{id}/rating"), rating).await.expect(200);
    let comment = json!({"body": script});
    adam.post(&format!("/fus/v1/sites/{id}/comments"), comment).await.expect(201);
    let profile = json!({"displayName": "<b>Adam</b>", "description": script});
    assert_eq!(adam.put("/fus/v1/me", profile).await.expect(200)["displayName"], "<b>Adam</b>");
    let comments = server.visitor().get(&format!("/fus/v1/sites/{id}/comments")).await.expect(200);
    assert_eq!(comments["items"][0]["body"], script);
    let found = server.visitor().get("/fus/v1/search?q=script").await.expect(200);
    assert_eq!(found["sites"][0]["title"], script);
    // Pages run no script that is not theirs.
    let page = server.visitor().get("/fus").await;
    let policy = &page.headers["content-security-policy"];
    assert!(policy.contains("default-src 'self'") && !policy.contains("unsafe"), "{policy}");
}

#[tokio::test]
async fn what_is_too_long_or_unknown_is_refused_at_its_field() {
    let server = server().await;
    let adam = server.as_user("adam", &["admin"]);
    let with = |name: &str, value: Value| {
        let mut body = site("Tides");
        body[name] = value;
        body
    };
    for (body, field) in [
        (with("title", json!("x".repeat(121))), "/title"),
        (with("title", json!("  ")), "/title"),
        (with("description", json!("x".repeat(2001))), "/description"),
        (with("scrapedContent", json!("é".repeat(4097))), "/scrapedContent"),
        (with("tags", json!((0..201).map(|tag| tag.to_string()).collect::<Vec<_>>())), "/tags"),
        (with("title", json!("\u{feff}")), "/title"),
        (with("tags", json!(["ok", "a/b"])), "/tags/1"),
        (with("url", json!(format!("https://a.example/{}", "x".repeat(2048)))), "/url"),
    ] {
        let refused = adam.post("/fus/v1/sites", body).await.expect(422);
        assert_eq!(refused["errors"][0]["field"], field, "{refused}");
    }
    // Limits apply after trimming, NFC and removal of duplicate tags.
    let accents = format!(" {} ", "e\u{301}".repeat(120));
    let body = json!({"url": "https://a.example", "title": accents, "tags": vec!["x"; 201]});
    let made = adam.post("/fus/v1/sites", body).await.expect(201);
    assert_eq!((&made["title"], &made["tags"]), (&json!("é".repeat(120)), &json!(["x"])));
    for path in [
        "/fus/v1/sites?limit=0",
        "/fus/v1/sites?limit=101",
        "/fus/v1/sites?cursor=forged",
        "/fus/v1/sites?other=1",
        "/fus/v1/ratings?stars=6",
        "/fus/v1/ratings",
    ] {
        assert_eq!(adam.get(path).await.status, 422, "{path}");
    }
    let long = format!("/fus/v1/search?q={}", "x".repeat(101));
    assert_eq!(adam.get(&long).await.status, 422);
    let empty = adam.get("/fus/v1/search?q=").await.expect(200);
    assert_eq!(empty, json!({"tags": [], "sites": [], "partial": false}));
    let sofia = server.as_user("sofia", &["SuperAdmin"]);
    for query in ["", "?from=2026-01-01", "?date=2026-01-01&from=2026-01-01&to=2026-01-02"] {
        assert_eq!(sofia.get(&format!("/fus/v1/squash/matches{query}")).await.status, 422);
        assert_eq!(adam.get(&format!("/fus/v1/squash/matches{query}")).await.code(), "squash-only");
    }
}

#[tokio::test]
async fn every_problem_type_is_declared_by_an_operation() {
    server().await.check_declarations("fus").await;
}
