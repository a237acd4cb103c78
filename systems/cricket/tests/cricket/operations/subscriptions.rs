//! Operations 33 to 37: activities.

use crate::fixture::{match_id, other_service, scheduled, service, team_id, token, user_id};
use cricket::design::{Subscription, TeamId};
use cricket::error::Error;
use cricket::service::{Registered, Service};
use futures_util::TryStreamExt;
use singlet_testing::{TestStore, at_once, on_every_backend};

on_every_backend! {
    op_33_and_34_activities_are_registered,
    op_34_a_token_of_somebody_else_is_taken,
    op_35_one_activity_is_removed,
    op_36_the_activities_of_a_user_are_removed,
    op_37_all_activities_are_removed,
    an_activity_needs_a_follow,
    a_user_has_at_most_eight_activities_of_a_match,
    activities_that_are_registered_at_once_are_at_most_eight,
}

async fn op_33_and_34_activities_are_registered(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let fixture = scheduled("1", now);
    let (asha, team) = (user_id("asha"), team_id("101"));
    let register = async |text: &str| {
        service.subscriptions.register(&fixture, &token(text), &asha, &team).await.unwrap()
    };
    let Registered::Done(first) = register("phone").await else { panic!("it is free") };
    assert_eq!((first.created_at, first.expires_at), (now, fixture.follows_expire()));
    register("tablet").await;
    store.clock.advance(1_000);
    // The same token of the same user keeps when it was created.
    let Registered::Done(again) = register("phone").await else { panic!("it is asha's") };
    assert_eq!(again.created_at, now);
    let all: Vec<Subscription> =
        service.subscriptions.of_match(&match_id("1")).try_collect().await.unwrap();
    let tokens: Vec<&str> = all.iter().map(|one| one.push_token.as_str()).collect();
    assert_eq!(tokens, ["phone", "tablet"]);
    // What is expired is gone.
    store.clock.advance(54 * 60 * 60 * 1000);
    let gone: Vec<Subscription> =
        service.subscriptions.of_match(&match_id("1")).try_collect().await.unwrap();
    assert!(gone.is_empty());
}

async fn op_34_a_token_of_somebody_else_is_taken(store: TestStore) {
    let service = service(&store).await;
    let fixture = scheduled("1", service.db.now());
    let phone = token("phone");
    let register = async |user: &str| {
        let team = TeamId::neutral();
        service.subscriptions.register(&fixture, &phone, &user_id(user), &team).await.unwrap()
    };
    assert!(matches!(register("asha").await, Registered::Done(_)));
    assert_eq!(register("ben").await, Registered::Taken);
    // Once it is expired, it is free.
    store.clock.advance(54 * 60 * 60 * 1000);
    let fixture = scheduled("1", service.db.now());
    let (ben, team) = (user_id("ben"), TeamId::neutral());
    let later = service.subscriptions.register(&fixture, &phone, &ben, &team).await.unwrap();
    assert!(matches!(later, Registered::Done(one) if one.user_id == ben));
}

async fn op_35_one_activity_is_removed(store: TestStore) {
    let service = service(&store).await;
    let (fixture, id) = (scheduled("1", service.db.now()), match_id("1"));
    let (asha, ben, phone) = (user_id("asha"), user_id("ben"), token("phone"));
    let team = TeamId::neutral();
    service.subscriptions.register(&fixture, &phone, &asha, &team).await.unwrap();
    assert!(!service.subscriptions.remove_own(&id, &phone, &ben).await.unwrap());
    assert!(service.subscriptions.remove_own(&id, &phone, &asha).await.unwrap());
    assert!(!service.subscriptions.remove_own(&id, &phone, &asha).await.unwrap());
    service.subscriptions.register(&fixture, &phone, &asha, &team).await.unwrap();
    assert!(service.subscriptions.remove(&id, &phone).await.unwrap());
    assert!(!service.subscriptions.remove(&id, &phone).await.unwrap());
}

async fn op_36_the_activities_of_a_user_are_removed(store: TestStore) {
    let service = service(&store).await;
    let (fixture, id) = (scheduled("1", service.db.now()), match_id("1"));
    let team = TeamId::neutral();
    for (text, user) in [("phone", "asha"), ("tablet", "asha"), ("bens", "ben")] {
        let (token, user) = (token(text), user_id(user));
        service.subscriptions.register(&fixture, &token, &user, &team).await.unwrap();
    }
    let removed = service.subscriptions.remove_of_user(&id, &user_id("asha")).await.unwrap();
    assert_eq!(removed, [token("phone"), token("tablet")]);
    let again = service.subscriptions.remove_of_user(&id, &user_id("asha")).await.unwrap();
    assert!(again.is_empty());
    let left: Vec<Subscription> = service.subscriptions.of_match(&id).try_collect().await.unwrap();
    assert_eq!(left.len(), 1);
}

