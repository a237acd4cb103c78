//! How many requests the pages cost.

use crate::fixture::{
    Fixture, by, by_hand, ines, league_id, new_game, new_goal, new_league, new_session, noor,
    season_id, tomasz, user,
};
use singlet::Db;
use singlet::dynamo::operation::Request;
use singlet_testing::{Intercepted, TestStore, run};
use singlet_web::random::Random;
use std::sync::{Arc, Mutex};
use threefc::design::{Role, SessionId, ThreeFc};
use threefc::service::Service;

type Asked = Arc<Mutex<Vec<(&'static str, String)>>>;

/// A service that notes its requests.
fn noting(store: &TestStore) -> (Service, Asked) {
    let asked = Asked::default();
    let noted = Arc::clone(&asked);
    let backend = Intercepted::new(store.backend(), move |inner, request| {
        let name = match &request {
            Request::Query(_) => "Query",
            Request::GetItem(_) => "GetItem",
            Request::BatchGetItem(_) => "BatchGetItem",
            Request::TransactWriteItems(_) => "TransactWriteItems",
            _ => "other",
        };
        noted.lock().unwrap().push((name, format!("{request:?}")));
        inner.execute(request)
    });
    let db: Db<ThreeFc> = Db::on(backend, store.settings.clone());
    (Service::new(db, Random::new()), asked)
}

fn take(asked: &Asked) -> Vec<(&'static str, String)> {
    std::mem::take(&mut asked.lock().unwrap())
}

#[test]
fn case_25_get_game_takes_one_query_and_one_batch_get() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let game = fixture.live_game("g1").await;
        for _ in 0..5 {
            fixture.goal(&game, &by(new_goal("blue", Some("red")), "r1", &["r2", "y1"])).await;
        }
        let (service, asked) = noting(&fixture.store);
        for caller in [None, Some(tomasz())] {
            let view = service.game(caller.as_ref(), &game).await.unwrap();
            assert_eq!(view.goals.len(), 5);
            let names: Vec<&str> = take(&asked).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["Query", "BatchGetItem"]);
        }
        service.goals(None, &game).await.unwrap();
        let queries = take(&asked).into_iter().filter(|(name, _)| *name == "Query").count();
        assert_eq!(queries, 1, "a timeline is one Query");
    });
}

/// On DynamoDB each request is a round trip, and they follow each other.
#[test]
fn a_goal_takes_four_requests_and_five_once_the_game_counts() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let game = fixture.live_game("g1").await;
        let (service, asked) = noting(&fixture.store);
        let names = || take(&asked).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let goal = by(new_goal("blue", Some("red")), "r1", &["r2", "y1"]);
        let (view, is_new) = service.add_goal(&tomasz(), &game, &goal).await.unwrap();
        assert_eq!(names(), ["BatchGetItem", "Query", "BatchGetItem", "TransactWriteItems"]);
        // The answer is made of what was written: it is what a read shows.
        assert!(is_new);
        assert_eq!(view, service.game(Some(&tomasz()), &game).await.unwrap());
        take(&asked);
        let (again, is_new) = service.add_goal(&tomasz(), &game, &goal).await.unwrap();
        assert_eq!(names(), ["BatchGetItem", "Query", "BatchGetItem"]);
        assert_eq!((again, is_new), (view, false));
        let event = goal.event_id.0.clone();
        service.undo_goal(&tomasz(), &game, &event).await.unwrap();
        assert_eq!(names(), ["BatchGetItem", "Query", "BatchGetItem", "TransactWriteItems"]);
        service.finish_game(&ines(), &game, true).await.unwrap();
        assert_eq!(names().len(), 5);
        let late = by_hand(by(new_goal("blue", Some("red")), "r1", &[]), 1, 7);
        service.add_goal(&ines(), &game, &late).await.unwrap();
        assert_eq!(names().len(), 5);
    });
}

