//! Background work: table changes, expiry, stream retention.

use super::Reference;
use super::table::Table;
use singlet_dynamo::table::TableStatus;
use singlet_dynamo::{Item, Number, Value};

/// Items that expired more than five years ago are not deleted.
const EXPIRED_SECONDS_MAX: i64 = 5 * 365 * 24 * 60 * 60;

impl Reference {
    /// Runs due maintenance. [`advance`](Reference::advance) alone does not.
    pub fn maintain(&mut self) {
        let now = self.now;
        for table in &mut self.tables {
            if table.description.status != TableStatus::Active {
                table.description.activate(now);
            }
        }
        let second = now.as_millis().div_euclid(1000);
        let expired: Vec<(String, Item)> = self
            .tables
            .iter()
            .flat_map(|table| {
                let items = table.items.iter().filter(|item| has_expired(table, item, second));
                items.map(|item| (table.name().to_owned(), item.clone()))
            })
            .collect();
        for (name, item) in expired {
            self.replace(&name, Some(item), None, true);
        }
        self.trim_streams();
    }
}

/// Whether the item's expiry time has passed.
fn has_expired(table: &Table, item: &Item, now: i64) -> bool {
    let attribute = table.description.time_to_live.as_deref();
    match attribute.and_then(|name| item.get(name)) {
        Some(Value::N(second)) => {
            *second < Number::from(now) && *second >= Number::from(now - EXPIRED_SECONDS_MAX)
        }
        _ => false,
    }
}
