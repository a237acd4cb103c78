use crate::dynamodb::Requests;
use crate::round::{Kind, Round, copy_folder};
use crate::victim::{self, Acknowledged};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How many writes are in the data, and how many in the log alone.
const WRITES: u64 = 300;
/// How long the server may take to end, which brings the log into the data.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// The files, and in how many places a bit is flipped in each.
const FILES: [(&str, usize); 4] = [("data", 10), ("log.0", 6), ("log.1", 6), ("reach", 4)];

/// Flips one bit in a file of a folder after a crash. The server must refuse the folder, or an answer
/// that needs what was damaged, and never answer as if something acknowledged had not been. This held
/// from the beginning.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let folder = round.path("data");
    let mut first = round.endpoint_on(Kind::Folder, Some(&folder))?;
    let mut acknowledged = victim::write_acknowledged(first.requests, WRITES)?;
    first.server.terminate()?;
    if first.server.wait(STOP_TIME_MAX).is_none() {
        return Err(format!("it still runs {STOP_TIME_MAX:?} after SIGTERM"));
    }
    let mut second = round.endpoint_on(Kind::Folder, Some(&folder))?;
    let mut connection = victim::open(second.requests)?;
    for key in WRITES / 2..WRITES * 2 {
        victim::put(&mut connection, second.requests, key, key + WRITES)?;
        acknowledged.insert(key, key + WRITES);
    }
    second.server.kill();
    let (mut refused, mut found, mut harmless) = (0, 0, 0);
    for (file, places) in FILES {
        for place in 0..places {
            let copy = round.path("copy");
            copy_folder(&folder, &copy)?;
            let Some(what) = flip(&copy, file, place, places)? else {
                fs::remove_dir_all(&copy).map_err(|error| error.to_string())?;
                continue;
            };
            match round.endpoint_on(Kind::Folder, Some(&copy)) {
                Err(reason) => {
                    refused += 1;
                    let reason = reason.replace(&copy.display().to_string(), "the folder");
                    let is_clear = reason.contains("damaged");
                    round.check(is_clear, || format!("{what}: the refusal is not clear: {reason}"));
                }
                Ok(endpoint) => match check(endpoint.requests, &acknowledged) {
                    Ok(0) => harmless += 1,
                    Ok(_) => found += 1,
                    Err(fault) => round.faults.push(format!("{what}: {fault}")),
                },
            }
            fs::remove_dir_all(&copy).map_err(|error| error.to_string())?;
        }
    }
    round.check(refused > 0, || "no folder was refused".to_owned());
    round.note(format!("{refused} refused at the start, {found} when read, {harmless} harmless"));
    Ok(())
}

/// Flips a bit of a file, and says where. `None` if the file is empty.
fn flip(folder: &Path, file: &str, place: usize, places: usize) -> Result<Option<String>, String> {
    let path = folder.join(file);
    let named = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut bytes = fs::read(&path).map_err(named)?;
    // Zeros are mostly pages and ends of the log that are not used.
    let used = bytes.iter_mut().enumerate().filter(|(_, byte)| **byte != 0);
    let mut used: Vec<(usize, &mut u8)> = used.collect();
    let (index, bit) = (used.len() * (2 * place + 1) / (2 * places), place % 8);
    let Some((offset, byte)) = used.get_mut(index) else { return Ok(None) };
    let offset = *offset;
    **byte ^= 1 << bit;
    fs::write(&path, bytes).map_err(named)?;
    Ok(Some(format!("bit {bit} of byte {offset} of {file}")))
}

/// For how many keys the server says that something is wrong. It is an error if it says anything else
/// but what was acknowledged.
fn check(requests: Requests, acknowledged: &Acknowledged) -> Result<usize, String> {
    let mut connection = victim::open(requests)?;
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
