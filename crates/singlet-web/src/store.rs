//! The backend of all systems' tables.

use crate::system::OpenError;
use singlet::backend::{Backend, BackendError, Embedded};
use singlet::engine::{Clock, Engine};
use singlet::{CursorKey, Db, Declaration, DifferenceKind, Settings};
use std::sync::Arc;

/// The backend of all systems' tables. Clones share it.
///
/// ```
/// use singlet_web::{Store, Web};
///
/// # singlet::block_on(async {
/// let store = Store::memory().await?;
/// let web = store.open::<Web>().await?;
/// assert_eq!(web.table_name::<Web>(), "singlet-web-dev");
/// # Ok::<(), singlet_web::OpenError>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Store {
    backend: Arc<dyn Backend>,
    settings: Settings,
    is_embedded: bool,
}

impl Store {
    /// A store on any backend, assumed to be shared with other clients, such as DynamoDB. For an
    /// engine in this process use [`Store::embedded`].
    pub fn new(backend: impl Backend, settings: Settings) -> Self {
        Self { backend: Arc::new(backend), settings, is_embedded: false }
    }

    /// A store on an engine in this process.
    #[must_use]
    pub fn embedded(engine: Engine, settings: Settings) -> Self {
        Self { is_embedded: true, ..Self::new(Embedded::new(engine), settings) }
    }

    /// A store in memory, for tests and examples.
    ///
    /// # Errors
    ///
    /// If the engine fails to start.
    pub async fn memory() -> Result<Self, OpenError> {
        let engine = Engine::memory().map_err(|error| {
            OpenError::Store(singlet::Error::from(BackendError::Failed(Box::new(error))))
        })?;
        Ok(Self::embedded(engine, Settings::default()))
    }

    /// The backend that executes requests.
    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    /// Whether this process owns the data exclusively.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        self.is_embedded
    }

    /// The database of a design, with its tables created.
    ///
    /// On an embedded engine, declared streams are not enabled: `Live` does not need them, and each
    /// would keep both images of every change for a day. A system that needs one for
    /// [`Db::changes_from`] also calls [`Db::provision`]; a client can enable one with UpdateTable.
    ///
    /// # Errors
    ///
    /// If the backend fails or refuses to create a table, or if a table differs from its design in
    /// more than its billing mode, additional indexes and an additional time to live, of which the
    /// log has a warning: an operator chooses the billing mode, and a newer version of the program
    /// may have made the others.
    pub async fn open<D: Declaration>(&self) -> Result<Db<D>, OpenError> {
        let db = Db::<D>::on(Arc::clone(&self.backend), self.settings.clone());
        let mut provisioning = db.provision().accepting(|difference| {
            use DifferenceKind::{Billing, ExtraIndex, ExtraTimeToLive};
            matches!(difference.kind, Billing | ExtraIndex | ExtraTimeToLive)
        });
        if self.is_embedded {
            provisioning = provisioning.without_streams();
        }
        for difference in provisioning.await?.differences {
            tracing::warn!(%difference, "a table differs from its design, and was not changed");
        }
        Ok(db)
    }

    /// The same store with this clock.
    #[must_use]
    pub fn with_clock(&self, clock: Clock) -> Self {
        Self { settings: Settings { clock, ..self.settings.clone() }, ..self.clone() }
    }

    /// The clock of its databases.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.settings.clock
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether a cursor key is set.
    pub(crate) fn has_cursor_key(&self) -> bool {
        self.settings.cursor_key.is_some()
    }

    /// The same store with this cursor key.
    pub(crate) fn with_cursor_key(&self, key: CursorKey) -> Self {
        let settings = Settings { cursor_key: Some(key), ..self.settings.clone() };
        Self { settings, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet::dynamo::operation::DescribeTable;
    use singlet::dynamo::table::StreamViewType;
    use singlet::prelude::*;

    id!(Code);

    #[table(name = "followed", key = (code), stream, entities(Game))]
    pub(super) struct Followed;

    #[derive(Entity)]
    #[entity(Followed, key = ("{code}"))]
    pub(super) struct Game {
        pub code: Code,
    }

    /// Regression: an idle server with demo data wrote 4 MB a minute, mostly images for streams
    /// without readers.
    #[tokio::test]
    async fn the_embedded_engine_gets_a_stream_only_on_request() {
        let engine = Engine::memory().unwrap();
        let store = Store::embedded(engine.clone(), Settings::default());
        let stream = || {
            let request = DescribeTable { table_name: "followed".to_owned() };
            engine.describe_table(&request).unwrap().table.stream
        };
        let db = store.open::<Followed>().await.unwrap();
        assert_eq!(stream(), None);
        db.provision().await.unwrap();
        assert_eq!(stream(), Some(StreamViewType::NewAndOldImages));
        // Reopening the store leaves the stream enabled.
        store.open::<Followed>().await.unwrap();
        assert_eq!(stream(), Some(StreamViewType::NewAndOldImages));
    }
}
