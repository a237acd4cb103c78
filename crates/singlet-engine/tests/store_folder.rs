//! Which folders can be opened, and by which process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic here is a failing test")]

use singlet_engine::store::{Batch, Durability, Error, FORMAT_VERSION, Keyspace, Store};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("store-folder").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn put(store: &Store, key: &[u8]) {
    let mut batch = Batch::new();
    batch.put(Keyspace::Items, key.to_vec(), b"value".to_vec());
    store.commit(&batch, Durability::Full).unwrap();
}

fn has(store: &Store, key: &[u8]) -> bool {
    store.snapshot().unwrap().get(Keyspace::Items, key).unwrap().is_some()
}

/// A folder with one row in it.
fn made(name: &str) -> PathBuf {
    let folder = folder(name);
    let store = Store::open(&folder).unwrap();
    put(&store, b"a");
    store.close().unwrap();
    folder
}

fn refusal(folder: &Path) -> Error {
    match Store::open(folder) {
        Ok(_) => panic!("{} was opened", folder.display()),
        Err(error) => error,
    }
}

#[test]
fn what_was_written_is_there_again() {
    let folder = folder("again");
    for round in 0..5 {
        let store = Store::open(&folder).unwrap();
        for earlier in 0..round {
            assert!(has(&store, &[earlier]));
        }
        put(&store, &[round]);
        // Alternates between closing and dropping.
        if round % 2 == 0 {
            store.close().unwrap();
        }
    }
}

#[test]
fn relaxed_commits_are_there_after_closing() {
    let folder = folder("relaxed");
    let store = Store::open(&folder).unwrap();
    let mut batch = Batch::new();
    batch.put(Keyspace::Items, b"a".to_vec(), b"value".to_vec());
    store.commit(&batch, Durability::Relaxed).unwrap();
    store.close().unwrap();
    assert!(has(&Store::open(&folder).unwrap(), b"a"));
}

/// Regression: the log took 128 MB regardless of the data: a server that rewrote 50 items all day
/// filled it.
#[test]
fn a_folder_whose_rows_are_rewritten_stays_small() {
    const ROWS: u8 = 50;
    const ROUNDS: u8 = 160;
    let store = Store::open(folder("rewritten")).unwrap();
    for round in 0..ROUNDS {
        for row in 0..ROWS {
            let mut batch = Batch::new();
            batch.put(Keyspace::Items, vec![row], vec![round; 20_000]);
            store.commit(&batch, Durability::Relaxed).unwrap();
        }
    }
    // A megabyte of rows, two log files of 16 MB each, and redb's free pages.
    let bytes = store.size_bytes().unwrap();
    assert!(bytes < 64 << 20, "{bytes} bytes");
}

#[test]
fn a_closed_store_says_so() {
    let folder = made("closed");
    let store = Store::open(&folder).unwrap();
    let snapshot = store.snapshot().unwrap();
    store.close().unwrap();
    store.close().unwrap();
    assert!(matches!(store.snapshot(), Err(Error::Closed)));
    assert!(matches!(store.commit(&Batch::new(), Durability::Full), Err(Error::Closed)));
    assert!(matches!(store.sync(), Err(Error::Closed)));
    assert!(matches!(store.size_bytes(), Err(Error::Closed)));
    assert!(matches!(store.verify(), Err(Error::Closed)));
    // The page is in memory, or the read fails.
    assert!(matches!(snapshot.get(Keyspace::Items, b"a"), Ok(Some(_)) | Err(Error::Closed)));
    assert!(has(&Store::open(&folder).unwrap(), b"a"), "the folder is free again");
}

#[test]
fn nobody_else_opens_the_folder() {
    let folder = made("locked");
    let store = Store::open(&folder).unwrap();
    let error = refusal(&folder);
    assert!(
        matches!(error, Error::Locked { holder: Some(process), .. } if process == std::process::id())
    );
    let text = error.to_string();
    assert!(text.ends_with(&format!("is in use by process {}; stop it first", std::process::id())));
    drop(store);
    Store::open(&folder).unwrap();
}

