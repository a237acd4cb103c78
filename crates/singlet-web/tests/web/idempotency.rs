//! Requests with an Idempotency-Key: repeated by the client, executed once.

use crate::client::{Running, TestResponse, start, system};
use axum::Extension;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::Settings;
use singlet::backend::{Backend as _, Embedded, Execution};
use singlet::engine::{Clock, Engine, Options as EngineOptions};
use singlet_testing::Intercepted;
use singlet_web::api::{Api, Body, Created, Json, NoContent, Path, StrictProblems, post};
use singlet_web::identity::{Caller, LocalIssuer};
use singlet_web::problem::{
    FORBIDDEN, IF_MATCH_REQUIRED, INTERNAL, NOT_FOUND, Problem, UNAVAILABLE,
};
use singlet_web::{IdentitySource, Options, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Order {
    #[schemars(length(max = 20))]
    what: String,
}

#[derive(Serialize, JsonSchema)]
struct Ordered {
    number: u64,
    what: String,
}

async fn order(
    State(count): State<Arc<AtomicU64>>,
    order: Body<Order>,
) -> Result<Created<Ordered>, Problem> {
    let number = count.fetch_add(1, Ordering::SeqCst) + 1;
    match order.what.as_str() {
        "nothing" => return Err(Problem::new(&FORBIDDEN)),
        "half" => return Err(Problem::new(&INTERNAL)),
        "busy" => return Err(Problem::new(&UNAVAILABLE)),
        "crowded" => return Err(Problem::new(&UNAVAILABLE).safe_to_retry()),
        "large" => {
            let value = Ordered { number, what: "x".repeat(300 << 10) };
            return Ok(Created::at(format!("/orders/{number}"), value));
        }
        "bug" => panic!("a bug, planted by a test"),
        "slow" => tokio::time::sleep(Duration::from_millis(400)).await,
        _ => {}
    }
    let value = Ordered { number, what: order.what.clone() };
    Ok(Created::at(format!("/orders/{number}"), value).version(7))
}

async fn order_signed_in(
    state: State<Arc<AtomicU64>>,
    _: Caller,
    body: Body<Order>,
) -> Result<Created<Ordered>, Problem> {
    order(state, body).await
}

async fn order_anyhow(
    state: State<Arc<AtomicU64>>,
    _: Option<Caller>,
    body: Body<Order>,
) -> Result<Created<Ordered>, Problem> {
    order(state, body).await
}

/// Groups of a token act as grants that a test can revoke.
async fn check_staff(caller: Caller, _: Body<Order>) -> Result<NoContent, Problem> {
    let is_staff = caller.groups.contains("staff");
    if is_staff { Ok(NoContent) } else { Err(Problem::new(&NOT_FOUND)) }
}

async fn order_as_staff(
    state: State<Arc<AtomicU64>>,
    caller: Caller,
    body: Body<Order>,
) -> Result<Created<Ordered>, Problem> {
    check_staff(caller, Body(Order { what: String::new() })).await?;
    order(state, body).await
}

async fn order_for(
    state: State<Arc<AtomicU64>>,
    _: Caller,
    Path((_, what)): Path<(String, String)>,
) -> Result<Created<Ordered>, Problem> {
    order(state, Body(Order { what })).await
}

/// Takes only the first path parameter of the route.
async fn check_table(caller: Caller, Path(table): Path<String>) -> Result<NoContent, Problem> {
    let may_order = caller.groups.contains(&table);
    if may_order { Ok(NoContent) } else { Err(Problem::new(&FORBIDDEN)) }
}

/// Cancels the last order, if there is one.
async fn cancel(State(count): State<Arc<AtomicU64>>, _: Caller) -> Result<Json<Ordered>, Problem> {
    let changed = count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |one| one.checked_sub(1));
    let number = changed.map_err(|_| Problem::new(&NOT_FOUND))?;
    Ok(Json(Ordered { number, what: "cancelled".to_owned() }))
}

async fn check_signed_in(_: Caller) -> Result<NoContent, Problem> {
    Ok(NoContent)
}

