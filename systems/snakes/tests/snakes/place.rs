//! The stores that the game is played on: every story is told on each of them.

use singlet::backend::{Aws, Embedded};
use singlet::engine::{Clock, Engine, Options};
use singlet::{Db, Declaration, Settings};
use singlet_web::Store;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A store for one story.
pub(crate) enum Place {
    /// An engine of this process, and its folder if it has one.
    Embedded { engine: Engine, _folder: Option<Folder> },
    /// A store over HTTP.
    Remote(Aws),
}

/// A folder that is gone with the story.
pub(crate) struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A number that no other story of this process has.
pub(crate) fn number() -> u32 {
    static NUMBERS: AtomicU32 = AtomicU32::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

impl Place {
    /// An engine in memory, which deletes what has expired when it is told to, by this clock.
    pub(crate) fn memory(clock: &Clock) -> Self {
        Self::Embedded { engine: Engine::memory_with(options(clock)).unwrap(), _folder: None }
    }

    /// The same in a folder of its own.
    pub(crate) fn folder(clock: &Clock) -> Self {
        let name = format!("singlet-snakes-{}-{}", std::process::id(), number());
        let folder = Folder(std::env::temp_dir().join(name));
        let engine = Engine::open(&folder.0, options(clock)).unwrap();
        Self::Embedded { engine, _folder: Some(folder) }
    }

    /// A database in this place, with all its tables.
    pub(crate) async fn open<D: Declaration>(&self, settings: &Settings) -> Db<D> {
        let settings = settings.clone();
        let db = match self {
            Self::Embedded { engine, .. } => Db::<D>::on(Embedded::new(engine.clone()), settings),
            Self::Remote(aws) => Db::<D>::on(aws.clone(), settings),
        };
        db.provision().await.unwrap();
        db
    }

    /// The same place for a server.
    pub(crate) fn store(&self, settings: &Settings) -> Store {
        match self {
            Self::Embedded { engine, .. } => {
                Store::new(Embedded::new(engine.clone()), settings.clone())
            }
            Self::Remote(aws) => Store::new(aws.clone(), settings.clone()),
        }
    }
}

fn options(clock: &Clock) -> Options {
    Options { clock: clock.clone(), background: false, ..Options::default() }
}

/// A clock that begins at the real time and stands still, on a full second. A store elsewhere has
/// a clock of its own, and must not delete what has expired only here.
pub(crate) fn standing_clock() -> Clock {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    Clock::fixed(i64::try_from(now * 1000).unwrap())
}

/// Tells these stories on every store. Those on DynamoDB Local are called for by the test command,
/// which starts it.
macro_rules! on_every_store {
    ($($story:ident),+ $(,)?) => {
        mod memory {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $story() {
                    super::$story($crate::ground::Stage::memory()).await;
                }
            )+
        }

        mod folder {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $story() {
                    super::$story($crate::ground::Stage::folder()).await;
                }
            )+
        }

        mod endpoint {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $story() {
                    super::$story($crate::remote::endpoint().await).await;
                }
            )+
        }

        mod local {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                #[ignore = "needs DynamoDB Local, which `cargo xtask test local` starts"]
                async fn $story() {
                    super::$story($crate::remote::local().await).await;
                }
            )+
        }
    };
}

pub(crate) use on_every_store;
