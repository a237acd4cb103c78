//! Transactions: all operations succeed, or none.

mod refusal;
mod tokens;

pub use refusal::{Join, Joint, Lift, Named, Refusal, RefusalError, Unnamed};
pub(crate) use tokens::Tokens;

use crate::backend::BackendError;
use crate::backend::BoxFuture;
use crate::condition::Condition;
use crate::db::{Db, Inner};
use crate::entity::Entity;
use crate::error::{Error, Result, is_too_large, says_too_large};
use crate::key::Key;
use crate::operation::{Attempt, Operation, Or, Plan, Refused, ReturnsNothing, delete, put};
use crate::retry::{Backoff, Obstacle};
use crate::table::{Contains, Declaration};
use crate::timestamp::Timestamp;
use singlet_dynamo::limits::ITEM_SIZE_MAX;
use singlet_dynamo::operation::{Answer, Request, TransactWriteItem, TransactWriteItems};
use singlet_dynamo::stored::Attributes;
use singlet_dynamo::{self as dynamo, ErrorKind};

/// The maximum number of operations in a transaction.
pub const OPERATIONS_MAX: usize = 100;
/// How often an upsert retries when another writer keeps replacing the expired item.
const REPLACEMENTS_MAX: usize = 4;
/// With a token, the first attempt may have sent an upsert as a replacement of an expired item. Up
/// to this many such upserts are tried in both forms: each doubles the attempts.
const FORMS_MAX: usize = 3;

/// An operation in a transaction, with or without its own error; see
/// [`or`](crate::operation::Operation::or).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operation of the design `{D}`",
    label = "cannot stand in this transaction",
    note = "operations are made by `create`, `put`, `update`, `upsert`, `delete` and `check`, of entities whose table is in the design"
)]
pub trait Step<D> {
    /// The operation's own error, if any.
    type Refusal: Refusal;
    /// The entity of a `create` or `put`, otherwise `()`.
    type Stored: Send;
    #[doc(hidden)]
    fn plan_step(
        self,
        db: &Db<D>,
        now: Timestamp,
    ) -> Result<(Plan, Option<<Self::Refusal as Refusal>::Error>)>;
    #[doc(hidden)]
    fn stored(plan: &Plan) -> Result<Self::Stored>;
}

impl<D, O> Step<D> for O
where
    D: Contains<<O::Entity as Entity>::Table>,
    O: Operation + ReturnsNothing,
{
    type Refusal = Unnamed;
    type Stored = O::Stored;

    fn plan_step(self, db: &Db<D>, now: Timestamp) -> Result<(Plan, Option<Error>)> {
        let table_name = db.table_name::<<O::Entity as Entity>::Table>();
        Ok((self.plan(table_name, now)?, None))
    }

    fn stored(plan: &Plan) -> Result<O::Stored> {
        <O as ReturnsNothing>::stored(plan)
    }
}

impl<D, O, R> Step<D> for Or<O, R>
where
    D: Contains<<O::Entity as Entity>::Table>,
    O: Operation + ReturnsNothing,
{
    type Refusal = Named<R>;
    type Stored = O::Stored;

    fn plan_step(self, db: &Db<D>, now: Timestamp) -> Result<(Plan, Option<R>)> {
        let (operation, refusal, _) = self.into_parts();
        let (plan, _) = operation.plan_step(db, now)?;
        Ok((plan, Some(refusal)))
    }

    fn stored(plan: &Plan) -> Result<O::Stored> {
        <O as ReturnsNothing>::stored(plan)
    }
}

/// The argument of [`Db::transact`]: a tuple of up to eight operations or a `Vec` of one kind,
/// optionally wrapped in [`once`](once()). Use [`Db::transaction`] for more, or for operations
/// chosen at run time.
#[diagnostic::on_unimplemented(
    message = "this is not a transaction of the design `{D}`: neither a tuple of one to eight operations, nor a `Vec` of operations",
    label = "not a transaction",
    note = "for more than eight operations, or for operations of different kinds in a list, begin with `db.transaction()`, add them with `push`, and `run` it"
)]
pub trait Transactional<D: Declaration>: Sized {
    /// The error type: the one given with `or`, otherwise [`Error`].
    type Error: RefusalError;
    /// The stored entities: a tuple or a `Vec`, like the operations.
    type Stored: Send;
    #[doc(hidden)]
    fn stored(plans: &mut dyn Iterator<Item = &Plan>) -> Result<Self::Stored>;
    /// Plans the transaction for sending, which registers the token's timestamp.
    #[doc(hidden)]
    fn plan_all(self, db: &Db<D>, now: Timestamp) -> Result<Planned<Self::Error>>;
    /// Plans the transaction for display only.
    #[doc(hidden)]
    fn preview(self, db: &Db<D>, now: Timestamp) -> Result<Planned<Self::Error>> {
        self.plan_all(db, now)
    }
}

