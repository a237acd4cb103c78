//! Several operations, of which all happen or none.

mod refusal;
mod tokens;

pub use refusal::{Join, Joint, Lift, Named, Refusal, RefusalError, Unnamed};
pub(crate) use tokens::Tokens;

use crate::backend::BackendError;
use crate::backend::BoxFuture;
use crate::db::{Db, Inner};
use crate::entity::Entity;
use crate::error::{Error, Result, is_too_large, says_too_large};
use crate::operation::{Attempt, Operation, Or, Plan, Refused, ReturnsNothing};
use crate::retry::{Backoff, Obstacle};
use crate::table::{Contains, Declaration};
use crate::timestamp::Timestamp;
use singlet_dynamo::limits::ITEM_SIZE_MAX;
use singlet_dynamo::operation::{Answer, Request, TransactWriteItem, TransactWriteItems};
use singlet_dynamo::stored::Attributes;
use singlet_dynamo::{self as dynamo, ErrorKind};

/// How many operations a transaction may have.
pub const OPERATIONS_MAX: usize = 100;
/// How often an expired item may be replaced under the hands of an upsert before it gives up: each
/// time, somebody else has replaced it in between.
const REPLACEMENTS_MAX: usize = 4;
/// How many upserts of a transaction with a token may have been sent in another form, because an
/// expired item was in their place, and still be recognised: each doubles the attempts.
const FORMS_MAX: usize = 3;

/// An operation in a transaction, with or without an error of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operation of the design `{D}`",
    label = "cannot stand in this transaction",
    note = "operations are made by `create`, `put`, `update`, `upsert`, `delete` and `check`, of entities whose table is in the design"
)]
pub trait Step<D> {
    /// Whether it has an error of its own, and which.
    type Refusal: Refusal;
    #[doc(hidden)]
    fn plan_step(
        self,
        db: &Db<D>,
        now: Timestamp,
    ) -> Result<(Plan, Option<<Self::Refusal as Refusal>::Error>)>;
}

impl<D, O> Step<D> for O
where
    D: Contains<<O::Entity as Entity>::Table>,
    O: Operation + ReturnsNothing,
{
    type Refusal = Unnamed;

    fn plan_step(self, db: &Db<D>, now: Timestamp) -> Result<(Plan, Option<Error>)> {
        let table_name = db.table_name::<<O::Entity as Entity>::Table>();
        Ok((self.plan(table_name, now)?, None))
    }
}

impl<D, O, R> Step<D> for Or<O, R>
where
    D: Contains<<O::Entity as Entity>::Table>,
    O: Operation + ReturnsNothing,
{
    type Refusal = Named<R>;

    fn plan_step(self, db: &Db<D>, now: Timestamp) -> Result<(Plan, Option<R>)> {
        let (operation, refusal, _) = self.into_parts();
        let (plan, _) = operation.plan_step(db, now)?;
        Ok((plan, Some(refusal)))
    }
}

/// What [`Db::transact`] carries out: a tuple of up to eight operations, a `Vec` of any number of
/// one kind, either of them [once](once()). For more, or for what is known only at run time, there
/// is [`Db::transaction`].
#[diagnostic::on_unimplemented(
    message = "this is not a transaction of the design `{D}`: neither a tuple of one to eight operations, nor a `Vec` of operations",
    label = "not a transaction",
    note = "for more than eight operations, or for operations of different kinds in a list, begin with `db.transaction()`, add them with `push`, and `run` it"
)]
pub trait Transactional<D: Declaration>: Sized {
    /// What it fails with: the error of the operation that was refused, or
    /// [`Error`] if none of them has one.
    type Error: RefusalError;
    /// Plans it to be sent now, which registers the moment of its token.
    #[doc(hidden)]
    fn plan_all(self, db: &Db<D>, now: Timestamp) -> Result<Planned<Self::Error>>;
    /// Plans it to be shown.
    #[doc(hidden)]
    fn preview(self, db: &Db<D>, now: Timestamp) -> Result<Planned<Self::Error>> {
        self.plan_all(db, now)
    }
}

/// A transaction that is carried out only once; see [`once`].
#[must_use = "a transaction does nothing until a `Db` runs it"]
pub struct Once<T> {
    transaction: T,
    token: String,
    at: Option<Timestamp>,
}

/// Carries out a transaction only once, however often it is sent: within ten minutes after the
/// first, the same transaction with the same token does nothing, and succeeds. The token has up to
/// 36 characters, and belongs to one transaction: another one with it fails with
/// [`Error::IdempotentParameterMismatch`], unless the
/// first was refused.
///
/// The same transaction writes the same times. A [`Db`] remembers when it first sent a token, and
/// sends it again as of that moment. Where another process sends it again, a transaction that has
/// times in it (a field that is `created` or `updated`, an item that expires) needs the moment of
/// the first attempt: see [`at`](Once::at).
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
    /// As of this moment: times that the model keeps are set to it, and what expires by then is
    /// gone. Whoever sends the transaction again, from wherever, gives the same moment: that at
    /// which a client made its request, for example, or one that is a part of the token.
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

