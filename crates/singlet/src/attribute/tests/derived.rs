//! Types with `#[derive(Attribute)]`.

use super::{in_key, name, read, stored};
use crate::attribute::Serde;
use crate::{Attribute, Timestamp, id};
use proptest::prelude::*;
use singlet_dynamo::{Map, Type, Value};
use std::collections::{BTreeMap, BTreeSet};

id!(PlayerId);

/// A recursive type: computing its kind must not recurse.
#[derive(Attribute, Debug, PartialEq)]
struct Reply {
    text: String,
    to: Option<Box<Reply>>,
}

#[test]
fn a_type_can_hold_itself() {
    let first = Reply { text: "first".into(), to: None };
    let second = Reply { text: "second".into(), to: Some(Box::new(first)) };
    assert_eq!(read::<Reply>(second.to_value().unwrap().as_ref()), Ok(second));
}

#[derive(Attribute, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Email(String);

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Coins(u64);

#[derive(Attribute, Clone, Debug, PartialEq)]
struct Owner(PlayerId);

#[derive(Attribute, Clone, Debug, PartialEq)]
struct Boxed<T>(Option<Vec<T>>);

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[attribute(rename_all = "kebab-case")]
enum Colour {
    DarkRed,
    #[attribute(rename = "b")]
    Blue,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
struct Page<T> {
    items: Vec<T>,
    next: Option<T>,
    /// Has the name of a variable in the derived code.
    members: u8,
    value: u8,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Event {
    Started,
    PlayerJoined {
        player_id: PlayerId,
        #[attribute(rename = "at")]
        joined_at: Timestamp,
        #[attribute(null)]
        team: Option<String>,
        #[attribute(default)]
        seats: u32,
    },
    #[attribute(rename = "move")]
    Moved(Point),
    Counted(BTreeMap<String, u32>),
}

#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(tag = "t", content = "c")]
enum Adjacent<T> {
    Empty,
    One(T),
    Maybe(Option<u32>),
    #[attribute(rename_all = "UPPERCASE")]
    Both {
        left: T,
        right: Box<Adjacent<T>>,
    },
}

#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(externally_tagged)]
enum External {
    Empty,
    One(u32),
    Maybe(Option<u32>),
    Both { left: u32, right: Vec<External> },
}

#[derive(Attribute, Clone, Debug, PartialEq)]
struct WithSerde<T> {
    #[attribute(with = serde)]
    address: std::net::IpAddr,
    #[attribute(with = serde)]
    other: Option<T>,
    #[attribute(with = serde, default, rename = "list")]
    many: Vec<(u8, char)>,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
struct Document(#[attribute(with = serde)] serde_json::Value);

fn map<const N: usize>(members: [(&str, Value); N]) -> Option<Value> {
    Some(Value::M(Map::from(members)))
}

fn text(text: &str) -> Value {
    Value::from(text)
}

#[test]
fn a_newtype_is_what_it_wraps() {
    assert_eq!(stored(&Email("a@b".into())), Some(text("a@b")));
    assert_eq!(stored(&Coins(3)), Some(Value::from(3)));
    assert_eq!((Email::TYPE, Coins::TYPE, Coins::OPTIONAL), (Some(Type::S), Some(Type::N), false));
    assert_eq!(in_key(&Email("a#b".into())), "a#b");
    assert_eq!(in_key(&Owner(PlayerId::new("ada").unwrap())), "ada");
    assert_eq!(
        read::<Owner>(Some(&text("a#b"))).unwrap_err().to_string(),
        "expected an identifier, found `a#b`"
    );
    assert_eq!(name(&Coins(7)), "7");
    assert_eq!(stored(&Boxed(Some(vec![Coins(1)]))), Some(Value::L(vec![Value::from(1)])));
    assert_eq!(stored(&Boxed::<Coins>(None)), None);
    const { assert!(Boxed::<Coins>::OPTIONAL) };
    assert!(matches!(stored(&BTreeSet::from([Coins(1)])), Some(Value::Ns(_))));
    let prices = BTreeMap::from([(Email("a@b".into()), Coins(1))]);
    assert_eq!(stored(&prices), map([("a@b", Value::from(1))]));
}

#[test]
fn an_enum_without_fields_is_text() {
    assert_eq!(stored(&Colour::DarkRed), Some(text("dark-red")));
    assert_eq!(in_key(&Colour::Blue), "b");
    assert_eq!(name(&Colour::DarkRed), "dark-red");
    assert_eq!(stored(&BTreeMap::from([(Colour::Blue, 1)])), map([("b", Value::from(1))]));
    let fault = read::<BTreeMap<Colour, u32>>(map([("x", Value::from(1))]).as_ref()).unwrap_err();
    assert_eq!(fault.to_string(), "expected one of `dark-red`, `b`, found `x`");
}

#[test]
fn a_struct_may_be_generic() {
    let page = Page { items: vec![Coins(1)], next: Some(Coins(2)), members: 3, value: 4 };
    let expected = map([
        ("items", Value::L(vec![Value::from(1)])),
        ("members", Value::from(3)),
        ("next", Value::from(2)),
        ("value", Value::from(4)),
    ]);
    assert_eq!(stored(&page), expected);
    assert_eq!(<Page<Coins> as Attribute>::MEMBERS, ["items", "members", "next", "value"]);
}

#[test]
fn the_tag_is_a_member_like_others() {
    assert_eq!(stored(&Event::Started), map([("type", text("started"))]));
    let joined = Event::PlayerJoined {
        player_id: PlayerId::new("ada").unwrap(),
        joined_at: Timestamp::from_millis(0),
        team: None,
        seats: 1,
    };
    let expected = map([
        ("type", text("player_joined")),
        ("playerId", text("ada")),
        ("at", text("1970-01-01T00:00:00.000Z")),
        ("team", Value::Null),
        ("seats", Value::from(1)),
    ]);
    assert_eq!(stored(&joined), expected);
    let moved = map([("type", text("move")), ("x", Value::from(1)), ("y", Value::from(-1))]);
    assert_eq!(stored(&Event::Moved(Point { x: 1, y: -1 })), moved);
    // A map with arbitrary names does not read the tag as one of its entries.
    let counted = Event::Counted(BTreeMap::from([("a".to_owned(), 1)]));
    assert_eq!(stored(&counted), map([("type", text("counted")), ("a", Value::from(1))]));
    let clash = Event::Counted(BTreeMap::from([("type".to_owned(), 1)]));
    assert_eq!(
        clash.to_value().unwrap_err().to_string(),
        "the variant `counted` holds a member `type`, and so is its tag called"
    );

    let fault = |value: Option<Value>| {
        let fault = read::<Event>(value.as_ref()).unwrap_err();
        format!("{}: {fault}", fault.path())
    };
    let known = "one of `started`, `player_joined`, `move`, `counted`";
    let other = fault(map([("type", text("x"))]));
    assert_eq!(other, format!(".type: expected {known}, found `x`"));
    assert_eq!(fault(map([])), format!(".type: expected {known}, found nothing"));
    assert_eq!(fault(Some(text("started"))), ": expected M, found S");
    assert_eq!(
        fault(map([("type", text("move")), ("x", Value::from(1))])),
        ".y: expected N, found nothing"
    );
}

#[test]
fn the_content_lies_beside_the_tag() {
    assert_eq!(stored(&Adjacent::<u32>::Empty), map([("t", text("Empty"))]));
    let one = map([("t", text("One")), ("c", Value::from(7))]);
    assert_eq!(stored(&Adjacent::One(7)), one);
    assert_eq!(stored(&Adjacent::<u32>::Maybe(None)), map([("t", text("Maybe"))]));
    let both = Adjacent::Both { left: 1, right: Box::new(Adjacent::One(2)) };
    let right = map([("t", text("One")), ("c", Value::from(2))]).unwrap();
    let content = map([("LEFT", Value::from(1)), ("RIGHT", right)]).unwrap();
    assert_eq!(stored(&both), map([("t", text("Both")), ("c", content)]));
    let wrong = map([("t", text("One")), ("c", text("x"))]);
    let fault = read::<Adjacent<u32>>(wrong.as_ref()).unwrap_err();
    assert_eq!((fault.path(), fault.to_string().as_str()), (".c", "expected N, found S"));
    let wrong = map([("t", text("Both")), ("c", map([("LEFT", text("x"))]).unwrap())]);
    let fault = read::<Adjacent<u32>>(wrong.as_ref()).unwrap_err();
    assert_eq!((fault.path(), fault.to_string().as_str()), (".c.LEFT", "expected N, found S"));
}

#[test]
fn the_variant_names_its_content() {
    assert_eq!(stored(&External::Empty), Some(text("Empty")));
    assert_eq!(stored(&External::One(7)), map([("One", Value::from(7))]));
    assert_eq!(stored(&External::Maybe(None)), map([("Maybe", Value::Null)]));
    let both = External::Both { left: 1, right: vec![External::Empty, External::One(2)] };
    let right = Value::L(vec![text("Empty"), map([("One", Value::from(2))]).unwrap()]);
    let content = map([("left", Value::from(1)), ("right", right)]).unwrap();
    assert_eq!(stored(&both), map([("Both", content)]));
    for (wrong, told) in [
        (map([("One", text("x"))]), ".One: expected N, found S"),
        (
            map([]),
            ": expected a map with one member, one of `Empty`, `One`, `Maybe`, `Both`, found 0 members",
        ),
        (Some(text("Two")), ": expected one of `Empty`, `One`, `Maybe`, `Both`, found `Two`"),
        (Some(Value::Null), ": expected one of `Empty`, `One`, `Maybe`, `Both`, found NULL"),
    ] {
        let fault = read::<External>(wrong.as_ref()).unwrap_err();
        assert_eq!(format!("{}: {fault}", fault.path()), told);
    }
}

#[test]
fn serde_stores_fields_that_are_no_attributes() {
    let own = WithSerde { address: [10, 0, 0, 1].into(), other: None, many: vec![(1, 'a')] };
    let list = Value::L(vec![Value::L(vec![Value::from(1), text("a")])]);
    // `None` is left out, as with every other option.
    let expected = map([("address", text("10.0.0.1")), ("list", list)]);
    assert_eq!(stored::<WithSerde<String>>(&own), expected);
    let without = map([("address", text("10.0.0.1")), ("other", Value::Null)]);
    let read_back = read::<WithSerde<String>>(without.as_ref()).unwrap();
    assert_eq!((read_back.other, read_back.many), (None, vec![]));
    let fault = read::<WithSerde<String>>(map([("address", text("x"))]).as_ref()).unwrap_err();
    assert_eq!(fault.path(), ".address");
    let document = Document(serde_json::json!({"a": [1, null]}));
    let list = Value::L(vec![Value::from(1), Value::Null]);
    assert_eq!(stored(&document), map([("a", list)]));
    assert_eq!(stored(&Serde(vec![1_u8])), Some(Value::L(vec![Value::from(1)])));
}

fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Started),
        ("[^#]{1,8}", any::<i32>(), any::<Option<String>>(), any::<u32>()).prop_map(
            |(player, at, team, seats)| Event::PlayerJoined {
                player_id: PlayerId::new(player).unwrap(),
                joined_at: Timestamp::from_millis(at.into()),
                team,
                seats,
            }
        ),
        (any::<i32>(), any::<i32>()).prop_map(|(x, y)| Event::Moved(Point { x, y })),
        proptest::collection::btree_map("[a-s]{1,3}", any::<u32>(), 0..4).prop_map(Event::Counted),
    ]
}

fn externals() -> impl Strategy<Value = External> {
    let leaf = prop_oneof![
        Just(External::Empty),
        any::<u32>().prop_map(External::One),
        any::<Option<u32>>().prop_map(External::Maybe),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        (any::<u32>(), proptest::collection::vec(inner, 0..4))
            .prop_map(|(left, right)| External::Both { left, right })
    })
}

proptest! {
    #[test]
    fn enums_are_read_back(event in events(), external in externals(), number: u32) {
        stored(&external);
        stored(&Adjacent::One(Page {
            items: vec![event.clone()],
            next: Some(event.clone()),
            members: 0,
            value: 1,
        }));
        let left = Coins(number.into());
        stored(&Adjacent::Both { left, right: Box::new(Adjacent::Maybe(Some(number))) });
        stored(&event);
    }
}
