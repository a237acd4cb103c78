//! The AWS SDK for Rust against an endpoint. One program, since linking the SDK takes longer
//! than all of its tests.

mod items;
mod queries;
mod refusals;
mod streams;
mod transactions;
