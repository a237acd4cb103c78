//! Access patterns: which items of a partition are read, and in which order.

mod range;
mod readable;
mod source;

pub use range::{FixedWidth, Narrow, Ranged, Tail, Take};
pub(crate) use range::{Interval, Range, SortTest};
pub use readable::Readable;
pub use source::{ByIndex, Consistent, HoldsAll, KeyParts, PRIMARY, Primary, ReadFrom};

use crate::attribute::Attribute;
use crate::condition::Condition;
use crate::entity::Entity;
use crate::error::Result;
use crate::field::Textual;
use crate::inspect::{debug_flags, readable_key, readable_part};
use crate::key::{Given, GivenPart, KeyArgument};
use crate::marker::Marker;
use crate::projection::Projection;
use crate::shape::{EntityShape, IndexShape, KeyAttribute, KeyFault, Shapes, TableShape, Template};
use crate::source::{Part, Ranges, Source};
use singlet_dynamo::Value;
use singlet_dynamo::operation::Selection;
use std::marker::PhantomData;

/// Reads items of one partition, of the table or of an index, in the order of their sort keys.
///
/// Queries are made by functions, one for each access pattern. `#[derive(Entity)]` gives an entity
/// `of(…)` for the partitions of its primary key, and one under the name of each index pattern.
/// `#[derive(Collection)]` gives an enum of entities the function `of(…)`; see
/// [`Collection`](macro@crate::Collection).
///
/// `Rest` are the parts of the sort key that are not fixed yet. They are fixed from the first to
/// the last, by [`with`](Self::with), and the next one may be narrowed to a range.
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
/// [`Db::query`](crate::Db::query) reads it: the [`first`](crate::Reading::first) item,
/// [`all`](crate::Reading::all) of them, a [`page`](crate::Reading::page) with a cursor to the
/// next, [`items`](crate::Reading::items) one after the other, or only
/// [`count`](crate::Reading::count).
///
/// With a `limit`, pages have that many items also where a filter passes some over, or where items
/// of other entities lie in between: the query goes on until the page is full, or there is nothing
/// left. An item that is expired is gone, unless [`with_expired`](Self::with_expired) asks for it.
///
/// What no key serves does not compile: a range of a part in the middle whose values have different
/// widths, a consistent read of a global index, or reading an entity from an index that does not
/// hold all of its fields. Read those that it does hold with [`project`](Self::project).
#[must_use = "a query does nothing until a `Db` runs it"]
pub struct Query<E, Rest, S = Primary, P = E> {
    description: Description,
    filter: Option<Condition<E>>,
    types: Marker<(Rest, S, P)>,
}

/// What is asked for.
struct Description {
    table: &'static TableShape,
    /// The index, if it is not the table.
    index: Option<&'static IndexShape>,
    /// The entity whose template names the parts; of a collection, its first member.
    entity: &'static EntityShape,
    partition: Result<Value, KeyFault>,
    sort: SortKeys,
    /// The values of the parts of the sort key that are fixed.
    fixed: Vec<GivenPart>,
    /// What the next part of the sort key must be.
    range: Range,
    descending: bool,
    limit: Option<usize>,
    consistent: bool,
    with_expired: bool,
}

/// Which sort keys can be asked for.
enum SortKeys {
    /// Those that a template gives, if there is a sort key.
    Template(Option<&'static Template>),
    /// Those of several entities.
    Several(Box<SharedKeys>),
}

/// The sort keys of the members of a collection.
pub(crate) struct SharedKeys {
    /// Where items of the members can be, in ascending order.
    pub(crate) intervals: Vec<Interval>,
    /// The beginning of the first member's template that all members share.
    pub(crate) template: Option<Template>,
    /// The text that stands behind it in the templates of all members, if there is more in some.
    pub(crate) more: Option<&'static str>,
    /// What the whole sort key must be: begin with, from, and until, all included.
    pub(crate) prefix: Option<String>,
    pub(crate) lower: Option<String>,
    pub(crate) upper: Option<String>,
}

impl Description {
    fn new(
        table: &'static TableShape,
        index: Option<&'static IndexShape>,
        entity: &'static EntityShape,
        partition: Result<Value, KeyFault>,
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
        let partition = Given::of(shape, parts)
            .and_then(|given| given.render(&shape.key.partition, &table.key, &table.key.partition));
        let sort = SortKeys::Template(shape.key.sort.as_ref());
        Self::new(table, None, shape, partition, sort)
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
            // The compiler has checked that there is such a pattern, and such an index.
            let partition = Err(KeyFault::missing(shape.name));
            return Self::new(table, None, shape, partition, SortKeys::Template(None));
        };
        let partition = Given::of(shape, parts).and_then(|given| {
            given.render(&of_index.key.partition, &index.key, &index.key.partition)
        });
        let sort = SortKeys::Template(of_index.key.sort.as_ref());
        Self::new(table, Some(index), shape, partition, sort)
    }

    #[inline(never)]
    fn describe(self, filter: Option<Result<singlet_dynamo::expression::Condition>>) -> Described {
        let Self { limit, with_expired, .. } = self;
        let source = filter.transpose().and_then(|filter| self.into_source(filter));
        Described { source, limit, with_expired }
    }

    /// The template whose parts can be fixed.
    fn template(&self) -> Option<&Template> {
        match &self.sort {
            SortKeys::Template(template) => *template,
            SortKeys::Several(shared) => shared.template.as_ref(),
        }
    }

