//! Hostile input in queries and bodies (`law` covers paths): oversized ids and texts, and special
//! characters. None may cause a server error.

use fus::{DeletionMode, system_with};
use hyper::Method;
use serde_json::{Value, json};
use singlet_testing::{TestClient, TestServer};

/// Longer than any key of DynamoDB, which has at most 2,048 bytes.
const TOO_LONG_ID: usize = 3000;
/// Longer than any text that is stored.
const TOO_LONG_TEXT: usize = 9000;

fn hostile(too_long: usize) -> Vec<String> {
    let mut texts: Vec<String> = ["#", "a#b", "\0", "a\0b", "../..", "%2e", "😀", " ", "\u{202e}x"]
        .map(str::to_owned)
        .into();
    texts.extend(["\u{fdfa}".repeat(60), "é".repeat(too_long), "x".repeat(too_long)]);
    texts
}

/// Percent-encodes every byte except letters and digits.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(byte).to_string(),
        other => format!("%{other:02x}"),
    };
    text.bytes().map(byte).collect()
}

async fn server() -> (TestServer, TestClient) {
    let server = TestServer::start(vec![system_with(DeletionMode::Background)]).await;
    let sofia = server.as_user("sofia", &["SuperAdmin"]).with_header("if-match", "\"1\"");
    sofia.send(Method::POST, "/fus/v1/me/login", None).await.expect(200);
    (server, sofia)
}

/// Expects a 4xx; short texts may also be accepted.
fn assert_refused(status: u16, value: &str, what: &str) {
    let is_long = value.len() >= TOO_LONG_ID;
    let is_fine = (400..500).contains(&status) || (status < 300 && !is_long);
    assert!(is_fine, "{status} for {what} with {:?}", value.chars().take(20).collect::<String>());
}

/// A body with which an operation gets as far as its ids.
fn body_of(operation: &str) -> Option<Value> {
    let of_match = json!({
        "date": "2026-05-04", "teamAPlayer1Id": "a", "teamAPlayer2Id": "b", "teamBPlayer1Id": "c",
        "teamBPlayer2Id": "d", "teamAGames": 3, "teamBGames": 1, "winningTeam": "A",
    });
    Some(match operation {
        "createSite" | "updateSite" => json!({
            "url": "https://site.example/", "title": "Tides", "description": "About it.",
            "scrapedContent": "Text.", "tags": ["sea"],
        }),
        "rateSite" => json!({"stars": 4, "note": "Good."}),
        "addComment" | "editComment" => json!({"body": "Good."}),
        "moderateComment" => json!({"reason": "Rude."}),
        "createGroup" => json!({"name": "Readers", "description": "", "permissions": []}),
        "updateGroup" => json!({"description": "They read.", "permissions": ["groups.read"]}),
        "updateMe" => json!({"displayName": "Sofia", "description": ""}),
        "createPlayer" | "updatePlayer" => {
            json!({"name": "Ada", "email": "ada@club.example", "userId": "ada"})
        }
        "createMatch" | "updateMatch" => of_match,
        _ => return None,
    })
}

/// Every operation: its name, method, path, and the names of its query parameters.
async fn operations(server: &TestServer) -> Vec<(String, Method, String, Vec<String>)> {
    let document = server.visitor().get("/fus/openapi.json").await.expect(200);
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let Some(name) = operation["operationId"].as_str() else { continue };
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let in_query = parameters.iter().filter(|one| one["in"] == "query");
            let names = in_query.map(|one| one["name"].as_str().unwrap().to_owned()).collect();
            let method = method.to_uppercase().parse().unwrap();
            operations.push((name.to_owned(), method, format!("/fus{path}"), names));
        }
    }
    assert!(operations.len() > 40, "{}", operations.len());
    operations
}

#[tokio::test]
async fn no_query_leads_to_an_error_of_the_server() {
    let (server, sofia) = server().await;
    for (name, method, path, parameters) in operations(&server).await {
        for value in hostile(TOO_LONG_ID) {
            for parameter in &parameters {
                let others = match (name.as_str(), parameter.as_str()) {
                    ("listRatings", "site") => "&stars=5",
                    ("listMatches" | "getStandings", "from") => "&to=2026-01-31",
                    ("listMatches" | "getStandings", "to") => "&from=2026-01-01",
                    ("listMatches", "cursor" | "limit") => "&date=2026-01-31",
                    ("getStandings", _) => "&from=2026-01-01&to=2026-01-31",
                    _ => "",
                };
                let path = path.replace(['{', '}'], "");
                let path = format!("{path}?{parameter}={}{others}", encoded(&value));
                let status = sofia.send(method.clone(), &path, body_of(&name)).await.status;
                assert_refused(status, &value, &format!("{parameter} of {name}"));
            }
        }
    }
    // Bytes that are not UTF-8.
    assert_refused(sofia.get("/fus/v1/sites/%ff").await.status, "%ff", "an id");
    for path in ["/fus/v1/people?prefix=%ff", "/fus/v1/search?q=%c3"] {
        assert_eq!(sofia.get(path).await.status, 422, "{path}");
    }
}

#[tokio::test]
async fn no_field_of_a_body_leads_to_an_error_of_the_server() {
    let (server, sofia) = server().await;
    let site = sofia.post("/fus/v1/sites", body_of("createSite").unwrap()).await.expect(201);
    let site = site["id"].as_str().unwrap();
    let player = sofia.post("/fus/v1/squash/players", json!({"name": "Ada"})).await.expect(201);
    let player = player["id"].as_str().unwrap();
    for (name, method, path, _) in operations(&server).await {
        let Some(body) = body_of(&name) else { continue };
        let id = if path.contains("/squash/") { player } else { site };
        let path = path.replace("{siteId}", id).replace("{playerId}", id).replace(['{', '}'], "");
        for (field, valid) in body.as_object().unwrap() {
            for value in hostile(TOO_LONG_TEXT) {
                let mut body = body.clone();
                body[field] = match valid {
                    Value::Array(_) => json!([value]),
                    _ => json!(value),
                };
                let status = sofia.send(method.clone(), &path, Some(body)).await.status;
                assert_refused(status, &value, &format!("{field} of {name}"));
            }
            // Half of a character: JSON can say it, and no text can hold it.
            let mut body = body.clone();
            body[field] = json!("HALF");
            let text = body.to_string().replace("HALF", "\\ud800");
            let client = sofia.with_header("content-type", "application/json");
            let status = client.send_bytes(method.clone(), &path, text.into()).await.status;
            assert!((400..500).contains(&status), "{status} for half a character in {field}");
        }
    }
}
