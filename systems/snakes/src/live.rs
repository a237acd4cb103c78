//! Pushes: everything that happens in a game, to everyone who watches it.
//!
//! A game's item holds its last event and the event's number, so a change of the item is a push
//! with that number. The kit follows the changes and keeps them in order.

mod message;
mod session;

pub use message::event_messages;
pub(crate) use session::session;

use crate::code::parse_code;
use crate::design::{Code, SnakesItem};
use crate::error::{Error, Result};
use crate::service::Service;
use serde_json::json;
use singlet_web::live::{ItemChange, Live, Push, Topic, TopicState};

/// The name of all events. Clients on sockets tell messages apart by their `type`.
const EVENT: &str = "message";

pub(crate) fn live(service: &Service) -> Live {
    let (service, db) = (service.clone(), service.db().clone());
    Live::new(move |topic: Topic| {
        let service = service.clone();
        async move { Ok(Some(state(&service, &topic).await?)) }
    })
    .follow(&db, pushes)
}

pub(crate) fn topic(code: &Code) -> Topic {
    Topic::new("game", code)
}

async fn state(service: &Service, topic: &Topic) -> Result<TopicState> {
    let code = parse_code(topic.id()).ok_or(Error::GameNotFound)?;
    let lobby = service.view(&code).await?;
    let sequence = lobby.game.sequence;
    let message = json!({"type": "gameState", "sequence": sequence, "game": lobby});
    Ok(TopicState::numbered(sequence, EVENT, &message))
}

fn pushes(change: &ItemChange<SnakesItem>) -> Vec<Push> {
    match (&change.old, &change.new) {
        (_, Some(SnakesItem::Game(game))) => {
            let push = |one| Push::numbered(topic(&game.code), game.sequence, EVENT, &one);
            event_messages(game).into_iter().map(push).collect()
        }
        // It has expired, or made room for another one.
        (Some(SnakesItem::Game(game)), None) => vec![Push::end(topic(&game.code))],
        _ => Vec::new(),
    }
}
