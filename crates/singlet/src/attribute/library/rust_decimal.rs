//! `rust_decimal::Decimal`: a number, without rounding.

use crate::attribute::{Attribute, Mismatch, NotStorable};
use crate::design::AttributeType;
use crate::field::{Amount, Fractional, Numeric};
use crate::key::{KeyPart, Shape};
use rust_decimal::Decimal;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::{Number, NumberError, Value};

impl Attribute for Decimal {
    const KIND: AttributeType = AttributeType::Number;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        let number: Result<Number, NumberError> = self.to_string().parse();
        // It has 29 digits at most, and DynamoDB's numbers have 38.
        number
            .map(|number| Some(Value::N(number)))
            .map_err(|error| NotStorable::new(error.to_string()))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let number = Number::from_value(value)?.to_string();
        // DynamoDB's sums can have more digits than fit; they are rounded as `Decimal` rounds its
        // own sums. A comparison with the value that was read then uses another number than the
        // stored one; see docs/declarations.md.
        number.parse().map_err(|_| Mismatch::new("a number that fits Decimal", number))
    }
}

impl KeyPart for Decimal {
    const SHAPE: Shape = Shape::Number;
}

impl Numeric for Decimal {
    type Amounts = Fractional;

    fn range() -> Option<(Number, Number)> {
        Some((Self::MIN.to_string().parse().ok()?, Self::MAX.to_string().parse().ok()?))
    }
}

impl Amount<Fractional> for Decimal {
    fn into_number(self) -> Result<Number, NotStorable> {
        self.to_string().parse().map_err(|error: NumberError| NotStorable::new(error.to_string()))
    }
}
