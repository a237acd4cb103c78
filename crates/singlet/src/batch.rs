//! Reading and writing any number of items, each by itself.
//!
//! DynamoDB takes a limited number at a time, and may leave some of them for later. Here all are
//! carried out, or there is an error that says which are not.

mod read;

pub use read::Keys;

use crate::backend::BackendError;
use crate::db::Db;
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::item::{Purpose, to_item};
use crate::key::Key;
use crate::retry::Backoff;
use crate::subject::Subject;
use crate::table::{Contains, Declaration};
use singlet_dynamo::limits::ITEM_SIZE_MAX;
use singlet_dynamo::operation::{Answer, BatchWriteItem, Request, TableWrites, WriteRequest};
use singlet_dynamo::{Item, binary};
use std::collections::HashMap;

/// How many items DynamoDB reads at a time.
const GETS_MAX: usize = 100;
/// How many items DynamoDB writes at a time.
const WRITES_MAX: usize = 25;

impl<D: Declaration> Db<D> {
    /// Writes and deletes that are gathered one by one, of any number, and carried out each by
    /// itself: some may happen and others not.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(TeamId);
    /// # #[table(name = "teams", key = (teamId), entities(Team))]
    /// # pub struct Teams;
    /// # #[derive(Entity)]
    /// # #[entity(Teams, key = ("{id}"))]
    /// # pub struct Team { #[attribute(rename = "teamId")] pub id: TeamId }
    /// # singlet::block_on(async {
    /// let db = Db::<Teams>::memory().await?;
    /// let mut batch = db.batch();
    /// for number in 0..1000 {
    ///     batch.put(&Team { id: TeamId::new(format!("t{number}"))? })?;
    /// }
    /// batch.run().await?;
    /// assert_eq!(db.scan(Scan::<Team>::table()).all().await?.len(), 1000);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn batch(&self) -> Batch<'_, D> {
        Batch { db: self, writes: Vec::new(), places: HashMap::new() }
    }

    /// The writes, by the names of their tables.
    fn tables_of(&self, writes: Vec<BatchedWrite>) -> Vec<TableWrites> {
        let mut tables: Vec<TableWrites> = Vec::new();
        for BatchedWrite { table: place, request, .. } in writes {
            let table_name = self.name_at(place);
            match tables.iter_mut().find(|table| table.table_name == table_name) {
                Some(table) => table.requests.push(request),
                None => tables.push(TableWrites {
                    table_name: table_name.to_owned(),
                    requests: vec![request],
                }),
            }
        }
        tables
    }

    /// Waits if the store has left something for later, and gives up if it does so for too long:
    /// then these keys are left.
    async fn pause(
        &self,
        backoff: &mut Backoff,
        is_short: bool,
        is_stuck: bool,
        left: impl FnOnce() -> Vec<Item>,
    ) -> Result<()> {
        if !is_stuck {
            *backoff = Backoff::new();
        }
        if is_short {
            match backoff.next() {
                Some(pause) => self.backend().sleep(pause).await,
                None => {
                    let keys = left();
                    return Err(Error::Unprocessed { count: keys.len(), keys });
                }
            }
        }
        Ok(())
    }
}

/// Writes that are carried out each by itself; see [`Db::batch`].
///
/// Writes of a batch have no conditions. The version of an entity is counted up, and not compared.
#[must_use = "a batch does nothing until it is run"]
pub struct Batch<'d, D> {
    db: &'d Db<D>,
    writes: Vec<BatchedWrite>,
    /// Where the write of a key is: of several writes of one key, the last one counts.
    places: HashMap<(usize, Vec<u8>), usize>,
}

/// A write of a batch.
#[derive(Clone)]
struct BatchedWrite {
    /// The place of the table in the design.
    table: usize,
    entity: &'static str,
    request: WriteRequest,
}

/// The item that is written, or the key of the one that is deleted.
fn item_of(request: &WriteRequest) -> &Item {
    let (WriteRequest::Put(item) | WriteRequest::Delete(item)) = request;
    item
}

/// The key of the item that is written or deleted.
fn key_of<D: Declaration>(write: &BatchedWrite) -> Item {
    let item = item_of(&write.request);
    let names = D::TABLES.get(write.table).into_iter().flat_map(|table| table.key.iter());
    let value = |name: &str| Some((name.to_owned(), item.get(name)?.clone()));
    names.filter_map(|attribute| value(attribute.name)).collect()
}

