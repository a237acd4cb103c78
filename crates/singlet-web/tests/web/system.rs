//! How the server runs a system.

use crate::client::{Running, start, system};
use futures_util::StreamExt;
use singlet::prelude::*;
use singlet_web::api::{Api, Created, Json, Path, get, post};
use singlet_web::identity::{Caller, LocalIssuer};
use singlet_web::job::{Job, Next};
use singlet_web::live::{SwitchingProtocols, WebSocketUpgrade};
use singlet_web::page::Asset;
use singlet_web::{
    IdentitySource, OpenError, Opened, Options, Persona, Server, Site, SiteOptions, Store, System,
    assets,
};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

const PATIENCE: Duration = Duration::from_secs(120);

async fn hello() -> Json<&'static str> {
    Json("hello")
}

async fn hello_to(name: Path<String>) -> Json<String> {
    Json(format!("hello {}", *name))
}

async fn write() -> Created<&'static str> {
    Created::at("/notes/1", "written")
}

async fn whoami(caller: Caller) -> Json<Vec<String>> {
    let groups = caller.groups.into_iter();
    Json([caller.subject, caller.name.unwrap_or_default()].into_iter().chain(groups).collect())
}

const PERSONAS: &[Persona] = &[
    Persona::new("ann", "Ann Onym", "a guest"),
    Persona::new("mo", "Mo", "moderator").with_groups(&["Staff"]).with_email("mo@example.com"),
];

async fn email(caller: Caller) -> Json<Option<String>> {
    Json(caller.email)
}

/// A system that uses all features of the server.
fn hello_system() -> System {
    System::new("hello", "Hello", "Says <hello>.").personas(PERSONAS).open(async |_| {
        let api = Api::new(())
            .route(get("/greeting", hello).describe("greet", "Says hello."))
            .route(get("/greeting/{name}", hello_to).describe("greetName", "Says hello to them."))
            .route(post("/notes", write).describe("write", "Writes.").idempotent())
            .route(get("/me", whoami).describe("me", "Who calls."))
            .route(get("/email", email).describe("email", "The caller's e-mail address."));
        let page = Asset {
            path: "/",
            content: Cow::Borrowed(
                b"<html lang=\"en\"><head>{head}<script src=\"{base}/page.js\"></script></head>\
                  <body>{header}</body></html>",
            ),
        };
        let mut pages = assets! { "/page.js" => "system.rs" };
        pages.push(page);
        Ok(Opened::new(api).pages(pages))
    })
}

async fn hello_server(identity: IdentitySource) -> Running {
    start(Options::default(), |site| site.with_system(hello_system()).with_identity(identity)).await
}

#[tokio::test]
async fn a_system_is_one_line() {
    let server = hello_server(IdentitySource::None).await;
    assert_eq!(server.get("/hello/greeting").await.body, "\"hello\"");
    assert!(server.get("/").await.body.contains("Says &lt;hello&gt;."));
    let document = server.get("/hello/openapi.json").await.json();
    assert_eq!(document["info"]["title"], "hello");
    assert_eq!(document["servers"][0]["url"], "/hello");
    assert!(server.get("/hello/api").await.status == 200);
}

#[tokio::test]
async fn pages_are_told_which_system_they_are_of() {
    let page = hello_server(IdentitySource::None).await.get("/hello").await.body;
    assert!(page.starts_with("<html data-system=\"hello\" lang=\"en\">"), "{page}");
    assert!(page.contains("src=\"/hello/page.js\"") && page.contains("singlet.css"), "{page}");
    assert!(page.contains("href=\"/hello\">Hello</a>") && !page.contains('{'), "{page}");
    let server = hello_server(IdentitySource::Local(LocalIssuer::new().unwrap())).await;
    assert!(server.get("/hello").await.body.contains("data-sign-in=\"/local\""));
    // Braces in scripts are left alone.
    assert!(server.get("/hello/page.js").await.body.contains("{head}"));
}

#[tokio::test]
async fn location_is_below_the_systems_name() {
    let server = hello_server(IdentitySource::None).await;
    let lines = ["content-type: application/json", "idempotency-key: b0a6cf52d5e04b1f9d7e31c2"];
    for _ in 0..2 {
        // The second one is replayed from the store.
        let written = server.send("POST /hello/notes", &lines, "{}").await;
        assert_eq!((written.status, written.headers["location"].as_str()), (201, "/hello/notes/1"));
    }
    // The server's own redirects stay unchanged.
    let slash = server.get("/hello/").await;
    assert_eq!((slash.status, slash.headers["location"].as_str()), (308, "/hello"));
}

async fn open(systems: Vec<System>) -> Result<Site, OpenError> {
    Site::open(systems, Store::memory().await?, SiteOptions::default()).await
}

