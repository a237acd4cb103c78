//! Locks: never two holders, and nothing is written by one that was paused past its lease.

use crate::fixture::{match_id, processing, scheduled, service, team_id};
use cricket::design::{Cricket, Fixture, LockKey, Owner, StateHash};
use cricket::service::{
    Acquired, FixtureService, HashService, LEASE, ProcessingService, Service, Updated,
};
use singlet::engine::Clock;
use singlet::{Db, Settings};
use singlet_testing::{TestStore, at_once, on_every_backend, run};
use singlet_web::job::LeaseTable;
use singlet_web::random::Random;
use std::sync::{Arc, Mutex};
use std::time::Duration;

on_every_backend! {
    case_16_never_two_holders_among_sixteen_workers,
    case_16_an_expired_lock_is_taken_at_once,
    a_clock_that_is_a_second_off_never_corrupts,
    case_17_a_holder_that_was_paused_writes_nothing,
    jobs_of_the_kit_are_leased_by_these_locks,
}

const WORKERS: usize = 16;
/// How long the sixteen workers compete for a lock, by the clock.
const COMPETITION_MS: i64 = 60_000;

/// The services of another server, whose clock is off by so much.
fn with_clock(store: &TestStore, clock: Clock) -> Service {
    let settings = Settings { clock, ..store.settings.clone() };
    Service::new(Db::<Cricket>::on(store.backend(), settings), Random::new())
}

/// What a worker believes.
#[derive(Clone, Copy, Default)]
struct Worker {
    /// Until when it has the lock, in milliseconds.
    holds_until: Option<i64>,
    /// How many steps it does nothing.
    paused: u32,
}

/// Case 16. In each step every worker tries to acquire, extend or release, or is paused, some of them
/// past their lease.
#[test]
fn case_16_never_two_holders_in_600_steps() {
    run(compete(TestStore::memory(), 100));
}

async fn case_16_never_two_holders_among_sixteen_workers(store: TestStore) {
    compete(store, 1_000).await;
}

async fn compete(store: TestStore, step_ms: i64) {
    let steps = u32::try_from(COMPETITION_MS / step_ms).unwrap();
    let service = service(&store).await;
    let key = LockKey::of_match(&match_id("9000001"));
    let workers = Arc::new(Mutex::new(vec![Worker::default(); WORKERS]));
    let (mut holders, mut taken_at_once) = (0, 0);
    for step in 0..steps {
        let now = service.db.now().as_millis();
        let was_held = workers.lock().unwrap().iter().any(|one| one.holds_until > Some(now));
        at_once(WORKERS, |n| {
            let (service, key) = (service.clone(), key.clone());
            let workers = Arc::clone(&workers);
            async move {
                let mut worker = workers.lock().unwrap()[n];
                let owner = Owner::new(format!("host-{n}-00000000")).unwrap();
                // A fixed mix that differs by worker and step.
                let dice = (step.wrapping_mul(31) + n as u32 * 17) % 100;
                if worker.paused > 0 {
                    worker.paused -= 1;
                } else if worker.holds_until.is_some_and(|until| until > now) {
                    match dice {
                        0..20 => {
                            assert!(service.locks.release(&key, &owner).await.unwrap());
                            worker.holds_until = None;
                        }
                        20..50 => {
                            let until = service.locks.extend(&key, &owner, LEASE).await;
                            worker.holds_until = until.unwrap();
                            assert!(worker.holds_until.is_some(), "the holder extends");
                        }
                        // Fifteen seconds: past its lease.
                        50..60 => worker.paused = u32::try_from(15_000 / step_ms).unwrap(),
                        _ => {}
                    }
                } else {
                    // A stranger neither releases nor extends, whatever it once had.
                    worker.holds_until = None;
                    match service.locks.acquire(&key, &owner, LEASE).await.unwrap() {
                        Acquired::Held { expires_at } => {
                            worker.holds_until = Some(expires_at);
                        }
                        Acquired::Busy { owner: holder, .. } => {
                            if holder != owner {
                                assert!(!service.locks.release(&key, &owner).await.unwrap());
                                let extended =
                                    service.locks.extend(&key, &owner, LEASE).await.unwrap();
                                assert_eq!(extended, None);
                            }
                        }
                    }
                }
                workers.lock().unwrap()[n] = worker;
            }
        })
        .await;
        let held: Vec<usize> = {
            let workers = workers.lock().unwrap();
            (0..WORKERS).filter(|n| workers[*n].holds_until > Some(now)).collect()
        };
        assert!(held.len() <= 1, "step {step}: {held:?} hold the lock");
        holders += held.len();
        taken_at_once += usize::from(!was_held && !held.is_empty());
        store.clock.advance(step_ms);
    }
    // It was held nearly always, and changed hands.
    assert!(holders * 10 > steps as usize * 8, "{holders} of {steps} steps");
    assert!(taken_at_once > 1, "{taken_at_once} times");
}

