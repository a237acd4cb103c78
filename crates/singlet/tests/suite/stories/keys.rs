//! Conditional keys, shared keys, and a custom delimiter.

use super::{id, is_refused};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    an_index_has_the_key_whose_condition_holds,
    a_scan_reads_the_keys_of_one_pattern,
    entities_share_a_key,
    items_of_others_in_an_index_are_passed_over,
}

id!(Owner, Repo; delimiter = '|');
id!(Account);

#[table(
    name = "keys-{env}",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK), GSI2 = (GSI2PK, created)),
    delimiter = "|",
    entities(Issue)
)]
struct Repositories;

#[derive(Attribute, Clone, Copy, Debug, PartialEq)]
#[attribute(rename_all = "lowercase")]
enum State {
    Open,
    Closed,
    Draft,
}

/// Open issues are sorted by number, closed ones by closing time. Pinned issues are in a second
/// index, sorted by an existing attribute.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Repositories,
    key = ("REPO|{owner}|{repo}", "ISSUE|{number:07}"),
    GSI1 open = ("REPO|{owner}|{repo}", "OPEN|{number:07}") when state = "open",
    GSI1 closed = ("REPO|{owner}|{repo}", "CLOSED|{closed_at}") when state = "closed",
    GSI2 by_pin = ("REPO|{owner}|{repo}|PINNED", "{created}") when pinned = true
)]
struct Issue {
    owner: Owner,
    repo: Repo,
    number: u32,
    state: State,
    closed_at: Option<Timestamp>,
    pinned: bool,
    created: Timestamp,
    title: String,
}

fn issue(number: u32, state: State, now: Timestamp) -> Issue {
    Issue {
        owner: id("a#b"),
        repo: id("r"),
        number,
        state,
        closed_at: (state == State::Closed).then_some(now),
        pinned: false,
        created: now,
        title: "A title".into(),
    }
}

/// The issue numbers that each access pattern returns.
async fn numbers(db: &Db<Repositories>) -> Result<[Vec<u32>; 3], singlet::Error> {
    let (owner, repo): (Owner, Repo) = (id("a#b"), id("r"));
    let numbers = |found: Vec<Issue>| found.iter().map(|one| one.number).collect();
    Ok([
        numbers(db.query(Issue::open(&owner, &repo)).all().await?),
        numbers(db.query(Issue::closed(&owner, &repo)).all().await?),
        numbers(db.query(Issue::by_pin(&owner, &repo)).all().await?),
    ])
}

async fn an_index_has_the_key_whose_condition_holds(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Repositories>();
    db.provision().await?;
    let now = db.now();
    let later = now.after(std::time::Duration::from_secs(60));
    for (number, state) in
        [(10, State::Open), (9, State::Open), (8, State::Closed), (7, State::Draft)]
    {
        db.run(create(&issue(number, state, now))).await?;
    }
    // A draft matches neither condition, so it is not in the index.
    assert_eq!(numbers(&db).await?, [vec![9, 10], vec![8], vec![]]);
    assert_eq!(db.query(Issue::of(id::<Owner>("a#b"), id::<Repo>("r"))).all().await?.len(), 4);

    // An update of the condition's field rewrites the key.
    let key = |number: u32| Issue::key(id::<Owner>("a#b"), id::<Repo>("r"), number);
    let close = |number: u32| {
        update(key(number)).set_together(Issue::STATE_AND_CLOSED_AT, (State::Closed, Some(later)))
    };
    db.run(close(9)).await?;
    assert_eq!(numbers(&db).await?, [vec![10], vec![8, 9], vec![]]);
    let stored = db.get(key(9)).await?;
    assert_eq!(stored, Some(Issue { closed_at: Some(later), ..issue(9, State::Closed, now) }));
    let reopen = update(key(8)).set_together(Issue::STATE_AND_CLOSED_AT, (State::Open, None));
    db.run(reopen).await?;
    assert_eq!(numbers(&db).await?, [vec![8, 10], vec![9], vec![]]);
    // An item that matches no condition leaves the index.
    let draft = update(key(8)).set_together(Issue::STATE_AND_CLOSED_AT, (State::Draft, None));
    db.run(draft).await?;
    assert_eq!(numbers(&db).await?, [vec![10], vec![9], vec![]]);
    // An item that lacks part of the key is not in the index either.
    let hidden = update(key(9)).set_together(Issue::STATE_AND_CLOSED_AT, (State::Closed, None));
    db.run(hidden).await?;
    assert_eq!(numbers(&db).await?, [vec![10], vec![], vec![]]);
    // Other fields do not affect the keys.
    db.run(update(key(10)).set(Issue::TITLE, "Another")).await?;
    assert_eq!(numbers(&db).await?, [vec![10], vec![], vec![]]);
    // The condition's field can be set alone if the other key parts are known.
    db.run(update(key(10)).set(Issue::PINNED, true)).await?;
    db.run(update(key(7)).set(Issue::PINNED, true)).await?;
    assert_eq!(numbers(&db).await?, [vec![10], vec![], vec![7, 10]]);
    db.run(update(key(7)).set(Issue::PINNED, false)).await?;
    assert_eq!(numbers(&db).await?, [vec![10], vec![], vec![10]]);

    // A put writes the whole key, an upsert as much as it knows.
    db.run(put(&issue(10, State::Closed, now))).await?;
    assert_eq!(numbers(&db).await?, [vec![], vec![10], vec![]]);
    let new = upsert(key(20))
        .set_together(Issue::STATE_AND_CLOSED_AT, (State::Open, None))
        .set(Issue::PINNED, true)
        .set(Issue::CREATED, now)
        .set(Issue::TITLE, "Upserted");
    db.run(new).await?;
    assert_eq!(numbers(&db).await?, [vec![20], vec![10], vec![20]]);
    Ok(())
}

