//! Demo data and the people in it.
//!
//! A league with a finished season and one in full swing, loaded through the service, so that it
//! obeys every rule. Times are relative to the moment of loading.

mod game;
mod people;

pub use people::PERSONAS;

use crate::design::{AbandonReason, Color, LeagueId, Role, SeasonId, SessionId, Visibility};
use crate::service::Service;
use crate::service::input::{
    AbandonGame, AcceptInvite, NewInvite, NewLeague, NewPlayer, NewSeason, NewSession, NewTeam,
    TeamChange,
};
use game::{GoalChoice, Match, ScheduledMatch};
use people::{BEA, INES, PLAYERS, RUBEN, TOMASZ};
use singlet::{Date, Timestamp};
use singlet_web::demo::{Demo, DemoError};
use singlet_web::identity::Caller;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// The teams of both seasons: id, name, code, colour.
const TEAMS: [(&str, &str, &str, Color); 6] = [
    ("anc", "Anchor Row", "ANC", Color::Red),
    ("bel", "Bellfounders", "BEL", Color::Blue),
    ("cin", "Cinder Lane", "CIN", Color::Orange),
    ("dri", "Driftwood", "DRI", Color::Green),
    ("eas", "Eastgate", "EAS", Color::Yellow),
    ("fog", "Fogsignal", "FOG", Color::Purple),
];
/// The two games of a session, by the places of their teams. Each plays each as often.
const ROUNDS: [[[usize; 3]; 2]; 5] = [
    [[0, 3, 5], [1, 2, 4]],
    [[0, 1, 4], [2, 3, 5]],
    [[0, 2, 5], [1, 3, 4]],
    [[0, 1, 3], [2, 4, 5]],
    [[0, 4, 5], [1, 2, 3]],
];
const AUTUMN_SESSIONS: u32 = 9;
const SPRING_SESSIONS: u32 = 6;

/// Loads everything.
pub(crate) async fn load(service: &Service, demo: Demo) -> Result<(), DemoError> {
    let mut loader = Loader { service, demo, league: LeagueId::new("tidewall")? };
    loader.leagues().await?;
    loader.players().await?;
    let first_autumn_day = loader.weeks_ago(38);
    let autumn = loader.season("tidewall-autumn", "Autumn", first_autumn_day, 10).await?;
    loader.squads(&autumn, &[]).await?;
    for week in 0..AUTUMN_SESSIONS {
        let day = loader.weeks_ago(38 - week);
        loader.past_session(&autumn, "autumn", week, day).await?;
    }
    let first_spring_day = loader.weeks_ago(SPRING_SESSIONS);
    let spring = loader.season("tidewall-spring", "Spring", first_spring_day, 12).await?;
    // Cinder Lane has named nobody yet.
    loader.squads(&spring, &["cin"]).await?;
    for week in 0..SPRING_SESSIONS {
        let day = loader.weeks_ago(SPRING_SESSIONS - week);
        loader.past_session(&spring, "spring", week, day).await?;
    }
    loader.invitation().await?;
    loader.next_week(&spring).await?;
    loader.today(&spring).await
}

/// The state of a loading.
struct Loader<'s> {
    service: &'s Service,
    demo: Demo,
    league: LeagueId,
}

