//! Query: reads the items of one partition, ordered by sort key, page by page.

use super::page::Page;
use super::read::{
    ReadBody, Selection, StartKey, check_selection, find_index, invalid_start_key, not_held,
    start_key_len, table_start_key,
};
use super::table_name::named_table;
use crate::Map;
use crate::capacity::{Consistency, ReturnConsumedCapacity};
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::excerpt::Excerpt;
use crate::expression::{Condition, KeyCondition, KeyRange, Parameter};
use crate::json::Reader;
use crate::key::Key;
use crate::legacy::Conditions;
use crate::schema::{Index, KeySchema, TableSchema};

/// Reads the items of one partition of a table or an index.
///
/// ```
/// use singlet_dynamo::operation::Query;
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
/// use singlet_dynamo::{Item, Value};
///
/// let query = Query::from_json(br#"{
///     "TableName": "games",
///     "KeyConditionExpression": "PK = :game AND begins_with(SK, :players)",
///     "ExpressionAttributeValues": {":game": {"S": "GAME#1"}, ":players": {"S": "PLAYER#"}}
/// }"#)?;
/// let schema = TableSchema {
///     name: "games".into(),
///     key: KeySchema::simple(KeyAttribute::new("PK", KeyType::S), Some(KeyAttribute::new("SK", KeyType::S))),
///     indexes: vec![],
/// };
/// let plan = query.check(&schema)?;
/// let player = Item::from([("PK", Value::from("GAME#1")), ("SK", Value::from("PLAYER#7"))]);
/// assert!(plan.range.contains(&schema.key.key_of_item(&player)?));
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The index to read instead of the table.
    pub index_name: Option<String>,
    /// The partition, and the range of sort keys in it.
    pub key_condition: KeyCondition,
    /// The filter on the items read.
    pub filter: Option<Condition>,
    /// Which attributes of each item to return.
    pub selection: Selection,
    /// The last key of the previous page, if there was one.
    pub exclusive_start_key: Option<Map>,
    /// The maximum number of items to read.
    pub limit: Option<usize>,
    /// Whether sort keys ascend.
    pub scan_index_forward: bool,
    /// Whether the read is strongly consistent.
    pub consistent_read: bool,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
    /// Whether the filter came as `QueryFilter`, which has its own error messages.
    is_legacy_filter: bool,
}

/// What a query reads.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryPlan<'s> {
    /// The index; `None` for the table.
    pub index: Option<&'s Index>,
    /// The partition, and the range of sort keys in it.
    pub range: KeyRange,
    /// The row after which the page begins.
    pub start: Option<StartKey>,
    /// Whether index rows must be completed from the table.
    pub completes_rows: bool,
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    key_conditions: Option<Conditions>,
    key_condition_expression: Option<String>,
    scan_index_forward: Option<bool>,
    read: ReadBody,
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| {
            match member {
                "KeyConditions" => body.key_conditions = Conditions::read(reader, "KeyConditions")?,
                "KeyConditionExpression" => {
                    body.key_condition_expression = reader.owned_string()?;
                }
                "QueryFilter" => body.read.filter = Conditions::read(reader, "QueryFilter")?,
                "ScanIndexForward" => body.scan_index_forward = reader.boolean()?,
                _ => body.read.read(reader, member)?,
            }
            Ok(())
        })?;
        Ok(body)
    }
}

