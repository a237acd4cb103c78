//! The operations of the specification, each a function whose comment begins with its number.
//!
//! Every operation that writes several items writes them in one transaction, under conditions on
//! what it has read. If somebody else was faster, it reads and decides again. Nothing is kept in
//! memory, so any number of servers work on one table.

mod access;
mod changes;
mod find;
mod finish;
mod game;
mod game_change;
mod goal;
mod grant;
pub mod input;
mod invite;
mod league;
mod player;
mod read_game;
mod roster;
mod season;
mod session;
mod team;
mod thirds;
mod user;

use crate::design::{Game, GameItems, ThreeFc};
use crate::error::Error;
use crate::text::parse_id;
use access::Scope;
use singlet::prelude::*;
use singlet_web::random::Random;
use std::str::FromStr;

/// How often an operation is tried when others are faster.
const ATTEMPTS_MAX: u32 = 8;

/// The operations. Clones are one service.
#[derive(Clone)]
pub struct Service {
    db: Db<ThreeFc>,
    random: Random,
}

impl Service {
    /// A service on a database that has the table.
    #[must_use]
    pub fn new(db: Db<ThreeFc>, random: Random) -> Self {
        Self { db, random }
    }

    /// The database, for those who follow its changes.
    #[must_use]
    pub fn db(&self) -> &Db<ThreeFc> {
        &self.db
    }

    /// The id that the caller has chosen, or a new one.
    fn chosen_or_new<I: FromStr>(&self, field: &str, chosen: Option<&str>) -> Result<I, Error> {
        match chosen {
            Some(text) => parse_id(field, text),
            None => Ok(self.random.id(self.db.now())?),
        }
    }
}

/// A game that is about to be changed, as it was read.
struct OpenGame {
    scope: Scope,
    before: GameItems,
    now: Timestamp,
}

impl OpenGame {
    fn game(&self) -> &Game {
        &self.before.game
    }
}

impl Service {
    /// An event id for a goal that is entered on the server: for demo data.
    pub(crate) fn new_event_id(&self) -> Result<String, Error> {
        Ok(self.random.uuid_v7(self.db.now())?)
    }
}
