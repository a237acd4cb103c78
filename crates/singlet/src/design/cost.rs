//! Cost of access patterns, in capacity units.

use super::subject::{Step, Subject};
use super::{AccessPattern, Action, Design, Entity, Table};
use singlet_dynamo::binary::{ItemRef, encode};
use singlet_dynamo::capacity::{Consistency, ConsumedCapacity, ReturnConsumedCapacity, read_units};
use singlet_dynamo::expression::Action as Change;
use singlet_dynamo::{Item, Number, Value};

/// Cost of one run of an access pattern, estimated from typical items.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Read capacity units.
    pub read_units: f64,
    /// Write capacity units, including index writes.
    pub write_units: f64,
    /// Whether this is a lower bound: the design gives no item count, so one item was assumed.
    pub is_least: bool,
}

impl Design {
    /// Estimates the cost of one run of a pattern.
    ///
    /// Item sizes come from the design or from the examples, item counts from the operations'
    /// `reads`, `items` or `limit`.
    ///
    /// ```
    /// use singlet::design::Design;
    ///
    /// let design = Design::from_json(r#"{
    ///     "name": "games",
    ///     "tables": {"games": {
    ///         "key": {"partition": "PK", "sort": "SK"},
    ///         "entities": {"Player": {
    ///             "key": {"partition": "GAME#{code}", "sort": "PLAYER#{id}"},
    ///             "attributes": {"code": "id", "id": "id"},
    ///             "typical_bytes": 1000
    ///         }}
    ///     }},
    ///     "patterns": {"Players": {"operations": [
    ///         {"action": "Query", "entities": ["Player"], "key": {"PK": "GAME#{code}"}, "items": 20}
    ///     ]}}
    /// }"#)?;
    /// // 20,000 bytes are five times 4 KB, at half a unit each.
    /// assert_eq!(design.cost(&design.patterns[0]).read_units, 2.5);
    /// # Ok::<(), singlet::design::ReadError>(())
    /// ```
    #[must_use]
    pub fn cost(&self, pattern: &AccessPattern) -> Cost {
        let subject = Subject::of_pattern(self, pattern);
        let mut cost = Cost::default();
        for step in &subject.steps {
            let one = of_step(step);
            cost.read_units += one.read_units;
            cost.write_units += one.write_units;
            cost.is_least |= one.is_least;
        }
        cost
    }
}

fn of_step(step: &Step<'_>) -> Cost {
    let Some(table) = step.table else {
        return Cost::default();
    };
    let operation = step.operation;
    let entities = step.entities();
    let said = operation.reads.or(operation.items).or(operation.limit);
    let count = said.unwrap_or(1);
    let units = count as f64;
    let is_transaction = step.pattern.transaction;
    let has_writes = step.pattern.operations.iter().any(|operation| operation.action.is_write());
    // The reads of a transaction that writes happen before it.
    let consistency = match (is_transaction && !has_writes, operation.consistent) {
        (true, _) => Consistency::Transactional,
        (false, true) => Consistency::Strong,
        (false, false) => Consistency::Eventual,
    };
    match operation.action {
        // Each item is rounded up separately.
        Action::GetItem | Action::BatchGetItem => Cost {
            read_units: units
                * read_units(mean(&entities, |entity| size(table, entity)), consistency),
            is_least: operation.action == Action::BatchGetItem && said.is_none(),
            ..Cost::default()
        },
        // The total read is rounded up.
        Action::Query | Action::Scan => {
            let one = mean(&entities, |entity| row_size(step, table, entity));
            let all = one.saturating_mul(usize::try_from(count).unwrap_or(usize::MAX));
            // A query cannot be part of a transaction; it runs before it.
            let consistency =
                if operation.consistent { Consistency::Strong } else { Consistency::Eventual };
            Cost {
                read_units: read_units(all, consistency),
                is_least: said.is_none() && !step.is_of_one_item(),
                ..Cost::default()
            }
        }
        Action::PutItem
        | Action::UpdateItem
        | Action::DeleteItem
        | Action::BatchWriteItem
        | Action::ConditionCheck => {
            let of = |entity: &Entity| write_units(step, table, entity, is_transaction);
            let sum: f64 = entities.iter().map(|entity| of(entity)).sum();
            let mean = if entities.is_empty() { 1.0 } else { sum / entities.len() as f64 };
            Cost {
                write_units: units * mean,
                is_least: operation.action == Action::BatchWriteItem && said.is_none(),
                ..Cost::default()
            }
        }
        Action::Other(_) => Cost::default(),
    }
}

