//! The routes over HTTP.

use crate::fixture::{match_id, scheduled, token, user_id};
use crate::site::CricketServer;
use axum::http::Method;
use cricket::design::{Fixture, TeamId};
use serde_json::{Value, json};
use singlet::prelude::*;
use singlet_testing::run;

fn ids(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap();
    list.iter().map(|one| one["matchId"].as_str().unwrap()).collect()
}

#[test]
fn matches_are_listed_with_those_in_play_first() {
    run(async {
        let site = CricketServer::new().await;
        let live = site.live("1").await;
        site.scheduled("2").await;
        site.replay("3").await;
        site.followed_by(&live, "asha", "101").await;
        let list = site.get("/matches").await;
        assert_eq!(ids(&list["live"]), ["1"]);
        assert_eq!(ids(&list["items"]), ["2", "3"]);
        let first = &list["live"][0];
        assert_eq!(first["league"], json!({"code": "CTL", "name": "Coastal T20 League"}));
        assert_eq!(
            first["teams"],
            json!([
                {"id": "101", "code": "HAR", "name": "Harbour Hawks", "score": "168/7 (20)"},
                {"id": "102", "code": "KIN", "name": "Kinsale Kestrels", "score": "111/4 (13)"},
            ])
        );
        assert_eq!(first["headline"], "Kinsale Kestrels need 58 from 42 balls");
        assert_eq!((&first["generated"], &first["stale"]), (&json!(false), &json!(false)));
        assert_eq!(first.get("following"), None);
        assert_eq!(list["items"][1]["generated"], true);
        // Who follows sees it.
        let own = site.asha().get("/cricket/matches").await.expect(200);
        assert_eq!(own["live"][0]["following"], "101");
        // By ids, in their order; those that are not there are left out.
        let some = site.get("/matches?ids=3,nobody,1").await;
        assert_eq!(ids(&some["items"]), ["3", "1"]);
        // Unknown leagues were answered with empty lists.
        for path in ["matches?league=SOC", "matches?league=a%23b", "admin/fixtures?leagueId=none"] {
            let unknown = site.olu().get(&format!("/cricket/{path}")).await;
            assert_eq!(
                (unknown.status, unknown.code().as_str()),
                (404, "league-not-found"),
                "{path}"
            );
        }
    });
}

/// The demo has a match of two days ago: it was gone from the list the moment it was loaded.
#[test]
fn what_was_played_two_days_ago_is_listed_until_midnight() {
    run(async {
        let site = CricketServer::new().await;
        let day_ms = 24 * 60 * 60 * 1000;
        let then = site.service.db.now().as_millis() - 2 * day_ms;
        let midnight = then - then.rem_euclid(day_ms);
        for (id, start) in [("listed", midnight), ("not-listed", midnight - 1)] {
            let fixture = scheduled(id, Timestamp::from_millis(start));
            site.service.fixtures.create(&fixture).await.unwrap();
        }
        assert_eq!(ids(&site.get("/matches").await["items"]), ["listed"]);
    });
}

#[test]
fn a_long_list_is_read_in_parts() {
    run(async {
        let site = CricketServer::new().await;
        let now = site.service.db.now();
        let fixtures: Vec<Fixture> = (0..70)
            .map(|n| {
                let start = now.after(crate::fixture::HOUR * 3 + crate::fixture::MINUTE * n);
                scheduled(&format!("m{n:02}"), start)
            })
            .collect();
        site.service.fixtures.create_many(&fixtures).await.unwrap();
        for query in ["", "league=CTL&"] {
            let (mut all, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = site.get(&format!("/matches?{query}{cursor}")).await;
                all.extend(ids(&page["items"]).into_iter().map(str::to_owned));
                let Some(next) = page["cursor"].as_str() else { break };
                cursor = format!("cursor={next}");
                // The cursor of a league's list was refused as soon as time went by: the usual end of
                // the list is seven days from now.
                site.store.clock.advance(1);
            }
            let expected: Vec<String> = (0..70).map(|n| format!("m{n:02}")).collect();
            assert_eq!(all, expected, "{query}");
        }
        let wrong = site.visitor().get("/cricket/matches?cursor=tomorrow").await;
        assert_eq!((wrong.status, wrong.code().as_str()), (422, "invalid"));
        for query in
            ["from=2026-11-16T00:00:00Z&to=2026-11-15T00:00:00Z", "to=1970-01-01T00:00:00Z"]
        {
            let wrong = site.visitor().get(&format!("/cricket/matches?{query}")).await;
            assert_eq!((wrong.status, wrong.code().as_str()), (422, "invalid"), "{query}");
            let query = format!("{query}&league=CTL");
            assert_eq!(site.visitor().get(&format!("/cricket/matches?{query}")).await.status, 422);
        }
        let many = vec!["x"; 101].join(",");
        let wrong = site.visitor().get(&format!("/cricket/matches?ids={many}")).await;
        assert_eq!(wrong.status, 422);
    });
}

