//! Operations of jobs, each request of which fails in turn: repeated, they are complete. The law
//! covers operations of routes.

use crate::fixture::{match_id, scheduled, service, user_id};
use cricket::design::{Follow, TeamId};
use cricket::service::Service;
use singlet::prelude::*;
use singlet_testing::{TestStore, at_every_request, run};

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