/// An idempotent transaction; see [`once`].
#[must_use = "a transaction does nothing until a `Db` runs it"]
pub struct Once<T> {
    transaction: T,
    token: String,
    at: Option<Timestamp>,
}

/// Makes a transaction idempotent. Sending it again with the same token within ten minutes is a
/// no-op that succeeds. A token has up to 36 characters and belongs to one transaction: a different
/// transaction with it fails with [`Error::IdempotentParameterMismatch`], unless the first one
/// failed.
///
/// Timestamps are part of the transaction. A [`Db`] remembers when it first sent a token, and
/// reuses that moment for retries. If another process may retry a transaction with timestamps (a
/// `created` or `updated` field, an expiring item), pass the moment of the first attempt with
/// [`at`](Once::at).
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game { pub code: Code, pub turn: u32 }
/// # singlet::block_on(async {
/// # let db = Db::<Games>::memory().await?;
/// let code = Code::new("ABC123")?;
/// db.run(create(&Game { code: code.clone(), turn: 0 })).await?;
/// for _ in 0..3 {
///     let roll = update(Game::key(&code)).add(Game::TURN, 1);
///     db.transact(once("this very roll", (roll,))).await?;
/// }
/// assert_eq!(db.get(Game::key(&code)).await?.unwrap().turn, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub fn once<T>(token: impl Into<String>, transaction: T) -> Once<T> {
    Once { transaction, token: token.into(), at: None }
}

impl<T> Once<T> {
    /// Sets the transaction's clock: maintained timestamps are set to this moment, and expiry is
    /// judged by it. Every retry must pass the same moment, for example the time of the client's
    /// request, or one that is part of the token.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// # #[derive(Entity)]
    /// # #[entity(Games, key = ("{code}"))]
    /// # pub struct Game { pub code: Code, #[attribute(updated)] pub updated_at: Timestamp }
    /// # singlet::block_on(async {
    /// # let db = Db::<Games>::memory().await?;
    /// let requested_at = db.now();
    /// let game = Game { code: Code::new("ABC123")?, updated_at: requested_at };
    /// for _ in 0..2 {
    ///     db.transact(once("request-17", (put(&game),)).at(requested_at)).await?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn at(mut self, moment: Timestamp) -> Self {
        self.at = Some(moment);
        self
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Once<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { transaction, token, at } = self;
        f.debug_struct("Once")
            .field("token", token)
            .field("at", at)
            .field("transaction", transaction)
            .finish()
    }
}

impl<D: Declaration, T: Transactional<D>> Transactional<D> for Once<T> {
    type Error = T::Error;
    type Stored = T::Stored;

    fn stored(plans: &mut dyn Iterator<Item = &Plan>) -> Result<T::Stored> {
        T::stored(plans)
    }

    fn plan_all(self, db: &Db<D>, now: Timestamp) -> Result<Planned<T::Error>> {
        let (moment, is_first) = match self.at {
            Some(moment) => (moment, false),
            None => db.tokens().moment(&self.token, now),
        };
        let token = Token { text: self.token, is_first };
        match self.transaction.plan_all(db, moment) {
            Ok(planned) => Ok(Planned { token: Some(token), at: Some(moment), ..planned }),
            Err(error) => {
                if token.is_first {
                    db.tokens().forget(&token.text);
                }
                Err(error)
            }
        }
    }

    fn preview(self, db: &Db<D>, now: Timestamp) -> Result<Planned<T::Error>> {
        let moment = self.at.or_else(|| db.tokens().peek(&self.token, now)).unwrap_or(now);
        let planned = self.transaction.preview(db, moment)?;
        let token = Token { text: self.token, is_first: false };
        Ok(Planned { token: Some(token), at: Some(moment), ..planned })
    }
}

#[doc(hidden)]
pub struct Planned<R> {
    steps: Vec<(Plan, Option<R>)>,
    token: Option<Token>,
    /// The planned moment, if it is not now.
    at: Option<Timestamp>,
}

