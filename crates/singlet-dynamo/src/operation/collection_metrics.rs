//! The size of item collections.

use crate::Value;
use crate::json::{Object, Writer};
use crate::key::{Key, split_encoded};
use crate::schema::KeySchema;

const GB: u64 = 1024 * 1024 * 1024;

/// The item collection of a write: all items of one partition, with their rows in local indexes.
/// Only tables with local indexes have them.
///
/// ```
/// use singlet_dynamo::operation::ItemCollectionMetrics;
/// use singlet_dynamo::json::Writer;
///
/// let metrics = ItemCollectionMetrics::new("PK", "GAME#1".into(), 3 * 1024 * 1024 * 1024);
/// let mut writer = Writer::new();
/// metrics.write_json(&mut writer);
/// assert_eq!(
///     writer.into_bytes(),
///     br#"{"ItemCollectionKey":{"PK":{"S":"GAME#1"}},"SizeEstimateRangeGB":[3.0,4.0]}"#
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ItemCollectionMetrics {
    attribute: String,
    partition: Value,
    whole_gb: u64,
}

impl ItemCollectionMetrics {
    /// The collection of a partition, with the partition key's name and value, and its size.
    pub fn new(attribute: impl Into<String>, partition: Value, size: u64) -> Self {
        Self { attribute: attribute.into(), partition, whole_gb: size / GB }
    }

    /// The collection of the item with this key, and its size.
    #[must_use]
    pub fn of(schema: &KeySchema, key: &Key, size: u64) -> Self {
        let attribute = schema.first();
        let partition = split_encoded(attribute.kind, key.partition_bytes());
        let partition = partition.map_or(Value::Null, |(value, _)| value);
        Self::new(attribute.name.as_str(), partition, size)
    }

    /// Writes the metrics. The size is an interval of whole gigabytes.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("ItemCollectionKey", |writer| {
                writer.object(|object| {
                    object.member(&self.attribute, |writer| self.partition.write_json(writer));
                });
            });
            object.member("SizeEstimateRangeGB", |writer| {
                let lower = self.whole_gb as f64;
                writer.array([lower, lower + 1.0], |writer, gb| writer.double(gb));
            });
        });
    }
}

/// The item collections of a request on several tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricsByTable(Vec<(String, Vec<ItemCollectionMetrics>)>);

impl MetricsByTable {
    /// Adds a collection of a table, if it is new.
    pub fn add(&mut self, table_name: &str, metrics: ItemCollectionMetrics) {
        match self.0.iter_mut().find(|(own, _)| own == table_name) {
            Some((_, collections)) if collections.contains(&metrics) => {}
            Some((_, collections)) => collections.push(metrics),
            None => self.0.push((table_name.to_owned(), vec![metrics])),
        }
    }

    /// Writes the member `ItemCollectionMetrics` of a response, if there are any.
    pub(super) fn write_member(&self, object: &mut Object<'_>) {
        if self.0.is_empty() {
            return;
        }
        object.member("ItemCollectionMetrics", |writer| {
            writer.object(|object| {
                for (table_name, collections) in &self.0 {
                    object.member(table_name, |writer| {
                        writer.array(collections, |writer, metrics| metrics.write_json(writer));
                    });
                }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_is_told_once() {
        let mut metrics = MetricsByTable::default();
        for partition in ["a", "b", "a"] {
            metrics.add("games", ItemCollectionMetrics::new("PK", partition.into(), 0));
        }
        metrics.add("players", ItemCollectionMetrics::new("PK", "a".into(), 0));
        let mut writer = Writer::new();
        writer.object(|object| metrics.write_member(object));
        let collection = |partition: &str| {
            format!(
                r#"{{"ItemCollectionKey":{{"PK":{{"S":"{partition}"}}}},"SizeEstimateRangeGB":[0.0,1.0]}}"#
            )
        };
        let (a, b) = (collection("a"), collection("b"));
        assert_eq!(
            String::from_utf8(writer.into_bytes()).unwrap(),
            format!(r#"{{"ItemCollectionMetrics":{{"games":[{a},{b}],"players":[{a}]}}}}"#)
        );
    }
}
