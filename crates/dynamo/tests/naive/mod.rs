//! A second meaning of conditions and updates, written for plainness alone: over trees, with
//! clones everywhere, by the words of the developer guide. It shares no code with the first.

use proptest::prelude::*;
use singlet_dynamo::expression::{
    Action, Comparator, Condition, Element, Operand, Path, SetOperand, SetValue, Update,
};
use singlet_dynamo::{Item, Map, Set, Type, Value};
use singlet_testkit::strategy;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Paths that meet each other, and the items of [`items`], often.
pub(crate) fn paths() -> impl Strategy<Value = Path> {
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
    way.prop_map(|(name, rest)| Path::new(name, rest).unwrap())
}

/// Values of all types, of which many are equal.
pub(crate) fn values() -> impl Strategy<Value = Value> {
    let texts = ["", "a", "b", "ab", "é", "😀"];
    prop_oneof![
        4 => (0..4_i64).prop_map(Value::from),
        4 => proptest::sample::select(texts.to_vec()).prop_map(Value::from),
        1 => proptest::collection::vec(0..2_u8, 0..3).prop_map(Value::B),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => proptest::collection::btree_set("[ab]", 1..3)
            .prop_map(|set| Value::Ss(Set::new(set.into_iter().collect()).unwrap())),
        1 => strategy::value(),
    ]
}

/// Items with what [`paths`] lead to: mostly a scalar `a`, a map `b`, a list `c`.
pub(crate) fn items() -> impl Strategy<Value = Item> {
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

/// A condition, as the tests see it.
#[derive(Clone, Debug)]
pub(crate) enum Naive {
    And(Vec<Naive>),
    Or(Vec<Naive>),
    Not(Box<Naive>),
    Compare(Side, Comparator, Side),
    Between(Side, Side, Side),
    In(Side, Vec<Side>),
    Exists(Path),
    NotExists(Path),
    HasType(Side, Type),
    BeginsWith(Side, Side),
    Contains(Side, Side),
}

/// An operand, as the tests see it.
#[derive(Clone, Debug)]
pub(crate) enum Side {
    Path(Path),
    Value(Value),
    SizeOf(Box<Side>),
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

pub(crate) fn conditions() -> impl Strategy<Value = Naive> {
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
        4 => (sides(), comparator, sides()).prop_map(|(a, c, b)| Naive::Compare(a, c, b)),
        2 => (sides(), sides(), sides()).prop_map(|(a, b, c)| Naive::Between(a, b, c)),
        2 => (paths(), 0..4_i64, 0..4_i64).prop_map(|(path, low, width)| {
            let bound = |bound: i64| Side::Value(Value::from(bound));
            Naive::Between(Side::Path(path), bound(low), bound(low + width))
        }),
        2 => (sides(), proptest::collection::vec(sides(), 1..4))
            .prop_map(|(a, list)| Naive::In(a, list)),
        1 => paths().prop_map(Naive::Exists),
        1 => paths().prop_map(Naive::NotExists),
        1 => (sides(), kind).prop_map(|(a, kind)| Naive::HasType(a, kind)),
        2 => (sides(), sides()).prop_map(|(a, b)| Naive::BeginsWith(a, b)),
        3 => (sides(), sides()).prop_map(|(a, b)| Naive::Contains(a, b)),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Naive::And),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Naive::Or),
            inner.prop_map(|one| Naive::Not(Box::new(one))),
        ]
    })
}

impl Side {
    fn build(&self) -> Option<Operand> {
        match self {
            Self::Path(path) => Some(Operand::Path(path.clone())),
            Self::Value(value) => Some(Operand::Value(value.clone())),
            Self::SizeOf(side) => Operand::size(side.build()?).ok(),
        }
    }

    fn find(&self, item: &Item) -> Option<Value> {
        match self {
            Self::Path(path) => lookup(item, path),
            Self::Value(value) => Some(value.clone()),
            Self::SizeOf(side) => {
                let size = match side.find(item)? {
                    Value::S(text) => text.encode_utf16().count(),
                    Value::B(bytes) => bytes.len(),
                    Value::L(list) => list.len(),
                    Value::M(map) => map.len(),
                    Value::Ss(set) => set.len(),
                    Value::Ns(set) => set.len(),
                    Value::Bs(set) => set.len(),
                    Value::N(_) | Value::Bool(_) | Value::Null => return None,
                };
                Some(Value::from(i64::try_from(size).unwrap()))
            }
        }
    }
}

