//! Requests about one item.

use super::condition::ATTRIBUTES;
use super::design::Design;
use super::draft::Draft;
use super::{Call, Generator, Profile};
use serde_json::{Map, Value, json};

const UPDATE_RETURNS: &[&str] = &["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"];

impl Generator {
    pub(super) fn key(&mut self, design: &Design) -> Map<String, Value> {
        let mut key = Map::new();
        for attribute in design.key() {
            let value = self.key_value(attribute.kind);
            key.insert(attribute.name.to_owned(), value);
        }
        if self.errs(4) {
            key.insert("extra".to_owned(), self.value());
        }
        if self.errs(4) {
            key.remove("sk").or_else(|| key.remove("pk"));
        }
        key
    }

    /// An item, with its key.
    pub(super) fn item(&mut self, design: &Design) -> Map<String, Value> {
        let mut item = Map::new();
        for attribute in design.key() {
            let value = self.key_value(attribute.kind);
            item.insert(attribute.name.to_owned(), value);
        }
        for attribute in &design.index_attributes {
            if self.random.percent(60) {
                let value = self.index_key_value(attribute);
                item.insert(attribute.name.to_owned(), value);
            }
        }
        for (name, kind) in ATTRIBUTES {
            if self.random.percent(35) {
                let kind = if self.random.percent(90) { kind } else { "*" };
                let value = self.value_of(kind);
                item.insert((*name).to_owned(), value);
            }
        }
        if self.random.below(30) == 0 {
            let length = self.pick(&[900, 1024, 4000, 4096, 9000, 60_000]);
            item.insert("long".to_owned(), json!({"S": "x".repeat(length)}));
        }
        if self.profile == Profile::Large && self.random.percent(70) {
            item.insert("long".to_owned(), json!({"S": self.long_text()}));
        }
        if self.errs(4) {
            item.remove("sk").or_else(|| item.remove("pk"));
        }
        if self.errs(2) {
            let length = self.pick(&[409_500, 410_000]);
            item.insert("long".to_owned(), json!({"S": "x".repeat(length)}));
        }
        if self.errs(1) {
            item.insert(String::new(), self.value());
        }
        if self.errs(1) {
            item.insert("x".repeat(65_536), self.value());
        }
        item
    }

    /// Puts without conditions, to fill tables.
    pub(super) fn load(&mut self) -> Call {
        if !self.asks_endpoints() {
            return self.load_many();
        }
        let design = self.any_design();
        let item = self.item(&design);
        let mut draft = Draft::default();
        draft.set("TableName", design.name);
        draft.set("Item", item);
        self.finish("PutItem", draft)
    }

    pub(super) fn put_item(&mut self) -> Call {
        let design = self.any_design();
        let mut draft = Draft::default();
        draft.set("TableName", self.table_name(&design));
        draft.set("Item", self.item(&design));
        self.conditions(&design, &mut draft);
        self.write_options(&["NONE", "ALL_OLD"], &mut draft);
        self.finish("PutItem", draft)
    }

    pub(super) fn delete_item(&mut self) -> Call {
        let design = self.any_design();
        let mut draft = Draft::default();
        draft.set("TableName", self.table_name(&design));
        draft.set("Key", self.key(&design));
        self.conditions(&design, &mut draft);
        self.write_options(&["NONE", "ALL_OLD"], &mut draft);
        self.finish("DeleteItem", draft)
    }

    pub(super) fn update_item(&mut self) -> Call {
        let design = self.any_design();
        let mut draft = Draft::default();
        draft.set("TableName", self.table_name(&design));
        draft.set("Key", self.key(&design));
        if self.random.percent(15) {
            self.legacy_updates(&design, &mut draft);
            self.maybe_expected(&design, &mut draft);
        } else {
            if self.random.percent(97) {
                let update = self.update(&design, &mut draft);
                draft.set("UpdateExpression", update);
            }
            if self.random.percent(30) {
                let condition = self.condition(&design, &mut draft);
                draft.set("ConditionExpression", condition);
            }
            if self.errs(2) {
                self.legacy_updates(&design, &mut draft);
            }
        }
        self.write_options(UPDATE_RETURNS, &mut draft);
        self.finish("UpdateItem", draft)
    }

    pub(super) fn get_item(&mut self) -> Call {
        let design = self.any_design();
        let mut draft = Draft::default();
        draft.set("TableName", self.table_name(&design));
        draft.set("Key", self.key(&design));
        self.selection(&design, &mut draft);
        self.read_options(&mut draft);
        self.finish("GetItem", draft)
    }

    /// Perhaps a condition, as an expression or with legacy parameters.
    fn conditions(&mut self, design: &Design, draft: &mut Draft) {
        match self.random.below(20) {
            0..6 => {
                let condition = self.condition(design, draft);
                draft.set("ConditionExpression", condition);
                if self.errs(2) {
                    self.maybe_expected(design, draft);
                }
            }
            6..9 => self.maybe_expected(design, draft),
            _ => {}
        }
    }

    /// Perhaps a projection, as an expression or with legacy parameters.
    pub(super) fn selection(&mut self, design: &Design, draft: &mut Draft) {
        match self.random.below(20) {
            0..8 => {
                let projection = self.projection(design, draft);
                draft.set("ProjectionExpression", projection);
                if self.errs(3) {
                    draft.set("AttributesToGet", json!(["a"]));
                }
            }
            8..11 => {
                let names = self.attributes_to_get(design);
                draft.set("AttributesToGet", names);
            }
            _ => {}
        }
    }

    pub(super) fn capacity_option(&mut self, draft: &mut Draft) {
        if self.random.percent(60) {
            let choice =
                if self.errs(2) { "ALL" } else { self.pick(&["NONE", "TOTAL", "INDEXES"]) };
            draft.set("ReturnConsumedCapacity", choice);
        }
    }

    pub(super) fn read_options(&mut self, draft: &mut Draft) {
        self.capacity_option(draft);
        if self.random.percent(50) {
            draft.set("ConsistentRead", self.random.percent(50));
        }
    }

    fn write_options(&mut self, returns: &[&str], draft: &mut Draft) {
        self.capacity_option(draft);
        if self.random.percent(60) {
            let choice = if self.errs(3) { self.pick(UPDATE_RETURNS) } else { self.pick(returns) };
            let choice = if self.errs(2) { "SOME" } else { choice };
            draft.set("ReturnValues", choice);
        }
        if self.random.percent(30) {
            let choice = if self.errs(2) { "ALL_NEW" } else { self.pick(&["NONE", "ALL_OLD"]) };
            draft.set("ReturnValuesOnConditionCheckFailure", choice);
        }
        if self.random.percent(30) {
            let choice = if self.errs(2) { "TOTAL" } else { self.pick(&["NONE", "SIZE"]) };
            draft.set("ReturnItemCollectionMetrics", choice);
        }
    }
}
