//! Scan: reads all items of a table or index, page by page.

use super::page::Page;
use super::read::{
    ReadBody, Selection, StartKey, check_selection, find_index, invalid_start_key, start_key_len,
    table_start_key,
};
use super::table_name::named_table;
use crate::Map;
use crate::capacity::{Consistency, ReturnConsumedCapacity};
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::expression::Condition;
use crate::json::Reader;
use crate::legacy::Conditions;
use crate::schema::{Index, TableSchema};

const TOTAL_SEGMENTS_MAX: i64 = 1_000_000;

/// Reads a whole table or index, or one segment of it.
///
/// ```
/// use singlet_dynamo::operation::{Scan, Segment};
///
/// let scan = Scan::from_json(br#"{"TableName": "games", "Segment": 1, "TotalSegments": 4}"#)?;
/// assert_eq!(scan.segment, Some(Segment { number: 1, total: 4 }));
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The index to read instead of the table.
    pub index_name: Option<String>,
    /// The filter on the items read.
    pub filter: Option<Condition>,
    /// Which attributes of each item to return.
    pub selection: Selection,
    /// The last key of the previous page, if there was one.
    pub exclusive_start_key: Option<Map>,
    /// The maximum number of items to read.
    pub limit: Option<usize>,
    /// The segment to read, if not everything.
    pub segment: Option<Segment>,
    /// Whether the read is strongly consistent.
    pub consistent_read: bool,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

/// One of several segments of a table, for parallel scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number, counted from 0.
    pub number: u32,
    /// The number of segments.
    pub total: u32,
}

/// What a scan reads.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanPlan<'s> {
    /// The index; `None` for the table.
    pub index: Option<&'s Index>,
    /// The row after which the page begins.
    pub start: Option<StartKey>,
    /// Whether index rows must be completed from the table.
    pub completes_rows: bool,
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    segment: Option<i64>,
    total_segments: Option<i64>,
    read: ReadBody,
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| {
            match member {
                "ScanFilter" => body.read.filter = Conditions::read(reader, "ScanFilter")?,
                "Segment" => body.segment = reader.integer("Integer")?,
                "TotalSegments" => body.total_segments = reader.integer("Integer")?,
                _ => body.read.read(reader, member)?,
            }
            Ok(())
        })?;
        Ok(body)
    }
}

impl Scan {
    /// A scan of a whole table.
    pub fn new(table_name: impl Into<String>) -> Self {
        Self {
            table_name: table_name.into(),
            index_name: None,
            filter: None,
            selection: Selection::Held,
            exclusive_start_key: None,
            limit: None,
            segment: None,
            consistent_read: false,
            return_consumed_capacity: ReturnConsumedCapacity::None,
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let Body { segment, total_segments, mut read } = Body::read(json)?;

        let mut constraints = Constraints::default();
        read.constrain_select(&mut constraints);
        read.constrain_index_name(&mut constraints);
        constrain_total(&mut constraints, total_segments);
        let return_consumed_capacity = read.constrain_capacity(&mut constraints);
        read.constrain_table_name(&mut constraints);
        read.constrain_conditional_operator(&mut constraints);
        if let Some(filter) = &mut read.filter {
            filter.constrain("scanFilter", &mut constraints);
        }
        constrain_segment(&mut constraints, segment);
        read.constrain_limit(&mut constraints);
        read.constrain_attributes_to_get(&mut constraints);
        constraints.finish()?;
        let table_name = named_table(read.table_name.take().unwrap_or_default())?;

        read.check_styles("ScanFilter", None)?;
        if let Some(names) = &read.attributes_to_get {
            names.check()?;
        }
        read.check_select()?;
        let legacy_filter = read.legacy_filter()?;
        let exclusive_start_key = read.start_key()?;
        let segment = checked_segment(segment, total_segments)?;
        read.placeholders.check()?;
        let filter = read.filter()?;
        let selection = read.selection()?;
        read.placeholders.check_all_used()?;

        Ok(Self {
            table_name,
            filter: filter.or(legacy_filter),
            selection,
            exclusive_start_key,
            limit: read.limit(),
            segment,
            consistent_read: read.consistent_read.unwrap_or(false),
            return_consumed_capacity,
            index_name: read.index_name,
        })
    }

    /// Checks the scan against the table's schema and returns what to read.
    pub fn check<'s>(&self, schema: &'s TableSchema) -> Result<ScanPlan<'s>> {
        let index = find_index(schema, self.index_name.as_deref(), self.consistent_read)?;
        let index_start = match (&self.exclusive_start_key, index) {
            (None, _) => None,
            (Some(key), index) if key.len() != start_key_len(schema, index) => {
                return Err(match index {
                    Some(_) => invalid_start_key(),
                    None => Error::validation(
                        "The provided starting key is invalid: The provided key element does not match the schema",
                    ),
                });
            }
            (Some(_), None) => None,
            (Some(key), Some(index)) => {
                if index.key.attributes().any(|attribute| !key.contains(&attribute.name)) {
                    return Err(invalid_start_key());
                }
                Some(index.key.key_within(key)?)
            }
        };
        let completes_rows = check_selection(&self.selection, schema, index)?;
        let start = match &self.exclusive_start_key {
            None => None,
            Some(key) => {
                Some(StartKey { table: table_start_key(schema, key)?, index: index_start })
            }
        };
        if let Selection::Parts(projection) = &self.selection {
            projection.check_keys(schema)?;
        }
        if let Some(filter) = &self.filter {
            filter.check_keys(schema)?;
        }
        Ok(ScanPlan { index, start, completes_rows })
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
            false,
        )
    }

    /// The start key belongs to another segment. The store defines the segments, so it does the
    /// check; the message is here.
    #[must_use]
    pub fn wrong_segment(segment: Segment) -> Error {
        Error::validation(format!(
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. \
             TotalSegments: {} Segment: {}",
            segment.total, segment.number
        ))
    }
}

pub(super) fn constrain_total(constraints: &mut Constraints, total: Option<i64>) {
    constraints.at_least("totalSegments", total, 1);
    constraints.at_most("totalSegments", total, TOTAL_SEGMENTS_MAX);
}

pub(super) fn constrain_segment(constraints: &mut Constraints, segment: Option<i64>) {
    constraints.at_least("segment", segment, 0);
    constraints.at_most("segment", segment, TOTAL_SEGMENTS_MAX - 1);
}

pub(super) fn checked_segment(segment: Option<i64>, total: Option<i64>) -> Result<Option<Segment>> {
    match (segment, total) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(Error::validation(
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
        )),
        (None, Some(_)) => Err(Error::validation(
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
        )),
        (Some(number), Some(total)) if number >= total => Err(Error::validation(format!(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: \
             Segment: {number} is not less than TotalSegments: {total}"
        ))),
        // The constraints have checked the bounds of both.
        (Some(number), Some(total)) => Ok(u32::try_from(number)
            .ok()
            .zip(u32::try_from(total).ok())
            .map(|(number, total)| Segment { number, total })),
    }
}
