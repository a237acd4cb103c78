//! How many there can be of everything, also when many are added at the same moment.

use crate::fixture::{Fixture, TestGame, code_of, new_player, new_team, no_change, play, user_id};
use crate::watched::watched;
use hacktracker::design::{
    AtBat, AtBatResult, InviteCode, Player, PlayerId, Role, Team, TeamId, TeamMember, User,
};
use hacktracker::error::Error;
use hacktracker::input::{
    AtBatChange, NewAtBat, NewGame, NewInsert, NewInvite, NewOwnPlayer, NewTeam, Positions,
    StatusChange,
};
use hacktracker::limits::{
    GAME_AT_BATS_MAX, GAMES_MAX, INVITES_MAX, LINKS_MAX, MEMBERS_MAX, PLAYER_AT_BATS_MAX,
    PLAYERS_MAX, SPRAY_MAX, TEAMS_MAX,
};
use hacktracker::rules::status::Verb;
use singlet::prelude::*;
use singlet_testing::{TestStore, at_once, on_every_backend, run};
use singlet_web::api::Paging;
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;

on_every_backend! {
    a_roster_is_full_for_all_who_add_at_once,
    the_last_game_goes_to_one,
    the_last_place_in_a_team_goes_to_one,
    the_last_team_of_a_user_is_created_once,
    the_last_link_of_a_user_is_made_once,
    the_last_invite_is_made_once,
    the_last_at_bat_of_a_player_is_recorded_once,
    counts_follow_everything_that_comes_and_goes,
}

/// How many callers there are at the same moment.
const CALLERS: usize = 4;

/// One of all succeeded, and the others got this problem.
fn check_one<T: std::fmt::Debug>(results: Vec<Result<T, Error>>, problem: &str) {
    let (done, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    let codes: Vec<&str> =
        refused.into_iter().map(|one| one.unwrap_err().problem_type().name).collect();
    assert_eq!((done.len(), codes), (1, vec![problem; CALLERS - 1]));
}

async fn stored_team(fixture: &Fixture, team_id: &TeamId) -> Team {
    fixture.service.db().get(Team::key(team_id).consistent()).await.unwrap().unwrap()
}

async fn stored_user(fixture: &Fixture, user: &Caller) -> User {
    let key = User::key(user_id(user)).consistent();
    fixture.service.db().get(key).await.unwrap().unwrap()
}

/// Sets the team's count of games.
async fn count_games(fixture: &Fixture, team_id: &TeamId, count: u32) {
    let counted = update(Team::key(team_id)).set(Team::GAME_COUNT, count);
    fixture.service.db().run(counted).await.unwrap();
}

async fn count_of_user(fixture: &Fixture, user: &Caller, teams: u32, players: u32) {
    let counted = update(User::key(user_id(user)))
        .set(User::TEAM_COUNT, teams)
        .set(User::PLAYER_COUNT, players);
    fixture.service.db().run(counted).await.unwrap();
}

async fn a_roster_is_full_for_all_who_add_at_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let add = async |count: usize| {
        let new = vec![new_player("More", None); count];
        fixture.service.add_players(&owner, &team.id, &new).await
    };
    for count in [25, 25, 25, 15] {
        add(count).await.unwrap();
    }
    assert_eq!(code_of(add(2).await), "roster-full");
    let added = at_once(CALLERS, |_| {
        let (service, owner, team_id) = (fixture.service.clone(), owner.clone(), team.id.clone());
        async move { service.add_players(&owner, &team_id, &[new_player("Last", None)]).await }
    });
    check_one(added.await, "roster-full");
    let roster = fixture.service.players(&owner, &team.id, &Paging::default()).await.unwrap().items;
    assert_eq!(roster.len(), PLAYERS_MAX as usize);
    // Who is removed makes room.
    fixture.service.remove_player(&owner, &team.id, &team.players[0]).await.unwrap();
    add(1).await.unwrap();
    assert_eq!(code_of(add(1).await), "roster-full");
}

