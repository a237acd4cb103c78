//! Jobs: failed tasks and unused tags.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use fus::design::Task;
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::job::JobRun;

on_every_backend! {
    tags_that_no_site_has_are_forgotten_after_a_day,
    a_task_is_done_when_it_is_due_and_not_before,
}

const HOUR: i64 = 3_600_000;

async fn tags_that_no_site_has_are_forgotten_after_a_day(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &["kept", "dropped"]).await;
    let tags = async || -> Vec<String> {
        let page = fixture.service.tags(&all()).await.unwrap();
        page.items.into_iter().map(|item| item.tag.to_string()).collect()
    };
    fixture.service.update_site(&adam(), &site.id, 1, &new_site("Tides", &["kept"])).await.unwrap();
    assert_eq!(tags().await, ["dropped", "kept"]);
    fixture.clock.advance(23 * HOUR);
    fixture.service.clone().forget_tags(JobRun::by_hand()).await.unwrap();
    assert_eq!(tags().await, ["dropped", "kept"]);
    fixture.clock.advance(2 * HOUR);
    fixture.service.clone().forget_tags(JobRun::by_hand()).await.unwrap();
    assert_eq!(tags().await, ["kept"]);
}

async fn a_task_is_done_when_it_is_due_and_not_before(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &["a"]).await;
    let task = fixture.service.delete_site(&adam(), &site.id).await.unwrap();
    let db = fixture.service.db();
    let later = db.now().after(std::time::Duration::from_secs(120));
    db.run(update(Task::key(&task)).set(Task::NEXT_AT, later)).await.unwrap();
    fixture.service.clone().finish_tasks(JobRun::by_hand()).await.unwrap();
    assert!(db.get(Task::key(&task)).await.unwrap().is_some());
    fixture.clock.advance(120_000);
    fixture.service.clone().finish_tasks(JobRun::by_hand()).await.unwrap();
    assert!(db.get(Task::key(&task)).await.unwrap().is_none());
    assert!(!fixture.stored().await.contains(site.id.as_str()));
    assert_invariants(&fixture.items().await);
}

/// A task that fails is tried again, later each time, and stops after a hundred failures.
#[tokio::test]
async fn a_task_that_always_fails_stops_and_says_why() {
    let fixture = Fixture::memory().await;
    let site = fixture.site("Tides", &["a"]).await;
    let task = fixture.service.delete_site(&adam(), &site.id).await.unwrap();
    let db = fixture.service.db();
    let stored = async || db.get(Task::key(&task)).await.unwrap().unwrap();
    // A logo that cannot be deleted, because its key is none.
    let id = &site.id;
    let broken =
        update(fus::design::Site::key(id)).set(fus::design::Site::LOGO_KEY, "../x".to_owned());
    db.run(broken).await.unwrap();
    fixture.service.clone().finish_tasks(JobRun::by_hand()).await.unwrap();
    let first = stored().await;
    assert_eq!(first.attempts, 1);
    assert!(first.last_error.is_some() && first.next_at > db.now());
    let mut failed = None;
    for _ in 0..200 {
        fixture.clock.advance(HOUR);
        if let Err(error) = fixture.service.clone().finish_tasks(JobRun::by_hand()).await {
            failed = Some(error.to_string());
            break;
        }
    }
    let failed = failed.unwrap();
    assert!(failed.contains(task.as_str()) && failed.contains(site.id.as_str()), "{failed}");
    assert_eq!(stored().await.attempts, 100);
}
