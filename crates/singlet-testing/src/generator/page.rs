//! Queries and scans.

use super::design::{Design, Index, NO_INDEX};
use super::draft::Draft;
use super::{Call, Generator, Order, Step};
use serde_json::{Map, Value, json};

impl Generator {
    /// A query, usually followed page by page.
    pub(super) fn query(&mut self) -> Step {
        let design = self.any_design();
        let index = self.maybe_index(&design, 60);
        let mut draft = Draft::default();
        draft.set("TableName", self.table_name(&design));
        self.index_name(index.as_ref(), &mut draft);
        let key = index.as_ref().map_or(&design.key, |index| &index.key);
        let partition = if self.random.percent(15) {
            self.legacy_query(&design, key, &mut draft)
        } else {
            let (condition, partition) = self.key_condition(key, &mut draft);
            draft.set("KeyConditionExpression", condition);
            self.filter(&design, &mut draft);
            self.projected(&design, index.as_ref(), &mut draft);
            partition
        };
        self.page_options(index.as_ref(), &mut draft);
        if self.random.percent(50) {
            draft.set("ScanIndexForward", self.random.percent(50));
        }
        let order = match &index {
            None => Order::Total,
            Some(index) => Order::Index(index.key.sort.iter().map(|sort| sort.name).collect()),
        };
        self.paged("Query", &design, index.as_ref(), order, draft, partition)
    }

    /// A scan, usually followed page by page.
    pub(super) fn scan(&mut self) -> Step {
        let design = self.any_design();
        let index = self.maybe_index(&design, 30);
        let mut draft = Draft::default();
        draft.set("TableName", self.table_name(&design));
        self.index_name(index.as_ref(), &mut draft);
        if self.random.percent(15) {
            self.legacy_scan(&design, &mut draft);
        } else {
            self.filter(&design, &mut draft);
            self.projected(&design, index.as_ref(), &mut draft);
        }
        self.page_options(index.as_ref(), &mut draft);
        if !self.asks_endpoints() && self.random.percent(40) {
            let total = 1 + self.random.below(4);
            draft.set("Segment", self.random.below(total));
            draft.set("TotalSegments", total);
        } else if self.errs(8) {
            let (segment, total) =
                self.pick(&[(1, 1), (-1, 2), (0, 0), (0, 1_000_001), (5, 2), (0, -1)]);
            draft.set("Segment", segment);
            draft.set("TotalSegments", total);
        }
        if self.errs(3) {
            draft.set(self.pick(&["Segment", "TotalSegments"]), 1);
        }
        self.paged("Scan", &design, index.as_ref(), Order::Own, draft, Map::new())
    }

    fn paged(
        &mut self,
        operation: &'static str,
        design: &Design,
        index: Option<&Index>,
        order: Order,
        mut draft: Draft,
        partition: Map<String, Value>,
    ) -> Step {
        // Two endpoints agree on a page from an arbitrary key only if they agree on the order.
        let is_comparable = order == Order::Total || !self.asks_endpoints();
        if is_comparable && self.random.percent(15) {
            let mut key = self.start_key(design, index);
            // Usually in the queried partition.
            if operation == "Query" && !self.asks_endpoints() && self.random.percent(90) {
                key.extend(partition);
            }
            draft.set("ExclusiveStartKey", key);
        } else if self.errs(8) {
            let mut key = self.start_key(design, index);
            match self.random.below(3) {
                0 => key.insert("extra".to_owned(), json!({"S": "a"})),
                1 => key.remove("pk"),
                _ => key.insert("pk".to_owned(), json!({"BOOL": true})),
            };
            draft.set("ExclusiveStartKey", key);
        }
        Step::Pages { call: self.finish(operation, draft), order }
    }

    /// A start key of the right form, unless by mistake.
    fn start_key(&mut self, design: &Design, index: Option<&Index>) -> Map<String, Value> {
        let mut key = self.key(design);
        for attribute in index.into_iter().flat_map(Index::key) {
            let value = self.key_value(attribute.kind);
            key.entry(attribute.name).or_insert(value);
        }
        key
    }

    pub(super) fn maybe_index(&mut self, design: &Design, percent: usize) -> Option<Index> {
        if design.indexes.is_empty() || !self.random.percent(percent) {
            return None;
        }
        Some(self.pick(&design.indexes))
    }

    fn index_name(&mut self, index: Option<&Index>, draft: &mut Draft) {
        if self.errs(3) {
            let name = self.pick(&[NO_INDEX, "", "ab", "bad name"]);
            draft.set("IndexName", name);
        } else if let Some(index) = index {
            draft.set("IndexName", index.name);
        }
    }

    fn filter(&mut self, design: &Design, draft: &mut Draft) {
        if self.random.percent(40) {
            let filter = self.condition(design, draft);
            draft.set("FilterExpression", filter);
        }
    }

    /// Perhaps a projection, and perhaps a matching `Select`.
    fn projected(&mut self, design: &Design, index: Option<&Index>, draft: &mut Draft) {
        if self.random.percent(30) {
            let projection = self.projection(design, draft);
            draft.set("ProjectionExpression", projection);
            if self.random.percent(30) {
                let select = if self.errs(20) { "COUNT" } else { "SPECIFIC_ATTRIBUTES" };
                draft.set("Select", select);
            }
        } else if self.random.percent(40) {
            let is_whole = index.is_none_or(|index| index.is_local || index.holds_all());
            let select = match self.random.below(3) {
                0 if self.errs(20) => "SPECIFIC_ATTRIBUTES",
                0 if is_whole || self.errs(20) => "ALL_ATTRIBUTES",
                1 if index.is_some() || self.errs(20) => "ALL_PROJECTED_ATTRIBUTES",
                _ => "COUNT",
            };
            draft.set("Select", select);
        }
    }

    fn page_options(&mut self, index: Option<&Index>, draft: &mut Draft) {
        self.capacity_option(draft);
        let is_global = index.is_some_and(|index| !index.is_local);
        if (!is_global && self.random.percent(40)) || self.errs(3) {
            draft.set("ConsistentRead", self.random.percent(50));
        }
        if self.random.percent(40) {
            let limit =
                if self.errs(5) { self.pick(&[0, -1]) } else { self.pick(&[1, 2, 3, 7, 1000]) };
            draft.set("Limit", limit);
        }
    }

    /// Scans a table and its indexes, and reads its stream.
    pub(super) fn look_at_everything(&mut self, design: &Design, steps: &mut Vec<Step>) {
        self.mistakes = 0;
        let mut scan = |index: Option<&Index>| {
            let mut body = Map::new();
            body.insert("TableName".to_owned(), json!(design.name));
            body.extend(index.map(|index| ("IndexName".to_owned(), json!(index.name))));
            body.insert("ReturnConsumedCapacity".to_owned(), json!("INDEXES"));
            steps.push(Step::Pages { call: Call::new("Scan", body), order: Order::Own });
        };
        scan(None);
        design.indexes.iter().for_each(|index| scan(Some(index)));
        steps.push(Step::Records(design.name.clone()));
    }
}
