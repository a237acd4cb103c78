//! Values that may stand in keys.

use super::Form;
use crate::attribute::{Attribute, Bytes};
use singlet_dynamo::Number;

/// A Rust value that may be part of a key.
///
/// In a key of type S it is written as its attribute is: text as it stands, an unsigned integer
/// with zeros in front, as wide as the template says (`{minute:04}`). Keys of type N and B hold
/// the value of one field and nothing else.
///
/// Identifiers that [`id!`](crate::id) makes, [`Timestamp`](crate::Timestamp), integers and enums
/// with `#[derive(Attribute)]` are key parts. So is `String`, which may contain the delimiter: a
/// template in which that could be mistaken for something else does not compile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a key",
    label = "stands in a key template",
    note = "parts of keys are identifiers made by `id!`, `Timestamp`, unsigned integers with a width (`{{minute:04}}`), `String`, and enums with `#[derive(Attribute)]`"
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

/// Given as a part of a key: a value of its type, or a reference to one.
#[diagnostic::on_unimplemented(
    message = "this part of the key is a `{T}`, not a `{Self}`",
    label = "expected `{T}`",
    note = "the parts of a key come in the order of its template, each of the type of its field"
)]
pub trait KeyArgument<T> {
    /// The value.
    fn as_part(&self) -> &T;
}

impl<T: KeyPart> KeyArgument<T> for T {
    fn as_part(&self) -> &T {
        self
    }
}

impl<T: KeyPart> KeyArgument<T> for &T {
    fn as_part(&self) -> &T {
        self
    }
}
