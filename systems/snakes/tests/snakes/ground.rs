//! What the tests play on.

use singlet::backend::Embedded;
use singlet::engine::{Clock, Engine, Options};
use singlet::{Db, Settings};
use singlet_snakes::chance::Chance;
use singlet_snakes::design::{Code, Lobby, Player, Snakes};
use singlet_snakes::rules::{Mode, Roll};
use singlet_snakes::secret::Secret;
use singlet_snakes::service::{NewGame, Service};

/// A day in 2026.
pub(crate) const NOON_MS: i64 = 1_773_576_000_000;

/// A service on an engine of its own, with a clock that stands.
pub(crate) struct Ground {
    pub(crate) service: Service,
    pub(crate) engine: Engine,
    pub(crate) clock: Clock,
}

impl Ground {
    pub(crate) async fn new(chance: Chance) -> Self {
        let clock = Clock::fixed(NOON_MS);
        let options = Options { clock: clock.clone(), background: false, ..Options::default() };
        let engine = Engine::memory_with(options).unwrap();
        let settings = Settings { clock: clock.clone(), ..Settings::default() };
        let db = Db::<Snakes>::on(Embedded::new(engine.clone()), settings);
        db.provision().await.unwrap();
        Self { service: Service::new(db, chance), engine, clock }
    }

    /// With dice that fall as told.
    pub(crate) async fn loaded(rolls: &[u8]) -> Self {
        Self::new(Chance::loaded(rolls.iter().copied().filter_map(Roll::new))).await
    }

    /// A game of these players, all of whom have joined.
    pub(crate) async fn game(&self, mode: Mode, names: &[&str]) -> Table {
        let new = NewGame { name: names[0].to_owned(), mode, ..NewGame::default() };
        let joined = self.service.create_game(new).await.unwrap();
        let code = joined.lobby.game.code.clone();
        let mut secrets = vec![joined.secret];
        for name in &names[1..] {
            // Whoever joins later joined later.
            self.clock.advance(1);
            secrets.push(self.service.join(&code, name).await.unwrap().secret);
        }
        Table { code, secrets }
    }

    /// The same, and it has begun.
    pub(crate) async fn started(&self, mode: Mode, names: &[&str]) -> Table {
        let table = self.game(mode, names).await;
        self.service.start(&table.code, &table.secrets[0]).await.unwrap();
        table
    }

    pub(crate) async fn player(&self, secret: &Secret) -> Player {
        self.service.player(&secret.player().unwrap()).await.unwrap()
    }

    pub(crate) async fn lobby(&self, code: &Code) -> Lobby {
        self.service.lobby(code).await.unwrap()
    }
}

/// A game and the secrets of its players.
pub(crate) struct Table {
    pub(crate) code: Code,
    pub(crate) secrets: Vec<Secret>,
}