struct Token {
    text: String,
    /// Whether this database sends it for the first time.
    is_first: bool,
}

impl<R> Planned<R> {
    pub(crate) fn plans(&self) -> impl ExactSizeIterator<Item = &Plan> {
        self.steps.iter().map(|(plan, _)| plan)
    }

    /// The idempotency token.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_ref().map(|token| token.text.as_str())
    }
}

impl<R> Default for Planned<R> {
    fn default() -> Self {
        Self { steps: Vec::new(), token: None, at: None }
    }
}

impl<D: Declaration, S: Step<D>> Transactional<D> for Vec<S>
where
    <S::Refusal as Refusal>::Error: RefusalError,
{
    type Error = <S::Refusal as Refusal>::Error;
    type Stored = Vec<S::Stored>;

    fn stored(plans: &mut dyn Iterator<Item = &Plan>) -> Result<Vec<S::Stored>> {
        plans.map(S::stored).collect()
    }

    fn plan_all(self, db: &Db<D>, now: Timestamp) -> Result<Planned<Self::Error>> {
        let steps = self.into_iter().map(|step| step.plan_step(db, now));
        Ok(Planned { steps: steps.collect::<Result<_>>()?, ..Planned::default() })
    }
}

macro_rules! tuples {
    ($(($($step:ident $value:ident),+))+) => {
        $(tuples!(@of ($($step::Refusal,)+) $($step $value),+);)+
    };
    (@of $refusals:tt $($step:ident $value:ident),+) => {
            impl<D, $($step),+> Transactional<D> for ($($step,)+)
            where
                D: Declaration,
                $($step: Step<D>,)+
                $refusals: Joint,
                <<$refusals as Joint>::Both as Refusal>::Error: RefusalError,
                $($step::Refusal: Lift<<$refusals as Joint>::Both>,)+
            {
                type Error = <<$refusals as Joint>::Both as Refusal>::Error;
                type Stored = ($($step::Stored,)+);

                fn stored(plans: &mut dyn Iterator<Item = &Plan>) -> Result<Self::Stored> {
                    Ok(($(
                        $step::stored(plans.next().ok_or_else(BackendError::unexpected)?)?,
                    )+))
                }

                fn plan_all(self, db: &Db<D>, now: Timestamp) -> Result<Planned<Self::Error>> {
                    let ($($value,)+) = self;
                    let mut planned = Planned::default();
                    $(
                        let (plan, refusal) = $value.plan_step(db, now)?;
                        planned.steps.push((plan, <$step::Refusal>::lift(refusal)));
                    )+
                    Ok(planned)
                }
            }
    };
}

tuples! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, E e)
    (A a, B b, C c, E e, F f)
    (A a, B b, C c, E e, F f, G g)
    (A a, B b, C c, E e, F f, G g, H h)
    (A a, B b, C c, E e, F f, G g, H h, I i)
}

/// A transaction built one operation at a time; see [`Db::transaction`].
#[must_use = "a transaction does nothing until it is run"]
pub struct Transaction<'d, D, R> {
    db: &'d Db<D>,
    now: Timestamp,
    planned: Result<Planned<R>>,
    /// The error for operations that have none.
    refusal: Option<fn() -> R>,
}

impl<'d, D: Declaration, R: From<Error>> Transaction<'d, D, R> {
    pub(crate) fn new(db: &'d Db<D>) -> Self {
        Self { db, now: db.now(), planned: Ok(Planned::default()), refusal: None }
    }