/// What a transaction comes to.
#[doc(hidden)]
pub struct Planned<R> {
    steps: Vec<(Plan, Option<R>)>,
    token: Option<Token>,
    /// The moment that it is planned for, if that is not now.
    at: Option<Timestamp>,
}

/// The token of a transaction.
struct Token {
    text: String,
    /// Whether this database has not sent it before.
    is_first: bool,
}

impl<R> Planned<R> {
    /// The operations, in their order.
    pub(crate) fn plans(&self) -> impl ExactSizeIterator<Item = &Plan> {
        self.steps.iter().map(|(plan, _)| plan)
    }

    /// What makes it the same as another one that was sent.
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

/// Operations that are gathered one by one, of any kind; see [`Db::transaction`].
#[must_use = "a transaction does nothing until it is run"]
pub struct Transaction<'d, D, R> {
    db: &'d Db<D>,
    now: Timestamp,
    planned: Result<Planned<R>>,
}

impl<'d, D: Declaration, R: From<Error>> Transaction<'d, D, R> {
    pub(crate) fn new(db: &'d Db<D>) -> Self {
        Self { db, now: db.now(), planned: Ok(Planned::default()) }
    }

    /// Adds an operation.
    pub fn push<S: Step<D>>(&mut self, step: S)
    where
        S::Refusal: Lift<Named<R>>,
    {
        if let Ok(planned) = &mut self.planned {
            match step.plan_step(self.db, self.now) {
                Ok((plan, refusal)) => planned.steps.push((plan, S::Refusal::lift(refusal))),
                Err(error) => {
                    self.forget_unsent_token();
                    self.planned = Err(error);
                }
            }
        }
    }

    /// How many operations there are: a transaction may have up to [`OPERATIONS_MAX`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.planned.as_ref().map_or(0, |planned| planned.steps.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Carried out only once; see [`once`]. To be called before operations are added: then what
    /// is sent again is sent as of the same moment.
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

    /// As of this moment; see [`Once::at`]. It is that of operations that are added afterwards.
    pub fn at(mut self, moment: Timestamp) -> Self {
        if let Ok(planned) = &mut self.planned {
            planned.at = Some(moment);
            self.now = moment;
        }
        self
    }

    /// The request that it will send; see [`Inspect`](crate::Inspect).
    pub fn request(&self) -> Result<Request, &Error> {
        self.planned.as_ref().map(Planned::request)
    }

    /// Carries out the operations, all or none.
    ///
    /// # Errors
    ///
    /// The error of the operation that was refused, if it has one; else a [`singlet::Error`].
    pub async fn run(mut self) -> Result<(), R> {
        let planned = std::mem::replace(&mut self.planned, Ok(Planned::default()))?;
        run(self.db, planned, self.now).await
    }
}

/// A transaction that was not run has not sent its token.
impl<D, R> Drop for Transaction<'_, D, R> {
    fn drop(&mut self) {
        self.forget_unsent_token();
    }
}

impl<D, R> Transaction<'_, D, R> {
    fn forget_unsent_token(&self) {
        if let Ok(Planned { token: Some(token), .. }) = &self.planned
            && token.is_first
        {
            self.db.tokens().forget(&token.text);
        }
    }
}

/// Carries out what a transaction comes to.
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
            // The same transaction may have been carried out in another form.
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
        // Nothing that a backend repeats by itself: the transaction as a whole was answered.
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

/// The operation to blame for the refusal of a transaction, if it is known.
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
    // A request that is refused before it is carried out has no reasons for each action.
    let too_large = |plan: &&Plan| match &plan.action {
        TransactWriteItem::Put(put) => put.item.size() > ITEM_SIZE_MAX,
        _ => false,
    };
    steps.find(too_large).filter(|_| is_too_large(refused))
}

/// The error of a transaction that was refused for another reason than a condition.
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
    /// The transaction was refused, and no other was carried out with its token: another attempt
    /// need not be as of the same moment.
    fn forget_token<D: Declaration>(&self, db: &Db<D>) {
        if let Some(token) = &self.token {
            db.tokens().forget(&token.text);
        }
    }

    /// Changes over to the next form in which the transaction may have been carried out: each of
    /// its upserts changes an item, or replaces one that is expired. Says whether there is one.
    fn next_form(&mut self, form: &mut usize) -> bool {
        let mut plans: Vec<&mut Plan> = self.steps.iter_mut().map(|(plan, _)| plan).collect();
        plans.retain(|plan| plan.has_forms());
        let next = *form + 1;
        if plans.len() > FORMS_MAX || next >= 1 << plans.len() {
            return false;
        }
        // Those whose bit is another one than before.
        for (bit, plan) in plans.into_iter().enumerate() {
            if ((*form ^ next) >> bit) & 1 == 1 {
                plan.swap_forms();
            }
        }
        *form = next;
        true
    }
}

/// Goes on with a write that the store has not carried out: another attempt, if that is worth it,
/// or the error to return.
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
