//! Collections: several entities of one partition, read by one query.

use crate::attribute::Unstorable;
use crate::db::Db;
use crate::entity::Entity;
use crate::error::Result;
use crate::item::{Corrupt, OnCorrupt, has_passed};
use crate::key::{Given, GivenPart, KeyArgument, KeyPart};
use crate::marker::Marker;
use crate::operation::stored;
use crate::page::read_page;
use crate::query::SortTest;
use crate::shape::{EntityShape, KeyFault};
use crate::source::{Part, Source};
use crate::table::{Contains, Declaration, Table};
use singlet_dynamo::Value;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::expression::KeyTest;
use singlet_dynamo::operation::Selection;
use singlet_dynamo::stored::StoredItem;
use std::marker::PhantomData;

/// Several entities of one partition, read by one query. Made by `#[derive(Collection)]`.
///
/// A member that is an entity must be there, or there is no collection; one that is an `Option` of
/// an entity may be there; one that is a `Vec` of an entity takes all there are.
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
    note = "a collection is a struct of entities with `#[derive(Collection)]`"
)]
pub trait Collection: Sized {
    /// The entity of the first member.
    type Head: Entity;
    /// The entities of all members.
    const MEMBERS: &'static [&'static EntityShape];

    /// Makes the collection of the items of a partition; `None` if a member is missing.
    fn gather<'a>(
        items: impl Iterator<Item = ItemRef<'a>>,
        on_corrupt: OnCorrupt,
    ) -> Result<Option<Self>, Corrupt>;
}

/// Given as the partition of a collection: one part by itself, or several as a tuple.
#[diagnostic::on_unimplemented(
    message = "the partition of this collection is made of `{T}`, and this is a `{Self}`",
    label = "expected `{T}`",
    note = "one part is given by itself, several as a tuple"
)]
pub trait Partition<T> {
    #[doc(hidden)]
    fn values(&self) -> Vec<Result<Option<Value>, Unstorable>>;
}

impl Partition<()> for () {
    fn values(&self) -> Vec<Result<Option<Value>, Unstorable>> {
        Vec::new()
    }
}

impl<A: KeyPart, X: KeyArgument<A>> Partition<(A,)> for X {
    fn values(&self) -> Vec<Result<Option<Value>, Unstorable>> {
        vec![self.as_part().to_value()]
    }
}

macro_rules! partitions {
    ($(($($part:ident $argument:ident $place:tt),+))+) => {
        $(
            impl<$($part: KeyPart, $argument: KeyArgument<$part>),+> Partition<($($part,)+)>
                for ($($argument,)+)
            {
                fn values(&self) -> Vec<Result<Option<Value>, Unstorable>> {
                    vec![$(self.$place.as_part().to_value()),+]
                }
            }
        )+
    };
}

partitions! {
    (A X 0, B Y 1)
    (A X 0, B Y 1, C Z 2)
}

/// Says that the partition keys of two entities are made of the same types.
#[diagnostic::on_unimplemented(
    message = "the members of a collection share a partition, and this one's is made of `{Self}`, that of the first member of `{Parts}`",
    label = "in another partition",
    note = "one query reads one partition: the members of a collection have the same template and the same types for it"
)]
pub trait SameParts<Parts> {}

impl<Parts> SameParts<Parts> for Parts {}

/// Refuses members of different partitions.
#[doc(hidden)]
pub const fn assert_same_partition<Head: Entity, E: Entity>()
where
    E::Partition: SameParts<Head::Partition>,
{
}

/// Reads a collection; made by its function `of`.
#[must_use = "a read does nothing until a `Db` runs it"]
pub struct Load<C> {
    partition: Result<Value, KeyFault>,
    consistent: bool,
    with_expired: bool,
    on_corrupt: OnCorrupt,
    collection: Marker<C>,
}

impl<C: Collection> Load<C> {
    /// The collection of this partition.
    pub fn new(partition: impl Partition<<C::Head as Entity>::Partition>) -> Self {
        let template = &C::Head::SHAPE.key.partition;
        let attributes = &<C::Head as Entity>::Table::SHAPE.key;
        let places = template.parts.iter().map(|part| part.place);
        let parts: Vec<GivenPart> = places.zip(partition.values()).collect();
        let partition = Given::new::<C::Head>(&parts)
            .and_then(|given| given.render(template, attributes, &attributes.partition));
        Self {
            partition,
            consistent: false,
            with_expired: false,
            on_corrupt: OnCorrupt::Fail,
            collection: PhantomData,
        }
    }

    /// Sees every write that was acknowledged before. It costs twice as much.
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// Also items that are expired and not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.with_expired = true;
        self
    }

    /// Passes over items that are not what their entities say, as
    /// [`Reading::skip_corrupt`](crate::Reading::skip_corrupt) does. If one of them is a member
    /// that must be there, there is no collection.
    pub fn skip_corrupt(mut self) -> Self {
        self.on_corrupt = OnCorrupt::Skip;
        self
    }

    /// Where the items are.
    pub(crate) fn into_source(self) -> Result<Source> {
        Ok(Source {
            table: &<C::Head as Entity>::Table::SHAPE,
            index: None,
            part: Part::Partition {
                value: self.partition?,
                sort: common_prefix(C::MEMBERS),
                descending: false,
            },
            filter: None,
            selection: Selection::Held,
            consistent: self.consistent,
        })
    }
}

impl<C> std::fmt::Debug for Load<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { partition, consistent, with_expired, on_corrupt, .. } = self;
        f.debug_struct("Load")
            .field("partition", partition)
            .field("consistent", consistent)
            .field("with_expired", with_expired)
            .field("on_corrupt", on_corrupt)
            .finish()
    }
}

impl<D: Declaration> Db<D> {
    /// Reads all items of a collection, which takes one query; `None` if there is no item of a
    /// member that must be there.
    pub async fn load<C: Collection>(&self, load: Load<C>) -> Result<Option<C>>
    where
        D: Contains<<C::Head as Entity>::Table>,
    {
        let table = &<C::Head as Entity>::Table::SHAPE;
        let (with_expired, on_corrupt) = (load.with_expired, load.on_corrupt);
        let source = load.into_source()?;
        let table_name = self.table_name::<<C::Head as Entity>::Table>();
        let mut items: Vec<StoredItem> = Vec::new();
        let mut start = None;
        loop {
            let page = read_page(self, source.request(table_name, start, None)?).await?;
            items.extend(page.items.unwrap_or_default().into_iter().map(stored));
            start = page.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        let now = self.now();
        let fresh = items
            .iter()
            .map(StoredItem::as_item)
            .filter(|item| with_expired || !has_passed(table, *item, now));
        Ok(C::gather(fresh, on_corrupt)?)
    }
}

/// What all members' sort keys begin with, so that nothing else of the partition is read.
fn common_prefix(members: &[&EntityShape]) -> SortTest {
    let prefixes = members
        .iter()
        .map(|member| member.key.sort.as_ref().map_or("", |sort| sort.leading_text()));
    let common = prefixes.reduce(|one, other| {
        let len = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        // Not in the middle of a character.
        (0..=len).rev().find_map(|len| one.get(..len)).unwrap_or_default()
    });
    match common {
        None | Some("") => SortTest::Any,
        Some(prefix) => SortTest::Is(KeyTest::BeginsWith(Value::from(prefix)), None),
    }
}
