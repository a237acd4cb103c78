//! Operations of several requests, each of which fails in turn: whatever was done, the same
//! operation can be repeated and then all of it is done.

use crate::fixture::{match_id, scheduled, service, team_id, token, user_id};
use cricket::design::{Device, Environment, Follow, Platform, TeamId};
use cricket::error::Error;
use cricket::service::{NewDevice, Service};
use futures_util::TryStreamExt;
use singlet::prelude::*;
use singlet_testing::{TestStore, at_every_request, run};

fn device(text: &str) -> NewDevice {
    NewDevice {
        device_token: token(text),
        platform: Platform::Ios,
        environment: Environment::Production,
        app_version: None,
    }
}

/// Operation 24: a crash may leave one device too many, until the next launch.
#[test]
fn a_device_is_registered_again_after_a_fault() {
    run(async {
        let register = async |service: &Service| {
            service.devices.register(&user_id("asha"), &device("tablet")).await.map(|_| ())
        };
        at_every_request(
            async |store: TestStore| {
                let service = service(&store).await;
                service.devices.register(&user_id("asha"), &device("phone")).await.unwrap();
                service
            },
            register,
            async |service: &Service, is_done, fault| {
                let devices =
                    async || service.db.scan(Scan::<Device>::table()).all().await.unwrap();
                if !is_done {
                    assert!((1..=2).contains(&devices().await.len()), "{fault:?}");
                    register(service).await.unwrap();
                }
                let tokens: Vec<String> =
                    devices().await.iter().map(|one| one.device_token.to_string()).collect();
                assert_eq!(tokens, ["tablet"], "{fault:?}");
            },
        )
        .await;
    });
}

/// A request that is repeated still finds the follow, and removes the activities that are left.
#[test]
fn unfollowing_is_repeated_after_a_fault() {
    run(async {
        let unfollow = async |service: &Service| {
            service.unfollow_match(&match_id("1"), &user_id("asha")).await.map(|_| ())
        };
        at_every_request(
            async |store: TestStore| {
                let service = service(&store).await;
                let fixture = scheduled("1", service.db.now());
                service.fixtures.create(&fixture).await.unwrap();
                let asha = user_id("asha");
                service.follows.follow(&fixture, &asha, &team_id("101")).await.unwrap();
                for text in ["activity-1", "activity-2"] {
                    let (token, team) = (token(text), TeamId::neutral());
                    service.subscriptions.register(&fixture, &token, &asha, &team).await.unwrap();
                }
                service
            },
            unfollow,
            async |service: &Service, is_done, fault| {
                if !is_done {
                    match unfollow(service).await {
                        Ok(()) => {}
                        // All was done, and only the answer was lost.
                        Err(Error::NotFollowing) => {}
                        Err(error) => panic!("{fault:?}: {error}"),
                    }
                }
                let follows = service.db.scan(Scan::<Follow>::table()).all().await.unwrap();
                assert!(follows.is_empty(), "{fault:?}");
                let id = match_id("1");
                let left: Vec<_> = service.subscriptions.of_match(&id).try_collect().await.unwrap();
                assert!(left.is_empty(), "{fault:?}");
            },
        )
        .await;
    });
}

/// Operations 32 and 37: what a crash left is removed by the next attempt.
#[test]
fn removing_all_follows_is_repeated_after_a_fault() {
    run(async {
        let remove =
            async |service: &Service| service.follows.remove_all(&match_id("1")).await.map(|_| ());
        at_every_request(
            async |store: TestStore| {
                let service = service(&store).await;
                let fixture = scheduled("1", service.db.now());
                for n in 0..30 {
                    let (user, team) = (user_id(&format!("u{n}")), TeamId::neutral());
                    service.follows.follow(&fixture, &user, &team).await.unwrap();
                }
                service
            },
            remove,
            async |service: &Service, is_done, fault| {
                if !is_done {
                    remove(service).await.unwrap();
                }
                let left = service.db.scan(Scan::<Follow>::table()).all().await.unwrap();
                assert!(left.is_empty(), "{fault:?}");
            },
        )
        .await;
    });
}

/// Operation 39: a claim whose answer was lost is not claimed a second time.
#[test]
fn a_claim_is_made_once_whatever_fails() {
    use cricket::design::Claim;
    run(async {
        let claim = || Claim::reminder(&user_id("asha"));
        at_every_request(
            async |store: TestStore| service(&store).await,
            async |service: &Service| {
                service.prematch.mark_sent(&match_id("1"), &claim()).await.map(|_| ())
            },
            async |service: &Service, is_done, fault| {
                let was_sent = service.prematch.was_sent(&match_id("1"), &claim()).await.unwrap();
                assert!(was_sent || !is_done, "{fault:?}");
                let again = service.prematch.mark_sent(&match_id("1"), &claim()).await.unwrap();
                assert_eq!(again, !was_sent, "{fault:?}");
            },
        )
        .await;
    });
}
