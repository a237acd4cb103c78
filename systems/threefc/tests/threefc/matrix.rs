//! Who may do what: every route as everybody, compared with `matrix.txt`; and what nobody sees.
//!
//! Ines is admin, Tomasz scorekeeper and Bea viewer of the public league `tidewall`. Ruben is admin
//! and Bea viewer of the private league `quarry-lane`. Noor has no grant.

use crate::fixture::{
    Fixture, bea, by, by_hand, game_id, ines, league_id, new_game, new_goal, new_league,
    new_player, new_season, new_session, player, ruben, season_id, somebody, team, tomasz,
};
use axum::http::Method;
use serde_json::{Value, json};
use singlet_testing::{TestClient, TestServer, TestStore};
use singlet_web::DemoPolicy;
use std::time::Duration;
use threefc::design::{AbandonReason, LeagueId, Role, SeasonId, SessionId, Visibility};
use threefc::service::input::{AbandonGame, NewInvite, NewLeague};
use threefc::{PERSONAS, system};

/// What requests name.
pub(crate) struct Names {
    /// Codes and hashes of invitations: to the public league, and to the private one.
    codes: [String; 2],
    hashes: [String; 2],
    /// A goal of the live game, of the finished one, and of the private one.
    goals: [String; 3],
    /// A minute before the finished game began.
    earlier: String,
}

pub(crate) async fn prepare(fixture: &Fixture) -> Names {
    let service = &fixture.service;
    for league in ["harbour", "quarry-lane"] {
        let is_private = league == "quarry-lane";
        let visibility = if is_private { Visibility::Private } else { Visibility::Public };
        let new = NewLeague { visibility: Some(visibility), ..new_league(league) };
        let admin = if is_private { ruben() } else { ines() };
        service.create_league(&admin, &new).await.unwrap();
        let id = LeagueId::new(league).unwrap();
        fixture.join(&admin, &id, &bea(), Role::Viewer).await;
        if !is_private {
            fixture.join(&admin, &id, &tomasz(), Role::Scorekeeper).await;
        }
    }
    fixture.join(&ines(), &league_id(), &somebody("extra"), Role::Viewer).await;
    let elsewhere = LeagueId::new("harbour").unwrap();
    fixture.join(&ines(), &elsewhere, &somebody("new"), Role::Viewer).await;
    // Invitations go with the role of the admin who made them.
    fixture.join(&ines(), &elsewhere, &somebody("aide"), Role::Admin).await;
    let new = NewInvite { role: Role::Admin };
    service.invite(&somebody("aide"), &elsewhere, &new).await.unwrap();
    service.create_season(&ines(), &league_id(), &new_season("idle")).await.unwrap();
    service.create_session(&ines(), &season_id(), &new_session("idle-day")).await.unwrap();
    fixture.game("plain").await;
    let hail = fixture.live_game("hail").await;
    let abandon = AbandonGame {
        reason: AbandonReason::Weather,
        note: None,
        absent_team_ids: Default::default(),
    };
    service.abandon_game(&tomasz(), &hail, &abandon).await.unwrap();
    let green = json!({"teamId": "green", "name": "Green", "code": "GRN", "color": "green"});
    let green = serde_json::from_value(green).unwrap();
    service.create_team(&ines(), &season_id(), &green).await.unwrap();
    let mut goals = Vec::new();
    for name in ["running", "done"] {
        let game = fixture.live_game(name).await;
        let goal = by(new_goal("blue", Some("red")), "r1", &[]);
        fixture.goal(&game, &goal).await;
        goals.push(goal.event_id.0.to_string());
    }
    fixture.finish(&game_id("done")).await;
    // All thirds are over, and the game is not finished.
    let played = fixture.live_game("played").await;
    service.finish_third(&tomasz(), &played, 1, None).await.unwrap();
    for third in [2, 3] {
        service.start_third(&tomasz(), &played, third, None).await.unwrap();
        service.finish_third(&tomasz(), &played, third, None).await.unwrap();
    }
    let invite = service.invite(&ines(), &league_id(), &NewInvite { role: Role::Viewer }).await;
    let invite = invite.unwrap();
    // The private league has one of everything.
    let quarry = LeagueId::new("quarry-lane").unwrap();
    service.create_season(&ruben(), &quarry, &new_season("quarry")).await.unwrap();
    let season = SeasonId::new("quarry").unwrap();
    service.create_session(&ruben(), &season, &new_session("q-day")).await.unwrap();
    service.create_player(&ruben(), &quarry, &new_player("q-player")).await.unwrap();
    let session = SessionId::new("q-day").unwrap();
    for id in ["q-game", "q-plain", "q-live"] {
        service.create_game(&ruben(), &session, &new_game(id, fixture.now())).await.unwrap();
    }
    service.start_third(&ruben(), &game_id("q-live"), 1, None).await.unwrap();
    let game = game_id("q-game");
    let (player, team) = (player("q-player"), team("red"));
    service.assign_roster(&ruben(), &game, &player, &team).await.unwrap();
    let goal = by_hand(new_goal("blue", Some("red")), 1, 3);
    service.add_goal(&ruben(), &game, &goal).await.unwrap();
    goals.push(goal.event_id.0.to_string());
    let new = NewInvite { role: Role::Viewer };
    let private = service.invite(&ruben(), &quarry, &new).await.unwrap();
    Names {
        codes: [invite.code, private.code],
        hashes: [invite.hash, private.hash].map(|hash| hash.to_string()),
        goals: goals.try_into().unwrap(),
        earlier: fixture.now().before(Duration::from_secs(60)).to_string(),
    }
}

