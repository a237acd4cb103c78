//! What conditions compare: paths, values and sizes.

use super::{Fault, Function, Path};
use crate::binary::{ItemRef, ValueRef};
use crate::{Number, Type, Value};
use std::cmp::Ordering;

/// An operand of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// What the item has at this path.
    Path(Path),
    /// A value of the request.
    Value(Value),
    /// How long or large something is: `size(path)` or `size(:value)`.
    Size(Measured),
}

/// What a size is taken of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured(Subject);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
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

    /// The type, if it is known before there is an item.
    pub(super) fn known_type(&self) -> Option<Type> {
        match self {
            Self::Path(_) => None,
            Self::Value(value) => Some(value.kind()),
            Self::Size(_) => Some(Type::N),
        }
    }

    /// The path in the operand, if it has one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) | Self::Size(Measured(Subject::Path(path))) => Some(path),
            _ => None,
        }
    }

    /// What the operand is for an item, if it is anything.
    pub(super) fn find<'a>(&'a self, item: Option<ItemRef<'a>>) -> Option<Found<'a>> {
        match self {
            Self::Path(path) => path.find(item?).map(Found::Stored),
            Self::Value(value) => Some(Found::Given(value)),
            Self::Size(Measured(Subject::Path(path))) => size_of_stored(path.find(item?)?),
            Self::Size(Measured(Subject::Value(value))) => size_of_given(value),
        }
    }
}

impl Measured {
    /// The operand that is measured.
    #[must_use]
    pub fn operand(&self) -> Operand {
        match &self.0 {
            Subject::Path(path) => Operand::Path(path.clone()),
            Subject::Value(value) => Operand::Value(value.clone()),
        }
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

/// What an operand is for one item.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Stored(ValueRef<'a>),
    Given(&'a Value),
    Computed(Number),
}

/// A value of a type that has an order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar<'a> {
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

    fn scalar(&self) -> Option<Scalar<'_>> {
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

    /// Whether both are of one type and the same inside.
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

    /// The order of two values of one type that has an order.
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

    /// Whether a text has a part, a set an element, or a list an element.
    pub(super) fn contains(&self, part: &Self) -> bool {
        match (self.scalar(), part.scalar()) {
            (Some(Scalar::S(text)), Some(Scalar::S(part))) => return text.contains(part),
            (Some(Scalar::B(bytes)), Some(Scalar::B(part))) => return has_part(bytes, part),
            (Some(_), _) => return false,
            (None, _) => {}
        }
        match self {
            Self::Stored(ValueRef::L(list)) => {
                list.iter().any(|element| Self::Stored(element).equals(part))
            }
            Self::Given(Value::L(list)) => {
                list.iter().any(|element| Found::Given(element).equals(part))
            }
            Self::Stored(ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set)) => {
                match part.scalar() {
                    Some(Scalar::S(text)) => set.contains(ValueRef::S(text)),
                    Some(Scalar::N(number)) => set.contains(ValueRef::N(number)),
                    Some(Scalar::B(bytes)) => set.contains(ValueRef::B(bytes)),
                    None => false,
                }
            }
            Self::Given(value) => match (value, part.scalar()) {
                (Value::Ss(set), Some(Scalar::S(text))) => set.contains(text),
                (Value::Ns(set), Some(Scalar::N(number))) => set.contains(&number),
                (Value::Bs(set), Some(Scalar::B(bytes))) => set.contains(bytes),
                _ => false,
            },
            Self::Stored(_) | Self::Computed(_) => false,
        }
    }
}

/// Whether the bytes have the part somewhere: the search of Knuth, Morris and Pratt, since a
/// plain one takes the product of both lengths when both repeat themselves.
fn has_part(bytes: &[u8], part: &[u8]) -> bool {
    // For each place of the part: how much of its beginning ends there.
    let mut borders: Vec<usize> = Vec::with_capacity(part.len());
    let matched = |borders: &[usize], mut len: usize, byte: u8| {
        while part.get(len) != Some(&byte) {
            match len.checked_sub(1).and_then(|last| borders.get(last)) {
                Some(&shorter) => len = shorter,
                None => return 0,
            }
        }
        len + 1
    };
    for (place, &byte) in part.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|last| borders.get(last)).copied();
        let border = before.map_or(0, |len| matched(&borders, len, byte));
        borders.push(border);
    }
    let mut len = 0;
    part.is_empty()
        || bytes.iter().any(|&byte| {
            len = matched(&borders, len, byte);
            len == part.len()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_bytes_are_found_where_a_plain_search_finds_them() {
        let plain = |bytes: &[u8], part: &[u8]| {
            part.is_empty() || bytes.windows(part.len()).any(|window| window == part)
        };
        // All strings of two letters up to length 8, and all parts up to length 4.
        let strings = |len_max: u32| {
            (0..=len_max).flat_map(|len| {
                (0..1_u32 << len).map(move |bits| {
                    (0..len).map(|place| (bits >> place & 1) as u8).collect::<Vec<u8>>()
                })
            })
        };
        for part in strings(4) {
            for bytes in strings(8) {
                assert_eq!(has_part(&bytes, &part), plain(&bytes, &part), "{bytes:?} {part:?}");
            }
        }
    }

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
