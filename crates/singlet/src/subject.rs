//! The item that an error is about.

use crate::entity::Entity;
use crate::item::recognizes;
use crate::key::Key;
use crate::operation::Plan;
use crate::shape::TableShape;
use crate::table::Table;
use singlet_dynamo::operation::TransactWriteItem;
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Item, Value};
use std::fmt;

/// Maximum number of characters shown of a key value. Keys have up to 2 KB, and errors go to logs.
const SHOWN_CHARS_MAX: usize = 96;

/// The item that caused an error: its entity, and if known its primary key and size.
///
/// ```
/// use singlet::prelude::*;
///
/// id!(PostId);
///
/// #[table(name = "posts", key = (PK), entities(Post))]
/// pub struct Posts;
///
/// #[derive(Entity)]
/// #[entity(Posts, key = ("POST#{id}"))]
/// pub struct Post {
///     pub id: PostId,
///     pub body: String,
/// }
///
/// # singlet::block_on(async {
/// let db = Db::<Posts>::memory().await?;
/// let post = Post { id: PostId::new("1")?, body: "…".repeat(200_000) };
/// let error = db.run(create(&post)).await.unwrap_err();
/// assert_eq!(error.subject().unwrap().entity(), "Post");
/// assert_eq!(
///     error.to_string(),
///     "an item has at most 409600 bytes, and this one more: Post PK = `POST#1`, 600015 bytes"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Subject {
    entity: &'static str,
    key: Option<Item>,
    size_bytes: Option<usize>,
}

impl Subject {
    /// Unspecified items of an entity.
    pub(crate) fn of<E: Entity>() -> Self {
        Self::named(E::SHAPE.name)
    }

    /// Unspecified items of the entity or collection with this name.
    pub(crate) fn named(name: &'static str) -> Self {
        Self { entity: name, key: None, size_bytes: None }
    }

    /// The common subject of several items: the item if there is only one, or their entity.
    pub(crate) fn common(subjects: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        let mut subjects = subjects.into_iter();
        let first = subjects.next()??;
        subjects.try_fold(first, |common, next| {
            next.filter(|next| next.entity == common.entity).map(|next| Self::named(next.entity))
        })
    }

    /// An item of one of the table's entities, or its key; the key determines the entity.
    pub(crate) fn in_table(table: &TableShape, item: &Item) -> Option<Self> {
        let stored = StoredItem::from(item);
        let mut entities = table.entities.iter();
        let entity = entities.find(|entity| recognizes(entity, table, stored.as_item()))?;
        Some(Self::with_key_of(entity.name, table, item))
    }

    /// The item of this entity whose key is in these attributes.
    pub(crate) fn with_key_of(entity: &'static str, table: &TableShape, item: &Item) -> Self {
        let names = table.key.iter().map(|attribute| attribute.name());
        let key = names.filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())));
        Self::keyed(entity, key.collect())
    }

    /// The item with this key.
    pub(crate) fn with_key<E: Entity>(key: Key<E>) -> Self {
        Self { key: key.into_item().ok(), ..Self::of::<E>() }
    }

    /// An item that was about to be written.
    pub(crate) fn with_item<E: Entity>(item: &Item) -> Self {
        Self::of_item(E::SHAPE.name, E::Table::SHAPE, item)
    }

    /// The item of this entity with this key.
    pub(crate) fn keyed(entity: &'static str, key: Item) -> Self {
        Self { key: Some(key), ..Self::named(entity) }
    }

    fn of_item(entity: &'static str, table: &TableShape, item: &Item) -> Self {
        Self { size_bytes: Some(item.size()), ..Self::with_key_of(entity, table, item) }
    }

    /// The name of the entity's type, or of the collection's if several entities were read.
    #[must_use]
    pub fn entity(&self) -> &'static str {
        self.entity
    }

    /// The primary key, with its stored attributes; `None` if the request was not about one item.
    #[must_use]
    pub fn key(&self) -> Option<&Item> {
        self.key.as_ref()
    }

    /// The size of the item as DynamoDB counts it, if the request wrote the whole item.
    #[must_use]
    pub fn size_bytes(&self) -> Option<usize> {
        self.size_bytes
    }
}

impl Plan {
    /// The item that the operation is about.
    pub(crate) fn subject(&self) -> Subject {
        let key = match &self.action {
            TransactWriteItem::Put(put) => {
                return Subject::of_item(self.entity, self.table, &put.item);
            }
            TransactWriteItem::Delete(delete) => &delete.key,
            TransactWriteItem::Update(update) => &update.key,
            TransactWriteItem::ConditionCheck(check) => &check.key,
        };
        Subject::keyed(self.entity, key.clone())
    }
}

/// Entity, key and size; long keys are shortened.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entity)?;
        if let Some(key) = &self.key {
            f.write_str(" ")?;
            write_key(f, key)?;
        }
        self.size_bytes.map_or(Ok(()), |size| write!(f, ", {size} bytes"))
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subject({self})")
    }
}

/// Writes a key for people; long values are shortened.
pub(crate) fn write_key(f: &mut fmt::Formatter<'_>, key: &Item) -> fmt::Result {
    for (place, (name, value)) in key.iter().enumerate() {
        f.write_str(if place == 0 { "" } else { ", " })?;
        match value {
            Value::S(text) => match text.char_indices().nth(SHOWN_CHARS_MAX) {
                Some((end, _)) => {
                    write!(f, "{name} = `{}…`", text.get(..end).unwrap_or_default())?;
                }
                None => write!(f, "{name} = `{text}`")?,
            },
            Value::N(number) => write!(f, "{name} = {number}")?,
            Value::B(bytes) => write!(f, "{name} of {} bytes", bytes.len())?,
            // Keys have no other types.
            _ => f.write_str(name)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_a_key_has_a_bound() {
        let key = Item::from([("PK", Value::from("é".repeat(1000))), ("SK", Value::from(7))]);
        let subject = Subject { entity: "Post", key: Some(key), size_bytes: None };
        let text = format!("Post PK = `{}…`, SK = 7", "é".repeat(SHOWN_CHARS_MAX));
        assert_eq!(subject.to_string(), text);
        assert_eq!(format!("{subject:?}"), format!("Subject({text})"));
    }
}
