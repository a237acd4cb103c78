//! The same reads without types, whose answers nobody looks at.

use super::store::{FusStore, TAG};
use super::{FROM, PAGE, TO};
use singlet::dynamo::binary::ValueRef;
use singlet::dynamo::capacity::ReturnConsumedCapacity;
use singlet::dynamo::expression::{KeyCondition, KeyTest};
use singlet::dynamo::operation::{BatchGetItem, KeysAndAttributes, Query};
use singlet::dynamo::stored::Attributes;
use singlet::dynamo::{Item, Value};

fn text(text: &str) -> Value {
    Value::from(text)
}

/// The newest of an index: fifty, or all.
fn newest(store: &FusStore, index: &str, condition: KeyCondition, limit: Option<usize>) -> Query {
    let mut query = Query::new(&store.table, condition);
    query.index_name = Some(index.to_owned());
    query.scan_index_forward = false;
    query.limit = limit;
    query
}

pub(super) fn catalogue(store: &FusStore) -> Vec<Attributes> {
    let all = KeyCondition::partition("entityType", text("SITE"));
    let page = store.engine.query(&newest(store, "byEntity", all, Some(PAGE)));
    page.expect("an answer").items.unwrap_or_default()
}

/// The items of the tag, and then their sites.
pub(super) fn tagged(store: &FusStore) -> Vec<Attributes> {
    let all = KeyCondition::partition("tag", text(TAG));
    let page = store.engine.query(&newest(store, "byTag", all, Some(PAGE))).expect("an answer");
    let keys = page.items.unwrap_or_default().iter().filter_map(key_of_site).collect();
    let sites = BatchGetItem {
        tables: vec![KeysAndAttributes::new(&store.table, keys)],
        return_consumed_capacity: ReturnConsumedCapacity::None,
    };
    let answer = store.engine.batch_get_item(sites).expect("an answer");
    answer.responses.into_iter().flat_map(|(_, items)| items).collect()
}

fn key_of_site(item: &Attributes) -> Option<Item> {
    let site = match item {
        Attributes::Stored(item) => match item.as_item().get("PK")? {
            ValueRef::S(key) => text(key),
            _ => return None,
        },
        Attributes::Selected(item) => item.get("PK").cloned()?,
    };
    Some(Item::from_entries(vec![("PK".to_owned(), site), ("SK".to_owned(), text("METADATA"))]))
}

fn range() -> KeyCondition {
    let days = KeyTest::Between(text(FROM), text(&format!("{TO}$")));
    let all = KeyCondition::partition("entityType", text("SQUASH_MATCH"));
    all.and("entitySk", days).expect("two tests")
}

/// The year in pages of fifty: how many matches there are.
pub(super) fn year(store: &FusStore) -> usize {
    in_pages(store, Some(PAGE))
}

/// The year in pages of a megabyte.
pub(super) fn year_at_once(store: &FusStore) -> usize {
    in_pages(store, None)
}

fn in_pages(store: &FusStore, limit: Option<usize>) -> usize {
    let mut query = newest(store, "byEntity", range(), limit);
    let mut count = 0;
    loop {
        let page = store.engine.query(&query).expect("an answer");
        count += page.items.unwrap_or_default().len();
        match page.last_evaluated_key {
            Some(key) => query.exclusive_start_key = Some(key),
            None => return count,
        }
    }
}
