//! One attack: the servers that it needs, the victim meanwhile, and what must hold.

use crate::dynamodb::{self, Requests};
use crate::http::{Answer, Connection, get};
use crate::server::Server;
use crate::tally::Tally;
use crate::victim::{self, Acknowledged, Victim};
use crate::web_victim::WebVictim;
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
/// How long the victim asks before the attack begins, and after it has ended.
const CALM_TIME: Duration = Duration::from_millis(120);
/// A round that takes this much longer than its attack should is ended by killing the servers.
const ROUND_TIME_MAX: Duration = Duration::from_secs(40);
/// How long `/health` may take after an attack.
const HEALTH_TIME_MAX: Duration = Duration::from_secs(5);

/// What 99 of 100 requests of the victim may take, on a quiet machine with a release build.
pub(crate) const P99_GOAL: Duration = Duration::from_millis(10);
/// What they may take before it counts as a fault: machines do other things as well.
pub(crate) const P99_MAX: Duration = Duration::from_millis(100);
/// What any request of the victim may take, on a quiet machine with a release build.
pub(crate) const LATENCY_GOAL: Duration = Duration::from_millis(250);
/// What it may take before it counts as a fault.
pub(crate) const LATENCY_MAX: Duration = Duration::from_millis(1500);
/// How much memory the server may take above what it had before the attack: the 224 MB that the
/// endpoint may hold of bodies, answers and returned items, and what the allocator needs around them.
pub(crate) const MEMORY_ABOVE_IDLE_MAX: u64 = 300 << 20;
/// How large any answer to an attacker may be, unless it is data.
pub(crate) const REFUSAL_BYTES_MAX: u64 = 1 << 20;

/// What can be chosen for all rounds.
pub(crate) struct Settings {
    /// The command to attack.
    pub(crate) program: PathBuf,
    /// A folder for logs and data.
    pub(crate) scratch: PathBuf,
    pub(crate) long: bool,
    /// How many connections one attack may open.
    pub(crate) connections_max: usize,
}

/// Where an endpoint keeps its data, and whom it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In memory, for anybody.
    Memory,
    /// In memory, for requests that are signed.
    Signed,
    /// In a folder, for anybody.
    Folder,
}

/// One attack under way.
pub(crate) struct Round<'s> {
    settings: &'s Settings,
    /// For the names of files.
    label: String,
    /// How many servers were started.
    started: usize,
    /// A limit on the size of files, for the next server.
    file_blocks_max: Option<u64>,
    watchdog: Watchdog,
    /// What did not hold.
    pub(crate) faults: Vec<String>,
    /// How many of the faults are about latency.
    late: usize,
    pub(crate) notes: Vec<String>,
    pub(crate) tally: Option<Tally>,
    pub(crate) memory_above_idle: Option<u64>,
}

/// A moment, until which an attack goes on.
#[derive(Clone, Copy)]
pub(crate) struct Until(Instant);

impl Until {
    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.0
    }

    /// How long that is still, and at least a moment.
    pub(crate) fn rest(self) -> Duration {
        self.0.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    pub(crate) fn wait(self) {
        std::thread::sleep(self.rest());
    }
}

impl<'s> Round<'s> {
    /// Begins an attack. No two rounds may have the same label.
    pub(crate) fn new(settings: &'s Settings, label: String) -> Self {
        Self {
            settings,
            label,
            started: 0,
            file_blocks_max: None,
            watchdog: Watchdog::new(ROUND_TIME_MAX + settings.time() * 2),
            faults: Vec::new(),
            late: 0,
            notes: Vec::new(),
            tally: None,
            memory_above_idle: None,
        }
    }

    /// Whether the victim was served late, and nothing else was wrong.
    pub(crate) fn is_only_late(&self) -> bool {
        self.late > 0 && self.late == self.faults.len()
    }

    /// How long the attack is to go on.
    pub(crate) fn time(&self) -> Duration {
        self.settings.time()
    }

    /// Whether attacks may take long.
    pub(crate) fn is_long(&self) -> bool {
        self.settings.long
    }