    /// The attribute of the sort key that is read, if there is one.
    fn sort_attribute(&self) -> Option<&'static KeyAttribute> {
        self.index.map_or(&self.table.key, |index| &index.key).sort.as_ref()
    }

    fn ranges(&self) -> Result<Ranges> {
        let Some(attribute) = self.sort_attribute() else { return Ok(SortTest::Any.into()) };
        let is_narrowed = !self.fixed.is_empty() || !self.range.is_everything();
        match &self.sort {
            SortKeys::Template(None) => Ok(SortTest::Any.into()),
            SortKeys::Template(Some(template)) => {
                let (fixed, range) = (&self.fixed, &self.range);
                Ok(SortTest::of(self.entity, template, None, attribute, fixed, range)?.into())
            }
            SortKeys::Several(shared) => match &shared.template {
                Some(template) if is_narrowed => {
                    let (fixed, range, more) = (&self.fixed, &self.range, shared.more);
                    let test = SortTest::of(self.entity, template, more, attribute, fixed, range)?;
                    Ok(shared.narrow(test).into())
                }
                _ => Ok(shared.ranges(self.descending)),
            },
        }
    }

    /// Where the items are. What is read of them is chosen later.
    fn into_source(self, filter: Option<singlet_dynamo::expression::Condition>) -> Result<Source> {
        let ranges = self.ranges()?;
        let source = Source {
            table: self.table,
            index: self.index,
            part: Part::Partition { value: self.partition?, ranges, descending: self.descending },
            filter,
            selection: Selection::Held,
            consistent: self.consistent,
        };
        source.with_checked_filter(self.entity)
    }
}

impl SharedKeys {
    /// The sort key must also begin with this text.
    pub(crate) fn begin_with(&mut self, prefix: String) {
        match &self.prefix {
            Some(own) if own.starts_with(&prefix) => {}
            // No key begins with both, and none is empty.
            Some(own) if !prefix.starts_with(own.as_str()) => self.upper = Some(String::new()),
            _ => self.prefix = Some(prefix),
        }
    }

    /// The sort key must also be this text or come after it.
    pub(crate) fn begin_at(&mut self, lower: String) {
        self.lower = self.lower.take().max(Some(lower));
    }

    /// The sort key must also be this text or come before it.
    pub(crate) fn end_at(&mut self, upper: String) {
        self.upper = Some(match self.upper.take() {
            Some(own) => own.min(upper),
            None => upper,
        });
    }

    /// What is asked of the whole sort key, besides this.
    fn narrow(&self, test: SortTest) -> SortTest {
        test.narrowed(self.prefix.as_deref(), self.lower.as_deref(), self.upper.as_deref())
    }

    /// The ranges that are read, in the order in which they are.
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
    /// The items of this entity in a partition of the table.
    pub fn partition(parts: &[GivenPart]) -> Self {
        Self::new(Description::of_table(Shapes::of::<E>(), parts))
    }
}

impl<E: Entity, Rest, const PLACE: usize, const LOCAL: bool, const HELD: bool>
    Query<E, Rest, ByIndex<PLACE, LOCAL, HELD>>
{
    /// The items of this entity in a partition of an index: the one of its pattern at this place.
    pub fn index(parts: &[GivenPart]) -> Self {
        Self::new(Description::of_index(Shapes::of::<E>(), PLACE, parts))
    }
}

impl<E, Rest, S, P> Query<E, Rest, S, P> {
    fn new(description: Description) -> Self {
        Self { description, filter: None, types: PhantomData }
    }

    /// The items of several entities in a partition.
    pub(crate) fn several(
        table: &'static TableShape,
        index: Option<&'static IndexShape>,
        head: &'static EntityShape,
        partition: Result<Value, KeyFault>,
        keys: SharedKeys,
    ) -> Self {
        let sort = SortKeys::Several(Box::new(keys));
        Self::new(Description::new(table, index, head, partition, sort))
    }

    /// Sees every write that was acknowledged before. It costs twice as much. A global index
    /// cannot do it.
    pub fn consistent(mut self) -> Self
    where
        S: Consistent,
    {
        self.description.consistent = true;
        self
    }

    /// Changes what is asked of the whole sort key of a collection.
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
        let template = self.description.template();
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

    /// Also items that are expired and not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.description.with_expired = true;
        self
    }
}

impl<E: Entity, Rest, S, P> Query<E, Rest, S, P> {
    /// Keeps items that match; the others still cost read units.
    ///
    /// A filter cannot be on an attribute of the key that is read, nor on one that the index does not
    /// hold: reading then fails with [`Error::FilteredKey`](crate::Error::FilteredKey) or
    /// [`Error::NotProjected`](crate::Error::NotProjected), and nothing is sent.
    pub fn filter(mut self, condition: Condition<E>) -> Self {
        self.filter = Some(match self.filter {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }

    /// Only the fields of a smaller struct; see [`Projection`].
    ///
    /// It can be read from an index that holds the fields of the struct. One that does not hold
    /// them does not compile:
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
        S: ReadFrom,
    {
        const { crate::check::projection::<Q, S>() };
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
    /// What is made of each item.
    type Output: Readable;
    /// Where it is read from: [`Primary`] or [`ByIndex`].
    type Source;
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
            shown.field("index", &index.name);
        }
        shown.field("partition", &format_args!("{}", readable_key(partition)));
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
    /// Shows what is asked of the whole sort key.
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
