//! Stella's own at-bats.

use super::scorer::Scorer;
use super::{DemoLoader, STELLA, missing};
use crate::design::{AtBatResult, HomeAway};
use crate::input::{NewAtBat, NewScore};
use crate::rules::status::Verb;
use singlet_web::demo::DemoError;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) async fn load(loader: &mut DemoLoader) -> Result<(), DemoError> {
    use AtBatResult::{Bb, Double, Hr, K, Out, Single};
    let stella = STELLA.caller();
    let teams = loader.service.my_teams(&stella).await?.items;
    let team = teams.into_iter().next().ok_or_else(|| missing("Stella's team"))?.team.team_id;
    let games = [
        (9, "Friday pick-up", vec![(1, Single), (3, Out), (5, Bb), (7, Double)], (8, 6)),
        (2, "Office league", vec![(1, K), (2, Single), (4, Hr), (6, Out), (7, Single)], (5, 9)),
    ];
    for (days, opponent, at_bats, (team_score, opponent_score)) in games {
        let start = loader.demo.loaded_at().before(days * DAY);
        loader.set_time(start.before(DAY));
        let season = Some("2026-spring");
        let mut game =
            Scorer::schedule(loader, &team, &stella, opponent, start, HomeAway::Away, season)
                .await?;
        game.loader.set_time(start);
        game.change(Verb::Start).await?;
        for (inning, result) in at_bats {
            let (hit_location, hit_type) = game.batted_ball(result);
            let new = NewAtBat {
                revision: game.game.game.revision,
                result,
                player_id: None,
                hit_location,
                hit_type,
                rbis: None,
                moves: None,
                insert: None,
                inning: Some(inning),
                outs: Some(1),
                scored: Some(result == Double),
            };
            let service = game.loader.service.clone();
            game.game = service.record_at_bat(&stella, &game.game_id, &new).await?.game;
            game.loader.pass(900);
        }
        let revision = game.game.game.revision;
        let new = NewScore { revision, team_score, opponent_score };
        let service = game.loader.service.clone();
        game.game = service.set_score(&stella, &game.game_id, &new).await?.game;
        game.change(Verb::Finish).await?;
    }
    Ok(())
}
