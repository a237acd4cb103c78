//! Acceptance cases 19 to 23: matches and players of the squash club.

use crate::fixture::*;
use crate::invariants::assert_invariants;
use fus::design::Side;
use fus::rules::NewMatch;
use fus::service::{Email, NewPlayer};
use singlet::dynamo::operation::TransactWriteItem;
use singlet_testing::{TestStore, at_once, on_every_backend, run};

on_every_backend! {
    case_19_a_match_is_nine_items_in_one_transaction,
    case_20_what_is_no_match_is_refused_and_nothing_is_written,
    case_22_a_day_and_a_year_are_one_query_each,
    case_23_a_match_moves_with_everything_that_belongs_to_it,
    players_are_added_changed_and_deleted,
    standings_count_the_matches_of_a_range,
}

async fn case_19_a_match_is_nine_items_in_one_transaction(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let ids = fixture.club(&["Ada", "Ben", "Cleo", "Dan"]).await;
    let (service, pia) = (&fixture.service, caller("pia", &[]));
    fixture.sign_in(&pia).await;
    service.add_member(&mina(), &id("Squash"), &id("pia")).await.unwrap();
    let new = new_match("2026-05-04", [&ids[0], &ids[1], &ids[2], &ids[3]], [3, 1]);
    assert_eq!(code(service.create_match(&pia, &new).await), "squash-managers-only");
    fixture.control.forget();
    let one = service.create_match(&mina(), &new).await.unwrap();
    assert_eq!(fixture.control.writes(), ["TransactWriteItems"]);
    assert_eq!(fixture.control.transaction().len(), 9);
    assert_eq!((one.winning_team, one.version), (Side::A, 1));
    let standings = service.standings(&pia, "2026-05-01", "2026-05-31").await.unwrap();
    assert_eq!(standings.matches, 1);
    let lines: Vec<(usize, &str)> =
        standings.players.iter().map(|line| (line.totals.rank, line.name.as_str())).collect();
    assert_eq!(lines, [(1, "Ada"), (1, "Ben"), (3, "Cleo"), (3, "Dan")]);
    assert_invariants(&fixture.items().await);
    service.delete_match(&mina(), &one.match_id).await.unwrap();
    assert_eq!(code(service.delete_match(&mina(), &one.match_id).await), "match-not-found");
    assert_invariants(&fixture.items().await);
}

async fn case_20_what_is_no_match_is_refused_and_nothing_is_written(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let ids = fixture.club(&["Ada", "Ben", "Cleo", "Dan"]).await;
    let [ada, ben, cleo, dan] = [0, 1, 2, 3].map(|place| &ids[place]);
    let four = [ada, ben, cleo, dan];
    let said = |side| NewMatch { winning_team: side, ..new_match("2026-05-04", four, [3, 1]) };
    let far = singlet::Date::of(fixture.service.db().now()).next().next().to_string();
    let rows = [
        (new_match("2026-02-30", four, [3, 0]), "date-invalid"),
        (new_match("1999-12-31", four, [3, 0]), "date-invalid"),
        (new_match(&far, four, [3, 0]), "date-invalid"),
        (new_match("yesterday", four, [3, 0]), "date-invalid"),
        (new_match("2026-05-04", [ada, ben, ben, dan], [3, 0]), "same-player-twice"),
        (new_match("2026-05-04", [ada, ada, cleo, dan], [3, 0]), "same-player-twice"),
        (new_match("2026-05-04", four, [3, 3]), "games-invalid"),
        (new_match("2026-05-04", four, [2, 1]), "games-invalid"),
        (new_match("2026-05-04", four, [4, 0]), "games-invalid"),
        (new_match("2026-05-04", four, [0, 0]), "games-invalid"),
        (said(Some(Side::B)), "winner-mismatch"),
        (new_match("2026-05-04", [ada, ben, cleo, &id("nobody")], [3, 0]), "unknown-player"),
        // The first row of the table that applies.
        (new_match("2026-02-30", [ada, ada, cleo, dan], [3, 3]), "date-invalid"),
    ];
    let first = fixture.service.create_match(&mina(), &said(Some(Side::A))).await.unwrap();
    let before = fixture.stored().await;
    for (new, expected) in &rows {
        assert_eq!(code(fixture.service.create_match(&mina(), new).await), *expected, "{new:?}");
        let changed = fixture.service.update_match(&mina(), &first.match_id, 1, new).await;
        assert_eq!(code(changed), *expected, "{new:?}");
    }
    let tomorrow = singlet::Date::of(fixture.service.db().now()).next().to_string();
    assert_eq!(fixture.stored().await, before);
    for (games, winner) in [
        ([3, 0], Side::A),
        ([3, 1], Side::A),
        ([3, 2], Side::A),
        ([0, 3], Side::B),
        ([1, 3], Side::B),
        ([2, 3], Side::B),
    ] {
        let new = new_match(&tomorrow, four, games);
        assert_eq!(fixture.service.create_match(&mina(), &new).await.unwrap().winning_team, winner);
    }
}

