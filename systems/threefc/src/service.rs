//! The operations of the specification, each a function whose comment begins with its number.
//!
//! Every operation that writes several items writes them in one transaction, under conditions on
//! what it has read. If another request was faster, it reads and decides again. Nothing is kept in
//! memory, so any number of servers work on one table.

mod access;
mod changes;
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
mod user;

use crate::design::{Player, PlayerId, ThreeFc, ThreeFcItem};
use crate::error::Result;
use crate::view::Names;
pub(crate) use access::{ADMIN, Need, SCOREKEEPER};
use input::NewId;
use singlet::Attempts;
use singlet::prelude::*;
use singlet_web::random::Random;
use std::str::FromStr;

/// Clones share the database handle.
#[derive(Clone)]
pub struct Service {
    db: Db<ThreeFc>,
    random: Random,
}

impl Service {
    pub fn new(db: Db<ThreeFc>, random: Random) -> Self {
        Self { db, random }
    }

    pub fn db(&self) -> &Db<ThreeFc> {
        &self.db
    }

    /// Reads, decides and writes; again if another request was faster.
    fn attempt<'d, F, A, T>(&'d self, work: F) -> Attempts<'d, ThreeFc, F, A>
    where
        F: FnMut(&'d Db<ThreeFc>) -> A,
        A: Future<Output = Result<T>>,
    {
        self.db.attempt(work)
    }

    /// The id that the caller has chosen, or a new one.
    fn chosen_or_new<I: FromStr + Clone>(&self, chosen: Option<&NewId<I>>) -> Result<I> {
        match chosen {
            Some(NewId(id)) => Ok(id.clone()),
            None => Ok(self.random.id(self.db.now())?),
        }
    }

    /// An event id for a goal that is entered on the server: for demo data.
    pub(crate) fn new_event_id(&self) -> Result<String> {
        Ok(self.random.uuid_v7(self.db.now())?)
    }

    async fn names<'p>(&self, players: impl IntoIterator<Item = &'p PlayerId>) -> Result<Names> {
        let mut keys = Keys::new();
        for player in players {
            keys.add(Player::key(player))?;
        }
        Ok(names_among(&self.db.get_all(keys.consistent()).await?))
    }
}

/// The names of the players among items.
fn names_among(items: &[ThreeFcItem]) -> Names {
    let name = |item: &ThreeFcItem| match item {
        ThreeFcItem::Player(player) => Some((player.player_id.clone(), player.into())),
        _ => None,
    };
    items.iter().filter_map(name).collect()
}
