//! Operands of conditions: paths, values and sizes.

use super::{Fault, Function, Path};
use crate::binary::{self, ItemRef, ValueRef};
use crate::fuel::Meter;
use crate::{Number, Type, Value};
use std::cmp::Ordering;

/// A longer string or binary makes a condition large.
const SMALL_VALUE_LEN_MAX: usize = 256;
/// The charge for looking up an element of a sorted set.
const SET_LOOKUP_FUEL: usize = 300;

/// An operand of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The item's value at this path.
    Path(Path),
    /// A value in the request.
    Value(Value),
    /// A size: `size(path)` or `size(:value)`.
    Size(Measured),
}

/// The operand of `size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured(Subject);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Path(Path),
    Value(Value),
}

impl Operand {
    /// `size(operand)`: of a path, or of a value that has a size.
    pub fn size(operand: Self) -> Result<Self, Fault> {
        let measured = match operand {
            Self::Path(path) => Subject::Path(path),
            Self::Value(value) => match value.kind() {
                kind @ (Type::N | Type::Bool | Type::Null) => {
                    return Err(Fault::OperandType(Function::Size.name(), kind));
                }
                _ => Subject::Value(value),
            },
            Self::Size(_) => return Err(Fault::OperandType(Function::Size.name(), Type::N)),
        };
        Ok(Self::Size(Measured(measured)))
    }

    /// The type, if it is known without an item.
    pub(super) fn known_type(&self) -> Option<Type> {
        match self {
            Self::Path(_) => None,
            Self::Value(value) => Some(value.kind()),
            Self::Size(_) => Some(Type::N),
        }
    }

    /// Whether comparing with the operand takes more than a few bytes.
    pub(super) fn is_large(&self) -> bool {
        let is_large = |value: &Value| match value {
            Value::S(text) => text.len() > SMALL_VALUE_LEN_MAX,
            Value::B(bytes) => bytes.len() > SMALL_VALUE_LEN_MAX,
            Value::N(_) | Value::Bool(_) | Value::Null => false,
            Value::Ss(_) | Value::Ns(_) | Value::Bs(_) | Value::M(_) | Value::L(_) => true,
        };
        match self {
            Self::Path(_) | Self::Size(Measured(Subject::Path(_))) => false,
            Self::Value(value) | Self::Size(Measured(Subject::Value(value))) => is_large(value),
        }
    }

    /// The operand's path, if it has one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) | Self::Size(Measured(Subject::Path(path))) => Some(path),
            _ => None,
        }
    }

    /// The operand's value for an item, if any.
    #[inline]
    pub(super) fn find<'a, M: Meter>(
        &'a self,
        item: Option<ItemRef<'a>>,
        meter: &mut M,
    ) -> Result<Option<Found<'a>>, M::Stop> {
        Ok(match self {
            Self::Path(path) => path.find_within(item, meter)?.map(Found::Stored),
            Self::Value(value) => Some(Found::Given(value)),
            Self::Size(Measured(Subject::Path(path))) => match path.find_within(item, meter)? {
                Some(found) => {
                    meter.charge(|| found.body().len() / 2)?;
                    size_of_stored(found)
                }
                None => None,
            },
            Self::Size(Measured(Subject::Value(value))) => {
                if let Value::S(text) = value {
                    meter.charge(|| text.len() / 2)?;
                }
                size_of_given(value)
            }
        })
    }
}

impl Measured {
    /// The measured operand.
    #[must_use]
    pub fn operand(&self) -> Operand {
        match &self.0 {
            Subject::Path(path) => Operand::Path(path.clone()),
            Subject::Value(value) => Operand::Value(value.clone()),
        }
    }

    pub(super) fn subject(&self) -> &Subject {
        &self.0
    }
}

fn size_of_stored<'a>(value: ValueRef<'_>) -> Option<Found<'a>> {
    number(match value {
        ValueRef::S(text) => size_of_text(text),
        ValueRef::B(bytes) => bytes.len(),
        ValueRef::M(map) => map.len(),
        ValueRef::L(list) => list.len(),
        ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => set.len(),
        ValueRef::N(_) | ValueRef::Bool(_) | ValueRef::Null => return None,
    })
}

fn size_of_given<'a>(value: &Value) -> Option<Found<'a>> {
    number(match value {
        Value::S(text) => size_of_text(text),
        Value::B(bytes) => bytes.len(),
        Value::M(map) => map.len(),
        Value::L(list) => list.len(),
        Value::Ss(set) => set.len(),
        Value::Ns(set) => set.len(),
        Value::Bs(set) => set.len(),
        Value::N(_) | Value::Bool(_) | Value::Null => return None,
    })
}

