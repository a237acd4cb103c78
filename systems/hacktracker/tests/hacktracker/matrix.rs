//! Who may do what: every route as everybody, compared with `matrix.txt`.

use crate::demo::demo_server;
use axum::http::Method;
use hacktracker::{ADA, NORA, OMAR, PERSONAS, PIA, SKYE, STELLA};
use serde_json::{Value, json};
use singlet_testing::{TestClient, TestServer};

/// Everybody of the demo data, and nobody.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_25_every_route_as_everybody() {
    let server = demo_server().await;
    let ids = DemoIds::new(&server).await;
    let callers = server.callers(PERSONAS);
    let table = include_str!("matrix.txt");
    server
        .check_matrix("hacktracker", &callers, table, async |client, row| {
            send(client, row, &ids).await
        })
        .await;
}

async fn send(client: &TestClient, row: &str, ids: &DemoIds) -> u16 {
    let (method, path, body) = ids.request(row);
    let path = format!("/hacktracker{path}");
    if row == "watchGame" {
        // A stream does not end: it is enough that it begins.
        let opened = tokio::spawn({
            let (client, path) = (client.clone(), path.clone());
            async move { client.events(&path).await.next().await.is_some() }
        });
        if opened.await.is_ok_and(|has_begun| has_begun) {
            return 200;
        }
    }
    client.send(method, &path, body).await.status
}

/// A member who was removed was told kept answers for a day: also the code of an invite.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_removed_is_not_told_a_kept_answer() {
    let server = demo_server().await;
    let ids = DemoIds::new(&server).await;
    let (nora, omar) = (server.as_persona(&NORA), server.as_persona(&OMAR));
    let omar = omar.with_header("idempotency-key", "5b8e5f0c-3b0e-4f53-9f0e-3f2d8a3f1c11");
    let membership = format!("/hacktracker/teams/{}/members/omar-reyes", ids.team);
    let before = server.store.snapshot().await;
    for operation in server.idempotent_operations("hacktracker").await {
        let row = match operation.as_str() {
            // They answer with what the caller is or has brought, or with nothing.
            "signUp" | "createTeam" | "recoverTeam" | "acceptInvite" => continue,
            "createInvite" => "createInvite (player)",
            other => other,
        };
        let (method, path, body) = ids.request(row);
        let send = async || {
            let path = format!("/hacktracker{path}");
            omar.send(method.clone(), &path, body.clone()).await
        };
        let first = send().await;
        assert!([200, 201].contains(&first.status), "{row}: {}", first.json());
        let again = send().await;
        assert_eq!(again.headers["idempotency-replayed"], "true", "{row}");
        assert_eq!((again.status, again.json()), (first.status, first.json()), "{row}");
        nora.delete(&membership).await.expect(204);
        let refused = send().await;
        assert_eq!(refused.status, 404, "{row}: {}", refused.json());
        assert!(!refused.headers.contains_key("idempotency-replayed"), "{row}");
        server.store.restore(&before).await;
    }
}

