//! The board game: moves over HTTP, and pushes to many sockets.

use super::client::{Connection, Watcher};
use super::{Outcome, Rows, database, scaled};
use crate::folder::Folder;
use ::systems::snakes::board::Board;
use ::systems::snakes::design::Code;
use ::systems::snakes::rules::Mode;
use ::systems::snakes::service::{NewGame, Service};
use singlet::engine::Clock;
use singlet_web::random::Random;
use singlet_web::secret::Secret;
use singlet_web::{Options, Server, SiteOptions, Store};
use std::net::SocketAddr;
use tokio::task::JoinSet;

/// Concurrent clients, each with one move in flight.
const CLIENTS: usize = 32;
const SOCKETS: usize = scaled(300, 20);
/// Moves per burst. A hub's queue holds more.
const BURST: usize = scaled(100, 5);

/// A server with the game.
struct Site {
    service: Service,
    address: SocketAddr,
}

impl Site {
    async fn open(folder: Option<&Folder>) -> Outcome<Self> {
        // With only sixes no player hits the last square exactly, so no game ends.
        let random = Random::scripted([5], []);
        let service = Service::new(database(folder, Clock::system()).await?, random);
        let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
        let server = Server::bind(options).await?;
        let address = server.local_address()?;
        let system = ::systems::snakes::system_with(service.clone());
        let store = Store::memory().await?;
        let site = singlet_web::Site::open(vec![system], store, SiteOptions::default()).await?;
        tokio::spawn(server.serve(site, std::future::pending()));
        Ok(Self { service, address })
    }

    /// An endless race of two players.
    async fn race(&self) -> Outcome<(Code, [Secret; 2])> {
        let board = Board::new(400, Vec::new()).map_err(|_| "the board is refused")?;
        let new = NewGame { name: "P0".into(), mode: Mode::Race, board };
        let made = self.service.create_game(new).await?;
        let code = made.lobby.game.code;
        let second = self.service.join(&code, "P1").await?.secret;
        self.service.start(&code, &made.secret).await?;
        Ok((code, [made.secret, second]))
    }
}

pub(super) async fn moves(rows: &Rows) -> Outcome<()> {
    let title = format!("Snakes: moves over HTTP on the disk, {CLIENTS} clients in games of two");
    if !rows.wants(&title) {
        return Ok(());
    }
    let folder = Folder::new("snakes");
    let site = Site::open(Some(&folder)).await?;
    let mut clients = Vec::new();
    while clients.len() < CLIENTS {
        let (code, secrets) = site.race().await?;
        for secret in secrets {
            let connection = Connection::open(site.address).await?;
            let head = format!("player-secret: {}\r\n", secret.reveal());
            clients.push((connection, format!("/snakes/games/{code}/roll"), head));
        }
    }
    rows.measure(&title, 1, clients, |(mut connection, path, head)| async move {
        connection.ask("POST", &path, &head).await?;
        Ok(Some((connection, path, head)))
    })
    .await
}

/// Bursts of moves in one game, each until all sockets have received it.
pub(super) async fn pushes(rows: &Rows) -> Outcome<()> {
    let title = format!("Snakes: pushes to {SOCKETS} sockets, in bursts of {BURST} moves");
    if !rows.wants(&title) {
        return Ok(());
    }
    let site = Site::open(None).await?;
    let (code, [secret, _]) = site.race().await?;
    let mut watchers = Vec::new();
    for _ in 0..SOCKETS {
        watchers.push(Watcher::open(site.address, code.as_str()).await?);
    }
    let clients = vec![(site.service, code, secret, watchers)];
    rows.measure(&title, SOCKETS * BURST, clients, |(service, code, secret, watchers)| async move {
        let mut receiving: JoinSet<Outcome<Watcher>> = JoinSet::new();
        for mut watcher in watchers {
            receiving.spawn(async move {
                watcher.hear_moves(BURST).await?;
                Ok(watcher)
            });
        }
        for _ in 0..BURST {
            service.roll(&code, &secret).await?;
        }
        let mut watchers = Vec::with_capacity(SOCKETS);
        while let Some(watcher) = receiving.join_next().await {
            watchers.push(watcher??);
        }
        Ok(Some((service, code, secret, watchers)))
    })
    .await
}
