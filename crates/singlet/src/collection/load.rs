//! Loading a struct of entities.

use super::{Collection, CollectionShape, MemberShape, OWN_RANGE, Partition, Parts};
use crate::attribute::NotStorable;
use crate::db::Db;
use crate::entity::Entity;
use crate::error::Result;
use crate::inspect::{debug_flags, readable_key};
use crate::item::{Corrupt, OnCorrupt, Skipped, has_passed};
use crate::marker::Marker;
use crate::operation::stored;
use crate::page::read_page;
use crate::query::{Consistent, SortTest};
use crate::shape::KeyFault;
use crate::source::{Part, Source, Start};
use crate::subject::Subject;
use crate::table::{Contains, Declaration};
use crate::timestamp::Timestamp;
use singlet_dynamo::Value;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::operation::{Request, Selection};
use singlet_dynamo::stored::StoredItem;
use std::marker::PhantomData;

/// A collection that is a struct, which [`Db::load`](crate::Db::load) puts together.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection that can be loaded",
    label = "not a struct of entities",
    note = "a struct of entities with `#[derive(Collection)]` is loaded; an enum of them is queried, with `db.query`"
)]
pub trait Assemble: Collection {
    /// Makes the collection of items; `None` if a member that must be there is missing. With each
    /// item comes the place of the member it was read for, if that has a limit.
    fn assemble<'a>(
        items: impl Iterator<Item = (Option<usize>, ItemRef<'a>)>,
    ) -> Result<Option<Self>, Corrupt>;
}

/// Reads a collection; made by its function `of`.
#[must_use = "a read does nothing until a `Db` runs it"]
pub struct Load<C> {
    parts: Vec<Result<Option<Value>, NotStorable>>,
    consistent: bool,
    with_expired: bool,
    on_corrupt: OnCorrupt,
    collection: Marker<C>,
}

impl<C: Collection> Load<C> {
    /// The collection of this partition.
    pub fn new(partition: impl Partition<C::Partition>) -> Self {
        Self {
            parts: partition.values(),
            consistent: false,
            with_expired: false,
            on_corrupt: OnCorrupt::Fail,
            collection: PhantomData,
        }
    }

    /// Sees every write that was acknowledged before. It costs twice as much. A global index
    /// cannot do it.
    pub fn consistent(mut self) -> Self
    where
        C::Source: Consistent,
    {
        self.consistent = true;
        self
    }

    /// Also items that are expired and not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.with_expired = true;
        self
    }

    /// Skips items that are not what their entities say, as
    /// [`Reading::skip_corrupt`](crate::Reading::skip_corrupt) does; a member with a limit gives up
    /// as a read with a limit does. If one of them is a member that must be there, there is no
    /// collection.
    pub fn skip_corrupt(mut self) -> Self {
        self.on_corrupt = OnCorrupt::Skip;
        self
    }

    /// The first request that it will send.
    pub(crate) fn first_request(self, table_name: &str) -> Result<Request> {
        let shape: &'static CollectionShape = &C::SHAPE;
        let value = shape.partition(&C::Head::SHAPE, &self.parts)?;
        let step = steps(shape, &self.parts)?.into_iter().next();
        let step = step.ok_or_else(|| KeyFault::missing(shape.name))?;
        let limit = step.own.and_then(|(_, member)| member.limit);
        let source = step.into_source(shape, value, self.consistent);
        source.request(table_name, Start::default(), limit)
    }
}

impl<C: Collection> std::fmt::Debug for Load<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shape: &'static CollectionShape = &C::SHAPE;
        let mut shown = f.debug_struct("Load");
        shown.field("collection", &shape.name);
        if let Some(index) = shape.index {
            shown.field("index", &index.name());
        }
        let partition = shape.partition(&C::Head::SHAPE, &self.parts);
        shown.field("partition", &format_args!("{}", readable_key(&partition)));
        let flags = [("consistent", self.consistent), ("with_expired", self.with_expired)];
        debug_flags(&mut shown, &flags);
        shown.field("on_corrupt", &self.on_corrupt).finish()
    }
}

