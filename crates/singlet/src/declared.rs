//! Builds the [`Design`] of declared types.

use crate::design::{
    AccessPattern, Action, Attribute, Design, Discriminator, Entity, EntityKey, ExpiredItems,
    Expiry, IndexKey, KeyAttributes, KeyCondition, KeyTest, Operation, Piece, Since, Table,
    Template, When,
};
use crate::key::Segment;
use crate::shape::{self, EntityShape, FieldShape, KeyShape, Storage, TableShape};
use singlet_dynamo::table::StreamViewType;

/// The design of declared tables. Each entity has the patterns that its keys serve: getting an
/// item, querying a partition, and one query per index key, with the name of its pattern.
pub(crate) fn design(name: &str, tables: &[&'static TableShape]) -> Design {
    let mut design = Design::new(name);
    for shape in tables {
        design.tables.push(table(shape));
        for entity in shape.entities {
            design.patterns.extend(patterns(shape, entity));
        }
    }
    design
}

pub(crate) fn table(shape: &TableShape) -> Table {
    let mut table = Table::new(shape.name, shape.key.clone());
    table.indexes = shape.indexes.to_vec();
    let delimiter = char::from(shape.delimiter);
    table.delimiter = (delimiter != crate::key::DELIMITER).then_some(delimiter);
    table.ttl = shape.ttl.map(str::to_owned);
    table.billing = shape.billing;
    table.stream = shape.stream.then_some(StreamViewType::NewAndOldImages);
    table.entities = shape.entities.iter().map(|entity| self::entity(entity)).collect();
    table
}

fn entity(shape: &EntityShape) -> Entity {
    let key = EntityKey {
        partition: templates(shape, shape.key.partition),
        sort: templates(shape, shape.key.sort),
    };
    let mut entity = Entity::new(shape.name, key);
    entity.indexes = shape.indexes.iter().map(|of_index| index_key(shape, of_index)).collect();
    entity.discriminator = shape.discriminator.map(|(attribute, value)| Discriminator {
        attribute: attribute.to_owned(),
        value: value.to_owned(),
    });
    entity.shares_key_with = shape.shares_key_with.iter().map(|name| (*name).to_owned()).collect();
    entity.payload = shape.payload.map(str::to_owned);
    let fields = shape.fields.iter().enumerate();
    let fields = fields.filter(|(_, field)| field.storage != Storage::Expiry);
    entity.attributes = fields.map(|(place, field)| attribute(shape, place, field)).collect();
    if shape.expires {
        entity.expires = Some(Expiry { attribute: None, since: Since::Given, seconds: None });
    }
    entity
}

fn index_key(shape: &EntityShape, of_index: &shape::IndexKeyShape) -> IndexKey {
    let KeyShape { partition, sort, .. } = &of_index.key;
    let mut key =
        IndexKey::new(of_index.index, templates(shape, partition), templates(shape, sort));
    let mut parts = partition.iter().chain(*sort).flat_map(|template| template.parts);
    let optional = parts.find(|part| part.optional).and_then(|part| shape.field(part.place));
    key.only_with = optional.map(|field| field.attribute.to_owned());
    key.when = of_index.when.as_ref().map(|when| {
        let field = shape.field(when.place).map_or(when.field, |field| field.attribute);
        When::new(field, when.values.iter().copied())
    });
    key
}

fn attribute(shape: &EntityShape, place: usize, field: &FieldShape) -> Attribute {
    let mut attribute = Attribute::new(field.attribute, field.kind);
    // A default or an empty set also makes the attribute optional. In a key a field with a default
    // always has a value.
    let of_indexes = shape.indexes.iter().map(|of_index| &of_index.key);
    let keys = std::iter::once(&shape.key).chain(of_indexes);
    let templates = keys.flat_map(|key| key.partition.iter().chain(key.sort));
    let mut parts = templates.flat_map(|template| template.parts);
    let is_always_there = parts.any(|part| part.place == place && !part.optional);
    attribute.optional = field.optional && !is_always_there;
    attribute.in_key = field.storage == Storage::Key;
    attribute.in_payload = field.storage == Storage::Payload;
    attribute.one_of = field.one_of.iter().map(|text| (*text).to_owned()).collect();
    attribute
}

fn templates(shape: &EntityShape, templates: &[shape::Template]) -> Vec<Template> {
    templates.iter().map(|own| template(shape, own)).collect()
}

/// A template that names attributes instead of fields.
fn template(shape: &EntityShape, template: &shape::Template) -> Template {
    let pieces = template.pieces().map(|(segment, part)| match (segment, part) {
        (Segment::Literal(text), _) => Piece::Literal(text.to_owned()),
        (Segment::Part { name, .. }, part) => {
            let field = part.and_then(|part| shape.field(part.place));
            Piece::Field {
                name: field.map_or(name, |field| field.attribute).to_owned(),
                width: part.map(|part| part.width).filter(|width| *width > 0),
            }
        }
    });
    pieces.collect()
}

/// The access patterns that an entity's keys serve.
fn patterns(table: &TableShape, shape: &EntityShape) -> Vec<AccessPattern> {
    let mut patterns = Vec::with_capacity(shape.indexes.len() + 2);
    let mut get = operation(table, shape, Action::GetItem);
    get.key = conditions(shape, &shape.key, &table.key, true);
    patterns.push(AccessPattern::new(format!("{}::key", shape.name), vec![get]));
    if shape.key.first_sort().is_some_and(|sort| !sort.parts.is_empty()) {
        let mut query = operation(table, shape, Action::Query);
        query.key = conditions(shape, &shape.key, &table.key, false);
        let name = format!("{}::{}", shape.name, shape.key.pattern);
        patterns.push(AccessPattern::new(name, vec![query]));
    }
    for of_index in shape.indexes {
        if let Some(index) = table.index(of_index.index) {
            let mut query = operation(table, shape, Action::Query);
            query.index = Some(index.name().to_owned());
            query.key = conditions(shape, &of_index.key, &index.key, false);
            let name = format!("{}::{}", shape.name, of_index.key.pattern);
            patterns.push(AccessPattern::new(name, vec![query]));
        }
    }
    patterns
}

fn operation(table: &TableShape, shape: &EntityShape, action: Action) -> Operation {
    let mut operation = Operation::new(action);
    operation.table = Some(table.name.to_owned());
    operation.entities = vec![shape.name.to_owned()];
    if shape.expires {
        operation.expired = ExpiredItems::Skipped;
    }
    operation
}

/// The conditions of a read by key: on the whole key, or on its partition and a prefix of its sort
/// key.
fn conditions(
    shape: &EntityShape,
    key: &KeyShape,
    attributes: &KeyAttributes,
    whole: bool,
) -> Vec<KeyCondition> {
    let equals = |one| KeyTest::Equals(template(shape, one));
    let partition = key.partition.iter().zip(attributes.partition.iter());
    let mut conditions: Vec<KeyCondition> = partition
        .map(|(own, attribute)| KeyCondition::new(attribute.name(), equals(own)))
        .collect();
    if let (Some(sort), Some(attribute)) = (key.first_sort(), attributes.sort.first()) {
        let leading = sort.leading_text();
        let test = match (whole || sort.parts.is_empty(), leading.is_empty()) {
            (true, _) => Some(equals(sort)),
            (false, true) => None,
            (false, false) => {
                let prefix = [Piece::Literal(leading.to_owned())];
                Some(KeyTest::BeginsWith(prefix.into_iter().collect()))
            }
        };
        conditions.extend(test.map(|test| KeyCondition::new(attribute.name(), test)));
    }
    conditions
}
