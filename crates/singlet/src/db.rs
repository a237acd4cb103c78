//! The database, which runs operations and queries.

mod settings;

pub use settings::Settings;

use crate::backend::{Backend, BackendError, Embedded, Execution};
use crate::cursor::CursorKey;
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::get::Get;
use crate::item::{decode, has_passed, is_of_sharing_entity};
use crate::marker::Marker;
use crate::operation::{Or, Plan, Write, stored};
use crate::page::Reading;
use crate::projection::Projection;
use crate::query::{AccessPattern, Readable};
use crate::scan::Scan;
use crate::shape::{Shapes, TableShape};
use crate::subject::Subject;
use crate::table::{Contains, Declaration, StoredIn, Table};
use crate::timestamp::Timestamp;
use crate::trace;
use crate::transaction::{self, RefusalError, Tokens, Transaction, Transactional};
use singlet_dynamo::operation::{Answer, Request};
use singlet_dynamo::stored::{Attributes, StoredItem};
use singlet_engine::Engine;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

/// A database with the tables of a design, on the embedded engine or on DynamoDB.
///
/// Cheap to clone: all clones share the same database.
pub struct Db<D> {
    inner: Arc<Inner>,
    design: Marker<D>,
}

pub(crate) struct Inner {
    backend: Box<dyn Backend>,
    /// The names of the tables, in design order.
    names: Vec<String>,
    settings: Settings,
    /// When transactions with tokens were first sent.
    tokens: Tokens,
}

fn failed(outcome: Result<Answer, BackendError>, subject: Subject) -> Error {
    match outcome {
        Err(error) => Error::from(error).about(|| subject),
        Ok(_) => BackendError::unexpected().into(),
    }
}

/// The part that does not depend on the design or the entity, so it is compiled once.
impl Inner {
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.settings.clock.now().as_millis())
    }

    pub(crate) fn execute(&self, request: Request) -> Execution<'_> {
        trace::execute(&*self.backend, request)
    }

    pub(crate) fn cursor_key(&self) -> Result<&CursorKey> {
        self.settings.cursor_key.as_ref().ok_or(Error::NoCursorKey)
    }

    #[inline(never)]
    fn got(
        &self,
        outcome: Result<Answer, BackendError>,
        of: Shapes,
        with_expired: bool,
    ) -> Result<Option<StoredItem>> {
        let Answer::GetItem(answer) = outcome? else {
            return Err(BackendError::unexpected().into());
        };
        let Some(row) = answer.item.map(stored) else { return Ok(None) };
        let item = row.as_item();
        let is_gone = !with_expired && of.entity.expires && has_passed(of.table, item, self.now());
        if is_gone || is_of_sharing_entity(of.entity, item) {
            return Ok(None);
        }
        Ok(Some(row))
    }

    /// Runs a write.
    async fn carry_out(&self, plan: Plan, now: Timestamp) -> Result<Option<Attributes>> {
        let (request, attempt) = plan.into_request(&*self.backend)?;
        match self.execute(request).await {
            Ok(Answer::Write(answer)) => Ok(attempt.returned(answer)),
            // Rare, so it is boxed to keep the other futures small.
            other => transaction::go_on(self, other, attempt, now).await,
        }
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }
}

impl<D> Clone for Db<D> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), design: PhantomData }
    }
}

impl<D: Declaration> Db<D> {
    /// An in-memory database with all tables created: for tests and experiments.
    pub async fn memory() -> Result<Self> {
        let engine = Engine::memory().map_err(|error| BackendError::Failed(Box::new(error)))?;
        // An in-memory database does not outlive the process, so its cursors need not either.
        let cursor_key = Some(CursorKey::of_this_process());
        let db = Self::on(Embedded::new(engine), Settings { cursor_key, ..Settings::default() });
        db.provision().await?;
        Ok(db)
    }

    /// A database on a backend.
    #[must_use]
    pub fn on(backend: impl Backend, settings: Settings) -> Self {
        let names = D::TABLES.iter().map(|table| settings.name_of(table)).collect();
        let inner = Arc::new(Inner {
            backend: Box::new(backend),
            names,
            settings,
            tokens: Tokens::default(),
        });
        Self { inner, design: PhantomData }
    }

