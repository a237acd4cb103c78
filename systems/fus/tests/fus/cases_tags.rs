//! Acceptance cases 6 to 9: tags, changes of very many of them, and two admins at once.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use fus::error::Error;
use fus::rules::NewTags;
use fus::service::NewSite;
use singlet::dynamo::operation::TransactWriteItem;
use singlet_testing::{TestStore, at_every_request, at_once, on_every_backend, run};
use singlet_web::job::JobRun;
use singlet_web::problem::Problem;
use std::collections::BTreeSet;

on_every_backend! {
    case_06_tags_change_with_their_site,
    case_08_a_change_under_way_keeps_other_admins_out,
    case_09_of_two_admins_one_is_told_that_it_has_changed,
    a_new_site_with_many_tags_is_hidden_until_all_are_there,
}

async fn case_06_tags_change_with_their_site(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &["a", "b"]).await;
    fixture.control.forget();
    let new = new_site("Tides", &["b", "c"]);
    fixture.service.update_site(&adam(), &site.id, 1, &new).await.unwrap();
    let actions = fixture.control.transaction();
    let described: Vec<&str> = actions
        .iter()
        .map(|action| match action {
            TransactWriteItem::Put(put) => {
                assert_eq!(text(&put.item, "SK"), "TAG#c");
                "put"
            }
            TransactWriteItem::Delete(delete) => {
                assert_eq!(text(&delete.key, "SK"), "TAG#a");
                "delete"
            }
            TransactWriteItem::Update(update) => {
                assert_eq!(text(&update.key, "PK"), format!("SITE#{}", site.id));
                "update"
            }
            TransactWriteItem::ConditionCheck(_) => "check",
        })
        .collect();
    assert_eq!(described, ["update", "put", "delete"]);
    let tagged = async |tag: &str| -> Vec<String> {
        let page = fixture.service.sites_with_tag(tag, &all()).await.unwrap();
        page.items.into_iter().map(|site| site.site.title).collect()
    };
    assert_eq!(tagged("a").await, [] as [&str; 0]);
    assert_eq!(tagged("b").await, ["Tides"]);
    assert_eq!(tagged("C").await, ["Tides"]);
    assert_invariants(&fixture.items().await);
}

fn museum(prefix: &str) -> NewSite {
    NewSite { tags: NewTags(many_tags(prefix, 150)), ..new_site("Tag museum", &[]) }
}

/// The tags by which a site is found.
async fn found_by(fixture: &Fixture) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for tag in many_tags("old", 150).into_iter().chain(many_tags("new", 150)) {
        let page = fixture.service.sites_with_tag(&tag, &all()).await.unwrap();
        if !page.items.is_empty() {
            found.insert(tag);
        }
    }
    found
}

#[test]
fn case_07_a_hundred_and_fifty_tags_change_at_once_or_not_at_all() {
    run(at_every_request(
        async |store| {
            let fixture = Fixture::new(store).await;
            let site = fixture.service.create_site(&adam(), &museum("old")).await.unwrap();
            (fixture, site)
        },
        async |(fixture, site)| {
            let new = museum("new");
            fixture
                .service
                .update_site(&adam(), &site.site.id, site.site.version, &new)
                .await
                .map(|_| ())
        },
        async |(fixture, site), is_done, fault| {
            let (old, new): (BTreeSet<String>, BTreeSet<String>) = (
                many_tags("old", 150).into_iter().collect(),
                many_tags("new", 150).into_iter().collect(),
            );
            let found = found_by(fixture).await;
            assert!(found == old || found == new, "{fault:?}: {} tags", found.len());
            let shown: BTreeSet<String> =
                fixture.service.site(&site.site.id).await.unwrap().site.tags.into_iter().collect();
            assert_eq!(shown, found, "{fault:?}");
            assert!(!is_done || found == new, "{fault:?}");
            fixture.finish_tasks().await;
            let items = fixture.items().await;
            assert_invariants(&items);
            let tags: BTreeSet<String> = items
                .iter()
                .filter(|item| {
                    text(item, "PK").starts_with("SITE#") && text(item, "SK").starts_with("TAG#")
                })
                .map(|item| text(item, "tag"))
                .collect();
            assert!(tags == old || tags == new, "{fault:?}: {} items", tags.len());
            assert_eq!(found_by(fixture).await, tags, "{fault:?}");
            assert!(!items.iter().any(|item| text(item, "PK").starts_with("TASK#")), "{fault:?}");
        },
    ));
}

