//! Queries: which items of a partition to read, and in which order.

mod range;
mod readable;
mod source;

pub use range::{Each, FixedWidth, Narrow, Ranged, Tail, Take};
pub(crate) use range::{Interval, Range, SortTest};
pub use readable::Readable;
pub use source::{
    ByIndex, Consistent, HeldBy, HoldsAll, KeyParts, PRIMARY, PartlyHeld, Primary, ReadFrom,
};

use crate::condition::Condition;
use crate::design::{Index, KeyAttribute, KeyAttributes};
use crate::entity::Entity;
use crate::error::Result;
use crate::field::Textual;
use crate::inspect::{debug_flags, readable_part};
use crate::key::{Given, GivenPart, KeyArgument};
use crate::marker::Marker;
use crate::projection::Projection;
use crate::shape::{EntityShape, KeyFault, KeyShape, Shapes, TableShape, Template};
use crate::source::{Part, Ranges, Source};
use singlet_dynamo::Value;
use singlet_dynamo::operation::Selection;
use std::marker::PhantomData;

/// Reads items of one partition, of the table or of an index, in sort key order.
///
/// Each access pattern has a constructor. `#[derive(Entity)]` generates `of(…)` for the primary key
/// and a function named after each index pattern. `#[derive(Collection)]` generates `of(…)` for an
/// enum of entities; see [`Collection`](macro@crate::Collection).
///
/// `Rest` are the sort key parts that are not fixed yet. [`with`](Self::with) fixes them from first
/// to last, and the next one can be narrowed to a range.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(GameId, GoalId);
/// # #[table(name = "3fc", key = (pk, sk), index(GSI1 = (GSI1PK, GSI1SK)), entities(Goal))]
/// # pub struct App;
/// #[derive(Entity, Debug)]
/// #[entity(
///     App,
///     key = ("GAME#{game}", "GOAL#{third:01}#{minute:04}#{id}"),
///     GSI1 by_scorer = ("SCORER#{scorer}", "{scored_at}")
/// )]
/// pub struct Goal {
///     pub game: GameId,
///     pub third: u8,
///     pub minute: u16,
///     pub id: GoalId,
///     pub scorer: String,
///     pub scored_at: Timestamp,
/// }
///
/// # fn goals(game: &GameId, db: Db<App>, then: Timestamp) {
/// let _ = Goal::of(game);                           // all goals of a game
/// let _ = Goal::of(game).with(2);                   // those of the second third
/// let _ = Goal::of(game).with(2).between(1, 10);    // of its first ten minutes
/// let _ = Goal::of(game).with(2).until(10);         // the same
/// let _ = Goal::of(game).with(2).after(10);         // all others of that third
/// let _ = Goal::of(game).with(2).with(17).starting_with("a"); // by the beginning of an identifier
/// let _ = Goal::of(game).descending().limit(1);     // the last goal
/// let _ = Goal::of(game).consistent();              // sees every acknowledged write
/// let _ = Goal::of(game).filter(Goal::SCORER.eq("ada")); // reads all, gives those of one scorer
/// let _ = Goal::by_scorer("ada".to_string()).from(then); // by an index
/// # }
/// ```
///
/// [`Db::query`](crate::Db::query) runs it and reads the [`first`](crate::Reading::first) item,
/// [`all`](crate::Reading::all) items, a [`page`](crate::Reading::page) with a cursor, a stream of
/// [`items`](crate::Reading::items), or just the [`count`](crate::Reading::count).
///
/// With a `limit`, the query keeps reading until the page is full or the partition ends, even if it
/// drops items by a filter or because they belong to other entities. Expired items are left out
/// unless you call [`with_expired`](Self::with_expired).
///
/// Queries that no key serves do not compile: a range of a middle part of variable width, a
/// consistent read of a global index, or reading an entity from an index that does not project all
/// of its fields. Use [`project`](Self::project) to read only the projected fields.
#[must_use = "a query does nothing until a `Db` runs it"]
pub struct Query<E, Rest, S = Primary, P = E> {
    description: Description,
    filter: Option<Condition<E>>,
    types: Marker<(Rest, S, P)>,
}

