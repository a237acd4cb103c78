//! Operations that no acceptance case is about, on every backend.

use crate::fixture::{Fixture, code_of, eventually, play, user_id};
use hacktracker::design::{AtBatResult, HitLocation, InviteCode, Role};
use hacktracker::input::{NewAtBat, NewGame, NewInvite, PlayerChange, TeamChange, UserChange};
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::api::{Change, Paging};
use std::collections::BTreeSet;

on_every_backend! {
    profiles_are_read_and_changed,
    a_team_is_shown_and_changed,
    invites_are_listed_and_withdrawn,
    statistics_are_by_season_game_and_player,
    players_edit_their_own_names,
}

async fn profiles_are_read_and_changed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let nora = crate::fixture::caller("nora");
    assert_eq!(code_of(service.my_user(&nora).await), "user-not-found");
    let change =
        UserChange { first_name: Some(" Nora ".parse().unwrap()), ..UserChange::default() };
    assert_eq!(code_of(service.change_my_user(&nora, &change).await), "user-not-found");
    let nora = fixture.user("nora").await;
    let changed = service.change_my_user(&nora, &change).await.unwrap();
    assert_eq!((changed.first_name.as_str(), changed.phone_number), ("Nora", None));
    let read = service.my_user(&nora).await.unwrap();
    assert_eq!(read.user_id, user_id(&nora));
    let mut ada = fixture.user("ada").await;
    let paging = Paging::default();
    assert_eq!(code_of(service.list_users(&ada, &paging).await), "forbidden");
    ada.groups.insert("Admin".to_owned());
    let users = eventually(async || {
        let users = service.list_users(&ada, &paging).await.unwrap().items;
        (users.len() == 2).then_some(users)
    });
    let ids: BTreeSet<_> = users.await.into_iter().map(|user| user.user_id).collect();
    assert_eq!(ids, BTreeSet::from([user_id(&nora), user_id(&ada)]));
    // Both have a personal team, and no game.
    let teams = eventually(async || {
        let teams = service.list_teams(&ada, &paging).await.unwrap().items;
        (teams.len() == 2).then_some(teams)
    });
    let teams = teams.await;
    assert!(teams.iter().all(|team| team.name == "Personal Stats"));
    assert!(service.list_games(&ada, &paging).await.unwrap().items.is_empty());
    let own = teams.into_iter().find(|team| team.owner_id == user_id(&nora)).unwrap();
    let new = NewGame { opponent_name: Some("Night Owls".parse().unwrap()), ..NewGame::default() };
    let game = service.create_game(&nora, &own.team_id, &new).await.unwrap();
    let games = eventually(async || {
        let games = service.list_games(&ada, &paging).await.unwrap().items;
        (!games.is_empty()).then_some(games)
    });
    assert_eq!(games.await, [game]);
    assert_eq!(code_of(service.list_games(&nora, &paging).await), "forbidden");
    assert_eq!(code_of(service.list_teams(&nora, &paging).await), "forbidden");
}

async fn a_team_is_shown_and_changed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let nora = fixture.user("nora").await;
    let team = fixture.team(&nora).await;
    let omar = fixture.member(&team, "omar", Role::Manager).await;
    for role in [Role::Owner, Role::Player] {
        let new = NewInvite { role, player_id: None };
        service.invite(&nora, &team.id, &new).await.unwrap();
    }
    let page = service.team_page(&nora, &team.id).await.unwrap();
    assert_eq!((page.members.len(), page.players.len(), page.invites.len()), (2, 9, 2));
    // A manager sees invites for players and scorekeepers.
    let page = service.team_page(&omar, &team.id).await.unwrap();
    assert_eq!(page.invites.iter().map(|one| one.role).collect::<Vec<_>>(), [Role::Player]);
    let change = TeamChange {
        name: Some("Tin Roofs".parse().unwrap()),
        description: Change::Set(" Two\nlines\u{0} ".parse().unwrap()),
    };
    let changed = service.change_team(&nora, &team.id, &change).await.unwrap();
    assert_eq!(
        (changed.name.as_str(), changed.description.as_deref()),
        ("Tin Roofs", Some("Two\nlines"))
    );
    assert_eq!(code_of(service.change_team(&omar, &team.id, &change).await), "forbidden");
    let removed = TeamChange { name: None, description: Change::Remove };
    let changed = service.change_team(&nora, &team.id, &removed).await.unwrap();
    assert_eq!((changed.name.as_str(), changed.description), ("Tin Roofs", None));
    let members = service.members(&nora, &team.id, &Paging::default()).await.unwrap().items;
    let names: Vec<&str> = members.iter().map(|one| one.name.first_name.as_str()).collect();
    assert_eq!(names, ["nora", "omar"]);
    let stella = fixture.user("stella").await;
    assert_eq!(code_of(service.team_page(&stella, &team.id).await), "team-not-found");
}