/// Four leagues, of which two have one code, and more matches that start at one moment than a page
/// has.
#[test]
fn every_match_of_all_leagues_is_listed_exactly_once() {
    run(async {
        let site = CricketServer::new().await;
        let now = site.service.db.now();
        for (id, code) in [("7002", "SOC"), ("7003", "ITS"), ("7004", "ITS")] {
            let league = crate::fixture::league(id, code, "Another league", true, now);
            site.service.leagues.put(&league).await.unwrap();
        }
        // The server may have read its leagues already, and remembers them for a minute.
        site.store.clock.advance(61_000);
        let now = site.service.db.now();
        let mut fixtures = Vec::new();
        let mut add = |code: &str, count: usize, hours: u32| {
            for _ in 0..count {
                let start = now.after(crate::fixture::HOUR * (hours + 3));
                let fixture = scheduled(&format!("m{:03}", fixtures.len()), start);
                fixtures
                    .push(Fixture { league_code: crate::fixture::league_code(code), ..fixture });
            }
        };
        for (code, count, hours) in [
            ("CTL", 3, 0),
            ("CTL", 120, 1),
            ("ITS", 60, 1),
            ("SOC", 51, 1),
            ("ITS", 2, 1),
            ("CTL", 1, 2),
            ("SOC", 55, 2),
            ("ITS", 70, 3),
            ("CTL", 9, 30),
        ] {
            add(code, count, hours);
        }
        site.service.fixtures.create_many(&fixtures).await.unwrap();
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = site.get(&format!("/matches?{cursor}")).await;
            let starts = page["items"].as_array().unwrap().iter();
            let starts: Vec<&str> = starts.map(|one| one["startTime"].as_str().unwrap()).collect();
            assert!(starts.is_sorted());
            all.extend(ids(&page["items"]).into_iter().map(str::to_owned));
            let Some(next) = page["cursor"].as_str() else { break };
            cursor = format!("cursor={next}");
        }
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!((all.len(), count), (fixtures.len(), fixtures.len()));
    });
}

