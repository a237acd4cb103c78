//! A design from a file as the shapes that macros make of declarations, so that the rules of
//! [`crate::check`] apply to both.

use super::check::{Finding, Place};
use super::{Attribute, AttributeType, Design, Entity, IndexKey, Piece, Table, Template};
use crate::check::{Fault, entity_fault, table_fault};
use crate::key::{Form, Segment, Shape};
use crate::shape::{
    Billing, EntityShapeOf, FieldShapeOf, IndexKeyShapeOf, IndexShapeOf, Keeper, KeyAttributeOf,
    KeyAttributesOf, KeyShapeOf, ProjectedOf, Storage, TableShapeOf, TemplateOf, TemplatePart,
    WhenShapeOf,
};
use singlet_dynamo::schema::{IndexProjection, KeyAttribute, KeySchema, KeyType, Scope};

/// What the rules find in a table and its entities.
pub(super) fn faults(design: &Design, table: &Table) -> Vec<Finding> {
    let delimiter = design.delimiter_of(table);
    let pieces: Vec<EntityPieces<'_>> =
        table.entities.iter().map(|entity| EntityPieces::of(table, entity, delimiter)).collect();
    let lists: Vec<EntityLists<'_>> = pieces.iter().map(EntityPieces::lists).collect();
    let entities: Vec<EntityShapeOf<'_>> =
        pieces.iter().zip(&lists).map(|(pieces, lists)| pieces.shape(lists)).collect();
    let entities: Vec<&EntityShapeOf<'_>> = entities.iter().collect();
    let included: Vec<Vec<&str>> =
        table.indexes.iter().map(|index| names(&index.projection)).collect();
    let indexes: Vec<IndexShapeOf<'_>> = table
        .indexes
        .iter()
        .zip(&included)
        .map(|(index, included)| IndexShapeOf {
            name: &index.name,
            key: key_attributes(&index.key),
            projection: match index.projection {
                IndexProjection::All => ProjectedOf::All,
                IndexProjection::KeysOnly => ProjectedOf::Keys,
                IndexProjection::Include(_) => ProjectedOf::Attributes(included),
            },
            local: index.scope == Scope::Local,
        })
        .collect();
    let shape = TableShapeOf {
        type_name: &table.name,
        name: &table.name,
        key: key_attributes(&table.key),
        indexes: &indexes,
        ttl: table.ttl.as_deref(),
        billing: Billing::OnDemand,
        stream: false,
        // One that is not ASCII is in no form.
        delimiter: u8::try_from(delimiter).ok().filter(u8::is_ascii).unwrap_or_default(),
        entities: &entities,
    };
    let of_table = (0..).map_while(|number| table_fault(&shape, number));
    let of_entities = entities
        .iter()
        .flat_map(|entity| (0..).map_while(|number| entity_fault(entity, &shape, number)));
    of_table.chain(of_entities).map(|fault| finding(table, &fault)).collect()
}

fn finding(table: &Table, fault: &Fault<'_>) -> Finding {
    let name = |name: Option<&str>| name.map(str::to_owned);
    Finding {
        code: fault.code,
        severity: fault.severity,
        place: Place {
            entity: name(fault.entity),
            index: name(fault.index),
            attribute: name(fault.attribute),
            ..Place::table(&table.name)
        },
        message: fault.message.text().to_owned(),
        advice: fault.advice.text().to_owned(),
        accepted: None,
    }
}

fn names(projection: &IndexProjection) -> Vec<&str> {
    match projection {
        IndexProjection::Include(names) => names.iter().map(String::as_str).collect(),
        IndexProjection::All | IndexProjection::KeysOnly => Vec::new(),
    }
}

fn key_attributes(key: &KeySchema) -> KeyAttributesOf<'_> {
    fn attribute(attribute: &KeyAttribute) -> KeyAttributeOf<'_> {
        KeyAttributeOf { name: &attribute.name, kind: attribute.kind }
    }
    KeyAttributesOf { partition: attribute(&key.partition), sort: key.sort.as_ref().map(attribute) }
}

