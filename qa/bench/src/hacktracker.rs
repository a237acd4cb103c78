//! Softball, in process and without HTTP: at-bats that are on the disk, a team in one Query, and
//! statistics of many at-bats.

mod season;

use crate::folder::Folder;
use crate::systems::{Outcome, Recording, send, together};
use ::systems::hacktracker::design::{HackTracker, TeamPartition};
use ::systems::hacktracker::service::Service;
use season::{GAME_AT_BATS, Scorer};
use singlet::backend::{Backend, Embedded};
use singlet::engine::{Engine, Options};
use singlet::{CursorKey, Db, Settings};
use singlet_web::random::Random;
use std::time::{Duration, Instant};

/// How much is measured. A debug build only shows that it works.
struct Scale {
    /// Rounds of each contender; they take turns.
    rounds: usize,
    /// Games that a caller scores in a round, by the number of callers.
    games: [(usize, usize); 2],
    /// Calls for the page of a team.
    pages: u32,
    /// Calls for the statistics of a player.
    statistics: u32,
    /// At-bats of a player, the fewer first.
    at_bats: [usize; 2],
}

const FULL: Scale = Scale {
    rounds: 5,
    games: [(1, 20), (16, 10)],
    pages: 5_000,
    statistics: 100,
    at_bats: [500, 5_000],
};
const TINY: Scale =
    Scale { rounds: 1, games: [(1, 1), (16, 1)], pages: 20, statistics: 5, at_bats: [50, 500] };

/// Measures, and prints the figures.
pub(crate) fn run() -> Outcome<()> {
    let scale = if cfg!(debug_assertions) { TINY } else { FULL };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        at_bats(&scale).await?;
        team_page(&scale).await?;
        statistics(&scale).await
    })
}

fn database(backend: impl Backend) -> Db<HackTracker> {
    let cursor_key = Some(CursorKey::of_this_process());
    Db::on(backend, Settings { cursor_key, ..Settings::default() })
}

async fn service(backend: impl Backend) -> Outcome<Service> {
    let db = database(backend);
    db.provision().await?;
    Ok(Service::new(db, Random::new()))
}

/// At-bats that are on the disk when they are answered, beside their transactions alone.
async fn at_bats(scale: &Scale) -> Outcome<()> {
    println!(
        "At-bats recorded a second, on the disk: each reads the game with its at-bats, team and \
         membership, applies the rules, and writes at-bat, player, game and the runners who scored \
         in one transaction. Beside it the same transactions, sent to the engine by hand without \
         reads and rules: the limit. Games of {GAME_AT_BATS} at-bats and 6 changes of the half; \
         {} rounds.\n",
        scale.rounds
    );
    println!("| callers | at-bats a second | transactions alone | part |");
    println!("|---|---|---|---|");
    for (callers, games) in scale.games {
        let mut times = [Duration::ZERO; 2];
        for _ in 0..scale.rounds {
            times[0] += scored(callers, games).await?;
            times[1] += sent_by_hand(callers, games).await?;
        }
        let count = (callers * games * GAME_AT_BATS * scale.rounds) as f64;
        let [ours, by_hand] = times.map(|time| count / time.as_secs_f64());
        println!("| {callers} | {ours:.0} | {by_hand:.0} | {:.2} |", ours / by_hand);
    }
    Ok(())
}

/// Callers who score, each the games of a team of its own.
async fn scored(callers: usize, games: usize) -> Outcome<Duration> {
    let folder = Folder::new("hacktracker");
    let engine = Engine::open(folder.path(), Options::default())?;
    let service = service(Embedded::new(engine)).await?;
    let mut scorers = Vec::new();
    for number in 0..callers {
        scorers.push(Scorer::new(&service, number, games).await?);
    }
    together(scorers, |scorer| async move { scorer.score_all().await }).await
}

/// The same writes as requests that were made before.
async fn sent_by_hand(callers: usize, games: usize) -> Outcome<Duration> {
    let folder = Folder::new("hacktracker");
    let durable = Embedded::new(Engine::open(folder.path(), Options::default())?);
    database(durable.clone()).provision().await?;
    let memory = Embedded::new(Engine::memory()?);
    database(memory.clone()).provision().await?;
    let mut all = Vec::new();
    for number in 0..callers {
        let recording = Recording::default();
        let db = database(recording.of(memory.clone()));
        let service = Service::new(db, Random::new());
        let scorer = Scorer::new(&service, number, games).await?;
        send(&durable, recording.take_writes()).await?;
        scorer.score_all().await?;
        all.push(recording.take_writes());
    }
    let durable = &durable;
    together(all, |requests| {
        let durable = durable.clone();
        async move { send(&durable, requests).await }
    })
    .await
}

/// A team with 20 members, 25 players and 5 invites.
async fn team_page(scale: &Scale) -> Outcome<()> {
    let recording = Recording::default();
    let service = service(recording.of(Embedded::new(Engine::memory()?))).await?;
    let (owner, team_id) = season::full_team(&service).await?;
    recording.take();
    let partition = service.db().load(TeamPartition::of(&team_id).consistent()).await?;
    let partition = partition.ok_or("the team is missing")?;
    let requests = recording.take_operations();
    if requests != ["Query"] {
        return Err(format!("a team with everything is one Query, and not {requests:?}").into());
    }
    let counts = [partition.members.len(), partition.players.len(), partition.invites.len()];
    if counts != [20, 25, 5] {
        return Err(format!("the team has {counts:?}").into());
    }
    let (mut query, mut page) = (Duration::MAX, Duration::MAX);
    for _ in 0..scale.pages {
        let begun = Instant::now();
        service.db().load(TeamPartition::of(&team_id).consistent()).await?;
        query = query.min(begun.elapsed());
        let begun = Instant::now();
        service.team_page(&owner, &team_id).await?;
        page = page.min(begun.elapsed());
    }
    println!(
        "\nA team with 20 members, 25 players and 5 invites, in memory: one Query, {query:.2?}; \
         the page with the rights of the caller, {page:.2?}; the best of {} calls",
        scale.pages
    );
    Ok(())
}

/// A player's statistics, of few at-bats and of ten times as many, ten in each game.
async fn statistics(scale: &Scale) -> Outcome<()> {
    let service = service(Embedded::new(Engine::memory()?)).await?;
    let mut players = Vec::new();
    for (number, count) in scale.at_bats.into_iter().enumerate() {
        players.push((season::personal(&service, number, count).await?, count));
    }
    let mut best = [Duration::MAX; 2];
    for _ in 0..scale.statistics {
        for (((caller, team_id, player_id), count), best) in players.iter().zip(&mut best) {
            let begun = Instant::now();
            let stats = service.player_stats(caller, team_id, player_id, None).await?;
            *best = (*best).min(begun.elapsed());
            if stats.line.pa as usize != *count {
                return Err(format!("{} of {count} at-bats are counted", stats.line.pa).into());
            }
        }
    }
    let [few, many] = best;
    let [fewer, more] = scale.at_bats;
    println!(
        "\nA player's statistics, in memory: {fewer} at-bats in {few:.2?}, {more} in {many:.2?}, \
         {:.1} times as long; the best of {} calls",
        many.as_secs_f64() / few.as_secs_f64(),
        scale.statistics
    );
    Ok(())
}