#[test]
fn a_match_is_shown_with_its_display_scorecard_balls_and_charts() {
    run(async {
        let site = CricketServer::new().await;
        site.live("1").await;
        let shown = site.get("/matches/1").await;
        assert_eq!(shown["venue"], "Harbour Oval");
        assert_eq!(shown["target"]["runs"], 169);
        assert_eq!(shown["innings"][1]["runs"], 111);

        let neutral = site.get("/matches/1/display").await;
        assert_eq!((&neutral["team"], &neutral["need"]), (&json!("neutral"), &json!(58)));
        assert_eq!(neutral["requiredRate"], "8.29");
        assert_eq!(neutral["thisOver"], json!(["1", "1", "1", "1", "1", "1"]));
        assert_eq!(neutral["stale"], false);
        let away = site.get("/matches/1/display?team=102").await;
        assert_eq!(away["teams"][0]["code"], "KIN");
        let wrong = site.visitor().get("/cricket/matches/1/display?team=301").await;
        assert_eq!((wrong.status, wrong.code().as_str()), (422, "team-not-in-match"));
        // It was rebuilt, and is in the cache now.
        let team = TeamId::neutral();
        let stored = site.service.displays.get(&match_id("1"), &team).await.unwrap().unwrap();
        assert_eq!(stored.sequence, 5);
        assert!(!stored.state.contains("updatedAt"));

        let card = site.get("/matches/1/scorecard").await;
        assert_eq!(card["innings"][1]["batting"][0]["name"], "R. Iyer");
        assert_eq!(card["innings"][1]["bowling"][0]["name"], "T. Okafor");
        let charts = site.get("/matches/1/charts").await;
        assert_eq!(charts["innings"][1]["overs"][0]["runs"], 6);

        let balls = site.get("/matches/1/balls").await;
        let over: Vec<&str> = balls["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|ball| ball["over"].as_str().unwrap())
            .collect();
        assert_eq!(over, ["12.6", "12.5", "12.4", "12.3", "12.2", "12.1"]);
        assert_eq!(balls.get("before"), None);
        let first = site.get("/matches/1/balls?innings=1").await;
        assert_eq!(first["items"], json!([]));
        let earlier = site.get("/matches/1/balls?innings=2&before=3").await;
        assert_eq!(earlier["items"].as_array().unwrap().len(), 2);
    });
}

#[test]
fn balls_come_thirty_at_a_time() {
    run(async {
        let site = CricketServer::new().await;
        site.live("1").await;
        let state = site.balls("1", 5, 70);
        site.service.processing.put(&state).await.unwrap();
        let (mut seen, mut before) = (Vec::new(), String::new());
        for expected in [30, 30, 10] {
            let page = site.get(&format!("/matches/1/balls{before}")).await;
            let items = page["items"].as_array().unwrap().clone();
            assert_eq!(items.len(), expected);
            seen.extend(items.iter().map(|ball| ball["id"].as_str().unwrap().to_owned()));
            before = match page["before"].as_str() {
                Some(id) => format!("?before={id}"),
                None => String::new(),
            };
        }
        assert!(before.is_empty());
        let expected: Vec<String> = (1..=70).rev().map(|n: u32| n.to_string()).collect();
        assert_eq!(seen, expected);
        let strange = site.get("/matches/1/balls?before=strange").await;
        assert_eq!(strange["items"], json!([]));
    });
}

/// Section 4: stale is a match in play without a tick for 30 s.
#[test]
fn a_score_without_ticks_is_stale_after_30_seconds() {
    run(async {
        let site = CricketServer::new().await;
        site.live("1").await;
        site.store.clock.advance(29_999);
        assert_eq!(site.get("/matches/1/display").await["stale"], false);
        site.store.clock.advance(1);
        assert_eq!(site.get("/matches/1/display").await["stale"], true);
        assert_eq!(site.get("/matches/1").await["stale"], true);
        // In a break nobody waits for balls.
        let lunch = update(Fixture::key(match_id("1")))
            .set(Fixture::PHASE, cricket::rules::Phase::InningsBreak);
        site.service.fixtures.update(lunch).await.unwrap();
        assert_eq!(site.get("/matches/1").await["stale"], false);
    });
}

#[test]
fn a_match_is_followed_changed_and_unfollowed() {
    run(async {
        let site = CricketServer::new().await;
        let fixture = site.scheduled("1").await;
        let asha = site.asha();
        let path = "/cricket/user/follow/1";
        assert_eq!(asha.get(path).await.code(), "not-following");
        assert_eq!(asha.get("/cricket/user/follow/2").await.code(), "match-not-found");
        let wrong = asha.post(path, json!({"teamId": "301"})).await;
        assert_eq!((wrong.status, wrong.code().as_str()), (422, "team-not-in-match"));
        assert_eq!(asha.patch(path, json!({"teamId": "101"})).await.code(), "not-following");
        let followed = asha.post(path, json!({"teamId": "101"})).await.expect(200);
        assert_eq!((&followed["matchId"], &followed["teamId"]), (&json!("1"), &json!("101")));
        let changed = asha.patch(path, json!({"teamId": "neutral"})).await.expect(200);
        assert_eq!(changed["teamId"], "neutral");
        assert_eq!(asha.get(path).await.expect(200)["teamId"], "neutral");
        // Ending it removes the caller's activities, and nobody else's.
        let user = user_id("asha");
        let team = TeamId::neutral();
        for (text, user) in [("activity-1", &user), ("activity-2", &user_id("ben"))] {
            let token = token(text);
            site.service.subscriptions.register(&fixture, &token, user, &team).await.unwrap();
        }
        assert_eq!(asha.delete(path).await.status, 204);
        assert_eq!(asha.delete(path).await.code(), "not-following");
        let left = site.service.subscriptions.remove_all(&match_id("1")).await.unwrap();
        assert_eq!(left, 1);
        // What is over cannot be followed.
        site.service.fixtures.archive(&match_id("1")).await.unwrap();
        let over = asha.post(path, json!({"teamId": "101"})).await;
        assert_eq!((over.status, over.code().as_str()), (409, "match-over"));
    });
}

#[test]
fn a_device_is_registered_and_its_token_shown_to_nobody() {
    run(async {
        let site = CricketServer::new().await;
        let asha = site.asha();
        let path = "/cricket/user/device";
        assert_eq!(asha.get(path).await.code(), "device-not-found");
        assert_eq!(asha.delete(path).await.code(), "device-not-found");
        let device = json!({
            "deviceToken": "browser-0123456789abcd", "platform": "ios", "environment": "sandbox",
        });
        let shown = asha.post(path, device.clone()).await.expect(200);
        assert_eq!((&shown["tokenEnd"], &shown["canStart"]), (&json!("…abcd"), &json!(false)));
        assert!(!shown.to_string().contains("0123456789"));
        let start = json!({
            "deviceToken": "browser-0123456789abcd", "pushToStartToken": "start-0123456789",
        });
        let shown = asha.put("/cricket/user/device/push-to-start", start).await.expect(200);
        assert_eq!(shown["canStart"], true);
        let other = json!({"deviceToken": "other-token", "pushToStartToken": "start-token"});
        let other = asha.put("/cricket/user/device/push-to-start", other).await;
        assert_eq!(other.code(), "device-not-found");
        // Another user's device is another one.
        let ben = site.server.as_user("ben", &[]);
        assert_eq!(ben.get(path).await.code(), "device-not-found");
        assert_eq!(asha.delete(path).await.status, 204);
        for wrong in [
            json!({"deviceToken": "short", "platform": "ios", "environment": "sandbox"}),
            json!({"deviceToken": "with-a-#-in-it", "platform": "ios", "environment": "sandbox"}),
            json!({"deviceToken": "x".repeat(201), "platform": "ios", "environment": "sandbox"}),
            json!({"deviceToken": "long-enough", "platform": "android", "environment": "sandbox"}),
        ] {
            assert_eq!(asha.post(path, wrong).await.status, 422);
        }
    });
}

#[test]
fn an_activity_belongs_to_who_registered_it() {
    run(async {
        let site = CricketServer::new().await;
        let live = site.live("1").await;
        let (asha, ben) = (site.asha(), site.server.as_user("ben", &[]));
        let path = "/cricket/user/activity/1";
        let activity = json!({"pushToken": "activity-token-1", "teamId": "101"});
        let refused = asha.post(path, activity.clone()).await;
        assert_eq!((refused.status, refused.code().as_str()), (404, "not-following"));
        site.followed_by(&live, "asha", "101").await;
        site.followed_by(&live, "ben", "102").await;
        let shown = asha.post(path, activity.clone()).await.expect(200);
        assert!(!shown.to_string().contains("activity-token"));
        let taken = ben.post(path, activity).await;
        assert_eq!((taken.status, taken.code().as_str()), (409, "activity-taken"));
        // By its token, which is in a header and never in an address; only one's own.
        let one = |client: &singlet_testing::TestClient| {
            client.with_header("activity-token", "activity-token-1")
        };
        assert_eq!(one(&ben).delete(path).await.status, 204);
        let count = async || {
            let stream = site.service.subscriptions.of_match(&match_id("1"));
            futures_util::TryStreamExt::try_collect::<Vec<_>>(stream).await.unwrap().len()
        };
        assert_eq!(count().await, 1);
        assert_eq!(one(&asha).delete(path).await.status, 204);
        assert_eq!(count().await, 0);
        for text in ["activity-token-2", "activity-token-3"] {
            let activity = json!({"pushToken": text, "teamId": "neutral"});
            asha.post(path, activity).await.expect(200);
        }
        assert_eq!(count().await, 2);
        assert_eq!(asha.delete(path).await.status, 204);
        assert_eq!(count().await, 0);
        for n in 0..8 {
            let activity = json!({"pushToken": format!("activity-{n}"), "teamId": "101"});
            asha.post(path, activity).await.expect(200);
        }
        let ninth = json!({"pushToken": "activity-8", "teamId": "101"});
        let refused = asha.post(path, ninth).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, "too-many-activities"));
        for odd in ["        ", "activity\0token", "../../../x", "<script>alert(1)</script>"] {
            let activity = json!({"pushToken": odd, "teamId": "101"});
            assert_eq!(asha.post(path, activity).await.status, 422, "{odd}");
        }
        let malformed = asha.with_header("activity-token", "with#hash").delete(path).await;
        assert_eq!(malformed.status, 400);
    });
}

