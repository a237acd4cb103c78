//! The primary key of one item.

use crate::attribute::NotStorable;
use crate::design::{KeyAttribute, KeyAttributes};
use crate::entity::Entity;
use crate::item::{key_attributes, recognizes};
use crate::marker::Marker;
use crate::shape::{EntityShape, KeyFault, Shapes, Template};
use crate::table::Table;
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Item, Type, Value};
use std::fmt;
use std::marker::PhantomData;

/// The value of a key field: the field's place, and the value or the reason why there is none.
pub type GivenPart = (usize, Result<Option<Value>, NotStorable>);

/// The primary key of an item of this entity, made by its function `key`.
///
/// A value that cannot be part of a key, such as a number too wide for its template, is reported by
/// the operation that uses the key.
pub struct Key<E> {
    parts: Result<KeyValues, KeyFault>,
    entity: Marker<E>,
}

/// The values of a primary key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyValues {
    pub(crate) partition: Value,
    pub(crate) sort: Option<Value>,
}

impl<E: Entity> Key<E> {
    /// The key for these values of the template fields.
    #[must_use]
    pub fn new(parts: &[GivenPart]) -> Self {
        Self { parts: values(Shapes::of::<E>(), parts), entity: PhantomData }
    }

    /// The key of an entity.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(TeamId);
    /// # #[table(name = "teams", key = (teamId), entities(Team))]
    /// # pub struct Teams;
    /// # #[derive(Entity)]
    /// # #[entity(Teams, key = ("{id}"))]
    /// # pub struct Team { #[attribute(rename = "teamId")] pub id: TeamId, pub name: String }
    /// let team = Team { id: TeamId::new("t1")?, name: "Sluggers".into() };
    /// assert_eq!(Key::of(&team), Team::key(&team.id));
    /// # Ok::<(), singlet::IdError>(())
    /// ```
    #[must_use]
    pub fn of(entity: &E) -> Self {
        let parts = match entity.values() {
            Ok(values) => values_of(Shapes::of::<E>(), values),
            Err(why) => Err(KeyFault::unstorable(E::SHAPE.name, &why)),
        };
        Self { parts, entity: PhantomData }
    }

    /// The key as attributes, as in requests.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(TeamId);
    /// # #[table(name = "teams", key = (PK), entities(Team))]
    /// # pub struct Teams;
    /// # #[derive(Entity)]
    /// # #[entity(Teams, key = ("TEAM#{id}"))]
    /// # pub struct Team { pub id: TeamId }
    /// let key = Team::key(&TeamId::new("t1")?);
    /// let item = key.to_item()?;
    /// assert_eq!(item.get("PK"), Some(&"TEAM#t1".into()));
    /// assert_eq!(Key::from_item(&item), Some(key));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_item(&self) -> Result<Item, KeyFault> {
        self.clone().into_item()
    }

    /// The sort key, for an item that refers to another one in its partition; `None` if the table
    /// has no sort key, or if it is not text.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(TeamId);
    /// # #[table(name = "teams", key = (PK, SK), entities(Match))]
    /// # pub struct Teams;
    /// # #[derive(Entity)]
    /// # #[entity(Teams, key = ("TEAM#{team}", "MATCH#{number:03}"))]
    /// # pub struct Match { pub team: TeamId, pub number: u32 }
    /// let key = Match::key(&TeamId::new("t1")?, 7);
    /// assert_eq!(key.sort_text()?.as_deref(), Some("MATCH#007"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sort_text(&self) -> Result<Option<String>, KeyFault> {
        Ok(match self.clone().into_values()?.sort {
            Some(Value::S(text)) => Some(text),
            _ => None,
        })
    }

    /// The key of an item of this entity; `None` if the item belongs to another one. Attributes
    /// outside the key are ignored.
    #[must_use]
    pub fn from_item(item: &Item) -> Option<Self> {
        let stored = StoredItem::from(item);
        if !recognizes(&E::SHAPE, E::Table::SHAPE, stored.as_item()) {
            return None;
        }
        let attributes = &E::Table::SHAPE.key;
        let value = |attribute: &KeyAttribute| item.get(attribute.name()).cloned();
        let partition = value(attributes.at(0)?)?;
        let sort = attributes.sort.first().and_then(value);
        Some(Self { parts: Ok(KeyValues { partition, sort }), entity: PhantomData })
    }

    pub(crate) fn into_values(self) -> Result<KeyValues, KeyFault> {
        self.parts
    }

    /// The key as attributes.
    pub(crate) fn into_item(self) -> Result<Item, KeyFault> {
        Ok(self.parts?.into_item(Shapes::of::<E>()))
    }
}

