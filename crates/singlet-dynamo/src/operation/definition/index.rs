//! Secondary indexes and their projections.

use super::{KeyElement, KeyElementBody, OnDemandBody, ThroughputBody, first_repeated, read_list};
use crate::constraint::{Constraints, JavaList};
use crate::error::{Error, Result};
use crate::json::Reader;
use crate::json::kept::Kept;
use crate::limits::KEY_ATTRIBUTE_NAME_SIZE_MAX;
use crate::operation::table_name::constrain_required_name;
use crate::schema::{Index, IndexProjection, KeyLimits, KeySchema, Scope};
use crate::table::ProvisionedThroughput;

/// Maximum number of attributes that one index projects by name.
const NON_KEY_ATTRIBUTES_MAX: usize = 20;

/// A secondary index, unchecked.
#[derive(Default)]
pub(in crate::operation) struct IndexBody {
    index_name: Option<String>,
    key_schema: Option<Kept<KeyElementBody>>,
    projection: Option<ProjectionBody>,
    provisioned_throughput: Option<ThroughputBody>,
    on_demand_throughput: Option<OnDemandBody>,
}

/// A secondary index with valid members.
pub(in crate::operation) struct IndexMembers {
    pub(in crate::operation) name: String,
    pub(in crate::operation) elements: Vec<KeyElement>,
    projection: ProjectionMembers,
    pub(in crate::operation) provisioned_throughput: Option<ProvisionedThroughput>,
    pub(in crate::operation) on_demand_throughput: Option<OnDemandBody>,
}

impl IndexBody {
    /// Reads an index; `class` is the name of its shape.
    pub(in crate::operation) fn read(reader: &mut Reader<'_>, class: &str) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure(class, |reader, member| {
            match member {
                "IndexName" => body.index_name = reader.owned_string()?,
                "KeySchema" => body.key_schema = read_list(reader, KeyElementBody::read)?,
                "Projection" => body.projection = ProjectionBody::read(reader)?,
                "ProvisionedThroughput" => {
                    body.provisioned_throughput = ThroughputBody::read(reader)?;
                }
                "OnDemandThroughput" => body.on_demand_throughput = OnDemandBody::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    pub(in crate::operation) fn constrain(
        self,
        constraints: &mut Constraints,
        path: &str,
        limits: KeyLimits,
    ) -> IndexMembers {
        let projection_path = format!("{path}.projection");
        constraints.required(&projection_path, &self.projection);
        let projection = self
            .projection
            .map(|projection| projection.constrain(constraints, &projection_path))
            .unwrap_or_default();
        constrain_required_name(constraints, &format!("{path}.indexName"), &self.index_name);
        let throughput_path = format!("{path}.provisionedThroughput");
        let provisioned_throughput = self
            .provisioned_throughput
            .and_then(|throughput| throughput.constrain(constraints, &throughput_path));
        let elements = KeyElementBody::constrain_all(
            constraints,
            &format!("{path}.keySchema"),
            self.key_schema,
            limits,
        );
        IndexMembers {
            name: self.index_name.unwrap_or_default(),
            elements,
            projection,
            provisioned_throughput,
            on_demand_throughput: self.on_demand_throughput,
        }
    }
}

impl IndexMembers {
    /// The index, with its key.
    pub(in crate::operation) fn index(&self, key: KeySchema, scope: Scope) -> Result<Index> {
        Ok(Index { name: self.name.clone(), key, projection: self.projection.projection()?, scope })
    }
}

/// A projection, unchecked.
#[derive(Default)]
pub(in crate::operation) struct ProjectionBody {
    projection_type: Option<String>,
    non_key_attributes: Option<Kept<String>>,
}

#[derive(Clone, Copy)]
enum ProjectionType {
    All,
    Include,
    KeysOnly,
}

impl ProjectionType {
    /// In the service's order.
    const CHOICES: [(&str, Self); 3] =
        [("ALL", Self::All), ("INCLUDE", Self::Include), ("KEYS_ONLY", Self::KeysOnly)];
}

/// A projection with valid members.
#[derive(Default)]
struct ProjectionMembers {
    kind: Option<ProjectionType>,
    names: Option<Vec<String>>,
}

impl ProjectionBody {
    fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("Projection", |reader, member| {
            match member {
                "ProjectionType" => body.projection_type = reader.owned_string()?,
                "NonKeyAttributes" => {
                    body.non_key_attributes = read_list(reader, Reader::owned_string)?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    fn constrain(self, constraints: &mut Constraints, path: &str) -> ProjectionMembers {
        let type_path = format!("{path}.projectionType");
        let kind = constraints.one_of(
            &type_path,
            self.projection_type.as_deref(),
            &ProjectionType::CHOICES,
        );
        if let Some(names) = &self.non_key_attributes {
            let path = format!("{path}.nonKeyAttributes");
            let shown = JavaList { elements: names.as_slice(), count: names.len() };
            constraints.length_at_least(&path, &shown, names.len(), 1);
            constraints.length_at_most(&path, &shown, names.len(), NON_KEY_ATTRIBUTES_MAX);
            for (place, name) in names.as_slice().iter().enumerate() {
                let path = format!("{path}.{}.member", place + 1);
                let len = name.chars().count();
                constraints.length_at_least(&path, name, len, 1);
                constraints.length_at_most(&path, name, len, KEY_ATTRIBUTE_NAME_SIZE_MAX);
            }
        }
        ProjectionMembers { kind, names: self.non_key_attributes.map(Kept::into_vec) }
    }
}

impl ProjectionMembers {
    fn projection(&self) -> Result<IndexProjection> {
        let surplus = |kind: &str| {
            Error::invalid_parameter(format_args!(
                "ProjectionType is {kind}, but NonKeyAttributes is specified"
            ))
        };
        match (self.kind, &self.names) {
            (None, _) => Err(Error::invalid_parameter("Unknown ProjectionType: null")),
            (Some(ProjectionType::All), Some(_)) => Err(surplus("ALL")),
            (Some(ProjectionType::KeysOnly), Some(_)) => Err(surplus("KEYS_ONLY")),
            (Some(ProjectionType::All), None) => Ok(IndexProjection::All),
            (Some(ProjectionType::KeysOnly), None) => Ok(IndexProjection::KeysOnly),
            (Some(ProjectionType::Include), None) => Err(Error::invalid_parameter(
                "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
            )),
            (Some(ProjectionType::Include), Some(names)) => {
                if let Some(name) = first_repeated(names.iter().map(String::as_str)) {
                    return Err(Error::invalid_parameter(format_args!(
                        "Duplicate element in NonKeyAttributes: {name}"
                    )));
                }
                Ok(IndexProjection::Include(names.clone()))
            }
        }
    }
}