/// Refuses with a problem the route does not declare.
async fn check_undeclared(_: Caller) -> Result<NoContent, Problem> {
    Err(Problem::new(&IF_MATCH_REQUIRED))
}

struct Shop {
    server: Running,
    count: Arc<AtomicU64>,
    engine: Engine,
    clock: Clock,
    issuer: LocalIssuer,
}

impl Shop {
    async fn open() -> Self {
        Self::open_on(Store::new).await
    }

    async fn open_on(store: impl FnOnce(Embedded, Settings) -> Store) -> Self {
        let clock = Clock::fixed(1_773_576_000_000);
        let options =
            EngineOptions { clock: clock.clone(), background: false, ..EngineOptions::default() };
        let engine = Engine::memory_with(options).unwrap();
        let settings = Settings { clock: clock.clone(), ..Settings::default() };
        let store = store(Embedded::new(engine.clone()), settings);
        let issuer = LocalIssuer::new().unwrap();
        let count = Arc::new(AtomicU64::new(0));
        let api = Api::new(Arc::clone(&count))
            .named("test", "A shop.")
            .route(
                post("/orders", order)
                    .describe("order", "Orders.")
                    .problems([&FORBIDDEN])
                    .idempotent(),
            )
            .route(post("/mine", order_signed_in).describe("orderMine", "Orders.").idempotent())
            .route(post("/any", order_anyhow).describe("orderAny", "Orders.").idempotent())
            .route(
                post("/staff", order_as_staff)
                    .describe("orderAsStaff", "Orders.")
                    .problems([&NOT_FOUND])
                    .idempotent()
                    .replay_if(check_staff),
            )
            .route(
                post("/cancel", cancel)
                    .describe("cancel", "Cancels.")
                    .problems([&NOT_FOUND])
                    .idempotent()
                    .replay_if(check_signed_in),
            )
            .route(
                post("/tables/{table}/orders/{what}", order_for)
                    .describe("orderFor", "Orders.")
                    .problems([&FORBIDDEN])
                    .replay_if(check_table),
            )
            .route(
                post("/undeclared", order_signed_in)
                    .describe("orderUndeclared", "Orders.")
                    .idempotent()
                    .replay_if(check_undeclared),
            );
        let identity = IdentitySource::Local(issuer.clone());
        let router = api.into_router().layer(Extension(StrictProblems::default()));
        let server = start(Options::default(), |server| {
            server.with_identity(identity).with_store(store).with_system(system(router))
        })
        .await;
        Self { server, count, engine, clock, issuer }
    }

    /// Ann's Authorization header, with these groups.
    fn bearer(&self, groups: &[&str]) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let groups: Vec<String> = groups.iter().map(|one| (*one).to_owned()).collect();
        format!("authorization: Bearer {}", self.issuer.sign("ann", &groups, now).unwrap())
    }

    async fn order(&self, key: &str, what: &str) -> TestResponse {
        self.send("/test/orders", key, what, &[]).await
    }

    async fn send(&self, path: &str, key: &str, what: &str, more: &[&str]) -> TestResponse {
        let key = format!("idempotency-key: {key}");
        let mut lines = vec!["content-type: application/json", &key];
        lines.extend(more);
        let body = format!(r#"{{"what":"{what}"}}"#);
        self.server.send(&format!("POST {path}"), &lines, &body).await
    }

    fn made(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }
}

const KEY: &str = "5b8e5f0c-3b0e-4f53-9f0e-3f2d8a3f1c11";
const OTHER_KEY: &str = "d1f9d2c4-0000-4f53-9f0e-3f2d8a3f1c11";

