//! Hourly budgets, shared by all servers on a store.
//!
//! Spending is counted in the kit's table, so it survives restarts. A server reserves a part of the
//! budget at a time and counts it in memory, so that not every request costs a write.

use crate::Web;
use crate::problem::{INTERNAL, Problem, UNAVAILABLE};
use singlet::backend::BoxFuture;
use singlet::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// The period of a budget.
const HOUR: Duration = Duration::from_secs(3600);
/// Parts a budget is reserved in. A server that stops mid-hour wastes at most one.
const PARTS: u64 = 256;

id! {
    /// The name of a budget and its hour.
    BudgetHour,
}

/// Spending of a budget in one hour.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Web, key = ("BUDGET#{hour}"))]
pub struct Spending {
    /// The budget and the hour.
    #[attribute(in_key)]
    pub hour: BudgetHour,
    /// The amount reserved by servers.
    pub taken: u64,
    /// Deleted some time after the hour.
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}

/// An hourly budget of any unit. Clones share it.
///
/// ```
/// use singlet::Db;
/// use singlet_web::{Web, budget::Budget};
///
/// # singlet::block_on(async {
/// let budget = Budget::new(Db::<Web>::memory().await?, "letters", 2);
/// assert!(budget.charge(1).await.is_ok());
/// assert!(budget.charge(1).await.is_ok());
/// assert!(budget.charge(1).await.is_err());
/// # Ok::<(), singlet::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Budget {
    db: Db<Web>,
    name: &'static str,
    per_hour_max: u64,
    part: Arc<Mutex<Grant>>,
}

/// The part reserved by this server.
#[derive(Default)]
struct Grant {
    /// Hours since 1970.
    hour: i64,
    /// The remaining amount; negative if the last charge exceeded it.
    left: i64,
    /// Whether the budget of this hour is exhausted.
    is_spent: bool,
}

impl Budget {
    /// A named budget shared by all servers on a store. The database must have its table.
    #[must_use]
    pub fn new(db: Db<Web>, name: &'static str, per_hour_max: u64) -> Self {
        Self { db, name, per_hour_max, part: Arc::default() }
    }

    /// Charges an amount, before it is stored.
    ///
    /// # Errors
    ///
    /// [`UNAVAILABLE`] until the next hour, if the budget is spent. Nothing was charged.
    #[inline(never)]
    pub fn charge(&self, amount: u64) -> BoxFuture<'_, Result<(), Problem>> {
        Box::pin(async move {
            let now = self.db.now();
            let mut part = self.part.lock().await;
            self.start_hour(&mut part, now);
            if part.left <= 0 && !part.is_spent {
                self.take_grant(&mut part, amount, now).await?;
            }
            if part.left <= 0 {
                return Err(self.spent(now));
            }
            part.left = part.left.saturating_sub_unsigned(amount);
            Ok(())
        })
    }

    /// Charges an amount that was already stored, even if it exceeds the budget.
    #[inline(never)]
    pub(crate) fn settle(&self, amount: u64) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut part = self.part.lock().await;
            self.start_hour(&mut part, self.db.now());
            part.left = part.left.saturating_sub_unsigned(amount);
        })
    }

    /// Refunds an amount that was not stored after all, if it is still the same hour.
    #[inline(never)]
    pub(crate) fn refund(&self, amount: u64) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut part = self.part.lock().await;
            if part.hour == hour_of(self.db.now()) {
                part.left = part.left.saturating_add_unsigned(amount);
            }
        })
    }

    /// Starts a new hour. A debt of the last one is dropped: at most one charge per concurrent
    /// request.
    fn start_hour(&self, part: &mut Grant, now: Timestamp) {
        let hour = hour_of(now);
        if part.hour != hour {
            *part = Grant { hour, ..Grant::default() };
        }
    }

    /// Reserves a part that covers this amount and any debt.
    async fn take_grant(
        &self,
        part: &mut Grant,
        amount: u64,
        now: Timestamp,
    ) -> Result<(), Problem> {
        let size = self.per_hour_max.div_ceil(PARTS).max(amount);
        let wanted = size.saturating_add(part.left.unsigned_abs());
        let hour = BudgetHour::new(format!("{}-{}", self.name, part.hour));
        let hour = hour.map_err(|_| Problem::new(&INTERNAL))?;
        let room = self.per_hour_max.saturating_sub(size);
        let taken = upsert(Spending::key(&hour))
            .add(Spending::TAKEN, i64::try_from(wanted).unwrap_or(i64::MAX))
            .set(Spending::EXPIRES, Some(Expiry::at(now.after(2 * HOUR))))
            .only_if(Spending::TAKEN.missing().or(Spending::TAKEN.le(room)));
        match self.db.run(taken).await {
            Ok(()) => {
                part.left = i64::try_from(size).unwrap_or(i64::MAX);
                Ok(())
            }
            Err(singlet::Error::ConditionFailed { .. }) => {
                part.is_spent = true;
                tracing::warn!(budget = self.name, "the budget of this hour is spent");
                Ok(())
            }
            Err(error) => {
                tracing::error!(%error, budget = self.name, "the budget cannot be read");
                Err(Problem::new(&UNAVAILABLE).safe_to_retry())
            }
        }
    }

    fn spent(&self, now: Timestamp) -> Problem {
        let second = now.as_seconds().rem_euclid(HOUR.as_secs() as i64).unsigned_abs();
        let wait = Duration::from_secs(HOUR.as_secs() - second);
        let detail = "This server has stored as much as it may in an hour. Try again in the next.";
        Problem::new(&UNAVAILABLE).detail(detail).retry_after(wait).safe_to_retry()
    }
}