/// Runs in a separate process, started by the test below.
#[test]
fn opens_the_folder_it_is_given() {
    if let Ok(folder) = std::env::var("SINGLET_TEST_FOLDER") {
        println!("{}", refusal(Path::new(&folder)));
    }
}

#[test]
fn no_other_process_opens_the_folder() {
    let folder = made("locked-by-process");
    let _store = Store::open(&folder).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "opens_the_folder_it_is_given", "--nocapture"])
        .env("SINGLET_TEST_FOLDER", &folder)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.contains(&format!("in use by process {}", std::process::id())), "{text}");
}

#[test]
fn a_newer_format_is_refused() {
    let folder = made("newer");
    fs::write(folder.join("format"), "singlet store, format version 7\n").unwrap();
    let error = refusal(&folder);
    assert!(matches!(error, Error::NewerFormat { found: 7, known: FORMAT_VERSION }));
    let expected = format!(
        "the folder has format version 7, but this program knows only versions up to \
         {FORMAT_VERSION}; open it with the newer program that wrote it"
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_format_that_says_nothing_is_refused() {
    let folder = made("nonsense");
    let version = "singlet store, format version ";
    for text in ["", version, &format!("{version}3"), &format!("{version}2\n"), "7\n"] {
        fs::write(folder.join("format"), text).unwrap();
        assert!(matches!(refusal(&folder), Error::Corrupt(_)), "{text}");
    }
}

#[test]
fn a_folder_with_other_files_is_refused_and_left_alone() {
    let folder = folder("other");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    let error = refusal(&folder);
    assert!(matches!(error, Error::NotAStore(_)), "{error}");
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "mine");
    assert!(!folder.join("data").exists());
}

#[test]
fn lost_data_is_not_taken_for_a_new_store() {
    let folder = made("lost-data");
    fs::remove_file(folder.join("data")).unwrap();
    assert!(matches!(refusal(&folder), Error::Corrupt(_)));

    let folder = made("lost-format");
    fs::remove_file(folder.join("format")).unwrap();
    assert!(matches!(refusal(&folder), Error::Corrupt(_)));

    // It cannot be read, and is not replaced either.
    let folder = made("unreadable-data");
    fs::remove_file(folder.join("format")).unwrap();
    fs::remove_file(folder.join("data")).unwrap();
    fs::create_dir(folder.join("data")).unwrap();
    refusal(&folder);
    assert!(folder.join("data").is_dir());

    let folder = made("cut-off");
    let length = fs::metadata(folder.join("data")).unwrap().len();
    for length in [0, 100, 4096, 5000, length - 4096, length - 1] {
        let folder_of_its_own = folder.with_extension(length.to_string());
        let _ = fs::remove_dir_all(&folder_of_its_own);
        fs::create_dir_all(&folder_of_its_own).unwrap();
        fs::copy(folder.join("format"), folder_of_its_own.join("format")).unwrap();
        let data = fs::read(folder.join("data")).unwrap();
        fs::write(folder_of_its_own.join("data"), data.get(..length as usize).unwrap()).unwrap();
        let opened = Store::open(&folder_of_its_own);
        let right = opened.is_ok_and(|store| has(&store, b"a"));
        let refused = matches!(Store::open(&folder_of_its_own), Err(Error::Corrupt(_)));
        assert!(right || refused, "{length} bytes of the file");
    }
}

/// A power loss during the creation of the folder.
#[test]
fn a_folder_that_was_not_finished_is_made_anew() {
    let folder = folder("unfinished");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("unfinished"), "half of a fi").unwrap();
    Store::open(&folder).unwrap().close().unwrap();

    // Its data was complete, `format` missing, and `reach` half written.
    fs::remove_file(folder.join("format")).unwrap();
    fs::write(folder.join("unfinished"), "singlet st").unwrap();
    fs::write(folder.join("reach"), "half").unwrap();
    let store = Store::open(&folder).unwrap();
    put(&store, b"a");
    store.close().unwrap();
    assert!(has(&Store::open(&folder).unwrap(), b"a"));
}
