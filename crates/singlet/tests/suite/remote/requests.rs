//! `request` returns exactly what is sent.

use super::scripted::serve;
use crate::sample::{
    Goal, MatchId, Rating, Scoreboard, Site, SiteId, SiteTitle, Stars, UserId, World,
};
use crate::stories::{id, rating};
use aws_config::retry::RetryConfig;
use serde_json::{Value, json};
use singlet::Settings;
use singlet::backend::Aws;
use singlet::dynamo::operation::Request;
use singlet::prelude::*;
use singlet_testing::{loader, run};
use std::sync::{Arc, Mutex};

type Bodies = Arc<Mutex<Vec<(String, Value)>>>;

/// A database that records requests and returns empty responses.
async fn recorded() -> (Db<World>, Bodies) {
    let bodies = Bodies::default();
    let kept = Arc::clone(&bodies);
    let url = serve(move |target, request| {
        kept.lock().unwrap().push((target.to_owned(), request.clone()));
        (200, json!({"Count": 0, "ScannedCount": 0, "Items": []}))
    });
    let config = loader(&url).retry_config(RetryConfig::disabled()).load().await;
    let clock = singlet_testing::fixed_clock();
    let settings = Settings { clock, ..Settings::default() };
    (Db::on(Aws::new(&config), settings), bodies)
}

/// Compares the last request sent with the one shown.
fn assert_sent(bodies: &Bodies, shown: &Request) {
    let (operation, mut body) = bodies.lock().unwrap().pop().unwrap();
    // Every transaction has a token, so that retries execute it only once.
    if operation == "TransactWriteItems" {
        let token = body.as_object_mut().unwrap().remove("ClientRequestToken").unwrap();
        assert_eq!(token.as_str().map(str::len), Some(32), "{token}");
    }
    assert_eq!(operation, shown.operation());
    let shown: Value = serde_json::from_str(&shown.to_json().unwrap()).unwrap();
    assert_eq!(body, shown);
}

#[test]
fn what_is_shown_is_what_is_sent() {
    run(async {
        let (db, bodies) = recorded().await;
        let one = Rating { note: Some("fine".into()), ..rating("u", "s", 3) };
        let game: MatchId = id("m");

        macro_rules! check {
            ($method:ident($operation:expr) $($read:ident)?) => {
                let shown = $operation.request(&db).unwrap();
                db.$method($operation)$(.$read())?.await.unwrap();
                assert_sent(&bodies, &shown);
            };
        }
        check!(run(create(&one)));
        check!(run(put(&one).returning_old()));
        check!(run(update(Key::of(&one)).set(Rating::STARS, 2).remove(Rating::NOTE)));
        check!(run(upsert(Key::of(&one)).set(Rating::STARS, 2)));
        check!(run(delete(Key::of(&one)).only_if(Rating::STARS.is_in([1, 2]))));
        check!(get(Key::of(&one)));
        check!(get(Key::of(&one).project::<Stars>().consistent()));
        check!(query(Goal::timeline(&game).with(2).between(1, 9).descending().limit(4)) all);
        check!(query(Site::by_owner(id::<UserId>("o")).filter(Site::VISITS.gt(3_u64))) all);
        check!(scan(Scan::<Site>::table().project::<SiteTitle>().segment(1, 4).consistent()) all);
        check!(load(Scoreboard::of(&game).consistent()));
        check!(transact((
            create(&one),
            check(Site::key(id::<SiteId>("x"))),
            update(Site::key(id::<SiteId>("y"))).add(Site::VISITS, 1),
            delete(Site::key(id::<SiteId>("z"))),
        )));
    });
}