struct Description {
    table: &'static TableShape,
    /// The index, or `None` for the table.
    index: Option<&'static Index>,
    /// The entity whose template names the parts; for a collection, the first member.
    entity: &'static EntityShape,
    partition: Result<PartitionKey, KeyFault>,
    sort: SortKeys,
    /// The values of the fixed sort key parts.
    fixed: Vec<GivenPart>,
    /// The range of the next sort key part.
    range: Range,
    descending: bool,
    limit: Option<usize>,
    consistent: bool,
    with_expired: bool,
}

/// The value of the first partition attribute, and the others of a multi-attribute key.
type PartitionKey = (Value, Vec<(&'static str, Value)>);

enum SortKeys {
    /// One template per sort attribute.
    Templates(&'static [Template]),
    /// The sort keys of a collection.
    Several(Box<SharedKeys>),
}

pub(crate) struct SharedKeys {
    /// The ranges that contain the members' items, in ascending order.
    pub(crate) intervals: Vec<Interval>,
    /// The leading part of the first member's template that all members share.
    pub(crate) template: Option<Template>,
    /// The text that follows it in every member's template, if some templates continue.
    pub(crate) more: Option<&'static str>,
    /// Bounds on the whole sort key, all inclusive.
    pub(crate) prefix: Option<String>,
    pub(crate) lower: Option<String>,
    pub(crate) upper: Option<String>,
}

impl Description {
    fn new(
        table: &'static TableShape,
        index: Option<&'static Index>,
        entity: &'static EntityShape,
        partition: Result<PartitionKey, KeyFault>,
        sort: SortKeys,
    ) -> Self {
        Self {
            table,
            index,
            entity,
            partition,
            sort,
            fixed: Vec::new(),
            range: Range::default(),
            descending: false,
            limit: None,
            consistent: false,
            with_expired: false,
        }
    }

    #[inline(never)]
    fn of_table(Shapes { entity: shape, table }: Shapes, parts: &[GivenPart]) -> Self {
        let partition = partition_key(shape, &shape.key, &table.key, parts);
        Self::new(table, None, shape, partition, SortKeys::Templates(shape.key.sort))
    }

    #[inline(never)]
    fn of_index(
        Shapes { entity: shape, table }: Shapes,
        place: usize,
        parts: &[GivenPart],
    ) -> Self {
        let of_index = shape.indexes.get(place);
        let index = of_index.and_then(|of_index| table.index(of_index.index));
        let (Some(of_index), Some(index)) = (of_index, index) else {
            // Unreachable: the pattern and the index were checked at compile time.
            let partition = Err(KeyFault::missing(shape.name));
            return Self::new(table, None, shape, partition, SortKeys::Templates(&[]));
        };
        let partition = partition_key(shape, &of_index.key, &index.key, parts);
        Self::new(table, Some(index), shape, partition, SortKeys::Templates(of_index.key.sort))
    }

    #[inline(never)]
    fn describe(self, filter: Option<Result<singlet_dynamo::expression::Condition>>) -> Described {
        let Self { limit, with_expired, .. } = self;
        let source = filter.transpose().and_then(|filter| self.into_source(filter));
        Described { source, limit, with_expired }
    }

    /// The place of the next field to fix.
    fn next_place(&self) -> Option<usize> {
        let next = self.fixed.len();
        let template = match &self.sort {
            SortKeys::Templates([only]) => only,
            SortKeys::Templates(several) => return several.get(next)?.only_place(),
            SortKeys::Several(shared) => shared.template.as_ref()?,
        };
        template.parts.get(next).map(|part| part.place)
    }

    fn key(&self) -> &'static KeyAttributes {
        self.index.map_or(&self.table.key, |index| &index.key)
    }

    /// The sort attribute to narrow: the first that is not fixed.
    fn sort_attribute(&self) -> Option<&'static KeyAttribute> {
        let position = match &self.sort {
            SortKeys::Templates([_, _, ..]) => self.fixed.len(),
            _ => 0,
        };
        self.key().sort.get(position)
    }

    /// The fixed sort attributes of a multi-attribute key.
    fn fixed_attributes(&self) -> Result<Vec<(&'static str, Value)>, KeyFault> {
        let SortKeys::Templates(templates @ [_, _, ..]) = &self.sort else { return Ok(Vec::new()) };
        let given = Given::of(self.entity, &self.fixed)?;
        let key = self.key();
        let fixed = templates.iter().zip(key.sort.iter()).take(self.fixed.len());
        fixed.map(|(template, own)| Ok((own.name(), given.render(template, key, own)?))).collect()
    }

    fn ranges(&self) -> Result<Ranges> {
        let Some(attribute) = self.sort_attribute() else { return Ok(SortTest::Any.into()) };
        let is_narrowed = !self.fixed.is_empty() || !self.range.is_everything();
        let (entity, range) = (self.entity, &self.range);
        match &self.sort {
            SortKeys::Templates([]) => Ok(SortTest::Any.into()),
            SortKeys::Templates([only]) => {
                Ok(SortTest::of(entity, only, None, attribute, &self.fixed, range)?.into())
            }
            SortKeys::Templates(several) => match several.get(self.fixed.len()) {
                Some(next) => Ok(SortTest::of(entity, next, None, attribute, &[], range)?.into()),
                None => Ok(SortTest::Any.into()),
            },
            SortKeys::Several(shared) => match &shared.template {
                Some(template) if is_narrowed => {
                    let (fixed, more) = (&self.fixed, shared.more);
                    let test = SortTest::of(entity, template, more, attribute, fixed, range)?;
                    Ok(shared.narrow(test).into())
                }
                _ => Ok(shared.ranges(self.descending)),
            },
        }
    }

    /// The ranges to read. The selection is added later.
    fn into_source(self, filter: Option<singlet_dynamo::expression::Condition>) -> Result<Source> {
        let (ranges, fixed, sort) =
            (self.ranges()?, self.fixed_attributes()?, self.sort_attribute());
        let (value, mut equal) = self.partition?;
        equal.extend(fixed);
        let source = Source {
            table: self.table,
            index: self.index,
            part: Part::Partition { value, equal, sort, ranges, descending: self.descending },
            filter,
            selection: Selection::Held,
            consistent: self.consistent,
        };
        source.with_checked_filter(self.entity)
    }
}

fn partition_key(
    shape: &EntityShape,
    key: &'static KeyShape,
    attributes: &'static KeyAttributes,
    parts: &[GivenPart],
) -> Result<PartitionKey, KeyFault> {
    let given = Given::of(shape, parts)?;
    let mut templates = key.partition.iter().zip(attributes.partition.iter());
    let Some((template, first)) = templates.next() else {
        return Err(KeyFault::missing(shape.name));
    };
    let value = given.render(template, attributes, first)?;
    let others =
        templates.map(|(template, own)| Ok((own.name(), given.render(template, attributes, own)?)));
    Ok((value, others.collect::<Result<_, KeyFault>>()?))
}

impl SharedKeys {
    pub(crate) fn begin_with(&mut self, prefix: String) {
        match &self.prefix {
            Some(own) if own.starts_with(&prefix) => {}
            // No key has both prefixes. Keys are not empty, so this bound matches nothing.
            Some(own) if !prefix.starts_with(own.as_str()) => self.upper = Some(String::new()),
            _ => self.prefix = Some(prefix),
        }
    }

    pub(crate) fn begin_at(&mut self, lower: String) {
        self.lower = self.lower.take().max(Some(lower));
    }

    pub(crate) fn end_at(&mut self, upper: String) {
        self.upper = Some(match self.upper.take() {
            Some(own) => own.min(upper),
            None => upper,
        });
    }

    /// Adds the bounds on the whole sort key.
    fn narrow(&self, test: SortTest) -> SortTest {
        test.narrowed(self.prefix.as_deref(), self.lower.as_deref(), self.upper.as_deref())
    }

    /// The ranges to read, in reading order.
    fn ranges(&self, descending: bool) -> Ranges {
        let narrowed = self.intervals.iter().map(|interval| self.narrow(interval.test()));
        let mut tests: Vec<SortTest> = narrowed.filter(|test| *test != SortTest::Never).collect();
        if descending {
            tests.reverse();
        }
        let mut tests = tests.into_iter();
        Ranges { first: tests.next().unwrap_or(SortTest::Never), others: tests.collect() }
    }
}

impl<E: Entity, Rest> Query<E, Rest, Primary> {
    /// This entity's items in a partition of the table.
    pub fn partition(parts: &[GivenPart]) -> Self {
        Self::new(Description::of_table(Shapes::of::<E>(), parts))
    }
}

impl<E: Entity, Rest, const PLACE: usize, const LOCAL: bool, const HELD: bool>
    Query<E, Rest, ByIndex<PLACE, LOCAL, HELD>>
{
    /// This entity's items in a partition of the index that the pattern at `PLACE` uses.
    pub fn index(parts: &[GivenPart]) -> Self {
        Self::new(Description::of_index(Shapes::of::<E>(), PLACE, parts))
    }
}

impl<E, Rest, S, P> Query<E, Rest, S, P> {
    fn new(description: Description) -> Self {
        Self { description, filter: None, types: PhantomData }
    }

    pub(crate) fn several(
        table: &'static TableShape,
        index: Option<&'static Index>,
        head: &'static EntityShape,
        partition: Result<Value, KeyFault>,
        keys: SharedKeys,
    ) -> Self {
        let sort = SortKeys::Several(Box::new(keys));
        let partition = partition.map(|value| (value, Vec::new()));
        Self::new(Description::new(table, index, head, partition, sort))
    }

    /// Reads consistently: sees every write acknowledged before it, at twice the cost. Global
    /// indexes do not support it.
    pub fn consistent(mut self) -> Self
    where
        S: Consistent,
    {
        self.description.consistent = true;
        self
    }

    pub(crate) fn with_keys(mut self, change: impl FnOnce(&mut SharedKeys)) -> Query<E, (), S, P> {
        if let SortKeys::Several(keys) = &mut self.description.sort {
            change(keys);
        }
        self.retyped()
    }

    fn retyped<R, T, Q>(self) -> Query<E, R, T, Q> {
        Query { description: self.description, filter: self.filter, types: PhantomData }
    }

    /// Fixes the next part of the sort key.
    pub fn with<N>(mut self, part: impl KeyArgument<Rest::Part>) -> Query<E, N, S, P>
    where
        Rest: Narrow<Rest = N>,
    {
        let place = self.description.next_place().unwrap_or(usize::MAX);
        self.description.fixed.push((place, part.to_part()));
        self.retyped()
    }

    /// Narrows the next sort key part to this range, both ends included.
    pub fn between(
        self,
        first: impl KeyArgument<Rest::Part>,
        last: impl KeyArgument<Rest::Part>,
    ) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.from(first.to_part()).until(last.to_part()))
    }

    /// Narrows the next sort key part to values from this one on.
    pub fn from(self, first: impl KeyArgument<Rest::Part>) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.from(first.to_part()))
    }

    /// Narrows the next sort key part to values after this one.
    pub fn after(self, part: impl KeyArgument<Rest::Part>) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.after(part.to_part()))
    }

    /// Narrows the next sort key part to values up to and including this one.
    pub fn until(self, last: impl KeyArgument<Rest::Part>) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.until(last.to_part()))
    }

    /// Narrows the next sort key part to values before this one.
    pub fn before(self, part: impl KeyArgument<Rest::Part>) -> Query<E, (), S, P>
    where
        Rest: Ranged,
    {
        self.narrowed(|range| range.before(part.to_part()))
    }

    /// Narrows the next sort key part to values with this prefix.
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

    /// Reads in descending sort key order.
    pub fn descending(mut self) -> Self {
        self.description.descending = true;
        self
    }

    /// Sets the maximum number of items per page.
    pub fn limit(mut self, items: usize) -> Self {
        self.description.limit = Some(items);
        self
    }

    /// Includes expired items that are not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.description.with_expired = true;
        self
    }
}