/// In UTF-16 code units, as DynamoDB Local counts.
fn size_of_text(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

fn number<'a>(size: usize) -> Option<Found<'a>> {
    u32::try_from(size).ok().map(|size| Found::Computed(Number::from(size)))
}

/// The value of an operand for one item.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Stored(ValueRef<'a>),
    Given(&'a Value),
    Computed(Number),
}

/// A value of an ordered type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar<'a> {
    S(&'a str),
    N(Number),
    B(&'a [u8]),
}

impl Found<'_> {
    pub(super) fn kind(&self) -> Type {
        match self {
            Self::Stored(value) => value.kind(),
            Self::Given(value) => value.kind(),
            Self::Computed(_) => Type::N,
        }
    }

    pub(super) fn scalar(&self) -> Option<Scalar<'_>> {
        match *self {
            Self::Stored(ValueRef::S(text)) => Some(Scalar::S(text)),
            Self::Stored(ValueRef::N(number)) | Self::Computed(number) => Some(Scalar::N(number)),
            Self::Stored(ValueRef::B(bytes)) => Some(Scalar::B(bytes)),
            Self::Given(Value::S(text)) => Some(Scalar::S(text)),
            Self::Given(Value::N(number)) => Some(Scalar::N(*number)),
            Self::Given(Value::B(bytes)) => Some(Scalar::B(bytes)),
            _ => None,
        }
    }

    /// Whether both have the same type and content.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stored(a), Self::Stored(b)) => a == b,
            (Self::Stored(a), Self::Given(b)) | (Self::Given(b), Self::Stored(a)) => *a == **b,
            (Self::Given(a), Self::Given(b)) => a == b,
            (Self::Computed(_), _) | (_, Self::Computed(_)) => {
                self.scalar().is_some() && self.scalar() == other.scalar()
            }
        }
    }

    /// The order of two values of the same ordered type.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self.scalar()?, other.scalar()?) {
            (Scalar::S(a), Scalar::S(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Scalar::N(a), Scalar::N(b)) => Some(a.cmp(&b)),
            (Scalar::B(a), Scalar::B(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    pub(super) fn begins_with(&self, prefix: &Self) -> bool {
        match (self.scalar(), prefix.scalar()) {
            (Some(Scalar::S(text)), Some(Scalar::S(prefix))) => text.starts_with(prefix),
            (Some(Scalar::B(bytes)), Some(Scalar::B(prefix))) => bytes.starts_with(prefix),
            _ => false,
        }
    }

    /// Whether a set contains an element.
    pub(super) fn has_set_element(&self, element: &Self) -> bool {
        match (self, element.scalar()) {
            (
                Self::Stored(ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set)),
                Some(element),
            ) => match element {
                Scalar::S(text) => set.contains(ValueRef::S(text)),
                Scalar::N(number) => set.contains(ValueRef::N(number)),
                Scalar::B(bytes) => set.contains(ValueRef::B(bytes)),
            },
            (Self::Given(Value::Ss(set)), Some(Scalar::S(text))) => set.contains(text),
            (Self::Given(Value::Ns(set)), Some(Scalar::N(number))) => set.contains(&number),
            (Self::Given(Value::Bs(set)), Some(Scalar::B(bytes))) => set.contains(bytes),
            _ => false,
        }
    }

    /// The charge for finding an element of this set: linear for a stored set, binary search for
    /// one in the request.
    pub(super) fn set_search_fuel(&self) -> usize {
        match self {
            Self::Stored(value) => 2 * value.body().len(),
            Self::Given(_) | Self::Computed(_) => SET_LOOKUP_FUEL,
        }
    }

    /// The charge for comparing two values, which ends with the shorter one.
    pub(super) fn comparing_fuel(&self, other: &Self) -> usize {
        match self.walking_fuel().into_iter().chain(other.walking_fuel()).min() {
            Some(units) => units,
            // Two containers in the request: such a test is evaluated once.
            None => match self {
                Self::Given(value) => 4 * value.size(),
                _ => 0,
            },
        }
    }

    /// The charge for walking over this value, if it is known without doing it.
    fn walking_fuel(&self) -> Option<usize> {
        match self {
            Self::Stored(ValueRef::S(_) | ValueRef::B(_)) => Some(self.body_len() / 4),
            // The smallest element of a container is one byte.
            Self::Stored(value) => Some(4 * value.body().len()),
            Self::Computed(_) => Some(0),
            Self::Given(Value::S(text)) => Some(text.len() / 4),
            Self::Given(Value::B(bytes)) => Some(bytes.len() / 4),
            Self::Given(Value::N(_) | Value::Bool(_) | Value::Null) => Some(0),
            Self::Given(_) => None,
        }
    }

    /// The length in bytes of a stored value, string or binary.
    pub(super) fn body_len(&self) -> usize {
        match self {
            Self::Stored(value) => value.body().len(),
            Self::Given(Value::S(text)) => text.len(),
            Self::Given(Value::B(bytes)) => bytes.len(),
            Self::Given(_) | Self::Computed(_) => 0,
        }
    }

    /// Appends the stored form of the value.
    pub(super) fn encode_to(&self, out: &mut Vec<u8>) {
        match self {
            Self::Stored(value) => value.encode_to(out),
            Self::Given(value) => binary::encode_value(value, out),
            Self::Computed(number) => ValueRef::N(*number).encode_to(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_counts_what_the_type_has() {
        let size = |value: Value| match size_of_given(&value) {
            Some(Found::Computed(size)) => Some(size.to_string()),
            _ => None,
        };
        assert_eq!(size(Value::from("é😀")).as_deref(), Some("3"));
        assert_eq!(size(Value::B(vec![0; 7])).as_deref(), Some("7"));
        assert_eq!(size(Value::L(vec![Value::Null])).as_deref(), Some("1"));
        assert_eq!(size(Value::from(12)), None);
    }
}
