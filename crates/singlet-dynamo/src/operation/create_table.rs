//! CreateTable: a new table with its keys and indexes.

use super::definition::{
    AttributeDefinitionBody, Definitions, IndexBody, IndexMembers, KeyElement, KeyElementBody,
    OnDemandBody, StreamBody, StreamMembers, ThroughputBody, check_bounds, first_repeated,
    read_list,
};
use super::table_name;
use super::tag::{TagBody, tags_of};
use crate::Timestamp;
use crate::arn::Home;
use crate::constraint::Constraints;
use crate::error::{Error, ErrorKind, Result};
use crate::json::kept::Kept;
use crate::json::{Reader, Writer};
use crate::schema::{
    Index, IndexProjection, KeyLimits, KeySchema, NO_DEFINITION, Scope, TableSchema,
};
use crate::table::{
    BillingMode, IndexDescription, ProvisionedThroughput, StreamViewType, TableClass,
    TableDescription, TableStatus, Tags, Throughput, ThroughputDescription,
};

/// Maximum number of global indexes of a table.
pub(super) const GLOBAL_INDEXES_MAX: usize = 20;
/// Maximum number of local indexes of a table.
const LOCAL_INDEXES_MAX: usize = 5;
/// Maximum number of attributes that all indexes of a table together project by name.
const PROJECTED_ATTRIBUTES_MAX: usize = 100;

