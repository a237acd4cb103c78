//! Designs as data, and what is made of them: one program, which is linked once.

mod built;
mod check_pages;
mod collection_ranges;
mod exports;
mod file;
mod hostile;
mod key_overlap;
mod pages;
mod shown_code;
mod sources;
mod types;
