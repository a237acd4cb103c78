//! Reads queries page by page.

mod count;
mod items;
mod keys;

pub use items::Items;

use crate::backend::BackendError;
use crate::backend::BoxFuture;
use crate::condition::is_fresh;
use crate::cursor::{self, Cursor, Identity};
use crate::db::{Db, Inner};
use crate::design::Index;
use crate::error::Result;
use crate::inspect::debug_flags;
use crate::item::{Corrupt, OnCorrupt, Skipped, has_passed};
use crate::marker::Marker;
use crate::operation::stored;
use crate::query::{Described, HoldsAll, Primary, Readable};
use crate::shape::EntityShape;
use crate::source::{Source, Start};
use crate::subject::Subject;
use crate::table::Contains;
use crate::timestamp::Timestamp;
use crate::yielding::{ByteYield, yield_now};
use count::{counted, is_alone};
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::expression::Condition;
use singlet_dynamo::operation::{Answer, PageAnswer, Request, Selection};
use singlet_dynamo::stored::{Attributes, StoredItem};
use std::marker::PhantomData;

/// The maximum number of requests per page. A page then ends even if it is not full, so it reads at
/// most 8 MB. Within a sort key range each request asks for twice as many items as the one before.
const PAGE_REQUESTS_MAX: usize = 8;

/// A page of results, with the cursor of the next page.
#[derive(Debug)]
pub struct Page<T, E = T> {
    /// The items.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<Cursor<E>>,
}

/// A query bound to a database. Read the first item, a page or all items, or count them. `S` is the
/// source: the table, or an index that may not project every attribute.
#[must_use = "a query does nothing until it is read"]
pub struct Reading<'d, D, P, S = Primary> {
    db: &'d Db<D>,
    described: Described,
    on_corrupt: OnCorrupt,
    types: Marker<(P, S)>,
}

impl<'d, D, P, S> Reading<'d, D, P, S>
where
    D: Contains<P::Table>,
    P: Readable,
{
    pub(crate) fn new(db: &'d Db<D>, described: Described) -> Self {
        Self { db, described, on_corrupt: OnCorrupt::Fail, types: PhantomData }
    }

    /// Skips items that do not match their entity, instead of failing at the first one. Each
    /// request that met some logs one `tracing` warning, with their number and the key of the
    /// first. `count` still includes them.
    ///
    /// Skipped items do not count towards a limit, nor are they the [`first`](Self::first) item.
    /// But if eight requests in a row give nothing else, such a read fails with
    /// [`Error::Corrupt`](crate::Error::Corrupt) rather than read on to the end of the partition. A
    /// [`page`](Self::page) never reads more than eight requests, and ends there as others do.
    ///
    /// Use it to keep a list readable while you investigate a corrupt item, for example one written
    /// by another program or by a different version of this one.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// use singlet::dynamo::{Item, Value, operation::PutItem};
    ///
    /// id!(Code);
    ///
    /// #[table(name = "games", key = (PK, SK), entities(Game))]
    /// pub struct Games;
    ///
    /// #[derive(Entity, Debug)]
    /// #[entity(Games, key = ("GAMES", "{code}"))]
    /// pub struct Game {
    ///     pub code: Code,
    ///     pub turn: u32,
    /// }
    ///
    /// # singlet::block_on(async {
    /// let db = Db::<Games>::memory().await?;
    /// db.run(put(&Game { code: Code::new("A")?, turn: 1 })).await?;
    /// // Somebody else writes an item that has no turn.
    /// let other = [("PK", "GAMES"), ("SK", "B"), ("code", "B")];
    /// let other = Item::from(other.map(|(name, text)| (name, Value::from(text))));
    /// db.execute(PutItem::new("games", other)).await?;
    ///
    /// let error = db.query(Game::of()).all().await.unwrap_err();
    /// assert!(error.to_string().ends_with("its key is PK = `GAMES`, SK = `B`"));
    /// assert_eq!(db.query(Game::of()).skip_corrupt().all().await?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn skip_corrupt(mut self) -> Self {
        self.on_corrupt = OnCorrupt::Skip;
        self
    }

    /// The first item, if any.
    pub async fn first(self) -> Result<Option<P>>
    where
        S: HoldsAll<P>,
    {
        let mut items = Vec::new();
        self.untyped().first(&mut items).await?;
        Ok(items.into_iter().next())
    }

    /// Reads one page: the first, or the one at the cursor.
    ///
    /// A page has as many items as the query's limit, unless there are no more. Without a limit it
    /// is one DynamoDB response, up to 1 MB. With a limit of zero nothing is read, and the next
    /// page begins at the same position.
    ///
    /// If a filter drops nearly everything, a page can end early with few items or none. Only
    /// [`next`](Page::next) tells whether there are more.
    ///
    /// Cursors are signed: without a key in the [`Settings`](crate::Settings) this fails with
    /// [`Error::NoCursorKey`](crate::Error::NoCursorKey).
    pub async fn page(self, cursor: Option<Cursor<P::Subject>>) -> Result<Page<P, P::Subject>>
    where
        S: HoldsAll<P>,
    {
        let mut items = Vec::new();
        let next = self.untyped().page(&mut items, cursor.map(Cursor::into_bytes)).await?;
        Ok(Page { items, next: next.map(Cursor::from_bytes) })
    }

    /// Reads all pages, up to the query's limit if it has one.
    pub async fn all(self) -> Result<Vec<P>>
    where
        S: HoldsAll<P>,
    {
        let mut items = Vec::new();
        self.untyped().all(&mut items).await?;
        Ok(items)
    }

    /// A stream of items, read page by page on demand.
    pub fn items(self) -> Items<'d, D, P>
    where
        S: HoldsAll<P>,
    {
        let limit = self.described.limit;
        Items::new(self.untyped().core(), limit)
    }

    /// Counts the items. Counting costs as many read units as reading, but the items are not sent
    /// if DynamoDB can do the counting. It works on any index, whatever its projection.
    pub async fn count(self) -> Result<usize> {
        self.untyped().count().await
    }

    fn untyped(self) -> Untyped<'d> {
        Untyped {
            db: self.db.inner(),
            table_name: self.db.table_name::<P::Table>(),
            described: self.described,
            on_corrupt: self.on_corrupt,
            kind: Kind::of::<P>(),
        }
    }
}