/// Creates a table.
///
/// ```
/// use singlet_dynamo::operation::CreateTable;
/// use singlet_dynamo::schema::KeyType;
///
/// let request = CreateTable::from_json(br#"{
///     "TableName": "games",
///     "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
///     "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
///     "BillingMode": "PAY_PER_REQUEST"
/// }"#)?;
/// assert_eq!(request.schema.key.first().kind, KeyType::S);
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    /// The table's name, keys and indexes.
    pub schema: TableSchema,
    /// The billing mode and throughput.
    pub throughput: Throughput,
    /// The throughput of global indexes, by name. For those missing here: none if the table is
    /// provisioned, else on demand.
    pub index_throughput: Vec<(String, Throughput)>,
    /// The view type of its stream, if it has one.
    pub stream: Option<StreamViewType>,
    /// Its class, if set.
    pub class: Option<TableClass>,
    /// Whether deletion protection is on.
    pub deletion_protection: bool,
    /// Its tags.
    pub tags: Tags,
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    table_name: Option<String>,
    attribute_definitions: Option<Kept<AttributeDefinitionBody>>,
    key_schema: Option<Kept<KeyElementBody>>,
    local_secondary_indexes: Option<Kept<IndexBody>>,
    global_secondary_indexes: Option<Kept<IndexBody>>,
    billing_mode: Option<String>,
    provisioned_throughput: Option<ThroughputBody>,
    on_demand_throughput: Option<OnDemandBody>,
    stream_specification: Option<StreamBody>,
    table_class: Option<String>,
    deletion_protection_enabled: Option<bool>,
    tags: Option<Kept<TagBody>>,
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.structure("CreateTableInput", |reader, member| {
            match member {
                "TableName" => body.table_name = reader.owned_string()?,
                "AttributeDefinitions" => {
                    body.attribute_definitions = read_list(reader, AttributeDefinitionBody::read)?;
                }
                "KeySchema" => body.key_schema = read_list(reader, KeyElementBody::read)?,
                "LocalSecondaryIndexes" => {
                    body.local_secondary_indexes =
                        read_list(reader, |reader| IndexBody::read(reader, "LocalSecondaryIndex"))?;
                }
                "GlobalSecondaryIndexes" => {
                    body.global_secondary_indexes = read_list(reader, |reader| {
                        IndexBody::read(reader, "GlobalSecondaryIndex")
                    })?;
                }
                "BillingMode" => body.billing_mode = reader.owned_string()?,
                "ProvisionedThroughput" => {
                    body.provisioned_throughput = ThroughputBody::read(reader)?;
                }
                "OnDemandThroughput" => body.on_demand_throughput = OnDemandBody::read(reader)?,
                "StreamSpecification" => body.stream_specification = StreamBody::read(reader)?,
                "TableClass" => body.table_class = reader.owned_string()?,
                "DeletionProtectionEnabled" => {
                    body.deletion_protection_enabled = reader.boolean()?;
                }
                "Tags" => body.tags = read_list(reader, TagBody::read)?,
                // A table without the requested index would give wrong results.
                "VectorIndexes" => return Err(super::unsupported("VectorIndexes")),
                // Encryption, policies and warm throughput have no effect that a client could see.
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        reader.end()?;
        Ok(body)
    }
}

/// The members, validated one by one.
struct Members {
    table_name: String,
    definitions: Definitions,
    elements: Vec<KeyElement>,
    local_indexes: Option<Vec<IndexMembers>>,
    global_indexes: Option<Vec<IndexMembers>>,
    billing_mode: BillingMode,
    provisioned_throughput: Option<ProvisionedThroughput>,
    on_demand_throughput: Option<OnDemandBody>,
    stream: Option<StreamMembers>,
    table_class: Option<String>,
    deletion_protection: bool,
    tags: Kept<TagBody>,
}

impl Members {
    fn constrain(body: Body) -> Result<Self> {
        let table_name = table_name::new_table(body.table_name)?;
        let mut constraints = Constraints::default();
        constraints.required("attributeDefinitions", &body.attribute_definitions);
        let definitions = Definitions::constrain(
            &mut constraints,
            body.attribute_definitions.unwrap_or_default(),
        );
        let billing_mode =
            constraints.one_of("billingMode", body.billing_mode.as_deref(), &BillingMode::CHOICES);
        let provisioned_throughput = body
            .provisioned_throughput
            .and_then(|throughput| throughput.constrain(&mut constraints, "provisionedThroughput"));
        let elements = KeyElementBody::constrain_all(
            &mut constraints,
            "keySchema",
            body.key_schema,
            KeyLimits::Simple,
        );
        let global_indexes = constrain_indexes(
            &mut constraints,
            "globalSecondaryIndexes",
            body.global_secondary_indexes,
            KeyLimits::Composite,
        );
        let local_indexes = constrain_indexes(
            &mut constraints,
            "localSecondaryIndexes",
            body.local_secondary_indexes,
            KeyLimits::Simple,
        );
        let stream = body.stream_specification.map(|stream| stream.constrain(&mut constraints));
        constraints.finish()?;
        Ok(Self {
            table_name,
            definitions,
            elements,
            local_indexes,
            global_indexes,
            billing_mode: billing_mode.unwrap_or(BillingMode::Provisioned),
            provisioned_throughput,
            on_demand_throughput: body.on_demand_throughput,
            stream,
            table_class: body.table_class,
            deletion_protection: body.deletion_protection_enabled.unwrap_or(false),
            tags: body.tags.unwrap_or_default(),
        })
    }

    /// The table's throughput, which must match its billing mode.
    fn throughput(&self) -> Result<Throughput> {
        let on_demand = self.on_demand_throughput.unwrap_or_default();
        match (self.billing_mode, self.provisioned_throughput) {
            (BillingMode::PayPerRequest, Some(_)) => Err(Error::invalid_parameter(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
            )),
            (BillingMode::PayPerRequest, None) => {
                Ok(Throughput::OnDemand(on_demand.limits("table")?))
            }
            (BillingMode::Provisioned, None) => Err(Error::invalid_parameter(
                "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
            )),
            (BillingMode::Provisioned, Some(throughput)) => {
                check_bounds(&throughput, "")?;
                match on_demand.first_member() {
                    None => Ok(Throughput::Provisioned(throughput)),
                    Some(member) => Err(Error::invalid_parameter(format_args!(
                        "{member} for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."
                    ))),
                }
            }
        }
    }

    /// The throughput of a global index, which must match the table's billing mode.
    fn index_throughput(&self, index: &IndexMembers) -> Result<Throughput> {
        let name = &index.name;
        let on_demand = index.on_demand_throughput.unwrap_or_default();
        match (self.billing_mode, index.provisioned_throughput) {
            (BillingMode::PayPerRequest, Some(_)) => Err(Error::invalid_parameter(format_args!(
                "ProvisionedThroughput should not be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
            ))),
            (BillingMode::PayPerRequest, None) => {
                Ok(Throughput::OnDemand(on_demand.limits(format_args!("index : {name}"))?))
            }
            (BillingMode::Provisioned, None) => Err(Error::invalid_parameter(format_args!(
                "ProvisionedThroughput is not specified for index: {name}"
            ))),
            (BillingMode::Provisioned, Some(throughput)) => {
                check_bounds(&throughput, format_args!(" for index {name}"))?;
                match on_demand.first_member() {
                    None => Ok(Throughput::Provisioned(throughput)),
                    Some(member) => Err(Error::invalid_parameter(format_args!(
                        "{member} for OnDemandThroughput for index: {name} cannot be specified when table BillingMode is PROVISIONED."
                    ))),
                }
            }
        }
    }

    /// The table's primary key.
    fn key(&self) -> Result<KeySchema> {
        self.definitions.check_distinct()?;
        if self.elements.len() > self.definitions.len() {
            return Err(Error::validation(NO_DEFINITION));
        }
        let key = self.definitions.key_schema(&self.elements, KeyLimits::Simple)?;
        let has_indexes = self.local_indexes.is_some() || self.global_indexes.is_some();
        if !has_indexes && self.elements.len() != self.definitions.len() {
            return Err(Error::invalid_parameter(
                "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
            ));
        }
        Ok(key)
    }

    /// The keys of the local indexes, then of the global ones.
    fn index_keys(&self, table_key: &KeySchema) -> Result<(Vec<KeySchema>, Vec<KeySchema>)> {
        let mut local = Vec::new();
        if let Some(indexes) = &self.local_indexes {
            if indexes.is_empty() {
                return Err(Error::invalid_parameter("List of LocalSecondaryIndexes is empty"));
            }
            if table_key.sort().is_empty() {
                return Err(Error::invalid_parameter(
                    "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
                ));
            }
            for index in indexes {
                let key = self.definitions.key_schema(&index.elements, KeyLimits::Simple)?;
                check_local_key(&index.name, &key, table_key)?;
                local.push(key);
            }
        }
        let mut global = Vec::new();
        if let Some(indexes) = &self.global_indexes {
            if indexes.is_empty() {
                return Err(Error::invalid_parameter("List of GlobalSecondaryIndexes is empty"));
            }
            for index in indexes {
                let limits = KeyLimits::Composite;
                global.push(self.definitions.key_schema(&index.elements, limits)?);
            }
        }
        Ok((local, global))
    }

    fn stream_view_type(&self) -> Result<Option<StreamViewType>> {
        match &self.stream {
            None | Some(StreamMembers { is_enabled: false, view_type: None }) => Ok(None),
            Some(StreamMembers { is_enabled: true, view_type: None }) => {
                Err(Error::invalid_parameter(
                    "Table is being created with a stream enabled, UpdateViewType is required",
                ))
            }
            Some(StreamMembers { is_enabled: false, view_type: Some(_) }) => {
                Err(Error::invalid_parameter(
                    "Table is being created with a stream disabled, UpdateViewType should not be specified",
                ))
            }
            Some(StreamMembers { is_enabled: true, view_type }) => Ok(*view_type),
        }
    }
}

fn constrain_indexes(
    constraints: &mut Constraints,
    member: &str,
    bodies: Option<Kept<IndexBody>>,
    limits: KeyLimits,
) -> Option<Vec<IndexMembers>> {
    let bodies = bodies?.into_vec().into_iter().enumerate();
    Some(
        bodies
            .map(|(place, body)| {
                body.constrain(constraints, &format!("{member}.{}.member", place + 1), limits)
            })
            .collect(),
    )
}

fn check_local_key(name: &str, key: &KeySchema, table_key: &KeySchema) -> Result<()> {
    if key.sort().is_empty() {
        return Err(Error::invalid_parameter(format_args!(
            "Index KeySchema does not have a range key for index: {name}"
        )));
    }
    let (own, wanted) = (&key.first().name, &table_key.first().name);
    if own != wanted {
        return Err(Error::invalid_parameter(format_args!(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. \
             index hash key: {own}, table hash key: {wanted}"
        )));
    }
    Ok(())
}

/// The class in a request; the service has its own message for this member.
pub(super) fn table_class_of(name: &str) -> Result<TableClass> {
    let mut choices = TableClass::CHOICES.iter();
    choices.find(|(own, _)| *own == name).map(|(_, class)| *class).ok_or_else(|| {
        Error::validation(
            "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].",
        )
    })
}

/// Checks the names of a table and of its indexes.
fn check_names(schema: &TableSchema) -> Result<()> {
    table_name::check_name(&schema.name)?;
    let mut constraints = Constraints::default();
    for (scope, member) in
        [(Scope::Global, "globalSecondaryIndexes"), (Scope::Local, "localSecondaryIndexes")]
    {
        let indexes = schema.indexes.iter().filter(|index| index.scope == scope);
        for (place, index) in indexes.enumerate() {
            let path = format!("{member}.{}.member.indexName", place + 1);
            table_name::constrain_name(&mut constraints, &path, &index.name);
        }
    }
    constraints.finish()
}

/// Checks the indexes together.
fn check_together(indexes: &[Index]) -> Result<()> {
    if let Some(name) = first_repeated(indexes.iter().map(|index| index.name.as_str())) {
        return Err(Error::invalid_parameter(format_args!("Duplicate index name: {name}")));
    }
    let count = |scope| indexes.iter().filter(|index| index.scope == scope).count();
    if count(Scope::Local) > LOCAL_INDEXES_MAX {
        return Err(Error::invalid_parameter(format_args!(
            "Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES_MAX}"
        )));
    }
    if count(Scope::Global) > GLOBAL_INDEXES_MAX {
        return Err(Error::invalid_parameter(format_args!(
            "GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES_MAX}"
        )));
    }
    check_projected(indexes.iter().map(|index| &index.projection))
}

/// Checks the total number of attributes that indexes project by name.
pub(super) fn check_projected<'a>(
    projections: impl Iterator<Item = &'a IndexProjection>,
) -> Result<()> {
    let projected: usize = projections
        .map(|projection| match projection {
            IndexProjection::Include(names) => names.len(),
            IndexProjection::All | IndexProjection::KeysOnly => 0,
        })
        .sum();
    if projected > PROJECTED_ATTRIBUTES_MAX {
        return Err(Error::invalid_parameter(format_args!(
            "Number of projected attributes exceeds the per-table limit of {PROJECTED_ATTRIBUTES_MAX}"
        )));
    }
    Ok(())
}

