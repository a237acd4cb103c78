//! Batches on a store that leaves work undone: their sizes, and what is sent again.

use crate::fixture::{HOUR, match_id, record, scheduled, service, token, user_id};
use cricket::design::{Cricket, Fixture, Follow, SeasonId, Subscription, TeamId, TeamSeason};
use cricket::service::Service;
use singlet::Db;
use singlet::backend::{Backend, BackendError, Execution};
use singlet::dynamo::operation::{Answer, Request, TableWrites};
use singlet::prelude::*;
use singlet_testing::{Intercepted, TestStore, run};
use singlet_web::random::Random;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Default)]
struct Log {
    /// How many items of the next batches are left undone; none once it is empty.
    left: Mutex<VecDeque<usize>>,
    /// How many items the batches had.
    gets: Mutex<Vec<usize>>,
    writes: Mutex<Vec<usize>>,
    /// How many batches were under way at the same time.
    at_once: Mutex<(usize, usize)>,
}

impl Log {
    fn left(&self) -> usize {
        self.left.lock().unwrap().pop_front().unwrap_or(0)
    }

    fn begin(&self) {
        let mut at_once = self.at_once.lock().unwrap();
        at_once.0 += 1;
        at_once.1 = at_once.1.max(at_once.0);
    }

    fn end(&self) {
        self.at_once.lock().unwrap().0 -= 1;
    }
}

/// Services on a store that leaves these numbers of items of the next batches undone.
async fn busy(store: &TestStore) -> (Service, Arc<Log>) {
    store.open::<Cricket>().await;
    let log = Arc::new(Log::default());
    let of_backend = Arc::clone(&log);
    let backend = Intercepted::new(store.backend(), move |inner, mut request| {
        let log = Arc::clone(&of_backend);
        match &mut request {
            Request::BatchGetItem(batch) => {
                let keys = &mut batch.tables[0].keys;
                log.gets.lock().unwrap().push(keys.len());
                let kept = keys.len().saturating_sub(log.left());
                let mut undone = batch.tables[0].clone();
                undone.keys = batch.tables[0].keys.split_off(kept);
                let is_empty = kept == 0;
                let answer = (!is_empty).then(|| inner.execute(request.clone()));
                log.begin();
                Execution::pending(async move {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    let mut answer = match answer {
                        Some(answer) => answer.await?,
                        None => return Err(BackendError::Failed("a batch of nothing".into())),
                    };
                    log.end();
                    if let Answer::BatchGetItem(answer) = &mut answer
                        && !undone.keys.is_empty()
                    {
                        answer.unprocessed_keys.push(undone);
                    }
                    Ok(answer)
                })
            }
            Request::BatchWriteItem(batch) => {
                let writes = &mut batch.tables[0].requests;
                log.writes.lock().unwrap().push(writes.len());
                let kept = writes.len().saturating_sub(log.left()).max(1);
                let undone = writes.split_off(kept);
                let table_name = batch.tables[0].table_name.clone();
                let answer = inner.execute(request);
                log.begin();
                Execution::pending(async move {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    let mut answer = answer.await?;
                    log.end();
                    if let Answer::BatchWriteItem(answer) = &mut answer
                        && !undone.is_empty()
                    {
                        answer.unprocessed_items.push(TableWrites { table_name, requests: undone });
                    }
                    Ok(answer)
                })
            }
            _ => inner.execute(request),
        }
    });
    (Service::new(Db::on(backend, store.settings.clone()), Random::new()), log)
}

fn leave(log: &Log, numbers: &[usize]) {
    log.left.lock().unwrap().extend(numbers);
}

fn records(count: usize, now: Timestamp) -> Vec<TeamSeason> {
    (0..count).map(|n| record(&format!("t{n}"), 1, now)).collect()
}

