//! Views over stored bytes.

use super::cursor::Cursor;
use crate::limits::NESTING_MAX;
use crate::{Map, Number, Set, Type, Value};
use std::cmp::Ordering;
use std::fmt;

/// The bytes are not an encoded item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes are not a stored item")
    }
}

impl std::error::Error for Malformed {}

/// A view of an item.
pub type ItemRef<'a> = MapRef<'a>;

/// A view of attributes by name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MapRef<'a> {
    /// `entries` in the module's grammar.
    body: &'a [u8],
}

/// A view of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ListRef<'a> {
    body: &'a [u8],
}

/// A view of a set's elements, ascending.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SetRef<'a> {
    kind: Type,
    body: &'a [u8],
}

/// A view of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are Value's")]
pub enum ValueRef<'a> {
    S(&'a str),
    N(Number),
    B(&'a [u8]),
    Bool(bool),
    Null,
    M(MapRef<'a>),
    L(ListRef<'a>),
    Ss(SetRef<'a>),
    Ns(SetRef<'a>),
    Bs(SetRef<'a>),
}

impl<'a> MapRef<'a> {
    /// A view of a stored item. Validates all bytes: accepts exactly the output of
    /// [`encode`](super::encode()).
    pub fn new(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor(bytes);
        check_entries(&mut cursor, 1).filter(|()| cursor.0.is_empty()).ok_or(Malformed)?;
        Ok(Self { body: bytes })
    }

    /// A view of bytes that [`encode`](super::encode()) returned in this process, or whose checksum
    /// was just verified. Validates nothing: invalid bytes appear as fewer attributes. The caller
    /// guarantees that they are not nested too deep; otherwise use [`MapRef::new`].
    #[must_use]
    pub fn trusted(bytes: &'a [u8]) -> Self {
        Self { body: bytes }
    }

    /// The stored bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.body
    }

    /// The attribute of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<ValueRef<'a>> {
        let mut cursor = Cursor(self.body);
        for _ in 0..cursor.varint()? {
            let own = cursor.sized()?;
            let kind = cursor.tag()?;
            match own.cmp(name.as_bytes()) {
                Ordering::Less => cursor.payload(kind)?,
                Ordering::Equal => return value(kind, &mut cursor),
                // Names ascend, so no later one matches.
                Ordering::Greater => return None,
            };
        }
        None
    }

    /// The attributes, ordered by name.
    #[must_use]
    pub fn iter(&self) -> Entries<'a> {
        let mut cursor = Cursor(self.body);
        Entries { left: cursor.varint().unwrap_or(0), cursor }
    }

    /// Name, type and payload of each attribute, not decoded.
    pub(crate) fn raw_entries(&self) -> RawEntries<'a> {
        let mut cursor = Cursor(self.body);
        RawEntries { left: cursor.varint().unwrap_or(0), cursor }
    }

    /// The number of attributes.
    #[must_use]
    pub fn len(&self) -> usize {
        Cursor(self.body).varint().unwrap_or(0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Decodes the attributes.
    #[must_use]
    pub fn to_item(&self) -> Map {
        Map::from_entries(
            self.iter().map(|(name, value)| (name.to_owned(), value.to_value())).collect(),
        )
    }
}

/// See [`MapRef::raw_entries`].
pub(crate) struct RawEntries<'a> {
    left: usize,
    cursor: Cursor<'a>,
}

impl<'a> Iterator for RawEntries<'a> {
    type Item = (&'a [u8], Type, &'a [u8]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let name = self.cursor.sized()?;
        let kind = self.cursor.tag()?;
        Some((name, kind, self.cursor.payload(kind)?))
    }
}

/// The remaining attributes of a map, ordered by name.
///
/// ```
/// use singlet_dynamo::binary::{ItemRef, ValueRef, encode};
/// use singlet_dynamo::{Item, Value};
///
/// let bytes = encode(&Item::from([("PK", Value::from("GAME#1")), ("round", 7.into())]));
/// let mut entries = ItemRef::trusted(&bytes).iter();
/// assert_eq!(entries.seek("board"), None);
/// assert_eq!(entries.seek("round"), Some(ValueRef::N(7.into())));
/// assert_eq!(entries.next(), None);
/// ```
#[derive(Clone)]
pub struct Entries<'a> {
    left: usize,
    cursor: Cursor<'a>,
}

impl<'a> Entries<'a> {
    /// Advances to the attribute of this name. Looking up names in ascending order takes one pass
    /// over the map.
    pub fn seek(&mut self, name: &str) -> Option<ValueRef<'a>> {
        while self.left > 0 {
            let mut ahead = self.cursor;
            let own = ahead.sized()?;
            if own > name.as_bytes() {
                return None;
            }
            let kind = ahead.tag()?;
            let payload = ahead.payload(kind)?;
            self.cursor = ahead;
            self.left -= 1;
            if own == name.as_bytes() {
                return from_payload(kind, payload);
            }
        }
        None
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, ValueRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let name = str_of(self.cursor.sized()?)?;
        let kind = self.cursor.tag()?;
        Some((name, from_payload(kind, self.cursor.payload(kind)?)?))
    }
}

impl<'a> ListRef<'a> {
    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = ValueRef<'a>> + use<'a> {
        self.raw_values().map_while(|(kind, payload)| from_payload(kind, payload))
    }

    /// Type and payload of each value, not decoded.
    pub(crate) fn raw_values(&self) -> impl Iterator<Item = (Type, &'a [u8])> + use<'a> {
        let mut cursor = Cursor(self.body);
        let count = cursor.varint().unwrap_or(0);
        (0..count).map_while(move |_| {
            let kind = cursor.tag()?;
            Some((kind, cursor.payload(kind)?))
        })
    }

    /// The value at an index, counted from 0.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<ValueRef<'a>> {
        self.raw_values().nth(place).and_then(|(kind, payload)| from_payload(kind, payload))
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        Cursor(self.body).varint().unwrap_or(0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> SetRef<'a> {
    /// The elements in order: values of type S, N or B.
    pub fn iter(&self) -> impl Iterator<Item = ValueRef<'a>> + use<'a> {
        let mut cursor = Cursor(self.body);
        let kind = self.kind;
        let count = cursor.varint().unwrap_or(0);
        (0..count).map_while(move |_| match kind {
            Type::Ss => cursor.sized().and_then(str_of).map(ValueRef::S),
            Type::Ns => cursor.number().map(ValueRef::N),
            _ => cursor.sized().map(ValueRef::B),
        })
    }

    /// The number of elements.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a set is never empty")]
    pub fn len(&self) -> usize {
        Cursor(self.body).varint().unwrap_or(0)
    }

    /// Whether the set contains the element, a value of type S, N or B.
    #[must_use]
    pub fn contains(&self, element: ValueRef<'_>) -> bool {
        self.iter().any(|own| own == element)
    }
}

impl<'a> ValueRef<'a> {
    /// Its data type, one of ten.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Self::S(_) => Type::S,
            Self::N(_) => Type::N,
            Self::B(_) => Type::B,
            Self::Bool(_) => Type::Bool,
            Self::Null => Type::Null,
            Self::M(_) => Type::M,
            Self::L(_) => Type::L,
            Self::Ss(_) => Type::Ss,
            Self::Ns(_) => Type::Ns,
            Self::Bs(_) => Type::Bs,
        }
    }

    /// The bytes of a string, binary or container; empty for other types.
    pub(crate) fn body(&self) -> &'a [u8] {
        match *self {
            Self::S(text) => text.as_bytes(),
            Self::B(bytes) => bytes,
            Self::M(map) => map.body,
            Self::L(list) => list.body,
            Self::Ss(set) | Self::Ns(set) | Self::Bs(set) => set.body,
            Self::N(_) | Self::Bool(_) | Self::Null => &[],
        }
    }

    /// Decodes the value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        fn set<'a, T: Ord>(
            set: SetRef<'a>,
            own: impl Fn(ValueRef<'a>) -> Option<T>,
            variant: impl Fn(Set<T>) -> Value,
        ) -> Value {
            // Only bytes that were never validated can hold an empty set or duplicates.
            Set::new(set.iter().filter_map(own).collect()).map_or(Value::Null, variant)
        }
        match *self {
            Self::S(text) => Value::S(text.to_owned()),
            Self::N(number) => Value::N(number),
            Self::B(bytes) => Value::B(bytes.to_vec()),
            Self::Bool(truth) => Value::Bool(truth),
            Self::Null => Value::Null,
            Self::M(map) => Value::M(map.to_item()),
            Self::L(list) => Value::L(list.iter().map(|value| value.to_value()).collect()),
            Self::Ss(strings) => set(
                strings,
                |one| if let ValueRef::S(text) = one { Some(text.to_owned()) } else { None },
                Value::Ss,
            ),
            Self::Ns(numbers) => set(
                numbers,
                |one| if let ValueRef::N(number) = one { Some(number) } else { None },
                Value::Ns,
            ),
            Self::Bs(blobs) => set(
                blobs,
                |one| if let ValueRef::B(bytes) = one { Some(bytes.to_vec()) } else { None },
                Value::Bs,
            ),
        }
    }
}

