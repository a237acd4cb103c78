//! Parameters shared by Query and Scan.

use super::limit_of;
use super::parameter::{Given, check_styles};
use super::table_name::{constrain_name, constrain_table_name};
use crate::Map;
use crate::capacity::ReturnConsumedCapacity;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::excerpt::Excerpt;
use crate::expression::{Condition, Parameter, Path, Placeholders, Projection};
use crate::json::Reader;
use crate::json::value::{Unchecked, read_key};
use crate::key::Key;
use crate::legacy::{AttributesToGet, ConditionalOperator, Conditions};
use crate::schema::{Index, IndexProjection, Scope, TableSchema};

/// Which attributes of each item to return.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Selection {
    /// All attributes in the table or index; for an index, `ALL_PROJECTED_ATTRIBUTES`.
    #[default]
    Held,
    /// The whole item, including attributes that a local index does not project: `ALL_ATTRIBUTES`.
    All,
    /// Only the number of items: `COUNT`.
    Count,
    /// These attributes: `SPECIFIC_ATTRIBUTES`.
    Parts(Projection),
}

/// The values of the parameter `Select`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Select {
    AllAttributes,
    AllProjectedAttributes,
    SpecificAttributes,
    Count,
}

impl Select {
    /// The names, in the service's order.
    const CHOICES: [(&str, Self); 4] = [
        ("SPECIFIC_ATTRIBUTES", Self::SpecificAttributes),
        ("COUNT", Self::Count),
        ("ALL_ATTRIBUTES", Self::AllAttributes),
        ("ALL_PROJECTED_ATTRIBUTES", Self::AllProjectedAttributes),
    ];
}

/// The common members of both, unchecked.
#[derive(Default)]
pub(super) struct ReadBody {
    pub(super) table_name: Option<String>,
    pub(super) index_name: Option<String>,
    pub(super) attributes_to_get: Option<AttributesToGet>,
    /// `QueryFilter` or `ScanFilter`.
    pub(super) filter: Option<Conditions>,
    pub(super) filter_expression: Option<String>,
    pub(super) projection_expression: Option<String>,
    pub(super) placeholders: Placeholders,
    pub(super) exclusive_start_key: Option<Unchecked<Map>>,
    pub(super) consistent_read: Option<bool>,
    pub(super) limit: Option<i64>,
    pub(super) conditional_operator: Option<String>,
    select: Option<String>,
    return_consumed_capacity: Option<String>,
    /// The members of these names, after the constraints were checked.
    selected: Option<Select>,
    joined_by: Option<ConditionalOperator>,
}

