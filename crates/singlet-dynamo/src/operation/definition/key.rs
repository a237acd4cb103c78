//! Attribute definitions and key schemas.

use super::first_repeated;
use crate::constraint::{Constraints, JavaList};
use crate::error::{Error, Result};
use crate::excerpt::Excerpt;
use crate::json::Reader;
use crate::json::kept::Kept;
use crate::limits::KEY_ATTRIBUTE_NAME_SIZE_MAX;
use crate::schema::{KeyAttribute, KeyLimits, KeyRole, KeySchema, KeyType};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// An attribute definition, unchecked.
#[derive(Default)]
pub(in crate::operation) struct AttributeDefinitionBody {
    attribute_name: Option<String>,
    attribute_type: Option<String>,
}

impl AttributeDefinitionBody {
    pub(in crate::operation) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("AttributeDefinition", |reader, member| {
            match member {
                "AttributeName" => body.attribute_name = reader.owned_string()?,
                "AttributeType" => body.attribute_type = reader.owned_string()?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }
}

/// Attribute types by name.
#[derive(Default)]
pub(in crate::operation) struct Definitions {
    /// In request order.
    attributes: Vec<KeyAttribute>,
    /// The number of definitions in the request, including dropped ones.
    count: usize,
    types: HashMap<String, KeyType>,
}

impl Definitions {
    pub(in crate::operation) fn constrain(
        constraints: &mut Constraints,
        bodies: Kept<AttributeDefinitionBody>,
    ) -> Self {
        /// In the service's order.
        const TYPES: [(&str, KeyType); 3] =
            [("B", KeyType::B), ("N", KeyType::N), ("S", KeyType::S)];

        let mut definitions = Self { count: bodies.len(), ..Self::default() };
        for (place, body) in bodies.into_vec().into_iter().enumerate() {
            let path = format!("attributeDefinitions.{}.member", place + 1);
            constrain_attribute_name(constraints, &path, &body.attribute_name);
            let type_path = format!("{path}.attributeType");
            constraints.required(&type_path, &body.attribute_type);
            let kind = constraints.one_of(&type_path, body.attribute_type.as_deref(), &TYPES);
            if let (Some(name), Some(kind)) = (body.attribute_name, kind) {
                definitions.types.entry(name.clone()).or_insert(kind);
                definitions.attributes.push(KeyAttribute { name, kind });
            }
        }
        definitions
    }

    pub(in crate::operation) fn len(&self) -> usize {
        self.count
    }

    /// Checks that each attribute is defined once.
    pub(in crate::operation) fn check_distinct(&self) -> Result<()> {
        match first_repeated(self.attributes.iter().map(|attribute| attribute.name.as_str())) {
            None => Ok(()),
            Some(name) => Err(Error::validation(format!("Attribute Name is duplicated: {name}"))),
        }
    }

    /// Checks that each attribute is part of one of these keys.
    pub(in crate::operation) fn check_used<'a>(
        &self,
        keys: impl Iterator<Item = &'a KeySchema>,
    ) -> Result<()> {
        let mut used: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        for attribute in keys.flat_map(KeySchema::attributes) {
            if seen.insert(attribute.name.as_str()) {
                used.push(&attribute.name);
            }
        }
        if self.attributes.iter().all(|attribute| seen.contains(attribute.name.as_str())) {
            return Ok(());
        }
        Err(Error::invalid_parameter(format_args!(
            "Some AttributeDefinitions are not used. AttributeDefinitions: {}, keys used: {}",
            Excerpt(self.shown(&self.names())),
            Excerpt(JavaList::of(&used))
        )))
    }

    /// The key with these elements.
    pub(in crate::operation) fn key_schema(
        &self,
        elements: &[KeyElement],
        limits: KeyLimits,
    ) -> Result<KeySchema> {
        let define = |element: &KeyElement| {
            let kind = *self.types.get(&element.name)?;
            Some((KeyAttribute { name: element.name.clone(), kind }, element.role))
        };
        let Some(elements) = elements.iter().map(define).collect::<Option<Vec<_>>>() else {
            let names: Vec<&str> = elements.iter().map(|element| element.name.as_str()).collect();
            return Err(Error::invalid_parameter(format_args!(
                "Some index key attributes are not defined in AttributeDefinitions. Keys: {}, AttributeDefinitions: {}",
                Excerpt(JavaList::of(&names)),
                Excerpt(self.shown(&self.names()))
            )));
        };
        KeySchema::new(elements, limits)
    }

    fn shown<'a>(&self, names: &'a [&'a str]) -> JavaList<'a, &'a str> {
        JavaList { elements: names, count: self.count }
    }

    fn names(&self) -> Vec<&str> {
        self.attributes.iter().map(|attribute| attribute.name.as_str()).collect()
    }
}

fn constrain_attribute_name(constraints: &mut Constraints, path: &str, name: &Option<String>) {
    let path = format!("{path}.attributeName");
    constraints.required(&path, name);
    if let Some(name) = name {
        let len = name.chars().count();
        constraints.length_at_least(&path, name, len, 1);
        constraints.length_at_most(&path, name, len, KEY_ATTRIBUTE_NAME_SIZE_MAX);
    }
}

/// An element of a key schema.
pub(in crate::operation) struct KeyElement {
    name: String,
    role: KeyRole,
}

/// An element of a key schema, unchecked.
#[derive(Default)]
pub(in crate::operation) struct KeyElementBody {
    attribute_name: Option<String>,
    key_type: Option<String>,
}

impl KeyElementBody {
    pub(in crate::operation) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("KeySchemaElement", |reader, member| {
            match member {
                "AttributeName" => body.attribute_name = reader.owned_string()?,
                "KeyType" => body.key_type = reader.owned_string()?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    /// Checks a key schema. The length of a composite one is checked together with its order.
    pub(in crate::operation) fn constrain_all(
        constraints: &mut Constraints,
        path: &str,
        bodies: Option<Kept<Self>>,
        limits: KeyLimits,
    ) -> Vec<KeyElement> {
        constraints.required(path, &bodies);
        let Some(bodies) = bodies else { return Vec::new() };
        let shown = JavaList { elements: bodies.as_slice(), count: bodies.len() };
        constraints.length_at_least(path, &shown, bodies.len(), 1);
        if limits == KeyLimits::Simple {
            constraints.length_at_most(path, &shown, bodies.len(), 2);
        }
        let mut elements = Vec::new();
        for (place, body) in bodies.into_vec().into_iter().enumerate() {
            let path = format!("{path}.{}.member", place + 1);
            constrain_attribute_name(constraints, &path, &body.attribute_name);
            let type_path = format!("{path}.keyType");
            constraints.required(&type_path, &body.key_type);
            let role = constraints.one_of(&type_path, body.key_type.as_deref(), &KeyRole::CHOICES);
            if let (Some(name), Some(role)) = (body.attribute_name, role) {
                elements.push(KeyElement { name, role });
            }
        }
        elements
    }
}

/// As Java prints it.
impl fmt::Display for KeyElementBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "KeySchemaElement(attributeName={}, keyType={})",
            self.attribute_name.as_deref().unwrap_or("null"),
            self.key_type.as_deref().unwrap_or("null")
        )
    }
}
