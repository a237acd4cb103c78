//! How many there can be of everything, also when many people add something at once.

use crate::fixture::{
    Fixture, by_hand, code, event_id, game_id, ines, league_id, new_game, new_goal, new_league,
    new_player, new_season, new_session, no_change, no_game_change, noor, player, ruben, season_id,
    session_id, somebody, team, tomasz, user,
};
use singlet::prelude::{create, put};
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::api::Change;
use threefc::design::{
    AbandonReason, CHANGES_MAX, Color, EventId, GAMES_MAX, GOALS_MAX, GRANTS_MAX, Game, Goal,
    LEAGUES_GRANTED_MAX, LEAGUES_MAX, League, LeagueId, PLAYERS_MAX, PlayerId, ROSTER_MAX, Role,
    RosterEntry, SEASONS_MAX, SESSIONS_MAX, SeasonMirror, SessionMirror, TEAMS_MAX, TeamScore,
    User,
};
use threefc::service::Service;
use threefc::service::input::{
    AbandonGame, AcceptInvite, GameChange, GrantRole, NewInvite, NewTeam, ThirdChange,
};

on_every_backend! {
    leagues_of_one_person_are_limited,
    leagues_of_one_person_are_limited_when_they_come_at_once,
    roles_are_granted_to_people_with_a_role_only,
    a_deleted_league_is_no_longer_counted,
    counts_hold_when_many_come_at_once,
    rosters_and_goals_are_limited_when_they_come_at_once,
    a_game_is_changed_so_often_and_can_then_be_finished,
}

/// How many callers come at once, and for how many of them there is room.
const CALLERS: usize = 5;
const ROOM: u32 = 2;

/// What became of a request. Whoever is told that the server is busy asks again.
macro_rules! decided {
    ($request:expr) => {{
        let mut decision = "busy";
        for _ in 0..100 {
            decision = code(&$request.await);
            if decision != "busy" {
                break;
            }
        }
        decision
    }};
}

/// Sends requests at once: there was room for [`ROOM`] of them, and the others were refused so.
async fn compete<F>(refused: &str, request: impl Fn(usize) -> F)
where
    F: Future<Output = &'static str> + Send + 'static,
{
    let results = at_once(CALLERS, request).await;
    let count = |code: &str| results.iter().filter(|one| **one == code).count();
    assert_eq!(count("ok"), ROOM as usize, "{results:?}");
    assert_eq!(count(refused), CALLERS - ROOM as usize, "{results:?}");
}

async fn set_leagues(fixture: &Fixture, who: &singlet_web::identity::Caller, leagues: u32) {
    let db = fixture.service.db();
    let stored = db.get(User::key(user(who)).consistent()).await.unwrap().unwrap();
    db.run(put(&User { leagues, ..stored })).await.unwrap();
}

async fn leagues_of(fixture: &Fixture, who: &singlet_web::identity::Caller) -> u32 {
    let stored = fixture.service.db().get(User::key(user(who)).consistent()).await.unwrap();
    stored.map_or(0, |stored| stored.leagues)
}

fn viewer() -> GrantRole {
    GrantRole { role: Role::Viewer, display_name: Some("Somebody".parse().unwrap()) }
}

fn accept(code: &str) -> AcceptInvite {
    AcceptInvite { code: code.to_owned(), display_name: "Somebody".parse().unwrap() }
}

async fn leagues_of_one_person_are_limited(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    service.create_league(&noor(), &new_league("first")).await.unwrap();
    set_leagues(&fixture, &noor(), LEAGUES_MAX - 1).await;
    // Others cannot use up the leagues of somebody.
    let granted = service.grant_role(&ines(), &league_id(), &user(&noor()), &viewer()).await;
    assert_eq!(code(&granted), "limit-reached");
    set_leagues(&fixture, &noor(), LEAGUES_GRANTED_MAX - 1).await;
    service.grant_role(&ines(), &league_id(), &user(&noor()), &viewer()).await.unwrap();
    assert_eq!(leagues_of(&fixture, &noor()).await, LEAGUES_GRANTED_MAX);
    // A role that is there already can be changed.
    let admin = GrantRole { role: Role::Admin, display_name: None };
    service.grant_role(&ines(), &league_id(), &user(&noor()), &admin).await.unwrap();
    service.revoke_role(&noor(), &league_id(), &user(&noor())).await.unwrap();
    assert_eq!(leagues_of(&fixture, &noor()).await, LEAGUES_GRANTED_MAX - 1);
    set_leagues(&fixture, &noor(), LEAGUES_MAX - 1).await;
    service.create_league(&noor(), &new_league("last")).await.unwrap();
    let before = fixture.items().await;
    let created = service.create_league(&noor(), &new_league("too-many")).await;
    assert_eq!(code(&created), "limit-reached");
    assert_eq!(fixture.items().await, before);
    let new = NewInvite { role: Role::Viewer };
    let invite = service.invite(&ines(), &league_id(), &new).await.unwrap();
    let accepted = service.accept_invite(&noor(), &league_id(), &accept(&invite.code)).await;
    assert_eq!(code(&accepted), "limit-reached");
    // Whoever leaves a league has room again, and the invitation was not used up.
    let last = LeagueId::new("last").unwrap();
    service.delete_league(&noor(), &last).await.unwrap();
    service.accept_invite(&noor(), &league_id(), &accept(&invite.code)).await.unwrap();
    assert_eq!(leagues_of(&fixture, &noor()).await, LEAGUES_MAX);
}

