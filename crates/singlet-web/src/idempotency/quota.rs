//! Limits on stored responses.

use super::RECORD_BYTES;
use crate::Web;
use crate::budget::Budget;
use crate::limit::{Limiter, Rate, SubjectHash};
use crate::problem::{Problem, RATE_LIMITED};
use singlet::Db;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// An address may spend one in this many parts of a budget at once, and again per hour. With larger
/// parts, a few addresses could exhaust the budget.
const ADDRESS_PARTS: u64 = 16;
/// The same for a signed-in caller. Several may share an address.
const CALLER_PARTS: u64 = 32;
const SECONDS_PER_HOUR: f64 = 3_600.0;

/// Bytes stored per hour: in total, per address and per caller. Clones share the counts.
#[derive(Clone)]
pub(super) struct Quota {
    /// Counted in the store, across servers.
    all: Budget,
    /// Counted in memory. Loopback clients are exempt.
    addresses: Arc<Limiter<IpAddr>>,
    /// Counted in memory, from any address.
    callers: Arc<Limiter<SubjectHash>>,
}

impl Quota {
    /// A quota of this many bytes in total, counted under this name.
    pub(super) fn new(db: Db<Web>, name: &'static str, bytes_per_hour_max: u64) -> Self {
        Self {
            all: Budget::new(db, name, bytes_per_hour_max),
            addresses: Arc::new(Limiter::new(part(bytes_per_hour_max, ADDRESS_PARTS))),
            callers: Arc::new(Limiter::new(part(bytes_per_hour_max, CALLER_PARTS))),
        }
    }
}

/// One of `parts` of a budget, as burst and per hour.
fn part(bytes_per_hour_max: u64, parts: u64) -> Rate {
    let burst = (bytes_per_hour_max / parts) as f64;
    Rate { per_second: burst / SECONDS_PER_HOUR, burst }
}

/// The accounts a request is charged to.
pub(super) struct Charge {
    pub(super) quota: Quota,
    /// `None` for loopback.
    pub(super) address: Option<IpAddr>,
    /// `None` for visitors.
    pub(super) subject: Option<SubjectHash>,
}

impl Charge {
    /// Charges a request before it runs.
    pub(super) async fn begin(&self) -> Result<(), Problem> {
        let Quota { all, addresses, callers } = &self.quota;
        take(addresses, self.address, "Your address has stored as much as it may for now.")?;
        let detail = "You have stored as much as one caller may for now.";
        if let Err(problem) = take(callers, self.subject, detail) {
            refund(addresses, self.address);
            return Err(problem);
        }
        let charged = all.charge(RECORD_BYTES).await;
        if charged.is_err() {
            self.refund_caller();
        }
        charged
    }

    /// Charges the response once its size is known.
    pub(super) async fn end(&self, answer_bytes: u64) {
        let Quota { all, addresses, callers } = &self.quota;
        let (bytes, now) = (answer_bytes as f64, Instant::now());
        if let Some(address) = &self.address {
            addresses.settle(address, bytes, now);
        }
        if let Some(subject) = &self.subject {
            callers.settle(subject, bytes, now);
        }
        all.settle(answer_bytes).await;
    }

    /// Refunds a request of which nothing is stored.
    pub(super) async fn refund(&self) {
        self.refund_caller();
        self.quota.all.refund(RECORD_BYTES).await;
    }

    fn refund_caller(&self) {
        refund(&self.quota.addresses, self.address);
        refund(&self.quota.callers, self.subject);
    }
}

/// Charges a client, if known, or refuses it with this detail.
fn take<C: Clone + Eq + Hash>(
    limiter: &Limiter<C>,
    client: Option<C>,
    detail: &'static str,
) -> Result<(), Problem> {
    let Some(client) = client else { return Ok(()) };
    let taken = limiter.take_many(&client, RECORD_BYTES as f64, Instant::now());
    taken.map_err(|wait| Problem::new(&RATE_LIMITED).detail(detail).retry_after(wait))
}

fn refund<C: Clone + Eq + Hash>(limiter: &Limiter<C>, client: Option<C>) {
    if let Some(client) = client {
        limiter.refund(&client, RECORD_BYTES as f64, Instant::now());
    }
}