#[test]
fn case_21_a_match_and_the_deletion_of_its_player_race_a_thousand_times() {
    run(async {
        let fixture = Fixture::memory().await;
        let ids = fixture.club(&["Ada", "Ben", "Cleo"]).await;
        let mut deleted = 0;
        for round in 0..1000 {
            let dan = fixture.service.create_player(&mina(), &new_player("Dan")).await.unwrap().id;
            let new = new_match("2026-05-04", [&ids[0], &ids[1], &ids[2], &dan], [3, 2]);
            let (one, other, id) = (fixture.service.clone(), fixture.service.clone(), dan.clone());
            let entering = tokio::spawn(async move {
                // Sometimes the one is ahead, sometimes the other.
                for _ in 0..round % 7 {
                    tokio::task::yield_now().await;
                }
                code(one.create_match(&mina(), &new).await)
            });
            let deleting = tokio::spawn(async move {
                for _ in 0..round % 5 {
                    tokio::task::yield_now().await;
                }
                code(other.delete_player(&mina(), &id).await)
            });
            match (entering.await.unwrap(), deleting.await.unwrap()) {
                ("unknown-player", "done") => deleted += 1,
                ("done", "player-in-matches") => {}
                other => panic!("{other:?} in round {round}"),
            }
        }
        assert!((1..1000).contains(&deleted), "{deleted} deletions were faster");
        assert_invariants(&fixture.items().await);
    });
}

async fn case_22_a_day_and_a_year_are_one_query_each(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let ids = fixture.club(&["Ada", "Ben", "Cleo", "Dan"]).await;
    let four = [0, 1, 2, 3].map(|place| &ids[place]);
    for date in ["2026-05-04", "2026-05-04", "2026-05-04", "2026-05-11", "2025-05-04"] {
        fixture.clock.advance(1);
        fixture.service.create_match(&mina(), &new_match(date, four, [3, 1])).await.unwrap();
    }
    fixture.control.forget();
    let day = fixture.service.matches_on(&mina(), "2026-05-04", &all()).await.unwrap();
    assert_eq!((day.page.items.len(), day.page.next), (3, None));
    assert_eq!(day.players.values().collect::<Vec<_>>(), ["Ada", "Ben", "Cleo", "Dan"]);
    let of_index = |name: &str| -> Vec<(singlet::dynamo::operation::Query, usize)> {
        let queries = fixture.control.queries().into_iter();
        queries.filter(|(query, _)| query.index_name.as_deref() == Some(name)).collect()
    };
    let queries = of_index("bySquashDate");
    assert_eq!(queries.len(), 1);
    assert_eq!(queries[0].1, 15, "the index has five rows for each match");
    assert!(format!("{:?}", queries[0].0.filter).contains("SQUASH_MATCH"));
    // Pages of two: the filter takes nothing away from them.
    let first = paging(2, None);
    let page = fixture.service.matches_on(&mina(), "2026-05-04", &first).await.unwrap();
    assert_eq!(page.page.items.len(), 2);
    let second = paging(2, page.page.next.as_deref());
    let page = fixture.service.matches_on(&mina(), "2026-05-04", &second).await.unwrap();
    assert_eq!(page.page.items.len(), 1);
    fixture.control.forget();
    let year = fixture.service.matches_between(&mina(), "2026-01-01", "2026-12-31", &all()).await;
    let dates: Vec<String> =
        year.unwrap().page.items.iter().map(|one| one.date.to_string()).collect();
    assert_eq!(dates, ["2026-05-11", "2026-05-04", "2026-05-04", "2026-05-04"]);
    let queries = of_index("byEntity");
    assert_eq!(queries.len(), 1);
    assert_eq!(queries[0].1, 4);
    let condition = format!("{:?}", queries[0].0.key_condition);
    assert!(condition.contains("SQUASH_MATCH") && condition.contains("Between"), "{condition}");
    let range = fixture.service.matches_between(&mina(), "2026-05-05", "2026-05-04", &all()).await;
    assert_eq!(code(range), "range-invalid");
    assert_eq!(code(fixture.service.matches_on(&mina(), "May", &all()).await), "date-invalid");
}

