//! Batched reads.

use super::GETS_MAX;
use crate::backend::BackendError;
use crate::db::Db;
use crate::design::KeyAttributes;
use crate::entity::Entity;
use crate::error::Result;
use crate::get::{Get, projection};
use crate::inspect::Inspect;
use crate::item::{decode, has_passed, is_expired, is_of_sharing_entity, recognizes};
use crate::key::Key;
use crate::marker::Marker;
use crate::operation::stored;
use crate::projection::Projection;
use crate::retry::Backoff;
use crate::shape::{EntityShape, Shapes};
use crate::subject::Subject;
use crate::table::{Contains, Declaration, StoredIn, Table};
use crate::timestamp::Timestamp;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::operation::{Answer, BatchGetItem, KeysAndAttributes, Request};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Item, binary};
use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

impl<D: Declaration> Db<D> {
    /// Reads any number of items by key. Returns one entry per key, in order: the item, or `None`
    /// if it is missing or expired.
    ///
    /// If one of the reads is consistent, all are. To read several entities, use
    /// [`get_all`](Self::get_all).
    pub async fn get_many<E, P, G>(
        &self,
        gets: impl IntoIterator<Item = G>,
    ) -> Result<Vec<Option<P>>>
    where
        E: StoredIn<D>,
        P: Projection<Entity = E>,
        G: Into<Get<E, P>>,
    {
        let (template, wanted) = self.many(gets)?;
        let attributes = &E::Table::SHAPE.key;
        let found =
            self.find_all(&template, attributes, distinct(wanted.iter().map(|(key, _)| key))).await;
        let found = found.map_err(|error| error.about(Subject::of::<E>))?;

        let now = self.now();
        let mut entities = Vec::with_capacity(wanted.len());
        for (key, with_expired) in wanted {
            let item = found.get(&binary::encode(&key)).map(StoredItem::as_item);
            let item = item
                .filter(|item| with_expired || !is_expired::<E>(*item, now))
                .filter(|item| !is_of_sharing_entity(&E::SHAPE, *item));
            entities.push(item.map(decode).transpose()?);
        }
        Ok(entities)
    }

    /// The first request that [`get_many`](Self::get_many) would send: the last 100 keys. Without
    /// keys it sends nothing.
    pub fn get_many_request<E, P, G>(&self, gets: impl IntoIterator<Item = G>) -> Result<Request>
    where
        E: StoredIn<D>,
        P: Projection<Entity = E>,
        G: Into<Get<E, P>>,
    {
        let (template, wanted) = self.many(gets)?;
        Ok(first_request(template, wanted.iter().map(|(key, _)| key)))
    }

    /// A request template without keys, and the keys, each with whether expired items are included.
    fn many<E, P, G>(
        &self,
        gets: impl IntoIterator<Item = G>,
    ) -> Result<(KeysAndAttributes, Vec<(Item, bool)>)>
    where
        E: StoredIn<D>,
        P: Projection<Entity = E>,
        G: Into<Get<E, P>>,
    {
        let mut template = KeysAndAttributes::new(self.name_at(E::PLACE), Vec::new());
        template.projection = projection(Shapes::of::<E>(), P::FIELDS, None)?;
        let mut wanted = Vec::new();
        for get in gets {
            let get: Get<E, P> = get.into();
            template.consistent_read |= get.consistent;
            wanted.push((get.key.into_item()?, get.with_expired));
        }
        Ok((template, wanted))
    }

    /// The items found, by key.
    async fn find_all(
        &self,
        template: &KeysAndAttributes,
        attributes: &KeyAttributes,
        mut waiting: Vec<Item>,
    ) -> Result<HashMap<Vec<u8>, StoredItem>> {
        let mut found = HashMap::with_capacity(waiting.len());
        let mut backoff = Backoff::after_part();
        while !waiting.is_empty() {
            let mut table = template.clone();
            table.keys = waiting.split_off(waiting.len().saturating_sub(GETS_MAX));
            let asked = table.keys.len();
            let Answer::BatchGetItem(answer) = self.execute(BatchGetItem::new(vec![table])).await?
            else {
                return Err(BackendError::unexpected().into());
            };
            for item in answer.responses.into_iter().flat_map(|(_, items)| items).map(stored) {
                found.insert(key_of(attributes, &item), item);
            }
            let left: Vec<Item> =
                answer.unprocessed_keys.into_iter().flat_map(|table| table.keys).collect();
            let is_stuck = left.len() >= asked;
            let is_short = !left.is_empty();
            waiting.extend(left);
            self.pause(&mut backoff, is_short, is_stuck, || waiting.clone()).await?;
        }
        Ok(found)
    }

