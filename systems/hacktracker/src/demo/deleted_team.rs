//! Old Tins: a team that its owner deleted three days ago.

use super::roster::{Roster, join};
use super::scorer::Scorer;
use super::{DemoLoader, NORA, PIA};
use crate::design::{HomeAway, Position, Role};
use crate::input::{NewOwnPlayer, NewPlayer, NewTeam};
use crate::rules::status::Verb;
use singlet_web::demo::DemoError;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) async fn load(loader: &mut DemoLoader) -> Result<(), DemoError> {
    let back = loader.now;
    let nora = NORA.caller();
    let own = NewOwnPlayer { player_number: Some(1), positions: vec![Position::Ss] };
    let new = NewTeam { name: "Old Tins".to_owned(), description: None, player: Some(own) };
    let team = loader.service.create_team(&nora, &new).await?.team_id;
    let others = [(2, "Pia", "Lindgren"), (4, "Gus", "Wall"), (6, "Ines", "Roth")];
    let others: Vec<NewPlayer> = others
        .into_iter()
        .map(|(number, first, last)| NewPlayer {
            first_name: first.to_owned(),
            last_name: Some(last.to_owned()),
            player_number: Some(number),
            positions: Vec::new(),
            status: None,
        })
        .collect();
    loader.service.add_players(&nora, &team, &others).await?;
    let players = loader.service.players(&nora, &team).await?.items;
    let players = players.into_iter().filter_map(|one| Some((one.player_number?, one.player_id)));
    let roster = Roster { team, players: players.collect() };
    join(loader, &roster, &PIA, Role::Player, Some(2)).await?;
    for opponent in ["Rusty Gate", "Brick Lane"] {
        let start = loader.now.after(DAY);
        let mut game = Scorer::schedule(
            loader,
            &roster.team,
            &nora,
            opponent,
            start,
            HomeAway::Away,
            Some("2025-fall"),
        )
        .await?;
        game.set_lineup(roster.lineup(&[1, 2, 4, 6])?).await?;
        game.loader.set_time(start);
        game.change(Verb::Start).await?;
        game.play_half(12).await?;
        game.change(Verb::Finish).await?;
    }
    loader.set_time(loader.demo.loaded_at().before(3 * DAY));
    loader.service.delete_team(&nora, &roster.team).await?;
    loader.set_time(back.after(DAY));
    Ok(())
}
