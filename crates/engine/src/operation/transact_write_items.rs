//! Several writes, all or none.

use crate::commit::{Fingerprint, Stage};
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use singlet_dynamo::operation::{Outcome, TransactWriteItems, TransactWriteItemsAnswer};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Error, ErrorKind};
use std::hash::{DefaultHasher, Hash, Hasher};

impl Engine {
    /// Carries out several writes, all or none. Commits are serial, so a transaction never meets
    /// another one. With a token, a request that is sent again within ten minutes does nothing.
    pub fn transact_write_items(
        &self,
        request: TransactWriteItems,
    ) -> Result<TransactWriteItemsAnswer> {
        self.write_items(move |stage| stage.transact_write_items(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn transact_write_items(
        &mut self,
        request: &TransactWriteItems,
    ) -> Result<TransactWriteItemsAnswer, Unfinished> {
        let catalogue = self.catalogue.clone();
        let keys = request.check(|name| catalogue.schema(name))?;
        let mut places = Vec::with_capacity(keys.len());
        for (action, key) in request.actions.iter().zip(&keys) {
            let table = self.table(action.table_name())?;
            let place = self.place(&table, key)?;
            places.push((table, place));
        }
        let stored = || places.iter().map(|(table, place)| (&table.schema, place.old.as_ref()));
        if let Some(token) = &request.client_request_token {
            let own = fingerprint(request);
            match self.recall_token(token)? {
                Some(before) if before != own => {
                    return Err(Error::new(ErrorKind::IdempotentParameterMismatch).into());
                }
                // It was carried out before, and is not again; the items are read, and that is charged.
                Some(_) => {
                    let size = |(_, old): (_, Option<&StoredItem>)| {
                        old.map_or(0, |old| old.as_item().size())
                    };
                    return Ok(request.answer_again(stored().map(size)));
                }
                None => {}
            }
        }
        // All reading comes before all writing: an error in between would leave half of it.
        let mut metrics = Vec::new();
        if request.return_item_collection_metrics {
            for ((table, _), key) in places.iter().zip(&keys) {
                metrics.push(self.collection_metrics(table, key, true)?);
            }
        }
        let outcomes = self.decide(places.iter().map(|(table, place)| (table, place)), |fuel| {
            request.decide_within(stored(), fuel)
        })?;
        let mut answer = request.answer(stored(), &outcomes);
        for ((action, outcome), metrics) in request.actions.iter().zip(&outcomes).zip(metrics) {
            if let Some(metrics) = metrics.filter(|_| *outcome != Outcome::Keep) {
                answer.item_collection_metrics.add(action.table_name(), metrics);
            }
        }
        for ((table, place), outcome) in places.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Put(item) => self.replace(&table, place, Some(item), false),
                Outcome::Delete => self.replace(&table, place, None, false),
                Outcome::Keep => {}
            }
        }
        if let Some(token) = &request.client_request_token {
            self.remember_token(token, fingerprint(request));
        }
        Ok(answer)
    }
}

/// What tells a request from others with its token. It is kept for ten minutes, so a hash that a
/// later compiler may change is good enough.
fn fingerprint(request: &TransactWriteItems) -> Fingerprint {
    let parameters = request.parameters();
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, &parameters).hash(&mut hasher);
        hasher.finish().to_be_bytes()
    };
    let mut fingerprint = Fingerprint::default();
    for (own, byte) in fingerprint.iter_mut().zip(half(0).into_iter().chain(half(1))) {
        *own = byte;
    }
    fingerprint
}
