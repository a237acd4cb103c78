//! Secrets that are given out once and stored as a hash.