/// Who changes sides sees the new side on the lock screen, at once.
#[test]
fn activities_show_the_side_that_is_chosen_last() {
    run(async {
        let site = CricketServer::new().await;
        site.live("1").await;
        let (asha, follow) = (site.asha(), "/cricket/user/follow/1");
        asha.post(follow, json!({"teamId": "101"})).await.expect(200);
        let activity = json!({"pushToken": "activity-token-1", "teamId": "101"});
        asha.post("/cricket/user/activity/1", activity).await.expect(200);
        let mut pushes = asha.events("/cricket/user/pushes/live").await;
        pushes.expect("ready").await;
        for (method, team, first) in [
            (Method::PATCH, "102", "KIN"),
            (Method::POST, "neutral", "HAR"),
            (Method::POST, "102", "KIN"),
        ] {
            asha.send(method, follow, Some(json!({"teamId": team}))).await.expect(200);
            let push = pushes.expect("push").await;
            assert_eq!(push["kind"], "update");
            assert_eq!(
                (&push["state"]["team"], &push["state"]["teams"][0]["code"]),
                (&json!(team), &json!(first))
            );
            let stream = site.service.subscriptions.of_match(&match_id("1"));
            let own: Vec<_> = futures_util::TryStreamExt::try_collect(stream).await.unwrap();
            let own: &cricket::design::Subscription = &own[0];
            assert_eq!(own.team_id.as_str(), team);
        }
    });
}