/// The request of a row.
pub(crate) fn request(row: &str, names: &Names) -> (Method, String, Option<Value>) {
    let is_private = row.ends_with("(private)");
    let is_finished = row.ends_with("(finished)");
    let pick =
        |public: &'static str, private: &'static str| if is_private { private } else { public };
    let league = format!("/leagues/{}", pick("tidewall", "quarry-lane"));
    let season = format!("/seasons/{}", pick("spring", "quarry"));
    let session = format!("/sessions/{}", pick("day-1", "q-day"));
    let player = format!("/players/{}", pick("r1", "q-player"));
    let game = format!(
        "/games/{}",
        match (is_finished, is_private) {
            (true, _) => "done",
            (_, true) => "q-game",
            _ => "running",
        }
    );
    let goal = &names.goals[if is_private { 2 } else { usize::from(is_finished) }];
    let code = &names.codes[usize::from(is_private)];
    let hash = &names.hashes[usize::from(is_private)];
    let (get, post, put) = (Method::GET, Method::POST, Method::PUT);
    let (patch, delete) = (Method::PATCH, Method::DELETE);
    let by_hand = json!({
        "eventId": "019b76da-a800-7000-8000-000000000001", "concedingTeamId": "red",
        "scoringTeamId": "blue", "ownGoal": false, "scorerPlayerId": null, "third": 1,
        "gameMinute": 3,
    });
    let (method, path, body) = match row.split(" (").next().unwrap() {
        "createLeague" => (post, "/leagues".into(), json!({"leagueId": "new", "name": "New"})),
        "listLeagues" => (get, "/leagues".into(), Value::Null),
        "me" => (get, "/me".into(), Value::Null),
        "getLeague" => (get, league, Value::Null),
        "updateLeague" => match row.ends_with("(hidden)") {
            true => (patch, league, json!({"visibility": "private"})),
            false => (patch, league, json!({"name": "Other"})),
        },
        "deleteLeague" => match row.ends_with("(empty)") {
            true => (delete, "/leagues/harbour".into(), Value::Null),
            false => (delete, league, Value::Null),
        },
        "createPlayer" => (post, league + "/players", json!({"nickname": "New"})),
        "listPlayers" => (get, league + "/players", Value::Null),
        "getPlayer" => (get, player, Value::Null),
        "updatePlayer" => (patch, player, json!({"nickname": "Other"})),
        "grantRole" => match row {
            "grantRole (of an inviter)" => {
                (put, "/leagues/harbour/acl/aide".into(), json!({"role": "viewer"}))
            }
            "grantRole (to an admin)" => (put, league + "/acl/extra", json!({"role": "admin"})),
            _ => (put, league + "/acl/new", json!({"role": "viewer", "displayName": "New"})),
        },
        "revokeRole" => match row {
            "revokeRole (of an inviter)" => {
                (delete, "/leagues/harbour/acl/aide".into(), Value::Null)
            }
            _ => (delete, league + pick("/acl/extra", "/acl/bea"), Value::Null),
        },
        "listGrants" => (get, league + "/acl", Value::Null),
        "invite" => (post, league + "/invites", json!({"role": "viewer"})),
        "listInvites" => (get, league + "/invites", Value::Null),
        "deleteInvite" => (delete, format!("{league}/invites/{hash}"), Value::Null),
        "previewInvite" => (post, league + "/invites/preview", json!({"code": code})),
        "acceptInvite" => {
            (post, league + "/invites/accept", json!({"code": code, "displayName": "Me"}))
        }
        "createSeason" => (post, league + "/seasons", json!({"name": "New"})),
        "getSeason" => (get, season, Value::Null),
        "getStandings" => (get, season + "/standings", Value::Null),
        "getLeaderboards" => (get, season + "/leaderboards", Value::Null),
        "updateSeason" => (patch, season, json!({"name": "Other"})),
        "deleteSeason" => (delete, pick("/seasons/idle", "/seasons/quarry").into(), Value::Null),
        "createTeam" => {
            (post, season + "/teams", json!({"name": "New", "code": "NEW", "color": "black"}))
        }
        "listTeams" => (get, season + "/teams", Value::Null),
        "updateTeam" => (patch, season + "/teams/red", json!({"name": "Other"})),
        "createSession" => (post, season + "/sessions", json!({"sessionDate": "2026-05-10"})),
        "listSessions" => (get, season + "/sessions", Value::Null),
        "updateSession" => (patch, session, json!({"venue": "Other"})),
        "deleteSession" => {
            (delete, pick("/sessions/idle-day", "/sessions/q-day").into(), Value::Null)
        }
        "watchSeason" => (get, season + "/live", Value::Null),
        "createGame" => (
            post,
            session + "/games",
            json!({"gameStartTs": "2026-05-03T14:00:00Z", "teamIds": ["red", "blue", "yellow"]}),
        ),
        "listGames" => (get, session + "/games", Value::Null),
        "getGame" => (get, game, Value::Null),
        "updateGame" => match row {
            "updateGame (start)" => {
                (patch, "/games/plain".into(), json!({"gameStartTs": "2026-05-03T14:00:00Z"}))
            }
            "updateGame (session)" => {
                (patch, "/games/done".into(), json!({"sessionId": "idle-day"}))
            }
            "updateGame (teams)" => {
                (patch, "/games/plain".into(), json!({"teamIds": ["red", "green", "yellow"]}))
            }
            _ => (patch, game, json!({"pitch": "2"})),
        },
        "deleteGame" => (delete, pick("/games/plain", "/games/q-plain").into(), Value::Null),
        "startThird" => match row {
            "startThird" => (post, "/games/plain/thirds/1/start".into(), json!({})),
            _ => (post, game + "/thirds/1/start", json!({})),
        },
        "finishThird" => (post, game + "/thirds/1/finish", json!({})),
        "correctThird" => match (is_finished, is_private) {
            (true, _) => (patch, game + "/thirds/1", json!({"startedAt": names.earlier})),
            (_, true) => (patch, "/games/q-live/thirds/1".into(), json!({"startedAt": null})),
            _ => (patch, "/games/played/thirds/3".into(), json!({"finishedAt": null})),
        },
        "finishGame" => match row {
            "finishGame" => (post, "/games/played/finish".into(), json!({})),
            "finishGame (with force)" => (post, game + "/finish", json!({"force": true})),
            // A third is open, or the game is finished already.
            _ => (post, game + "/finish", json!({})),
        },
        "abandonGame" => (post, game + "/abandon", json!({"reason": "light"})),
        "reopenGame" => match row {
            "reopenGame" => (post, "/games/done/reopen".into(), Value::Null),
            "reopenGame (abandoned)" => (post, "/games/hail/reopen".into(), Value::Null),
            _ => (post, game + "/reopen", Value::Null),
        },
        "listAudit" => (get, game + "/audit", Value::Null),
        "watchGame" => (get, game + "/live", Value::Null),
        "addGoal" => (post, game + "/goals", by_hand),
        "listGoals" => (get, game + "/goals", Value::Null),
        "editGoal" => {
            let change = match row.ends_with("(moved)") {
                true => json!({"third": 1, "gameMinute": 7}),
                false => json!({"scorerPlayerId": pick("r2", "q-player")}),
            };
            (patch, format!("{game}/goals/{goal}"), change)
        }
        "deleteGoal" => (delete, format!("{game}/goals/{goal}"), Value::Null),
        "undoGoal" => (post, game + "/goals/undo", json!({"expectedEventId": goal})),
        "assignRoster" => {
            (put, game + pick("/roster/r3", "/roster/q-player"), json!({"teamId": "blue"}))
        }
        "removeRoster" => (delete, game + pick("/roster/r2", "/roster/q-player"), Value::Null),
        "listRoster" => (get, game + "/roster", Value::Null),
        other => panic!("no request for {other}"),
    };
    (method, format!("/threefc/v1{path}"), (!body.is_null()).then_some(body))
}

