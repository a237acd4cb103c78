//! `uuid::Uuid`: lowercase text with hyphens.

use crate::attribute::{Attribute, MapKey, Mismatch, NotStorable, text};
use crate::design::AttributeType;
use crate::field::Textual;
use crate::key::{Form, KeyPart, Shape};
use crate::query::FixedWidth;
use singlet_dynamo::Value;
use singlet_dynamo::binary::ValueRef;
use std::borrow::Cow;
use uuid::Uuid;

const EXPECTED: &str = "a UUID";

impl Attribute for Uuid {
    const KIND: AttributeType = AttributeType::Id;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::S(self.hyphenated().to_string())))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let text = text(value, EXPECTED)?;
        text.parse().map_err(|_| Mismatch::new(EXPECTED, format!("`{text}`")))
    }
}

impl KeyPart for Uuid {
    const SHAPE: Shape = Shape::Text(Form::Uuid);
}

impl FixedWidth for Uuid {}
impl Textual for Uuid {}

impl MapKey for Uuid {
    fn to_name(&self) -> Cow<'_, str> {
        Cow::Owned(self.hyphenated().to_string())
    }

    fn from_name(name: &str) -> Result<Self, Mismatch> {
        name.parse().map_err(|_| Mismatch::new(EXPECTED, format!("the key `{name}`")))
    }
}
