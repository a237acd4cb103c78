//! Converts a design from a file into the shapes that the macros generate, so that the rules in
//! [`crate::check`] apply to both.

use super::check::{Finding, Place};
use super::{
    Attribute, AttributeType, Design, Entity, IndexKey, KeyAttribute, KeyAttributes, Piece, Table,
    Template,
};
use crate::check::{Fault, entity_fault, table_fault};
use crate::key::{Form, Segment, Shape};
use crate::shape::{
    EntityShapeOf, FieldShapeOf, IndexKeyShapeOf, Keeper, KeyShapeOf, Storage, TableShapeOf,
    TemplateOf, TemplatePart, WhenShapeOf,
};
use singlet_dynamo::schema::KeyType;

/// Applies the shared rules to a table and its entities.
pub(super) fn faults(design: &Design, table: &Table) -> Vec<Finding> {
    let delimiter = design.delimiter_of(table);
    let pieces: Vec<EntityPieces<'_>> =
        table.entities.iter().map(|entity| EntityPieces::of(table, entity, delimiter)).collect();
    let lists: Vec<EntityLists<'_>> = pieces.iter().map(EntityPieces::lists).collect();
    let both = || pieces.iter().zip(&lists);
    let keys: Vec<Vec<IndexKeyShapeOf<'_>>> =
        both().map(|(pieces, lists)| pieces.index_keys(lists)).collect();
    let entities: Vec<EntityShapeOf<'_>> =
        both().zip(&keys).map(|((pieces, lists), keys)| pieces.shape(lists, keys)).collect();
    let entities: Vec<&EntityShapeOf<'_>> = entities.iter().collect();
    let shape = TableShapeOf {
        type_name: &table.name,
        name: &table.name,
        elsewhere: None,
        key: table.key.clone(),
        indexes: &table.indexes,
        ttl: table.ttl.as_deref(),
        billing: table.billing,
        stream: false,
        // No form depends on a non-ASCII delimiter.
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

/// The parsed templates and lists of an entity, which its shape borrows.
struct EntityPieces<'d> {
    table: &'d Table,
    entity: &'d Entity,
    key: KeyPieces<'d>,
    indexes: Vec<KeyPieces<'d>>,
    /// For each attribute, its allowed texts.
    one_of: Vec<Vec<&'d str>>,
    /// For each index key, the values of its condition.
    values: Vec<Vec<&'d str>>,
    shares_key_with: Vec<&'d str>,
}

struct KeyPieces<'d> {
    partition: Vec<TemplatePieces<'d>>,
    sort: Vec<TemplatePieces<'d>>,
}

/// The lists of a key's shape.
struct TemplateLists<'p> {
    partition: Vec<TemplateOf<'p>>,
    sort: Vec<TemplateOf<'p>>,
}

struct TemplatePieces<'d> {
    text: String,
    segments: Vec<Segment<'d>>,
    parts: Vec<TemplatePart>,
}

/// The lists of an entity's shape.
struct EntityLists<'p> {
    key: TemplateLists<'p>,
    keys: Vec<TemplateLists<'p>>,
    fields: Vec<FieldShapeOf<'p>>,
}

impl<'d> EntityPieces<'d> {
    fn of(table: &'d Table, entity: &'d Entity, delimiter: char) -> Self {
        let texts = |texts: &'d [String]| texts.iter().map(String::as_str).collect();
        let keys = |schema: Option<&KeyAttributes>,
                    partition: &'d [Template],
                    sort: &'d [Template]| {
            let pieces = |templates: &'d [Template], kinds: Vec<KeyType>| {
                let kinds = kinds.into_iter().map(Some).chain(std::iter::repeat(None));
                let pieces = templates.iter().zip(kinds);
                pieces.map(|(own, kind)| TemplatePieces::of(entity, own, kind, delimiter)).collect()
            };
            let kinds = |own: &KeyAttribute| own.kind;
            let of_partition = schema.map(|key| key.partition.iter().map(kinds).collect());
            let of_sort = schema.map(|key| key.sort.iter().map(kinds).collect());
            KeyPieces {
                partition: pieces(partition, of_partition.unwrap_or_default()),
                sort: pieces(sort, of_sort.unwrap_or_default()),
            }
        };
        let key = keys(Some(&table.key), &entity.key.partition, &entity.key.sort);
        let of_index = |key: &'d IndexKey| {
            let schema = table.index(&key.index).map(|index| &index.key);
            keys(schema, &key.partition, &key.sort)
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
        let attributes = self.entity.attributes.iter().zip(&self.one_of);
        EntityLists {
            key: self.key.lists(),
            keys: self.indexes.iter().map(KeyPieces::lists).collect(),
            fields: attributes.map(|(own, one_of)| self.field(own, one_of)).collect(),
        }
    }

    fn index_keys<'p>(&'p self, lists: &'p EntityLists<'p>) -> Vec<IndexKeyShapeOf<'p>> {
        let keys = self.entity.indexes.iter().zip(&lists.keys).zip(&self.values);
        keys.map(|((key, lists), values)| IndexKeyShapeOf {
            index: &key.index,
            key: lists.shape(),
            when: key.when.as_ref().map(|when| WhenShapeOf {
                field: &when.attribute,
                place: place_of(self.entity, &when.attribute),
                values,
            }),
        })
        .collect()
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
            // Any number may be in epoch seconds.
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

    fn shape<'p>(
        &'p self,
        lists: &'p EntityLists<'p>,
        indexes: &'p [IndexKeyShapeOf<'p>],
    ) -> EntityShapeOf<'p> {
        let entity = self.entity;
        EntityShapeOf {
            name: &entity.name,
            key: lists.key.shape(),
            indexes,
            fields: &lists.fields,
            stored: &[],
            discriminator: entity
                .discriminator
                .as_ref()
                .map(|own| (own.attribute.as_str(), own.value.as_str())),
            payload: entity.payload.as_deref(),
            // With a separate expiry attribute, items are overwritten rather than deleted, like
            // locks.
            expires: entity.expires.as_ref().is_some_and(|expiry| expiry.attribute.is_none()),
            shares_key_with: &self.shares_key_with,
        }
    }
}

impl KeyPieces<'_> {
    fn lists(&self) -> TemplateLists<'_> {
        TemplateLists {
            partition: self.partition.iter().map(TemplatePieces::shape).collect(),
            sort: self.sort.iter().map(TemplatePieces::shape).collect(),
        }
    }
}

impl TemplateLists<'_> {
    fn shape(&self) -> KeyShapeOf<'_> {
        KeyShapeOf { pattern: "", partition: &self.partition, sort: &self.sort }
    }
}

impl<'d> TemplatePieces<'d> {
    /// Parses a template for a key attribute of this type.
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
                    // Numbers of equal width sort correctly even without a width in the template.
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

/// Position of an attribute in the entity; `usize::MAX` if it is undeclared.
fn place_of(entity: &Entity, name: &str) -> usize {
    let place = entity.attributes.iter().position(|attribute| attribute.name == name);
    place.unwrap_or(usize::MAX)
}

/// Shape of an attribute's values in a key. An undeclared attribute is assumed to be an identifier,
/// or an integer if it has a width.
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

/// Number of digits of an integer, if all values have the same.
fn digits(attribute: &Attribute) -> Option<u8> {
    // Epoch seconds have ten digits from 2001 to 2286.
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