/// One of the queries that a load takes.
struct Step {
    sort: SortTest,
    /// The member that it is for alone, with its place.
    own: Option<(usize, &'static MemberShape)>,
}

impl Step {
    fn into_source(self, shape: &CollectionShape, value: Value, consistent: bool) -> Source {
        Source {
            table: shape.table,
            index: shape.index,
            part: Part::Partition {
                value,
                equal: Vec::new(),
                sort: shape.index.map_or(&shape.table.key, |index| &index.key).sort.first(),
                ranges: self.sort.into(),
                descending: self.own.is_some_and(|(_, member)| member.descending),
            },
            filter: None,
            selection: Selection::Held,
            consistent,
        }
    }
}

/// The queries that a load takes, in the order of their sort keys; those with a limit last.
fn steps(shape: &'static CollectionShape, parts: &Parts) -> Result<Vec<Step>> {
    let intervals = shape.intervals(parts)?;
    let whole = |sort| Step { sort, own: None };
    let mut steps: Vec<Step> = intervals.iter().map(|interval| whole(interval.test())).collect();
    for (place, (member, range)) in shape.members.iter().zip(shape.ranges).enumerate() {
        if *range == OWN_RANGE {
            let sort = shape.interval(member, parts)?.test();
            steps.push(Step { sort, own: Some((place, member)) });
        }
    }
    Ok(steps)
}

/// Which of the items that are read belong to a collection.
struct Wanted {
    shape: &'static CollectionShape,
    /// The moment by which items are expired, if expired ones are to be left out.
    now: Option<Timestamp>,
    on_corrupt: OnCorrupt,
}

impl Wanted {
    /// Whether the item is of this member, if it was read for it alone, and neither expired nor to be
    /// passed over.
    fn takes(
        &self,
        own: Option<&MemberShape>,
        item: ItemRef<'_>,
        skipped: &mut Skipped,
    ) -> Result<bool, Corrupt> {
        let is_of = |member: &&MemberShape| self.shape.has(member, item);
        if own.is_some_and(|member| !is_of(&member)) {
            return Ok(false);
        }
        if self.now.is_some_and(|now| has_passed(self.shape.table, item, now)) {
            let member = own.or_else(|| self.shape.members.iter().find(is_of));
            if member.is_none_or(|member| member.entity.expires) {
                return Ok(false);
            }
        }
        if self.on_corrupt == OnCorrupt::Fail {
            return Ok(true);
        }
        // Skipped here, so that it does not count towards a limit.
        let member = own.or_else(|| {
            let mut others = self.shape.members.iter().filter(|member| member.limit.is_none());
            others.find(is_of)
        });
        let read = member.map_or(Ok(()), |member| (member.check)(item));
        Ok(self.on_corrupt.apply(read, skipped)?.is_some())
    }
}

impl<D: Declaration> Db<D> {
    /// Reads the items of a collection; `None` if there is no item of a member that must be there.
    ///
    /// It takes one query for each range of the sort key that the members are in, one after the
    /// other: one alone if nothing else can lie between them. See
    /// [`Collection`](macro@crate::Collection).
    pub async fn load<C: Assemble>(&self, load: Load<C>) -> Result<Option<C>>
    where
        D: Contains<<C::Head as Entity>::Table>,
    {
        let shape: &'static CollectionShape = &C::SHAPE;
        let value = shape.partition(&C::Head::SHAPE, &load.parts)?;
        let table_name = self.table_name::<<C::Head as Entity>::Table>();
        let wanted = Wanted {
            shape,
            now: Some(self.now()).filter(|_| !load.with_expired),
            on_corrupt: load.on_corrupt,
        };
        let mut items: Vec<(Option<usize>, StoredItem)> = Vec::new();
        for step in steps(shape, &load.parts)? {
            let own = step.own;
            let source = step.into_source(shape, value.clone(), load.consistent);
            let read = self.read_step(&source, table_name, own, &wanted, &mut items).await;
            read.map_err(|error| error.about(|| Subject::named(shape.name)))?;
        }
        let items = items.iter().map(|(own, item)| (*own, item.as_item()));
        Ok(C::assemble(items)?)
    }

    /// Reads the items of one query, all or as many as its member takes.
    async fn read_step(
        &self,
        source: &Source,
        table_name: &str,
        own: Option<(usize, &'static MemberShape)>,
        wanted: &Wanted,
        items: &mut Vec<(Option<usize>, StoredItem)>,
    ) -> Result<()> {
        let mut left = own.and_then(|(_, member)| member.limit);
        let mut limit = left;
        let mut start = Some(Start::default()).filter(|_| left != Some(0));
        let mut fruitless = 0;
        while let Some(from) = start.take() {
            let page = read_page(self.inner(), source.request(table_name, from, limit)?).await?;
            let (mut skipped, before) = (Skipped::default(), items.len());
            for item in page.items.unwrap_or_default().into_iter().map(stored) {
                if source.excludes(0, item.as_item())
                    || !wanted.takes(own.map(|(_, member)| member), item.as_item(), &mut skipped)?
                {
                    continue;
                }
                items.push((own.map(|(place, _)| place), item));
                left = left.map(|left| left - 1);
                if left == Some(0) {
                    return Ok(());
                }
            }
            start = source.next_start(0, page.last_evaluated_key);
            if limit.is_some() && start.is_some() {
                skipped.give_up(items.len() > before, &mut fruitless)?;
            }
            // What was read is mostly not what is wanted, so larger steps are worth it.
            limit = limit.map(|limit| limit.saturating_mul(2));
        }
        Ok(())
    }
}
