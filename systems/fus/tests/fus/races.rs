//! Fifty concurrent writers: counters and tags are consistent at every moment.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use singlet_testing::{at_once, run};

/// Maximum number of tries after conflicts.
const TRIES: usize = 400;

macro_rules! until_done {
    ($call:expr) => {
        let mut tries = 0;
        loop {
            match code($call.await) {
                "done" => break,
                "busy" | "unavailable" => tries += 1,
                other => panic!("{other}"),
            }
            assert!(tries < TRIES, "never done");
        }
    };
}

/// Checks a snapshot of all items (one request each) until the writers finish.
async fn checked_always<T>(fixture: &Fixture, writers: impl Future<Output = T>) -> T {
    let mut writers = std::pin::pin!(writers);
    let mut checks = 0;
    loop {
        let check = async {
            assert_invariants(&fixture.items().await);
            tokio::task::yield_now().await;
        };
        tokio::select! {
            biased;
            done = &mut writers => {
                assert!(checks > 0, "the writers were done before the first check");
                assert_invariants(&fixture.items().await);
                return done;
            }
            () = check => checks += 1,
        }
    }
}

#[test]
fn fifty_writers_of_tags_leave_items_that_equal_the_tags() {
    run(async {
        let fixture = Fixture::memory().await;
        let site = fixture.site("Tides", &["first"]).await;
        let service = fixture.service.clone();
        let site_id = site.id.clone();
        let writers = at_once(50, move |number| {
            let (service, site_id) = (service.clone(), site_id.clone());
            async move {
                for _ in 0..TRIES {
                    let seen = service.site(&site_id).await.unwrap();
                    // Words of one character are not stored.
                    let tags = [format!("t{number}"), format!("u{}", number % 7), "all".to_owned()];
                    let new =
                        new_site(&format!("By {}", 10 + number), &[&tags[0], &tags[1], &tags[2]]);
                    match code(
                        service.update_site(&adam(), &site_id, seen.site.version, &new).await,
                    ) {
                        "done" => return true,
                        "changed-meanwhile" | "unavailable" => {}
                        other => panic!("{other}"),
                    }
                }
                false
            }
        });
        let saved = checked_always(&fixture, writers).await;
        assert!(saved.iter().all(|saved| *saved));
        let after = fixture.service.site(&site.id).await.unwrap();
        assert_eq!(after.site.version, 51);
        // The words match the last title.
        let by = after.site.title.clone();
        let found = fixture.service.search("tides").await.unwrap();
        assert_eq!(found.sites, [], "the first title is not found any more");
        let found = fixture.service.search(&by).await.unwrap();
        assert_eq!(found.sites.len(), 1);
    });
}

#[test]
fn fifty_writers_of_comments_ratings_and_members() {
    run(async {
        let fixture = Fixture::memory().await;
        let site = fixture.site("Tides", &[]).await;
        let new = fus::service::GroupChange::default();
        fixture.service.create_group(&adam(), named("Readers", &new)).await.unwrap();
        for number in 0..50 {
            fixture.sign_in(&caller(&format!("user-{number}"), &[])).await;
        }
        let service = fixture.service.clone();
        let site_id = site.id.clone();
        let writers = at_once(50, move |number| {
            let (service, site_id) = (service.clone(), site_id.clone());
            async move {
                let name = format!("user-{number}");
                let who = caller(&name, &[]);
                until_done!(service.add_comment(&who, &site_id, &says("Yes.")));
                until_done!(service.rate_site(&who, &site_id, &rating(1 + (number % 5) as u8)));
                until_done!(service.add_member(&adam(), &id("Readers"), &id(&name)));
                if number % 2 == 0 {
                    until_done!(service.remove_member(&who, &id("Readers"), &id(&name)));
                }
            }
        });
        checked_always(&fixture, writers).await;
        let site = fixture.service.site(&site.id).await.unwrap();
        assert_eq!((site.site.comment_count, site.site.rating_count), (50, 50));
        let group = fixture.service.group(&adam(), &id("Readers")).await.unwrap();
        assert_eq!(group.member_count, 25);
    });
}

/// Every fifth match is deleted again, and every other fifth one moved to the next day with another
/// player: the transaction of up to 17 items.
#[test]
fn fifty_matches_entered_changed_and_deleted_at_once_are_all_counted() {
    run(async {
        let fixture = Fixture::memory().await;
        let ids = fixture.club(&["Ada", "Ben", "Cleo", "Dan", "Eve"]).await;
        let service = fixture.service.clone();
        let writers = at_once(50, move |number| {
            let (service, ids) = (service.clone(), ids.clone());
            async move {
                let player = |index: usize| &ids[(index + number) % 5];
                let new = new_match("2026-05-04", [0, 1, 2, 3].map(player), [3, 2]);
                let mut entered = None;
                for _ in 0..TRIES {
                    let made = service.create_match(&mina(), &new).await;
                    entered = made.as_ref().ok().map(|made| made.match_id.clone());
                    match code(made) {
                        "done" => break,
                        "busy" | "unavailable" => {}
                        other => panic!("{other}"),
                    }
                }
                let id = entered.expect("never entered");
                match number % 5 {
                    0 => {
                        until_done!(service.delete_match(&mina(), &id));
                    }
                    1 => {
                        let moved = new_match("2026-05-05", [0, 1, 2, 4].map(player), [1, 3]);
                        until_done!(service.update_match(&mina(), &id, 1, &moved));
                    }
                    _ => {}
                }
            }
        });
        checked_always(&fixture, writers).await;
        for (date, count) in [("2026-05-04", 30), ("2026-05-05", 10)] {
            let standings = fixture.service.standings(&mina(), date, date).await.unwrap();
            assert_eq!(standings.matches, count, "{date}");
        }
    });
}