/// Hours since 1970.
fn hour_of(now: Timestamp) -> i64 {
    now.as_seconds() / HOUR.as_secs() as i64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use singlet::Settings;
    use singlet::backend::Embedded;
    use singlet::engine::{Clock, Engine, Options};

    /// An engine with a clock fixed at a full hour.
    fn store() -> (Engine, Clock) {
        let clock = Clock::fixed(1_773_576_000_000);
        let options = Options { clock: clock.clone(), background: false, ..Options::default() };
        (Engine::memory_with(options).unwrap(), clock)
    }

    async fn web(engine: &Engine, clock: &Clock) -> Db<Web> {
        let settings = Settings { clock: clock.clone(), ..Settings::default() };
        let db = Db::<Web>::on(Embedded::new(engine.clone()), settings);
        db.provision().await.unwrap();
        db
    }

    async fn granted(budget: &Budget, amount: u64) -> usize {
        let mut count = 0;
        while budget.charge(amount).await.is_ok() {
            count += 1;
        }
        count
    }

    #[tokio::test]
    async fn all_servers_share_a_budget_and_a_restart_forgets_nothing() {
        let (engine, clock) = store();
        let [one, other] = [web(&engine, &clock).await, web(&engine, &clock).await]
            .map(|db| Budget::new(db, "test", 1_000));
        let part = 1_000_u64.div_ceil(PARTS);
        for _ in 0..100 {
            one.charge(1).await.unwrap();
            other.charge(1).await.unwrap();
        }
        let restarted = Budget::new(web(&engine, &clock).await, "test", 1_000);
        let rest = granted(&restarted, 1).await;
        // The other two wasted less than a part each.
        assert!((800 - 2 * part as usize..=800).contains(&rest), "{rest}");
        let refused = restarted.charge(1).await.unwrap_err();
        assert_eq!((refused.problem_type(), refused.is_safe_to_retry()), (&UNAVAILABLE, true));
        clock.advance(3_600_000);
        assert!(restarted.charge(1).await.is_ok() && one.charge(1).await.is_ok());
    }

    #[tokio::test]
    async fn what_is_given_back_can_be_spent_again_in_the_same_hour() {
        let (engine, clock) = store();
        let budget = Budget::new(web(&engine, &clock).await, "test", 10);
        for _ in 0..100 {
            budget.charge(1).await.unwrap();
            budget.refund(1).await;
        }
        assert_eq!(granted(&budget, 1).await, 10);
        budget.refund(2).await;
        assert_eq!(granted(&budget, 1).await, 2);
        clock.advance(3_600_000);
        budget.refund(5).await;
        assert_eq!(granted(&budget, 1).await, 10);
    }

    #[tokio::test]
    async fn what_is_overdrawn_is_taken_from_the_rest_of_the_hour() {
        let (engine, clock) = store();
        let budget = Budget::new(web(&engine, &clock).await, "test", 256);
        budget.charge(200).await.unwrap();
        budget.settle(50).await;
        // 250 of 256 are spent, in parts of one.
        assert_eq!(granted(&budget, 1).await, 6);
        // Other names are other budgets.
        assert!(Budget::new(web(&engine, &clock).await, "other", 1).charge(1).await.is_ok());
    }
}
