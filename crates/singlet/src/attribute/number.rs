//! Numbers: integers are exact, floating point is the shortest decimal that reads back the same. A
//! stored number with more digits than a floating point type has is rounded when it is read.

use super::collection::read_list;
use super::{Attribute, Bytes, Mismatch, NotStorable};
use crate::design::AttributeType;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::{Number, Value};

impl Attribute for Number {
    const KIND: AttributeType = AttributeType::Number;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::N(*self)))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            Some(ValueRef::N(number)) => Ok(number),
            other => Err(Mismatch::of("N", other)),
        }
    }
}

macro_rules! integers {
    ($($integer:ident $({ $($of_lists:tt)* })?)+) => {
        $(
            impl Attribute for $integer {
                const KIND: AttributeType = AttributeType::Integer;
                $($($of_lists)*)?

                fn to_value(&self) -> Result<Option<Value>, NotStorable> {
                    let number = match i64::try_from(*self) {
                        Ok(number) => Number::from(number),
                        Err(_) => self.to_string().parse().map_err(unstorable)?,
                    };
                    Ok(Some(Value::N(number)))
                }

                fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
                    let number = Number::from_value(value)?;
                    let short = number.to_i64().and_then(|number| Self::try_from(number).ok());
                    // Numbers longer than 64 bits are rare, so the slower way through text is
                    // acceptable.
                    short.or_else(|| number.to_string().parse().ok()).ok_or_else(|| {
                        Mismatch::new(concat!("a number that fits ", stringify!($integer)), number.to_string())
                    })
                }
            }
        )+
    };
}

integers! {
    i8 i16 i32 i64 isize u16 u32 u64 usize i128 u128
    // A `Vec<u8>` is bytes.
    u8 {
        const LIST_KIND: AttributeType = AttributeType::Binary;

        fn list_to_value(bytes: &[Self]) -> Result<Value, NotStorable> {
            Ok(Value::B(bytes.to_vec()))
        }

        fn list_from_value(value: Option<ValueRef<'_>>) -> Result<Vec<Self>, Mismatch> {
            match value {
                // Other programs store bytes as a list, such as those with serde_dynamo.
                Some(ValueRef::L(_)) => read_list(value),
                _ => Bytes::from_value(value).map(|bytes| bytes.0),
            }
        }
    }
}

macro_rules! floats {
    ($($float:ident)+) => {
        $(
            impl Attribute for $float {
                const KIND: AttributeType = AttributeType::Number;

                fn to_value(&self) -> Result<Option<Value>, NotStorable> {
                    if !self.is_finite() {
                        return Err(NotStorable::new("a number must be finite"));
                    }
                    format!("{self:e}").parse().map(|number| Some(Value::N(number))).map_err(unstorable)
                }

                fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
                    let number = Number::from_value(value)?.to_string();
                    number.parse().map_err(|_| Mismatch::new("a number", number))
                }
            }
        )+
    };
}

floats! { f32 f64 }

fn unstorable(error: singlet_dynamo::NumberError) -> NotStorable {
    NotStorable::new(error.to_string())
}