impl ReadBody {
    /// Reads the member if it is one of these, else skips it.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, member: &str) -> Result<()> {
        match member {
            "TableName" => self.table_name = reader.owned_string()?,
            "IndexName" => self.index_name = reader.owned_string()?,
            "AttributesToGet" => self.attributes_to_get = AttributesToGet::read(reader)?,
            "FilterExpression" => self.filter_expression = reader.owned_string()?,
            "ProjectionExpression" => self.projection_expression = reader.owned_string()?,
            "ExpressionAttributeNames" => self.placeholders.read_names(reader)?,
            "ExpressionAttributeValues" => self.placeholders.read_values(reader)?,
            "ExclusiveStartKey" => self.exclusive_start_key = read_key(reader)?,
            "ConsistentRead" => self.consistent_read = reader.boolean()?,
            "Limit" => self.limit = reader.integer("Integer")?,
            "ConditionalOperator" => self.conditional_operator = reader.owned_string()?,
            "Select" => self.select = reader.owned_string()?,
            "ReturnConsumedCapacity" => self.return_consumed_capacity = reader.owned_string()?,
            _ => reader.skip()?,
        }
        Ok(())
    }

    pub(super) fn constrain_select(&mut self, constraints: &mut Constraints) {
        self.selected = constraints.one_of("select", self.select.as_deref(), &Select::CHOICES);
    }

    pub(super) fn constrain_index_name(&self, constraints: &mut Constraints) {
        if let Some(name) = &self.index_name {
            constrain_name(constraints, "indexName", name);
        }
    }

    pub(super) fn constrain_capacity(
        &self,
        constraints: &mut Constraints,
    ) -> ReturnConsumedCapacity {
        let given = self.return_consumed_capacity.as_deref();
        let choices = &ReturnConsumedCapacity::CHOICES;
        constraints.one_of("returnConsumedCapacity", given, choices).unwrap_or_default()
    }

    pub(super) fn constrain_table_name(&self, constraints: &mut Constraints) {
        constrain_table_name(constraints, self.table_name.as_deref());
    }

    pub(super) fn constrain_conditional_operator(&mut self, constraints: &mut Constraints) {
        let given = self.conditional_operator.as_deref();
        self.joined_by =
            constraints.one_of("conditionalOperator", given, &ConditionalOperator::CHOICES);
    }

    pub(super) fn constrain_attributes_to_get(&self, constraints: &mut Constraints) {
        if let Some(names) = &self.attributes_to_get {
            names.constrain(constraints, "attributesToGet");
        }
    }

    pub(super) fn constrain_limit(&self, constraints: &mut Constraints) {
        constraints.at_least("limit", self.limit, 1);
    }

    /// The limit, which the constraints have found to be at least 1.
    pub(super) fn limit(&self) -> Option<usize> {
        limit_of(self.limit)
    }

    /// Refuses legacy parameters combined with expressions. `filter` is the name of the legacy
    /// filter; `key_conditions` says whether a Query has `KeyConditions` and
    /// `KeyConditionExpression`.
    pub(super) fn check_styles(
        &self,
        filter: &'static str,
        key_conditions: Option<(bool, bool)>,
    ) -> Result<()> {
        let mut legacy: Vec<Given> = vec![
            ("AttributesToGet", self.attributes_to_get.is_some()),
            (filter, self.filter.is_some()),
            ("ConditionalOperator", self.conditional_operator.is_some()),
        ];
        let mut expressions = vec![
            (Parameter::ProjectionExpression, self.projection_expression.is_some()),
            (Parameter::FilterExpression, self.filter_expression.is_some()),
        ];
        if let Some((old, new)) = key_conditions {
            // Legacy key conditions may be combined with other expressions.
            legacy.push(("KeyConditions", old && new));
            expressions.push((Parameter::KeyConditionExpression, new));
        }
        check_styles(&legacy, &expressions)?;
        self.placeholders.check_needed(&expressions)
    }

    /// Refuses a `Select` that contradicts the other parameters.
    pub(super) fn check_select(&self) -> Result<()> {
        let parts = if self.attributes_to_get.is_some() {
            Some("AttributesToGet")
        } else if self.projection_expression.is_some() {
            Some("ProjectionExpression")
        } else {
            None
        };
        let chosen = match self.selected {
            None => return Ok(()),
            Some(Select::SpecificAttributes) if parts.is_none() => {
                return Err(Error::validation(
                    "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
                ));
            }
            Some(Select::AllProjectedAttributes) if self.index_name.is_none() => {
                return Err(Error::validation(
                    "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
                ));
            }
            Some(Select::SpecificAttributes) => return Ok(()),
            Some(Select::Count) => "only the Count",
            Some(Select::AllAttributes) => "ALL_ATTRIBUTES",
            Some(Select::AllProjectedAttributes) => "ALL_PROJECTED_ATTRIBUTES",
        };
        match parts {
            None => Ok(()),
            Some(parts) => Err(Error::validation(format!(
                "Cannot specify the {parts} when choosing to get {chosen}"
            ))),
        }
    }

    /// The condition of the legacy filter.
    pub(super) fn legacy_filter(&mut self) -> Result<Option<Condition>> {
        let filter = self.filter.take().unwrap_or_default();
        let operator = ConditionalOperator::check(self.joined_by, filter.len())?;
        filter.into_condition(operator)
    }

    /// The condition of `FilterExpression`.
    pub(super) fn filter(&mut self) -> Result<Option<Condition>> {
        let text = self.filter_expression.as_deref();
        let parameter = Parameter::FilterExpression;
        text.map(|text| Condition::parse(text, parameter, &mut self.placeholders)).transpose()
    }

    /// Which attributes of each item to return.
    pub(super) fn selection(&mut self) -> Result<Selection> {
        if let Some(text) = self.projection_expression.take() {
            let parameter = Parameter::ProjectionExpression;
            let projection = Projection::parse(&text, parameter, &mut self.placeholders)?;
            return Ok(Selection::Parts(projection));
        }
        if let Some(names) = self.attributes_to_get.take() {
            return names.into_projection().map(Selection::Parts);
        }
        Ok(match self.selected {
            Some(Select::Count) => Selection::Count,
            Some(Select::AllAttributes) => Selection::All,
            _ => Selection::Held,
        })
    }

    /// The start key, with its values checked.
    pub(super) fn start_key(&mut self) -> Result<Option<Map>> {
        let Some(key) = self.exclusive_start_key.take() else { return Ok(None) };
        // Some faults have no prefix, since the service finds them while it parses the values.
        let is_plain = |fault: &str| {
            ["contains duplicates", "number set", "numeric value", "38 significant", "Number "]
                .iter()
                .any(|words| fault.contains(words))
        };
        match key.fault() {
            Some(fault) if !is_plain(fault) => {
                Err(Error::validation(format!("The provided starting key is invalid: {fault}")))
            }
            _ => key.into_result().map(Some),
        }
    }
}

