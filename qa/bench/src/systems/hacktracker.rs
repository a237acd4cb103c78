//! Softball: durable at-bats, and the statistics of a player.

use super::season::{Scorer, personal};
use super::{Outcome, Rows, database, scaled};
use crate::folder::Folder;
use ::systems::hacktracker::service::Service;
use singlet::engine::Clock;
use singlet_web::random::Random;

const CALLERS: usize = 16;
const AT_BATS: usize = scaled(500, 50);

async fn service(folder: Option<&Folder>) -> Outcome<Service> {
    Ok(Service::new(database(folder, Clock::system()).await?, Random::new()))
}

pub(super) async fn at_bats(rows: &Rows) -> Outcome<()> {
    let title = format!("HackTracker: at-bats on the disk, {CALLERS} callers");
    if !rows.wants(&title) {
        return Ok(());
    }
    let folder = Folder::new("hacktracker");
    let service = service(Some(&folder)).await?;
    let mut scorers = Vec::new();
    for number in 0..CALLERS {
        scorers.push(Scorer::new(&service, number, scaled(15, 1)).await?);
    }
    rows.measure(&title, 1, scorers, Scorer::record).await
}

pub(super) async fn statistics(rows: &Rows) -> Outcome<()> {
    let title = format!("HackTracker: statistics of {AT_BATS} at-bats, in memory");
    if !rows.wants(&title) {
        return Ok(());
    }
    let service = service(None).await?;
    let (caller, team, player) = personal(&service, 0, AT_BATS).await?;
    let counted = service.player_stats(&caller, &team, &player, None).await?.line.pa;
    if counted as usize != AT_BATS {
        return Err(format!("{counted} of {AT_BATS} at-bats are counted").into());
    }
    let clients = vec![(service, caller, team, player)];
    rows.measure(&title, 1, clients, |(service, caller, team, player)| async move {
        service.player_stats(&caller, &team, &player, None).await?;
        Ok(Some((service, caller, team, player)))
    })
    .await
}
