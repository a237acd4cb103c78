//! The game behind a server.

use crate::fixture::Fixture;
use serde_json::{Value, json};
use singlet_testing::{TestServer, TestSocket, TestStore};
use singlet_web::DemoPolicy;
use singlet_web::random::Random;

/// A server with the game, whose dice can be scripted. It ends with the test.
pub(crate) struct GameServer {
    pub(crate) server: TestServer,
    pub(crate) fixture: Fixture,
}

impl GameServer {
    pub(crate) async fn new(random: Random) -> Self {
        Self::on(Fixture::new(TestStore::memory(), random).await).await
    }

    pub(crate) async fn on(fixture: Fixture) -> Self {
        let system = snakes::system_with(fixture.service.clone());
        let store = fixture.store.share();
        let server = TestServer::with(vec![system], store, DemoPolicy::Never).await;
        Self { server, fixture }
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        let response = self.server.visitor().get(&format!("/snakes{path}")).await;
        (response.status, response.json())
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let response = self.server.visitor().post(&format!("/snakes{path}"), body).await;
        (response.status, response.json())
    }

    /// A request of the player with this secret.
    pub(crate) async fn act(&self, method: &str, path: &str, secret: &str) -> (u16, Value) {
        self.send(method, path, &[&format!("player-secret: {secret}")], "").await
    }

    /// Sends a request with these headers.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        lines: &[&str],
        body: &str,
    ) -> (u16, Value) {
        let mut client = self.server.visitor();
        for (name, value) in lines.iter().filter_map(|line| line.split_once(": ")) {
            client = client.with_header(name, value);
        }
        let (method, path) = (method.parse().unwrap(), format!("/snakes{path}"));
        let response = client.send_bytes(method, &path, body.to_owned().into()).await;
        (response.status, response.json())
    }

    /// Opens the socket of a game.
    pub(crate) async fn socket(&self, code: &str, query: &str) -> TestSocket {
        self.server.visitor().socket(&format!("/snakes/games/{code}/socket{query}")).await
    }
}

/// Goes on as the player with this secret.
pub(crate) async fn rejoin(socket: &mut TestSocket, secret: &str) {
    socket.send(json!({"type": "rejoinGame", "secret": secret})).await;
    socket.expect("joinedGame").await;
}
