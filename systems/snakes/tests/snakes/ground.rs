//! What the tests play on.

use crate::place::{Place, standing_clock};
use singlet::dynamo::Item;
use singlet::dynamo::operation::{Answer, Scan};
use singlet::engine::{Clock, Engine};
use singlet::{CursorKey, Settings};
use singlet_snakes::chance::Chance;
use singlet_snakes::design::{Code, Lobby, Player, Snakes};
use singlet_snakes::rules::{Mode, Roll};
use singlet_snakes::secret::Secret;
use singlet_snakes::service::{NewGame, Service};

/// A store, before it is known how the dice fall.
pub(crate) struct Stage {
    place: Place,
    clock: Clock,
    settings: Settings,
}

impl Stage {
    pub(crate) fn memory() -> Self {
        let clock = standing_clock();
        Self::new(Place::memory(&clock), clock, "dev")
    }

    pub(crate) fn folder() -> Self {
        let clock = standing_clock();
        Self::new(Place::folder(&clock), clock, "dev")
    }

    pub(crate) fn new(place: Place, clock: Clock, environment: &str) -> Self {
        let environment = environment.to_owned();
        let cursor_key = Some(CursorKey::of_this_process());
        let settings = Settings { environment, clock: clock.clone(), cursor_key };
        Self { place, clock, settings }
    }

    /// With dice that fall as told.
    pub(crate) async fn loaded(self, rolls: &[u8]) -> Ground {
        self.with(Chance::loaded(rolls.iter().copied().filter_map(Roll::new))).await
    }

    pub(crate) async fn with(self, chance: Chance) -> Ground {
        let Self { place, clock, settings } = self;
        let service = Service::new(place.open::<Snakes>(&settings).await, chance);
        Ground { service, clock, place, settings }
    }
}

/// A service on a store of its own, with a clock that stands.
pub(crate) struct Ground {
    pub(crate) service: Service,
    pub(crate) clock: Clock,
    pub(crate) place: Place,
    pub(crate) settings: Settings,
}

impl Ground {
    /// On an engine in memory.
    pub(crate) async fn new(chance: Chance) -> Self {
        Stage::memory().with(chance).await
    }

    /// The same, with dice that fall as told.
    pub(crate) async fn loaded(rolls: &[u8]) -> Self {
        Stage::memory().loaded(rolls).await
    }

    /// The engine, unless the store is elsewhere.
    pub(crate) fn engine(&self) -> Option<&Engine> {
        match &self.place {
            Place::Embedded { engine, .. } => Some(engine),
            Place::Remote(_) => None,
        }
    }

    /// Has the store delete what has expired. One that is elsewhere has a clock of its own, by
    /// which nothing has.
    pub(crate) fn clean_up(&self) {
        if let Some(engine) = self.engine() {
            engine.maintain().unwrap();
        }
    }

    /// All items of the table, as somebody with the AWS CLI sees them.
    pub(crate) async fn items(&self) -> Vec<Item> {
        let mut scan = Scan::new(self.service.db().table_name::<Snakes>());
        scan.consistent_read = true;
        let Ok(Answer::Page(page)) = self.service.db().execute(scan).await else {
            panic!("the table cannot be read");
        };
        page.items.unwrap_or_default().iter().map(|item| item.to_item()).collect()
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