#[tokio::test]
async fn two_systems_with_one_name_are_refused() {
    let twice = open(vec![hello_system(), hello_system()]).await.err().unwrap();
    assert!(matches!(twice, OpenError::DuplicateName("hello")), "{twice}");
    // Paths of the server itself.
    for name in ["assets", "jobs", "metrics", "problems"] {
        let taken = open(vec![System::new(name, "A", "B.")]).await.err().unwrap();
        assert!(matches!(taken, OpenError::DuplicateName(found) if found == name), "{taken}");
    }
    // Sign-in is a system too.
    let mut options = SiteOptions::default();
    options.identity = IdentitySource::Local(LocalIssuer::new().unwrap());
    let systems = vec![System::new("local", "A", "B.")];
    let taken = Site::open(systems, Store::memory().await.unwrap(), options).await.err().unwrap();
    assert!(matches!(taken, OpenError::DuplicateName("local")), "{taken}");
}

id!(NoteId);

#[table(name = "notes-{env}", key = (PK), entities(Note))]
pub(crate) struct Notes;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Notes, key = ("NOTE#{id}"))]
pub(crate) struct Note {
    pub(crate) id: NoteId,
    pub(crate) text: String,
    pub(crate) at: Timestamp,
}

#[tokio::test]
async fn only_declared_designs_are_opened() {
    let system = || {
        System::new("notes", "Notes", "Notes.").open(async |resources| {
            resources.database::<Notes>().await?;
            Ok(Opened::new(Api::new(())))
        })
    };
    let undeclared = open(vec![system()]).await.err().unwrap();
    assert_eq!(undeclared.to_string(), "the system notes opens Notes, which it does not declare");
    open(vec![system().design::<Notes>()]).await.unwrap();
}

