//! How large an item collection has become.

use crate::Value;
use crate::json::Writer;

const GB: u64 = 1024 * 1024 * 1024;

/// The item collection that a write touched: all items of one partition, with their rows in
/// local indexes. Only tables with local indexes have them.
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
    /// The collection of a partition, by the partition key's name and value, and its bytes.
    pub fn new(attribute: impl Into<String>, partition: Value, size: u64) -> Self {
        Self { attribute: attribute.into(), partition, whole_gb: size / GB }
    }

    /// Writes the metrics. The size is told as the whole gigabytes that it lies between.
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
