//! Operations 40 to 42: locks; 43 to 45: hashes.

use crate::fixture::{match_id, service, team_id};
use cricket::design::{LockKey, Owner, StateHash, TeamId};
use cricket::rules::EventKind;
use cricket::service::{Acquired, LEASE};
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    op_40_a_lock_is_acquired_by_one,
    op_41_only_the_owner_releases,
    op_42_only_the_owner_extends,
    op_43_to_45_hashes_only_go_forward,
}

fn owner(text: &str) -> Owner {
    Owner::new(text).unwrap()
}

async fn op_40_a_lock_is_acquired_by_one(store: TestStore) {
    let service = service(&store).await;
    let key = LockKey::of_match(&match_id("9000001"));
    assert_eq!(key.as_str(), "match:9000001");
    let (one, other) = (owner("host-1-aaaaaaaa"), owner("host-2-bbbbbbbb"));
    let expires_at = service.db.now().after(LEASE).as_millis();
    let first = service.locks.acquire(&key, &one, LEASE).await.unwrap();
    assert_eq!(first, Acquired::Held { expires_at });
    let busy = Acquired::Busy { owner: one.clone(), expires_at };
    assert_eq!(service.locks.acquire(&key, &other, LEASE).await.unwrap(), busy);
    store.clock.advance(9_999);
    assert_eq!(service.locks.acquire(&key, &other, LEASE).await.unwrap(), busy);
    // At its very millisecond it is free.
    store.clock.advance(1);
    let second = service.locks.acquire(&key, &other, LEASE).await.unwrap();
    assert!(matches!(second, Acquired::Held { .. }));
    let all = service.locks.all().await.unwrap();
    assert_eq!((all.len(), &all[0].owner), (1, &other));
    store.clock.advance(10_000);
    assert!(service.locks.all().await.unwrap().is_empty());
}

async fn op_41_only_the_owner_releases(store: TestStore) {
    let service = service(&store).await;
    let (key, one, other) = (LockKey::feed(), owner("one"), owner("other"));
    assert!(!service.locks.release(&key, &one).await.unwrap());
    service.locks.acquire(&key, &one, LEASE).await.unwrap();
    assert!(!service.locks.release(&key, &other).await.unwrap());
    assert!(service.locks.release(&key, &one).await.unwrap());
    assert!(!service.locks.release(&key, &one).await.unwrap());
    let free = service.locks.acquire(&key, &other, LEASE).await.unwrap();
    assert!(matches!(free, Acquired::Held { .. }));
}

async fn op_42_only_the_owner_extends(store: TestStore) {
    let service = service(&store).await;
    let (key, one, other) = (LockKey::of_job("prematch"), owner("one"), owner("other"));
    assert_eq!(service.locks.extend(&key, &one, LEASE).await.unwrap(), None);
    service.locks.acquire(&key, &one, LEASE).await.unwrap();
    store.clock.advance(5_000);
    assert_eq!(service.locks.extend(&key, &other, LEASE).await.unwrap(), None);
    let until = service.db.now().after(LEASE).as_millis();
    assert_eq!(service.locks.extend(&key, &one, LEASE).await.unwrap(), Some(until));
    store.clock.advance(9_999);
    let busy = service.locks.acquire(&key, &other, LEASE).await.unwrap();
    assert_eq!(busy, Acquired::Busy { owner: one.clone(), expires_at: until });
    // Whoever lost it cannot extend it.
    store.clock.advance(1);
    service.locks.acquire(&key, &other, LEASE).await.unwrap();
    assert_eq!(service.locks.extend(&key, &one, LEASE).await.unwrap(), None);
}

async fn op_43_to_45_hashes_only_go_forward(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let (id, team) = (match_id("1"), team_id("101"));
    let hash = |sequence: u64, hash: &str| StateHash {
        match_id: id.clone(),
        team_id: team.clone(),
        hash: hash.into(),
        sequence,
        event_kind: Some(EventKind::Wicket),
        pushed_at: now,
    };
    assert_eq!(service.hashes.get(&id, &team).await.unwrap(), None);
    assert!(service.hashes.put(&hash(57, "a")).await.unwrap());
    assert!(!service.hashes.put(&hash(57, "b")).await.unwrap());
    assert!(!service.hashes.put(&hash(56, "b")).await.unwrap());
    assert_eq!(service.hashes.get(&id, &team).await.unwrap(), Some(hash(57, "a")));
    assert!(service.hashes.put(&hash(58, "c")).await.unwrap());
    // Each perspective has its own.
    assert_eq!(service.hashes.get(&id, &TeamId::neutral()).await.unwrap(), None);
    service.hashes.delete(&id, &team).await.unwrap();
    service.hashes.delete(&id, &team).await.unwrap();
    assert_eq!(service.hashes.get(&id, &team).await.unwrap(), None);
}