impl Naive {
    /// The real condition, if the service would have it.
    pub(crate) fn build(&self) -> Option<Condition> {
        let all = |parts: &[Self]| parts.iter().map(Self::build).collect::<Option<Vec<_>>>();
        match self {
            Self::And(parts) => Condition::and(all(parts)?).ok(),
            Self::Or(parts) => Condition::or(all(parts)?).ok(),
            Self::Not(part) => Condition::not(part.build()?).ok(),
            Self::Compare(a, comparator, b) => {
                Condition::compare(a.build()?, *comparator, b.build()?).ok()
            }
            Self::Between(a, b, c) => Condition::between(a.build()?, b.build()?, c.build()?).ok(),
            Self::In(a, list) => {
                let list = list.iter().map(Side::build).collect::<Option<Vec<_>>>()?;
                Condition::is_in(a.build()?, list).ok()
            }
            Self::Exists(path) => Some(Condition::attribute_exists(path.clone())),
            Self::NotExists(path) => Some(Condition::attribute_not_exists(path.clone())),
            Self::HasType(a, kind) => Some(Condition::attribute_type(a.build()?, *kind)),
            Self::BeginsWith(a, b) => Condition::begins_with(a.build()?, b.build()?).ok(),
            Self::Contains(a, b) => Condition::contains(a.build()?, b.build()?).ok(),
        }
    }

    pub(crate) fn holds(&self, item: &Item) -> bool {
        let pair = |a: &Side, b: &Side| Some((a.find(item)?, b.find(item)?));
        match self {
            Self::And(parts) => !parts.iter().any(|part| !part.holds(item)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(item)),
            Self::Not(part) => !part.holds(item),
            Self::Compare(a, comparator, b) => {
                let equal = pair(a, b).is_some_and(|(a, b)| a == b);
                let order = pair(a, b).and_then(|(a, b)| order(&a, &b));
                match comparator {
                    Comparator::Equal => equal,
                    Comparator::NotEqual => !equal,
                    Comparator::Less => order == Some(Ordering::Less),
                    Comparator::Greater => order == Some(Ordering::Greater),
                    Comparator::LessOrEqual => {
                        matches!(order, Some(Ordering::Less | Ordering::Equal))
                    }
                    Comparator::GreaterOrEqual => {
                        matches!(order, Some(Ordering::Greater | Ordering::Equal))
                    }
                }
            }
            Self::Between(a, low, high) => {
                let at_least = Self::Compare(a.clone(), Comparator::GreaterOrEqual, low.clone());
                let at_most = Self::Compare(a.clone(), Comparator::LessOrEqual, high.clone());
                at_least.holds(item) && at_most.holds(item)
            }
            Self::In(a, list) => list
                .iter()
                .any(|b| Self::Compare(a.clone(), Comparator::Equal, b.clone()).holds(item)),
            Self::Exists(path) => lookup(item, path).is_some(),
            Self::NotExists(path) => lookup(item, path).is_none(),
            Self::HasType(a, kind) => a.find(item).is_some_and(|value| value.kind() == *kind),
            Self::BeginsWith(a, b) => match pair(a, b) {
                Some((Value::S(a), Value::S(b))) => a.starts_with(&b),
                Some((Value::B(a), Value::B(b))) => a.starts_with(&b),
                _ => false,
            },
            Self::Contains(a, b) => match pair(a, b) {
                Some((Value::S(a), Value::S(b))) => a.contains(&b),
                Some((Value::B(a), Value::B(b))) => {
                    (0..=a.len()).any(|start| a[start..].starts_with(&b))
                }
                Some((Value::Ss(set), Value::S(b))) => set.iter().any(|one| *one == b),
                Some((Value::Ns(set), Value::N(b))) => set.iter().any(|one| *one == b),
                Some((Value::Bs(set), Value::B(b))) => set.iter().any(|one| *one == b),
                Some((Value::L(list), b)) => list.contains(&b),
                _ => false,
            },
        }
    }
}

fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::S(a), Value::S(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::N(a), Value::N(b)) => Some(a.cmp(b)),
        (Value::B(a), Value::B(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn lookup(item: &Item, path: &Path) -> Option<Value> {
    let mut value = item.get(path.name())?.clone();
    for element in path.rest() {
        value = match (value, element) {
            (Value::M(map), Element::Field(name)) => map.get(name)?.clone(),
            (Value::L(list), Element::Index(index)) => list.get(*index as usize)?.clone(),
            _ => return None,
        };
    }
    Some(value)
}

/// An action of an update, as the tests see it.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Set(Path, NewValue),
    Remove(Path),
    Add(Path, Value),
    Delete(Path, Value),
}

/// What SET sets something to, as the tests see it.
#[derive(Clone, Debug)]
pub(crate) enum NewValue {
    Operand(Given),
    Sum(Given, Given),
    Difference(Given, Given),
    Append(Given, Given),
}

/// An operand of SET, as the tests see it.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    Path(Path),
    Value(Value),
    Default(Path, Box<Given>),
}

