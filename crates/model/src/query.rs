//! Access patterns: which items of a partition are read, and in which order.

mod range;

pub use range::{FixedWidth, Narrow, Ranged, Tail};
pub(crate) use range::{Range, SortTest};

use crate::attribute::Attribute;
use crate::condition::Condition;
use crate::entity::Entity;
use crate::error::Result;
use crate::field::Textual;
use crate::get::projection;
use crate::key::{Given, GivenPart, KeyArgument};
use crate::marker::Marker;
use crate::projection::Projection;
use crate::shape::{IndexKeyShape, IndexShape, KeyAttributes, KeyFault, KeyShape, Template};
use crate::source::{Part, Source};
use crate::table::Table;
use singlet_dynamo::Value;
use singlet_dynamo::operation::Selection;
use std::marker::PhantomData;

/// Reads items of one partition, of the table or of an index. Made by the functions that
/// `#[derive(Entity)]` gives an entity, one for each access pattern.
///
/// `Rest` are the parts of the sort key that are not fixed yet. They are fixed from the first to
/// the last, by [`with`](Self::with), and the next one may be narrowed to a range.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(GameId, GoalId);
/// # #[table(name = "3fc", key = (pk, sk), entities(Goal))]
/// # pub struct App;
/// #[derive(Entity, Debug)]
/// #[entity(App, key = ("GAME#{game}", "GOAL#{third:01}#{minute:04}#{id}"))]
/// pub struct Goal {
///     pub game: GameId,
///     pub third: u8,
///     pub minute: u16,
///     pub id: GoalId,
/// }
///
/// # fn goals(game: &GameId) {
/// let _ = Goal::of(game);                           // all goals of a game
/// let _ = Goal::of(game).with(2);                   // those of the second third
/// let _ = Goal::of(game).with(2).between(1, 10);    // of its first ten minutes
/// let _ = Goal::of(game).descending().limit(1);     // the last goal
/// # }
/// ```
#[must_use = "a query does nothing until a `Db` runs it"]
pub struct Query<E, Rest, S = Primary, P = E> {
    description: Description<E>,
    types: Marker<(Rest, S, P)>,
}

/// The query reads the table itself.
pub enum Primary {}
/// The query reads an index.
pub enum ByIndex {}

/// What can be read consistently: tables.
#[diagnostic::on_unimplemented(
    message = "an index cannot be read consistently",
    label = "reads an index",
    note = "indexes follow their table a little later: query the table, or read the items found once more by their keys, consistently"
)]
pub trait Consistent {}

impl Consistent for Primary {}

/// What is asked for.
struct Description<E> {
    /// The index, if it is not the table.
    index: Option<&'static IndexKeyShape>,
    partition: Result<Value, KeyFault>,
    /// The values of the parts of the sort key that are fixed.
    fixed: Vec<GivenPart>,
    /// What the next part of the sort key must be.
    range: Range,
    filter: Option<Condition<E>>,
    descending: bool,
    limit: Option<usize>,
    consistent: bool,
    with_expired: bool,
}

impl<E: Entity> Description<E> {
    /// The templates of the key that is read.
    pub(crate) fn key(&self) -> &'static KeyShape {
        self.index.map_or(&E::SHAPE.key, |index| &index.key)
    }

    fn index(&self) -> Option<&'static IndexShape> {
        self.index.and_then(|index| E::Table::SHAPE.index(index.index))
    }

    /// The attributes of the key that is read.
    fn attributes(&self) -> &'static KeyAttributes {
        self.index().map_or(&E::Table::SHAPE.key, |index| &index.key)
    }

    /// Where the items are, of which this projection is read.
    pub(crate) fn into_source<P: Projection<Entity = E>>(self) -> Result<Source> {
        let sort = match (&self.key().sort, &self.attributes().sort) {
            (Some(template), Some(attribute)) => {
                SortTest::of::<E>(template, attribute, &self.fixed, &self.range)?
            }
            _ => SortTest::Any,
        };
        let index = self.index();
        Ok(Source {
            table: &E::Table::SHAPE,
            index,
            part: Part::Partition { value: self.partition?, sort, descending: self.descending },
            filter: self.filter.map(Condition::into_expression).transpose()?,
            selection: projection::<P>(index)?.map_or(Selection::Held, Selection::Parts),
            consistent: self.consistent,
        })
    }
}

impl<E: Entity, Rest> Query<E, Rest, Primary> {
    /// The items of this entity in a partition of the table.
    pub fn partition(parts: &[GivenPart]) -> Self {
        Self::new(None, parts)
    }
}

impl<E: Entity, Rest> Query<E, Rest, ByIndex> {
    /// The items of this entity in a partition of an index: the one of its pattern at this place.
    pub fn index(place: usize, parts: &[GivenPart]) -> Self {
        Self::new(E::SHAPE.indexes.get(place), parts)
    }
}

impl<E: Entity, Rest, S, P> Query<E, Rest, S, P> {
    fn new(index: Option<&'static IndexKeyShape>, parts: &[GivenPart]) -> Self {
        let mut description = Description {
            index,
            partition: Err(KeyFault::missing(E::SHAPE.name)),
            fixed: Vec::new(),
            range: Range::default(),
            filter: None,
            descending: false,
            limit: None,
            consistent: false,
            with_expired: false,
        };
        let template: &Template = &description.key().partition;
        let attributes = description.attributes();
        description.partition = Given::new::<E>(parts)
            .and_then(|given| given.render(template, attributes, &attributes.partition));
        Self { description, types: PhantomData }
    }

