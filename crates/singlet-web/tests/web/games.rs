//! A game service for the tests of streams and sockets.

use crate::client::{Running, start, system};
use axum::extract::State;
use serde::Serialize;
use singlet::Settings;
use singlet::backend::Embedded;
use singlet::engine::{Clock, Engine, Options as EngineOptions};
use singlet::prelude::*;
use singlet_web::Options;
use singlet_web::api::{Api, LastEventId, Path, get};
use singlet_web::live::{
    EventStream, ItemChange, Live, Push, SwitchingProtocols, Topic, TopicState, WebSocketUpgrade,
};
use singlet_web::problem::{FORBIDDEN, INTERNAL, Problem};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

id!(Code);

#[table(name = "games", key = (PK), ttl = TTL, entities(Game))]
pub(crate) struct Games;

#[derive(Entity, Clone, Debug, PartialEq, Serialize)]
#[entity(Games, key = ("GAME#{code}"))]
#[serde(tag = "type", rename = "game")]
pub(crate) struct Game {
    pub(crate) code: Code,
    pub(crate) sequence: u64,
    pub(crate) is_over: bool,
    #[attribute(ttl)]
    #[serde(skip)]
    pub(crate) expires: Option<Expiry>,
}

/// A store of games, with a fixed clock.
pub(crate) struct GameStore {
    pub(crate) engine: Engine,
    pub(crate) clock: Clock,
}

/// A server that shows games.
pub(crate) struct GameServer {
    pub(crate) server: Running,
    pub(crate) service: Service,
    _feed: Feed,
}

/// Follows the changes until dropped.
struct Feed(JoinHandle<()>);

#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) db: Db<Games>,
    pub(crate) live: Live,
    /// Whether callers may watch.
    pub(crate) is_allowed: Arc<AtomicBool>,
    pub(crate) is_state_broken: Arc<AtomicBool>,
    pub(crate) is_state_panicking: Arc<AtomicBool>,
    pub(crate) heartbeats: Arc<AtomicU32>,
}

impl GameStore {
    pub(crate) fn new() -> Self {
        let clock = Clock::fixed(1_773_576_000_000);
        let options =
            EngineOptions { clock: clock.clone(), background: false, ..EngineOptions::default() };
        Self { engine: Engine::memory_with(options).unwrap(), clock }
    }

    pub(crate) async fn open(&self) -> Db<Games> {
        let settings = Settings { clock: self.clock.clone(), ..Settings::default() };
        let db = Db::on(Embedded::new(self.engine.clone()), settings);
        db.provision().await.unwrap();
        db
    }

