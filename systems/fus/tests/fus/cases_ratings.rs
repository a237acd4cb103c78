//! Acceptance cases 1 to 5, 13 and 14: ratings and comments.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use fus::design::{Comment, Rating, Site, SiteList, UserId};
use fus::service::{GroupChange, NewRating};
use singlet::dynamo::operation::TransactWriteItem;
use singlet::dynamo::{Item, Value};
use singlet_testing::{TestStore, at_once, on_every_backend, run};

on_every_backend! {
    case_01_a_rating_is_one_transaction_of_two_items,
    case_02_the_same_rating_once_more_writes_nothing,
    case_05_ratings_of_a_site_are_one_query_with_a_number,
    case_13_a_comment_that_a_moderator_removed_keeps_its_place,
    case_14_comments_of_others_are_out_of_reach,
    ratings_change_and_go_as_the_table_says,
}

async fn case_01_a_rating_is_one_transaction_of_two_items(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &[]).await;
    for (who, stars) in [("a", 5), ("b", 4), ("c", 4)] {
        fixture.rate(who, &site.id, stars).await;
    }
    fixture.control.forget();
    let rated = fixture.service.rate_site(&nils(), &site.id, &rating(4)).await.unwrap();
    assert_eq!(fixture.control.writes(), ["TransactWriteItems"]);
    let actions = fixture.control.transaction();
    assert!(
        matches!(&actions[..], [TransactWriteItem::Put(_), TransactWriteItem::Update(_)]),
        "{actions:?}"
    );
    assert_eq!((rated.rating.stars, rated.site_title.as_str()), (4, "Tides"));
    let site = fixture.service.site(&site.id).await.unwrap();
    assert_eq!((site.site.rating_count, site.average), (4, Some(4.3)));
    assert_eq!(site.histogram, [0, 0, 0, 3, 1]);
    let items = fixture.items().await;
    let sum = |item: &Item| item.get("ratingSum").cloned();
    assert!(items.iter().any(|item| sum(item) == Some(Value::from(17))));
    assert_invariants(&items);
}

async fn case_02_the_same_rating_once_more_writes_nothing(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &[]).await;
    let new = NewRating { stars: 4, note: says("mine") };
    let first = fixture.service.rate_site(&nils(), &site.id, &new).await.unwrap();
    fixture.clock.advance(1000);
    fixture.control.forget();
    let second = fixture.service.rate_site(&nils(), &site.id, &new).await.unwrap();
    assert_eq!(first, second);
    assert_eq!(fixture.control.writes(), [] as [&str; 0]);
    // Another note: the rating and a check of the site, whose counters stay.
    let other = NewRating { stars: 4, note: says("another") };
    fixture.service.rate_site(&nils(), &site.id, &other).await.unwrap();
    let actions = fixture.control.transaction();
    assert!(
        matches!(&actions[..], [TransactWriteItem::Put(_), TransactWriteItem::ConditionCheck(_)]),
        "{actions:?}"
    );
    assert_eq!(
        fixture.service.my_rating(&nils(), &site.id).await.unwrap().unwrap().rating.note,
        "another"
    );
    assert_invariants(&fixture.items().await);
}

async fn ratings_change_and_go_as_the_table_says(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &[]).await;
    for (who, stars) in [("a", 5), ("b", 4), ("c", 4), ("d", 4), ("a", 1)] {
        fixture.rate(who, &site.id, stars).await;
    }
    let shown = async || fixture.service.site(&site.id).await.unwrap();
    assert_eq!((shown().await.average, shown().await.histogram), (Some(3.3), [1, 0, 0, 3, 0]));
    fixture.service.remove_rating(&caller("a", &[]), &site.id).await.unwrap();
    assert_eq!((shown().await.average, shown().await.histogram), (Some(4.0), [0, 0, 0, 3, 0]));
    let again = fixture.service.remove_rating(&caller("a", &[]), &site.id).await;
    assert_eq!(code(again), "rating-not-found");
    for who in ["b", "c", "d"] {
        fixture.service.remove_rating(&caller(who, &[]), &site.id).await.unwrap();
    }
    assert_eq!((shown().await.average, shown().await.site.rating_count), (None, 0));
    let nowhere = fixture.service.rate_site(&nils(), &id("nowhere"), &rating(3)).await;
    assert_eq!(code(nowhere), "site-not-found");
    assert_eq!(fixture.service.my_rating(&nils(), &site.id).await.unwrap(), None);
    assert_eq!(code(fixture.service.rate_site(&nils(), &site.id, &rating(6)).await), "invalid");
    assert_invariants(&fixture.items().await);
}