#[tokio::test]
async fn the_same_request_is_carried_out_once() {
    let shop = Shop::open().await;
    let first = shop.order(KEY, "tea").await;
    // The draft standard quotes keys.
    let again = shop.order(&format!("\"{KEY}\""), "tea").await;
    assert_eq!((first.status, again.status, shop.made()), (201, 201, 1));
    assert_eq!(first.body, again.body);
    assert_eq!(again.headers["location"], "/test/orders/1");
    assert_eq!(again.headers["content-type"], "application/json");
    // The replay has the same version.
    assert_eq!(
        (&first.headers["etag"], &again.headers["etag"]),
        (&"\"7\"".to_owned(), &"\"7\"".to_owned())
    );
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert!(!first.headers.contains_key("idempotency-replayed"));
    assert_eq!(shop.order(OTHER_KEY, "tea").await.json()["number"], 2);
    let without = shop.server.post("/test/orders", r#"{"what":"tea"}"#).await;
    assert_eq!(without.json()["number"], 3);
}

#[tokio::test]
async fn a_key_is_for_one_request() {
    let shop = Shop::open().await;
    shop.order(KEY, "tea").await;
    let other = shop.order(KEY, "coffee").await;
    assert_eq!((other.status, other.code().as_str(), shop.made()), (409, "key-reused", 1));
    for bad in ["", "short", "has blanks in the middle", &"x".repeat(129)] {
        let refused = shop.order(bad, "tea").await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{bad:?}");
        assert_eq!(refused.json()["errors"][0]["field"], "idempotency-key");
    }
    let large = shop.order(OTHER_KEY, &"x".repeat(1 << 20)).await;
    assert_eq!((large.status, shop.made()), (413, 1));
}

/// Regression: two clients that both sent sixteen zeros and the same order shared one response and
/// its secret.
#[tokio::test]
async fn a_key_that_is_easy_to_guess_is_refused() {
    let shop = Shop::open().await;
    for weak in [
        "0000000000000000",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "1234567890123456",
        "0123456789abcdef",
        "abcdefghijklmnop",
        "9876543210987654",
        "1122334455667788",
        "abcabcabcabcabcabc",
        "deadbeefdeadbeef",
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-4000-8000-000000000001",
        "\"----------------\"",
    ] {
        let refused = shop.order(weak, "tea").await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "weak-key"), "{weak}");
        assert!(refused.body.contains("random UUID"), "{}", refused.body);
    }
    assert_eq!(shop.made(), 0);
    for strong in [KEY, "9f86d081884c7d65", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "4IvPLJFyHAb_nS9-1qXkbQ"]
    {
        assert_eq!(shop.order(strong, "tea").await.status, 201, "{strong}");
    }
}

