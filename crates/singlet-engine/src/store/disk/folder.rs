//! A store's folder: its lock, its format, and its data files.

mod watch;

pub(super) use watch::FolderWatch;

use super::{Age, Error, Files};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The format version that this version reads and writes. See docs/format.md.
pub const FORMAT_VERSION: u32 = 3;

/// Prefix of the file `format`.
const MAGIC: &str = "singlet store, format version ";

const LOCK: &str = "lock";
const FORMAT: &str = "format";
const DATA: &str = "data";
const LOG: [&str; 2] = ["log.0", "log.1"];
const REACH: &str = "reach";
/// Files are created under this name and renamed when complete.
const UNFINISHED: &str = "unfinished";

/// Upper bound for the length of the file `format`, so that a foreign file is not read into memory.
const FORMAT_BYTES_MAX: u64 = 4096;

/// Only the owner may access a store.
#[cfg(unix)]
const FOLDER_MODE: u32 = 0o700;
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;

/// A folder locked for this process, as long as this value lives.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Locks end with the process, even if it is killed. This one prevents two processes from
    /// creating a store at the same time, and tells the second one which process holds it.
    _lock: File,
    /// The authoritative lock. The file `lock` can be deleted and locked again; without the data
    /// file there is no store.
    data: Option<File>,
}

impl Folder {
    /// Locks the folder, and creates it if missing.
    pub(super) fn lock(path: &Path) -> Result<Self, Error> {
        // The path must not depend on the current directory.
        let path = std::path::absolute(path)?;
        create_durably(&path)?;
        let mut lock = options().create(true).truncate(false).open(path.join(LOCK))?;
        if !try_lock(&lock)? {
            let mut holder = String::new();
            // The holder may not have written its process id yet.
            let read = lock.take(FORMAT_BYTES_MAX).read_to_string(&mut holder);
            let holder = read.ok().and_then(|_| holder.trim().parse().ok());
            return Err(Error::Locked { folder: path, holder });
        }
        // Only for the error message above.
        lock.set_len(0)?;
        lock.rewind()?;
        writeln!(lock, "{}", std::process::id())?;
        Ok(Self { path, _lock: lock, data: None })
    }