    /// Sets the error for operations added from now on that have none. It is the default for
    /// [`or`](crate::operation::Operation::or).
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// # #[derive(Entity)]
    /// # #[entity(Games, key = ("{code}"))]
    /// # pub struct Game { pub code: Code }
    /// #[derive(Debug, PartialEq)]
    /// enum Refusal {
    ///     Changed,
    ///     Taken,
    /// }
    /// # impl From<singlet::Error> for Refusal {
    /// #     fn from(error: singlet::Error) -> Self { panic!("{error}") }
    /// # }
    /// # singlet::block_on(async {
    /// # let db = Db::<Games>::memory().await?;
    /// let (old, new) = (Code::new("OLD")?, Code::new("NEW")?);
    ///
    /// let mut transaction = db.transaction().or(|| Refusal::Changed);
    /// transaction.push(create(&Game { code: new }).or(Refusal::Taken));
    /// transaction.push(check(Game::key(&old)).only_if(Condition::exists()));
    /// assert_eq!(transaction.run().await, Err(Refusal::Changed));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn or(mut self, refusal: fn() -> R) -> Self {
        self.refusal = Some(refusal);
        self
    }

    /// Adds the writes that turn `before` into `after`: deletes, creates, and puts of the items
    /// that differ. The items in `before` must still exist, and new ones must not. Guard against
    /// concurrent changes with another operation, such as a version check on the items' parent.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code, PlayerId);
    /// # #[table(name = "games", key = (PK, SK), entities(Player))]
    /// # pub struct Games;
    /// #[derive(Entity, Clone, Debug, PartialEq)]
    /// #[entity(Games, key = ("GAME#{code}", "PLAYER#{id}"))]
    /// pub struct Player { pub code: Code, pub id: PlayerId, pub position: u32 }
    ///
    /// # singlet::block_on(async {
    /// # let db = Db::<Games>::memory().await?;
    /// let code = Code::new("ABC123")?;
    /// let player = |id: &str, position| -> Result<Player, singlet::IdError> {
    ///     Ok(Player { code: code.clone(), id: PlayerId::new(id)?, position })
    /// };
    /// let before = [player("ann", 1)?, player("bob", 1)?, player("cleo", 1)?];
    /// let after = [player("ann", 1)?, player("cleo", 5)?, player("dan", 1)?];
    /// # db.transact(before.iter().map(create).collect::<Vec<_>>()).await?;
    ///
    /// let mut transaction = db.transaction::<singlet::Error>();
    /// transaction.replace(&before, &after);
    /// assert_eq!(transaction.len(), 3, "Bob goes, Cleo moves, and Dan comes");
    /// transaction.run().await?;
    /// assert_eq!(db.query(Player::of(&code)).all().await?, after);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn replace<E>(&mut self, before: &[E], after: &[E])
    where
        D: Contains<E::Table>,
        E: Entity + PartialEq,
    {
        let keyed = |entities: &[E]| -> Vec<Key<E>> { entities.iter().map(Key::of).collect() };
        let (old_keys, new_keys) = (keyed(before), keyed(after));
        for key in old_keys.iter().filter(|key| !new_keys.contains(key)) {
            self.push(delete(key.clone()).only_if(Condition::exists()));
        }
        for (new, key) in after.iter().zip(&new_keys) {
            match before.iter().zip(&old_keys).find(|(_, old_key)| *old_key == key) {
                None => self.push(put(new).only_if(Condition::missing())),
                Some((old, _)) if old != new => self.push(put(new).only_if(Condition::exists())),
                Some(_) => {}
            }
        }
    }

    /// Adds an operation.
    pub fn push<S: Step<D>>(&mut self, step: S)
    where
        S::Refusal: Lift<Named<R>>,
    {
        if let Ok(planned) = &mut self.planned {
            match step.plan_step(self.db, self.now) {
                Ok((plan, refusal)) => {
                    let refusal = S::Refusal::lift(refusal);
                    let refusal = refusal.or_else(|| self.refusal.map(|refusal| refusal()));
                    planned.steps.push((plan, refusal));
                }
                Err(error) => {
                    self.forget_unsent_token();
                    self.planned = Err(error);
                }
            }
        }
    }

    /// The number of operations, at most [`OPERATIONS_MAX`] when it runs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.planned.as_ref().map_or(0, |planned| planned.steps.len())
    }

    /// Whether there are no operations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the transaction idempotent; see [`once`]. Call it before adding operations, so that a
    /// retry is planned as of the same moment.
    pub fn once(mut self, token: impl Into<String>) -> Self {
        let text = token.into();
        if let Ok(planned) = &mut self.planned {
            let mut is_first = false;
            if planned.steps.is_empty() && planned.at.is_none() {
                (self.now, is_first) = self.db.tokens().moment(&text, self.now);
            }
            planned.token = Some(Token { text, is_first });
        }
        self
    }

    /// Sets the clock for operations added afterwards; see [`Once::at`].
    pub fn at(mut self, moment: Timestamp) -> Self {
        if let Ok(planned) = &mut self.planned {
            planned.at = Some(moment);
            self.now = moment;
        }
        self
    }

    /// The request to send; see [`Inspect`](crate::Inspect).
    pub fn request(&self) -> Result<Request, &Error> {
        self.planned.as_ref().map(Planned::request)
    }

    /// Runs the operations, all or none.
    ///
    /// # Errors
    ///
    /// The failed operation's own error if it has one, otherwise a [`singlet::Error`].
    pub async fn run(mut self) -> Result<(), R> {
        let planned = std::mem::replace(&mut self.planned, Ok(Planned::default()))?;
        run(self.db, planned, self.now).await
    }
}

