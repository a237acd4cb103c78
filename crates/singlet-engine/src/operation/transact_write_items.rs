//! TransactWriteItems.

use crate::commit::{Fingerprint, Planner, Write};
use crate::engine::{Engine, answer};
use crate::error::{Result, Unfinished};
use singlet_dynamo::fuel::{Fuel, OutOfFuel};
use singlet_dynamo::operation::{Outcome, TransactWriteItems, TransactWriteItemsAnswer};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Error, ErrorKind};
use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};

impl Engine {
    /// Writes several items atomically. Commits are serial, so transactions never conflict. With a
    /// token, a request repeated within ten minutes does nothing.
    pub fn transact_write_items(
        &self,
        request: TransactWriteItems,
    ) -> Result<TransactWriteItemsAnswer> {
        answer!(TransactWriteItems of self.write(Write::Transaction(request.into())))
    }
}

/// A request with its sizes and fingerprint, computed once for all plans.
pub(crate) struct Transaction {
    request: TransactWriteItems,
    computed: OnceCell<Computed>,
}

impl From<TransactWriteItems> for Transaction {
    fn from(request: TransactWriteItems) -> Self {
        Self { request, computed: OnceCell::new() }
    }
}

struct Computed {
    /// Sizes of items and keys.
    sizes: Vec<usize>,
    /// `None` without a token.
    fingerprint: Option<Fingerprint>,
}

impl Transaction {
    fn computed(&self, fuel: &mut Fuel<'_>) -> Result<&Computed, OutOfFuel> {
        if let Some(computed) = self.computed.get() {
            return Ok(computed);
        }
        let left = usize::try_from(fuel.left()).unwrap_or(usize::MAX);
        let computed = match Computed::within(&self.request, left) {
            Some(computed) => computed,
            None => {
                fuel.spend(usize::MAX)?;
                Computed::within(&self.request, usize::MAX).ok_or(OutOfFuel)?
            }
        };
        Ok(self.computed.get_or_init(|| computed))
    }
}

impl Computed {
    /// `None` if it would cost more than `units`.
    fn within(request: &TransactWriteItems, units: usize) -> Option<Self> {
        let fingerprint = match &request.client_request_token {
            Some(_) => Some(fingerprint(&request.parameters_within(units)?)),
            None => {
                request.encoding_fuel(units)?;
                None
            }
        };
        Some(Self { sizes: request.sizes(), fingerprint })
    }
}

impl Planner<'_, '_> {
    pub(crate) fn transact_write_items(
        &mut self,
        transaction: &Transaction,
    ) -> Result<TransactWriteItemsAnswer, Unfinished> {
        let request = &transaction.request;
        let computed = transaction.computed(self.fuel)?;
        let token = request.client_request_token.as_deref().zip(computed.fingerprint);
        let catalogue = self.view.catalogue;
        let keys = request.check_by(&computed.sizes, |name| catalogue.schema(name))?;
        let mut places = Vec::with_capacity(keys.len());
        for (action, key) in request.actions.iter().zip(&keys) {
            let table = self.table(action.table_name())?;
            places.push((table, self.place(table, key)?));
        }
        let stored = || places.iter().map(|(table, place)| (&table.schema, place.old.as_ref()));
        if let Some((token, own)) = token {
            match self.recall_token(token)? {
                Some(before) if before != own => {
                    return Err(Error::new(ErrorKind::IdempotentParameterMismatch).into());
                }
                // Already carried out: reads the items, which is charged, and writes nothing.
                Some(_) => {
                    let size = |(_, old): (_, Option<&StoredItem>)| {
                        old.map_or(0, |old| old.as_item().size())
                    };
                    return Ok(request.answer_again(stored().map(size)));
                }
                None => {}
            }
        }
        let mut metrics = Vec::new();
        if request.return_item_collection_metrics {
            for ((table, _), key) in places.iter().zip(&keys) {
                metrics.push(self.collection_metrics(table, key, true)?);
            }
        }
        let outcomes = request.decide_within(stored(), self.fuel)??;
        let mut measured = Vec::with_capacity(places.len());
        for ((table, place), outcome) in places.iter().zip(&outcomes) {
            measured.push(self.measure(table, place, outcome.after(place.old.as_ref()))?);
        }
        request.check_written(&measured)?;
        let schemas = places.iter().map(|(table, _)| &table.schema);
        let mut answer = request.answer_measured(schemas.zip(&measured));
        for ((action, outcome), metrics) in request.actions.iter().zip(&outcomes).zip(metrics) {
            if let Some(metrics) = metrics.filter(|_| *outcome != Outcome::Keep) {
                answer.item_collection_metrics.add(action.table_name(), metrics);
            }
        }
        for (((table, place), outcome), measured) in places.into_iter().zip(outcomes).zip(&measured)
        {
            match outcome {
                Outcome::Put(item) => self.replace(table, place, Some(item), measured, false),
                Outcome::Delete => self.replace(table, place, None, measured, false),
                Outcome::Keep => {}
            }
        }
        if let Some((token, fingerprint)) = token {
            self.remember_token(token, fingerprint);
        }
        Ok(answer)
    }
}

/// Distinguishes requests with the same token. Kept for ten minutes, so the hash may change between
/// compiler versions.
fn fingerprint(parameters: &[u8]) -> Fingerprint {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, parameters).hash(&mut hasher);
        hasher.finish().to_be_bytes()
    };
    let mut fingerprint = Fingerprint::default();
    for (own, byte) in fingerprint.iter_mut().zip(half(0).into_iter().chain(half(1))) {
        *own = byte;
    }
    fingerprint
}
