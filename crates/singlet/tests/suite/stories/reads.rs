//! Reading items by key.

use super::{game, id, rating, site};
use crate::sample::{
    Account, Blob, Goal, Location, Match, MatchId, Profile, Rating, Reading, Sample, Site, SiteId,
    SiteTitle, Stars, UserId,
};
use crate::{Fixture, TestResult};
use singlet::dynamo::operation::PutItem;
use singlet::dynamo::{Item, Value};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    every_type_is_read_back,
    some_fields_only,
    fields_of_older_items,
    several_at_one_moment,
    numbers_and_bytes_as_keys,
    what_cannot_be_a_key,
    what_is_too_long_for_a_key,
    what_is_not_an_entity,
    what_can_be_read_beside_it,
}

async fn every_type_is_read_back(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let full = Site {
        description: Some("ünï".into()),
        rating: Some(4.25),
        visits: u64::MAX,
        is_public: false,
        tags: ["a", "b"].map(String::from).into(),
        history: vec!["one".into(), String::new()],
        counts: [("x".to_owned(), -1), ("y".to_owned(), i64::MIN)].into(),
        location: Some(Location {
            street_name: "Elm Street".into(),
            number: Some(7),
            district: None,
            floor: -2,
        }),
        thumbnail: Some(Bytes(vec![0, 255, 1])),
        version: 6,
        ..site("full", db.now())
    };
    let empty = site("empty", db.now());
    for one in [full, empty] {
        let written = db.run(create(&one).returning_new()).await?;
        assert_eq!(db.get(Site::key(&one.id).consistent()).await?.as_ref(), Some(&written));
        assert_eq!(Site { version: one.version, ..written }, one);
    }
    let nobody: Option<Site> = db.get(Site::key(id::<SiteId>("nobody"))).await?;
    assert_eq!(nobody, None);
    Ok(())
}

async fn some_fields_only(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = site("projected", db.now());
    db.run(create(&one)).await?;
    let title = db.get(Site::key(&one.id).consistent().project::<SiteTitle>()).await?;
    assert_eq!(title, Some(SiteTitle { id: one.id.clone(), title: one.title.clone() }));
    // Also through an index, and including fields stored in the key.
    let titles = db.query(Site::by_owner(&one.owner).project::<SiteTitle>()).all().await?;
    assert!(titles.iter().any(|title| title.id == one.id));
    db.run(put(&rating("projected", "s", 4))).await?;
    let user: UserId = id("projected");
    let stars = db.query(Rating::of(&user).project::<Stars>()).all().await?;
    assert_eq!(stars, [Stars { site: id("s"), stars: 4 }]);
    Ok(())
}

#[table(name = "{env}-plans", key = (PK), index(GSI1 = (GSI1PK)), entities(Plan, Offer))]
struct Plans;

#[derive(Attribute, Clone, Copy, Debug, PartialEq)]
struct Seats(u32);

impl Default for Seats {
    fn default() -> Self {
        Self(5)
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Plans, key = ("PLAN#{id}"), GSI1 all = ("PLANS"))]
struct Plan {
    id: SiteId,
    #[attribute(default)]
    seats: Seats,
    #[attribute(default, with = serde)]
    address: std::num::Saturating<u8>,
    #[attribute(default)]
    notes: Vec<String>,
    title: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Plans, key = ("OFFER#{id}"), payload = "data")]
struct Offer {
    id: SiteId,
    #[attribute(default)]
    seats: Seats,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(Plan)]
struct PlanSeats {
    seats: Seats,
    #[attribute(with = serde)]
    address: std::num::Saturating<u8>,
    notes: Vec<String>,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(Plan)]
struct PlanTitle {
    title: String,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(Offer)]
struct OfferSeats {
    seats: Seats,
}

