//! Items of several kinds in one BatchGet.

use super::Service;
use crate::design::{Player, PlayerId, ThreeFc, ThreeFcItem};
use crate::error::Error;
use crate::view::{Names, PlayerRef};
use singlet::dynamo::operation::{Answer, BatchGetItem, KeysAndAttributes};
use singlet::dynamo::{Item, Value};
use singlet::{Entity, Key, Table as _};
use singlet_web::problem::{Problem, UNAVAILABLE};
use std::collections::HashSet;
use std::time::Duration;

/// How many keys a BatchGet takes.
const KEYS_MAX: usize = 100;
/// How often a BatchGet is sent that leaves everything for later.
const TRIES_MAX: u32 = 6;

/// Keys of several kinds, each once.
#[derive(Default)]
pub(super) struct Keys {
    items: Vec<Item>,
    known: HashSet<[String; 2]>,
}

impl Keys {
    pub(super) fn add<E: Entity>(&mut self, key: &Key<E>) -> Result<(), Error> {
        let item = key.to_item().map_err(singlet::Error::from)?;
        let text = |name: &str| match item.get(name) {
            Some(Value::S(text)) => text.clone(),
            _ => String::new(),
        };
        if self.known.insert(["pk", "sk"].map(text)) {
            self.items.push(item);
        }
        Ok(())
    }
}

impl Service {
    /// The items that there are, read consistently, in any order.
    pub(super) async fn find(&self, keys: Keys) -> Result<Vec<ThreeFcItem>, Error> {
        let mut waiting = keys.items;
        let mut found = Vec::with_capacity(waiting.len());
        let mut tries = 0;
        while !waiting.is_empty() {
            let rest = waiting.split_off(waiting.len().min(KEYS_MAX));
            let asked = waiting.len();
            let table_name = self.db.table_name::<ThreeFc>();
            let mut table = KeysAndAttributes::new(table_name, std::mem::take(&mut waiting));
            table.consistent_read = true;
            let answer = self.db.execute(BatchGetItem::new(vec![table])).await;
            let Answer::BatchGetItem(answer) = answer.map_err(singlet::Error::from)? else {
                return Err(Problem::new(&UNAVAILABLE).into());
            };
            for attributes in answer.responses.into_iter().flat_map(|(_, items)| items) {
                let item = ThreeFc::decode_item(&attributes.to_item());
                found.extend(item.map_err(singlet::Error::from)?);
            }
            waiting = answer.unprocessed_keys.into_iter().flat_map(|table| table.keys).collect();
            tries = if waiting.len() < asked { 0 } else { tries + 1 };
            if tries >= TRIES_MAX {
                return Err(Problem::new(&UNAVAILABLE).into());
            }
            if !waiting.is_empty() {
                tokio::time::sleep(Duration::from_millis(20 << tries)).await;
            }
            waiting.extend(rest);
        }
        Ok(found)
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