async fn send(client: &TestClient, row: &str, names: &Names) -> u16 {
    let (method, mut path, body) = request(row, names);
    if row == "revokeRole (of oneself)" {
        let me = client.get("/threefc/v1/me").await.json();
        let me = me["userId"].as_str().unwrap_or("nobody").to_owned();
        path = format!("/threefc/v1/leagues/tidewall/acl/{me}");
    }
    if path.ends_with("/live") {
        // A stream does not end: it is enough that it begins.
        let (client, path) = (client.clone(), path.clone());
        let opened = tokio::spawn({
            let (client, path) = (client.clone(), path.clone());
            async move { client.events(&path).await.next().await.is_some() }
        });
        if opened.await.is_ok_and(|has_begun| has_begun) {
            return 200;
        }
        return client.get(&path).await.status;
    }
    let response = client.send(method, &path, body).await;
    if row.starts_with("finishGame") && response.status == 200 {
        assert_eq!(response.json()["status"], "finished", "{row}");
    }
    response.status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_23_every_route_as_everybody() {
    let fixture = Fixture::new(TestStore::memory()).await;
    let names = prepare(&fixture).await;
    let server = TestServer::with(vec![system()], fixture.store.share(), DemoPolicy::Never).await;
    let callers = server.callers(&PERSONAS);
    let table = include_str!("matrix.txt");
    server
        .check_matrix("threefc", &callers, table, async |client, row| {
            send(client, row, &names).await
        })
        .await;
}

/// What is private looks exactly as if it did not exist.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_23_what_is_private_is_as_if_it_were_missing() {
    let fixture = Fixture::new(TestStore::memory()).await;
    prepare(&fixture).await;
    let server = TestServer::with(vec![system()], fixture.store.share(), DemoPolicy::Never).await;
    let noor = server.as_persona(&PERSONAS[4]);
    for (method, path, hidden, body) in [
        (Method::GET, "/leagues/{}", "quarry-lane", None),
        (Method::GET, "/leagues/{}/players", "quarry-lane", None),
        (Method::GET, "/leagues/{}/acl", "quarry-lane", None),
        (Method::GET, "/seasons/{}", "quarry", None),
        (Method::GET, "/seasons/{}/teams", "quarry", None),
        (Method::GET, "/sessions/{}/games", "q-day", None),
        (Method::GET, "/games/{}", "q-game", None),
        (Method::GET, "/games/{}/roster", "q-game", None),
        (Method::GET, "/players/{}", "q-player", None),
        (Method::PATCH, "/leagues/{}", "quarry-lane", Some(json!({"name": "Mine"}))),
        (Method::PATCH, "/seasons/{}", "quarry", Some(json!({"name": "Mine"}))),
        (Method::PATCH, "/seasons/{}/teams/red", "quarry", Some(json!({"name": "Mine"}))),
        (Method::PATCH, "/sessions/{}", "q-day", Some(json!({"venue": "Mine"}))),
        (Method::PATCH, "/games/{}", "q-game", Some(json!({"pitch": "1"}))),
        (Method::PATCH, "/players/{}", "q-player", Some(json!({"nickname": "Mine"}))),
        (Method::POST, "/games/{}/thirds/1/start", "q-game", Some(json!({}))),
        (Method::DELETE, "/games/{}", "q-game", None),
        (Method::DELETE, "/leagues/{}/acl/bea", "quarry-lane", None),
        (Method::DELETE, "/leagues/{}/acl/noor", "quarry-lane", None),
    ] {
        let mut answers = Vec::new();
        for id in [hidden, "missing"] {
            let path = format!("/threefc/v1{}", path.replace("{}", id));
            let response = noor.send(method.clone(), &path, body.clone()).await;
            answers.push((response.status, String::from_utf8(response.body).unwrap()));
        }
        assert_eq!(answers[0].0, 404, "{method} {path}");
        assert_eq!(answers[0], answers[1], "{method} {path}");
    }
}