#[test]
fn admins_name_teams_and_turn_leagues_off() {
    run(async {
        let site = CricketServer::new().await;
        let olu = site.olu();
        let team = "/cricket/teams/101";
        let changed =
            olu.patch(team, json!({"shortName": " Hawks ", "colour": "#0b6e99"})).await.expect(200);
        assert_eq!(
            (&changed["shortName"], &changed["colour"]),
            (&json!("Hawks"), &json!("#0b6e99"))
        );
        let changed = olu.patch(team, json!({"colour": ""})).await.expect(200);
        assert_eq!((&changed["shortName"], &changed["colour"]), (&json!("Hawks"), &Value::Null));
        assert_eq!(olu.patch(team, json!({"colour": "red"})).await.status, 422);
        assert_eq!(olu.patch(team, json!({"name": "Mine"})).await.status, 422);
        assert_eq!(olu.patch("/cricket/teams/9", json!({})).await.code(), "team-not-found");
        assert_eq!(site.get("/teams").await["items"].as_array().unwrap().len(), 2);
        assert_eq!(site.visitor().get("/cricket/teams/9").await.code(), "team-not-found");

        let league = "/cricket/leagues/7001";
        let off = olu.patch(league, json!({"active": false})).await.expect(200);
        assert_eq!(off["active"], false);
        assert_eq!(site.get("/leagues").await["items"][0]["active"], false);
        assert_eq!(site.get("/leagues/7001").await["code"], "CTL");
        let none = olu.patch("/cricket/leagues/9", json!({"active": true})).await;
        assert_eq!(none.code(), "league-not-found");
        assert_eq!(olu.delete("/cricket/leagues/9").await.code(), "league-not-found");
        assert_eq!(site.get("/seasons/s1/teams").await["items"], json!([]));
        let unknown = site.visitor().get("/cricket/seasons/s2/teams").await;
        assert_eq!((unknown.status, unknown.code().as_str()), (404, "season-not-found"));
        let nobody = site.asha().patch(league, json!({"active": true})).await;
        assert_eq!((nobody.status, nobody.code().as_str()), (403, "not-an-admin"));
    });
}

