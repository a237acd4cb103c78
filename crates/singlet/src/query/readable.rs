//! The types that a query can decode items into.

use crate::design::Index;
use crate::entity::Entity;
use crate::error::Result;
use crate::get::projection;
use crate::item::{Corrupt, decode, recognizes};
use crate::projection::Projection;
use crate::shape::{EntityShape, Shapes};
use crate::table::Table;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::operation::Selection;

/// A result type of queries: an entity, a [`Projection`] of one, or an enum with
/// `#[derive(Collection)]`.
pub trait Readable: Sized + Send + 'static {
    /// The table of the items.
    type Table: Table;
    /// The type that cursors are tied to: the entity or the enum.
    type Subject;
    /// The type's name.
    const NAME: &'static str;
    /// The entities to read. Items of others are skipped.
    const ENTITIES: &'static [&'static EntityShape];

    /// Whether items of these entities can also have keys that this read must skip.
    #[doc(hidden)]
    const TELLS_KEYS_APART: bool = false;

    #[doc(hidden)]
    fn entity_of(item: ItemRef<'_>) -> Option<&'static EntityShape> {
        let is_of = |entity: &&&EntityShape| recognizes(entity, Self::Table::SHAPE, item);
        Self::ENTITIES.iter().find(is_of).copied()
    }

    /// Decodes an item; `None` if it belongs to another entity.
    fn decode_item(item: ItemRef<'_>) -> Result<Option<Self>, Corrupt>;

    /// The attributes to read.
    #[doc(hidden)]
    fn selection(index: Option<&'static Index>) -> Result<Selection> {
        let _ = index;
        Ok(Selection::Held)
    }
}

impl<P: Projection> Readable for P {
    type Table = <P::Entity as Entity>::Table;
    type Subject = P::Entity;
    const NAME: &'static str = <P::Entity as Entity>::SHAPE.name;
    const ENTITIES: &'static [&'static EntityShape] = &[&<P::Entity as Entity>::SHAPE];

    fn decode_item(item: ItemRef<'_>) -> Result<Option<Self>, Corrupt> {
        decode(item).map(Some)
    }

    fn selection(index: Option<&'static Index>) -> Result<Selection> {
        let projection = projection(Shapes::of::<P::Entity>(), P::FIELDS, index)?;
        Ok(projection.map_or(Selection::Held, Selection::Parts))
    }
}
