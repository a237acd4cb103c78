//! Making a game.

use super::Service;
use super::budgets::Cost;
use super::expiry::Expiries;
use super::join::{self, Joined, parse_name};
use crate::board::Board;
use crate::code::new_code;
use crate::design::{Code, Event, EventKind, Game, Lobby, Player, Status};
use crate::error::Error;
use crate::rules::Mode;
use singlet::operation::Update;
use singlet::prelude::*;

/// How often another code is tried when one is taken. With a million games at once, two in a
/// thousand codes are.
const CODES_MAX: usize = 8;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct NewGame {
    /// What the creator is called.
    pub name: String,
    /// How it is played.
    pub mode: Mode,
    /// What it is played on.
    pub board: Board,
}

/// The code is another game's.
enum Taken {
    Code,
    /// Somebody has changed the game before.
    Before,
    Otherwise(singlet::Error),
}

impl From<singlet::Error> for Taken {
    fn from(error: singlet::Error) -> Self {
        Self::Otherwise(error)
    }
}

impl Service {
    /// 8: makes a game with its creator as the first player, both or none.
    ///
    /// # Errors
    ///
    /// [`INVALID`](singlet_web::problem::INVALID) if the creator cannot be called so, [`UNAVAILABLE`](singlet_web::problem::UNAVAILABLE) if there
    /// is no room for another game.
    pub async fn create_game(&self, new: NewGame) -> Result<Joined, Error> {
        let name = parse_name(&new.name)?;
        self.insert_game(&new, &name, |_| None).await
    }

    /// Writes a new game with its creator, and perhaps a change of the game before it.
    pub(super) async fn insert_game(
        &self,
        new: &NewGame,
        name: &str,
        before: impl Fn(&Code) -> Option<Update<Game>>,
    ) -> Result<Joined, Error> {
        self.charge(Cost::Create(&new.board, new.mode)).await?;
        self.make_room().await?;
        for _ in 0..CODES_MAX {
            let code = new_code(&self.random)?;
            let now = self.db.now();
            let expiries = Expiries::from(now);
            let (player, secret) = join::new_player(self, &code, name, &[], now, expiries.members)?;
            let game = game(code, &player, new, now, expiries);
            let mut transaction = self.db.transaction::<Taken>();
            transaction.push(create(&game).or(Taken::Code));
            transaction.push(create(&player));
            if let Some(before) = before(&game.code) {
                transaction.push(before.or(Taken::Before));
            }
            match transaction.run().await {
                Ok(()) => {
                    let lobby = Lobby { game, players: vec![player.clone()] };
                    return Ok(Joined { lobby, player, secret });
                }
                Err(Taken::Code) => {}
                Err(Taken::Before) => return Err(Error::changed()),
                Err(Taken::Otherwise(error)) => return Err(error.into()),
            }
        }
        Err(Error::changed())
    }
}

fn game(code: Code, creator: &Player, new: &NewGame, now: Timestamp, expiries: Expiries) -> Game {
    let event =
        Event { name: Some(creator.name.clone()), ..Event::of(EventKind::Created, &creator.id) };
    Game {
        code,
        status: Status::Waiting,
        mode: new.mode,
        creator_id: creator.id.clone(),
        board: new.board.clone(),
        winner_id: None,
        winner_name: None,
        turn: None,
        player_count: 1,
        sequence: 1,
        history: (new.mode == Mode::Turns).then(|| vec![event.clone()]),
        rematch_code: None,
        last_event: event,
        members_ttl: expiries.members,
        created_at: now,
        updated_at: now,
        expires: Some(expiries.game),
    }
}