impl CreateTable {
    /// An on-demand table without a stream.
    #[must_use]
    pub fn new(schema: TableSchema) -> Self {
        Self {
            schema,
            throughput: Throughput::default(),
            index_throughput: Vec::new(),
            stream: None,
            class: None,
            deletion_protection: false,
            tags: Tags::new(),
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let members = Members::constrain(Body::read(json)?)?;

        let throughput = members.throughput()?;
        let key = members.key()?;
        let (local_keys, global_keys) = members.index_keys(&key)?;
        let all_keys = std::iter::once(&key).chain(&local_keys).chain(&global_keys);
        members.definitions.check_used(all_keys)?;

        let mut indexes = Vec::new();
        let mut index_throughput = Vec::new();
        for (index, key) in members.local_indexes.iter().flatten().zip(local_keys) {
            indexes.push(index.index(key, Scope::Local)?);
        }
        for (index, key) in members.global_indexes.iter().flatten().zip(global_keys) {
            indexes.push(index.index(key, Scope::Global)?);
            index_throughput.push((index.name.clone(), members.index_throughput(index)?));
        }
        check_together(&indexes)?;

        Ok(Self {
            stream: members.stream_view_type()?,
            class: members.table_class.as_deref().map(table_class_of).transpose()?,
            tags: tags_of(members.tags)?,
            deletion_protection: members.deletion_protection,
            schema: TableSchema { name: members.table_name, key, indexes },
            throughput,
            index_throughput,
        })
    }

    /// Checks the names and indexes, which are unchecked in a request built without JSON, and that
    /// the name is free: `present` is the table that has it.
    pub fn check(&self, present: Option<&TableDescription>) -> Result<()> {
        check_names(&self.schema)?;
        check_together(&self.schema.indexes)?;
        let name = &self.schema.name;
        match present.map(|table| table.status) {
            None => Ok(()),
            Some(TableStatus::Creating) => Err(super::in_use("created", name)),
            Some(_) => Err(Error::with_message(
                ErrorKind::ResourceInUse,
                format!("Table already exists: {name}"),
            )),
        }
    }

    /// The table's description while it is being created. `id` is a new UUID.
    #[must_use]
    pub fn describe(&self, home: &Home, id: String, now: Timestamp) -> TableDescription {
        let index = |index: &Index| {
            let named = self.index_throughput.iter().find(|(name, _)| *name == index.name);
            let throughput = match (named, self.throughput) {
                (Some((_, throughput)), _) => *throughput,
                (None, Throughput::Provisioned(_)) => Throughput::provisioned(0, 0),
                (None, Throughput::OnDemand(_)) => Throughput::default(),
            };
            IndexDescription::new(index.clone(), throughput)
        };
        TableDescription {
            name: self.schema.name.clone(),
            arn: home.table(&self.schema.name),
            id,
            created_at: now,
            status: TableStatus::Creating,
            key: self.schema.key.clone(),
            indexes: self.schema.indexes.iter().map(index).collect(),
            throughput: ThroughputDescription::new(self.throughput),
            on_demand_since: None,
            item_count: 0,
            size_bytes: 0,
            stream: self.stream,
            latest_stream_at: self.stream.map(|_| now),
            class: self.class.map(|class| (class, None)),
            deletion_protection: self.deletion_protection,
            time_to_live: None,
            tags: self.tags.clone(),
        }
    }
}

/// The table while it is being created.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTableAnswer {
    /// The table.
    pub table_description: TableDescription,
}

