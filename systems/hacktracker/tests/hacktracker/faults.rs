//! Requests to the store that fail: all of an operation is done, or nothing.

use crate::fixture::{Fixture, TestTeam, caller, new_player, new_user, no_change, play, user_id};
use hacktracker::design::{
    AtBatId, AtBatResult, GameId, InviteCode, Membership, Player, PlayerId, PlayerNumber,
    PlayerStatus, Role, Team, TeamMember, User, UserId,
};
use hacktracker::input::{AtBatChange, MemberChange, NewGame, NewInvite, NewOwnPlayer, NewTeam};
use singlet_testing::{Fault, TestStore, at_every_request};
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
            assert_eq!(usize::try_from(page.team.player_count).unwrap(), count, "{fault:?}");
            let numbers = PlayerNumber::numbers_of(&team.id).consistent();
            let numbers = fixture.service.db().query(numbers).all().await.unwrap();
            let taken: Vec<u8> = numbers.iter().map(|one| one.player_number).collect();
            let expected = (1..=9).chain([20, 21].into_iter().filter(|_| count == 12));
            assert_eq!(taken, expected.collect::<Vec<u8>>(), "{fault:?}");
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
            let counts = (page.team.owner_count, page.team.member_count);
            let expected = if is_gone { (1, (1, 1)) } else { (2, (2, 2)) };
            assert_eq!((teams, counts), expected, "{fault:?}");
            let user = User::key(user_id(second)).consistent();
            let user = fixture.service.db().get(user).await.unwrap().unwrap();
            assert_eq!(user.team_count, if is_gone { 1 } else { 2 }, "{fault:?}");
            // The player stays linked, and does not play.
            let player = page.players.iter().find(|one| one.player_id == team.players[0]).unwrap();
            let status = if is_gone { PlayerStatus::Inactive } else { PlayerStatus::Active };
            assert_eq!((player.status, player.is_ghost), (status, false), "{fault:?}");
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
            let count = games.items.len();
            assert!(count == 1 || (count == 0 && !is_done), "{fault:?}: {count} games");
            let team = Team::key(&team.id).consistent();
            let team = fixture.service.db().get(team).await.unwrap().unwrap();
            assert_eq!(usize::try_from(team.game_count).unwrap(), count, "{fault:?}");
        },
    )
    .await;
}

/// Everything that joining a team and being linked to its first player write.
#[derive(Debug, PartialEq)]
struct Links {
    /// The membership, and the player that it names.
    membership: Option<Option<PlayerId>>,
    is_listed: bool,
    /// Whom the player names.
    player_user: Option<UserId>,
    is_ghost: bool,
    /// What GSI4 has besides the player of the PERSONAL team.
    players_in_index: usize,
    open_invites: usize,
    team_members: u32,
    /// Teams and players of the user.
    user_counts: (u32, u32),
}

impl Links {
    async fn read(fixture: &Fixture, team: &TestTeam, user: &Caller) -> Self {
        let (db, id) = (fixture.service.db(), user_id(user));
        let membership = db.get(Membership::key(&id, &team.id).consistent()).await.unwrap();
        let member = db.get(TeamMember::key(&team.id, &id).consistent()).await.unwrap();
        let player = Player::key(&team.id, &team.players[0]).consistent();
        let player = db.get(player).await.unwrap().unwrap();
        let of_user = db.query(Player::of_user(&id)).all().await.unwrap();
        let page = fixture.service.team_page(&team.owner, &team.id).await.unwrap();
        let user = db.get(User::key(&id).consistent()).await.unwrap().unwrap();
        Self {
            membership: membership.map(|one| one.player_id),
            is_listed: member.is_some(),
            player_user: player.user_id,
            is_ghost: player.is_ghost,
            players_in_index: of_user.iter().filter(|one| one.team_id == team.id).count(),
            open_invites: page.invites.len(),
            team_members: page.team.member_count,
            user_counts: (user.team_count, user.player_count),
        }
    }

