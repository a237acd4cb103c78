//! Where items are read: a partition of a table or an index, or all of one.

use crate::cursor::Identity;
use crate::error::Result;
use crate::query::SortTest;
use crate::shape::{IndexShape, KeyAttributes, TableShape};
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::expression::{Condition, KeyCondition};
use singlet_dynamo::operation::{Query, Request, Scan, Segment, Selection};
use singlet_dynamo::{Item, Value};

/// Where items are read, and what is read of them.
pub(crate) struct Source {
    pub(crate) table: &'static TableShape,
    pub(crate) index: Option<&'static IndexShape>,
    pub(crate) part: Part,
    pub(crate) filter: Option<Condition>,
    pub(crate) selection: Selection,
    pub(crate) consistent: bool,
}

/// Which part of the table or the index.
pub(crate) enum Part {
    /// One partition.
    Partition { value: Value, sort: SortTest, descending: bool },
    /// Everything, or one of several segments of it.
    All(Option<Segment>),
}

impl Source {
    /// The attributes of the key by which items are found here.
    fn key(&self) -> &'static KeyAttributes {
        self.index.map_or(&self.table.key, |index| &index.key)
    }

    /// Whether there is nothing to be read.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.part, Part::Partition { sort: SortTest::Never, .. })
    }

    /// Asks for a page.
    pub(crate) fn request(
        &self,
        table_name: &str,
        start: Option<Item>,
        limit: Option<usize>,
    ) -> Result<Request> {
        let index_name = self.index.map(|index| index.name.to_owned());
        Ok(match &self.part {
            Part::Partition { value, sort, descending } => {
                let key = self.key();
                let mut condition = KeyCondition::partition(key.partition.name, value.clone());
                if let (SortTest::Is(test, _), Some(attribute)) = (sort, key.sort) {
                    condition = condition.and(attribute.name, test.clone())?;
                }
                let mut query = Query::new(table_name, condition);
                query.index_name = index_name;
                query.filter.clone_from(&self.filter);
                query.selection = self.selection.clone();
                query.exclusive_start_key = start;
                query.limit = limit;
                query.scan_index_forward = !descending;
                query.consistent_read = self.consistent;
                query.into()
            }
            Part::All(segment) => {
                let mut scan = Scan::new(table_name);
                scan.index_name = index_name;
                scan.filter.clone_from(&self.filter);
                scan.selection = self.selection.clone();
                scan.exclusive_start_key = start;
                scan.limit = limit;
                scan.segment = *segment;
                scan.consistent_read = self.consistent;
                scan.into()
            }
        })
    }

    /// Whether some sort key has to be left out that the request cannot leave out by itself.
    pub(crate) fn has_exclusion(&self) -> bool {
        matches!(self.part, Part::Partition { sort: SortTest::Is(_, Some(_)), .. })
    }

    /// Whether the item's sort key is one that the request could not leave out by itself.
    pub(crate) fn excludes(&self, item: ItemRef<'_>) -> bool {
        let Part::Partition { sort: SortTest::Is(_, Some(excluded)), .. } = &self.part else {
            return false;
        };
        let attribute = self.key().sort.and_then(|attribute| item.get(attribute.name));
        attribute.is_some_and(|value| value == *excluded)
    }

    /// Where a page begins behind this item.
    pub(crate) fn start_behind(&self, item: ItemRef<'_>) -> Item {
        let of_index = self.index.iter().flat_map(|index| index.key.iter());
        let names = self.table.key.iter().chain(of_index).map(|attribute| attribute.name);
        names.filter_map(|name| Some((name.to_owned(), item.get(name)?.to_value()))).collect()
    }

    /// What makes this query another one than others, so that a cursor of one is none of others.
    pub(crate) fn identity(&self, entity: &str, table_name: &str) -> Identity {
        let identity =
            Identity::new(entity).text(table_name).text(self.index.map_or("", |index| index.name));
        match &self.part {
            Part::Partition { value, sort, descending } => {
                sort.identify(identity.value(value)).number(u32::from(*descending))
            }
            Part::All(None) => identity,
            Part::All(Some(segment)) => identity.number(segment.number).number(segment.total),
        }
    }
}