/// Case 15, first half: 230 ids are 3 BatchGetItem.
#[test]
fn case_15_230_ids_are_three_requests() {
    run(async {
        let store = TestStore::memory();
        let (service, log) = busy(&store).await;
        let ids: Vec<_> = (0..230).map(|n| match_id(&format!("m{n}"))).collect();
        service.fixtures.get_many(&ids).await.unwrap();
        let mut sizes = log.gets.lock().unwrap().clone();
        sizes.sort_unstable();
        assert_eq!(sizes, [30, 100, 100]);
    });
}

/// Case 15, second half: 60 puts of which 10 come back unprocessed once are 4 BatchWriteItem, and
/// all 60 are written; wherever the ten came from.
#[test]
fn case_15_unprocessed_writes_are_sent_again() {
    run(async {
        for undone in [&[10][..], &[4, 3, 3]] {
            let store = TestStore::memory();
            let (service, log) = busy(&store).await;
            leave(&log, undone);
            let records = records(60, service.db.now());
            assert_eq!(service.team_seasons.put_many(&records).await.unwrap(), 60);
            let mut sizes = log.writes.lock().unwrap().clone();
            sizes.sort_unstable();
            assert_eq!(sizes, [10, 10, 25, 25], "{undone:?}");
            let season = SeasonId::new("s1").unwrap();
            assert_eq!(service.team_seasons.of_season(&season).await.unwrap().len(), 60);
        }
    });
}

/// Keys that are left undone are asked for again.
#[test]
fn unprocessed_keys_are_read_again() {
    run(async {
        let store = TestStore::memory();
        let (service, log) = busy(&store).await;
        let now = service.db.now();
        let fixtures: Vec<Fixture> =
            (0..150).map(|n| scheduled(&format!("m{n}"), now.after(4 * HOUR))).collect();
        service.fixtures.create_many(&fixtures).await.unwrap();
        log.gets.lock().unwrap().clear();
        leave(&log, &[60, 20, 10]);
        let ids: Vec<_> = fixtures.iter().map(|one| one.match_id.clone()).collect();
        assert_eq!(service.fixtures.get_many(&ids).await.unwrap().len(), 150);
        let mut sizes = log.gets.lock().unwrap().clone();
        sizes.sort_unstable();
        // Each request has its own retries.
        assert_eq!(sizes, [10, 20, 50, 60, 100]);
    });
}

/// Four requests are under way at once, and no more.
#[test]
fn four_requests_are_sent_at_once() {
    run(async {
        let store = TestStore::memory();
        let (service, log) = busy(&store).await;
        let records = records(25 * 12, service.db.now());
        service.team_seasons.put_many(&records).await.unwrap();
        assert_eq!(log.writes.lock().unwrap().len(), 12);
        assert_eq!(log.at_once.lock().unwrap().1, 4);
    });
}

/// Deletes of a match's follows go on until the Query is empty, also if the store leaves some.
#[test]
fn deletes_that_are_left_undone_are_sent_again() {
    run(async {
        let store = TestStore::memory();
        let (service, log) = busy(&store).await;
        let fixture = scheduled("1", service.db.now());
        for n in 0..30 {
            let user = user_id(&format!("u{n}"));
            service.follows.follow(&fixture, &user, &TeamId::neutral()).await.unwrap();
        }
        leave(&log, &[7]);
        assert_eq!(service.follows.remove_all(&fixture.match_id).await.unwrap(), 30);
        assert!(service.db.scan(Scan::<Follow>::table()).all().await.unwrap().is_empty());
        let mut sizes = log.writes.lock().unwrap().clone();
        sizes.sort_unstable();
        assert_eq!(sizes, [5, 7, 25]);
    });
}