async fn the_last_game_goes_to_one(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    count_games(&fixture, &team.id, GAMES_MAX - 1).await;
    let created = at_once(CALLERS, |_| {
        let (service, owner, team_id) = (fixture.service.clone(), owner.clone(), team.id.clone());
        async move { service.create_game(&owner, &team_id, &NewGame::default()).await }
    });
    let created = created.await;
    let game = created.iter().find_map(|one| one.as_ref().ok()).unwrap().game.game_id.clone();
    check_one(created, "too-many-games");
    assert_eq!(stored_team(&fixture, &team.id).await.game_count, GAMES_MAX);
    // A game that is deleted makes room, once.
    let deleted = at_once(2, |_| {
        let (service, owner, game) = (fixture.service.clone(), owner.clone(), game.clone());
        async move { service.delete_game(&owner, &game, None).await }
    });
    assert_eq!(deleted.await.iter().filter(|one| one.is_ok()).count(), 1);
    assert_eq!(stored_team(&fixture, &team.id).await.game_count, GAMES_MAX - 1);
    fixture.service.create_game(&owner, &team.id, &NewGame::default()).await.unwrap();
}

async fn invite(fixture: &Fixture, by: &Caller, team_id: &TeamId) -> InviteCode {
    let new = NewInvite { role: Role::Player, player_id: None };
    InviteCode::new(fixture.service.invite(by, team_id, &new).await.unwrap().code).unwrap()
}

async fn the_last_place_in_a_team_goes_to_one(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let db = fixture.service.db();
    let counted = update(Team::key(&team.id)).set(Team::MEMBER_COUNT, MEMBERS_MAX - 1);
    db.run(counted).await.unwrap();
    let mut invited = Vec::new();
    for number in 0..CALLERS {
        let user = fixture.user(&format!("user-{number}")).await;
        invited.push((user, invite(&fixture, &owner, &team.id).await));
    }
    let joined = at_once(CALLERS, |number| {
        let (service, team_id) = (fixture.service.clone(), team.id.clone());
        let (user, code) = invited[number].clone();
        async move { service.accept_invite(&user, &team_id, &code).await }
    });
    let joined = joined.await;
    let winner = joined.iter().position(Result::is_ok).unwrap();
    check_one(joined, "team-full");
    let members = db.query(TeamMember::members_of(&team.id).consistent()).all().await.unwrap();
    assert_eq!(members.len(), 2);
    // Who leaves makes room, and the invites that were refused are still good.
    let (winner, _) = &invited[winner];
    fixture.service.remove_member(winner, &team.id, &user_id(winner)).await.unwrap();
    let (next, code) = invited.iter().find(|(user, _)| user.subject != winner.subject).unwrap();
    fixture.service.accept_invite(next, &team.id, code).await.unwrap();
}

async fn the_last_team_of_a_user_is_created_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    count_of_user(&fixture, &owner, TEAMS_MAX - 1, 1).await;
    let created = at_once(CALLERS, |_| {
        let (service, owner) = (fixture.service.clone(), owner.clone());
        let new = new_team("Tin Roofs");
        async move { service.create_team(&owner, &new).await }
    });
    check_one(created.await, "too-many-teams");
    let teams = fixture.service.my_teams(&owner, &Paging::default()).await.unwrap().items;
    assert_eq!(teams.len(), 3);
    // Joining another one is refused, too.
    let pia = fixture.user("pia").await;
    count_of_user(&fixture, &pia, TEAMS_MAX, 1).await;
    let code = invite(&fixture, &owner, &team.id).await;
    let refused = fixture.service.accept_invite(&pia, &team.id, &code).await;
    assert_eq!(code_of(refused), "too-many-teams");
}

