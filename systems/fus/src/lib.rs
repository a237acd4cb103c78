//! A catalogue of sites with ratings and comments, and a squash club.

mod routes;

pub use routes::system;
