//! Requests about items.

use super::design::{Design, EXPIRY};
use super::{Generator, Profile};
use singlet_dynamo::capacity::ReturnConsumedCapacity;
use singlet_dynamo::expression::{Comparator, KeyCondition, KeyTest};
use singlet_dynamo::operation::{
    BatchGetItem, BatchWriteItem, ConditionCheck, DeleteItem, GetItem, KeysAndAttributes, PutItem,
    Query, ReturnValues, Scan, Segment, Selection, TableWrites, TransactGetItems,
    TransactWriteItem, TransactWriteItems, UpdateItem, WriteRequest,
};
use singlet_dynamo::schema::{KeyAttribute, KeySchema};
use singlet_dynamo::{Item, Value};

/// The second at which sequences begin: 2026-01-01.
pub const START_SECOND: i64 = 1_767_225_600;
const TOKENS: [&str; 3] = ["token-1", "token-2", "token-3"];

impl Generator {
    fn detail(&mut self) -> ReturnConsumedCapacity {
        self.pick(&[
            ReturnConsumedCapacity::None,
            ReturnConsumedCapacity::Total,
            ReturnConsumedCapacity::Indexes,
        ])
    }

    /// When an item expires: mostly a second that comes within the sequence.
    pub(super) fn expiry(&mut self) -> Value {
        let soon = i64::try_from(self.random.below(7200)).unwrap_or(0);
        match self.random.below(20) {
            0 => Value::from(soon),
            1 => Value::from(-1),
            2 => Value::from("never"),
            3 => Value::N(format!("{}.5", START_SECOND + soon).parse().expect("a number")),
            _ => Value::from(START_SECOND + soon),
        }
    }

    /// An item's key, or sometimes what cannot be one.
    pub(super) fn key(&mut self, design: &Design) -> Item {
        let attributes: Vec<KeyAttribute> = design.schema.key.attributes().cloned().collect();
        let mut key = Item::new();
        for attribute in attributes {
            let value = match self.random.percent(98) {
                true => self.key_value(attribute.kind),
                false => self.doubtful_key_value(attribute.kind),
            };
            key.insert(attribute.name, value);
        }
        if self.random.below(200) == 0 {
            key.insert("a", Value::Null);
        }
        key
    }

    pub(super) fn item(&mut self, design: &Design) -> Item {
        let mut item = self.key(design);
        for attribute in &design.index_attributes {
            if !self.random.percent(60) {
                continue;
            }
            let value = match attribute.name == EXPIRY {
                true => self.expiry(),
                false => self.doubtful_key_value(attribute.kind),
            };
            item.insert(attribute.name.as_str(), value);
        }
        if self.random.percent(60) {
            item.insert("a", self.value());
        }
        if self.random.percent(50) {
            item.insert("b", self.map());
        }
        if self.random.percent(50) {
            item.insert("c", self.list());
        }
        match self.profile {
            Profile::Large if self.random.percent(70) => {
                item.insert("d", self.long_text());
            }
            _ if self.random.percent(30) => {
                item.insert("d", self.value());
            }
            _ => {}
        }
        item
    }

    pub(super) fn put_item(&mut self) -> PutItem {
        let design = self.any_design();
        PutItem {
            condition: self.maybe_condition(&design, 30),
            return_old: self.random.percent(40),
            return_old_on_failure: self.random.percent(40),
            return_consumed_capacity: self.detail(),
            return_item_collection_metrics: self.random.percent(30),
            ..PutItem::new(design.schema.name.as_str(), self.item(&design))
        }
    }

    pub(super) fn delete_item(&mut self) -> DeleteItem {
        let design = self.any_design();
        DeleteItem {
            condition: self.maybe_condition(&design, 30),
            return_old: self.random.percent(40),
            return_old_on_failure: self.random.percent(40),
            return_consumed_capacity: self.detail(),
            return_item_collection_metrics: self.random.percent(30),
            ..DeleteItem::new(design.schema.name.as_str(), self.key(&design))
        }
    }

    pub(super) fn update_item(&mut self) -> UpdateItem {
        let design = self.any_design();
        let mut request = UpdateItem::new(design.schema.name.as_str(), self.key(&design));
        request.update = self.random.percent(97).then(|| self.update(&design));
        request.condition = self.maybe_condition(&design, 30);
        request.return_values = self.pick(&[
            ReturnValues::None,
            ReturnValues::AllOld,
            ReturnValues::AllNew,
            ReturnValues::UpdatedOld,
            ReturnValues::UpdatedNew,
        ]);
        request.return_old_on_failure = self.random.percent(40);
        request.return_consumed_capacity = self.detail();
        request.return_item_collection_metrics = self.random.percent(30);
        request
    }

    pub(super) fn get_item(&mut self) -> GetItem {
        let design = self.any_design();
        GetItem {
            projection: self.maybe_projection(&design),
            consistent_read: self.random.percent(50),
            return_consumed_capacity: self.detail(),
            ..GetItem::new(design.schema.name.as_str(), self.key(&design))
        }
    }