    /// How many connections to open of those that are wanted. If fewer are allowed, it is noted.
    pub(crate) fn allowed_connections(&mut self, wanted: usize) -> usize {
        let allowed = wanted.min(self.settings.connections_max);
        if allowed < wanted {
            self.note(format!("ONLY {allowed} OF {wanted} connections are allowed (ulimit -n)"));
        }
        allowed
    }

    /// Starts an endpoint.
    pub(crate) fn endpoint(&mut self, kind: Kind) -> Result<Endpoint, String> {
        let folder = (kind == Kind::Folder).then(|| self.path("data"));
        self.endpoint_on(kind, folder.as_deref())
    }

    /// Starts an endpoint on this folder, whose files may have no more than so many blocks of 512
    /// bytes, as on a disk that is full.
    pub(crate) fn endpoint_with_file_limit(
        &mut self,
        folder: &Path,
        blocks: u64,
    ) -> Result<Endpoint, String> {
        self.file_blocks_max = Some(blocks);
        let endpoint = self.endpoint_on(Kind::Folder, Some(folder));
        self.file_blocks_max = None;
        endpoint
    }

    /// Starts an endpoint on this folder, or in memory.
    pub(crate) fn endpoint_on(
        &mut self,
        kind: Kind,
        folder: Option<&Path>,
    ) -> Result<Endpoint, String> {
        let mut arguments: Vec<OsString> = vec!["dynamodb".into(), "--port".into(), "0".into()];
        match folder {
            Some(folder) => arguments.extend(["--dir".into(), folder.into()]),
            None => arguments.push("--in-memory".into()),
        }
        if kind == Kind::Signed {
            let file = self.path("credentials");
            std::fs::write(&file, dynamodb::credentials_file())
                .map_err(|error| format!("{}: {error}", file.display()))?;
            arguments.extend(["--credentials".into(), file.into()]);
        }
        let server = self.launch(&arguments, 1)?;
        let requests = Requests { address: server.endpoint()?, signed: kind == Kind::Signed };
        Ok(Endpoint { server, requests, folder: folder.map(Path::to_owned) })
    }

    /// Starts the pages, with an endpoint beside them, in memory, without data.
    pub(crate) fn pages(&mut self) -> Result<Server, String> {
        self.pages_with(&["--empty"])
    }

    /// Like [`Round::pages`], with the demo data of all systems, which takes a second or two.
    pub(crate) fn pages_with_demo_data(&mut self) -> Result<Server, String> {
        self.pages_with(&[])
    }

    fn pages_with(&mut self, options: &[&str]) -> Result<Server, String> {
        let line = ["serve", "--port", "0", "--dynamodb-port", "0", "--in-memory"];
        let line: Vec<OsString> = line.iter().chain(options).map(OsString::from).collect();
        self.launch(&line, 2)
    }

    /// Attacks an endpoint while the victim asks it, and sees what became of both.
    pub(crate) fn attack_endpoint(
        &mut self,
        endpoint: &mut Endpoint,
        attack: impl FnOnce(Until) -> Result<(), String>,
    ) -> Result<(), String> {
        let requests = endpoint.requests;
        let victim = Victim::start(requests)?;
        let attacked = self.measure_memory(&mut endpoint.server, attack);
        let (tally, acknowledged) = victim.stop()?;
        self.judge(tally);
        self.check_alive(&mut endpoint.server, requests.address);
        self.check_kept(requests, &acknowledged, "at the end");
        if let Some(folder) = endpoint.folder.clone() {
            endpoint.server.kill();
            *endpoint = self.endpoint_on(Kind::Folder, Some(&folder))?;
            self.check_kept(endpoint.requests, &acknowledged, "after a crash");
        }
        attacked
    }

    /// Attacks the pages while the victim uses them, and sees what became of both.
    pub(crate) fn attack_pages(
        &mut self,
        server: &mut Server,
        attack: impl FnOnce(Until) -> Result<(), String>,
    ) -> Result<(), String> {
        let victim = WebVictim::start(server.address()?)?;
        let attacked = self.measure_memory(server, attack);
        self.judge(victim.stop()?);
        let endpoint = server.endpoint()?;
        self.check_alive(server, endpoint);
        attacked
    }

