//! Operations 27 to 32: follows; 38 and 39: messages that are sent once.

use crate::fixture::{HOUR, match_id, other_service, scheduled, service, team_id, user_id};
use cricket::design::{Claim, Fixture, Follow, TeamId};
use cricket::rules::Format;
use futures_util::TryStreamExt;
use singlet::prelude::*;
use singlet_testing::{TestStore, at_once, on_every_backend};
use std::collections::BTreeSet;

on_every_backend! {
    op_27_and_29_a_match_is_followed,
    op_28_followers_come_as_a_stream,
    op_30_a_match_is_unfollowed,
    op_31_the_team_is_changed,
    op_32_all_follows_are_removed,
    op_38_and_39_a_message_is_claimed_once,
    case_25_a_follow_outlives_its_match_by_48_hours,
}

async fn op_27_and_29_a_match_is_followed(store: TestStore) {
    let service = service(&store).await;
    let (asha, now) = (user_id("asha"), service.db.now());
    let fixture = scheduled("1", now);
    assert_eq!(service.follows.get(&match_id("1"), &asha).await.unwrap(), None);
    let first = service.follows.follow(&fixture, &asha, &team_id("101")).await.unwrap();
    assert_eq!((first.created_at, first.team_id.as_str()), (now, "101"));
    store.clock.advance(1_000);
    let second = service.follows.follow(&fixture, &asha, &TeamId::neutral()).await.unwrap();
    assert_eq!((second.created_at, second.team_id.as_str()), (now, "neutral"));
    assert_eq!(service.follows.get(&match_id("1"), &asha).await.unwrap(), Some(second));
    // An expired follow is gone, and a new one begins anew.
    store.clock.advance(54 * 60 * 60 * 1000);
    assert_eq!(service.follows.get(&match_id("1"), &asha).await.unwrap(), None);
    let later = service.db.now();
    let fixture = scheduled("1", later);
    let third = service.follows.follow(&fixture, &asha, &team_id("102")).await.unwrap();
    assert_eq!(third.created_at, later);
}

async fn op_28_followers_come_as_a_stream(store: TestStore) {
    let service = service(&store).await;
    let fixture = scheduled("1", service.db.now());
    let none: Vec<Follow> = service.follows.followers(&match_id("1")).try_collect().await.unwrap();
    assert!(none.is_empty());
    // More than one request reads.
    let mut batch = service.db.batch();
    let follow = |n: u32, expires_at: Expiry| Follow {
        match_id: match_id("1"),
        user_id: user_id(&format!("user{n:05}")),
        team_id: TeamId::neutral(),
        created_at: fixture.start_time,
        activities: BTreeSet::new(),
        expires_at,
    };
    for n in 0..1_100 {
        batch.put(&follow(n, fixture.follows_expire())).unwrap();
    }
    batch.put(&follow(9_999, Expiry::from_seconds(1))).unwrap();
    batch.run().await.unwrap();
    let all: Vec<Follow> = service.follows.followers(&match_id("1")).try_collect().await.unwrap();
    assert_eq!(all.len(), 1_100);
    assert_eq!(all[1_099].user_id, user_id("user01099"));
}

async fn op_30_a_match_is_unfollowed(store: TestStore) {
    let service = service(&store).await;
    let asha = user_id("asha");
    let fixture = scheduled("1", service.db.now());
    assert_eq!(service.follows.unfollow(&match_id("1"), &asha).await.unwrap(), None);
    let follow = service.follows.follow(&fixture, &asha, &team_id("101")).await.unwrap();
    assert_eq!(service.follows.unfollow(&match_id("1"), &asha).await.unwrap(), Some(follow));
    assert_eq!(service.follows.get(&match_id("1"), &asha).await.unwrap(), None);
}

async fn op_31_the_team_is_changed(store: TestStore) {
    let service = service(&store).await;
    let (asha, id, team) = (user_id("asha"), match_id("1"), team_id("102"));
    assert!(!service.follows.change_team(&id, &asha, &team).await.unwrap());
    assert_eq!(service.follows.get(&id, &asha).await.unwrap(), None);
    let fixture = scheduled("1", service.db.now());
    service.follows.follow(&fixture, &asha, &team_id("101")).await.unwrap();
    assert!(service.follows.change_team(&id, &asha, &team).await.unwrap());
    assert_eq!(service.follows.get(&id, &asha).await.unwrap().unwrap().team_id, team);
}

async fn op_32_all_follows_are_removed(store: TestStore) {
    let service = service(&store).await;
    let now = service.db.now();
    let (one, other) = (scheduled("1", now), scheduled("2", now));
    for n in 0..60 {
        let user = user_id(&format!("u{n}"));
        service.follows.follow(&one, &user, &TeamId::neutral()).await.unwrap();
    }
    service.follows.follow(&other, &user_id("u1"), &TeamId::neutral()).await.unwrap();
    assert_eq!(service.follows.remove_all(&one.match_id).await.unwrap(), 60);
    assert_eq!(service.follows.remove_all(&one.match_id).await.unwrap(), 0);
    let left = service.db.scan(Scan::<Follow>::table()).all().await.unwrap();
    assert_eq!(left.len(), 1);
}

async fn op_38_and_39_a_message_is_claimed_once(store: TestStore) {
    let first = service(&store).await;
    let (id, asha) = (match_id("1"), user_id("asha"));
    let claims = [
        Claim::reminder(&asha),
        Claim::toss(&asha),
        Claim::start(2, &asha),
        Claim::start(3, &asha),
        Claim::everybody(),
    ];
    for claim in &claims {
        assert!(!first.prematch.was_sent(&id, claim).await.unwrap());
        let services = [first.clone(), other_service(&store)];
        let won = at_once(8, |n| {
            let (service, id, claim) = (services[n % 2].clone(), id.clone(), claim.clone());
            async move { service.prematch.mark_sent(&id, &claim).await.unwrap() }
        })
        .await;
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "{claim:?}");
        assert!(first.prematch.was_sent(&id, claim).await.unwrap());
    }
    // 48 hours later it could be sent again.
    store.clock.advance(48 * 60 * 60 * 1000);
    assert!(!first.prematch.was_sent(&id, &claims[0]).await.unwrap());
    assert!(first.prematch.mark_sent(&id, &claims[0]).await.unwrap());
}

/// Case 25: of a Test that starts at S, S + 168 h; of a T20, S + 53 h.
async fn case_25_a_follow_outlives_its_match_by_48_hours(store: TestStore) {
    let service = service(&store).await;
    let start = service.db.now().after(HOUR);
    for (format, hours) in [
        (Format::Test, 168),
        (Format::Fc, 144),
        (Format::Odi, 58),
        (Format::T20, 53),
        (Format::T10, 53),
        (Format::Hundred, 53),
    ] {
        let fixture = Fixture { format, ..scheduled(format.as_str(), start) };
        let follow =
            service.follows.follow(&fixture, &user_id("dana"), &TeamId::neutral()).await.unwrap();
        assert_eq!(follow.expires_at, Expiry::at(start.after(hours * HOUR)), "{format:?}");
    }
}
