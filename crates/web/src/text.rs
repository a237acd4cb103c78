//! Names and texts that people write.
