//! Transactions.

use super::design::Design;
use super::draft::Draft;
use super::value::sort_key;
use super::{Call, Generator, STORY};
use serde_json::{Map, Value, json};

impl Generator {
    pub(super) fn transact_get_items(&mut self) -> Call {
        let mut gets = Vec::new();
        let mut keys = Vec::new();
        let count = if self.errs(2) { 101 } else { 1 + self.random.below(4) };
        for _ in 0..count {
            let design = self.any_design();
            let key = self.key(&design);
            if !self.is_new(&design, &key, &mut keys) {
                continue;
            }
            let mut draft = Draft::default();
            draft.set("TableName", self.table_name(&design));
            draft.set("Key", key);
            if self.random.percent(40) {
                let projection = self.projection(&design, &mut draft);
                draft.set("ProjectionExpression", projection);
            }
            gets.push(json!({"Get": self.members(draft)}));
        }
        let mut draft = Draft::default();
        draft.set("TransactItems", gets);
        self.capacity_option(&mut draft);
        self.finish("TransactGetItems", draft)
    }

    /// A new transaction, or an earlier one again.
    pub(super) fn transact_write_items(&mut self) -> Call {
        if !self.asks_endpoints()
            && self.random.percent(15)
            && let Some(before) = self.random.one_of(&self.transactions)
        {
            return before.clone();
        }
        let mut actions = Vec::new();
        let mut keys = Vec::new();
        let count = if self.errs(2) { 101 } else { 1 + self.random.below(4) };
        for _ in 0..count {
            let design = self.any_design();
            let key = self.key(&design);
            if self.is_new(&design, &key, &mut keys) {
                actions.push(self.action_on(&design, key));
            }
        }
        if self.errs(2) {
            actions.push(json!({}));
        }
        let mut draft = Draft::default();
        draft.set("TransactItems", actions);
        self.capacity_option(&mut draft);
        if self.random.percent(20) {
            draft.set("ReturnItemCollectionMetrics", self.pick(&["NONE", "SIZE"]));
        }
        let has_token = self.random.percent(if self.asks_endpoints() { 10 } else { 25 });
        if has_token {
            let token = format!("{STORY}_token_{}", self.random.below(3));
            draft.set("ClientRequestToken", token);
        }
        let call = self.finish("TransactWriteItems", draft);
        if has_token {
            self.transactions.push(call.clone());
        }
        call
    }

    /// Whether this is the only action on the item, unless by mistake.
    fn is_new(
        &mut self,
        design: &Design,
        key: &Map<String, Value>,
        keys: &mut Vec<String>,
    ) -> bool {
        let known = sort_key(&json!([design.name, key]));
        let is_new = !keys.contains(&known) || self.errs(20);
        keys.push(known);
        is_new
    }

    fn action_on(&mut self, design: &Design, key: Map<String, Value>) -> Value {
        let mut draft = Draft::default();
        draft.set("TableName", self.table_name(design));
        let action = match self.random.below(10) {
            0..4 => {
                let mut item = self.item(design);
                for attribute in design.key() {
                    item.remove(attribute.name);
                }
                item.extend(key);
                draft.set("Item", item);
                "Put"
            }
            4..7 => {
                draft.set("Key", key);
                let update = self.update(design, &mut draft);
                draft.set("UpdateExpression", update);
                "Update"
            }
            7 | 8 => {
                draft.set("Key", key);
                "Delete"
            }
            _ => {
                draft.set("Key", key);
                "ConditionCheck"
            }
        };
        if action == "ConditionCheck" || self.random.percent(30) {
            let condition = self.condition(design, &mut draft);
            draft.set("ConditionExpression", condition);
            if self.random.percent(50) {
                draft.set("ReturnValuesOnConditionCheckFailure", self.pick(&["NONE", "ALL_OLD"]));
            }
        }
        let mut members = Map::new();
        members.insert(action.to_owned(), self.members(draft).into());
        if self.errs(2) {
            members.insert("Delete".to_owned(), json!({"TableName": design.name, "Key": {}}));
        }
        members.into()
    }
}
