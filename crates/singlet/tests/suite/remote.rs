//! The stories over HTTP: at the endpoint of this project, and at Amazon's DynamoDB Local.

mod feed;
mod positions;
mod requests;
mod retries;
mod scripted;

use crate::{Fixture, run_all};
use singlet_testing::{TestStore, loader, run};

#[test]
fn on_our_endpoint() {
    run(async { run_all(&Fixture::new(TestStore::endpoint().await)).await });
}

#[test]
#[ignore = "needs DynamoDB Local, which `cargo xtask test local` starts"]
fn on_dynamodb_local() {
    run(async { run_all(&Fixture::new(TestStore::dynamodb_local().await)).await });
}
