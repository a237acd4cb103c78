//! The folder of a store: its lock, its format, and the files of its data.

mod watch;

pub(super) use watch::FolderWatch;

use super::base::BYTES_MIN;
use super::{Age, Error, Files};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The format that this version writes, and the newest that it reads. See docs/format.md.
pub const FORMAT_VERSION: u32 = 3;

/// The second version did not know how far its log reaches.
const VERSION_WITHOUT_REACH: u32 = 2;

/// The first version had no log. Its data is what a base is, so that all it lacks is made when it
/// is opened.
const VERSION_WITHOUT_LOG: u32 = 1;

/// How the file that names the format begins.
const MAGIC: &str = "singlet store, format version ";

const LOCK: &str = "lock";
const FORMAT: &str = "format";
const DATA: &str = "data";
const LOG: [&str; 2] = ["log.0", "log.1"];
const REACH: &str = "reach";
/// Files get their names when they are complete. What has this name is not.
const UNFINISHED: &str = "unfinished";

/// No file of a sane store that says its format is longer. Keeps a mistaken file from being read
/// into memory.
const FORMAT_BYTES_MAX: u64 = 4096;

/// Folders are for their owner alone: what users keep in a store is nobody else's business.
#[cfg(unix)]
const FOLDER_MODE: u32 = 0o700;
/// The same for files.
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;

/// A folder that no other process opens as long as this value lives.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The locks go with the process, even if it is killed. This one keeps others from making a
    /// store here at the same time, and tells them who does.
    _lock: File,
    /// The lock that counts. Whoever deletes the file `lock` lets others lock a new one; without
    /// the file of data there is no store.
    data: Option<File>,
}

impl Folder {
    /// Locks the folder, and makes it if it is missing.
    pub(super) fn lock(path: &Path) -> Result<Self, Error> {
        // Where it is must not depend on where the process goes.
        let path = std::path::absolute(path)?;
        create_durably(&path)?;
        let mut lock = options().create(true).truncate(false).open(path.join(LOCK))?;
        if !try_lock(&lock)? {
            let mut holder = String::new();
            // Whoever holds the lock may not have written its number yet.
            let read = lock.take(FORMAT_BYTES_MAX).read_to_string(&mut holder);
            let holder = read.ok().and_then(|_| holder.trim().parse().ok());
            return Err(Error::Locked { folder: path, holder });
        }
        // For the message above, which is all that this is for.
        lock.set_len(0)?;
        lock.rewind()?;
        writeln!(lock, "{}", std::process::id())?;
        Ok(Self { path, _lock: lock, data: None })
    }

