//! PERSONAL teams are labels: several per user, to filter one's statistics.

use crate::fixture::{Fixture, code_of, eventually, new_team, play, user_id};
use hacktracker::design::{AtBatResult, HackTracker, Role, Team, TeamId, TeamType};
use hacktracker::input::{
    NewAtBat, NewGame, NewInvite, NewTeam, StatusChange, TeamChange, UserChange,
};
use hacktracker::limits::PERSONAL_TEAMS_MAX;
use hacktracker::rules::status::Verb;
use singlet::dynamo::operation::PutItem;
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::api::Paging;
use singlet_web::identity::Caller;

on_every_backend! {
    labels_are_added_renamed_deleted_and_recovered,
    a_user_keeps_one_label_and_has_at_most_ten,
    a_career_is_filtered_by_label_and_season,
    linked_players_follow_the_name_of_their_user,
    labels_of_older_versions_are_counted,
}

async fn label(fixture: &Fixture, user: &Caller, name: &str) -> Team {
    let new = NewTeam { team_type: TeamType::Personal, ..new_team(name) };
    fixture.service.create_team(user, &new).await.unwrap()
}

async fn labels_are_added_renamed_deleted_and_recovered(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let stella = fixture.user("stella").await;
    let office = label(&fixture, &stella, "Office league").await;
    assert_eq!((office.team_type, office.player_count), (TeamType::Personal, 1));
    let page = service.team_page(&stella, &office.team_id).await.unwrap();
    let [player] = page.players.as_slice() else { panic!("one player") };
    assert_eq!((player.is_ghost, player.user_id.clone()), (false, Some(user_id(&stella))));
    let renamed = TeamChange { name: Some("Works team".parse().unwrap()), ..TeamChange::default() };
    let renamed = service.change_team(&stella, &office.team_id, &renamed).await.unwrap();
    assert_eq!(renamed.name, "Works team");
    let invite = NewInvite { role: Role::Player, player_id: None };
    let invite = service.invite(&stella, &office.team_id, &invite).await;
    assert_eq!(code_of(invite), "personal-team");
    for _ in 0..2 {
        service.delete_team(&stella, &office.team_id).await.unwrap();
    }
    assert_eq!(code_of(service.team_page(&stella, &office.team_id).await), "team-deleted");
    for _ in 0..2 {
        service.recover_team(&stella, &office.team_id).await.unwrap();
    }
    assert_eq!(service.my_teams(&stella, &Paging::default()).await.unwrap().items.len(), 2);
    assert_eq!(service.my_user(&stella).await.unwrap().personal_count, 2);
}

async fn a_user_keeps_one_label_and_has_at_most_ten(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let stella = fixture.user("stella").await;
    let first =
        service.my_teams(&stella, &Paging::default()).await.unwrap().items.remove(0).team.team_id;
    assert_eq!(code_of(service.delete_team(&stella, &first).await), "personal-team");
    let second = label(&fixture, &stella, "Office league").await.team_id;
    // Two at once: one stays.
    let both: [TeamId; 2] = [first, second];
    let deleted = at_once(2, |number| {
        let (service, stella, team) = (service.clone(), stella.clone(), both[number].clone());
        async move { service.delete_team(&stella, &team).await }
    });
    assert_eq!(deleted.await.iter().filter(|one| one.is_ok()).count(), 1);
    for number in 1..PERSONAL_TEAMS_MAX {
        label(&fixture, &stella, &format!("Label {number}")).await;
    }
    let eleventh = NewTeam { team_type: TeamType::Personal, ..new_team("One more") };
    assert_eq!(code_of(service.create_team(&stella, &eleventh).await), "too-many-teams");
    let teams = service.my_teams(&stella, &Paging::default()).await.unwrap().items;
    let deleted = teams.iter().find(|one| one.team.deleted_at.is_some()).unwrap();
    let recovered = service.recover_team(&stella, &deleted.team.team_id).await;
    assert_eq!(code_of(recovered), "too-many-teams");
    service.create_team(&stella, &new_team("Managed ones do not count")).await.unwrap();
}

