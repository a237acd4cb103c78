//! `singlet dynamodb`: the endpoint alone.

use crate::failure::Failure;
use crate::log::{self, Detail};
use clap::{Args, ValueEnum};
use singlet_engine::{Durability, Engine, Options};
use singlet_wire::{BindError, Credentials, Server};
use std::fmt;
use std::future::poll_fn;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::task::Poll;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How many threads there are for each core when data is in a folder. A read that has to wait for
/// the disk holds its thread, and others should go on meanwhile.
const THREADS_PER_CORE_ON_DISK: usize = 2;

/// Answers DynamoDB's protocol over HTTP, on a folder or in memory.
#[derive(Args)]
#[command(after_help = "\
Examples:
  singlet dynamodb
  singlet dynamodb --in-memory --port 0
  singlet dynamodb --host 0.0.0.0 --credentials ~/.aws/credentials

  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000
")]
pub(crate) struct Arguments {
    /// The port to listen on; 0 takes any free one.
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// The address to listen on. Any but a loopback address needs --credentials.
    #[arg(long, default_value = "127.0.0.1", value_parser = parse_host)]
    host: IpAddr,
    /// The folder that holds the data; it is made if it is missing.
    #[arg(long, default_value = "./singlet-data", conflicts_with = "in_memory")]
    dir: PathBuf,
    /// Keep everything in memory, and forget it at the end.
    #[arg(long)]
    in_memory: bool,
    /// When a write counts as done.
    #[arg(long, value_enum, default_value_t = Choice::Full, conflicts_with = "in_memory")]
    durability: Choice,
    /// Answer only requests that are signed with a key of this file, which is of the form of
    /// ~/.aws/credentials. Without it signatures are not looked at.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// How much to note on standard error.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Detail::Info)]
    log: Detail,
}

#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    /// When it is on the disk.
    Full,
    /// At once; it is on the disk within 100 ms, unless the machine fails before.
    Relaxed,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::Relaxed => "relaxed",
        })
    }
}

fn parse_host(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    text.parse().map_err(|_| "give an address such as 127.0.0.1, ::1 or 0.0.0.0".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    log::begin(arguments.log);
    let options = arguments.endpoint_options()?;
    let runtime = arguments.runtime()?;
    // An address that cannot be had should leave no folder behind.
    let server = runtime.block_on(Server::bind(options)).map_err(cannot_bind)?;
    let engine = arguments.open_engine()?;
    runtime.block_on(serve(arguments, server, engine.clone()))?;
    // Whatever still runs there is over before the engine is closed.
    drop(runtime);
    engine.close().map_err(|error| {
        Failure::new(
            format_args!("the data could not be closed: {error}"),
            "What was acknowledged is in the folder; it is checked when it is opened again.",
        )
    })
}

fn cannot_bind(error: BindError) -> Failure {
    let advice = match error {
        BindError::Unprotected(_) => {
            "Leave out --host to be reached from this machine alone, or name a file with \
             --credentials (see singlet dynamodb --help)."
        }
        _ => "Choose another port with --port; 0 takes any free one.",
    };
    Failure::new(error, advice)
}

impl Arguments {
    fn endpoint_options(&self) -> Result<singlet_wire::Options, Failure> {
        let credentials = match &self.credentials {
            None => None,
            Some(path) => Some(Credentials::read(path).map_err(|error| {
                Failure::new(
                    format_args!("{}: {error}", path.display()),
                    "Give a file with a section like this:\n\
                     [default]\naws_access_key_id = local\naws_secret_access_key = a long secret",
                )
            })?),
        };
        let address = SocketAddr::from((self.host, self.port));
        Ok(singlet_wire::Options { address, credentials, ..singlet_wire::Options::default() })
    }

    fn open_engine(&self) -> Result<Engine, Failure> {
        let durability = match self.durability {
            Choice::Full => Durability::Full,
            Choice::Relaxed => Durability::Relaxed,
        };
        let options = Options { durability, ..Options::default() };
        let opened = match self.in_memory {
            true => Engine::memory_with(options),
            false => Engine::open(&self.dir, options),
        };
        opened.map_err(|error| {
            Failure::new(
                format_args!("cannot open {}: {error}", self.dir.display()),
                "Choose another folder with --dir, or keep everything in memory with --in-memory.",
            )
        })
    }

    fn runtime(&self) -> Result<Runtime, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.in_memory { cores } else { cores * THREADS_PER_CORE_ON_DISK };
        Builder::new_multi_thread().worker_threads(threads).enable_all().build().map_err(|error| {
            Failure::new(
                format_args!("cannot start {threads} threads: {error}"),
                "Look at the limits for processes and memory (ulimit -a).",
            )
        })
    }

    fn place(&self) -> String {
        match self.in_memory {
            true => "in memory".to_owned(),
            false => format!("folder {}, durability {}", self.dir.display(), self.durability),
        }
    }
}

async fn serve(arguments: &Arguments, server: Server, engine: Engine) -> Result<(), Failure> {
    let address = server.local_address();
    let deaf = |error| {
        Failure::new(
            format_args!("cannot listen for signals: {error}"),
            "Look at the limits for open files (ulimit -n).",
        )
    };
    let mut terminate = signal(SignalKind::terminate()).map_err(deaf)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(deaf)?;
    // If nobody reads the line, it is not missed.
    let _ = writeln!(
        std::io::stdout(),
        "DynamoDB endpoint ready at http://{address} ({})",
        arguments.place()
    );
    server.serve(engine, first_of(&mut terminate, &mut interrupt)).await;
    tracing::info!("stopped");
    Ok(())
}

/// Waits for either signal.
async fn first_of(one: &mut Signal, other: &mut Signal) {
    poll_fn(|context| {
        match one.poll_recv(context).is_ready() || other.poll_recv(context).is_ready() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    tracing::info!("stopping: requests in flight are answered first");
}
