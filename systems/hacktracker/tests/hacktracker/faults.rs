//! Requests to the store that fail: all of an operation is done, or nothing. What the law's requests do
//! not reach: a new user, a second owner, and a correction that concerns two players.

use crate::fixture::{Fixture, TestTeam, caller, new_user, no_change, user_id};
use hacktracker::design::{
    AtBatId, AtBatResult, GameId, Membership, Player, PlayerId, Role, Team, TeamMember,
};
use hacktracker::input::{AtBatChange, MemberChange};
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

/// A correction writes the game, at-bats of its inning, and two players if another one batted.
#[tokio::test]
async fn an_at_bat_is_corrected_with_everything_or_not_at_all() {
    at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let mut game = fixture.game().await;
            let single = game.bat(AtBatResult::Single).await.at_bat_id;
            game.bat(AtBatResult::Bb).await;
            game.bat(AtBatResult::Hr).await;
            let (by, id, players) = (game.by.clone(), game.id.clone(), game.players.clone());
            let revision = game.revision();
            let change = AtBatChange {
                result: Some(AtBatResult::Out),
                player_id: Some(players[5].clone()),
                ..no_change(revision)
            };
            (fixture, by, id, single, change, players)
        },
        async |(fixture, by, id, single, change, _): &Corrected| {
            fixture.service.correct_at_bat(by, id, single, change).await.map(|_| ())
        },
        async |(fixture, by, id, _, change, players), is_done, fault| {
            let detail = fixture.service.game(by, id).await.unwrap();
            let is_written = detail.game.game.revision == change.revision + 1;
            assert!(is_written || !is_done, "{fault:?}");
            let state = detail.game.game.state.unwrap();
            let scored = detail.at_bats.iter().filter(|one| one.scored).count();
            let rbis: u8 = detail.at_bats.iter().map(|one| one.rbis).sum();
            let count = |player: &PlayerId| {
                detail.players.iter().find(|one| one.player_id == *player).unwrap().at_bat_count
            };
            let found = (
                (detail.game.game.team_score, scored, rbis, state.outs),
                (count(&players[0]), count(&players[5])),
            );
            let expected = if is_written { ((2, 2, 2, 1), (0, 1)) } else { ((3, 3, 3, 0), (1, 0)) };
            assert_eq!(found, expected, "{fault:?}");
            assert_eq!(detail.at_bats.len(), 3);
        },
    )
    .await;
}

/// A game with the at-bat and the correction of it.
type Corrected = (Fixture, Caller, GameId, AtBatId, AtBatChange, Vec<PlayerId>);
