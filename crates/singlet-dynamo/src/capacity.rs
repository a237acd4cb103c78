//! The cost of operations, in the service's capacity units.

use crate::binary::ItemRef;
use crate::json::{Object, Writer};
use crate::measure::{MeasuredItem, MeasuredWrite};
use crate::schema::{Index, IndexProjection, Scope, TableSchema};

/// Bytes per read unit, for a strongly consistent read.
const READ_UNIT_SIZE: usize = 4 * 1024;
/// Bytes per write unit.
const WRITE_UNIT_SIZE: usize = 1024;

/// The consistency of a read, which determines its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// May miss a recent write: half a unit for 4 KB.
    Eventual,
    /// Sees every acknowledged write: one unit for 4 KB.
    Strong,
    /// Part of a transaction: two units for 4 KB.
    Transactional,
}

/// The units for reading this many bytes: at least the minimum, even if nothing was found.
///
/// ```
/// use singlet_dynamo::capacity::{read_units, Consistency};
///
/// assert_eq!(read_units(0, Consistency::Eventual), 0.5);
/// assert_eq!(read_units(4096, Consistency::Strong), 1.0);
/// assert_eq!(read_units(4097, Consistency::Transactional), 4.0);
/// ```
#[must_use]
pub fn read_units(size: usize, consistency: Consistency) -> f64 {
    let steps = size.div_ceil(READ_UNIT_SIZE).max(1) as f64;
    steps
        * match consistency {
            Consistency::Eventual => 0.5,
            Consistency::Strong => 1.0,
            Consistency::Transactional => 2.0,
        }
}

/// The units for writing this many bytes, the larger of the old and the new size: at least one.
///
/// ```
/// use singlet_dynamo::capacity::write_units;
///
/// assert_eq!(write_units(0), 1.0);
/// assert_eq!(write_units(1024), 1.0);
/// assert_eq!(write_units(1025), 2.0);
/// ```
#[must_use]
pub fn write_units(size: usize) -> f64 {
    size.div_ceil(WRITE_UNIT_SIZE).max(1) as f64
}

/// How much detail about consumed capacity a request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnConsumedCapacity {
    /// Nothing.
    #[default]
    None,
    /// The sum.
    Total,
    /// The sum, and the share of the table and each index.
    Indexes,
}

impl ReturnConsumedCapacity {
    /// The names, in the service's order.
    pub(crate) const CHOICES: [(&str, Self); 3] =
        [("INDEXES", Self::Indexes), ("TOTAL", Self::Total), ("NONE", Self::None)];
}

/// The consumed capacity of one request at one table.
///
/// ```
/// use singlet_dynamo::capacity::{ConsumedCapacity, ReturnConsumedCapacity};
/// use singlet_dynamo::schema::Scope;
///
/// let mut consumed = ConsumedCapacity::new("games", ReturnConsumedCapacity::Total, 1.0);
/// consumed.add_index("GSI1", Scope::Global, 2.0);
/// assert_eq!(consumed.total(), 3.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConsumedCapacity {
    table_name: String,
    /// The detail to return.
    detail: ReturnConsumedCapacity,
    table: f64,
    indexes: Vec<(String, Scope, f64)>,
    /// For transactions: the kind of units, which the service only reports there.
    transaction: Option<Access>,
}

/// Whether units are for reading or writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Access {
    fn member(self) -> &'static str {
        match self {
            Self::Read => "ReadCapacityUnits",
            Self::Write => "WriteCapacityUnits",
        }
    }
}

impl ConsumedCapacity {
    /// A cost at the table itself, to be reported in this detail.
    pub fn new(table_name: impl Into<String>, detail: ReturnConsumedCapacity, units: f64) -> Self {
        let table_name = table_name.into();
        Self { table_name, detail, table: units, indexes: Vec::new(), transaction: None }
    }

    /// The cost of reading an item of this size in a transaction.
    pub fn of_transact_read(
        table_name: impl Into<String>,
        detail: ReturnConsumedCapacity,
        size: usize,
    ) -> Self {
        let units = read_units(size, Consistency::Transactional);
        Self { transaction: Some(Access::Read), ..Self::new(table_name, detail, units) }
    }