    /// The clock of the settings.
    #[must_use]
    pub fn clock(&self) -> &crate::Clock {
        &self.inner.settings.clock
    }

    /// The current time, by the clock of the settings.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.inner.settings.clock.now().as_millis())
    }

    /// The actual name of one of the design's tables.
    #[must_use]
    pub fn table_name<T: Table>(&self) -> &str
    where
        D: Contains<T>,
    {
        self.name_at(<D as Contains<T>>::PLACE)
    }

    /// The name of the table at this position in the design.
    pub(crate) fn name_at(&self, place: usize) -> &str {
        self.inner.names.get(place).map_or("", String::as_str)
    }

    /// The position in the design of the table with this name.
    pub(crate) fn place_of(&self, table_name: &str) -> Option<usize> {
        self.inner.names.iter().position(|name| name == table_name)
    }

    /// The shape of the table with this name.
    pub(crate) fn shape_of(&self, table_name: &str) -> Option<&'static TableShape> {
        D::TABLES.get(self.place_of(table_name)?).copied()
    }

    /// Reads an item by key; `None` if it is missing or expired.
    pub async fn get<E: StoredIn<D>, P: Projection<Entity = E>>(
        &self,
        get: impl Into<Get<E, P>>,
    ) -> Result<Option<P>> {
        let get = get.into();
        let with_expired = get.with_expired;
        // An in-memory read never conflicts, and copying the key would slow it down.
        let key = self.backend().has_conflicts().then(|| get.key.clone());
        let request = get.into_request(self.name_at(E::PLACE))?;
        let outcome = self.execute(request).await;
        if outcome.is_err() {
            let subject = key.map_or_else(Subject::of::<E>, Subject::with_key);
            return Err(failed(outcome, subject));
        }
        match self.inner.got(outcome, Shapes::of::<E>(), with_expired)? {
            Some(item) => Ok(Some(decode::<P>(item.as_item())?)),
            None => Ok(None),
        }
    }

    /// Reads items by an access pattern.
    pub fn query<Q: AccessPattern>(&self, query: Q) -> Reading<'_, D, Q::Output, Q::Source>
    where
        D: Contains<<Q::Output as Readable>::Table>,
    {
        Reading::new(self, query.describe())
    }

    /// Reads a whole table or index.
    pub fn scan<E: Entity, P: Projection<Entity = E>, S>(
        &self,
        scan: Scan<E, P, S>,
    ) -> Reading<'_, D, P, S>
    where
        D: Contains<E::Table>,
    {
        Reading::new(self, scan.describe())
    }

    /// Runs one write.
    pub async fn run<O: Run<D>>(&self, operation: O) -> Result<O::Output, O::Error> {
        operation.run(self).await
    }

    /// Runs several operations in one transaction: a tuple of up to eight, or a `Vec` of up to a
    /// hundred of one type. Each must be on a different item.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Account);
    /// # #[table(name = "accounts", key = (id), entities(Balance))]
    /// # pub struct Accounts;
    /// # #[derive(Entity)]
    /// # #[entity(Accounts, key = ("{id}"))]
    /// # pub struct Balance { pub id: Account, pub cents: u64 }
    /// # singlet::block_on(async {
    /// # let db = Db::<Accounts>::memory().await?;
    /// # let (ada, bob) = (Account::new("ada")?, Account::new("bob")?);
    /// # db.run(create(&Balance { id: ada.clone(), cents: 100 })).await?;
    /// # db.run(create(&Balance { id: bob.clone(), cents: 0 })).await?;
    /// let pay = |cents: i64| {
    ///     let from = update(Balance::key(&ada)).add(Balance::CENTS, -cents);
    ///     let to = update(Balance::key(&bob)).add(Balance::CENTS, cents);
    ///     db.transact((from, to))
    /// };
    /// pay(70).await?;
    /// // A `u64` does not go below zero, and so neither does the account.
    /// let broke = pay(70).await;
    /// assert!(matches!(broke, Err(singlet::Error::OutOfRange(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The error that was set on the failed operation with [`or`](crate::operation::Operation::or);
    /// otherwise a [`singlet::Error`](Error), or the application's error converted from it.
    pub async fn transact<T: Transactional<D>>(&self, transaction: T) -> Result<(), T::Error> {
        let now = self.now();
        transaction::run(self, transaction.plan_all(self, now)?, now).await
    }

    /// Like [`transact`](Self::transact), and returns the entity of each `create` and `put` as it
    /// was stored, with the fields that the model maintains; for other operations `()`.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// #[derive(Entity)]
    /// #[entity(Games, key = ("{code}"))]
    /// pub struct Game {
    ///     pub code: Code,
    ///     #[attribute(version)]
    ///     pub version: u64,
    /// }
    ///
    /// # singlet::block_on(async {
    /// # let db = Db::<Games>::memory().await?;
    /// let game = Game { code: Code::new("NEW")?, version: 0 };
    /// let old = Game::key(Code::new("OLD")?);
    /// let (game, ()) = db.transact_returning((create(&game), delete(old))).await?;
    /// assert_eq!(game.version, 1);
    /// // It can be written again without reading it.
    /// db.run(put(&game)).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As [`transact`](Self::transact).
    pub async fn transact_returning<T: Transactional<D>>(
        &self,
        transaction: T,
    ) -> Result<T::Stored, T::Error> {
        transaction::run_returning(self, transaction).await
    }

    /// A transaction to which operations are added one by one. `R` is their error type,
    /// [`Error`](crate::Error) if none was set.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// # #[derive(Entity)]
    /// # #[entity(Games, key = ("{code}"))]
    /// # pub struct Game { pub code: Code }
    /// # singlet::block_on(async {
    /// # let db = Db::<Games>::memory().await?;
    /// let mut transaction = db.transaction::<singlet::Error>();
    /// for number in 0..9 {
    ///     transaction.push(create(&Game { code: Code::new(format!("GAME{number}"))? }));
    /// }
    /// transaction.push(delete(Game::key(Code::new("OLD")?)));
    /// transaction.run().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn transaction<R: RefusalError>(&self) -> Transaction<'_, D, R> {
        Transaction::new(self)
    }

    /// Runs a raw request of the [language](crate::dynamo), for operations that the model does not
    /// cover.
    pub fn execute(&self, request: impl Into<Request>) -> Execution<'_> {
        trace::execute(&*self.inner.backend, request.into())
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.inner.backend
    }
}