impl<D, P: Readable, S> std::fmt::Debug for Reading<'_, D, P, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Described { source, limit, with_expired } = &self.described;
        let mut shown = f.debug_struct("Reading");
        shown.field("of", &P::NAME);
        match source {
            Ok(source) => source.debug(&mut shown),
            Err(error) => {
                shown.field("error", &format_args!("{error}"));
            }
        }
        if let Some(limit) = limit {
            shown.field("limit", limit);
        }
        debug_flags(&mut shown, &[("with_expired", *with_expired)]);
        shown.field("on_corrupt", &self.on_corrupt).finish()
    }
}

pub(crate) async fn read_page(db: &Inner, request: Request) -> Result<PageAnswer> {
    match db.execute(request).await? {
        Answer::Page(page) => Ok(page),
        _ => Err(BackendError::unexpected().into()),
    }
}

/// When a read for a number of items ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// As soon as it has them.
    Filled,
    /// Once it also knows whether there are more, or at the limits of a page.
    Page,
}

/// The type of the items, erased.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    entities: &'static [&'static EntityShape],
    tells_keys_apart: bool,
    entity_of: fn(ItemRef<'_>) -> Option<&'static EntityShape>,
    selection: fn(Option<&'static Index>) -> Result<Selection>,
}

impl Kind {
    fn of<P: Readable>() -> Self {
        Self {
            name: P::NAME,
            entities: P::ENTITIES,
            tells_keys_apart: P::TELLS_KEYS_APART,
            entity_of: P::entity_of,
            selection: P::selection,
        }
    }
}

/// Collects decoded items.
trait Sink: Send {
    fn len(&self) -> usize;
    /// Decodes and adds an item; ignores items of other entities.
    fn push_item(&mut self, item: ItemRef<'_>) -> Result<(), Corrupt>;
}

impl<P: Readable> Sink for Vec<P> {
    fn len(&self) -> usize {
        self.len()
    }

    fn push_item(&mut self, item: ItemRef<'_>) -> Result<(), Corrupt> {
        if let Some(read) = P::decode_item(item)? {
            self.push(read);
        }
        Ok(())
    }
}

/// A query with its item type erased, so that reading is compiled once.
struct Untyped<'d> {
    db: &'d Inner,
    table_name: &'d str,
    described: Described,
    on_corrupt: OnCorrupt,
    kind: Kind,
}

/// The state of reading a query.
struct Core<'d> {
    db: &'d Inner,
    table_name: &'d str,
    source: Source,
    /// The limit of the query.
    limit: Option<usize>,
    with_expired: bool,
    on_corrupt: OnCorrupt,
    kind: Kind,
}

