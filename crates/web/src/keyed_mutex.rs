//! One lock for each key.
