//! Leagues, seasons, teams, sessions: creating, changing, deleting.

use crate::fixture::{
    Fixture, code, distinct, game_id, ines, league_id, new_game, new_league, new_player,
    new_season, new_session, noor, player, ruben, season_id, session_id, team, tomasz,
};
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::api::Change;
use std::time::Duration;
use threefc::design::{Color, LeagueId, SeasonId, SessionId, Visibility};
use threefc::service::input::{
    LeagueChange, Line, NewSeason, NewTeam, PlayerChange, SeasonChange, SessionChange, TeamChange,
    ThirdLength,
};

on_every_backend! {
    case_01_a_league_is_created_with_its_grant_and_listing,
    case_03_a_season_id_is_unique_in_the_whole_table,
    case_04_what_is_not_empty_is_not_deleted,
    case_05_a_session_is_deleted_or_has_a_game,
    leagues_are_changed_hidden_and_listed,
    a_league_of_more_than_a_hundred_items_is_not_deleted,
    seasons_are_changed_and_listed_newest_first,
    teams_have_codes_and_squads_of_their_own,
    sessions_are_changed_and_listed_by_date,
    players_are_changed_and_listed,
    limits_are_kept,
}

async fn case_01_a_league_is_created_with_its_grant_and_listing(store: TestStore) {
    let fixture = Fixture::empty(store).await;
    fixture.service.create_league(&noor(), &new_league("harbour")).await.unwrap();
    let items = fixture.items().await;
    let keys: Vec<&str> = items.iter().map(|(key, _)| key.as_str()).collect();
    let expected = [
        "LEAGUE#harbour ACL#USER#noor",
        "LEAGUE#harbour METADATA",
        "LEAGUES LEAGUE#harbour",
        "USER#noor ACL#LEAGUE#harbour",
        "USER#noor METADATA",
    ];
    assert_eq!(keys, expected);
    for (key, item) in &items {
        let names: Vec<String> = item.iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names.len(), 6, "{key}: {names:?}");
        for name in ["pk", "sk", "entityType", "createdAt", "updatedAt", "data"] {
            assert!(item.get(name).is_some(), "{key} has no {name}");
        }
    }
    fixture.advance(Duration::from_secs(1));
    for caller in [noor(), ruben()] {
        let again = fixture.service.create_league(&caller, &new_league("harbour")).await;
        assert_eq!(code(&again), "id-taken");
    }
    assert_eq!(fixture.items().await, items);
}

async fn case_03_a_season_id_is_unique_in_the_whole_table(store: TestStore) {
    let fixture = Fixture::new(store).await;
    fixture.service.create_league(&ruben(), &new_league("quarry-lane")).await.unwrap();
    let before = fixture.items().await;
    let other = LeagueId::new("quarry-lane").unwrap();
    let taken = fixture.service.create_season(&ruben(), &other, &new_season("spring")).await;
    assert_eq!(code(&taken), "id-taken");
    assert_eq!(fixture.items().await, before);
}

async fn case_04_what_is_not_empty_is_not_deleted(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    assert_eq!(code(&service.delete_season(&ines(), &season_id()).await), "season-not-empty");
    assert_eq!(code(&service.delete_league(&ines(), &league_id()).await), "league-not-empty");
    fixture.game("g1").await;
    assert_eq!(code(&service.delete_session(&ines(), &session_id()).await), "session-not-empty");
    service.delete_game(&ines(), &game_id("g1")).await.unwrap();
    assert_eq!(fixture.keys_of("GAME#").await, [] as [&str; 0]);
    service.delete_session(&ines(), &session_id()).await.unwrap();
    assert_eq!(fixture.keys_of("SESSION#").await, [] as [&str; 0]);
    assert_eq!(fixture.keys_of("SEASON#spring SESSION#").await, [] as [&str; 0]);
    service.delete_season(&ines(), &season_id()).await.unwrap();
    assert_eq!(fixture.keys_of("SEASON#").await, [] as [&str; 0]);
    assert_eq!(fixture.keys_of("LEAGUE#tidewall SEASON#").await, [] as [&str; 0]);
    service.delete_league(&ines(), &league_id()).await.unwrap();
    assert_eq!(fixture.keys().await, [] as [&str; 0]);
}