/// Regression: on routes with optional sign-in, a request was executed twice if its caller renewed
/// the token in between.
#[tokio::test]
async fn a_key_is_its_callers_also_where_visitors_may_send_one() {
    let shop = Shop::open().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let token = |subject: &str, at: u64| {
        let token = shop.issuer.sign(subject, &[], at).unwrap();
        format!("authorization: Bearer {token}")
    };
    let number = async |peer: &str, more: &[&str]| {
        let key = format!("idempotency-key: {KEY}");
        let mut lines = vec!["content-type: application/json", &key];
        lines.extend(more);
        let (first, body) = ("POST /test/any", r#"{"what":"tea"}"#);
        shop.server.send_from(peer, first, &lines, body).await.json()["number"].clone()
    };
    assert_eq!(number("127.0.0.1", &[&token("ann", now - 60)]).await, 1);
    // The same caller with a new token, from another address.
    assert_eq!(number("127.0.0.2", &[&token("ann", now)]).await, 1);
    assert_eq!(number("127.0.0.1", &[&token("bob", now)]).await, 2);
    assert_eq!(number("127.0.0.1", &[]).await, 3);
    assert_eq!(number("127.0.0.1", &[]).await, 3);
    assert_eq!(number("127.0.0.1", &["authorization: Bearer none"]).await, serde_json::Value::Null);
    assert_eq!(shop.made(), 3);
}

/// Regression: visitors who sent the same key got each other's responses.
#[tokio::test]
async fn a_key_of_nobody_in_particular_is_its_senders() {
    let shop = Shop::open().await;
    let path = "/test/orders";
    let from = async |peer: &str, more: &[&str]| {
        let key = format!("idempotency-key: {KEY}");
        let mut lines = vec!["content-type: application/json", &key];
        lines.extend(more);
        let body = r#"{"what":"tea"}"#;
        shop.server.send_from(peer, &format!("POST {path}"), &lines, body).await
    };
    assert_eq!(from("127.0.0.1", &[]).await.json()["number"], 1);
    let other = from("127.0.0.2", &[]).await;
    assert_eq!(
        (&other.json()["number"], other.headers.get("idempotency-replayed")),
        (&2.into(), None)
    );
    assert_eq!(from("127.0.0.1", &[]).await.json()["number"], 1);
    // Behind a proxy, addresses are shared; tokens still tell callers apart.
    assert_eq!(from("127.0.0.1", &["authorization: Bearer a"]).await.json()["number"], 3);
    assert_eq!(from("127.0.0.1", &["authorization: Bearer b"]).await.json()["number"], 4);
}

#[tokio::test]
async fn of_many_at_once_one_is_carried_out() {
    let shop = Shop::open().await;
    let (mut made, mut told_to_wait) = (0, 0);
    let all = futures_util::future::join_all((0..20).map(|_| shop.order(KEY, "slow"))).await;
    for answer in all {
        match answer.status {
            201 => made += 1,
            409 => {
                assert_eq!(answer.code(), "in-progress");
                assert_eq!(answer.headers["retry-after"], "1");
                told_to_wait += 1;
            }
            other => panic!("{other}: {}", answer.body),
        }
    }
    assert_eq!((shop.made(), made + told_to_wait), (1, 20));
    assert_eq!(shop.order(KEY, "slow").await.json()["number"], 1);
}

#[tokio::test]
async fn what_was_refused_may_be_tried_again() {
    let shop = Shop::open().await;
    assert_eq!(shop.order(KEY, "nothing").await.status, 403);
    assert_eq!(shop.order(KEY, "nothing").await.status, 403);
    // Each was executed, because nothing had been done.
    assert_eq!(shop.made(), 2);
    assert_eq!(shop.order(KEY, "tea").await.status, 201);
}

/// Regression: a refusal with status 503 locked its key for a minute although nothing had been
/// done, so a retry was refused as well.
#[tokio::test]
async fn the_reason_says_whether_something_may_have_been_done() {
    let shop = Shop::open().await;
    for _ in 0..2 {
        let refused = shop.order(KEY, "crowded").await;
        assert_eq!((refused.status, refused.code().as_str()), (503, "unavailable"));
    }
    assert_eq!(shop.made(), 2);
    assert_eq!(shop.order(OTHER_KEY, "busy").await.status, 503);
    assert_eq!(shop.order(OTHER_KEY, "busy").await.code(), "in-progress");
    assert_eq!(shop.made(), 3);
}

#[tokio::test]
async fn who_hangs_up_finds_the_answer_later() {
    let shop = Shop::open().await;
    let mut impatient = Box::pin(shop.order(KEY, "slow"));
    // The client disconnects during execution.
    while shop.made() == 0 {
        let waiting = tokio::time::timeout(Duration::from_millis(10), &mut impatient).await;
        assert!(waiting.is_err() || shop.made() == 1);
    }
    drop(impatient);
    let mut later = shop.order(KEY, "slow").await;
    while later.status == 409 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        later = shop.order(KEY, "slow").await;
    }
    assert_eq!((later.status, shop.made()), (201, 1));
    assert_eq!(later.headers["idempotency-replayed"], "true");
}

