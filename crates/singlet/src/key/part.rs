//! Values that may stand in keys.

use super::Form;
use crate::attribute::{Attribute, Bytes, NotStorable};
use singlet_dynamo::{Number, Value};

/// A Rust value that may be part of a key.
///
/// In a key of type S it is written as its attribute is: text as it stands, an unsigned integer
/// with zeros in front, as wide as the template says (`{minute:04}`). Keys of type N and B hold
/// the value of one field and nothing else.
///
/// | type | in a key | [`FixedWidth`](crate::query::FixedWidth) |
/// |---|---|---|
/// | identifiers made by [`id!`](crate::id) | text that never contains the delimiter | no |
/// | `String` | any text: a template in which it could be mistaken for something else does not compile | no |
/// | enums without fields, with `#[derive(Attribute)]` | text, unless one of them contains the delimiter | no |
/// | [`Timestamp`](crate::Timestamp), [`Date`](crate::Date) | text | yes |
/// | `uuid::Uuid`; moments and days of `time`, `chrono` and `jiff` | text | yes |
/// | `u8`, `u16`, `u32`, `u64` | digits, as many as the template says, or type N | yes |
/// | `i8` to `i64`, `f32`, `f64`, [`Number`], `rust_decimal::Decimal` | type N | no |
/// | [`Bytes`], `Vec<u8>`, `bytes::Bytes` | type B | no |
/// | newtypes with `#[derive(Attribute)]` | as what they wrap | as what they wrap |
/// | `Option` of these, in the keys of indexes | as what it holds; without it, the item is not in the index | as what it holds |
///
/// A type that implements [`Attribute`] by hand can be a key part too: it says what its texts look
/// like, and what is written into a key is compared with that.
///
/// ```
/// use singlet::attribute::{Mismatch, NotStorable};
/// use singlet::design::AttributeType;
/// use singlet::dynamo::{Value, binary::ValueRef};
/// use singlet::key::{Form, Shape};
/// use singlet::{Attribute, KeyPart};
///
/// /// A country by its two letters.
/// struct Country(String);
///
/// impl Attribute for Country {
///     const KIND: AttributeType = AttributeType::Id;
///
///     fn to_value(&self) -> Result<Option<Value>, NotStorable> {
///         self.0.to_value()
///     }
///
///     fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
///         String::from_value(value).map(Self)
///     }
/// }
///
/// impl KeyPart for Country {
///     const SHAPE: Shape = Shape::Text(Form::CLOSED);
/// }
/// // All have two letters, so a range of them can stand in front of other parts.
/// impl singlet::query::FixedWidth for Country {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a key",
    label = "stands in a key template",
    note = "parts of keys are identifiers made by `id!`, `Timestamp`, `Date`, unsigned integers with a width (`{{minute:04}}`), `String`, and enums without fields and newtypes of these with `#[derive(Attribute)]`"
)]
pub trait KeyPart: Attribute {
    /// What its values look like in a key.
    const SHAPE: Shape;
}

/// What the values of a key part look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Text of this form.
    Text(Form),
    /// An unsigned integer: in a key of type S it must say its width.
    Integer,
    /// Any number: only for keys of type N.
    Number,
    /// Bytes: only for keys of type B.
    Bytes,
    /// Nothing that can stand in a key. Only a design in a file can say this: no type of Rust that
    /// is a key part has it.
    Other,
}

impl Shape {
    /// The form in a key of type S, where the template gives this width; zero if it gives none.
    #[must_use]
    pub const fn form(self, width: u8) -> Form {
        match self {
            Self::Text(form) => form,
            Self::Integer if width > 0 => Form::Digits(width),
            Self::Integer | Self::Number | Self::Bytes | Self::Other => Form::Open,
        }
    }
}

impl KeyPart for String {
    const SHAPE: Shape = Shape::Text(Form::Open);
}

impl KeyPart for Bytes {
    const SHAPE: Shape = Shape::Bytes;
}

impl KeyPart for Vec<u8> {
    const SHAPE: Shape = Shape::Bytes;
}

impl KeyPart for Number {
    const SHAPE: Shape = Shape::Number;
}

/// The key is there when all of its parts are: an item without one of them is not in the index.
impl<T: KeyPart> KeyPart for Option<T> {
    const SHAPE: Shape = T::SHAPE;
}

macro_rules! key_parts {
    ($shape:ident: $($integer:ident)+) => {
        $(
            impl KeyPart for $integer {
                const SHAPE: Shape = Shape::$shape;
            }
        )+
    };
}

key_parts! { Integer: u8 u16 u32 u64 }
key_parts! { Number: i8 i16 i32 i64 f32 f64 }

/// Given as a part of a key: a value of its type, a reference to one, or `&str` for a `String`.
#[diagnostic::on_unimplemented(
    message = "this part of the key is a `{T}`, not a `{Self}`",
    label = "expected `{T}`",
    note = "the parts of a key come in the order of its template, each of the type of its field"
)]
pub trait KeyArgument<T> {
    /// The stored value.
    fn to_part(&self) -> Result<Option<Value>, NotStorable>;
}

impl<T: KeyPart> KeyArgument<T> for T {
    fn to_part(&self) -> Result<Option<Value>, NotStorable> {
        self.to_value()
    }
}

impl<T: KeyPart> KeyArgument<T> for &T {
    fn to_part(&self) -> Result<Option<Value>, NotStorable> {
        self.to_value()
    }
}

impl KeyArgument<String> for &str {
    fn to_part(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::from(*self)))
    }
}
