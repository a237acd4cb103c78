//! The database: where operations and queries are carried out.

mod settings;

pub use settings::Settings;

use crate::backend::{Backend, BackendError, Embedded, Execution};
use crate::cursor::CursorKey;
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::get::Get;
use crate::item::{decode, is_expired};
use crate::marker::Marker;
use crate::operation::{Or, Write, stored};
use crate::page::Reading;
use crate::projection::Projection;
use crate::query::{AccessPattern, Readable};
use crate::scan::Scan;
use crate::table::{Contains, Declaration, StoredIn, Table};
use crate::timestamp::Timestamp;
use crate::trace;
use crate::transaction::{self, Transaction, Transactional};
use singlet_dynamo::operation::{Answer, Request};
use singlet_engine::Engine;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

/// A database with the tables of a design, on the embedded engine or on DynamoDB.
///
/// Cheap to clone: all clones are the same database.
pub struct Db<D> {
    inner: Arc<Inner>,
    design: Marker<D>,
}

struct Inner {
    backend: Box<dyn Backend>,
    /// The names of the tables, in the order of the design.
    names: Vec<String>,
    settings: Settings,
}

impl<D> Clone for Db<D> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), design: PhantomData }
    }
}

impl<D: Declaration> Db<D> {
    /// A database in memory, with all tables made: for tests, and to try things out.
    pub async fn memory() -> Result<Self> {
        let engine = Engine::memory().map_err(|error| BackendError::Failed(Box::new(error)))?;
        // What is in memory ends with the process, and so may its cursors.
        let cursor_key = Some(CursorKey::of_this_process());
        let db = Self::on(Embedded::new(engine), Settings { cursor_key, ..Settings::default() });
        db.provision().await?;
        Ok(db)
    }

    /// A database on a backend.
    #[must_use]
    pub fn on(backend: impl Backend, settings: Settings) -> Self {
        let names = D::TABLES.iter().map(|table| settings.table_name(table.name)).collect();
        let inner = Arc::new(Inner { backend: Box::new(backend), names, settings });
        Self { inner, design: PhantomData }
    }

    /// This moment, by the clock of the settings.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.inner.settings.clock.now().as_millis())
    }

    /// The name that a table of the design has here.
    #[must_use]
    pub fn table_name<T: Table>(&self) -> &str
    where
        D: Contains<T>,
    {
        self.name_at(<D as Contains<T>>::PLACE)
    }

    /// The name of the table at this place of the design.
    pub(crate) fn name_at(&self, place: usize) -> &str {
        self.inner.names.get(place).map_or("", String::as_str)
    }

    /// Reads an item by its key; `None` if there is none, or it is expired.
    pub async fn get<E: StoredIn<D>, P: Projection<Entity = E>>(
        &self,
        get: impl Into<Get<E, P>>,
    ) -> Result<Option<P>> {
        let get = get.into();
        let with_expired = get.with_expired;
        let request = get.into_request(self.name_at(E::PLACE))?;
        let Answer::GetItem(answer) = self.execute(request).await? else {
            return Err(BackendError::unexpected().into());
        };
        let Some(item) = answer.item.map(stored) else { return Ok(None) };
        let item = item.as_item();
        if !with_expired && is_expired::<E>(item, self.now()) {
            return Ok(None);
        }
        Ok(Some(decode::<P>(item)?))
    }

    /// Reads items by an access pattern.
    pub fn query<Q: AccessPattern>(&self, query: Q) -> Reading<'_, D, Q::Output, Q::Source>
    where
        D: Contains<<Q::Output as Readable>::Table>,
    {
        Reading::new(self, query.describe())
    }

    /// Reads a table or an index from one end to the other.
    pub fn scan<E: Entity, P: Projection<Entity = E>, S>(
        &self,
        scan: Scan<E, P, S>,
    ) -> Reading<'_, D, P, S>
    where
        D: Contains<E::Table>,
    {
        Reading::new(self, scan.describe())
    }

    /// Carries out one write.
    pub async fn run<O: Run<D>>(&self, operation: O) -> Result<O::Output, O::Error> {
        operation.run(self).await
    }

    /// Carries out several operations, all or none.
    pub async fn transact<T: Transactional<D>>(&self, transaction: T) -> Result<(), T::Error> {
        let now = self.now();
        transaction::run(self, transaction.plan_all(self, now)?, now).await
    }

    /// A transaction to which operations are added one by one. `R` is the type of their errors;
    /// [`Error`](crate::Error) if they have none.
    pub fn transaction<R: From<Error>>(&self) -> Transaction<'_, D, R> {
        Transaction::new(self)
    }

    /// Carries out a request of the [language](crate::dynamo) as it is: for what the model has no
    /// words for.
    pub fn execute(&self, request: impl Into<Request>) -> Execution<'_> {
        trace::execute(&*self.inner.backend, request.into())
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.inner.backend
    }
}

/// What [`Db::run`] carries out: a write, with or without an error of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a write that a `Db<{D}>` can run",
    label = "not a write of this design",
    note = "writes are made by `create`, `put`, `update`, `upsert` and `delete`; `check` can only stand in a transaction"
)]
pub trait Run<D: Declaration> {
    /// What it gives back.
    type Output;
    /// What it fails with.
    type Error;
    #[doc(hidden)]
    fn run(self, db: &Db<D>) -> impl Future<Output = Result<Self::Output, Self::Error>> + Send;
}

impl<D: Contains<<O::Entity as Entity>::Table>, O: Write + Send> Run<D> for O {
    type Output = O::Output;
    type Error = Error;

    async fn run(self, db: &Db<D>) -> Result<O::Output> {
        let now = db.now();
        let plan = self.plan(db.table_name::<<O::Entity as Entity>::Table>(), now)?;
        let (request, attempt) = plan.into_request(db.backend())?;
        let returned = match db.execute(request).await {
            Ok(Answer::Write(answer)) => attempt.returned(answer),
            // Seldom enough to be given memory of its own, so that the others are small.
            other => Box::pin(transaction::go_on(db, other, attempt, now)).await?,
        };
        O::output(returned, now)
    }
}

impl<D, O, R> Run<D> for Or<O, R>
where
    D: Contains<<O::Entity as Entity>::Table>,
    O: Write + Send,
    R: From<Error> + Send,
{
    type Output = O::Output;
    type Error = R;

    async fn run(self, db: &Db<D>) -> Result<O::Output, R> {
        let (operation, refusal) = self.into_parts();
        match operation.run(db).await {
            Err(Error::ConditionFailed { .. }) => Err(refusal),
            other => Ok(other?),
        }
    }
}