/// Regression: the future that held the key was dropped with its connection before the work began,
/// and the key stayed locked. The clock is fixed here, so such a key would never be freed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_disconnects_at_any_moment_can_repeat_its_request() {
    // A store with a latency of a millisecond, so that a request can be dropped at each of its
    // calls.
    let slow = |embedded| {
        Intercepted::new(Arc::new(embedded), |inner, request| {
            Execution::pending(async move {
                let answer = inner.execute(request).await;
                tokio::time::sleep(Duration::from_millis(1)).await;
                answer
            })
        })
    };
    let shop = Shop::open_on(|embedded, settings| Store::new(slow(embedded), settings)).await;
    const REQUESTS: u64 = 120;
    for number in 0..REQUESTS {
        let key = format!("5b8e5f0c-3b0e-4f53-9f0e-3f2d8a{number:06x}");
        let body = r#"{"what":"tea"}"#;
        let head = format!(
            "POST /test/orders HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             idempotency-key: {key}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(shop.server.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        // From 0 to 6 ms; a timer would round up to whole milliseconds.
        let (sent, wait) = (Instant::now(), Duration::from_micros(50 * number));
        while sent.elapsed() < wait {
            tokio::task::yield_now().await;
        }
        drop(stream);
        let first_try = Instant::now();
        let mut later = shop.order(&key, "tea").await;
        while later.status == 409 && first_try.elapsed() < Duration::from_secs(120) {
            tokio::time::sleep(Duration::from_millis(5)).await;
            later = shop.order(&key, "tea").await;
        }
        assert_eq!((later.status, shop.made()), (201, number + 1), "{number}: {}", later.body);
    }
}

#[tokio::test]
async fn after_a_failure_the_key_is_free_again_before_long() {
    let shop = Shop::open().await;
    assert_eq!(shop.order(KEY, "bug").await.status, 500);
    assert_eq!(shop.order(KEY, "bug").await.code(), "in-progress");
    shop.clock.advance(61_000);
    assert_eq!(shop.order(KEY, "bug").await.status, 500);
    assert_eq!(shop.made(), 2);
}

/// After a failure in the middle of a request the outcome is unknown. Executing it again could do
/// the work twice.
#[tokio::test]
async fn what_may_have_been_done_is_not_done_again_at_once() {
    let shop = Shop::open().await;
    assert_eq!(shop.order(KEY, "half").await.status, 500);
    assert_eq!(shop.order(KEY, "half").await.code(), "in-progress");
    assert_eq!(shop.made(), 1);
    shop.clock.advance(61_000);
    assert_eq!(shop.order(KEY, "half").await.status, 500);
    assert_eq!(shop.made(), 2);
}

#[tokio::test]
async fn what_has_an_answer_too_large_to_be_kept_is_done_once() {
    let shop = Shop::open().await;
    let first = shop.order(KEY, "large").await;
    assert_eq!((first.status, first.json()["number"].as_u64()), (201, Some(1)));
    let again = shop.order(KEY, "large").await;
    assert_eq!((again.status, again.code()), (409, "answer-not-kept".into()));
    assert_eq!(shop.made(), 1);
}

#[tokio::test]
async fn answers_are_forgotten_after_a_day() {
    let shop = Shop::open().await;
    shop.order(KEY, "tea").await;
    shop.clock.advance(23 * 3_600_000);
    assert_eq!(shop.order(KEY, "tea").await.json()["number"], 1);
    shop.clock.advance(3_601_000);
    assert_eq!(shop.order(KEY, "tea").await.json()["number"], 2);
}

#[tokio::test]
async fn keys_of_different_people_are_different_keys() {
    let shop = Shop::open().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let token = |who: &str, at: u64| {
        format!("authorization: Bearer {}", shop.issuer.sign(who, &[], at).unwrap())
    };
    let ann = shop.send("/test/mine", KEY, "tea", &[&token("ann", now)]).await;
    let bob = shop.send("/test/mine", KEY, "tea", &[&token("bob", now)]).await;
    let ann_later = shop.send("/test/mine", KEY, "tea", &[&token("ann", now - 60)]).await;
    assert_eq!(ann.json()["number"], 1);
    assert_eq!(bob.json()["number"], 2);
    assert_eq!(ann_later.json()["number"], 1);
    assert_eq!(shop.send("/test/mine", KEY, "tea", &[]).await.status, 401);
    // The same key on another route is another request.
    assert_eq!(shop.order(KEY, "tea").await.json()["number"], 3);
}

