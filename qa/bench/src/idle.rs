//! A server with demo data that has no clients: how its folder and its memory grow over a day.
//!
//! All systems are opened on a folder and served, with a clock that this suite moves. Jobs wait by
//! tokio's timer, which does not follow that clock, so they are called here, at the times of the
//! clock: those of Cricket, which write nearly all that an idle server writes. What is left out are
//! leases and last runs of jobs, items of 100 bytes that are written over. Expiry, stream trimming
//! and checkpoints are those of the engine's own threads. A folder gets a day's writes in minutes,
//! so its checkpoints have less time than they would have.

use crate::folder::Folder;
use crate::systems::Outcome;
use ::systems::cricket::design::Cricket;
use ::systems::cricket::feed::ReplayFeed;
use ::systems::cricket::jobs::Jobs;
use ::systems::cricket::push::LogSender;
use ::systems::cricket::service::Service;
use singlet::Settings;
use singlet::engine::{Clock, Durability, Engine, Options};
use singlet_web::blob::Blobs;
use singlet_web::random::Random;
use singlet_web::{DemoPolicy, Server, Site, SiteOptions, Store};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// What an idle server may take up after any number of hours.
const DISK_BYTES_MAX: u64 = 100_000_000;
const MEMORY_BYTES_MAX: u64 = 200_000_000;
/// How long to go on unless an argument says otherwise.
const HOURS: u64 = 24;
/// How far apart the passes of the job `live-score` are.
const PASS_MS: u64 = 2_500;
const HOUR_MS: u64 = 3_600_000;

/// Lets hours pass, and prints what the server takes up after each. Fails if that is too much.
pub(crate) fn run(hours: Option<&str>) -> Outcome<()> {
    let hours = hours.map_or(Ok(HOURS), str::parse)?;
    // As in `singlet serve`.
    rustix::thread::disable_transparent_huge_pages(true)?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(pass(hours))
}

async fn pass(hours: u64) -> Outcome<()> {
    let folder = Folder::new("idle");
    let clock = Clock::fixed(Clock::system().now().as_millis());
    // An fsync changes neither of the figures, and would take hours.
    let durability = Durability::Relaxed;
    let options = Options { durability, clock: clock.clone(), ..Options::default() };
    let engine = Engine::open(folder.path().join("data"), options)?;
    let settings = Settings { clock: clock.clone(), ..Settings::default() };
    let store = Store::embedded(engine.clone(), settings);

    let mut options = SiteOptions::default();
    options.demo = DemoPolicy::IfEmpty;
    options.blobs = Blobs::folder(&folder.path().join("blobs"))?;
    options.run_jobs = false;
    let systems = ::systems::all();
    let site = Site::open(systems, store.clone(), options).await?;
    let address = ([127, 0, 0, 1], 0).into();
    let server = Server::bind(singlet_web::Options { address, ..Default::default() }).await?;
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve(site, async { drop(stopped.await) }));

    let service = Service::new(store.open::<Cricket>().await?, Random::new());
    let feed = ReplayFeed::new(service.clone());
    let jobs = Jobs::new(&service, Arc::new(feed.clone()), Some(feed), Arc::new(LogSender))?;
    let mut is_too_much = report(0, folder.path(), Instant::now())?;
    let begun = Instant::now();
    for hour in 1..=hours {
        for millis in (0..HOUR_MS).step_by(PASS_MS as usize) {
            clock.advance(PASS_MS as i64);
            run_due(&jobs, (hour - 1) * HOUR_MS + millis).await?;
        }
        is_too_much |= report(hour, folder.path(), begun)?;
    }
    drop(stop);
    serving.await?;
    engine.close()?;
    match is_too_much {
        true => Err("the folder or the memory grew beyond its limit".into()),
        false => Ok(()),
    }
}

/// Runs the jobs of Cricket that are due after this time, and waits for what they have begun.
async fn run_due(jobs: &Jobs, millis: u64) -> Outcome<()> {
    let failed = |error: singlet_web::job::JobError| error.to_string();
    let is_due = |seconds: u64| millis.is_multiple_of(seconds * 1_000);
    if is_due(6 * 3_600) {
        jobs.sync_leagues().await.map_err(failed)?;
        jobs.sync_teams().await.map_err(failed)?;
    }
    if is_due(1_800) {
        jobs.sync_fixtures().await.map_err(failed)?;
    }
    if is_due(60) {
        jobs.send_reminders().await?;
        jobs.watch_tosses().await?;
        jobs.enrich_matches().await?;
    }
    if is_due(10) {
        jobs.keep_replays().await?;
    }
    jobs.live_score_pass().await.map_err(failed)?;
    jobs.endings_done().await;
    jobs.push_orders().await?;
    Ok(())
}

/// Prints what the server takes up; returns whether that is too much. The memory of a debug build
/// is printed only.
fn report(hour: u64, folder: &Path, begun: Instant) -> Outcome<bool> {
    let (disk, memory) = (bytes_of(folder)?, resident_bytes()?);
    let data = folder.join("data");
    let of = |name: &str| Ok::<_, std::io::Error>(std::fs::metadata(data.join(name))?.len());
    println!(
        "{hour:>3} h: {:>6.1} MB on disk (data {:.1}, log {:.1} and {:.1}), {:>6.1} MB of memory; \
         {:.0} s",
        disk as f64 / 1e6,
        of("data")? as f64 / 1e6,
        of("log.0")? as f64 / 1e6,
        of("log.1")? as f64 / 1e6,
        memory as f64 / 1e6,
        begun.elapsed().as_secs_f64(),
    );
    let is_memory_counted = !cfg!(debug_assertions);
    Ok(disk > DISK_BYTES_MAX || (is_memory_counted && memory > MEMORY_BYTES_MAX))
}

/// How long the files in a folder are.
fn bytes_of(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => bytes_of(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}

/// The resident memory of this process, as Linux counts it.
fn resident_bytes() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: u64 = line.ok_or("no VmRSS")?.trim().trim_end_matches(" kB").trim().parse()?;
    Ok(kilobytes << 10)
}