/// What anybody reads has no e-mail address or phone number of somebody else, whoever it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_25_nobody_sees_addresses_of_others() {
    let server = demo_server().await;
    let phone = json!({"phoneNumber": "+15555551234"});
    server.as_persona(&NORA).patch("/hacktracker/users/me", phone).await.expect(200);
    let ids = DemoIds::new(&server).await;
    let (team, (live, revision)) = (format!("/teams/{}", ids.team), ids.game("IN_PROGRESS"));
    let own = format!("{team}/players/{}", ids.own);
    let reads = [
        "/users/me/teams".to_owned(),
        "/users/me/stats".to_owned(),
        team.clone(),
        format!("/teams/{}", ids.deleted),
        format!("{team}/stats"),
        format!("{team}/members"),
        format!("{team}/invites"),
        format!("{team}/invites/{}", ids.code),
        format!("{team}/players"),
        own.clone(),
        format!("{own}/atbats"),
        format!("{own}/stats"),
        format!("{team}/games"),
        live.clone(),
        format!("/join/{}/{}", ids.team, ids.code),
        format!("/team/{}", ids.team),
        format!("/score/{}", live.trim_start_matches("/games/")),
        String::new(),
    ];
    let strangers = PERSONAS.iter().filter(|one| one.subject != ADA.subject);
    for (name, client) in server.callers(&strangers.copied().collect::<Vec<_>>()) {
        let mut answered = 0;
        for path in &reads {
            let response = client.get(&format!("/hacktracker{path}")).await;
            answered += usize::from(response.status == 200);
            let text = String::from_utf8_lossy(&response.body).into_owned();
            assert!(!text.contains('@'), "{path} as {name} contains @");
            assert!(!text.contains("+1555"), "{path} as {name} contains a phone number");
        }
        assert!(answered >= 4, "{name} can read {answered} of them");
        // The own profile has the own address, and no other one.
        let me = client.get("/hacktracker/users/me").await;
        let text = String::from_utf8_lossy(&me.body).into_owned();
        assert_eq!(text.matches('@').count(), usize::from(me.status == 200), "{name}: {text}");
    }
    // Neither does who watches, nor who is refused.
    let pia = server.as_persona(&PIA);
    let mut events = pia.events(&format!("/hacktracker{live}/events")).await;
    let mut seen = events.expect("gameState").await.to_string();
    let skye = server.as_persona(&SKYE);
    let play = json!({"revision": revision, "result": "1B"});
    skye.post(&format!("/hacktracker{live}/atbats"), play.clone()).await.expect(201);
    seen += &events.expect("atBatRecorded").await.to_string();
    let refused = skye.post(&format!("/hacktracker{live}/atbats"), play).await;
    assert_eq!(refused.code(), "game-moved-on");
    seen += &refused.json().to_string();
    assert!(!seen.contains('@'), "{seen}");
    // Admins alone list users with their addresses.
    let users = server.as_persona(&ADA).get("/hacktracker/users").await.expect(200);
    assert!(users.to_string().contains("nora.vance@example.com"));
}

/// PERSONAL teams refuse what they do not have, also to their owners.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn personal_teams_refuse_members_roster_changes_and_deletion_of_the_last() {
    let server = demo_server().await;
    let stella = server.as_persona(&STELLA);
    let own = stella.get("/hacktracker/users/me/teams").await.expect(200)["items"][0].clone();
    let (team, player) = (text(&own["teamId"]), text(&own["playerId"]));
    let team = format!("/hacktracker/teams/{team}");
    let games = stella.get(&format!("{team}/games")).await.expect(200);
    let game = &games["items"][0];
    let (path, revision) =
        (format!("/hacktracker/games/{}", text(&game["gameId"])), &game["revision"]);
    let me = json!({"userId": "stella-moreau"});
    let refusals = [
        (Method::DELETE, team.clone(), None),
        (Method::POST, format!("{team}/invites"), Some(json!({"role": "player"}))),
        (Method::GET, format!("{team}/invites"), None),
        (Method::DELETE, format!("{team}/members/stella-moreau"), None),
        (Method::POST, format!("{team}/players"), Some(json!({"players": [{"firstName": "A"}]}))),
        (Method::DELETE, format!("{team}/players/{player}"), None),
        (Method::PUT, format!("{team}/players/{player}/link"), Some(me)),
        (Method::DELETE, format!("{team}/players/{player}/link"), None),
        (Method::PUT, format!("{path}/lineup"), Some(json!({"revision": revision, "lineup": []}))),
        (Method::PUT, format!("{path}/opponent/1"), Some(json!({"revision": revision, "runs": 1}))),
        (
            Method::PUT,
            format!("{path}/half"),
            Some(json!({"revision": revision, "inning": 1, "half": "OPPONENT"})),
        ),
        (
            Method::POST,
            format!("{path}/runners"),
            Some(json!({"revision": revision, "moves": [{"from": 1, "to": 2}], "how": "SB"})),
        ),
    ];
    for (method, path, body) in refusals {
        let answer = stella.send(method.clone(), &path, body).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (409, "personal-team"),
            "{method} {path}"
        );
    }
    // The own player's name can be changed.
    let renamed =
        stella.patch(&format!("{team}/players/{player}"), json!({"firstName": "Stel"})).await;
    assert_eq!(renamed.expect(200)["firstName"], "Stel");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// What the requests of the rows are about.
pub(crate) struct DemoIds {
    team: String,
    deleted: String,
    code: String,
    owner_code: String,
    /// Pia's, Kim's and a ghost who has never batted.
    own: String,
    kim: String,
    fresh: String,
    lineup: Value,
    games: Vec<Value>,
    at_bat: String,
}

