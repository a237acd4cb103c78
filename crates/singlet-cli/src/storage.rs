//! Storage options, shared by all servers.

use crate::failure::Failure;
use crate::huge_pages;
use clap::{Args, ValueEnum};
use rustix::process::Signal;
use singlet_engine::{Durability, Engine, Options};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// Threads per core when the data is in a folder: a read that waits for the disk blocks its thread.
const THREADS_PER_CORE_ON_DISK: usize = 2;

/// The default data folder.
const DIR_DEFAULT: &str = "./singlet-data";

/// Where the data is stored, and when a write is acknowledged.
#[derive(Args)]
pub(crate) struct Storage {
    /// The data folder; created if missing. [default: ./singlet-data]
    #[arg(long, conflicts_with = "in_memory")]
    dir: Option<PathBuf>,
    /// Keep all data in memory, and lose it on exit.
    #[arg(long)]
    in_memory: bool,
    /// When a write is acknowledged. [default: full]
    #[arg(long, value_enum, conflicts_with = "in_memory")]
    durability: Option<Choice>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Choice {
    /// When it is on disk.
    #[default]
    Full,
    /// At once. It reaches the disk within 100 ms; a crash of the machine before that loses it.
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
        let durability = match self.durability.unwrap_or_default() {
            Choice::Full => Durability::Full,
            Choice::Relaxed => Durability::Relaxed,
        };
        let options = Options { durability, ..Options::default() };
        let opened = match self.in_memory {
            true => Engine::memory_with(options),
            false => Engine::open(self.dir(), options),
        };
        opened.map_err(|error| {
            Failure::new(
                format_args!("cannot open {}: {error}", self.dir().display()),
                "Choose another folder with --dir, or keep everything in memory with --in-memory.",
            )
        })
    }

    /// The async runtime.
    pub(crate) fn runtime(&self) -> Result<Runtime, Failure> {
        if !self.in_memory {
            huge_pages::disable();
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.in_memory { cores } else { cores * THREADS_PER_CORE_ON_DISK };
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(threads).enable_all().build();
        let runtime = runtime.and_then(|runtime| {
            survive_file_size_limit(&runtime)?;
            Ok(runtime)
        });
        runtime.map_err(|error| {
            Failure::new(
                format_args!("cannot start {threads} threads: {error}"),
                "Check the limits for processes and memory (ulimit -a).",
            )
        })
    }

    /// Where the data is, for the line that announces the server.
    pub(crate) fn place(&self) -> String {
        match self.in_memory {
            true => "in memory".to_owned(),
            false => {
                let durability = self.durability.unwrap_or_default();
                format!("folder {}, durability {durability}", self.dir().display())
            }
        }
    }

    /// The options that were set, by name. They only apply to the embedded engine.
    #[cfg(feature = "systems")]
    pub(crate) fn chosen(&self) -> impl Iterator<Item = &'static str> {
        let dir = self.dir.is_some().then_some("--dir");
        let in_memory = self.in_memory.then_some("--in-memory");
        let durability = self.durability.is_some().then_some("--durability");
        [dir, in_memory, durability].into_iter().flatten()
    }

    /// The data folder, unless the data is in memory.
    #[cfg(feature = "systems")]
    pub(crate) fn folder(&self) -> Option<&Path> {
        (!self.in_memory).then(|| self.dir())
    }

    fn dir(&self) -> &Path {
        self.dir.as_deref().unwrap_or(Path::new(DIR_DEFAULT))
    }
}

/// Keeps SIGXFSZ from killing the process. A write beyond the file size limit (`ulimit -f`) then
/// fails, and the engine treats it as a full disk: it refuses writes and keeps serving reads.
fn survive_file_size_limit(runtime: &Runtime) -> io::Result<()> {
    let _entered = runtime.enter();
    // The handler stays installed after its stream is dropped.
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

/// Closes an engine that is no longer in use.
pub(crate) fn close(engine: &Engine) -> Result<(), Failure> {
    engine.close().map_err(|error| {
        Failure::new(
            format_args!("cannot close the data: {error}"),
            "Acknowledged writes are in the folder, which is checked when it is opened again.",
        )
    })
}