/// Case 16: a lock whose time has come is taken in that very millisecond.
async fn case_16_an_expired_lock_is_taken_at_once(store: TestStore) {
    let service = service(&store).await;
    let (key, one) = (LockKey::feed(), Owner::new("one").unwrap());
    let Acquired::Held { expires_at } = service.locks.acquire(&key, &one, LEASE).await.unwrap()
    else {
        panic!("it is free")
    };
    store.clock.set(expires_at - 1);
    let other = Owner::new("other").unwrap();
    let early = service.locks.acquire(&key, &other, LEASE).await.unwrap();
    assert_eq!(early, Acquired::Busy { owner: one, expires_at });
    store.clock.set(expires_at);
    let taken = service.locks.acquire(&key, &other, LEASE).await.unwrap();
    assert!(matches!(taken, Acquired::Held { .. }));
}

/// Clocks that are a second off may give two servers the lock. Then one of them loses a tick, and
/// nothing is committed twice or lost.
async fn a_clock_that_is_a_second_off_never_corrupts(store: TestStore) {
    let first = service(&store).await;
    let id = match_id("1");
    first.fixtures.create(&scheduled("1", first.db.now())).await.unwrap();
    let began = first.db.now().as_millis();
    let clocks: Vec<Clock> =
        [-1_000, 0, 1_000].map(|off| Clock::fixed(began + off)).into_iter().collect();
    let services: Vec<Service> =
        clocks.iter().map(|clock| with_clock(&store, clock.clone())).collect();
    let (mut committed, mut fenced, mut two_holders) = (0, 0, 0);
    for step in 0..200_i64 {
        // All locks of the step before have expired, by every clock.
        let now = began + step * 5_000;
        for (clock, off) in clocks.iter().zip([-1_000, 0, 1_000]) {
            clock.set(now + off);
        }
        // Another one is first in each step: after the slow clock, the fast one gets the lock, too.
        let mut is_holder = [false; 3];
        for turn in 0..services.len() {
            let n = (turn + usize::try_from(step).unwrap()) % services.len();
            let owner = Owner::new(format!("server-{n}")).unwrap();
            let (key, lease) = (LockKey::of_match(&id), Duration::from_millis(2_000));
            let acquired = services[n].locks.acquire(&key, &owner, lease).await.unwrap();
            is_holder[n] = matches!(acquired, Acquired::Held { .. });
        }
        let ticks = at_once(services.len(), |n| {
            let (service, id) = (services[n].clone(), id.clone());
            async move {
                if !is_holder[n] {
                    return None;
                }
                let read = service.fixtures.get_consistent(&id).await.unwrap().unwrap();
                // All have the same snapshot.
                let tick =
                    FixtureService::tick(&read, now).set(Fixture::SEQUENCE, read.sequence + 1);
                Some(service.fixtures.update(tick).await.unwrap())
            }
        })
        .await;
        let held: Vec<&Updated> = ticks.iter().flatten().collect();
        two_holders += usize::from(held.len() > 1);
        let done = held.iter().filter(|one| matches!(one, Updated::Done(_))).count();
        assert!(done <= 1, "one snapshot was committed twice");
        committed += done;
        fenced += held.len() - done;
    }
    let last = first.fixtures.get_consistent(&id).await.unwrap().unwrap();
    assert_eq!(last.sequence, committed as u64);
    assert!(committed >= 100, "{committed} committed, {fenced} fenced");
    assert!(two_holders > 0 && fenced > 0, "{two_holders} times two holders, {fenced} fenced");
}

