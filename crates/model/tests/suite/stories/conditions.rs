//! Conditions on fields.

use super::{id, is_refused, site};
use crate::sample::{Site, SiteId};
use crate::{Stage, Told};
use singlet::prelude::*;

/// Whether a condition holds of the site of this story.
async fn holds(stage: &Stage, condition: Condition<Site>) -> singlet::Result<bool> {
    let key = Site::key(id::<SiteId>("conditions"));
    let outcome = stage.db.transact((check(key).only_if(condition),)).await;
    match is_refused(&outcome) {
        true => Ok(false),
        false => outcome.map(|()| true),
    }
}

macro_rules! check_all {
    ($stage:expr, $expected:literal: $($condition:expr,)+) => {
        $(assert_eq!(holds($stage, $condition).await?, $expected, stringify!($condition));)+
    };
}

pub(super) async fn every_comparison(stage: &Stage) -> Told {
    let one = Site {
        title: "Lebowski".into(),
        visits: 5,
        rating: Some(4.5),
        tags: ["a", "b"].map(String::from).into(),
        history: vec!["x".into(), "y".into(), "z".into()],
        ..site("conditions", stage.db.now())
    };
    stage.db.run(create(&one)).await?;
    check_all!(stage, true:
        Site::visits.eq(5),
        Site::visits.ne(6),
        Site::visits.lt(6),
        Site::visits.le(5),
        Site::visits.gt(4),
        Site::visits.ge(5),
        Site::visits.between(5, 9),
        Site::visits.is_in([1, 5]),
        Site::rating.eq(4.5),
        Site::title.eq("Lebowski"),
        Site::title.eq(&one.title),
        Site::title.begins_with("Leb"),
        Site::title.contains::<String>("bow"),
        Site::tags.contains::<String>("a"),
        Site::history.contains::<String>("z"),
        Site::history.size().eq(3),
        Site::tags.size().ge(2),
        Site::title.size().lt(9),
        Site::created_at.le(stage.db.now()),
        Site::id.eq(&one.id),
        Condition::exists(),
    );
    check_all!(stage, false:
        Site::visits.eq(6),
        Site::visits.ne(5),
        Site::visits.lt(5),
        Site::visits.gt(5),
        Site::visits.between(6, 9),
        Site::visits.is_in([1, 6]),
        Site::title.begins_with("eb"),
        Site::tags.contains::<String>("c"),
        Site::history.size().gt(3),
        Site::tags.size().le(1),
        Condition::missing(),
    );
    Ok(())
}

pub(super) async fn missing_and_null(stage: &Stage) -> Told {
    // The site of the story before: its description is NULL, and it has no location.
    check_all!(stage, true:
        Site::description.missing(),
        Site::description.eq(None),
        Site::location.missing(),
        Site::location.eq(None),
        Site::rating.exists(),
        Site::rating.ne(None),
        // What is missing is not equal to anything, and so it is unequal.
        Site::thumbnail.ne(Bytes(vec![1])),
    );
    check_all!(stage, false:
        Site::description.exists(),
        Site::description.ne(None),
        Site::location.exists(),
        Site::rating.missing(),
        Site::thumbnail.eq(Bytes(vec![1])),
    );
    let nonsense = holds(stage, Site::rating.lt(None)).await;
    assert!(matches!(nonsense, Err(singlet::Error::MissingOperand)), "{nonsense:?}");
    Ok(())
}

pub(super) async fn joined(stage: &Stage) -> Told {
    let (yes, no) = (|| Site::visits.eq(5), || Site::visits.eq(6));
    check_all!(stage, true:
        yes().and(yes()),
        yes().or(no()),
        no().or(yes()),
        !no(),
        !(yes().and(no())),
        no().and(no()).or(yes()),
    );
    check_all!(stage, false:
        yes().and(no()),
        no().or(no()),
        !yes(),
    );
    let many = (0..301).map(|visits| Site::visits.eq(visits)).reduce(Condition::or);
    let outcome = holds(stage, many.ok_or("none")?).await;
    assert!(matches!(outcome, Err(singlet::Error::Expression(_))), "{outcome:?}");
    Ok(())
}
