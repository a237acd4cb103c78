//! The suite `idle`: how the folder and memory of a server with demo data and no clients grow over
//! a day.
//!
//! All systems run on a folder with a simulated clock. Jobs wait on tokio's timer, which does not
//! follow that clock, so the suite calls the jobs of Cricket itself; they make nearly all writes of
//! an idle server. Leases and last runs of jobs, small items that are overwritten, are not
//! included. The engine's own threads expire items, trim streams and write checkpoints. A day's
//! writes take minutes, so checkpoints have less time than in production.

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

/// Limits for an idle server after any number of hours.
const DISK_BYTES_MAX: u64 = 100_000_000;
const MEMORY_BYTES_MAX: u64 = 200_000_000;
/// The default duration.
const HOURS: u64 = 24;
/// Interval of the job `live-score`.
const PASS_MS: u64 = 2_500;
const HOUR_MS: u64 = 3_600_000;

/// Simulates hours and prints disk and memory use after each. Fails above the limits.
pub(crate) fn run(hours: Option<&str>) -> Outcome<()> {
    let hours = hours.map_or(Ok(HOURS), str::parse)?;
    // As in `singlet serve`.
    rustix::thread::disable_transparent_huge_pages(true)?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(pass(hours))
}

async fn pass(hours: u64) -> Outcome<()> {
    let folder = Folder::new("idle");
    let clock = Clock::fixed(Clock::system().now().as_millis());
    // fsync affects neither figure, and would take hours.
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

/// Runs the Cricket jobs that are due at this time and waits for them.
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

/// Prints disk and memory use; returns whether a limit is exceeded. Memory is not checked in a
/// debug build.
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

/// The total size of the files in a folder.
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

/// The resident memory of this process.
fn resident_bytes() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: u64 = line.ok_or("no VmRSS")?.trim().trim_end_matches(" kB").trim().parse()?;
    Ok(kilobytes << 10)
}
