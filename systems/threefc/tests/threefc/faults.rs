//! A request that fails, is lost, or is the last one of a server that crashes leaves all or nothing.

use crate::fixture::{
    Fixture, by, code, game_id, ines, league_id, new_game, new_goal, new_league, new_player,
    new_season, new_session, no_change, no_game_change, noor, player, ruben, season_id, session_id,
    team, text, tomasz, user,
};
use crate::fixture::{bea, somebody};
use singlet::Timestamp;
use singlet::dynamo::Item;
use singlet_testing::{Fault, Snapshot, TestStore, at_every_request, run};
use singlet_web::api::Change;
use std::time::Duration;
use threefc::design::{AbandonReason, Color, EventId, LeagueId, Role, SeasonId, Visibility};
use threefc::error::Error;
use threefc::service::Service;
use threefc::service::input::{
    AbandonGame, AcceptInvite, GameChange, GoalChange, GrantRole, LeagueChange, NewGoal, NewInvite,
    NewTeam, ThirdChange,
};
use tokio::sync::OnceCell;

/// When everything here happens: two stores must hold the same.
const NOW_MS: i64 = 1_773_576_000_000;

/// A store with one of everything.
struct Prepared {
    fixture: Fixture,
    origin: &'static Origin,
}

/// What all these stores begin with.
struct Origin {
    snapshot: Snapshot,
    before: Vec<Row>,
    /// An invitation that Ines has made.
    code: String,
}

/// It is made once, because many stores are needed.
static ORIGIN: OnceCell<Origin> = OnceCell::const_new();

/// The attributes of an item.
type Row = [String; 6];

/// All items. The hash of an invitation is random: it is left out.
async fn rows(fixture: &Fixture) -> Vec<Row> {
    let row = |item: &Item| {
        let names = ["pk", "sk", "entityType", "createdAt", "updatedAt", "data"];
        let mut row = names.map(|name| text(item, name));
        if row[1].starts_with("INVITE#") {
            row[1] = "INVITE#".to_owned();
        }
        row
    };
    let mut rows: Vec<Row> = fixture.items().await.iter().map(|(_, item)| row(item)).collect();
    rows.sort_unstable();
    rows
}

impl Prepared {
    fn service(&self) -> &Service {
        &self.fixture.service
    }

    fn now(&self) -> Timestamp {
        self.fixture.now()
    }
}

/// A goal with an event id of its own.
fn goal(number: u8, conceding: &str, scoring: Option<&str>) -> NewGoal {
    NewGoal { event_id: event(number).to_string(), ..new_goal(conceding, scoring) }
}

fn event(number: u8) -> EventId {
    EventId::new(format!("019b76da-a800-7000-8000-0000000000{number:02}")).unwrap()
}

fn harbour() -> LeagueId {
    LeagueId::new("harbour").unwrap()
}

fn new_team(id: &str, color: Color) -> NewTeam {
    let code = id.to_uppercase()[..3].parse().unwrap();
    NewTeam { team_id: Some(id.parse().unwrap()), name: id.parse().unwrap(), code, color }
}

fn abandoned() -> AbandonGame {
    let absent_team_ids = vec![team("red")];
    AbandonGame {
        reason: AbandonReason::NoShow,
        note: Some("Bus".parse().unwrap()),
        absent_team_ids,
    }
}

