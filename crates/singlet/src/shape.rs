//! What the macros say of tables and entities, as constants.
//!
//! A derived entity is this data and two small functions. Everything else (keys, conditions,
//! updates, queries, checks at compile time) is ordinary code that reads the data.
//!
//! The macros make constants, so their shapes live for ever: `TableShape` is a
//! `TableShapeOf<'static>`. The check of a design file makes the same shapes of what it has read, to
//! apply the same rules to them.

pub(crate) mod template;

pub use template::{KeyFault, Template, TemplateOf, TemplatePart};

use crate::attribute::{Attribute, Newtype};
use crate::design::AttributeType;
use singlet_dynamo::Value;
use singlet_dynamo::binary::{ItemRef, ValueRef};
use singlet_dynamo::limits::{PARTITION_KEY_SIZE_MAX, SORT_KEY_SIZE_MAX};
use singlet_dynamo::schema::KeyType;

/// A table, as `#[table]` declares it.
#[derive(Debug)]
pub struct TableShapeOf<'s> {
    /// The name of the Rust type.
    pub type_name: &'s str,
    /// The table's name, in which `{env}` stands for the environment.
    pub name: &'s str,
    /// The primary key.
    pub key: KeyAttributesOf<'s>,
    /// The indexes.
    pub indexes: &'s [IndexShapeOf<'s>],
    /// The attribute that holds when an item expires.
    pub ttl: Option<&'s str>,
    /// What is paid for.
    pub billing: Billing,
    /// Whether a stream of changes is kept, which the change feed reads on AWS.
    pub stream: bool,
    /// The character between the parts of its keys (ASCII), which identifiers may not contain.
    pub delimiter: u8,
    /// The entities that are in it.
    pub entities: &'s [&'s EntityShapeOf<'s>],
}

/// What is paid for: each request, or a rate of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Billing {
    /// Each request.
    OnDemand,
    /// So many units per second, whether they are used or not.
    Provisioned {
        /// Read capacity units.
        read: u32,
        /// Write capacity units.
        write: u32,
    },
}

/// The attributes of a key.
#[derive(Clone, Copy, Debug)]
pub struct KeyAttributesOf<'s> {
    /// Of the partition key.
    pub partition: KeyAttributeOf<'s>,
    /// Of the sort key, if there is one.
    pub sort: Option<KeyAttributeOf<'s>>,
}

/// An attribute of a key.
#[derive(Clone, Copy, Debug)]
pub struct KeyAttributeOf<'s> {
    /// Its name.
    pub name: &'s str,
    /// Its type.
    pub kind: KeyType,
}

/// An index, as `#[table]` declares it.
#[derive(Debug)]
pub struct IndexShapeOf<'s> {
    /// Its name.
    pub name: &'s str,
    /// Its key.
    pub key: KeyAttributesOf<'s>,
    /// What it holds besides keys.
    pub projection: ProjectedOf<'s>,
    /// Whether it is a local index, which shares the table's partition key.
    pub local: bool,
}

/// What an index holds of an item besides keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectedOf<'s> {
    /// Everything.
    All,
    /// Nothing.
    Keys,
    /// These attributes.
    Attributes(&'s [&'s str]),
}

/// An entity, as `#[derive(Entity)]` declares it.
#[derive(Debug)]
pub struct EntityShapeOf<'s> {
    /// The name of the Rust type.
    pub name: &'s str,
    /// The templates of the primary key, and the name of the pattern that reads its partition.
    pub key: KeyShapeOf<'s>,
    /// The templates of index keys, each under the name of the access pattern that it serves.
    pub indexes: &'s [IndexKeyShapeOf<'s>],
    /// The fields, in the order of their declaration.
    pub fields: &'s [FieldShapeOf<'s>],
    /// The places of the fields that are attributes by themselves, in the order of their names, in
    /// which items are stored.
    pub stored: &'s [usize],
    /// The attribute that says which entity an item is, and what it says.
    pub discriminator: Option<(&'s str, &'s str)>,
    /// The attribute that holds the fields as one JSON text.
    pub payload: Option<&'s str>,
    /// Whether its items can expire.
    pub expires: bool,
    /// The entities whose items may have the same keys, so that a key is taken once for all of
    /// them. The discriminator tells their items apart.
    pub shares_key_with: &'s [&'s str],
}

/// The templates of a key.
#[derive(Debug)]
pub struct KeyShapeOf<'s> {
    /// The name of the access pattern.
    pub pattern: &'s str,
    /// Of the partition key.
    pub partition: TemplateOf<'s>,
    /// Of the sort key, if there is one.
    pub sort: Option<TemplateOf<'s>>,
}

/// The templates of an index key.
#[derive(Debug)]
pub struct IndexKeyShapeOf<'s> {
    /// The name of the index.
    pub index: &'s str,
    /// The templates.
    pub key: KeyShapeOf<'s>,
    /// When an item has this key; always, if nothing is said.
    pub when: Option<WhenShapeOf<'s>>,
}