async fn a_career_is_filtered_by_label_and_season(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let stella = fixture.user("stella").await;
    let first =
        service.my_teams(&stella, &Paging::default()).await.unwrap().items.remove(0).team.team_id;
    let office = label(&fixture, &stella, "Office league").await.team_id;
    for (team, season, results) in [
        (&first, "2026-spring", &[AtBatResult::Single][..]),
        (&first, "2026-fall", &[AtBatResult::Out, AtBatResult::Hr]),
        (&office, "2026-fall", &[AtBatResult::Bb, AtBatResult::K, AtBatResult::Double]),
    ] {
        let new = NewGame { season_id: Some(season.parse().unwrap()), ..NewGame::default() };
        let game = service.create_game(&stella, team, &new).await.unwrap().game.game_id;
        let start = StatusChange { revision: 1, scheduled_start: None };
        service.change_status(&stella, &game, Verb::Start, &start).await.unwrap();
        for (result, revision) in results.iter().zip(2..) {
            let new = NewAtBat { inning: Some(1), ..play(revision, *result) };
            service.record_at_bat(&stella, &game, &new).await.unwrap();
        }
    }
    let pa = async |team: Option<&TeamId>, season: Option<&str>| {
        service.career(&stella, team, season).await.unwrap().stats.line.pa
    };
    eventually(async || (pa(None, None).await == 6).then_some(())).await;
    assert_eq!(pa(Some(&office), None).await, 3);
    assert_eq!(pa(None, Some("2026-fall")).await, 5);
    assert_eq!(pa(Some(&first), Some("2026-fall")).await, 2);
    assert_eq!(pa(Some(&office), Some("2026-spring")).await, 0);
    let fall = service.career(&stella, Some(&first), Some("2026-fall")).await.unwrap();
    let [team] = fall.teams.as_slice() else { panic!("one team") };
    assert_eq!((team.team.name.as_str(), team.line.home_runs), ("Personal Stats", 1));
    assert_eq!(fall.stats.games.len(), 1);
    let stranger = fixture.user("nora").await;
    let other = service.career(&stranger, Some(&office), None).await;
    assert_eq!(code_of(other), "team-not-found");
}

/// Before there were several labels, users had no count of them: a second one was refused.
async fn labels_of_older_versions_are_counted(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let stella = fixture.user("stella").await;
    let first =
        service.my_teams(&stella, &Paging::default()).await.unwrap().items.remove(0).team.team_id;
    let forget_count = async || {
        let items = fixture.items().await;
        let mut user = items.into_iter().find(|item| item.get("personalCount").is_some()).unwrap();
        user.remove("personalCount");
        let db = service.db();
        db.execute(PutItem::new(db.table_name::<HackTracker>(), user)).await.unwrap();
    };
    forget_count().await;
    assert_eq!(service.my_user(&stella).await.unwrap().personal_count, 1);
    forget_count().await;
    assert_eq!(code_of(service.delete_team(&stella, &first).await), "personal-team");
    forget_count().await;
    let second = label(&fixture, &stella, "Office league").await;
    assert_eq!(service.my_user(&stella).await.unwrap().personal_count, 2);
    forget_count().await;
    service.delete_team(&stella, &second.team_id).await.unwrap();
    forget_count().await;
    service.recover_team(&stella, &second.team_id).await.unwrap();
    assert_eq!(service.my_user(&stella).await.unwrap().personal_count, 2);
}

async fn linked_players_follow_the_name_of_their_user(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let nora = fixture.user("nora").await;
    let team = fixture.team(&nora).await;
    // The roster has another name for this one.
    service.link_player(&nora, &team.id, &team.players[0], &user_id(&nora)).await.unwrap();
    let own = service.my_teams(&nora, &Paging::default()).await.unwrap().items;
    let own = own.into_iter().find(|one| one.team.team_type == TeamType::Personal).unwrap();
    let change = UserChange {
        first_name: Some("Eleonora".parse().unwrap()),
        last_name: Some("Vance".parse().unwrap()),
        ..UserChange::default()
    };
    let changed = service.change_my_user(&nora, &change).await.unwrap();
    assert_eq!(service.my_user(&nora).await.unwrap(), changed);
    let player = service.player(&nora, &own.team.team_id, &own.player_id.unwrap()).await.unwrap();
    assert_eq!(
        (player.first_name.as_str(), player.last_name.as_deref()),
        ("Eleonora", Some("Vance"))
    );
    let player = service.player(&nora, &team.id, &team.players[0]).await.unwrap();
    assert_eq!((player.first_name.as_str(), player.last_name), ("Ortiz", None));
}
