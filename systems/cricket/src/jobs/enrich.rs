//! Names and positions for what the cache keeps of the feed.

use super::Jobs;
use crate::design::{Enrichment, Fixture, MatchId};
use crate::service::StoreError;
use std::collections::HashMap;

/// How many entries are enriched in one run.
const PER_RUN_MAX: usize = 200;

impl Jobs {
    /// Gives names and positions to cached matches that have none.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn enrich_matches(&self) -> Result<usize, StoreError> {
        let service = self.service();
        let entries = service.cache.all().await?;
        let bare = entries.into_iter().filter(|entry| entry.enrichment.is_none());
        let ids: Vec<MatchId> = bare.map(|entry| entry.match_id).take(PER_RUN_MAX).collect();
        if ids.is_empty() {
            return Ok(0);
        }
        let fixtures: Vec<Fixture> = service.fixtures.get_many(&ids).await?.into_values().collect();
        let names = service.names(&fixtures).await?;
        let mut positions: HashMap<String, HashMap<String, u32>> = HashMap::new();
        let mut count = 0;
        for fixture in &fixtures {
            let season = fixture.season_id.to_string();
            if !positions.contains_key(&season) {
                let records = service.team_seasons.of_season(&fixture.season_id).await?;
                let of_season =
                    records.iter().map(|one| (one.team_id.to_string(), one.position)).collect();
                positions.insert(season.clone(), of_season);
            }
            let place = |team: &str| positions.get(&season)?.get(team).copied();
            let [home, away] = names.teams(fixture);
            let enrichment = Enrichment {
                home_position: place(&home.id),
                away_position: place(&away.id),
                home_name: home.name,
                home_code: home.code,
                away_name: away.name,
                away_code: away.code,
                league_name: names.league(fixture).to_owned(),
                league_code: fixture.league_code.to_string(),
            };
            count += usize::from(service.cache.enrich(&fixture.match_id, &enrichment).await?);
        }
        Ok(count)
    }
}
