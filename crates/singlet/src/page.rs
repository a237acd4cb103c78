//! Reading what a query asks for, page by page.

mod count;
mod items;

pub use items::Items;

use crate::backend::BackendError;
use crate::backend::BoxFuture;
use crate::condition::is_fresh;
use crate::cursor::{self, Cursor, Identity};
use crate::db::{Db, Inner};
use crate::error::Result;
use crate::inspect::debug_flags;
use crate::item::{Corrupt, OnCorrupt, has_passed};
use crate::marker::Marker;
use crate::operation::stored;
use crate::query::{Described, HoldsAll, Primary, Readable};
use crate::shape::{EntityShape, IndexShape};
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

/// How many requests a page takes at most before it ends without being full, so that one page costs
/// eight megabytes of reads at most. Within a range of the sort key each request asks for twice as
/// many items as the one before.
const PAGE_REQUESTS_MAX: usize = 8;

/// Some of the items that a query gives, and where the others begin.
#[derive(Debug)]
pub struct Page<T, E = T> {
    /// The items.
    pub items: Vec<T>,
    /// Where the next page begins; `None` if this was the last.
    pub next: Option<Cursor<E>>,
}

/// A query on a database, ready to be read: the first item, a page, all, or only how many there
/// are. `S` is where it reads: the table, or an index that may not hold all of an item.
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

    /// Passes over items that are not what the entity says, instead of failing at the first of
    /// them. Each is told by a warning, with its key, to whoever subscribes to `tracing`. They are
    /// counted all the same.
    ///
    /// It is for lists that have to be seen while somebody looks into it: an item that somebody
    /// else wrote, or an earlier version of the program, or a later one that is being rolled out.
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

    /// The first item, if there is one.
    pub async fn first(self) -> Result<Option<P>>
    where
        S: HoldsAll<P>,
    {
        let mut items = Vec::new();
        self.untyped().first(&mut items).await?;
        Ok(items.into_iter().next())
    }

    /// One page: the first, or the one where a cursor says that it begins.
    ///
    /// A page has as many items as the query's limit says, unless there are no more. Without a
    /// limit it has what one request of DynamoDB gives, up to a megabyte. A page of no items, by a
    /// limit of zero, reads nothing, and the next one begins where it does.
    ///
    /// Where nearly everything is passed over, because a filter lets little through, a page ends
    /// after a while with fewer items, or none, and says where the next one begins: only
    /// [`next`](Page::next) tells whether there is more.
    ///
    /// Cursors are signed, so the [`Settings`](crate::Settings) must have a key for them; without
    /// one this fails with [`Error::NoCursorKey`](crate::Error::NoCursorKey).
    pub async fn page(self, cursor: Option<Cursor<P::Subject>>) -> Result<Page<P, P::Subject>>
    where
        S: HoldsAll<P>,
    {
        let mut items = Vec::new();
        let next = self.untyped().page(&mut items, cursor.map(Cursor::into_bytes)).await?;
        Ok(Page { items, next: next.map(Cursor::from_bytes) })
    }

    /// All items, however many pages there are; as many as the query's limit says, if it has one.
    pub async fn all(self) -> Result<Vec<P>>
    where
        S: HoldsAll<P>,
    {
        let mut items = Vec::new();
        self.untyped().all(&mut items).await?;
        Ok(items)
    }

    /// The items one after the other, read page by page as they are asked for.
    pub fn items(self) -> Items<'d, D, P>
    where
        S: HoldsAll<P>,
    {
        let limit = self.described.limit;
        Items::new(self.untyped().core(), limit)
    }

    /// How many items there are. They are read and paid for, but not sent if DynamoDB can count
    /// them by itself. Items of an index can be counted whatever it holds of them.
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

/// Carries out a request for a page.
pub(crate) async fn read_page(db: &Inner, request: Request) -> Result<PageAnswer> {
    match db.execute(request).await? {
        Answer::Page(page) => Ok(page),
        _ => Err(BackendError::unexpected().into()),
    }
}

