//! Demo data: three leagues, eight teams, matches that are played while you watch.

use crate::design::{
    Environment, Fixture, Form, League, LeagueCode, LeagueId, MatchId, Platform, PushToken, Replay,
    SeasonId, Team, TeamId, TeamSeason, UserId,
};
use crate::feed::ReplayFeed;
use crate::generate;
use crate::jobs::Jobs;
use crate::push::LogSender;
use crate::routes::ADMIN_GROUP;
use crate::rules::{Format, net_run_rate};
use crate::service::{NewDevice, Service};
use singlet::prelude::*;
use singlet_web::{Demo, DemoError, Persona, Resources};
use std::sync::Arc;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
const DAY_MS: i64 = 86_400_000;

const ASHA: Persona = Persona::new("asha", "Asha", "follows Harbour and Ridge, has a phone");
const BEN: Persona = Persona::new("ben", "Ben", "follows a match, but no side");
const DANA: Persona = Persona::new("dana", "Dana", "follows South Isles");
const CHEN: Persona = Persona::new("chen", "Chen", "new, follows nothing");
const OLU: Persona = Persona::new("olu", "Olu", "operator").with_groups(&[ADMIN_GROUP]);

pub const PERSONAS: &[Persona] = &[ASHA, BEN, DANA, CHEN, OLU];

struct DemoLeague {
    id: &'static str,
    code: &'static str,
    name: &'static str,
    season: &'static str,
}

const T20_LEAGUE: DemoLeague =
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

/// A match of a tape that has not begun, at speed 12. Without `teams`, those of its league play.
/// `None` if there is no such tape.
pub(crate) fn new_replay(
    id: &str,
    tape: &str,
    teams: Option<[&str; 2]>,
    start_time: Timestamp,
    position_ms: i64,
) -> Option<Fixture> {
    let (format, _) = generate::parse_name(tape)?;
    let (league, usual) = match format {
        Format::Odi => (&ODI_LEAGUE, ["301", "302"]),
        Format::Test | Format::Fc => (&TEST_LEAGUE, ["201", "202"]),
        Format::T10 | Format::T20 | Format::Hundred => (&T20_LEAGUE, ["101", "102"]),
    };
    let [home, away] = teams.unwrap_or(usual);
    let league = (
        LeagueCode::new(league.code).ok()?,
        LeagueId::new(league.id).ok()?,
        SeasonId::new(league.season).ok()?,
    );
    let teams = [TeamId::new(home).ok()?, TeamId::new(away).ok()?];
    let replay = Replay {
        tape: tape.to_owned(),
        playing: true,
        position_ms,
        at: start_time,
        speed: 12,
        skip_breaks: true,
        revision: 0,
        expires_at: start_time,
    };
    Some(Fixture {
        round: Some("Generated match".to_owned()),
        venue: Some("Harbour Oval".to_owned()),
        replay: Some(replay),
        ..Fixture::scheduled(MatchId::new(id).ok()?, league, format, start_time, teams)
    })
}

/// Creates the leagues and teams that are not there.
pub(crate) async fn create_leagues_and_teams(service: &Service) -> singlet::Result<()> {
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

pub async fn load(resources: Resources, demo: Demo) -> Result<(), DemoError> {
    let service = Service::new(resources.database().await?, resources.random().clone());
    let feed = ReplayFeed::new(service.clone());
    let jobs =
        Jobs::new(&service, Arc::new(feed.clone()), Some(feed.clone()), Arc::new(LogSender))?;
    let now = demo.loaded_at();
    demo.set_time(now);
    create_leagues_and_teams(&service).await?;
    write_standings(&service).await?;
    let no_tape = || DemoError::new("there is no such tape");
    let tape = |name: &str| feed.tape(name).ok_or_else(no_tape);
    let replay = |id, tape, teams, start, position_ms| {
        new_replay(id, tape, Some(teams), start, position_ms).ok_or_else(no_tape)
    };

    // In play: a T20 after 8.3 overs, and a Test on day 3, fifteen minutes after lunch.
    let (twenty, test) = (tape("t20-20")?, tape("test-5")?);
    let lunch = test.time_of_status("Lunch", 2 * DAY_MS + DAY_MS / 2).unwrap_or(0);
    for (id, tape, teams, time) in [
        ("9000001", &twenty, ["101", "102"], twenty.time_of_ball(1, "8.3")),
        ("9000002", &test, ["201", "202"], Some(lunch + 55 * 60_000)),
    ] {
        let time = time.unwrap_or(0);
        let start = now.before(Duration::from_millis(u64::try_from(time).unwrap_or(0)));
        let new = replay(id, tape.name(), teams, start, tape.position_of(time, true))?;
        if let Some(fixture) = jobs.create_replay(new).await? {
            jobs.catch_up(&fixture).await?;
        }
    }
    // Soon: the toss is twenty minutes before the start on a tape, so the start is 6 min ahead and
    // the toss is known then. Others start in the afternoon.
    let today = Timestamp::from_millis(now.as_millis() / DAY_MS * DAY_MS);
    let afternoon = 14 * HOUR + 30 * MINUTE;
    for (id, tape, teams, start) in [
        ("9000003", "odi-50", ["301", "302"], now.after(6 * MINUTE)),
        ("9000004", "t20-104", ["103", "104"], today.after(DAY + afternoon)),
        ("9000005", "t20-105", ["102", "104"], today.after(3 * DAY + afternoon)),
    ] {
        let until = i64::try_from(start.since(now).as_millis()).unwrap_or(0);
        jobs.create_replay(replay(id, tape, teams, start, -until)?).await?;
    }
    // Over: decided by under ten runs yesterday, and by a super over the day before.
    for (id, name, teams, days) in
        [("9000006", "t20-210", ["102", "103"], 1), ("9000007", "t20-624", ["101", "104"], 2)]
    {
        let tape = tape(name)?;
        let start = today.before(days * DAY).after(afternoon);
        let end = tape.position_of(tape.duration_ms(), true) + 1_000;
        demo.set_time(start.after(5 * HOUR));
        let mut over = replay(id, name, teams, start, end)?;
        over.replay.iter_mut().for_each(|replay| replay.playing = false);
        if let Some(fixture) = jobs.create_replay(over).await? {
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
        let replay = Replay { expires_at: now.after(DAY), ..replay };
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

async fn write_standings(service: &Service) -> Result<(), DemoError> {
    use Form::{L, N, W};
    let rows = [
        ("101", [9, 6, 2, 1], (1482, "171.2"), (1401, "173.5"), [W, W, L, W, W]),
        ("102", [9, 5, 4, 0], (1511, "176"), (1489, "178.3"), [W, L, W, W, L]),
        ("103", [9, 4, 5, 0], (1420, "174.4"), (1447, "172.1"), [L, W, L, L, W]),
        ("104", [9, 2, 6, 1], (1355, "169.5"), (1431, "166.4"), [L, L, W, N, L]),
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
