//! Pushes: everything that happens in a game, to every active member of its team who watches.
//!
//! The item of a game holds its last change and its number, so a change of the item is a push with
//! that number. The kit follows the changes and keeps them in order.

use crate::design::{EventKind, GameId, HackTrackerItem, LastEvent};
use crate::error::{Error, Result};
use crate::service::Service;
use crate::view::GameView;
use serde::Serialize;
use serde_json::json;
use singlet_web::live::{ItemChange, Live, Push, Topic, TopicState};

#[derive(Serialize)]
struct Message {
    #[serde(flatten)]
    event: LastEvent,
    game: GameView,
}

pub(crate) fn live(service: &Service) -> Live {
    let (service, db) = (service.clone(), service.db().clone());
    Live::new(move |topic: Topic| {
        let service = service.clone();
        async move { Ok(Some(state(&service, &topic).await?)) }
    })
    .follow(&db, pushes)
}

pub(crate) fn topic(game_id: &GameId) -> Topic {
    Topic::new("game", game_id)
}

/// What a late joiner gets first.
async fn state(service: &Service, topic: &Topic) -> Result<TopicState> {
    let game_id = GameId::new(topic.id()).map_err(|_| Error::GameNotFound)?;
    let game = service.game_detail(&game_id).await?;
    Ok(TopicState::numbered(game.game.game.revision, "gameState", &game))
}

fn pushes(change: &ItemChange<HackTrackerItem>) -> Vec<Push> {
    match (&change.old, &change.new) {
        (_, Some(HackTrackerItem::Game(game))) => {
            let Some(event) = game.last_event.clone() else { return Vec::new() };
            let name = event.kind.name();
            let message = Message { event, game: game.clone().into() };
            vec![Push::numbered(topic(&game.game_id), game.revision, name, &message)]
        }
        (Some(HackTrackerItem::Game(game)), None) => {
            let name = EventKind::GameDeleted.name();
            // Who deleted it, and when, is not stored.
            let message = json!({"kind": name, "game": GameView::from(game.clone())});
            let (topic, number) = (topic(&game.game_id), game.revision + 1);
            vec![Push::numbered(&topic, number, name, &message), Push::end(&topic)]
        }
        _ => Vec::new(),
    }
}
