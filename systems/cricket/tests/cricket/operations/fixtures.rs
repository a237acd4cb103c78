//! Operations 1 to 10: matches.

use crate::fixture::{HOUR, MINUTE, league, league_code, match_id, scheduled, service};
use cricket::design::{Fixture, LeagueId, Live, Replay};
use cricket::rules::{InningsScore, Phase};
use cricket::service::{FixtureService, Service, Updated};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    op_01_a_match_is_read_by_its_id,
    op_02_matches_are_read_by_their_ids,
    op_03_matches_of_a_league_between_two_moments,
    op_04_matches_that_start_soon_in_all_active_leagues,
    op_05_all_matches_in_play,
    op_06_only_new_matches_are_written,
    op_07_a_match_is_changed_if_it_is_there,
    op_07_a_tick_is_fenced,
    op_08_archiving_leaves_the_live_index,
    op_09_only_replays_are_deleted,
    op_10_matches_of_a_league_for_admins,
}

async fn put_live(service: &Service, fixture: &Fixture) {
    service.fixtures.create(fixture).await.unwrap();
    let change = update(Fixture::key(&fixture.match_id))
        .set(Fixture::LIVE, Live::Live)
        .set(Fixture::LIVE_UPDATED_AT, service.db.now())
        .set(Fixture::PHASE, Phase::Live);
    service.fixtures.update(change).await.unwrap();
}

async fn op_01_a_match_is_read_by_its_id(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    assert_eq!(service.fixtures.get(&match_id("1")).await.unwrap(), None);
    let fixture = Fixture {
        innings: vec![InningsScore { n: 1, team_id: "101".into(), runs: 7, ..Default::default() }],
        ..scheduled("1", now)
    };
    assert!(service.fixtures.create(&fixture).await.unwrap());
    assert_eq!(service.fixtures.get(&match_id("1")).await.unwrap(), Some(fixture.clone()));
    assert_eq!(service.fixtures.get_consistent(&match_id("1")).await.unwrap(), Some(fixture));
}

async fn op_02_matches_are_read_by_their_ids(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let fixtures: Vec<Fixture> =
        (0..130).map(|n| scheduled(&format!("m{n}"), now.after(4 * HOUR))).collect();
    assert_eq!(service.fixtures.create_many(&fixtures).await.unwrap(), 130);
    // A repeated id is read once, an absent one is missing.
    let mut ids: Vec<_> = fixtures.iter().map(|one| one.match_id.clone()).collect();
    ids.extend([match_id("m0"), match_id("nobody")]);
    let found = service.fixtures.get_many(&ids).await.unwrap();
    assert_eq!(found.len(), 130);
    assert_eq!(found[&match_id("m129")].start_time, now.after(4 * HOUR));
    assert!(!found.contains_key(&match_id("nobody")));
    assert!(service.fixtures.get_many(&[]).await.unwrap().is_empty());
}

async fn op_03_matches_of_a_league_between_two_moments(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let fixtures: Vec<Fixture> =
        (0..60).map(|n| scheduled(&format!("m{n:02}"), now.after(3 * HOUR + n * MINUTE))).collect();
    service.fixtures.create_many(&fixtures).await.unwrap();
    let (from, to) = (now.after(3 * HOUR + MINUTE), now.after(3 * HOUR + 55 * MINUTE));
    let code = league_code("CTL");
    let first = service.fixtures.of_league(&code, from, to, None).await.unwrap();
    assert_eq!(first.items.len(), 50);
    assert_eq!(first.items[0].match_id, match_id("m01"));
    let second = service.fixtures.of_league(&code, from, to, first.next).await.unwrap();
    let ids: Vec<&str> = second.items.iter().map(|one| one.match_id.as_str()).collect();
    assert_eq!(ids, ["m51", "m52", "m53", "m54", "m55"]);
    assert!(second.next.is_none());
    let other = service.fixtures.of_league(&league_code("SOC"), from, to, None).await.unwrap();
    assert!(other.items.is_empty());
}

async fn op_04_matches_that_start_soon_in_all_active_leagues(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    for (id, code, active) in [("7001", "CTL", true), ("7002", "SOC", true), ("7003", "ITS", false)]
    {
        service.leagues.put(&league(id, code, code, active, now)).await.unwrap();
    }
    let of = |id: &str, code: &str, minutes: u32| Fixture {
        league_code: league_code(code),
        ..scheduled(id, now.after(minutes * MINUTE))
    };
    for fixture in [
        of("b", "SOC", 10),
        of("a", "CTL", 10),
        of("c", "CTL", 5),
        of("late", "CTL", 31),
        of("inactive", "ITS", 10),
    ] {
        service.fixtures.create(&fixture).await.unwrap();
    }
    put_live(&service, &of("live", "CTL", 7)).await;
    service.fixtures.create(&of("archived", "CTL", 8)).await.unwrap();
    service.fixtures.archive(&match_id("archived")).await.unwrap();
    let soon = service.starting_soon(now, now.after(30 * MINUTE)).await.unwrap();
    let ids: Vec<&str> = soon.iter().map(|one| one.match_id.as_str()).collect();
    assert_eq!(ids, ["c", "a", "b"]);
}

async fn op_05_all_matches_in_play(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    assert!(service.fixtures.live().await.unwrap().is_empty());
    put_live(&service, &scheduled("2", now.before(MINUTE))).await;
    put_live(&service, &scheduled("1", now.before(HOUR))).await;
    service.fixtures.create(&scheduled("3", now)).await.unwrap();
    let live = service.fixtures.live().await.unwrap();
    let ids: Vec<&str> = live.iter().map(|one| one.match_id.as_str()).collect();
    assert_eq!(ids, ["1", "2"]);
    assert_eq!(live[0].phase, Phase::Live);
}