/// Case 17 at the tables: a holder reads at sequence 57, is paused for 15 s, and another one commits
/// 58. Its transaction then writes nothing, although nothing checks its lease.
async fn case_17_a_holder_that_was_paused_writes_nothing(store: TestStore) {
    let (one, other) = (service(&store).await, crate::fixture::other_service(&store));
    let (id, now) = (match_id("1"), one.db.now());
    let fixture = Fixture { sequence: 57, feed_at: Some(1_000), ..scheduled("1", now) };
    one.fixtures.create(&fixture).await.unwrap();
    let key = LockKey::of_match(&id);
    let (first, second) = (Owner::new("first").unwrap(), Owner::new("second").unwrap());
    one.locks.acquire(&key, &first, LEASE).await.unwrap();
    let read = one.fixtures.get_consistent(&id).await.unwrap().unwrap();

    store.clock.advance(15_000);
    let acquired = other.locks.acquire(&key, &second, LEASE).await.unwrap();
    assert!(matches!(acquired, Acquired::Held { .. }));
    let theirs = other.fixtures.get_consistent(&id).await.unwrap().unwrap();
    commit(&other, &theirs, 16_000).await.unwrap();
    let before = store.snapshot().await;

    // Also with a snapshot that is newer than theirs.
    for feed_at in [2_500, 16_000, 20_000] {
        let refused = commit(&one, &read, feed_at).await;
        assert!(matches!(refused, Err(singlet::Error::ConditionFailed { .. })));
    }
    assert_eq!(store.snapshot().await, before);
    assert!(!one.locks.release(&key, &first).await.unwrap());
    let stored = one.hashes.get(&id, &team_id("101")).await.unwrap().unwrap();
    assert_eq!(stored.sequence, 58);
}

/// What a tick commits: operations 7, 56 and 44.
async fn commit(service: &Service, read: &Fixture, feed_at: i64) -> Result<(), singlet::Error> {
    let now = service.db.now();
    let sequence = read.sequence + 1;
    let hash = StateHash {
        match_id: read.match_id.clone(),
        team_id: team_id("101"),
        hash: "00".into(),
        sequence,
        event_kind: None,
        pushed_at: now,
    };
    let state = processing(read.match_id.as_str(), sequence, now);
    service
        .db
        .transact((
            FixtureService::tick(read, feed_at).set(Fixture::SEQUENCE, sequence),
            ProcessingService::put_operation(&state),
            HashService::put_operation(&hash),
        ))
        .await
}

/// The kit's jobs hold the same locks: two servers never run one job.
async fn jobs_of_the_kit_are_leased_by_these_locks(store: TestStore) {
    let service = service(&store).await;
    let one = service.locks.leases(Owner::new("one").unwrap());
    let other = service.locks.leases(Owner::new("other").unwrap());
    let minute = Duration::from_secs(60);
    let grant = one.acquire("cricket.league-sync", minute).await.unwrap().unwrap();
    let locks = service.locks.all().await.unwrap();
    assert_eq!(locks[0].lock_key.as_str(), "job:league-sync");
    assert!(other.acquire("cricket.league-sync", minute).await.unwrap().is_none());
    assert!(other.acquire("cricket.team-sync", minute).await.unwrap().is_some());
    store.clock.advance(20_000);
    assert!(one.extend(&grant, minute).await.unwrap());
    assert!(!other.extend(&grant, minute).await.unwrap());
    store.clock.advance(60_000);
    let next = other.acquire("cricket.league-sync", minute).await.unwrap().unwrap();
    assert!(next.fence > grant.fence);
    assert!(!one.release(&grant).await.unwrap());
    assert!(other.release(&next).await.unwrap());
}

/// An owner is one server: `{host}-{pid}-{8 hex}`.
#[test]
fn an_owner_is_one_process() {
    let random = Random::new();
    let one = Owner::of_this_process(&random).unwrap();
    let other = Owner::of_this_process(&random).unwrap();
    assert_ne!(one, other);
    let unique = one.as_str().rsplit('-').next().unwrap();
    assert!(unique.len() == 8 && unique.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
    assert!(one.as_str().contains(&format!("-{}-", std::process::id())));
}
