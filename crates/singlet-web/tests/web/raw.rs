//! Bodies other than JSON.

use crate::client::{Running, start, system};
use axum::Extension;
use serde_json::json;
use singlet_web::Options;
use singlet_web::api::{Api, Json, RawBody, RawKind, Route, StrictProblems};
use singlet_web::identity::Caller;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Above the server's limit for bodies.
struct Image;

impl RawKind for Image {
    const BYTES_MAX: usize = 200 << 10;
    const MEDIA_TYPES: &'static [&'static str] = &["image/png", "image/jpeg"];
}

struct Note;

impl RawKind for Note {
    const BYTES_MAX: usize = 10;
    const MEDIA_TYPES: &'static [&'static str] = &["text/plain"];
}

async fn upload(image: RawBody<Image>) -> Json<(usize, &'static str)> {
    Json((image.bytes.len(), image.media_type))
}

async fn upload_mine(_: Caller, image: RawBody<Image>) -> Json<usize> {
    Json(image.bytes.len())
}

async fn note(note: RawBody<Note>) -> Json<usize> {
    Json(note.bytes.len())
}

fn api() -> Api<()> {
    Api::new(())
        .named("test", "Images.")
        .route(Route::put("/image", upload).describe("putImage", "Puts an image."))
        .route(Route::put("/mine", upload_mine).describe("putMine", "Puts my image."))
        .route(Route::post("/mine", upload_mine).describe("addMine", "Adds one.").idempotent())
        .route(Route::put("/note", note).describe("putNote", "Puts a note."))
}

async fn server(strict: &StrictProblems) -> Running {
    let router = api().into_router().layer(Extension(strict.clone()));
    start(Options::default(), |server| server.with_system(system(router))).await
}

#[tokio::test]
async fn raw_bodies_have_a_bound_and_a_type() {
    let strict = StrictProblems::default();
    let server = server(&strict).await;
    let put = async |path: &str, line: &str, len: usize| {
        server.send(&format!("PUT /test/{path}"), &[line], &"x".repeat(len)).await
    };
    let (png, text) = ("content-type: image/png", "content-type: text/plain");
    // The limits of the routes apply, above and below the server's.
    assert_eq!(put("image", png, 200 << 10).await.json(), json!([200 << 10, "image/png"]));
    let jpeg = "content-type: Image/JPEG; charset=binary";
    assert_eq!(put("image", jpeg, 1).await.json(), json!([1, "image/jpeg"]));
    assert_eq!(put("note", text, 10).await.json(), json!(10));
    for (path, line, len) in [("image", png, (200 << 10) + 1), ("note", text, 11)] {
        let refused = put(path, line, len).await;
        assert_eq!((refused.status, refused.code().as_str()), (413, "too-large"), "{path}");
    }
    for line in [text, "content-type: image/svg+xml", "content-type: image/pngx", "x: y"] {
        let refused = put("image", line, 3).await;
        assert_eq!((refused.status, refused.code().as_str()), (415, "unsupported-type"), "{line}");
        assert_eq!(refused.json()["detail"], "the body must be image/png or image/jpeg");
    }
    assert_eq!(strict.undeclared(), Vec::<String>::new());
}

/// Regression: a body without Content-Length was not bounded.
#[tokio::test]
async fn a_body_without_a_length_has_the_same_bound() {
    let server = server(&StrictProblems::default()).await;
    let put = async |chunks: &str| {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = "PUT /test/note HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                    content-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(format!("{head}{chunks}0\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.get(..12).unwrap_or_default().to_owned()
    };
    assert_eq!(put("5\r\nhello\r\n5\r\nhello\r\n").await, "HTTP/1.1 200");
    assert_eq!(put("6\r\nhello \r\n5\r\nhello\r\n").await, "HTTP/1.1 413");
}

/// Regression: memory was reserved, and with a key the body was read, before authentication.
#[tokio::test]
async fn nothing_is_read_for_those_who_have_to_sign_in() {
    let strict = StrictProblems::default();
    let server = server(&strict).await;
    // The body is never sent, and too large anyway.
    let ask = async |method: &str, more: &str| {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = format!(
            "{method} /test/mine HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{more}\
             content-type: image/png\r\ncontent-length: 999999999\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.get(..12).unwrap_or_default().to_owned()
    };
    assert_eq!(ask("PUT", "").await, "HTTP/1.1 401");
    let key = "idempotency-key: 5b8e5f0c-3b0e-4f53-9f0e-3f2d8a3f1c11\r\n";
    assert_eq!(ask("POST", key).await, "HTTP/1.1 401");
    assert_eq!(strict.undeclared(), Vec::<String>::new());
}

/// Regression: a large upload over a slow network timed out, however steady.
#[tokio::test]
async fn an_upload_has_time_by_its_bytes() {
    // At a byte per second, 100 bytes add more than a minute; at a million they add nothing.
    for (rate, status) in [(1, "HTTP/1.1 200"), (1_000_000, "HTTP/1.1 408")] {
        let mut options = Options::default();
        options.limits.request_time_max = Duration::from_millis(500);
        options.limits.body_bytes_per_second_min = rate;
        let server = start(options, |server| server.with_system(system(api().into_router()))).await;
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = "PUT /test/image HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                    content-type: image/png\r\ncontent-length: 101\r\n\r\n";
        stream.write_all(format!("{head}{}", "x".repeat(100)).as_bytes()).await.unwrap();
        if rate == 1 {
            tokio::time::sleep(Duration::from_millis(1_000)).await;
            stream.write_all(b"x").await.unwrap();
        }
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.get(..12).unwrap_or_default(), status, "{rate}");
    }
}

#[test]
fn the_document_names_the_media_types() {
    let document = api().document();
    let content = &document["paths"]["/image"]["put"]["requestBody"]["content"];
    assert_eq!(content["image/png"]["schema"]["maxLength"], 200 << 10);
    assert!(content["image/jpeg"].is_object());
}
