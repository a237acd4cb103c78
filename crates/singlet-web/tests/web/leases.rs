//! Leases: one holder at a time, despite failures.

use singlet::Settings;
use singlet::backend::{Backend as _, BackendError, Embedded, Execution};
use singlet::engine::{Clock, Engine, Options as EngineOptions, Random};
use singlet::prelude::*;
use singlet_testing::Intercepted;
use singlet_web::Web;
use singlet_web::job::{LeaseGrant, LeaseItem, LeaseName, LeaseTable, Leases};
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "clean-up";
const MINUTE: Duration = Duration::from_secs(60);

/// A store for leases, with a fixed clock.
struct LeaseStore {
    engine: Engine,
    clock: Clock,
}

impl LeaseStore {
    fn new() -> Self {
        let clock = Clock::fixed(1_773_576_000_000);
        let options =
            EngineOptions { clock: clock.clone(), background: false, ..EngineOptions::default() };
        Self { engine: Engine::memory_with(options).unwrap(), clock }
    }

    async fn db(&self, faults: Option<Random>) -> Db<Web> {
        let settings = Settings { clock: self.clock.clone(), ..Settings::default() };
        let plain = Embedded::new(self.engine.clone());
        Db::<Web>::on(plain.clone(), settings.clone()).provision().await.unwrap();
        match faults {
            // One request in eight is lost, and one response in eight.
            Some(random) => {
                let lost = || BackendError::Failed("lost".into());
                let backend = Intercepted::new(Arc::new(plain), move |inner, request| {
                    match random.next_u64() % 8 {
                        0 => Execution::done(Err(lost())),
                        1 => Execution::pending(async move {
                            inner.execute(request).await?;
                            Err(lost())
                        }),
                        _ => inner.execute(request),
                    }
                });
                Db::on(backend, settings)
            }
            None => Db::on(plain, settings),
        }
    }

    async fn leases(&self, owner: &str) -> Leases {
        Leases::new(self.db(None).await, owner)
    }

    async fn item(&self) -> LeaseItem {
        let key = LeaseItem::key(LeaseName::new(NAME).unwrap());
        self.db(None).await.get(key).await.unwrap().unwrap()
    }
}

/// A worker and its view of the lease.
struct Worker {
    leases: Leases,
    /// The lease, and its latest possible end as known to the worker.
    held: Option<(LeaseGrant, Timestamp)>,
}

/// Sixteen workers acquire, extend and release in seeded random order, on a store that loses
/// requests and responses. Two of them never hold the lease at the same time.
#[tokio::test]
async fn sixteen_workers_one_lease() {
    for seed in 0..20 {
        let store = LeaseStore::new();
        let random = Random::seeded(seed);
        let mut workers = Vec::new();
        for number in 0..16 {
            let faults = Random::seeded(seed * 1_000 + number);
            let leases = Leases::new(store.db(Some(faults)).await, format!("worker {number}"));
            workers.push(Worker { leases, held: None });
        }
        let (mut fence, mut acquired, mut refused) = (0, 0, 0);
        for _ in 0..1_000 {
            let now = Timestamp::from_millis(store.clock.now().as_millis());
            for worker in &mut workers {
                worker.held.take_if(|(_, until)| *until <= now);
            }
            let holders = workers.iter().filter(|worker| worker.held.is_some()).count();
            assert!(holders <= 1, "{holders} holders, seed {seed}");
            let picked = usize::try_from(random.next_u64() % 16).unwrap();
            let worker = &mut workers[picked];
            match (random.next_u64() % 4, worker.held.take()) {
                (0, _) => store.clock.advance(i64::try_from(random.next_u64() % 20_000).unwrap()),
                (1, Some((grant, until))) => {
                    // If the response is lost, the known end still holds.
                    let extended = worker.leases.extend(&grant, MINUTE).await;
                    assert!(!matches!(extended, Ok(false)), "lost while it was held, seed {seed}");
                    let until = if extended.is_ok() { now.after(MINUTE) } else { until };
                    worker.held = Some((grant, until));
                }
                (2, Some((grant, _))) => {
                    assert!(!matches!(worker.leases.release(&grant).await, Ok(false)));
                }
                (_, Some(held)) => worker.held = Some(held),
                (_, None) => match worker.leases.acquire(NAME, MINUTE).await {
                    Ok(Some(grant)) => {
                        assert!(grant.fence > fence, "{} after {fence}, seed {seed}", grant.fence);
                        fence = grant.fence;
                        acquired += 1;
                        worker.held = Some((grant, now.after(MINUTE)));
                    }
                    Ok(None) => refused += 1,
                    Err(_) => {}
                },
            }
        }
        assert!(acquired > 5 && refused > 50, "{acquired} {refused}");
    }
}