#[test]
fn admins_see_jobs_locks_and_the_feed() {
    run(async {
        let site = CricketServer::new().await;
        site.scheduled("1").await;
        let olu = site.olu();
        let jobs = olu.get("/cricket/admin/jobs").await.expect(200);
        let names: Vec<&str> = jobs["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|job| job["name"].as_str().unwrap())
            .collect();
        for name in ["league-sync", "team-sync", "fixture-sync", "live-score", "prematch", "toss"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        olu.get("/cricket/admin/locks").await.expect(200);
        let feed = olu.get("/cricket/admin/feed").await.expect(200);
        assert_eq!(feed["breaker"], "closed");
        let page = olu.get("/cricket/admin/fixtures?leagueId=7001").await.expect(200);
        assert_eq!(page["items"][0]["status"], "NS");
        let missing = olu.get("/cricket/admin/fixtures").await;
        assert_eq!(missing.status, 422);
        for path in ["jobs", "locks", "feed", "fixtures?leagueId=7001", "live"] {
            let path = format!("/cricket/admin/{path}");
            assert_eq!(site.visitor().get(&path).await.status, 401, "{path}");
            assert_eq!(site.asha().get(&path).await.code(), "not-an-admin", "{path}");
        }
        let real = olu.patch("/cricket/admin/replays/1", json!({"playing": true})).await;
        assert_eq!((real.status, real.code().as_str()), (409, "not-a-replay"));
        assert_eq!(olu.delete("/cricket/admin/replays/1").await.code(), "not-a-replay");
        let both = json!({"positionMs": 5, "ball": "1:2.3"});
        assert_eq!(olu.patch("/cricket/admin/replays/1", both).await.status, 422);
        let speed = json!({"speed": 13});
        assert_eq!(olu.patch("/cricket/admin/replays/1", speed).await.status, 422);
    });
}

/// Rules beyond the schema were looked at one by one, once all else was right.
#[test]
fn everything_that_is_wrong_with_a_body_is_told_at_once() {
    run(async {
        let site = CricketServer::new().await;
        let olu = site.olu();
        for (method, path, body, fields) in [
            (
                Method::PATCH,
                "teams/101",
                json!({"colour": "red", "shortName": "x".repeat(21), "name": "Mine"}),
                &["/colour", "/name", "/shortName"][..],
            ),
            (
                Method::POST,
                "admin/replays",
                json!({"tape": "x-1", "speed": 13}),
                &["/speed", "/tape"],
            ),
            (
                Method::PATCH,
                "admin/replays/1",
                json!({"ball": "first", "speed": 13}),
                &["/ball", "/speed"],
            ),
        ] {
            let refused = olu.send(method, &format!("/cricket/{path}"), Some(body)).await;
            let refused = refused.expect(422);
            let errors = refused["errors"].as_array().unwrap().iter();
            let mut found: Vec<&str> = errors.map(|one| one["field"].as_str().unwrap()).collect();
            found.sort_unstable();
            assert_eq!(found, fields, "{refused}");
        }
    });
}

/// A repeated request made a second match.
#[test]
fn a_replay_is_loaded_once_however_often_it_is_asked_for() {
    run(async {
        let site = CricketServer::without_jobs().await;
        let (path, new) = ("/cricket/admin/replays", json!({"tape": "t20-3", "speed": 1}));
        let key = |client: singlet_testing::TestClient| {
            client.with_header("idempotency-key", "5b8e5f0c-3b0e-4f53-9f0e-3f2d8a3f1c11")
        };
        let first = key(site.olu()).post(path, new.clone()).await.expect(201);
        site.store.clock.advance(1_000);
        assert_eq!(key(site.olu()).post(path, new.clone()).await.expect(201), first);
        let replays = Scan::<Fixture>::table().filter(Fixture::REPLAY.exists());
        assert_eq!(site.service.db.scan(replays).all().await.unwrap().len(), 1);
        // The kept answer is for admins alone.
        let former = key(site.server.as_user("olu", &[]));
        assert_eq!(former.post(path, new).await.code(), "not-an-admin");
    });
}

#[test]
fn pushes_are_the_callers_own() {
    run(async {
        let site = CricketServer::new().await;
        assert_eq!(site.visitor().get("/cricket/user/pushes").await.status, 401);
        let pushes = site.asha().get("/cricket/user/pushes").await.expect(200);
        assert_eq!(pushes["items"], json!([]));
        assert_eq!(pushes["since"].as_str().unwrap().len(), 24);
    });
}

/// Texts that no client should send, in every part of every request: none of them is our failure.
#[test]
fn no_text_of_a_client_makes_the_server_fail() {
    run(async {
        let site = CricketServer::new().await;
        let live = site.live("1").await;
        site.followed_by(&live, "olu", "101").await;
        let document = site.get("/openapi.json").await;
        let olu = site.olu();
        let mut sent = 0;
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let method = Method::from_bytes(method.to_uppercase().as_bytes());
                let method = method.unwrap();
                for request in odd_requests(&document, path, operation) {
                    let (path, body) = request;
                    let path =
                        format!("/cricket{}", path.strip_prefix("/cricket").unwrap_or(&path));
                    let answer = olu.send(method.clone(), &path, body.clone()).await;
                    let shown: String = path.chars().take(80).collect();
                    assert!(answer.status < 500, "{} for {method} {shown} {body:?}", answer.status);
                    sent += 1;
                }
            }
        }
        assert!(sent > 200, "{sent}");
    });
}

