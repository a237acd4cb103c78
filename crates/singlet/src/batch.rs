//! Batches: any number of items, each read or written independently.
//!
//! DynamoDB limits the size of a batch and may leave items unprocessed. These calls retry until all
//! are done, or return an error with the remaining keys.

mod delete;
mod read;

pub use read::Keys;

use crate::backend::BackendError;
use crate::db::Db;
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::item::{Purpose, to_item};
use crate::join::join_all;
use crate::key::Key;
use crate::retry::Backoff;
use crate::shape::EntityShape;
use crate::subject::Subject;
use crate::table::{Contains, Declaration};
use singlet_dynamo::limits::ITEM_SIZE_MAX;
use singlet_dynamo::operation::{Answer, BatchWriteItem, Request, TableWrites, WriteRequest};
use singlet_dynamo::{Item, binary};
use std::collections::{HashMap, HashSet};

/// The maximum number of items in a BatchGetItem request.
const GETS_MAX: usize = 100;
/// The maximum number of items in a BatchWriteItem request.
const WRITES_MAX: usize = 25;
/// The maximum number of BatchWriteItem requests in flight.
const REQUESTS_MAX: usize = 4;

impl<D: Declaration> Db<D> {
    /// Starts a batch of puts and deletes. They are independent: some may succeed and others fail.
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

