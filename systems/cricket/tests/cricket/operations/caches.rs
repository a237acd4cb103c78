//! Operations 46 to 54: what is shown, and what the feed said.

use crate::fixture::{HOUR, MINUTE, cached, match_id, service, team_id};
use cricket::design::{CachedFixture, Enrichment, LeagueId, TeamId};
use cricket::rules::Phase;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    op_46_and_47_a_display_is_kept_for_a_minute,
    op_48_and_52_the_feed_s_words_are_kept_with_their_enrichment,
    op_49_and_53_many_entries,
    op_50_and_51_entries_by_start,
    op_54_enrichment_alone,
}

fn enrichment() -> Enrichment {
    Enrichment {
        home_name: "Harbour Hawks".into(),
        home_code: "HAR".into(),
        home_position: Some(2),
        ..Enrichment::default()
    }
}

async fn op_46_and_47_a_display_is_kept_for_a_minute(store: TestStore) {
    let service = service(&store).await;
    let (id, team) = (match_id("1"), team_id("101"));
    let put = async |text: &str, sequence: u64, is_final: bool| {
        service.displays.put(&id, &team, text.into(), sequence, is_final).await.unwrap()
    };
    let get = async || {
        let stored = service.displays.get(&id, &team).await.unwrap();
        stored.map(|one| (one.state, one.sequence))
    };
    assert_eq!(get().await, None);
    assert!(put("two", 2, false).await);
    // An older one is ignored; one that is as new replaces it.
    assert!(!put("one", 1, false).await);
    assert_eq!(get().await, Some(("two".into(), 2)));
    assert!(put("again", 2, false).await);
    assert_eq!(service.displays.get(&id, &TeamId::neutral()).await.unwrap(), None);
    store.clock.advance(59_000);
    assert_eq!(get().await, Some(("again".into(), 2)));
    store.clock.advance(1_000);
    assert_eq!(get().await, None);
    // An expired one is absent: anything replaces it. The last one is kept for a day.
    assert!(put("final", 1, true).await);
    store.clock.advance(24 * 60 * 60 * 1000 - 1_000);
    assert_eq!(get().await, Some(("final".into(), 1)));
    store.clock.advance(1_000);
    assert_eq!(get().await, None);
}

async fn op_48_and_52_the_feed_s_words_are_kept_with_their_enrichment(store: TestStore) {
    let service = service(&store).await;
    let (id, now) = (match_id("1"), service.db.now());
    assert_eq!(service.cache.get(&id).await.unwrap(), None);
    assert!(service.cache.put(&cached("1", 1_000, now)).await.unwrap());
    assert!(service.cache.enrich(&id, &enrichment()).await.unwrap());
    // What is as old is left out.
    assert!(!service.cache.put(&cached("1", 1_000, now)).await.unwrap());
    let newer = CachedFixture { payload: "{\"id\":1}".into(), ..cached("1", 1_001, now) };
    assert!(service.cache.put(&newer).await.unwrap());
    let stored = service.cache.get(&id).await.unwrap().unwrap();
    assert_eq!(stored.payload, "{\"id\":1}");
    assert_eq!((stored.enrichment, stored.enriched_at), (Some(enrichment()), Some(now)));
    // An entry has as long as the phase says.
    for (phase, hours) in [(Phase::Live, 1), (Phase::Scheduled, 24), (Phase::Finished, 168)] {
        let expiry = service.cache.expiry(phase);
        assert_eq!(expiry.as_seconds() - now.as_seconds(), hours * 3_600, "{phase:?}");
    }
    store.clock.advance(60 * 60 * 1000);
    assert_eq!(service.cache.get(&id).await.unwrap(), None);
    // An expired entry is absent: an older one takes its place, without the enrichment.
    assert!(service.cache.put(&cached("1", 5, service.db.now())).await.unwrap());
    assert_eq!(service.cache.get(&id).await.unwrap().unwrap().enrichment, None);
}

async fn op_49_and_53_many_entries(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let entries: Vec<CachedFixture> =
        (0..120).map(|n| cached(&format!("m{n}"), 1_000, now)).collect();
    assert_eq!(service.cache.put_many(&entries).await.unwrap(), 120);
    service.cache.enrich(&match_id("m0"), &enrichment()).await.unwrap();
    // Case 29, its second half: a batch without enrichment keeps what is there; what is older than
    // what is stored is left out.
    let again = [
        cached("m0", 2_000, now),
        cached("m1", 999, now),
        CachedFixture { enrichment: Some(Enrichment::default()), ..cached("m2", 2_000, now) },
    ];
    assert_eq!(service.cache.put_many(&again).await.unwrap(), 2);
    let ids: Vec<_> = (0..121).map(|n| match_id(&format!("m{n}"))).collect();
    let found = service.cache.get_many(&ids).await.unwrap();
    assert_eq!(found.len(), 120);
    let first = &found[&match_id("m0")];
    assert_eq!((first.feed_at, first.enrichment.as_ref()), (2_000, Some(&enrichment())));
    assert_eq!(found[&match_id("m1")].feed_at, 1_000);
    assert_eq!(found[&match_id("m2")].enrichment, Some(Enrichment::default()));
    store.clock.advance(60 * 60 * 1000);
    assert!(service.cache.get_many(&ids).await.unwrap().is_empty());
}

async fn op_50_and_51_entries_by_start(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let other = LeagueId::new("7002").unwrap();
    let soon = singlet::Expiry::at(now.after(MINUTE));
    for entry in [
        CachedFixture { starting_at: now.after(2 * HOUR), ..cached("late", 1, now) },
        CachedFixture { starting_at: now.after(HOUR), ..cached("early", 1, now) },
        CachedFixture { league_id: other.clone(), ..cached("other", 1, now) },
        CachedFixture { expires: soon, ..cached("short", 1, now) },
    ] {
        service.cache.put(&entry).await.unwrap();
    }
    store.clock.advance(60_000);
    let ids = |entries: Vec<CachedFixture>| -> Vec<String> {
        entries.iter().map(|entry| entry.match_id.to_string()).collect()
    };
    let league = LeagueId::new("7001").unwrap();
    assert_eq!(ids(service.cache.of_league(&league).await.unwrap()), ["early", "late"]);
    assert_eq!(ids(service.cache.of_league(&other).await.unwrap()), ["other"]);
    assert_eq!(ids(service.cache.all().await.unwrap()), ["other", "early", "late"]);
}

async fn op_54_enrichment_alone(store: TestStore) {
    let service = service(&store).await;
    let (id, now) = (match_id("1"), service.db.now());
    assert!(!service.cache.enrich(&id, &enrichment()).await.unwrap());
    assert_eq!(service.cache.get(&id).await.unwrap(), None);
    service.cache.put(&cached("1", 1_000, now)).await.unwrap();
    assert!(service.cache.enrich(&id, &enrichment()).await.unwrap());
    let stored = service.cache.get(&id).await.unwrap().unwrap();
    assert_eq!((stored.feed_at, stored.enrichment), (1_000, Some(enrichment())));
}