/// A condition on an index key: a field has one of these values.
#[derive(Clone, Copy, Debug)]
pub struct WhenShapeOf<'s> {
    /// The field's name.
    pub field: &'s str,
    /// The field's place in the entity.
    pub place: usize,
    /// The texts as they are stored; `true` and `false` of a field that is a `bool`.
    pub values: &'s [&'s str],
}

/// A field of an entity.
#[derive(Clone, Copy, Debug)]
pub struct FieldShapeOf<'s> {
    /// The field's name in Rust.
    pub name: &'s str,
    /// The attribute's name.
    pub attribute: &'s str,
    /// Where it is stored.
    pub storage: Storage,
    /// Who says what its value is.
    pub keeper: Keeper,
    /// Whether a missing value is stored as NULL.
    pub null: bool,
    /// Whether the attribute may be missing in an item.
    pub optional: bool,
    /// What kind of value it is.
    pub kind: AttributeType,
    /// The texts that it can be, if there are only some.
    pub one_of: &'s [&'s str],
}

/// Where a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As an attribute of its own.
    Attribute,
    /// Within a key and nowhere else.
    Key,
    /// As the table's time to live.
    Expiry,
    /// Within the JSON text of the payload.
    Payload,
}

/// Who says what the value of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// The program.
    Program,
    /// The model: the moment at which the item was created.
    Created,
    /// The model: the moment at which the item was last changed.
    Updated,
    /// The model: a number that grows with each change.
    Version,
}

/// A [`TableShapeOf`] that a macro has made.
pub type TableShape = TableShapeOf<'static>;
/// A [`KeyAttributesOf`] that a macro has made.
pub type KeyAttributes = KeyAttributesOf<'static>;
/// A [`KeyAttributeOf`] that a macro has made.
pub type KeyAttribute = KeyAttributeOf<'static>;
/// A [`IndexShapeOf`] that a macro has made.
pub type IndexShape = IndexShapeOf<'static>;
/// A [`ProjectedOf`] that a macro has made.
pub type Projected = ProjectedOf<'static>;
/// A [`EntityShapeOf`] that a macro has made.
pub type EntityShape = EntityShapeOf<'static>;
/// A [`KeyShapeOf`] that a macro has made.
pub type KeyShape = KeyShapeOf<'static>;
/// A [`IndexKeyShapeOf`] that a macro has made.
pub type IndexKeyShape = IndexKeyShapeOf<'static>;
/// A [`WhenShapeOf`] that a macro has made.
pub type WhenShape = WhenShapeOf<'static>;
/// A [`FieldShapeOf`] that a macro has made.
pub type FieldShape = FieldShapeOf<'static>;

/// What counts the writes of an item, for `#[attribute(version)]`: a `u64`, or a newtype of one. The
/// count never ends; one that fits fewer digits would make the item unreadable when it does.
#[diagnostic::on_unimplemented(
    message = "a `version` is a `u64`, and this is a `{Self}`",
    label = "expected `u64`, or a newtype of it",
    note = "each write adds one, and an item with a version that its type cannot hold could not be read any more"
)]
pub trait VersionNumber: Attribute {}

impl VersionNumber for u64 {}

#[diagnostic::do_not_recommend]
impl<T: Newtype> VersionNumber for T where T::Inner: VersionNumber {}

/// What there is to know of an entity at run time: one pair instead of a type, so that what works
/// on it is compiled once and not for each entity.
#[derive(Clone, Copy)]
pub(crate) struct Shapes {
    pub(crate) entity: &'static EntityShape,
    pub(crate) table: &'static TableShape,
}

impl Shapes {
    pub(crate) fn of<E: crate::entity::Entity>() -> Self {
        Self { entity: &E::SHAPE, table: <E::Table as crate::table::Table>::SHAPE }
    }
}

impl FieldShape {
    /// A field of this type, under its name in Rust and the attribute's name.
    #[must_use]
    pub const fn new<T: Attribute>(name: &'static str, attribute: &'static str) -> Self {
        Self {
            name,
            attribute,
            storage: Storage::Attribute,
            keeper: Keeper::Program,
            null: false,
            optional: T::OPTIONAL,
            kind: T::KIND,
            one_of: T::ONE_OF,
        }
    }

    /// The same, stored elsewhere.
    #[must_use]
    pub const fn stored(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// The same, kept by somebody else.
    #[must_use]
    pub const fn kept(mut self, keeper: Keeper) -> Self {
        self.keeper = keeper;
        self
    }

    /// The same, counted up by the model with each write.
    #[must_use]
    pub const fn kept_version<T: VersionNumber>(self) -> Self {
        self.kept(Keeper::Version)
    }

    /// The same, with NULL for a missing value.
    #[must_use]
    pub const fn with_null(mut self) -> Self {
        self.null = true;
        self
    }

    /// The same, with a default where the attribute is missing.
    #[must_use]
    pub const fn with_default(mut self) -> Self {
        self.optional = true;
        self
    }
}

impl TableShape {
    /// The index of this name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&'static IndexShape> {
        self.indexes.iter().find(|index| index.name == name)
    }
}

