//! The service's limits.

/// Maximum size of an item, including attribute names: 400 KB.
pub const ITEM_SIZE_MAX: usize = 400 * 1024;
/// Maximum size of a partition key.
pub const PARTITION_KEY_SIZE_MAX: usize = 2048;
/// Maximum size of a sort key.
pub const SORT_KEY_SIZE_MAX: usize = 1024;
/// Maximum nesting of lists and maps in an attribute. The documentation says 32 levels, counting
/// the scalar inside.
pub const NESTING_MAX: usize = 31;
/// Maximum size of an attribute name.
pub const ATTRIBUTE_NAME_SIZE_MAX: usize = 65_535;
/// Maximum size of the name of a key attribute.
pub const KEY_ATTRIBUTE_NAME_SIZE_MAX: usize = 255;
/// A page of Query or Scan ends after the item that reaches this size: 1 MB.
pub const PAGE_SIZE_MAX: usize = 1024 * 1024;
/// Maximum size of a BatchGetItem response: 16 MB.
pub const BATCH_GET_SIZE_MAX: usize = 16 * 1024 * 1024;
/// Maximum JSON size of a BatchGetItem response: 32 MB. This limit is ours, not the service's. The
/// rest is in `UnprocessedKeys`, as above 16 MB.
pub const BATCH_GET_JSON_MAX: usize = 32 << 20;
/// Maximum ratio of an item's JSON size to its stored size: `NULL` is stored in one byte and takes
/// 14 in JSON.
pub const JSON_GROWTH_MAX: usize = 16;
/// Maximum total size of a transaction: 4 MB.
pub const TRANSACTION_SIZE_MAX: usize = 4 << 20;
