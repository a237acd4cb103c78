//! What only HTTP shows: statuses, headers, and what is refused before the service is asked.
//! Acceptance case 25, as far as it is not about pages.

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
    // Lists leave the text of the page out; nothing shows how it is stored.
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

/// The five operations that take an `Idempotency-Key`.
#[tokio::test]
async fn what_is_sent_twice_with_one_key_is_made_once() {
    let server = server().await;
    let sofia = server.as_user("sofia", &["SuperAdmin"]);
    let made = sofia.post("/fus/v1/sites", site("Tides")).await.expect(201);
    let comments = format!("/fus/v1/sites/{}/comments", made["id"].as_str().unwrap());
    let mut players = Vec::new();
    for name in ["Ada", "Ben", "Cleo", "Dan"] {
        let made = sofia.post("/fus/v1/squash/players", json!({"name": name})).await.expect(201);
        players.push(made["id"].clone());
    }
    let played = json!({
        "date": "2026-05-04", "teamAGames": 3, "teamBGames": 1,
        "teamAPlayer1Id": players[0], "teamAPlayer2Id": players[1],
        "teamBPlayer1Id": players[2], "teamBPlayer2Id": players[3],
    });
    let group = json!({"name": "Readers", "description": "", "permissions": []});
    let requests = [
        ("/fus/v1/sites", "", site("Trains"), "0f8fad5b-d9cb-469f-a165-70867728950e"),
        (comments.as_str(), "", json!({"body": "Yes."}), "7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ("/fus/v1/groups", "", group, "16fd2706-8baf-433b-82eb-8c7fada847da"),
        (
            "/fus/v1/squash/players",
            "",
            json!({"name": "Eve"}),
            "886313e1-3b8a-4372-9b90-0c9aee199e5d",
        ),
        (
            "/fus/v1/squash/matches",
            "?date=2026-05-04",
            played,
            "6ecd8c99-4036-403d-bf84-cf8400f67836",
        ),
    ];
    for (path, query, body, key) in requests {
        let listed = format!("{path}{query}");
        let count = async || {
            let list = sofia.get(&listed).await.expect(200);
            list["items"].as_array().unwrap().len()
        };
        let before = count().await;
        let keyed = sofia.with_header("idempotency-key", key);
        let first = keyed.post(path, body.clone()).await;
        let second = keyed.post(path, body).await;
        assert_eq!(second.expect(201), first.expect(201), "{path}");
        assert_eq!(second.headers["location"], first.headers["location"], "{path}");
        assert_eq!(count().await, before + 1, "{path}");
    }
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
    // Whatever it says that it is.
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
    // Limits are those of what is stored: without blanks around it, in NFC, each tag once.
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