impl DemoIds {
    pub(crate) async fn new(server: &TestServer) -> Self {
        let nora = server.as_persona(&NORA);
        let teams = nora.get("/hacktracker/users/me/teams").await.expect(200);
        let find = |name: &str| {
            let teams = teams["items"].as_array().unwrap();
            text(&teams.iter().find(|one| one["name"] == name).unwrap()["teamId"])
        };
        let (team, deleted) = (find("Copper Kettles"), find("Old Tins"));
        let path = format!("/hacktracker/teams/{team}");
        let fresh = json!({"players": [{"firstName": "Fresh"}]});
        let fresh = nora.post(&format!("{path}/players"), fresh).await.expect(201);
        let invite = json!({"role": "owner"});
        let owner_code = nora.post(&format!("{path}/invites"), invite).await.expect(201);
        let page = nora.get(&path).await.expect(200);
        let player = |number: u64| {
            let players = page["players"].as_array().unwrap();
            text(&players.iter().find(|one| one["playerNumber"] == number).unwrap()["playerId"])
        };
        let invites = page["invites"].as_array().unwrap();
        let code = invites.iter().find(|one| one["role"] == "player").unwrap();
        let games = nora.get(&format!("{path}/games")).await.expect(200);
        let games = games["items"].as_array().unwrap().clone();
        let live = games.iter().find(|one| one["status"] == "IN_PROGRESS").unwrap();
        let detail = format!("/hacktracker/games/{}", text(&live["gameId"]));
        let detail = nora.get(&detail).await.expect(200);
        let at_bat = text(&detail["atBats"][0]["atBatId"]);
        Self {
            code: text(&code["code"]),
            owner_code: text(&owner_code["code"]),
            own: player(12),
            kim: player(21),
            fresh: text(&fresh["items"][0]["playerId"]),
            lineup: live["lineup"].clone(),
            at_bat,
            team,
            deleted,
            games,
        }
    }

    /// A game in this status: its path and its revision.
    fn game(&self, status: &str) -> (String, Value) {
        let game = self.games.iter().find(|one| one["status"] == status).unwrap();
        (format!("/games/{}", text(&game["gameId"])), game["revision"].clone())
    }