/// What somebody without an admin grant gets.
fn status_of(path: &str, is_signed_in: bool) -> u16 {
    let is_for_admins = ["/acl", "/invites", "/audit"].iter().any(|ending| path.ends_with(ending));
    match (is_for_admins, path == "/threefc/v1/me", is_signed_in) {
        (true, _, true) => 403,
        (true, _, false) | (_, true, false) => 401,
        _ => 200,
    }
}

/// Everything that somebody without an admin grant can read has no `@` and no user id of others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_23_nobody_sees_accounts_of_others() {
    let server = TestServer::with(vec![system()], TestStore::memory(), DemoPolicy::IfEmpty).await;
    let subjects = ["ines", "tomasz", "bea", "ruben", "noor"];
    let clients = [(Some("tomasz"), 1), (Some("bea"), 2), (Some("noor"), 4), (None, 0)];
    for (me, persona) in clients {
        let client = match me {
            Some(_) => server.as_persona(&PERSONAS[persona]),
            None => server.visitor(),
        };
        let mut seen = String::new();
        for path in [
            "/threefc/v1/leagues",
            "/threefc/v1/leagues/tidewall",
            "/threefc/v1/leagues/tidewall/players",
            "/threefc/v1/leagues/tidewall/acl",
            "/threefc/v1/leagues/tidewall/invites",
            "/threefc/v1/seasons/tidewall-s2",
            "/threefc/v1/seasons/tidewall-s2/standings",
            "/threefc/v1/seasons/tidewall-s2/leaderboards",
            "/threefc/v1/seasons/tidewall-s2/teams",
            "/threefc/v1/seasons/tidewall-s2/sessions",
            "/threefc/v1/sessions/s2-day-4/games",
            "/threefc/v1/games/s2-13",
            "/threefc/v1/games/s2-13/goals",
            "/threefc/v1/games/s2-13/roster",
            "/threefc/v1/games/s2-13/audit",
            "/threefc/v1/games/s2-hail",
            "/threefc/v1/players/kite",
            "/threefc/v1/me",
            "/threefc",
            "/threefc/leagues/tidewall",
            "/threefc/seasons/tidewall-s2",
            "/threefc/games/s2-13",
        ] {
            let response = client.get(path).await;
            assert_eq!(response.status, status_of(path, me.is_some()), "{path} as {me:?}");
            let text = String::from_utf8_lossy(&response.body).into_owned();
            seen += &text;
            assert!(!text.contains('@'), "{path} as {me:?} contains @");
        }
        let mut events = client.events("/threefc/v1/games/s2-13/live").await;
        seen += &events.expect("state").await.to_string();
        let scorekeeper = server.as_persona(&PERSONAS[1]);
        let goal = json!({
            "eventId": crate::fixture::event_id(), "concedingTeamId": "anc",
            "scoringTeamId": "fog", "ownGoal": false, "scorerPlayerId": "juno",
        });
        scorekeeper.post("/threefc/v1/games/s2-13/goals", goal).await.expect(201);
        seen += &events.expect("goalAdded").await.to_string();
        assert!(!seen.contains('@'));
        for subject in subjects.into_iter().filter(|subject| Some(*subject) != me) {
            assert!(!seen.contains(&format!("\"{subject}\"")), "{me:?} sees {subject}");
        }
        for persona in PERSONAS.iter().filter(|persona| Some(persona.subject) != me) {
            assert!(!seen.contains(persona.name), "{me:?} sees {}", persona.name);
        }
    }
    // The admin sees who there is, and no e-mail address either.
    let ines = server.as_persona(&PERSONAS[0]);
    let grants = ines.get("/threefc/v1/leagues/tidewall/acl").await.expect(200);
    assert_eq!(grants["items"].as_array().unwrap().len(), 3);
    assert!(!grants.to_string().contains('@'));
}
