//! Reading a table or an index from one end to the other.

use crate::condition::Condition;
use crate::entity::Entity;
use crate::error::Result;
use crate::get::projection;
use crate::marker::Marker;
use crate::projection::Projection;
use crate::query::Described;
use crate::source::{Part, Source};
use crate::table::Table;
use singlet_dynamo::operation::{Segment, Selection};
use std::marker::PhantomData;

/// Reads all items of an entity, and everything else in the table on the way.
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
/// let active = db.scan(Scan::table().filter(League::active.eq(true))).all().await?;
/// assert_eq!(active.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[must_use = "a scan does nothing until a `Db` runs it"]
pub struct Scan<E, P = E> {
    /// The place of the index pattern, if it is not the table that is read.
    index: Option<usize>,
    filter: Option<Condition<E>>,
    segment: Option<Segment>,
    limit: Option<usize>,
    consistent: bool,
    with_expired: bool,
    output: Marker<P>,
}

/// An index pattern of an entity, under its name in capitals: `Game::NEWEST`.
pub struct IndexPattern<E> {
    place: usize,
    entity: Marker<E>,
}

impl<E> IndexPattern<E> {
    /// The pattern at this place of the entity's declaration.
    #[must_use]
    pub const fn new(place: usize) -> Self {
        Self { place, entity: PhantomData }
    }
}

impl<E: Entity> Scan<E> {
    /// Reads the table.
    pub fn table() -> Self {
        Self::of(None)
    }

    /// Reads an index: all items that have the key of this pattern.
    pub fn index(pattern: IndexPattern<E>) -> Self {
        Self::of(Some(pattern.place))
    }

    fn of(index: Option<usize>) -> Self {
        Self {
            index,
            filter: None,
            segment: None,
            limit: None,
            consistent: false,
            with_expired: false,
            output: PhantomData,
        }
    }
}

impl<E: Entity, P: Projection<Entity = E>> Scan<E, P> {
    /// Only items that are so. What does not pass is read and paid for all the same.
    pub fn filter(mut self, condition: Condition<E>) -> Self {
        self.filter = Some(match self.filter {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }

    /// Only one of several segments, so that several can scan at once.
    pub fn segment(mut self, number: u32, total: u32) -> Self {
        self.segment = Some(Segment { number, total });
        self
    }

    /// So many items to a page at most.
    pub fn limit(mut self, items: usize) -> Self {
        self.limit = Some(items);
        self
    }

    /// Sees every write that was acknowledged before. It costs twice as much, and an index does
    /// not do it.
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// Also items that are expired and not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.with_expired = true;
        self
    }

    /// Only the fields of a smaller struct; see [`Projection`].
    pub fn project<Q: Projection<Entity = E>>(self) -> Scan<E, Q> {
        let Self { index, filter, segment, limit, consistent, with_expired, .. } = self;
        Scan { index, filter, segment, limit, consistent, with_expired, output: PhantomData }
    }

    pub(crate) fn describe(self) -> Described {
        let Self { limit, with_expired, .. } = self;
        Described { source: self.into_source(), limit, with_expired }
    }

    fn into_source(self) -> Result<Source> {
        let pattern = self.index.and_then(|place| E::SHAPE.indexes.get(place));
        let index = pattern.and_then(|pattern| E::Table::SHAPE.index(pattern.index));
        Ok(Source {
            table: &E::Table::SHAPE,
            index,
            part: Part::All(self.segment),
            filter: self.filter.map(Condition::into_expression).transpose()?,
            selection: projection::<P>(index)?.map_or(Selection::Held, Selection::Parts),
            consistent: self.consistent,
        })
    }
}

impl<E: Entity, P> std::fmt::Debug for Scan<E, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Scan");
        shown.field("entity", &E::SHAPE.name);
        if let Some(pattern) = self.index.and_then(|place| E::SHAPE.indexes.get(place)) {
            shown.field("index", &pattern.index);
        }
        if let Some(filter) = &self.filter {
            shown.field("filter", filter);
        }
        shown.field("segment", &self.segment).field("limit", &self.limit).finish_non_exhaustive()
    }
}