async fn leagues_of_one_person_are_limited_when_they_come_at_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    service.create_league(&noor(), &new_league("first")).await.unwrap();
    set_leagues(&fixture, &noor(), LEAGUES_MAX - ROOM).await;
    let mut codes = Vec::new();
    for number in 0..CALLERS {
        let id = LeagueId::new(format!("of-ruben-{number}")).unwrap();
        service.create_league(&ruben(), &new_league(id.as_str())).await.unwrap();
        let new = NewInvite { role: Role::Viewer };
        codes.push((service.invite(&ruben(), &id, &new).await.unwrap().code, id));
    }
    compete("limit-reached", |number| {
        let (service, (secret, id)) = (fixture.second(), codes[number].clone());
        async move {
            match number % 2 {
                0 => decided!(service.accept_invite(&noor(), &id, &accept(&secret))),
                _ => {
                    let new = new_league(&format!("of-noor-{number}"));
                    decided!(service.create_league(&noor(), &new))
                }
            }
        }
    })
    .await;
    assert_eq!(leagues_of(&fixture, &noor()).await, LEAGUES_MAX);
    assert_eq!(fixture.keys_of("USER#noor ACL#LEAGUE#").await.len(), 1 + ROOM as usize);
}

async fn roles_are_granted_to_people_with_a_role_only(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let before = fixture.items().await;
    let grant =
        async || code(&service.grant_role(&ines(), &league_id(), &user(&noor()), &viewer()).await);
    assert_eq!(grant().await, "user-not-found");
    assert_eq!(fixture.items().await, before);
    service.create_league(&noor(), &new_league("harbour")).await.unwrap();
    assert_eq!(grant().await, "ok");
    assert_eq!(leagues_of(&fixture, &noor()).await, 2);
    service.delete_league(&noor(), &LeagueId::new("harbour").unwrap()).await.unwrap();
    assert_eq!(leagues_of(&fixture, &noor()).await, 1);
    // Nothing is kept of somebody who has left the last league.
    service.revoke_role(&ines(), &league_id(), &user(&noor())).await.unwrap();
    assert!(fixture.keys_of("USER#noor").await.is_empty());
    assert_eq!(grant().await, "user-not-found");
}

async fn a_deleted_league_is_no_longer_counted(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let quarry = LeagueId::new("quarry-lane").unwrap();
    service.create_league(&ruben(), &new_league("quarry-lane")).await.unwrap();
    for caller in [tomasz(), noor()] {
        fixture.join(&ruben(), &quarry, &caller, Role::Viewer).await;
    }
    assert_eq!(leagues_of(&fixture, &tomasz()).await, 2);
    // Somebody who leaves while the league is deleted is counted once.
    let services = [fixture.second(), fixture.second()];
    let results = at_once(2, |who| {
        let (service, quarry) = (services[who].clone(), quarry.clone());
        async move {
            match who {
                0 => decided!(service.delete_league(&ruben(), &quarry)),
                _ => decided!(service.revoke_role(&tomasz(), &quarry, &user(&tomasz()))),
            }
        }
    })
    .await;
    assert_eq!(results[0], "ok");
    // The league may be deleted before it is read, or between reading it and the grant in it.
    assert!(["ok", "league-not-found", "grant-not-found"].contains(&results[1]), "{results:?}");
    assert_eq!(leagues_of(&fixture, &tomasz()).await, 1);
    for user in ["USER#ruben", "USER#noor", "LEAGUE#quarry-lane"] {
        assert!(fixture.keys_of(user).await.is_empty(), "{user}");
    }
}

