//! One attack: its server, its victim, and the checks that all attacks share.

use crate::dynamodb::{self, Requests};
use crate::http::{Answer, Connection, PATIENCE, get};
use crate::machine::Work;
use crate::server::Server;
use crate::tally::{Attacked, SLOWDOWN_MAX, Service};
use crate::victim::{self, Acknowledged, Victim};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long an attack goes on.
const TIME: Duration = Duration::from_millis(800);
const TIME_LONG: Duration = Duration::from_secs(20);
/// How many requests each thread of the victim sends at least before the attack: a few of each kind.
/// Under attack, each kind must have been answered once.
const REQUESTS_BEFORE_MIN: usize = 12;
const ATTACKED_REQUESTS_MIN: usize = 4;
/// How long the victim goes on after the attack.
const AFTER_TIME: Duration = Duration::from_millis(100);
/// A round that takes longer is ended by killing its servers. Most take a second or two, unless the
/// machine is busy.
const ROUND_TIME_MAX: Duration = Duration::from_secs(1_200);

/// The goal for 99 of 100 requests of the victim, with a release build on a quiet machine.
pub(crate) const P99_GOAL: Duration = Duration::from_millis(10);
/// The goal for all of them.
pub(crate) const LATENCY_GOAL: Duration = Duration::from_millis(250);
/// Memory that the server may take on top during an attack: the 224 MB that the endpoint may hold of
/// bodies, answers and returned items, and the allocator's overhead.
pub(crate) const MEMORY_ABOVE_IDLE_MAX: u64 = 300 << 20;
/// On top of that, what an endpoint on a folder may hold of recent commits (`recent_bytes` of the
/// engine's `DiskOptions`): data that is not in the base yet.
pub(crate) const RECENT_COMMITS_MAX: u64 = 128 << 20;

/// Settings of all rounds.
pub(crate) struct Settings {
    /// The command to attack.
    pub(crate) program: PathBuf,
    /// A folder for logs and data.
    pub(crate) scratch: PathBuf,
    pub(crate) long: bool,
    /// Whether to miss a goal is a fault.
    pub(crate) limits: bool,
    /// How many connections one attack may open.
    pub(crate) connections_max: usize,
}

/// The kind of server that is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An endpoint in memory, for anybody.
    Memory,
    /// An endpoint in memory, for signed requests.
    Signed,
    /// An endpoint on a folder, for anybody. It is killed after the attack, and started again.
    Folder,
    /// The pages of all systems in memory, without data.
    Pages,
    /// The pages with the demo data of all systems.
    Demo,
}

/// A server that is attacked.
pub(crate) struct Target {
    pub(crate) server: Server,
    /// How requests are made for the endpoint, which every server has.
    pub(crate) requests: Requests,
    pages: Option<SocketAddr>,
    pub(crate) folder: Option<PathBuf>,
}

impl Target {
    /// The address that is attacked: that of the pages if there are any.
    pub(crate) fn address(&self) -> SocketAddr {
        self.pages.unwrap_or(self.requests.address)
    }
}

/// One attack under way.
pub(crate) struct Round<'s> {
    settings: &'s Settings,
    /// For the names of files.
    label: &'s str,
    /// How many servers were started.
    started: usize,
    /// A limit on the size of files, in blocks of 512 bytes, for servers that are started.
    pub(crate) file_blocks_max: Option<u64>,
    /// Whether the victim writes large items as well.
    pub(crate) victim_is_large: bool,
    /// How many times longer the victim's requests may take than at the twin.
    pub(crate) slowdown_max: f64,
    watchdog: Watchdog,
    /// What did not hold.
    pub(crate) faults: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) service: Option<Service>,
    pub(crate) memory_above_idle: Option<u64>,
    memory_max: u64,
}

/// The moment at which an attack ends.
#[derive(Clone, Copy)]
pub(crate) struct Until(Instant);

impl Until {
    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.0
    }

    /// The time left, and at least a moment.
    pub(crate) fn rest(self) -> Duration {
        self.0.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    pub(crate) fn wait(self) {
        std::thread::sleep(self.rest());
    }
}

impl<'s> Round<'s> {
    pub(crate) fn new(settings: &'s Settings, label: &'s str) -> Self {
        Self {
            settings,
            label,
            started: 0,
            file_blocks_max: None,
            victim_is_large: false,
            slowdown_max: SLOWDOWN_MAX,
            watchdog: Watchdog::new(ROUND_TIME_MAX),
            faults: Vec::new(),
            notes: Vec::new(),
            service: None,
            memory_above_idle: None,
            memory_max: MEMORY_ABOVE_IDLE_MAX,
        }
    }

