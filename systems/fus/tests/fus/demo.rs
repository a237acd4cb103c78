//! The demo data matches the specification.

use crate::fixture::text;
use crate::invariants::assert_invariants;
use fus::design::Fus;
use fus::service::Service;
use fus::{DeletionMode, PERSONAS, system_with};
use singlet::dynamo::{Item, Value};
use singlet_testing::{TestServer, TestStore};
use singlet_web::DemoPolicy;
use singlet_web::blob::Blobs;
use singlet_web::job::JobRun;
use singlet_web::random::Random;
use std::collections::{BTreeMap, BTreeSet};

#[tokio::test]
async fn the_neighbourhood_club_has_everything() {
    let systems = vec![system_with(DeletionMode::JobOnly)];
    let server = TestServer::with(systems, TestStore::memory(), DemoPolicy::IfEmpty).await;
    let items = server.store.items::<Fus>().await;
    assert_invariants(&items);
    let of = |kind: &str| items.iter().filter(|item| text(item, "entityType") == kind).count();
    assert_eq!((of("SITE"), of("GROUP"), of("TASK")), (40, 4, 1));
    assert_eq!((of("SQUASH_PLAYER"), of("SQUASH_MATCH"), of("PROFILE")), (12, 66, 14));
    let rated: Vec<&Item> = items.iter().filter(|item| item.get("starRating").is_some()).collect();
    assert_eq!(rated.len(), 180);
    let people: BTreeSet<String> = rated.iter().map(|item| text(item, "PK")).collect();
    assert_eq!(people.len(), 14);
    assert!(rated.iter().any(|item| !text(item, "note").is_empty()));
    let comments: Vec<&Item> =
        items.iter().filter(|item| item.get("commentSk").is_some()).collect();
    assert_eq!(comments.len(), 90);
    let is_edited = |item: &&&Item| text(item, "createdAt") != text(item, "updatedAt");
    assert_eq!(comments.iter().filter(is_edited).count(), 1);
    assert_eq!(comments.iter().filter(|item| item.get("removedAt").is_some()).count(), 1);
    let sites: Vec<&Item> =
        items.iter().filter(|item| text(item, "entityType") == "SITE").collect();
    assert_eq!(sites.iter().filter(|item| item.get("logoKey").is_some()).count(), 2);
    let unrated = sites.iter().filter(|item| item.get("ratingCount") == Some(&Value::from(0)));
    assert_eq!(unrated.count(), 1);
    let tags = |item: &&Item| match item.get("tags") {
        Some(Value::L(tags)) => tags.len(),
        _ => 0,
    };
    assert_eq!(sites.iter().map(tags).max(), Some(150));
    let members = items.iter().filter(|item| text(item, "SK") == "MEMBERSHIP#Squash").count();
    assert_eq!(members, 9);
    let days: BTreeSet<String> = items
        .iter()
        .filter(|item| text(item, "entityType") == "SQUASH_MATCH")
        .map(|item| text(item, "date"))
        .collect();
    assert_eq!(days.len(), 22);
    // Whenever it is loaded, the club has played lately, except in summer.
    let loaded = singlet::Timestamp::from_millis(server.store.clock.now().as_millis());
    let newest: singlet::Date = days.last().unwrap().parse().unwrap();
    let since = loaded.since(newest.start()).as_secs() / 86_400;
    let month = loaded.to_string()[5..7].to_owned();
    let is_summer = ["06", "07", "08"].contains(&&*month);
    assert!((1..=if is_summer { 100 } else { 8 }).contains(&since), "{newest} at {loaded}");
    // All times are waking hours.
    for item in &items {
        for name in ["createdAt", "updatedAt", "removedAt", "lastLoginAt"] {
            let at = text(item, name);
            let is_awake = ("08".."22").contains(&at.get(11..13).unwrap_or("12"));
            assert!(is_awake || at.starts_with(&loaded.to_string()[..13]), "{name} {at}");
        }
    }
    // Ratings and comments were older than their site.
    let made: BTreeMap<String, String> =
        sites.iter().map(|site| (text(site, "PK"), text(site, "createdAt"))).collect();
    for opinion in rated.iter().chain(&comments) {
        let name = text(opinion, "SK");
        let name = name.split("#COMMENT#").next().unwrap();
        let at = text(
            opinion,
            if opinion.get("commentSk").is_some() { "createdAt" } else { "updatedAt" },
        );
        assert!(made.get(name).is_none_or(|made| *made < at), "{name} {at}");
    }
    let idle = items.iter().filter(|item| item.get("matchCount") == Some(&Value::from(0)));
    assert_eq!(idle.count(), 1);
    // The closed forum is in no list, and the job ends its deletion in two minutes.
    let visitor = server.visitor();
    let found = visitor.get("/fus/v1/search?q=closed").await.expect(200);
    assert_eq!(found["sites"].as_array().unwrap().len(), 0);
    let service = Service::new(server.store.database(), Random::new(), Blobs::memory());
    service.clone().finish_tasks(JobRun::by_hand()).await.unwrap();
    assert!(
        server.store.items::<Fus>().await.iter().any(|item| text(item, "title") == "Closed forum")
    );
    server.store.clock.advance(120_000);
    service.clone().finish_tasks(JobRun::by_hand()).await.unwrap();
    let items = server.store.items::<Fus>().await;
    assert!(!items.iter().any(|item| text(item, "title") == "Closed forum"));
    assert_eq!(items.iter().filter(|item| item.get("starRating").is_some()).count(), 176);
    assert_invariants(&items);
    for persona in &PERSONAS {
        let me = server.as_persona(persona).get("/fus/v1/me").await.expect(200);
        assert_eq!(me["displayName"], persona.name);
    }
}
