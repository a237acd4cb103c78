//! Scans of a table or an index.

use crate::condition::Condition;
use crate::entity::Entity;
use crate::error::Result;
use crate::inspect::debug_flags;
use crate::marker::Marker;
use crate::projection::Projection;
use crate::query::{ByIndex, Consistent, Described, HoldsAll, Primary, ReadFrom};
use crate::source::{Part, Source};
use crate::table::Table;
use singlet_dynamo::operation::{Segment, Selection};
use std::marker::PhantomData;

/// Reads all items of an entity from the table or an index. It pays for the whole table or index,
/// however few items match: use it for exports, repairs and small tables.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(LeagueId);
/// # #[table(name = "leagues", key = (leagueId), entities(League))]
/// # pub struct Leagues;
/// # #[derive(Entity, Debug)]
/// # #[entity(Leagues, key = ("{id}"))]
/// # pub struct League { #[attribute(rename = "leagueId")] pub id: LeagueId, pub active: bool }
/// # singlet::block_on(async {
/// # let db = Db::<Leagues>::memory().await?;
/// db.run(put(&League { id: LeagueId::new("1")?, active: true })).await?;
/// db.run(put(&League { id: LeagueId::new("2")?, active: false })).await?;
/// let active = db.scan(Scan::table().filter(League::ACTIVE.eq(true))).all().await?;
/// assert_eq!(active.len(), 1);
///
/// // Four workers, each with a segment of its own; segments are counted from zero.
/// let mut count = 0;
/// for number in 0..4 {
///     count += db.scan(Scan::<League>::table().segment(number, 4)).count().await?;
/// }
/// assert_eq!(count, 2);
///
/// // Page by page, and consistently, which a global index does not do.
/// let page = db.scan(Scan::<League>::table().limit(1).consistent()).page(None).await?;
/// let rest = db.scan(Scan::<League>::table().limit(1).consistent()).page(page.next).await?;
/// assert!(rest.next.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[must_use = "a scan does nothing until a `Db` runs it"]
pub struct Scan<E, P = E, S = Primary> {
    /// The index pattern; `None` for the table.
    index: Option<usize>,
    filter: Option<Condition<E>>,
    segment: Option<Segment>,
    limit: Option<usize>,
    consistent: bool,
    with_expired: bool,
    types: Marker<(P, S)>,
}

/// An index pattern of an entity. The constant has its name in capitals: `Game::NEWEST`.
pub struct IndexPattern<E, S> {
    types: Marker<(E, S)>,
}

impl<E, const PLACE: usize, const LOCAL: bool, const HELD: bool>
    IndexPattern<E, ByIndex<PLACE, LOCAL, HELD>>
{
    /// The pattern at `PLACE` in the entity's declaration.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "the derive makes a constant of it")]
    pub const fn new() -> Self {
        Self { types: PhantomData }
    }
}

impl<E: Entity> Scan<E> {
    /// Scans the table.
    pub fn table() -> Self {
        Self::of(None)
    }

    /// Scans an index: all items that have this pattern's key.
    pub fn index<S: ReadFrom>(pattern: IndexPattern<E, S>) -> Scan<E, E, S> {
        let IndexPattern { types: _ } = pattern;
        Scan::of(Some(S::PLACE))
    }
}

impl<E: Entity, P, S> Scan<E, P, S> {
    fn of(index: Option<usize>) -> Self {
        Self {
            index,
            filter: None,
            segment: None,
            limit: None,
            consistent: false,
            with_expired: false,
            types: PhantomData,
        }
    }
}

impl<E: Entity, P: Projection<Entity = E>, S> Scan<E, P, S> {
    /// Keeps items that match; the others still cost read units.
    ///
    /// A filter on an attribute that the index does not project fails with
    /// [`Error::NotProjected`](crate::Error::NotProjected) before anything is sent.
    pub fn filter(mut self, condition: Condition<E>) -> Self {
        self.filter = Some(match self.filter {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }

    /// Reads one of several segments, counted from zero, for parallel scans.
    pub fn segment(mut self, number: u32, total: u32) -> Self {
        self.segment = Some(Segment { number, total });
        self
    }

    /// Sets the maximum number of items per page.
    pub fn limit(mut self, items: usize) -> Self {
        self.limit = Some(items);
        self
    }

    /// Reads consistently: sees every write acknowledged before it, at twice the cost. Global
    /// indexes do not support it.
    pub fn consistent(mut self) -> Self
    where
        S: Consistent,
    {
        self.consistent = true;
        self
    }

    /// Includes expired items that are not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.with_expired = true;
        self
    }

    /// Reads only the fields of a smaller struct; see [`Projection`].
    pub fn project<Q: Projection<Entity = E>>(self) -> Scan<E, Q, S::Projected>
    where
        S: ReadFrom + HoldsAll<Q>,
    {
        let Self { index, filter, segment, limit, consistent, with_expired, .. } = self;
        Scan { index, filter, segment, limit, consistent, with_expired, types: PhantomData }
    }

    pub(crate) fn describe(self) -> Described {
        let Self { limit, with_expired, .. } = self;
        Described { source: self.into_source(), limit, with_expired }
    }

    fn into_source(self) -> Result<Source> {
        let pattern = self.index.and_then(|place| E::SHAPE.indexes.get(place));
        let index = pattern.and_then(|pattern| E::Table::SHAPE.index(pattern.index));
        let source = Source {
            table: E::Table::SHAPE,
            index,
            part: Part::All {
                segment: self.segment,
                key: pattern.filter(|pattern| pattern.when.is_some()).map(|pattern| &pattern.key),
            },
            filter: self.filter.map(Condition::into_expression).transpose()?,
            selection: Selection::Held,
            consistent: self.consistent,
        };
        source.with_checked_filter(&E::SHAPE)
    }
}

impl<E: Entity, P, S> std::fmt::Debug for Scan<E, P, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Scan");
        shown.field("entity", &E::SHAPE.name);
        if let Some(pattern) = self.index.and_then(|place| E::SHAPE.indexes.get(place)) {
            shown.field("index", &pattern.index).field("pattern", &pattern.key.pattern);
        }
        if let Some(filter) = &self.filter {
            shown.field("filter", filter);
        }
        if let Some(segment) = &self.segment {
            shown.field("segment", segment);
        }
        if let Some(limit) = &self.limit {
            shown.field("limit", limit);
        }
        let flags = [("consistent", self.consistent), ("with_expired", self.with_expired)];
        debug_flags(&mut shown, &flags);
        shown.finish()
    }
}
