//! The service's limits, each with its name.

/// The most bytes that an item may have, names included: 400 KB.
pub const ITEM_SIZE_MAX: usize = 400 * 1024;
/// The most bytes of a partition key.
pub const PARTITION_KEY_SIZE_MAX: usize = 2048;
/// The most bytes of a sort key.
pub const SORT_KEY_SIZE_MAX: usize = 1024;
/// How often lists and maps may be nested in an attribute. The documentation says 32 levels and
/// counts the scalar inside as one of them.
pub const NESTING_MAX: usize = 31;
/// The most bytes of an attribute's name.
pub const ATTRIBUTE_NAME_SIZE_MAX: usize = 65_535;
/// The most bytes of the name of an attribute that is part of a key.
pub const KEY_ATTRIBUTE_NAME_SIZE_MAX: usize = 255;
/// A page of Query or Scan ends after the item that brings it to this many bytes: 1 MB.
pub const PAGE_SIZE_MAX: usize = 1024 * 1024;
/// What one BatchGetItem gives at most: 16 MB.
pub const BATCH_GET_SIZE_MAX: usize = 16 * 1024 * 1024;
/// What one answer to BatchGetItem has at most as JSON: 32 MB. This limit is ours and not the
/// service's. What is left is in `UnprocessedKeys`, as above 16 MB.
pub const BATCH_GET_JSON_MAX: usize = 32 << 20;
/// How many times as long as its stored bytes the JSON of an item can be: `NULL` is stored in one
/// byte, and has 14 in JSON.
pub const JSON_GROWTH_MAX: usize = 16;
/// What one transaction reads or writes at most: 4 MB.
pub const TRANSACTION_SIZE_MAX: usize = 4 << 20;