    /// Whether attacks may take long.
    pub(crate) fn is_long(&self) -> bool {
        self.settings.long
    }

    /// Limits a number of connections to what the process may open, and notes it.
    pub(crate) fn allowed_connections(&mut self, wanted: usize) -> usize {
        let allowed = wanted.min(self.settings.connections_max);
        if allowed < wanted {
            self.note(format!("ONLY {allowed} OF {wanted} connections are allowed (ulimit -n)"));
        }
        allowed
    }

    /// Starts a server.
    pub(crate) fn start(&mut self, kind: Kind) -> Result<Target, String> {
        let folder = self.path("data");
        let mut line: Vec<OsString> = match kind {
            Kind::Folder => return self.start_on(&folder),
            Kind::Memory | Kind::Signed => vec!["dynamodb".into()],
            Kind::Pages => vec!["serve".into(), "--dynamodb-port=0".into(), "--empty".into()],
            Kind::Demo => vec!["serve".into(), "--dynamodb-port=0".into()],
        };
        line.push("--in-memory".into());
        if kind == Kind::Signed {
            let file = self.path("credentials");
            std::fs::write(&file, dynamodb::credentials_file())
                .map_err(|error| format!("{}: {error}", file.display()))?;
            line.extend(["--credentials".into(), file.into()]);
        }
        let has_pages = matches!(kind, Kind::Pages | Kind::Demo);
        let server = self.launch(line, 1 + usize::from(has_pages))?;
        let requests = Requests { address: server.endpoint()?, signed: kind == Kind::Signed };
        let pages = if has_pages { Some(server.address()?) } else { None };
        Ok(Target { server, requests, pages, folder: None })
    }

    /// Starts an endpoint on a folder.
    pub(crate) fn start_on(&mut self, folder: &Path) -> Result<Target, String> {
        self.memory_max = MEMORY_ABOVE_IDLE_MAX + RECENT_COMMITS_MAX;
        let server = self.launch(vec!["dynamodb".into(), "--dir".into(), folder.into()], 1)?;
        let requests = Requests { address: server.endpoint()?, signed: false };
        Ok(Target { server, requests, pages: None, folder: Some(folder.to_owned()) })
    }

