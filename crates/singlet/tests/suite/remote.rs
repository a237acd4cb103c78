//! The AWS backend, at servers that answer by script.

mod feed;
mod positions;
mod requests;
mod retries;
mod scripted;