#[table(name = "accounts-{env}", key = (PK, SK), entities(User, Organization))]
struct Accounts;

/// Users and organizations share a namespace.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Accounts,
    key = ("ACCOUNT#{name}", "ACCOUNT#{name}"),
    discriminator = "kind",
    shares_key_with(Organization)
)]
struct User {
    name: Account,
    email: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Accounts,
    key = ("ACCOUNT#{name}", "ACCOUNT#{name}"),
    discriminator = "kind",
    shares_key_with(User)
)]
struct Organization {
    name: Account,
    members: u32,
}

/// Regression: scanning the index by the pattern `open` also returned closed issues.
async fn a_scan_reads_the_keys_of_one_pattern(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Repositories>();
    db.provision().await?;
    let now = db.now();
    let repo: Repo = id("scanned");
    let all = [(1, State::Open), (2, State::Open), (3, State::Closed), (4, State::Draft)];
    for (number, state) in all {
        db.run(create(&Issue { repo: repo.clone(), ..issue(number, state, now) })).await?;
    }
    let ours = || Issue::REPO.eq(&repo);
    let open = || Scan::index(Issue::OPEN).filter(ours());
    let closed = || Scan::index(Issue::CLOSED).filter(ours());
    let numbers = |found: Vec<Issue>| {
        let mut numbers: Vec<u32> = found.iter().map(|one| one.number).collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(numbers(db.scan(open()).all().await?), [1, 2]);
    assert_eq!(numbers(db.scan(closed()).all().await?), [3]);
    assert_eq!((db.scan(open()).count().await?, db.scan(closed()).count().await?), (2, 1));
    Ok(())
}

async fn entities_share_a_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Accounts>();
    db.provision().await?;
    let acme = Organization { name: id("acme"), members: 3 };
    let user = User { name: id("acme"), email: "acme@example.org".into() };
    db.run(create(&acme)).await?;
    // The name is taken, but not by a user, and the error must not claim that it is.
    let outcome = db.run(create(&user)).await;
    assert!(is_refused(&outcome));
    let text = outcome.map_or_else(|error| error.to_string(), |()| String::new());
    assert!(
        text.starts_with("the item that is stored is not as the condition says (User "),
        "{text}"
    );
    // Every kind of read returns no user.
    assert_eq!(db.get(User::key(&user.name)).await?, None);
    assert_eq!(db.get_many([User::key(&user.name)]).await?, [None]);
    assert_eq!(db.get_together(vec![User::key(&user.name)]).await?, [None]);
    assert_eq!(db.scan(Scan::<User>::table()).all().await?, []);
    assert_eq!(db.scan(Scan::<Organization>::table()).all().await?, [acme.clone()]);
    // No write of one entity touches an item of the other.
    assert!(is_refused(&db.run(put(&user)).await));
    assert!(is_refused(&db.run(update(User::key(&user.name)).set(User::EMAIL, "x")).await));
    assert!(is_refused(&db.run(upsert(User::key(&user.name)).set(User::EMAIL, "x")).await));
    assert!(is_refused(&db.run(delete(User::key(&user.name))).await));
    let other = Organization { name: id("other"), members: 1 };
    let checked = db.transact((check(User::key(&user.name)), put(&other))).await;
    assert!(is_refused(&checked));
    assert_eq!(db.get(Organization::key(&acme.name)).await?, Some(acme.clone()));

    db.run(delete(Organization::key(&acme.name))).await?;
    db.run(create(&user)).await?;
    db.run(put(&User { email: "new@example.org".into(), ..user.clone() })).await?;
    db.run(update(User::key(&user.name)).set(User::EMAIL, "newer@example.org")).await?;
    let stored = db.get(User::key(&user.name)).await?.map(|user| user.email);
    assert_eq!(stored.as_deref(), Some("newer@example.org"));
    db.run(delete(User::key(&user.name))).await?;
    db.run(delete(User::key(&user.name))).await?;
    Ok(())
}

#[table(
    name = "matches-{env}",
    key = (PK, SK),
    index(byDay = (day, matchId)),
    entities(Played, Participation)
)]
struct Club;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Club,
    key = ("MATCH#{match_id}", "METADATA"),
    byDay on_day = ("{day}", "{match_id}"),
    rename_all = "camelCase"
)]
struct Played {
    match_id: Account,
    day: Date,
}

/// Has both key attributes of the index, so it appears in it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Club, key matches_of = ("PLAYER#{player}", "MATCH#{match_id}"), rename_all = "camelCase")]
struct Participation {
    #[attribute(in_key)]
    player: Account,
    match_id: Account,
    day: Date,
}

async fn items_of_others_in_an_index_are_passed_over(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Club>();
    db.provision().await?;
    let day: Date = id("2026-01-31");
    let participation = Participation { player: id("p1"), match_id: id("m1"), day };
    db.run(create(&participation)).await?;
    assert_eq!(db.query(Played::on_day(day)).all().await?, []);
    assert_eq!(db.query(Played::on_day(day)).count().await?, 0);
    let played = Played { match_id: id("m1"), day };
    db.run(create(&played)).await?;
    assert_eq!(db.query(Played::on_day(day)).all().await?, [played]);
    let of_player = Participation::matches_of(&participation.player);
    assert_eq!(db.query(of_player).all().await?, [participation]);
    Ok(())
}
