//! Deleted teams, and careers that outlive them.

use crate::fixture::{Fixture, code_of, play, user_id};
use hacktracker::design::{AtBatResult, Membership, Role, Team, TeamMember};
use hacktracker::input::{NewAtBat, NewGame};
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::api::Paging;

on_every_backend! {
    case_22_a_deleted_team_comes_back,
    after_thirty_days_a_deleted_team_has_no_members,
}

const HOUR: i64 = 3_600_000;

async fn case_22_a_deleted_team_comes_back(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let service = &fixture.service;
    let pia = fixture.member(&team, "pia", Role::Player).await;
    service.link_player(&owner, &team.id, &team.players[0], &user_id(&pia)).await.unwrap();
    let mut game = fixture.started(&team, NewGame::default()).await;
    for _ in 0..6 {
        let entry = NewAtBat {
            player_id: Some(team.players[0].clone()),
            ..play(game.revision(), AtBatResult::Single)
        };
        game.record(entry).await.unwrap();
    }
    let before = fixture.items().await.len();
    let page = service.team_page(&owner, &team.id).await.unwrap();
    service.delete_team(&owner, &team.id).await.unwrap();
    // Repeated it does nothing.
    service.delete_team(&owner, &team.id).await.unwrap();
    for member in [&owner, &pia] {
        assert_eq!(code_of(service.team_page(member, &team.id).await), "team-deleted");
        assert_eq!(code_of(service.game(member, &game.id).await), "team-deleted");
    }
    // Owners see it in their list, with the date until which they can recover it.
    let listed = async |caller| {
        let teams = service.my_teams(caller, &Paging::default()).await.unwrap().items;
        teams.into_iter().find(|one| one.team.team_id == team.id)
    };
    assert!(listed(&owner).await.unwrap().recoverable_until.is_some());
    assert_eq!(listed(&pia).await, None);
    let career = service.career(&pia, None, None).await.unwrap();
    assert_eq!(career.stats.line.pa, 6);
    assert!(career.teams.iter().any(|one| one.is_deleted && one.team.name == "Copper Kettles"));
    fixture.clock.advance(30 * 24 * HOUR - HOUR);
    assert_eq!(code_of(service.recover_team(&pia, &team.id).await), "forbidden");
    service.recover_team(&owner, &team.id).await.unwrap();
    service.recover_team(&owner, &team.id).await.unwrap();
    let back = service.team_page(&owner, &team.id).await.unwrap();
    let mut expected = page.team;
    expected.updated_at = back.team.updated_at;
    assert_eq!((back.team, back.members, back.players), (expected, page.members, page.players));
    assert_eq!(fixture.items().await.len(), before);
    assert_eq!(service.career(&pia, None, None).await.unwrap().stats.line.pa, 6);
    // After thirty days it is too late.
    service.delete_team(&owner, &team.id).await.unwrap();
    fixture.clock.advance(30 * 24 * HOUR);
    assert_eq!(code_of(service.recover_team(&owner, &team.id).await), "recovery-expired");
}

async fn after_thirty_days_a_deleted_team_has_no_members(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let kept = fixture.team(&owner).await;
    let service = &fixture.service;
    let pia = fixture.member(&team, "pia", Role::Player).await;
    service.link_player(&owner, &team.id, &team.players[0], &user_id(&pia)).await.unwrap();
    let mut game = fixture.started(&team, NewGame::default()).await;
    game.bat(AtBatResult::Hr).await;
    service.delete_team(&owner, &team.id).await.unwrap();
    fixture.clock.advance(30 * 24 * HOUR - 1000);
    assert_eq!(service.purge_deleted_teams(|| Ok(())).await.unwrap(), 0);
    fixture.clock.advance(1000);
    assert_eq!(service.purge_deleted_teams(|| Ok(())).await.unwrap(), 2);
    assert_eq!(service.purge_deleted_teams(|| Ok(())).await.unwrap(), 0);
    assert_eq!(code_of(service.recover_team(&owner, &team.id).await), "team-not-found");
    let db = service.db();
    let members = db.query(TeamMember::members_of(&team.id).consistent()).all().await.unwrap();
    assert_eq!(members, []);
    let key = Membership::key(user_id(&pia), &team.id).consistent();
    assert_eq!(db.get(key).await.unwrap(), None);
    // Team, players, games and at-bats stay, and so does the career.
    assert!(db.get(Team::key(&team.id)).await.unwrap().is_some());
    assert_eq!(service.career(&pia, None, None).await.unwrap().stats.line.home_runs, 1);
    assert!(service.team_page(&owner, &kept.id).await.is_ok());
}
