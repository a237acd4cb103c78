//! What is stored looks as the specification says, attribute by attribute: an item of each table.

use crate::fixture::{
    cached, league, match_id, processing, record, scheduled, service, team, team_id, token, user_id,
};
use cricket::design::{
    ActivitySubscriptions, BallId, CachedFixture, Claim, Devices, DisplayStateCache, Enrichment,
    Environment, Fixture, FixtureCache, Fixtures, Form, Leagues, Live, LockKey, Locks,
    MatchFollows, MatchProcessingState, Owner, Platform, PrematchNotifications, ProcessingState,
    Replay, StateHash, StateHashes, TeamId, TeamSeason, TeamSeasons, Teams,
};
use cricket::rules::{
    Elected, EventKind, InningsScore, LastEvent, MatchResult, Phase, ResultKind, Target, Toss,
};
use cricket::service::{LEASE, NewDevice};
use serde_json::{Value, json};
use singlet::dynamo::Item;
use singlet::item;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    matches_teams_and_leagues,
    devices_follows_and_activities,
    claims_locks_and_hashes,
    displays_cache_and_processing,
}

/// The one item of a table, compared with DynamoDB's JSON.
fn check(items: &[Item], expected: Value) {
    let [item] = items else { panic!("{items:?}") };
    let expected = item::from_json(expected.to_string().as_bytes()).unwrap();
    assert_eq!(*item, expected);
}

fn s(text: impl ToString) -> Value {
    json!({"S": text.to_string()})
}

fn n(number: i64) -> Value {
    json!({"N": number.to_string()})
}

fn bool(value: bool) -> Value {
    json!({"BOOL": value})
}

async fn matches_teams_and_leagues(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let fixture = Fixture {
        round: Some("Final".into()),
        status: "2nd Innings".into(),
        phase: Phase::InningsBreak,
        live: Some(Live::Live),
        live_updated_at: Some(now),
        archived_at: None,
        ended_at: Some(now),
        toss: Some(Toss { team_id: "102".into(), elected: Elected::Bowl }),
        toss_notified_at: Some(now),
        innings: vec![InningsScore {
            n: 1,
            team_id: "101".into(),
            runs: 168,
            wickets: 7,
            balls: 120,
            ..Default::default()
        }],
        target: Some(Target { runs: 169, balls: None, revised: false }),
        day: Some(1),
        result: Some(MatchResult {
            kind: ResultKind::Won,
            winner_team_id: Some("101".into()),
            margin: Some(12),
            unit: Some("runs".into()),
            text: "Harbour Hawks won by 12 runs".into(),
        }),
        sequence: 57,
        feed_at: Some(1_794_753_000_000),
        replay: Some(Replay {
            tape: "t20-20".into(),
            playing: true,
            position_ms: -5,
            at: now,
            speed: 12,
            skip_breaks: true,
            revision: 3,
            expires_at: now,
        }),
        ..scheduled("9000001", now)
    };
    service.fixtures.create(&fixture).await.unwrap();
    check(
        &store.items::<Fixtures>().await,
        json!({
            "matchId": s("9000001"), "leagueCode": s("CTL"), "leagueId": s("7001"),
            "seasonId": s("s1"), "round": s("Final"), "format": s("T20"), "startTime": s(now),
            "homeTeamId": s("101"), "awayTeamId": s("102"), "venue": s("Harbour Oval"),
            "status": s("2nd Innings"), "phase": s("innings_break"), "live": s("LIVE"),
            "liveUpdatedAt": s(now), "endedAt": s(now), "tossNotifiedAt": s(now),
            "toss": {"M": {"teamId": s("102"), "elected": s("bowl")}},
            "innings": {"L": [{"M": {
                "n": n(1), "teamId": s("101"), "runs": n(168), "wickets": n(7), "balls": n(120),
                "declared": bool(false), "followOn": bool(false), "superOver": bool(false),
            }}]},
            "target": {"M": {"runs": n(169), "revised": bool(false)}},
            "day": n(1),
            "result": {"M": {
                "kind": s("won"), "winnerTeamId": s("101"), "margin": n(12), "unit": s("runs"),
                "text": s("Harbour Hawks won by 12 runs"),
            }},
            "sequence": n(57), "feedAt": n(1_794_753_000_000),
            "replay": {"M": {
                "tape": s("t20-20"), "playing": bool(true), "positionMs": n(-5), "at": s(now),
                "speed": n(12), "skipBreaks": bool(true), "revision": n(3), "expiresAt": s(now),
            }},
            "updatedAt": s(now),
        }),
    );
    assert_eq!(now.to_string().len(), 24);

    service.teams.create_many(&[team("101", "Harbour Hawks", "HAR", now)]).await.unwrap();
    check(
        &store.items::<Teams>().await,
        json!({
            "teamId": s("101"), "name": s("Harbour Hawks"), "code": s("HAR"),
            "national": bool(false), "updatedAt": s(now),
        }),
    );

    service.leagues.put(&league("7001", "CTL", "Coastal T20 League", true, now)).await.unwrap();
    check(
        &store.items::<Leagues>().await,
        json!({
            "leagueId": s("7001"), "code": s("CTL"), "name": s("Coastal T20 League"),
            "seasonId": s("s1"), "type": s("league"), "active": bool(true), "updatedAt": s(now),
        }),
    );

    let record = TeamSeason {
        lost: 2,
        no_result: 1,
        points: 11,
        form: vec![Form::W, Form::L, Form::D, Form::N],
        ..record("101", 1, now)
    };
    service.team_seasons.put_many(&[record]).await.unwrap();
    check(
        &store.items::<TeamSeasons>().await,
        json!({
            "seasonId": s("s1"), "teamId": s("101"), "leagueId": s("7001"), "position": n(1),
            "played": n(8), "won": n(5), "lost": n(2), "drawn": n(0), "noResult": n(1),
            "points": n(11), "runsFor": n(2282), "oversFor": s("263.5"), "runsAgainst": n(2188),
            "oversAgainst": s("272.4"), "netRunRate": s("+0.625"),
            "form": {"L": [s("W"), s("L"), s("D"), s("N")]}, "updatedAt": s(now),
        }),
    );
}

