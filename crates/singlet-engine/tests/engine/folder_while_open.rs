//! Interference with an open folder: another process opens it, or it is deleted or replaced.
#![cfg(unix)]

use singlet_engine::store::{Batch, Durability, Error, Keyspace, Store};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Timeout for detection. The store promises 20 ms of writing; a busy machine takes longer.
const NOTICED_MAX: Duration = Duration::from_secs(60);

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("folder-while-open").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn put(store: &Store, key: u32) -> Result<(), Error> {
    let mut batch = Batch::new();
    batch.put(Keyspace::Items, key.to_be_bytes().to_vec(), b"value".to_vec());
    store.commit(&batch, Durability::Full)
}

fn rows(folder: &Path) -> usize {
    let store = Store::open(folder).unwrap();
    let snapshot = store.snapshot().unwrap();
    (0..1_000_u32)
        .filter(|key| snapshot.get(Keyspace::Items, &key.to_be_bytes()).unwrap().is_some())
        .count()
}

/// Regression: both processes acknowledged writes, and all 200 of the first one's were lost.
#[test]
fn a_deleted_lock_file_lets_nobody_in() {
    let folder = folder("lock");
    let store = Store::open(&folder).unwrap();
    put(&store, 1).unwrap();
    fs::remove_file(folder.join("lock")).unwrap();
    let second = Store::open(&folder);
    assert!(matches!(second, Err(Error::Locked { .. })), "{second:?}");
    put(&store, 2).unwrap();
    store.close().unwrap();
    assert_eq!(rows(&folder), 2);
}

/// Writes until the store rejects a write. Returns the error.
fn write_until_refused(store: &Store) -> Error {
    let begun = Instant::now();
    loop {
        match put(store, 7) {
            Err(error) => return error,
            Ok(()) if begun.elapsed() > NOTICED_MAX => panic!("writes are still acknowledged"),
            Ok(()) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Regression: 300 writes to a removed folder were acknowledged.
#[test]
fn a_folder_that_is_gone_takes_no_writes() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 5] = [
        ("removed", |folder| fs::remove_dir_all(folder).unwrap()),
        ("moved", |folder| fs::rename(folder, folder.with_extension("moved")).unwrap()),
        ("replaced", |folder| {
            fs::rename(folder, folder.with_extension("old")).unwrap();
            Store::open(folder).unwrap().close().unwrap();
        }),
        ("data-removed", |folder| fs::remove_file(folder.join("data")).unwrap()),
        ("log-replaced", |folder| {
            let log = fs::read(folder.join("log.0")).unwrap();
            fs::write(folder.join("new"), log).unwrap();
            fs::rename(folder.join("new"), folder.join("log.0")).unwrap();
        }),
    ];
    for (name, change) in changes {
        let folder = folder(name);
        for left in ["moved", "old"] {
            let _ = fs::remove_dir_all(folder.with_extension(left));
        }
        let store = Store::open(&folder).unwrap();
        put(&store, 1).unwrap();
        store.check_writable().unwrap();
        change(&folder);
        let error = write_until_refused(&store);
        assert!(error.to_string().contains("while it was open"), "{name}: {error}");
        let health = store.check_writable().unwrap_err();
        assert!(health.to_string().contains("while it was open"), "{name}: {health}");
        // Data read before stays readable.
        store.snapshot().unwrap().get(Keyspace::Items, &1_u32.to_be_bytes()).unwrap().unwrap();
    }
}

/// A health check also detects it on an idle store.
#[test]
fn health_notices_without_a_write() {
    let folder = folder("idle");
    let store = Store::open(&folder).unwrap();
    store.check_writable().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    store.check_writable().unwrap_err();
}

/// Regression: everyone on the machine could read the files.
#[test]
fn the_folder_is_for_its_owner_alone() {
    let folder = folder("modes");
    let store = Store::open(&folder).unwrap();
    put(&store, 1).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

/// An existing folder keeps the mode that its creator chose.
#[test]
fn the_mode_of_an_existing_folder_is_left_alone() {
    let folder = folder("wider");
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).unwrap();
    Store::open(&folder).unwrap().close().unwrap();
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o750);
}
