//! The authorization matrix: every route as every demo user, compared with `matrix.txt`.

use crate::cases_images::picture;
use fus::{DeletionMode, PERSONAS, system_with};
use hyper::Method;
use image::ImageFormat;
use serde_json::{Value, json};
use singlet_testing::{TestClient, TestRequest, TestServer, TestStore};
use singlet_web::DemoPolicy;

/// Ids that requests need, looked up by an admin.
struct Ids {
    site: String,
    logo: String,
    avatar: String,
    moderated: (String, String),
    players: Vec<String>,
    idle: String,
    played: String,
}

impl Ids {
    async fn find(sofia: &TestClient) -> Self {
        let sites = sofia.get("/fus/v1/sites?limit=100").await.expect(200);
        let sites = sites["items"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let logo = sites.iter().find_map(|site| site["logoUrl"].as_str()).unwrap().to_owned();
        let site = text(&sites.iter().find(|site| site["title"] == "Bread diary").unwrap()["id"]);
        let mina = sofia.get("/fus/v1/users/mina").await.expect(200);
        let comment = json!({"body": "To be removed."});
        let path = format!("/fus/v1/sites/{site}/comments");
        let comment = sofia.post(&path, comment).await.expect(201);
        let players = sofia.get("/fus/v1/squash/players").await.expect(200);
        let players = players["items"].as_array().unwrap().clone();
        let idle = players.iter().find(|player| player["matchCount"] == 0).unwrap();
        let busy = players.iter().filter(|player| player["matchCount"] != 0);
        let range = "/fus/v1/squash/matches?from=2020-01-01&to=2030-01-01&limit=1";
        let matches = sofia.get(range).await.expect(200);
        Self {
            logo,
            avatar: text(&mina["avatarUrl"]),
            moderated: ("sofia".to_owned(), text(&comment["commentId"])),
            idle: text(&idle["id"]),
            players: busy.map(|player| text(&player["id"])).collect(),
            played: text(&matches["items"][0]["matchId"]),
            site,
        }
    }

    fn match_body(&self) -> Value {
        json!({
            "date": "2026-05-04",
            "teamAPlayer1Id": self.players[0], "teamAPlayer2Id": self.players[1],
            "teamBPlayer1Id": self.players[2], "teamBPlayer2Id": self.players[3],
            "teamAGames": 3, "teamBGames": 1,
        })
    }
}

/// The caller's name, and a comment they wrote.
struct Own {
    subject: String,
    comment: String,
    group: &'static str,
}

fn request(row: &str, ids: &Ids, own: &Own) -> (Method, String, Option<Value>) {
    let (get, put, post, delete) = (Method::GET, Method::PUT, Method::POST, Method::DELETE);
    let site = format!("/sites/{}", ids.site);
    let new_site = json!({"url": "https://new.example/", "title": "New", "tags": ["new"]});
    let new_group = json!({"name": "New", "description": "", "permissions": ["groups.read"]});
    let (author, removed) = &ids.moderated;
    let subject = &own.subject;
    match row {
        "listSites" => (get, "/sites".into(), None),
        "listSites (with a tag)" => (get, "/sites?tag=sea".into(), None),
        "createSite" => (post, "/sites".into(), Some(new_site)),
        "getSite" => (get, site, None),
        "updateSite" => (put, site, Some(new_site)),
        "deleteSite" => (delete, site, None),
        "removeLogo" => (delete, site + "/logo", None),
        "getLogo" => (get, ids.logo.replace("/fus/v1", ""), None),
        "getMyRating" => (get, site + "/rating", None),
        "rateSite" => (put, site + "/rating", Some(json!({"stars": 2, "note": "new"}))),
        "removeRating" => (delete, site + "/rating", None),
        "listComments" => (get, site + "/comments", None),
        "addComment" => (post, site + "/comments", Some(json!({"body": "New."}))),
        "getComment" => (get, format!("{site}/comments/{removed}"), None),
        "editComment" => {
            (put, format!("{site}/comments/{}", own.comment), Some(json!({"body": "Other."})))
        }
        "deleteComment" => (delete, format!("{site}/comments/{}", own.comment), None),
        "moderateComment" => {
            let path = format!("{site}/comments/{author}/{removed}/removal");
            (post, path, Some(json!({"reason": "Because."})))
        }
        "listTags" => (get, "/tags".into(), None),
        "search" => (get, "/search?q=rust".into(), None),
        "listRatings" => (get, "/ratings?stars=5".into(), None),
        "listMyRatings" => (get, "/me/ratings".into(), None),
        "listMyComments" => (get, "/me/comments".into(), None),
        "listGroups" => (get, "/groups".into(), None),
        "createGroup" => (post, "/groups".into(), Some(new_group)),
        "getGroup" => (get, "/groups/Moderators".into(), None),
        "updateGroup" => {
            let body = json!({"description": "Other.", "permissions": ["comments.moderate"]});
            (put, "/groups/Moderators".into(), Some(body))
        }
        "deleteGroup" => (delete, "/groups/Moderators".into(), None),
        "listMembers" => (get, "/groups/Moderators/members".into(), None),
        "listMembers (of Squash)" => (get, "/groups/Squash/members".into(), None),
        "getMember" => (get, "/groups/Moderators/members/ben".into(), None),
        "getMember (of Squash)" => (get, "/groups/Squash/members/ben".into(), None),
        "addMember" => (put, "/groups/Moderators/members/hana".into(), None),
        "addMember (to Helpdesk)" => (put, "/groups/Helpdesk/members/hana".into(), None),
        "addMember (to Squash)" => (put, "/groups/Squash/members/lea".into(), None),
        "addMember (oneself to Squash)" => (put, format!("/groups/Squash/members/{subject}"), None),
        "removeMember" => (delete, "/groups/Moderators/members/ben".into(), None),
        "removeMember (of Squash)" => (delete, "/groups/Squash/members/hana".into(), None),
        "removeMember (leave)" => {
            (delete, format!("/groups/{}/members/{subject}", own.group), None)
        }
        "recordLogin" => (post, "/me/login".into(), None),
        "getMe" => (get, "/me".into(), None),
        "updateMe" => (put, "/me".into(), Some(json!({"displayName": "New", "description": ""}))),
        "removeAvatar" => (delete, "/me/avatar".into(), None),
        "getUser" => (get, "/users/ben".into(), None),
        "getAvatar" => (get, ids.avatar.replace("/fus/v1", ""), None),
        "listGroupsOf" => (get, "/users/ben/groups".into(), None),
        "listGroupsOf (own)" => (get, format!("/users/{subject}/groups"), None),
        "listPeople" => (get, "/people?prefix=be".into(), None),
        "listPlayers" => (get, "/squash/players".into(), None),
        "createPlayer" => (post, "/squash/players".into(), Some(json!({"name": "New"}))),
        "getPlayer" => (get, format!("/squash/players/{}", ids.idle), None),
        "updatePlayer" => {
            (put, format!("/squash/players/{}", ids.idle), Some(json!({"name": "Other"})))
        }
        "deletePlayer" => (delete, format!("/squash/players/{}", ids.idle), None),
        "listMatchesOf" => (get, format!("/squash/players/{}/matches", ids.players[0]), None),
        "listMatches" => (get, "/squash/matches?date=2026-05-04".into(), None),
        "listMatches (of a range)" => {
            (get, "/squash/matches?from=2026-01-01&to=2026-05-31".into(), None)
        }
        "createMatch" => (post, "/squash/matches".into(), Some(ids.match_body())),
        "getMatch" => (get, format!("/squash/matches/{}", ids.played), None),
        "getMatch (made up)" => (get, "/squash/matches/made-up".into(), None),
        "updateMatch" => (put, format!("/squash/matches/{}", ids.played), Some(ids.match_body())),
        "deleteMatch" => (delete, format!("/squash/matches/{}", ids.played), None),
        "getStandings" => (get, "/squash/standings?from=2026-01-01&to=2026-05-31".into(), None),
        other => panic!("no request for {other}"),
    }
}

#[tokio::test]
async fn every_route_as_everybody() {
    let systems = vec![system_with(DeletionMode::JobOnly)];
    let server = TestServer::with(systems, TestStore::memory(), DemoPolicy::IfEmpty).await;
    let everybody = Everybody::new(&server).await;
    let callers = everybody.callers.clone();
    let send = async |client: &TestClient, row: &str| -> u16 {
        let (name, _) = callers.iter().find(|(_, one)| std::ptr::eq(one, client)).unwrap();
        everybody.request(row, name).send().await.status
    };
    server.check_matrix("fus", &callers, include_str!("matrix.txt"), send).await;
}

/// The callers, who have all rated the site and written about it.
pub(crate) struct Everybody {
    callers: Vec<(&'static str, TestClient)>,
    own: Vec<Own>,
    ids: Ids,
    png: Vec<u8>,
}

impl Everybody {
    pub(crate) async fn new(server: &TestServer) -> Self {
        let callers = server.callers(&PERSONAS);
        let ids = Ids::find(&server.as_persona(&PERSONAS[0])).await;
        let mut own = Vec::new();
        for (name, client) in &callers {
            let group = if *name == "lea" { "Librarians" } else { "Squash" };
            let mut comment = "none".to_owned();
            if *name != "visitor" {
                let site = format!("/fus/v1/sites/{}", ids.site);
                client.put(&format!("{site}/rating"), json!({"stars": 3})).await.expect(200);
                let made = client.post(&format!("{site}/comments"), json!({"body": "Mine."})).await;
                comment = made.expect(201)["commentId"].as_str().unwrap().to_owned();
            }
            own.push(Own { subject: (*name).to_owned(), comment, group });
        }
        Self { callers, own, ids, png: picture(ImageFormat::Png) }
    }

