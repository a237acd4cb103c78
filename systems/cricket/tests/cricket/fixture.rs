//! What the tests work on.

use cricket::design::{
    CachedFixture, Cricket, Fixture, Form, League, LeagueCode, LeagueId, MatchId, ProcessingState,
    PushToken, SeasonId, Team, TeamId, TeamSeason, UserId,
};
use cricket::rules::Format;
use cricket::service::Service;
use singlet::prelude::*;
use singlet_testing::TestStore;
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
    let season = SeasonId::new("s1").unwrap();
    let league = (league_code("CTL"), LeagueId::new("7001").unwrap(), season);
    let teams = [team_id("101"), team_id("102")];
    Fixture {
        venue: Some("Harbour Oval".into()),
        ..Fixture::scheduled(match_id(id), league, Format::T20, start_time, teams)
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

/// The record of a team in the season s1.
pub(crate) fn record(id: &str, position: u32, now: Timestamp) -> TeamSeason {
    TeamSeason {
        season_id: SeasonId::new("s1").unwrap(),
        team_id: team_id(id),
        league_id: LeagueId::new("7001").unwrap(),
        position,
        played: 8,
        won: 5,
        lost: 3,
        drawn: 0,
        no_result: 0,
        points: 10,
        runs_for: 2282,
        overs_for: "263.5".into(),
        runs_against: 2188,
        overs_against: "272.4".into(),
        net_run_rate: "+0.625".into(),
        form: vec![Form::W, Form::L, Form::N],
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
