//! Names of teams and leagues in lists of matches.

use super::Service;
use crate::design::{Enrichment, Fixture, League, MatchId, Team, TeamId};
use crate::rules::TeamLabel;
use std::collections::HashMap;
use std::sync::Arc;

/// Names of the teams and leagues of some matches.
#[derive(Clone, Debug, Default)]
pub struct Names {
    enriched: HashMap<MatchId, Enrichment>,
    teams: Arc<Vec<Team>>,
    leagues: Arc<Vec<League>>,
}

impl Service {
    /// Names of the teams and leagues of these matches: from the cache of the feed
    /// (operation 49; 50 if all are of one league), and otherwise from operations 12 and
    /// 18.
    pub async fn names(&self, fixtures: &[Fixture]) -> singlet::Result<Names> {
        let enriched = match fixtures {
            [] => HashMap::new(),
            [first, others @ ..]
                if others.len() > 1
                    && others.iter().all(|one| one.league_id == first.league_id) =>
            {
                let entries = self.cache.of_league(&first.league_id).await?;
                entries.into_iter().map(|entry| (entry.match_id.clone(), entry)).collect()
            }
            _ => {
                let ids: Vec<MatchId> = fixtures.iter().map(|one| one.match_id.clone()).collect();
                self.cache.get_many(&ids).await?
            }
        };
        let enriched: HashMap<MatchId, Enrichment> =
            enriched.into_iter().filter_map(|(id, entry)| Some((id, entry.enrichment?))).collect();
        let is_complete = fixtures.iter().all(|one| enriched.contains_key(&one.match_id));
        if is_complete {
            return Ok(Names { enriched, ..Names::default() });
        }
        Ok(Names { enriched, teams: self.teams.all().await?, leagues: self.leagues.all().await? })
    }

    /// Names of all teams and leagues, bypassing the cache.
    pub async fn stored_names(&self) -> singlet::Result<Names> {
        let (teams, leagues) = (self.teams.all().await?, self.leagues.all().await?);
        Ok(Names { enriched: HashMap::new(), teams, leagues })
    }

    /// The same from memory, for pushes, which cannot wait for a table.
    pub fn remembered_names(&self) -> Names {
        let (teams, leagues) = (self.teams.remembered(), self.leagues.remembered());
        Names { enriched: HashMap::new(), teams, leagues }
    }
}

impl Names {
    /// An unknown team is called by its id.
    pub fn team(&self, fixture: &Fixture, id: &TeamId) -> TeamLabel {
        let label = |code: &str, name: &str| TeamLabel {
            id: id.to_string(),
            code: code.to_owned(),
            name: name.to_owned(),
        };
        if let Some(enriched) = self.enriched.get(&fixture.match_id) {
            return match *id == fixture.home_team_id {
                true => label(&enriched.home_code, &enriched.home_name),
                false => label(&enriched.away_code, &enriched.away_name),
            };
        }
        match self.teams.iter().find(|team| team.team_id == *id) {
            Some(team) => label(&team.code, &team.name),
            None => label(id.as_str(), id.as_str()),
        }
    }

    /// Whether both teams of a match are known.
    pub fn has_teams(&self, fixture: &Fixture) -> bool {
        let is_known = |id: &TeamId| self.teams.iter().any(|team| team.team_id == *id);
        fixture.teams().into_iter().all(is_known)
    }

    /// Both teams of a match, the home team first.
    pub fn teams(&self, fixture: &Fixture) -> [TeamLabel; 2] {
        fixture.teams().map(|id| self.team(fixture, id))
    }

    /// The place of a team in the standings, if it is known.
    pub fn position(&self, fixture: &Fixture, id: &TeamId) -> Option<u32> {
        let enriched = self.enriched.get(&fixture.match_id)?;
        match *id == fixture.home_team_id {
            true => enriched.home_position,
            false => enriched.away_position,
        }
    }

    /// An unknown league is called by its code.
    pub fn league<'a>(&'a self, fixture: &'a Fixture) -> &'a str {
        if let Some(enriched) = self.enriched.get(&fixture.match_id) {
            return &enriched.league_name;
        }
        let league = self.leagues.iter().find(|league| league.league_id == fixture.league_id);
        league.map_or(fixture.league_code.as_str(), |league| &league.name)
    }
}