async fn case_23_a_match_moves_with_everything_that_belongs_to_it(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let ids = fixture.club(&["Ada", "Ben", "Cleo", "Dan", "Eve"]).await;
    let four = [0, 1, 2, 3].map(|place| &ids[place]);
    let service = &fixture.service;
    let one = service.create_match(&mina(), &new_match("2026-05-04", four, [3, 1])).await.unwrap();
    fixture.control.forget();
    // Eve instead of Dan, a week later.
    let moved = new_match("2026-05-11", [four[0], four[1], four[2], &ids[4]], [1, 3]);
    let after = service.update_match(&mina(), &one.match_id, 1, &moved).await.unwrap();
    assert_eq!((after.version, after.winning_team), (2, Side::B));
    let actions = fixture.control.transaction();
    // The match; Dan and his participation; Eve and hers; three participations.
    assert_eq!(actions.len(), 8);
    assert!(matches!(actions[0], TransactWriteItem::Put(_)));
    let items = fixture.items().await;
    assert_invariants(&items);
    let dates: Vec<String> = items
        .iter()
        .filter(|item| text(item, "matchId") == one.match_id.as_str())
        .map(|item| text(item, "squashDate"))
        .collect();
    assert_eq!(dates, ["2026-05-11"; 5]);
    let counts: Vec<u64> = service
        .players(&mina(), &all())
        .await
        .unwrap()
        .items
        .iter()
        .map(|player| player.match_count)
        .collect();
    assert_eq!(counts, [1, 1, 1, 0, 1]);
    let again = service.update_match(&mina(), &one.match_id, 1, &moved).await;
    assert_eq!(code(again), "changed-meanwhile");
    let dans = service.matches_of(&mina(), &ids[3], &all()).await.unwrap();
    assert_eq!(dans.page.items, []);
    assert_eq!(service.matches_of(&mina(), &ids[4], &all()).await.unwrap().page.items, [after]);
}

async fn players_are_added_changed_and_deleted(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let ids = fixture.club(&["Ada", "Ben", "Cleo", "Dan"]).await;
    let (service, pia) = (&fixture.service, caller("pia", &[]));
    fixture.sign_in(&pia).await;
    service.add_member(&sofia(), &id("Squash"), &id("pia")).await.unwrap();
    let new = NewPlayer {
        email: Some(Email("eve@club.example".to_owned())),
        user_id: Some(id("eve")),
        ..new_player(" Eve  Sato ")
    };
    // No such user has signed in.
    assert_eq!(code(service.create_player(&mina(), &new).await), "invalid");
    fixture.sign_in(&caller("eve", &[])).await;
    let eve = service.create_player(&mina(), &new).await.unwrap();
    // An account has at most one player.
    let twin = NewPlayer { name: "Twin".parse().unwrap(), ..new.clone() };
    assert_eq!(code(service.create_player(&mina(), &twin).await), "account-taken");
    assert_eq!(code(service.update_player(&mina(), &ids[0], 1, &twin).await), "account-taken");
    assert_eq!((eve.name.as_str(), eve.version, eve.match_count), ("Eve Sato", 1, 0));
    // E-mail addresses are visible to managers only.
    let email = service.player(&mina(), &eve.id).await.unwrap().email;
    assert_eq!(email.as_deref(), Some("eve@club.example"));
    assert_eq!(service.player(&pia, &eve.id).await.unwrap().email, None);
    let listed = service.players(&pia, &all()).await.unwrap().items;
    assert_eq!(listed.len(), 5);
    assert!(listed.iter().all(|player| player.email.is_none()));
    let renamed = new_player("Eve");
    let changed = service.update_player(&mina(), &eve.id, 1, &renamed).await.unwrap();
    assert_eq!((changed.version, changed.email, changed.user_id), (2, None, None));
    let linked = service.update_player(&mina(), &ids[0], 1, &twin).await.unwrap();
    assert_eq!(linked.user_id, Some(id("eve")));
    assert_invariants(&fixture.items().await);
    let again = service.update_player(&mina(), &eve.id, 1, &renamed).await;
    assert_eq!(code(again), "changed-meanwhile");
    assert_eq!(
        code(service.update_player(&pia, &eve.id, 2, &renamed).await),
        "squash-managers-only"
    );
    let nobody = service.update_player(&mina(), &id("nobody"), 1, &renamed).await;
    assert_eq!(code(nobody), "player-not-found");
    for email in ["no address", "@", "a@b@c", "a b@c"] {
        assert!(Email::try_from(email.to_owned()).is_err(), "{email}");
    }
    let four = [0, 1, 2, 3].map(|place| &ids[place]);
    service.create_match(&mina(), &new_match("2026-05-04", four, [3, 1])).await.unwrap();
    assert_eq!(code(service.delete_player(&mina(), &ids[0]).await), "player-in-matches");
    let ben = NewPlayer { user_id: Some(id("pia")), ..new_player("Ben") };
    service.update_player(&mina(), &eve.id, 2, &ben).await.unwrap();
    service.delete_player(&mina(), &eve.id).await.unwrap();
    let pia = service.create_player(&mina(), &ben).await.unwrap();
    assert_eq!(pia.user_id, Some(id("pia")));
    assert_eq!(code(service.delete_player(&mina(), &eve.id).await), "player-not-found");
    assert_invariants(&fixture.items().await);
}