async fn op_37_all_activities_are_removed(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let (one, other) = (scheduled("1", now), scheduled("2", now));
    let (asha, team) = (user_id("asha"), TeamId::neutral());
    for n in 0..55 {
        let token = token(&format!("token{n}"));
        service.subscriptions.register(&one, &token, &asha, &team).await.unwrap();
    }
    service.subscriptions.register(&other, &token("other"), &asha, &team).await.unwrap();
    assert_eq!(service.subscriptions.remove_all(&one.match_id).await.unwrap(), 55);
    assert_eq!(service.subscriptions.remove_all(&one.match_id).await.unwrap(), 0);
    let left: Vec<Subscription> =
        service.subscriptions.of_match(&other.match_id).try_collect().await.unwrap();
    assert_eq!(left.len(), 1);
}

/// Services with a match that is followed by Asha.
async fn followed(store: &TestStore) -> Service {
    let service = service(store).await;
    let fixture = scheduled("1", service.db.now().after(crate::fixture::HOUR));
    service.fixtures.create(&fixture).await.unwrap();
    service.follows.follow(&fixture, &user_id("asha"), &team_id("101")).await.unwrap();
    service
}

async fn register(service: &Service, user: &str, text: &str) -> Result<Subscription, Error> {
    let team = team_id("101");
    service.register_activity(&match_id("1"), &user_id(user), &token(text), &team).await
}

async fn tokens(service: &Service) -> Vec<String> {
    let all = service.subscriptions.of_match(&match_id("1"));
    all.map_ok(|one| one.push_token.to_string()).try_collect().await.unwrap()
}

async fn an_activity_needs_a_follow(store: TestStore) {
    let service = followed(&store).await;
    let refused = register(&service, "ben", "bens").await;
    assert!(matches!(refused, Err(Error::NotFollowing)), "{refused:?}");
    register(&service, "asha", "phone").await.unwrap();
    service.unfollow_match(&match_id("1"), &user_id("asha")).await.unwrap();
    assert!(tokens(&service).await.is_empty());
    let refused = register(&service, "asha", "phone").await;
    assert!(matches!(refused, Err(Error::NotFollowing)), "{refused:?}");
    assert!(tokens(&service).await.is_empty());
}

async fn a_user_has_at_most_eight_activities_of_a_match(store: TestStore) {
    let service = followed(&store).await;
    let (id, asha) = (match_id("1"), user_id("asha"));
    for n in 0..8 {
        register(&service, "asha", &format!("phone-{n}")).await.unwrap();
    }
    let refused = register(&service, "asha", "phone-8").await;
    assert!(matches!(refused, Err(Error::TooManyActivities)), "{refused:?}");
    // One that is there can be registered again, and one that is gone makes room.
    register(&service, "asha", "phone-3").await.unwrap();
    assert!(service.subscriptions.remove_own(&id, &token("phone-3"), &asha).await.unwrap());
    register(&service, "asha", "phone-8").await.unwrap();
    let refused = register(&service, "asha", "phone-3").await;
    assert!(matches!(refused, Err(Error::TooManyActivities)), "{refused:?}");
    assert_eq!(tokens(&service).await.len(), 8);
    // As at stumps: all of them are gone, and the follow stays.
    service.subscriptions.remove_all(&id).await.unwrap();
    register(&service, "asha", "phone-9").await.unwrap();
    assert_eq!(tokens(&service).await, ["phone-9"]);
}

async fn activities_that_are_registered_at_once_are_at_most_eight(store: TestStore) {
    let services = [followed(&store).await, other_service(&store)];
    let outcomes = at_once(16, |n| {
        let service = services[n % 2].clone();
        async move { register(&service, "asha", &format!("phone-{n:02}")).await }
    })
    .await;
    let done = outcomes.iter().filter(|one| one.is_ok()).count();
    let refused = outcomes.iter().filter(|one| matches!(one, Err(Error::TooManyActivities)));
    assert_eq!((done, refused.count()), (8, 8), "{outcomes:?}");
    assert_eq!(tokens(&services[0]).await.len(), 8);
}