impl<D> Db<D> {
    pub(crate) fn tokens(&self) -> &Tokens {
        &self.inner.tokens
    }
}

/// A write that [`Db::run`] runs, optionally with its own error type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a write that a `Db<{D}>` can run",
    label = "not a write of this design",
    note = "writes are made by `create`, `put`, `update`, `upsert` and `delete`; `check` can only stand in a transaction"
)]
pub trait Run<D: Declaration> {
    /// The result of the write.
    type Output;
    /// The error of the write.
    type Error;
    #[doc(hidden)]
    fn run(self, db: &Db<D>) -> impl Future<Output = Result<Self::Output, Self::Error>> + Send;
}

impl<D: Contains<<O::Entity as Entity>::Table>, O: Write + Send> Run<D> for O {
    type Output = O::Output;
    type Error = Error;

    async fn run(self, db: &Db<D>) -> Result<O::Output> {
        let now = db.now();
        let subject = self.subject(now);
        let plan = self.plan(db.table_name::<<O::Entity as Entity>::Table>(), now)?;
        match db.inner.carry_out(plan, now).await {
            Ok(returned) => O::output(returned, now),
            Err(error) => Err(error.about(subject)),
        }
    }
}

impl<D, O, R> Run<D> for Or<O, R>
where
    D: Contains<<O::Entity as Entity>::Table>,
    O: Write + Send,
    R: Send,
{
    type Output = O::Output;
    type Error = R;

    async fn run(self, db: &Db<D>) -> Result<O::Output, R> {
        let (operation, refusal, convert) = self.into_parts();
        match operation.run(db).await {
            Err(Error::ConditionFailed { .. }) => Err(refusal),
            other => other.map_err(convert),
        }
    }
}