impl Query {
    /// A query in ascending order.
    pub fn new(table_name: impl Into<String>, key_condition: KeyCondition) -> Self {
        Self {
            table_name: table_name.into(),
            index_name: None,
            key_condition,
            filter: None,
            selection: Selection::Held,
            exclusive_start_key: None,
            limit: None,
            scan_index_forward: true,
            consistent_read: false,
            return_consumed_capacity: ReturnConsumedCapacity::None,
            is_legacy_filter: false,
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let Body { mut key_conditions, key_condition_expression, scan_index_forward, mut read } =
            Body::read(json)?;

        let mut constraints = Constraints::default();
        read.constrain_select(&mut constraints);
        read.constrain_index_name(&mut constraints);
        let return_consumed_capacity = read.constrain_capacity(&mut constraints);
        if let Some(filter) = &mut read.filter {
            filter.constrain("queryFilter", &mut constraints);
        }
        read.constrain_table_name(&mut constraints);
        read.constrain_conditional_operator(&mut constraints);
        read.constrain_attributes_to_get(&mut constraints);
        read.constrain_limit(&mut constraints);
        if let Some(conditions) = &mut key_conditions {
            conditions.constrain("keyConditions", &mut constraints);
        }
        constraints.finish()?;
        let table_name = named_table(read.table_name.take().unwrap_or_default())?;

        let styles = (key_conditions.is_some(), key_condition_expression.is_some());
        read.check_styles("QueryFilter", Some(styles))?;
        let is_legacy_filter = read.filter.is_some();
        let legacy_filter = read.legacy_filter()?;
        if let Some(names) = &read.attributes_to_get {
            names.check()?;
        }
        read.check_select()?;
        let exclusive_start_key = read.start_key()?;
        if styles == (false, false) {
            return Err(Error::validation(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
            ));
        }
        read.placeholders.check()?;
        let key_condition = key_condition_expression
            .map(|text| {
                let parameter = Parameter::KeyConditionExpression;
                Condition::parse(&text, parameter, &mut read.placeholders)
            })
            .transpose()?;
        let filter = read.filter()?;
        let selection = read.selection()?;
        read.placeholders.check_all_used()?;
        let key_condition = match key_condition {
            Some(condition) => KeyCondition::from_condition(condition)?,
            None => key_conditions.unwrap_or_default().into_key_condition()?,
        };

        Ok(Self {
            table_name,
            key_condition,
            filter: filter.or(legacy_filter),
            selection,
            exclusive_start_key,
            limit: read.limit(),
            scan_index_forward: scan_index_forward.unwrap_or(true),
            consistent_read: read.consistent_read.unwrap_or(false),
            return_consumed_capacity,
            is_legacy_filter,
            index_name: read.index_name,
        })
    }

    /// Checks the query against the table's schema and returns what to read.
    pub fn check<'s>(&self, schema: &'s TableSchema) -> Result<QueryPlan<'s>> {
        let index = find_index(schema, self.index_name.as_deref(), self.consistent_read)?;
        let key = index.map_or(&schema.key, |index| &index.key);
        let start_key = self.exclusive_start_key.as_ref();
        if start_key.is_some_and(|start| start.len() != start_key_len(schema, index)) {
            return Err(invalid_start_key());
        }
        if let Some(start) = start_key {
            check_start_partition(key, start)?;
        }
        let range = self.key_condition.range(key, index)?;
        let start = start_key.map(|start| start_behind(start, key, &range, schema)).transpose()?;
        if let Selection::Parts(projection) = &self.selection {
            projection.check_keys(schema)?;
        }
        if let Some(filter) = &self.filter {
            let name = if self.is_legacy_filter { "QueryFilter" } else { "Filter Expression" };
            filter.check_filter(key, name)?;
        }
        let completes_rows = check_selection(&self.selection, schema, index)?;
        if let Some(filter) = &self.filter {
            filter.check_keys(schema)?;
            check_filter_held(filter, schema, index)?;
        }
        let start = start.map(|(own, table)| StartKey { table, index: index.map(|_| own) });
        Ok(QueryPlan { index, range, start, completes_rows })
    }

    /// An empty page for the rows of the plan.
    #[must_use]
    pub fn page(&self) -> Page<'_> {
        let consistency =
            if self.consistent_read { Consistency::Strong } else { Consistency::Eventual };
        let detail = self.return_consumed_capacity;
        Page::new(
            &self.table_name,
            self.filter.as_ref(),
            &self.selection,
            self.limit,
            consistency,
            detail,
            true,
        )
    }
}

/// Checks the partition key in a start key, which the service does before the key condition.
fn check_start_partition(key: &KeySchema, start: &Map) -> Result<()> {
    for attribute in key.partition() {
        let value = start.get(&attribute.name).ok_or_else(invalid_start_key)?;
        if value.kind() != attribute.kind.into() {
            return Err(Error::validation("The provided key element does not match the schema"));
        }
    }
    Ok(())
}

/// The row after which a page begins, by its key in the table and in the index.
fn start_behind(
    start: &Map,
    key: &KeySchema,
    range: &KeyRange,
    schema: &TableSchema,
) -> Result<(Key, Key)> {
    if key.attributes().any(|attribute| !start.contains(&attribute.name)) {
        return Err(invalid_start_key());
    }
    let own = key.key_within(start)?;
    let table = table_start_key(schema, start)?;
    if range.contains(&own) {
        return Ok((own, table));
    }
    let is_other_sort = !range.sort_bytes().contains(own.sort_bytes());
    Err(Error::validation(if key.is_composite() || is_other_sort {
        "The provided starting key does not match the range key predicate"
    } else if range.has_sort_test() {
        "The query can return at most one row and cannot be restarted"
    } else {
        "The provided starting key is outside query boundaries based on provided conditions"
    }))
}

/// Refuses a filter on attributes that the index does not project.
fn check_filter_held(
    filter: &Condition,
    schema: &TableSchema,
    index: Option<&Index>,
) -> Result<()> {
    let Some(index) = index else { return Ok(()) };
    let missing = not_held(index, schema, filter.attribute_names());
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::invalid_parameter(format_args!(
        "Secondary index {} does not project one or more filter attributes: [{}]",
        index.name,
        Excerpt(missing.join(", "))
    )))
}