    /// Opens the data files, and creates them in an empty folder. `prepare` turns an empty file
    /// into an empty base, and returns whether it has no rows.
    ///
    /// The file `format` is written last, by [`Folder::write_format`]. So a folder that has one is
    /// complete, and if its data is missing it is damaged, not new.
    pub(super) fn files(
        &mut self,
        prepare: impl FnOnce(File) -> Result<bool, Error>,
    ) -> Result<(Files<File>, Age), Error> {
        let age = match self.format()? {
            Some(FORMAT_VERSION) => Age::Existing,
            Some(found) if found > FORMAT_VERSION => {
                return Err(Error::NewerFormat { found, known: FORMAT_VERSION });
            }
            Some(found) => {
                let what = format!("format version {found} was never released");
                return Err(Error::Corrupt(what));
            }
            None => {
                self.require_unused()?;
                let has_rows = match self.open(DATA) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        let has_rows = !prepare(self.create_unfinished()?)?;
                        self.finish(DATA)?;
                        has_rows
                    }
                    // Creating this store was interrupted just before the end.
                    _ => !prepare(self.lock_data()?)?,
                };
                let has_log = self.create_log()?;
                if has_rows || has_log {
                    let missing = "the file that names the format is missing";
                    return Err(Error::Corrupt(missing.to_owned()));
                }
                self.create_empty(REACH)?;
                sync_names(&self.path)?;
                Age::New
            }
        };
        let [zero, one] = LOG;
        let log = [self.existing(zero)?, self.existing(one)?];
        let (data, reach) = (self.lock_data()?, self.existing(REACH)?);
        Ok((Files { data, log, reach }, age))
    }

    /// Opens and locks the data file.
    fn lock_data(&mut self) -> Result<File, Error> {
        if let Some(data) = &self.data {
            return Ok(data.try_clone()?);
        }
        let data = self.existing(DATA)?;
        if !try_lock(&data)? {
            // The process id in the file `lock` is our own.
            return Err(Error::Locked { folder: self.path.clone(), holder: None });
        }
        self.data = Some(data.try_clone()?);
        Ok(data)
    }

    /// Watches the folder and these files for removal.
    pub(super) fn watch(&self, files: &Files<File>) -> io::Result<FolderWatch> {
        let [zero, one] = &files.log;
        let [name_zero, name_one] = LOG;
        let named =
            [(DATA, &files.data), (name_zero, zero), (name_one, one), (REACH, &files.reach)];
        FolderWatch::new(&self.path, &named)
    }

    fn open(&self, name: &str) -> io::Result<File> {
        options().open(self.path.join(name))
    }

    /// Opens a file that a complete folder must have.
    fn existing(&self, name: &str) -> Result<File, Error> {
        match self.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Error::Corrupt(format!("the file {name} is missing")))
            }
            opened => Ok(opened?),
        }
    }

    /// Creates the empty files of the log. Returns whether one of them already has contents.
    fn create_log(&self) -> Result<bool, Error> {
        let mut has_log = false;
        for name in LOG {
            has_log |= self.create_empty(name)?.metadata()?.len() > 0;
        }
        Ok(has_log)
    }

    /// Creates a file if it is missing.
    fn create_empty(&self, name: &str) -> io::Result<File> {
        let file = options().create(true).truncate(false).open(self.path.join(name))?;
        file.sync_all()?;
        Ok(file)
    }

    /// Marks the folder as complete, in the current format.
    pub(super) fn write_format(&self) -> Result<(), Error> {
        let mut format = self.create_unfinished()?;
        writeln!(format, "{MAGIC}{FORMAT_VERSION}")?;
        format.sync_all()?;
        self.finish(FORMAT)
    }

    fn create_unfinished(&self) -> io::Result<File> {
        options().create(true).truncate(true).open(self.path.join(UNFINISHED))
    }

    /// Renames the unfinished file durably.
    fn finish(&self, name: &str) -> Result<(), Error> {
        fs::rename(self.path.join(UNFINISHED), self.path.join(name))?;
        Ok(sync_names(&self.path)?)
    }

    /// The folder's format version; `None` without the file `format`.
    fn format(&self) -> Result<Option<u32>, Error> {
        let file = match File::open(self.path.join(FORMAT)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut text = Vec::new();
        file.take(FORMAT_BYTES_MAX).read_to_end(&mut text)?;
        let version = std::str::from_utf8(&text)
            .ok()
            .and_then(|text| text.strip_prefix(MAGIC)?.strip_suffix('\n')?.parse().ok());
        match version {
            Some(version) => Ok(Some(version)),
            None => Err(Error::Corrupt(format!("the file {FORMAT} does not name a format"))),
        }
    }

    /// Rejects a folder with files that do not belong to an interrupted creation.
    fn require_unused(&self) -> Result<(), Error> {
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            let names = [LOCK, UNFINISHED, DATA, REACH];
            let is_ours = names.into_iter().chain(LOG).any(|own| name == own);
            if !is_ours {
                return Err(Error::NotAStore(self.path.clone()));
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(data) = &self.data {
            // Remaining snapshots have the same file open, which would hold the lock.
            let _ = data.unlock();
        }
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    options.mode(FILE_MODE);
    options
}

/// Returns false if the file is locked already.
fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Durably creates a folder and its missing parents. The folder is accessible to its owner only; an
/// existing one keeps its mode.
fn create_durably(path: &Path) -> io::Result<()> {
    let missing: Vec<_> = path.ancestors().take_while(|path| !path.exists()).collect();
    if let Some(around) = path.parent() {
        fs::create_dir_all(around)?;
    }
    let mut builder = DirBuilder::new();
    // Not an error if it exists.
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(FOLDER_MODE);
    builder.create(path)?;
    for folder in missing.iter().filter_map(|path| path.parent()) {
        sync_names(folder)?;
    }
    Ok(())
}

/// Makes the names in a folder durable.
fn sync_names(folder: &Path) -> io::Result<()> {
    // Only Unix can open a folder for this.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
