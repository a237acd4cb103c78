//! Where the data is: the part of the command line that all servers share.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use singlet_engine::{Durability, Engine, Options};
use std::fmt;
use std::path::PathBuf;
use tokio::runtime::{Builder, Runtime};

/// How many threads there are for each core when data is in a folder. A read that has to wait for
/// the disk holds its thread, and others should go on meanwhile.
const THREADS_PER_CORE_ON_DISK: usize = 2;

/// Where the data is, and when a write counts as done.
#[derive(Args)]
pub(crate) struct Storage {
    /// The folder that holds the data; it is made if it is missing.
    #[arg(long, default_value = "./singlet-data", conflicts_with = "in_memory")]
    dir: PathBuf,
    /// Keep everything in memory, and forget it at the end.
    #[arg(long)]
    in_memory: bool,
    /// When a write counts as done.
    #[arg(long, value_enum, default_value_t = Choice::Full, conflicts_with = "in_memory")]
    durability: Choice,
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

impl Storage {
    pub(crate) fn open_engine(&self) -> Result<Engine, Failure> {
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

    /// The threads to work with.
    pub(crate) fn runtime(&self) -> Result<Runtime, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.in_memory { cores } else { cores * THREADS_PER_CORE_ON_DISK };
        Builder::new_multi_thread().worker_threads(threads).enable_all().build().map_err(|error| {
            Failure::new(
                format_args!("cannot start {threads} threads: {error}"),
                "Look at the limits for processes and memory (ulimit -a).",
            )
        })
    }

    /// Where the data is, for the line that says that a server is ready.
    pub(crate) fn place(&self) -> String {
        match self.in_memory {
            true => "in memory".to_owned(),
            false => format!("folder {}, durability {}", self.dir.display(), self.durability),
        }
    }
}

/// Closes an engine once nothing uses it any more.
pub(crate) fn close(engine: &Engine) -> Result<(), Failure> {
    engine.close().map_err(|error| {
        Failure::new(
            format_args!("the data could not be closed: {error}"),
            "What was acknowledged is in the folder; it is checked when it is opened again.",
        )
    })
}
