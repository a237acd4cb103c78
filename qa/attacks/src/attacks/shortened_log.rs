use crate::round::{Kind, Round, copy_folder};
use crate::victim;
use std::fs::{self, OpenOptions};
use std::path::Path;

const WRITES: u64 = 300;
/// The files to cut, and what percentage of them is left.
const CUTS: [(&[&str], u64); 6] = [
    (&["log.0"], 0),
    (&["log.1"], 0),
    (&["log.0"], 50),
    (&["log.1"], 50),
    (&["log.0", "log.1"], 0),
    (&["log.0", "log.1"], 50),
];

/// Cuts files of the log short after a crash. A log that was empty counted as one that nothing had
/// been written to, so the server started with less than it had acknowledged.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let folder = round.path("data");
    let mut first = round.endpoint_on(Kind::Folder, Some(&folder))?;
    let acknowledged = victim::write_acknowledged(first.requests, WRITES)?;
    first.server.kill();
    for (files, percent) in CUTS {
        let copy = round.path("copy");
        copy_folder(&folder, &copy)?;
        for file in files {
            cut(&copy.join(file), percent)?;
        }
        let what = format!("{} cut to {percent} %", files.join(" and "));
        match round.endpoint_on(Kind::Folder, Some(&copy)) {
            Ok(endpoint) => round.check_kept(endpoint.requests, &acknowledged, &what),
            Err(reason) => {
                let reason = reason.replace(&copy.display().to_string(), "the folder");
                let is_clear = reason.contains("log") || reason.contains("damaged");
                round.check(is_clear, || format!("{what}: the refusal is not clear: {reason}"));
            }
        }
        fs::remove_dir_all(&copy).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn cut(path: &Path, percent: u64) -> Result<(), String> {
    let opened = OpenOptions::new().write(true).open(path);
    let cut = opened.and_then(|file| file.set_len(file.metadata()?.len() * percent / 100));
    cut.map_err(|error| format!("{}: {error}", path.display()))
}