    /// Somebody who is no member, and has an invite.
    fn invited() -> Self {
        Self {
            membership: None,
            is_listed: false,
            player_user: None,
            is_ghost: true,
            players_in_index: 0,
            open_invites: 1,
            team_members: 1,
            user_counts: (1, 1),
        }
    }

    /// A member without a player.
    fn joined() -> Self {
        Self {
            membership: Some(None),
            is_listed: true,
            open_invites: 0,
            team_members: 2,
            user_counts: (2, 1),
            ..Self::invited()
        }
    }

    /// A member who is the first player.
    fn linked(team: &TestTeam, user: &Caller) -> Self {
        Self {
            membership: Some(Some(team.players[0].clone())),
            player_user: Some(user_id(user)),
            is_ghost: false,
            players_in_index: 1,
            user_counts: (2, 2),
            ..Self::joined()
        }
    }

    /// The operation has done everything, or nothing if it failed.
    fn check(&self, [before, after]: [&Self; 2], is_done: bool, fault: Fault) {
        assert!(self == after || (self == before && !is_done), "{fault:?}: {self:#?}");
    }
}

/// A team and somebody who is a member of it, but no player.
async fn team_with_member(store: TestStore) -> (Fixture, TestTeam, Caller) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let pia = fixture.member(&team, "pia", Role::Player).await;
    (fixture, team, pia)
}

#[tokio::test]
async fn an_invite_is_accepted_with_everything_or_not_at_all() {
    at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let owner = fixture.user("nora").await;
            let team = fixture.team(&owner).await;
            let kim = fixture.user("kim").await;
            let player_id = Some(team.players[0].clone());
            let new = NewInvite { role: Role::Player, player_id };
            let invite = fixture.service.invite(&owner, &team.id, &new).await.unwrap();
            (fixture, team, kim, InviteCode::new(invite.code).unwrap())
        },
        async |(fixture, team, kim, code): &(Fixture, TestTeam, Caller, InviteCode)| {
            fixture.service.accept_invite(kim, &team.id, code).await.map(|_| ())
        },
        async |(fixture, team, kim, _), is_done, fault| {
            let (before, after) = (Links::invited(), Links::linked(team, kim));
            let links = Links::read(fixture, team, kim).await;
            links.check([&before, &after], is_done, fault);
        },
    )
    .await;
}

#[tokio::test]
async fn a_player_is_linked_on_both_sides_or_on_none() {
    at_every_request(
        team_with_member,
        async |(fixture, team, pia): &(Fixture, TestTeam, Caller)| {
            let (player, user) = (&team.players[0], user_id(pia));
            let linked = fixture.service.link_player(&team.owner, &team.id, player, &user);
            linked.await.map(|_| ())
        },
        async |(fixture, team, pia), is_done, fault| {
            let (before, after) = (Links::joined(), Links::linked(team, pia));
            let links = Links::read(fixture, team, pia).await;
            links.check([&before, &after], is_done, fault);
        },
    )
    .await;
}

#[tokio::test]
async fn a_player_is_unlinked_on_both_sides_or_on_none() {
    at_every_request(
        async |store: TestStore| {
            let (fixture, team, pia) = team_with_member(store).await;
            let (player, user) = (&team.players[0], user_id(&pia));
            let linked = fixture.service.link_player(&team.owner, &team.id, player, &user);
            linked.await.unwrap();
            (fixture, team, pia)
        },
        async |(fixture, team, pia): &(Fixture, TestTeam, Caller)| {
            fixture.service.unlink_player(pia, &team.id, &team.players[0]).await
        },
        async |(fixture, team, pia), is_done, fault| {
            let (before, after) = (Links::linked(team, pia), Links::joined());
            let links = Links::read(fixture, team, pia).await;
            links.check([&before, &after], is_done, fault);
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
