//! The example `github`, on every backend.

use crate::{Fixture, TestResult};
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    every_access_pattern,
}

#[path = "../../examples/github/design.rs"]
#[allow(unreachable_pub, missing_docs, dead_code, reason = "declared as a program declares it")]
pub(crate) mod design;
#[path = "../../examples/github/service.rs"]
#[allow(unreachable_pub, missing_docs, reason = "written as a program is")]
mod service;
#[path = "../../examples/github/story.rs"]
#[allow(unreachable_pub, missing_docs, reason = "written as a program is")]
mod story;

/// Every access pattern of ten entities.
async fn every_access_pattern(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<design::GitHub>();
    db.provision().await?;
    story::tell(&db).await
}
