//! Names and positions for what the cache keeps of the feed.

use super::Jobs;
use crate::design::{Enrichment, MatchId, SeasonId, TeamId};
use crate::service::StoreError;
use singlet_web::job::{JobError, JobRun, Next};
use std::collections::HashMap;

/// How many entries are enriched in one run.
const PER_RUN_MAX: usize = 200;

impl Jobs {
    pub(super) async fn run_enrichment(self, _run: JobRun) -> Result<Next, JobError> {
        self.enrich_matches().await?;
        Ok(Next::Interval)
    }

    /// Gives names and positions to cached matches where they differ from those of now. A match
    /// with a team that nobody knows yet has to wait. Returns how many.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn enrich_matches(&self) -> Result<usize, StoreError> {
        let service = self.service();
        let entries = service.cache.all().await?;
        let ids: Vec<MatchId> = entries.iter().map(|entry| entry.match_id.clone()).collect();
        let fixtures = service.fixtures.get_many(&ids).await?;
        let names = service.stored_names().await?;
        let mut positions: HashMap<SeasonId, HashMap<TeamId, u32>> = HashMap::new();
        let mut count = 0;
        for entry in &entries {
            let Some(fixture) = fixtures.get(&entry.match_id) else { continue };
            if !names.has_teams(fixture) {
                continue;
            }
            let season = &fixture.season_id;
            if !positions.contains_key(season) {
                let records = service.team_seasons.of_season(season).await?;
                let of_season =
                    records.into_iter().map(|one| (one.team_id, one.position)).collect();
                positions.insert(season.clone(), of_season);
            }
            let position = |team: &TeamId| positions.get(season)?.get(team).copied();
            let [home, away] = names.teams(fixture);
            let enrichment = Enrichment {
                home_position: position(&fixture.home_team_id),
                away_position: position(&fixture.away_team_id),
                home_name: home.name,
                home_code: home.code,
                away_name: away.name,
                away_code: away.code,
                league_name: names.league(fixture).to_owned(),
                league_code: fixture.league_code.to_string(),
            };
            if entry.enrichment.as_ref() == Some(&enrichment) {
                continue;
            }
            count += usize::from(service.cache.enrich(&fixture.match_id, &enrichment).await?);
            if count >= PER_RUN_MAX {
                break;
            }
        }
        Ok(count)
    }
}
