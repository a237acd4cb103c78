//! What backends tell of changes.

use super::{BackendError, BoxFuture};
use singlet_dynamo::stored::StoredItem;

/// Changes of a table, in the order in which they happened to each item.
pub trait Feed: Send {
    /// The next event; `None` when nothing can come any more.
    fn next(&mut self) -> BoxFuture<'_, Option<Result<FeedEvent, BackendError>>>;

    /// The position behind the last event that was given, as text from which
    /// [`Backend::changes_from`](super::Backend::changes_from) goes on, also in another process.
    fn position(&self) -> Result<String, BackendError> {
        Err(BackendError::Position)
    }
}

/// What a feed tells.
#[derive(Clone, Debug)]
pub enum FeedEvent {
    /// An item was changed.
    Change {
        /// The item before, if there was one.
        old: Option<StoredItem>,
        /// The item after, unless it was deleted.
        new: Option<StoredItem>,
        /// Whether the item was deleted because its time had come.
        is_expiry: bool,
    },
    /// Changes were lost, because the listener did not keep up. The next change comes after them.
    FellBehind {
        /// How many, if that is known.
        missed: Option<u64>,
    },
}
