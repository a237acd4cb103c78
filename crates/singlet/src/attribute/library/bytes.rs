//! `bytes::Bytes`: a value of type B.

use crate::attribute::{Attribute, Mismatch, NotStorable};
use crate::design::AttributeType;
use crate::key::{KeyPart, Shape};
use bytes::Bytes;
use singlet_dynamo::Value;
use singlet_dynamo::binary::ValueRef;

impl Attribute for Bytes {
    const KIND: AttributeType = AttributeType::Binary;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::B(self.to_vec())))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        Vec::from_value(value).map(Self::from)
    }
}

impl KeyPart for Bytes {
    const SHAPE: Shape = Shape::Bytes;
}
