//! Items of several kinds in one BatchGet.

use super::Service;
use crate::design::{Player, PlayerId, ThreeFc, ThreeFcItem};
use crate::error::Error;
use crate::view::{Names, PlayerRef};
use singlet::{Entity, Key};
use singlet_web::problem::{Problem, UNAVAILABLE};

/// Keys of several kinds, each once.
#[derive(Default)]
pub(super) struct Keys(singlet::Keys<ThreeFc>);

impl Keys {
    pub(super) fn add<E: Entity<Table = ThreeFc>>(&mut self, key: &Key<E>) -> Result<(), Error> {
        Ok(self.0.add(key.clone())?)
    }
}

impl Service {
    /// The items that there are, read consistently, in the order of their keys.
    pub(super) async fn find(&self, keys: Keys) -> Result<Vec<ThreeFcItem>, Error> {
        match self.db.get_all(keys.0.consistent()).await {
            // Nobody was faster: the store has too much to do.
            Err(singlet::Error::Unprocessed { .. }) => Err(Problem::new(&UNAVAILABLE).into()),
            found => Ok(found?),
        }
    }

    /// The names of players.
    pub(super) async fn names<'p>(
        &self,
        players: impl IntoIterator<Item = &'p PlayerId>,
    ) -> Result<Names, Error> {
        let mut keys = Keys::default();
        for player in players {
            keys.add(&Player::key(player))?;
        }
        Ok(names_among(&self.find(keys).await?))
    }
}

/// The names of the players among items.
pub(super) fn names_among(items: &[ThreeFcItem]) -> Names {
    let name = |item: &ThreeFcItem| match item {
        ThreeFcItem::Player(player) => Some((player.player_id.clone(), PlayerRef::from(player))),
        _ => None,
    };
    items.iter().filter_map(name).collect()
}