/// Two leagues; in the first one games that are scheduled (`plain`), running (`live`), played to the
/// end of the last third (`played`), finished (`done`) and abandoned (`hail`).
async fn make_origin() -> Origin {
    let store = TestStore::memory();
    store.clock.set(NOW_MS);
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    service.create_league(&noor(), &new_league("harbour")).await.unwrap();
    service.create_player(&noor(), &harbour(), &new_player("h1")).await.unwrap();
    fixture.join(&noor(), &harbour(), &somebody("guest"), Role::Viewer).await;
    service.invite(&noor(), &harbour(), &NewInvite { role: Role::Viewer }).await.unwrap();
    fixture.join(&ines(), &league_id(), &ruben(), Role::Admin).await;
    service.invite(&ruben(), &league_id(), &NewInvite { role: Role::Admin }).await.unwrap();
    let new = NewInvite { role: Role::Scorekeeper };
    let invite = service.invite(&ines(), &league_id(), &new).await.unwrap();
    service.create_season(&ines(), &league_id(), &new_season("idle")).await.unwrap();
    for id in ["day-2", "idle-day"] {
        service.create_session(&ines(), &season_id(), &new_session(id)).await.unwrap();
    }
    service.create_team(&ines(), &season_id(), &new_team("green", Color::Green)).await.unwrap();
    service.create_player(&ines(), &league_id(), &new_player("free")).await.unwrap();
    fixture.game("plain").await;
    let live = fixture.live_game("live").await;
    fixture.goal(&live, &by(goal(1, "blue", Some("red")), "r1", &["r2"])).await;
    fixture.goal(&live, &goal(2, "yellow", None)).await;
    for (id, number) in [("played", 3), ("done", 4)] {
        let game = fixture.live_game(id).await;
        fixture.goal(&game, &by(goal(number, "blue", Some("red")), "r1", &[])).await;
        for third in 1..=3 {
            service.start_third(&tomasz(), &game, third, None).await.unwrap();
            service.finish_third(&tomasz(), &game, third, None).await.unwrap();
        }
    }
    service.finish_game(&tomasz(), &game_id("done"), false).await.unwrap();
    let hail = fixture.live_game("hail").await;
    service.abandon_game(&tomasz(), &hail, &abandoned()).await.unwrap();
    let (snapshot, before) = (fixture.store.snapshot().await, rows(&fixture).await);
    Origin { snapshot, before, code: invite.code }
}

async fn prepare(store: TestStore) -> Prepared {
    store.clock.set(NOW_MS);
    let origin = ORIGIN.get_or_init(make_origin).await;
    let fixture = Fixture::empty(store).await;
    fixture.store.restore(&origin.snapshot).await;
    Prepared { fixture, origin }
}

/// After any fault, the items are those before the operation or those after it.
async fn check(operation: impl AsyncFn(&Prepared) -> Result<(), Error>) {
    let undisturbed = prepare(TestStore::memory()).await;
    operation(&undisturbed).await.unwrap();
    let done = rows(&undisturbed.fixture).await;
    assert_ne!(done, undisturbed.origin.before, "the operation writes nothing");
    let judge = async |prepared: &Prepared, is_done: bool, fault: Fault| {
        let after = rows(&prepared.fixture).await;
        if is_done || after != prepared.origin.before {
            assert_eq!(after, done, "{fault:?}");
        }
    };
    at_every_request(prepare, &operation, judge).await;
}

/// Operations in forms that the law does not send: see [`crate::law`].
macro_rules! all_or_nothing {
    ($($name:ident: |$prepared:ident| $operation:expr;)+) => {
        $(
            #[test]
            fn $name() {
                run(check(async |$prepared: &Prepared| $operation.await.map(|_| ())));
            }
        )+
    };
}

fn rename() -> LeagueChange {
    LeagueChange { name: Some("Other".parse().unwrap()), city: Change::Keep, visibility: None }
}

fn role(role: Role) -> GrantRole {
    GrantRole { role, display_name: Some("Somebody".parse().unwrap()) }
}

fn accept(prepared: &Prepared) -> AcceptInvite {
    AcceptInvite { code: prepared.origin.code.clone(), display_name: "Somebody".parse().unwrap() }
}