    fn launch(&mut self, mut line: Vec<OsString>, addresses: usize) -> Result<Server, String> {
        self.started += 1;
        line.push("--port=0".into());
        let log = self.path(&format!("{}.log", self.started));
        let program = &self.settings.program;
        let server = match self.file_blocks_max {
            None => Server::start(program, &line, addresses, log)?,
            // The shell becomes the server, so its id is the server's.
            Some(blocks) => {
                let script = format!(r#"ulimit -f {blocks}; exec "$0" "$@""#);
                let mut shell = vec!["-c".into(), script.into(), program.into()];
                shell.append(&mut line);
                Server::start(Path::new("sh"), &shell, addresses, log)?
            }
        };
        self.watchdog.watch(server.id());
        Ok(server)
    }

    /// Starts a server like this one.
    fn start_twin(&mut self, target: &Target) -> Result<Target, String> {
        match (&target.folder, target.pages) {
            (Some(_), _) => self.start_on(&self.path("twin")),
            (None, Some(_)) => self.start(Kind::Pages),
            (None, None) if target.requests.signed => self.start(Kind::Signed),
            (None, None) => self.start(Kind::Memory),
        }
    }

    fn victim_at(&self, target: &Target) -> Result<Victim, String> {
        match target.pages {
            Some(pages) => Victim::at_pages(pages),
            None => Victim::at_endpoint(target.requests, self.victim_is_large),
        }
    }

    /// Attacks a server while the victim is served, and checks both. The same client is served by a
    /// twin of the server meanwhile.
    pub(crate) fn attack<T>(
        &mut self,
        target: &mut Target,
        attack: impl FnOnce(Until) -> Result<T, String>,
    ) -> Result<T, String> {
        let requests = target.requests;
        let twin = self.start_twin(target)?;
        let clients = [self.victim_at(target)?, self.victim_at(&twin)?];
        let sent = || clients.each_ref().map(Victim::sent);
        let wait_for = |before: &[Vec<usize>], count| {
            clients.iter().zip(before).for_each(|(client, before)| client.wait_for(before, count));
        };
        wait_for(&sent(), REQUESTS_BEFORE_MIN);
        let idle = target.server.memory_bytes();
        target.server.reset_peak();
        let work = Work::of([&target.server, &twin.server]);
        let (begun, before) = (Instant::now(), sent());
        let time = if self.settings.long { TIME_LONG } else { TIME };
        let attacked = attack(Until(begun + time));
        let is_late = self.watchdog.has_ended.load(Ordering::Relaxed);
        self.check(!is_late, || "it took so long that the server was killed".to_owned());
        std::thread::sleep(AFTER_TIME);
        wait_for(&before, ATTACKED_REQUESTS_MIN);
        let stretch = Work::of([&target.server, &twin.server]).zip(work);
        let stretch = stretch.map_or(1.0, |(now, before)| now.stretch_since(before));
        let [victim, client_of_twin] = clients.map(Victim::stop);
        let ((tallies, acknowledged), (twins, _)) = (victim?, client_of_twin?);
        drop(twin);
        let attack = Attacked { begun, stretch, slowdown_max: self.slowdown_max };
        self.judge(Service::judge(&tallies, &twins, &attack));
        self.check_memory(idle, target.server.peak_bytes());
        self.check_alive(&mut target.server, requests.address);
        self.check_kept(requests, &acknowledged, "at the end");
        if let Some(folder) = target.folder.clone() {
            target.server.kill();
            *target = self.start_on(&folder)?;
            self.check_kept(target.requests, &acknowledged, "after a crash");
        }
        attacked
    }

    fn judge(&mut self, service: Service) {
        self.faults.extend(service.faults.iter().cloned());
        self.service = Some(service);
        self.check(!(self.settings.limits && self.is_late()), || "a goal was missed".to_owned());
    }

    /// Whether the victim's latency missed a goal.
    pub(crate) fn is_late(&self) -> bool {
        let misses = |service: &Service| {
            service.quantile(990) > Some(P99_GOAL) || service.quantile(1000) > Some(LATENCY_GOAL)
        };
        self.service.as_ref().is_some_and(misses)
    }

    fn check_memory(&mut self, idle: Option<u64>, peak: Option<u64>) {
        let (Some(idle), Some(peak)) = (idle, peak) else { return };
        let above = peak.saturating_sub(idle);
        self.memory_above_idle = Some(above);
        self.check(above <= self.memory_max, || format!("{} MB above idle", above >> 20));
    }

    fn check_alive(&mut self, server: &mut Server, endpoint: SocketAddr) {
        if !server.is_alive() {
            self.faults.push(format!("the server has ended: {}", server.log_end()));
            return;
        }
        match health(endpoint) {
            Ok(answer) if answer.status == 200 => {}
            Ok(answer) => self.faults.push(format!("/health: {}", answer.shown())),
            Err(error) => self.faults.push(format!("/health: {error}")),
        }
    }

    pub(crate) fn check_kept(&mut self, requests: Requests, written: &Acknowledged, when: &str) {
        if let Err(fault) = victim::check_kept(requests, written) {
            self.faults.push(format!("{when}: {fault}"));
        }
    }

    /// Adds a fault if something does not hold.
    pub(crate) fn check(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(fault());
        }
    }

    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// A path for a file of this round.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.settings.scratch.join(format!("{}-{name}", self.label))
    }
}

/// What the endpoint says about itself.
pub(crate) fn health(endpoint: SocketAddr) -> std::io::Result<Answer> {
    Connection::open(endpoint, PATIENCE)?.ask(&get(endpoint, "/health"))
}

/// Kills the servers of a round that takes too long, which ends everything that waits for them.
struct Watchdog {
    servers: Arc<Mutex<Vec<u32>>>,
    /// Whether it has killed them.
    has_ended: Arc<AtomicBool>,
    /// The thread ends when this is dropped.
    _alive: mpsc::Sender<()>,
}

impl Watchdog {
    fn new(time_max: Duration) -> Self {
        let servers = Arc::new(Mutex::new(Vec::new()));
        let (alive, ended) = mpsc::channel::<()>();
        let has_ended = Arc::new(AtomicBool::new(false));
        let (watched, ends) = (Arc::clone(&servers), Arc::clone(&has_ended));
        std::thread::spawn(move || {
            if ended.recv_timeout(time_max) == Err(RecvTimeoutError::Timeout) {
                ends.store(true, Ordering::Relaxed);
                let watched: &Mutex<Vec<u32>> = &watched;
                for id in watched.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                    // One that has ended already is not there to be killed.
                    let _ = Command::new("kill").arg("-KILL").arg(id.to_string()).status();
                }
            }
        });
        Self { servers, has_ended, _alive: alive }
    }

    fn watch(&self, server: u32) {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).push(server);
    }
}