impl KeyValues {
    /// The value of the field at this place, if it is part of the key.
    pub(crate) fn part(&self, of: Shapes, place: usize) -> Option<Value> {
        let attributes = &of.table.key;
        let values = std::iter::once(&self.partition).chain(&self.sort);
        let mut templates = of.entity.key.with(attributes).zip(values);
        let ((template, _), value) = templates.find(|((one, _), _)| one.has(place))?;
        let Value::S(text) = value else { return Some(value.clone()) };
        let text = template.part(place, text)?;
        match of.entity.field(place)?.kind.stored() {
            Some(Type::N) => text.parse().ok().map(Value::N),
            _ => Some(Value::from(text)),
        }
    }

    pub(crate) fn into_item(self, of: Shapes) -> Item {
        key_attributes(&of.table.key, self.partition, self.sort)
    }
}

fn values_of(of: Shapes, values: Vec<Option<Value>>) -> Result<KeyValues, KeyFault> {
    let given: Vec<GivenPart> = values.into_iter().map(Ok).enumerate().collect();
    self::values(of, &given)
}

fn values(of: Shapes, parts: &[GivenPart]) -> Result<KeyValues, KeyFault> {
    let given = Given::of(of.entity, parts)?;
    let (key, attributes) = (&of.entity.key, &of.table.key);
    let mut values = key.with(attributes);
    let mut next = || {
        let (template, attribute) = values.next()?;
        Some(given.render(template, attributes, attribute))
    };
    let partition = next().unwrap_or_else(|| Err(KeyFault::missing(of.entity.name)))?;
    Ok(KeyValues { partition, sort: next().transpose()? })
}

/// Values for the fields of a key.
#[derive(Clone, Copy)]
pub(crate) struct Given<'p>(&'p [GivenPart]);

impl<'p> Given<'p> {
    /// Rejects values of this entity that cannot be stored.
    pub(crate) fn of(entity: &EntityShape, parts: &'p [GivenPart]) -> Result<Self, KeyFault> {
        for (place, value) in parts {
            if let Err(why) = value {
                let name = entity.field(*place).map_or("", |field| field.name);
                return Err(KeyFault::unstorable(name, why));
            }
        }
        Ok(Self(parts))
    }

    fn get(self, place: usize) -> Option<&'p Value> {
        self.0.iter().find(|(own, _)| *own == place)?.1.as_ref().ok()?.as_ref()
    }

    /// Renders a key attribute from these values.
    pub(crate) fn render(
        self,
        template: &Template,
        attributes: &KeyAttributes,
        attribute: &KeyAttribute,
    ) -> Result<Value, KeyFault> {
        let size_max = attributes.size_max(attribute);
        let rendered = template.render(attribute, size_max, &|place| self.get(place))?;
        // A requested key has a value for each part, even for optional ones.
        rendered.ok_or_else(|| KeyFault::missing(template.text))
    }
}

impl<E> Clone for Key<E> {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone(), entity: PhantomData }
    }
}

impl<E> PartialEq for Key<E> {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl<E> fmt::Debug for Key<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parts {
            Ok(KeyValues { partition, sort: Some(sort) }) => {
                write!(f, "Key({partition:?}, {sort:?})")
            }
            Ok(KeyValues { partition, sort: None }) => write!(f, "Key({partition:?})"),
            Err(fault) => write!(f, "Key({fault})"),
        }
    }
}