impl Loader<'_> {
    /// Two in the afternoon, so many weeks ago.
    fn weeks_ago(&self, weeks: u32) -> Timestamp {
        Date::of(self.demo.loaded_at().before(WEEK * weeks)).start().after(14 * HOUR)
    }

    async fn leagues(&mut self) -> Result<(), DemoError> {
        self.demo.set_time(self.weeks_ago(40));
        let new = |id: &str, name: &str, visibility| NewLeague {
            league_id: Some(id.to_owned()),
            name: name.to_owned(),
            city: Some("Port Merrow".to_owned()),
            visibility: Some(visibility),
        };
        let tidewall = new("tidewall", "Tidewall Three-Sided League", Visibility::Public);
        self.service.create_league(&INES.caller(), &tidewall).await?;
        let quarry_lane = new("quarry-lane", "Quarry Lane Irregulars", Visibility::Private);
        self.service.create_league(&RUBEN.caller(), &quarry_lane).await?;
        for (admin, league, persona, role) in [
            (INES, "tidewall", TOMASZ, Role::Scorekeeper),
            (INES, "tidewall", BEA, Role::Viewer),
            (RUBEN, "quarry-lane", BEA, Role::Viewer),
        ] {
            let league = LeagueId::new(league)?;
            let new = NewInvite { role };
            let invite = self.service.invite(&admin.caller(), &league, &new).await?;
            let display_name = persona.name.to_owned();
            let accept = AcceptInvite { code: invite.code, display_name };
            self.service.accept_invite(&persona.caller(), &league, &accept).await?;
        }
        Ok(())
    }

    async fn players(&mut self) -> Result<(), DemoError> {
        for (_, nickname, number) in PLAYERS {
            let new = NewPlayer {
                player_id: Some(nickname.to_lowercase()),
                nickname: (*nickname).to_owned(),
                number: Some(*number),
            };
            self.service.create_player(&INES.caller(), &self.league, &new).await?;
        }
        Ok(())
    }

    async fn season(
        &mut self,
        id: &str,
        name: &str,
        first_day: Timestamp,
        weeks: u32,
    ) -> Result<SeasonId, DemoError> {
        self.demo.set_time(first_day.before(WEEK));
        let teams = TEAMS.iter().map(|(id, name, code, color)| NewTeam {
            team_id: Some((*id).to_owned()),
            name: (*name).to_owned(),
            code: (*code).to_owned(),
            color: *color,
        });
        let new = NewSeason {
            season_id: Some(id.to_owned()),
            name: name.to_owned(),
            starts_on: Some(Date::of(first_day)),
            ends_on: Some(Date::of(first_day.after(WEEK * weeks))),
            third_length_minutes: Some(20),
            teams: Some(teams.collect()),
        };
        self.service.create_season(&INES.caller(), &self.league, &new).await?;
        Ok(SeasonId::new(id)?)
    }

    async fn squads(&mut self, season: &SeasonId, without: &[&str]) -> Result<(), DemoError> {
        for (team, ..) in TEAMS.iter().filter(|(team, ..)| !without.contains(team)) {
            let squad = PLAYERS.iter().filter(|(of, ..)| of == team);
            let squad = squad.map(|(_, nickname, _)| nickname.to_lowercase());
            let change = TeamChange {
                name: None,
                code: None,
                color: None,
                squad_player_ids: Some(squad.collect()),
                retired: None,
            };
            let team = team.parse()?;
            self.service.update_team(&INES.caller(), season, &team, &change).await?;
        }
        Ok(())
    }

    async fn session(
        &mut self,
        season: &SeasonId,
        id: &str,
        day: Timestamp,
    ) -> Result<SessionId, DemoError> {
        let new = NewSession {
            session_id: Some(id.to_owned()),
            session_date: Date::of(day),
            venue: Some("Ropewalk Ground".to_owned()),
        };
        self.service.create_session(&INES.caller(), season, &new).await?;
        Ok(SessionId::new(id)?)
    }

    /// A session of two games that are over.
    async fn past_session(
        &mut self,
        season: &SeasonId,
        prefix: &str,
        week: u32,
        day: Timestamp,
    ) -> Result<(), DemoError> {
        self.demo.set_time(day.before(3 * 24 * HOUR));
        let session = self.session(season, &format!("{prefix}-day-{}", week + 1), day).await?;
        let round = ROUNDS.get(week as usize % ROUNDS.len()).copied().unwrap_or_default();
        for (place, teams) in (0..).zip(round) {
            let id = format!("{prefix}-{:02}", 2 * week + place + 1);
            let start = day.after(90 * MINUTE * place);
            let game = self.create(&session, &id, start, teams).await?;
            game::play(self, &game).await?;
        }
        match (prefix, week) {
            ("spring", 2) => game::lend_lark(self).await?,
            ("spring", 3) => self.abandoned(&session, day.after(180 * MINUTE)).await?,
            ("spring", 4) => game::correct(self, "spring-09").await?,
            _ => {}
        }
        Ok(())
    }

    async fn create(
        &mut self,
        session: &SessionId,
        id: &str,
        start: Timestamp,
        teams: [usize; 3],
    ) -> Result<Match, DemoError> {
        let teams = teams.map(|place| TEAMS.get(place).map_or("anc", |team| team.0));
        ScheduledMatch { session, id, start, teams }.create(self).await
    }

    /// A game that hail ended in its second third.
    async fn abandoned(&mut self, session: &SessionId, start: Timestamp) -> Result<(), DemoError> {
        let game = self.create(session, "spring-hail", start, [1, 3, 4]).await?;
        game.start_third(self, 1, start).await?;
        let goal = GoalChoice { conceding: 0, scoring: Some(1), is_named: true };
        game.goal(self, goal, start.after(9 * MINUTE)).await?;
        game.finish_third(self, 1, start.after(21 * MINUTE)).await?;
        game.start_third(self, 2, start.after(24 * MINUTE)).await?;
        self.demo.set_time(start.after(31 * MINUTE));
        let abandon = AbandonGame {
            reason: AbandonReason::Weather,
            note: Some("Hail the size of marbles".to_owned()),
            absent_team_ids: Vec::new(),
        };
        self.service.abandon_game(&TOMASZ.caller(), &game.id, &abandon).await?;
        Ok(())
    }

    async fn invitation(&mut self) -> Result<(), DemoError> {
        self.demo.set_time(self.demo.loaded_at().before(24 * HOUR));
        let new = NewInvite { role: Role::Scorekeeper };
        self.service.invite(&INES.caller(), &self.league, &new).await?;
        Ok(())
    }

    async fn next_week(&mut self, season: &SeasonId) -> Result<(), DemoError> {
        let day = self.weeks_ago(0).after(WEEK);
        let session = self.session(season, "spring-day-8", day).await?;
        for (place, teams) in (0..).zip(ROUNDS.get(2).copied().unwrap_or_default()) {
            let id = format!("spring-{}", 15 + place);
            self.create(&session, &id, day.after(90 * MINUTE * place), teams).await?;
        }
        Ok(())
    }

    /// One game in its second third, and one to come.
    async fn today(&mut self, season: &SeasonId) -> Result<(), DemoError> {
        let now = self.demo.loaded_at();
        let start = now.before(33 * MINUTE);
        self.demo.set_time(start.before(10 * MINUTE));
        let session = self.session(season, "spring-day-7", now).await?;
        let live = self.create(&session, "spring-13", on_schedule(start), [0, 3, 5]).await?;
        let next = on_schedule(now.after(60 * MINUTE));
        self.create(&session, "spring-14", next, [1, 2, 4]).await?;
        live.start_third(self, 1, start).await?;
        let anc_scores = GoalChoice { conceding: 1, scoring: Some(0), is_named: true };
        live.goal(self, anc_scores, start.after(11 * MINUTE)).await?;
        // Entered by mistake.
        let mistake = GoalChoice { conceding: 2, scoring: Some(1), is_named: false };
        let mistake = live.goal(self, mistake, start.after(14 * MINUTE)).await?;
        self.demo.set_time(start.after(14 * MINUTE + Duration::from_secs(6)));
        self.service.undo_goal(&TOMASZ.caller(), &live.id, &mistake).await?;
        let own_goal = GoalChoice { conceding: 0, scoring: None, is_named: true };
        live.goal(self, own_goal, start.after(21 * MINUTE + Duration::from_secs(30))).await?;
        live.finish_third(self, 1, start.after(23 * MINUTE)).await?;
        let second = start.after(26 * MINUTE);
        live.start_third(self, 2, second).await?;
        let at = second.after(Duration::from_secs(250));
        live.goal_of(self, "dri", Some("fog"), Some("kite"), at).await?;
        self.demo.set_time(now);
        Ok(())
    }

    fn scorekeeper(&self) -> Caller {
        TOMASZ.caller()
    }
}

/// The last full five minutes: kick-offs are on a schedule.
fn on_schedule(at: Timestamp) -> Timestamp {
    const STEP_MS: i64 = 5 * 60 * 1000;
    Timestamp::from_millis(at.as_millis().div_euclid(STEP_MS) * STEP_MS)
}
