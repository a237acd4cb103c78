//! Softball teams: rosters, games scored at-bat by at-bat, and statistics.

mod routes;

pub use routes::system;
