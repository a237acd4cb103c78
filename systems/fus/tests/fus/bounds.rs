//! Reads are bounded even with fifty concurrent writers, and oversized input is rejected before it
//! reaches a key.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use fus::design::{MatchId, Participation, PlayerId, Site};
use fus::service::{COMMENTS_ON_SITE_MAX, GROUPS_OF_USER_MAX, GroupChange, SignIn};
use singlet::prelude::*;
use singlet_testing::{at_once, run};
use singlet_web::text::Name;
use std::collections::BTreeMap;

/// How often each answer came.
fn counted(answers: Vec<&'static str>) -> BTreeMap<&'static str, usize> {
    let mut count = BTreeMap::new();
    for answer in answers {
        *count.entry(answer).or_default() += 1;
    }
    count
}

#[test]
fn nobody_is_in_more_than_a_hundred_groups() {
    run(async {
        let fixture = Fixture::memory().await;
        let service = fixture.service.clone();
        fixture.sign_in(&nils()).await;
        let (before, at_the_same_time) = (usize::try_from(GROUPS_OF_USER_MAX).unwrap() - 5, 20);
        for number in 0..before + at_the_same_time {
            let name = format!("group-{number}");
            service.create_group(&adam(), named(&name, &GroupChange::default())).await.unwrap();
            if number < before {
                service.add_member(&adam(), &id(&name), &id("nils")).await.unwrap();
            }
        }
        let answers = at_once(at_the_same_time, |number| {
            let service = fixture.service.clone();
            async move {
                let name = format!("group-{}", before + number);
                loop {
                    match code(service.add_member(&adam(), &id(&name), &id("nils")).await) {
                        // Lost every race.
                        "busy" => {}
                        other => return other,
                    }
                }
            }
        });
        assert_eq!(counted(answers.await), [("done", 5), ("too-many-groups", 15)].into());
        assert_invariants(&fixture.items().await);
        // Adding a member again still works, and leaving frees a slot.
        assert!(!service.add_member(&adam(), &id("group-0"), &id("nils")).await.unwrap().is_new);
        service.remove_member(&nils(), &id("group-0"), &id("nils")).await.unwrap();
        assert!(service.add_member(&adam(), &id("group-0"), &id("nils")).await.unwrap().is_new);
        assert_eq!(service.me(&nils()).await.unwrap().groups.len(), 100);
        // Deleting a group frees a slot too.
        let task = service.delete_group(&adam(), &id("group-0")).await.unwrap();
        service.run_task(&task).await.unwrap();
        assert_invariants(&fixture.items().await);
        service.create_group(&adam(), named("group-0", &GroupChange::default())).await.unwrap();
        assert!(service.add_member(&adam(), &id("group-0"), &id("nils")).await.unwrap().is_new);
        assert_invariants(&fixture.items().await);
    });
}

#[test]
fn a_site_has_no_more_comments_than_its_limit() {
    run(async {
        let fixture = Fixture::memory().await;
        let site = fixture.site("Tides", &[]).await.id;
        let id = site.clone();
        let count = COMMENTS_ON_SITE_MAX - 5;
        let db = fixture.service.db();
        db.run(update(Site::key(&id)).set(Site::COMMENT_COUNT, count)).await.unwrap();
        let answers = at_once(20, |number| {
            let (service, site) = (fixture.service.clone(), site.clone());
            async move {
                let who = caller(&format!("user-{number}"), &[]);
                loop {
                    match code(service.add_comment(&who, &site, &says("Yes.")).await) {
                        "busy" => {}
                        other => return other,
                    }
                }
            }
        });
        assert_eq!(counted(answers.await), [("done", 5), ("too-many-comments", 15)].into());
        let shown = fixture.service.site(&site).await.unwrap();
        assert_eq!(shown.site.comment_count, COMMENTS_ON_SITE_MAX);
        let listed = fixture.service.comments_on(&site, &all()).await.unwrap();
        assert_eq!(listed.items.len(), 5);
        let (author, comment) = (&listed.items[0].user_id, &listed.items[0].comment_id);
        fixture
            .service
            .delete_comment(&caller(author.as_str(), &[]), &site, comment)
            .await
            .unwrap();
        fixture.service.add_comment(&nils(), &site, &says("There is room.")).await.unwrap();
    });
}

/// Seeds matches of one day directly, which is much faster than the service.
async fn seed_matches(fixture: &Fixture, day: &str, count: usize, participations: bool) {
    let db = fixture.service.db();
    let date = day.parse().unwrap();
    let players = ["a", "b", "c", "d"].map(|id| PlayerId::new(id).unwrap());
    let mut batch = db.batch();
    for number in 0..count {
        let match_id = MatchId::new(format!("{day}-{number:06}")).unwrap();
        let one = stored_match(match_id, date, players.clone(), [3, 1]);
        batch.put(&one).unwrap();
        for player_id in players.clone().into_iter().filter(|_| participations) {
            let match_id = one.match_id.clone();
            batch.put(&Participation { player_id, match_id, squash_date: date }).unwrap();
        }
    }
    batch.run().await.unwrap();
}

#[tokio::test]
async fn a_day_of_very_many_matches_is_read_page_by_page() {
    let fixture = Fixture::memory().await;
    seed_matches(&fixture, "2026-05-04", 120, true).await;
    let (mut sizes, mut cursor) = (Vec::new(), None);
    loop {
        fixture.control.forget();
        let part = paging(50, cursor.as_deref());
        let page = fixture.service.matches_on(&sofia(), "2026-05-04", &part).await.unwrap();
        sizes.push(page.page.items.len());
        let queries = fixture.control.queries();
        let of_day = queries.iter().filter(|(query, _)| query.index_name.is_some());
        let (requests, rows) = of_day.fold((0, 0), |(n, sum), (_, rows)| (n + 1, sum + rows));
        // Each match has five rows; the last request may read some more than it takes.
        assert!(requests <= 8 && rows <= 2 * 5 * 51, "{requests} Queries, {rows} rows");
        cursor = page.page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [50, 50, 20]);
}

/// Ten thousand matches are counted, one more is refused, and reading ends with its page.
#[tokio::test]
async fn standings_read_no_more_than_ten_thousand_matches() {
    let fixture = Fixture::memory().await;
    seed_matches(&fixture, "2026-05-04", 9_999, false).await;
    seed_matches(&fixture, "2026-05-05", 2, false).await;
    seed_matches(&fixture, "2026-05-06", 10_000, false).await;
    let service = &fixture.service;
    let counted = service.standings(&sofia(), "2026-05-04", "2026-05-04").await.unwrap();
    assert_eq!(counted.matches, 9_999);
    for last in ["2026-05-05", "2026-05-06"] {
        fixture.control.forget();
        let refused = service.standings(&sofia(), "2026-05-04", last).await;
        assert_eq!(code(refused), "range-too-large");
        let queries = fixture.control.queries();
        let of_range = queries.iter().filter(|(query, _)| query.index_name.is_some());
        let pages: Vec<usize> = of_range.map(|(_, rows)| *rows).collect();
        let (last_page, before) = pages.split_last().unwrap();
        let before: usize = before.iter().sum();
        assert!(before <= 10_000 && *last_page < 5_000, "{pages:?}");
    }
}

/// One character that becomes eighteen when it is folded: a title of 120 has no room in a key.
const LONG: &str = "\u{fdfa}";

#[tokio::test]
async fn names_and_words_that_grow_when_they_are_folded_fit_into_keys() {
    let fixture = Fixture::memory().await;
    let service = &fixture.service;
    let sign_in = SignIn { at: service.db().now(), ip: None };
    assert!(LONG.repeat(40).parse::<Name<40>>().is_err());
    // The longest that a name may become.
    let name = format!("{}{}", LONG.repeat(2), "\u{1f600}".repeat(38));
    let me = service.update_profile(&nils(), &sign_in, &profile(&name, "")).await.unwrap();
    assert_eq!(me.user.display_name, name);
    for (prefix, count) in [(&name, 1), (&LONG.repeat(2), 1), (&LONG.repeat(100), 0)] {
        let found = service.people(&sofia(), prefix).await.unwrap();
        assert_eq!(found.len(), count, "{}", prefix.chars().count());
    }
    let site = fixture.site(&LONG.repeat(120), &["sea"]).await;
    assert_eq!(site.title, LONG.repeat(120));
    // Of this one folding makes a word of four.
    let word = "\u{3300}".repeat(100);
    for typed in [word, format!("sea {}", "x".repeat(95)), "x".repeat(100)] {
        let found = service.search(&typed).await.unwrap();
        assert_eq!((found.tags, found.sites), (vec![], vec![]), "{typed}");
    }
    let found = service.search(&format!("{} sea", "x".repeat(90))).await.unwrap();
    assert_eq!(found.tags, ["sea"]);
}