/// The same in parallel.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_sixteen_at_once_one_gets_it() {
    let store = LeaseStore::new();
    for round in 1..=20 {
        let barrier = Arc::new(tokio::sync::Barrier::new(16));
        let mut tasks = Vec::new();
        for number in 0..16 {
            let leases = store.leases(&format!("worker {number}")).await;
            let barrier = Arc::clone(&barrier);
            tasks.push(tokio::spawn(async move {
                barrier.wait().await;
                leases.acquire(NAME, MINUTE).await.unwrap()
            }));
        }
        let mut grants = Vec::new();
        for task in tasks {
            grants.extend(task.await.unwrap());
        }
        assert_eq!(grants.len(), 1);
        assert_eq!(grants[0].fence, round);
        store.clock.advance(60_000);
    }
}

#[tokio::test]
async fn a_fence_only_grows() {
    let store = LeaseStore::new();
    let (one, other) = (store.leases("one").await, store.leases("other").await);
    let first = one.acquire(NAME, MINUTE).await.unwrap().unwrap();
    assert_eq!(first.fence, 1);
    assert!(one.release(&first).await.unwrap());
    // The item stays, and with it the fence.
    assert_eq!((store.item().await.fence, store.item().await.owner.as_str()), (1, "one"));
    let second = other.acquire(NAME, MINUTE).await.unwrap().unwrap();
    store.clock.advance(60_000);
    let third = one.acquire(NAME, MINUTE).await.unwrap().unwrap();
    assert_eq!((second.fence, third.fence), (2, 3));
    // Extending changes only the end.
    assert!(one.extend(&third, MINUTE).await.unwrap());
    assert_eq!(store.item().await.fence, 3);
    // An older fence of the same owner is another holder.
    assert!(!one.extend(&first, MINUTE).await.unwrap());
    assert!(!one.release(&first).await.unwrap());
    assert!(!other.extend(&second, MINUTE).await.unwrap());
}

#[tokio::test]
async fn expiry_is_free_at_the_exact_millisecond() {
    let store = LeaseStore::new();
    let (one, other) = (store.leases("one").await, store.leases("other").await);
    let grant = one.acquire(NAME, MINUTE).await.unwrap().unwrap();
    store.clock.advance(59_999);
    assert!(other.acquire(NAME, MINUTE).await.unwrap().is_none());
    assert_eq!(other.holder(NAME).await.unwrap().as_deref(), Some("one"));
    assert!(one.extend(&grant, MINUTE).await.unwrap());
    store.clock.advance(59_999);
    assert!(other.acquire(NAME, MINUTE).await.unwrap().is_none());
    store.clock.advance(1);
    // An expired lease is free, also for its last holder.
    assert!(!one.extend(&grant, MINUTE).await.unwrap());
    assert_eq!(other.holder(NAME).await.unwrap(), None);
    assert_eq!(other.acquire(NAME, MINUTE).await.unwrap().unwrap().fence, 2);
}

#[tokio::test]
async fn a_stranger_cannot_release() {
    let store = LeaseStore::new();
    let (one, stranger) = (store.leases("one").await, store.leases("stranger").await);
    let grant = one.acquire(NAME, MINUTE).await.unwrap().unwrap();
    let forged = LeaseGrant::new(NAME, "stranger", grant.fence);
    assert!(!stranger.release(&forged).await.unwrap());
    assert!(!stranger.extend(&forged, MINUTE).await.unwrap());
    assert!(stranger.acquire(NAME, MINUTE).await.unwrap().is_none());
    // A lease that was never acquired.
    assert!(!stranger.release(&LeaseGrant::new("other", "stranger", 1)).await.unwrap());
    assert!(one.release(&grant).await.unwrap());
    assert!(stranger.acquire(NAME, MINUTE).await.unwrap().is_some());
    // Lease names follow the rules of ids.
    assert!(one.acquire("a#b", MINUTE).await.is_err());
}
