//! Items between JSON and their stored form.
//!
//! Peers: serde_json parses to a generic tree and writes it again; serde_dynamo, on top of it,
//! knows DynamoDB's types and keeps numbers as unchecked text. Copying the bytes is the lower
//! bound.

use super::sample;
use crate::contest::Contest;
use singlet_dynamo::Item;
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::json::Writer;
use std::rc::Rc;

pub(super) fn contests() -> Vec<Contest> {
    let samples = [("400 bytes", sample::small()), ("100 KB", sample::large())];
    samples.iter().flat_map(|(size, item)| of_item(size, item)).collect()
}

fn of_item(size: &str, item: &Item) -> Vec<Contest> {
    let json: Rc<[u8]> = item.to_json().into();
    let stored: Rc<[u8]> = binary::encode(item).into();
    vec![
        read(size, &json),
        store(size, item, &stored),
        write(size, &json, &stored),
        round_trip(size, &json),
    ]
}

fn read(size: &str, json: &Rc<[u8]>) -> Contest {
    let [ours, general, typed, copied] = [json, json, json, json].map(Rc::clone);
    Contest::new(format!("item of {size}: JSON to an item"))
        .over(json.len())
        .contender("singlet", move || Item::from_json(&ours))
        .contender("serde_json to a Value", move || general_tree(&general))
        .contender("serde_dynamo to an Item", move || typed_tree(&typed))
        .contender("copying the bytes", move || copied.to_vec())
}

fn store(size: &str, item: &Item, stored: &Rc<[u8]>) -> Contest {
    let (item, copied) = (item.clone(), Rc::clone(stored));
    Contest::new(format!("item of {size}: item to stored bytes"))
        .over(stored.len())
        .contender("singlet", move || binary::encode(&item))
        .contender("copying the bytes", move || copied.to_vec())
}

fn write(size: &str, json: &Rc<[u8]>, stored: &Rc<[u8]>) -> Contest {
    let (stored, copied) = (Rc::clone(stored), Rc::clone(json));
    let general = general_tree(json);
    let typed = typed_tree(json);
    Contest::new(format!("item of {size}: stored bytes to JSON"))
        .over(json.len())
        .contender("singlet", move || written(&stored))
        .contender("serde_json from a Value", move || serde_json::to_vec(&general))
        .contender("serde_dynamo from an Item", move || serde_json::to_vec(&typed))
        .contender("copying the bytes", move || copied.to_vec())
}

fn round_trip(size: &str, json: &Rc<[u8]>) -> Contest {
    let [ours, general, typed] = [json, json, json].map(Rc::clone);
    Contest::new(format!("item of {size}: JSON to stored bytes and back"))
        .over(2 * json.len())
        .contender("singlet", move || {
            let item = Item::from_json(&ours).expect("the sample is an item");
            written(&binary::encode(&item))
        })
        .contender("serde_json by a Value", move || serde_json::to_vec(&general_tree(&general)))
        .contender("serde_dynamo by an Item", move || serde_json::to_vec(&typed_tree(&typed)))
}

fn written(stored: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new();
    ItemRef::trusted(stored).write_json(&mut writer);
    writer.into_bytes()
}

fn general_tree(json: &[u8]) -> serde_json::Value {
    serde_json::from_slice(json).expect("the sample is JSON")
}

fn typed_tree(json: &[u8]) -> serde_dynamo::Item {
    serde_json::from_slice(json).expect("the sample is an item")
}
