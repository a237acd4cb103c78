//! Views over stored bytes.

use super::cursor::Cursor;
use crate::limits::NESTING_MAX;
use crate::{Map, Number, Set, Type, Value};
use std::cmp::Ordering;
use std::fmt;

/// The bytes are not the stored form of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes are not a stored item")
    }
}

impl std::error::Error for Malformed {}

/// An item, read where it lies.
pub type ItemRef<'a> = MapRef<'a>;

/// Attributes by name, read where they lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MapRef<'a> {
    /// `entries`, as the module's grammar has it.
    body: &'a [u8],
}

/// Values in order, read where they lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ListRef<'a> {
    body: &'a [u8],
}

/// The elements of a set, ascending, read where they lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SetRef<'a> {
    kind: Type,
    body: &'a [u8],
}

/// A value, read where it lies.
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
    /// An item over its stored bytes, which are checked from end to end: what is accepted is
    /// exactly what [`encode`](super::encode()) gives for some item.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor(bytes);
        check_entries(&mut cursor, 1).filter(|()| cursor.0.is_empty()).ok_or(Malformed)?;
        Ok(Self { body: bytes })
    }

    /// An item over bytes that [`encode`](super::encode()) gave in this process, or whose checksum
    /// was just found right. Nothing is checked: bytes that are no item read as fewer attributes.
    /// That they nest no deeper than an item can is the caller's promise; whoever cannot give it
    /// calls [`MapRef::new`].
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
                // Names ascend, so a later one cannot be it either.
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

    /// Name, type and payload of each attribute, as they lie.
    pub(crate) fn raw_entries(&self) -> RawEntries<'a> {
        let mut cursor = Cursor(self.body);
        RawEntries { left: cursor.varint().unwrap_or(0), cursor }
    }

    /// How many attributes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        Cursor(self.body).varint().unwrap_or(0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The attributes as a tree of their own.
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

/// The attributes of a map that are still to come, ordered by name.
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
    /// Goes on to the attribute of this name, past all whose names come before it. Asking for
    /// names in their order finds each of them in one walk along the map.
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

    /// Type and payload of each value, as they lie.
    pub(crate) fn raw_values(&self) -> impl Iterator<Item = (Type, &'a [u8])> + use<'a> {
        let mut cursor = Cursor(self.body);
        let count = cursor.varint().unwrap_or(0);
        (0..count).map_while(move |_| {
            let kind = cursor.tag()?;
            Some((kind, cursor.payload(kind)?))
        })
    }

    /// The value at a place, counted from zero.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<ValueRef<'a>> {
        self.raw_values().nth(place).and_then(|(kind, payload)| from_payload(kind, payload))
    }

    /// How many values there are.
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

    /// How many elements there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a set is never empty")]
    pub fn len(&self) -> usize {
        Cursor(self.body).varint().unwrap_or(0)
    }

    /// Whether the element, a value of type S, N or B, is in the set.
    #[must_use]
    pub fn contains(&self, element: ValueRef<'_>) -> bool {
        self.iter().any(|own| own == element)
    }
}

impl<'a> ValueRef<'a> {
    /// Which of the ten kinds this is.
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

    /// The bytes of a text, of bytes or of a container; nothing for the other types.
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

    /// The value as a tree of its own.
    #[must_use]
    pub fn to_value(&self) -> Value {
        fn set<'a, T: Ord>(
            set: SetRef<'a>,
            own: impl Fn(ValueRef<'a>) -> Option<T>,
            variant: impl Fn(Set<T>) -> Value,
        ) -> Value {
            // Only bytes that were never checked can give an empty or doubled set.
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

/// A stored value equals a value of a request when both are of one type and the same inside.
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

/// Not inlined: a walk along the attributes of an item is a tight loop without it.
#[inline(never)]
fn value<'a>(kind: Type, cursor: &mut Cursor<'a>) -> Option<ValueRef<'a>> {
    let payload = cursor.payload(kind)?;
    from_payload(kind, payload)
}

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

/// Steps over entries if they are well-formed at this level of nesting.
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
