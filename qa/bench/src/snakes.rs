//! The board game from outside: moves over HTTP, and pushes to many sockets.
//!
//! Server and clients are in one process and share its cores, so the figures are what a machine
//! does that plays with itself: a server alone does more.

mod client;

use ::systems::snakes::board::Board;
use ::systems::snakes::design::{Code, Snakes};
use ::systems::snakes::rules::Mode;
use ::systems::snakes::service::{NewGame, Service};
use client::{Connection, Watcher};
use singlet::backend::Embedded;
use singlet::engine::{Engine, Options as EngineOptions};
use singlet::{CursorKey, Db, Settings};
use singlet_web::random::Random;
use singlet_web::secret::Secret;
use singlet_web::{Options, Server, SiteOptions, Store};
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How long each measurement lasts.
const ROUND: Duration = Duration::from_secs(5);
/// How many clients move at the same time: each waits for the answer to its move.
const CLIENTS: usize = 32;
const SOCKETS: usize = 300;
/// So many moves are made at once before everybody has heard them. A hub's queue holds more.
const BURST: usize = 100;

/// Measures, and prints the figures.
pub(crate) fn run() -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        for (place, folder) in [("in memory", None), ("durable", Some(scratch()))] {
            let site = Site::open(folder.as_ref()).await?;
            for (what, players) in [("in one race", CLIENTS), ("in races of two", 2)] {
                let figures = moves(&site, players).await?;
                println!("{place}, {CLIENTS} clients {what}: {figures}");
            }
            if let Some(folder) = folder {
                std::fs::remove_dir_all(folder)?;
            }
        }
        println!("{SOCKETS} sockets: {}", pushes(&Site::open(None).await?).await?);
        Ok(())
    })
}

fn scratch() -> PathBuf {
    std::env::temp_dir().join(format!("singlet-bench-snakes-{}", std::process::id()))
}

/// A server with the game.
struct Site {
    service: Service,
    address: SocketAddr,
}

impl Site {
    async fn open(folder: Option<&PathBuf>) -> Outcome<Self> {
        let engine = match folder {
            Some(folder) => Engine::open(folder, EngineOptions::default())?,
            None => Engine::memory()?,
        };
        let cursor_key = Some(CursorKey::of_this_process());
        let settings = Settings { cursor_key, ..Settings::default() };
        let db = Db::<Snakes>::on(Embedded::new(engine), settings);
        db.provision().await?;
        // Sixes alone never meet the last square of the board below, so that no game ends.
        let service = Service::new(db, Random::scripted([5], []));
        let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
        let server = Server::bind(options).await?;
        let address = server.local_address()?;
        let system = ::systems::snakes::system_with(service.clone());
        let store = Store::memory().await?;
        let site = singlet_web::Site::open(vec![system], store, SiteOptions::default()).await?;
        tokio::spawn(server.serve(site, std::future::pending()));
        Ok(Self { service, address })
    }

    /// A race that goes on for ever.
    async fn race(&self, players: usize) -> Outcome<(Code, Vec<Secret>)> {
        let board = Board::new(400, Vec::new()).map_err(|_| "the board is none")?;
        let new = NewGame { name: "P0".into(), mode: Mode::Race, board };
        let made = self.service.create_game(new).await?;
        let (code, mut secrets) = (made.lobby.game.code, vec![made.secret]);
        for number in 1..players {
            secrets.push(self.service.join(&code, &format!("P{number}")).await?.secret);
        }
        self.service.start(&code, secrets.first().ok_or("nobody plays")?).await?;
        Ok((code, secrets))
    }
}

/// Everybody moves over HTTP, as often as the answers come.
async fn moves(site: &Site, players_each: usize) -> Outcome<String> {
    let mut seats = Vec::new();
    while seats.len() < CLIENTS {
        let (code, secrets) = site.race(players_each).await?;
        seats.extend(secrets.into_iter().map(|secret| (code.clone(), secret)));
    }
    let begun = Instant::now();
    let mut playing = JoinSet::new();
    for (code, secret) in seats {
        let address = site.address;
        playing.spawn(async move {
            let path = format!("/snakes/games/{code}/roll");
            let mut connection = Connection::open(address).await?;
            let mut times = Vec::new();
            while begun.elapsed() < ROUND {
                let asked = Instant::now();
                connection.post(&path, secret.reveal()).await?;
                times.push(asked.elapsed());
            }
            Outcome::Ok(times)
        });
    }
    let mut times = Vec::new();
    while let Some(played) = playing.join_next().await {
        times.extend(played??);
    }
    let rate = times.len() as f64 / begun.elapsed().as_secs_f64();
    Ok(format!("{rate:.0} moves a second, {}", percentiles(times)))
}

/// One game, many sockets, and bursts of moves: how many messages arrive in a second.
async fn pushes(site: &Site) -> Outcome<String> {
    let (code, secrets) = site.race(2).await?;
    let secret = secrets.first().ok_or("nobody plays")?;
    let mut watchers = Vec::new();
    for _ in 0..SOCKETS {
        watchers.push(Watcher::open(site.address, code.as_str()).await?);
    }
    let (mut heard, mut times) = (0, Vec::new());
    let begun = Instant::now();
    while begun.elapsed() < ROUND {
        let burst = Instant::now();
        let mut hearing: JoinSet<Outcome<Watcher>> = JoinSet::new();
        for mut watcher in watchers.drain(..) {
            hearing.spawn(async move {
                watcher.hear_moves(BURST).await?;
                Ok(watcher)
            });
        }
        for _ in 0..BURST {
            site.service.roll(&code, secret).await?;
        }
        while let Some(watcher) = hearing.join_next().await {
            watchers.push(watcher??);
        }
        heard += BURST * SOCKETS;
        times.push(burst.elapsed());
    }
    let rate = heard as f64 / begun.elapsed().as_secs_f64();
    let bursts = percentiles(times);
    Ok(format!("{rate:.0} messages a second; {BURST} moves to all of them in {bursts}"))
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    format!("p50 {:.2?}, p99 {:.2?}", at(50), at(99))
}