/// Forgets the token if the transaction never ran.
impl<D, R> Drop for Transaction<'_, D, R> {
    fn drop(&mut self) {
        self.forget_unsent_token();
    }
}

impl<D, R> Transaction<'_, D, R> {
    fn forget_unsent_token(&self) {
        if let Ok(planned) = &self.planned {
            planned.forget_unsent_token(self.db);
        }
    }
}

/// Runs the operations and returns the stored entities.
pub(crate) async fn run_returning<D: Declaration, T: Transactional<D>>(
    db: &Db<D>,
    transaction: T,
) -> Result<T::Stored, T::Error> {
    let now = db.now();
    let planned = transaction.plan_all(db, now)?;
    let stored = T::stored(&mut planned.plans());
    if stored.is_err() {
        planned.forget_unsent_token(db);
    }
    let stored = stored?;
    run(db, planned, now).await?;
    Ok(stored)
}

pub(crate) async fn run<D: Declaration, R: From<Error>>(
    db: &Db<D>,
    mut planned: Planned<R>,
    now: Timestamp,
) -> Result<(), R> {
    let count = planned.steps.len();
    if count == 0 {
        return Ok(());
    }
    if count > OPERATIONS_MAX {
        return Err(Error::TooManyOperations { count }.into());
    }
    let now = planned.at.unwrap_or(now);
    let mut backoff = Backoff::new();
    let (mut replacements, mut form) = (0, 0);
    loop {
        let actions = planned.steps.iter().map(|(plan, _)| plan.action.clone()).collect();
        let mut request = TransactWriteItems::new(actions);
        request.client_request_token = planned.token.as_ref().map(|token| token.text.clone());
        let refused = match db.execute(request).await {
            Ok(_) => return Ok(()),
            Err(BackendError::Refused(refused)) => refused,
            Err(other) => return Err(Error::from(other).into()),
        };
        if refused.kind() == ErrorKind::IdempotentParameterMismatch
            && let Some(token) = &planned.token
        {
            // An earlier attempt may have succeeded in another form.
            let (token, is_first) = (token.text.clone(), token.is_first);
            if replacements == 0 && planned.next_form(&mut form) {
                continue;
            }
            if is_first {
                db.tokens().forget(&token);
            }
            return Err(Error::IdempotentParameterMismatch { token }.into());
        }
        let reasons = refused.cancellation_reasons();
        let is = |code: &str| reasons.iter().position(|reason| reason.code() == code);
        if let Some(place) = is("ConditionalCheckFailed") {
            let item = reasons.get(place).and_then(|reason| reason.item.as_ref());
            let item = item.map(Attributes::to_item);
            let Some((plan, refusal)) = planned.steps.get_mut(place) else {
                return Err(Error::from(BackendError::Refused(refused)).into());
            };
            if replacements < REPLACEMENTS_MAX && plan.replace_if_expired(item.as_ref(), now) {
                replacements += 1;
                continue;
            }
            let error = match (plan.refused(item, now), refusal.take()) {
                (Refused::Condition { .. }, Some(refusal)) => refusal,
                (refused, _) => Error::from(refused).about(|| plan.subject()).into(),
            };
            planned.forget_token(db);
            return Err(error);
        }
        // Retried here: backends do not repeat a cancelled transaction.
        let Some(obstacle) = Obstacle::of(&refused) else {
            planned.forget_token(db);
            return Err(refused_step(planned.plans(), refused).into());
        };
        let waited = backoff.wait(db.backend(), obstacle).await;
        waited.map_err(|error| match blamed(planned.plans(), &refused) {
            Some(plan) => error.about(|| plan.subject()),
            None => error,
        })?;
    }
}