/// Regression: a check had to take all path parameters.
#[tokio::test]
async fn a_check_takes_the_parameters_that_it_needs() {
    let shop = Shop::open().await;
    let send = async |groups: &[&str]| {
        shop.send("/test/tables/one/orders/tea", KEY, "", &[&shop.bearer(groups)]).await
    };
    assert_eq!(send(&["one"]).await.json()["number"], 1);
    let again = send(&["one"]).await;
    assert_eq!((again.status, again.json()["number"].clone()), (201, 1.into()), "{again:?}");
    assert_eq!(send(&["two"]).await.code(), "forbidden");
}

#[tokio::test]
async fn a_caller_who_lost_the_right_is_not_told_the_answer() {
    let shop = Shop::open().await;
    let send =
        async |groups: &[&str]| shop.send("/test/staff", KEY, "tea", &[&shop.bearer(groups)]).await;
    assert_eq!(send(&["staff"]).await.json()["number"], 1);
    let refused = send(&[]).await;
    assert_eq!((refused.status, refused.code().as_str()), (404, "not-found"));
    assert!(!refused.headers.contains_key("idempotency-replayed"), "{:?}", refused.headers);
    assert!(!refused.body.contains("tea"), "{}", refused.body);
    // With the role the response is replayed: the check changed nothing.
    let again = send(&["staff"]).await;
    assert_eq!((&again.json()["number"], shop.made()), (&1.into(), 1));
    assert_eq!(again.headers["idempotency-replayed"], "true");
}

/// The check requires the role, not that the request could be executed again.
#[tokio::test]
async fn a_deletion_is_repeated_although_its_resource_is_gone() {
    let shop = Shop::open().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let token = format!("authorization: Bearer {}", shop.issuer.sign("ann", &[], now).unwrap());
    shop.order(OTHER_KEY, "tea").await;
    let first = shop.send("/test/cancel", KEY, "", &[&token]).await;
    let again = shop.send("/test/cancel", KEY, "", &[&token]).await;
    assert_eq!((first.status, again.status, shop.made()), (200, 200, 0));
    assert_eq!(first.body, again.body);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let other = shop.send("/test/cancel", OTHER_KEY, "", &[&token]).await;
    assert_eq!((other.status, other.code().as_str()), (404, "not-found"));
}

/// The route must declare the problems of its check.
#[tokio::test]
async fn the_problems_of_a_check_are_the_routes() {
    let shop = Shop::open().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let token = format!("authorization: Bearer {}", shop.issuer.sign("ann", &[], now).unwrap());
    assert_eq!(shop.send("/test/undeclared", KEY, "tea", &[&token]).await.status, 201);
    let refused = shop.send("/test/undeclared", KEY, "tea", &[&token]).await;
    assert_eq!((refused.status, refused.code().as_str()), (500, "internal"), "{}", refused.body);
    assert!(refused.body.contains("orderUndeclared answered"), "{}", refused.body);
}

#[tokio::test]
async fn who_reads_the_table_learns_nothing() {
    let shop = Shop::open().await;
    shop.order(KEY, "a secret tea").await;
    let scan = singlet::dynamo::operation::Scan::new("singlet-web-dev");
    let items = shop.engine.scan(&scan).unwrap().items.unwrap();
    // The request, its budget, and the cursor key.
    assert_eq!(items.len(), 3);
    let stored = format!("{:?}", items.iter().map(|item| item.to_item()).collect::<Vec<_>>());
    assert!(!stored.contains(KEY) && !stored.contains("secret tea"), "{stored}");
}

#[test]
fn the_document_tells_of_the_header() {
    let api = Api::new(Arc::new(AtomicU64::new(0))).named("test", "A shop.").route(
        post("/orders", order).describe("order", "Orders.").problems([&FORBIDDEN]).idempotent(),
    );
    let document = api.document();
    let header = &document["paths"]["/orders"]["post"]["parameters"][0];
    assert_eq!((&header["name"], &header["in"]), (&"Idempotency-Key".into(), &"header".into()));
    let conflicts = &document["paths"]["/orders"]["post"]["responses"]["409"];
    assert!(conflicts.to_string().contains("key-reused"), "{conflicts}");
}
