//! The source of a read: a partition of a table or an index, or all of it.

use crate::cursor::Identity;
use crate::design::{Index, KeyAttribute, KeyAttributes};
use crate::error::{Error, Result};
use crate::inspect::{debug_flags, readable};
use crate::query::SortTest;
use crate::shape::{EntityShape, KeyShape, Storage, TableShape};
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::expression::{Comparator, Condition, KeyCondition, KeyTest};
use singlet_dynamo::operation::{Query, Request, Scan, Segment, Selection};
use singlet_dynamo::{Item, Number, Value};

/// Which items to read, from which table or index.
pub(crate) struct Source {
    pub(crate) table: &'static TableShape,
    pub(crate) index: Option<&'static Index>,
    pub(crate) part: Part,
    pub(crate) filter: Option<Condition>,
    pub(crate) selection: Selection,
    pub(crate) consistent: bool,
}

/// Which part of the table or the index.
pub(crate) enum Part {
    /// One partition.
    Partition {
        /// The first partition attribute.
        value: Value,
        /// Other fixed attributes of a multi-attribute key.
        equal: Vec<(&'static str, Value)>,
        /// The sort attribute of the ranges.
        sort: Option<&'static KeyAttribute>,
        ranges: Ranges,
        descending: bool,
    },
    /// Everything, or one of several segments.
    All {
        segment: Option<Segment>,
        /// The key to read in the index, if its entities have several.
        key: Option<&'static KeyShape>,
    },
}

/// Ranges of the sort key, in the order in which they are read. Each range is read by separate
/// requests.
pub(crate) struct Ranges {
    pub(crate) first: SortTest,
    /// The following ranges, which only collections have.
    pub(crate) others: Vec<SortTest>,
}

impl From<SortTest> for Ranges {
    fn from(only: SortTest) -> Self {
        Self { first: only, others: Vec::new() }
    }
}

impl Ranges {
    fn get(&self, place: usize) -> Option<&SortTest> {
        match place.checked_sub(1) {
            None => Some(&self.first),
            Some(place) => self.others.get(place),
        }
    }
}

/// Where a request starts: in which range, and after which key.
#[derive(Debug, Default)]
pub(crate) struct Start {
    pub(crate) range: usize,
    pub(crate) key: Option<Item>,
}

/// The name under which a cursor stores the range. No attribute has an empty name.
const RANGE: &str = "";

impl Start {
    /// The form in a cursor. A start in the first range is only its key.
    pub(crate) fn into_item(self) -> Item {
        let mut item = self.key.unwrap_or_default();
        if let Some(range) = i64::try_from(self.range).ok().filter(|range| *range > 0) {
            item.insert(RANGE, Value::N(Number::from(range)));
        }
        item
    }

    /// The start that was encoded as this item.
    pub(crate) fn of_item(mut item: Item) -> Self {
        let range = match item.remove(RANGE) {
            Some(Value::N(number)) => number.floor_i64().and_then(|range| range.try_into().ok()),
            _ => None,
        };
        Self { range: range.unwrap_or_default(), key: Some(item).filter(|key| !key.is_empty()) }
    }
}

impl Source {
    /// The key attributes of the table or index.
    fn key(&self) -> &'static KeyAttributes {
        self.index.map_or(&self.table.key, |index| &index.key)
    }

    /// Rejects filters that cannot work here: DynamoDB refuses a query that filters by its key, and
    /// a scan of an index never sees an attribute that is not projected.
    pub(crate) fn with_checked_filter(self, entity: &EntityShape) -> Result<Self> {
        let Some(filter) = &self.filter else { return Ok(self) };
        let names = filter.attribute_names();
        if !self.is_scan()
            && let Some(key) = self.key().iter().find(|key| names.contains(&key.name()))
        {
            let index = self.index.map(|index| index.name());
            return Err(Error::FilteredKey { index, attribute: key.name() });
        }
        let Some(index) = self.index else { return Ok(self) };
        let stored = entity.fields.iter().map(|field| match field.storage {
            Storage::Expiry => self.table.ttl.unwrap_or(field.attribute),
            _ => field.attribute,
        });
        let mut filtered = stored.filter(|name| names.contains(name));
        match filtered.find(|name| !index.holds(self.table, name)) {
            Some(attribute) => Err(Error::NotProjected { index: index.name(), attribute }),
            None => Ok(self),
        }
    }

    /// Whether all partitions are read.
    pub(crate) fn is_scan(&self) -> bool {
        matches!(self.part, Part::All { .. })
    }

    /// Adds the source to a `Debug` output.
    pub(crate) fn debug(&self, shown: &mut std::fmt::DebugStruct<'_, '_>) {
        if let Some(index) = self.index {
            shown.field("index", &index.name());
        }
        let is_descending = match &self.part {
            Part::Partition { value, equal, ranges, descending, .. } => {
                shown.field("partition", value);
                for (name, value) in equal {
                    shown.field(name, value);
                }
                for range in std::iter::once(&ranges.first).chain(&ranges.others) {
                    shown.field("range", range);
                }
                *descending
            }
            Part::All { segment, .. } => {
                if let Some(segment) = segment {
                    shown.field("segment", segment);
                }
                false
            }
        };
        if let Some(filter) = &self.filter {
            let text = readable(|printer| printer.condition(filter));
            shown.field("filter", &format_args!("{text}"));
        }
        debug_flags(shown, &[("descending", is_descending), ("consistent", self.consistent)]);
    }

