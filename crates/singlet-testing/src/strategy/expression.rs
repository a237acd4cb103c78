//! Expressions for property tests, and items that they often match.

use crate::naive::{Change, Claim, Given, NewValue, Side};
use crate::strategy;
use proptest::prelude::*;
use singlet_dynamo::expression::{Comparator, Element, Path};
use singlet_dynamo::{Item, Set, Type, Value};

/// Paths that often collide with each other and with [`items`].
pub fn paths() -> impl Strategy<Value = Path> {
    let element = prop_oneof![
        2 => "[a-c]".prop_map(Element::Field),
        1 => (0..5_u32).prop_map(Element::Index),
    ];
    let field = || "[a-c]".prop_map(Element::Field);
    let index = || (0..7_u32).prop_map(Element::Index);
    let way = prop_oneof![
        4 => "[a-d]".prop_map(|name| (name, vec![])),
        3 => field().prop_map(|field| ("b".to_owned(), vec![field])),
        5 => index().prop_map(|index| ("c".to_owned(), vec![index])),
        1 => (index(), field()).prop_map(|(index, field)| ("c".to_owned(), vec![index, field])),
        1 => (field(), index()).prop_map(|(field, index)| ("b".to_owned(), vec![field, index])),
        1 => ("[a-d]", proptest::collection::vec(element, 0..3)),
    ];
    way.prop_map(|(name, rest)| Path::new(name, rest).expect("within the limits"))
}

/// Values of all types, many of them equal.
pub fn values() -> impl Strategy<Value = Value> {
    let texts = ["", "a", "b", "ab", "é", "😀"];
    prop_oneof![
        4 => (0..4_i64).prop_map(Value::from),
        4 => proptest::sample::select(texts.to_vec()).prop_map(Value::from),
        1 => proptest::collection::vec(0..2_u8, 0..3).prop_map(Value::B),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => proptest::collection::btree_set("[ab]", 1..3)
            .prop_map(|set| Value::Ss(Set::new(set.into_iter().collect()).expect("within the limits"))),
        1 => strategy::value(),
    ]
}

/// Items that [`paths`] lead into: mostly a scalar `a`, a map `b`, a list `c`.
pub fn items() -> impl Strategy<Value = Item> {
    let list = |of| proptest::collection::vec(of, 0..6).prop_map(Value::L);
    let map = |of| {
        let entries = proptest::collection::btree_map("[a-c]", of, 0..4);
        entries.prop_map(|entries| Value::M(entries.into_iter().collect()))
    };
    let any = prop_oneof![4 => values(), 1 => list(values().boxed()), 1 => map(values().boxed())];
    let any = any.boxed();
    let a = proptest::option::weighted(0.8, any.clone());
    let b = proptest::option::weighted(0.8, prop_oneof![4 => map(any.clone()), 1 => any.clone()]);
    let c = proptest::option::weighted(0.8, prop_oneof![4 => list(any.clone()), 1 => any.clone()]);
    let d = proptest::option::weighted(0.5, any);
    (a, b, c, d).prop_map(|(a, b, c, d)| {
        let named = [("a", a), ("b", b), ("c", c), ("d", d)];
        named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    })
}
fn sides() -> impl Strategy<Value = Side> {
    let plain = prop_oneof![
        3 => paths().prop_map(Side::Path),
        2 => values().prop_map(Side::Value),
    ];
    prop_oneof![
        4 => plain.clone(),
        1 => plain.prop_map(|side| Side::SizeOf(Box::new(side))),
    ]
}

/// Conditions, many of which hold for some [`items`].
pub fn conditions() -> impl Strategy<Value = Claim> {
    let comparator = prop_oneof![
        Just(Comparator::Equal),
        Just(Comparator::NotEqual),
        Just(Comparator::Less),
        Just(Comparator::LessOrEqual),
        Just(Comparator::Greater),
        Just(Comparator::GreaterOrEqual),
    ];
    let kind = proptest::sample::select(Type::ALL.to_vec());
    let leaf = prop_oneof![
        4 => (sides(), comparator, sides()).prop_map(|(a, c, b)| Claim::Compare(a, c, b)),
        2 => (sides(), sides(), sides()).prop_map(|(a, b, c)| Claim::Between(a, b, c)),
        2 => (paths(), 0..4_i64, 0..4_i64).prop_map(|(path, low, width)| {
            let bound = |bound: i64| Side::Value(Value::from(bound));
            Claim::Between(Side::Path(path), bound(low), bound(low + width))
        }),
        2 => (sides(), proptest::collection::vec(sides(), 1..4))
            .prop_map(|(a, list)| Claim::In(a, list)),
        1 => paths().prop_map(Claim::Exists),
        1 => paths().prop_map(Claim::NotExists),
        1 => (sides(), kind).prop_map(|(a, kind)| Claim::HasType(a, kind)),
        2 => (sides(), sides()).prop_map(|(a, b)| Claim::BeginsWith(a, b)),
        3 => (sides(), sides()).prop_map(|(a, b)| Claim::Contains(a, b)),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Claim::And),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Claim::Or),
            inner.prop_map(|one| Claim::Not(Box::new(one))),
        ]
    })
}
/// Actions, many of which apply to [`items`].
pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    let given = prop_oneof![paths().prop_map(Given::Path), values().prop_map(Given::Value)];
    let given = given.prop_recursive(2, 4, 1, |inner| {
        (paths(), inner).prop_map(|(path, otherwise)| Given::Default(path, Box::new(otherwise)))
    });
    let pair = || (given.clone(), given.clone());
    let value = prop_oneof![
        4 => given.clone().prop_map(NewValue::Operand),
        2 => pair().prop_map(|(a, b)| NewValue::Sum(a, b)),
        1 => pair().prop_map(|(a, b)| NewValue::Difference(a, b)),
        2 => pair().prop_map(|(a, b)| NewValue::Append(a, b)),
    ];
    let change = prop_oneof![
        4 => (paths(), value).prop_map(|(path, value)| Change::Set(path, value)),
        3 => paths().prop_map(Change::Remove),
        1 => (paths(), values()).prop_map(|(path, value)| Change::Add(path, value)),
        1 => (paths(), values()).prop_map(|(path, value)| Change::Delete(path, value)),
    ];
    proptest::collection::vec(change, 1..5)
}