/// The leagues of somebody cost two requests, however many they are.
#[test]
fn me_takes_one_query_and_one_batch_get() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        for number in 0..20 {
            let new = new_league(&format!("league-{number}"));
            fixture.service.create_league(&ines(), &new).await.unwrap();
        }
        let (service, asked) = noting(&fixture.store);
        assert_eq!(service.me(&ines(), 100, None).await.unwrap().1.items.len(), 21);
        let names: Vec<&str> = take(&asked).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["Query", "BatchGetItem"]);
    });
}

/// What is decided by a read that is not consistent may be wrong on DynamoDB.
#[test]
fn reads_for_a_decision_are_consistent() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let (service, asked) = noting(&fixture.store);
        let game = fixture.live_game("g1").await;
        let goal = by(new_goal("blue", Some("red")), "r1", &["r2"]);
        service.add_goal(&tomasz(), &game, &goal).await.unwrap();
        let event = goal.event_id.0.clone();
        service.undo_goal(&tomasz(), &game, &event).await.unwrap();
        service.finish_game(&ines(), &game, true).await.unwrap();
        service.reopen_game(&ines(), &game).await.unwrap();
        let player = crate::fixture::player("r3");
        service.remove_roster(&tomasz(), &game, &player).await.unwrap();
        fixture.game("g2").await;
        service.delete_game(&ines(), &crate::fixture::game_id("g2")).await.unwrap();
        let new = new_session("s-1");
        service.create_session(&ines(), &season_id(), &new).await.unwrap();
        let id = SessionId::new("s-1").unwrap();
        service.create_game(&ines(), &id, &new_game("g3", fixture.now())).await.unwrap();
        service.delete_game(&ines(), &crate::fixture::game_id("g3")).await.unwrap();
        service.delete_session(&ines(), &id).await.unwrap();
        let new = threefc::service::input::NewInvite { role: Role::Viewer };
        let invite = service.invite(&ines(), &league_id(), &new).await.unwrap();
        let accept = threefc::service::input::AcceptInvite {
            code: invite.code,
            display_name: "Noor".parse().unwrap(),
        };
        service.accept_invite(&noor(), &league_id(), &accept).await.unwrap();
        service.revoke_role(&ines(), &league_id(), &user(&noor())).await.unwrap();
        service.create_league(&noor(), &new_league("harbour")).await.unwrap();
        service.delete_league(&noor(), &"harbour".parse().unwrap()).await.unwrap();
        let made = take(&asked);
        let reads = made.iter().filter(|(name, _)| *name != "TransactWriteItems");
        assert!(reads.clone().count() > 40);
        for (name, request) in reads {
            assert!(request.contains("consistent_read: true"), "{name}: {request}");
        }
    });
}

#[test]
fn case_25_get_season_reads_no_item_of_a_game() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let sessions = 20;
        for number in 0..sessions {
            let new = new_session(&format!("s-{number}"));
            fixture.service.create_session(&ines(), &season_id(), &new).await.unwrap();
        }
        let (service, asked) = noting(&fixture.store);
        let mut requests = Vec::new();
        // 100 games, then 1,000.
        for (from, to) in [(0, 5), (5, 50)] {
            for session in 0..sessions {
                for number in from..to {
                    let new = new_game(&format!("g-{session}-{number}"), fixture.now());
                    let session = SessionId::new(format!("s-{session}")).unwrap();
                    fixture.service.create_game(&ines(), &session, &new).await.unwrap();
                }
            }
            let view = service.season(Some(&ines()), &season_id()).await.unwrap();
            let games: u32 = view.sessions.iter().map(|session| session.games).sum();
            assert_eq!(games, sessions * to);
            let made = take(&asked);
            for (_, request) in &made {
                assert!(!request.contains("GAME#"), "{request}");
            }
            // Links and games are in the partitions of sessions and games: those are not queried.
            for (_, request) in made.iter().filter(|(name, _)| *name == "Query") {
                assert!(request.contains("SEASON#spring"), "{request}");
            }
            requests.push(made.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        }
        assert_eq!(requests[0], requests[1]);
        assert_eq!(requests[0].iter().filter(|name| **name == "Query").count(), 2);
        assert_eq!(service.league(None, &league_id()).await.unwrap().seasons.len(), 1);
    });
}