/// The operation that made the transaction fail, if known.
fn blamed<'p>(
    mut steps: impl ExactSizeIterator<Item = &'p Plan>,
    refused: &dynamo::Error,
) -> Option<&'p Plan> {
    let reasons = refused.cancellation_reasons();
    if let Some(place) = reasons.iter().position(|reason| reason.failure.is_some()) {
        return steps.nth(place);
    }
    if steps.len() == 1 {
        return steps.next();
    }
    // A request that fails validation has no reasons per action.
    let too_large = |plan: &&Plan| match &plan.action {
        TransactWriteItem::Put(put) => put.item.size() > ITEM_SIZE_MAX,
        _ => false,
    };
    steps.find(too_large).filter(|_| is_too_large(refused))
}

/// The error for a failure other than a condition.
fn refused_step<'p>(
    steps: impl ExactSizeIterator<Item = &'p Plan>,
    refused: dynamo::Error,
) -> Error {
    let Some(plan) = blamed(steps, &refused) else { return refused.into() };
    let mut messages = refused.cancellation_reasons().iter().filter_map(|one| one.failure.as_ref());
    if messages.any(|failure| says_too_large(&failure.message)) {
        return Error::ItemTooLarge { subject: Box::new(plan.subject()) };
    }
    Error::from(refused).about(|| plan.subject())
}

impl<R> Planned<R> {
    /// Forgets the token of a transaction that is not sent.
    fn forget_unsent_token<D>(&self, db: &Db<D>) {
        if let Some(token) = self.token.as_ref().filter(|token| token.is_first) {
            db.tokens().forget(&token.text);
        }
    }

    /// Forgets the token after a failure: a later attempt may use another moment.
    fn forget_token<D: Declaration>(&self, db: &Db<D>) {
        if let Some(token) = &self.token {
            db.tokens().forget(&token.text);
        }
    }

    /// Switches to the next form in which the transaction may have succeeded: each upsert either
    /// updates an item or replaces an expired one. Returns whether there is another form.
    fn next_form(&mut self, form: &mut usize) -> bool {
        let mut plans: Vec<&mut Plan> = self.steps.iter_mut().map(|(plan, _)| plan).collect();
        plans.retain(|plan| plan.has_forms());
        let next = *form + 1;
        if plans.len() > FORMS_MAX || next >= 1 << plans.len() {
            return false;
        }
        // Swap the plans whose bit changed.
        for (bit, plan) in plans.into_iter().enumerate() {
            if ((*form ^ next) >> bit) & 1 == 1 {
                plan.swap_forms();
            }
        }
        *form = next;
        true
    }
}

/// Finishes a write that failed: retries it if that can help, or returns the error.
#[inline(never)]
pub(crate) fn go_on(
    db: &Inner,
    outcome: Result<Answer, BackendError>,
    attempt: Attempt,
    now: Timestamp,
) -> BoxFuture<'_, Result<Option<Attributes>>> {
    Box::pin(retried(db, outcome, attempt, now))
}

async fn retried(
    db: &Inner,
    mut outcome: Result<Answer, BackendError>,
    mut attempt: Attempt,
    now: Timestamp,
) -> Result<Option<Attributes>> {
    let mut backoff = Backoff::new();
    let mut replacements = 0;
    loop {
        let refused = match outcome {
            Ok(Answer::Write(answer)) => return Ok(attempt.returned(answer)),
            Ok(_) => return Err(BackendError::unexpected().into()),
            Err(BackendError::Refused(refused)) => refused,
            Err(other) => return Err(other.into()),
        };
        let again = if refused.kind() == ErrorKind::ConditionalCheckFailed {
            let item = refused.item().map(Attributes::to_item);
            let again = attempt.again.take().filter(|_| replacements < REPLACEMENTS_MAX);
            let again = again.and_then(|mut again| {
                again.replace_if_expired(item.as_ref(), now).then_some(again)
            });
            replacements += 1;
            match again {
                Some(again) => again,
                None => return Err(attempt.refused(item, now).into()),
            }
        } else {
            let (Some(obstacle), Some(again)) = (Obstacle::of(&refused), attempt.again) else {
                return Err(BackendError::Refused(refused).into());
            };
            backoff.wait(db.backend(), obstacle).await?;
            again
        };
        let (request, next) = again.into_request(db.backend())?;
        attempt = next;
        outcome = db.execute(request).await;
    }
}

impl<D, R> std::fmt::Debug for Transaction<'_, D, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.planned {
            Ok(planned) => write!(f, "Transaction({})", planned.request()),
            Err(error) => write!(f, "Transaction({error})"),
        }
    }
}
