//! Pushes: what happens in a game, to those who watch it, and the scores of a season.
//!
//! The item of a game holds its last change and its number, so a change of the item is a push with
//! that number. Season pages follow the links, which hold what their lists show.

use crate::design::{GameId, SeasonId, ThreeFcItem};
use crate::error::{Error, Result};
use crate::service::Service;
use crate::view::GameRow;
use serde_json::json;
use singlet_web::live::{ItemChange, Live, Push, Topic, TopicState};

pub(crate) fn live(service: &Service) -> Live {
    let (service, db) = (service.clone(), service.db().clone());
    Live::new(move |topic: Topic| {
        let service = service.clone();
        async move { Ok(Some(state(&service, &topic).await?)) }
    })
    .follow(&db, pushes)
}

pub(crate) fn game_topic(id: &GameId) -> Topic {
    Topic::new("game", id)
}

pub(crate) fn season_topic(id: &SeasonId) -> Topic {
    Topic::new("season", id)
}

/// The first event of a new watcher. The page of a season reads by itself.
async fn state(service: &Service, topic: &Topic) -> Result<TopicState> {
    if topic.kind() == "season" {
        return Ok(TopicState::unnumbered("ready", &json!({"type": "ready"})));
    }
    let id = GameId::new(topic.id()).map_err(|_| Error::GameNotFound)?;
    let game = service.watched_game(&id).await?;
    Ok(TopicState::numbered(u64::from(game.sequence), "state", &game))
}

fn pushes(change: &ItemChange<ThreeFcItem>) -> Vec<Push> {
    match (&change.old, &change.new) {
        (_, Some(ThreeFcItem::Game(game))) => {
            let (topic, number) = (game_topic(&game.game_id), u64::from(game.sequence));
            let message = &game.last_event;
            vec![Push::numbered(topic, number, message.kind.name(), message)]
        }
        (Some(ThreeFcItem::Game(game)), None) => vec![Push::end(game_topic(&game.game_id))],
        (_, Some(ThreeFcItem::GameLink(link))) => {
            let row = GameRow::from(link.clone());
            vec![Push::unnumbered(season_topic(&link.season_id), "gameRow", &row)]
        }
        (Some(ThreeFcItem::GameLink(link)), None) => {
            let gone = json!({
                "gameId": link.game_id,
                "sessionId": link.session_id,
                "gameStartTs": link.game_start_ts,
            });
            vec![Push::unnumbered(season_topic(&link.season_id), "gameRemoved", &gone)]
        }
        _ => Vec::new(),
    }
}
