//! Conditions on fields.

use super::{id, is_refused, site};
use crate::sample::{Site, SiteId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    every_comparison,
    missing_and_null,
    joined,
}

/// A store with the site that the conditions test.
async fn stored(store: TestStore) -> singlet::Result<(Fixture, Site)> {
    let fixture = Fixture::new(store).await;
    let one = Site {
        title: "Lebowski".into(),
        visits: 5,
        rating: Some(4.5),
        tags: ["a", "b"].map(String::from).into(),
        history: vec!["x".into(), "y".into(), "z".into()],
        ..site("conditions", fixture.db.now())
    };
    fixture.db.run(create(&one)).await?;
    Ok((fixture, one))
}

/// Whether a condition holds for that site.
async fn holds(fixture: &Fixture, condition: Condition<Site>) -> singlet::Result<bool> {
    let key = Site::key(id::<SiteId>("conditions"));
    let outcome = fixture.db.transact((check(key).only_if(condition),)).await;
    match is_refused(&outcome) {
        true => Ok(false),
        false => outcome.map(|()| true),
    }
}

macro_rules! check_all {
    ($fixture:expr, $expected:literal: $($condition:expr,)+) => {
        $(assert_eq!(holds($fixture, $condition).await?, $expected, stringify!($condition));)+
    };
}

async fn every_comparison(store: TestStore) -> TestResult {
    let (fixture, one) = &stored(store).await?;
    check_all!(fixture, true:
        Site::VISITS.eq(5),
        Site::VISITS.ne(6),
        Site::VISITS.lt(6),
        Site::VISITS.le(5),
        Site::VISITS.gt(4),
        Site::VISITS.ge(5),
        Site::VISITS.between(5, 9),
        Site::VISITS.is_in([1, 5]),
        Site::RATING.eq(4.5),
        Site::TITLE.eq("Lebowski"),
        Site::TITLE.eq(&one.title),
        Site::TITLE.begins_with("Leb"),
        Site::TITLE.contains::<String>("bow"),
        Site::TAGS.contains::<String>("a"),
        Site::HISTORY.contains::<String>("z"),
        Site::HISTORY.size().eq(3),
        Site::TAGS.size().ge(2),
        Site::TITLE.size().lt(9),
        Site::CREATED_AT.le(fixture.db.now()),
        Site::ID.eq(&one.id),
        Condition::exists(),
    );
    check_all!(fixture, false:
        Site::VISITS.eq(6),
        Site::VISITS.ne(5),
        Site::VISITS.lt(5),
        Site::VISITS.gt(5),
        Site::VISITS.between(6, 9),
        Site::VISITS.is_in([1, 6]),
        Site::TITLE.begins_with("eb"),
        Site::TAGS.contains::<String>("c"),
        Site::HISTORY.size().gt(3),
        Site::TAGS.size().le(1),
        Condition::missing(),
    );
    Ok(())
}

async fn missing_and_null(store: TestStore) -> TestResult {
    let (fixture, _) = &stored(store).await?;
    // The description is NULL, and there is no location.
    check_all!(fixture, true:
        Site::DESCRIPTION.missing(),
        Site::DESCRIPTION.eq(None),
        Site::LOCATION.missing(),
        Site::LOCATION.eq(None),
        Site::RATING.exists(),
        Site::RATING.ne(None),
        // A missing attribute equals nothing, so `ne` holds.
        Site::THUMBNAIL.ne(Bytes(vec![1])),
    );
    check_all!(fixture, false:
        Site::DESCRIPTION.exists(),
        Site::DESCRIPTION.ne(None),
        Site::LOCATION.exists(),
        Site::RATING.missing(),
        Site::THUMBNAIL.eq(Bytes(vec![1])),
    );
    let nonsense = holds(fixture, Site::RATING.lt(None)).await;
    assert!(matches!(nonsense, Err(singlet::Error::MissingOperand)), "{nonsense:?}");
    Ok(())
}

async fn joined(store: TestStore) -> TestResult {
    let (fixture, _) = &stored(store).await?;
    let (yes, no) = (|| Site::VISITS.eq(5), || Site::VISITS.eq(6));
    check_all!(fixture, true:
        yes().and(yes()),
        yes().or(no()),
        no().or(yes()),
        !no(),
        !(yes().and(no())),
        no().and(no()).or(yes()),
    );
    check_all!(fixture, false:
        yes().and(no()),
        no().or(no()),
        !yes(),
    );
    let many = (0..301).map(|visits| Site::VISITS.eq(visits)).reduce(Condition::or);
    let outcome = holds(fixture, many.ok_or("none")?).await;
    assert!(matches!(outcome, Err(singlet::Error::Expression(_))), "{outcome:?}");
    Ok(())
}