#[tokio::test]
async fn a_persona_signs_in() {
    let server = hello_server(IdentitySource::Local(LocalIssuer::new().unwrap())).await;
    let personas = server.get("/local/personas").await.json();
    assert_eq!(personas["systems"][0]["name"], "hello");
    assert_eq!(personas["systems"][0]["personas"][1]["description"], "moderator");
    let sign_in = async |body: &str| server.post("/local/tokens", body).await;
    let signed = sign_in(r#"{"persona":{"system":"hello","subject":"mo"}}"#).await.json();
    let line = format!("authorization: Bearer {}", signed["token"].as_str().unwrap());
    let me = server.send("GET /hello/me", &[&line], "").await;
    assert_eq!(me.body, r#"["mo","Mo","Staff"]"#);
    for bad in [
        r#"{"persona":{"system":"hello","subject":"eve"}}"#,
        r#"{"persona":{"system":"other","subject":"mo"}}"#,
        r#"{"persona":{"system":"hello","subject":"mo"},"name":"eve"}"#,
        "{}",
    ] {
        let refused = sign_in(bad).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{bad}");
    }
    // Personas are on the page; proxies are refused here as well.
    let passed_on = server.send("GET /local/personas", &["via: 1.1 proxy"], "").await;
    assert_eq!(passed_on.status, 403);
}

#[tokio::test]
async fn a_persona_may_have_an_email_address() {
    let server = hello_server(IdentitySource::Local(LocalIssuer::new().unwrap())).await;
    for (persona, expected) in PERSONAS.iter().zip(["null", r#""mo@example.com""#]) {
        let subject = persona.subject;
        let wish = format!(r#"{{"persona":{{"system":"hello","subject":"{subject}"}}}}"#);
        let signed = server.post("/local/tokens", &wish).await.json();
        let line = format!("authorization: Bearer {}", signed["token"].as_str().unwrap());
        assert_eq!(server.send("GET /hello/email", &[&line], "").await.body, expected);
    }
    // Callers built without a token match.
    assert_eq!(PERSONAS[1].caller().email.as_deref(), Some("mo@example.com"));
    // The personas page omits e-mail addresses.
    assert!(!server.get("/local/personas").await.body.contains('@'));
}

/// Regression: a site with the local issuer was served on any address and let anyone sign in.
#[tokio::test]
async fn the_local_issuer_is_served_on_loopback_only() {
    for (address, is_refused) in [([0_u8, 0, 0, 0], true), ([127, 0, 0, 1], false)] {
        let mut options = SiteOptions::default();
        options.identity = IdentitySource::Local(LocalIssuer::new().unwrap());
        let store = Store::memory().await.unwrap();
        let site = Site::open(vec![hello_system()], store, options).await.unwrap();
        let options = Options { address: (address, 0).into(), ..Options::default() };
        let server = Server::bind(options).await.unwrap();
        match server.check(&site) {
            Err(OpenError::LocalIssuerInPublic(_)) => assert!(is_refused),
            checked => assert!(checked.is_ok() && !is_refused, "{checked:?}"),
        }
        let serving = server.serve(site, std::future::pending());
        let time = if is_refused { PATIENCE } else { Duration::from_millis(500) };
        assert_eq!(timeout(time, serving).await.is_ok(), is_refused, "{address:?}");
    }
    // Without it, a site may be served anywhere.
    let options = Options { address: ([0, 0, 0, 0], 0).into(), ..Options::default() };
    let server = Server::bind(options).await.unwrap();
    assert!(server.check(&open(vec![hello_system()]).await.unwrap()).is_ok());
}

#[tokio::test]
async fn metrics_name_operations_and_hold_no_paths() {
    let server = hello_server(IdentitySource::None).await;
    for _ in 0..3 {
        server.get("/hello/greeting/secret-name").await;
    }
    server.get("/hello/me").await;
    server.get("/hello/nothing-here").await;
    server.get("/nowhere").await;
    let page = server.get("/metrics").await;
    assert!(page.headers["content-type"].starts_with("text/plain"));
    for line in [
        r#"singlet_web_requests_total{system="hello",operation="greetName",outcome="ok"} 3"#,
        r#"singlet_web_requests_total{system="hello",operation="me",outcome="unauthenticated"} 1"#,
        r#"singlet_web_requests_total{system="none",operation="none",outcome="not-found"} 2"#,
        r#"singlet_web_request_seconds_count{system="hello",operation="greetName"} 3"#,
        "singlet_web_connections_total 7",
    ] {
        assert!(page.body.lines().any(|found| found == line), "{line} is not in:\n{}", page.body);
    }
    for path in ["secret-name", "nothing-here", "nowhere"] {
        assert!(!page.body.contains(path), "{path} is in:\n{}", page.body);
    }
    // Headers sent by Prometheus.
    let scrape = ["accept-encoding: gzip", "x-prometheus-scrape-timeout-seconds: 10"];
    assert_eq!(server.send("GET /metrics", &scrape, "").await.status, 200);
    // A proxy on this machine may speak for others.
    let passed_on = server.send("GET /metrics", &["x-forwarded-for: 198.51.100.7"], "").await;
    assert_eq!((passed_on.status, passed_on.code().as_str()), (404, "not-found"));
}

#[tokio::test]
async fn jobs_are_listed() {
    let server = start(Options::default(), |site| {
        site.with_system(System::new("busy", "Busy", "Works.").open(async |_| {
            let fails = Job::every("fails", Duration::from_secs(60), async |_| {
                Err(singlet_web::job::JobError::new("no <luck>"))
            });
            let idle = Job::every("idle", Duration::from_secs(60), async |_| Ok(Next::Interval));
            Ok(Opened::new(Api::new(())).job(fails.also_at_start()).job(idle))
        }))
    })
    .await;
    let accept = ["accept: application/json"];
    let failed = async {
        loop {
            let jobs = server.send("GET /jobs", &accept, "").await.json();
            if jobs[0]["lastError"] == "no <luck>" {
                return jobs;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let jobs = timeout(PATIENCE, failed).await.unwrap();
    assert_eq!((&jobs[0]["name"], &jobs[1]["name"]), (&"fails".into(), &"idle".into()));
    assert!(server.get("/jobs").await.body.contains("no &lt;luck&gt;"));
    let figures = server.get("/metrics").await.body;
    let line = r#"singlet_jobs_runs_total{system="busy",job="fails",outcome="error"} 1"#;
    assert!(figures.contains(line), "{figures}");
    let passed_on = server.send("GET /jobs", &["forwarded: for=198.51.100.7"], "").await;
    assert_eq!(passed_on.status, 404);
}

async fn listen(upgrade: WebSocketUpgrade) -> SwitchingProtocols {
    upgrade.serve(async |mut socket| while socket.next().await.is_some() {})
}

/// Sets a flag when dropped.
struct Ended(Arc<AtomicBool>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_stop_ends_sockets_at_once_and_jobs_after_ten_seconds() {
    let (has_begun, has_ended) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let opened = {
        let (has_begun, has_ended) = (Arc::clone(&has_begun), Arc::clone(&has_ended));
        let job = Job::every("endless", Duration::from_secs(60), move |_| {
            let ended = Ended(Arc::clone(&has_ended));
            has_begun.store(true, Ordering::SeqCst);
            async move {
                // Ignores the stop signal.
                std::future::pending::<()>().await;
                drop(ended);
                Ok(Next::Interval)
            }
        });
        let api = Api::new(()).route(get("/socket", listen).describe("listen", "Listens."));
        Opened::new(api).job(job.also_at_start())
    };
    let server = start(Options::default(), |site| site.with_system(system(opened))).await;
    let mut socket = server.socket("/test/socket").await;
    while !has_begun.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let begun = Instant::now();
    let stopped = tokio::spawn(server.stop());
    let closed = async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Close(frame))) => return frame,
                Some(Ok(_)) => {}
                _ => return None,
            }
        }
    };
    let closed = timeout(PATIENCE, closed).await.unwrap().unwrap();
    assert_eq!(u16::from(closed.code), 1001);
    timeout(PATIENCE, stopped).await.unwrap().unwrap();
    assert!(has_ended.load(Ordering::SeqCst));
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(9), "{took:?}");
}
