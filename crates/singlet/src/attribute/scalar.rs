//! Text, booleans, bytes, and values of any type.

use super::{Attribute, Mismatch, NotStorable};
use crate::design::AttributeType;
use singlet_dynamo::Value;
use singlet_dynamo::binary::ValueRef;

impl Attribute for String {
    const KIND: AttributeType = AttributeType::Text;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::S(self.clone())))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            Some(ValueRef::S(text)) => Ok(text.to_owned()),
            other => Err(Mismatch::of("S", other)),
        }
    }
}

impl Attribute for bool {
    const KIND: AttributeType = AttributeType::Boolean;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::Bool(*self)))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            Some(ValueRef::Bool(truth)) => Ok(truth),
            other => Err(Mismatch::of("BOOL", other)),
        }
    }
}

/// Bytes, stored as type B like a `Vec<u8>`. A separate type, so that list operations such as
/// appending or reading an element do not compile.
///
/// ```
/// use singlet::{Attribute, Bytes};
/// use singlet::dynamo::Value;
///
/// assert_eq!(Bytes(vec![1, 2]).to_value()?, Some(Value::B(vec![1, 2])));
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
///
/// DynamoDB does not look into bytes, so operations on elements do not compile:
///
/// ```compile_fail
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game { pub code: Code, pub image: Vec<u8> }
/// # let code = Code::new("a").unwrap();
/// let _ = update(Game::key(&code)).append(Game::IMAGE, [1]);
/// ```
///
/// ```compile_fail
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game { pub code: Code, pub image: Vec<u8> }
/// let _ = Game::IMAGE.at(0).eq(1);
/// ```
///
/// ```compile_fail
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game { pub code: Code, pub image: Vec<u8> }
/// let _ = Game::IMAGE.contains(1_u8);
/// ```
///
/// Other lists do:
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game { pub code: Code, pub image: Vec<u16> }
/// # let code = Code::new("a").unwrap();
/// let longer = update(Game::key(&code)).append(Game::IMAGE, [1]);
/// let longer = longer.only_if(Game::IMAGE.at(0).eq(1).and(Game::IMAGE.contains(1_u16)));
/// # let _ = longer;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub Vec<u8>);

impl Attribute for Bytes {
    const KIND: AttributeType = AttributeType::Binary;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::B(self.0.clone())))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            Some(ValueRef::B(bytes)) => Ok(Self(bytes.to_vec())),
            // A payload is JSON, which has no bytes, so they are Base64 there.
            Some(ValueRef::S(text)) => match singlet_dynamo::base64::decode(text) {
                Ok(bytes) => Ok(Self(bytes)),
                Err(_) => Err(Mismatch::new("B", "text that is not Base64")),
            },
            other => Err(Mismatch::of("B", other)),
        }
    }
}

/// A value of any type, for attributes that the program passes on unread.
impl Attribute for Value {
    const KIND: AttributeType = AttributeType::Any;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(self.clone()))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        value.map(|value| value.to_value()).ok_or_else(|| Mismatch::of("a value", None))
    }
}

impl<T: Attribute> Attribute for Option<T> {
    const KIND: AttributeType = T::KIND;
    const ONE_OF: &'static [&'static str] = T::ONE_OF;
    const OPTIONAL: bool = true;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        self.as_ref().map_or(Ok(None), T::to_value)
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            None | Some(ValueRef::Null) => Ok(None),
            some => T::from_value(some).map(Some),
        }
    }
}

impl<T: Attribute> Attribute for Box<T> {
    const KIND: AttributeType = T::KIND;
    const ONE_OF: &'static [&'static str] = T::ONE_OF;
    const OPTIONAL: bool = T::OPTIONAL;
    const MEMBERS: &'static [&'static str] = T::MEMBERS;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        T::to_value(self)
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        T::from_value(value).map(Self::new)
    }
}