async fn counts_hold_when_many_come_at_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let new = NewInvite { role: Role::Viewer };
    let mut codes = Vec::new();
    for _ in 0..CALLERS {
        codes.push(service.invite(&ines(), &league_id(), &new).await.unwrap().code);
    }
    let db = service.db();
    let league = db.get(League::key(league_id()).consistent()).await.unwrap().unwrap();
    let (grants, seasons) = (GRANTS_MAX - ROOM, SEASONS_MAX - ROOM);
    let league = League { grants, seasons, players: PLAYERS_MAX - ROOM, ..league };
    db.run(put(&league)).await.unwrap();
    let season = db.get(SeasonMirror::key(season_id()).consistent()).await.unwrap().unwrap();
    let (teams, sessions) = (TEAMS_MAX - ROOM, SESSIONS_MAX - ROOM);
    db.run(put(&SeasonMirror { teams, sessions, ..season })).await.unwrap();
    let session = db.get(SessionMirror::key(session_id()).consistent()).await.unwrap().unwrap();
    db.run(put(&SessionMirror { games: GAMES_MAX - ROOM, ..session })).await.unwrap();
    let now = fixture.now();
    let second = || -> Service { fixture.second() };

    compete("limit-reached", |number| {
        let (service, accept) = (second(), accept(&codes[number]));
        let who = somebody(&format!("user-{number}"));
        async move { decided!(service.accept_invite(&who, &league_id(), &accept)) }
    })
    .await;
    compete("limit-reached", |number| {
        let (service, new) = (second(), new_season(&format!("season-{number}")));
        async move { decided!(service.create_season(&ines(), &league_id(), &new)) }
    })
    .await;
    compete("limit-reached", |number| {
        let (service, new) = (second(), new_player(&format!("player-{number}")));
        async move { decided!(service.create_player(&ines(), &league_id(), &new)) }
    })
    .await;
    compete("limit-reached", |number| {
        let new = NewTeam {
            team_id: None,
            name: "Team".parse().unwrap(),
            code: format!("T{number}").parse().unwrap(),
            color: Color::Black,
        };
        let service = second();
        async move { decided!(service.create_team(&ines(), &season_id(), &new)) }
    })
    .await;
    compete("limit-reached", |number| {
        let (service, new) = (second(), new_session(&format!("day-x-{number}")));
        async move { decided!(service.create_session(&ines(), &season_id(), &new)) }
    })
    .await;
    compete("limit-reached", |number| {
        let (service, new) = (second(), new_game(&format!("game-{number}"), now));
        async move { decided!(service.create_game(&ines(), &session_id(), &new)) }
    })
    .await;
    // Fifteen invitations, of which three are open: twelve more are made, and two at once.
    for _ in 0..12 - ROOM {
        service.invite(&ines(), &league_id(), &new).await.unwrap();
    }
    compete("limit-reached", |_| {
        let (service, new) = (second(), NewInvite { role: Role::Viewer });
        async move { decided!(service.invite(&ines(), &league_id(), &new)) }
    })
    .await;
}

/// A game of `blue` and `red` with so many goals of the first player, assisted by the others, written
/// without the service.
pub(crate) async fn put_goals(fixture: &Fixture, id: &str, goals: u32, players: &[PlayerId]) {
    let db = fixture.service.db();
    let game = fixture.stored_game(&game_id(id)).await;
    for number in 0..goals {
        let goal = Goal {
            game_id: game_id(id),
            event_id: EventId::new(event_id()).unwrap(),
            third: 1,
            game_minute: number as u16,
            elapsed_seconds: None,
            conceding_team_id: team("blue"),
            scoring_team_id: Some(team("red")),
            own_goal: false,
            scorer_player_id: players.first().cloned(),
            assist_player_ids: players.iter().skip(1).cloned().collect(),
            entry: number,
            entered_by_user_id: user(&tomasz()),
            created_at: fixture.now(),
            updated_at: fixture.now(),
        };
        db.run(create(&goal)).await.unwrap();
    }
    let score =
        |team_id: &str, conceded, scored| TeamScore { team_id: team(team_id), conceded, scored };
    let score = vec![score("red", 0, goals), score("blue", goals, 0), score("yellow", 0, 0)];
    db.run(put(&Game { goals, score, ..game })).await.unwrap();
}

