//! Demo data: three leagues, eight teams, matches that are played while you watch.

use crate::design::{
    Environment, Fixture, Form, League, LeagueCode, LeagueId, MatchId, Platform, PushToken,
    SeasonId, Team, TeamId, TeamSeason, UserId,
};
use crate::feed::ReplayFeed;
use crate::generate;
use crate::jobs::{Jobs, NewReplay};
use crate::push::LogSender;
use crate::rules::{Format, Phase, net_run_rate};
use crate::service::{ADMIN_GROUP, NewDevice, Service, StoreError};
use singlet::prelude::*;
use singlet_web::{Demo, DemoError, Persona, Resources};
use std::sync::Arc;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

const ASHA: Persona = Persona::new("asha", "Asha", "follows Harbour and Ridge, has a phone");
const BEN: Persona = Persona::new("ben", "Ben", "follows a match, but no side");
const DANA: Persona = Persona::new("dana", "Dana", "follows South Isles");
const CHEN: Persona = Persona::new("chen", "Chen", "new, follows nothing");
const OLU: Persona = Persona::new("olu", "Olu", "operator").with_groups(&[ADMIN_GROUP]);

/// People of the demo data.
pub const PERSONAS: &[Persona] = &[ASHA, BEN, DANA, CHEN, OLU];

/// A league of the demo data.
#[derive(Debug)]
pub(crate) struct DemoLeague {
    id: &'static str,
    code: &'static str,
    name: &'static str,
    season: &'static str,
}

pub(crate) const T20_LEAGUE: DemoLeague =
    DemoLeague { id: "7001", code: "CTL", name: "Coastal T20 League", season: "70011" };
const ODI_LEAGUE: DemoLeague =
    DemoLeague { id: "7002", code: "SOC", name: "Summit One-Day Cup", season: "70021" };
const TEST_LEAGUE: DemoLeague =
    DemoLeague { id: "7003", code: "ITS", name: "Isles Test Series", season: "70031" };

/// Who plays in the Coastal T20 League, in turn.
pub(crate) const T20_PAIRS: [[&str; 2]; 4] =
    [["101", "102"], ["103", "104"], ["102", "103"], ["104", "101"]];

/// Id, name, code, colour, and whether it plays for a country.
const TEAMS: [(&str, &str, &str, &str, bool); 8] = [
    ("101", "Harbour Hawks", "HAR", "#0b6e99", false),
    ("102", "Kinsale Kestrels", "KIN", "#b3541e", false),
    ("103", "Delta Dolphins", "DEL", "#1f7a4d", false),
    ("104", "Mesa Meteors", "MES", "#8e3b8e", false),
    ("301", "Ridge Rangers", "RID", "#9a1f2e", false),
    ("302", "Vale Vikings", "VAL", "#2f4b8f", false),
    ("201", "North Isles", "NIS", "#20558a", true),
    ("202", "South Isles", "SIS", "#a06a00", true),
];

/// The league and the sides of a tape that an operator loads.
pub(crate) fn sides_of(format: Format) -> (&'static DemoLeague, [&'static str; 2]) {
    match format {
        Format::Odi => (&ODI_LEAGUE, ["301", "302"]),
        Format::Test | Format::Fc => (&TEST_LEAGUE, ["201", "202"]),
        Format::T10 | Format::T20 | Format::Hundred => (&T20_LEAGUE, ["101", "102"]),
    }
}

/// A match that has not begun; `None` if an id is not one.
pub(crate) fn new_fixture(
    id: &MatchId,
    league: &DemoLeague,
    format: Format,
    [home, away]: [&str; 2],
    start_time: Timestamp,
) -> Option<Fixture> {
    Some(Fixture {
        match_id: id.clone(),
        league_code: LeagueCode::new(league.code).ok()?,
        league_id: LeagueId::new(league.id).ok()?,
        season_id: SeasonId::new(league.season).ok()?,
        round: Some("Generated match".to_owned()),
        format,
        start_time,
        home_team_id: TeamId::new(home).ok()?,
        away_team_id: TeamId::new(away).ok()?,
        venue: Some("Harbour Oval".to_owned()),
        status: "NS".to_owned(),
        phase: Phase::Scheduled,
        live: None,
        live_updated_at: None,
        archived_at: None,
        ended_at: None,
        toss: None,
        toss_notified_at: None,
        innings: Vec::new(),
        target: None,
        day: None,
        result: None,
        sequence: 0,
        feed_at: None,
        replay: None,
        updated_at: start_time,
    })
}

