//! Pushes: everything that happens in a game, to everybody who watches it.
//!
//! The change feed of the table tells of every change of a game's item, whichever process made
//! it. The item holds the last event and its number, so a change of the item is a push. Should the
//! numbers have a gap, because the feed was too much for this process for a moment, the present
//! state is pushed instead of what is missing.

mod message;
mod session;

pub use message::{Incoming, Outgoing};

use crate::design::{Code, Game, SnakesItem};
use crate::refusal::Refusal;
use crate::service::Service;
use singlet::Change;
use singlet_web::live::{Hub, Published};
use std::time::Duration;

/// How long to wait before the changes are asked for again, when that failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Follows the changes of the table and pushes them. Clones are one.
#[derive(Clone)]
pub struct Live {
    service: Service,
    hub: Hub,
}

impl Live {
    /// Nothing is pushed until [`Live::run`] runs.
    #[must_use]
    pub fn new(service: Service) -> Self {
        Self { service, hub: Hub::new() }
    }

    /// Pushes what the feed tells, until the store is closed.
    pub async fn run(&self) {
        loop {
            match self.follow().await {
                Ok(()) => return,
                Err(error) => tracing::error!(%error, "the changes cannot be followed"),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn follow(&self) -> Result<(), singlet::Error> {
        let mut changes = self.service.db().changes().await?;
        // Whatever happened before somebody listened.
        self.push_all_states().await;
        loop {
            match changes.next().await {
                Ok(Some(change)) => self.tell(change).await,
                Ok(None) => return Ok(()),
                // An item that cannot be read concerns nobody else.
                Err(error @ singlet::Error::Corrupt(_)) => {
                    tracing::error!(%error, "a change cannot be read");
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn tell(&self, change: Change<SnakesItem>) {
        match change {
            Change::Item { new: Some(SnakesItem::Game(game)), .. } => self.push(&game).await,
            // It has expired. There is nothing more to come.
            Change::Item { old: Some(SnakesItem::Game(game)), new: None, .. } => {
                self.hub.close(game.code.as_str());
            }
            Change::Item { .. } => {}
            Change::FellBehind { missed } => {
                tracing::warn!(missed, "more happened than could be followed");
                self.push_all_states().await;
            }
        }
    }

    async fn push_all_states(&self) {
        for topic in self.hub.topics() {
            if let Ok(code) = Code::new(&*topic) {
                self.push_state(&code).await;
            }
        }
    }

    async fn push(&self, game: &Game) {
        let texts = Outgoing::of_event(game).into_iter().map(|message| message.to_text());
        let published = self.hub.publish(game.code.as_str(), game.sequence, texts);
        if published == Published::Gap {
            self.push_state(&game.code).await;
        }
    }

    /// Pushes the state of a game to all who watch it.
    async fn push_state(&self, code: &Code) {
        match self.service.view(code).await {
            Ok(game) => {
                let number = game.sequence;
                self.hub.reset(code.as_str(), number, Outgoing::state(game).to_text());
            }
            Err(Refusal::GameNotFound) => self.hub.close(code.as_str()),
            Err(error) => {
                tracing::error!(%error, %code, "the state of a game cannot be read");
                // Those who watch come back, and are told the state then.
                self.hub.close(code.as_str());
            }
        }
    }
}
