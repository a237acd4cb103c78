//! Creating a game.

use super::Service;
use super::event::{Expiries, save};
use super::join::{Joined, next_seat, parse_name};
use crate::board::Board;
use crate::code::new_code;
use crate::design::{Event, EventKind, Game, Lobby, Status};
use crate::error::{Error, Result};
use crate::rules::Mode;
use singlet::prelude::*;
use singlet_web::problem::ApiError as _;

#[derive(Clone, Debug, Default)]
pub struct NewGame {
    /// Of the creator.
    pub name: String,
    pub mode: Mode,
    pub board: Board,
}

impl Service {
    /// 8: creates a game and its first player, both or none.
    pub async fn create_game(&self, new: NewGame) -> Result<Joined> {
        let new = NewGame { name: parse_name(&new.name)?, ..new };
        self.charge_creation(&new).await?;
        // A code that is taken is a conflict; the next attempt has another one.
        self.db.attempt(|_| self.insert_game(&new, 0, None)).await
    }

    /// Writes a new game and its creator, and the game before if this is a rematch.
    pub(super) async fn insert_game(
        &self,
        new: &NewGame,
        seat: u32,
        before: Option<&mut Lobby>,
    ) -> Result<Joined> {
        let code = new_code(&self.random)?;
        let now = self.db.now();
        let expiries = Expiries::from(now);
        let (player, secret) = self.new_player(&code, &new.name, seat, &[], expiries.members)?;
        let created = Event::new(EventKind::Created, &player);
        let mut game = Game {
            code: code.clone(),
            status: Status::Waiting,
            mode: new.mode,
            creator_id: player.id.clone(),
            creator_name: Some(player.name.clone()),
            board: new.board.clone(),
            winner_id: None,
            winner_name: None,
            turn: None,
            player_count: 1,
            sequence: 0,
            last_event: created.clone(),
            history: Vec::new(),
            rematch_code: None,
            reserved_seats: before.as_ref().map(|before| next_seat(&before.players)),
            members_ttl: expiries.members,
            created_at: now,
            updated_at: now,
            expires: None,
        };
        game.record(created, expiries, now);
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(create(&game).or(Error::changed()));
        transaction.push(create(&player));
        if let Some(Lobby { game: before, .. }) = before {
            before.rematch_code = Some(code);
            transaction.push(save(before).or(Error::changed()));
        }
        transaction.run().await?;
        Ok(Joined { lobby: Lobby { game, players: vec![player.clone()] }, player, secret })
    }
}