/// A late batch must not reset a live match: those that start within two hours are put one by one,
/// on the condition that they are absent.
async fn op_06_only_new_matches_are_written(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    put_live(&service, &scheduled("live", now)).await;
    let fixtures = [
        scheduled("live", now),
        scheduled("soon", now.after(HOUR)),
        scheduled("later", now.after(3 * HOUR)),
    ];
    assert_eq!(service.fixtures.create_many(&fixtures).await.unwrap(), 2);
    assert_eq!(service.fixtures.create_many(&fixtures).await.unwrap(), 0);
    let live = service.fixtures.get(&match_id("live")).await.unwrap().unwrap();
    assert_eq!((live.live, live.phase), (Some(Live::Live), Phase::Live));
    assert!(service.fixtures.get(&match_id("soon")).await.unwrap().is_some());
    assert!(service.fixtures.get(&match_id("later")).await.unwrap().is_some());
}

async fn op_07_a_match_is_changed_if_it_is_there(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let change = || {
        update(Fixture::key(match_id("1"))).set(Fixture::STATUS, "Delayed").remove(Fixture::VENUE)
    };
    assert_eq!(service.fixtures.update(change()).await.unwrap(), Updated::NotThere);
    service.fixtures.create(&scheduled("1", now)).await.unwrap();
    let Updated::Done(changed) = service.fixtures.update(change()).await.unwrap() else {
        panic!("the match is there")
    };
    assert_eq!((changed.status.as_str(), changed.venue), ("Delayed", None));
    let only_if = change().only_if(Fixture::SEQUENCE.eq(7));
    assert_eq!(service.fixtures.update(only_if).await.unwrap(), Updated::Fenced);
}

async fn op_07_a_tick_is_fenced(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    service.fixtures.create(&scheduled("1", now)).await.unwrap();
    let id = match_id("1");
    let read = service.fixtures.get_consistent(&id).await.unwrap().unwrap();
    let tick = |read: &Fixture, feed_at: i64| {
        FixtureService::tick(read, feed_at).set(Fixture::SEQUENCE, read.sequence + 1)
    };
    let Updated::Done(first) = service.fixtures.update(tick(&read, 1_000)).await.unwrap() else {
        panic!("nobody else was there")
    };
    assert_eq!((first.sequence, first.feed_at), (1, Some(1_000)));
    // Its sequence has moved.
    assert_eq!(service.fixtures.update(tick(&read, 2_000)).await.unwrap(), Updated::Fenced);
    // A snapshot that is as new was applied.
    assert_eq!(service.fixtures.update(tick(&first, 1_000)).await.unwrap(), Updated::Fenced);
    assert_eq!(service.fixtures.update(tick(&first, 999)).await.unwrap(), Updated::Fenced);
    let Updated::Done(second) = service.fixtures.update(tick(&first, 1_001)).await.unwrap() else {
        panic!("the snapshot is newer")
    };
    service.fixtures.archive(&id).await.unwrap();
    assert_eq!(service.fixtures.update(tick(&second, 2_000)).await.unwrap(), Updated::Fenced);
}

async fn op_08_archiving_leaves_the_live_index(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let id = match_id("1");
    assert!(!service.fixtures.archive(&id).await.unwrap());
    put_live(&service, &scheduled("1", now)).await;
    assert!(service.fixtures.archive(&id).await.unwrap());
    assert!(service.fixtures.live().await.unwrap().is_empty());
    store.clock.advance(5_000);
    // The second time keeps when it was.
    assert!(service.fixtures.archive(&id).await.unwrap());
    let archived = service.fixtures.get(&id).await.unwrap().unwrap();
    assert_eq!(archived.archived_at, Some(now));
    assert_eq!((archived.live, archived.live_updated_at), (None, None));
}

async fn op_09_only_replays_are_deleted(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let replay = Replay {
        tape: "t20-20".into(),
        playing: true,
        position_ms: 0,
        at: now,
        speed: 12,
        skip_breaks: true,
        revision: 0,
        expires_at: now,
    };
    service.fixtures.create(&scheduled("real", now)).await.unwrap();
    let replayed = Fixture { replay: Some(replay), ..scheduled("replay", now) };
    service.fixtures.create(&replayed).await.unwrap();
    assert!(!service.fixtures.delete_replay(&match_id("real")).await.unwrap());
    assert!(service.fixtures.get(&match_id("real")).await.unwrap().is_some());
    assert!(service.fixtures.delete_replay(&match_id("replay")).await.unwrap());
    assert!(!service.fixtures.delete_replay(&match_id("replay")).await.unwrap());
}

async fn op_10_matches_of_a_league_for_admins(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let other = LeagueId::new("7002").unwrap();
    // Two of three are of the league; a request reads 200.
    let fixtures: Vec<Fixture> = (0..450)
        .map(|n| {
            let fixture = scheduled(&format!("m{n:03}"), now.after(4 * HOUR));
            match n % 3 {
                0 => Fixture { league_id: other.clone(), ..fixture },
                _ => fixture,
            }
        })
        .collect();
    service.fixtures.create_many(&fixtures).await.unwrap();
    let (mut found, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = service.fixtures.of_league_id(&other, 50, after).await.unwrap();
        pages += 1;
        found.extend(page.items);
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    assert!((2..=3).contains(&pages), "{pages} pages");
    assert!(found.iter().all(|one| one.league_id == other));
    let mut ids: Vec<_> = found.iter().map(|one| one.match_id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 150);
    let none = LeagueId::new("none").unwrap();
    let nothing = service.fixtures.of_league_id(&none, 50, None).await.unwrap();
    assert!(nothing.items.is_empty() && nothing.next.is_none());
}