async fn invites_are_listed_and_withdrawn(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let nora = fixture.user("nora").await;
    let team = fixture.team(&nora).await;
    let omar = fixture.member(&team, "omar", Role::Manager).await;
    let make = async |by, role| {
        let new = NewInvite { role, player_id: None };
        service.invite(by, &team.id, &new).await
    };
    let manager = make(&nora, Role::Manager).await.unwrap();
    let player = make(&omar, Role::Player).await.unwrap();
    assert_eq!(code_of(make(&omar, Role::Manager).await), "forbidden");
    assert_eq!(service.invites(&nora, &team.id, &Paging::default()).await.unwrap().items.len(), 2);
    assert_eq!(
        service.invites(&omar, &team.id, &Paging::default()).await.unwrap().items,
        std::slice::from_ref(&player)
    );
    let withdraw = async |by, code: &str| {
        service.withdraw_invite(by, &team.id, &InviteCode::new(code).unwrap()).await
    };
    assert_eq!(code_of(withdraw(&omar, &manager.code).await), "forbidden");
    withdraw(&omar, &player.code).await.unwrap();
    withdraw(&omar, &player.code).await.unwrap();
    withdraw(&nora, &manager.code).await.unwrap();
    let kim = fixture.user("kim").await;
    let code = InviteCode::new(player.code).unwrap();
    assert_eq!(code_of(service.accept_invite(&kim, &team.id, &code).await), "invite-not-found");
}

async fn statistics_are_by_season_game_and_player(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let nora = fixture.user("nora").await;
    let team = fixture.team(&nora).await;
    for (day, season) in
        [("2026-05-02", "spring"), ("2026-04-01", "spring"), ("2026-09-01", "fall")]
    {
        let new = NewGame {
            season_id: Some(season.parse().unwrap()),
            scheduled_start: Some(format!("{day}T18:00:00Z").parse().unwrap()),
            ..NewGame::default()
        };
        let mut game = fixture.started(&team, new).await;
        let single = NewAtBat {
            hit_location: Some(HitLocation { x: 0.5, y: 0.5 }),
            ..play(game.revision(), AtBatResult::Single)
        };
        game.record(single).await.unwrap();
        game.bat(AtBatResult::Hr).await;
    }
    let (first, second) = (&team.players[0], &team.players[1]);
    let stats = async |season| service.player_stats(&nora, &team.id, first, season).await.unwrap();
    for _ in 0..2_400 {
        if stats(None).await.line.pa == 3
            && service.team_stats(&nora, &team.id, None).await.unwrap().line.pa == 6
        {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let all = stats(None).await;
    assert_eq!((all.line.pa, all.line.g, all.line.r, all.spray.len()), (3, 3, 3, 3));
    let days: Vec<String> =
        all.games.iter().map(|one| one.scheduled_start.unwrap().to_string()).collect();
    assert!(days.is_sorted() && days[0].starts_with("2026-04-01"));
    assert_eq!(stats(Some("spring")).await.line.pa, 2);
    assert_eq!(stats(Some("winter")).await.line.pa, 0);
    let whole = service.team_stats(&nora, &team.id, Some("spring")).await.unwrap();
    assert_eq!((whole.line.pa, whole.line.g, whole.line.rbi), (4, 2, 4));
    assert_eq!(whole.players.iter().map(|one| one.line.pa).sum::<u32>(), 4);
    // The newest first.
    let listed = service.at_bats_of(&nora, &team.id, second, &Paging::default()).await.unwrap();
    assert_eq!((listed.items.len(), listed.next), (3, None));
    assert!(listed.items.is_sorted_by(|one, other| one.at_bat_id > other.at_bat_id));
    let nobody = hacktracker::design::PlayerId::new("nobody").unwrap();
    let none = service.player_stats(&nora, &team.id, &nobody, None).await;
    assert_eq!(code_of(none), "player-not-found");
}

async fn players_edit_their_own_names(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let nora = fixture.user("nora").await;
    let team = fixture.team(&nora).await;
    let pia = fixture.member(&team, "pia", Role::Player).await;
    service.link_player(&nora, &team.id, &team.players[0], &user_id(&pia)).await.unwrap();
    let names = PlayerChange {
        first_name: Some("Pia".parse().unwrap()),
        last_name: Change::Set("Lindgren".parse().unwrap()),
        ..PlayerChange::default()
    };
    let changed = service.change_player(&pia, &team.id, &team.players[0], &names).await.unwrap();
    assert_eq!(
        (changed.first_name.as_str(), changed.last_name.as_deref()),
        ("Pia", Some("Lindgren"))
    );
    let other = service.change_player(&pia, &team.id, &team.players[1], &names).await;
    assert_eq!(code_of(other), "forbidden");
    let number = PlayerChange { player_number: Change::Set(77), ..PlayerChange::default() };
    let number = service.change_player(&pia, &team.id, &team.players[0], &number).await;
    assert_eq!(code_of(number), "forbidden");
    let removed = PlayerChange {
        last_name: Change::Remove,
        player_number: Change::Remove,
        ..PlayerChange::default()
    };
    let changed = service.change_player(&nora, &team.id, &team.players[0], &removed).await.unwrap();
    assert_eq!((changed.last_name, changed.player_number), (None, None));
}