/// Requests and responses are lost; callers retry until they succeed.
#[test]
fn case_03_fifty_callers_rate_one_site_while_requests_fail() {
    run(async {
        let fixture = Fixture::memory().await;
        let site = fixture.site("Tides", &[]).await;
        fixture.control.lose_one_in(Some(13));
        let service = fixture.service.clone();
        let failures = at_once(50, move |number| {
            let (service, id) = (service.clone(), site.id.clone());
            async move {
                let who = caller(&format!("user-{number}"), &[]);
                let mut failures = 0;
                for stars in [number % 5, (number + 2) % 5, (number + 3) % 5] {
                    let new = rating(u8::try_from(stars).unwrap() + 1);
                    let mut tries = 0;
                    while service.rate_site(&who, &id, &new).await.is_err() {
                        failures += 1;
                        tries += 1;
                        assert!(tries < 400, "never rated");
                    }
                }
                if number % 4 == 0 {
                    loop {
                        match code(service.remove_rating(&who, &id).await) {
                            "done" | "rating-not-found" => break,
                            _ => failures += 1,
                        }
                    }
                }
                failures
            }
        })
        .await;
        fixture.control.lose_one_in(None);
        assert!(failures.iter().sum::<u32>() > 10, "{failures:?}");
        let items = fixture.items().await;
        assert_invariants(&items);
        let count = items.iter().filter(|item| item.get("starRating").is_some()).count();
        assert_eq!(count, 50 - 13);
    });
}

