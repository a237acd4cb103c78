//! Reading what a query asks for, page by page.

use crate::backend::BackendError;
use crate::cursor::Cursor;
use crate::db::Db;
use crate::entity::Entity;
use crate::error::Result;
use crate::item::{decode, is_expired, recognizes};
use crate::marker::Marker;
use crate::operation::stored;
use crate::projection::Projection;
use crate::query::Described;
use crate::source::Source;
use crate::table::{Contains, Declaration};
use singlet_dynamo::Item;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::operation::{Answer, PageAnswer, Request};
use singlet_dynamo::stored::StoredItem;
use std::marker::PhantomData;

/// Some of the items that a query gives, and where the others begin.
#[derive(Debug)]
pub struct Page<T, E = T> {
    /// The items.
    pub items: Vec<T>,
    /// Where the next page begins; `None` if this was the last.
    pub next: Option<Cursor<E>>,
}

/// A query on a database, ready to be read: the first item, a page, or all.
#[must_use = "a query does nothing until it is read"]
pub struct Reading<'d, D, E, P = E> {
    db: &'d Db<D>,
    described: Described,
    types: Marker<(E, P)>,
}

impl<'d, D, E, P> Reading<'d, D, E, P>
where
    D: Contains<E::Table>,
    E: Entity,
    P: Projection<Entity = E>,
{
    pub(crate) fn new(db: &'d Db<D>, described: Described) -> Self {
        Self { db, described, types: PhantomData }
    }

    /// The first item, if there is one.
    pub async fn first(self) -> Result<Option<P>> {
        let (reader, _) = self.into_reader()?;
        let (items, _) = reader.read(None, Some(1)).await?;
        Ok(items.into_iter().next())
    }

    /// One page: the first, or the one where a cursor says that it begins.
    ///
    /// A page has as many items as the query's limit says, unless there are no more. Without a
    /// limit it has what one request of DynamoDB gives, up to a megabyte.
    pub async fn page(self, cursor: Option<Cursor<E>>) -> Result<Page<P, E>> {
        let (reader, limit) = self.into_reader()?;
        let key = &reader.db.settings().cursor_key;
        let start = match cursor {
            Some(cursor) => Some(cursor.open(reader.identity(), key)?),
            None => None,
        };
        let (items, next) = reader.read(start, limit).await?;
        let next = next.map(|next| Cursor::seal(&next, reader.identity(), key));
        Ok(Page { items, next })
    }

    /// All items, however many pages there are; as many as the query's limit says, if it has one.
    pub async fn all(self) -> Result<Vec<P>> {
        let (reader, limit) = self.into_reader()?;
        let (mut items, mut next) = reader.read(None, limit).await?;
        while let (Some(start), None) = (next, limit) {
            let (more, behind) = reader.read(Some(start), None).await?;
            items.extend(more);
            next = behind;
        }
        Ok(items)
    }

    fn into_reader(self) -> Result<(Reader<'d, D, P>, Option<usize>)> {
        let Described { source, limit, with_expired } = self.described;
        let reader = Reader { db: self.db, source: source?, with_expired, output: PhantomData };
        Ok((reader, limit))
    }
}

/// Carries out a request for a page.
pub(crate) async fn read_page<D: Declaration>(db: &Db<D>, request: Request) -> Result<PageAnswer> {
    match db.execute(request).await? {
        Answer::Page(page) => Ok(page),
        _ => Err(BackendError::unexpected().into()),
    }
}

/// Reads pages.
struct Reader<'d, D, P> {
    db: &'d Db<D>,
    source: Source,
    with_expired: bool,
    output: Marker<P>,
}

impl<D, P> Reader<'_, D, P>
where
    P: Projection,
    D: Contains<<P::Entity as Entity>::Table>,
{
    fn table_name(&self) -> &str {
        self.db.table_name::<<P::Entity as Entity>::Table>()
    }

    fn identity(&self) -> crate::cursor::Identity {
        self.source.identity(P::Entity::SHAPE.name, self.table_name())
    }

    /// So many items from there on, and where the next ones begin. Without a number, as many as
    /// one request gives, but at least one if there are any.
    async fn read(
        &self,
        mut start: Option<Item>,
        wanted: Option<usize>,
    ) -> Result<(Vec<P>, Option<Item>)> {
        let mut items = Vec::new();
        if wanted == Some(0) || self.source.is_empty() {
            return Ok((items, None));
        }
        let now = self.db.now();
        let mut last: Option<StoredItem> = None;
        // One more than is wanted tells whether there are more.
        let mut limit = wanted.map(|wanted| wanted.saturating_add(1));
        loop {
            let page = self.request(start.take(), limit).await?;
            for row in page.items.unwrap_or_default().into_iter().map(stored) {
                let item = row.as_item();
                if !self.accepts(item)
                    || (!self.with_expired && is_expired(self.source.table, item, now))
                {
                    continue;
                }
                if wanted == Some(items.len()) {
                    let last = last.as_ref().map(|last| self.source.start_behind(last.as_item()));
                    return Ok((items, last));
                }
                items.push(decode(item)?);
                if wanted == Some(items.len()) {
                    last = Some(row);
                }
            }
            match page.last_evaluated_key {
                None => return Ok((items, None)),
                Some(next) if wanted.is_none() && !items.is_empty() => {
                    return Ok((items, Some(next)));
                }
                next => start = next,
            }
            // What was read is mostly not what is wanted, so larger steps are worth it.
            limit = limit.map(|limit| limit.saturating_mul(2));
        }
    }

    async fn request(&self, start: Option<Item>, limit: Option<usize>) -> Result<PageAnswer> {
        read_page(self.db, self.source.request(self.table_name(), start, limit)?).await
    }

    /// Whether an item is one of those that are asked for.
    fn accepts(&self, item: ItemRef<'_>) -> bool {
        recognizes(&P::Entity::SHAPE, self.source.table, item) && !self.source.excludes(item)
    }
}