/// What the templates of an entity are made of.
struct EntityPieces<'d> {
    table: &'d Table,
    entity: &'d Entity,
    key: KeyPieces<'d>,
    indexes: Vec<KeyPieces<'d>>,
    /// For each attribute, the texts that it can be.
    one_of: Vec<Vec<&'d str>>,
    /// For each key in an index, the values of its condition.
    values: Vec<Vec<&'d str>>,
    shares_key_with: Vec<&'d str>,
}

struct KeyPieces<'d> {
    partition: TemplatePieces<'d>,
    sort: Option<TemplatePieces<'d>>,
}

struct TemplatePieces<'d> {
    text: String,
    segments: Vec<Segment<'d>>,
    parts: Vec<TemplatePart>,
}

/// The lists of an entity's shape.
struct EntityLists<'p> {
    indexes: Vec<IndexKeyShapeOf<'p>>,
    fields: Vec<FieldShapeOf<'p>>,
}

impl<'d> EntityPieces<'d> {
    fn of(table: &'d Table, entity: &'d Entity, delimiter: char) -> Self {
        let texts = |texts: &'d [String]| texts.iter().map(String::as_str).collect();
        let keys = |schema: Option<&KeySchema>, partition, sort: Option<&'d Template>| {
            let kind = |attribute: Option<&KeyAttribute>| attribute.map(|own| own.kind);
            let of_partition = kind(schema.map(|key| &key.partition));
            let of_sort = kind(schema.and_then(|key| key.sort.as_ref()));
            let pieces = |template, kind| TemplatePieces::of(entity, template, kind, delimiter);
            KeyPieces {
                partition: pieces(partition, of_partition),
                sort: sort.map(|sort| pieces(sort, of_sort)),
            }
        };
        let key = keys(Some(&table.key), &entity.key.partition, entity.key.sort.as_ref());
        let of_index = |key: &'d IndexKey| {
            let schema = table.index(&key.index).map(|index| &index.key);
            keys(schema, &key.partition, key.sort.as_ref())
        };
        let values = |key: &'d IndexKey| key.when.as_ref().map(|when| texts(&when.values));
        Self {
            table,
            entity,
            key,
            indexes: entity.indexes.iter().map(of_index).collect(),
            one_of: entity.attributes.iter().map(|own| texts(&own.one_of)).collect(),
            values: entity.indexes.iter().map(|key| values(key).unwrap_or_default()).collect(),
            shares_key_with: texts(&entity.shares_key_with),
        }
    }

    fn lists(&self) -> EntityLists<'_> {
        let keys = self.entity.indexes.iter().zip(&self.indexes).zip(&self.values);
        let attributes = self.entity.attributes.iter().zip(&self.one_of);
        EntityLists {
            indexes: keys
                .map(|((key, pieces), values)| IndexKeyShapeOf {
                    index: &key.index,
                    key: pieces.shape(),
                    when: key.when.as_ref().map(|when| WhenShapeOf {
                        field: &when.attribute,
                        place: place_of(self.entity, &when.attribute),
                        values,
                    }),
                })
                .collect(),
            fields: attributes.map(|(own, one_of)| self.field(own, one_of)).collect(),
        }
    }

    fn field<'p>(&'p self, attribute: &'p Attribute, one_of: &'p [&'d str]) -> FieldShapeOf<'p> {
        let is_expiry = self.table.ttl.as_ref() == Some(&attribute.name)
            && matches!(
                attribute.kind,
                AttributeType::EpochSeconds | AttributeType::Integer | AttributeType::Number
            );
        let (storage, kind) = if attribute.in_key {
            (Storage::Key, attribute.kind)
        } else if attribute.in_payload {
            (Storage::Payload, attribute.kind)
        } else if is_expiry {
            // Any number may be one of seconds.
            (Storage::Expiry, AttributeType::EpochSeconds)
        } else {
            (Storage::Attribute, attribute.kind)
        };
        FieldShapeOf {
            name: &attribute.name,
            attribute: &attribute.name,
            storage,
            keeper: Keeper::Program,
            null: false,
            optional: attribute.optional,
            kind,
            one_of,
        }
    }

    fn shape<'p>(&'p self, lists: &'p EntityLists<'p>) -> EntityShapeOf<'p> {
        let entity = self.entity;
        EntityShapeOf {
            name: &entity.name,
            key: self.key.shape(),
            indexes: &lists.indexes,
            fields: &lists.fields,
            stored: &[],
            discriminator: entity
                .discriminator
                .as_ref()
                .map(|own| (own.attribute.as_str(), own.value.as_str())),
            payload: entity.payload.as_deref(),
            // An entity with an attribute of its own for this is overwritten, like a lock.
            expires: entity.expires.as_ref().is_some_and(|expiry| expiry.attribute.is_none()),
            shares_key_with: &self.shares_key_with,
        }
    }
}