async fn case_05_a_session_is_deleted_or_has_a_game(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let (mut deleted, mut created) = (0, 0);
    for number in 0..8 {
        let (session, game) = (format!("race-{number}"), format!("game-{number}"));
        let new = new_session(&session);
        fixture.service.create_session(&ines(), &season_id(), &new).await.unwrap();
        let (services, now) = ([fixture.second(), fixture.second()], fixture.now());
        let session = SessionId::new(session).unwrap();
        let results = at_once(2, |who| {
            let (service, session, game) = (services[who].clone(), session.clone(), game.clone());
            async move {
                match who {
                    0 => code(&service.delete_session(&ines(), &session).await),
                    _ => code(&service.create_game(&ines(), &session, &new_game(&game, now)).await),
                }
            }
        })
        .await;
        let keys = fixture.keys().await;
        let has = |key: &str| keys.iter().any(|one| one.starts_with(key));
        let has_session = has(&format!("SESSION#{session} METADATA"));
        let has_listed = has(&format!("SEASON#spring SESSION#{session}"));
        let has_game = has(&format!("GAME#{game} METADATA"));
        let has_link = has(&format!("SESSION#{session} GAME#"));
        assert_eq!([has_session, has_listed, has_game, has_link], [has_session; 4], "{results:?}");
        match results[..] {
            ["ok", "session-not-found"] => deleted += 1,
            ["session-not-empty", "ok"] => created += 1,
            _ => panic!("{results:?}"),
        }
        assert_eq!(has_session, results[1] == "ok");
    }
    assert_eq!(deleted + created, 8);
    let season = fixture.service.season(None, &season_id()).await.unwrap();
    assert_eq!(season.season.sessions, 1 + created);
}

async fn leagues_are_changed_hidden_and_listed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let listed = async || service.list_leagues(20, None).await.unwrap().items;
    assert_eq!(listed().await[0].name, "Tidewall");
    let mut change = LeagueChange {
        name: Some(" Tide  Wall ".parse().unwrap()),
        city: Change::Remove,
        visibility: None,
    };
    let league = service.update_league(&ines(), &league_id(), &change).await.unwrap();
    assert_eq!((league.league.name.as_str(), league.league.city), ("Tide Wall", None));
    assert_eq!((listed().await[0].name.as_str(), &listed().await[0].city), ("Tide Wall", &None));
    change.visibility = Some(Visibility::Private);
    service.update_league(&ines(), &league_id(), &change).await.unwrap();
    assert!(listed().await.is_empty());
    assert_eq!(code(&service.league(None, &league_id()).await), "league-not-found");
    assert_eq!(code(&service.league(Some(&noor()), &league_id()).await), "league-not-found");
    let seen = service.league(Some(&tomasz()), &league_id()).await.unwrap();
    assert_eq!((seen.seasons.len(), seen.league.created_by_user_id), (1, None));
    change.visibility = Some(Visibility::Public);
    service.update_league(&ines(), &league_id(), &change).await.unwrap();
    assert_eq!(listed().await.len(), 1);
    // What changes nothing writes nothing.
    let before = fixture.items().await;
    fixture.advance(Duration::from_secs(1));
    service.update_league(&ines(), &league_id(), &change).await.unwrap();
    assert_eq!(fixture.items().await, before);
    for name in ["ann@example.org", "", "x\u{202e}y"] {
        assert!(name.parse::<Line<60>>().is_err(), "{name}");
    }
    // Pages of the list.
    for number in 0..5 {
        service.create_league(&noor(), &new_league(&format!("league-{number}"))).await.unwrap();
    }
    let first = service.list_leagues(4, None).await.unwrap();
    let second = service.list_leagues(4, first.next).await.unwrap();
    assert_eq!((first.items.len(), second.items.len(), second.next.is_none()), (4, 2, true));
    let (id, first) = service.me(&noor(), 3, None).await.unwrap();
    assert!(first.next.is_some());
    let (_, second) = service.me(&noor(), 3, first.next).await.unwrap();
    assert_eq!((id.as_str(), second.next.is_none()), ("noor", true));
    let both = first.items.iter().chain(&second.items);
    let ids: Vec<&str> = both.map(|league| league.league_id.as_str()).collect();
    assert_eq!(ids, ["league-0", "league-1", "league-2", "league-3", "league-4"]);
}

