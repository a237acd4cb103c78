//! Who may do what: every route as everybody, compared with `matrix.txt`.

use crate::fixture::Fixture;
use crate::site::GameServer;
use axum::http::Method;
use serde_json::{Value, json};
use singlet_testing::{TestClient, TestServer, check_matrix};
use singlet_web::random::Random;
use singlet_web::secret::Secret;
use snakes::board::Board;
use snakes::design::Code;
use snakes::rules::Mode;
use snakes::service::{NewGame, player_id};

/// Nobody signs in to play: callers differ by their secrets. The player and the creator are in the
/// game, the other one is in another game.
const CALLERS: &[&str] = &["visitor", "player", "creator", "other"];

#[tokio::test]
async fn every_route_as_everybody() {
    let site = GameServer::new(Random::new()).await;
    let operations = site.server.operations("snakes").await;
    let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
    let status_of = async |row: &str, caller: &str| {
        let game = Game::new(&site.fixture, row).await;
        let client = game.client(&site.server, caller);
        let (method, path, body) = game.request(row);
        let before = site.fixture.store.snapshot().await;
        let status = client.send(method, &format!("/snakes{path}"), body).await.status;
        if status >= 400 {
            site.server.check_refused(&before, status, row, caller).await;
        }
        status
    };
    check_matrix(include_str!("matrix.txt"), &operations, CALLERS, status_of).await;
}

/// A game in the state that a row needs.
pub(crate) struct Game {
    code: Code,
    creator: Secret,
    player: Secret,
    other: Secret,
}

impl Game {
    pub(crate) async fn new(fixture: &Fixture, row: &str) -> Self {
        let service = &fixture.service;
        let board = Board::new(10, Vec::new()).unwrap();
        let new = NewGame { name: "Ann".into(), mode: Mode::Turns, board };
        let other = service.create_game(new.clone()).await.unwrap().secret;
        let made = service.create_game(new).await.unwrap();
        let (code, creator) = (made.lobby.game.code, made.secret);
        fixture.clock.advance(1);
        let player = service.join(&code, "Bob").await.unwrap().secret;
        if row.contains("(begun)") || row.contains("(over)") {
            service.start(&code, &creator).await.unwrap();
        }
        let turns = [&creator, &player].into_iter().cycle();
        for secret in turns.take(if row.contains("(over)") { 100_000 } else { 0 }) {
            if service.roll(&code, secret).await.unwrap().1.wins {
                break;
            }
        }
        Self { code, creator, player, other }
    }

    pub(crate) fn client(&self, server: &TestServer, caller: &str) -> TestClient {
        let secret = match caller {
            "visitor" => return server.visitor(),
            "creator" => &self.creator,
            "player" => &self.player,
            _ => &self.other,
        };
        server.visitor().with_header("player-secret", secret.reveal())
    }

    pub(crate) fn request(&self, row: &str) -> (Method, String, Option<Value>) {
        let game = format!("/games/{}", self.code);
        let player = player_id(&self.player).unwrap();
        match row.split(" (").next().unwrap() {
            "createGame" => (Method::POST, "/games".into(), Some(json!({"name": "Cleo"}))),
            "listGames" => (Method::GET, "/games".into(), None),
            "getGame" => (Method::GET, game, None),
            "joinGame" => (Method::POST, game + "/players", Some(json!({"name": "Cleo"}))),
            "startGame" => (Method::POST, game + "/start", None),
            "rollDice" => (Method::POST, game + "/roll", None),
            "playAgain" => (Method::POST, game + "/rematch", None),
            "leaveGame" => (Method::DELETE, format!("{game}/players/{player}"), None),
            "getPlayer" => (Method::GET, format!("/players/{player}"), None),
            "followGame" => (Method::GET, game + "/socket", None),
            other => panic!("no request for {other}"),
        }
    }
}
