//! The console as a browser sees it: over HTTP, with an engine in memory.
#![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

use serde_json::{Value, json};
use singlet::backend::Embedded;
use singlet::design::Design;
use singlet_console::{Console, Server};
use singlet_engine::Engine;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const DESIGN: &str = r#"{
    "name": "games",
    "tables": {"games": {
        "key": {"partition": "PK"},
        "entities": {"Game": {
            "key": {"partition": "GAME#{code}"},
            "attributes": {"code": "id"},
            "typical_bytes": 4000
        }}
    }},
    "patterns": {"Game": {"operations": [{"action": "GetItem", "entities": ["Game"]}]}}
}"#;

async fn start(change: impl FnOnce(Console) -> Console) -> SocketAddr {
    let console = Console::new(Embedded::new(Engine::memory().unwrap()), "in memory");
    let server = Server::bind(0).await.unwrap();
    let address = server.local_address().unwrap();
    tokio::spawn(server.serve(change(console), std::future::pending()));
    address
}

/// Sends a request and returns status and body.
async fn send(address: SocketAddr, head: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let request = format!("{head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    send(address, &format!("GET {path} HTTP/1.1\r\nHost: localhost"), "").await
}

async fn execute(address: SocketAddr, operation: &str, input: Value) -> (u16, Value) {
    let head = format!(
        "POST /console/request HTTP/1.1\r\nHost: {address}\r\n\
         X-Amz-Target: DynamoDB_20120810.{operation}"
    );
    let (status, body) = send(address, &head, &input.to_string()).await;
    (status, serde_json::from_str(&body).unwrap())
}

async fn create_table(address: SocketAddr) -> (u16, Value) {
    let input = json!({
        "TableName": "games",
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    execute(address, "CreateTable", input).await
}

fn item(text: &str) -> Value {
    json!({"TableName": "games", "Item": {"PK": {"S": "GAME#1"}, "text": {"S": text}}})
}

#[tokio::test]
async fn requests_are_executed_and_refused_as_dynamodb_does() {
    let address = start(|console| console).await;
    assert_eq!(create_table(address).await.0, 200);
    assert_eq!(execute(address, "PutItem", item("first")).await.0, 200);
    let key = json!({"TableName": "games", "Key": {"PK": {"S": "GAME#1"}}});
    let (status, answer) = execute(address, "GetItem", key).await;
    assert_eq!((status, &answer["Item"]["text"]), (200, &json!({"S": "first"})));
    let (status, answer) = execute(address, "Scan", json!({"TableName": "other"})).await;
    let kind = answer["__type"].as_str().unwrap();
    assert_eq!((status, kind.rsplit('#').next()), (400, Some("ResourceNotFoundException")));
    assert_eq!(execute(address, "NoSuchOperation", json!({})).await.0, 400);
}

#[tokio::test]
async fn a_read_only_console_refuses_every_write() {
    let address = start(Console::read_only).await;
    assert_eq!(execute(address, "ListTables", json!({})).await.0, 200);
    for operation in ["CreateTable", "PutItem", "UpdateItem", "DeleteTable", "TagResource"] {
        let (status, answer) = execute(address, operation, json!({})).await;
        assert_eq!((status, &answer["__type"]), (403, &json!("ReadOnly")), "{operation}");
    }
    assert!(get(address, "/console/about").await.1.contains("\"isReadOnly\":true"));
}

#[tokio::test]
async fn other_hosts_are_refused() {
    let address = start(|console| console).await;
    for host in ["example.com", "localhost.example.com", "127.0.0.1.nip.io"] {
        let head = format!("GET /console HTTP/1.1\r\nHost: {host}");
        assert_eq!(send(address, &head, "").await.0, 421, "{host}");
    }
}

#[tokio::test]
async fn pages_and_their_files_are_served() {
    let address = start(|console| console).await;
    let (status, page) = get(address, "/console").await;
    assert_eq!(status, 200);
    let links = page
        .split('"')
        .filter(|part| part.starts_with("/assets/") || part.starts_with("/console/"));
    for link in links {
        let (status, content) = get(address, link).await;
        assert_eq!(status, 200, "{link}");
        // An import of a file that is not served would fail only in the browser.
        let imports = content.split("from \"").skip(1).filter_map(|rest| rest.split('"').next());
        for import in imports {
            let path = import.replacen("./", "/console/", 1);
            assert_eq!(get(address, &path).await.0, 200, "{import} of {link}");
        }
    }
}

#[tokio::test]
async fn designs_come_with_costs_and_findings() {
    let address = start(|console| console.with_designs([Design::from_json(DESIGN).unwrap()])).await;
    let (_, body) = get(address, "/console/designs").await;
    let designs: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(designs[0]["design"]["name"], "games");
    assert_eq!(designs[0]["costs"]["Game"]["read"], 0.5);
    assert!(designs[0]["findings"].is_array());
}

#[tokio::test]
async fn changes_arrive_with_both_images() {
    let address = start(|console| console).await;
    create_table(address).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = "GET /console/changes?table=games HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    read_until(&mut stream, &mut seen, ": connected").await;
    execute(address, "PutItem", item("first")).await;
    execute(address, "PutItem", item("second")).await;
    read_until(&mut stream, &mut seen, "second").await;
    let text = String::from_utf8(seen).unwrap();
    let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let change: Value = serde_json::from_str(last).unwrap();
    assert_eq!(change["old"]["text"]["S"], "first");
    assert_eq!(change["new"]["text"]["S"], "second");
}

async fn read_until(stream: &mut TcpStream, seen: &mut Vec<u8>, text: &str) {
    while !String::from_utf8_lossy(seen).contains(text) || !seen.ends_with(b"\r\n") {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "the stream ended");
        seen.extend_from_slice(buffer.get(..count).unwrap());
    }
}
