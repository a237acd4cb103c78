//! What can be made of the items that a query reads.

use crate::entity::Entity;
use crate::error::Result;
use crate::get::projection;
use crate::item::{Corrupt, decode, recognizes};
use crate::projection::Projection;
use crate::shape::{EntityShape, IndexShape, Shapes};
use crate::table::Table;
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::operation::Selection;

/// What a query gives: an entity, a [`Projection`] of one, or an enum of several with
/// `#[derive(Collection)]`.
pub trait Readable: Sized + Send + 'static {
    /// The table that the items are in.
    type Table: Table;
    /// What cursors are of: the entity, or the enum.
    type Subject;
    /// Its name.
    const NAME: &'static str;
    /// The entities whose items are read. Others are passed over.
    const ENTITIES: &'static [&'static EntityShape];

    /// Whether an item of these entities may have a key by which they are not read here.
    #[doc(hidden)]
    const TELLS_KEYS_APART: bool = false;

    /// The entity of an item; `None` if it is not one of those that are read.
    #[doc(hidden)]
    fn entity_of(item: ItemRef<'_>) -> Option<&'static EntityShape> {
        let is_of = |entity: &&&EntityShape| recognizes(entity, Self::Table::SHAPE, item);
        Self::ENTITIES.iter().find(is_of).copied()
    }

    /// Reads an item; `None` if it is of none of the entities.
    fn decode_item(item: ItemRef<'_>) -> Result<Option<Self>, Corrupt>;

    /// What is read of each item.
    #[doc(hidden)]
    fn selection(index: Option<&'static IndexShape>) -> Result<Selection> {
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

    fn selection(index: Option<&'static IndexShape>) -> Result<Selection> {
        let projection = projection(Shapes::of::<P::Entity>(), P::FIELDS, index)?;
        Ok(projection.map_or(Selection::Held, Selection::Parts))
    }
}
