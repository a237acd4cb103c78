use crate::dynamodb::Requests;
use crate::http::Connection;
use crate::round::{Kind, Round, health};
use crate::victim::{self, Acknowledged};
use serde_json::json;
use std::path::Path;

const FILLER: &str = "filler";
const FILLER_BYTES: usize = 300_000;
/// How large files may become, in blocks of 512 bytes. The log reaches the first limit. The second
/// one is beyond what a file of the log has, so that the data reaches it; that takes a few seconds.
const BLOCKS_MAX: u64 = 16 << 10;
const BLOCKS_MAX_LONG: u64 = 150 << 10;
/// How many items are written at most: three times what fits below the greater limit.
const WRITES_MAX: u64 = 800;
/// How many small writes are refused before it is enough.
const REFUSALS: usize = 20;

/// A disk that gets full, which is a limit on the size of files here. Writes must be refused with an
/// error, and nothing may be lost that was acknowledged before or afterwards; reads go on. This held
/// from the beginning.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let limits = [Some(BLOCKS_MAX), round.is_long().then_some(BLOCKS_MAX_LONG)];
    for blocks in limits.into_iter().flatten() {
        let folder = round.path(&format!("data-{blocks}"));
        fill(round, &folder, blocks)?;
        std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn fill(round: &mut Round, folder: &Path, blocks: u64) -> Result<(), String> {
    let megabytes = blocks >> 11;
    let mut endpoint = round.endpoint_with_file_limit(folder, blocks)?;
    let requests = endpoint.requests;
    victim::create_table(requests, FILLER)?;
    // That makes the table, too.
    let mut acknowledged = victim::write_acknowledged(requests, 1)?;
    let mut connection = victim::open(requests)?;
    let (mut filler_bytes, mut refusals) = (FILLER_BYTES, Vec::new());
    for number in 1..WRITES_MAX {
        if refusals.len() >= REFUSALS {
            break;
        }
        // When a large item has no room any more, smaller ones take what is left.
        if !fits(&mut connection, requests, number, filler_bytes) {
            filler_bytes /= 2;
        }
        refusals.extend(write(&mut connection, requests, number, &mut acknowledged).err());
    }
    let what = format!("files of {megabytes} MB");
    let Some(refusal) = refusals.first() else {
        round.faults.push(format!("{what}: nothing was refused, so there was no limit"));
        return Ok(());
    };
    let is_clear = refusal.contains(": 500 ");
    round.check(is_clear, || format!("{what}: the refusal is no error: {refusal}"));
    let is_unwell = health(requests.address).is_ok_and(|answer| answer.status == 503);
    round.check(is_unwell, || format!("{what}: /health is ok"));
    round.check_kept(requests, &acknowledged, &format!("{what}, while writes are refused"));
    let is_alive = endpoint.server.is_alive();
    round.check(is_alive, || format!("the server has ended: {}", endpoint.server.log_end()));
    endpoint.server.kill();
    let endpoint = round.endpoint_on(Kind::Folder, Some(folder))?;
    round.check_kept(endpoint.requests, &acknowledged, &format!("{what}, after a crash"));
    let mut connection = victim::open(endpoint.requests)?;
    write(&mut connection, endpoint.requests, 0, &mut acknowledged)?;
    let (done, refused) = (acknowledged.len(), refusals.len());
    round.note(format!("{what}: {done} writes were acknowledged, {refused} refused"));
    Ok(())
}

/// Whether there is room for an item of this size.
fn fits(connection: &mut Connection, requests: Requests, number: u64, bytes: usize) -> bool {
    let item = json!({"pk": {"S": number.to_string()}, "text": {"S": "a".repeat(bytes)}});
    let body = json!({"TableName": FILLER, "Item": item}).to_string();
    victim::ask(connection, requests, "PutItem", &body).is_ok()
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
