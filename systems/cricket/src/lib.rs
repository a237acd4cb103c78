//! Live cricket scores, matches to follow, and pushes.

mod routes;

pub use routes::system;