async fn the_last_link_of_a_user_is_made_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let pia = fixture.user("pia").await;
    let mut teams = Vec::new();
    for _ in 0..CALLERS {
        let team = fixture.team(&owner).await;
        let code = invite(&fixture, &owner, &team.id).await;
        fixture.service.accept_invite(&pia, &team.id, &code).await.unwrap();
        teams.push((team.id, team.players[0].clone()));
    }
    count_of_user(&fixture, &pia, 5, LINKS_MAX - 1).await;
    let linked = at_once(CALLERS, |number| {
        let (service, owner, pia) = (fixture.service.clone(), owner.clone(), user_id(&pia));
        let (team_id, player) = teams[number].clone();
        async move { service.link_player(&owner, &team_id, &player, &pia).await }
    });
    let linked = linked.await;
    let winner = linked.iter().position(Result::is_ok).unwrap();
    check_one(linked, "too-many-links");
    // Neither by an invite nor with a team of one's own.
    let (team_id, player_id) = teams.iter().enumerate().find(|(one, _)| *one != winner).unwrap().1;
    let new = NewInvite { role: Role::Player, player_id: Some(player_id.clone()) };
    let code = fixture.service.invite(&owner, team_id, &new).await.unwrap().code;
    let code = InviteCode::new(code).unwrap();
    let refused = fixture.service.accept_invite(&pia, team_id, &code).await;
    assert_eq!(code_of(refused), "too-many-links");
    let own = NewOwnPlayer { player_number: None, positions: Positions::default() };
    let new = NewTeam { player: Some(own), ..new_team("Tin Roofs") };
    assert_eq!(code_of(fixture.service.create_team(&pia, &new).await), "too-many-links");
    // Who unlinks an old player makes room.
    let (old_team, old_player) = &teams[winner];
    fixture.service.unlink_player(&pia, old_team, old_player).await.unwrap();
    fixture.service.accept_invite(&pia, team_id, &code).await.unwrap();
}

async fn the_last_invite_is_made_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    for _ in 1..INVITES_MAX {
        invite(&fixture, &owner, &team.id).await;
    }
    let made = at_once(CALLERS, |_| {
        let (service, owner, team_id) = (fixture.service.clone(), owner.clone(), team.id.clone());
        let new = NewInvite { role: Role::Player, player_id: None };
        async move { service.invite(&owner, &team_id, &new).await }
    });
    check_one(made.await, "too-many-invites");
    let page = fixture.service.team_page(&owner, &team.id).await.unwrap();
    assert_eq!(page.invites.len(), INVITES_MAX);
    // Expired ones do not count, whether the store has deleted them or not.
    fixture.clock.advance(7 * 24 * 3_600_000 + 1000);
    invite(&fixture, &owner, &team.id).await;
}

/// Sets the player's count of at-bats.
async fn count_at_bats(fixture: &Fixture, team_id: &TeamId, player_id: &PlayerId, count: u32) {
    let counted = update(Player::key(team_id, player_id)).set(Player::AT_BAT_COUNT, count);
    fixture.service.db().run(counted).await.unwrap();
}

fn bats(game: &TestGame<'_>, player: &PlayerId) -> NewAtBat {
    NewAtBat { player_id: Some(player.clone()), ..play(game.revision(), AtBatResult::Single) }
}

async fn the_last_at_bat_of_a_player_is_recorded_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let player = &team.players[0];
    let mut games = Vec::new();
    for _ in 0..CALLERS {
        games.push(fixture.started(&team, NewGame::default()).await);
    }
    count_at_bats(&fixture, &team.id, player, PLAYER_AT_BATS_MAX - 1).await;
    let recorded = at_once(CALLERS, |number| {
        let game = &games[number];
        let (service, by, id) = (fixture.service.clone(), game.by.clone(), game.id.clone());
        let new = bats(game, player);
        async move { service.record_at_bat(&by, &id, &new).await }
    });
    let recorded = recorded.await;
    let winner = recorded.iter().position(Result::is_ok).unwrap();
    check_one(recorded, "too-many-at-bats");
    // An at-bat of somebody else does not become one of this player either.
    let mut other = games.swap_remove(usize::from(winner == 0));
    let second = bats(&other, &team.players[1]);
    let at_bat = other.record(second).await.unwrap().at_bat.unwrap();
    let change = AtBatChange { player_id: Some(player.clone()), ..no_change(0) };
    assert_eq!(code_of(other.correct(&at_bat.at_bat_id, change).await), "too-many-at-bats");
}

