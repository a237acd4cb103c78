//! A catalogue of sites with ratings and comments, and a squash club.

pub mod design;
pub mod rules;
mod routes;

pub use routes::system;
