//! What the tests play on.

use singlet::dynamo::Item;
use singlet::engine::Clock;
use singlet_testing::TestStore;
use singlet_web::random::Random;
use singlet_web::secret::Secret;
use snakes::design::{Code, Lobby, Player, Snakes};
use snakes::rules::Mode;
use snakes::service::player_id;
use snakes::service::{NewGame, Service};

/// A service on a store of its own, with a fixed clock.
pub(crate) struct Fixture {
    pub(crate) service: Service,
    pub(crate) clock: Clock,
    pub(crate) store: TestStore,
}

impl Fixture {
    pub(crate) async fn new(store: TestStore, random: Random) -> Self {
        let service = Service::new(store.open::<Snakes>().await, random);
        Self { service, clock: store.clock.clone(), store }
    }

    /// With dice that fall as told.
    pub(crate) async fn loaded(store: TestStore, rolls: &[u8]) -> Self {
        Self::new(store, Random::scripted(rolls.iter().map(|roll| u32::from(*roll) - 1), [])).await
    }

    /// All items of the table, as the AWS CLI shows them.
    pub(crate) async fn items(&self) -> Vec<Item> {
        self.store.items::<Snakes>().await
    }

    /// A game of these players, all of whom have joined.
    pub(crate) async fn game(&self, mode: Mode, names: &[&str]) -> TestGame {
        let new = NewGame { name: names[0].to_owned(), mode, ..NewGame::default() };
        let joined = self.service.create_game(new).await.unwrap();
        let code = joined.lobby.game.code.clone();
        let mut secrets = vec![joined.secret];
        for name in &names[1..] {
            // Whoever joins later joined later.
            self.clock.advance(1);
            secrets.push(self.service.join(&code, name).await.unwrap().secret);
        }
        TestGame { code, secrets }
    }

    /// The same, and it has begun.
    pub(crate) async fn started(&self, mode: Mode, names: &[&str]) -> TestGame {
        let table = self.game(mode, names).await;
        self.service.start(&table.code, &table.secrets[0]).await.unwrap();
        table
    }

    pub(crate) async fn player(&self, secret: &Secret) -> Player {
        self.service.player(&player_id(secret).unwrap()).await.unwrap()
    }

    pub(crate) async fn lobby(&self, code: &Code) -> Lobby {
        self.service.lobby(code).await.unwrap()
    }
}

/// A game and the secrets of its players.
pub(crate) struct TestGame {
    pub(crate) code: Code,
    pub(crate) secrets: Vec<Secret>,
}
