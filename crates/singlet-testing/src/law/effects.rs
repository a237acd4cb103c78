//! The effects of requests: items that differ from a baseline.

use crate::faults::{FaultPlan, is_kit};
use crate::store::TestStore;
use singlet::dynamo::Item;
use singlet::dynamo::operation::{
    Answer, BatchWriteItem, GetItem, Request, TableWrites, WriteRequest,
};
use std::collections::{BTreeMap, BTreeSet};

/// A table and an item's key.
pub(super) type ItemKey = (String, String);

/// Items that differ from the baseline, by table. `None` is a deleted item.
pub(super) type Effects = Vec<(ItemKey, Option<Item>)>;

/// The store before a request.
pub(super) struct Baseline {
    items: BTreeMap<ItemKey, Item>,
    keys: BTreeMap<String, Vec<String>>,
}

impl Baseline {
    pub(super) async fn of(store: &TestStore) -> Self {
        let store = store.without_faults();
        let mut baseline = Self { items: BTreeMap::new(), keys: BTreeMap::new() };
        for (table, items) in store.snapshot().await.tables() {
            baseline.keys.insert(table.clone(), store.key_of(&table).await);
            for item in items {
                let key = format!("{:?}", baseline.key(&table, &item));
                baseline.items.insert((table.clone(), key), item);
            }
        }
        baseline
    }

    fn key(&self, table: &str, item: &Item) -> Item {
        let names = self.keys.get(table).into_iter().flatten();
        let part = |name: &String| Some((name.clone(), item.get(name)?.clone()));
        Item::from_entries(names.filter_map(part).collect())
    }

    /// Items outside the kit's table that differ from the baseline.
    pub(super) async fn effects(&self, store: &TestStore, plan: &FaultPlan) -> Effects {
        let changed = self.changed(store, plan, |table| !is_kit(table)).await;
        changed.into_iter().map(|(key, _, item)| (key, item)).collect()
    }

    /// Restores all tables.
    pub(super) async fn undo(&self, store: &TestStore, plan: &FaultPlan) {
        self.restore(store, plan, |_| true).await;
        plan.take_written();
    }

    /// Restores the kit's table, which frees idempotency keys.
    pub(super) async fn undo_kit(&self, store: &TestStore, plan: &FaultPlan) {
        self.restore(store, plan, is_kit).await;
    }

    /// Written items that differ from the baseline: name, key and current value.
    async fn changed(
        &self,
        store: &TestStore,
        plan: &FaultPlan,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<(ItemKey, Item, Option<Item>)> {
        let backend = store.without_faults().backend();
        let mut seen = BTreeSet::new();
        let mut changed = Vec::new();
        for (table, item) in plan.written() {
            let key = self.key(&table, &item);
            let name = (table.clone(), format!("{key:?}"));
            if !is_wanted(&table) || !seen.insert(name.clone()) {
                continue;
            }
            let mut get = GetItem::new(table, key.clone());
            get.consistent_read = true;
            let Ok(Answer::GetItem(answer)) = backend.execute(Request::GetItem(get)).await else {
                panic!("{name:?} cannot be read");
            };
            let now = answer.item.map(|item| item.to_item());
            if now.as_ref() != self.items.get(&name) {
                changed.push((name, key, now));
            }
        }
        changed
    }

    async fn restore(&self, store: &TestStore, plan: &FaultPlan, is_wanted: impl Fn(&str) -> bool) {
        let backend = store.without_faults().backend();
        for (name, key, _) in self.changed(store, plan, is_wanted).await {
            let write = match self.items.get(&name) {
                Some(item) => WriteRequest::Put(item.clone()),
                None => WriteRequest::Delete(key),
            };
            let mut batch = BatchWriteItem::new(Vec::new());
            batch.tables = vec![TableWrites { table_name: name.0, requests: vec![write] }];
            backend.execute(Request::BatchWriteItem(batch)).await.unwrap();
        }
    }
}
