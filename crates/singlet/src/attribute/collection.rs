//! Lists and sets.

use super::{Attribute, Mismatch, NotStorable};
use crate::design::AttributeType;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::{Set, Type, Value};
use std::collections::BTreeSet;

/// A list, stored as L, except that a `Vec<u8>` is stored as B.
impl<T: Attribute> Attribute for Vec<T> {
    const KIND: AttributeType = T::LIST_KIND;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        T::list_to_value(self).map(Some)
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        T::list_from_value(value)
    }
}

/// A set of texts, numbers or bytes is stored as a DynamoDB set, or left out if it is empty,
/// because DynamoDB has no empty sets. Other sets are stored as lists.
impl<T: Attribute + Ord> Attribute for BTreeSet<T> {
    const KIND: AttributeType = match T::TYPE {
        Some(Type::S) => AttributeType::TextSet,
        Some(Type::N) => AttributeType::NumberSet,
        Some(Type::B) => AttributeType::BinarySet,
        _ => AttributeType::List,
    };
    const OPTIONAL: bool = true;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        if Self::TYPE == Some(Type::L) {
            return write_list(self).map(Some);
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
                _ => return Err(NotStorable::new("an element of a set must be S, N or B")),
            }
        }
        let value = match Self::TYPE {
            Some(Type::Ss) => Set::new(texts).map(Value::Ss),
            Some(Type::Ns) => Set::new(numbers).map(Value::Ns),
            _ => Set::new(blobs).map(Value::Bs),
        };
        value.map(Some).map_err(|error| NotStorable::new(error.to_string()))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            None | Some(ValueRef::Null) => Ok(Self::new()),
            Some(ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set)) => {
                set.iter().map(element).collect()
            }
            // A payload is JSON, which has lists but no sets.
            Some(ValueRef::L(list)) => list.iter().map(element).collect(),
            other => Err(Mismatch::of(Self::KIND.stored_name(), other)),
        }
    }
}

/// Stores a `None` element as NULL, to keep its position.
pub(super) fn write_list<'a, T: Attribute + 'a>(
    elements: impl IntoIterator<Item = &'a T>,
) -> Result<Value, NotStorable> {
    let values = elements.into_iter().map(|one| Ok(one.to_value()?.unwrap_or(Value::Null)));
    values.collect::<Result<Vec<Value>, NotStorable>>().map(Value::L)
}

pub(super) fn read_list<T: Attribute>(value: Option<ValueRef<'_>>) -> Result<Vec<T>, Mismatch> {
    let Some(ValueRef::L(list)) = value else { return Err(Mismatch::of("L", value)) };
    let elements = list.iter().enumerate();
    elements.map(|(place, one)| element(one).map_err(|fault| fault.at(place))).collect()
}

fn element<T: Attribute>(value: ValueRef<'_>) -> Result<T, Mismatch> {
    T::from_value(Some(value))
}