async fn devices_follows_and_activities(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let asha = user_id("asha");
    let phone = NewDevice {
        device_token: token("phone"),
        platform: Platform::Ios,
        environment: Environment::Sandbox,
        app_version: Some("1.2".into()),
    };
    service.devices.register(&asha, &phone).await.unwrap();
    service.devices.set_push_to_start(&asha, &token("phone"), &token("start")).await.unwrap();
    check(
        &store.items::<Devices>().await,
        json!({
            "userId": s("asha"), "deviceToken": s("phone"), "platform": s("ios"),
            "environment": s("sandbox"), "appVersion": s("1.2"), "createdAt": s(now),
            "lastSeenAt": s(now), "pushToStartToken": s("start"),
            "expiresAt": n(now.as_seconds() + 90 * 86_400),
        }),
    );

    let fixture = scheduled("1", now);
    service.follows.follow(&fixture, &asha, &team_id("101")).await.unwrap();
    let expires_at = n(now.as_seconds() + 53 * 3_600);
    check(
        &store.items::<MatchFollows>().await,
        json!({
            "matchId": s("1"), "userId": s("asha"), "teamId": s("101"), "createdAt": s(now),
            "expiresAt": expires_at,
        }),
    );

    let team = TeamId::neutral();
    service.fixtures.create(&fixture).await.unwrap();
    service.register_activity(&fixture.match_id, &asha, &token("activity"), &team).await.unwrap();
    check(
        &store.items::<MatchFollows>().await,
        json!({
            "matchId": s("1"), "userId": s("asha"), "teamId": s("101"), "createdAt": s(now),
            "activities": {"SS": ["activity"]}, "expiresAt": expires_at,
        }),
    );
    check(
        &store.items::<ActivitySubscriptions>().await,
        json!({
            "matchId": s("1"), "pushToken": s("activity"), "userId": s("asha"),
            "teamId": s("neutral"), "createdAt": s(now), "expiresAt": expires_at,
        }),
    );
}

