use super::*;
use crate::{Item, Map, Number, Set, Value};

fn sample() -> Item {
    let nested = Map::from([
        ("list", Value::L(vec![Value::Null, Value::from(""), Value::from(-12_345)])),
        ("long", Value::from("x".repeat(300))),
    ]);
    Item::from([
        ("PK", Value::from("GAME#ABC123")),
        ("bytes", Value::B(vec![0, 1, 255])),
        ("empty", Value::M(Map::new())),
        ("is open", Value::Bool(true)),
        ("nested", Value::M(nested)),
        ("numbers", Value::Ns(Set::new(vec![Number::from(10), Number::from(-9)]).unwrap())),
        ("blobs", Value::Bs(Set::new(vec![vec![], vec![1]]).unwrap())),
        ("words", Value::Ss(Set::new(vec!["b".to_owned(), "é".to_owned()]).unwrap())),
    ])
}

#[test]
fn an_item_comes_back_as_it_was() {
    let item = sample();
    let bytes = encode(&item);
    let view = ItemRef::new(&bytes).unwrap();
    assert_eq!(view.to_item(), item);
    assert_eq!(view.len(), item.len());
    for (name, value) in item.iter() {
        let found = view.get(name).unwrap();
        assert_eq!(found.to_value(), *value);
        assert!(found == *value);
    }
    assert!(view.get("absent").is_none());
    assert!(view.get("zzz").is_none());
}

#[test]
fn json_from_bytes_is_json_from_the_tree() {
    let item = sample();
    let bytes = encode(&item);
    let mut writer = crate::json::Writer::new();
    ItemRef::trusted(&bytes).write_json(&mut writer);
    assert_eq!(
        String::from_utf8(writer.into_bytes()).unwrap(),
        String::from_utf8(item.to_json()).unwrap()
    );
}

#[test]
fn damaged_bytes_are_refused_or_are_another_item() {
    // Every flipped bit and every truncation is either rejected or decodes to another item with
    // exactly these bytes. The views never panic, even unchecked.
    let bytes = encode(&sample());
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            let _ = ItemRef::trusted(&damaged).to_item();
            if let Ok(view) = ItemRef::new(&damaged) {
                assert_eq!(encode(&view.to_item()), damaged);
            }
        }
        assert_eq!(ItemRef::new(&bytes[..place]), Err(Malformed));
        let _ = ItemRef::trusted(&bytes[..place]).to_item();
    }
}
