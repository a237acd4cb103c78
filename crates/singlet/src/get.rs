//! Reading one item by its key.

use crate::design::{self, Index};
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::key::Key;
use crate::marker::Marker;
use crate::projection::Projection;
use crate::shape::{Shapes, Storage};
use singlet_dynamo::expression::{self, Path};
use singlet_dynamo::operation::GetItem;
use std::marker::PhantomData;

/// A read of one item by [`Key`], with options.
#[must_use = "a read does nothing until a `Db` runs it"]
pub struct Get<E, P = E> {
    pub(crate) key: Key<E>,
    pub(crate) consistent: bool,
    pub(crate) with_expired: bool,
    output: Marker<P>,
}

impl<E: Entity> From<Key<E>> for Get<E> {
    fn from(key: Key<E>) -> Self {
        Self { key, consistent: false, with_expired: false, output: PhantomData }
    }
}

impl<E: Entity> Key<E> {
    /// Reads consistently: sees every write acknowledged before, at twice the cost.
    pub fn consistent(self) -> Get<E> {
        Get::from(self).consistent()
    }

    /// Includes an expired item that is not deleted yet.
    pub fn with_expired(self) -> Get<E> {
        Get::from(self).with_expired()
    }

    /// Reads only the fields of a smaller struct; see [`Projection`].
    pub fn project<P: Projection<Entity = E>>(self) -> Get<E, P> {
        Get::from(self).project()
    }
}

impl<E: Entity, P: Projection<Entity = E>> Get<E, P> {
    /// Reads consistently: sees every write acknowledged before, at twice the cost.
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// Includes an expired item that is not deleted yet.
    pub fn with_expired(mut self) -> Self {
        self.with_expired = true;
        self
    }

    /// Reads only the fields of a smaller struct; see [`Projection`].
    pub fn project<Q: Projection<Entity = E>>(self) -> Get<E, Q> {
        let Self { key, consistent, with_expired, .. } = self;
        Get { key, consistent, with_expired, output: PhantomData }
    }

    pub(crate) fn into_request(self, table_name: &str) -> Result<GetItem> {
        let mut request = GetItem::new(table_name, self.key.into_item()?);
        request.consistent_read = self.consistent;
        request.projection = projection(Shapes::of::<E>(), P::FIELDS, None)?;
        Ok(request)
    }
}

/// The attributes to read for a projection; `None` for all.
///
/// Always includes the attributes that identify the entity, hold the expiry, and continue a page of
/// an index.
pub(crate) fn projection(
    of: Shapes,
    fields: Option<&'static [usize]>,
    index: Option<&'static Index>,
) -> Result<Option<expression::Projection>> {
    let (shape, table) = (of.entity, of.table);
    let is_whole = fields.is_none();
    if is_whole && index.is_none_or(|index| index.projection == design::Projection::All) {
        return Ok(None);
    }
    let of_index = index.iter().flat_map(|index| index.key.iter());
    let mut names: Vec<&'static str> =
        table.key.iter().chain(of_index).map(|attribute| attribute.name()).collect();
    names.extend(table.ttl.filter(|_| shape.expires));
    names.extend(shape.discriminator.map(|(name, _)| name));
    for (place, field) in shape.fields.iter().enumerate() {
        if fields.is_some_and(|places| !places.contains(&place)) {
            continue;
        }
        match field.storage {
            Storage::Attribute => names.push(field.attribute),
            Storage::Payload => names.extend(shape.payload),
            // This includes index keys, wherever the item is read.
            Storage::Key => names.extend(crate::check::key_attribute(shape, table, place)),
            Storage::Expiry => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    if let Some(index) = index
        && let Some(attribute) = names.iter().find(|name| !index.holds(table, name))
    {
        return Err(Error::NotProjected { index: index.name(), attribute });
    }
    let paths = names.into_iter().map(Path::attribute).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(expression::Projection::new(paths)?))
}

impl<E, P> std::fmt::Debug for Get<E, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Get")
            .field("key", &self.key)
            .field("consistent", &self.consistent)
            .field("with_expired", &self.with_expired)
            .finish()
    }
}
