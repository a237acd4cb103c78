//! Where the data is: the part of the command line that all servers share.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use rustix::process::Signal;
use singlet_engine::{Durability, Engine, Options};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// How many threads there are for each core when data is in a folder. A read that has to wait for
/// the disk holds its thread, and others should go on meanwhile.
const THREADS_PER_CORE_ON_DISK: usize = 2;

/// Where the data is unless somebody says otherwise.
const DIR_DEFAULT: &str = "./singlet-data";

/// Where the data is, and when a write counts as done.
#[derive(Args)]
pub(crate) struct Storage {
    /// The folder that holds the data; it is made if it is missing. [default: ./singlet-data]
    #[arg(long, conflicts_with = "in_memory")]
    dir: Option<PathBuf>,
    /// Keep everything in memory, and forget it at the end.
    #[arg(long)]
    in_memory: bool,
    /// When a write counts as done. [default: full]
    #[arg(long, value_enum, conflicts_with = "in_memory")]
    durability: Option<Choice>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Choice {
    /// When it is on the disk.
    #[default]
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

    /// The threads to work with.
    pub(crate) fn runtime(&self) -> Result<Runtime, Failure> {
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
                "Look at the limits for processes and memory (ulimit -a).",
            )
        })
    }

    /// Where the data is, for the line that says that a server is ready.
    pub(crate) fn place(&self) -> String {
        match self.in_memory {
            true => "in memory".to_owned(),
            false => {
                let durability = self.durability.unwrap_or_default();
                format!("folder {}, durability {durability}", self.dir().display())
            }
        }
    }

    /// What was chosen, by the names of the options. Where there is no engine, none has a meaning.
    #[cfg(feature = "systems")]
    pub(crate) fn chosen(&self) -> impl Iterator<Item = &'static str> {
        let dir = self.dir.is_some().then_some("--dir");
        let in_memory = self.in_memory.then_some("--in-memory");
        let durability = self.durability.is_some().then_some("--durability");
        [dir, in_memory, durability].into_iter().flatten()
    }

    /// The folder that holds the data, if one does.
    #[cfg(feature = "systems")]
    pub(crate) fn folder(&self) -> Option<&Path> {
        (!self.in_memory).then(|| self.dir())
    }

    fn dir(&self) -> &Path {
        self.dir.as_deref().unwrap_or(Path::new(DIR_DEFAULT))
    }
}

/// Keeps SIGXFSZ from ending the process. A file that would grow beyond the limit (`ulimit -f`) is
/// then an error of the write, which the engine treats as a full disk: writes are refused, reads go
/// on.
fn survive_file_size_limit(runtime: &Runtime) -> io::Result<()> {
    let _entered = runtime.enter();
    // The handler stays when nobody listens any more, and that is all that it is for.
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
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