impl<'d> Untyped<'d> {
    /// Selects whole items, or the attributes of the projection.
    fn core(self) -> Result<Core<'d>> {
        let select = self.kind.selection;
        let mut core = self.counter()?;
        core.source.selection = select(core.source.index)?;
        Ok(core)
    }

    /// A reader without a selection, for counting.
    fn counter(self) -> Result<Core<'d>> {
        let Self { db, table_name, described, on_corrupt, kind } = self;
        let Described { source, limit, with_expired } = described;
        Ok(Core { db, table_name, source: source?, limit, with_expired, on_corrupt, kind })
    }

    fn first<'a>(self, items: &'a mut dyn Sink) -> BoxFuture<'a, Result<()>>
    where
        'd: 'a,
    {
        Box::pin(async move {
            self.core()?.read(items, Start::default(), Some(1), End::Filled).await.map(|_| ())
        })
    }

    /// Reads one page and returns the cursor of the next one.
    fn page<'a>(
        self,
        items: &'a mut dyn Sink,
        cursor: Option<Vec<u8>>,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>>>
    where
        'd: 'a,
    {
        Box::pin(async move {
            let limit = self.described.limit;
            let core = self.core()?;
            // Needed even if there is no next page: a missing key must fail regardless of the data.
            let key = core.db.cursor_key()?;
            let start = match cursor {
                Some(cursor) => Start::of_item(cursor::open(&cursor, core.identity(), key)?),
                None => Start::default(),
            };
            let next = core.read(items, start, limit, End::Page).await?;
            next.map(|next| cursor::seal(&next.into_item(), core.identity(), key)).transpose()
        })
    }

    fn all<'a>(self, items: &'a mut dyn Sink) -> BoxFuture<'a, Result<()>>
    where
        'd: 'a,
    {
        Box::pin(async move {
            let limit = self.described.limit;
            let core = self.core()?;
            let mut next = core.read(items, Start::default(), limit, End::Filled).await?;
            while let (Some(start), None) = (next, limit) {
                next = core.read(items, start, None, End::Filled).await?;
            }
            Ok(())
        })
    }

    fn count(self) -> BoxFuture<'d, Result<usize>> {
        Box::pin(async move {
            let limit = self.described.limit;
            self.counter()?.count(limit).await
        })
    }
}

