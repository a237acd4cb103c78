//! Pushes: everything that happens in a game, to every active member of its team who watches.
//!
//! The item of a game holds its last change and its number, so a change of the item is a push with
//! that number. The kit follows the changes and keeps them in order.

use crate::design::{AtBat, EventKind, GameId, HackTrackerItem, UserId};
use crate::error::Error;
use crate::service::Service;
use crate::view::GameView;
use serde::Serialize;
use singlet::Timestamp;
use singlet_web::live::{ItemChange, Live, Push, Topic, TopicState};

/// What is sent about a change of a game.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    kind: EventKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<UserId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    game: GameView,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_bat: Option<Box<AtBat>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inning: Option<u8>,
}

/// The pushes of all games.
pub(crate) fn live(service: &Service) -> Live {
    let (service, db) = (service.clone(), service.db().clone());
    Live::new(move |topic: Topic| {
        let service = service.clone();
        async move { Ok(Some(state(&service, &topic).await?)) }
    })
    .follow(&db, pushes)
}

/// Everybody who watches a game.
pub(crate) fn topic(game_id: &GameId) -> Topic {
    Topic::new("game", game_id)
}

/// What a late joiner gets first: the answer of operation 21.
async fn state(service: &Service, topic: &Topic) -> Result<TopicState, Error> {
    let game_id = GameId::new(topic.id()).map_err(|_| Error::GameNotFound)?;
    let game = service.game_detail(&game_id).await?;
    Ok(TopicState::numbered(game.game.game.revision, "gameState", &game))
}

/// What a change of an item means to those who watch.
fn pushes(change: &ItemChange<HackTrackerItem>) -> Vec<Push> {
    match (&change.old, &change.new) {
        (_, Some(HackTrackerItem::Game(game))) => {
            let Some(event) = game.last_event.clone() else { return Vec::new() };
            let message = Message {
                kind: event.kind,
                by: Some(event.by),
                at: Some(event.at),
                at_bat: event.at_bat,
                inning: event.inning,
                game: game.clone().into(),
            };
            let topic = topic(&game.game_id);
            vec![Push::numbered(topic, game.revision, event.kind.name(), &message)]
        }
        (Some(HackTrackerItem::Game(game)), None) => {
            let kind = EventKind::GameDeleted;
            // The item is gone, and its last event is an older one: who deleted it, and when, is not
            // stored.
            let message = Message {
                kind,
                by: None,
                at: None,
                at_bat: None,
                inning: None,
                game: game.clone().into(),
            };
            let (topic, number) = (topic(&game.game_id), game.revision + 1);
            vec![Push::numbered(&topic, number, kind.name(), &message), Push::end(&topic)]
        }
        _ => Vec::new(),
    }
}