/// Regression: projections ignored the entity's defaults, and failed on items that the entity can
/// read.
async fn fields_of_older_items(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Plans>();
    db.provision().await?;
    let table = db.table_name::<Plans>();
    let write = async |attributes: &[(&str, &str)]| {
        let attributes =
            attributes.iter().map(|(name, text)| ((*name).to_owned(), Value::from(*text)));
        db.execute(PutItem::new(table, attributes.collect::<Item>())).await
    };
    write(&[("PK", "PLAN#old"), ("GSI1PK", "PLANS"), ("id", "old")]).await?;
    write(&[("PK", "OFFER#old"), ("data", r#"{"id":"old"}"#)]).await?;
    let (plan, offer): (SiteId, SiteId) = (id("old"), id("old"));

    let seats = || PlanSeats { seats: Seats(5), address: Default::default(), notes: vec![] };
    let read = db.get(Plan::key(&plan).consistent().project::<PlanSeats>()).await?;
    assert_eq!(read, Some(seats()));
    assert_eq!(db.query(Plan::all().project::<PlanSeats>()).all().await?, [seats()]);
    let read = db.get(Offer::key(&offer).consistent()).await?;
    assert_eq!(read, Some(Offer { id: offer.clone(), seats: Seats(5) }));
    let read = db.get(Offer::key(&offer).consistent().project::<OfferSeats>()).await?;
    assert_eq!(read, Some(OfferSeats { seats: Seats(5) }));

    // A missing attribute without a default is an error, and so is an invalid value.
    let outcome = db.get(Plan::key(&plan).consistent().project::<PlanTitle>()).await;
    assert!(matches!(outcome, Err(singlet::Error::Corrupt(_))), "{outcome:?}");
    write(&[("PK", "PLAN#old"), ("seats", "many")]).await?;
    let outcome = db.get(Plan::key(&plan).consistent().project::<PlanSeats>()).await;
    assert!(matches!(outcome, Err(singlet::Error::Corrupt(_))), "{outcome:?}");
    Ok(())
}

async fn several_at_one_moment(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (one, other) = (game("moment", db.now()), rating("moment", "s", 2));
    db.transact((put(&one), put(&other))).await?;
    let missing: MatchId = id("no-such-match");
    let read = db.get_together((Key::of(&one), Key::of(&other), Match::key(&missing))).await?;
    assert_eq!(read, (Some(one.clone()), Some(other), None));
    let read = db.get_together(vec![Match::key(&missing), Key::of(&one)]).await?;
    assert_eq!(read, [None, Some(one)]);
    Ok(())
}

async fn numbers_and_bytes_as_keys(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    for at in [-5, 0, 3, 20] {
        db.run(put(&Reading { sensor: 7, at, value: at as f64 / 2.0 })).await?;
    }
    assert_eq!(db.get(Reading::key(7, -5).consistent()).await?.map(|one| one.value), Some(-2.5));
    let times = |readings: Vec<Reading>| readings.iter().map(|one| one.at).collect::<Vec<_>>();
    assert_eq!(times(db.query(Reading::of(7)).all().await?), [-5, 0, 3, 20]);
    assert_eq!(times(db.query(Reading::of(7).between(-1, 3)).all().await?), [0, 3]);
    assert_eq!(times(db.query(Reading::of(7).after(3)).all().await?), [20]);
    assert_eq!(times(db.query(Reading::of(7).before(0)).all().await?), [-5]);
    assert_eq!(times(db.query(Reading::of(7).with(3)).all().await?), [3]);
    assert_eq!(times(db.query(Reading::of(7).between(3, -1)).all().await?), [] as [i64; 0]);

    let blob = Blob { hash: Bytes(vec![0, 1, 255]), size: 3 };
    db.run(create(&blob)).await?;
    assert_eq!(db.get(Blob::key(&blob.hash).consistent()).await?, Some(blob));
    Ok(())
}

async fn what_cannot_be_a_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let game: MatchId = id("m");
    let goal = super::goal("m", 12, 10_000, "g");
    let outcome = fixture.db.get(Goal::key(&game, goal.third, 1, &goal.id)).await;
    assert_eq!(
        outcome.map(drop).map_err(|error| error.to_string()),
        Err("`third` has 1 digits in a key, and 12 has more".to_owned())
    );
    let outcome = fixture.db.run(put(&Goal { third: 1, ..goal })).await;
    assert_eq!(
        outcome.map_err(|error| error.to_string()),
        Err("`minute` has 4 digits in a key, and 10000 has more".to_owned())
    );
    let outcome = fixture.db.run(put(&Reading { sensor: 1, at: 1, value: f64::NAN })).await;
    assert!(matches!(outcome, Err(singlet::Error::NotStorable(_))), "{outcome:?}");
    Ok(())
}

/// Regression: overlong identifiers were only rejected by the store.
async fn what_is_too_long_for_a_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    fn told<T>(outcome: singlet::Result<T>) -> Option<String> {
        match outcome {
            Err(error @ singlet::Error::Key(_)) => Some(error.to_string()),
            _ => None,
        }
    }
    let db = &fixture.db;
    let (longest, longer): (MatchId, MatchId) = (id("m".repeat(2042)), id("m".repeat(2043)));
    assert_eq!(db.get(Match::key(&longest)).await?, None);
    let partition = "the key `MATCH#{id}` has at most 2048 bytes, and would have 2049";
    assert_eq!(told(db.get(Match::key(&longer)).await).as_deref(), Some(partition));
    assert_eq!(told(db.run(delete(Match::key(&longer))).await).as_deref(), Some(partition));
    let too_long = Match { id: longer.clone(), ..game("x", db.now()) };
    assert_eq!(told(db.run(put(&too_long)).await).as_deref(), Some(partition));

    let (user, site): (UserId, SiteId) = (id("long"), id("s".repeat(1020)));
    let sort = "the key `SITE#{site}` has at most 1024 bytes, and would have 1025";
    assert_eq!(told(db.get(Rating::key(&user, &site)).await).as_deref(), Some(sort));
    let found = db.query(Rating::of(&user).with(&site)).all().await;
    assert_eq!(told(found).as_deref(), Some(sort));
    // Index key attributes have the same limit, whether composed or a plain field.
    let day = Some(id("d".repeat(2045)));
    let outcome = db.run(put(&Match { day, ..game("long", db.now()) })).await;
    let of_day = "the key `DAY#{day}` has at most 2048 bytes, and would have 2049";
    assert_eq!(told(outcome).as_deref(), Some(of_day));
    let live = Some("l".repeat(2049));
    let outcome = db.run(put(&Match { live, ..game("long", db.now()) })).await;
    let of_live = "the key `{live}` has at most 2048 bytes, and would have 2049";
    assert_eq!(told(outcome).as_deref(), Some(of_live));
    Ok(())
}

async fn what_is_not_an_entity(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("corrupt");
    // Another program wrote an item that does not match the declaration.
    let item = Item::from([
        ("PK", Value::from("USER#corrupt")),
        ("SK", Value::from("PROFILE")),
        ("user", Value::from("corrupt")),
        ("about", Value::from(7)),
    ]);
    db.execute(PutItem::new(db.table_name::<Sample>(), item)).await?;
    let outcome = db.get(Profile::key(&user)).await;
    assert_eq!(
        outcome.map_err(|error| error.to_string()),
        Err("a stored Profile has a wrong attribute `about`: expected S, found N; its key is \
             PK = `USER#corrupt`, SK = `PROFILE`"
            .to_owned())
    );
    Ok(())
}

/// Regression: one corrupt item made the whole list unreadable.
async fn what_can_be_read_beside_it(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (user, one) = (id::<UserId>("beside"), rating("beside", "a", 3));
    db.run(put(&one)).await?;
    let item = Item::from([
        ("PK", Value::from("USER#beside")),
        ("SK", Value::from("SITE#b")),
        ("stars", Value::from("many")),
    ]);
    let key = Item::from([("PK", Value::from("USER#beside")), ("SK", Value::from("SITE#b"))]);
    db.execute(PutItem::new(db.table_name::<Sample>(), item)).await?;
    match db.query(Rating::of(&user)).all().await {
        Err(singlet::Error::Corrupt(corrupt)) => assert_eq!(corrupt.key(), &key),
        other => return Err(format!("{other:?}").into()),
    }
    assert_eq!(db.query(Rating::of(&user)).skip_corrupt().all().await?, [one.clone()]);
    let page = db.query(Rating::of(&user).limit(1)).skip_corrupt().page(None).await?;
    assert_eq!(page.items, [one.clone()]);
    let rest = db.query(Rating::of(&user).limit(1)).skip_corrupt().page(page.next).await?;
    assert_eq!((rest.items.len(), rest.next.is_none()), (0, true));

    let loaded = db.load(Account::of(&user)).await;
    assert!(matches!(loaded, Err(singlet::Error::Corrupt(_))), "{loaded:?}");
    let account = db.load(Account::of(&user).skip_corrupt()).await?.ok_or("no account")?;
    assert_eq!(account.ratings, [one]);
    Ok(())
}