/// Actions of which many do something to the items of [`items`].
pub(crate) fn changes() -> impl Strategy<Value = Vec<Change>> {
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

/// The real update, if the service would have it.
pub(crate) fn build_update(changes: &[Change]) -> Option<Update> {
    let actions = changes.iter().map(|change| {
        Some(match change.clone() {
            Change::Set(path, value) => Action::Set(path, value.build()?),
            Change::Remove(path) => Action::Remove(path),
            Change::Add(path, value) => Action::Add(path, value),
            Change::Delete(path, value) => Action::Delete(path, value),
        })
    });
    Update::new(actions.collect::<Option<Vec<_>>>()?).ok()
}

impl Change {
    pub(crate) fn removes(&self) -> bool {
        matches!(self, Self::Remove(_))
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Set(path, _)
            | Self::Remove(path)
            | Self::Add(path, _)
            | Self::Delete(path, _) => path,
        }
    }
}

impl NewValue {
    fn build(&self) -> Option<SetValue> {
        match self {
            Self::Operand(a) => Some(SetValue::operand(a.build()?)),
            Self::Sum(a, b) => SetValue::sum(a.build()?, b.build()?).ok(),
            Self::Difference(a, b) => SetValue::difference(a.build()?, b.build()?).ok(),
            Self::Append(a, b) => SetValue::list_append(a.build()?, b.build()?).ok(),
        }
    }

    fn find(&self, item: &Item) -> Option<Value> {
        match self {
            Self::Operand(a) => a.find(item),
            Self::Sum(a, b) => match (a.find(item)?, b.find(item)?) {
                (Value::N(a), Value::N(b)) => a.checked_add(b).ok().map(Value::N),
                _ => None,
            },
            Self::Difference(a, b) => match (a.find(item)?, b.find(item)?) {
                (Value::N(a), Value::N(b)) => a.checked_sub(b).ok().map(Value::N),
                _ => None,
            },
            Self::Append(a, b) => match (a.find(item)?, b.find(item)?) {
                (Value::L(a), Value::L(b)) => Some(Value::L([a, b].concat())),
                _ => None,
            },
        }
    }
}

impl Given {
    fn build(&self) -> Option<SetOperand> {
        match self {
            Self::Path(path) => Some(SetOperand::Path(path.clone())),
            Self::Value(value) => Some(SetOperand::Value(value.clone())),
            Self::Default(path, otherwise) => {
                SetOperand::if_not_exists(path.clone(), otherwise.build()?).ok()
            }
        }
    }

    fn find(&self, item: &Item) -> Option<Value> {
        match self {
            Self::Path(path) => lookup(item, path),
            Self::Value(value) => Some(value.clone()),
            Self::Default(path, otherwise) => lookup(item, path).or_else(|| otherwise.find(item)),
        }
    }
}

/// A value whose lists are numbered, so that elements can come and go without any other one
/// changing its number.
#[derive(Clone, Debug)]
enum Numbered {
    Plain(Value),
    Map(BTreeMap<String, Numbered>),
    List(BTreeMap<u32, Numbered>),
}

impl Numbered {
    fn of(value: Value) -> Self {
        match value {
            Value::M(map) => {
                Self::Map(map.into_iter().map(|(name, value)| (name, Self::of(value))).collect())
            }
            Value::L(list) => Self::List((0..).zip(list.into_iter().map(Self::of)).collect()),
            plain => Self::Plain(plain),
        }
    }

    fn back(self) -> Value {
        match self {
            Self::Plain(value) => value,
            Self::Map(map) => {
                Value::M(map.into_iter().map(|(name, value)| (name, value.back())).collect())
            }
            Self::List(list) => Value::L(list.into_values().map(Self::back).collect()),
        }
    }

    /// Puts a value at the end of the way, or takes it away.
    fn change(&mut self, way: &[Element], value: Option<Value>) {
        let (first, rest) = way.split_first().unwrap();
        match (self, first) {
            (Self::Map(map), Element::Field(name)) if rest.is_empty() => {
                match value {
                    Some(value) => map.insert(name.clone(), Self::of(value)),
                    None => map.remove(name),
                };
            }
            (Self::List(list), Element::Index(index)) if rest.is_empty() => {
                match value {
                    Some(value) => list.insert(*index, Self::of(value)),
                    None => list.remove(index),
                };
            }
            (Self::Map(map), Element::Field(name)) => {
                map.get_mut(name).unwrap().change(rest, value);
            }
            (Self::List(list), Element::Index(index)) => {
                list.get_mut(index).unwrap().change(rest, value);
            }
            _ => panic!("the way was checked"),
        }
    }
}

