//! Throughput and billing mode of tables and global indexes.

use crate::Timestamp;
use crate::json::{Object, Writer};

/// The billing mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BillingMode {
    /// For provisioned throughput, used or not.
    Provisioned,
    /// Per request.
    PayPerRequest,
}

impl BillingMode {
    /// The names, in the service's order.
    pub(crate) const CHOICES: [(&str, Self); 2] =
        [("PROVISIONED", Self::Provisioned), ("PAY_PER_REQUEST", Self::PayPerRequest)];

    /// The name in requests and responses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provisioned => "PROVISIONED",
            Self::PayPerRequest => "PAY_PER_REQUEST",
        }
    }
}

/// Provisioned throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvisionedThroughput {
    /// Read units per second.
    pub read_capacity_units: i64,
    /// Write units per second.
    pub write_capacity_units: i64,
}

/// Limits of on-demand throughput; `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnDemandThroughput {
    /// Read units per second.
    pub max_read_request_units: Option<i64>,
    /// Write units per second.
    pub max_write_request_units: Option<i64>,
}

impl OnDemandThroughput {
    /// Whether there is no limit.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }
}

/// The throughput of a table or global index, by billing mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throughput {
    /// Provisioned.
    Provisioned(ProvisionedThroughput),
    /// On demand.
    OnDemand(OnDemandThroughput),
}

/// On demand without a limit.
impl Default for Throughput {
    fn default() -> Self {
        Self::OnDemand(OnDemandThroughput::default())
    }
}

impl Throughput {
    /// Provisioned throughput.
    #[must_use]
    pub fn provisioned(read_capacity_units: i64, write_capacity_units: i64) -> Self {
        Self::Provisioned(ProvisionedThroughput { read_capacity_units, write_capacity_units })
    }

    /// The billing mode.
    #[must_use]
    pub fn billing_mode(&self) -> BillingMode {
        match self {
            Self::Provisioned(_) => BillingMode::Provisioned,
            Self::OnDemand(_) => BillingMode::PayPerRequest,
        }
    }

    /// The provisioned units: zero if on demand.
    #[must_use]
    pub fn capacity(&self) -> ProvisionedThroughput {
        match self {
            Self::Provisioned(throughput) => *throughput,
            Self::OnDemand(_) => {
                ProvisionedThroughput { read_capacity_units: 0, write_capacity_units: 0 }
            }
        }
    }
}

/// The throughput that a table or index supports immediately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmThroughput {
    /// Read units per second.
    pub read_units_per_second: i64,
    /// Write units per second.
    pub write_units_per_second: i64,
}

impl WarmThroughput {
    /// The warm throughput of a new on-demand table or index.
    const ON_DEMAND: Self = Self { read_units_per_second: 12_000, write_units_per_second: 4_000 };

    fn of(throughput: &Throughput) -> Self {
        match throughput {
            Throughput::OnDemand(_) => Self::ON_DEMAND,
            Throughput::Provisioned(throughput) => Self {
                read_units_per_second: throughput.read_capacity_units,
                write_units_per_second: throughput.write_capacity_units,
            },
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            read_units_per_second: self.read_units_per_second.max(other.read_units_per_second),
            write_units_per_second: self.write_units_per_second.max(other.write_units_per_second),
        }
    }
}

/// A throughput with its history, as in DescribeTable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThroughputDescription {
    /// The throughput.
    pub throughput: Throughput,
    /// How often it was decreased since midnight UTC.
    pub number_of_decreases_today: i64,
    /// When it was last increased.
    pub last_increase_at: Option<Timestamp>,
    /// When it was last decreased.
    pub last_decrease_at: Option<Timestamp>,
    /// The highest throughput so far, once in effect.
    pub warm: Option<WarmThroughput>,
}

impl ThroughputDescription {
    /// A throughput without history.
    #[must_use]
    pub fn new(throughput: Throughput) -> Self {
        Self { throughput, ..Self::default() }
    }

