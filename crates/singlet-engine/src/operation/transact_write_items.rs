//! Several writes, all or none.

use crate::commit::{Fingerprint, Stage};
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::lane::STAGE_FUEL;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{Outcome, TransactWriteItems, TransactWriteItemsAnswer};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Error, ErrorKind};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

impl Engine {
    /// Carries out several writes, all or none. Commits are serial, so a transaction never meets
    /// another one. With a token, a request that is sent again within ten minutes does nothing.
    pub fn transact_write_items(
        &self,
        request: TransactWriteItems,
    ) -> Result<TransactWriteItemsAnswer> {
        let transaction = WeighedTransaction::new(request);
        self.write_items(transaction.is_heavy(), move |stage| {
            stage.transact_write_items(&transaction)
        })
    }
}

/// A request, and what is computed of it only once: all that is in its items and values is looked
/// at for it.
pub(crate) struct WeighedTransaction {
    request: TransactWriteItems,
    /// Empty if computing it takes more than the stage gives. Then a dry run does it.
    computed: OnceLock<Computed>,
}

struct Computed {
    /// The sizes of items and keys.
    sizes: Vec<usize>,
    /// If there is a token.
    fingerprint: Option<Fingerprint>,
}

impl WeighedTransaction {
    pub(crate) fn new(request: TransactWriteItems) -> Self {
        let computed = match Computed::within(&request, STAGE_FUEL as usize) {
            Some(computed) => OnceLock::from(computed),
            None => OnceLock::new(),
        };
        Self { request, computed }
    }

    /// Whether it takes more than the stage gives, whatever is stored.
    pub(crate) fn is_heavy(&self) -> bool {
        self.computed.get().is_none()
    }

    fn computed(&self) -> &Computed {
        self.computed.get_or_init(|| {
            let none = || Computed { sizes: Vec::new(), fingerprint: None };
            Computed::within(&self.request, usize::MAX).unwrap_or_else(none)
        })
    }
}

impl Computed {
    /// `None` if that takes more than so many units.
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

impl Stage<'_> {
    pub(crate) fn transact_write_items(
        &mut self,
        transaction: &WeighedTransaction,
    ) -> Result<TransactWriteItemsAnswer, Unfinished> {
        let (request, computed) = (&transaction.request, transaction.computed());
        let token = request.client_request_token.as_deref().zip(computed.fingerprint);
        let catalogue = self.catalogue.clone();
        let keys = request.check_by(&computed.sizes, |name| catalogue.schema(name))?;
        let mut places = Vec::with_capacity(keys.len());
        for (action, key) in request.actions.iter().zip(&keys) {
            let table = self.table(action.table_name())?;
            let place = self.place(&table, key)?;
            places.push((table, place));
        }
        let stored = || places.iter().map(|(table, place)| (&table.schema, place.old.as_ref()));
        if let Some((token, own)) = token {
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
        let decide = |fuel: &mut Fuel<'_>| {
            let outcomes = match request.decide_within(stored(), fuel)? {
                Ok(outcomes) => outcomes,
                Err(error) => return Ok(Err(error)),
            };
            let mut measured = Vec::with_capacity(places.len());
            for ((table, place), outcome) in places.iter().zip(&outcomes) {
                measured.push(place.measure(table, outcome.after(place.old.as_ref()), fuel)?);
            }
            Ok(request.check_written(&measured).map(|()| (outcomes, measured)))
        };
        let (outcomes, measured) =
            self.decide(places.iter().map(|(table, place)| (table, place)), decide)?;
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
                Outcome::Put(item) => self.replace(&table, place, Some(item), measured, false),
                Outcome::Delete => self.replace(&table, place, None, measured, false),
                Outcome::Keep => {}
            }
        }
        if let Some((token, fingerprint)) = token {
            self.remember_token(token, fingerprint);
        }
        Ok(answer)
    }
}

/// What tells a request from others with its token. It is kept for ten minutes, so a hash that a
/// later compiler may change is good enough.
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
