//! Acceptance cases 10 to 12: deleting a site with everything that belongs to it, and searching a
//! large catalogue.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use fus::design::{SiteId, SiteWord, Word, WordStart};
use fus::rules::site_words;
use fus::service::Outcome;
use singlet_testing::{at_every_request, at_once, run};
use singlet_web::job::JobRun;

#[test]
fn case_10_a_deleted_site_is_gone_at_once_and_later_all_of_it() {
    run(async {
        let fixture = Fixture::memory().await;
        let id = fixture.seed_site(300, 40).await;
        let other = fixture.site("Forum of others", &["old"]).await;
        fixture.rate("user-1", &other.id, 3).await;
        let service = &fixture.service;
        assert_invariants(&fixture.items().await);
        let task = service.delete_site(&adam(), &id).await.unwrap();
        assert_eq!(code(service.site(&id).await), "site-not-found");
        assert_eq!(code(service.rate_site(&nils(), &id, &rating(3)).await), "site-not-found");
        assert_eq!(code(service.add_comment(&nils(), &id, &says("Late.")).await), "site-not-found");
        assert_eq!(code(service.comments_on(&id, &all()).await), "site-not-found");
        assert_eq!(code(service.delete_site(&adam(), &id).await), "site-not-found");
        let titles = |sites: Vec<fus::view::SiteView>| -> Vec<String> {
            sites.into_iter().map(|site| site.site.title).collect()
        };
        assert_eq!(titles(service.sites(&all()).await.unwrap().items), ["Forum of others"]);
        let tagged = service.sites_with_tag("old", &all()).await.unwrap();
        assert_eq!(titles(tagged.items), ["Forum of others"]);
        let found = service.search("forum").await.unwrap().sites;
        assert_eq!(found.iter().map(|site| &site.id).collect::<Vec<_>>(), [&other.id]);
        let user = caller("user-1", &[]);
        let mine = service.my_ratings(&user, &all()).await.unwrap().items;
        assert_eq!(mine.iter().map(|one| &one.rating.site_id).collect::<Vec<_>>(), [&other.id]);
        assert_eq!(service.my_comments(&user, &all()).await.unwrap().items, []);
        let stars = service.ratings_with(&user, 2, None, &all()).await.unwrap().items;
        assert_eq!(stars, []);
        // While it is being deleted its ratings can be taken back.
        service.remove_rating(&caller("user-7", &[]), &id).await.unwrap();
        assert_invariants(&fixture.items().await);
        service.run_task(&task).await.unwrap();
        assert!(!fixture.stored().await.contains(id.as_str()));
        assert_invariants(&fixture.items().await);
        assert_eq!(service.site(&other.id).await.unwrap().site.rating_count, 1);
    });
}

/// A round reads a thousand items of a kind: the next one follows at once, without the pause that
/// is for an index that lags.
#[test]
fn a_deletion_of_many_items_needs_one_run() {
    run(async {
        for is_job in [false, true] {
            let fixture = Fixture::memory().await;
            let id = fixture.seed_site(60, 2_500).await;
            let task = fixture.service.delete_site(&adam(), &id).await.unwrap();
            if is_job {
                fixture.service.clone().finish_tasks(JobRun::by_hand()).await.unwrap();
            } else {
                assert_eq!(fixture.service.run_task(&task).await.unwrap(), Outcome::Done);
            }
            let left = fixture.stored().await;
            assert!(!left.contains(id.as_str()) && !left.contains("TASK#"), "by the job: {is_job}");
        }
    });
}

#[test]
fn servers_that_run_one_deletion_at_once_do_no_harm() {
    run(async {
        let fixture = Fixture::memory().await;
        let id = fixture.seed_site(200, 1_100).await;
        let task = fixture.service.delete_site(&adam(), &id).await.unwrap();
        let outcomes = at_once(4, |_| {
            let (service, task) = (fixture.service.clone(), task.clone());
            async move { code(service.run_task(&task).await) }
        });
        for outcome in outcomes.await {
            assert!(["done", "unavailable", "busy"].contains(&outcome), "{outcome}");
        }
        assert_invariants(&fixture.items().await);
        fixture.finish_tasks().await;
        assert!(!fixture.stored().await.contains(id.as_str()));
    });
}

/// The index shows nothing for three seconds: the task waits, and nothing is left behind.
#[test]
fn case_11_a_deletion_that_dies_anywhere_is_completed_by_the_job() {
    run(at_every_request(
        async |store| {
            let fixture = Fixture::new(store).await;
            let id = fixture.seed_site(300, 40).await;
            fixture.control.lag_until(fixture.clock.now().as_millis() + 3000);
            (fixture, id)
        },
        async |(fixture, id)| {
            let task = fixture.service.delete_site(&adam(), id).await?;
            fixture.service.run_task(&task).await?;
            // After five seconds, as the task has said.
            fixture.clock.advance(5000);
            fixture.service.run_task(&task).await.map(|_| ())
        },
        async |(fixture, id), is_done, fault| {
            assert_invariants(&fixture.items().await);
            fixture.clock.advance(5000);
            if code(fixture.service.site(id).await) == "done" {
                // It died before the first step.
                assert!(!is_done, "{fault:?}");
                fixture.service.delete_site(&adam(), id).await.unwrap();
            }
            fixture.finish_tasks().await;
            let left = fixture.stored().await;
            assert!(!left.contains(id.as_str()), "{fault:?}: {left}");
            assert!(!left.contains("TASK#"), "{fault:?}");
        },
    ));
}

#[test]
fn case_12_a_search_reads_105_items_however_large_the_catalogue_is() {
    run(async {
        let fixture = Fixture::memory().await;
        let db = fixture.service.db();
        let mut batch = db.batch();
        let mut add = |number: usize, title: &str| {
            let words = site_words(title, "");
            for word in &words {
                let item = SiteWord {
                    id: SiteId::new(format!("s-{number:06}")).unwrap(),
                    word: Word::new(word).unwrap(),
                    start: WordStart::new(&word[..2]).unwrap(),
                    title: title.to_owned(),
                    words: words.clone(),
                };
                batch.put(&item).unwrap();
            }
        };
        for number in 0..100_000 {
            match number % 3_400 {
                17 => add(number, &format!("Rusty things {number}")),
                _ => add(number, &format!("site{number}")),
            }
        }
        add(100_000, "Rust by Example");
        batch.run().await.unwrap();
        for typed in
            ["ru", "rust", "rust b", "rust by ex", "b rust", "r\u{fc}st", "ru.st", "si", "site"]
        {
            fixture.control.forget();
            let found = fixture.service.search(typed).await.unwrap();
            let queries = fixture.control.queries();
            assert_eq!(queries.len(), 2, "{typed}");
            // Several words took a GetItem, and accents a third Query.
            assert_eq!(fixture.control.sent().len(), 2, "{typed}");
            let read: usize = queries.iter().map(|(_, scanned)| scanned).sum();
            assert!(read <= 105, "{typed}: {read} items were read");
            assert!(found.sites.len() <= 8, "{typed}");
            let has = found.sites.iter().any(|site| site.title == "Rust by Example");
            if typed.contains(" b") || typed.starts_with("b ") {
                assert!(has && found.sites.len() == 1, "{typed}: {found:?}");
            }
            assert_eq!(found.partial, typed.starts_with("si"), "{typed}");
        }
    });
}