    /// The request of a row for a caller.
    pub(crate) fn request(&self, row: &str, caller: &str) -> TestRequest {
        let place = self.callers.iter().position(|(name, _)| *name == caller).unwrap();
        let (client, own) = (&self.callers[place].1, &self.own[place]);
        if row == "setLogo" || row == "setAvatar" {
            let path = match row {
                "setLogo" => format!("/fus/v1/sites/{}/logo", self.ids.site),
                _ => "/fus/v1/me/avatar".to_owned(),
            };
            let client = client.with_header("content-type", "image/png");
            return TestRequest {
                client,
                method: Method::PUT,
                path,
                body: self.png.clone().into(),
            };
        }
        let (method, path, body) = request(row, &self.ids, own);
        let client = client.with_header("if-match", "\"1\"");
        TestRequest::new(&client, method, &format!("/fus/v1{path}"), body)
    }
}

/// Regression: a manager who had left the club got replayed responses for a day, with e-mail
/// addresses.
#[tokio::test]
async fn who_lost_a_right_is_not_told_a_kept_answer() {
    let systems = vec![system_with(DeletionMode::JobOnly)];
    let server = TestServer::with(systems, TestStore::memory(), DemoPolicy::IfEmpty).await;
    let sofia = server.as_persona(&PERSONAS[0]);
    let ids = Ids::find(&sofia).await;
    let own = Own { subject: "mina".to_owned(), comment: "none".to_owned(), group: "Squash" };
    let keyed = |client: TestClient| {
        client.with_header("idempotency-key", "5b8e5f0c-3b0e-4f53-9f0e-3f2d8a3f1c11")
    };
    let before = server.store.snapshot().await;
    for operation in server.idempotent_operations("fus").await {
        let subject = match operation.as_str() {
            // The responses of these are public.
            "createSite" | "addComment" => continue,
            "createGroup" => "adam",
            _ => "mina",
        };
        let persona = PERSONAS.iter().find(|one| one.subject == subject).unwrap();
        let (method, path, body) = request(&operation, &ids, &own);
        let send = async |client: TestClient| {
            let path = format!("/fus/v1{path}");
            keyed(client).send(method.clone(), &path, body.clone()).await
        };
        let first = send(server.as_persona(persona)).await;
        assert_eq!(first.status, 201, "{operation}: {}", first.json());
        let again = send(server.as_persona(persona)).await;
        assert_eq!(again.headers["idempotency-replayed"], "true", "{operation}");
        assert_eq!(again.json(), first.json(), "{operation}");
        // One is an admin through the token's groups, the other through the system's.
        let refused = match subject {
            "adam" => send(server.as_user("adam", &[])).await,
            _ => {
                sofia.delete("/fus/v1/groups/Squash/members/mina").await.expect(204);
                send(server.as_persona(persona)).await
            }
        };
        assert_eq!(refused.status, 403, "{operation}: {}", refused.json());
        assert!(!refused.headers.contains_key("idempotency-replayed"), "{operation}");
        server.store.restore(&before).await;
    }
}