/// A stored value equals a value of a request if both have the same type and content.
impl PartialEq<Value> for ValueRef<'_> {
    fn eq(&self, other: &Value) -> bool {
        match (*self, other) {
            (Self::S(a), Value::S(b)) => a == b,
            (Self::N(a), Value::N(b)) => a == *b,
            (Self::B(a), Value::B(b)) => a == b,
            (Self::Bool(a), Value::Bool(b)) => a == *b,
            (Self::Null, Value::Null) => true,
            (Self::M(a), Value::M(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|((n, v), (m, w))| n == m && v == *w)
            }
            (Self::L(a), Value::L(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(v, w)| v == *w)
            }
            (Self::Ss(a), Value::Ss(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(v, w)| v == ValueRef::S(w))
            }
            (Self::Ns(a), Value::Ns(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(v, w)| v == ValueRef::N(*w))
            }
            (Self::Bs(a), Value::Bs(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(v, w)| v == ValueRef::B(w))
            }
            _ => false,
        }
    }
}

fn str_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Not inlined: it keeps the loop over an item's attributes tight.
#[inline(never)]
fn value<'a>(kind: Type, cursor: &mut Cursor<'a>) -> Option<ValueRef<'a>> {
    let payload = cursor.payload(kind)?;
    from_payload(kind, payload)
}