/// Creates the leagues and teams that are not there.
pub(crate) async fn create_leagues_and_teams(service: &Service) -> Result<(), StoreError> {
    let now = service.db.now();
    for league in [&T20_LEAGUE, &ODI_LEAGUE, &TEST_LEAGUE] {
        let (Ok(league_id), Ok(code)) = (LeagueId::new(league.id), LeagueCode::new(league.code))
        else {
            continue;
        };
        let league = League {
            league_id,
            code,
            name: league.name.to_owned(),
            season_id: SeasonId::new(league.season).ok(),
            country_id: None,
            image_path: None,
            kind: Some("league".to_owned()),
            active: true,
            updated_at: now,
        };
        service.leagues.create(&league).await?;
    }
    let teams = TEAMS.iter().filter_map(|(id, name, code, colour, national)| {
        Some(Team {
            team_id: TeamId::new(*id).ok()?,
            name: (*name).to_owned(),
            code: (*code).to_owned(),
            image_path: None,
            country_id: None,
            national: *national,
            short_name: None,
            colour: Some((*colour).to_owned()),
            updated_at: now,
        })
    });
    service.teams.create_many(&teams.collect::<Vec<_>>()).await?;
    Ok(())
}

/// Loads the demo data.
///
/// # Errors
///
/// If the store fails.
pub async fn load(resources: Resources, demo: Demo) -> Result<(), DemoError> {
    let service = Service::new(resources.database().await?, resources.random().clone());
    let feed = ReplayFeed::new(service.clone());
    let jobs =
        Jobs::new(&service, Arc::new(feed.clone()), Some(feed.clone()), Arc::new(LogSender))?;
    let now = demo.loaded_at();
    demo.set_time(now);
    create_leagues_and_teams(&service).await?;
    write_standings(&service).await?;
    let new = |id: &str, tape: String, league, teams, start_time, position_ms| {
        let id = MatchId::new(id)?;
        let (speed, playing) = (12, true);
        let new = NewReplay { id, tape, league, teams, start_time, position_ms, speed, playing };
        Ok::<NewReplay, DemoError>(new)
    };
    let begun = |tape: &str, time: i64| {
        let tape = feed.tape(tape).ok_or_else(|| DemoError::new("there is no such tape"))?;
        let start = now.before(Duration::from_millis(u64::try_from(time).unwrap_or(0)));
        Ok::<_, DemoError>((start, tape.position_of(time, true)))
    };
    let until = |start: Timestamp| -i64::try_from(start.since(now).as_millis()).unwrap_or(0);

    // In play: a T20 after 8.3 overs, and a Test on day 3 after lunch.
    let tape = feed.tape("t20-20").ok_or_else(|| DemoError::new("there is no tape t20-20"))?;
    let time = tape.time_of_ball(1, "8.3").unwrap_or(0);
    let (start, position) = begun("t20-20", time)?;
    let twenty = new("9000001", "t20-20".to_owned(), &T20_LEAGUE, ["101", "102"], start, position)?;
    let (name, time) = test_on_day_three(&feed).ok_or_else(|| DemoError::new("no Test"))?;
    let (start, position) = begun(&name, time)?;
    let test = new("9000002", name, &TEST_LEAGUE, ["201", "202"], start, position)?;
    for replay in [twenty, test] {
        if let Some(fixture) = jobs.create_replay(&replay).await? {
            jobs.catch_up(&fixture).await?;
        }
    }
    // Soon: the toss is twenty minutes before the start on a tape, so the start is 6 min ahead and
    // the toss is known then.
    let start = now.after(6 * MINUTE);
    let odi =
        new("9000003", "odi-50".to_owned(), &ODI_LEAGUE, ["301", "302"], start, until(start))?;
    jobs.create_replay(&odi).await?;
    let noon = Timestamp::from_millis(now.as_millis() / 86_400_000 * 86_400_000);
    for (id, tape, teams, days) in
        [("9000004", "t20-104", ["103", "104"], 1), ("9000005", "t20-105", ["102", "104"], 3)]
    {
        let start = noon.after(days * DAY).after(14 * HOUR + 30 * MINUTE);
        let replay = new(id, tape.to_owned(), &T20_LEAGUE, teams, start, until(start))?;
        jobs.create_replay(&replay).await?;
    }
    // Over: decided by under ten runs yesterday, and by a super over the day before.
    for (id, tape, teams, days) in [
        ("9000006", close_match(), ["102", "103"], 1),
        ("9000007", super_over_match(), ["101", "104"], 2),
    ] {
        let Some(name) = tape else { continue };
        let Some(tape) = feed.tape(&name) else { continue };
        let start = now.before(days * DAY).after(HOUR);
        let end = tape.position_of(tape.duration_ms(), true) + 1_000;
        demo.set_time(start.after(5 * HOUR));
        let replay = new(id, name, &T20_LEAGUE, teams, start, end)?;
        let replay = NewReplay { playing: false, ..replay };
        if let Some(fixture) = jobs.create_replay(&replay).await? {
            jobs.catch_up(&fixture).await?;
        }
        demo.set_time(now);
        keep_for_a_day(&service, id, now).await?;
    }
    follow(&service).await
}