/// The mean over an operation's entities.
fn mean(entities: &[&Entity], of: impl Fn(&Entity) -> usize) -> usize {
    let sum = entities.iter().fold(0_usize, |sum, entity| sum.saturating_add(of(entity)));
    sum.checked_div(entities.len()).unwrap_or(0)
}

fn size(table: &Table, entity: &Entity) -> usize {
    table.typical_item(entity).size()
}

/// Size of an item as read: only projected attributes in an index.
fn row_size(step: &Step<'_>, table: &Table, entity: &Entity) -> usize {
    let index = step.operation.index.as_deref().and_then(|name| table.index(name));
    let mut item = table.typical_item(entity);
    if let Some(index) = index {
        let is_key = |name: &str| index.key.contains(name) || table.key.contains(name);
        item.retain(|name, _| index.projection.holds(name) || is_key(name));
    }
    item.size()
}

/// Cost of writing one item, including indexes.
fn write_units(step: &Step<'_>, table: &Table, entity: &Entity, is_transaction: bool) -> f64 {
    let item = table.typical_item(entity);
    let (old, new) = match step.operation.action {
        Action::DeleteItem => (Some(item), None),
        Action::BatchWriteItem if step.operation.deletes => (Some(item), None),
        Action::UpdateItem => {
            let new = changed(step, &item);
            (Some(item), Some(new))
        }
        Action::ConditionCheck => (Some(item.clone()), Some(item)),
        _ => (None, Some(item)),
    };
    let (old, new) = (old.map(|item| encode(&item)), new.map(|item| encode(&item)));
    let reckon = if is_transaction {
        ConsumedCapacity::of_transact_write
    } else {
        ConsumedCapacity::of_write
    };
    reckon(&table.schema(), ReturnConsumedCapacity::Total, view(&old), view(&new)).total()
}

/// Validates the encoding, because an example may be nested too deeply.
fn view(stored: &Option<Vec<u8>>) -> Option<ItemRef<'_>> {
    stored.as_ref().and_then(|bytes| ItemRef::new(bytes).ok())
}

/// Applies the update with placeholder values.
fn changed(step: &Step<'_>, item: &Item) -> Item {
    let mut item = item.clone();
    let Some(Ok(update)) = &step.update else {
        return item;
    };
    for change in update.actions() {
        let name = change.path().name();
        match change {
            Change::Remove(path) if path.is_attribute() => {
                item.remove(name);
            }
            _ => {
                let other = other_than(item.get(name));
                item.insert(name, other);
            }
        }
    }
    item
}

/// A different value of about the same size.
fn other_than(value: Option<&Value>) -> Value {
    match value {
        Some(Value::S(text)) => {
            let mut text = text.clone();
            text.pop();
            Value::from(text + "~")
        }
        Some(Value::N(number)) => {
            Value::from(number.checked_add(Number::from(1)).unwrap_or(*number))
        }
        Some(Value::Bool(truth)) => Value::from(!truth),
        Some(Value::B(bytes)) => Value::B(bytes.iter().map(|byte| !byte).collect()),
        Some(Value::L(list)) => {
            let mut list = list.clone();
            list.push(Value::from(true));
            Value::L(list)
        }
        _ => Value::from("~"),
    }
}