impl<E: Entity, Rest, S, P> Query<E, Rest, S, P> {
    /// Keeps items that match; the others still cost read units.
    ///
    /// A filter on an attribute of the key that the query reads, or on one that the index does not
    /// project, fails with [`Error::FilteredKey`](crate::Error::FilteredKey) or
    /// [`Error::NotProjected`](crate::Error::NotProjected) before anything is sent.
    pub fn filter(mut self, condition: Condition<E>) -> Self {
        self.filter = Some(match self.filter {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }

    /// Reads only the fields of a smaller struct; see [`Projection`].
    ///
    /// An index must project all fields of the struct, or the query does not compile:
    ///
    /// ```compile_fail
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// #[table(
    ///     name = "games", key = (PK, SK),
    ///     index(GSI1 = (GSI1PK, GSI1SK) projecting("status")), entities(Game)
    /// )]
    /// pub struct Games;
    ///
    /// #[derive(Entity)]
    /// #[entity(Games, key = ("GAME#{code}", "METADATA"), GSI1 newest = ("GAMES", "{code}"))]
    /// pub struct Game { pub code: Code, pub status: String, pub title: String }
    ///
    /// #[derive(Projection)]
    /// #[projection(Game)]
    /// pub struct Title { pub title: String }
    ///
    /// # singlet::block_on(async {
    /// let db = Db::<Games>::memory().await.unwrap();
    /// db.query(Game::newest().project::<Title>()).all().await.unwrap(); // GSI1 has no title
    /// # });
    /// ```
    pub fn project<Q: Projection<Entity = E>>(self) -> Query<E, Rest, S::Projected, Q>
    where
        S: ReadFrom + HoldsAll<Q>,
    {
        self.retyped()
    }
}

/// The argument of [`Db::query`](crate::Db::query): a query that a key of the table or an index
/// serves.
#[diagnostic::on_unimplemented(
    message = "no key or index serves this query",
    label = "not an access pattern of the entity",
    note = "a query names a partition: use `of(…)`, or the function that has the name of an index pattern; a condition on other fields can only filter what such a query reads, with `filter`",
    note = "to be able to ask this, add an index to the table and its key to the entity: `#[entity(…, GSI1 pattern = (\"…\", \"…\"))]`"
)]
pub trait AccessPattern {
    /// The type that each item is decoded into.
    type Output: Readable;
    /// The source: [`Primary`] or [`ByIndex`].
    type Source;
    #[doc(hidden)]
    fn describe(self) -> Described;
}

