//! Leagues of three-sided football: live scores, standings and leaderboards.

mod routes;

pub use routes::system;