    /// The cost of changing `old` to `new` in a transaction. It doubles at the table, since the
    /// item is prepared and then committed, but not at its indexes. A condition check costs as much
    /// as a write that changes nothing.
    #[must_use]
    pub fn of_transact_write(
        schema: &TableSchema,
        detail: ReturnConsumedCapacity,
        old: Option<ItemRef<'_>>,
        new: Option<ItemRef<'_>>,
    ) -> Self {
        Self::of_write(schema, detail, old, new).in_transaction()
    }

    /// The cost of changing `old` to `new` in a table with this schema, including indexes.
    ///
    /// An index is charged for its rows: a row that appears, disappears or changes costs one write,
    /// one that moves to another key two, and an unchanged one nothing. The size of a row is that
    /// of its projected attributes.
    ///
    /// ```
    /// use singlet_dynamo::binary::{encode, ItemRef};
    /// use singlet_dynamo::capacity::{ConsumedCapacity, ReturnConsumedCapacity};
    /// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
    /// use singlet_dynamo::{Item, Value};
    ///
    /// let key = KeySchema::simple(KeyAttribute::new("id", KeyType::S), None);
    /// let schema = TableSchema { name: "games".into(), key, indexes: vec![] };
    /// let stored = encode(&Item::from([("id", Value::from("x".repeat(2000)))]));
    /// let new = Some(ItemRef::trusted(&stored));
    /// let consumed = ConsumedCapacity::of_write(&schema, ReturnConsumedCapacity::Total, None, new);
    /// assert_eq!(consumed.total(), 2.0);
    /// ```
    #[must_use]
    pub fn of_write(
        schema: &TableSchema,
        detail: ReturnConsumedCapacity,
        old: Option<ItemRef<'_>>,
        new: Option<ItemRef<'_>>,
    ) -> Self {
        Self::of_measured_write(schema, detail, &MeasuredWrite::whole(old, new))
    }

    /// Like [`ConsumedCapacity::of_write`], for items already measured.
    #[must_use]
    pub fn of_measured_write(
        schema: &TableSchema,
        detail: ReturnConsumedCapacity,
        write: &MeasuredWrite,
    ) -> Self {
        let size = |item: &Option<MeasuredItem>| item.as_ref().map_or(0, MeasuredItem::size);
        let units = write_units(size(&write.old).max(size(&write.new)));
        let mut consumed = Self::new(schema.name.as_str(), detail, units);
        for index in &schema.indexes {
            let units = index_write_units(index, schema, write);
            if units > 0.0 {
                consumed.add_index(&index.name, index.scope, units);
            }
        }
        consumed
    }

    /// The cost of the same write in a transaction: double at the table.
    #[must_use]
    pub fn in_transaction(mut self) -> Self {
        self.table *= 2.0;
        self.transaction = Some(Access::Write);
        self
    }

    /// Sets the table's name as the request gave it, name or ARN, which the response repeats.
    #[must_use]
    pub fn told_of(mut self, table_name: &str) -> Self {
        table_name.clone_into(&mut self.table_name);
        self
    }

    /// Adds to the cost at the table itself.
    pub fn add_table(&mut self, units: f64) {
        self.table += units;
    }

    /// Adds to the cost at an index.
    pub fn add_index(&mut self, name: &str, scope: Scope, units: f64) {
        match self.indexes.iter_mut().find(|(own, _, _)| own == name) {
            Some((_, _, sum)) => *sum += units,
            None => self.indexes.push((name.to_owned(), scope, units)),
        }
    }

    /// Adds another cost at the same table.
    pub fn add(&mut self, other: &Self) {
        self.add_table(other.table);
        for (name, scope, units) in &other.indexes {
            self.add_index(name, *scope, *units);
        }
    }

    /// The table's name, or its ARN if the request had that.
    #[must_use]
    pub fn table_name(&self) -> &str {
        &self.table_name
    }