async fn counts_follow_everything_that_comes_and_goes(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let pia = fixture.member(&team, "pia", Role::Player).await;
    let omar = fixture.member(&team, "omar", Role::Owner).await;
    let service = &fixture.service;
    let counts = async || {
        let team = stored_team(&fixture, &team.id).await;
        (team.owner_count, team.member_count, team.player_count, team.game_count)
    };
    assert_eq!(counts().await, (2, 3, 9, 0));
    let of_pia = async || {
        let user = stored_user(&fixture, &pia).await;
        (user.team_count, user.player_count)
    };
    assert_eq!(of_pia().await, (2, 1));
    service.link_player(&owner, &team.id, &team.players[8], &user_id(&pia)).await.unwrap();
    // Repeated it counts nothing.
    service.link_player(&owner, &team.id, &team.players[8], &user_id(&pia)).await.unwrap();
    assert_eq!(of_pia().await, (2, 2));
    let mut game = fixture.started(&team, NewGame::default()).await;
    service.remove_player(&owner, &team.id, &team.players[7]).await.unwrap();
    service.remove_player(&owner, &team.id, &team.players[7]).await.unwrap();
    assert_eq!(counts().await, (2, 3, 8, 1));
    // Who leaves stays linked.
    service.remove_member(&pia, &team.id, &user_id(&pia)).await.unwrap();
    service.remove_member(&omar, &team.id, &user_id(&omar)).await.unwrap();
    assert_eq!((counts().await, of_pia().await), ((1, 1, 8, 1), (1, 2)));
    service.unlink_player(&pia, &team.id, &team.players[8]).await.unwrap();
    service.unlink_player(&owner, &team.id, &team.players[8]).await.unwrap();
    assert_eq!(of_pia().await, (1, 1));
    // At-bats are counted with their players, through corrections, undo and removal.
    let at_bats = async || {
        let mut counts = Vec::new();
        for player in &team.players[..3] {
            let key = Player::key(&team.id, player).consistent();
            counts.push(service.db().get(key).await.unwrap().unwrap().at_bat_count);
        }
        counts
    };
    let first = game.bat(AtBatResult::Single).await.at_bat_id;
    game.bat(AtBatResult::Bb).await;
    assert_eq!(at_bats().await, [1, 1, 0]);
    let other = AtBatChange { player_id: Some(team.players[2].clone()), ..no_change(0) };
    game.correct(&first, other).await.unwrap();
    assert_eq!(at_bats().await, [0, 1, 1]);
    game.undo().await.unwrap();
    assert_eq!(at_bats().await, [0, 0, 1]);
    game.remove(&first).await.unwrap();
    assert_eq!(at_bats().await, [0, 0, 0]);
    // Who has no at-bat any more can be removed.
    service.remove_player(&owner, &team.id, &team.players[2]).await.unwrap();
}

/// A lineup may name a player who was removed since.
#[test]
fn who_is_not_on_the_roster_any_more_does_not_bat() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let mut game = fixture.game().await;
        let (owner, team_id) = (game.by.clone(), game.game.game.team_id.clone());
        fixture.service.remove_player(&owner, &team_id, &game.players[0]).await.unwrap();
        let new = play(game.revision(), AtBatResult::Single);
        // The scorer has named nobody: it is the lineup that must change.
        assert_eq!(code_of(game.record(new).await), "lineup-invalid");
        let others = game.players[1..].to_vec();
        game.lineup(&others).await.unwrap();
        assert_eq!(game.bat(AtBatResult::Single).await.player_id, others[0]);
        // Who is inserted need not be in the lineup, but on the roster.
        let insert = Some(NewInsert { inning: 1, after: None });
        let player_id = Some(game.players[0].clone());
        let new = NewAtBat { insert, player_id, ..play(game.revision(), AtBatResult::Single) };
        let refused = game.record(new).await.unwrap_err();
        let Error::Problem(problem) = refused else { panic!("{refused}") };
        assert_eq!(problem.field_errors().len(), 1);
        assert_eq!(problem.field_errors()[0].field, "/playerId");
    });
}