    /// Changes the throughput at this time.
    pub fn change(&mut self, throughput: Throughput, now: Timestamp) {
        let (before, after) = (self.throughput.capacity(), throughput.capacity());
        let raised = after.read_capacity_units > before.read_capacity_units
            || after.write_capacity_units > before.write_capacity_units;
        let lowered = after.read_capacity_units < before.read_capacity_units
            || after.write_capacity_units < before.write_capacity_units;
        if raised {
            self.last_increase_at = Some(now);
        }
        if lowered {
            const DAY_MS: i64 = 24 * 60 * 60 * 1000;
            let day = |moment: Timestamp| moment.as_millis().div_euclid(DAY_MS);
            let is_same_day = self.last_decrease_at.is_some_and(|last| day(last) == day(now));
            self.number_of_decreases_today =
                if is_same_day { self.number_of_decreases_today + 1 } else { 1 };
            self.last_decrease_at = Some(now);
        }
        self.throughput = throughput;
    }

    /// The throughput takes effect.
    pub fn settle(&mut self) {
        let warm = WarmThroughput::of(&self.throughput);
        self.warm = Some(self.warm.map_or(warm, |before| before.max(warm)));
    }

    /// Writes the members common to tables and global indexes.
    pub(super) fn write_members(&self, object: &mut Object<'_>) {
        object.member("ProvisionedThroughput", |writer| self.write_provisioned(writer));
        if let Throughput::OnDemand(limits) = &self.throughput
            && !limits.is_unlimited()
        {
            object.member("OnDemandThroughput", |writer| write_on_demand(limits, writer));
        }
        if let Some(warm) = &self.warm {
            object.member("WarmThroughput", |writer| {
                writer.object(|object| {
                    object.integer("ReadUnitsPerSecond", warm.read_units_per_second);
                    object.integer("WriteUnitsPerSecond", warm.write_units_per_second);
                    object.string("Status", "ACTIVE");
                });
            });
        }
    }

    fn write_provisioned(&self, writer: &mut Writer) {
        let capacity = self.throughput.capacity();
        writer.object(|object| {
            if let Some(moment) = self.last_increase_at {
                object.double("LastIncreaseDateTime", moment.seconds());
            }
            if let Some(moment) = self.last_decrease_at {
                object.double("LastDecreaseDateTime", moment.seconds());
            }
            object.integer("NumberOfDecreasesToday", self.number_of_decreases_today);
            object.integer("ReadCapacityUnits", capacity.read_capacity_units);
            object.integer("WriteCapacityUnits", capacity.write_capacity_units);
        });
    }
}

fn write_on_demand(limits: &OnDemandThroughput, writer: &mut Writer) {
    writer.object(|object| {
        if let Some(units) = limits.max_read_request_units {
            object.integer("MaxReadRequestUnits", units);
        }
        if let Some(units) = limits.max_write_request_units {
            object.integer("MaxWriteRequestUnits", units);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decreases_are_counted_by_the_day() {
        let at = |hour: i64| Timestamp::from_millis(hour * 60 * 60 * 1000);
        let mut described = ThroughputDescription::new(Throughput::provisioned(9, 9));
        described.change(Throughput::provisioned(8, 9), at(1));
        described.change(Throughput::provisioned(7, 10), at(2));
        assert_eq!(described.number_of_decreases_today, 2);
        assert_eq!(described.last_increase_at, Some(at(2)));
        described.change(Throughput::provisioned(6, 10), at(25));
        assert_eq!(described.number_of_decreases_today, 1);
    }

    #[test]
    fn warm_throughput_never_falls() {
        let mut described = ThroughputDescription::new(Throughput::provisioned(5, 9));
        described.settle();
        described.change(Throughput::provisioned(7, 1), Timestamp::default());
        described.settle();
        let warm = described.warm.unwrap();
        assert_eq!((warm.read_units_per_second, warm.write_units_per_second), (7, 9));
    }
}