    /// The sum over the table and its indexes.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.table + self.indexes.iter().map(|(_, _, units)| units).sum::<f64>()
    }

    /// Writes the requested detail.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.string("TableName", &self.table_name);
            self.write_units(self.total(), object);
            if self.detail == ReturnConsumedCapacity::Indexes {
                object.member("Table", |writer| {
                    writer.object(|object| self.write_units(self.table, object));
                });
                self.write_indexes("LocalSecondaryIndexes", Scope::Local, object);
                self.write_indexes("GlobalSecondaryIndexes", Scope::Global, object);
            }
        });
    }

    fn write_indexes(&self, member: &str, scope: Scope, object: &mut Object<'_>) {
        let of_scope = || self.indexes.iter().filter(|(_, own, _)| *own == scope);
        if of_scope().next().is_none() {
            return;
        }
        object.member(member, |writer| {
            writer.object(|object| {
                for (name, _, units) in of_scope() {
                    object.member(name, |writer| {
                        writer.object(|object| self.write_units(*units, object));
                    });
                }
            });
        });
    }

    fn write_units(&self, units: f64, object: &mut Object<'_>) {
        object.double("CapacityUnits", units);
        if let Some(access) = self.transaction {
            object.double(access.member(), units);
        }
    }
}

/// The consumed capacity of a request on several tables.
///
/// ```
/// use singlet_dynamo::capacity::{CapacityByTable, ConsumedCapacity, ReturnConsumedCapacity};
///
/// let mut capacity = CapacityByTable::new(ReturnConsumedCapacity::Total);
/// for (table, units) in [("games", 1.0), ("players", 0.5), ("games", 2.0)] {
///     capacity.add(|detail| ConsumedCapacity::new(table, detail, units));
/// }
/// let totals: Vec<f64> = capacity.tables().iter().map(ConsumedCapacity::total).collect();
/// assert_eq!(totals, [3.0, 0.5]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapacityByTable {
    detail: ReturnConsumedCapacity,
    tables: Vec<ConsumedCapacity>,
}

impl CapacityByTable {
    /// No cost yet, to be reported in this detail.
    #[must_use]
    pub fn new(detail: ReturnConsumedCapacity) -> Self {
        Self { detail, tables: Vec::new() }
    }

    /// Adds a cost, which is only computed if it was requested.
    pub fn add(&mut self, consumed: impl FnOnce(ReturnConsumedCapacity) -> ConsumedCapacity) {
        if self.detail == ReturnConsumedCapacity::None {
            return;
        }
        let consumed = consumed(self.detail);
        match self.tables.iter_mut().find(|table| table.table_name == consumed.table_name) {
            Some(table) => table.add(&consumed),
            None => self.tables.push(consumed),
        }
    }

    /// The costs, in the order in which their tables were first charged.
    #[must_use]
    pub fn tables(&self) -> &[ConsumedCapacity] {
        &self.tables
    }

    /// Writes the member `ConsumedCapacity` of a response, if it was requested.
    pub(crate) fn write_member(&self, object: &mut Object<'_>) {
        if self.detail != ReturnConsumedCapacity::None {
            object.member("ConsumedCapacity", |writer| {
                writer.array(&self.tables, |writer, table| table.write_json(writer));
            });
        }
    }
}

/// The costs in a response, one for each table.
impl From<Vec<ConsumedCapacity>> for CapacityByTable {
    fn from(tables: Vec<ConsumedCapacity>) -> Self {
        let detail = tables.first().map(|table| table.detail).unwrap_or_default();
        Self { detail, tables }
    }
}

