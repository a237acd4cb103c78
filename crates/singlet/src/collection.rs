//! Collections: several entities of one partition, read together.

mod load;
mod partition;

pub use load::{Assemble, Load};
pub use partition::{Partition, SameParts, assert_same_partition};

use crate::design::Index;
use crate::entity::Entity;
use crate::error::Result;
use crate::item::{Corrupt, decode, recognizes};
use crate::key::{Given, GivenPart, Segment};
use crate::query::{Interval, Query, SharedKeys};
use crate::shape::template::push_part;
use crate::shape::{EntityShape, KeyFault, KeyShape, TableShape, Template};
use singlet_dynamo::Value;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::schema::KeyType;

/// Several entities of one partition, read together: a struct of them, or an enum. Made by
/// [`#[derive(Collection)]`](macro@crate::Collection), which tells all that can be declared, and how
/// many requests it takes.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code, PlayerId);
/// # #[table(name = "snakes", key = (PK, SK), entities(Game, Player))]
/// # pub struct Snakes;
/// # #[derive(Entity, Debug)]
/// # #[entity(Snakes, key = ("GAME#{code}", "METADATA"))]
/// # pub struct Game { pub code: Code }
/// # #[derive(Entity, Debug)]
/// # #[entity(Snakes, key = ("GAME#{code}", "PLAYER#{id}"))]
/// # pub struct Player { pub code: Code, pub id: PlayerId }
/// #[derive(Collection)]
/// pub struct Lobby {
///     pub game: Game,
///     pub players: Vec<Player>,
/// }
///
/// # singlet::block_on(async {
/// # let db = Db::<Snakes>::memory().await?;
/// let code = Code::new("ABC123")?;
/// db.run(create(&Game { code: code.clone() })).await?;
/// for id in ["ada", "zoe"] {
///     db.run(create(&Player { code: code.clone(), id: PlayerId::new(id)? })).await?;
/// }
/// let lobby = db.load(Lobby::of(&code)).await?.unwrap();
/// assert_eq!(lobby.players.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection",
    label = "not a collection",
    note = "a collection is a struct or an enum of entities with `#[derive(Collection)]`"
)]
pub trait Collection: Sized {
    /// The entity of the first member.
    type Head: Entity;
    /// The types of the fields in the partition key, in their order.
    type Partition;
    /// Where it is read: [`Primary`](crate::query::Primary) or [`ByIndex`](crate::query::ByIndex).
    type Source;
    /// What the derive says of it.
    const SHAPE: CollectionShape;
}

/// A collection, as `#[derive(Collection)]` declares it.
#[derive(Debug)]
pub struct CollectionShape {
    /// The name of the Rust type.
    pub name: &'static str,
    /// The table.
    pub table: &'static TableShape,
    /// The index, if it is not the table that is read.
    pub index: Option<&'static Index>,
    /// The members, in the order of their declaration.
    pub members: &'static [MemberShape],
    /// The range of the sort key in which each member is read; [`OWN_RANGE`] for one with a limit.
    pub ranges: &'static [usize],
    /// What the sort keys of all members begin with.
    pub shared: Shared,
}