async fn case_08_a_change_under_way_keeps_other_admins_out(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.service.create_site(&adam(), &museum("old")).await.unwrap();
    // Tags are noted in six requests; then the site gets its task, and a part of its new tags.
    fixture.control.die_after_writes(Some(8));
    let changed = fixture
        .service
        .update_site(&adam(), &site.site.id, site.site.version, &museum("new"))
        .await;
    assert!(changed.is_err());
    fixture.control.die_after_writes(None);
    let service = &fixture.service;
    let other = caller("other", &["admin"]);
    // A pending change is reported before a version mismatch.
    let saved = service.update_site(&other, &site.site.id, 99, &new_site("Other", &[])).await;
    assert_eq!(code(saved), "site-busy");
    assert_eq!(code(service.delete_site(&other, &site.site.id).await), "site-busy");
    service.rate_site(&nils(), &site.site.id, &rating(5)).await.unwrap();
    assert_eq!(service.site(&site.site.id).await.unwrap().site.tags, many_tags("old", 150));
    service.clone().finish_tasks(JobRun::by_hand()).await.unwrap();
    let after = service.site(&site.site.id).await.unwrap();
    assert_eq!((after.site.version, after.site.rating_count), (site.site.version + 1, 1));
    assert_eq!(after.site.tags, many_tags("new", 150));
    service
        .update_site(&other, &site.site.id, after.site.version, &new_site("Other", &[]))
        .await
        .unwrap();
    fixture.finish_tasks().await;
    assert_invariants(&fixture.items().await);
}

/// Another server runs the change's task and always wins. The response must not invite a retry by
/// the client or by the `Idempotency-Key` layer.
#[test]
fn a_change_that_has_begun_is_not_reported_as_undone() {
    run(async {
        let fixture = Fixture::memory().await;
        let service = &fixture.service;
        let assert_begun = |refused: Error| {
            let problem = Problem::from(refused);
            assert_eq!(problem.problem_type().name, "unavailable");
            assert!(!problem.is_safe_to_retry());
            assert!(problem.detail_text().unwrap().contains("being saved"));
        };
        fixture.control.refuse_checks(true);
        assert_begun(service.create_site(&adam(), &museum("old")).await.unwrap_err());
        assert_eq!(service.sites(&all()).await.unwrap().items, []);
        fixture.control.refuse_checks(false);
        fixture.finish_tasks().await;
        let mut sites = service.sites(&all()).await.unwrap().items;
        let made = sites.pop().unwrap();
        assert_eq!((sites.len(), made.site.tags.clone()), (0, many_tags("old", 150)));

        fixture.control.refuse_checks(true);
        let changed =
            service.update_site(&adam(), &made.site.id, made.site.version, &museum("new")).await;
        assert_begun(changed.unwrap_err());
        fixture.control.refuse_checks(false);
        fixture.finish_tasks().await;
        let changed = service.site(&made.site.id).await.unwrap();
        assert_eq!(
            (changed.site.version, changed.site.tags),
            (made.site.version + 1, many_tags("new", 150))
        );
        assert_invariants(&fixture.items().await);
    });
}

async fn case_09_of_two_admins_one_is_told_that_it_has_changed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &["a"]).await;
    for version in 1..7 {
        let new = new_site(&format!("Tides {version}"), &["a"]);
        fixture.service.update_site(&adam(), &site.id, version, &new).await.unwrap();
    }
    let service = fixture.service.clone();
    let id = site.id.clone();
    let mut outcomes = at_once(2, move |number| {
        let (service, id) = (service.clone(), id.clone());
        async move {
            let new = new_site(&format!("By admin {number}"), &["b"]);
            let saved = service.update_site(&adam(), &id, 7, &new).await;
            saved
                .as_ref()
                .map(|site| site.site.version)
                .map_err(|_| ())
                .map_or_else(|()| code(saved.map(|_| ())).to_owned(), |version| version.to_string())
        }
    })
    .await;
    outcomes.sort();
    assert_eq!(outcomes, ["8", "changed-meanwhile"]);
    assert_invariants(&fixture.items().await);
}

async fn a_new_site_with_many_tags_is_hidden_until_all_are_there(store: TestStore) {
    let fixture = Fixture::new(store).await;
    fixture.control.die_after_writes(Some(7));
    assert!(fixture.service.create_site(&adam(), &museum("old")).await.is_err());
    fixture.control.die_after_writes(None);
    assert_eq!(fixture.service.sites(&all()).await.unwrap().items, []);
    assert_eq!(found_by(&fixture).await.len(), 0);
    assert_eq!(fixture.service.search("museum").await.unwrap().sites, []);
    fixture.finish_tasks().await;
    let shown = fixture.service.sites(&all()).await.unwrap().items;
    assert_eq!((shown.len(), shown[0].site.tags.len(), shown[0].site.version), (1, 150, 1));
    assert_eq!(found_by(&fixture).await.len(), 150);
    assert_eq!(fixture.service.search("museum").await.unwrap().sites.len(), 1);
    assert_invariants(&fixture.items().await);
}