/// What the writes of a request have in common: the item if it is one, or the entity of all.
fn subject_of<D: Declaration>(writes: &[BatchedWrite]) -> Option<Subject> {
    let [first, others @ ..] = writes else { return None };
    match others {
        [] => Some(Subject::with_key_of(
            first.entity,
            D::TABLES.get(first.table)?,
            item_of(&first.request),
        )),
        _ => others
            .iter()
            .all(|other| other.entity == first.entity)
            .then(|| Subject::named(first.entity)),
    }
}

impl<D: Declaration> Batch<'_, D> {
    /// Writes an entity in place of whatever is there.
    pub fn put<E: Entity>(&mut self, entity: &E) -> Result<()>
    where
        D: Contains<E::Table>,
    {
        const { assert_keys_are_its_own::<E>() };
        let item = to_item(entity, Purpose::Put, self.db.now())?;
        // Of a batch that is refused nobody is told which item was to blame.
        if item.size() > ITEM_SIZE_MAX {
            return Err(Error::ItemTooLarge { subject: Box::new(Subject::with_item::<E>(&item)) });
        }
        let key = Key::of(entity).into_item()?;
        self.add::<E>(&key, WriteRequest::Put(item));
        Ok(())
    }

    /// Takes the item with this key out.
    pub fn delete<E: Entity>(&mut self, key: Key<E>) -> Result<()>
    where
        D: Contains<E::Table>,
    {
        const { assert_keys_are_its_own::<E>() };
        let key = key.into_item()?;
        self.add::<E>(&key.clone(), WriteRequest::Delete(key));
        Ok(())
    }

    fn add<E: Entity>(&mut self, key: &Item, request: WriteRequest)
    where
        D: Contains<E::Table>,
    {
        let table = <D as Contains<E::Table>>::PLACE;
        let write = BatchedWrite { table, entity: E::SHAPE.name, request };
        let place = *self.places.entry((table, binary::encode(key))).or_insert(self.writes.len());
        match self.writes.get_mut(place) {
            Some(earlier) => *earlier = write,
            None => self.writes.push(write),
        }
    }

    /// How many writes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The first request that it will send: up to 25 of the writes, from the last one on. `None`
    /// if there are no writes.
    #[must_use]
    pub fn request(&self) -> Option<Request> {
        let first = self.writes.len().saturating_sub(WRITES_MAX);
        let chunk = self.writes.get(first..).filter(|chunk| !chunk.is_empty())?;
        Some(BatchWriteItem::new(self.db.tables_of(chunk.to_vec())).into())
    }

    /// Carries all of them out.
    ///
    /// # Errors
    ///
    /// An error names the item if the request had one write alone, and the entity if all writes of
    /// the request were of one.
    pub async fn run(self) -> Result<()> {
        let db = self.db;
        let mut waiting = self.writes;
        let mut backoff = Backoff::new();
        while !waiting.is_empty() {
            let chunk = waiting.split_off(waiting.len().saturating_sub(WRITES_MAX));
            let asked = chunk.len();
            let subject = subject_of::<D>(&chunk);
            let request = BatchWriteItem::new(db.tables_of(chunk));
            let answer = match db.execute(request).await {
                Ok(Answer::BatchWriteItem(answer)) => answer,
                Ok(_) => return Err(BackendError::unexpected().into()),
                Err(error) => return Err(Error::from(error).about_any(subject)),
            };
            let before = waiting.len();
            for table in answer.unprocessed_items {
                let place = db.place_of(&table.table_name).unwrap_or_default();
                let shape = D::TABLES.get(place);
                waiting.extend(table.requests.into_iter().map(|request| {
                    let subject =
                        shape.and_then(|shape| Subject::in_table(shape, item_of(&request)));
                    let entity = subject.map_or("", |subject| subject.entity());
                    BatchedWrite { table: place, entity, request }
                }));
            }
            let left = waiting.len() - before;
            let keys = || waiting.iter().map(key_of::<D>).collect();
            db.pause(&mut backoff, left > 0, left >= asked, keys).await?;
        }
        Ok(())
    }
}

/// Refuses an entity that shares its keys: the writes of a batch have no conditions, and could
/// replace an item of the other entity.
const fn assert_keys_are_its_own<E: Entity>() {
    assert!(
        E::SHAPE.shares_key_with.is_empty(),
        "the entity shares its keys with another one, whose items a batch could overwrite: write it with `put`, `create` or `delete`, which check that"
    );
}

impl<D> std::fmt::Debug for Batch<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let writes = self.writes.iter().map(|write| &write.request);
        f.debug_tuple("Batch").field(&writes.collect::<Vec<_>>()).finish()
    }
}