#[doc(hidden)]
pub struct Described {
    pub(crate) source: Result<Source>,
    pub(crate) limit: Option<usize>,
    pub(crate) with_expired: bool,
}

impl<E, Rest, S, P: Readable<Subject = E>> AccessPattern for Query<E, Rest, S, P> {
    type Output = P;
    type Source = S;

    fn describe(self) -> Described {
        self.description.describe(self.filter.map(Condition::into_expression))
    }
}

impl<E, Rest, S, P> std::fmt::Debug for Query<E, Rest, S, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Description { entity, index, partition, sort, fixed, .. } = &self.description;
        let Description { range, descending, limit, consistent, with_expired, .. } =
            &self.description;
        let mut shown = f.debug_struct("Query");
        shown.field("entity", &entity.name);
        if let Some(index) = index {
            shown.field("index", &index.name());
        }
        match partition {
            Ok((value, others)) => {
                shown.field("partition", value);
                for (name, value) in others {
                    shown.field(name, value);
                }
            }
            Err(fault) => {
                shown.field("partition", &format_args!("({fault})"));
            }
        }
        for (_, part) in fixed {
            shown.field("with", &format_args!("{}", readable_part(part)));
        }
        range.debug(&mut shown);
        if let SortKeys::Several(keys) = sort {
            keys.debug(&mut shown);
        }
        if let Some(filter) = &self.filter {
            shown.field("filter", filter);
        }
        if let Some(limit) = limit {
            shown.field("limit", limit);
        }
        let flags = [
            ("descending", *descending),
            ("consistent", *consistent),
            ("with_expired", *with_expired),
        ];
        debug_flags(&mut shown, &flags);
        shown.finish()
    }
}

impl SharedKeys {
    fn debug(&self, shown: &mut std::fmt::DebugStruct<'_, '_>) {
        let asked = [
            ("sort_key_starting_with", &self.prefix),
            ("sort_key_from", &self.lower),
            ("sort_key_until", &self.upper),
        ];
        for (name, text) in asked {
            if let Some(text) = text {
                shown.field(name, text);
            }
        }
    }
}
