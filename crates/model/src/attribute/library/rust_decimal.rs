//! `rust_decimal::Decimal`: a number, digit by digit.

use crate::attribute::{Attribute, Mismatch, Unstorable};
use crate::design::AttributeType;
use crate::field::Numeric;
use crate::key::{KeyPart, Shape};
use rust_decimal::Decimal;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::{Number, NumberError, Value};

impl Attribute for Decimal {
    const KIND: AttributeType = AttributeType::Number;

    fn to_value(&self) -> Result<Option<Value>, Unstorable> {
        let number: Result<Number, NumberError> = self.to_string().parse();
        // It has 28 digits at most, and DynamoDB's numbers have 38.
        number
            .map(|number| Some(Value::N(number)))
            .map_err(|error| Unstorable::new(error.to_string()))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let number = Number::from_value(value)?.to_string();
        // Not rounded: money that was stored is read as it is, or not at all.
        Self::from_str_exact(&number)
            .map_err(|_| Mismatch::new("a number that fits Decimal", number))
    }
}

impl KeyPart for Decimal {
    const SHAPE: Shape = Shape::Number;
}

impl Numeric for Decimal {}
impl Numeric for Option<Decimal> {}