impl Core<'_> {
    fn identity(&self) -> Identity {
        self.source.identity(self.kind.name, self.table_name)
    }

    /// Reads `wanted` items and returns where the next ones begin. Without `wanted`, reads until a
    /// request yields at least one item.
    async fn read(
        &self,
        items: &mut dyn Sink,
        mut start: Start,
        wanted: Option<usize>,
        end: End,
    ) -> Result<Option<Start>> {
        if self.source.is_empty() {
            return Ok(None);
        }
        if wanted == Some(0) {
            // Nothing was read, so there may be more.
            return Ok(Some(start));
        }
        let now = self.db.now();
        let mut last: Option<(usize, StoredItem)> = None;
        let (mut requests, mut fruitless) = (0, 0);
        let mut decoded = ByteYield::default();
        // Ask for one extra item, to learn whether there are more.
        let ahead = usize::from(end == End::Page);
        let mut limit = wanted.map(|wanted| wanted.saturating_add(ahead));
        loop {
            let range = start.range;
            let page = self.request(start, limit).await?;
            requests += 1;
            let (mut skipped, read_before) = (Skipped::default(), items.len());
            for row in page.items.unwrap_or_default().into_iter().map(stored) {
                if decoded.is_due(row.stored_bytes()) {
                    yield_now().await;
                }
                let item = row.as_item();
                if !self.wants(range, item, now) {
                    continue;
                }
                if wanted == Some(items.len()) {
                    let last = last.as_ref();
                    let next =
                        last.map(|(range, last)| self.source.start_behind(*range, last.as_item()));
                    return Ok(next);
                }
                let before = items.len();
                self.on_corrupt.apply(items.push_item(item), &mut skipped)?;
                if items.len() == before {
                    continue;
                }
                if wanted == Some(items.len()) {
                    if end == End::Filled {
                        return Ok(None);
                    }
                    last = Some((range, row));
                }
            }
            let is_enough = match end {
                End::Page if requests >= PAGE_REQUESTS_MAX => true,
                End::Page | End::Filled => wanted.is_none() && items.len() > 0,
            };
            match self.source.next_start(range, page.last_evaluated_key) {
                None => return Ok(None),
                Some(next) if is_enough => return Ok(Some(next)),
                Some(next) => start = next,
            }
            if end == End::Filled && (wanted.is_some() || self.limit.is_some()) {
                skipped.give_up(items.len() > read_before, &mut fruitless)?;
            }
            limit = match start.range == range {
                // Most items were dropped, so take larger steps.
                true => limit.map(|limit| limit.saturating_mul(2)),
                false => {
                    wanted.map(|wanted| wanted.saturating_sub(items.len()).saturating_add(ahead))
                }
            };
        }
    }

    async fn count(&mut self, limit: Option<usize>) -> Result<usize> {
        let mut count = 0;
        let mut start = Start::default();
        if self.source.is_empty() {
            return Ok(0);
        }
        let is_counted = self.count_in_store()?;
        loop {
            let range = start.range;
            let page = self.request(start, None).await?;
            count += if is_counted { page.count } else { self.count_of(range, page.items) };
            let next = self.source.next_start(range, page.last_evaluated_key);
            match next.filter(|_| limit.is_none_or(|limit| count < limit)) {
                Some(next) => start = next,
                None => return Ok(limit.map_or(count, |limit| count.min(limit))),
            }
        }
    }

    /// Makes the store count the items if it can. Returns whether it does.
    fn count_in_store(&mut self) -> Result<bool> {
        let Kind { entities, tells_keys_apart, .. } = self.kind;
        let source = &mut self.source;
        let expires = |is: bool| entities.iter().any(|entity| entity.expires == is);
        if source.has_exclusion()
            || tells_keys_apart
            || (expires(true) && expires(false))
            || !is_alone(source.table, entities, source.index)
            // A scan also returns items of other entities.
            || (source.is_scan() && entities.len() < source.table.entities.len())
        {
            source.selection = counted(source.table, source.index, entities)?;
            return Ok(false);
        }
        if !self.with_expired
            && expires(true)
            && let Some(fresh) = is_fresh(source.table, self.db.now())?
        {
            source.filter = Some(match source.filter.take() {
                Some(filter) => Condition::and(vec![filter, fresh])?,
                None => fresh,
            });
        }
        source.selection = Selection::Count;
        Ok(true)
    }

    fn count_of(&self, range: usize, rows: Option<Vec<Attributes>>) -> usize {
        let now = self.db.now();
        let rows = rows.unwrap_or_default().into_iter().map(stored);
        rows.filter(|row| self.wants(range, row.as_item(), now)).count()
    }

    async fn request(&self, start: Start, limit: Option<usize>) -> Result<PageAnswer> {
        let page = read_page(self.db, self.source.request(self.table_name, start, limit)?).await;
        page.map_err(|error| error.about(|| Subject::named(self.kind.name)))
    }

    fn wants(&self, range: usize, item: ItemRef<'_>, now: Timestamp) -> bool {
        (self.kind.entity_of)(item).is_some_and(|entity| {
            !self.source.excludes(range, item)
                && (self.with_expired
                    || !entity.expires
                    || !has_passed(self.source.table, item, now))
        })
    }
}