    pub(super) fn query(&mut self) -> Query {
        let design = self.any_design();
        let index_name = self.maybe_index_name(&design, 60);
        let index = index_name.as_deref().and_then(|name| design.schema.index(name));
        let key = index.map_or(&design.schema.key, |index| &index.key).clone();
        let condition = self.key_condition(&key);
        let mut query = Query::new(design.schema.name.as_str(), condition);
        query.index_name = index_name;
        query.filter = self.maybe_condition(&design, 30);
        query.selection = self.selection(&design);
        query.limit = self.limit();
        query.scan_index_forward = self.random.percent(50);
        query.consistent_read = self.random.percent(20);
        query.return_consumed_capacity = self.detail();
        query
    }

    /// A query whose start key was never answered: of an item that may not be there, or of
    /// another partition, or no key at all.
    pub(super) fn query_from_anywhere(&mut self) -> Query {
        let mut query = self.query();
        let name = query.table_name.clone();
        let design = self.designs.iter().find(|design| design.schema.name == name).cloned();
        let Some(design) = design else { return query };
        let mut start = self.start_key(&design, query.index_name.as_deref());
        // In the partition that is asked for, as a rule.
        for (name, test) in query.key_condition.tests() {
            if let KeyTest::Compare(Comparator::Equal, value) = test
                && self.random.percent(90)
            {
                start.insert(name.as_str(), value.clone());
            }
        }
        if self.random.percent(5) {
            start.remove("sk");
        }
        query.exclusive_start_key = Some(start);
        query
    }

    /// A key that a page could begin behind.
    fn start_key(&mut self, design: &Design, index_name: Option<&str>) -> Item {
        let mut start = self.key(design);
        let index = index_name.and_then(|name| design.schema.index(name));
        for attribute in index.into_iter().flat_map(|index| index.key.attributes()) {
            start.insert(attribute.name.as_str(), self.key_value(attribute.kind));
        }
        start
    }

    fn key_condition(&mut self, key: &KeySchema) -> KeyCondition {
        let partition = self.key_value(key.partition.kind);
        let all = KeyCondition::partition(key.partition.name.as_str(), partition);
        let Some(sort) = &key.sort else { return all };
        if self.random.percent(40) {
            return all;
        }
        let (one, other) = (self.key_value(sort.kind), self.key_value(sort.kind));
        let test = match self.random.below(7) {
            0 => KeyTest::Compare(Comparator::Equal, one),
            1 => KeyTest::Compare(Comparator::Less, one),
            2 => KeyTest::Compare(Comparator::LessOrEqual, one),
            3 => KeyTest::Compare(Comparator::Greater, one),
            4 => KeyTest::Compare(Comparator::GreaterOrEqual, one),
            5 if matches!(one, Value::S(_) | Value::B(_)) => KeyTest::BeginsWith(one),
            _ => KeyTest::Between(one, other),
        };
        // Bounds in the wrong order are refused before there is a request.
        all.clone().and(sort.name.as_str(), test).unwrap_or(all)
    }

    fn selection(&mut self, design: &Design) -> Selection {
        match self.random.below(10) {
            0 => Selection::Count,
            1 | 2 => Selection::All,
            3 | 4 => Selection::Parts(self.projection_expression(design)),
            _ => Selection::Held,
        }
    }

    fn limit(&mut self) -> Option<usize> {
        self.random.percent(50).then(|| 1 + self.random.below(5))
    }

    pub(super) fn scan(&mut self) -> Scan {
        let design = self.any_design();
        let index_name = self.maybe_index_name(&design, 40);
        let total = 1 + self.random.below(4);
        let number = self.random.below(total);
        Scan {
            exclusive_start_key: self
                .random
                .percent(15)
                .then(|| self.start_key(&design, index_name.as_deref())),
            index_name,
            filter: self.maybe_condition(&design, 30),
            selection: self.selection(&design),
            limit: self.limit(),
            segment: self
                .random
                .percent(40)
                .then_some(Segment { number: number as u32, total: total as u32 }),
            consistent_read: self.random.percent(20),
            return_consumed_capacity: self.detail(),
            ..Scan::new(design.schema.name.as_str())
        }
    }

    pub(super) fn batch_get_item(&mut self) -> BatchGetItem {
        let tables = self.some_designs();
        let tables = tables.iter().map(|design| {
            let count = 1 + self.random.below(6);
            let keys = (0..count).map(|_| self.key(design)).collect();
            KeysAndAttributes {
                projection: self.maybe_projection(design),
                consistent_read: self.random.percent(50),
                ..KeysAndAttributes::new(design.schema.name.as_str(), keys)
            }
        });
        BatchGetItem { tables: tables.collect(), return_consumed_capacity: self.detail() }
    }

