//! The suite `systems`: a few figures per system, for comparing two builds.
//!
//! Server and clients share one process and its cores: a separate server is faster.

mod client;
mod cricket;
mod feed;
mod fus;
mod hacktracker;
mod league;
mod season;
mod snakes;
mod start_pages;
mod threefc;

use crate::folder::Folder;
use singlet::backend::Embedded;
use singlet::engine::{Clock, Engine, Options};
use singlet::{CursorKey, Db, Declaration, Settings};
use std::error::Error;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The duration of a measurement. A debug build only checks that it works.
const ROUND: Duration = Duration::from_millis(if cfg!(debug_assertions) { 200 } else { 5_000 });

/// Measures and prints all figures whose title contains the filter.
pub(crate) fn run(filter: &str) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let rows = Rows { filter: filter.to_lowercase() };
    println!("| figure | a second | p50 | p99 |");
    println!("|---|---|---|---|");
    runtime.block_on(async {
        threefc::goals(&rows).await?;
        threefc::season_page(&rows).await?;
        hacktracker::at_bats(&rows).await?;
        hacktracker::statistics(&rows).await?;
        snakes::moves(&rows).await?;
        snakes::pushes(&rows).await?;
        fus::page_of_sites(&rows).await?;
        cricket::tick(&rows).await?;
        start_pages::measure(&rows).await
    })
}

/// The selected rows.
struct Rows {
    filter: String,
}

impl Rows {
    fn wants(&self, title: &str) -> bool {
        title.to_lowercase().contains(&self.filter)
    }

    /// Runs all clients in a loop for a round, or until they have nothing left to do, and prints
    /// the row. A call counts as `weight` in the rate.
    async fn measure<C, F>(
        &self,
        title: &str,
        weight: usize,
        clients: Vec<C>,
        call: impl Fn(C) -> F + Clone + Send + Sync + 'static,
    ) -> Outcome<()>
    where
        C: Send + 'static,
        F: Future<Output = Outcome<Option<C>>> + Send + 'static,
    {
        let begun = Instant::now();
        let mut working: JoinSet<Outcome<Vec<Duration>>> = JoinSet::new();
        for mut client in clients {
            let call = call.clone();
            working.spawn(async move {
                let mut times = Vec::new();
                while begun.elapsed() < ROUND {
                    let asked = Instant::now();
                    let next = call(client).await?;
                    times.push(asked.elapsed());
                    match next {
                        Some(next) => client = next,
                        None => break,
                    }
                }
                Ok(times)
            });
        }
        let mut times = Vec::new();
        while let Some(done) = working.join_next().await {
            times.extend(done??);
        }
        let rate = (times.len() * weight) as f64 / begun.elapsed().as_secs_f64();
        times.sort_unstable();
        let at = |percent: usize| times.get(times.len() * percent / 100).copied();
        let [p50, p99] = [50, 99].map(|percent| at(percent).unwrap_or_default());
        println!("| {title} | {rate:.0} | {p50:.2?} | {p99:.2?} |");
        Ok(())
    }
}

/// A count, reduced in a debug build.
const fn scaled(count: usize, few: usize) -> usize {
    if cfg!(debug_assertions) { few } else { count }
}

/// A system's database, in memory or in a folder with durable writes.
async fn database<D: Declaration>(folder: Option<&Folder>, clock: Clock) -> Outcome<Db<D>> {
    let engine = match folder {
        Some(folder) => Engine::open(folder.path(), Options::default())?,
        None => Engine::memory()?,
    };
    let cursor_key = Some(CursorKey::of_this_process());
    let db = Db::on(Embedded::new(engine), Settings { cursor_key, clock, ..Settings::default() });
    db.provision().await?;
    Ok(db)
}