    pub(crate) fn request(&self, row: &str) -> (Method, String, Option<Value>) {
        let team = format!("/teams/{}", self.team);
        let (live, revision) = self.game("IN_PROGRESS");
        let seen = |more: Value| {
            let mut body = more;
            body["revision"] = revision.clone();
            Some(body)
        };
        let verb = |status: &str, verb: &str| {
            let (path, revision) = self.game(status);
            let start = "2027-04-01T18:00:00Z";
            let body = match verb {
                "reschedule" => json!({"revision": revision, "scheduledStart": start}),
                _ => json!({"revision": revision}),
            };
            (Method::POST, format!("{path}/{verb}"), Some(body))
        };
        let (get, post, put, patch, delete) =
            (Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE);
        let own = format!("{team}/players/{}", self.own);
        match row {
            "signUp" => (post, "/users".into(), Some(json!({"firstName": "A", "lastName": "B"}))),
            "getMyUser" => (get, "/users/me".into(), None),
            "changeMyUser" => (patch, "/users/me".into(), Some(json!({"firstName": "A"}))),
            "listMyTeams" => (get, "/users/me/teams".into(), None),
            "getMyCareer" => (get, "/users/me/stats".into(), None),
            "listUsers" => (get, "/users".into(), None),
            "listTeams" => (get, "/teams".into(), None),
            "listGames" => (get, "/games".into(), None),
            "createTeam" => (post, "/teams".into(), Some(json!({"name": "Tin Roofs"}))),
            "getTeam" => (get, team, None),
            "getTeam (deleted)" => (get, format!("/teams/{}", self.deleted), None),
            "changeTeam" => (patch, team, Some(json!({"name": "Tin Roofs"}))),
            "deleteTeam" => (delete, team, None),
            "deleteTeam (deleted)" => (delete, format!("/teams/{}", self.deleted), None),
            "recoverTeam" => (post, format!("{team}/recover"), None),
            "recoverTeam (deleted)" => (post, format!("/teams/{}/recover", self.deleted), None),
            "getTeamStats" => (get, format!("{team}/stats"), None),
            "listMembers" => (get, format!("{team}/members"), None),
            "changeMember (player)" => {
                let body = json!({"role": "scorekeeper"});
                (patch, format!("{team}/members/pia-lindgren"), Some(body))
            }
            "changeMember (to manager)" => {
                (patch, format!("{team}/members/pia-lindgren"), Some(json!({"role": "manager"})))
            }
            "changeMember (manager)" => {
                (patch, format!("{team}/members/omar-reyes"), Some(json!({"status": "inactive"})))
            }
            "changeMember (owner)" => {
                (patch, format!("{team}/members/nora-vance"), Some(json!({"role": "manager"})))
            }
            "removeMember (player)" => (delete, format!("{team}/members/pia-lindgren"), None),
            "removeMember (inactive)" => (delete, format!("{team}/members/ivan-brandt"), None),
            "removeMember (manager)" => (delete, format!("{team}/members/omar-reyes"), None),
            "removeMember (owner)" => (delete, format!("{team}/members/nora-vance"), None),
            "createInvite (player)" => {
                (post, format!("{team}/invites"), Some(json!({"role": "player"})))
            }
            "createInvite (manager)" => {
                (post, format!("{team}/invites"), Some(json!({"role": "manager"})))
            }
            "listInvites" => (get, format!("{team}/invites"), None),
            "withdrawInvite (player)" => (delete, format!("{team}/invites/{}", self.code), None),
            "withdrawInvite (owner)" => {
                (delete, format!("{team}/invites/{}", self.owner_code), None)
            }
            "getInvite" => (get, format!("{team}/invites/{}", self.code), None),
            "acceptInvite" => (post, format!("{team}/invites/{}/accept", self.code), None),
            "listPlayers" => (get, format!("{team}/players"), None),
            "addPlayers" => {
                (post, format!("{team}/players"), Some(json!({"players": [{"firstName": "A"}]})))
            }
            "getPlayer" => (get, own, None),
            "changePlayer (number)" => (patch, own, Some(json!({"playerNumber": 99}))),
            "changePlayer (names of Pia)" => (patch, own, Some(json!({"firstName": "P"}))),
            "removePlayer" => (delete, format!("{team}/players/{}", self.fresh), None),
            "linkPlayer" => {
                let body = json!({"userId": "skye-tanaka"});
                (put, format!("{team}/players/{}/link", self.kim), Some(body))
            }
            "unlinkPlayer (Pia)" => (delete, format!("{own}/link"), None),
            "listAtBats" => (get, format!("{own}/atbats"), None),
            "getPlayerStats" => (get, format!("{own}/stats"), None),
            "createGame" => (post, format!("{team}/games"), Some(json!({}))),
            "listSchedule" => (get, format!("{team}/games"), None),
            "getGame" => (get, live, None),
            "changeGame" => (patch, live, seen(json!({"location": "Field 1"}))),
            "deleteGame" => (delete, self.game("SCHEDULED").0, None),
            "setLineup" => (put, format!("{live}/lineup"), seen(json!({"lineup": self.lineup}))),
            "setScore" => {
                let (path, revision) = self.game("SCHEDULED");
                let body = json!({"revision": revision, "teamScore": 7, "opponentScore": 0});
                (put, format!("{path}/score"), Some(body))
            }
            "watchGame" => (get, format!("{live}/events"), None),
            "startGame" => verb("SCHEDULED", "start"),
            "finishGame" => verb("IN_PROGRESS", "finish"),
            "reopenGame" => verb("FINAL", "reopen"),
            "postponeGame" => verb("SCHEDULED", "postpone"),
            "rescheduleGame" => verb("POSTPONED", "reschedule"),
            "recordAtBat" => (post, format!("{live}/atbats"), seen(json!({"result": "1B"}))),
            "getAtBat" => (get, format!("{live}/atbats/{}", self.at_bat), None),
            "correctAtBat" => {
                (patch, format!("{live}/atbats/{}", self.at_bat), seen(json!({"result": "2B"})))
            }
            "correctAtBat (another batter)" => {
                let body = seen(json!({"result": "OUT", "playerId": self.lineup[7]}));
                (patch, format!("{live}/atbats/{}", self.at_bat), body)
            }
            "removeAtBat" => {
                (delete, format!("{live}/atbats/{}?revision={revision}", self.at_bat), None)
            }
            "undo" => (post, format!("{live}/undo"), seen(json!({}))),
            "moveRunners" => {
                let moved = json!({"moves": [{"from": 1, "to": 2}], "how": "SB"});
                (post, format!("{live}/runners"), seen(moved))
            }
            "setOpponentRuns" => (put, format!("{live}/opponent/1"), seen(json!({"runs": 2}))),
            "changeHalf" => {
                (put, format!("{live}/half"), seen(json!({"inning": 3, "half": "OPPONENT"})))
            }
            other => panic!("no request for {other}"),
        }
    }
}
