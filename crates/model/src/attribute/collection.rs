//! Lists, maps and sets.

use super::{Attribute, Mismatch, Unstorable};
use crate::design::AttributeType;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::{Map, Set, Type, Value};
use std::collections::{BTreeMap, BTreeSet};

impl<T: Attribute> Attribute for Vec<T> {
    const KIND: AttributeType = AttributeType::List;

    fn to_value(&self) -> Result<Option<Value>, Unstorable> {
        list(self.iter()).map(Some)
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let Some(ValueRef::L(list)) = value else { return Err(Mismatch::of("L", value)) };
        let elements = list.iter().enumerate();
        elements.map(|(place, one)| element(one).map_err(|fault| fault.at(place))).collect()
    }
}

impl<T: Attribute> Attribute for BTreeMap<String, T> {
    const KIND: AttributeType = AttributeType::Map;

    fn to_value(&self) -> Result<Option<Value>, Unstorable> {
        let mut entries = Vec::with_capacity(self.len());
        for (name, one) in self {
            if let Some(value) = one.to_value()? {
                entries.push((name.clone(), value));
            }
        }
        Ok(Some(Value::M(Map::from_entries(entries))))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let Some(ValueRef::M(map)) = value else { return Err(Mismatch::of("M", value)) };
        map.iter()
            .map(|(name, one)| {
                let own = T::from_value(Some(one)).map_err(|fault| fault.within(name))?;
                Ok((name.to_owned(), own))
            })
            .collect()
    }
}

/// A set of texts, numbers or bytes is stored as such, and not at all when it is empty, because
/// DynamoDB has no empty sets. Sets of anything else are stored as lists.
impl<T: Attribute + Ord> Attribute for BTreeSet<T> {
    const KIND: AttributeType = match T::TYPE {
        Type::S => AttributeType::TextSet,
        Type::N => AttributeType::NumberSet,
        Type::B => AttributeType::BinarySet,
        _ => AttributeType::List,
    };
    const OPTIONAL: bool = true;

    fn to_value(&self) -> Result<Option<Value>, Unstorable> {
        if Self::TYPE == Type::L {
            return list(self.iter()).map(Some);
        }
        if self.is_empty() {
            return Ok(None);
        }
        let (mut texts, mut numbers, mut blobs) = (Vec::new(), Vec::new(), Vec::new());
        for one in self {
            match one.to_value()? {
                Some(Value::S(text)) => texts.push(text),
                Some(Value::N(number)) => numbers.push(number),
                Some(Value::B(bytes)) => blobs.push(bytes),
                _ => return Err(Unstorable::new("an element of a set must be S, N or B")),
            }
        }
        let value = match Self::TYPE {
            Type::Ss => Set::new(texts).map(Value::Ss),
            Type::Ns => Set::new(numbers).map(Value::Ns),
            _ => Set::new(blobs).map(Value::Bs),
        };
        value.map(Some).map_err(|error| Unstorable::new(error.to_string()))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            None | Some(ValueRef::Null) => Ok(Self::new()),
            Some(ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set)) => {
                set.iter().map(element).collect()
            }
            // A payload is JSON, which has lists but no sets.
            Some(ValueRef::L(list)) => list.iter().map(element).collect(),
            other => Err(Mismatch::of(Self::TYPE.as_str(), other)),
        }
    }
}

/// Elements are always there: one that would be absent is stored as NULL, to keep its place.
fn list<'a, T: Attribute + 'a>(elements: impl Iterator<Item = &'a T>) -> Result<Value, Unstorable> {
    let values = elements.map(|one| Ok(one.to_value()?.unwrap_or(Value::Null)));
    values.collect::<Result<Vec<Value>, Unstorable>>().map(Value::L)
}

fn element<T: Attribute>(value: ValueRef<'_>) -> Result<T, Mismatch> {
    T::from_value(Some(value))
}
