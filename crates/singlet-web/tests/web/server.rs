//! Behaviour common to all requests.

use crate::client::{Running, start, system};
use axum::Router;
use axum::routing::get;
use singlet_web::{Limits, Options, page};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(120);

async fn server() -> Running {
    server_with(Limits::default()).await
}

/// A server with short limits. Under load it may cut off well-behaved clients too.
async fn impatient() -> Running {
    let mut limits = Limits::default();
    limits.request_time_max = Duration::from_millis(300);
    limits.head_time_max = Duration::from_millis(500);
    limits.idle_time_max = Duration::from_millis(500);
    limits.stall_time_max = Duration::from_millis(500);
    server_with(limits).await
}

async fn server_with(limits: Limits) -> Running {
    let router = Router::new()
        .route("/hello", get(async || "hello"))
        .route("/bug", get(async || -> &'static str { panic!("a bug, planted by a test") }))
        .route("/slow", get(async || std::future::pending::<()>().await))
        .merge(page::router(singlet_web::assets! { "/page.css" => "../../assets/reference.css" }));
    let options = Options { limits, ..Options::default() };
    start(options, |server| server.with_system(system(router)).with_note("In <memory>.")).await
}

#[tokio::test]
async fn the_first_page_lists_the_systems_and_runs_no_markup() {
    let server = server().await;
    let home = server.get("/").await;
    assert_eq!(home.status, 200);
    assert!(home.body.contains(r#"href="/test""#) && home.body.contains("In &lt;memory&gt;."));
    let policy = &home.headers["content-security-policy"];
    assert!(policy.contains("default-src 'self'") && !policy.contains("unsafe"));
    assert_eq!(home.headers["x-content-type-options"], "nosniff");
    assert_eq!(home.headers["referrer-policy"], "no-referrer");
    assert!(server.get("/problems").await.body.contains(r#"id="rate-limited""#));
}

#[tokio::test]
async fn what_is_not_there_is_a_problem() {
    let server = server().await;
    let missing = server.get("/test/nothing").await;
    assert_eq!((missing.status, missing.code().as_str()), (404, "not-found"));
    assert!(missing.headers.contains_key("content-security-policy"));
    let wrong_method = server.send("DELETE /test/hello", &[], "").await;
    assert_eq!((wrong_method.status, wrong_method.code().as_str()), (405, "method-not-allowed"));
    assert_eq!(wrong_method.headers["allow"], "GET,HEAD");
}

/// Regression: quality values and letter case were ignored, and caches could mix up the responses.
#[tokio::test]
async fn an_unknown_address_answers_with_what_the_client_prefers() {
    let server = server().await;
    for (accept, is_page) in [
        ("Text/HTML", true),
        ("text/html;Q=0.5, application/json;q=0.1", true),
        ("text/html, application/json", true),
        ("text/html;q=0", false),
        ("text/html; q=0.0, */*", false),
        ("application/json, text/html;q=0.1", false),
        ("application/problem+json;q=0.8, text/html;q=0.7", false),
        ("application/json;q=0.2, text/html;q=0.7", true),
        ("text/*", false),
    ] {
        let missing = server.send("GET /nowhere", &[&format!("accept: {accept}")], "").await;
        let kind = missing.headers["content-type"].as_str();
        assert_eq!((missing.status, kind.starts_with("text/html")), (404, is_page), "{accept}");
        assert_eq!(missing.headers["vary"], "Accept", "{accept}");
    }
}

/// Regression: browsers got JSON.
#[tokio::test]
async fn an_unknown_address_answers_a_browser_with_a_page() {
    let server = server().await;
    let accept = "accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (path, is_in_system) in [("/test/nothing/here", true), ("/nowhere", false)] {
        let page = server.send(&format!("GET {path}"), &[accept], "").await;
        let kind = page.headers["content-type"].as_str();
        assert_eq!((page.status, kind), (404, "text/html; charset=utf-8"), "{path}");
        assert!(page.body.contains("Page not found") && page.body.contains(r#"href="/""#));
        assert_eq!(page.body.contains(r#"href="/test""#), is_in_system, "{path}");
        assert!(page.headers.contains_key("content-security-policy"));
        for accept in ["accept: */*", "accept: application/json"] {
            let missing = server.send(&format!("GET {path}"), &[accept], "").await;
            assert_eq!((missing.status, missing.code().as_str()), (404, "not-found"));
        }
    }
}

#[tokio::test]
async fn every_answer_carries_the_name_of_its_request() {
    let server = server().await;
    let given = server.send("GET /test/hello", &["x-request-id: mine-1"], "").await;
    assert_eq!(given.headers["x-request-id"], "mine-1");
    let made_up = server.send("GET /test/hello", &["x-request-id: <script>"], "").await;
    assert_eq!(made_up.headers["x-request-id"].len(), 32);
}

#[tokio::test]
async fn a_bug_is_an_answer_and_the_server_goes_on() {
    let server = server().await;
    let answer = server.get("/test/bug").await;
    assert_eq!((answer.status, answer.code().as_str()), (500, "internal"));
    assert!(!answer.body.contains("planted"));
    assert_eq!(server.get("/test/hello").await.body, "hello");
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    let server = impatient().await;
    let slow = server.get("/test/slow").await;
    assert_eq!((slow.status, slow.code().as_str()), (408, "timeout"));
    // A client that never finishes its head.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: local").await.unwrap();
    let mut rest = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut rest)).await.unwrap();
    // A client that sends nothing.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    assert_eq!(timeout(PATIENCE, stream.read(&mut [0; 1])).await.unwrap().unwrap_or(0), 0);
}

/// Regression: a client that sent requests and never read responses kept its connection.
#[tokio::test]
async fn who_asks_and_never_listens_is_cut_off() {
    let mut limits = Limits::default();
    limits.stall_time_max = Duration::from_millis(500);
    let server = server_with(limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let asked = async {
        loop {
            let request = b"GET /test/page.css HTTP/1.1\r\nhost: localhost\r\n\r\n";
            if let Err(error) = stream.write_all(request).await {
                break error;
            }
        }
    };
    let ended = timeout(PATIENCE, asked).await;
    assert!(ended.is_ok(), "still connected");
    assert_eq!(server.get("/test/hello").await.body, "hello");
}

/// Regression: a client that read a byte now and then kept a large response in memory.
#[tokio::test]
async fn a_long_answer_must_be_taken_at_a_rate() {
    const BYTES: usize = 64 << 20;
    let router = || Router::new().route("/large", get(async || vec![b'x'; BYTES]));
    let mut limits = Limits::default();
    limits.stall_time_max = Duration::from_millis(500);
    limits.answer_bytes_per_second_min = BYTES;
    let options = Options { limits, ..Options::default() };
    let server = start(options, |server| server.with_system(system(router()))).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = b"GET /test/large HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(request).await.unwrap();
    // Reads something every 50 ms, for twelve seconds at least.
    let (mut taken, mut part) = (0, vec![0; 256 << 10]);
    while let Ok(bytes @ 1..) = stream.read(&mut part).await {
        taken += bytes;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(taken < BYTES, "it was never cut off");
    // The default limits allow more time.
    let patient = start(Options::default(), |server| server.with_system(system(router()))).await;
    let large = patient.get("/test/large").await;
    assert_eq!((large.status, large.body.len()), (200, BYTES));
}

#[tokio::test]
async fn names_and_sites_are_checked_before_anything_else() {
    let server = server().await;
    let rebound = server.send("GET /test/hello", &["host: evil.example"], "").await;
    assert_eq!((rebound.status, rebound.code().as_str()), (421, "misdirected"));
    let foreign = server.send("POST /test/hello", &["origin: http://evil.example"], "").await;
    assert_eq!((foreign.status, foreign.code().as_str()), (403, "cross-site"));
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let server = server().await;
    let large = format!("cookie: {}", "x".repeat(64 << 10));
    let answer = server.send("GET /test/hello", &[&large], "").await;
    assert_eq!(answer.status, 431);
}

#[tokio::test]
async fn browsers_keep_files_and_ask_whether_they_are_still_good() {
    let server = server().await;
    let first = server.get("/test/page.css").await;
    assert_eq!(first.headers["content-type"], "text/css; charset=utf-8");
    assert_eq!(first.headers["cache-control"], "no-cache");
    let condition = format!("if-none-match: \"other\", W/{}", first.headers["etag"]);
    let again = server.send("GET /test/page.css", &[&condition], "").await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let changed = server.send("GET /test/page.css", &["if-none-match: \"other\""], "").await;
    assert_eq!(changed.body, first.body);
}

#[tokio::test]
async fn requests_in_flight_are_answered_before_the_server_ends() {
    let begun = Arc::new(Notify::new());
    let begin = Arc::clone(&begun);
    let slow = get(async move || {
        begin.notify_one();
        tokio::time::sleep(Duration::from_millis(300)).await;
        "done"
    });
    let router = Router::new().route("/slow", slow);
    let server = start(Options::default(), |server| server.with_system(system(router))).await;
    let address = server.address;
    let request = tokio::spawn(async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /test/slow HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    });
    begun.notified().await;
    server.stop().await;
    assert!(request.await.unwrap().ends_with("done"));
    assert!(TcpStream::connect(address).await.is_err());
}