#[inline]
pub(crate) fn from_payload(kind: Type, payload: &[u8]) -> Option<ValueRef<'_>> {
    Some(match kind {
        Type::S => ValueRef::S(str_of(payload)?),
        Type::N => ValueRef::N(Cursor(payload).number()?),
        Type::B => ValueRef::B(payload),
        Type::Bool => ValueRef::Bool(payload.first().is_some_and(|&b| b == 1)),
        Type::Null => ValueRef::Null,
        Type::M => ValueRef::M(MapRef { body: payload }),
        Type::L => ValueRef::L(ListRef { body: payload }),
        Type::Ss => ValueRef::Ss(SetRef { kind, body: payload }),
        Type::Ns => ValueRef::Ns(SetRef { kind, body: payload }),
        Type::Bs => ValueRef::Bs(SetRef { kind, body: payload }),
    })
}

/// Skips entries if they are well-formed at this level of nesting.
fn check_entries(cursor: &mut Cursor<'_>, level: usize) -> Option<()> {
    let mut before: Option<&[u8]> = None;
    for _ in 0..cursor.varint()? {
        let name = cursor.sized()?;
        str_of(name)?;
        if before.is_some_and(|before| before >= name) {
            return None;
        }
        before = Some(name);
        check_value(cursor, level)?;
    }
    Some(())
}

fn check_value(cursor: &mut Cursor<'_>, level: usize) -> Option<()> {
    let kind = cursor.tag()?;
    if kind == Type::N {
        let (_, rest) = Number::split_first(cursor.0)?;
        cursor.0 = rest;
        return Some(());
    }
    let payload = cursor.payload(kind)?;
    let mut body = Cursor(payload);
    match kind {
        Type::S => return str_of(payload).map(drop),
        Type::N | Type::B | Type::Null => return Some(()),
        Type::Bool => return matches!(payload, [0 | 1]).then_some(()),
        Type::M | Type::L if level > NESTING_MAX => return None,
        Type::M => check_entries(&mut body, level + 1)?,
        Type::L => {
            for _ in 0..body.varint()? {
                check_value(&mut body, level + 1)?;
            }
        }
        Type::Ss => check_set(&mut body, |body| str_of(body.sized()?))?,
        Type::Ns => check_set(&mut body, |body| {
            let (number, rest) = Number::split_first(body.0)?;
            body.0 = rest;
            Some(number)
        })?,
        Type::Bs => check_set(&mut body, Cursor::sized)?,
    }
    body.0.is_empty().then_some(())
}

fn check_set<'a, T: Ord>(
    body: &mut Cursor<'a>,
    element: impl Fn(&mut Cursor<'a>) -> Option<T>,
) -> Option<()> {
    let mut before: Option<T> = None;
    for _ in 0..body.varint()? {
        let one = element(body)?;
        if before.as_ref().is_some_and(|before| *before >= one) {
            return None;
        }
        before = Some(one);
    }
    before.map(drop)
}

impl fmt::Debug for MapRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_item().fmt(f)
    }
}

impl fmt::Debug for ListRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Debug for SetRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Debug for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_value().fmt(f)
    }
}