async fn rosters_and_goals_are_limited_when_they_come_at_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let game = fixture.live_game("g1").await;
    put_goals(&fixture, "g1", GOALS_MAX - ROOM, &[]).await;
    compete("limit-reached", |_| {
        let (service, goal) = (fixture.second(), new_goal("blue", Some("red")));
        async move { decided!(service.add_goal(&tomasz(), &game_id("g1"), &goal)) }
    })
    .await;
    let view = fixture.view(&game).await;
    assert_eq!((view.goals.len(), view.teams[1].conceded), (GOALS_MAX as usize, GOALS_MAX));
    // Three are on the roster.
    for number in 3..ROSTER_MAX - ROOM as usize {
        let entry = RosterEntry {
            game_id: game.clone(),
            team_id: team("red"),
            player_id: player(&format!("other-{number}")),
            created_at: fixture.now(),
            updated_at: fixture.now(),
        };
        fixture.service.db().run(create(&entry)).await.unwrap();
    }
    let joining = ["b1", "b2", "b3", "y1", "y2"];
    compete("roster-full", |number| {
        let (service, who) = (fixture.second(), player(joining[number]));
        let red = team("red");
        async move { decided!(service.assign_roster(&tomasz(), &game_id("g1"), &who, &red)) }
    })
    .await;
    assert_eq!(fixture.keys_of("GAME#g1 ROSTER#red#").await.len(), ROSTER_MAX);
}

async fn set_changes(fixture: &Fixture, id: &str, sequence: u32) {
    let game = fixture.stored_game(&game_id(id)).await;
    fixture.service.db().run(put(&Game { sequence, ..game })).await.unwrap();
}

async fn a_game_is_changed_so_often_and_can_then_be_finished(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    let first = fixture.goal(&game, &new_goal("blue", Some("red"))).await;
    set_changes(&fixture, "g1", CHANGES_MAX - ROOM).await;
    compete("too-many-changes", |_| {
        let (service, goal) = (fixture.second(), new_goal("blue", Some("red")));
        async move { decided!(service.add_goal(&tomasz(), &game_id("g1"), &goal)) }
    })
    .await;
    assert_eq!(fixture.stored_game(&game).await.sequence, CHANGES_MAX);
    assert_eq!(fixture.keys_of("GAME#g1 EVENT#").await.len(), 1 + ROOM as usize);
    let refused = async |is_finished: bool| {
        let who = if is_finished { ines() } else { tomasz() };
        let change = threefc::service::input::GoalChange {
            conceding_team_id: Some("yellow".parse().unwrap()),
            ..no_change()
        };
        let pitch = GameChange { pitch: Change::Set("2".parse().unwrap()), ..no_game_change() };
        let earlier = fixture.now().before(std::time::Duration::from_secs(60));
        let correction =
            ThirdChange { started_at: Change::Set(earlier), finished_at: Change::Keep };
        let hand = by_hand(new_goal("blue", Some("red")), 1, 3);
        let mut codes = vec![
            code(&service.add_goal(&who, &game, &hand).await),
            code(&service.edit_goal(&who, &game, &first, &change).await),
            code(&service.delete_goal(&who, &game, &first).await),
            code(&service.assign_roster(&who, &game, &player("r1"), &team("blue")).await),
            code(&service.remove_roster(&who, &game, &player("r1")).await),
            code(&service.correct_third(&who, &game, 1, &correction).await),
            code(&service.update_game(&ines(), &game, &pitch).await),
        ];
        codes.push(match is_finished {
            true => code(&service.reopen_game(&ines(), &game).await),
            false => code(&service.finish_third(&who, &game, 1, None).await),
        });
        codes
    };
    assert_eq!(refused(false).await, ["too-many-changes"; 8]);
    // What changes nothing is still answered.
    assert_eq!(code(&service.start_third(&tomasz(), &game, 1, None).await), "ok");
    service.finish_game(&ines(), &game, true).await.unwrap();
    assert_eq!(refused(true).await, ["too-many-changes"; 8]);
    assert_eq!(fixture.keys_of("GAME#g1 AUDIT#").await, ["GAME#g1 AUDIT#010001"]);
    // Another one is abandoned.
    let other = fixture.live_game("g2").await;
    set_changes(&fixture, "g2", CHANGES_MAX).await;
    let abandon = AbandonGame {
        reason: AbandonReason::Light,
        note: None,
        absent_team_ids: Default::default(),
    };
    service.abandon_game(&tomasz(), &other, &abandon).await.unwrap();
    assert_eq!(code(&service.reopen_game(&ines(), &other).await), "too-many-changes");
}