async fn claims_locks_and_hashes(store: TestStore) {
    let service = service(&store).await;
    let (id, now) = (match_id("9000001"), service.db.now());
    service.prematch.mark_sent(&id, &Claim::start(3, &user_id("asha"))).await.unwrap();
    check(
        &store.items::<PrematchNotifications>().await,
        json!({
            "matchId": s("9000001"), "userId": s("start#3#asha"), "sentAt": s(now),
            "expiresAt": n(now.as_seconds() + 48 * 3_600),
        }),
    );
    assert_eq!(Claim::reminder(&user_id("asha")).as_str(), "asha");
    assert_eq!(Claim::toss(&user_id("asha")).as_str(), "toss#asha");
    assert_eq!(Claim::everybody().as_str(), "*");
    // Nobody is everybody.
    assert_eq!(Claim::reminder(&user_id("*")).as_str(), "%2A");

    let owner = Owner::new("host-71-9f3a12bc").unwrap();
    service.locks.acquire(&LockKey::of_match(&id), &owner, LEASE).await.unwrap();
    check(
        &store.items::<Locks>().await,
        json!({
            "lockKey": s("match:9000001"), "owner": s("host-71-9f3a12bc"),
            "expiresAt": n(now.as_millis() + 10_000),
        }),
    );

    let hash = StateHash {
        match_id: id.clone(),
        team_id: TeamId::neutral(),
        hash: "3c9de4ff".repeat(8),
        sequence: 57,
        event_kind: Some(EventKind::HatTrick),
        pushed_at: now,
    };
    service.hashes.put(&hash).await.unwrap();
    check(
        &store.items::<StateHashes>().await,
        json!({
            "matchTeamKey": s("9000001#neutral"), "hash": s("3c9de4ff".repeat(8)),
            "sequence": n(57), "eventKind": s("hatTrick"), "pushedAt": s(now),
        }),
    );
}

async fn displays_cache_and_processing(store: TestStore) {
    let service = service(&store).await;
    let (id, now) = (match_id("9000001"), service.db.now());
    service.displays.put(&id, &team_id("101"), "{\"v\":1}".into(), 57, false).await.unwrap();
    check(
        &store.items::<DisplayStateCache>().await,
        json!({
            "cacheKey": s("DISPLAY#9000001#101"), "state": s("{\"v\":1}"), "sequence": n(57),
            "ttl": n(now.as_seconds() + 60),
        }),
    );

    let entry = CachedFixture {
        enrichment: Some(Enrichment {
            home_name: "Harbour Hawks".into(),
            home_code: "HAR".into(),
            away_name: "Kinsale Kestrels".into(),
            away_code: "KIN".into(),
            league_name: "Coastal T20 League".into(),
            league_code: "CTL".into(),
            home_position: Some(1),
            away_position: None,
        }),
        enriched_at: Some(now),
        ..cached("9000001", 1_000, now)
    };
    service.cache.put(&entry).await.unwrap();
    check(
        &store.items::<FixtureCache>().await,
        json!({
            "matchId": s("9000001"), "leagueId": s("7001"), "startingAt": s(now),
            "payload": s("{}"), "feedAt": n(1_000),
            "enrichment": {"M": {
                "homeName": s("Harbour Hawks"), "homeCode": s("HAR"),
                "awayName": s("Kinsale Kestrels"), "awayCode": s("KIN"),
                "leagueName": s("Coastal T20 League"), "leagueCode": s("CTL"),
                "homePosition": n(1),
            }},
            "enrichedAt": s(now), "ttl": n(now.as_seconds() + 3_600),
        }),
    );

    let state = ProcessingState {
        last_processed_ball: Some(BallId::new("17").unwrap()),
        fired: vec!["inn:1".into()],
        last_event: Some(LastEvent {
            kind: EventKind::Wicket,
            text: "L. Moyo c A. Mensah b T. Okafor 21 (14)".into(),
            ball: Some("12.5".into()),
            ball_id: 17,
            innings: 2,
            good_for: Some("101".into()),
            score: "KIN 111/4 (12.5)".into(),
        }),
        ..processing("9000001", 57, now)
    };
    service.processing.put(&state).await.unwrap();
    check(
        &store.items::<MatchProcessingState>().await,
        json!({
            "matchId": s("9000001"), "lastProcessedBall": s("17"),
            "ballByBall": {"L": [s("17|2|12.5|2005|2004|1009|0|0|0|0|0|caught|2005|1004")]},
            "players": {"M": {"2005": s("L. Moyo")}},
            "lastEvent": {"M": {
                "kind": s("wicket"), "text": s("L. Moyo c A. Mensah b T. Okafor 21 (14)"),
                "ball": s("12.5"), "ballId": n(17), "innings": n(2), "goodFor": s("101"),
                "score": s("KIN 111/4 (12.5)"),
            }},
            "fired": {"L": [s("inn:1")]}, "cooldowns": {"M": {"six": n(5)}}, "sequence": n(57),
            "expiresAt": n(now.as_seconds() + 7 * 86_400),
        }),
    );
}