async fn a_league_of_more_than_a_hundred_items_is_not_deleted(store: TestStore) {
    let fixture = Fixture::empty(store).await;
    let service = &fixture.service;
    service.create_league(&ines(), &new_league("tidewall")).await.unwrap();
    // League, listing, grant and mirror, the user, and two for each player.
    for number in 0..47 {
        let new = new_player(&format!("player-{number}"));
        service.create_player(&ines(), &league_id(), &new).await.unwrap();
    }
    let last = new_player("one-more");
    service.create_player(&ines(), &league_id(), &last).await.unwrap();
    assert_eq!(code(&service.delete_league(&ines(), &league_id()).await), "league-too-large");
    assert_eq!(fixture.keys().await.len(), 101);
}

async fn seasons_are_changed_and_listed_newest_first(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let dated =
        |id: &str, day: &str| NewSeason { starts_on: Some(day.parse().unwrap()), ..new_season(id) };
    for (id, day) in [("autumn", "2025-09-07"), ("summer", "2026-07-05")] {
        service.create_season(&ines(), &league_id(), &dated(id, day)).await.unwrap();
    }
    let seasons = service.league(None, &league_id()).await.unwrap().seasons;
    let ids: Vec<&str> = seasons.iter().map(|season| season.season_id.as_str()).collect();
    assert_eq!(ids, ["summer", "autumn", "spring"]);
    let change = SeasonChange {
        name: Some("Autumn 2025".parse().unwrap()),
        starts_on: Change::Keep,
        ends_on: Change::Set("2025-09-01".parse().unwrap()),
        third_length_minutes: None,
    };
    let autumn = SeasonId::new("autumn").unwrap();
    let refused = service.update_season(&ines(), &autumn, &change).await;
    assert_eq!(code(&refused), "invalid", "it ends before it starts");
    let ends_on = Change::Set("2025-11-30".parse().unwrap());
    let change =
        SeasonChange { ends_on, third_length_minutes: Some(25.try_into().unwrap()), ..change };
    service.update_season(&ines(), &autumn, &change).await.unwrap();
    let [original, mirror] =
        ["LEAGUE#tidewall SEASON#autumn", "SEASON#autumn METADATA"].map(str::to_owned);
    let (original, mirror) = (fixture.data(&original).await, fixture.data(&mirror).await);
    for (name, value) in original.as_object().unwrap() {
        assert_eq!(mirror[name], *value, "{name}");
    }
    assert_eq!(
        (&mirror["name"], &mirror["thirdLengthMinutes"]),
        (&"Autumn 2025".into(), &25.into())
    );
    assert!(ThirdLength::try_from(21).is_err());
}

async fn teams_have_codes_and_squads_of_their_own(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let new = |id: &str, code: &str| NewTeam {
        team_id: Some(id.parse().unwrap()),
        name: "Green".parse().unwrap(),
        code: code.parse().unwrap(),
        color: Color::Green,
    };
    let create =
        async |id, code_| code(&service.create_team(&ines(), &season_id(), &new(id, code_)).await);
    assert_eq!(create("green", "RED").await, "code-taken");
    assert_eq!(create("red", "GRE").await, "id-taken");
    assert_eq!(create("green", "GRE").await, "ok");
    assert_eq!(service.teams(None, &season_id()).await.unwrap().len(), 4);
    let none = TeamChange::default();
    let update = async |id: &str, change: TeamChange| {
        code(&service.update_team(&ines(), &season_id(), &team(id), &change).await)
    };
    let squad = |players: &[&str]| TeamChange {
        squad_player_ids: Some(distinct(players.iter().map(|one| player(one)))),
        ..none.clone()
    };
    assert_eq!(update("green", squad(&["r1"])).await, "player-in-other-squad");
    assert_eq!(update("green", squad(&["nobody"])).await, "player-not-found");
    assert_eq!(
        update("green", TeamChange { code: Some("BLU".parse().unwrap()), ..none.clone() }).await,
        "code-taken"
    );
    assert_eq!(update("nobody", none.clone()).await, "team-not-found");
    assert_eq!(update("red", squad(&["r2", "r3"])).await, "ok");
    assert_eq!(update("green", squad(&["r1"])).await, "ok");
    // Two squads that take one player at once: one of them gets the player.
    assert_eq!(update("green", squad(&[])).await, "ok");
    let services = [fixture.second(), fixture.second()];
    let results = at_once(2, |who| {
        let (service, change) = (services[who].clone(), squad(&["r1"]));
        let id = team(["green", "red"][who]);
        async move { code(&service.update_team(&ines(), &season_id(), &id, &change).await) }
    })
    .await;
    let mut results = results;
    results.sort_unstable();
    assert_eq!(results, ["ok", "player-in-other-squad"]);
    // A retired team plays no more.
    assert_eq!(update("red", TeamChange { retired: Some(true), ..none.clone() }).await, "ok");
    let game = service.create_game(&ines(), &session_id(), &new_game("g1", fixture.now())).await;
    assert_eq!(code(&game), "team-retired");
}

