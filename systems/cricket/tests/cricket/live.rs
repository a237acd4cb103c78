//! What pages watch, over Server-Sent Events.

use crate::fixture::match_id;
use crate::site::CricketServer;
use cricket::design::Fixture;
use serde_json::json;
use singlet::prelude::*;
use singlet_testing::run;

#[test]
fn a_match_sends_its_state_then_every_change() {
    run(async {
        let site = CricketServer::new().await;
        site.live("1").await;
        let mut events = site.visitor().events("/cricket/matches/1/live?team=102").await;
        let state = events.expect("state").await;
        assert_eq!(state["sequence"], 5);
        assert_eq!(state["display"]["teams"][0]["code"], "KIN");
        assert_eq!(state["balls"].as_array().unwrap().len(), 6);

        site.tick("1", 4).await;
        let display = events.expect("display").await;
        assert_eq!(display["teams"][0]["score"], "115/4 (13.1)");
        assert_eq!(display["headline"], "Kinsale Kestrels need 54 from 41 balls");
        let balls = events.expect("balls").await;
        assert_eq!(balls["sequence"], 6);
        assert_eq!(balls["added"][0]["symbol"], "4");
        assert_eq!((balls["changed"].clone(), balls["removed"].clone()), (json!([]), json!([])));
        site.tick("1", 1).await;
        assert_eq!(events.expect("display").await["teams"][0]["score"], "116/4 (13.2)");

        // A tick without a new sequence is no message; the end is one.
        let same = update(Fixture::key(match_id("1")))
            .set(Fixture::LIVE_UPDATED_AT, site.service.db.now());
        site.service.fixtures.update(same).await.unwrap();
        site.service.fixtures.archive(&match_id("1")).await.unwrap();
        assert_eq!(events.expect("balls").await["sequence"], 7);
        assert_eq!(events.expect("ended").await["matchId"], "1");
    });
}

/// Who was away says what they saw last, and gets what came after it.
#[test]
fn a_stream_is_resumed_by_number() {
    run(async {
        let site = CricketServer::new().await;
        site.live("1").await;
        let path = "/cricket/matches/1/live";
        let mut first = site.visitor().events(path).await;
        first.expect("state").await;
        site.tick("1", 2).await;
        first.expect("display").await;
        first.expect("balls").await;
        let mut again = site.visitor().with_header("last-event-id", "6").events(path).await;
        site.tick("1", 3).await;
        let display = again.expect("display").await;
        assert_eq!(display["teams"][1]["score"], "116/4 (13.2)");
    });
}

#[test]
fn the_list_tells_what_changed_and_what_was_archived() {
    run(async {
        let site = CricketServer::new().await;
        site.live("1").await;
        let mut events = site.visitor().events("/cricket/live").await;
        let state = events.expect("matches").await;
        assert_eq!(state["live"][0]["matchId"], "1");
        site.tick("1", 6).await;
        // The change that made the match live may come first.
        let mut changed = events.expect("matchChanged").await;
        while changed["sequence"] != 6 {
            changed = events.expect("matchChanged").await;
        }
        assert_eq!(changed["teams"][1]["score"], "117/4 (13.1)");
        assert_eq!(changed["teams"][1]["name"], "Kinsale Kestrels");
        site.service.fixtures.archive(&match_id("1")).await.unwrap();
        assert_eq!(events.expect("matchArchived").await, json!({"matchId": "1"}));
    });
}

/// A page with the list beside a match needs one stream.
#[test]
fn the_stream_of_a_match_has_the_list_if_asked() {
    run(async {
        let site = CricketServer::new().await;
        site.live("1").await;
        site.live("2").await;
        let mut alone = site.visitor().events("/cricket/matches/1/live").await;
        assert_eq!(alone.expect("state").await.get("live"), None);
        let path = "/cricket/matches/1/live?team=101&list=true";
        let mut events = site.visitor().events(path).await;
        let state = events.expect("state").await;
        assert_eq!(state["display"]["team"], "101");
        assert_eq!(state["live"].as_array().unwrap().len(), 2);
        site.tick("2", 6).await;
        while events.expect("matchChanged").await["sequence"] != 6 {}
        site.tick("1", 4).await;
        assert_eq!(events.expect("matchChanged").await["matchId"], "1");
        assert_eq!(events.expect("display").await["teams"][0]["code"], "HAR");
        events.expect("balls").await;
        site.service.fixtures.archive(&match_id("2")).await.unwrap();
        assert_eq!(events.expect("matchArchived").await, json!({"matchId": "2"}));
        site.service.fixtures.archive(&match_id("1")).await.unwrap();
        assert_eq!(events.expect("matchArchived").await, json!({"matchId": "1"}));
        assert_eq!(events.expect("ended").await["matchId"], "1");
        alone.expect("display").await;
        alone.expect("balls").await;
        alone.expect("ended").await;
    });
}

/// More matches than a server once remembered, each watched for a moment.
#[test]
fn a_match_is_watched_after_a_thousand_others() {
    run(async {
        let site = CricketServer::new().await;
        for n in 0..1_001 {
            let id = format!("w{n}");
            site.scheduled(&id).await;
            let mut events = site.visitor().events(&format!("/cricket/matches/{id}/live")).await;
            events.expect("state").await;
        }
        site.live("1").await;
        let mut events = site.visitor().events("/cricket/matches/1/live").await;
        events.expect("state").await;
        site.tick("1", 4).await;
        assert_eq!(events.expect("display").await["teams"][1]["score"], "115/4 (13.1)");
    });
}

#[test]
fn a_stale_score_is_pushed_and_so_is_its_recovery() {
    run(async {
        let site = CricketServer::new().await;
        let live = site.live("1").await;
        let mut events = site.visitor().events("/cricket/matches/1/live").await;
        events.expect("state").await;
        site.store.clock.advance(30_000);
        let stale = events.expect("stale").await;
        assert_eq!(stale["since"], live.live_updated_at.unwrap().to_string());
        site.tick("1", 1).await;
        assert_eq!(events.expect("stale").await["since"], json!(null));
        assert_eq!(events.expect("display").await["stale"], false);
    });
}

#[test]
fn streams_of_what_is_not_there_are_refused() {
    run(async {
        let site = CricketServer::new().await;
        site.scheduled("1").await;
        let none = site.visitor().get("/cricket/matches/2/live").await;
        assert_eq!(none.code(), "match-not-found");
        let other = site.visitor().get("/cricket/matches/1/live?team=301").await;
        assert_eq!(other.code(), "team-not-in-match");
        assert_eq!(site.visitor().get("/cricket/user/pushes/live").await.status, 401);
    });
}

#[test]
fn operators_are_told_what_jobs_and_locks_do() {
    run(async {
        let site = CricketServer::new().await;
        let mut events = site.olu().events("/cricket/admin/live").await;
        events.expect("ready").await;
        let mut seen = std::collections::BTreeSet::new();
        while !["job", "lock", "feed"].iter().all(|name| seen.contains(*name)) {
            let (name, _) = events.next().await.unwrap();
            seen.insert(name);
        }
    });
}