/// What the changes make of the item, or nothing if they cannot be made.
pub(crate) fn update(changes: &[Change], item: &Item) -> Option<Item> {
    let mut effects = Vec::new();
    for change in changes {
        let path = change.path();
        if let Some((last, above)) = path.rest().split_last() {
            let parent = lookup(item, &Path::new(path.name(), above.to_vec()).unwrap())?;
            match (last, parent) {
                (Element::Field(_), Value::M(_)) | (Element::Index(_), Value::L(_)) => {}
                _ => return None,
            }
        }
        let after = match (change, lookup(item, path)) {
            (Change::Set(_, value), _) => Some(value.find(item)?),
            (Change::Remove(_) | Change::Delete(..), None) => continue,
            (Change::Remove(_), Some(_)) => None,
            (Change::Add(_, value), None) => Some(value.clone()),
            (Change::Add(_, value), Some(before)) => Some(added(before, value)?),
            (Change::Delete(_, value), Some(before)) => deleted(before, value)?,
        };
        effects.push((path, after));
    }
    let mut whole = Numbered::of(Value::M(item.clone()));
    for (path, value) in effects {
        let mut way = vec![Element::Field(path.name().to_owned())];
        way.extend(path.rest().iter().cloned());
        whole.change(&way, value);
    }
    match whole.back() {
        Value::M(map) => Some(map),
        _ => None,
    }
}

fn added(before: Value, value: &Value) -> Option<Value> {
    fn both<T: Ord + Clone>(a: &Set<T>, b: &Set<T>) -> Vec<T> {
        let all: std::collections::BTreeSet<T> = a.iter().chain(b).cloned().collect();
        all.into_iter().collect()
    }
    Some(match (&before, value) {
        (Value::N(a), Value::N(b)) => Value::N(a.checked_add(*b).ok()?),
        (Value::Ss(a), Value::Ss(b)) => Value::Ss(Set::new(both(a, b)).unwrap()),
        (Value::Ns(a), Value::Ns(b)) => Value::Ns(Set::new(both(a, b)).unwrap()),
        (Value::Bs(a), Value::Bs(b)) => Value::Bs(Set::new(both(a, b)).unwrap()),
        _ => return None,
    })
}

/// Nothing if it cannot be done; nothing inside if nothing is left.
#[expect(clippy::option_option, reason = "both mean something")]
fn deleted(before: Value, value: &Value) -> Option<Option<Value>> {
    fn rest<T: Ord + Clone>(a: &Set<T>, b: &Set<T>) -> Option<Set<T>> {
        let left = a.iter().filter(|one| !b.iter().any(|other| other == *one)).cloned().collect();
        Set::new(left).ok()
    }
    match (&before, value) {
        (Value::Ss(a), Value::Ss(b)) => Some(rest(a, b).map(Value::Ss)),
        (Value::Ns(a), Value::Ns(b)) => Some(rest(a, b).map(Value::Ns)),
        (Value::Bs(a), Value::Bs(b)) => Some(rest(a, b).map(Value::Bs)),
        _ => None,
    }
}

/// What a projection leaves, path by path: every path alone, and then laid over one another.
pub(crate) fn project(paths: &[Path], item: &Item) -> Item {
    let mut whole = Numbered::Map(BTreeMap::new());
    for path in paths {
        if let Some(value) = lookup(item, path) {
            let mut way = vec![Element::Field(path.name().to_owned())];
            way.extend(path.rest().iter().cloned());
            lay(&mut whole, &way, value);
        }
    }
    match whole.back() {
        Value::M(map) => map,
        _ => Map::new(),
    }
}

fn lay(at: &mut Numbered, way: &[Element], value: Value) {
    let (first, rest) = way.split_first().unwrap();
    let under = || match rest.first() {
        None => Numbered::of(value.clone()),
        Some(Element::Field(_)) => Numbered::Map(BTreeMap::new()),
        Some(Element::Index(_)) => Numbered::List(BTreeMap::new()),
    };
    let next = match (at, first) {
        (Numbered::Map(map), Element::Field(name)) => map.entry(name.clone()).or_insert_with(under),
        (Numbered::List(list), Element::Index(index)) => list.entry(*index).or_insert_with(under),
        _ => panic!("paths that conflict are refused"),
    };
    if !rest.is_empty() {
        lay(next, rest, value);
    }
}
