//! How much is kept of callers, and what a request is charged to.

use super::RECORD_BYTES;
use crate::Web;
use crate::budget::Budget;
use crate::limit::{Limiter, Rate};
use crate::problem::{Problem, RATE_LIMITED};
use singlet::Db;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// Which part of a budget one address may spend at once, and again in each hour: one of so many.
/// With fewer parts, a few addresses could spend what there is for everybody.
const ADDRESS_PARTS: u64 = 16;
const SECONDS_PER_HOUR: f64 = 3_600.0;

/// How much may be kept in an hour: of all, and of one address. Clones are one.
#[derive(Clone)]
pub(super) struct Quota {
    /// Counted in the store, for all servers.
    all: Budget,
    /// Counted in memory. This machine itself is not counted.
    addresses: Arc<Limiter<IpAddr>>,
}

impl Quota {
    /// A quota of so many bytes for all, counted under this name.
    pub(super) fn new(db: Db<Web>, name: &'static str, bytes_per_hour_max: u64) -> Self {
        let of_address = part(bytes_per_hour_max, ADDRESS_PARTS);
        Self {
            all: Budget::new(db, name, bytes_per_hour_max),
            addresses: Arc::new(Limiter::new(of_address)),
        }
    }
}

/// One of so many parts of a budget, at once and again in each hour.
fn part(bytes_per_hour_max: u64, parts: u64) -> Rate {
    let burst = (bytes_per_hour_max / parts) as f64;
    Rate { per_second: burst / SECONDS_PER_HOUR, burst }
}

/// What one request is charged to.
pub(super) struct Charge {
    pub(super) quota: Quota,
    /// `None` for this machine.
    pub(super) address: Option<IpAddr>,
}

impl Charge {
    /// Charges a request before it is carried out.
    pub(super) async fn begin(&self) -> Result<(), Problem> {
        let (bytes, now) = (RECORD_BYTES as f64, Instant::now());
        if let Some(address) = &self.address {
            let charged = self.quota.addresses.take_many(address, bytes, now);
            charged.map_err(|wait| {
                let detail = "Your address has stored as much as it may for now.";
                Problem::new(&RATE_LIMITED).detail(detail).retry_after(wait)
            })?;
        }
        let charged = self.quota.all.charge(RECORD_BYTES).await;
        if charged.is_err() {
            self.refund_caller();
        }
        charged
    }

    /// Charges the answer, which is known only afterwards.
    pub(super) async fn end(&self, answer_bytes: u64) {
        if let Some(address) = &self.address {
            self.quota.addresses.settle(address, answer_bytes as f64, Instant::now());
        }
        self.quota.all.settle(answer_bytes).await;
    }

    /// Gives back what the request was charged with, because nothing is kept of it.
    pub(super) async fn refund(&self) {
        self.refund_caller();
        self.quota.all.refund(RECORD_BYTES).await;
    }

    fn refund_caller(&self) {
        if let Some(address) = &self.address {
            self.quota.addresses.refund(address, RECORD_BYTES as f64, Instant::now());
        }
    }
}
