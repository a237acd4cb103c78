//! Provisioned throughput and on-demand limits.

use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::json::Reader;
use crate::table::{OnDemandThroughput, ProvisionedThroughput};
use std::fmt;

/// Maximum of a throughput.
pub(in crate::operation) const CAPACITY_UNITS_MAX: i64 = 1_000_000_000_000;

/// A throughput, unchecked.
#[derive(Default)]
pub(in crate::operation) struct ThroughputBody {
    read_capacity_units: Option<i64>,
    write_capacity_units: Option<i64>,
}

impl ThroughputBody {
    pub(in crate::operation) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("ProvisionedThroughput", |reader, member| {
            match member {
                "ReadCapacityUnits" => body.read_capacity_units = reader.integer("Long")?,
                "WriteCapacityUnits" => body.write_capacity_units = reader.integer("Long")?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    pub(in crate::operation) fn constrain(
        &self,
        constraints: &mut Constraints,
        path: &str,
    ) -> Option<ProvisionedThroughput> {
        // The service reports write units first.
        for (member, units) in [
            ("writeCapacityUnits", self.write_capacity_units),
            ("readCapacityUnits", self.read_capacity_units),
        ] {
            let path = format!("{path}.{member}");
            constraints.required(&path, &units);
            constraints.at_least(&path, units, 1);
        }
        Some(ProvisionedThroughput {
            read_capacity_units: self.read_capacity_units?,
            write_capacity_units: self.write_capacity_units?,
        })
    }
}

/// Checks the maximum of a throughput; `whose` is empty for the table, or names an index.
pub(in crate::operation) fn check_bounds(
    throughput: &ProvisionedThroughput,
    whose: impl fmt::Display,
) -> Result<()> {
    for (member, units) in [
        ("ReadCapacityUnits", throughput.read_capacity_units),
        ("WriteCapacityUnits", throughput.write_capacity_units),
    ] {
        if units > CAPACITY_UNITS_MAX {
            return Err(Error::validation(format!(
                "Given value {units} for {member} is out of bounds{whose}"
            )));
        }
    }
    Ok(())
}

/// On-demand limits, unchecked.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::operation) struct OnDemandBody {
    pub(in crate::operation) max_read_request_units: Option<i64>,
    pub(in crate::operation) max_write_request_units: Option<i64>,
}

impl OnDemandBody {
    pub(in crate::operation) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("OnDemandThroughput", |reader, member| {
            match member {
                "MaxReadRequestUnits" => body.max_read_request_units = reader.integer("Long")?,
                "MaxWriteRequestUnits" => body.max_write_request_units = reader.integer("Long")?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    /// The name of the first member present.
    pub(in crate::operation) fn first_member(&self) -> Option<&'static str> {
        match (self.max_read_request_units, self.max_write_request_units) {
            (Some(_), _) => Some("MaxReadRequestUnits"),
            (None, Some(_)) => Some("MaxWriteRequestUnits"),
            (None, None) => None,
        }
    }

    /// The limits of a new table or index; `whose` is `table`, or names an index.
    pub(in crate::operation) fn limits(
        &self,
        whose: impl fmt::Display,
    ) -> Result<OnDemandThroughput> {
        for (member, units) in [
            ("MaxReadRequestUnits", self.max_read_request_units),
            ("MaxWriteRequestUnits", self.max_write_request_units),
        ] {
            if units.is_some_and(|units| units < 1) {
                return Err(Error::invalid_parameter(format_args!(
                    "Requested {member} for OnDemandThroughput for {whose} is outside of valid range"
                )));
            }
        }
        Ok(OnDemandThroughput {
            max_read_request_units: self.max_read_request_units,
            max_write_request_units: self.max_write_request_units,
        })
    }
}