/// Sixty at-bats fill an inning, and five hundred a game.
#[test]
fn a_game_has_five_hundred_at_bats() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let owner = fixture.user("stella").await;
        let service = &fixture.service;
        let team = service
            .my_teams(&owner, &Paging::default())
            .await
            .unwrap()
            .items
            .remove(0)
            .team
            .team_id;
        let game = service.create_game(&owner, &team, &NewGame::default()).await.unwrap();
        let (id, revision) = (game.game.game_id, game.game.revision);
        let start = StatusChange { revision, scheduled_start: None };
        let mut revision = service
            .change_status(&owner, &id, Verb::Start, &start)
            .await
            .unwrap()
            .game
            .game
            .revision;
        let mut record = async |inning: u8| {
            let new = NewAtBat { inning: Some(inning), ..play(revision, AtBatResult::Single) };
            let recorded = service.record_at_bat(&owner, &id, &new).await;
            revision += u64::from(recorded.is_ok());
            recorded
        };
        for number in 0..GAME_AT_BATS_MAX {
            record(u8::try_from(number / 60 + 1).unwrap()).await.unwrap();
        }
        assert_eq!(code_of(record(1).await), "half-full");
        assert_eq!(code_of(record(30).await), "game-full");
        let career = service.career(&owner, None, None).await.unwrap();
        assert_eq!((career.stats.line.pa, career.stats.line.g), (500, 1));
    });
}

/// A career of more points than a spray chart shows.
#[test]
fn a_career_shows_its_newest_points_and_counts_all_at_bats() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let owner = fixture.user("stella").await;
        let service = &fixture.service;
        let own = service.my_teams(&owner, &Paging::default()).await.unwrap().items.remove(0);
        let game =
            service.create_game(&owner, &own.team.team_id, &NewGame::default()).await.unwrap();
        let place = hacktracker::design::HitLocation { x: 0.5, y: 0.5 };
        let mut batch = service.db().batch();
        for number in 0..SPRAY_MAX + 10 {
            let is_old = number < 10;
            let at_bat = AtBat {
                game_id: game.game.game_id.clone(),
                at_bat_id: format!("{number:06}").parse().unwrap(),
                player_id: own.player_id.clone().unwrap(),
                team_id: own.team.team_id.clone(),
                inning: 1,
                outs: 0,
                result: if is_old { AtBatResult::Hr } else { AtBatResult::Out },
                rbis: 0,
                hit_location: Some(place),
                hit_type: None,
                batting_order: None,
                slot_up: None,
                sequence: 1,
                moves: Vec::new(),
                scored: false,
                created_at: service.db().now(),
                updated_at: service.db().now(),
            };
            batch.put(&at_bat).unwrap();
        }
        batch.run().await.unwrap();
        let career = service.career(&owner, None, None).await.unwrap();
        assert_eq!(
            (career.stats.line.pa as usize, career.stats.line.home_runs),
            (SPRAY_MAX + 10, 10)
        );
        assert_eq!(career.stats.spray.len(), SPRAY_MAX);
        assert!(career.stats.spray.iter().all(|point| point.result == AtBatResult::Out));
    });
}

/// Teams that were purged are not looked at again.
#[test]
fn the_daily_job_looks_at_a_deleted_team_once() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let owner = fixture.user("nora").await;
        for _ in 0..3 {
            let team = fixture.team(&owner).await;
            fixture.service.delete_team(&owner, &team.id).await.unwrap();
        }
        fixture.clock.advance(30 * 24 * 3_600_000);
        let (job, watch) = watched(&fixture.store);
        assert_eq!(job.purge_deleted_teams(|| Ok(())).await.unwrap(), 3);
        let first = watch.operations();
        assert_eq!(first.iter().filter(|one| **one == "Query").count(), 1 + 3 * 2, "{first:?}");
        assert_eq!(job.purge_deleted_teams(|| Ok(())).await.unwrap(), 0);
        assert_eq!(watch.operations(), ["Query"]);
        // The teams do not count any more.
        assert_eq!(stored_user(&fixture, &owner).await.team_count, 1);
    });
}

/// A team with its members, its roster and its invites.
#[test]
fn the_page_of_a_team_is_one_query() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let owner = fixture.user("nora").await;
        let team = fixture.team(&owner).await;
        fixture.member(&team, "pia", Role::Player).await;
        invite(&fixture, &owner, &team.id).await;
        let (service, watch) = watched(&fixture.store);
        let page = service.team_page(&owner, &team.id).await.unwrap();
        assert_eq!((page.members.len(), page.players.len(), page.invites.len()), (2, 9, 1));
        // The other two are the membership and the team, for authorization.
        assert_eq!(watch.operations(), ["GetItem", "GetItem", "Query"]);
    });
}
