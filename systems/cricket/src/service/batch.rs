//! Batches: many items by few requests, with what the store left undone asked for again.

use super::StoreError;
use crate::design::Cricket;
use futures_util::{StreamExt, TryStreamExt, stream};
use singlet::dynamo::operation::{
    Answer, BatchGetItem, BatchWriteItem, KeysAndAttributes, TableWrites, WriteRequest,
};
use singlet::dynamo::{Item, Value, binary};
use singlet::{Db, Error};
use singlet_web::random::Random;
use std::collections::HashMap;
use std::time::Duration;

/// How many keys a BatchGetItem takes.
const GETS_MAX: usize = 100;
/// How many writes a BatchWriteItem takes.
const WRITES_MAX: usize = 25;
/// How many requests are under way at the same time.
const REQUESTS_AT_ONCE_MAX: usize = 4;
/// How often undone work is sent.
const ATTEMPTS_MAX: u32 = 8;
/// The pause before the second attempt. Each next one is twice as long.
const PAUSE_FIRST_MS: u32 = 50;
/// The longest pause.
const PAUSE_MAX_MS: u32 = 5_000;

/// Reads and writes batches. Clones are one.
#[derive(Clone)]
pub(super) struct Batches {
    db: Db<Cricket>,
    random: Random,
}

impl Batches {
    pub(super) fn new(db: Db<Cricket>, random: Random) -> Self {
        Self { db, random }
    }

    /// The items with these keys that there are, in no order. Keys that stand twice are read once.
    pub(super) async fn get(
        &self,
        table_name: &str,
        keys: Vec<Item>,
        is_consistent: bool,
    ) -> Result<Vec<Item>, StoreError> {
        let mut waiting = distinct(keys, Item::clone);
        let mut items = Vec::with_capacity(waiting.len());
        for attempt in 1.. {
            let requests = waiting.chunks(GETS_MAX).map(<[Item]>::to_vec);
            // Made before the stream: a closure in it would not be general enough to be sent.
            let requests: Vec<_> =
                requests.map(|keys| self.get_once(table_name, keys, is_consistent)).collect();
            let answers: Vec<(Vec<Item>, Vec<Item>)> = stream::iter(requests)
                .buffer_unordered(REQUESTS_AT_ONCE_MAX)
                .boxed()
                .try_collect()
                .await?;
            waiting = Vec::new();
            for (found, left) in answers {
                items.extend(found);
                waiting.extend(left);
            }
            if waiting.is_empty() {
                break;
            }
            self.pause(attempt, || waiting.iter().map(key_name).collect()).await?;
        }
        Ok(items)
    }

    /// What was found, and the keys that were left for later.
    async fn get_once(
        &self,
        table_name: &str,
        keys: Vec<Item>,
        is_consistent: bool,
    ) -> Result<(Vec<Item>, Vec<Item>), Error> {
        let mut table = KeysAndAttributes::new(table_name, keys.clone());
        table.consistent_read = is_consistent;
        match self.db.execute(BatchGetItem::new(vec![table])).await.map_err(Error::from) {
            Ok(Answer::BatchGetItem(answer)) => {
                let found = answer.responses.into_iter().flat_map(|(_, items)| items);
                let left = answer.unprocessed_keys.into_iter().flat_map(|table| table.keys);
                Ok((found.map(|item| item.to_item()).collect(), left.collect()))
            }
            Ok(_) => Err(unexpected()),
            Err(Error::Throttled { .. }) => Ok((Vec::new(), keys)),
            Err(error) => Err(error),
        }
    }

    /// Puts and deletes items of a table whose key has these attributes. Of several writes of one
    /// key the last one counts.
    pub(super) async fn write(
        &self,
        table_name: &str,
        key: &[&'static str],
        writes: Vec<WriteRequest>,
    ) -> Result<usize, StoreError> {
        let key_of = |write: &WriteRequest| {
            let (WriteRequest::Put(item) | WriteRequest::Delete(item)) = write;
            let part = |name: &&'static str| Some(((*name).to_owned(), item.get(name)?.clone()));
            key.iter().filter_map(part).collect::<Item>()
        };
        let mut waiting = distinct(writes, key_of);
        let count = waiting.len();
        for attempt in 1.. {
            let requests = waiting.chunks(WRITES_MAX).map(<[WriteRequest]>::to_vec);
            let requests: Vec<_> =
                requests.map(|writes| self.write_once(table_name, writes)).collect();
            let left: Vec<Vec<WriteRequest>> = stream::iter(requests)
                .buffer_unordered(REQUESTS_AT_ONCE_MAX)
                .boxed()
                .try_collect()
                .await?;
            waiting = left.into_iter().flatten().collect();
            if waiting.is_empty() {
                break;
            }
            self.pause(attempt, || waiting.iter().map(|one| key_name(&key_of(one))).collect())
                .await?;
        }
        Ok(count)
    }

    /// What was left for later.
    async fn write_once(
        &self,
        table_name: &str,
        writes: Vec<WriteRequest>,
    ) -> Result<Vec<WriteRequest>, Error> {
        let table = TableWrites { table_name: table_name.to_owned(), requests: writes.clone() };
        match self.db.execute(BatchWriteItem::new(vec![table])).await.map_err(Error::from) {
            Ok(Answer::BatchWriteItem(answer)) => {
                Ok(answer.unprocessed_items.into_iter().flat_map(|table| table.requests).collect())
            }
            Ok(_) => Err(unexpected()),
            Err(Error::Throttled { .. }) => Ok(writes),
            Err(error) => Err(error),
        }
    }

    /// Waits after so many attempts: 50 ms doubling to 5 s, give or take half. Fails after the last.
    async fn pause(
        &self,
        attempts: u32,
        not_done: impl FnOnce() -> Vec<String>,
    ) -> Result<(), StoreError> {
        if attempts >= ATTEMPTS_MAX {
            return Err(StoreError::StoreBusy { not_done: not_done() });
        }
        let factor = 1_u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
        let pause_ms = PAUSE_FIRST_MS.saturating_mul(factor).min(PAUSE_MAX_MS);
        // Without random numbers it waits for as long as it may.
        let random_ms = self.random.below(pause_ms.saturating_add(1)).unwrap_or(pause_ms);
        let pause = Duration::from_millis(u64::from(pause_ms / 2 + random_ms));
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

fn unexpected() -> Error {
    let text = "the answer is not one to the request";
    singlet::backend::BackendError::Failed(text.into()).into()
}

/// The last of those with the same key, in the order of the first ones.
fn distinct<T>(all: Vec<T>, key_of: impl Fn(&T) -> Item) -> Vec<T> {
    let mut places: HashMap<Vec<u8>, usize> = HashMap::with_capacity(all.len());
    let mut kept: Vec<T> = Vec::with_capacity(all.len());
    for one in all {
        let place = *places.entry(binary::encode(&key_of(&one))).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(earlier) => *earlier = one,
            None => kept.push(one),
        }
    }
    kept
}

/// A key as errors show it.
fn key_name(key: &Item) -> String {
    let parts = key.iter().map(|(name, value)| match value {
        Value::S(text) if name.ends_with("Token") => {
            let skipped = text.chars().count().saturating_sub(4);
            format!("…{}", text.chars().skip(skipped).collect::<String>())
        }
        Value::S(text) => text.clone(),
        other => format!("{other:?}"),
    });
    parts.collect::<Vec<_>>().join("/")
}
