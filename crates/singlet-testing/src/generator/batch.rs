//! Batches.

use super::draft::Draft;
use super::value::sort_key;
use super::{Call, Generator};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

impl Generator {
    pub(super) fn batch_get_item(&mut self) -> Call {
        let mut tables = Map::new();
        let is_legacy = self.random.percent(15);
        for design in self.some_designs() {
            let mut keys: Vec<Value> = Vec::new();
            let count = if self.errs(3) { 101 } else { 1 + self.random.below(5) };
            for _ in 0..count {
                let key = Value::Object(self.key(&design));
                let is_new = keys.iter().all(|known| sort_key(known) != sort_key(&key));
                if is_new || self.errs(10) {
                    keys.push(key);
                }
            }
            if self.errs(3) {
                keys.clear();
            }
            let mut draft = Draft::default();
            draft.set("Keys", keys);
            if is_legacy != self.errs(5) {
                draft.set("AttributesToGet", self.attributes_to_get(&design));
            } else if self.random.percent(50) {
                let projection = self.projection(&design, &mut draft);
                draft.set("ProjectionExpression", projection);
            }
            if self.random.percent(40) {
                draft.set("ConsistentRead", self.random.percent(50));
            }
            let name = self.table_name(&design).as_str().unwrap_or_default().to_owned();
            let request = self.members(draft);
            tables.insert(name, request.into());
        }
        let mut draft = Draft::default();
        draft.set("RequestItems", tables);
        self.capacity_option(&mut draft);
        self.finish("BatchGetItem", draft)
    }

    /// Puts a dozen items.
    pub(super) fn load_many(&mut self) -> Call {
        let design = self.any_design();
        let items = (0..12).map(|_| self.item(&design));
        let items: BTreeMap<String, _> =
            items.map(|item| (sort_key(&json!([item["pk"], item.get("sk")])), item)).collect();
        let puts: Vec<Value> =
            items.into_values().map(|item| json!({"PutRequest": {"Item": item}})).collect();
        let mut tables = Map::new();
        tables.insert(design.name, puts.into());
        let mut draft = Draft::default();
        draft.set("RequestItems", tables);
        self.finish("BatchWriteItem", draft)
    }

    pub(super) fn batch_write_item(&mut self) -> Call {
        let mut tables = Map::new();
        for design in self.some_designs() {
            let mut requests = Vec::new();
            let mut keys = Vec::new();
            let count = if self.errs(3) { 26 } else { 1 + self.random.below(5) };
            for _ in 0..count {
                let (key, request) = if self.random.percent(65) {
                    let item = self.item(&design);
                    let is_key =
                        |(name, _): &(&String, &Value)| design.key().any(|key| key.name == *name);
                    let key: Map<String, Value> = item
                        .iter()
                        .filter(is_key)
                        .map(|(name, value)| (name.clone(), value.clone()))
                        .collect();
                    (key, json!({"PutRequest": {"Item": item}}))
                } else {
                    let key = self.key(&design);
                    (key.clone(), json!({"DeleteRequest": {"Key": key}}))
                };
                let key = sort_key(&Value::Object(key));
                if !keys.contains(&key) || self.errs(10) {
                    keys.push(key);
                    requests.push(request);
                }
            }
            if self.errs(2) {
                requests.push(self.pick(&[
                    json!({}),
                    json!({"PutRequest": {}}),
                    json!({"DeleteRequest": {}}),
                ]));
            }
            let name = self.table_name(&design).as_str().unwrap_or_default().to_owned();
            tables.insert(name, requests.into());
        }
        let mut draft = Draft::default();
        draft.set("RequestItems", tables);
        self.capacity_option(&mut draft);
        if self.random.percent(30) {
            draft.set("ReturnItemCollectionMetrics", self.pick(&["NONE", "SIZE"]));
        }
        self.finish("BatchWriteItem", draft)
    }

    /// One table or all.
    fn some_designs(&mut self) -> Vec<super::Design> {
        let mut designs = self.designs.clone();
        if self.random.percent(50) {
            let kept = self.random.below(designs.len());
            designs = vec![designs.swap_remove(kept)];
        }
        designs
    }
}
