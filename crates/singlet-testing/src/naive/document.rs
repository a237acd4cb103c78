//! Document paths.

use singlet_dynamo::expression::{Element, Path};
use singlet_dynamo::{Item, Map, Value};
use std::collections::BTreeMap;

/// The value at a path.
#[must_use]
pub fn lookup(item: &Item, path: &Path) -> Option<Value> {
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

/// The path as elements, starting at the item.
pub(super) fn way(path: &Path) -> Vec<Element> {
    let mut way = vec![Element::Field(path.name().to_owned())];
    way.extend(path.rest().iter().cloned());
    way
}

/// A value whose list elements keep their indexes while others are added and removed.
#[derive(Clone, Debug)]
pub(super) enum Numbered {
    Plain(Value),
    Map(BTreeMap<String, Numbered>),
    List(BTreeMap<u32, Numbered>),
}

impl Numbered {
    pub(super) fn of(value: Value) -> Self {
        match value {
            Value::M(map) => {
                Self::Map(map.into_iter().map(|(name, value)| (name, Self::of(value))).collect())
            }
            Value::L(list) => Self::List((0..).zip(list.into_iter().map(Self::of)).collect()),
            plain => Self::Plain(plain),
        }
    }

    pub(super) fn back(self) -> Value {
        match self {
            Self::Plain(value) => value,
            Self::Map(map) => {
                Value::M(map.into_iter().map(|(name, value)| (name, value.back())).collect())
            }
            Self::List(list) => Value::L(list.into_values().map(Self::back).collect()),
        }
    }

    /// Sets or removes the value at a path.
    pub(super) fn change(&mut self, way: &[Element], value: Option<Value>) {
        let (first, rest) = way.split_first().expect("a way has a step at least");
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
                map.get_mut(name).expect("the way was checked").change(rest, value);
            }
            (Self::List(list), Element::Index(index)) => {
                list.get_mut(index).expect("the way was checked").change(rest, value);
            }
            _ => panic!("the way was checked"),
        }
    }
}

/// Projects each path separately and merges the results.
#[must_use]
pub fn project(paths: &[Path], item: &Item) -> Item {
    let mut whole = Numbered::Map(BTreeMap::new());
    for path in paths {
        if let Some(value) = lookup(item, path) {
            lay(&mut whole, &way(path), value);
        }
    }
    match whole.back() {
        Value::M(map) => map,
        _ => Map::new(),
    }
}

fn lay(at: &mut Numbered, way: &[Element], value: Value) {
    let (first, rest) = way.split_first().expect("a way has a step at least");
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