    /// The files with the data, and what they are. In an empty folder they are made: `prepare`
    /// turns an empty file into a base without rows, and says whether it has none.
    ///
    /// The file that names the format is made last, by [`Folder::write_format`]. So a folder that
    /// has one is complete, and without its data it is damaged, not new.
    pub(super) fn files(
        &mut self,
        prepare: impl FnOnce(File) -> Result<bool, Error>,
    ) -> Result<(Files<File>, Age), Error> {
        let age = match self.format()? {
            Some(FORMAT_VERSION) => Age::Current,
            Some(VERSION_WITHOUT_REACH) => Age::Older,
            Some(VERSION_WITHOUT_LOG) => {
                let data = self.lock_data()?;
                if data.metadata()?.len() < BYTES_MIN {
                    return Err(Error::Corrupt("the file of data is cut off".to_owned()));
                }
                prepare(data)?;
                self.create_log()?;
                Age::Older
            }
            Some(found) if found > FORMAT_VERSION => {
                return Err(Error::NewerFormat { found, known: FORMAT_VERSION });
            }
            Some(found) => {
                return Err(Error::Corrupt(format!("there never was a format version {found}")));
            }
            None => {
                self.require_unused()?;
                let has_rows = match self.open(DATA) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        let has_rows = !prepare(self.create_unfinished()?)?;
                        self.finish(DATA)?;
                        has_rows
                    }
                    // Making this store was interrupted just before its end.
                    _ => !prepare(self.lock_data()?)?,
                };
                let has_log = self.create_log()?;
                if has_rows || has_log {
                    let missing = "the file that names the format is missing";
                    return Err(Error::Corrupt(missing.to_owned()));
                }
                Age::Older
            }
        };
        if age == Age::Older {
            // What it has to say is written once the rest can be read.
            self.create_empty(REACH)?;
            sync_names(&self.path)?;
        }
        let [zero, one] = LOG;
        let log = [self.existing(zero)?, self.existing(one)?];
        let (data, reach) = (self.lock_data()?, self.existing(REACH)?);
        Ok((Files { data, log, reach }, age))
    }

    /// Opens the file of data, which nobody else may have locked.
    fn lock_data(&mut self) -> Result<File, Error> {
        if let Some(data) = &self.data {
            return Ok(data.try_clone()?);
        }
        let data = self.existing(DATA)?;
        if !try_lock(&data)? {
            // The number in the file `lock` is that of this process.
            return Err(Error::Locked { folder: self.path.clone(), holder: None });
        }
        self.data = Some(data.try_clone()?);
        Ok(data)
    }

    /// Notices when the folder or one of these files is not there any more.
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

    /// A file that a complete folder has.
    fn existing(&self, name: &str) -> Result<File, Error> {
        match self.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Error::Corrupt(format!("the file {name} is missing")))
            }
            opened => Ok(opened?),
        }
    }

    /// Makes the files of the log, which are empty at first. Says whether one of them was there
    /// already and is not.
    fn create_log(&self) -> Result<bool, Error> {
        let mut has_log = false;
        for name in LOG {
            has_log |= self.create_empty(name)?.metadata()?.len() > 0;
        }
        Ok(has_log)
    }

    /// Makes a file if it is missing.
    fn create_empty(&self, name: &str) -> io::Result<File> {
        let file = options().create(true).truncate(false).open(self.path.join(name))?;
        file.sync_all()?;
        Ok(file)
    }

    /// Says that the folder is complete, and of the format of today.
    pub(super) fn write_format(&self) -> Result<(), Error> {
        let mut format = self.create_unfinished()?;
        writeln!(format, "{MAGIC}{FORMAT_VERSION}")?;
        format.sync_all()?;
        self.finish(FORMAT)
    }

    fn create_unfinished(&self) -> io::Result<File> {
        options().create(true).truncate(true).open(self.path.join(UNFINISHED))
    }

    /// Gives the unfinished file its name, for good.
    fn finish(&self, name: &str) -> Result<(), Error> {
        fs::rename(self.path.join(UNFINISHED), self.path.join(name))?;
        Ok(sync_names(&self.path)?)
    }

    /// The version of the folder's format; none when it has no file that names one.
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

    /// Refuses a folder with files that are not left over from making a store in it.
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
            // Whoever still reads has the same file open, which would keep the lock.
            let _ = data.unlock();
        }
    }
}

/// How files are opened; new ones are for their owner alone.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    options.mode(FILE_MODE);
    options
}

/// Locks a file, unless somebody else has.
fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Makes a folder and those around it, as far as they are missing, for good. The folder itself is
/// for its owner alone; one that is there already is left as it is.
fn create_durably(path: &Path) -> io::Result<()> {
    let missing: Vec<_> = path.ancestors().take_while(|path| !path.exists()).collect();
    if let Some(around) = path.parent() {
        fs::create_dir_all(around)?;
    }
    let mut builder = DirBuilder::new();
    // Not an error if it is there.
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(FOLDER_MODE);
    builder.create(path)?;
    for folder in missing.iter().filter_map(|path| path.parent()) {
        sync_names(folder)?;
    }
    Ok(())
}

/// Brings the names in a folder to the disk: they are part of it, and durable when it is.
fn sync_names(folder: &Path) -> io::Result<()> {
    // Only Unix lets a folder be opened for this.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
