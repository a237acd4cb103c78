//! Entities: the kinds of item in a table.

use crate::attribute::NotStorable;
use crate::item::{Corrupt, Reader};
use crate::shape::EntityShape;
use crate::table::Table;
use singlet_dynamo::Value;
use std::any::Any;

/// A kind of item in a table, with its key templates and fields. Made by `#[derive(Entity)]`.
///
/// ```
/// use singlet::prelude::*;
///
/// id!(Code, PlayerId);
///
/// #[table(name = "snakes-{env}", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Player))]
/// pub struct Snakes;
///
/// #[derive(Entity, Clone, Debug, PartialEq)]
/// #[entity(Snakes, key = ("GAME#{code}", "PLAYER#{id}"), GSI1 by_id = ("PLAYER#{id}", "{joined_at}"))]
/// pub struct Player {
///     #[attribute(rename = "gameCode")]
///     pub code: Code,
///     pub id: PlayerId,
///     #[attribute(rename = "joinedAt")]
///     pub joined_at: Timestamp,
///     pub position: u32,
/// }
/// ```
///
/// Besides the trait, the derive gives the type
///
/// - `key(…)`, with an argument for each field of the primary key's templates;
/// - a query for each access pattern: `of(…)` for the items of a partition, and one under the name
///   of each index pattern, here `by_id(…)`;
/// - a constant for each field, to be used in conditions and updates: `Player::POSITION`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    label = "not an entity",
    note = "an entity is a struct with `#[derive(Entity)]` and `#[entity(Table, key = (…))]`"
)]
pub trait Entity: Sized + Send + Sync + 'static {
    /// The table that its items are in.
    type Table: Table;
    /// What the derive says of it.
    const SHAPE: EntityShape;

    /// The fields as attributes, in the order of their declaration.
    fn values(&self) -> Result<Vec<Option<Value>>, NotStorable>;

    /// Reads the fields from an item.
    fn decode(item: &mut Reader<'_>) -> Result<Self, Corrupt>;

    /// What the field at this place is in an item without its attribute, if it says `default`: a
    /// value of the type as which the field is stored.
    #[doc(hidden)]
    #[must_use]
    fn default_of(place: usize) -> Option<Box<dyn Any>> {
        let _ = place;
        None
    }
}