    /// Groups the writes by table name.
    fn tables_of(&self, writes: &[BatchedWrite]) -> Vec<TableWrites> {
        let mut tables: Vec<TableWrites> = Vec::new();
        for BatchedWrite { table: place, request, .. } in writes {
            let (table_name, request) = (self.name_at(*place), request.clone());
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

    /// Sends one request and returns the writes that the store left unprocessed.
    async fn write(&self, writes: &[BatchedWrite]) -> Result<Vec<BatchedWrite>> {
        let answer = match self.execute(BatchWriteItem::new(self.tables_of(writes))).await {
            Ok(Answer::BatchWriteItem(answer)) => answer,
            Ok(_) => return Err(BackendError::unexpected().into()),
            Err(error) => return Err(Error::from(error).about_any(subject_of::<D>(writes))),
        };
        let mut left = Vec::new();
        for table in answer.unprocessed_items {
            let place = self.place_of(&table.table_name).unwrap_or_default();
            let shape = D::TABLES.get(place);
            left.extend(table.requests.into_iter().map(|request| {
                let subject = shape.and_then(|shape| Subject::in_table(shape, item_of(&request)));
                let entity = subject.map_or("", |subject| subject.entity());
                BatchedWrite { table: place, entity, request }
            }));
        }
        Ok(left)
    }

    /// Backs off if the store left items unprocessed. Gives up with these keys after too long.
    async fn pause(
        &self,
        backoff: &mut Backoff,
        is_short: bool,
        is_stuck: bool,
        left: impl FnOnce() -> Vec<Item>,
    ) -> Result<()> {
        if !is_stuck {
            *backoff = Backoff::after_part();
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

/// A batch of independent writes; see [`Db::batch`].
///
/// The writes have no conditions. An entity's version is incremented but not checked.
#[must_use = "a batch does nothing until it is run"]
pub struct Batch<'d, D> {
    db: &'d Db<D>,
    writes: Vec<BatchedWrite>,
    /// The index of each key's write. The last write of a key wins. Empty while it is out of date.
    places: HashMap<(usize, Vec<u8>), usize>,
}

#[derive(Clone)]
struct BatchedWrite {
    /// The table's index in the design.
    table: usize,
    entity: &'static str,
    request: WriteRequest,
}

/// The item of a put, or the key of a delete.
fn item_of(request: &WriteRequest) -> &Item {
    let (WriteRequest::Put(item) | WriteRequest::Delete(item)) = request;
    item
}

fn key_of<D: Declaration>(write: &BatchedWrite) -> Item {
    let item = item_of(&write.request);
    let names = D::TABLES.get(write.table).into_iter().flat_map(|table| table.key.iter());
    let value = |name: &str| Some((name.to_owned(), item.get(name)?.clone()));
    names.filter_map(|attribute| value(attribute.name())).collect()
}

/// The item of a single write, or the entity if all writes share one.
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
    /// Writes an entity, replacing any stored item.
    pub fn put<E: Entity>(&mut self, entity: &E) -> Result<()>
    where
        D: Contains<E::Table>,
    {
        const { assert_keys_are_their_own(&[&E::SHAPE]) };
        let item = to_item(entity, Purpose::Put, self.db.now())?;
        // Checked here because DynamoDB's error does not name the item.
        if item.size() > ITEM_SIZE_MAX {
            return Err(Error::ItemTooLarge { subject: Box::new(Subject::with_item::<E>(&item)) });
        }
        let key = Key::of(entity).into_item()?;
        self.add::<E>(&key, WriteRequest::Put(item));
        Ok(())
    }

    /// Deletes the item with this key.
    pub fn delete<E: Entity>(&mut self, key: Key<E>) -> Result<()>
    where
        D: Contains<E::Table>,
    {
        const { assert_keys_are_their_own(&[&E::SHAPE]) };
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
        if self.places.is_empty() {
            let keys = self.writes.iter().enumerate();
            let keys = keys.map(|(place, write)| (key_of::<D>(write), place, write.table));
            self.places =
                keys.map(|(key, place, table)| ((table, binary::encode(&key)), place)).collect();
        }
        let place = *self.places.entry((table, binary::encode(key))).or_insert(self.writes.len());
        match self.writes.get_mut(place) {
            Some(earlier) => *earlier = write,
            None => self.writes.push(write),
        }
    }

    /// Adds deletions of items in one of the design's tables.
    fn delete_keys(&mut self, table: usize, entity: &'static str, keys: Vec<Item>) {
        let delete = |key| BatchedWrite { table, entity, request: WriteRequest::Delete(key) };
        // A read of an index sees an item twice that moves while it is read.
        let mut seen = HashSet::new();
        let distinct = keys.into_iter().filter(|key| seen.insert(binary::encode(key)));
        self.writes.extend(distinct.map(delete));
        self.places.clear();
    }

    /// The number of writes that are not done yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether there are no writes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The first request to send: the last 25 writes. `None` if there are no writes.
    #[must_use]
    pub fn request(&self) -> Option<Request> {
        let first = self.writes.len().saturating_sub(WRITES_MAX);
        let chunk = self.writes.get(first..).filter(|chunk| !chunk.is_empty())?;
        Some(BatchWriteItem::new(self.db.tables_of(chunk)).into())
    }

    /// Runs all writes, with up to four requests at once.
    ///
    /// Finished writes leave the batch. After an error it holds the rest, and can be run again.
    ///
    /// # Errors
    ///
    /// The error names the item if its request had a single write, and the entity if all writes of
    /// the request share one.
    pub async fn run(&mut self) -> Result<()> {
        let db = self.db;
        self.places.clear();
        let mut backoff = Backoff::after_part();
        let mut requests = REQUESTS_MAX;
        while !self.writes.is_empty() {
            let first = self.writes.len().saturating_sub(requests * WRITES_MAX);
            let sent = self.writes.get(first..).unwrap_or_default();
            let asked = sent.len();
            let chunks = || sent.rchunks(WRITES_MAX);
            let outcomes = join_all(chunks().map(|chunk| db.write(chunk))).await;
            let (mut left, mut failed) = (Vec::new(), None);
            for (chunk, outcome) in chunks().zip(outcomes) {
                match outcome {
                    Ok(unprocessed) => left.extend(unprocessed),
                    Err(error) => {
                        left.extend(chunk.iter().cloned());
                        failed = failed.or(Some(error));
                    }
                }
            }
            let unprocessed = left.len();
            self.writes.truncate(first);
            self.writes.append(&mut left);
            if let Some(error) = failed {
                return Err(error);
            }
            let is_short = unprocessed > 0;
            // An overloaded table gets one request at a time until it keeps up.
            requests = if is_short { 1 } else { REQUESTS_MAX.min(2 * requests) };
            let keys = || self.writes.iter().map(key_of::<D>).collect();
            db.pause(&mut backoff, is_short, unprocessed >= asked, keys).await?;
        }
        Ok(())
    }
}

/// Rejects entities that share their keys: writes without conditions could replace items of the
/// other entity.
const fn assert_keys_are_their_own(entities: &[&EntityShape]) {
    let mut rest = entities;
    while let [entity, others @ ..] = rest {
        assert!(
            entity.shares_key_with.is_empty(),
            "the entity shares its keys with another one, whose items a batch could overwrite: write it with `put`, `create` or `delete`, which check that"
        );
        rest = others;
    }
}

impl<D> std::fmt::Debug for Batch<'_, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let writes = self.writes.iter().map(|write| &write.request);
        f.debug_tuple("Batch").field(&writes.collect::<Vec<_>>()).finish()
    }
}
