//! Pushes: everything that happens in a game, to everybody who watches it.
//!
//! The item of a game holds its last event and its number, so a change of the item is a push with
//! that number. The kit follows the changes and keeps them in order.

mod message;
mod session;

pub use message::{Incoming, Outgoing};
pub(crate) use session::session;

use crate::code::parse_code;
use crate::design::{Code, SnakesItem};
use crate::error::Error;
use crate::service::Service;
use singlet_web::live::{ItemChange, Live, Push, Topic, TopicState};

/// The pushes of all games of this service.
#[must_use]
pub fn live(service: &Service) -> Live {
    let (service, db) = (service.clone(), service.db().clone());
    Live::new(move |topic: Topic| {
        let service = service.clone();
        async move { Ok(Some(state(&service, &topic).await?)) }
    })
    .follow(&db, pushes)
}

/// Everybody who watches a game.
pub(crate) fn topic(code: &Code) -> Topic {
    Topic::new("game", code)
}

async fn state(service: &Service, topic: &Topic) -> Result<TopicState, Error> {
    let code = parse_code(topic.id()).ok_or(Error::GameNotFound)?;
    let game = service.view(&code).await?;
    Ok(TopicState::numbered(game.sequence, "gameState", &Outgoing::state(game)))
}

/// What a change of an item means to those who watch.
fn pushes(change: &ItemChange<SnakesItem>) -> Vec<Push> {
    match (&change.old, &change.new) {
        (_, Some(SnakesItem::Game(game))) => {
            let messages = Outgoing::of_event(game);
            let push = |one: Outgoing| {
                Push::numbered(topic(&game.code), game.sequence, one.event_name(), &one)
            };
            messages.into_iter().map(push).collect()
        }
        // It has expired, or made room for another one.
        (Some(SnakesItem::Game(game)), None) => vec![Push::end(topic(&game.code))],
        _ => Vec::new(),
    }
}