    fn measure_memory(
        &mut self,
        server: &mut Server,
        attack: impl FnOnce(Until) -> Result<(), String>,
    ) -> Result<(), String> {
        std::thread::sleep(CALM_TIME);
        let idle = server.memory_bytes();
        server.reset_peak();
        let attacked = attack(Until(Instant::now() + self.time()));
        self.check_time();
        std::thread::sleep(CALM_TIME);
        if let (Some(idle), Some(peak)) = (idle, server.peak_bytes()) {
            let above = peak.saturating_sub(idle);
            self.memory_above_idle = Some(above);
            let shown = above >> 20;
            self.check(above <= MEMORY_ABOVE_IDLE_MAX, || format!("{shown} MB above idle"));
        }
        attacked
    }

    fn check_time(&mut self) {
        let is_late = self.watchdog.has_ended.load(Ordering::Relaxed);
        self.check(!is_late, || "it took so long that the server was killed".to_owned());
    }

    /// Notes a fault if something does not hold.
    pub(crate) fn check(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(fault());
        }
    }

    /// Notes a fault if the answer to an attacker is too large.
    pub(crate) fn check_refusal(&mut self, what: &str, answer: &Answer) {
        let bytes = answer.body_bytes;
        self.check(bytes <= REFUSAL_BYTES_MAX, || {
            format!("{what}: an answer of {bytes} bytes with status {}", answer.status)
        });
    }

    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// A path for a file of this round.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.settings.scratch.join(format!("{}-{name}", self.label))
    }

    pub(crate) fn check_kept(&mut self, requests: Requests, written: &Acknowledged, when: &str) {
        if let Err(fault) = victim::check_kept(requests, written) {
            self.faults.push(format!("{when}: {fault}"));
        }
    }

    fn judge(&mut self, tally: Tally) {
        let (p99, most) = (tally.quantile(990), tally.quantile(1000));
        let (p99, most) = (p99.unwrap_or(Duration::MAX), most.unwrap_or(Duration::MAX));
        self.late = usize::from(p99 > P99_MAX) + usize::from(most > LATENCY_MAX);
        self.check(p99 <= P99_MAX, || format!("the p99 is {p99:.1?}"));
        self.check(most <= LATENCY_MAX, || format!("a request took {most:.1?}"));
        if let Some(refusal) = &tally.first_refusal {
            let refused = tally.refused;
            self.faults.push(format!("{refused} requests were refused, the first: {refusal}"));
        }
        self.tally = Some(tally);
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

    fn launch(&mut self, arguments: &[OsString], addresses: usize) -> Result<Server, String> {
        self.started += 1;
        let log = self.path(&format!("{}.log", self.started));
        let program = &self.settings.program;
        let server = match self.file_blocks_max {
            None => Server::start(program, arguments, addresses, log)?,
            // The shell becomes the server, so its id is the server's.
            Some(blocks) => {
                let script = format!(r#"ulimit -f {blocks}; exec "$0" "$@""#);
                let mut line = vec!["-c".into(), script.into(), program.into()];
                line.extend_from_slice(arguments);
                Server::start(Path::new("sh"), &line, addresses, log)?
            }
        };
        self.watchdog.watch(server.id());
        Ok(server)
    }
}

impl Settings {
    fn time(&self) -> Duration {
        if self.long { TIME_LONG } else { TIME }
    }
}

/// An endpoint to attack.
pub(crate) struct Endpoint {
    pub(crate) server: Server,
    pub(crate) requests: Requests,
    pub(crate) folder: Option<PathBuf>,
}

/// What the endpoint says about itself.
pub(crate) fn health(endpoint: SocketAddr) -> std::io::Result<Answer> {
    Connection::open(endpoint, HEALTH_TIME_MAX)?.ask(&get(endpoint, "/health"))
}

/// Copies the folder of a server that has ended.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    let copied = (|| {
        std::fs::create_dir(to)?;
        for entry in std::fs::read_dir(from)? {
            let entry = entry?;
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
        Ok(())
    })();
    copied.map_err(|error: std::io::Error| format!("{}: {error}", from.display()))
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