/// After 8 attempts it gives up, and names what was not done. A token is not named in full.
#[test]
fn after_eight_attempts_the_store_is_busy() {
    run(async {
        let store = TestStore::memory();
        let (service, log) = busy(&store).await;
        let fixture = scheduled("1", service.db.now());
        let (asha, team) = (user_id("asha"), TeamId::neutral());
        for name in ["secret-token-aaaa", "secret-token-bbbb"] {
            service.subscriptions.register(&fixture, &token(name), &asha, &team).await.unwrap();
        }
        // One of two is done at the first attempt; a batch of one is done in the end.
        leave(&log, &[1; 100]);
        let busy = service.subscriptions.remove_all(&fixture.match_id).await;
        assert!(busy.is_ok(), "a batch of one write cannot be left undone here");
        // Of the standings one stays undone whatever is tried.
        let attempts = Arc::new(Mutex::new(0));
        let never = never(&store, &attempts);
        let service = Service::new(Db::on(never, store.settings.clone()), Random::new());
        for name in ["secret-token-aaaa", "secret-token-bbbb"] {
            service.subscriptions.register(&fixture, &token(name), &asha, &team).await.unwrap();
        }
        let began = std::time::Instant::now();
        let error = service.subscriptions.remove_all(&fixture.match_id).await.unwrap_err();
        assert_eq!(*attempts.lock().unwrap(), 8);
        // Seven pauses, from 50 ms to 3.2 s, each at least half as long.
        assert!(began.elapsed() >= Duration::from_millis(3_175), "{:?}", began.elapsed());
        let shown = error.to_string();
        let singlet::Error::Unprocessed { count: 2, keys } = error else { panic!("{error}") };
        assert_eq!(keys.len(), 2);
        assert!(!shown.contains("secret"), "{shown}");
        let left = service.db.scan(Scan::<Subscription>::table()).all().await.unwrap();
        assert_eq!(left.len(), 2);
    });
}

/// A store that does nothing of any batch of writes.
fn never(store: &TestStore, attempts: &Arc<Mutex<usize>>) -> impl Backend {
    let attempts = Arc::clone(attempts);
    Intercepted::new(store.backend(), move |inner, request| {
        let Request::BatchWriteItem(batch) = request else { return inner.execute(request) };
        *attempts.lock().unwrap() += 1;
        // One write that changes nothing, for an answer of the right kind.
        let mut nothing = batch.clone();
        let writes = &mut nothing.tables[0].requests;
        writes.truncate(1);
        writes.iter_mut().for_each(|write| {
            use singlet::dynamo::operation::WriteRequest;
            let (WriteRequest::Delete(key) | WriteRequest::Put(key)) = write;
            key.insert("matchId", singlet::dynamo::Value::from("nobody"));
        });
        let answer = inner.execute(nothing.into());
        Execution::pending(async move {
            let mut answer = answer.await?;
            if let Answer::BatchWriteItem(answer) = &mut answer {
                answer.unprocessed_items = batch.tables;
            }
            Ok(answer)
        })
    })
}

/// Operation 52 reads again while others enrich the entry.
#[test]
fn a_cached_entry_is_put_again_when_it_was_enriched_in_between() {
    run(async {
        let store = TestStore::memory();
        let one = service(&store).await;
        let now = one.db.now();
        one.cache.put(&crate::fixture::cached("1", 1, now)).await.unwrap();
        let results = singlet_testing::at_once(8, |n| {
            let service = crate::fixture::other_service(&store);
            async move {
                match n % 2 {
                    0 => {
                        let enrichment = cricket::design::Enrichment {
                            home_name: format!("name {n}"),
                            ..Default::default()
                        };
                        service.cache.enrich(&match_id("1"), &enrichment).await.unwrap()
                    }
                    _ => {
                        let entry = crate::fixture::cached("1", n as i64 + 1, now);
                        service.cache.put(&entry).await.is_ok()
                    }
                }
            }
        })
        .await;
        assert!(results.iter().all(|done| *done));
        let stored = one.cache.get(&match_id("1")).await.unwrap().unwrap();
        assert_eq!(stored.feed_at, 8);
        assert!(stored.enrichment.is_some_and(|one| one.home_name.starts_with("name")));
    });
}