    pub(super) fn batch_write_item(&mut self) -> BatchWriteItem {
        let tables = self.some_designs();
        let tables = tables.iter().map(|design| {
            let count = 1 + self.random.below(4);
            let requests = (0..count).map(|_| match self.random.percent(60) {
                true => WriteRequest::Put(self.item(design)),
                false => WriteRequest::Delete(self.key(design)),
            });
            let mut requests: Vec<WriteRequest> = requests.collect();
            if self.random.percent(90) {
                self.keep_distinct(design, &mut requests);
            }
            TableWrites { table_name: design.schema.name.clone(), requests }
        });
        BatchWriteItem {
            tables: tables.collect(),
            return_consumed_capacity: self.detail(),
            return_item_collection_metrics: self.random.percent(30),
        }
    }

    /// Puts many items at once, so that there is something to find.
    pub(super) fn load(&mut self) -> BatchWriteItem {
        let design = self.any_design();
        let mut requests = (0..12).map(|_| WriteRequest::Put(self.item(&design))).collect();
        self.keep_distinct(&design, &mut requests);
        // One item that cannot be put would keep out all others.
        requests.retain(|request| request.check(&design.schema).is_ok());
        if requests.is_empty() {
            requests.push(WriteRequest::Put(self.item(&design)));
        }
        let table_name = design.schema.name;
        BatchWriteItem::new(vec![TableWrites { table_name, requests }])
    }

    /// Leaves out what is done to the same item as something before it.
    fn keep_distinct(&mut self, design: &Design, requests: &mut Vec<WriteRequest>) {
        let mut seen = Vec::new();
        requests.retain(|request| {
            let (WriteRequest::Put(attributes) | WriteRequest::Delete(attributes)) = request;
            let names = design.schema.key.attributes().map(|attribute| attribute.name.as_str());
            let key: Vec<_> = names.map(|name| attributes.get(name).cloned()).collect();
            let is_new = !seen.contains(&key);
            seen.push(key);
            is_new
        });
    }

    pub(super) fn transact_get_items(&mut self) -> TransactGetItems {
        let count = 1 + self.random.below(4);
        let gets = (0..count).map(|_| self.get_item()).collect();
        TransactGetItems { gets, return_consumed_capacity: self.detail() }
    }

    /// A transaction: new, or one that was sent before, or another one with its token.
    pub(super) fn transact_write_items(&mut self) -> TransactWriteItems {
        if self.random.percent(15)
            && let Some(before) = self.random.one_of(&self.tokens).cloned()
        {
            return before;
        }
        let count = 1 + self.random.below(4);
        let request = TransactWriteItems {
            actions: self.actions(count),
            client_request_token: self.random.percent(25).then(|| self.pick(&TOKENS).to_owned()),
            return_consumed_capacity: self.detail(),
            return_item_collection_metrics: self.random.percent(30),
        };
        if request.client_request_token.is_some() {
            self.tokens.push(request.clone());
        }
        request
    }

    /// Actions on items that are mostly distinct.
    fn actions(&mut self, count: usize) -> Vec<TransactWriteItem> {
        let mut actions: Vec<TransactWriteItem> = (0..count).map(|_| self.action()).collect();
        if self.random.percent(5) {
            return actions;
        }
        let mut seen = Vec::new();
        actions.retain(|action| {
            let attributes = match action {
                TransactWriteItem::ConditionCheck(check) => &check.key,
                TransactWriteItem::Put(put) => &put.item,
                TransactWriteItem::Delete(delete) => &delete.key,
                TransactWriteItem::Update(update) => &update.key,
            };
            let part = |name: &str| attributes.get(name).cloned();
            let item = (action.table_name().to_owned(), part("pk"), part("sk"));
            let is_new = !seen.contains(&item);
            seen.push(item);
            is_new
        });
        actions
    }

    fn action(&mut self) -> TransactWriteItem {
        match self.random.below(10) {
            0..4 => {
                let put = self.put_item();
                PutItem {
                    condition: put.condition,
                    return_old_on_failure: put.return_old_on_failure,
                    ..PutItem::new(put.table_name, put.item)
                }
                .into()
            }
            4..7 => {
                let update = self.update_item();
                let mut action = UpdateItem::new(update.table_name, update.key);
                action.update = update.update;
                action.condition = update.condition;
                action.return_old_on_failure = update.return_old_on_failure;
                action.into()
            }
            7 | 8 => {
                let delete = self.delete_item();
                DeleteItem {
                    condition: delete.condition,
                    return_old_on_failure: delete.return_old_on_failure,
                    ..DeleteItem::new(delete.table_name, delete.key)
                }
                .into()
            }
            _ => {
                let design = self.any_design();
                let (key, condition) = (self.key(&design), self.condition(&design));
                ConditionCheck {
                    return_old_on_failure: self.random.percent(50),
                    ..ConditionCheck::new(design.schema.name.as_str(), key, condition)
                }
                .into()
            }
        }
    }

    /// One or two tables.
    fn some_designs(&mut self) -> Vec<Design> {
        let mut designs = vec![self.any_design()];
        if self.random.percent(40) {
            let other = self.any_design();
            if other.schema.name != designs[0].schema.name {
                designs.push(other);
            }
        }
        designs
    }
}
