//! Optimistic concurrency: read, decide and write, with retries.

use crate::backend::BoxFuture;
use crate::db::Db;
use crate::error::Error;
use crate::retry::Backoff;
use crate::table::Declaration;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The default for [`Attempts::times`]. If every attempt fails, the pauses add up to at most three
/// seconds.
const ATTEMPTS_DEFAULT: u32 = 12;

/// Errors for [`Db::attempt`], which retries some of them.
///
/// [`Error`] is retryable if the condition of a write failed. [`Error::Conflict`] is not: that
/// write has already waited about nine seconds for the other transaction. For an application's
/// error type, return true for the variants that mean a failed condition:
///
/// ```
/// use singlet::Retryable;
///
/// enum Refusal {
///     NotYourTurn,
///     /// Somebody else has changed the game since it was read.
///     Stale,
///     Database(singlet::Error),
/// }
///
/// impl From<singlet::Error> for Refusal {
///     fn from(error: singlet::Error) -> Self {
///         Self::Database(error)
///     }
/// }
///
/// impl Retryable for Refusal {
///     fn is_retryable(&self) -> bool {
///         match self {
///             Self::NotYourTurn => false,
///             Self::Stale => true,
///             Self::Database(error) => error.is_retryable(),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which of its errors are worth another attempt",
    label = "an attempt ends with this error",
    note = "implement `singlet::Retryable` for it: `is_retryable` is true if somebody else was faster"
)]
pub trait Retryable {
    /// Whether another writer came first, so that starting over may succeed.
    fn is_retryable(&self) -> bool;
}

impl Retryable for Error {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::ConditionFailed { .. })
    }
}

impl<D: Declaration> Db<D> {
    /// Reads, decides and writes, and starts over if another writer came first.
    ///
    /// The work reads an item, decides, and writes on the condition that the item is unchanged. If
    /// the condition fails, the decision was based on stale data: `attempt` waits for a random time
    /// that grows with each attempt, and runs the work again from the start. Any error that is not
    /// [`Retryable`] ends it at once.
    ///
    /// After the last attempt it returns that attempt's error. The default is 12 attempts; change
    /// it with [`times`](Attempts::times).
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
    /// db.run(create(&Game { code: code.clone(), turn: 4 })).await?;
    ///
    /// let turn = db
    ///     .attempt(async |db| {
    ///         let game = db.get(Game::key(&code).consistent()).await?;
    ///         let turn = game.map_or(0, |game| game.turn);
    ///         let next = if turn >= 4 { 1 } else { turn + 1 };
    ///         let played = update(Game::key(&code)).set(Game::TURN, next);
    ///         db.run(played.only_if(Game::TURN.eq(turn))).await?;
    ///         Ok::<_, singlet::Error>(next)
    ///     })
    ///     .times(20)
    ///     .await?;
    /// assert_eq!(turn, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// Side effects happen once per attempt, so draw random numbers and send mail outside the work.
    /// Use consistent reads, or an attempt may see the same stale item again.
    ///
    /// Dropping the future cancels the current attempt. A write that was already sent may still
    /// take effect.
    pub fn attempt<'d, F, A, T, E>(&'d self, work: F) -> Attempts<'d, D, F, A>
    where
        F: FnMut(&'d Self) -> A,
        A: Future<Output = Result<T, E>>,
        E: Retryable,
    {
        let backoff = Backoff::between_attempts(ATTEMPTS_DEFAULT);
        Attempts { db: self, work, backoff, progress: Progress::Next }
    }
}

/// The future returned by [`Db::attempt`].
#[must_use = "futures do nothing unless you await them"]
pub struct Attempts<'d, D, F, A> {
    db: &'d Db<D>,
    work: F,
    backoff: Backoff,
    progress: Progress<'d, A>,
}

enum Progress<'d, A> {
    Next,
    Running(Pin<Box<A>>),
    Pausing(BoxFuture<'d, ()>),
}

impl<D, F, A> Attempts<'_, D, F, A> {
    /// Sets the maximum number of attempts, at least one.
    pub fn times(mut self, attempts: u32) -> Self {
        self.backoff = Backoff::between_attempts(attempts);
        self
    }
}

/// Only the boxed futures are pinned.
impl<D, F, A> Unpin for Attempts<'_, D, F, A> {}

impl<'d, D, F, A, T, E> Future for Attempts<'d, D, F, A>
where
    D: Declaration,
    F: FnMut(&'d Db<D>) -> A,
    A: Future<Output = Result<T, E>>,
    E: Retryable,
{
    type Output = Result<T, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { db, work, backoff, progress } = self.get_mut();
        loop {
            *progress = match progress {
                Progress::Next => Progress::Running(Box::pin(work(db))),
                Progress::Running(attempt) => match ready!(attempt.as_mut().poll(context)) {
                    Err(error) if error.is_retryable() => match backoff.next() {
                        Some(pause) => Progress::Pausing(db.backend().sleep(pause)),
                        None => return Poll::Ready(Err(error)),
                    },
                    outcome => return Poll::Ready(outcome),
                },
                Progress::Pausing(pause) => {
                    ready!(pause.as_mut().poll(context));
                    Progress::Next
                }
            };
        }
    }
}

impl<D, F, A> fmt::Debug for Attempts<'_, D, F, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempts").field("backoff", &self.backoff).finish_non_exhaustive()
    }
}
