//! Resources of a system.

use super::OpenError;
use crate::Web;
use crate::blob::Blobs;
use crate::budget::Budget;
use crate::job::{JobStatuses, Leases};
use crate::metrics::Metrics;
use crate::outbound;
use crate::random::Random;
use crate::store::Store;
use singlet::backend::BoxFuture;
use singlet::dynamo::operation::{Answer, Scan};
use singlet::engine::Clock;
use singlet::shape::TableShape;
use singlet::{Db, Declaration, Timestamp};
use std::any::TypeId;
use std::sync::Arc;

/// A declared design.
#[derive(Clone)]
pub(crate) struct Design {
    id: TypeId,
    pub(crate) tables: &'static [&'static TableShape],
    pub(crate) declared: fn() -> singlet::design::Design,
    /// Whether the tables are empty. Creates missing ones.
    pub(crate) is_empty: fn(Store) -> BoxFuture<'static, Result<bool, OpenError>>,
}

impl Design {
    pub(crate) fn of<D: Declaration>() -> Self {
        Self {
            id: TypeId::of::<D>(),
            tables: D::TABLES,
            declared: D::design,
            is_empty: |store| Box::pin(is_empty::<D>(store)),
        }
    }
}

async fn is_empty<D: Declaration>(store: Store) -> Result<bool, OpenError> {
    let db = store.open::<D>().await?;
    for table in D::TABLES {
        let mut scan = Scan::new(store.settings().name_of(table));
        scan.limit = Some(1);
        scan.consistent_read = true;
        let answer = db.execute(scan).await.map_err(singlet::Error::from)?;
        if !matches!(answer, Answer::Page(page) if page.items.as_ref().is_none_or(Vec::is_empty)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The resources of a system. Clones share everything.
#[derive(Clone)]
pub struct Resources {
    pub(crate) system: &'static str,
    pub(crate) designs: Arc<[Design]>,
    pub(crate) store: Store,
    /// The kit's own table, with the server's clock.
    pub(crate) web: Db<Web>,
    pub(crate) random: Random,
    pub(crate) http: outbound::Client,
    pub(crate) blobs: Blobs,
    pub(crate) leases: Leases,
    pub(crate) jobs: JobStatuses,
    pub(crate) metrics: Metrics,
}

impl Resources {
    /// The database of a declared design, with its tables created.
    ///
    /// # Errors
    ///
    /// [`OpenError::UndeclaredDesign`] without [`System::design`](super::System::design);
    /// [`OpenError::Store`] if the store fails.
    pub async fn database<D: Declaration>(&self) -> Result<Db<D>, OpenError> {
        let id = TypeId::of::<D>();
        if !self.designs.iter().any(|design| design.id == id) {
            return Err(OpenError::UndeclaredDesign { system: self.system, design: D::NAME });
        }
        self.store.open().await
    }

    /// The current time of the store's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock().now().as_millis())
    }

    /// The clock: fixed in tests and while demo data is loaded.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        self.store.clock()
    }

    /// The source of randomness; scripted in tests.
    #[must_use]
    pub fn random(&self) -> &Random {
        &self.random
    }

    /// The client for other services.
    #[must_use]
    pub fn http(&self) -> &outbound::Client {
        &self.http
    }

    /// The system's files.
    #[must_use]
    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// A named budget shared by all servers on the store.
    #[must_use]
    pub fn budget(&self, name: &'static str, per_hour_max: u64) -> Budget {
        Budget::new(self.web.clone(), name, per_hour_max)
    }

    /// Leases in the kit's table, for work that one server does at a time.
    #[must_use]
    pub fn leases(&self) -> &Leases {
        &self.leases
    }

    /// The status of this server's jobs.
    #[must_use]
    pub fn jobs(&self) -> &JobStatuses {
        &self.jobs
    }

    /// The server's metrics.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The kit's own table.
    #[must_use]
    pub fn web(&self) -> &Db<Web> {
        &self.web
    }
}