all_or_nothing! {
    hide_league: |on| on.service().update_league(
        &ines(),
        &league_id(),
        &LeagueChange { visibility: Some(Visibility::Private), ..rename() },
    );
    case_02_create_season: |on| on.service().create_season(&ines(), &league_id(), &new_season("autumn"));
    case_02_create_game: |on| on.service().create_game(&ines(), &session_id(), &new_game("new", on.now()));
    move_game_to_another_start: |on| on.service().update_game(
        &ines(),
        &game_id("plain"),
        &GameChange {
            game_start_ts: Some(on.now().after(Duration::from_secs(3600))),
            ..no_game_change()
        },
    );
    move_game_to_another_session: |on| on.service().update_game(
        &ines(),
        &game_id("done"),
        &GameChange { session_id: Some("day-2".parse().unwrap()), ..no_game_change() },
    );
    change_teams_of_game: |on| on.service().update_game(
        &ines(),
        &game_id("plain"),
        &GameChange {
            team_ids: Some(["red", "green", "yellow"].map(team).to_vec()),
            ..no_game_change()
        },
    );
    start_third: |on| on.service().start_third(&tomasz(), &game_id("plain"), 1, None);
    correct_third: |on| on.service().correct_third(
        &tomasz(),
        &game_id("played"),
        3,
        &ThirdChange { started_at: Change::Keep, finished_at: Change::Remove },
    );
    move_goal: |on| on.service().edit_goal(
        &tomasz(),
        &game_id("live"),
        &event(1),
        &GoalChange { third: Some(1), game_minute: Some(7), ..no_change() },
    );
    case_02_finish_game: |on| on.service().finish_game(&tomasz(), &game_id("played"), false);
    reopen_abandoned_game: |on| on.service().reopen_game(&ines(), &game_id("hail"));
    lend_player: |on| on.service().assign_roster(&tomasz(), &game_id("live"), &player("r3"), &team("blue"));
    case_02_grant_role: |on| on.service().grant_role(&ines(), &league_id(), &user(&noor()), &role(Role::Admin));
    change_role: |on| on.service().grant_role(&ines(), &league_id(), &user(&bea()), &role(Role::Admin));
    change_role_of_an_admin_with_invitations: |on| on.service().grant_role(&ines(), &league_id(), &user(&ruben()), &role(Role::Viewer));
    revoke_role_of_an_admin_with_invitations: |on| on.service().revoke_role(&ines(), &league_id(), &user(&ruben()));
    accept_invite_to_a_greater_role: |on| on.service().accept_invite(&bea(), &league_id(), &accept(on));
}

/// Whoever got no answer asks again: the game counts once.
#[test]
fn a_finish_that_is_repeated_after_a_fault_counts_once() {
    run(at_every_request(
        prepare,
        async |on: &Prepared| {
            on.service().finish_game(&tomasz(), &game_id("played"), false).await.map(|_| ())
        },
        async |on: &Prepared, _, fault| {
            on.service().finish_game(&tomasz(), &game_id("played"), false).await.unwrap();
            let played = on.fixture.data("SEASON#spring STANDING#red").await["played"].clone();
            assert_eq!(played, 2, "{fault:?}");
        },
    ));
}

/// A failed read is a failure, not a session that does not exist.
#[test]
fn a_failed_read_is_not_answered_as_missing() {
    run(at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let autumn = SeasonId::new("autumn").unwrap();
            let service = &fixture.service;
            service.create_league(&ruben(), &new_league("harbour")).await.unwrap();
            service.create_season(&ruben(), &harbour(), &new_season("autumn")).await.unwrap();
            service.create_session(&ruben(), &autumn, &new_session("day-2")).await.unwrap();
            fixture.game("g1").await;
            fixture
        },
        async |fixture: &Fixture| {
            let service = &fixture.service;
            let listed = service.games(None, &session_id()).await;
            let change =
                GameChange { session_id: Some("day-2".parse().unwrap()), ..no_game_change() };
            let moved = service.update_game(&ines(), &game_id("g1"), &change).await;
            for code in [code(&listed), code(&moved)] {
                assert_ne!(code, "session-not-found");
            }
            match code(&moved) {
                "other-season" => listed.map(|_| ()),
                _ => moved.map(|_| ()),
            }
        },
        async |_: &Fixture, _, _| {},
    ));
}
