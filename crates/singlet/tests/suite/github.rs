//! The example `github`, on every backend.

use crate::{Fixture, TestResult};

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
pub(crate) async fn every_access_pattern(fixture: &Fixture) -> TestResult {
    let db = fixture.open::<design::GitHub>();
    db.provision().await?;
    story::tell(&db).await
}