#[test]
fn case_04_ten_thousand_comments_cost_my_ratings_nothing() {
    run(async {
        let fixture = Fixture::memory().await;
        let site = fixture.site("Tides", &[]).await;
        let db = fixture.service.db();
        let id = site.id.clone();
        let model = db.get(Site::key(&id)).await.unwrap().unwrap();
        let mut batch = db.batch();
        let user = UserId::new("nils").unwrap();
        for number in 0..10_000 {
            let comment = Comment {
                id: user.clone(),
                site_id: model.id.clone(),
                comment_id: format!("c-{number:06}").parse().unwrap(),
                body: "Yes.".to_owned(),
                created_at: db.now(),
                updated_at: db.now(),
                removed_at: None,
                removed_by: None,
                removed_reason: None,
            };
            batch.put(&comment).unwrap();
        }
        for number in 0..120_u32 {
            let id = format!("s-{number:03}").parse().unwrap();
            let one = Site { id, entity_type: Some(SiteList::Site), ..model.clone() };
            batch.put(&one).unwrap();
            let rating = Rating {
                id: user.clone(),
                site_id: one.id.clone(),
                stars: 3,
                note: number.to_string(),
                updated_at: db.now().after(std::time::Duration::from_secs(number.into())),
            };
            batch.put(&rating).unwrap();
        }
        batch.run().await.unwrap();
        fixture.control.forget();
        let (mut cursor, mut sizes, mut notes) = (None, Vec::new(), Vec::new());
        loop {
            let paging = paging(50, cursor.as_deref());
            let page = fixture.service.my_ratings(&nils(), &paging).await.unwrap();
            sizes.push(page.items.len());
            notes.extend(page.items.into_iter().map(|one| one.rating.note));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(sizes, [50, 50, 20]);
        // The newest first, each once.
        let expected: Vec<String> = (0..120).rev().map(|number| number.to_string()).collect();
        assert_eq!(notes, expected);
        let queries = fixture.control.queries();
        assert_eq!(queries.len(), 3);
        for (query, scanned) in &queries {
            assert_eq!(query.index_name.as_deref(), Some("byEntity"));
            // One extra item tells whether there is a next page.
            assert!(*scanned <= 51, "{scanned} items were read");
        }
        // Comments have separate pages, without ratings.
        let mut count = 0;
        let mut cursor = None;
        loop {
            let paging = paging(100, cursor.as_deref());
            let page = fixture.service.my_comments(&nils(), &paging).await.unwrap();
            count += page.items.len();
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(count, 10_000);
    });
}

async fn case_05_ratings_of_a_site_are_one_query_with_a_number(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (tides, trains) = (fixture.site("Tides", &[]).await, fixture.site("Trains", &[]).await);
    for who in ["nils", "ben"] {
        fixture.sign_in(&caller(who, &[])).await;
        let new = NewRating { stars: 5, note: says("a secret") };
        for site in [&tides, &trains] {
            fixture.service.rate_site(&caller(who, &[]), &site.id, &new).await.unwrap();
        }
    }
    fixture.rate("cleo", &tides.id, 4).await;
    fixture.control.forget();
    let page = fixture.service.ratings_with(&nils(), 5, Some(&tides.id), &all()).await.unwrap();
    let queries = fixture.control.queries();
    assert_eq!(queries.len(), 1);
    let query = &queries[0].0;
    assert_eq!(query.index_name.as_deref(), Some("byStars"));
    let condition = format!("{:?}", query.key_condition);
    assert!(condition.contains("starRating") && condition.contains("{N:5}"), "{condition}");
    assert!(condition.contains(&format!("SITE#{}", tides.id)), "{condition}");
    let mut names: Vec<&str> = page.items.iter().map(|one| one.display_name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ben", "Nils"]);
    let shown = serde_json::to_string(&page).unwrap();
    assert!(!shown.contains("note") && !shown.contains("a secret"), "{shown}");
    // Across all sites; a user without a profile still has a name.
    let page = fixture.service.ratings_with(&nils(), 4, None, &all()).await.unwrap();
    assert_eq!(page.items[0].display_name, "Member cleo");
}

async fn case_13_a_comment_that_a_moderator_removed_keeps_its_place(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (ben, lea) = (caller("ben", &[]), caller("lea", &[]));
    for somebody in [&ben, &lea, &adam()] {
        fixture.sign_in(somebody).await;
    }
    let new = GroupChange {
        description: says(""),
        permissions: [fus::rules::Permission::ModerateComments].into(),
    };
    fixture.service.create_group(&adam(), named("Moderators", &new)).await.unwrap();
    fixture.service.add_member(&adam(), &id("Moderators"), &id("lea")).await.unwrap();
    let site = fixture.site("Tides", &[]).await;
    let mut ids = Vec::new();
    for body in ["first", "buy my boat", "third"] {
        fixture.clock.advance(1);
        ids.push(
            fixture.service.add_comment(&ben, &site.id, &says(body)).await.unwrap().comment_id,
        );
    }
    let service = &fixture.service;
    let removed = service
        .moderate_comment(&lea, (&site.id, &id("ben"), &ids[1]), &says("Advertising."))
        .await;
    let removed = removed.unwrap().removed.unwrap();
    assert_eq!(removed.reason, "Advertising.");
    // Once more changes nothing.
    fixture.control.forget();
    let again = service
        .moderate_comment(&lea, (&site.id, &id("ben"), &ids[1]), &says("Other"))
        .await
        .unwrap();
    assert_eq!(again.removed, Some(removed));
    assert_eq!(fixture.control.writes(), [] as [&str; 0]);
    let shown = service.comments_on(&site.id, &all()).await.unwrap().items;
    let bodies: Vec<&str> = shown.iter().map(|comment| comment.body.as_str()).collect();
    assert_eq!(bodies, ["third", "", "first"]);
    assert!(!fixture.stored().await.contains("buy my boat"));
    assert_eq!(
        code(service.edit_comment(&ben, &site.id, &ids[1], &says("again")).await),
        "comment-removed"
    );
    assert_eq!(service.site(&site.id).await.unwrap().site.comment_count, 3);
    // The author may delete it.
    service.delete_comment(&ben, &site.id, &ids[1]).await.unwrap();
    let again = service.delete_comment(&ben, &site.id, &ids[1]).await;
    assert_eq!(code(again), "comment-not-found");
    assert_eq!(service.site(&site.id).await.unwrap().site.comment_count, 2);
    assert_invariants(&fixture.items().await);
}

async fn case_14_comments_of_others_are_out_of_reach(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let ben = caller("ben", &[]);
    let site = fixture.site("Tides", &[]).await;
    let mine =
        fixture.service.add_comment(&ben, &site.id, &says("Mine.")).await.unwrap().comment_id;
    let (before, service) = (fixture.stored().await, &fixture.service);
    let edited = service.edit_comment(&nils(), &site.id, &mine, &says("His.")).await;
    assert_eq!(code(edited), "comment-not-found");
    assert_eq!(code(service.delete_comment(&nils(), &site.id, &mine).await), "comment-not-found");
    let removed =
        service.moderate_comment(&nils(), (&site.id, &id("ben"), &mine), &says("Why not")).await;
    assert_eq!(code(removed), "forbidden");
    assert_eq!(fixture.stored().await, before);
    // His own edit is shown as one, and moves nothing.
    fixture.clock.advance(1000);
    let edited = service.edit_comment(&ben, &site.id, &mine, &says("Mine, still.")).await.unwrap();
    assert!(edited.updated_at > edited.created_at);
    assert_eq!(edited.comment_id, mine);
}
