//! The 57 operations, each on every backend.

mod caches;
mod devices;
mod fixtures;
mod follows;
mod leagues;
mod locks;
mod processing;
mod subscriptions;
mod teams;