fn odd_texts() -> Vec<String> {
    let mut odd: Vec<String> = [
        "",
        " ",
        "#",
        "a#b",
        "..",
        "\0",
        "\u{7f}",
        "é".repeat(64).as_str(),
        "💥",
        "null",
        "-1",
        "*",
    ]
    .map(str::to_owned)
    .into();
    odd.extend([129, 257, 1_025, 2_049, 3_000].map(|length| "x".repeat(length)));
    odd.extend([40, 200, 600].map(|length| "💥".repeat(length)));
    odd
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Requests for an operation, each with one odd text in its query or its body. The law covers ids in
/// paths.
fn odd_requests(document: &Value, path: &str, operation: &Value) -> Vec<(String, Option<Value>)> {
    let mut requests = Vec::new();
    let segments = path.split('/').map(|one| if one.starts_with('{') { "1" } else { one });
    let usual = segments.collect::<Vec<_>>().join("/");
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let schema = match schema["$ref"].as_str() {
        Some(name) => document.pointer(name.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    let fields = schema["properties"].as_object().cloned().unwrap_or_default();
    let body = (!fields.is_empty()).then(|| {
        json!({
            "teamId": "101", "pushToken": "activity-token", "deviceToken": "device-token",
            "pushToStartToken": "start-token", "platform": "ios", "environment": "sandbox",
            "tape": "t20-3", "speed": 1, "active": true,
        })
    });
    // Only what the operation knows.
    let body = body.map(|body| {
        let all = body.as_object().unwrap().clone();
        Value::Object(all.into_iter().filter(|(name, _)| fields.contains_key(name)).collect())
    });
    for odd in odd_texts() {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] == "query" {
                let name = parameter["name"].as_str().unwrap();
                requests.push((format!("{usual}?{name}={}", encoded(&odd)), body.clone()));
            }
        }
        for name in fields.keys() {
            let mut body = body.clone().unwrap();
            body[name] = json!(odd);
            requests.push((usual.clone(), Some(body)));
        }
    }
    requests
}

/// A problem that no operation declares is on `/problems`, and nobody ever gets it.
#[test]
fn every_problem_is_declared_by_an_operation() {
    run(async {
        CricketServer::new().await.server.check_declarations("cricket").await;
    });
}

/// On a SportMonks feed it answers `not-a-replay`, which was not declared.
#[test]
fn loading_a_replay_declares_that_the_feed_may_not_be_one() {
    run(async {
        let site = CricketServer::without_jobs().await;
        let document = site.get("/openapi.json").await;
        let paths = document["paths"].as_object().unwrap();
        let (_, replays) = paths.iter().find(|(path, _)| path.ends_with("/admin/replays")).unwrap();
        let conflict = &replays["post"]["responses"]["409"];
        assert!(conflict.to_string().contains("not-a-replay"), "{conflict}");
    });
}

/// The page of pushes asked for a device that most people do not have, which browsers note as an
/// error.
#[test]
fn the_list_of_pushes_says_which_device_they_go_to() {
    run(async {
        let site = CricketServer::without_jobs().await;
        let pushes = async || site.asha().get("/cricket/user/pushes").await.expect(200);
        assert_eq!(pushes().await["device"], json!(null));
        let device = json!({
            "deviceToken": "device-of-asha", "platform": "ios", "environment": "sandbox",
        });
        site.asha().post("/cricket/user/device", device).await.expect(200);
        assert_eq!(pushes().await["device"]["tokenEnd"], "…asha");
    });
}

/// Operation 57: without it the first reader of each match waited for the table.
#[test]
fn a_server_that_starts_knows_how_far_live_matches_are() {
    run(async {
        let site = CricketServer::without_jobs().await;
        site.live("1").await;
        let server =
            singlet_testing::TestServer::without_jobs(vec![cricket::system()], site.store.share())
                .await;
        let key = cricket::design::ProcessingState::key(match_id("1"));
        site.service.db.run(delete(key)).await.unwrap();
        let balls = server.visitor().get("/cricket/matches/1/balls").await.expect(200);
        assert_eq!(balls["items"].as_array().unwrap().len(), 6);
    });
}
