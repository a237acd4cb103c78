//! Demo data and the people in it.
//!
//! A league with a finished season and one in full swing, loaded through the service, so that it
//! obeys every rule. Times are relative to the moment of loading, and the seasons have the names of
//! the time of year at which they are played.

mod game;
mod people;

pub use people::PERSONAS;

use crate::design::*;
use crate::service::Service;
use crate::service::input::NewInvite;
use game::{GoalChoice, Match};
use people::{BEA, INES, RUBEN, TOMASZ, players};
use serde_json::{from_value, json};
use singlet::{Date, Timestamp};
use singlet_web::demo::{Demo, DemoError};
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

pub(crate) async fn load(service: &Service, demo: Demo) -> Result<(), DemoError> {
    let mut loader = Loader { service, demo, league: LeagueId::new("tidewall")? };
    loader.leagues().await?;
    loader.players().await?;
    let last = loader.season("s1", 38, 10).await?;
    loader.squads(&last, &[]).await?;
    for week in 0..9 {
        loader.past_session(&last, "s1", week, 38 - week).await?;
    }
    let now = loader.season("s2", 6, 12).await?;
    // Cinder Lane has named nobody yet.
    loader.squads(&now, &["cin"]).await?;
    for week in 0..6 {
        loader.past_session(&now, "s2", week, 6 - week).await?;
    }
    loader.demo.set_time(loader.demo.loaded_at().before(24 * HOUR));
    let new = NewInvite { role: Role::Scorekeeper };
    loader.service.invite(&INES.caller(), &loader.league, &new).await?;
    loader.next_week(&now).await?;
    loader.today(&now).await
}

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
        for (admin, id, name, visibility) in [
            (INES, "tidewall", "Tidewall Three-Sided League", Visibility::Public),
            (RUBEN, "quarry-lane", "Quarry Lane Irregulars", Visibility::Private),
        ] {
            let new = json!({"leagueId": id, "name": name, "city": "Port Merrow", "visibility": visibility});
            self.service.create_league(&admin.caller(), &from_value(new)?).await?;
        }
        for (admin, league, persona, role) in [
            (INES, "tidewall", TOMASZ, Role::Scorekeeper),
            (INES, "tidewall", BEA, Role::Viewer),
            (RUBEN, "quarry-lane", BEA, Role::Viewer),
        ] {
            let league = LeagueId::new(league)?;
            let invite = self.service.invite(&admin.caller(), &league, &NewInvite { role }).await?;
            let accept = from_value(json!({"code": invite.code, "displayName": persona.name}))?;
            self.service.accept_invite(&persona.caller(), &league, &accept).await?;
        }
        Ok(())
    }

    async fn players(&mut self) -> Result<(), DemoError> {
        for (_, nickname, number) in players() {
            let id = nickname.to_lowercase();
            let new = from_value(json!({"playerId": id, "nickname": nickname, "number": number}))?;
            self.service.create_player(&INES.caller(), &self.league, &new).await?;
        }
        Ok(())
    }

    async fn season(
        &mut self,
        number: &str,
        weeks_ago: u32,
        weeks: u32,
    ) -> Result<SeasonId, DemoError> {
        let first_day = self.weeks_ago(weeks_ago);
        self.demo.set_time(first_day.before(WEEK));
        let teams = TEAMS.map(|(id, name, code, color)| json!({"teamId": id, "name": name, "code": code, "color": color}));
        let new = from_value(json!({
            "seasonId": format!("tidewall-{number}"),
            "name": season_name(Date::of(first_day.after(WEEK * weeks / 2))),
            "startsOn": Date::of(first_day),
            "endsOn": Date::of(first_day.after(WEEK * weeks)),
            "teams": teams,
        }))?;
        Ok(self.service.create_season(&INES.caller(), &self.league, &new).await?.season_id)
    }

    async fn squads(&mut self, season: &SeasonId, without: &[&str]) -> Result<(), DemoError> {
        for (team, ..) in TEAMS.iter().filter(|(team, ..)| !without.contains(team)) {
            let (team, change) =
                (team.parse()?, from_value(json!({"squadPlayerIds": squad(team)?}))?);
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
        let new =
            json!({"sessionId": id, "sessionDate": Date::of(day), "venue": "Ropewalk Ground"});
        let made = self.service.create_session(&INES.caller(), season, &from_value(new)?).await?;
        Ok(made.session_id)
    }

    /// A session of two games that are over.
    async fn past_session(
        &mut self,
        season: &SeasonId,
        number: &str,
        week: u32,
        weeks_ago: u32,
    ) -> Result<(), DemoError> {
        let day = self.weeks_ago(weeks_ago);
        self.demo.set_time(day.before(24 * HOUR));
        let session = self.session(season, &format!("{number}-day-{}", week + 1), day).await?;
        let round = ROUNDS.get(week as usize % ROUNDS.len()).copied().unwrap_or_default();
        for (place, teams) in (0..).zip(round) {
            let id = format!("{number}-{:02}", 2 * week + place + 1);
            let start = day.after(90 * MINUTE * place);
            let game = self.create(&session, &id, start, teams).await?;
            game.play(self).await?;
        }
        match (number, week) {
            ("s2", 2) => {
                // Lark plays for Cinder Lane, which has no squad.
                let (game, lark, team) = (GameId::new("s2-05")?, "lark".parse()?, "cin".parse()?);
                self.service.assign_roster(&INES.caller(), &game, &lark, &team).await?;
            }
            ("s2", 3) => self.abandoned(&session, day.after(180 * MINUTE)).await?,
            ("s2", 4) => game::correct(self, "s2-09").await?,
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
        let new = json!({"gameId": id, "gameStartTs": start, "teamIds": teams, "pitch": "Pitch 1"});
        let created = self.service.create_game(&INES.caller(), session, &from_value(new)?).await?;
        let has_roster = |team: &str| {
            created.teams.iter().any(|one| one.team_id.as_str() == team && !one.roster.is_empty())
        };
        Ok(Match { id: created.game_id.clone(), start, teams, named: teams.map(has_roster) })
    }

    /// A game that hail ended in its second third.
    async fn abandoned(&mut self, session: &SessionId, start: Timestamp) -> Result<(), DemoError> {
        let game = self.create(session, "s2-hail", start, [1, 3, 4]).await?;
        game.third(self, 1, start, true).await?;
        let goal = GoalChoice { conceding: 0, scoring: Some(1), is_named: true };
        game.goal(self, goal, start.after(9 * MINUTE)).await?;
        game.third(self, 1, start.after(21 * MINUTE), false).await?;
        game.third(self, 2, start.after(24 * MINUTE), true).await?;
        self.demo.set_time(start.after(31 * MINUTE));
        let hail = from_value(json!({"reason": "weather", "note": "Hail the size of marbles"}))?;
        self.service.abandon_game(&TOMASZ.caller(), &game.id, &hail).await?;
        Ok(())
    }

    async fn next_week(&mut self, season: &SeasonId) -> Result<(), DemoError> {
        let day = self.weeks_ago(0).after(WEEK);
        let session = self.session(season, "s2-day-8", day).await?;
        for (place, teams) in (0..).zip(ROUNDS.get(2).copied().unwrap_or_default()) {
            let id = format!("s2-{}", 15 + place);
            self.create(&session, &id, day.after(90 * MINUTE * place), teams).await?;
        }
        Ok(())
    }

    /// One game in its second third, and one to come.
    async fn today(&mut self, season: &SeasonId) -> Result<(), DemoError> {
        let now = self.demo.loaded_at();
        let start = now.before(33 * MINUTE);
        self.demo.set_time(start.before(10 * MINUTE));
        let session = self.session(season, "s2-day-7", now).await?;
        let live = self.create(&session, "s2-13", on_schedule(start), [0, 3, 5]).await?;
        let next = on_schedule(now.after(60 * MINUTE));
        self.create(&session, "s2-14", next, [1, 2, 4]).await?;
        live.third(self, 1, start, true).await?;
        let anc_scores = GoalChoice { conceding: 1, scoring: Some(0), is_named: true };
        live.goal(self, anc_scores, start.after(11 * MINUTE)).await?;
        // Entered by mistake.
        let mistake = GoalChoice { conceding: 2, scoring: Some(1), is_named: false };
        let mistake: EventId = live.goal(self, mistake, start.after(14 * MINUTE)).await?;
        self.demo.set_time(start.after(14 * MINUTE + Duration::from_secs(6)));
        self.service.undo_goal(&TOMASZ.caller(), &live.id, &mistake).await?;
        let own_goal = GoalChoice { conceding: 0, scoring: None, is_named: true };
        live.goal(self, own_goal, start.after(21 * MINUTE + Duration::from_secs(30))).await?;
        live.third(self, 1, start.after(23 * MINUTE), false).await?;
        let second = start.after(26 * MINUTE);
        live.third(self, 2, second, true).await?;
        let at = second.after(Duration::from_secs(250));
        live.goal_of(self, "dri", Some("fog"), Some("kite".parse()?), at).await?;
        self.demo.set_time(now);
        Ok(())
    }
}

/// The players of a team.
fn squad(team: &str) -> Result<Vec<PlayerId>, DemoError> {
    let squad = players().filter(|(of, ..)| *of == team);
    Ok(squad.map(|(_, nickname, _)| nickname.to_lowercase().parse()).collect::<Result<_, _>>()?)
}

/// A season by the time of year of its middle, such as "Autumn 2026" and "Winter 2026/27".
fn season_name(middle: Date) -> String {
    let text = middle.to_string();
    let mut parts = text.split('-').map(|part| part.parse().unwrap_or(0));
    let (year, month): (u32, u32) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    match month {
        3..=5 => format!("Spring {year}"),
        6..=8 => format!("Summer {year}"),
        9..=11 => format!("Autumn {year}"),
        12 => format!("Winter {year}/{:02}", (year + 1) % 100),
        _ => format!("Winter {}/{:02}", year.saturating_sub(1), year % 100),
    }
}

/// The last full five minutes: kick-offs are on a schedule.
fn on_schedule(at: Timestamp) -> Timestamp {
    const STEP_MS: i64 = 5 * 60 * 1000;
    Timestamp::from_millis(at.as_millis().div_euclid(STEP_MS) * STEP_MS)
}

#[cfg(test)]
mod tests {
    use super::season_name;

    #[test]
    fn seasons_have_the_names_of_their_time_of_year() {
        for (day, name) in [
            ("2026-03-01", "Spring 2026"),
            ("2026-08-31", "Summer 2026"),
            ("2026-11-18", "Autumn 2026"),
            ("2026-12-31", "Winter 2026/27"),
            ("2100-02-28", "Winter 2099/00"),
        ] {
            assert_eq!(season_name(day.parse().unwrap()), name);
        }
    }
}
