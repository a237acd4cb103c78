//! The keys of the items that a query finds.

use super::count::counted;
use super::{Core, End, Reading, Sink};
use crate::error::Result;
use crate::item::Corrupt;
use crate::query::Readable;
use crate::shape::TableShape;
use crate::source::Start;
use crate::table::Contains;
use singlet_dynamo::Item;
use singlet_dynamo::binary::ItemRef;

/// Keys, one page after another.
pub(crate) struct KeyPages<'d> {
    core: Core<'d>,
    /// Where the next page begins; `None` after the last.
    next: Option<Start>,
    limit: Option<usize>,
}

impl<'d, D, P, S> Reading<'d, D, P, S>
where
    D: Contains<P::Table>,
    P: Readable,
{
    pub(crate) fn keys(self) -> Result<KeyPages<'d>> {
        let limit = self.described.limit;
        let mut core = self.untyped().counter()?;
        let source = &mut core.source;
        source.selection = counted(source.table, source.index, core.kind.entities)?;
        Ok(KeyPages { core, next: Some(Start::default()), limit })
    }
}

impl KeyPages<'_> {
    /// The next page; with a limit there is only one.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Item>>> {
        let Some(start) = self.next.take() else { return Ok(None) };
        let mut found = Keys { table: self.core.source.table, items: Vec::new() };
        let next = self.core.read(&mut found, start, self.limit, End::Filled).await?;
        self.next = next.filter(|_| self.limit.is_none());
        Ok(Some(found.items))
    }
}

/// Collects keys.
struct Keys {
    table: &'static TableShape,
    items: Vec<Item>,
}

impl Sink for Keys {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn push_item(&mut self, item: ItemRef<'_>) -> Result<(), Corrupt> {
        let names = self.table.key.iter().map(|attribute| attribute.name());
        let key = names.filter_map(|name| Some((name.to_owned(), item.get(name)?.to_value())));
        self.items.push(key.collect());
        Ok(())
    }
}