    /// Whether there is nothing to read.
    pub(crate) fn is_empty(&self) -> bool {
        let Part::Partition { ranges, .. } = &self.part else { return false };
        ranges.others.is_empty() && ranges.first == SortTest::Never
    }

    /// The number of ranges.
    fn ranges_len(&self) -> usize {
        match &self.part {
            Part::Partition { ranges, .. } => 1 + ranges.others.len(),
            Part::All { .. } => 1,
        }
    }

    /// Where to continue after a page of this range that ended with this key; `None` at the end.
    pub(crate) fn next_start(&self, range: usize, last_key: Option<Item>) -> Option<Start> {
        match last_key {
            Some(key) => Some(Start { range, key: Some(key) }),
            None => {
                let range = range + 1;
                (range < self.ranges_len()).then_some(Start { range, key: None })
            }
        }
    }

    /// The request for a page.
    pub(crate) fn request(
        &self,
        table_name: &str,
        start: Start,
        limit: Option<usize>,
    ) -> Result<Request> {
        let index_name = self.index.map(|index| index.name().to_owned());
        Ok(match &self.part {
            Part::Partition { value, equal, sort, ranges, descending } => {
                let first = self.key().partition_name();
                let mut condition = KeyCondition::partition(first, value.clone());
                for (name, value) in equal {
                    let test = KeyTest::Compare(Comparator::Equal, value.clone());
                    condition = condition.and(*name, test)?;
                }
                if let (Some(SortTest::Is(test, _)), Some(attribute)) =
                    (ranges.get(start.range), sort)
                {
                    condition = condition.and(attribute.name(), test.clone())?;
                }
                let mut query = Query::new(table_name, condition);
                query.index_name = index_name;
                query.filter.clone_from(&self.filter);
                query.selection = self.selection.clone();
                query.exclusive_start_key = start.key;
                query.limit = limit;
                query.scan_index_forward = !descending;
                query.consistent_read = self.consistent;
                query.into()
            }
            Part::All { segment, .. } => {
                let mut scan = Scan::new(table_name);
                scan.index_name = index_name;
                scan.filter.clone_from(&self.filter);
                scan.selection = self.selection.clone();
                scan.exclusive_start_key = start.key;
                scan.limit = limit;
                scan.segment = *segment;
                scan.consistent_read = self.consistent;
                scan.into()
            }
        })
    }

    /// Whether the request can return items whose keys have to be dropped afterwards.
    pub(crate) fn has_exclusion(&self) -> bool {
        let ranges = match &self.part {
            Part::Partition { ranges, .. } => ranges,
            Part::All { key, .. } => return key.is_some(),
        };
        let mut tests = std::iter::once(&ranges.first).chain(&ranges.others);
        tests.any(|test| test.excluded().any(|end| self.can_be_sort_key(end)))
    }

    /// Whether some entity can have this sort key.
    fn can_be_sort_key(&self, value: &Value) -> bool {
        let Value::S(text) = value else { return true };
        if self.key().is_composite() {
            return true;
        }
        let matches =
            |key: &KeyShape| key.first_sort().is_some_and(|template| template.matches(text));
        self.table.entities.iter().any(|entity| match self.index {
            Some(index) => entity.keys_in(index.name()).any(|of_index| matches(&of_index.key)),
            None => matches(&entity.key),
        })
    }

    /// Whether the item's key has to be dropped because the request for this range could not
    /// exclude it.
    pub(crate) fn excludes(&self, range: usize, item: ItemRef<'_>) -> bool {
        let (sort, ranges) = match &self.part {
            Part::Partition { sort, ranges, .. } => (sort, ranges),
            Part::All { key, .. } => {
                return key.is_some_and(|key| !key.matches(self.key(), item));
            }
        };
        let Some(test) = ranges.get(range) else { return false };
        test.excluded().any(|end| {
            let value = sort.and_then(|attribute| item.get(attribute.name()));
            value.is_some_and(|value| value == *end)
        })
    }

    /// The start of a page after this item of a range.
    pub(crate) fn start_behind(&self, range: usize, item: ItemRef<'_>) -> Start {
        let of_index = self.index.iter().flat_map(|index| index.key.iter());
        let names = self.table.key.iter().chain(of_index).map(|attribute| attribute.name());
        let key = names.filter_map(|name| Some((name.to_owned(), item.get(name)?.to_value())));
        Start { range, key: Some(key.collect()) }
    }

    /// The identity of the query, which ties cursors to it.
    pub(crate) fn identity(&self, subject: &str, table_name: &str) -> Identity {
        let identity = Identity::new(subject)
            .text(table_name)
            .text(self.index.map_or("", |index| index.name()));
        match &self.part {
            Part::Partition { value, equal, ranges, descending, .. } => {
                let identity = identity.value(value);
                let identity = equal.iter().fold(identity, |all, (_, value)| all.value(value));
                let identity = ranges.first.identify(identity);
                let others = ranges.others.iter();
                let identity = others.fold(identity, |identity, test| test.identify(identity));
                identity.number(u32::from(*descending))
            }
            Part::All { segment, key } => {
                let identity = identity.text(key.map_or("", |key| key.pattern));
                match segment {
                    Some(segment) => identity.number(segment.number).number(segment.total),
                    None => identity,
                }
            }
        }
    }
}
