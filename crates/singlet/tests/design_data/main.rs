//! Tests of designs as data, as one binary to save linking time.

mod built;
mod check_pages;
mod collection_ranges;
mod composite_keys;
mod exports;
mod file;
mod hostile;
mod key_overlap;
mod pages;
mod shown_code;
mod sources;
mod types;
