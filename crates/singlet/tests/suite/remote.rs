//! The AWS backend against scripted servers.

mod feed;
mod positions;
mod requests;
mod retries;
mod scripted;