impl IndexShape {
    /// Whether the index holds an attribute of the items of its table.
    pub(crate) fn holds(&self, table: &TableShape, name: &str) -> bool {
        crate::check::holds(table, self, name)
    }
}

impl KeyAttributes {
    /// Both attributes, or the one.
    pub fn iter(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// How many bytes a value of one of the attributes may have.
    pub(crate) fn size_max(&self, attribute: &KeyAttribute) -> usize {
        match attribute.name == self.partition.name {
            true => PARTITION_KEY_SIZE_MAX,
            false => SORT_KEY_SIZE_MAX,
        }
    }
}

impl EntityShape {
    /// The field at a place, if there is one.
    pub(crate) fn field(&self, place: usize) -> Option<&'static FieldShape> {
        self.fields.get(place)
    }

    /// The place of the field that this keeper keeps.
    pub(crate) fn kept(&self, keeper: Keeper) -> Option<usize> {
        self.fields.iter().position(|field| field.keeper == keeper)
    }

    /// Whether the field stands in the primary key.
    pub(crate) fn is_in_primary_key(&self, place: usize) -> bool {
        self.key.partition.has(place) || self.key.sort.as_ref().is_some_and(|sort| sort.has(place))
    }

    /// Whether this key attribute is the very attribute of the field that its template consists
    /// of, so that it is stored once.
    pub(crate) fn is_own_attribute(&self, template: &Template, attribute: &KeyAttribute) -> bool {
        template.only_place().and_then(|place| self.field(place)).is_some_and(|field| {
            field.storage == Storage::Attribute && field.attribute == attribute.name
        })
    }
}

impl EntityShape {
    /// Whether items of another entity may have the same key.
    pub(crate) fn shares_keys(&self) -> bool {
        !self.shares_key_with.is_empty()
    }

    /// The keys of this entity in an index: one, or several with different conditions.
    pub(crate) fn keys_in(&self, index: &str) -> impl Iterator<Item = &'static IndexKeyShape> {
        self.indexes.iter().filter(move |of_index| of_index.index == index)
    }

    /// Whether an attribute of an index key hangs on the condition of the key. One that is the same
    /// field in all keys of the index does not: the other attribute suffices to keep an item out.
    pub(crate) fn is_conditional(&self, of_index: &IndexKeyShape, position: usize) -> bool {
        let field = |key: &KeyShape| key.template(position).and_then(Template::only_place);
        of_index.when.is_some()
            && match field(&of_index.key) {
                None => true,
                own => self.keys_in(of_index.index).any(|other| field(&other.key) != own),
            }
    }
}

impl WhenShape {
    /// Whether the condition holds for this value of its field.
    pub(crate) fn holds(&self, value: Option<&Value>) -> bool {
        match value {
            Some(Value::S(text)) => self.values.contains(&text.as_str()),
            Some(Value::Bool(true)) => self.values.contains(&"true"),
            Some(Value::Bool(false)) => self.values.contains(&"false"),
            _ => false,
        }
    }
}

impl IndexKeyShape {
    /// Whether an item with these values has this key in the index.
    pub(crate) fn applies<'v>(&self, value: &dyn Fn(usize) -> Option<&'v Value>) -> bool {
        self.when.as_ref().is_none_or(|when| when.holds(value(when.place)))
    }
}

impl KeyShape {
    /// The templates with the attributes that they fill.
    pub(crate) fn with<'k>(
        &'k self,
        attributes: &'k KeyAttributes,
    ) -> impl Iterator<Item = (&'k Template, &'k KeyAttribute)> {
        let sort = self.sort.as_ref().zip(attributes.sort.as_ref());
        std::iter::once((&self.partition, &attributes.partition)).chain(sort)
    }

    /// Whether an item has a key of these templates in these attributes.
    pub(crate) fn matches(&self, attributes: &KeyAttributes, item: ItemRef<'_>) -> bool {
        self.with(attributes).all(|(template, attribute)| match item.get(attribute.name) {
            Some(ValueRef::S(text)) => template.matches(text),
            Some(ValueRef::N(_) | ValueRef::B(_)) => template.only_place().is_some(),
            _ => false,
        })
    }

    /// The template of the partition key (0) or the sort key (1).
    pub(crate) fn template(&self, position: usize) -> Option<&Template> {
        match position {
            0 => Some(&self.partition),
            _ => self.sort.as_ref(),
        }
    }

    /// Whether there is a key attribute of this template, one of the two here. A field by itself
    /// is there or not; of composed attributes either all are there or none, so that an item is in
    /// an index with its whole key or not at all.
    pub(crate) fn has<'v>(
        &self,
        template: &Template,
        value: &dyn Fn(usize) -> Option<&'v Value>,
    ) -> bool {
        match template.only_place() {
            Some(_) => template.is_filled(value),
            None => self.composed().all(|template| template.is_filled(value)),
        }
    }

    /// The templates that have more to them than a field.
    pub(crate) fn composed(&self) -> impl Iterator<Item = &Template> {
        let both = std::iter::once(&self.partition).chain(&self.sort);
        both.filter(|template| template.only_place().is_none())
    }
}
