//! CPU-heavy requests, and light ones served meanwhile.

use crate::client::{Running, start, system};
use axum::extract::State;
use singlet_edge::thread_cpu_time;
use singlet_web::Options;
use singlet_web::api::{Api, Json, get, post};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const CLIENTS: usize = 16;
const REQUESTS_EACH: usize = 4;
const LIGHT_REQUESTS: usize = 20;

/// Requests computing, their maximum concurrency, and those done.
#[derive(Default)]
struct Counters {
    computing: AtomicUsize,
    computing_max: AtomicUsize,
    done: AtomicUsize,
}

/// Blocks its thread.
async fn compute(State(counters): State<Arc<Counters>>) -> Json<usize> {
    let computing = counters.computing.fetch_add(1, Ordering::SeqCst) + 1;
    counters.computing_max.fetch_max(computing, Ordering::SeqCst);
    // In CPU time, like route costs, so that a busy machine does not matter.
    let begun = thread_cpu_time();
    while thread_cpu_time() < begun + Duration::from_millis(30) {
        std::hint::spin_loop();
    }
    counters.computing.fetch_sub(1, Ordering::SeqCst);
    Json(counters.done.fetch_add(1, Ordering::SeqCst))
}

async fn done(State(counters): State<Arc<Counters>>) -> Json<usize> {
    Json(counters.done.load(Ordering::SeqCst))
}

async fn server(counters: &Arc<Counters>) -> Arc<Running> {
    let api = Api::new(Arc::clone(counters))
        .route(get("/heavy", compute).describe("compute", "Computes for long."))
        .route(post("/keyed", compute).describe("computeOnce", "Computes for long.").idempotent())
        .route(get("/light", done).describe("done", "How many have computed."));
    Arc::new(start(Options::default(), |server| server.with_system(system(api))).await)
}

/// Lets the server learn the cost of the route.
async fn learn(server: &Running) {
    for _ in 0..2 {
        assert_eq!(server.get("/test/heavy").await.status, 200);
    }
}

/// Regression: heavy handlers ran on all threads, and light requests waited for all of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn light_requests_are_answered_while_heavy_ones_wait() {
    let counters = Arc::<Counters>::default();
    let server = server(&counters).await;
    learn(&server).await;
    counters.computing_max.store(0, Ordering::SeqCst);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let server = Arc::clone(&server);
            tokio::spawn(async move {
                for _ in 0..REQUESTS_EACH {
                    assert_eq!(server.get("/test/heavy").await.status, 200);
                }
            })
        })
        .collect();
    let mut seen = 0;
    for _ in 0..LIGHT_REQUESTS {
        let light = server.get("/test/light").await;
        assert_eq!(light.status, 200);
        seen = light.body.parse().unwrap();
    }
    // In sequence the heavy requests take two seconds. This many light requests take a fraction of
    // that, unless each waits for heavy ones.
    assert!(seen < CLIENTS * REQUESTS_EACH, "all heavy requests were answered first");
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(counters.done.load(Ordering::SeqCst), 2 + CLIENTS * REQUESTS_EACH);
    // Half of the threads serve heavy requests.
    assert_eq!(counters.computing_max.load(Ordering::SeqCst), 1);
}

/// Regression: requests with an Idempotency-Key run in tasks, which used all threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_with_a_key_take_turns() {
    let counters = Arc::<Counters>::default();
    let server = server(&counters).await;
    let send = async |number: usize| {
        let key = format!("idempotency-key: 5b8e5f0c-3b0e-4f53-9f0e-3f2d8a{number:06x}");
        assert_eq!(server.send("POST /test/keyed", &[&key], "").await.status, 200);
    };
    for number in 0..2 {
        send(number).await;
    }
    counters.computing_max.store(0, Ordering::SeqCst);
    futures_util::future::join_all((2..12).map(send)).await;
    assert_eq!(counters.computing_max.load(Ordering::SeqCst), 1);
}

/// A request that waits for its turn can be cancelled like any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_leaves_the_queue_holds_nobody_up() {
    let counters = Arc::<Counters>::default();
    let server = server(&counters).await;
    learn(&server).await;
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let server = Arc::clone(&server);
            tokio::spawn(async move { server.get("/test/heavy").await.status })
        })
        .collect();
    for client in clients.iter().skip(2) {
        client.abort();
    }
    assert_eq!(server.get("/test/heavy").await.status, 200);
}
