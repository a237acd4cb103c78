//! Requests to the store that fail: all of an operation is done, or nothing.

use crate::fixture::{Fixture, TestTeam, caller, new_player, new_user, play, user_id};
use singlet_hacktracker::design::{AtBatResult, GameId, Player, Role};
use singlet_hacktracker::input::{NewGame, NewOwnPlayer, NewTeam};
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
async fn a_team_is_created_with_its_owner_or_not_at_all() {
    at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let owner = fixture.user("nora").await;
            (fixture, owner)
        },
        async |(fixture, owner): &(Fixture, Caller)| {
            let own = NewOwnPlayer { player_number: Some(7), positions: Vec::new() };
            let new = NewTeam { name: "Tin Roofs".into(), description: None, player: Some(own) };
            fixture.service.create_team(owner, &new).await.map(|_| ())
        },
        async |(fixture, owner), is_done, fault| {
            // Team, membership, member, player and number, besides the five of the user.
            let count = fixture.items().await.len();
            assert!(count == 10 || (count == 5 && !is_done), "{fault:?}: {count} items");
            let teams = fixture.service.my_teams(owner).await.unwrap().items.len();
            assert_eq!(teams, if count == 10 { 2 } else { 1 });
        },
    )
    .await;
}

#[tokio::test]
async fn players_are_added_all_or_none() {
    at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let owner = fixture.user("nora").await;
            let team = fixture.team(&owner).await;
            (fixture, team)
        },
        async |(fixture, team): &(Fixture, TestTeam)| {
            let new = [new_player("A", Some(20)), new_player("B", Some(21)), new_player("C", None)];
            fixture.service.add_players(&team.owner, &team.id, &new).await.map(|_| ())
        },
        async |(fixture, team), is_done, fault| {
            let page = fixture.service.team_page(&team.owner, &team.id).await.unwrap();
            let count = page.players.len();
            assert!(count == 12 || (count == 9 && !is_done), "{fault:?}: {count} players");
        },
    )
    .await;
}

#[tokio::test]
async fn an_at_bat_is_recorded_with_everything_or_not_at_all() {
    at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let mut game = fixture.game().await;
            for _ in 0..3 {
                game.bat(AtBatResult::Bb).await;
            }
            let (by, id, revision) = (game.by.clone(), game.id.clone(), game.revision());
            (fixture, by, id, revision)
        },
        async |(fixture, by, id, revision): &(Fixture, Caller, GameId, u64)| {
            let homer = play(*revision, AtBatResult::Hr);
            fixture.service.record_at_bat(by, id, &homer).await.map(|_| ())
        },
        async |(fixture, by, id, revision), is_done, fault| {
            let detail = fixture.service.game(by, id).await.unwrap();
            let is_written = detail.game.game.revision == revision + 1;
            assert!(is_written || !is_done, "{fault:?}");
            let scored = detail.at_bats.iter().filter(|one| one.scored).count();
            let expected = if is_written { (4, 4, 4) } else { (3, 0, 0) };
            let runs = detail.game.game.team_score;
            assert_eq!((detail.at_bats.len(), runs, scored), expected, "{fault:?}");
            let batted = detail.players.iter().filter(|one| one.batted == Some(true)).count();
            assert_eq!(batted, detail.at_bats.len());
            // Sent again after a lost answer it is refused, and there is one at-bat.
            let homer = play(*revision, AtBatResult::Hr);
            let again = fixture.service.record_at_bat(by, id, &homer).await;
            assert_eq!(again.is_ok(), !is_written);
            assert_eq!(fixture.service.game(by, id).await.unwrap().at_bats.len(), 4);
        },
    )
    .await;
}

#[tokio::test]
async fn who_leaves_is_gone_from_both_sides_or_from_none() {
    at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let owner = fixture.user("nora").await;
            let team = fixture.team(&owner).await;
            let second = fixture.member(&team, "omar", Role::Owner).await;
            let id = user_id(&second);
            fixture.service.link_player(&owner, &team.id, &team.players[0], &id).await.unwrap();
            (fixture, team, second)
        },
        async |(fixture, team, second): &(Fixture, TestTeam, Caller)| {
            fixture.service.remove_member(second, &team.id, &user_id(second)).await
        },
        async |(fixture, team, second), is_done, fault| {
            let page = fixture.service.team_page(&team.owner, &team.id).await.unwrap();
            let is_gone = page.members.len() == 1;
            assert!(is_gone || !is_done, "{fault:?}");
            let teams = fixture.service.my_teams(second).await.unwrap().items.len();
            let owners = page.team.owner_count;
            assert_eq!((teams, owners), if is_gone { (1, 1) } else { (2, 2) }, "{fault:?}");
        },
    )
    .await;
}

#[tokio::test]
async fn a_game_is_created_or_not() {
    at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let owner = fixture.user("nora").await;
            let team = fixture.team(&owner).await;
            (fixture, team)
        },
        async |(fixture, team): &(Fixture, TestTeam)| {
            let new = NewGame::default();
            fixture.service.create_game(&team.owner, &team.id, &new).await.map(|_| ())
        },
        async |(fixture, team), is_done, fault| {
            let games = fixture.service.schedule(&team.owner, &team.id, None).await.unwrap();
            assert!(games.items.len() == 1 || !is_done, "{fault:?}");
        },
    )
    .await;
}