async fn standings_count_the_matches_of_a_range(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let ids = fixture.club(&["Ada", "Ben", "Cleo", "Dan", "Eve"]).await;
    let [ada, ben, cleo, dan, eve] = [0, 1, 2, 3, 4].map(|place| &ids[place]);
    let service = &fixture.service;
    for (date, players, games) in [
        ("2026-01-05", [ada, ben, cleo, dan], [3, 1]),
        ("2026-01-12", [ada, cleo, ben, dan], [3, 2]),
        ("2026-01-19", [dan, eve, ada, ben], [3, 0]),
    ] {
        service.create_match(&mina(), &new_match(date, players, games)).await.unwrap();
    }
    let shown = service.standings(&mina(), "2026-01-05", "2026-01-19").await.unwrap();
    let lines: Vec<String> = shown
        .players
        .iter()
        .map(|line| {
            let n = &line.totals;
            let games = format!("{}-{}", n.games_for, n.games_against);
            format!("{} {} {} {} {} {games}", n.rank, line.name, n.played, n.won, n.lost)
        })
        .collect();
    let expected = [
        "1 Ada 3 2 1 6-6",
        "2 Eve 1 1 0 3-0",
        "3 Cleo 2 1 1 4-5",
        "4 Dan 3 1 2 6-6",
        "5 Ben 3 1 2 5-7",
    ];
    assert_eq!(lines, expected);
    let pairs: Vec<String> = shown.pairs.iter().map(|line| line.names.join("+")).collect();
    assert_eq!(pairs, ["Dan+Eve", "Ada+Cleo", "Ada+Ben", "Ben+Dan", "Cleo+Dan"]);
    let form = &shown.players.iter().find(|line| line.name == "Dan").unwrap().totals.form;
    assert_eq!(form.iter().map(|one| one.margin).collect::<Vec<_>>(), [-2, -1, 3]);
    // The ends of a range belong to it.
    let one = service.standings(&mina(), "2026-01-12", "2026-01-12").await.unwrap();
    assert_eq!((one.matches, one.players.len()), (1, 4));
    let none = service.standings(&mina(), "2026-02-01", "2026-02-28").await.unwrap();
    assert_eq!((none.matches, none.players.len(), none.pairs.len()), (0, 0, 0));
    let backwards = service.standings(&mina(), "2026-02-01", "2026-01-01").await;
    assert_eq!(code(backwards), "range-invalid");
    // A leap year fits, a day more does not.
    service.standings(&mina(), "2024-01-01", "2024-12-31").await.unwrap();
    let longer = service.standings(&mina(), "2024-01-01", "2025-01-01").await;
    assert_eq!(code(longer), "range-too-large");
}

#[test]
fn of_twenty_players_with_one_account_one_is_added() {
    run(async {
        let fixture = Fixture::memory().await;
        fixture.club(&[]).await;
        fixture.sign_in(&caller("eve", &[])).await;
        let added = at_once(20, |number| {
            let service = fixture.service.clone();
            async move {
                let name = format!("Eve {number}");
                let new = NewPlayer { user_id: Some(id("eve")), ..new_player(&name) };
                code(service.create_player(&mina(), &new).await)
            }
        });
        let added = added.await;
        assert_eq!(added.iter().filter(|code| **code == "done").count(), 1, "{added:?}");
        assert!(added.iter().all(|code| ["done", "account-taken"].contains(code)), "{added:?}");
        assert_invariants(&fixture.items().await);
    });
}