async fn sessions_are_changed_and_listed_by_date(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    for (id, day) in [("b-day", "2026-05-10"), ("a-day", "2026-05-10"), ("early", "2026-04-01")] {
        let new = threefc::service::input::NewSession {
            session_date: day.parse().unwrap(),
            ..new_session(id)
        };
        service.create_session(&ines(), &season_id(), &new).await.unwrap();
    }
    let listed = service.sessions(None, &season_id()).await.unwrap();
    let ids: Vec<&str> = listed.iter().map(|session| session.session_id.as_str()).collect();
    assert_eq!(ids, ["early", "day-1", "a-day", "b-day"]);
    let change = SessionChange {
        session_date: Some("2026-06-01".parse().unwrap()),
        venue: Change::Set("Ropewalk Ground".parse().unwrap()),
    };
    let early = SessionId::new("early").unwrap();
    service.update_session(&ines(), &early, &change).await.unwrap();
    for key in ["SEASON#spring SESSION#early", "SESSION#early METADATA"] {
        let data = fixture.data(key).await;
        assert_eq!(
            (&data["sessionDate"], &data["venue"]),
            (&"2026-06-01".into(), &"Ropewalk Ground".into())
        );
    }
    let taken = service.create_session(&ines(), &season_id(), &new_session("early")).await;
    assert_eq!(code(&taken), "id-taken");
}

async fn players_are_changed_and_listed(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    assert_eq!(service.players(None, &league_id()).await.unwrap().len(), 9);
    let change = PlayerChange {
        nickname: Some("Kite".parse().unwrap()),
        number: Change::Set(4),
        archived: Some(true),
    };
    let changed = service.update_player(&ines(), &player("r1"), &change).await.unwrap();
    assert_eq!(
        (changed.nickname.as_str(), changed.number, changed.archived),
        ("Kite", Some(4), true)
    );
    assert_eq!(service.player(None, &player("r1")).await.unwrap().nickname, "Kite");
    for key in ["PLAYER#r1 PROFILE", "LEAGUE#tidewall PLAYER#r1"] {
        assert_eq!(fixture.data(key).await["nickname"], "Kite", "{key}");
    }
    // An archived player is in no new roster.
    let game = fixture.game("g1").await;
    let names: Vec<String> =
        fixture.view(&game).await.teams[0].roster.iter().map(|one| one.nickname.clone()).collect();
    assert_eq!(names, ["R2", "R3"]);
    let taken = service.create_player(&tomasz(), &league_id(), &new_player("r2")).await;
    assert_eq!(code(&taken), "id-taken");
    assert_eq!(code(&service.player(None, &player("nobody")).await), "player-not-found");
}

async fn limits_are_kept(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    for number in 0..21 {
        let new = NewTeam {
            team_id: None,
            name: "Team".parse().unwrap(),
            code: format!("T{number:02}").parse().unwrap(),
            color: Color::Black,
        };
        service.create_team(&ines(), &season_id(), &new).await.unwrap();
    }
    let new = NewTeam {
        team_id: None,
        name: "Team".parse().unwrap(),
        code: "TOO".parse().unwrap(),
        color: Color::Black,
    };
    let refused = service.create_team(&ines(), &season_id(), &new).await;
    assert_eq!(code(&refused), "limit-reached");
    for number in 0..50 {
        fixture.game(&format!("game-{number}")).await;
    }
    let new = new_game("one-more", fixture.now());
    let refused = service.create_game(&ines(), &session_id(), &new).await;
    assert_eq!(code(&refused), "limit-reached");
}