/// A replay is kept 24 h from loading, if that is later than from its end.
async fn keep_for_a_day(service: &Service, id: &str, now: Timestamp) -> Result<(), DemoError> {
    let id = MatchId::new(id)?;
    let Some(fixture) = service.fixtures.get_consistent(&id).await? else { return Ok(()) };
    if let Some(replay) = fixture.replay {
        let replay = crate::design::Replay { expires_at: now.after(DAY), ..replay };
        service.fixtures.update(update(Fixture::key(&id)).set(Fixture::REPLAY, replay)).await?;
    }
    Ok(())
}

async fn follow(service: &Service) -> Result<(), DemoError> {
    let user = |persona: &Persona| UserId::new(persona.subject);
    let phone = NewDevice {
        device_token: PushToken::new("browser-00000000-0000-4000-8000-00000000a5a1")?,
        platform: Platform::Ios,
        environment: Environment::Sandbox,
        app_version: Some("1.0".to_owned()),
    };
    let asha = user(&ASHA)?;
    service.devices.register(&asha, &phone).await?;
    let start_token = PushToken::new("start-00000000-0000-4000-8000-00000000a5a1")?;
    service.devices.set_push_to_start(&asha, &phone.device_token, &start_token).await?;
    for (persona, id, team) in [
        (ASHA, "9000001", "101"),
        (ASHA, "9000003", "301"),
        (BEN, "9000001", "neutral"),
        (DANA, "9000002", "202"),
    ] {
        let fixture = service.fixtures.get_consistent(&MatchId::new(id)?).await?;
        if let Some(fixture) = fixture {
            service.follows.follow(&fixture, &user(&persona)?, &TeamId::new(team)?).await?;
        }
    }
    Ok(())
}

/// A Test that is still played on day 3 after lunch: its name, and that time of its tape.
fn test_on_day_three(feed: &ReplayFeed) -> Option<(String, i64)> {
    (5..50).find_map(|seed| {
        let name = generate::name_of(Format::Test, seed)?;
        let tape = feed.tape(&name)?;
        let day_three = 2 * 86_400_000;
        let lunch = tape.time_of_status("Lunch", day_three + 43_200_000)?;
        // Forty minutes of lunch, and some overs.
        let time = lunch + 55 * 60_000;
        (lunch > day_three && time < tape.duration_ms()).then_some((name, time))
    })
}

/// A T20 that was decided by under ten runs.
fn close_match() -> Option<String> {
    let is_close = |seed: &u64| {
        let played = generate::play(Format::T20, *seed);
        let [first, second] = played.innings.as_slice() else { return false };
        let margin = first.runs().saturating_sub(second.runs());
        (1..10).contains(&margin)
    };
    generate::name_of(Format::T20, (200..600).find(is_close)?)
}

/// A T20 that a super over decided.
fn super_over_match() -> Option<String> {
    let is_it = |seed: &u64| {
        let played = generate::play(Format::T20, *seed);
        played.winner.is_some() && played.innings.iter().any(|one| one.is_super)
    };
    generate::name_of(Format::T20, (600..2_000).find(is_it)?)
}

async fn write_standings(service: &Service) -> Result<(), DemoError> {
    use Form::{Lost, NoResult, Won};
    let rows = [
        ("101", [9, 6, 2, 1], (1482, "171.2"), (1401, "173.5"), [Won, Won, Lost, Won, Won]),
        ("102", [9, 5, 4, 0], (1511, "176"), (1489, "178.3"), [Won, Lost, Won, Won, Lost]),
        ("103", [9, 4, 5, 0], (1420, "174.4"), (1447, "172.1"), [Lost, Won, Lost, Lost, Won]),
        ("104", [9, 2, 6, 1], (1355, "169.5"), (1431, "166.4"), [Lost, Lost, Won, NoResult, Lost]),
    ];
    let mut records = Vec::new();
    for (position, (team, [played, won, lost, none], scored, conceded, form)) in (1..).zip(rows) {
        records.push(TeamSeason {
            season_id: SeasonId::new(T20_LEAGUE.season)?,
            team_id: TeamId::new(team)?,
            league_id: LeagueId::new(T20_LEAGUE.id)?,
            position,
            played,
            won,
            lost,
            drawn: 0,
            no_result: none,
            points: i32::try_from(2 * won + none).unwrap_or(0),
            runs_for: scored.0,
            overs_for: scored.1.to_owned(),
            runs_against: conceded.0,
            overs_against: conceded.1.to_owned(),
            net_run_rate: net_run_rate(scored, conceded).unwrap_or_default(),
            form: form.to_vec(),
            updated_at: service.db.now(),
        });
    }
    service.team_seasons.put_many(&records).await?;
    Ok(())
}
