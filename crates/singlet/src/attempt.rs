//! Reading, deciding and writing again when somebody else was faster.

use crate::backend::BoxFuture;
use crate::db::Db;
use crate::error::Error;
use crate::retry::Backoff;
use crate::table::Declaration;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// How often work is attempted unless [`Attempts::times`] says otherwise. If its conditions fail
/// each time, the pauses between the attempts take at most three seconds together.
const ATTEMPTS_DEFAULT: u32 = 12;

/// An error that can say whether another attempt may succeed, for [`Db::attempt`].
///
/// [`Error`] is retryable if the condition of a write failed. An [`Error::Conflict`] is not: the
/// write has already waited for the other transaction, for about nine seconds. An application with
/// errors of its own says which of them mean that a condition failed:
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
    /// Whether somebody else was faster, so that reading and deciding anew may succeed.
    fn is_retryable(&self) -> bool;
}

impl Retryable for Error {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::ConditionFailed { .. })
    }
}

impl<D: Declaration> Db<D> {
    /// Reads, decides and writes, and begins again if somebody else was faster.
    ///
    /// Work that reads an item, decides by what it holds and writes guards its writes by a
    /// condition: that the item is as it was read. When the condition fails, the decision was made
    /// by something that is no longer so. `attempt` then waits for a random time that grows with
    /// every attempt, and runs the work again from the start. Any other error ends it at once;
    /// which errors are worth another attempt is for [`Retryable`] to say.
    ///
    /// When all attempts are spent, it ends with the error of the last one. There are 12, unless
    /// [`times`](Attempts::times) says otherwise.
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
    /// Whatever the work does besides writing is done once per attempt: draw random numbers and
    /// send mail outside of it. Read consistently, or an attempt may see what the last one saw.
    ///
    /// Dropping the future ends the attempt that is under way; a write that was sent may or may not
    /// have been carried out, as with any write that is not waited for.
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

/// Work that is attempted until it succeeds; see [`Db::attempt`].
#[must_use = "futures do nothing unless you await them"]
pub struct Attempts<'d, D, F, A> {
    db: &'d Db<D>,
    work: F,
    backoff: Backoff,
    progress: Progress<'d, A>,
}

enum Progress<'d, A> {
    /// The next attempt is to begin.
    Next,
    Running(Pin<Box<A>>),
    Pausing(BoxFuture<'d, ()>),
}

impl<D, F, A> Attempts<'_, D, F, A> {
    /// Makes at most so many attempts, and at least one.
    pub fn times(mut self, attempts: u32) -> Self {
        self.backoff = Backoff::between_attempts(attempts);
        self
    }
}

/// What runs is boxed and pinned there, and nothing else is ever pinned.
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