/// A member of a collection.
#[derive(Clone, Copy, Debug)]
pub struct MemberShape {
    /// The entity.
    pub entity: &'static EntityShape,
    /// The templates of the key by which it is read.
    pub key: &'static KeyShape,
    /// How many items of it are read, if not all.
    pub limit: Option<usize>,
    /// Whether they are read from the last one on.
    pub descending: bool,
    /// Whether the entity has other keys in the index, whose items are not of this member.
    pub is_by_one_of_several_keys: bool,
    /// Whether an item can be read as the entity: [`check_item`].
    pub check: fn(ItemRef<'_>) -> Result<(), Corrupt>,
}

/// Reads an item as an entity, to see whether it can be.
#[doc(hidden)]
pub fn check_item<E: Entity>(item: ItemRef<'_>) -> Result<(), Corrupt> {
    decode::<E>(item).map(|_| ())
}

/// Reads an item as the entity of the member at a place, if it is of that member.
#[doc(hidden)]
pub fn decode_member<C: Collection, E: Entity>(
    place: usize,
    item: ItemRef<'_>,
) -> Result<Option<E>, Corrupt> {
    let shape: &'static CollectionShape = &C::SHAPE;
    let is_of_member = shape.members.get(place).is_some_and(|member| shape.has(member, item));
    is_of_member.then(|| decode(item)).transpose()
}

/// The entity of the member that an item is of.
#[doc(hidden)]
#[must_use]
pub fn entity_of<C: Collection>(item: ItemRef<'_>) -> Option<&'static EntityShape> {
    let shape: &'static CollectionShape = &C::SHAPE;
    let member = shape.members.iter().find(|member| shape.has(member, item));
    member.map(|member| member.entity)
}

/// Whether an item must have the key of a member, and not only be of its entity.
#[doc(hidden)]
#[must_use]
pub const fn tells_keys_apart(shape: &CollectionShape) -> bool {
    let mut rest = shape.members;
    while let [member, others @ ..] = rest {
        if member.is_by_one_of_several_keys {
            return true;
        }
        rest = others;
    }
    false
}

/// Stands for a range that is read for one member alone.
pub const OWN_RANGE: usize = usize::MAX;

/// What the sort keys of all members of a collection begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// How many segments of the first member's template.
    pub segments: usize,
    /// How many parts there are among them.
    pub parts: usize,
    /// Whether something stands behind them in the template of some member.
    pub has_more: bool,
}

/// The values of the fields in a partition key, in their order.
type Parts = Vec<Result<Option<Value>, crate::attribute::NotStorable>>;

impl CollectionShape {
    /// Whether an item is of this member.
    fn has(&self, member: &MemberShape, item: ItemRef<'_>) -> bool {
        recognizes(member.entity, self.table, item)
            && match self.index {
                Some(index) if member.is_by_one_of_several_keys => {
                    member.key.matches(&index.key, item)
                }
                _ => true,
            }
    }

    /// The value of the partition key.
    fn partition(&self, head: &'static EntityShape, parts: &Parts) -> Result<Value, KeyFault> {
        let Some(member) = self.members.first() else { return Err(KeyFault::missing(self.name)) };
        let attributes = self.index.map_or(&self.table.key, |index| &index.key);
        let template = member.key.first();
        let places = template.parts.iter().map(|part| part.place);
        let given: Vec<GivenPart> = places.zip(parts.iter().cloned()).collect();
        let Some(attribute) = attributes.at(0) else { return Err(KeyFault::missing(self.name)) };
        Given::of(head, &given)?.render(template, attributes, attribute)
    }

    /// Where the items of a member can be, in a partition with these values.
    fn interval(&self, member: &MemberShape, parts: &Parts) -> Result<Interval, KeyFault> {
        let attributes = self.index.map_or(&self.table.key, |index| &index.key);
        let is_text = attributes.sort.first().is_some_and(|one| one.kind == KeyType::S);
        let Some(template) = member.key.first_sort().filter(|_| is_text) else {
            return Ok(Interval::Any);
        };
        let mut text = String::with_capacity(template.text.len());
        for (segment, part) in template.pieces() {
            match (segment, part) {
                (Segment::Literal(literal), _) => text.push_str(literal),
                (Segment::Part { name, form }, Some(part)) => {
                    // The partition key has fixed the field, or the keys begin with the text.
                    let fixed = member.key.first().parts.iter();
                    let fixed = fixed.zip(parts).find(|(own, _)| own.place == part.place);
                    let Some((_, Ok(value))) = fixed else {
                        return Ok(match text.is_empty() {
                            true => Interval::Any,
                            false => Interval::StartingWith(text),
                        });
                    };
                    push_part(name, form, value.as_ref(), &mut text)?;
                }
                (Segment::Part { .. }, None) => {}
            }
        }
        Ok(Interval::Exactly(text))
    }

    /// Where the items of all members without a limit can be: an interval for each range.
    fn intervals(&self, parts: &Parts) -> Result<Vec<Interval>, KeyFault> {
        let mut intervals: Vec<Interval> = Vec::new();
        let ranges = || self.members.iter().zip(self.ranges);
        let mut range = 0;
        loop {
            let mut found: Option<Interval> = None;
            for (member, _) in ranges().filter(|(_, own)| **own == range) {
                let own = self.interval(member, parts)?;
                found = Some(match found {
                    Some(others) => others.hull(&own),
                    None => own,
                });
            }
            match found {
                Some(interval) => intervals.push(interval),
                None => return Ok(intervals),
            }
            range += 1;
        }
    }