    pub(crate) async fn server(&self, options: Options) -> GameServer {
        let service = Service::new(self.open().await);
        let api = Api::new(service.clone())
            .route(get("/games/{code}/events", watch).describe("watch", "Watches a game."))
            .route(get("/games/{code}/socket", follow).describe("follow", "Follows a game."))
            .route(get("/signals", signals).describe("signals", "Watches signals."));
        let server = start(options, |site| site.with_system(system(api))).await;
        let live = service.live.clone();
        let feed = tokio::spawn(async move { live.run().await });
        GameServer { server, service, _feed: Feed(feed) }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(crate) fn code(text: &str) -> Code {
    Code::new(text).unwrap()
}

impl Service {
    pub(crate) fn new(db: Db<Games>) -> Self {
        let is_state_broken = Arc::new(AtomicBool::new(false));
        let is_state_panicking = Arc::new(AtomicBool::new(false));
        let live = Live::new({
            let (db, is_broken) = (db.clone(), Arc::clone(&is_state_broken));
            let is_panicking = Arc::clone(&is_state_panicking);
            move |topic| {
                assert!(!is_panicking.load(Ordering::SeqCst), "a panic of the state function");
                state(db.clone(), topic, is_broken.load(Ordering::SeqCst))
            }
        });
        let live = live.follow(&db, pushes);
        let (is_allowed, heartbeats) = (Arc::new(AtomicBool::new(true)), Arc::default());
        Self { db, live, is_allowed, is_state_broken, is_state_panicking, heartbeats }
    }

    /// Creates a game at number 1.
    pub(crate) async fn create(&self, text: &str) {
        let expires = Some(Expiry::at(self.db.now().after(Duration::from_secs(3600))));
        let game = Game { code: code(text), sequence: 1, is_over: false, expires };
        self.db.run(create(&game)).await.unwrap();
    }

    /// Adds to the number of a game.
    pub(crate) async fn add(&self, text: &str, amount: i64) {
        let change = update(Game::key(code(text))).add(Game::SEQUENCE, amount);
        self.db.run(change).await.unwrap();
    }

    /// Ends a game: one change, two pushes.
    pub(crate) async fn finish(&self, text: &str) {
        let change = update(Game::key(code(text))).add(Game::SEQUENCE, 1).set(Game::IS_OVER, true);
        self.db.run(change).await.unwrap();
    }

    async fn check(self) -> Result<(), Problem> {
        match self.is_allowed.load(Ordering::SeqCst) {
            true => Ok(()),
            false => Err(Problem::new(&FORBIDDEN)),
        }
    }
}

async fn state(
    db: Db<Games>,
    topic: Topic,
    is_broken: bool,
) -> Result<Option<TopicState>, Problem> {
    if is_broken {
        return Err(Problem::new(&INTERNAL));
    }
    let Ok(code) = Code::new(topic.id()) else { return Ok(None) };
    let game = db.get(Game::key(&code).consistent()).await?;
    Ok(game.map(|game| TopicState::numbered(game.sequence, "state", &game)))
}

fn pushes(change: &ItemChange<GamesItem>) -> Vec<Push> {
    match change {
        ItemChange { new: Some(GamesItem::Game(game)), .. } => {
            let topic = Topic::new("game", &game.code);
            let mut pushes = vec![Push::numbered(&topic, game.sequence, "moved", game)];
            if game.is_over {
                let ended = serde_json::json!({"type": "ended"});
                pushes.push(Push::numbered(&topic, game.sequence, "ended", &ended));
            }
            pushes
        }
        ItemChange { old: Some(GamesItem::Game(game)), .. } => {
            vec![Push::end(Topic::new("game", &game.code))]
        }
        _ => vec![],
    }
}

async fn watch(
    State(service): State<Service>,
    code: Path<Code>,
    last: LastEventId,
) -> Result<EventStream, Problem> {
    let subscription = service.live.subscribe(Topic::new("game", &*code), last).await?;
    let stream = EventStream::new(subscription);
    Ok(stream.recheck(move || service.clone().check()).recheck_every(Duration::from_millis(200)))
}

async fn follow(
    State(service): State<Service>,
    code: Path<Code>,
    last: LastEventId,
    upgrade: WebSocketUpgrade,
) -> Result<SwitchingProtocols, Problem> {
    let subscription = service.live.subscribe(Topic::new("game", &*code), last).await?;
    Ok(upgrade.serve(async move |mut socket| {
        socket.follow(subscription);
        let heartbeats = Arc::clone(&service.heartbeats);
        socket.on_heartbeat(Duration::from_millis(50), move || {
            let heartbeats = Arc::clone(&heartbeats);
            async move {
                heartbeats.fetch_add(1, Ordering::SeqCst);
            }
        });
        while let Some(message) = socket.next_message::<Said>().await {
            match message {
                Ok(said) if said.text == "leave" => {
                    return socket.close(singlet_web::live::CloseReason::Done).await;
                }
                Ok(said) => socket.send_message(&serde_json::json!({"heard": said.text})).await,
                Err(problem) => socket.refuse(&problem).await,
            }
        }
    }))
}

/// A message from a client of the socket.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    text: String,
}

async fn signals(last: LastEventId) -> Result<EventStream, Problem> {
    Ok(Live::signals("ready").subscribe(Topic::from("book"), last).await?.into())
}