impl CreateTableAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("TableDescription", |writer| self.table_description.write_json(writer));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{KeyAttribute, KeyType};

    fn key() -> KeySchema {
        let partition = KeyAttribute { name: "pk".into(), kind: KeyType::S };
        KeySchema::simple(partition, None)
    }

    fn index(name: impl Into<String>) -> Index {
        let projection = IndexProjection::All;
        Index { name: name.into(), key: key(), projection, scope: Scope::Global }
    }

    #[track_caller]
    fn refused(name: &str, indexes: Vec<Index>, expected: &str) {
        let schema = TableSchema { name: name.into(), key: key(), indexes };
        assert_eq!(CreateTable::new(schema).check(None).unwrap_err().message(), expected);
    }

    /// A request built without JSON could create tables with invalid names.
    #[test]
    fn a_request_without_a_body_is_checked_as_well() {
        refused(
            "a b",
            vec![],
            "1 validation error detected: Value 'a b' at 'tableName' failed to satisfy constraint: \
             Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        );
        refused(
            "games",
            vec![index("newest"), index("of")],
            "1 validation error detected: Value 'of' at 'globalSecondaryIndexes.2.member.indexName' \
             failed to satisfy constraint: Member must have length greater than or equal to 3",
        );
        refused(
            "games",
            vec![index("newest"), index("newest")],
            "One or more parameter values were invalid: Duplicate index name: newest",
        );
        refused(
            "games",
            (0..21).map(|number| index(format!("index-{number}"))).collect(),
            "One or more parameter values were invalid: \
             GlobalSecondaryIndex count exceeds the per-table limit of 20",
        );
        let schema =
            TableSchema { name: "games".into(), key: key(), indexes: vec![index("newest")] };
        assert!(CreateTable::new(schema).check(None).is_ok());
    }
}
