//! Requests to the store that fail: all of an operation is done, or nothing. What the law's requests do
//! not reach: a new user, and a second owner.

use crate::fixture::{Fixture, TestTeam, caller, new_user, user_id};
use hacktracker::design::{Membership, Player, Role, Team, TeamMember};
use hacktracker::input::MemberChange;
use singlet_testing::{TestStore, at_every_request};
use singlet_web::identity::Caller;

#[tokio::test]
async fn case_01_the_first_sign_in_is_all_or_nothing() {
    at_every_request(
        Fixture::new,
        async |fixture: &Fixture| {
            fixture.service.sign_up(&caller("nora"), &new_user("nora")).await.map(|_| ())
        },
        async |fixture, is_done, fault| {
            let count = fixture.items().await.len();
            assert!(count == 5 || (count == 0 && !is_done), "{fault:?}: {count} items");
            // Done twice, there is one user, one PERSONAL team, one linked player in GSI4.
            let nora = caller("nora");
            let (_, is_new) = fixture.service.sign_up(&nora, &new_user("nora")).await.unwrap();
            assert_eq!(is_new, count == 0, "{fault:?}");
            assert!(!fixture.service.sign_up(&nora, &new_user("nora")).await.unwrap().1);
            assert_eq!(fixture.items().await.len(), 5);
            let players = fixture.service.db().query(Player::of_user(user_id(&nora)));
            assert_eq!(players.all().await.unwrap().len(), 1);
        },
    )
    .await;
}

#[tokio::test]
async fn an_owner_gets_another_role_on_both_sides_or_on_none() {
    at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let owner = fixture.user("nora").await;
            let team = fixture.team(&owner).await;
            let second = fixture.member(&team, "omar", Role::Owner).await;
            (fixture, team, second)
        },
        async |(fixture, team, second): &(Fixture, TestTeam, Caller)| {
            let change = MemberChange { role: Some(Role::Player), status: None };
            let first = user_id(&team.owner);
            fixture.service.change_member(second, &team.id, &first, &change).await.map(|_| ())
        },
        async |(fixture, team, second), is_done, fault| {
            let (db, first) = (fixture.service.db(), user_id(&team.owner));
            let membership = Membership::key(&first, &team.id).consistent();
            let membership = db.get(membership).await.unwrap().unwrap();
            let member = TeamMember::key(&team.id, &first).consistent();
            let member = db.get(member).await.unwrap().unwrap();
            let stored = db.get(Team::key(&team.id).consistent()).await.unwrap().unwrap();
            let is_written = membership.role == Role::Player;
            assert!(is_written || !is_done, "{fault:?}");
            let expected = match is_written {
                true => (Role::Player, Role::Player, 1, user_id(second)),
                false => (Role::Owner, Role::Owner, 2, first),
            };
            let found = (membership.role, member.role, stored.owner_count, stored.owner_id);
            assert_eq!(found, expected, "{fault:?}");
        },
    )
    .await;
}