/// Where a page begins: after the row with this key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartKey {
    /// The item's key in the table.
    pub table: Key,
    /// The row's key in the index, if an index is read.
    pub index: Option<Key>,
}

pub(super) fn invalid_start_key() -> Error {
    Error::validation("The provided starting key is invalid")
}

/// The index of this name, if it can be read this way.
pub(super) fn find_index<'s>(
    schema: &'s TableSchema,
    name: Option<&str>,
    consistent_read: bool,
) -> Result<Option<&'s Index>> {
    let Some(name) = name else { return Ok(None) };
    let Some(index) = schema.index(name) else {
        return Err(Error::validation(format!(
            "The table does not have the specified index: {name}"
        )));
    };
    if consistent_read && index.scope == Scope::Global {
        return Err(Error::validation(
            "Consistent reads are not supported on global secondary indexes",
        ));
    }
    Ok(Some(index))
}

/// The number of attributes of a start key: the table's key and the rest of the index's.
pub(super) fn start_key_len(schema: &TableSchema, index: Option<&Index>) -> usize {
    let others = index.into_iter().flat_map(|index| index.key.attributes());
    schema.key.attribute_count()
        + others.filter(|attribute| !schema.key.contains(&attribute.name)).count()
}

/// The table's key in a start key.
pub(super) fn table_start_key(schema: &TableSchema, key: &Map) -> Result<Key> {
    schema.key.key_within(key).map_err(|error| {
        Error::validation(format!("The provided starting key is invalid: {}", error.message()))
    })
}

/// Refuses a selection that the index cannot serve. Returns whether rows must be completed from the
/// table.
pub(super) fn check_selection(
    selection: &Selection,
    schema: &TableSchema,
    index: Option<&Index>,
) -> Result<bool> {
    let Some(index) = index.filter(|index| index.projection != IndexProjection::All) else {
        return Ok(false);
    };
    match selection {
        Selection::Held | Selection::Count => Ok(false),
        Selection::All if index.scope == Scope::Local => Ok(true),
        Selection::All => Err(Error::invalid_parameter(format_args!(
            "Select type ALL_ATTRIBUTES is not supported for global secondary index {} because its projection type is not ALL",
            index.name
        ))),
        Selection::Parts(projection) => {
            let missing = not_held(index, schema, projection.paths().iter().map(Path::name));
            match index.scope {
                Scope::Local => Ok(!missing.is_empty()),
                Scope::Global if missing.is_empty() => Ok(false),
                Scope::Global => Err(Error::invalid_parameter(format_args!(
                    "Global secondary index {} does not project [{}]",
                    index.name,
                    Excerpt(missing.join(", "))
                ))),
            }
        }
    }
}

/// The names of attributes that an index does not project, each once.
pub(super) fn not_held<'n>(
    index: &Index,
    schema: &TableSchema,
    names: impl IntoIterator<Item = &'n str>,
) -> Vec<&'n str> {
    let mut names: Vec<&str> =
        names.into_iter().filter(|name| !index.holds(&schema.key, name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}