impl KeyPieces<'_> {
    fn shape(&self) -> KeyShapeOf<'_> {
        KeyShapeOf {
            pattern: "",
            partition: self.partition.shape(),
            sort: self.sort.as_ref().map(TemplatePieces::shape),
        }
    }
}

impl<'d> TemplatePieces<'d> {
    /// The pieces of a template for a key attribute of this type.
    fn of(
        entity: &'d Entity,
        template: &'d Template,
        kind: Option<KeyType>,
        delimiter: char,
    ) -> Self {
        let (mut segments, mut parts) = (Vec::new(), Vec::new());
        for piece in template.pieces() {
            segments.push(match piece {
                Piece::Literal(text) => Segment::Literal(text),
                Piece::Field { name, width } => {
                    let attribute = entity.attribute(name);
                    let is_text = kind.is_none_or(|kind| kind == KeyType::S);
                    // Text of one width sorts as numbers do, whether or not the template says so.
                    let own_width = attribute.filter(|_| is_text).and_then(digits);
                    let (width, place) =
                        (width.or(own_width).unwrap_or_default(), place_of(entity, name));
                    let shape = shape_of(attribute, width, delimiter);
                    let optional = attribute.is_some_and(|own| own.optional);
                    parts.push(TemplatePart { place, shape, width, optional });
                    Segment::part(name, shape.form(width))
                }
            });
        }
        Self { text: template.to_string(), segments, parts }
    }

    fn shape(&self) -> TemplateOf<'_> {
        TemplateOf { text: &self.text, segments: &self.segments, parts: &self.parts }
    }
}

/// The place of an attribute in the entity, or none that there is.
fn place_of(entity: &Entity, name: &str) -> usize {
    let place = entity.attributes.iter().position(|attribute| attribute.name == name);
    place.unwrap_or(usize::MAX)
}

/// What the values of an attribute look like in a key. One of which nothing is said is taken for an
/// identifier, or for a number if it has a width, which is what people mean.
fn shape_of(attribute: Option<&Attribute>, width: u8, delimiter: char) -> Shape {
    let Some(attribute) = attribute else {
        let closed = u8::try_from(delimiter).map_or(Form::Open, Form::Without);
        return if width > 0 { Shape::Integer } else { Shape::Text(closed) };
    };
    match attribute.kind {
        AttributeType::Integer | AttributeType::EpochSeconds => Shape::Integer,
        AttributeType::Number => Shape::Number,
        AttributeType::Binary => Shape::Bytes,
        AttributeType::Boolean
        | AttributeType::List
        | AttributeType::Map
        | AttributeType::Struct
        | AttributeType::TextSet
        | AttributeType::NumberSet
        | AttributeType::BinarySet
        | AttributeType::Any => Shape::Other,
        _ => Shape::Text(attribute.form(delimiter)),
    }
}

/// How many digits all values of a whole number have, if it is the same for all of them.
fn digits(attribute: &Attribute) -> Option<u8> {
    // Seconds since 1970 have had ten digits since 2001, and will until 2286.
    if attribute.kind == AttributeType::EpochSeconds {
        return Some(10);
    }
    if attribute.kind != AttributeType::Integer {
        return None;
    }
    let digits = |number: i64| u8::try_from(number.to_string().len()).ok();
    let (min, max) = (attribute.min.filter(|min| *min >= 0)?, attribute.max?);
    digits(min).filter(|_| digits(min) == digits(max))
}