    /// The beginning of the sort keys that all members share, and the text that follows it.
    fn shared_template(&self) -> (Option<Template>, Option<&'static str>) {
        let Shared { segments, parts, has_more } = self.shared;
        let Some(sort) = self.members.first().and_then(|head| head.key.first_sort()) else {
            return (None, None);
        };
        let template = Template {
            text: sort.text,
            segments: sort.segments.get(..segments).unwrap_or_default(),
            parts: sort.parts.get(..parts).unwrap_or_default(),
        };
        let next = |member: &MemberShape| match member.key.first_sort()?.segments.get(segments)? {
            Segment::Literal(text) => Some(*text),
            Segment::Part { .. } => None,
        };
        let mut texts = self.members.iter().map(|member| next(member).unwrap_or_default());
        let first = texts.next().unwrap_or_default();
        let common = texts.fold(first, |common, text| {
            let len = common.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
            // Not in the middle of a character.
            (0..=len).rev().find_map(|len| common.get(..len)).unwrap_or_default()
        });
        (Some(template), has_more.then_some(common))
    }
}

/// Queries a partition for the entities of an enum; what its function `of` calls.
#[doc(hidden)]
pub fn query<C: Collection, Rest>(
    partition: impl Partition<C::Partition>,
) -> Query<C, Rest, C::Source> {
    let shape = &C::SHAPE;
    let parts = partition.values();
    let value = shape.partition(&C::Head::SHAPE, &parts);
    let (value, intervals) = match shape.intervals(&parts) {
        Ok(intervals) => (value, intervals),
        Err(fault) => (value.and(Err(fault)), Vec::new()),
    };
    let (template, more) = shape.shared_template();
    let keys = SharedKeys { intervals, template, more, prefix: None, lower: None, upper: None };
    Query::several(shape.table, shape.index, &C::Head::SHAPE, value, keys)
}

/// Ranges of the whole sort key, as text, for queries of several entities. Each narrows what was
/// asked before.
impl<C: Collection, Rest, S> Query<C, Rest, S> {
    /// Only items whose sort key begins with this text.
    pub fn sort_key_starting_with(self, prefix: impl Into<String>) -> Query<C, (), S> {
        self.with_keys(|keys| keys.begin_with(prefix.into()))
    }

    /// Only items whose sort key is between these texts, both included.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code, PlayerId);
    /// # #[table(name = "snakes", key = (PK, SK), entities(Game, Player))]
    /// # pub struct Snakes;
    /// # #[derive(Entity, Debug)]
    /// # #[entity(Snakes, key = ("GAME#{code}", "METADATA"))]
    /// # pub struct Game { pub code: Code }
    /// # #[derive(Entity, Debug)]
    /// # #[entity(Snakes, key = ("GAME#{code}", "PLAYER#{id}"))]
    /// # pub struct Player { pub code: Code, pub id: PlayerId }
    /// #[derive(Collection)]
    /// pub enum Entry {
    ///     Game(Game),
    ///     Player(Player),
    /// }
    ///
    /// # singlet::block_on(async {
    /// # let db = Db::<Snakes>::memory().await?;
    /// # let code = Code::new("ABC123")?;
    /// # db.run(create(&Game { code: code.clone() })).await?;
    /// for id in ["ada", "bob", "zoe"] {
    ///     db.run(create(&Player { code: code.clone(), id: PlayerId::new(id)? })).await?;
    /// }
    /// let some = Entry::of(&code).sort_key_between("METADATA", "PLAYER#b");
    /// assert!(matches!(db.query(some).all().await?[..], [Entry::Game(_), Entry::Player(_)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn sort_key_between(
        self,
        first: impl Into<String>,
        last: impl Into<String>,
    ) -> Query<C, (), S> {
        self.sort_key_from(first).sort_key_until(last)
    }

    /// Only items whose sort key is this text or comes after it.
    pub fn sort_key_from(self, first: impl Into<String>) -> Query<C, (), S> {
        self.with_keys(|keys| keys.begin_at(first.into()))
    }

    /// Only items whose sort key is this text or comes before it.
    pub fn sort_key_until(self, last: impl Into<String>) -> Query<C, (), S> {
        self.with_keys(|keys| keys.end_at(last.into()))
    }
}
