//! The folder of a store: its lock, its format, and the files of its data.

use super::base::BYTES_MIN;
use super::{Error, Files};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The format that this version writes, and the newest that it reads. See docs/format.md.
pub const FORMAT_VERSION: u32 = 2;

/// The first version had no log. Its data is what a base is, so that all it lacks is made when it
/// is opened.
const VERSION_WITHOUT_LOG: u32 = 1;

/// How the file that names the format begins.
const MAGIC: &str = "singlet store, format version ";

const LOCK: &str = "lock";
const FORMAT: &str = "format";
const DATA: &str = "data";
const LOG: [&str; 2] = ["log.0", "log.1"];
/// Files get their names when they are complete. What has this name is not.
const UNFINISHED: &str = "unfinished";

/// No file of a sane store that says its format is longer. Keeps a mistaken file from being read
/// into memory.
const FORMAT_BYTES_MAX: u64 = 4096;

/// A folder that no other process opens as long as this value lives.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The lock goes with the file, even if the process is killed.
    _lock: File,
}

impl Folder {
    /// Locks the folder, and makes it if it is missing.
    pub(super) fn lock(path: &Path) -> Result<Self, Error> {
        create_durably(path)?;
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Whoever holds the lock may not have written its number yet.
                let read = lock.take(FORMAT_BYTES_MAX).read_to_string(&mut holder);
                let holder = read.ok().and_then(|_| holder.trim().parse().ok());
                return Err(Error::Locked { folder: path.to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // For the message above, which is all that this is for.
        lock.set_len(0)?;
        lock.rewind()?;
        writeln!(lock, "{}", std::process::id())?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The files with the data. In an empty folder they are made: `prepare` turns an empty file
    /// into a base without rows, and says whether it has none.
    ///
    /// The file that names the format is made last. So a folder that has one is complete, and
    /// without its data it is damaged, not new.
    pub(super) fn files(
        &self,
        prepare: impl FnOnce(File) -> Result<bool, Error>,
    ) -> Result<Files<File>, Error> {
        match self.format()? {
            Some(FORMAT_VERSION) => {}
            Some(VERSION_WITHOUT_LOG) => {
                let data = self.existing(DATA)?;
                if data.metadata()?.len() < BYTES_MIN {
                    return Err(Error::Corrupt("the file of data is cut off".to_owned()));
                }
                prepare(data)?;
                self.create_log()?;
                self.write_format()?;
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
                    opened => !prepare(opened?)?,
                };
                let has_log = self.create_log()?;
                if has_rows || has_log {
                    let missing = "the file that names the format is missing";
                    return Err(Error::Corrupt(missing.to_owned()));
                }
                self.write_format()?;
            }
        }
        let [zero, one] = LOG;
        let log = [self.existing(zero)?, self.existing(one)?];
        Ok(Files { data: self.existing(DATA)?, log })
    }

    fn open(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(self.path.join(name))
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
            let mut options = OpenOptions::new();
            let file =
                options.write(true).create(true).truncate(false).open(self.path.join(name))?;
            has_log |= file.metadata()?.len() > 0;
            file.sync_all()?;
        }
        Ok(has_log)
    }

    fn write_format(&self) -> Result<(), Error> {
        let mut format = self.create_unfinished()?;
        writeln!(format, "{MAGIC}{FORMAT_VERSION}")?;
        format.sync_all()?;
        self.finish(FORMAT)
    }

    fn create_unfinished(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        options.open(self.path.join(UNFINISHED))
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
            let is_ours = [LOCK, UNFINISHED, DATA].into_iter().chain(LOG).any(|own| name == own);
            if !is_ours {
                return Err(Error::NotAStore(self.path.clone()));
            }
        }
        Ok(())
    }
}

/// Makes a folder and those around it, as far as they are missing, for good.
fn create_durably(path: &Path) -> io::Result<()> {
    let missing: Vec<_> = path.ancestors().take_while(|path| !path.exists()).collect();
    fs::create_dir_all(path)?;
    for folder in missing.iter().filter_map(|path| path.parent()) {
        // A name alone is in the folder where the process is.
        sync_names(if folder == "" { Path::new(".") } else { folder })?;
    }
    Ok(())
}

/// Brings the names in a folder to the disk: they are part of it, and durable when it is.
fn sync_names(folder: &Path) -> io::Result<()> {
    // Only Unix lets a folder be opened for this.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
