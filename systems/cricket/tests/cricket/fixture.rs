//! What the tests work on.

use cricket::design::{
    CachedFixture, Cricket, Fixture, League, LeagueCode, LeagueId, MatchId, ProcessingState,
    PushToken, SeasonId, Team, TeamId, UserId,
};
use cricket::rules::{Format, Phase};
use cricket::service::Service;
use singlet::prelude::*;
use singlet_testing::TestStore;
use singlet_web::Persona;
use singlet_web::identity::Caller;
use singlet_web::random::Random;
use std::time::Duration;

pub(crate) const MINUTE: Duration = Duration::from_secs(60);
pub(crate) const HOUR: Duration = Duration::from_secs(3_600);

/// The services on a store of their own.
pub(crate) async fn service(store: &TestStore) -> Service {
    Service::new(store.open::<Cricket>().await, Random::new())
}

/// Other services on the same store: another server.
pub(crate) fn other_service(store: &TestStore) -> Service {
    Service::new(store.database::<Cricket>(), Random::new())
}

/// Somebody in these groups.
pub(crate) fn caller(subject: &'static str, groups: &'static [&'static str]) -> Caller {
    Persona::new(subject, subject, "").with_groups(groups).caller()
}

/// An operator.
pub(crate) fn admin() -> Caller {
    caller("olu", &["cricket-admin"])
}

pub(crate) fn match_id(id: &str) -> MatchId {
    MatchId::new(id).unwrap()
}

pub(crate) fn team_id(id: &str) -> TeamId {
    TeamId::new(id).unwrap()
}

pub(crate) fn user_id(id: &str) -> UserId {
    UserId::new(id).unwrap()
}

pub(crate) fn token(text: &str) -> PushToken {
    PushToken::new(text).unwrap()
}

pub(crate) fn league_code(code: &str) -> LeagueCode {
    LeagueCode::new(code).unwrap()
}

/// A T20 of teams 101 and 102 in the league CTL that has not begun.
pub(crate) fn scheduled(id: &str, start_time: Timestamp) -> Fixture {
    Fixture {
        match_id: match_id(id),
        league_code: league_code("CTL"),
        league_id: LeagueId::new("7001").unwrap(),
        season_id: SeasonId::new("s1").unwrap(),
        round: None,
        format: Format::T20,
        start_time,
        home_team_id: team_id("101"),
        away_team_id: team_id("102"),
        venue: Some("Harbour Oval".into()),
        status: "NS".into(),
        phase: Phase::Scheduled,
        live: None,
        live_updated_at: None,
        archived_at: None,
        ended_at: None,
        toss: None,
        toss_notified_at: None,
        innings: vec![],
        target: None,
        day: None,
        result: None,
        sequence: 0,
        feed_at: None,
        replay: None,
        updated_at: start_time,
    }
}

pub(crate) fn team(id: &str, name: &str, code: &str, now: Timestamp) -> Team {
    Team {
        team_id: team_id(id),
        name: name.into(),
        code: code.into(),
        image_path: None,
        country_id: None,
        national: false,
        short_name: None,
        colour: None,
        updated_at: now,
    }
}

pub(crate) fn league(id: &str, code: &str, name: &str, active: bool, now: Timestamp) -> League {
    League {
        league_id: LeagueId::new(id).unwrap(),
        code: league_code(code),
        name: name.into(),
        season_id: Some(SeasonId::new("s1").unwrap()),
        country_id: None,
        image_path: None,
        kind: Some("league".into()),
        active,
        updated_at: now,
    }
}

/// What the feed said of a match, kept for an hour.
pub(crate) fn cached(id: &str, feed_at: i64, now: Timestamp) -> CachedFixture {
    CachedFixture {
        match_id: match_id(id),
        league_id: LeagueId::new("7001").unwrap(),
        starting_at: now,
        payload: "{}".into(),
        feed_at,
        enrichment: None,
        enriched_at: None,
        expires: Expiry::at(now.after(HOUR)),
    }
}

pub(crate) fn processing(id: &str, sequence: u64, now: Timestamp) -> ProcessingState {
    ProcessingState {
        match_id: match_id(id),
        last_processed_ball: None,
        ball_by_ball: vec!["17|2|12.5|2005|2004|1009|0|0|0|0|0|caught|2005|1004".into()],
        players: [("2005".to_owned(), "L. Moyo".to_owned())].into(),
        last_event: None,
        fired: vec![],
        cooldowns: [("six".to_owned(), 5)].into(),
        sequence,
        expires_at: Expiry::at(now.after(ProcessingState::KEPT)),
    }
}