/// The cost of a write at one index: zero, one or two writes.
fn index_write_units(index: &Index, schema: &TableSchema, write: &MeasuredWrite) -> f64 {
    if write.is_same {
        return 0.0;
    }
    let has_row = |item: &&MeasuredItem| index.key.key_of_stored(item.held()).is_some();
    let row_size = |item: &MeasuredItem| item.row_size(index, schema);
    match (write.old.as_ref().filter(has_row), write.new.as_ref().filter(has_row)) {
        (None, None) => 0.0,
        (Some(row), None) | (None, Some(row)) => write_units(row_size(row)),
        (Some(old), Some(new)) => {
            let (before, after) = (old.held(), new.held());
            let holds = |name: &str| index.holds(&schema.key, name);
            let is_moved = index
                .key
                .attributes()
                .any(|attribute| before.get(&attribute.name) != after.get(&attribute.name));
            if is_moved {
                write_units(row_size(old)) + write_units(row_size(new))
            } else if index.projection != IndexProjection::All
                && before
                    .iter()
                    .filter(|(name, _)| holds(name))
                    .eq(after.iter().filter(|(name, _)| holds(name)))
            {
                0.0
            } else {
                write_units(row_size(old).max(row_size(new)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::encode;
    use crate::schema::{KeyAttribute, KeySchema, KeyType};
    use crate::{Item, Value};

    #[test]
    fn detail_is_what_was_asked_for() {
        let json = |detail| {
            let mut consumed = ConsumedCapacity::new("games", detail, 1.0);
            consumed.add_index("byDay", Scope::Global, 1.0);
            consumed.add_index("byDay", Scope::Global, 1.0);
            consumed.add_index("byName", Scope::Local, 1.0);
            let mut writer = Writer::new();
            consumed.write_json(&mut writer);
            String::from_utf8(writer.into_bytes()).unwrap()
        };
        assert_eq!(
            json(ReturnConsumedCapacity::Total),
            r#"{"TableName":"games","CapacityUnits":4.0}"#
        );
        assert_eq!(
            json(ReturnConsumedCapacity::Indexes),
            concat!(
                r#"{"TableName":"games","CapacityUnits":4.0,"Table":{"CapacityUnits":1.0},"#,
                r#""LocalSecondaryIndexes":{"byName":{"CapacityUnits":1.0}},"#,
                r#""GlobalSecondaryIndexes":{"byDay":{"CapacityUnits":2.0}}}"#
            )
        );
    }

    #[test]
    fn transactions_cost_double_at_the_table() {
        let attribute = |name: &str| KeyAttribute::new(name, KeyType::S);
        let index = Index {
            name: "byDay".into(),
            key: KeySchema::simple(attribute("day"), None),
            projection: IndexProjection::KeysOnly,
            scope: Scope::Global,
        };
        let key = KeySchema::simple(attribute("id"), None);
        let schema = TableSchema { name: "games".into(), key, indexes: vec![index] };
        let item = [("id", Value::from("x".repeat(1500))), ("day", Value::from("Monday"))];
        let stored = encode(&Item::from(item));
        let item = Some(ItemRef::trusted(&stored));
        let total = |old, new| {
            ConsumedCapacity::of_transact_write(&schema, ReturnConsumedCapacity::Total, old, new)
                .total()
        };
        // Two units for 1,500 bytes at the table, doubled; and two at the index, whose row also has
        // the long id.
        assert_eq!(total(None, item), 6.0);
        // A check of an existing item, and one of a missing item.
        assert_eq!(total(item, item), 4.0);
        assert_eq!(total(None, None), 2.0);
    }

    #[test]
    fn costs_are_added_by_table() {
        let mut capacity = CapacityByTable::new(ReturnConsumedCapacity::Indexes);
        for size in [0, 5000] {
            capacity.add(|detail| ConsumedCapacity::of_transact_read("games", detail, size));
        }
        let mut writer = Writer::new();
        writer.object(|object| capacity.write_member(object));
        assert_eq!(
            String::from_utf8(writer.into_bytes()).unwrap(),
            concat!(
                r#"{"ConsumedCapacity":[{"TableName":"games","CapacityUnits":6.0,"#,
                r#""ReadCapacityUnits":6.0,"Table":{"CapacityUnits":6.0,"ReadCapacityUnits":6.0}}]}"#
            )
        );
        let mut unasked = CapacityByTable::new(ReturnConsumedCapacity::None);
        unasked.add(|_| unreachable!("nobody asked"));
        assert!(unasked.tables().is_empty());
    }
}
