//! The guest book of docs/a-system.md: the page matches the program, and the program does what the
//! page says.

use crate::client::{Running, TestResponse, start};
use serde_json::Value;
use singlet::Settings;
use singlet::engine::{Clock, Engine};
use singlet_web::api::StrictProblems;
use singlet_web::identity::LocalIssuer;
use singlet_web::job::{LastRun, LeaseName};
use singlet_web::{DemoPolicy, IdentitySource, Options, Store, Web};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

#[path = "../../examples/guestbook/main.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is a program of its own")]
mod program;

const FOLDER: &str = "examples/guestbook";

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The code blocks of the page in this language.
fn blocks(language: &str) -> Vec<String> {
    let page = read("../../docs/a-system.md");
    let fence = format!("```{language}\n");
    let behind = page.split(fence.as_str()).skip(1);
    behind.filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn the_blocks_of_the_page_are_the_program() {
    let program = read(&format!("{FOLDER}/main.rs"));
    // The first line describes the file.
    let (_, program) = program.split_once('\n').unwrap();
    assert_eq!(blocks("rust").join("\n"), program);
    assert_eq!(blocks("html").concat(), read(&format!("{FOLDER}/index.html")));
    assert_eq!(blocks("js").concat(), read(&format!("{FOLDER}/guestbook.js")));
}

#[test]
fn it_has_less_than_200_lines() {
    let files = ["main.rs", "index.html", "guestbook.js"];
    let lines = files.map(|file| read(&format!("{FOLDER}/{file}")).lines().count());
    assert!(lines.iter().sum::<usize>() < 200, "{lines:?}");
}

struct Fixture {
    server: Running,
    strict: StrictProblems,
}

impl Fixture {
    async fn open() -> Self {
        Self::on(Store::memory().await.unwrap()).await
    }

    async fn on(store: Store) -> Self {
        let strict = StrictProblems::default();
        let server = start(Options::default(), |site| {
            site.with_system(program::system()).with_store(store).with_options(|options| {
                options.identity = IdentitySource::Local(LocalIssuer::new().unwrap());
                options.demo = DemoPolicy::IfEmpty;
                options.strict_problems = Some(strict.clone());
            })
        })
        .await;
        Self { server, strict }
    }

    /// Signs in and returns the `Authorization` header line.
    async fn sign_in(&self, wish: &str) -> String {
        let signed = self.server.post("/local/tokens", wish).await.json();
        format!("authorization: Bearer {}", signed["token"].as_str().unwrap())
    }

    async fn persona(&self, subject: &str) -> String {
        let persona = format!(r#"{{"persona":{{"system":"guestbook","subject":"{subject}"}}}}"#);
        self.sign_in(&persona).await
    }

    async fn sign(&self, caller: &str, text: &str) -> TestResponse {
        let lines = ["content-type: application/json", caller];
        let body = serde_json::json!({ "text": text }).to_string();
        self.server.send("POST /guestbook/entries", &lines, &body).await
    }

    async fn remove(&self, caller: &str, location: &str) -> TestResponse {
        self.server.send(&format!("DELETE {location}"), &[caller], "").await
    }

    async fn texts(&self) -> Vec<String> {
        let list = self.server.get("/guestbook/entries").await.json();
        let entries = list["items"].as_array().unwrap().iter();
        entries.map(|entry| entry["text"].as_str().unwrap().to_owned()).collect()
    }
}

const NOBODY: &str = "accept: */*";

#[tokio::test]
async fn guests_sign_and_moderators_remove() {
    let book = Fixture::open().await;
    assert_eq!(book.texts().await, ["Thank you for the tea.", "What a view!"]);
    let (ann, mo) = (book.persona("ann").await, book.persona("mo").await);
    let bob = book.sign_in(r#"{"name":"bob"}"#).await;

    let unsigned = book.sign(NOBODY, "Hello").await;
    assert_eq!((unsigned.status, unsigned.code().as_str()), (401, "unauthenticated"));
    let long = book.sign(&ann, &"x".repeat(141)).await;
    assert_eq!((long.status, long.json()["errors"][0]["field"].clone()), (422, "/text".into()));
    // Regression: a blank text was stored as an empty entry.
    for blank in ["", "   ", "\n\u{200b}"] {
        let refused = book.sign(&ann, blank).await;
        let field = refused.json()["errors"][0]["field"].clone();
        assert_eq!((refused.status, field), (422, "/text".into()), "{blank:?}");
    }

    let mut locations = Vec::new();
    for text in [" first ", "second"] {
        let signed = book.sign(&ann, text).await;
        assert_eq!((signed.status, &signed.json()["name"]), (201, &"Ann".into()), "{signed:?}");
        assert_eq!(signed.json()["author"], Value::Null);
        assert!(signed.headers["location"].starts_with("/guestbook/entries/"), "{signed:?}");
        locations.push(signed.headers["location"].clone());
        // Regression: this was a 405.
        let found = book.server.get(&signed.headers["location"]).await;
        assert_eq!((found.status, found.json()), (200, signed.json()));
        // Ids of the same millisecond are unordered.
        sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(book.texts().await[..2], ["second", "first"]);

    for (caller, status) in [(NOBODY, 401), (&bob, 403), (&ann, 204), (&ann, 404)] {
        assert_eq!(book.remove(caller, &locations[0]).await.status, status, "{caller}");
    }
    assert_eq!(book.remove(&mo, &locations[1]).await.status, 204);
    assert_eq!(book.server.get(&locations[1]).await.code(), "entry-not-found");
    assert_eq!(book.remove(&mo, "/guestbook/entries/none").await.code(), "entry-not-found");
    assert_eq!(book.texts().await.len(), 2);
    assert_eq!(book.strict.undeclared(), Vec::<String>::new());
}

#[tokio::test]
async fn lists_come_in_parts() {
    let book = Fixture::open().await;
    let first = book.server.get("/guestbook/entries?limit=1").await.json();
    let cursor = first["next"].as_str().unwrap();
    let second = book.server.get(&format!("/guestbook/entries?limit=1&cursor={cursor}")).await;
    assert_eq!(second.json()["items"][0]["text"], "What a view!");
    let forged = book.server.get("/guestbook/entries?cursor=forged").await;
    assert_eq!((forged.status, forged.code().as_str()), (422, "invalid"));
}

/// The name and data of the next event.
async fn next_event(lines: &mut Lines<BufReader<TcpStream>>) -> (String, Value) {
    let (mut name, mut data) = (String::new(), Value::Null);
    loop {
        let line = timeout(Duration::from_secs(120), lines.next_line()).await.unwrap().unwrap();
        match line.as_deref().unwrap() {
            "" if !name.is_empty() => return (name, data),
            line => {
                if let Some(found) = line.strip_prefix("event: ") {
                    found.clone_into(&mut name);
                } else if let Some(found) = line.strip_prefix("data: ") {
                    data = serde_json::from_str(found).unwrap();
                }
            }
        }
    }
}

#[tokio::test]
async fn everybody_sees_entries_at_once() {
    let book = Fixture::open().await;
    let mut stream = TcpStream::connect(book.server.address).await.unwrap();
    stream.write_all(b"GET /guestbook/live HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    assert_eq!(next_event(&mut lines).await.0, "ready");
    let ann = book.persona("ann").await;
    let signed = book.sign(&ann, "Hello").await;
    let (event, entry) = next_event(&mut lines).await;
    assert_eq!((event.as_str(), &entry), ("entry", &signed.json()));
    book.remove(&ann, &signed.headers["location"]).await;
    assert_eq!(next_event(&mut lines).await.0, "removed");
}

/// Polls until `is_so` returns true.
async fn until(is_so: impl AsyncFn() -> bool) {
    let reached = async {
        while !is_so().await {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(120), reached).await.unwrap();
}

#[tokio::test]
async fn its_job_removes_what_is_older_than_thirty_days() {
    let clock = Clock::fixed(1_800_000_000_000);
    let settings = Settings { clock: clock.clone(), ..Settings::default() };
    let store = Store::embedded(Engine::memory().unwrap(), settings);
    let first = Fixture::on(store.clone()).await;
    let web = store.open::<Web>().await.unwrap();
    let job = LeaseName::new("guestbook.remove-old-entries").unwrap();
    until(async || web.get(LastRun::key(&job)).await.unwrap().is_some()).await;
    assert_eq!(first.texts().await.len(), 2);
    first.server.stop().await;
    // The entries are 30 days and 6 hours old, and 29 days and 2 hours. The job is overdue, so the
    // next server runs it at once.
    clock.advance(29 * 24 * 3_600_000);
    let second = Fixture::on(store).await;
    until(async || second.texts().await == ["Thank you for the tea."]).await;
}

#[tokio::test]
async fn its_page_its_job_and_its_figures_are_there() {
    let book = Fixture::open().await;
    let page = book.server.get("/guestbook").await;
    assert!(page.body.contains("src=\"/guestbook/guestbook.js\""), "{page:?}");
    assert!(book.server.get("/guestbook/guestbook.js").await.status == 200);
    assert!(book.server.get("/problems").await.body.contains("entry-not-found"));
    let jobs = book.server.send("GET /jobs", &["accept: application/json"], "").await.json();
    assert_eq!(jobs[0]["name"], "remove-old-entries");
    let figures = book.server.get("/metrics").await.body;
    assert!(figures.contains("singlet_web_subscribers{system=\"guestbook\"} 0"), "{figures}");
}
