//! Operations 55 to 57: how far ticks have come.

use crate::fixture::{match_id, other_service, processing, scheduled, service};
use cricket::design::Fixture;
use cricket::service::{FixtureService, ProcessingService};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};
use std::sync::Arc;

on_every_backend! {
    op_55_memory_is_used_while_its_sequence_is_the_match_s,
    op_56_is_part_of_a_transaction,
    op_57_states_are_loaded_into_memory,
}

async fn op_55_memory_is_used_while_its_sequence_is_the_match_s(store: TestStore) {
    let (here, there) = (service(&store).await, other_service(&store));
    let (id, now) = (match_id("1"), here.db.now());
    assert_eq!(here.processing.get(&id, 0).await.unwrap(), None);
    here.processing.put(&processing("1", 1, now)).await.unwrap();
    // Another server goes on.
    there.processing.put(&processing("1", 2, now)).await.unwrap();
    let sequence = async |sequence: u64| {
        here.processing.get(&id, sequence).await.unwrap().map(|state| state.sequence)
    };
    assert_eq!(sequence(1).await, Some(1));
    assert_eq!(sequence(2).await, Some(2));
    assert_eq!(*here.processing.get(&id, 2).await.unwrap().unwrap(), processing("1", 2, now));
    store.clock.advance(7 * 24 * 60 * 60 * 1000);
    assert_eq!(sequence(2).await, None);
}

async fn op_56_is_part_of_a_transaction(store: TestStore) {
    let service = service(&store).await;
    let (id, now) = (match_id("1"), service.db.now());
    service.fixtures.create(&scheduled("1", now)).await.unwrap();
    let read = service.fixtures.get_consistent(&id).await.unwrap().unwrap();
    let state = processing("1", 1, now);
    let tick = || {
        let change = FixtureService::tick(&read, 1_000).set(Fixture::SEQUENCE, 1);
        service.db.transact((change, ProcessingService::put_operation(&state)))
    };
    tick().await.unwrap();
    service.processing.remember(Arc::new(state.clone()));
    assert_eq!(service.processing.get(&id, 1).await.unwrap().as_deref(), Some(&state));
    // A second one from the same read is fenced, and writes nothing.
    let refused = tick().await;
    assert!(matches!(refused, Err(singlet::Error::ConditionFailed { .. })));
    // A seek voids every memory: revision and sequence move in one transaction.
    let earlier = processing("1", 2, now);
    let seek = update(Fixture::key(&id)).set(Fixture::SEQUENCE, 2);
    service.db.transact((seek, ProcessingService::put_operation(&earlier))).await.unwrap();
    assert_eq!(service.processing.get(&id, 2).await.unwrap().as_deref(), Some(&earlier));
}

async fn op_57_states_are_loaded_into_memory(store: TestStore) {
    let (here, there) = (service(&store).await, other_service(&store));
    let now = here.db.now();
    for n in 0..20 {
        there.processing.put(&processing(&format!("m{n}"), 1, now)).await.unwrap();
    }
    let ids = [match_id("m3"), match_id("m4"), match_id("nobody")];
    assert_eq!(here.processing.hydrate(Some(&ids)).await.unwrap(), 2);
    assert_eq!(here.processing.hydrate(None).await.unwrap(), 20);
    // It is in memory: what another server writes is not seen at the same sequence.
    let changed = cricket::design::ProcessingState {
        fired: vec!["inn:1".into()],
        ..processing("m3", 1, now)
    };
    there.processing.put(&changed).await.unwrap();
    let state = here.processing.get(&match_id("m3"), 1).await.unwrap().unwrap();
    assert!(state.fired.is_empty());
}
