//! Folders and disks that fail, or are changed behind the server's back.

use crate::dynamodb::Requests;
use crate::http::{Connection, PATIENCE};
use crate::round::{Round, Target, health};
use crate::victim::{self, Acknowledged};
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn named(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

fn folder_of(target: &Target) -> Result<PathBuf, String> {
    target.folder.clone().ok_or_else(|| "the server has no folder".to_owned())
}

/// Deletes the file `lock` of a running server, and starts a second one on the folder. It took a
/// new lock and started, so that two processes wrote the same files.
pub(super) fn second_process(round: &mut Round, first: Target) -> Result<(), String> {
    let folder = folder_of(&first)?;
    let acknowledged = victim::write_acknowledged(first.requests, 50)?;
    for lock_is_deleted in [false, true] {
        if lock_is_deleted {
            let lock = folder.join("lock");
            fs::remove_file(&lock).map_err(named(&lock))?;
        }
        match round.start_on(&folder) {
            Ok(_) => round.faults.push("a second process started".to_owned()),
            Err(reason) => check_reason(round, &folder, &reason, &["process", "lock"]),
        }
    }
    round.check_kept(first.requests, &acknowledged, "in the first process");
    let is_healthy = health(first.requests.address).is_ok_and(|answer| answer.status == 200);
    round.check(is_healthy, || "the first process is not healthy".to_owned());
    Ok(())
}

/// A refusal must have one of these words, outside the path of the folder.
fn check_reason(round: &mut Round, folder: &Path, reason: &str, words: &[&str]) {
    let reason = reason.replace(&folder.display().to_string(), "the folder");
    let is_clear = words.iter().any(|word| reason.contains(word));
    round.check(is_clear, || format!("the refusal is not clear: {reason}"));
}

/// Deletes the folder of a running server. Writes were still acknowledged, into files that were gone
/// with the process.
pub(super) fn deleted_folder(round: &mut Round, target: Target) -> Result<(), String> {
    let folder = folder_of(&target)?;
    victim::write_acknowledged(target.requests, 50)?;
    fs::remove_dir_all(&folder).map_err(named(&folder))?;
    check_refuses_writes(round, target.requests);
    Ok(())
}

/// Moves the folder of a running server elsewhere. The server kept writing into files that are not
/// found at the next start, and said that it was well.
pub(super) fn moved_folder(round: &mut Round, target: Target) -> Result<(), String> {
    let (folder, elsewhere) = (folder_of(&target)?, round.path("elsewhere"));
    let acknowledged = victim::write_acknowledged(target.requests, 50)?;
    fs::rename(&folder, &elsewhere).map_err(named(&folder))?;
    check_refuses_writes(round, target.requests);
    drop(target);
    // The data moved along.
    let target = round.start_on(&elsewhere)?;
    round.check_kept(target.requests, &acknowledged, "where it was moved");
    Ok(())
}

/// A server without its folder must say so, and acknowledge nothing any more. It looks every 20 ms.
fn check_refuses_writes(round: &mut Round, requests: Requests) {
    let begun = Instant::now();
    for number in 1_000.. {
        if begun.elapsed() > PATIENCE {
            break;
        }
        let written =
            requests.open().and_then(|mut open| victim::put(&mut open, requests, number, number));
        let is_unwell = !health(requests.address).is_ok_and(|answer| answer.status == 200);
        if written.is_err() && is_unwell {
            return round.note(format!("noticed after {:.1?}", begun.elapsed()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    round.faults.push("writes are acknowledged or /health is ok without the folder".to_owned());
}

/// Starts a server on a copy of a folder whose files were changed, and removes the copy afterwards.
fn try_changed(
    round: &mut Round,
    folder: &Path,
    change: impl FnOnce(&Path) -> Result<(), String>,
    check: impl FnOnce(&mut Round, Result<Target, String>),
) -> Result<(), String> {
    let copy = round.path("copy");
    fs::create_dir(&copy).map_err(named(&copy))?;
    for entry in fs::read_dir(folder).map_err(named(folder))? {
        let entry = entry.map_err(named(folder))?;
        fs::copy(entry.path(), copy.join(entry.file_name())).map_err(named(&copy))?;
    }
    change(&copy)?;
    let started = round.start_on(&copy);
    check(round, started);
    fs::remove_dir_all(&copy).map_err(named(&copy))
}

/// Cuts files of the log short after a crash. An empty log counted as one that nothing had been
/// written to, so the server started with less than it had acknowledged.
pub(super) fn shortened_log(round: &mut Round, mut first: Target) -> Result<(), String> {
    /// The files to cut, and what percentage of them is left.
    const CUTS: [(&[&str], u64); 6] = [
        (&["log.0"], 0),
        (&["log.1"], 0),
        (&["log.0"], 50),
        (&["log.1"], 50),
        (&["log.0", "log.1"], 0),
        (&["log.0", "log.1"], 50),
    ];
    let folder = folder_of(&first)?;
    let acknowledged = victim::write_acknowledged(first.requests, 300)?;
    first.server.kill();
    for (files, percent) in CUTS {
        let what = format!("{} cut to {percent} %", files.join(" and "));
        let cut = |copy: &Path| {
            files.iter().try_for_each(|file| {
                let path = copy.join(file);
                let opened = OpenOptions::new().write(true).open(&path);
                let cut =
                    opened.and_then(|file| file.set_len(file.metadata()?.len() * percent / 100));
                cut.map_err(named(&path))
            })
        };
        try_changed(round, &folder, cut, |round, started| match started {
            Ok(target) => round.check_kept(target.requests, &acknowledged, &what),
            Err(reason) => check_reason(round, &round.path("copy"), &reason, &["log", "damaged"]),
        })?;
    }
    Ok(())
}

/// Flips one bit in a file of a folder after a crash. The server must refuse the folder, or an answer
/// that needs the damaged part, and never answer as if something acknowledged had not been. This held
/// from the beginning.
pub(super) fn flipped_bits(round: &mut Round, mut first: Target) -> Result<(), String> {
    /// How many writes are in the data, and how many in the log alone.
    const WRITES: u64 = 300;
    /// The files, and in how many places a bit is flipped in each.
    const FILES: [(&str, usize); 4] = [("data", 10), ("log.0", 6), ("log.1", 6), ("reach", 4)];
    let folder = folder_of(&first)?;
    let mut acknowledged = victim::write_acknowledged(first.requests, WRITES)?;
    // To end brings the log into the data.
    first.server.terminate()?;
    first.server.wait()?;
    let mut second = round.start_on(&folder)?;
    let mut connection = second.requests.open()?;
    for key in WRITES / 2..WRITES * 2 {
        victim::put(&mut connection, second.requests, key, key + WRITES)?;
        acknowledged.insert(key, key + WRITES);
    }
    second.server.kill();
    let (mut refused, mut found, mut harmless) = (0, 0, 0);
    for (file, places) in FILES {
        for place in 0..places {
            let flip = |copy: &Path| flip(&copy.join(file), place, places);
            try_changed(round, &folder, flip, |round, started| match started {
                Err(reason) => {
                    refused += 1;
                    check_reason(round, &round.path("copy"), &reason, &["damaged"]);
                }
                Ok(target) => match count_damaged(target.requests, &acknowledged) {
                    Ok(0) => harmless += 1,
                    Ok(_) => found += 1,
                    Err(fault) => round.faults.push(format!("{file}, place {place}: {fault}")),
                },
            })?;
        }
    }
    round.check(refused > 0, || "no folder was refused".to_owned());
    round.note(format!("{refused} refused at the start, {found} when read, {harmless} harmless"));
    Ok(())
}

/// Flips a bit of a file, unless it is empty.
fn flip(path: &Path, place: usize, places: usize) -> Result<(), String> {
    let mut bytes = fs::read(path).map_err(named(path))?;
    // Zeros are mostly pages and ends of the log that are not used.
    let mut used: Vec<&mut u8> = bytes.iter_mut().filter(|byte| **byte != 0).collect();
    let index = used.len() * (2 * place + 1) / (2 * places);
    if let Some(byte) = used.get_mut(index) {
        **byte ^= 1 << (place % 8);
    }
    fs::write(path, bytes).map_err(named(path))
}

/// The number of keys that are reported as damaged. All others must have their acknowledged number.
fn count_damaged(requests: Requests, acknowledged: &Acknowledged) -> Result<usize, String> {
    let mut connection = requests.open()?;
    let mut damaged = 0;
    for (key, number) in acknowledged {
        match victim::number_of(&mut connection, requests, *key) {
            Ok(Some(found)) if found == *number => {}
            Err(refusal) if refusal.contains(": 500 ") => damaged += 1,
            Err(refusal) => return Err(refusal),
            Ok(found) => return Err(format!("key {key} has {found:?} instead of {number}")),
        }
    }
    Ok(damaged)
}

/// A disk that gets full, here by a limit on the size of files. Writes must be refused with an error,
/// and nothing may be lost that was acknowledged before or afterwards; reads go on. This held from the
/// beginning.
pub(super) fn full_disk(round: &mut Round, _: Target) -> Result<(), String> {
    /// In blocks of 512 bytes. The log reaches the first limit. The second one is beyond what a file of
    /// the log has, so that the data reaches it; that takes a few seconds.
    const BLOCKS_MAX: u64 = 16 << 10;
    const BLOCKS_MAX_LONG: u64 = 150 << 10;
    let limits = [Some(BLOCKS_MAX), round.is_long().then_some(BLOCKS_MAX_LONG)];
    for blocks in limits.into_iter().flatten() {
        let folder = round.path(&format!("data-{blocks}"));
        fill_disk(round, &folder, blocks)?;
        fs::remove_dir_all(&folder).map_err(named(&folder))?;
    }
    Ok(())
}

fn fill_disk(round: &mut Round, folder: &Path, blocks: u64) -> Result<(), String> {
    /// How many items are written at most: three times what fits below the greater limit.
    const WRITES_MAX: u64 = 800;
    /// How many small writes are refused before it is enough.
    const REFUSALS: usize = 20;
    round.file_blocks_max = Some(blocks);
    let started = round.start_on(folder);
    round.file_blocks_max = None;
    let mut target = started?;
    let requests = target.requests;
    requests.create_table("filler")?;
    let mut acknowledged = victim::write_acknowledged(requests, 1)?;
    let mut connection = requests.open()?;
    let (mut filler_bytes, mut refusals) = (300_000, Vec::new());
    for number in 1..WRITES_MAX {
        if refusals.len() >= REFUSALS {
            break;
        }
        // When a large item no longer fits, smaller ones fill the rest.
        let item =
            json!({"pk": {"S": number.to_string()}, "text": {"S": "a".repeat(filler_bytes)}});
        let body = json!({"TableName": "filler", "Item": item}).to_string();
        if requests.ask(&mut connection, "PutItem", &body).is_err() {
            filler_bytes /= 2;
        }
        refusals.extend(write(&mut connection, requests, number, &mut acknowledged).err());
    }
    let Some(refusal) = refusals.first() else {
        return Err("nothing was refused, so there was no limit".to_owned());
    };
    round.check(refusal.contains(": 500 "), || format!("the refusal is not an error: {refusal}"));
    let is_unwell = health(requests.address).is_ok_and(|answer| answer.status == 503);
    round.check(is_unwell, || "/health is ok".to_owned());
    round.check_kept(requests, &acknowledged, "while writes are refused");
    let is_alive = target.server.is_alive();
    round.check(is_alive, || format!("the server has ended: {}", target.server.log_end()));
    target.server.kill();
    let target = round.start_on(folder)?;
    round.check_kept(target.requests, &acknowledged, "after a crash");
    write(&mut target.requests.open()?, target.requests, 0, &mut acknowledged)?;
    let (done, refused, megabytes) = (acknowledged.len(), refusals.len(), blocks >> 11);
    round.note(format!("files of {megabytes} MB: {done} writes acknowledged, {refused} refused"));
    Ok(())
}

fn write(
    connection: &mut Connection,
    requests: Requests,
    number: u64,
    acknowledged: &mut Acknowledged,
) -> Result<(), String> {
    victim::put(connection, requests, number, number)?;
    acknowledged.insert(number, number);
    Ok(())
}

/// Asks for an index of a table with many items, and kills the server while it is built. At the next
/// start it must be completed, with every item. This held from the beginning.
pub(super) fn killed_index_build(round: &mut Round, mut target: Target) -> Result<(), String> {
    const ITEMS: usize = 10_000;
    /// Builds to interrupt, and builds to try: the server may be faster than this process.
    const INTERRUPTED: usize = 2;
    const BUILDS_MAX: usize = 10;
    let folder = folder_of(&target)?;
    super::work::fill(
        target.requests,
        "indexed",
        ITEMS,
        |key| json!({"pk": {"S": key.to_string()}, "b": {"S": "b"}}),
    )?;
    let (mut interrupted, mut builds) = (0, 0);
    while interrupted < INTERRUPTED && builds < BUILDS_MAX {
        let name = format!("index{builds}");
        create_index(target.requests, &name)?;
        // Different moments of the build: 0, 10, 20 ms.
        std::thread::sleep(Duration::from_millis(10) * (builds % 3) as u32);
        builds += 1;
        target.server.kill();
        target = round.start_on(&folder)?;
        let begun = Instant::now();
        for attempt in 0.. {
            match status(target.requests, &name)?.as_str() {
                "ACTIVE" => break,
                _ if begun.elapsed() > PATIENCE => {
                    return Err(format!("{name} is not built after {PATIENCE:?}"));
                }
                _ => interrupted += usize::from(attempt == 0),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let found = count(target.requests, &name)?;
        round.check(found == ITEMS, || format!("{name} has {found} of {ITEMS} items"));
    }
    round.check(interrupted > 0, || "all indexes were built before the kill".to_owned());
    round.note(format!("{interrupted} of {builds} builds were interrupted"));
    Ok(())
}

fn create_index(requests: Requests, name: &str) -> Result<(), String> {
    let body = json!({
        "TableName": "indexed",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "b", "AttributeType": "S"},
        ],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": name,
            "KeySchema": [
                {"AttributeName": "b", "KeyType": "HASH"},
                {"AttributeName": "pk", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }}],
    });
    requests.ask_json("UpdateTable", &body).map(drop)
}

fn status(requests: Requests, name: &str) -> Result<String, String> {
    let table = requests.ask_json("DescribeTable", &json!({"TableName": "indexed"}))?;
    let mut indexes = table["Table"]["GlobalSecondaryIndexes"].as_array().into_iter().flatten();
    let index = indexes.find(|index| index["IndexName"] == name);
    let status = index.and_then(|index| index["IndexStatus"].as_str());
    status.map(str::to_owned).ok_or_else(|| format!("{name} is not there"))
}

/// How many items an index has.
fn count(requests: Requests, name: &str) -> Result<usize, String> {
    super::count_items(requests, json!({"TableName": "indexed", "IndexName": name}))
}
