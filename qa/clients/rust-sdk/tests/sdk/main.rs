//! The AWS SDK for Rust against an endpoint. A single test binary, because linking the SDK takes
//! longer than all tests.

mod items;
mod queries;
mod refusals;
mod streams;
mod transactions;