    /// Reads items of several entities by key. Returns the items found, in the order in which their
    /// keys were added, without expired ones.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code, PlayerId);
    /// # #[table(name = "snakes", key = (PK, SK), entities(Game, Player))]
    /// # pub struct Snakes;
    /// # #[derive(Entity, Debug)]
    /// # #[entity(Snakes, key = ("GAME#{code}", "METADATA"))]
    /// # pub struct Game { pub code: Code }
    /// # #[derive(Entity, Debug)]
    /// # #[entity(Snakes, key = ("GAME#{code}", "PLAYER#{id}"))]
    /// # pub struct Player { pub code: Code, pub id: PlayerId }
    /// # singlet::block_on(async {
    /// # let db = Db::<Snakes>::memory().await?;
    /// # let (code, id) = (Code::new("A")?, PlayerId::new("p")?);
    /// db.run(create(&Game { code: code.clone() })).await?;
    /// db.run(create(&Player { code: code.clone(), id: id.clone() })).await?;
    ///
    /// let mut keys = Keys::<Snakes>::new();
    /// keys.add(Game::key(&code))?;
    /// keys.add(Player::key(&code, &id))?;
    /// keys.add(Player::key(&code, PlayerId::new("nobody")?))?;
    /// let items = db.get_all(keys.consistent()).await?;
    /// assert!(matches!(items[..], [SnakesItem::Game(_), SnakesItem::Player(_)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn get_all<T: Table>(&self, keys: Keys<T>) -> Result<Vec<T::Item>>
    where
        D: Contains<T>,
    {
        let template = keys.template(self.table_name::<T>());
        let found = self.find_all(&template, &T::SHAPE.key, distinct(keys.items())).await;
        let found = found.map_err(|error| error.about_any(keys.subject()))?;
        let (mut items, now) = (Vec::with_capacity(found.len()), self.now());
        for wanted in &keys.wanted {
            let item = found.get(&binary::encode(&wanted.key)).map(StoredItem::as_item);
            if let Some(item) = item.filter(|item| keys.takes(wanted, *item, now)) {
                items.extend(T::decode(item)?);
            }
        }
        Ok(items)
    }
}

/// A set of keys of several entities, in insertion order; see [`Db::get_all`].
#[must_use = "keys do nothing until a `Db` reads them"]
pub struct Keys<T> {
    wanted: Vec<Wanted>,
    /// The index of each key in `wanted`.
    places: HashMap<Vec<u8>, usize>,
    consistent: bool,
    with_expired: bool,
    table: Marker<T>,
}

/// A key with its entity, or several entities that share the key.
struct Wanted {
    key: Item,
    entities: Vec<&'static EntityShape>,
}

impl<T: Table> Default for Keys<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Table> Keys<T> {
    /// An empty set.
    pub fn new() -> Self {
        Self {
            wanted: Vec::new(),
            places: HashMap::new(),
            consistent: false,
            with_expired: false,
            table: PhantomData,
        }
    }

    /// Adds a key. Duplicates are read once.
    pub fn add<E: Entity<Table = T>>(&mut self, key: Key<E>) -> Result<()> {
        let key = key.into_item()?;
        let place = *self.places.entry(binary::encode(&key)).or_insert(self.wanted.len());
        match self.wanted.get_mut(place) {
            Some(wanted) => {
                if !wanted.entities.iter().any(|entity| entity.name == E::SHAPE.name) {
                    wanted.entities.push(&E::SHAPE);
                }
            }
            None => self.wanted.push(Wanted { key, entities: vec![&E::SHAPE] }),
        }
        Ok(())
    }

    /// Reads consistently: sees every write acknowledged before, at twice the cost.
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// Includes expired items that are not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.with_expired = true;
        self
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.wanted.len()
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    fn items(&self) -> impl Iterator<Item = &Item> {
        self.wanted.iter().map(|wanted| &wanted.key)
    }

    /// A request template without keys.
    fn template(&self, table_name: &str) -> KeysAndAttributes {
        let mut template = KeysAndAttributes::new(table_name, Vec::new());
        template.consistent_read = self.consistent;
        template
    }

    fn takes(&self, wanted: &Wanted, item: ItemRef<'_>, now: Timestamp) -> bool {
        let is_of = |entity: &&&EntityShape| recognizes(entity, T::SHAPE, item);
        wanted.entities.iter().find(is_of).is_some_and(|entity| {
            self.with_expired || !entity.expires || !has_passed(T::SHAPE, item, now)
        })
    }

    /// The item of a single read, or the entity if all reads share one.
    fn subject(&self) -> Option<Subject> {
        let of = |Wanted { key, entities }: &Wanted| {
            Some(Subject::with_key_of(entities.first()?.name, T::SHAPE, key))
        };
        Subject::common(self.wanted.iter().map(of))
    }
}

/// The first request: the last 100 keys.
impl<D: Contains<T>, T: Table> Inspect<D> for Keys<T> {
    fn request(self, db: &Db<D>) -> Result<Request> {
        let template = self.template(db.table_name::<T>());
        Ok(first_request(template, self.items()))
    }
}

impl<T> std::fmt::Debug for Keys<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys: Vec<&Item> = self.wanted.iter().map(|wanted| &wanted.key).collect();
        f.debug_struct("Keys")
            .field("keys", &keys)
            .field("consistent", &self.consistent)
            .field("with_expired", &self.with_expired)
            .finish()
    }
}

/// Removes duplicate keys, which DynamoDB rejects.
fn distinct<'k>(keys: impl Iterator<Item = &'k Item>) -> Vec<Item> {
    let mut seen = HashSet::new();
    keys.filter(|key| seen.insert(binary::encode(key))).cloned().collect()
}

fn first_request<'k>(template: KeysAndAttributes, keys: impl Iterator<Item = &'k Item>) -> Request {
    let mut keys = distinct(keys);
    let keys = keys.split_off(keys.len().saturating_sub(GETS_MAX));
    BatchGetItem::new(vec![KeysAndAttributes { keys, ..template }]).into()
}

/// The encoded key of a stored item.
fn key_of(attributes: &KeyAttributes, item: &StoredItem) -> Vec<u8> {
    let item = item.as_item();
    let value = |name: &str| Some((name.to_owned(), item.get(name)?.to_value()));
    let key: Item = attributes.iter().filter_map(|attribute| value(attribute.name())).collect();
    binary::encode(&key)
}