    /// Sees every write that was acknowledged before. It costs twice as much.
    pub fn consistent(mut self) -> Self
    where
        S: Consistent,
    {
        self.description.consistent = true;
        self
    }

    fn retyped<R, Q>(self) -> Query<E, R, S, Q> {
        Query { description: self.description, types: PhantomData }
    }

    /// Fixes the next part of the sort key.
    pub fn with<N>(mut self, part: impl KeyArgument<Rest::Part>) -> Query<E, N, S, P>
    where
        Rest: Narrow<Rest = N>,
    {
        let template = self.description.key().sort.as_ref();
        let next = template.and_then(|sort| sort.parts.get(self.description.fixed.len()));
        let place = next.map_or(usize::MAX, |part| part.place);
        self.description.fixed.push((place, part.as_part().to_value()));
        self.retyped()
    }

    /// The next part of the sort key is between these, both included.
    pub fn between(
        self,
        first: impl KeyArgument<Rest::Part>,
        last: impl KeyArgument<Rest::Part>,
    ) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.from(first.as_part()).until(last.as_part()))
    }

    /// The next part of the sort key is this or comes after it.
    pub fn from(self, first: impl KeyArgument<Rest::Part>) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.from(first.as_part()))
    }

    /// The next part of the sort key comes after this.
    pub fn after(self, part: impl KeyArgument<Rest::Part>) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.after(part.as_part()))
    }

    /// The next part of the sort key is this or comes before it.
    pub fn until(self, last: impl KeyArgument<Rest::Part>) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.until(last.as_part()))
    }

    /// The next part of the sort key comes before this.
    pub fn before(self, part: impl KeyArgument<Rest::Part>) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.before(part.as_part()))
    }

    /// The next part of the sort key begins with this text.
    pub fn starting_with(self, prefix: impl Into<String>) -> Query<E, (), S, P>
    where
        Rest: Narrow,
        Rest::Part: Textual,
    {
        self.narrowed(|range| range.starting_with(prefix.into()))
    }

    fn narrowed(mut self, narrow: impl FnOnce(Range) -> Range) -> Query<E, (), S, P> {
        self.description.range = narrow(std::mem::take(&mut self.description.range));
        self.retyped()
    }

    /// From the last sort key to the first.
    pub fn descending(mut self) -> Self {
        self.description.descending = true;
        self
    }

    /// So many items to a page at most.
    pub fn limit(mut self, items: usize) -> Self {
        self.description.limit = Some(items);
        self
    }

    /// Only items that are so. What does not pass is read and paid for all the same.
    pub fn filter(mut self, condition: Condition<E>) -> Self {
        self.description.filter = Some(match self.description.filter {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }

    /// Also items that are expired and not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.description.with_expired = true;
        self
    }

    /// Only the fields of a smaller struct; see [`Projection`].
    pub fn project<Q: Projection<Entity = E>>(self) -> Query<E, Rest, S, Q> {
        self.retyped()
    }
}

/// What [`Db::query`](crate::Db::query) takes: a query that a key of the table or of an index
/// serves.
#[diagnostic::on_unimplemented(
    message = "no key or index serves this query",
    label = "not an access pattern of the entity",
    note = "a query names a partition: use `of(…)`, or the function that has the name of an index pattern; a condition on other fields can only filter what such a query reads, with `filter`",
    note = "to be able to ask this, add an index to the table and its key to the entity: `#[entity(…, GSI1 pattern = (\"…\", \"…\"))]`"
)]
pub trait AccessPattern {
    /// The entity that is read.
    type Entity: Entity;
    /// What is made of each item.
    type Output: Projection<Entity = Self::Entity>;
    #[doc(hidden)]
    fn describe(self) -> Described;
}

/// What is asked for, for those who carry it out.
#[doc(hidden)]
pub struct Described {
    pub(crate) source: Result<Source>,
    pub(crate) limit: Option<usize>,
    pub(crate) with_expired: bool,
}

impl<E: Entity, Rest, S, P: Projection<Entity = E>> AccessPattern for Query<E, Rest, S, P> {
    type Entity = E;
    type Output = P;

    fn describe(self) -> Described {
        let Description { limit, with_expired, .. } = self.description;
        Described { source: self.description.into_source::<P>(), limit, with_expired }
    }
}

impl<E: Entity, Rest, S, P> std::fmt::Debug for Query<E, Rest, S, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Description { fixed, filter, descending, limit, .. } = &self.description;
        let mut shown = f.debug_struct("Query");
        shown.field("entity", &E::SHAPE.name);
        if let Some(index) = self.description.index {
            shown.field("index", &index.index);
        }
        shown.field("partition", &self.description.partition);
        for (_, value) in fixed {
            shown.field("with", value);
        }
        if let Some(filter) = filter {
            shown.field("filter", filter);
        }
        if let Some(limit) = limit {
            shown.field("limit", limit);
        }
        shown.field("descending", descending).finish_non_exhaustive()
    }
}
