//! The server processes.

use super::{bare, load, packages, request};
use crate::process;
use dynoxide::Database;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The command that runs this program as one of the servers.
pub(crate) const SERVE: &str = "serve";
/// Timeout for a start. Java is slow.
const START_MAX: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Singlet,
    Dynoxide,
    DynamoDbLocal,
    Dynalite,
    Bare,
}

impl Kind {
    /// Ours first, the limit last.
    pub(crate) const ALL: [Self; 5] =
        [Self::Singlet, Self::Dynoxide, Self::DynamoDbLocal, Self::Dynalite, Self::Bare];

    fn name(self) -> &'static str {
        match self {
            Self::Singlet => "singlet",
            Self::Dynoxide => "dynoxide-rs 3.2.0",
            Self::DynamoDbLocal => "DynamoDB Local",
            Self::Dynalite => "dynalite 4.0.0",
            Self::Bare => "hyper alone",
        }
    }

    /// Starts a server, in memory or on a folder, and waits for its first answer.
    pub(crate) fn start(self, folder: Option<&Path>) -> Server {
        let port = free_port();
        let mut command = self.command(port, folder);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        let mut server = Server { kind: self, child, port, start: Duration::ZERO };
        while load::try_one(port, &request::list_tables()).is_err() {
            assert!(start.elapsed() < START_MAX, "{} did not start", self.name());
            std::thread::sleep(Duration::from_micros(500));
        }
        server.start = start.elapsed();
        server
    }

    fn command(self, port: u16, folder: Option<&Path>) -> Command {
        let port = port.to_string();
        match self {
            Self::Singlet => {
                let mut command = Command::new(singlet());
                command.args(["dynamodb", "--port", &port, "--log", "warn"]);
                match folder {
                    Some(folder) => command.arg("--dir").arg(folder.join("data")),
                    None => command.arg("--in-memory"),
                };
                command
            }
            Self::Dynoxide => {
                let mut command = process::own(SERVE);
                command.args(["dynoxide", &port]);
                command.args(folder.map(|folder| folder.join("data.db")));
                command
            }
            Self::DynamoDbLocal => {
                let home = packages::dynamodb_local();
                let mut libraries = std::ffi::OsString::from("-Djava.library.path=");
                libraries.push(home.join("DynamoDBLocal_lib"));
                let mut command = Command::new("java");
                command.arg(libraries).arg("-jar").arg(home.join("DynamoDBLocal.jar"));
                command.args(["-inMemory", "-sharedDb", "-disableTelemetry", "-port", &port]);
                command.current_dir(packages::folder());
                command
            }
            Self::Dynalite => {
                let mut command = Command::new("node");
                command.arg(packages::folder().join("node_modules/dynalite/cli.js"));
                command.args(["--port", &port, "--createTableMs", "0"]);
                command
            }
            Self::Bare => {
                let mut command = process::own(SERVE);
                command.args(["bare", &port]);
                command
            }
        }
    }
}

/// A server, killed on drop.
pub(crate) struct Server {
    kind: Kind,
    child: Child,
    port: u16,
    start: Duration,
}

impl Server {
    pub(crate) fn name(&self) -> &'static str {
        self.kind.name()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The time from process start to first answer.
    pub(crate) fn start_ms(&self) -> f64 {
        self.start.as_secs_f64() * 1e3
    }

    pub(crate) fn resident_bytes(&self) -> u64 {
        process::resident_bytes_of(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs one of the servers that are libraries.
pub(crate) fn serve(kind: &str, arguments: &[&str]) -> Option<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    match (kind, arguments) {
        ("bare", [port]) => runtime.block_on(bare::serve(port.parse().ok()?)),
        ("dynoxide", [port, file @ ..]) => {
            let database = match file {
                [file] => Database::new(file).expect("a database in a file"),
                _ => Database::memory().expect("a database in memory"),
            };
            let served = dynoxide::server::start("127.0.0.1", port.parse().ok()?, database);
            runtime.block_on(served).expect("it serves");
        }
        _ => return None,
    }
    Some(())
}

/// The release build of `singlet`.
fn singlet() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let status = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", "singlet-cli"])
        .current_dir(&root)
        .status()
        .expect("cargo");
    assert!(status.success(), "the command `singlet` does not build");
    root.join("target/release/singlet")
}

pub(super) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}
