//! One pass of the job `live-score` over many live matches: it polls the feed, commits every
//! changed match, and looks for finished ones.
//!
//! The feed answers at once with a new ball for every match in every pass, which is the maximum: a
//! real match has one in 16 passes.

use super::feed::{NoPhones, TapeFeed};
use super::{Outcome, Rows, database, scaled};
use crate::folder::Folder;
use ::systems::cricket::design::{
    Fixture, League, LeagueCode, LeagueId, MatchId, SeasonId, Team, TeamId,
};
use ::systems::cricket::jobs::Jobs;
use ::systems::cricket::rules::{Format, Phase};
use ::systems::cricket::service::Service;
use singlet::engine::Clock;
use singlet_web::random::Random;
use std::sync::Arc;

const MATCHES: usize = scaled(50, 3);
/// The interval of passes.
const PASS_MS: i64 = 2_500;
/// The number of passes that the tapes have balls for.
const PASSES: usize = 100;

pub(super) async fn tick(rows: &Rows) -> Outcome<()> {
    let title = format!("Cricket: ticks over {MATCHES} matches on the disk");
    if !rows.wants(&title) {
        return Ok(());
    }
    let clock = Clock::fixed(Clock::system().now().as_millis());
    let folder = Folder::new("cricket");
    let service = Service::new(database(Some(&folder), clock.clone()).await?, Random::new());
    create_teams(&service).await?;
    let feed = Arc::new(TapeFeed::new(clock.clone()));
    for number in 0..MATCHES {
        let fixture = create_match(&service, number).await?;
        feed.add(&fixture, 20 + number as u64)?;
    }
    let jobs = Jobs::new(&service, feed.clone(), None, Arc::new(NoPhones))?;
    rows.measure(
        &title,
        1,
        vec![(jobs, feed, clock, 0)],
        |(jobs, feed, clock, passes)| async move {
            clock.advance(PASS_MS);
            feed.bowl();
            let listed = jobs.live_score_pass().await;
            match listed.map_err(|error| format!("a pass failed: {error:?}"))? {
                Some(MATCHES) => Ok((passes < PASSES).then_some((jobs, feed, clock, passes + 1))),
                listed => Err(format!("a pass ticked {listed:?} of {MATCHES} matches").into()),
            }
        },
    )
    .await
}

async fn create_teams(service: &Service) -> Outcome<()> {
    let now = service.db.now();
    let team = |id: &str, name: &str, code: &str| {
        Outcome::Ok(Team {
            team_id: TeamId::new(id)?,
            name: name.to_owned(),
            code: code.to_owned(),
            image_path: None,
            country_id: None,
            national: false,
            short_name: None,
            colour: None,
            updated_at: now,
        })
    };
    let teams = [team("101", "Harbour Hawks", "HAR")?, team("102", "Kinsale Kestrels", "KIN")?];
    service.teams.create_many(&teams).await?;
    let league = League {
        league_id: LeagueId::new("7001")?,
        code: LeagueCode::new("CTL")?,
        name: "Coastal T20 League".to_owned(),
        season_id: Some(SeasonId::new("1")?),
        country_id: None,
        image_path: None,
        kind: None,
        active: true,
        updated_at: now,
    };
    service.leagues.create(&league).await?;
    Ok(())
}

/// Creates a T20 match near its end.
async fn create_match(service: &Service, number: usize) -> Outcome<Fixture> {
    let format = Format::T20;
    let start_time = service.db.now().before(format.length());
    let fixture = Fixture {
        match_id: MatchId::new((1_000 + number).to_string())?,
        league_code: LeagueCode::new("CTL")?,
        league_id: LeagueId::new("7001")?,
        season_id: SeasonId::new("1")?,
        round: None,
        format,
        start_time,
        home_team_id: TeamId::new("101")?,
        away_team_id: TeamId::new("102")?,
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
    };
    service.fixtures.create(&fixture).await?;
    Ok(fixture)
}