/// Where a read of so many items ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// When it has them. What is behind them does not matter.
    Filled,
    /// When it has them and knows whether there are more; but not later than a page does.
    Page,
}

/// What is read, without its type.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    entities: &'static [&'static EntityShape],
    tells_keys_apart: bool,
    entity_of: fn(ItemRef<'_>) -> Option<&'static EntityShape>,
    selection: fn(Option<&'static IndexShape>) -> Result<Selection>,
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

/// Takes what is read.
trait Sink: Send {
    fn len(&self) -> usize;
    /// Reads one more item. Nothing if it is of none of the entities.
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

/// A query without the type of what it reads, so that reading it is compiled once.
struct Untyped<'d> {
    db: &'d Inner,
    table_name: &'d str,
    described: Described,
    on_corrupt: OnCorrupt,
    kind: Kind,
}

/// Where a query is read.
struct Core<'d> {
    db: &'d Inner,
    table_name: &'d str,
    source: Source,
    with_expired: bool,
    on_corrupt: OnCorrupt,
    kind: Kind,
}

impl<'d> Untyped<'d> {
    /// Reads whole items, or the part of them that the type holds.
    fn core(self) -> Result<Core<'d>> {
        let select = self.kind.selection;
        let mut core = self.counter()?;
        core.source.selection = select(core.source.index)?;
        Ok(core)
    }

    /// A reader without a selection: counting needs none.
    fn counter(self) -> Result<Core<'d>> {
        let Self { db, table_name, described, on_corrupt, kind } = self;
        let Described { source, limit: _, with_expired } = described;
        Ok(Core { db, table_name, source: source?, with_expired, on_corrupt, kind })
    }

    fn first<'a>(self, items: &'a mut dyn Sink) -> BoxFuture<'a, Result<()>>
    where
        'd: 'a,
    {
        Box::pin(async move {
            self.core()?.read(items, Start::default(), Some(1), End::Filled).await.map(|_| ())
        })
    }

    /// Reads one page, and gives back the cursor of the next one.
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
            // Also where there is no second page: that there is a key must not depend on the data.
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

    /// So many items from there on, and where the next ones begin. Without a number, as many as
    /// one request gives, but at least one if there are any.
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
            // Nothing was read, so whether there is more is not known.
            return Ok(Some(start));
        }
        let now = self.db.now();
        let mut last: Option<(usize, StoredItem)> = None;
        let mut requests = 0;
        let mut decoded = ByteYield::default();
        // One more than is wanted tells whether there are more.
        let ahead = usize::from(end == End::Page);
        let mut limit = wanted.map(|wanted| wanted.saturating_add(ahead));
        loop {
            let range = start.range;
            let page = self.request(start, limit).await?;
            requests += 1;
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
                self.on_corrupt.apply(items.push_item(item))?;
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
            limit = match start.range == range {
                // What was read is mostly not what is wanted, so larger steps are worth it.
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

    /// Has the store count by itself, if it can: says whether it does.
    fn count_in_store(&mut self) -> Result<bool> {
        let Kind { entities, tells_keys_apart, .. } = self.kind;
        let source = &mut self.source;
        let expires = |is: bool| entities.iter().any(|entity| entity.expires == is);
        if source.has_exclusion()
            || tells_keys_apart
            || (expires(true) && expires(false))
            || !is_alone(source.table, entities, source.index)
            // A scan comes upon items of all entities, in whatever partitions.
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

    /// Whether an item of a range is one of those that are asked for.
    fn wants(&self, range: usize, item: ItemRef<'_>, now: Timestamp) -> bool {
        (self.kind.entity_of)(item).is_some_and(|entity| {
            !self.source.excludes(range, item)
                && (self.with_expired
                    || !entity.expires
                    || !has_passed(self.source.table, item, now))
        })
    }
}
