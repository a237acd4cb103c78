//! Keys and indexes, to the SDK's types.

use super::super::error::failed;
use crate::backend::BackendError;
use aws_sdk_dynamodb::types;
use aws_sdk_dynamodb::types::builders::GlobalSecondaryIndexBuilder;
use singlet_dynamo::schema::{
    Index, IndexProjection, KeyAttribute, KeySchema, KeyType, TableSchema,
};

/// The types of all attributes that stand in keys, each once.
pub(super) fn attribute_definitions(
    schema: &TableSchema,
) -> Result<Vec<types::AttributeDefinition>, BackendError> {
    let of_indexes = schema.indexes.iter().flat_map(|index| index.key.attributes());
    let mut attributes: Vec<&KeyAttribute> = schema.key.attributes().chain(of_indexes).collect();
    attributes.sort_by(|one, other| one.name.cmp(&other.name));
    attributes.dedup();
    attributes.iter().map(|attribute| definition(&attribute.name, attribute.kind)).collect()
}

pub(super) fn definition(
    name: &str,
    kind: KeyType,
) -> Result<types::AttributeDefinition, BackendError> {
    let kind = match kind {
        KeyType::S => types::ScalarAttributeType::S,
        KeyType::N => types::ScalarAttributeType::N,
        KeyType::B => types::ScalarAttributeType::B,
    };
    types::AttributeDefinition::builder()
        .attribute_name(name)
        .attribute_type(kind)
        .build()
        .map_err(failed)
}

pub(super) fn key_schema(key: &KeySchema) -> Result<Vec<types::KeySchemaElement>, BackendError> {
    let element = |attribute: &KeyAttribute, role| {
        types::KeySchemaElement::builder()
            .attribute_name(&attribute.name)
            .key_type(role)
            .build()
            .map_err(failed)
    };
    let partition = element(&key.partition, types::KeyType::Hash);
    let sort = key.sort.as_ref().map(|attribute| element(attribute, types::KeyType::Range));
    std::iter::once(partition).chain(sort).collect()
}

pub(super) fn projection(projection: &IndexProjection) -> types::Projection {
    let builder = types::Projection::builder();
    match projection {
        IndexProjection::All => builder.projection_type(types::ProjectionType::All),
        IndexProjection::KeysOnly => builder.projection_type(types::ProjectionType::KeysOnly),
        IndexProjection::Include(names) => builder
            .projection_type(types::ProjectionType::Include)
            .set_non_key_attributes(Some(names.clone())),
    }
    .build()
}

pub(super) fn local_index(index: &Index) -> Result<types::LocalSecondaryIndex, BackendError> {
    types::LocalSecondaryIndex::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_schema(&index.key)?))
        .projection(projection(&index.projection))
        .build()
        .map_err(failed)
}

pub(super) fn global_index(index: &Index) -> Result<GlobalSecondaryIndexBuilder, BackendError> {
    Ok(types::GlobalSecondaryIndex::builder()
        .index_name(&index.name)
        .set_key_schema(Some(key_schema(&index.key)?))
        .projection(projection(&index.projection)))
}
