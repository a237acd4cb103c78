//! Tables, and designs of several tables.

use crate::declared;
use crate::design::Design;
use crate::entity::Entity;
use crate::item::{Corrupt, decode, recognizes};
use crate::shape::TableShape;
use singlet_dynamo::Item;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::stored::StoredItem;

/// A table, with the entities that are in it. Made by `#[table]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a table",
    label = "not a table",
    note = "a table is a struct with `#[table(name = \"…\", key = (…), entities(…))]`"
)]
pub trait Table: Contains<Self> + Sized {
    /// What the macro says of it.
    /// A static behind a reference: the compiler checks a constant again wherever it is named,
    /// with all that it leads to, and a static once.
    const SHAPE: &'static TableShape;
    /// An item of the table: one of the entities.
    type Item: Send + 'static;

    /// Reads an item as the entity whose key it has; `None` if it is of none of them.
    fn decode(item: ItemRef<'_>) -> Result<Option<Self::Item>, Corrupt>;

    /// The same of an item by itself, such as one that [`Db::execute`](crate::Db::execute) gave or
    /// that was read from JSON.
    fn decode_item(item: &Item) -> Result<Option<Self::Item>, Corrupt> {
        Self::decode(StoredItem::from(item).as_item())
    }
}

/// One or more tables that were declared together: a table by itself, or what
/// [`design!`](crate::design!) joins.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a design",
    label = "neither a table nor a design",
    note = "a design is a struct with `#[table(…)]`, or several of them joined by `design!`"
)]
pub trait Declaration: Send + Sync + 'static {
    /// The name of the Rust type.
    const NAME: &'static str;
    /// The tables.
    const TABLES: &'static [&'static TableShape];

    /// The same as data: to check it, to write a document about it, to make tables of it with other
    /// tools. Who calls the access patterns, and how often, can be added.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// #[table(name = "games-{env}", key = (PK, SK), entities(Game))]
    /// pub struct Games;
    ///
    /// #[derive(Entity)]
    /// #[entity(Games, key = ("GAME#{code}", "METADATA"))]
    /// pub struct Game {
    ///     pub code: Code,
    /// }
    ///
    /// let design = Games::design();
    /// assert_eq!(design.tables[0].entities[0].key.partition[0].to_string(), "GAME#{code}");
    /// assert_eq!(design.patterns[0].name, "Game::key");
    /// ```
    #[must_use]
    fn design() -> Design {
        declared::design(Self::NAME, Self::TABLES)
    }
}

/// Says that a design has a table.
#[diagnostic::on_unimplemented(
    message = "the table `{T}` is not part of the design `{Self}`",
    label = "of another design",
    note = "a `Db<{Self}>` reads and writes only entities whose table is in `{Self}`"
)]
pub trait Contains<T>: Declaration {
    /// The table's place among the tables of the design.
    const PLACE: usize;
}

/// Says that the table of an entity is in a design.
///
/// The same as [`Contains`], asked of the entity: a compiler that does not know yet which entity is
/// meant waits until it does, instead of guessing the only table of the design.
pub trait StoredIn<D>: Entity {
    /// The table's place among the tables of the design.
    const PLACE: usize;
}

impl<D: Contains<E::Table>, E: Entity> StoredIn<D> for E {
    const PLACE: usize = <D as Contains<E::Table>>::PLACE;
}

/// Says that a table lists an entity, so that its keys were checked against all others.
#[diagnostic::on_unimplemented(
    message = "the table `{Self}` does not list the entity `{E}`",
    label = "not among its entities",
    note = "add it to the table's declaration: `#[table(…, entities(…, {E}))]`, so that its keys are checked against those of the others"
)]
pub trait Lists<E: Entity>: Table {}

/// Refuses an entity that its table does not list.
#[doc(hidden)]
pub const fn assert_listed<T: Lists<E>, E: Entity>() {}

/// Reads an item as this entity, if it is one.
#[doc(hidden)]
pub fn decode_if<E: Entity>(item: ItemRef<'_>) -> Result<Option<E>, Corrupt> {
    recognizes(&E::SHAPE, E::Table::SHAPE, item).then(|| decode(item)).transpose()
}

/// Joins tables into one design.
///
/// ```
/// use singlet::prelude::*;
///
/// id!(TeamId, LeagueId);
///
/// #[table(name = "cricket-teams", key = (teamId), entities(Team))]
/// pub struct Teams;
/// #[table(name = "cricket-leagues", key = (leagueId), entities(League))]
/// pub struct Leagues;
///
/// #[derive(Entity)]
/// #[entity(Teams, key = ("{id}"))]
/// pub struct Team {
///     #[attribute(rename = "teamId")]
///     pub id: TeamId,
/// }
///
/// #[derive(Entity)]
/// #[entity(Leagues, key = ("{id}"))]
/// pub struct League {
///     #[attribute(rename = "leagueId")]
///     pub id: LeagueId,
/// }
///
/// design!(pub Cricket { Teams, Leagues });
///
/// assert_eq!(<Cricket as Declaration>::TABLES.len(), 2);
/// ```
#[macro_export]
macro_rules! design {
    ($(#[$meta:meta])* $visibility:vis $design:ident { $($table:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        $visibility struct $design;

        impl $crate::table::Declaration for $design {
            const NAME: &'static str = stringify!($design);
            const TABLES: &'static [&'static $crate::shape::TableShape] =
                &[$(<$table as $crate::Table>::SHAPE),+];
        }

        $crate::design!(@contains $design 0; $($table)+);
    };
    (@contains $design:ident $place:expr;) => {};
    (@contains $design:ident $place:expr; $first:ident $($rest:ident)*) => {
        impl $crate::table::Contains<$first> for $design {
            const PLACE: usize = $place;
        }

        $crate::design!(@contains $design $place + 1; $($rest)*);
    };
}
