//! Requests that compute for long, and who is answered meanwhile.

use crate::client::{Running, start, system};
use axum::extract::State;
use singlet_edge::thread_cpu_time;
use singlet_web::Options;
use singlet_web::api::{Api, Json, get};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const CLIENTS: usize = 16;
const REQUESTS_EACH: usize = 4;
const LIGHT_REQUESTS: usize = 20;

/// How many requests compute, how many did at the same time, and how many are done.
#[derive(Default)]
struct Counters {
    computing: AtomicUsize,
    computing_max: AtomicUsize,
    done: AtomicUsize,
}

/// Computes, and lets nobody else run on its thread meanwhile.
async fn compute(State(counters): State<Arc<Counters>>) -> Json<usize> {
    let computing = counters.computing.fetch_add(1, Ordering::SeqCst) + 1;
    counters.computing_max.fetch_max(computing, Ordering::SeqCst);
    // In processor time, as the cost of routes is measured: a busy machine does not change it.
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
        .route(get("/light", done).describe("done", "How many have computed."));
    Arc::new(start(Options::default(), |server| server.with_system(system(api))).await)
}

/// Lets the server learn what the route costs.
async fn learn(server: &Running) {
    for _ in 0..2 {
        assert_eq!(server.get("/test/heavy").await.status, 200);
    }
}

/// Handlers ran on all threads at once, and whoever asked for little waited for all of them.
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
    // One after the other they take two seconds. So many light requests take a fraction of that,
    // unless each waits for heavy ones.
    assert!(seen < CLIENTS * REQUESTS_EACH, "all heavy requests were answered first");
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(counters.done.load(Ordering::SeqCst), 2 + CLIENTS * REQUESTS_EACH);
    // Half of the threads are for heavy requests.
    assert_eq!(counters.computing_max.load(Ordering::SeqCst), 1);
}

/// A request that waits for its turn is given up like any other.
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
